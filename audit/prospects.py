"""What a study can hope for before its scores are seen: chance of support, items that guards take.

Everything rests on declared effects and counts of items, never on scores: a paired difference of
two systems on an item has the standard deviation of `stats.power.ITEM_SD` times the metric's range
[policy], a score that of its expected share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from audit.responses.accounting import Accounting
from audit.spec.check_sources import range_of
from audit.spec.models import Claim, Study
from audit.spec.plan import ArgumentSlice, ClaimPlan, CriterionPlan, TaskWeight
from audit.spec.planning import metric_of
from audit.stats.power import ITEM_SD, ExpectedCriterion, chance_of_support, guard_items

LOW_CHANCE = 0.5
_LEAST_SD = 0.05
"""Of a score in shares of its range: an expected share of 0 or 1 is not taken at its word."""


@dataclass(frozen=True)
class GuardNeed:
    """A guard, the items that it has, and how many would show that the loss is excluded."""

    criterion: str
    task: str | None
    present: int | None
    needed: int
    policy: str


@dataclass(frozen=True)
class Prospect:
    """One claim before its scores are seen."""

    claim: str
    chance: float | None
    """Of `supported` at the expected effect."""
    why_none: str
    left_out: tuple[str, ...]
    """Criteria for which the study expects nothing: the chance is without them."""
    guards: tuple[GuardNeed, ...]


@dataclass(frozen=True)
class _Expected:
    """What a study expects of one criterion."""

    plan: CriterionPlan
    effect: float
    """Oriented (larger supports the claim), in the criterion's unit."""
    spread: float
    """Standard deviation over items, in the unit of one item's score (a share for losses)."""


@dataclass(frozen=True)
class _Scope:
    """A claim's tasks with their weights and items; one task "" without a workload."""

    weights: dict[str, TaskWeight]
    items: dict[str, int]


def prospects(
    study: Study, argument: ArgumentSlice, accounting: Mapping[str, Accounting]
) -> Iterator[Prospect]:
    """Each claim's prospect, in the study's order."""
    for plan in argument.plan.claims:
        claim = study.claims[plan.id]
        scope = _scope(plan, argument, accounting.get(plan.source))
        guards = tuple(_guards(study, plan, scope))
        why, chance = "", None
        left_out: tuple[str, ...] = ()
        if plan.kind == "ranking" or claim.expected_effect is None:
            why = "places are not foretold" if plan.kind == "ranking" else "no expected_effect"
        elif scope is None:
            why = "the files of its source are not read"
        elif not all(scope.items.values()):
            why = "a task of the claim has no items"
        else:
            criteria = [_expected(study, claim, plan, one) for one in plan.criteria]
            chance = _chance([one for one in criteria if one is not None], scope)
            left_out = tuple(
                plan.id for plan, one in zip(plan.criteria, criteria, strict=True) if one is None
            )
            why = "" if chance is not None else "nothing is expected in the unit of its criteria"
        yield Prospect(plan.id, chance, why, left_out, guards)


def _expected(
    study: Study, claim: Claim, plan: ClaimPlan, criterion: CriterionPlan
) -> _Expected | None:
    """What `expected_effect` says of a criterion; None: nothing.

    It is in the unit of the claim's first primary criterion: how much better for a comparison,
    the score itself for performance. A difference of scores is taken to be the same in every task;
    a saved loss, which grows with the consequence, and a score are those of the first's scope.
    """
    first = next(one for one in plan.criteria if one.role == "primary")
    ends = range_of(metric_of(study, criterion.metric))
    effect = claim.expected_effect
    losses = [one.measure == "expected_loss" for one in (first, criterion)]
    elsewhere = criterion.task != first.task
    if (
        effect is None
        or ends is None
        or criterion.metric != first.metric
        or losses[0] != losses[1]
        or (elsewhere and (losses[0] or plan.kind == "performance"))
    ):
        return None
    width = ends[1] - ends[0]
    if plan.kind == "comparison":
        return _Expected(criterion, effect, ITEM_SD * (1.0 if losses[0] else width))
    if losses[0]:
        return None  # which tasks fail, and so how the loss varies, is not told
    share = min(max((effect - ends[0]) / width, 0.0), 1.0)
    spread = max(math.sqrt(share * (1 - share)), _LEAST_SD) * width
    return _Expected(criterion, effect * criterion.sign, spread)


def _scope(plan: ClaimPlan, argument: ArgumentSlice, account: Accounting | None) -> _Scope | None:
    if account is None:
        return None
    chosen = {one.task: one for one in argument.weights if one.task in plan.tasks}
    if not chosen:
        return _Scope({}, {"": account.items})
    items = {task: account.items_by_task.get(task, 0) for task in chosen}
    needed = {task: one for task, one in chosen.items() if one.share > 0 or items[task]}
    return _Scope(needed, {task: items[task] for task in needed})


def _parts(criterion: CriterionPlan, scope: _Scope) -> dict[str, float]:
    """{task: the factor of its mean in the criterion's estimate}."""
    loss = criterion.measure == "expected_loss"

    def cost(task: str) -> float:
        return scope.weights[task].consequence or 0.0 if loss else 1.0

    if criterion.task is not None:
        return {criterion.task: cost(criterion.task)}
    if criterion.measure == "mean" or not scope.weights:
        total = sum(scope.items.values())
        return {task: count / total for task, count in scope.items.items()}
    shares = sum(one.share for one in scope.weights.values()) or 1.0
    return {task: one.share / shares * cost(task) for task, one in scope.weights.items()}


def _chance(criteria: list[_Expected], scope: _Scope) -> float | None:
    """Chance that every criterion is met, their estimates correlated through shared items."""
    tasks = sorted(scope.items)
    counts = np.array([scope.items[task] for task in tasks], dtype=float)
    parts = np.array(
        [[_parts(one.plan, scope).get(task, 0.0) for task in tasks] for one in criteria]
    )
    if not criteria or not np.all(parts.any(axis=1)):
        return None
    spread = np.array([one.spread for one in criteria])
    covariance = (parts / counts) @ parts.T * np.outer(spread, spread)
    errors = np.sqrt(np.diag(covariance))
    expected = [
        ExpectedCriterion(
            form=one.plan.form,
            margin=one.plan.margin,
            expected=one.effect,
            standard_error=float(error),
            error=one.plan.error,
            block=one.plan.role == "guard" and one.plan.policy == "block",
        )
        for one, error in zip(criteria, errors, strict=True)
    ]
    return chance_of_support(expected, covariance / np.outer(errors, errors))


def _guards(study: Study, plan: ClaimPlan, scope: _Scope | None) -> Iterator[GuardNeed]:
    """Items that would exclude each guard's loss if there is truly no difference.

    Guards of a loss, of an unbounded metric, or that allow nothing take no number of items.
    """
    for one in plan.criteria:
        ends = range_of(metric_of(study, one.metric))
        if one.role != "guard" or one.measure == "expected_loss" or ends is None or one.value == 0:
            continue
        present = None
        if scope is not None:
            present = scope.items.get(one.task, 0) if one.task else sum(scope.items.values())
        needed = math.ceil(guard_items(one.value / (ends[1] - ends[0]), one.error))
        yield GuardNeed(one.id, one.task, present, needed, one.policy)
