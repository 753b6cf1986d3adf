"""Rows of one key: refused, attempts, one of them kept, or averaged, as the study says."""

from __future__ import annotations

import math

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
    # as many digests as rows: no key stands twice, and comparing them all is not needed
    if rows.select(_KEY).hash_rows().n_unique() == len(rows):
        return rows
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
    """One row per key with the mean of its scores, weighted by samples, which are added up.

    Its status is one that is not `ok`, if there is one, its date the first, its place that of the
    first row.
    """
    scores = [f"score.{one.id}" for one in slice_.metrics]
    for metric, name in zip(slice_.metrics, scores, strict=True):
        lacking = rows.filter(repeated & rows[name].is_null())
        for file, row in lacking.select("file", "row").iter_rows():
            problems.add(
                file, "a repeat without a score cannot be averaged", row=row,
                column=metric.column or metric.id,
                remedy="write repeats: attempts; what is missing is then bounded",
            )  # fmt: skip
    amounts = [name for name in AMOUNTS if rows[name].count()]
    listed = [*scores, *amounts, "samples", "status", "date"]
    others = [one for one in rows.columns if one not in (*_KEY, *listed)]
    groups = (
        rows.with_columns(pl.col("samples").fill_null(1))
        .filter(repeated)
        .group_by(_KEY, maintain_order=True)
        .agg(pl.col(listed), pl.col(others).first())
    )
    merged = groups.with_columns(
        *(_means(groups[name], groups["samples"]) for name in scores),
        *(_means(groups[name]) for name in amounts),
        pl.col("samples").list.sum(),
        _least(groups["status"], aside="ok"),
        _least(groups["date"]),
    )
    return pl.concat([rows.filter(~repeated), merged.select(rows.columns)])


def _means(lists: pl.Series, weights: pl.Series | None = None) -> pl.Series:
    """Means of the values that are there, exact to the last bit in whatever order they come."""
    means = []
    for at, values in enumerate(lists.to_list()):
        weight = [1] * len(values) if weights is None else weights[at].to_list()
        held = [(value, by) for value, by in zip(values, weight, strict=True) if value is not None]
        total = sum(by for _, by in held)
        means.append(math.fsum(value * by for value, by in held) / total if held else None)
    return pl.Series(lists.name, means, pl.Float64)


def _least(lists: pl.Series, aside: str = "") -> pl.Series:
    """The first word of each list in alphabetical order; `aside` and nothing only if alone."""
    found = []
    for words in lists.to_list():
        held = sorted({word for word in words if word is not None})
        found.append(next((word for word in held if word != aside), held[0] if held else None))
    return pl.Series(lists.name, found, pl.String)
