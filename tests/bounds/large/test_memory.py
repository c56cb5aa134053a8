"""What will not fit is said beforehand, with the size and the alternative."""

import resource
import subprocess
import sys

import pytest

from bounds.errors import TooLargeError
from bounds.large import memory


def test_what_will_not_fit_is_named():
    with pytest.raises(
        TooLargeError, match=r"kernel\(K, K\): needs 7.28 TiB, .* are available; use"
    ):
        memory.require_memory("kernel(K, K)", 8 * 10**12, "use another route")
    memory.require_memory("a number", 8, "")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1.02e+03 B"), (1536, "1.5 KiB"), (2**61, "2048 PiB")]
)
def test_sizes_are_readable(size, text):
    assert memory.readable(size) == text


def test_the_least_limit_counts(monkeypatch):
    limits = {"_free": 100, "_group_limit": None, "_process_limit": 70}
    for name, limit in limits.items():
        monkeypatch.setattr(memory, name, lambda limit=limit: limit)
    assert memory.available_memory() == 70
    for name in limits:
        monkeypatch.setattr(memory, name, lambda: None)
    assert memory.available_memory() is None
    memory.require_memory("anything", 10**30, "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_limit_of_the_address_space_counts():
    code = (
        "import resource\n"
        "from bounds.large.memory import available_memory\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "print(available_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 2**30
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != 2**30
