"""What a log gave, kept by its content: a log that was read once is not parsed again.

The key is made of the content of the file and of the code that reads it, so that an entry is never
out of date; an entry that cannot be read is made again. Texts are in it: the folder belongs to the
user alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import polars as pl

from audit.io import digest_of, file_digest, write_atomic
from audit.responses.facts import Loss, Reproduction, Run
from audit.responses.readers.raw import Log, RawTable
from audit.spec.files import ResolvedFile

VARIABLE: Final = "AUDIT_CACHE"
"""Names the folder; `off` keeps nothing."""
MOST_BYTES: Final = 2 * 1024**3
"""Of all entries; the ones used longest ago go first."""
_SMALL: Final = 1 << 20
"""Bytes of files that are read again sooner than they are looked up."""


def folder() -> Path | None:
    """Where entries lie: `AUDIT_CACHE`, else the user's cache folder; None: nowhere."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return None if named in ("", "off") else Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    home = Path(base) if base else Path(os.path.expanduser("~")) / ".cache"  # noqa: PTH111
    return home / "claimscope" / "logs" if home.is_absolute() else None


def cached(
    name: str,
    read: Callable[[Sequence[ResolvedFile]], list[RawTable]],
    files: Sequence[ResolvedFile],
) -> list[RawTable]:
    """Read a source's logs, or take what was made of the same content before.

    Parameters
    ----------
    name : the format
    files : read together: what stands in one may depend on another
    """
    where = folder()
    if where is None or sum(one.path.stat().st_size for one in files) < _SMALL:
        return read(files)
    key = digest_of(
        [name, _code(), [[one.declared, file_digest(one.path)] for one in files]]
    ).removeprefix("sha256:")
    entry = where / key
    with contextlib.suppress(Exception):  # whatever is wrong with an entry: it is made again
        return _taken(entry)
    tables = read(files)
    with contextlib.suppress(OSError):
        _keep(entry, tables)
        _prune(where)
    return tables


@cache
def _code() -> str:
    """Digest of the modules that read logs, and of the library beside them."""
    hashed = hashlib.sha256(pl.__version__.encode())
    here = Path(__file__).resolve().parent
    for path in sorted([*here.glob("readers/*.py"), here / "facts.py", Path(__file__)]):
        hashed.update(path.name.encode() + path.read_bytes())
    with contextlib.suppress(Exception):
        from importlib.metadata import version

        hashed.update(version("inspect-ai").encode())
    return hashed.hexdigest()


def _keep(entry: Path, tables: Sequence[RawTable]) -> None:
    """Write the frames, then the facts that make an entry whole."""
    entry.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts: list[dict[str, Any]] = []
    for at, one in enumerate(tables):
        path = entry / f"{at}.parquet"
        one.frame.write_parquet(path)
        log = one.log
        facts.append(
            {
                "file": one.file,
                "digest": file_digest(path),
                "unreadable": dict(one.unreadable),
                "beside": list(one.beside),
                "log": None
                if log is None
                else {
                    "scores": list(log.scores),
                    "statuses": dict(log.statuses),
                    "values": dict(log.values),
                    "texts": dict(log.texts),
                    "runs": [run.model_dump(mode="json") for run in log.runs],
                    "reproductions": [one.model_dump(mode="json") for one in log.reproductions],
                    "losses": [loss.model_dump(mode="json") for loss in log.losses],
                },
            }
        )
    write_atomic(entry / "facts.json", json.dumps(facts).encode())


def _taken(entry: Path) -> list[RawTable]:
    facts = json.loads((entry / "facts.json").read_bytes())
    if not isinstance(facts, list) or not facts:
        raise ValueError(f"{entry} is no entry")
    tables = [_table(entry / f"{at}.parquet", one) for at, one in enumerate(facts)]
    os.utime(entry)
    return tables


def _table(path: Path, facts: dict[str, Any]) -> RawTable:
    if file_digest(path) != facts["digest"]:
        raise ValueError(f"{path} was changed")
    log = facts["log"]
    return RawTable(
        facts["file"],
        pl.read_parquet(path.read_bytes()),
        facts["unreadable"],
        None
        if log is None
        else Log(
            tuple(log["scores"]),
            log["statuses"],
            log["values"],
            log["texts"],
            tuple(Run(**one) for one in log["runs"]),
            tuple(Reproduction(**one) for one in log["reproductions"]),
            tuple(Loss(**one) for one in log["losses"]),
        ),
        tuple(facts["beside"]),
    )


def _prune(where: Path) -> None:
    """Remove the entries used longest ago, until the rest is within `MOST_BYTES`."""
    entries = []
    for entry in where.iterdir():
        if len(entry.name) == 64 and entry.is_dir() and not entry.is_symlink():
            parts = [one for one in entry.iterdir() if one.is_file()]
            entries.append((entry.stat().st_mtime, entry, parts))
    total = sum(one.stat().st_size for _, _, parts in entries for one in parts)
    for _, entry, parts in sorted(entries, key=lambda one: one[0]):
        if total <= MOST_BYTES:
            return
        total -= sum(one.stat().st_size for one in parts)
        for one in parts:
            one.unlink()
        entry.rmdir()
