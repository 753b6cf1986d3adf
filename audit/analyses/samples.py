"""The items that a number rests on: one value per item, with both ends where responses are missing.

Which items count: for a comparison those on which at least one of the two systems has a row in
every chosen variant; for one system every item of the source. Items outside are counted as left
out. Values are scores, losses, or differences of either, always `of - over`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from audit.analyses.arrays import (
    Bools,
    Floats,
    Ints,
    ItemScores,
    Responses,
    cells_of,
    item_scores,
    planned_attempts,
)

Kind = Literal["binary_difference", "binary_score", "graded"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Values of the items that count; arrays are [item]."""

    low: Floats
    """Lowest value that the missing responses allow; -inf for an unbounded metric."""
    high: Floats
    value: Floats
    """Of known responses; has a meaning only where `complete`."""
    complete: Bools
    """A usable response of every system, in every chosen variant."""
    bounded: Bools
    """Some response is missing: `low` and `high` differ."""
    task: Ints
    """Index into `tasks`; -1 without a task."""
    tasks: tuple[str, ...]
    cluster: Ints | None
    kind: Kind
    lower: float | None
    """Lowest possible value; None for an unbounded metric."""
    upper: float | None
    left_out: Bools
    """[item of the source], items of the source that do not count."""
    all_tasks: Ints
    """[item of the source], task of each item of the source."""

    def __len__(self) -> int:
        return len(self.low)

    def left_out_in(self, tasks: Sequence[str]) -> int:
        """Count items of some tasks (all when empty) that do not count."""
        return int(np.sum(self.left_out & _in_tasks(self.all_tasks, self.tasks, tasks)))

    def in_tasks(self, tasks: Sequence[str]) -> Bools:
        """[item], whether it belongs to one of the tasks; all do when none is named."""
        return _in_tasks(self.task, self.tasks, tasks)


def _in_tasks(codes: Ints, names: Sequence[str], tasks: Sequence[str]) -> Bools:
    if not tasks:
        return np.ones(len(codes), dtype=bool)
    if len(tasks) == 1:
        return np.asarray(codes == (names.index(tasks[0]) if tasks[0] in names else -2))
    return np.isin(codes, [names.index(one) for one in tasks if one in names])


def one_sample(
    responses: Responses, of: str, variants: Sequence[str], *, loss: bool = False
) -> Sample:
    """Scores (or losses) of one system on the items of the source.

    An item counts when some system has a row in every chosen variant, or when nobody has any row of
    it: it is then missing. A cell with fewer attempts than the system's most frequent number is
    bounded.
    """
    cells = cells_of(responses, of, variants)
    scores = _as_measured(
        responses,
        item_scores(cells, planned_attempts(cells), responses.lower, responses.upper),
        loss,
    )
    columns = [responses.variants.index(v) if v in responses.variants else -1 for v in variants]
    asked = np.stack(
        [
            responses.attempts[:, :, column].any(axis=0)
            if column >= 0
            else np.zeros(len(responses.items), dtype=bool)
            for column in columns
        ]
    ).all(axis=0)
    counted = np.asarray(asked | ~responses.seen)
    lower, upper = (0.0, 1.0) if loss else (responses.lower, responses.upper)
    plain = _is_plain(responses, variants) and bool(cells.single[counted].all())
    return _sample(
        responses,
        counted,
        scores.low,
        scores.high,
        scores.value,
        scores.complete,
        scores.bounded,
        "binary_score" if plain else "graded",
        (lower, upper),
    )


def pair_sample(
    responses: Responses, of: str, over: str, variants: Sequence[str], *, loss: bool = False
) -> Sample:
    """Differences `of - over` in score (or loss) on the items that both or one of them answered.

    Where the numbers of attempts differ, those that one of the two lacks are bounded.
    """
    cells = [cells_of(responses, system, variants) for system in (of, over)]
    planned = np.maximum(cells[0].attempts, cells[1].attempts)
    first, second = (
        _as_measured(responses, item_scores(one, planned, responses.lower, responses.upper), loss)
        for one in cells
    )
    counted = cells[0].answered | cells[1].answered
    reach = _reach(responses, loss)
    plain = _is_plain(responses, variants) and all(bool(one.single[counted].all()) for one in cells)
    return _sample(
        responses,
        counted,
        first.low - second.high,
        first.high - second.low,
        first.value - second.value,
        first.complete & second.complete,
        first.bounded | second.bounded,
        "binary_difference" if plain else "graded",
        (None if reach is None else -reach, reach),
    )


def _as_measured(responses: Responses, scores: ItemScores, loss: bool) -> ItemScores:
    """Scores as they are, or as losses: 1 minus the score as a share of its range, best at 1."""
    if not loss:
        return scores
    if responses.lower is None or responses.upper is None:
        raise ValueError("a loss needs a metric with a range")
    bottom, top = responses.lower, responses.upper
    flip = responses.metric.better == "higher"

    def as_loss(array: Floats) -> Floats:
        return (top - array) / (top - bottom) if flip else (array - bottom) / (top - bottom)

    low, high = as_loss(scores.low), as_loss(scores.high)
    return ItemScores(
        low=high if flip else low,
        high=low if flip else high,
        value=as_loss(scores.value),
        complete=scores.complete,
        bounded=scores.bounded,
    )


def _reach(responses: Responses, loss: bool) -> float | None:
    if loss:
        return 1.0
    if responses.lower is None or responses.upper is None:
        return None
    return responses.upper - responses.lower


def _is_plain(responses: Responses, variants: Sequence[str]) -> bool:
    unit = (responses.lower, responses.upper) == (0.0, 1.0)
    return responses.metric.kind == "binary" and unit and len(variants) == 1


def _sample(
    responses: Responses,
    counted: Bools,
    low: Floats,
    high: Floats,
    value: Floats,
    complete: Bools,
    bounded: Bools,
    kind: Kind,
    ends: tuple[float | None, float | None],
) -> Sample:
    return Sample(
        low=low[counted],
        high=high[counted],
        value=value[counted],
        complete=complete[counted],
        bounded=bounded[counted],
        task=responses.task[counted],
        tasks=responses.tasks,
        cluster=None if responses.cluster is None else responses.cluster[counted],
        kind=kind,
        lower=ends[0],
        upper=ends[1],
        left_out=~counted,
        all_tasks=responses.task,
    )
