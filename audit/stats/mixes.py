"""For which mixes of work the order of two systems holds: flip weights and the worst vertex.

Neither says anything from point estimates alone: a minimum over mixes of estimated differences is
biased downwards where it matters and says "holds for all mixes" half the time at a true minimum 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.errors import Reason
from audit.stats.clusters import Floats
from audit.stats.estimate import NotEstimable
from audit.stats.intervals import check_error, t_quantile

MOST_FREE = 14
"""Tasks up to which all vertices are visited (14 x 2^13); beyond, a bound that is not tight."""
SLACK = 1e-12


@dataclass(frozen=True)
class FlipWeight:
    """The weight of one task at which two systems tie, the other tasks in proportion.

    `weight` is None where no weight in [0, 1] makes the tie. `compatible` are the weights in [0, 1]
    at which a tie is not excluded (Fieller): no, one or two intervals. `shape` is that of the set
    on the whole line: `interval`, `complement` of one (the weight is not determined), `line`.
    """

    weight: float | None
    compatible: tuple[tuple[float, float], ...]
    shape: str


@dataclass(frozen=True)
class LeastDifference:
    """The mix at which a difference is least sure, and the bound there.

    `bound` > 0: the difference is positive for every mix in the ranges, at the one-sided error.
    `exact` is False where there were too many tasks to visit all vertices; the bound is then lower
    than needed, and `weights` is the mix of the least estimate.
    """

    difference: float
    standard_error: float
    bound: float
    weights: tuple[float, ...]
    exact: bool


def flip_weight(
    d_rest: float, d_task: float, covariance: Floats, error: float, df: float | None = None
) -> FlipWeight:
    """Weight w of a task with (1 - w) D_rest + w D_task = 0, and Fieller's set.

    Parameters
    ----------
    d_rest, d_task : differences on the other tasks (in their proportions) and on the task
    covariance : [2, 2] of (d_rest, d_task)
    error : one-sided error of an end; the set has level 1 - 2 error
    df : degrees of freedom; None: normal

    Notes
    -----
    w* = -D_rest / (D_task - D_rest). The set is all w with D(w)^2 <= q^2 Var D(w), a quadratic
    inequality a w^2 + b w + c <= 0; where a < 0 it is unbounded. Fieller (1954), JRSS B 16,
    175-185, doi:10.1111/j.2517-6161.1954.tb00159.x.
    """
    check_error(error)
    q2 = t_quantile(error, df) ** 2
    slope = d_task - d_rest
    v_rest, v_task, v_both = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    v_slope, v_cross = v_rest + v_task - 2 * v_both, v_both - v_rest
    a = float(slope**2 - q2 * v_slope)
    b = float(2 * (d_rest * slope - q2 * v_cross))
    c = float(d_rest**2 - q2 * v_rest)
    at = -d_rest / slope if slope else None
    weight = at if at is not None and 0 <= at <= 1 else None
    shape, pieces = _below_zero(a, b, c)
    cut = ((max(0.0, low), min(1.0, high)) for low, high in pieces)
    return FlipWeight(weight, tuple(piece for piece in cut if piece[0] <= piece[1]), shape)


def _below_zero(a: float, b: float, c: float) -> tuple[str, list[tuple[float, float]]]:
    """Where a w^2 + b w + c <= 0, as a shape and its pieces (infinite ends are +/- inf)."""
    if a == 0:
        if b == 0:
            return ("line", [(-math.inf, math.inf)]) if c <= 0 else ("interval", [])
        edge = -c / b
        return "complement", [(-math.inf, edge) if b > 0 else (edge, math.inf)]
    inside = b * b - 4 * a * c
    if inside < 0 and a < 0:
        return "line", [(-math.inf, math.inf)]
    inside = max(inside, 0.0)  # with a > 0 the tie itself is a solution, but for rounding
    far = -(b + math.copysign(math.sqrt(inside), b)) / 2
    roots = sorted((far / a, c / far if far else 0.0))
    if a > 0:
        return "interval", [(roots[0], roots[1])]
    return "complement", [(-math.inf, roots[0]), (roots[1], math.inf)]


def least_difference_over_vertices(
    differences: Floats,
    covariance: Floats,
    low: Floats,
    high: Floats,
    error: float,
    df: float | None = None,
) -> LeastDifference | NotEstimable:
    """Least lower bound w'D - q SE(w) over the mixes low <= w <= high, sum w = 1.

    Parameters
    ----------
    differences : [H]
    covariance : [H, H] of the differences, or [H] variances of independent ones
    low, high : [H], 0 <= low <= high <= 1
    error, df : one-sided error of the bound and degrees of freedom

    Notes
    -----
    w'D - q SE(w) is concave in w, so its least value is at a vertex: all weights but one at an end
    of their range. At a true minimum of 0 the bound errs at most in `error` of the studies, where
    the minimum of point estimates errs in half of them (errata section 10).
    """
    check_error(error)
    D, lo, hi = (np.asarray(x, dtype=np.float64) for x in (differences, low, high))
    given = np.asarray(covariance, dtype=np.float64)
    cov = np.diag(given) if given.ndim == 1 else given
    if lo.sum() > 1 + SLACK or hi.sum() < 1 - SLACK or np.any(lo > hi):
        return NotEstimable(
            Reason.SPEC_INCOMPLETE, "No mix inside the declared ranges of shares sums to 1."
        )
    q = t_quantile(error, df)
    free = np.flatnonzero(hi > lo)
    if len(free) > MOST_FREE:
        return _without_vertices(D, cov, lo, hi, q)
    mixes = _vertices(lo, hi, free)
    values = mixes @ D
    errors = np.sqrt(np.maximum(np.einsum("vh,hg,vg->v", mixes, cov, mixes), 0))
    at = int(np.argmin(values - q * errors))
    value, spread = float(values[at]), float(errors[at])
    return LeastDifference(value, spread, value - q * spread, tuple(mixes[at].tolist()), True)


def _vertices(lo: Floats, hi: Floats, free: NDArray[np.intp]) -> Floats:
    """Mixes with all weights but one at an end of their range, [V, H]."""
    found = []
    for last in free if len(free) else [0]:
        others = [h for h in free if h != last]
        ends = np.arange(2 ** len(others))[:, None] >> np.arange(len(others)) & 1
        mixes = np.tile(lo, (len(ends), 1))
        mixes[:, others] = np.where(ends == 1, hi[others], lo[others])
        mixes[:, last] = 0
        mixes[:, last] = 1 - mixes.sum(axis=1)
        within = (mixes[:, last] >= lo[last] - SLACK) & (mixes[:, last] <= hi[last] + SLACK)
        found.append(mixes[within])
    return np.concatenate(found)


def _without_vertices(D: Floats, cov: Floats, lo: Floats, hi: Floats, q: float) -> LeastDifference:
    """A lower bound of the least bound: least estimate minus q times no less than the largest SE.

    SE(w) <= sum w_h SD_h for any covariance, and SE(w)^2 <= sum w_h high_h V_h for independent
    tasks; both are linear in w, hence largest where weight is given by order.
    """
    least = _extreme_mix(D, lo, hi)
    deviations = np.sqrt(np.diag(cov))
    largest = float(_extreme_mix(-deviations, lo, hi) @ deviations)
    if np.count_nonzero(cov - np.diag(np.diag(cov))) == 0:
        scaled = hi * np.diag(cov)
        largest = min(largest, math.sqrt(float(_extreme_mix(-scaled, lo, hi) @ scaled)))
    value = float(least @ D)
    return LeastDifference(value, largest, value - q * largest, tuple(least.tolist()), False)


def _extreme_mix(values: Floats, lo: Floats, hi: Floats) -> Floats:
    """The mix with the least weighted sum: what is free goes to the least values first."""
    mix, left = lo.copy(), 1 - float(lo.sum())
    for h in np.argsort(values, kind="stable"):
        more = min(left, float(hi[h] - lo[h]))
        mix[h] += more
        left -= more
    return mix
