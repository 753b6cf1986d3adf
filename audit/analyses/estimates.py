"""From items to a number with its bounds: the one way for scores, losses and differences.

Everything here is a pure function of arrays and choices. With responses missing, the lower bound is
that of the values at their lowest and the upper bound that of the values at their highest: sampling
and missing responses enter once, together (errata section 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.analyses.arrays import Bools, Floats, Responses
from audit.analyses.contract import ErrorBounds, Estimate, NotEstimable
from audit.analyses.mixes import LEAST_TASK_ITEMS, SMALL_WEIGHT, Mix, Uncovered, mix_of, uncovered
from audit.analyses.samples import Sample, one_sample, pair_sample
from audit.errors import Reason
from audit.spec.plan import Request, TaskWeight
from audit.stats.estimate import NotEstimable as Refused
from audit.stats.power import detectable_difference
from audit.stats.strata import Stratum
from audit.stats.weighted import WeightedBounds, weighted_bounds


@dataclass(frozen=True)
class Choices:
    """What is asked for, and the weights with which to answer it."""

    request: Request
    weights: tuple[TaskWeight, ...] = ()
    weights_kind: str = "none"
    consequence_unit: str | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Basis:
    """The items and the mix that a request rests on."""

    sample: Sample
    mix: Mix
    uncovered: Uncovered
    unit: str


def evaluate_value(responses: Responses, choices: Choices) -> Estimate | NotEstimable:
    """Answer a request for a score, a loss or a difference of two systems.

    Parameters
    ----------
    responses : arrays of the request's metric
    choices : the request and the weights; errors are one-sided, each in (0, .5)

    Returns
    -------
    The estimate in natural orientation (`of - over` for pairs), or why there is none.
    """
    basis = basis_of(responses, choices)
    return basis if isinstance(basis, NotEstimable) else estimate(basis, choices)


def basis_of(responses: Responses, choices: Choices) -> Basis | NotEstimable:
    """Select items and mix; a request that lacks a declaration is not estimable."""
    request = choices.request
    try:
        mix = mix_of(request, choices.weights, choices.weights_kind)
    except ValueError as error:
        return _refuse(request, Reason.SPEC_INCOMPLETE, f"{error}.")
    if mix.loss and responses.lower is None:
        text = f"Metric {request.metric} has no range, so that a loss has no scale."
        return _refuse(request, Reason.UNITS_UNKNOWN, text)
    if request.over is None:
        sample = one_sample(responses, request.of, request.variants, loss=mix.loss)
    else:
        sample = pair_sample(responses, request.of, request.over, request.variants, loss=mix.loss)
    return Basis(
        sample,
        mix,
        uncovered(mix, sample, width_of(responses, mix)),
        unit_of(responses, mix, choices.consequence_unit),
    )


def width_of(responses: Responses, mix: Mix) -> float | None:
    """Width of one system's range, in the unit of the mix before its scale."""
    if mix.loss:
        return 1.0
    if responses.lower is None or responses.upper is None:
        return None
    return responses.upper - responses.lower


def unit_of(responses: Responses, mix: Mix, consequence_unit: str | None) -> str:
    """`share`, `percent`, the metric's id, or the consequence's unit per task."""
    if mix.loss:
        return f"{consequence_unit or 'units'} per task"
    known = {(0.0, 1.0): "share", (0.0, 100.0): "percent"}
    ends = (responses.lower, responses.upper)
    if None in ends:
        return responses.metric.id
    return known.get(ends, responses.metric.id)  # type: ignore[arg-type]  # no None in it


def estimate(basis: Basis, choices: Choices) -> Estimate | NotEstimable:
    """Give the number of a basis, with bounds at every error asked for."""
    request, sample, mix = choices.request, basis.sample, basis.mix
    everyone = mix.members(sample)
    refusal = _refusal(request, basis, everyone)
    if refusal is not None:
        return refusal
    held = np.array([one.any() for one in everyone])
    members = [one for one in everyone if one.any()]
    bounded = int(np.sum(sample.bounded & np.any(members, axis=0)))
    found = _at_both_ends(request.errors, sample, members, mix, held, twice=bounded > 0)
    if isinstance(found, Refused):
        return _refuse(request, found.reason, found.detail)
    low, high = found
    base = _base(basis, request)
    factor = mix.shares[held] * mix.scale[held]
    value = base + low[0].value
    identified = (value, value)
    if bounded:
        value = base + float(np.sum(factor * _means(sample, members)))
        identified = (base + low[0].value, base + high[0].value)
    wider = max(low[0], high[0], key=lambda one: one.standard_error)
    return Estimate(
        request=request.id,
        criterion=request.criterion,
        value=value,
        identified=identified,
        bounds=_error_bounds(request.errors, low, high, base),
        bounds_if_low=_error_bounds(request.errors, low, low, base) if bounded else (),
        bounds_if_high=_error_bounds(request.errors, high, high, base) if bounded else (),
        standard_error=wider.standard_error,
        df=wider.df,
        method=wider.method + (", both ends" if bounded else ""),
        items=wider.items,
        clusters=wider.clusters,
        missing_items=bounded,
        unit=basis.unit,
        inference_population=population(mix, clustered=wider.clusters < wider.items),
        detectable_difference=detectable_difference(
            wider.standard_error, wider.df, request.errors[0]
        ),
    )


