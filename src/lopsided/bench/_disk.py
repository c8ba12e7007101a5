"""A disk that can be full for a while."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

_ROOM = 4 * 2**30


class Disk(Protocol):
    """A folder on a disk that can be filled and freed."""

    folder: Path
    how: str

    def fill(self, pids: list[int]) -> None:
        """Let every further write fail, at least those of these processes."""

    def free(self, pids: list[int]) -> None:
        """Let writes succeed again."""


@contextmanager
def disk_at(folder: Path) -> Iterator[Disk]:
    """Yield a disk at an empty folder.

    Root gets a file system of its own there; others get limits of the processes that write.
    """
    if os.geteuid() == 0 and _mount("-t", "tmpfs", "-o", f"size={_ROOM},mode=700", "tmpfs", str(folder)):
        try:
            yield _Mounted(folder)
        finally:
            # lazily, if a process that was killed a moment ago still has a file open
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
    else:
        yield _Limited(folder)


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


class _Mounted:
    how = "a file system in memory without room (ENOSPC)"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, pids: list[int]) -> None:
        for _ in range(20):  # what is in use may grow meanwhile, and then the size is refused
            there = os.statvfs(self.folder)
            used = (there.f_blocks - there.f_bfree) * there.f_frsize
            if self._resize(used):
                return
        raise OSError("the disk could not be filled: it is written to all the time.")

    def free(self, pids: list[int]) -> None:
        self._resize(_ROOM)

    def _resize(self, size: int) -> bool:
        return _mount("-o", f"remount,size={size}", str(self.folder))


class _Limited:
    how = "a limit of 0 bytes for every file that the services write (RLIMIT_FSIZE: EFBIG)"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, pids: list[int]) -> None:
        self._limit(pids, 0)

    def free(self, pids: list[int]) -> None:
        self._limit(pids, resource.RLIM_INFINITY)

    def _limit(self, pids: list[int], size: int) -> None:
        for pid in pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
