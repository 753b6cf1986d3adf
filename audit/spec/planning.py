"""The plan: which numbers each claim needs, at which errors, and how the verdict reads them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.spec.check_work import default_reach
from audit.spec.criteria import (
    bar_of,
    error_of,
    margin_of,
    measure_of,
    role_of,
    sign_of,
)
from audit.spec.models import BUILT_IN_METRICS, Claim, Criterion, Metric, Study
from audit.spec.parts import expand_variants, systems_of
from audit.spec.plan import (
    ClaimPlan,
    CriterionPlan,
    Dimension,
    Plan,
    Request,
    TaskWeight,
    Twin,
)

FAMILY_ERROR = 0.025
"""One-sided error of all single values of the dimensions in `divisible_by` together."""
NOT_PLANNED = ("multiverse", "replication", "revision", "deployment")
"""Evidence that no study of this version can plan."""


def make_plan(study: Study) -> Plan:
    """Plan a valid study: claims, criteria, and the numbers they need.

    Bars stand in the criteria only: moving one recomputes no number.
    """
    claims: list[ClaimPlan] = []
    requests: list[Request] = []
    for name, claim in study.claims.items():
        scope = scope_of(study, claim)
        planned = [
            _criterion(scope, name, place, criterion)
            for place, criterion in enumerate(claim.criteria, start=1)
        ]
        claims.append(_claim(scope, name, tuple(planned)))
        for criterion, written in zip(planned, claim.criteria, strict=True):
            requests += _requests(scope, name, criterion, written)
    return Plan(study=study.study, claims=tuple(claims), requests=tuple(requests))


# -------------------------------------------------------------------------------------------- scope


@dataclass(frozen=True)
class Scope:
    """A claim with everything about it that other parts of the study decide."""

    study: Study
    claim: Claim
    source: str
    tasks: tuple[str, ...]
    """In the study's order; empty without a workload."""
    variants: tuple[str, ...]

    def values(self, dimension: Dimension) -> tuple[str, ...]:
        """Values of a dimension that the claim spans."""
        return self.tasks if dimension == "tasks" else self.variants

    @property
    def divided(self) -> tuple[Dimension, ...]:
        """Dimensions along which the claim may really be narrowed: those of several values."""
        named = dict.fromkeys(self.claim.divisible_by)
        return tuple(one for one in named if len(self.values(one)) > 1)

    @property
    def error_twins(self) -> float | None:
        """One-sided error of each single value, so that all together have 0.025.

        Šidák, Z. (1967). JASA 62, 626-633, doi:10.1080/01621459.1967.10482935.
        """
        count = sum(len(self.values(one)) for one in self.divided)
        return 1 - (1 - FAMILY_ERROR) ** (1 / count) if count else None


def scope_of(study: Study, claim: Claim) -> Scope:
    """Find source, tasks and variants of a claim of a valid study."""
    declared = tuple(study.workload.tasks) if study.workload is not None else ()
    tasks = declared if claim.tasks is None else tuple(t for t in declared if t in claim.tasks)
    source = claim.source if claim.source is not None else next(iter(study.sources))
    return Scope(study, claim, source, tasks, expand_variants(claim, study.variants))


def metric_of(study: Study, name: str) -> Metric:
    """A metric as declared, else as built in."""
    return study.metrics[name] if name in study.metrics else BUILT_IN_METRICS[name]


def reach_of(study: Study, claim: Claim) -> Literal["test", "work", "deployment"]:
    """The claim's reach, or that of the purpose."""
    return claim.reach or default_reach(study.decision.purpose)


# ---------------------------------------------------------------------------- claims and criteria


def _claim(scope: Scope, name: str, criteria: tuple[CriterionPlan, ...]) -> ClaimPlan:
    return ClaimPlan(
        id=name,
        kind=scope.claim.kind,
        source=scope.source,
        systems=systems_of(scope.claim),
        tasks=scope.tasks,
        variants=scope.variants,
        reach=reach_of(scope.study, scope.claim),
        divisible_by=tuple(dict.fromkeys(scope.claim.divisible_by)),
        criteria=criteria,
        not_planned=NOT_PLANNED,
    )


