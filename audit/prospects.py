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
from audit.spec.chance import PlannedClaim, PlannedCriterion, planned_claims
from audit.spec.models import Study
from audit.spec.plan import ArgumentSlice, ClaimPlan, CriterionPlan, TaskWeight
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
class _Scope:
    """A claim's tasks with their weights and items; one task "" without a workload."""

    weights: dict[str, TaskWeight]
    items: dict[str, int]


def prospects(
    study: Study, argument: ArgumentSlice, accounting: Mapping[str, Accounting]
) -> Iterator[Prospect]:
    """Each claim's prospect, in the study's order."""
    planned = {one.claim.id: one for one in planned_claims(study)}
    for plan in argument.plan.claims:
        scope = _scope(plan, argument, accounting.get(plan.source))
        claim = planned.get(plan.id)
        guards = tuple(_guards(plan, scope))
        why, chance, left_out = "", None, ()
        if claim is None:
            why = "places are not foretold" if plan.kind == "ranking" else "no expected_effect"
        elif scope is None:
            why = "the files are not here yet"
        elif not all(scope.items.values()):
            why = "a task of the claim has no items"
        else:
            chance = _chance(claim, scope)
            left_out = tuple(one.plan.id for one in claim.criteria if not _is_foreseen(one))
            why = "" if chance is not None else "nothing is expected in the unit of its criteria"
        yield Prospect(plan.id, chance, why, left_out, guards)


def _scope(plan: ClaimPlan, argument: ArgumentSlice, account: Accounting | None) -> _Scope | None:
    if account is None:
        return None
    chosen = {one.task: one for one in argument.weights if one.task in plan.tasks or not plan.tasks}
    if not chosen:
        return _Scope({}, {"": account.items})
    return _Scope(chosen, {task: account.items_by_task.get(task, 0) for task in chosen})


def _is_foreseen(criterion: PlannedCriterion) -> bool:
    return criterion.expected is not None and criterion.width is not None


def _parts(criterion: CriterionPlan, scope: _Scope) -> dict[str, float]:
    """{task: the factor of its mean in the criterion's estimate}."""
    loss = criterion.measure == "expected_loss"

    def cost(task: str) -> float:
        return (scope.weights[task].consequence or 0.0) if loss and task in scope.weights else 1.0

    if criterion.task is not None:
        return {criterion.task: cost(criterion.task)}
    if criterion.measure == "mean" or not scope.weights:
        total = sum(scope.items.values())
        return {task: count / total for task, count in scope.items.items()}
    shares = sum(one.share for one in scope.weights.values()) or 1.0
    return {task: one.share / shares * cost(task) for task, one in scope.weights.items()}


def _chance(claim: PlannedClaim, scope: _Scope) -> float | None:
    """Chance that every foreseen criterion is met, correlated through the items they share."""
    criteria = [one for one in claim.criteria if _is_foreseen(one)]
    tasks = sorted(scope.items)
    counts = np.array([scope.items[task] for task in tasks], dtype=float)
    parts = np.array([[_parts(one.plan, scope).get(task, 0.0) for task in tasks]
                      for one in criteria])  # fmt: skip
    if not criteria or not np.all(parts.any(axis=1)):
        return None
    spread = np.array([_sd(claim, one) for one in criteria])
    covariance = (parts / counts) @ parts.T * np.outer(spread, spread)
    errors = np.sqrt(np.diag(covariance))
    expected = [
        ExpectedCriterion(
            form=one.plan.form,
            margin=one.plan.margin,
            expected=float(one.expected or 0.0),
            standard_error=float(error),
            error=one.plan.error,
            block=one.plan.role == "guard" and one.plan.policy == "block",
        )
        for one, error in zip(criteria, errors, strict=True)
    ]
    return chance_of_support(expected, covariance / np.outer(errors, errors))


def _sd(claim: PlannedClaim, criterion: PlannedCriterion) -> float:
    """Standard deviation over items, in the metric's unit."""
    width = criterion.width or 1.0
    if claim.claim.kind != "performance":
        return ITEM_SD * width
    share = min(max(abs(criterion.expected or 0.0) / width, 0.0), 1.0)
    return max(math.sqrt(share * (1 - share)), _LEAST_SD) * width


def _guards(plan: ClaimPlan, scope: _Scope | None) -> Iterator[GuardNeed]:
    """Items that would exclude each guard's loss if there is truly no difference; shares only."""
    for one in plan.criteria:
        if one.role != "guard" or one.measure == "expected_loss" or not 0 < one.value <= 1:
            continue
        present = None
        if scope is not None:
            present = scope.items.get(one.task, 0) if one.task else sum(scope.items.values())
        needed = math.ceil(guard_items(one.value, one.error))
        yield GuardNeed(one.id, one.task, present, needed, one.policy)
