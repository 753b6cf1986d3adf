"""Responses as arrays: every cell once, with what is known, what is unknown and what is absent.

`prepare` reads a response table once per metric. The selections below it turn cells into item
scores, each with the lowest and the highest value that unknown and absent responses allow (errata
section 7); they are cheap, so that one choice or thousands may be tried on the same arrays.

A *cell* is a system, an item and a variant; it holds attempts. An attempt is *known* when it has a
score, or a status that counts as wrong; *unknown* when its status leaves the score open; *absent*
when another run of the same item had more attempts. `samples` that a score already averages weigh
it inside its cell and are never attempts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.spec.plan import MetricSlice

if TYPE_CHECKING:
    import polars as pl

    from audit.responses.table import ResponseTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Rule = Literal["wrong", "bounds"]
Array = TypeVar("Array", Floats, Ints)


@dataclass(frozen=True, eq=False)
class Responses:
    """Cells of one source and one metric; arrays are [system, item, variant] unless said."""

    metric: MetricSlice
    lower: float | None
    """Lowest possible score; None for an unbounded metric."""
    upper: float | None
    systems: tuple[str, ...]
    items: tuple[str, ...]
    """Sorted: every item of the source, also those without a row."""
    variants: tuple[str, ...]
    tasks: tuple[str, ...]
    task: Ints
    """[item], index into `tasks`; -1 without a task."""
    cluster: Ints | None
    """[item], one code per cluster, items without one stand alone; None: no clusters declared."""
    seen: Bools
    """[item], whether anybody has a row of the item, in whatever metric."""
    attempts: Ints
    """Rows, known and unknown."""
    known: Ints
    """Rows with a known score."""
    known_weight: Floats
    """Sum of samples over known rows."""
    known_sum: Floats
    """Sum of samples times score over known rows."""
    known_squares: Floats
    """Sum of squared scores over known rows, unweighted."""
    unknown_weight: Floats
    """Sum of samples over unknown rows."""

    @property
    def clustered(self) -> bool:
        """Whether the source declares clusters."""
        return self.cluster is not None


def metric_range(metric: MetricSlice) -> tuple[float | None, float | None]:
    """Lowest and highest score of a metric; shares and right-or-wrong lie in 0..1."""
    if metric.lower is not None and metric.upper is not None:
        return metric.lower, metric.upper
    return (0.0, 1.0) if metric.kind in ("binary", "proportion") else (None, None)


def prepare(table: ResponseTable, metric: MetricSlice, unscored: Mapping[str, Rule]) -> Responses:
    """Make the arrays of one metric.

    Parameters
    ----------
    table : responses and items of one source
    metric : the metric whose rows are read
    unscored : {status: rule} for rows without a score; a status without a rule is `bounds`, and a
        row with neither score nor status is `not_run`

    Returns
    -------
    Arrays over all systems with rows, all items of the source and all variants. Sums run over the
    table's rows in the order of its key, so that they do not depend on the order of the files.
    """
    import polars as pl

    lower, upper = metric_range(metric)
    systems = _names(table.responses["system"])
    variants = _names(table.responses["variant"])
    items, task, cluster = _items(table)
    tasks = tuple(sorted({name for name in task if name}))
    number = {name: code for code, name in enumerate(tasks)}
    return Responses(
        metric=metric,
        lower=lower,
        upper=upper,
        systems=systems,
        items=items,
        variants=variants,
        tasks=tasks,
        task=np.array([number.get(name or "", -1) for name in task], dtype=np.int64),
        cluster=_cluster_codes(cluster),
        seen=np.bincount(_codes(table.responses["item"], items), minlength=len(items)) > 0,
        **_totals(
            table.responses.filter(pl.col("metric") == metric.id),
            (systems, items, variants),
            lambda rows: _scores(rows, metric, unscored, lower, upper),
        ),
    )


def _totals(
    rows: pl.DataFrame,
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    scores: Callable[[pl.DataFrame], tuple[Floats, Bools]],
) -> dict[str, Any]:
    """Sums over rows by cell, [system, item, variant], by the names of `Responses`' fields."""
    import polars as pl

    shape = (len(names[0]), len(names[1]), len(names[2]))
    columns = ("system", "item", "variant")
    codes = [_codes(rows[column], own) for column, own in zip(columns, names, strict=True)]
    place = np.ravel_multi_index(tuple(codes), shape)
    score, known = scores(rows)
    weight = rows["samples"].fill_null(1).cast(pl.Float64).to_numpy()

    def total(amounts: Floats, where: Bools) -> Floats:
        size = int(np.prod(shape))
        sums = np.bincount(place[where], weights=amounts[where], minlength=size)
        return sums.astype(np.float64).reshape(shape)

    every, ones = np.ones(len(place), dtype=bool), np.ones(len(place))
    return {
        "attempts": total(ones, every).astype(np.int64),
        "known": total(ones, known).astype(np.int64),
        "known_weight": total(weight, known),
        "known_sum": total(weight * score, known),
        "known_squares": total(score**2, known),
        "unknown_weight": total(weight, ~known),
    }


def _names(column: pl.Series) -> tuple[str, ...]:
    return tuple(sorted(column.unique().to_list()))


def _codes(column: pl.Series, names: Sequence[str]) -> Ints:
    import polars as pl

    if not names:
        return np.zeros(0, dtype=np.int64)
    codes = column.cast(pl.Enum(list(names))).to_physical()
    return codes.cast(pl.Int64).to_numpy()


