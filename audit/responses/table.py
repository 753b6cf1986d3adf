"""The one long table of observed responses, and the tables beside it.

Responses (`responses/<source>.parquet`), one row per source, system, item, variant, attempt and
metric, sorted by that key; the columns of `RESPONSE_SCHEMA` are always there, null where the source
says nothing. A row with a score keeps it, whatever its status. Items
(`responses/<source>.items.parquet`), one row per item, sorted; texts lie apart by digest
(`responses/<source>.texts.parquet`), empty for private sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

RESPONSE_SCHEMA: Final[dict[str, pl.DataType]] = {
    "source": pl.String(),
    "system": pl.String(),  # resolved id
    "item": pl.String(),
    "variant": pl.String(),  # "base" when none
    "attempt": pl.Int64(),  # as the file numbers them; from 0 where intake does
    "metric": pl.String(),
    "score": pl.Float64(),  # in the metric's own unit; null when unscored
    "status": pl.String(),  # of spec.models.Status
    "samples": pl.Int64(),  # samples already averaged into the score, >= 1
    "task": pl.String(),
    "cluster": pl.String(),
    "label": pl.String(),
    "item_hash": pl.String(),
    "date": pl.String(),  # ISO date or date-time, as stated
    "confidence": pl.Float64(),
    "cost_usd": pl.Float64(),
    "tokens_in": pl.Float64(),
    "tokens_out": pl.Float64(),
    "latency_s": pl.Float64(),
    "human_minutes": pl.Float64(),
    "file": pl.String(),  # as declared, never an absolute path
    "row": pl.Int64(),  # 1-based data row in that file
}

KEY: Final = ("source", "system", "item", "variant", "attempt", "metric")

ITEM_SCHEMA: Final[dict[str, pl.DataType]] = {
    "source": pl.String(),
    "item": pl.String(),
    "text_digest": pl.String(),
    "task": pl.String(),
    "cluster": pl.String(),
    "label": pl.String(),
    "author": pl.String(),
}

TEXT_SCHEMA: Final[dict[str, pl.DataType]] = {"digest": pl.String(), "text": pl.String()}


@dataclass(frozen=True)
class ResponseTable:
    """Responses and items of one source, both sorted by their key."""

    responses: pl.DataFrame
    items: pl.DataFrame

    @classmethod
    def of(cls, responses: pl.DataFrame, items: pl.DataFrame) -> ResponseTable:
        """Check columns and types, sort by the key."""
        for frame, schema in ((responses, RESPONSE_SCHEMA), (items, ITEM_SCHEMA)):
            if dict(frame.schema) != schema:
                raise ValueError(f"columns {dict(frame.schema)} are not {schema}")
        return cls(responses.sort(KEY), items.sort(("source", "item")))
