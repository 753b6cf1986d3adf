"""Rows of one key: refused, attempts, one of them kept, or averaged, as the study says."""

from __future__ import annotations

import polars as pl

from audit.responses.columns import AMOUNTS
from audit.responses.problems import Problems
from audit.spec.plan import SourceSlice
from audit.spec.showing import shown

_CELL = ["system", "item", "variant"]
_KEY = [*_CELL, "attempt"]


def settle(rows: pl.DataFrame, slice_: SourceSlice, problems: Problems) -> pl.DataFrame:
    """Make (system, item, variant, attempt) a key.

    Parameters
    ----------
    rows : canonical rows in the order of files and rows; `attempt` may be null (then 0)

    Returns
    -------
    Rows with one row per key; how many rows of each file went, and why, is the caller's count.
    """
    rows = rows.with_columns(pl.col("attempt").fill_null(0))
    repeated = rows.select(pl.struct(_KEY).is_duplicated()).to_series()
    if not repeated.any():
        return rows
    if slice_.repeats == "attempts":
        return rows.sort([*_CELL, "attempt"], maintain_order=True).with_columns(
            pl.int_range(pl.len(), dtype=pl.Int64).over(_CELL).alias("attempt")
        )
    if slice_.repeats in ("first", "last"):
        return rows.unique(_KEY, keep=slice_.repeats, maintain_order=True)
    if slice_.repeats == "mean":
        return _averaged(rows, slice_, repeated, problems)
    _refuse(rows.filter(repeated), problems)
    return rows


def _refuse(repeated: pl.DataFrame, problems: Problems) -> None:
    first: dict[tuple[object, ...], tuple[str, int]] = {}
    for *key, file, row in repeated.select(*_KEY, "file", "row").iter_rows():
        place = tuple(key)
        if place not in first:
            first[place] = (file, row)
            continue
        before, line = first[place]
        system, item, variant, attempt = key
        problems.add(
            file, "the row repeats another one's system, item, variant and attempt",
            f"{shown(system)}, {shown(item)}, {variant}, {attempt}", row=row,
            allowed=f"one row; {before}, row {line} is the other",
            remedy="say what repeats are: repeats: attempts, first, last or mean; "
            "rows of filters or metrics are selected by rows: {column: value}",
        )  # fmt: skip


def _averaged(
    rows: pl.DataFrame, slice_: SourceSlice, repeated: pl.Series, problems: Problems
) -> pl.DataFrame:
    """One row per key with the mean of its scores, their samples added up."""
    scores = [f"score.{one.id}" for one in slice_.metrics]
    for metric, name in zip(slice_.metrics, scores, strict=True):
        lacking = rows.filter(repeated & rows[name].is_null())
        for file, row in lacking.select("file", "row").iter_rows():
            problems.add(
                file, "a repeat without a score cannot be averaged", row=row,
                column=metric.column or metric.id,
                remedy="write repeats: attempts; what is missing is then bounded",
            )  # fmt: skip
    # weights inside a key are samples; sums run in the order of the rows
    samples = pl.col("samples").fill_null(1)
    numbers = [((pl.col(name) * samples).sum() / samples.sum()).alias(name) for name in scores] + [
        pl.col(name).mean() for name in AMOUNTS
    ]
    others = [one for one in rows.columns if one not in (*_KEY, *scores, *AMOUNTS, "samples")]
    once = rows.filter(~repeated)
    merged = (
        rows.filter(repeated)
        .group_by(_KEY, maintain_order=True)
        .agg(*numbers, samples.sum().alias("samples"), pl.col(others).first())
    )
    return pl.concat([once, merged.select(once.columns)])
