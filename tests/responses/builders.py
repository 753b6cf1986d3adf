"""Small files and what intake makes of them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

from audit.errors import DataError
from audit.responses.intake import Ingested, ingest
from audit.spec.files import ResolvedFile
from audit.spec.plan import MetricSlice, SourceSlice, SystemMatch

HEAD = "system,item,score\n"


def metric(kind="binary", lower=0.0, upper=1.0, **fields):
    """The metric `correct` in the column `score`."""
    values = {"id": "correct", "kind": kind, "lower": lower, "upper": upper, "better": "higher"}
    return MetricSlice(**(values | {"column": "score"} | fields))


BINARY = metric()
SHARE = metric("proportion")
PERCENT = metric("bounded", 0.0, 100.0)
POINTS = metric("unbounded", None, None)


def systems(**match):
    """Systems by id: text of the column `system`, or {column: text}."""
    return tuple(
        SystemMatch(system=name, match=one if isinstance(one, dict) else {"system": one})
        for name, one in match.items()
    )


def slice_of(**fields):
    """Slice of a source `s`: systems `a` and `b`, one binary metric, nothing mapped."""
    values = {
        "study": "study",
        "source": "s",
        "files": ("rows.csv",),
        "items": None,
        "columns": {},
        "values": {},
        "rows": {},
        "metrics": (BINARY,),
        "task": None,
        "tasks": (),
        "variants": ("base",),
        "repeats": "refuse",
        "systems": systems(a="a", b="b"),
        "other_systems": "refuse",
        "private": False,
    }
    return SourceSlice(**(values | fields))


def written(folder: Path, files: Mapping[str, str | bytes | pl.DataFrame]) -> list[ResolvedFile]:
    """Write files in the order given; text as UTF-8, frames as Parquet, `.gz` packed."""
    resolved = []
    for name, content in files.items():
        path = folder / name
        packed = name.endswith(".gz") and not isinstance(content, bytes)
        if isinstance(content, pl.DataFrame):
            content.write_parquet(path)
            content = path.read_bytes()
        raw = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(raw) if packed else raw)
        resolved.append(ResolvedFile(name, path))
    return resolved


def read(folder: Path, files, **fields) -> Ingested:
    """Ingest files, or one CSV text named `rows.csv`."""
    files = {"rows.csv": files} if isinstance(files, str | bytes) else files
    return ingest(slice_of(**fields), written(folder, files))


def refused(folder: Path, files, **fields) -> list[str]:
    """Messages of the refusal, in their order."""
    with pytest.raises(DataError) as caught:
        read(folder, files, **fields)
    return [str(issue) for issue in caught.value.issues]


def only(messages: list[str]) -> str:
    assert len(messages) == 1, messages
    return messages[0]


def cells(found: Ingested, *columns: str) -> list[tuple]:
    """Rows of the response table, by default (system, item, score, status)."""
    return found.table.responses.select(columns or ("system", "item", "score", "status")).rows()


def left_out(found: Ingested) -> dict[str, dict[str, int]]:
    return {one.file: one.rows_left_out for one in found.accounting.files}
