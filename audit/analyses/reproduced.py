"""Do published aggregates follow from the items, and under which reading of what has no score?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from audit.responses.facts import PublishedFigure, Reproduction
from audit.responses.readers.reproducing import reproduction
from audit.responses.table import ResponseTable
from audit.spec.plan import MetricSlice

SCORED = "answers with a score only"
AS_WRONG = "answers without a score as wrong"
ABSENT_AS_WRONG = "items without a row as wrong too"


def reproduced(
    figures: Sequence[PublishedFigure], table: ResponseTable, metrics: Sequence[MetricSlice]
) -> tuple[Reproduction, ...]:
    """Hold each published figure against every reading that its publisher may have used."""
    by_id = {one.id: one for one in metrics}
    parts = {
        (str(key[0]), str(key[1])): part
        for key, part in table.responses.group_by(["system", "metric"], maintain_order=True)
    }
    none = table.responses.clear()
    return tuple(
        _reproduced(one, parts.get((one.system, one.metric), none), table.items, by_id[one.metric])
        for one in figures
    )


def _reproduced(
    figure: PublishedFigure, rows: pl.DataFrame, items: pl.DataFrame, metric: MetricSlice
) -> Reproduction:
    if figure.task:
        rows = rows.filter(pl.col("task") == figure.task)
        items = items.filter(pl.col("task") == figure.task)
    if figure.variant:
        rows = rows.filter(pl.col("variant") == figure.variant)
    scored = rows.filter(pl.col("score").is_not_null())
    held = rows["item"].n_unique()
    note = "" if len(scored) else "no answer with a score is there"
    if figure.items is not None and figure.items != held and len(scored):
        note = f"published over {figure.items:,} items, and {held:,} are here"
    return reproduction(
        file=figure.file,
        system=figure.system,
        task=figure.task,
        variant=figure.variant,
        metric=figure.metric,
        aggregation="mean",
        published=figure.value,
        recomputed=None if note else dict(readings(rows, len(items), metric)),
        items=scored["item"].n_unique(),
        decimals=figure.decimals,
        lower=metric.lower,
        upper=metric.upper,
        note=note,
    )


def readings(rows: pl.DataFrame, items: int, metric: MetricSlice) -> Iterator[tuple[str, float]]:
    """{reading in words: mean}: of items, of answers, and of samples where an answer has several.

    Parameters
    ----------
    rows : of one system and metric, in the order of the table's key
    items : how many the source, or its task, has
    """
    score = rows["score"].to_numpy().astype(np.float64)
    if np.isnan(score).all():
        return
    cell = rows.select(pl.struct("item", "variant").rank("dense"))["item"].to_numpy() - 1
    samples = rows["samples"].to_numpy().astype(np.float64)
    worst = None
    if metric.lower is not None and metric.upper is not None:
        worst = metric.lower if metric.better == "higher" else metric.upper
    held = ~np.isnan(score)
    for name, mean in _means(score[held], cell[held].astype(np.int64), samples[held]).items():
        yield _join(name, SCORED), mean
    if worst is None:
        return
    if not held.all():
        filled = np.where(held, score, worst)
        for name, mean in _means(filled, cell.astype(np.int64), samples).items():
            yield _join(name, AS_WRONG), mean
    absent = items - rows["item"].n_unique()
    if absent > 0:
        filled = np.concatenate([np.where(held, score, worst), np.full(absent, worst)])
        cells = np.concatenate([cell.astype(np.int64), cell.max() + 1 + np.arange(absent)])
        each = np.concatenate([samples, np.ones(absent)])
        for name, mean in _means(filled, cells.astype(np.int64), each).items():
            yield _join(name, ABSENT_AS_WRONG), mean


def _means(score: np.ndarray, cell: np.ndarray, samples: np.ndarray) -> Mapping[str, float]:
    """Means over items, over answers and over samples, the later ones only where they differ."""
    count = np.bincount(cell)
    by_item = np.bincount(cell, weights=score)[count > 0] / count[count > 0]
    found = {"": float(by_item.mean())}
    if len(np.unique(count[count > 0])) > 1:
        found["mean over answers"] = float(score.mean())
    if len(np.unique(samples)) > 1:
        found["mean over samples"] = float((score * samples).sum() / samples.sum())
    return found


def _join(name: str, reading: str) -> str:
    return f"{name}, {reading}" if name else reading
