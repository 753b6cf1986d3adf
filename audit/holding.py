"""One run at a time in a results folder: a lock that dies with its process.

The lock is the operating system's, on an open file: a kill leaves nothing behind. A second run says
who holds it and waits. Jobs hold a second lock, shared, while they write: a run that follows a kill
waits for orphans of the killed one.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from audit.layout import RUN

if TYPE_CHECKING:
    from filelock import FileLock


def hold(out: Path) -> FileLock:
    """Take the results folder for this process, waiting for whoever holds it.

    The caller keeps the returned lock for as long as it works.
    """
    from filelock import FileLock, Timeout

    from audit.io import write_json

    place = out / RUN
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print(f"{out}: {_holder(place)} is at work here; waiting", file=sys.stderr, flush=True)
        lock.acquire(poll_interval=0.2)
    write_json(place / "holder.json", {"host": socket.gethostname(), "process": os.getpid()})
    _wait_for_orphans(place, out)
    _remove_unfinished(out)
    return lock


def _remove_unfinished(out: Path) -> None:
    """Remove what killed writers left beside their files: nobody writes here now."""
    from audit.io import UNFINISHED

    for left in list(out.rglob(f".*{UNFINISHED}")):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def _holder(place: Path) -> str:
    try:
        holder = json.loads((place / "holder.json").read_bytes())
        return f"process {int(holder['process'])} on {str(holder['host'])[:80]}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run"


def job_lock(place: Path) -> IO[Any] | None:
    """Mark this process as a job of the run whose folder this is, until the stream is closed."""
    try:
        import fcntl
    except ImportError:
        return None
    stream = (place / "jobs").open("a")
    fcntl.flock(stream, fcntl.LOCK_SH)
    return stream


def _wait_for_orphans(place: Path, out: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return
    with (place / "jobs").open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"{out}: waiting for jobs of a run that was killed", file=sys.stderr, flush=True)
            fcntl.flock(stream, fcntl.LOCK_EX)
