"""Tables of scores: by task, weighted, of each claim's tasks, of severe tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.analyses.asking import Asking, Measure, View, cells, why_not
from audit.analyses.contract import Estimate, NotEstimable, Table
from audit.analyses.estimates import Basis, basis_of
from audit.analyses.mixes import effective_items
from audit.spec.plan import Request

Cell = str | float | int | bool | None
_WORDS: dict[Measure, str] = {
    "mean": "plain mean",
    "expected_success": "expected success",
    "expected_loss": "expected loss",
}


def _unit(asking: Asking, view: View, found: Estimate | NotEstimable) -> str:
    return found.unit if isinstance(found, Estimate) else view.metric


def _counts(found: Estimate | NotEstimable) -> tuple[int, int]:
    return (found.items, found.missing_items) if isinstance(found, Estimate) else (0, 0)


def scores_by_task(asking: Asking, view: View) -> Table:
    """Score of each system in each task; all items together where there are no tasks."""
    rows: list[tuple[Cell, ...]] = []
    tasks = asking.tasks_of(view)
    for system in asking.systems:
        for task in tasks or ("all items",):
            scope = (task,) if tasks else ()
            found = asking.value(asking.asked(view, system, tasks=scope))
            items, missing = _counts(found)
            rows.append(
                (
                    system,
                    task,
                    *cells(found),
                    items,
                    missing,
                    _unit(asking, view, found),
                    why_not(found),
                )
            )
    return Table(
        id=f"scores_by_task.{view.suffix}",
        title=f"Score by task, {view.metric}, {' and '.join(view.variants)}",
        columns=(
            "system",
            "task",
            "value",
            "lower",
            "upper",
            "items",
            "missing_items",
            "unit",
            "remark",
        ),
        rows=tuple(rows),
        note="95% intervals. Missing responses stand at both ends of the range.",
    )


def measures(asking: Asking, view: View) -> tuple[Measure, ...]:
    """Measures that the work allows for a view."""
    found: list[Measure] = ["mean"]
    if asking.weighted:
        found.append("expected_success")
        if asking.has_losses and asking.has_range(view):
            found.append("expected_loss")
    return tuple(found)


def weighted_scores(asking: Asking, view: View) -> Table:
    """Plain mean, expected success and expected loss of each system, beside each other."""
    rows: list[tuple[Cell, ...]] = []
    for system in asking.systems:
        for measure in measures(asking, view):
            request = asking.asked(view, system, measure=measure, tasks=asking.weighted)
            found = asking.value(request)
            rows.append(
                (
                    system,
                    _WORDS[measure],
                    *cells(found),
                    _counts(found)[0],
                    _effective(asking, request),
                    _unit(asking, view, found),
                    why_not(found),
                )
            )
    return Table(
        id=f"weighted_scores.{view.suffix}",
        title=f"Plain and weighted scores, {view.metric}, {' and '.join(view.variants)}",
        columns=(
            "system",
            "measure",
            "value",
            "lower",
            "upper",
            "items",
            "effective_items",
            "unit",
            "remark",
        ),
        rows=tuple(rows),
        note="95% intervals. Effective items: as many equally weighted items would tell as much.",
    )


def _effective(asking: Asking, request: Request) -> float | None:
    basis = basis_of(asking.arrays[request.metric], asking.choices(request))
    if not isinstance(basis, Basis) or not np.any(basis.mix.members(basis.sample)):
        return None
    return effective_items(basis.mix, basis.sample)


def effective(asking: Asking, view: View) -> dict[str, float]:
    """{system: effective items} under the work's weights."""
    measure: Measure = "expected_success" if asking.weighted else "mean"
    found = {
        system: _effective(
            asking, asking.asked(view, system, measure=measure, tasks=asking.weighted)
        )
        for system in asking.systems
    }
    return {system: number for system, number in found.items() if number is not None}


def first_requests(asking: Asking) -> Iterator[Request]:
    """The request that stands for each claim: the first one's measure, at its widest scope."""
    by_claim: dict[str, list[Request]] = {}
    for request in asking.slice.requests:
        if request.twin is None and request.measure != "rank":
            by_claim.setdefault(request.claim, []).append(request)
    for held in by_claim.values():
        same = [
            one for one in held if (one.measure, one.metric) == (held[0].measure, held[0].metric)
        ]
        # no task named is the widest scope
        yield max(same, key=lambda one: len(one.tasks) or len(asking.tasks_of(_view(one))))


def _view(request: Request) -> View:
    return View(request.metric, request.variants)


def task_values(asking: Asking, name: str = "task_values") -> Iterator[Table]:
    """What each claim's first criterion would say of each of its tasks."""
    rows: list[tuple[Cell, ...]] = []
    for request in first_requests(asking):
        tasks = request.tasks or asking.tasks_of(_view(request))
        if len(tasks) < 2:
            continue
        for task in tasks:
            alone = request.model_copy(update={"tasks": (task,), "errors": request.errors[:1]})
            found = asking.value(alone)
            if isinstance(found, Estimate):
                rows.append((request.claim, task, *cells(found), found.items, found.unit))
    if rows:
        yield Table(
            id=name,
            title="Task by task, in the unit of each claim's first criterion",
            columns=("claim", "task", "value", "lower", "upper", "items", "unit"),
            rows=tuple(rows),
            note="Bounds at the one-sided error of that criterion. Tasks without a number are "
            "left out.",
        )


def severe_tasks(asking: Asking) -> Iterator[Table]:
    """Failure rate of each system in severe tasks, with its exact upper bound.

    A failure is a score below the best one; of n items without failure the bound is
    1 - .05^(1/n). Missing responses count as failures in the bound.
    """
    severe = [one.task for one in asking.slice.weights if one.severe]
    for view in asking.views:
        if not severe or not asking.has_range(view):
            continue
        rows = [
            row
            for system in asking.systems
            for task in severe
            if (row := _severe_row(asking, view, system, task)) is not None
        ]
        yield Table(
            id=f"severe_tasks.{view.suffix}",
            title=f"Severe tasks, {view.metric}, {' and '.join(view.variants)}",
            columns=("system", "task", "items", "failures", "failure_rate", "upper_95"),
            rows=tuple(rows),
            note="Failure rate: share of the range that is lost. Upper bound one-sided, 95%, with "
            "every missing response a failure.",
        )


def _severe_row(asking: Asking, view: View, system: str, task: str) -> tuple[Cell, ...] | None:
    responses = asking.arrays[view.metric]
    lower, upper = responses.lower, responses.upper
    request = asking.asked(view, system, tasks=(task,), errors=(0.05,))
    basis = basis_of(responses, asking.choices(request))
    if lower is None or upper is None or not isinstance(basis, Basis):
        return None
    found = asking.value(request)
    inside = basis.sample.in_tasks((task,))
    if not inside.any():
        return (system, task, 0, 0, None, None)
    best = upper if responses.metric.better == "higher" else lower
    known = inside & basis.sample.complete
    failures = int(np.sum(basis.sample.value[known] != best))
    if isinstance(found, NotEstimable):
        return (system, task, int(inside.sum()), failures, None, None)

    def rate(score: float) -> float:
        return abs(best - score) / (upper - lower)

    worst = found.bounds[0].lower if best == upper else found.bounds[0].upper
    return (system, task, found.items, failures, rate(found.value), rate(worst))
