"""Places of systems in a named field: point ranks, which never stand without their sets.

Systems are ordered by expected success where the work has weights, else by the plain mean. Items on
which at least one system of the field has a row in every chosen variant count; a system that lacks
one is bounded at both ends of the metric's range, and so are attempts that others had more of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.analyses.arrays import Bools, Floats, Ints, Responses, cells_of, item_scores
from audit.analyses.contract import ErrorBounds, Estimate, NotEstimable
from audit.analyses.estimates import Choices
from audit.analyses.mixes import LEAST_TASK_ITEMS, SMALL_WEIGHT, Mix, mix_of
from audit.analyses.uncovered import Exposure
from audit.errors import Reason
from audit.spec.plan import Request
from audit.stats.estimate import NotEstimable as Refused
from audit.stats.ranking import RankSets, RankWeights, rank_sets


@dataclass(frozen=True, eq=False)
class Field:
    """Scores of a field of systems on the items that count; arrays are [system, item]."""

    systems: tuple[str, ...]
    low: Floats
    high: Floats
    value: Floats
    complete: Bools
    """[item], a usable response of every system."""
    bounded: Bools
    """[item], some response is missing."""
    stratum: Ints
    """[item], index into the mix's tasks with items."""
    shares: Floats
    """[task], of those with items."""
    cluster: Ints | None
    mix: Mix
    gone: tuple[str, ...]
    """Tasks with weight but without items."""


@dataclass(frozen=True)
class Ranking:
    """What a ranking request found: its estimate, each system's place, what has no items."""

    estimate: Estimate
    rows: tuple[tuple[str, int, int, int, float], ...]
    """system, rank, lower, upper at the first error, score."""
    exposure: Exposure


def evaluate_ranking(responses: Responses, choices: Choices) -> Ranking | NotEstimable:
    """Rank a field of systems.

    Parameters
    ----------
    responses : arrays of the request's metric
    choices : a ranking request; an error e asks for sets that hold together with 1 - e

    Returns
    -------
    Natural orientation: the rank of `of`, 1 best, bounds the ends of its set.
    """
    request = choices.request
    field = _field(responses, choices)
    refusal = _refusal(request, responses, field)
    if refusal is not None:
        return refusal
    sets: list[RankSets] = []
    for error in request.errors:
        found = _sets(responses, field, error, choices.seed, 0.0)
        if isinstance(found, Refused):
            return _refuse(request, found.reason, found.detail)
        sets.append(found)
    scores = _scores(field, field.value, field.complete)
    ranks = _ranks(scores, responses.metric.better == "higher")
    at = field.systems.index(request.of)
    rows = tuple(
        (name, int(ranks[i]), int(sets[0].lower[i]), int(sets[0].upper[i]), float(scores[i]))
        for i, name in enumerate(field.systems)
    )
    return Ranking(
        _estimate(request, responses, field, sets, int(ranks[at])),
        rows,
        _exposure(responses, choices, field, sets),
    )


def _field(responses: Responses, choices: Choices) -> Field:
    request = choices.request
    systems = tuple(dict.fromkeys([*request.among, request.of]))
    cells = [cells_of(responses, one, request.variants) for one in systems]
    planned = np.max([one.attempts for one in cells], axis=0)
    scores = [item_scores(one, planned, responses.lower, responses.upper) for one in cells]
    answered = np.any([one.answered for one in cells], axis=0)
    mix = mix_of(request, choices.weights, choices.weights_kind)
    if mix.weighted:
        named = [responses.tasks.index(one) if one in responses.tasks else -2 for one in mix.tasks]
    else:
        named = [responses.tasks.index(one) for one in mix.pool if one in responses.tasks]
    counted = np.asarray(answered & np.isin(responses.task, named)) if mix.names else answered
    present = [code for code in named if np.any(responses.task[counted] == code)]
    stratum = np.zeros(int(counted.sum()), dtype=np.int64)
    if mix.weighted:
        for place, code in enumerate(present):
            stratum[responses.task[counted] == code] = place
    held = np.array([code in present for code in named]) if mix.weighted else np.ones(1, bool)
    return Field(
        systems=systems,
        low=np.stack([one.low[counted] for one in scores]),
        high=np.stack([one.high[counted] for one in scores]),
        value=np.stack([one.value[counted] for one in scores]),
        complete=np.all([one.complete[counted] for one in scores], axis=0),
        bounded=np.any([one.bounded[counted] for one in scores], axis=0),
        stratum=stratum,
        shares=mix.shares[held],
        cluster=_clusters(responses, counted),
        mix=mix,
        gone=tuple(task for task, one in zip(mix.tasks, held, strict=False) if not one),
    )


def _clusters(responses: Responses, counted: Bools) -> Ints | None:
    if responses.cluster is None:
        return None
    codes = responses.cluster[counted]
    return None if len(np.unique(codes)) == len(codes) else codes


def _refuse(request: Request, reason: Reason, detail: str) -> NotEstimable:
    return NotEstimable(
        request=request.id, criterion=request.criterion, reason=reason, detail=detail
    )


