"""The mix of tasks that a number stands for: shares of the work, consequences, what has no items.

`mean` counts every item alike. `expected_success` is sum f_h S_h in the metric's own unit,
`expected_loss` sum f_h u_h (1 - S_h) per task, with f renormalised over the scope (errata section
10); the product of both, normalised, is never a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.analyses.arrays import Bools, Floats
from audit.analyses.samples import Sample
from audit.spec.plan import Request, TaskWeight

LEAST_TASK_ITEMS = 10
"""Items that a task with more than `SMALL_WEIGHT` of the scope must have: a convention."""
SMALL_WEIGHT = 0.05


@dataclass(frozen=True, eq=False)
class Mix:
    """Weights by task; the arrays are [task] and follow `tasks`."""

    tasks: tuple[str, ...]
    """Tasks with weight, in the study's order; empty: one pool of all items in `pool`."""
    pool: tuple[str, ...]
    """Without `tasks`: the tasks whose items are pooled; empty: all items."""
    shares: Floats
    """Sum 1 over the scope, tasks without items included."""
    counts: Floats | None
    """Observed uses, when the shares come from counts."""
    scale: Floats
    """Consequence of one failure for a loss, else 1."""
    loss: bool

    @property
    def weighted(self) -> bool:
        """Whether tasks have weights; else items are pooled."""
        return bool(self.tasks)

    @property
    def names(self) -> tuple[str, ...]:
        """All tasks of the scope."""
        return self.tasks or self.pool

    def members(self, sample: Sample) -> list[Bools]:
        """Items of each task, or of the pool: arrays [item] of booleans."""
        if not self.tasks:
            return [sample.in_tasks(self.pool)]
        return [sample.in_tasks((task,)) for task in self.tasks]


def mix_of(request: Request, weights: Sequence[TaskWeight], weights_kind: str) -> Mix:
    """Make the mix of a request.

    Raises
    ------
    ValueError
        If a loss is asked for and a task in scope has no consequence.
    """
    loss = request.measure == "expected_loss"
    chosen = [
        one for one in weights if one.share > 0 and (not request.tasks or one.task in request.tasks)
    ]
    if request.measure == "mean" or not chosen:
        if loss:
            raise ValueError("a loss needs tasks with weights and consequences")
        return Mix((), request.tasks, np.ones(1), None, np.ones(1), loss=False)
    shares = np.array([one.share for one in chosen])
    counts = None
    if weights_kind == "count" and all(one.count is not None for one in chosen):
        counts = np.array([float(one.count or 0) for one in chosen])
    scale = np.ones(len(chosen))
    if loss:
        lacking = [one.task for one in chosen if one.consequence is None]
        if lacking:
            raise ValueError(f"no consequence is declared for {', '.join(lacking)}")
        scale = np.array([float(one.consequence or 0.0) for one in chosen])
    return Mix(
        tuple(one.task for one in chosen), (), shares / shares.sum(), counts, scale, loss=loss
    )


@dataclass(frozen=True)
class Uncovered:
    """Tasks of a mix without items, and what they could add to a number."""

    tasks: tuple[str, ...]
    share: float
    """Of the scope, 0..1."""
    reach: float | None
    """Sum of share times scale times width of the range; None without a range."""


def uncovered(mix: Mix, sample: Sample, width: float | None) -> Uncovered:
    """Find tasks with weight but without items.

    Parameters
    ----------
    width : width of one system's range of scores (or losses: 1); None for an unbounded metric
    """
    gone = np.array([not one.any() for one in mix.members(sample)], dtype=bool)
    if not mix.weighted or not gone.any():
        return Uncovered((), 0.0, 0.0)
    share = mix.shares[gone]
    reach = None if width is None else float(np.sum(share * mix.scale[gone]) * width)
    names = tuple(task for task, is_gone in zip(mix.tasks, gone, strict=True) if is_gone)
    return Uncovered(names, float(share.sum()), reach)


def effective_items(mix: Mix, sample: Sample) -> float:
    """n_eff = (sum w)^2 / sum w^2 with w = f_h / n_h for each item (Kish 1965)."""
    sizes = np.array([one.sum() for one in mix.members(sample)], dtype=float)
    held = sizes > 0
    return float(mix.shares[held].sum() ** 2 / np.sum(mix.shares[held] ** 2 / sizes[held]))
