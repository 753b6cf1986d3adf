"""Interval of a weighted sum of task means: the door to all intervals of scores and differences.

Each task's interval follows the rules of `strata`; tasks are combined so that bounds need not be
symmetric (MOVER: Donner and Zou 2012, Stat Methods Med Res 21, 347-359,
doi:10.1177/0962280210383082), and the variance of weights that are counts enters the same root.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from audit.errors import Reason
from audit.stats.clusters import Floats, codes_of
from audit.stats.crossing import crossed_bounds
from audit.stats.estimate import NotEstimable
from audit.stats.intervals import check_error, t_quantile
from audit.stats.strata import Part, Stratum, part_of
from audit.stats.weighing import (
    WeightedBounds,
    Weights,
    bounded,
    grouping_of,
    satterthwaite,
    too_few,
    weights_of,
    without_range,
)

__all__ = ["Stratum", "WeightedBounds", "weighted_bounds"]

EXACT = {"tango", "clopper-pearson"}
"""Methods that hold at any number of items."""


def weighted_bounds(
    strata: Sequence[Stratum],
    weights: Sequence[float] | Floats,
    error: float,
    *,
    weight_counts: Sequence[float] | Floats | None = None,
    scale: Sequence[float] | Floats | None = None,
) -> WeightedBounds | NotEstimable:
    """Bounds of sum_h weights_h scale_h mean_h.

    Parameters
    ----------
    strata : one per weight; those with weight or scale 0 are left out and may be empty
    weights : shares of the work, [H], >= 0; used as given (they need not sum to 1: a task without
        items is left out by the caller and bounded there). A plain mean is one stratum with [1.0].
    error : one-sided error of each bound, in (0, .5)
    weight_counts : [H] counts from which the shares come; their variance is added
    scale : [H], of any sign: consequences, orientation

    Returns
    -------
    The value with its bounds, or why there are none: a task that counts has no items, fewer than
    six clusters (unless only exact methods are used), or a metric without range that does not vary.

    Notes
    -----
    L = T - sqrt(q^2 (sum k_h^2 V_h + V_w) + sum (k_h (D_h - l_h))^2), the first sum over tasks
    with a variance, the second over those with exact bounds, q Student's with Satterthwaite's
    degrees of freedom, V_w the variance of counted weights. V_h is that of the values with the
    pseudo-items; T is the lower (for U the higher) of the weighted means without and with them:
    over many tasks their pull towards the middle does not average out as the variance does. Bounds
    never leave what is possible, never have width zero, contain the value, and widen as the error
    falls.
    """
    check_error(error)
    shares = np.asarray(weights, dtype=np.float64)
    factors = np.ones(len(shares)) if scale is None else np.asarray(scale, dtype=np.float64)
    counts = None if weight_counts is None else np.asarray(weight_counts, dtype=np.float64)
    if not len(strata) == len(shares) == len(factors) or np.any(shares < 0):
        raise ValueError("one weight >= 0 and one scale per stratum")
    used = [h for h in range(len(strata)) if shares[h] != 0 and factors[h] != 0]
    kept = [strata[h] for h in used]
    if not kept or any(len(stratum.values) == 0 for stratum in kept):
        return NotEstimable(Reason.NO_ITEMS, "A task that counts has no items.")
    weighing = weights_of(
        kept, shares[used], factors[used], None if counts is None else counts[used]
    )
    grouping = grouping_of(kept)
    refusal = without_range(kept)
    if refusal:
        return refusal
    if grouping.crossed:
        return too_few(kept, grouping.clusters) or crossed_bounds(kept, weighing, error, grouping)
    parts = [_seen(stratum, part_of(stratum, error, alone=len(kept) == 1)) for stratum in kept]
    if any(part.method not in EXACT for part in parts):
        refusal = too_few(kept, grouping.clusters)
        if refusal:
            return refusal
    items = sum(len(stratum.values) for stratum in kept)
    return _combined(parts, weighing, error, items, grouping.clusters)


def _seen(stratum: Stratum, part: Part) -> Part:
    """One cluster of several items does not say how clusters differ: any mean is possible."""
    if not stratum.is_grouped or codes_of(stratum.clusters, len(stratum.values))[1] > 1:
        return part
    ends = (stratum.lower, stratum.upper)
    return Part(part.mean, part.centre, part.variance, part.df, ends, "whole range")


def _combined(
    parts: Sequence[Part], weighing: Weights, error: float, items: int, clusters: int
) -> WeightedBounds:
    """MOVER of the exact parts, Satterthwaite of the others, both in one root."""
    k = weighing.coefficients
    variances = k**2 * np.array([part.variance for part in parts])
    dfs = np.array([part.df for part in parts])
    smooth = np.array([part.bounds is None for part in parts])
    spread = float(np.sum(variances[smooth])) + weighing.variance
    df = satterthwaite(variances[smooth], dfs[smooth], spread)
    centres, below, above = [], [], []
    for weight, part in zip(k, parts, strict=True):
        centres.append(weight * (part.centre if part.bounds is None else part.mean))
        if part.bounds is not None:
            down, up = sorted(weight * (edge - part.mean) for edge in part.bounds)
            below.append(down)
            above.append(up)
    half, centre = t_quantile(error, df) * math.sqrt(spread), float(np.sum(centres))
    value = float(np.sum(k * np.array([part.mean for part in parts])))
    lower = min(value, centre) - math.hypot(half, *below)
    upper = max(value, centre) + math.hypot(half, *above)
    return bounded(
        (lower, upper),
        weighing,
        value=value,
        variance=float(np.sum(variances)) + weighing.variance,
        df=df,
        method=_method(parts),
        items=items,
        clusters=clusters,
    )


def _method(parts: Sequence[Part]) -> str:
    """`tango`, `cr2+2`, `strata(cr2+2)`, `mover(tango)`, `mover(clusters, cr2+2)`."""
    words = sorted({part.method for part in parts})
    if len(parts) == 1:
        return words[0]
    rule = "strata" if words in (["cr2"], ["cr2+2"]) else "mover"
    return f"{rule}({', '.join(words)})"
