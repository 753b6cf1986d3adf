"""Which ranks the data allow: simultaneous sets of ranks from all paired differences.

System i is certainly better than k if the simultaneous lower bound of T_i - T_k is above 0; its
rank lies between 1 + (those certainly better) and S - (those certainly worse). Mogstad, Romano,
Shaikh, Wilhelm (2024), Review of Economic Studies 91, 476-518, doi:10.1093/restud/rdad006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from audit.errors import Reason
from audit.stats.clusters import Codes, Floats, codes_of, crossed_layout
from audit.stats.estimate import NotEstimable
from audit.stats.intervals import check_error, t_quantile
from audit.stats.strata import FEW, TINY
from audit.stats.weighing import LEAST_CLUSTERS

BOOTSTRAP_CLUSTERS = 30
"""Clusters from which the bootstrap is used [policy; errata section 4]; below, Sidak."""
REPLICATES = 2_000
CHUNK = 100
"""Replicates at a time: bounds the memory at CHUNK x S x S."""


@dataclass(frozen=True)
class RankSets:
    """Least and greatest rank per system (1 best), simultaneous over systems, and the method."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    method: str
    clusters: int


@dataclass(frozen=True)
class RankWeights:
    """How strata (tasks) count: sum_h shares_h scale_h mean_h; counts add their variance."""

    strata: NDArray[np.int64]
    """[n] codes 0..H-1, each present."""
    shares: Sequence[float] | Floats
    scale: Sequence[float] | Floats | None = None
    counts: Sequence[float] | Floats | None = None


@dataclass(frozen=True)
class _Design:
    """Clusters in strata (real ones only), their adjusted loads, and the pseudo-items' loads."""

    codes: Codes
    strata: Codes
    sizes: Floats
    """[C, H] items."""
    load: Floats
    """[C, H], see `crossed_layout`."""
    coefficients: Floats
    """[H] share times scale."""
    pseudo: int
    """Pseudo-items per stratum: 2, or 0 without a range."""
    pseudo_load: Floats
    """[H]."""
    df: float


@dataclass(frozen=True)
class _Side:
    """All systems with missing responses at one end.

    `clusters` [C, S] and `weights` [*, S] are rows whose squared differences between two systems
    sum to the variance of their difference (of items; of counted weights); `shift` [H, S] is the
    same for the pseudo-items' part that depends on the means. `sums` [C, S] are the clusters'
    weighted sums. `centre` [S] are means with the pseudo-items, `mean` [S] without.
    """

    clusters: Floats
    weights: Floats
    shift: Floats
    sums: Floats
    centre: Floats
    mean: Floats


@dataclass(frozen=True)
class _Pairs:
    """Lower end of T_i - T_k for all ordered pairs, [S, S], before a critical value."""

    centre: Floats
    standard_error: Floats


def rank_sets(
    low: Floats,
    high: Floats,
    clusters: NDArray[np.int64] | None,
    error: float,
    seed: int,
    *,
    width: float | None = 1.0,
    higher: bool = True,
    weights: RankWeights | None = None,
) -> RankSets | NotEstimable:
    """Simultaneous rank sets of systems on the same items.

    Parameters
    ----------
    low, high : [S, n] scores with missing ones at their least and at their greatest; the same
        array where nothing is missing. Finite.
    clusters : [n] codes or None: each item its own
    error : one-sided: all sets hold together with probability 1 - 2 error; in (0, .5)
    seed : of the bootstrap
    width : upper minus lower end of the metric's range; None: no range, no pseudo-items
    higher : whether larger is better
    weights : tasks and their weights (items of tasks without weight are left out); None: the plain
        mean

    Returns
    -------
    The sets, or why there are none (fewer than six clusters).

    Notes
    -----
    The lower bound of T_i - T_k is that of the worst case (i at its least, k at its greatest),
    from the means and CR2 variance with two pseudo-items +/- width per stratum, so that sparse
    differences give no certainty; and min(that, plain difference). From 30 clusters on, the
    critical value is the quantile of the largest studentised deviation over all ordered pairs in a
    bootstrap of clusters (within strata unless they cross), moved to Student's tail with Bell and
    McCaffrey's degrees of freedom, and never below Student's for one pair; else Sidak's over pairs.
    Where clusters hold several items, a pair of which fewer than min(10, C) clusters differ is a
    tie (rule 3 of `strata`: its exact lower bound is never above 0).
    """
    check_error(error)
    if low.shape != high.shape or low.ndim != 2 or not np.all(low <= high):
        raise ValueError("low and high are [systems, items] with low <= high")
    if not higher:
        low, high = -high, -low
    tasks = weights or RankWeights(np.zeros(low.shape[1], dtype=np.int64), [1.0])
    kept, tasks = _that_count(tasks)
    low, high = low[:, kept], high[:, kept]
    clusters = None if clusters is None else clusters[kept]
    codes, count = codes_of(clusters, low.shape[1])
    if count < LEAST_CLUSTERS:
        reason = Reason.TOO_FEW_CLUSTERS if count < low.shape[1] else Reason.TOO_FEW_ITEMS
        return NotEstimable(reason, f"{count} clusters of items; ranks need {LEAST_CLUSTERS}.")
    design = _design(codes, tasks, 0 if width is None else 2)
    below = _side(low, design, tasks)
    above = below if np.array_equal(low, high) else _side(high, design, tasks)
    pairs = _pairs(below, above, design, width or 0.0)
    critical, method = _critical(below, above, pairs, design, error, seed)
    with np.errstate(invalid="ignore"):
        better = pairs.centre - critical * pairs.standard_error > 0
    if count < low.shape[1] and width is not None:
        better &= _differ_often(below, above, TINY * width / low.shape[1])
    np.fill_diagonal(better, False)
    lower, upper = 1 + better.sum(axis=0), len(low) - better.sum(axis=1)
    return RankSets(lower.astype(np.int64), upper.astype(np.int64), method, count)


