"""How do the systems score on the declared work, and does the mix of tasks decide the order?

Answers the requests of performance claims. Everything else is for the annex: no verdict reads it.

Tables (numbers in the metric's unit; `lower`, `upper` are 95% bounds unless said; each table once
per metric and variants, whose names end its id)
------
scores_by_task.* : system, task, value, lower, upper, items, missing_items, unit, remark. Exact
    bounds where outcomes are right or wrong and items independent.
weighted_scores.* : system, measure (plain mean | expected success | expected loss), value, lower,
    upper, items, effective_items, unit, remark
task_values : claim, task, value, lower, upper, items, unit; the tasks of each claim's first
    criterion, at that criterion's error
severe_tasks.* : system, task, items, failures, failure_rate, upper_95; upper_95 is the exact
    one-sided 95% bound of the failure rate
flips.* : system_a, system_b, plain, plain_lower, plain_upper, weighted, weighted_lower,
    weighted_upper, flip; pairs that the plain mean and the weighted score order otherwise:
    `established` if both intervals exclude 0, `possible` if one does, else `not shown`
flip_weights.* and ranges.* : as in `audit.analyses.flips`

Diagnostics
-----------
effective_items : {view: {system: number}}
flips : {view: {established, possible, not_shown}}
left_out : {request: items of the scope that do not count}
"""

from __future__ import annotations

from collections.abc import Iterator

from audit.analyses.arrays import Responses
from audit.analyses.asking import Asking, ask, split
from audit.analyses.contract import Assumption, Estimate, NotEstimable, Result
from audit.analyses.estimates import Basis, Choices, basis_of, evaluate_value
from audit.analyses.flips import flip_tables
from audit.analyses.score_tables import (
    effective,
    scores_by_task,
    severe_tasks,
    task_values,
    weighted_scores,
)
from audit.analyses.uncovered import Exposure, exposure, uncovered_threats
from audit.responses.table import ResponseTable
from audit.spec.plan import AnalysisSlice


def evaluate(responses: Responses, choices: Choices) -> Estimate | NotEstimable:
    """Answer one performance request; see `evaluate_value`."""
    return evaluate_value(responses, choices)


def analyse(slice: AnalysisSlice, table: ResponseTable) -> Result:
    """Answer the performance requests of one source, with the tables of its work.

    Parameters
    ----------
    slice : requests, metrics and weights
    table : responses and items of the source

    Returns
    -------
    Estimates in natural orientation; a request without a number is in `not_estimable`.
    """
    asking = ask(slice, table)
    answers = [evaluate(asking.arrays[one.metric], asking.choices(one)) for one in slice.requests]
    estimates, refused = split(answers)
    flips = flip_tables(asking)
    return Result(
        analysis="workload",
        source=slice.source,
        provenance=asking.provenance(),
        estimates=estimates,
        not_estimable=refused,
        threats=uncovered_threats(exposures(asking, estimates)),
        assumptions=assumptions(asking, estimates),
        diagnostics={
            "effective_items": {view.suffix: effective(asking, view) for view in asking.views},
            "flips": flips.counts,
            "left_out": left_out(asking),
        },
        tables=(
            *(scores_by_task(asking, view) for view in asking.views),
            *(weighted_scores(asking, view) for view in asking.views),
            *task_values(asking),
            *severe_tasks(asking),
            *flips.tables,
        ),
        limits=_limits(asking),
    )


def exposures(asking: Asking, estimates: tuple[Estimate, ...]) -> Iterator[Exposure]:
    """How far tasks without items move each number that could be had."""
    held = {one.request for one in estimates}
    for request in asking.slice.requests:
        if request.id not in held or request.measure == "rank":
            continue
        basis = basis_of(asking.arrays[request.metric], asking.choices(request))
        if isinstance(basis, Basis) and basis.uncovered.tasks:
            gone = basis.uncovered
            yield exposure(request, gone.tasks, gone.share, gone.reach)


def left_out(asking: Asking) -> dict[str, int]:
    """Items of each request's scope that do not count, where there are any."""
    found: dict[str, int] = {}
    for request in asking.slice.requests:
        if request.measure == "rank":
            continue
        basis = basis_of(asking.arrays[request.metric], asking.choices(request))
        if isinstance(basis, Basis):
            number = basis.sample.left_out_in(basis.mix.names)
            if number:
                found[request.id] = number
    return found


def assumptions(asking: Asking, estimates: tuple[Estimate, ...]) -> tuple[Assumption, ...]:
    """What the numbers take for granted, in plain words."""
    found = [
        Assumption(
            text="The items of a task are like the work of that task.", checked=False, held=None
        )
    ]
    clustered = any(one.clustered for one in asking.arrays.values())
    text = (
        "Items of different clusters are independent of each other."
        if clustered
        else "Items are independent of each other: no clusters are declared."
    )
    found.append(Assumption(text=text, checked=False, held=None))
    if any(one.missing_items for one in estimates):
        text = (
            "Nothing is assumed of missing responses: both ends of the metric's range enter the "
            "bounds."
        )
        found.append(Assumption(text=text, checked=True, held=True))
    if len(asking.weighted) > 1:
        counted = asking.slice.weights_kind == "count"
        text = (
            "The counted uses are a random sample of the work; their sampling error is in the "
            "interval."
            if counted
            else "The declared weights hold as they stand."
        )
        found.append(Assumption(text=text, checked=False, held=None))
    if any(one.lower is None for one in asking.arrays.values()):
        text = "The mean of a metric without a range is close to normally distributed."
        found.append(Assumption(text=text, checked=False, held=None))
    return tuple(found)


def _limits(asking: Asking) -> tuple[str, ...]:
    found = ["The systems are named objects: nothing is said of other systems or versions."]
    if asking.weighted:
        found.append("The weights are those of the declared work and may shift.")
    if any(len(view.variants) > 1 for view in asking.views):
        found.append("Variants are averaged with equal weight and stand for themselves only.")
    return tuple(found)
