"""What the chance of support needs of the study: criteria with the effects that authors expect.

The statistics of it are elsewhere; here stands only what the study says. `expected_effect` is one
number in the unit of the claim's first primary criterion: how much better `of` is (comparison), or
its score (performance). Criteria in that unit are taken to have it; a guard of one task is taken to
have no difference there, which is cautious; criteria in other units have no expectation.
"""

from __future__ import annotations

from dataclasses import dataclass

from audit.spec.check_sources import range_of
from audit.spec.models import Claim, Study
from audit.spec.plan import ClaimPlan, CriterionPlan, TaskWeight
from audit.spec.planning import make_plan, metric_of, task_weights


@dataclass(frozen=True)
class PlannedCriterion:
    """A criterion with the number that its author expects, oriented (larger supports)."""

    plan: CriterionPlan
    tasks: tuple[str, ...]
    """What it covers; empty: all items."""
    expected: float | None
    """None: the study says nothing in this unit."""
    width: float | None
    """Width of one score's range; 1 for a loss before its consequence; None when unbounded."""


@dataclass(frozen=True)
class PlannedClaim:
    """A claim with an expected effect."""

    claim: ClaimPlan
    weights: tuple[TaskWeight, ...]
    criteria: tuple[PlannedCriterion, ...]


def planned_claims(study: Study) -> tuple[PlannedClaim, ...]:
    """Give the claims whose authors expect an effect, in the study's order; rankings never do."""
    found = []
    for plan in make_plan(study).claims:
        claim = study.claims[plan.id]
        if claim.expected_effect is None or claim.kind == "ranking":
            continue
        criteria = tuple(_criterion(study, claim, plan, one) for one in plan.criteria)
        found.append(PlannedClaim(plan, task_weights(study), criteria))
    return tuple(found)


def _criterion(
    study: Study, claim: Claim, plan: ClaimPlan, criterion: CriterionPlan
) -> PlannedCriterion:
    primary = next(one for one in plan.criteria if one.role == "primary")
    expected = None
    if _unit(study, criterion) == _unit(study, primary):
        effect = float(claim.expected_effect or 0.0)
        if claim.kind == "performance":
            expected = criterion.sign * effect  # a score as it is written
        else:
            expected = 0.0 if criterion.role == "guard" and criterion.task is not None else effect
    ends = range_of(metric_of(study, criterion.metric))
    width = 1.0 if criterion.measure == "expected_loss" else None
    if width is None and ends is not None:
        width = ends[1] - ends[0]
    tasks = plan.tasks if criterion.task is None else (criterion.task,)
    return PlannedCriterion(criterion, tasks, expected, width)


def _unit(study: Study, criterion: CriterionPlan) -> object:
    if criterion.measure == "expected_loss":
        return "loss"
    metric = metric_of(study, criterion.metric)
    return (metric.better, range_of(metric) or criterion.metric)
