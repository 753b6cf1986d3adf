"""Digests of data files, remembered between runs so that large files are read once."""

from __future__ import annotations

import json
from pathlib import Path

from audit.errors import DataError, Issue
from audit.io import file_digest, write_json_if_different


class FileDigests:
    """Digest of a file's bytes; read again when its size, times or place on the disk differ.

    Parameters
    ----------
    memory : file that keeps {path: [marks, digest]}; a damaged one is begun anew
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        try:
            known = json.loads(memory.read_bytes())
            self._known = {
                str(path): (list(marks), str(text)) for path, (marks, text) in known.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            self._known = {}
        self._used: dict[str, tuple[list[int], str]] = {}

    def of(self, path: Path) -> str:
        """Digest of a file.

        Raises
        ------
        DataError
            if it cannot be read
        """
        name = str(path.absolute())
        try:
            stat = path.stat()
            # the change time cannot be set by hand: an older file moved in is seen too
            marks = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
            known = self._known.get(name)
            found = known[1] if known is not None and known[0] == marks else file_digest(path)
        except OSError as error:
            raise DataError(
                [Issue(str(path), 0, 0, "", f"cannot be read: {error.strerror}")]
            ) from error
        self._used[name] = (marks, found)
        return found

    def save(self) -> None:
        """Keep what is known for the next run."""
        write_json_if_different(self._memory, {**self._known, **self._used})
