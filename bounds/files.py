"""Files that are replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A new file in the same folder that takes the place of ``target`` when the block ends well.

    If the block raises, the new file is removed and ``target`` stays as it was. The ending of the
    name is kept, as some writers go by it; an old file's permissions are kept too.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    temporary = target.with_name(f".{target.stem}.{uuid4().hex}.tmp{target.suffix}")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
