"""Narrowing to part of a claim's scope: the values of one dimension on which every bar is met."""

from __future__ import annotations

from dataclasses import dataclass

from audit.argument.assessment import CriterionOutcome
from audit.argument.case import Criterion, Part
from audit.argument.criteria import Findings, criterion_of, criterion_plans, outcome_of
from audit.argument.verdict import judge
from audit.errors import Contradiction
from audit.spec.plan import ArgumentSlice, ClaimPlan, CriterionPlan, Dimension, Request

LEAST_SHARE = 0.25
"""Share of the work that a narrowed claim must keep: a convention."""


@dataclass(frozen=True)
class Subset:
    """The kept values of one dimension, with the criteria that must hold there."""

    dimension: Dimension
    kept: tuple[str, ...]
    share: float
    part: Part


def find_subset(slice_: ArgumentSlice, claim: ClaimPlan, findings: Findings) -> Subset | None:
    """Find the part to which a claim may be narrowed.

    Returns
    -------
    For each dimension of `divisible_by` the values on which every primary criterion is met at the
    simultaneous bound; of several dimensions the one that keeps the largest share of the work
    (values count alike for variants). None if nothing, everything or less than a quarter is kept.
    The part's criteria are the primary twins of the kept values, the guards of the whole, the
    guards of kept tasks, and twins of guards, which stop it where harm is shown.
    """
    found = [
        subset
        for dimension in claim.divisible_by
        if (subset := _along(slice_, claim, findings, dimension)) is not None
    ]
    # max keeps the first of equals: the order of divisible_by
    return max(found, key=lambda subset: subset.share, default=None)


def _along(
    slice_: ArgumentSlice, claim: ClaimPlan, findings: Findings, dimension: Dimension
) -> Subset | None:
    values = claim.tasks if dimension == "tasks" else claim.variants
    if len(values) < 2:
        return None
    twins = _twins(slice_, claim, dimension)
    kept: list[str] = []
    criteria: list[Criterion] = []
    for value in values:
        primary = _primary_at(claim, findings, twins, dimension, value)
        if primary and all(_is_met(criterion) for criterion in primary):
            kept.append(value)
            criteria += primary
            criteria += _guard_twins(claim, findings, twins, value)
    share = _share(slice_, values, kept, dimension)
    if not kept or len(kept) == len(values) or share < LEAST_SHARE:
        return None
    criteria += _kept_guards(claim, findings, dimension, kept)
    return Subset(dimension, tuple(kept), share, Part(tuple(criteria), scope=tuple(kept)))


def _twins(
    slice_: ArgumentSlice, claim: ClaimPlan, dimension: Dimension
) -> dict[tuple[str, str], Request]:
    """{(criterion, value): request of the twin}."""
    return {
        (request.criterion, request.twin.value): request
        for request in slice_.plan.requests
        if request.claim == claim.id
        and request.twin is not None
        and request.twin.dimension == dimension
    }


def _primary_at(
    claim: ClaimPlan,
    findings: Findings,
    twins: dict[tuple[str, str], Request],
    dimension: Dimension,
    value: str,
) -> list[Criterion]:
    """Primary criteria that speak of a value: twins, and criteria of that task alone."""
    found: list[Criterion] = []
    for plan in claim.criteria:
        if plan.role != "primary":
            continue
        if dimension == "tasks" and plan.task is not None:
            if plan.task == value:
                found.append(_own_task(plan, findings))
        elif (plan.id, value) in twins:
            found.append(_twin(plan, findings, twins[plan.id, value]))
        else:
            return []  # nothing was computed for this value: it cannot be kept
    return found


def _own_task(plan: CriterionPlan, findings: Findings) -> Criterion:
    """A criterion of one task, at the simultaneous error; without such bounds it counts as gone."""
    try:
        return criterion_of(plan, findings[plan.id], error=_twin_error(plan))
    except Contradiction:
        return Criterion(
            plan.id, plan.id, plan.role, plan.form, plan.margin, None, None, None, None
        )


def _twin(plan: CriterionPlan, findings: Findings, request: Request) -> Criterion:
    return criterion_of(plan, findings[request.id], error=_twin_error(plan))


def _twin_error(plan: CriterionPlan) -> float:
    if plan.error_twins is None:
        raise Contradiction(f"criterion {plan.id!r} has twins but no error for them")
    return plan.error_twins


def _is_met(criterion: Criterion) -> bool:
    return judge(criterion, criterion.lower, criterion.upper, 0.0, 0.0) == "met"


def _guard_twins(
    claim: ClaimPlan, findings: Findings, twins: dict[tuple[str, str], Request], value: str
) -> list[Criterion]:
    """Guards of the whole on a kept value: they stop it only where harm is shown there."""
    found: list[Criterion] = []
    for plan in claim.criteria:
        request = twins.get((plan.id, value))
        if plan.role == "guard" and request is not None:
            loose = plan.model_copy(update={"policy": "block", "severe": False})
            criterion = criterion_of(loose, findings[request.id], error=_twin_error(plan))
            if not criterion.gone:
                found.append(criterion)
    return found


def _kept_guards(
    claim: ClaimPlan, findings: Findings, dimension: Dimension, kept: list[str]
) -> list[Criterion]:
    """Guards on all work, which cannot be dropped, and guards of kept tasks."""
    return [
        criterion_of(plan, findings[plan.id])
        for plan in claim.criteria
        if plan.role == "guard" and (dimension != "tasks" or plan.task is None or plan.task in kept)
    ]


def _share(
    slice_: ArgumentSlice, values: tuple[str, ...], kept: list[str], dimension: Dimension
) -> float:
    """Share of the claim's work that the kept values hold, in 0..1."""
    weights = {one.task: one.share for one in slice_.weights}
    if dimension == "tasks" and weights:
        total = sum(weights.get(value, 0.0) for value in values)
        return sum(weights.get(value, 0.0) for value in kept) / total if total > 0 else 0.0
    return len(kept) / len(values)


def twin_outcomes(
    slice_: ArgumentSlice, claim: ClaimPlan, findings: Findings
) -> tuple[CriterionOutcome, ...]:
    """How every twin of a claim's criteria came out, in the order of the plan's requests."""
    plans = criterion_plans(claim)
    return tuple(
        outcome_of(
            slice_,
            plans[request.criterion],
            findings[request.id],
            error=_twin_error(plans[request.criterion]),
            task=request.twin.value if request.twin.dimension == "tasks" else None,
        )
        for request in slice_.plan.requests
        if request.claim == claim.id and request.twin is not None
    )