def _criterion(scope: Scope, claim: str, place: int, written: Criterion) -> CriterionPlan:
    study = scope.study
    measure = measure_of(scope.claim, written, study.decision, study.workload is not None)
    metric = written.metric or next(iter(study.sources[scope.source].scores))
    bar, value = bar_of(written)
    role, policy = role_of(scope.claim, bar)
    error = error_of(scope.claim, bar)
    ident = f"{claim}.{place}"
    twins = tuple(_twin_id(ident, one) for one in _twins(scope, written))
    single = bool(twins) or _is_single(scope, written)
    severe = written.task is not None and study.workload is not None
    return CriterionPlan(
        id=ident,
        claim=claim,
        role=role,
        policy=policy,
        severe=bool(severe and role == "guard" and _is_severe(study, str(written.task))),
        form="within" if bar == "within" else "above",
        bar=bar,
        value=value,
        margin=margin_of(measure, bar, value),
        sign=sign_of(scope.claim, measure, bar, metric_of(study, metric)),
        error=error,
        error_adjusted=error / len(scope.claim.criteria),
        task=written.task,
        measure=measure,
        metric=metric,
        twins=twins,
        error_twins=scope.error_twins if single else None,
    )


def _is_severe(study: Study, task: str) -> bool:
    return study.workload is not None and study.workload.tasks[task].severe


def _is_single(scope: Scope, written: Criterion) -> bool:
    """Whether a criterion's own task is one of the values along which its claim is divided."""
    return written.task is not None and "tasks" in scope.divided


def _twins(scope: Scope, written: Criterion) -> Iterator[Twin]:
    """Single values on which a criterion is looked at; its own task is a single value already."""
    for dimension in scope.divided:
        if dimension == "tasks" and _is_single(scope, written):
            continue
        for value in scope.values(dimension):
            yield Twin(dimension=dimension, value=value)


def _twin_id(criterion: str, twin: Twin) -> str:
    return f"{criterion}@{twin.dimension}={twin.value}"


# ----------------------------------------------------------------------------------------- requests


def _requests(
    scope: Scope, claim: str, criterion: CriterionPlan, written: Criterion
) -> Iterator[Request]:
    tasks = scope.tasks if written.task is None else (written.task,)
    whole = _request(scope, claim, criterion, tasks, _errors(scope, criterion, written))
    yield whole
    for twin in _twins(scope, written):
        narrower = (
            {"tasks": (twin.value,)} if twin.dimension == "tasks" else {"variants": (twin.value,)}
        )
        yield whole.model_copy(
            update={
                "id": _twin_id(criterion.id, twin),
                "twin": twin,
                "errors": (scope.error_twins,),
                **narrower,
            }
        )


def _errors(scope: Scope, criterion: CriterionPlan, written: Criterion) -> tuple[float, ...]:
    """a and a/k; a criterion of one task is also looked at as one of the divided values."""
    errors = [criterion.error, criterion.error_adjusted]
    if _is_single(scope, written) and scope.error_twins is not None:
        errors.append(scope.error_twins)
    return tuple(dict.fromkeys(errors))


def _request(
    scope: Scope,
    claim: str,
    criterion: CriterionPlan,
    tasks: tuple[str, ...],
    errors: tuple[float, ...],
) -> Request:
    kind = scope.claim.kind
    return Request(
        id=criterion.id,
        criterion=criterion.id,
        claim=claim,
        source=scope.source,
        analysis="workload" if kind == "performance" else "comparison",
        kind=kind,
        measure=criterion.measure,
        metric=criterion.metric,
        of=scope.claim.of,
        over=scope.claim.over if scope.claim.kind == "comparison" else None,
        among=scope.claim.among if scope.claim.kind == "ranking" else (),
        tasks=tasks,
        variants=scope.variants,
        sign=criterion.sign,
        errors=errors,
    )


# ------------------------------------------------------------------------------------------ weights

WeightsKind = Literal["count", "share", "interest", "none"]


def weights_kind(study: Study) -> WeightsKind:
    """What the tasks' weights are."""
    if study.workload is None:
        return "none"
    first = next(iter(study.workload.tasks.values()))
    if first.count is not None:
        return "count"
    return "share" if first.share is not None else "interest"


def task_weights(study: Study) -> tuple[TaskWeight, ...]:
    """Tasks with their shares of the work, in the study's order; all shares sum to 1."""
    if study.workload is None:
        return ()
    kind = weights_kind(study)
    tasks = study.workload.tasks
    amounts = [float(getattr(task, kind)) for task in tasks.values()]
    total = math.fsum(amounts)
    return tuple(
        TaskWeight(
            task=name,
            share=amount / total,
            count=task.count,
            consequence=task.consequence,
            share_range=task.share_range,
            consequence_range=task.consequence_range,
            severe=task.severe,
        )
        for (name, task), amount in zip(tasks.items(), amounts, strict=True)
    )


def requests_for(plan: Plan, source: str, analysis: str) -> Sequence[Request]:
    """Requests of one analysis of one source, in the plan's order."""
    return [one for one in plan.requests if (one.source, one.analysis) == (source, analysis)]
