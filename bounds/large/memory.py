"""Whether an array will fit in memory, asked before it is made."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from bounds.errors import TooLargeError

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def available_memory() -> int | None:
    """Bytes that this process may still take, as far as the system tells; None when it does not.

    The least of the free memory of the machine, the limit of the control group and the limit of
    the address space of this process.
    """
    found = [limit for limit in (_free(), _group_limit(), _process_limit()) if limit is not None]
    return min(found) if found else None


def require_memory(what: str, needed: int, alternative: str) -> None:
    """TooLargeError naming ``what``, its size, the memory there is, and the ``alternative``."""
    available = available_memory()
    if available is not None and needed > available:
        raise TooLargeError(what, readable(needed), readable(available), alternative)


def readable(size: float) -> str:
    """A number of bytes as people read it: ``1.5 GiB``."""
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.4g} {_UNITS[-1]}"


def _free() -> int | None:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _group_limit() -> int | None:
    folder = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):
        limit = int((folder / "memory.max").read_text("ascii"))
        return max(0, limit - int((folder / "memory.current").read_text("ascii")))
    return None


def _process_limit() -> int | None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    with suppress(OSError, ValueError):
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            return max(0, soft - pages * os.sysconf("SC_PAGE_SIZE"))
    return None