def _refusal(request: Request, responses: Responses, field: Field) -> NotEstimable | None:
    items = field.low.shape[1]
    if items == 0:
        return _refuse(request, Reason.NO_ITEMS, "No item of the scope has a response.")
    missing = int(field.bounded.sum())
    if missing and responses.lower is None:
        text = (
            f"Responses are missing on {missing} of {items} items, and metric {request.metric} "
            "has no range that would bound them."
        )
        return _refuse(request, Reason.MISSING_BOUNDS_CROSS, text)
    if not field.mix.weighted:
        return None
    sizes = np.bincount(field.stratum, minlength=len(field.shares))
    names = [task for task in field.mix.tasks if task not in field.gone]
    few = [
        f"task {task} has {size} and {share:.0%} of the weight"
        for task, size, share in zip(names, sizes, field.shares, strict=True)
        if size < LEAST_TASK_ITEMS and share > SMALL_WEIGHT
    ]
    if few:
        text = f"A task with more than 5% of the weight needs 10 items: {'; '.join(few)}."
        return _refuse(request, Reason.TOO_FEW_ITEMS, text)
    return None


def _sets(
    responses: Responses, field: Field, error: float, seed: int, open_share: float
) -> RankSets | Refused:
    """Sets at a total error; `open_share` of the work without items may be anything."""
    lower, upper = responses.lower or 0.0, responses.upper or 0.0
    counts = None
    if field.mix.counts is not None and len(field.mix.tasks) > 1:
        held = [task not in field.gone for task in field.mix.tasks]
        counts = field.mix.counts[held]
    total = float(field.shares.sum())
    return rank_sets(
        field.low + open_share * lower / total,
        field.high + open_share * upper / total,
        field.cluster,
        error / 2,  # stats counts an error on each side
        seed,
        width=None if responses.lower is None else upper - lower,
        higher=responses.metric.better == "higher",
        weights=RankWeights(field.stratum, field.shares, counts=counts),
    )


def _scores(field: Field, values: Floats, complete: Bools) -> Floats:
    """[system], weighted scores on complete items; the middle of what is possible without any."""
    scores = np.zeros(len(field.systems))
    for place, share in enumerate(field.shares):
        inside = field.stratum == place
        if np.any(inside & complete):
            scores += share * values[:, inside & complete].mean(axis=1)
        else:
            middle = (field.low[:, inside] + field.high[:, inside]) / 2
            scores += share * middle.mean(axis=1)
    return scores


def _ranks(scores: Floats, higher: bool) -> Ints:
    """Rank by score, 1 best; equals share the best place."""
    ordered = scores if higher else -scores
    # differences within rounding are ties
    ahead = ordered[None, :] - ordered[:, None] > 1e-12 * max(1.0, float(np.abs(scores).max()))
    return np.asarray(1 + ahead.sum(axis=1), dtype=np.int64)


def _estimate(
    request: Request, responses: Responses, field: Field, sets: Sequence[RankSets], rank: int
) -> Estimate:
    at = field.systems.index(request.of)
    bounded = int(field.bounded.sum())
    clustered = sets[0].clusters < field.low.shape[1]
    random = "clusters of items like these" if clustered else "items like these"
    return Estimate(
        request=request.id,
        criterion=request.criterion,
        value=float(rank),
        identified=_identified(field, at, responses.metric.better == "higher")
        if bounded
        else (float(rank), float(rank)),
        bounds=tuple(
            ErrorBounds(error=error, lower=float(one.lower[at]), upper=float(one.upper[at]))
            for error, one in zip(request.errors, sets, strict=True)
        ),
        standard_error=0.0,
        df=None,
        method=sets[0].method + (", both ends" if bounded else ""),
        items=field.low.shape[1],
        clusters=sets[0].clusters,
        missing_items=bounded,
        unit="place",
        inference_population=f"{random}; the field of systems and the variants fixed",
        detectable_difference=None,
    )


def _identified(field: Field, at: int, higher: bool) -> tuple[float, float]:
    """Best and worst rank that missing responses allow, sampling apart."""
    nothing = np.ones(field.low.shape[1], dtype=bool)
    low, high = (_scores(field, values, nothing) for values in (field.low, field.high))
    if not higher:
        low, high = -high, -low
    others = np.arange(len(low)) != at
    best = 1 + int(np.sum((low > high[at]) & others))
    worst = 1 + int(np.sum((high > low[at]) & others))
    return float(best), float(worst)


def _exposure(
    responses: Responses, choices: Choices, field: Field, sets: Sequence[RankSets]
) -> Exposure:
    """How many places tasks without items could add, at the widest of the errors."""
    request = choices.request
    if not field.gone:
        return Exposure(request, (), 0.0, 0.0, 0.0)
    share = float(1 - field.shares.sum())
    if responses.lower is None:
        return Exposure(request, field.gone, share, None, None)
    at, low, high = field.systems.index(request.of), 0.0, 0.0
    for error, one in zip(request.errors, sets, strict=True):
        wide = _sets(responses, field, error, choices.seed, share)
        if isinstance(wide, Refused):
            return Exposure(request, field.gone, share, None, None)
        low = min(low, float(wide.lower[at] - one.lower[at]))
        high = max(high, float(wide.upper[at] - one.upper[at]))
    return Exposure(request, field.gone, share, low, high)