def _items(
    table: ResponseTable,
) -> tuple[tuple[str, ...], tuple[str | None, ...], tuple[str | None, ...]]:
    """Items, their tasks and their clusters; the item table first, then the responses."""
    held: dict[str, tuple[str | None, str | None]] = {}
    for frame in (table.items, table.responses):
        columns = frame.select("item", "task", "cluster").unique(maintain_order=True)
        for item, task, cluster in columns.iter_rows():
            before = held.get(item, (None, None))
            held[item] = (before[0] or task, before[1] or cluster)
    items = tuple(sorted(held))
    return items, tuple(held[one][0] for one in items), tuple(held[one][1] for one in items)


def _cluster_codes(names: Sequence[str | None]) -> Ints | None:
    named = sorted({name for name in names if name})
    if not named:
        return None
    number = {name: code for code, name in enumerate(named)}
    return np.array(
        [number[name] if name else len(named) + at for at, name in enumerate(names)],
        dtype=np.int64,
    )


def _scores(
    rows: pl.DataFrame,
    metric: MetricSlice,
    unscored: Mapping[str, Rule],
    lower: float | None,
    upper: float | None,
) -> tuple[Floats, Bools]:
    """Scores by row (0 where unknown) and whether each is known."""
    given = rows["score"].is_not_null().to_numpy()
    score = rows["score"].fill_null(0.0).to_numpy().copy()
    status = rows["status"].fill_null("not_run").to_list()
    worst = lower if metric.better == "higher" else upper
    rules = {name: unscored.get("not_run" if name == "ok" else name) for name in set(status)}
    wrong = np.array([rules[name] == "wrong" for name in status], dtype=bool) & ~given
    if worst is None:
        return score, given
    score[wrong] = worst
    return score, given | wrong


# ---------------------------------------------------------------------------- cells of one system


@dataclass(frozen=True, eq=False)
class Cells:
    """One system's cells in the chosen variants; arrays are [item, variant]."""

    attempts: Ints
    known: Ints
    known_weight: Floats
    known_sum: Floats
    known_squares: Floats
    unknown_weight: Floats

    @property
    def answered(self) -> Bools:
        """[item], whether there is a row, known or unknown, in every chosen variant."""
        return np.asarray(np.all(self.attempts > 0, axis=1))

    @property
    def single(self) -> Bools:
        """[item], whether no cell averages: one attempt at most, and no samples inside it."""
        plain = (self.attempts <= 1) & (self.known_weight + self.unknown_weight == self.attempts)
        return np.asarray(np.all(plain, axis=1))


def cells_of(responses: Responses, system: str, variants: Sequence[str]) -> Cells:
    """Cells of a system; without any row of the system or of a variant they are empty."""
    columns = [responses.variants.index(v) if v in responses.variants else -1 for v in variants]
    at = responses.systems.index(system) if system in responses.systems else -1

    def chosen(array: Array) -> Array:
        taken = np.zeros((len(responses.items), len(columns)), dtype=array.dtype)
        for place, column in enumerate(columns):
            if at >= 0 and column >= 0:
                taken[:, place] = array[at, :, column]
        return taken

    return Cells(
        attempts=chosen(responses.attempts),
        known=chosen(responses.known),
        known_weight=chosen(responses.known_weight),
        known_sum=chosen(responses.known_sum),
        known_squares=chosen(responses.known_squares),
        unknown_weight=chosen(responses.unknown_weight),
    )


def planned_attempts(cells: Cells) -> Ints:
    """[item, variant]: a system's most frequent number of attempts, the larger one of equals."""
    held = cells.attempts[cells.attempts > 0]
    if not held.size:
        return np.ones_like(cells.attempts)
    counts = np.bincount(held)
    most = len(counts) - 1 - int(np.argmax(counts[::-1]))
    return np.full_like(cells.attempts, most)


@dataclass(frozen=True, eq=False)
class ItemScores:
    """Scores of one system by item, averaged over the chosen variants; arrays are [item]."""

    low: Floats
    """With all unknown and absent responses at the lower end of the metric's range."""
    high: Floats
    value: Floats
    """Mean of known responses; has a meaning only where `complete`."""
    complete: Bools
    """A known response in every chosen variant."""
    bounded: Bools
    """Some response is unknown or absent: `low` and `high` differ."""


def item_scores(
    cells: Cells, planned: Ints, lower: float | None, upper: float | None
) -> ItemScores:
    """Average cells to items, with both ends of what unknown and absent responses allow.

    Parameters
    ----------
    cells : one system's cells, [item, variant]
    planned : attempts that each cell should have, [item, variant]; cells may have more
    lower, upper : the metric's range; None gives infinite bounds where responses are unknown
    """
    present = cells.known_weight + cells.unknown_weight
    one = np.where(cells.attempts > 0, present / np.maximum(cells.attempts, 1), 1.0)
    absent = one * np.maximum(np.maximum(planned, 1) - cells.attempts, 0)
    unknown = cells.unknown_weight + absent
    whole = cells.known_weight + unknown
    known = cells.known_weight > 0

    def filled(end: float) -> Floats:
        at_end = np.zeros_like(unknown)
        np.multiply(end, unknown, out=at_end, where=unknown > 0)  # 0 times infinity is no number
        return np.asarray(((cells.known_sum + at_end) / whole).mean(axis=1))

    value = cells.known_sum / np.where(known, cells.known_weight, 1.0)
    return ItemScores(
        low=filled(-np.inf if lower is None else lower),
        high=filled(np.inf if upper is None else upper),
        value=np.asarray(value.mean(axis=1)),
        complete=np.all(known, axis=1),
        bounded=np.any(unknown > 0, axis=1),
    )
