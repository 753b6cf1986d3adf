"""Three rates for each system: what its score is over, and how far the rest could move it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from audit.analyses.contract import Table
from audit.responses.table import ResponseTable
from audit.spec.plan import MetricSlice

Rule = Literal["wrong", "bounds"]


@dataclass(frozen=True)
class Rates:
    """Means over items, several attempts on an item counting as their mean, in the metric's unit.

    `completed` is over answers with a score; `as_wrong` counts unscored answers as the worst score
    where the study says `wrong`, and leaves the others out; `low` and `high` set the others, and
    items without a row, to both ends of the range. None: there is nothing to take a mean of, or the
    metric has no ends.
    """

    completed: float | None
    as_wrong: float | None
    low: float | None
    high: float | None
    answers: int
    scored: int


def rates_of(
    rows: pl.DataFrame, items: int, metric: MetricSlice, unscored: Mapping[str, Rule]
) -> Rates:
    """Rates of one system's answers to one wording, under one metric.

    Parameters
    ----------
    rows : `item`, `score`, `status`, in the order of the table's key
    items : how many the source has
    """
    item = rows["item"].rank("dense").to_numpy().astype(np.int64) - 1
    score = rows["score"].to_numpy().astype(np.float64)
    lost = np.isnan(score)
    wrong = lost & np.array([unscored.get(one, "bounds") == "wrong" for one in rows["status"]])
    ends = None
    if metric.lower is not None and metric.upper is not None:
        ends = (metric.lower, metric.upper)
    worst = None if ends is None else ends[0] if metric.better == "higher" else ends[1]
    low = high = as_wrong = None
    if ends is not None and worst is not None:
        counted = np.where(wrong, worst, score)
        as_wrong = _mean(item, counted)
        absent = items - len(np.unique(item))
        low, high = (
            _with_absent(item, np.where(np.isnan(counted), end, counted), absent, end)
            for end in ends
        )
    return Rates(_mean(item, score), as_wrong, low, high, len(score), int((~lost).sum()))


def _means(item: np.ndarray, score: np.ndarray) -> np.ndarray:
    held = ~np.isnan(score)
    total = np.bincount(item[held], weights=score[held])
    count = np.bincount(item[held])
    return np.asarray(total[count > 0] / count[count > 0])


def _mean(item: np.ndarray, score: np.ndarray) -> float | None:
    means = _means(item, score)
    return float(means.mean()) if len(means) else None


def _with_absent(item: np.ndarray, score: np.ndarray, absent: int, end: float) -> float | None:
    means = np.concatenate([_means(item, score), np.full(absent, end)])
    return float(means.mean()) if len(means) else None


def rate_tables(
    table: ResponseTable, metrics: tuple[MetricSlice, ...], unscored: Mapping[str, Rule]
) -> Iterator[Table]:
    """One table per metric: the three rates by system and wording."""
    items = len(table.items)
    for metric in metrics:
        rows = table.responses.filter(pl.col("metric") == metric.id)
        found = []
        for (system, variant), part in rows.group_by(["system", "variant"], maintain_order=True):
            one = rates_of(part, items, metric, unscored)
            found.append(
                (
                    str(system), str(variant), one.answers, one.scored,
                    one.completed, one.as_wrong, one.low, one.high,
                )
            )  # fmt: skip
        yield Table(
            id=f"rates.{metric.id}",
            title=f"Score under each treatment of what has no score: {metric.id}",
            columns=(
                "system", "variant", "answers", "scored",
                "completed", "failures_as_wrong", "lowest", "highest",
            ),
            rows=tuple(found),
            note="Means over items, in the metric's unit. Completed: answers with a score only. "
            f"{rule_text(unscored)} Lowest and highest: what stays open, and items without a row, "
            "at both ends of the range.",
        )  # fmt: skip


def rule_text(unscored: Mapping[str, Rule]) -> str:
    """The study's rule for answers without a score, in one sentence: it heads the page."""
    by_rule: dict[str, list[str]] = {"wrong": [], "bounds": []}
    for status, rule in unscored.items():
        by_rule[rule].append(status.replace("_", " "))
    parts = []
    if by_rule["wrong"]:
        parts.append(f"{', '.join(by_rule['wrong'])} count as wrong")
    if by_rule["bounds"]:
        parts.append(f"{', '.join(by_rule['bounds'])} stay open within bounds")
    return f"Without a score, {'; '.join(parts)}."
