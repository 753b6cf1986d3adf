"""The response table, read back as it was written."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from audit.responses.table import ResponseTable


def read_table(responses: Path, items: Path) -> ResponseTable:
    """Responses and items of one source."""
    # the bytes are read first: polars may keep a mapped file open beyond its rename
    return ResponseTable.of(
        pl.read_parquet(responses.read_bytes()), pl.read_parquet(items.read_bytes())
    )