def _that_count(tasks: RankWeights) -> tuple[NDArray[np.bool_], RankWeights]:
    """Items of tasks with a weight, [n], and those tasks."""
    k = _coefficients(tasks)
    if np.all(k):
        return np.ones(len(tasks.strata), dtype=bool), tasks
    used = np.flatnonzero(k)
    kept = np.isin(tasks.strata, used)
    scale, counts = tasks.scale, tasks.counts
    return kept, RankWeights(
        strata=np.searchsorted(used, np.asarray(tasks.strata)[kept]).astype(np.int64),
        shares=np.asarray(tasks.shares, dtype=np.float64)[used],
        scale=None if scale is None else np.asarray(scale, dtype=np.float64)[used],
        counts=None if counts is None else np.asarray(counts, dtype=np.float64)[used],
    )


def _coefficients(tasks: RankWeights) -> Floats:
    """[H] share times scale."""
    k = np.asarray(tasks.shares, dtype=np.float64)
    return k if tasks.scale is None else k * np.asarray(tasks.scale, dtype=np.float64)


def _design(codes: Codes, tasks: RankWeights, pseudo: int) -> _Design:
    """Loads of the clusters, with each pseudo-item a cluster of its own behind the real ones."""
    k = _coefficients(tasks)
    count, groups = int(codes.max()) + 1, len(k)
    strata = np.concatenate([tasks.strata, np.repeat(np.arange(groups), pseudo)])
    following = count + np.arange(pseudo * groups)
    layout = crossed_layout(strata, np.concatenate([codes, following]), k)
    load = layout.load[count:].sum(axis=0) / max(1, pseudo)
    return _Design(
        codes=codes,
        strata=np.asarray(tasks.strata),
        sizes=layout.sizes[:count],
        load=layout.load[:count],
        coefficients=k,
        pseudo=pseudo,
        pseudo_load=load,
        df=layout.df,
    )


def _side(values: Floats, design: _Design, tasks: RankWeights) -> _Side:
    """Means and variance rows of all systems, from sums per cluster and stratum."""
    count, groups = design.sizes.shape
    cells, total = design.codes * groups + design.strata, count * groups
    sums = np.stack([np.bincount(cells, weights=row, minlength=total) for row in values])
    sums = sums.reshape(len(values), count, groups)
    items = design.sizes.sum(axis=0)
    means = sums.sum(axis=1) / items
    shrunk = means * items / (items + design.pseudo)
    residuals = sums - design.sizes * shrunk[:, None, :]
    return _Side(
        clusters=np.ascontiguousarray((design.load * residuals).sum(axis=2).T),
        weights=_weight_rows(means, tasks),
        shift=(math.sqrt(design.pseudo) * design.pseudo_load * shrunk).T,
        sums=(sums * (design.coefficients / items)).sum(axis=2).T,
        centre=shrunk @ design.coefficients,
        mean=means @ design.coefficients,
    )


