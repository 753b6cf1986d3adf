"""Which of two systems does more on the same items, which place has one in a field, and how surely.

Answers the requests of comparison and ranking claims, `of - over` in the measure's natural
orientation. Everything else is for the annex: no verdict reads it.

Tables (`lower`, `upper` are 95% bounds unless said)
------
pairs : request, of, over, value, lower_95, upper_95, lower_90, upper_90, unit, items, remark
pair_tests : request, measure, clusters, missing_items, left_out, detectable_difference,
    items_needed, mcnemar_mid_p
task_differences : claim, task, value, lower, upper, items, unit; the tasks of each claim's first
    criterion, at that criterion's error
gains_and_losses : of, over, metric, task, items, gains, losses, ties, missing_items, left_out
variance_split : metric, of, over, items, omega_squared, omega_squared_used, sigma_squared_of,
    sigma_squared_over, remark
ranks : request, system, rank, lower, upper, score, unit; sets that hold together
all_pairs.* : of, over, value, lower, upper, items, missing_items, unit, remark
flips.*, flip_weights.*, ranges.* : as in `audit.analyses.flips`, for the requested pairs

Diagnostics
-----------
left_out : {request: items of the scope that neither system answered}
flips : {view: {established, possible, not_shown}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.analyses.arrays import Responses
from audit.analyses.asking import Asking, ask, split
from audit.analyses.contract import Estimate, NotEstimable, Result, Table
from audit.analyses.estimates import Choices, evaluate_value
from audit.analyses.flips import flip_tables
from audit.analyses.pair_tables import (
    all_pairs_tables,
    counts_table,
    distinct_pairs,
    pairs_tables,
    variance_table,
)
from audit.analyses.ranks import Ranking, evaluate_ranking
from audit.analyses.score_tables import task_values
from audit.analyses.uncovered import Exposure, uncovered_threats
from audit.analyses.workload import assumptions, exposures, left_out
from audit.responses.table import ResponseTable
from audit.spec.plan import AnalysisSlice


def evaluate(responses: Responses, choices: Choices) -> Estimate | NotEstimable:
    """Answer one comparison or ranking request; see `evaluate_value` and `evaluate_ranking`."""
    if choices.request.kind == "ranking":
        found = evaluate_ranking(responses, choices)
        return found.estimate if isinstance(found, Ranking) else found
    return evaluate_value(responses, choices)


def analyse(slice: AnalysisSlice, table: ResponseTable) -> Result:
    """Answer the comparison and ranking requests of one source.

    Parameters
    ----------
    slice : requests, metrics and weights
    table : responses and items of the source

    Returns
    -------
    Estimates in natural orientation; a request without a number is in `not_estimable`.
    """
    asking = ask(slice, table)
    rankings = {
        one.id: evaluate_ranking(asking.arrays[one.metric], asking.choices(one))
        for one in slice.requests
        if one.kind == "ranking"
    }
    answers = [
        _answer(rankings[one.id]) if one.id in rankings else asking.value(one)
        for one in slice.requests
    ]
    estimates, refused = split(answers)
    flips = flip_tables(asking, distinct_pairs(asking))
    return Result(
        analysis="comparison",
        source=slice.source,
        provenance=asking.provenance(slice.seed if rankings else None),
        estimates=estimates,
        not_estimable=refused,
        threats=uncovered_threats(_exposures(asking, estimates, rankings)),
        assumptions=assumptions(asking, estimates),
        diagnostics={"left_out": left_out(asking), "flips": flips.counts},
        tables=(
            *pairs_tables(asking),
            *task_values(asking, "task_differences"),
            *counts_table(asking),
            *variance_table(asking),
            *_ranks_table(asking, rankings),
            *all_pairs_tables(asking),
            *flips.tables,
        ),
        limits=_limits(asking, bool(rankings)),
    )


def _answer(found: Ranking | NotEstimable) -> Estimate | NotEstimable:
    return found.estimate if isinstance(found, Ranking) else found


def _exposures(
    asking: Asking,
    estimates: tuple[Estimate, ...],
    rankings: Mapping[str, Ranking | NotEstimable],
) -> Iterator[Exposure]:
    yield from exposures(asking, estimates)
    for found in rankings.values():
        if isinstance(found, Ranking):
            yield found.exposure


def _ranks_table(asking: Asking, rankings: Mapping[str, Ranking | NotEstimable]) -> Iterator[Table]:
    rows = []
    for request in asking.slice.requests:
        found = rankings.get(request.id)
        if request.twin is None and isinstance(found, Ranking):
            unit = request.metric
            rows += [(request.id, *row, unit) for row in found.rows]
    if rows:
        yield Table(
            id="ranks",
            title="Places, with the sets that the items allow",
            columns=("request", "system", "rank", "lower", "upper", "score", "unit"),
            rows=tuple(rows),
            note="All sets of a request hold together at its level. Equal scores share a place.",
        )


def _limits(asking: Asking, ranks: bool) -> tuple[str, ...]:
    found = ["The systems are named objects: nothing is said of other systems or versions."]
    if ranks:
        weighted = "expected success on the declared work" if asking.weighted else "the plain mean"
        found.append(f"Places are by {weighted}, in this field of systems only.")
    if asking.weighted:
        found.append("The weights are those of the declared work and may shift.")
    if any(len(view.variants) > 1 for view in asking.views):
        found.append("Variants are averaged with equal weight and stand for themselves only.")
    found.append("Items that neither system answered are not part of the comparison.")
    return tuple(found)