def _at_both_ends(
    errors: Sequence[float],
    sample: Sample,
    members: Sequence[Bools],
    mix: Mix,
    held: Bools,
    *,
    twice: bool,
) -> tuple[list[WeightedBounds], list[WeightedBounds]] | Refused:
    """Bounds at each error with missing responses at their lowest, and at their highest."""
    counts = None if mix.counts is None or len(mix.tasks) < 2 else mix.counts[held]
    ends: list[list[WeightedBounds]] = []
    for array in (sample.low, sample.high) if twice else (sample.low,):
        strata, at_end = _strata(sample, array, members), []
        for error in errors:
            found = weighted_bounds(
                strata, mix.shares[held], error, weight_counts=counts, scale=mix.scale[held]
            )
            if isinstance(found, Refused):
                return found
            at_end.append(found)
        ends.append(at_end)
    return ends[0], ends[-1]


def population(mix: Mix, *, clustered: bool) -> str:
    """What is random in an interval, and what is fixed."""
    random = "clusters of items like these" if clustered else "items like these"
    if mix.weighted and len(mix.tasks) > 1:
        random += " within each task"
    if mix.counts is not None and len(mix.tasks) > 1:
        return f"{random}, and the uses counted for the weights; systems and variants fixed"
    if mix.weighted and len(mix.tasks) > 1:
        return f"{random}; systems, variants and weights fixed"
    return f"{random}; systems and variants fixed"


def _refuse(request: Request, reason: Reason, detail: str) -> NotEstimable:
    return NotEstimable(
        request=request.id, criterion=request.criterion, reason=reason, detail=detail
    )


def _refusal(request: Request, basis: Basis, members: Sequence[Bools]) -> NotEstimable | None:
    """Why the items do not suffice, whatever their values are."""
    sample, mix = basis.sample, basis.mix
    inside = np.any(members, axis=0)
    where = f" of task {mix.names[0]}" if len(mix.names) == 1 else ""
    if not inside.any():
        return _refuse(request, Reason.NO_ITEMS, f"No item{where} has a response.")
    if not np.any(sample.complete & inside):
        both = "both systems" if request.over is not None else request.of
        text = f"None of {int(inside.sum())} items{where} has a usable response of {both}."
        return _refuse(request, Reason.NO_ITEMS, text)
    missing = int(np.sum(sample.bounded & inside))
    if missing and (sample.lower is None or sample.upper is None):
        text = (
            f"Responses are missing on {missing} of {int(inside.sum())} items, and metric "
            f"{request.metric} has no range that would bound them."
        )
        return _refuse(request, Reason.MISSING_BOUNDS_CROSS, text)
    if not mix.weighted:
        return None
    few = [
        f"task {task} has {int(one.sum())} and {share:.0%} of the weight"
        for task, one, share in zip(mix.tasks, members, mix.shares, strict=True)
        if 0 < one.sum() < LEAST_TASK_ITEMS and share > SMALL_WEIGHT
    ]
    if few:
        text = f"A task with more than 5% of the weight needs 10 items: {'; '.join(few)}."
        return _refuse(request, Reason.TOO_FEW_ITEMS, text)
    return None


def _base(basis: Basis, request: Request) -> float:
    """What tasks without items contribute: difference and loss 0, a score its lowest."""
    if request.over is not None or basis.mix.loss or basis.sample.lower is None:
        return 0.0
    return basis.uncovered.share * basis.sample.lower


def _means(sample: Sample, members: Sequence[Bools]) -> Floats:
    """Mean by task on complete items; the middle of what is possible where a task has none."""
    means = []
    for one in members:
        complete = one & sample.complete
        if complete.any():
            means.append(np.mean(sample.value[complete]))
        else:
            means.append((np.mean(sample.low[one]) + np.mean(sample.high[one])) / 2)
    return np.array(means)


def _strata(sample: Sample, array: Floats, members: Sequence[Bools]) -> list[Stratum]:
    """Values, clusters and range by task."""
    inside = np.any(members, axis=0)
    cluster = sample.cluster
    if cluster is not None and len(np.unique(cluster[inside])) == inside.sum():
        cluster = None  # clusters of one item are independent items
    return [
        Stratum(
            values=array[one],
            clusters=None if cluster is None else cluster[one],
            lower=-np.inf if sample.lower is None else sample.lower,
            upper=np.inf if sample.upper is None else sample.upper,
            kind=sample.kind,
        )
        for one in members
    ]


def _error_bounds(
    errors: Sequence[float],
    low: Sequence[WeightedBounds],
    high: Sequence[WeightedBounds],
    base: float,
) -> tuple[ErrorBounds, ...]:
    return tuple(
        ErrorBounds(error=error, lower=base + one.lower, upper=base + other.upper)
        for error, one, other in zip(errors, low, high, strict=True)
    )