def _weight_rows(means: Floats, tasks: RankWeights) -> Floats:
    """Rows whose squared differences sum to (1/n_f) (sum f g^2 - (sum f g)^2), [H + 1, S].

    The last row is for uses of tasks without items (shares that sum to less than 1): g = 0.
    """
    if tasks.counts is None or means.shape[1] == 1:
        return np.zeros((0, len(means)))
    f = np.asarray(tasks.shares, dtype=np.float64)
    g = means if tasks.scale is None else means * np.asarray(tasks.scale, dtype=np.float64)
    counted = float(np.sum(tasks.counts)) / float(f.sum())
    average = g @ f
    rows = np.sqrt(f / counted)[:, None] * (g - average[:, None]).T
    rest = math.sqrt(max(0.0, 1 - float(f.sum())) / counted) * -average[None, :]
    return np.concatenate([rows, rest])


def _pairs(below: _Side, above: _Side, design: _Design, width: float) -> _Pairs:
    """Worst case of i against k: i at its least, k at its greatest."""
    low = np.concatenate([below.clusters, below.weights, below.shift])
    high = np.concatenate([above.clusters, above.weights, above.shift])
    squares = (low**2).sum(axis=0)[:, None] + (high**2).sum(axis=0)[None, :]
    variance = np.maximum(squares - 2 * (low.T @ high), 0)
    variance[variance <= TINY * squares] = 0  # equal rows, but for rounding
    unseen = ((design.sizes > 0).sum(axis=0) == 1) & (design.sizes.sum(axis=0) > 1)
    variance += float(np.sum(design.pseudo * (design.pseudo_load * width) ** 2))
    variance += float(np.sum((design.coefficients[unseen] * width) ** 2))
    centre = below.centre[:, None] - above.centre[None, :]
    mean = below.mean[:, None] - above.mean[None, :]
    error = np.where(variance > 0, np.sqrt(variance), np.inf)
    return _Pairs(np.minimum(centre, mean), error)


def _critical(
    below: _Side, above: _Side, pairs: _Pairs, design: _Design, error: float, seed: int
) -> tuple[float, str]:
    """Critical value for all pairs together, and the method's name."""
    systems, count = len(pairs.centre), len(below.clusters)
    unordered = max(1, systems * (systems - 1) // 2)
    if count < BOOTSTRAP_CLUSTERS:
        each = (1 - (1 - 2 * error) ** (1 / unordered)) / 2
        return t_quantile(each, design.df), f"sidak(cr2+{design.pseudo}) over {unordered} pairs"
    rng = np.random.default_rng(seed)
    draws = np.concatenate(
        [_resampled(design, rng), rng.standard_normal((REPLICATES, len(below.weights)))], axis=1
    )
    low = draws @ np.concatenate([below.clusters, below.weights])
    high = low if above is below else draws @ np.concatenate([above.clusters, above.weights])
    inverse = 1 / pairs.standard_error
    largest = [
        ((low[at : at + CHUNK, :, None] - high[at : at + CHUNK, None, :]) * inverse).max(
            axis=(1, 2)
        )
        for at in range(0, REPLICATES, CHUNK)
    ]
    quantile = float(np.quantile(np.concatenate(largest), 1 - 2 * error, method="higher"))
    # The bootstrap holds the standard errors fixed: give its quantile Student's tail for them.
    student = t_quantile(float(ndtr(-quantile)), design.df)
    return max(student, t_quantile(error, design.df)), f"max-t bootstrap of {count} clusters"


def _resampled(design: _Design, rng: np.random.Generator) -> Floats:
    """How often each cluster is drawn, minus one, [REPLICATES, C]; within strata if nested."""
    count = len(design.sizes)
    crossed = bool(np.any((design.sizes > 0).sum(axis=1) > 1))
    home = np.zeros(count, dtype=np.int64) if crossed else design.sizes.argmax(axis=1)
    draws = np.empty((REPLICATES, count))
    for stratum in range(int(home.max()) + 1):
        members = np.flatnonzero(home == stratum)
        even = np.full(len(members), 1 / len(members))
        draws[:, members] = rng.multinomial(len(members), even, size=REPLICATES) - 1
    return draws


def _differ_often(below: _Side, above: _Side, least: float) -> NDArray[np.bool_]:
    """Whether min(10, C) or more clusters differ between two systems at all, [S, S]."""
    count = len(below.sums)
    enough = [
        (np.abs(column[:, None] - above.sums) > least).sum(axis=0) >= min(FEW, count)
        for column in below.sums.T
    ]
    return np.stack(enough)
