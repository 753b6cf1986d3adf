"""Interval of a weighted sum of task means: the door to all intervals of scores and differences.

Each task's interval follows the rules of `strata`; tasks are combined so that bounds need not be
symmetric (MOVER: Donner and Zou 2012, Stat Methods Med Res 21, 347-359,
doi:10.1177/0962280210383082), and the variance of weights that are counts enters the same root.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.errors import Reason
from audit.stats.clusters import Codes, Floats, cluster_means_crossed, codes_of
from audit.stats.estimate import NotEstimable
from audit.stats.intervals import check_error, t_quantile
from audit.stats.strata import Part, Stratum, augmented, bases, part_of, sparse_bounds


@dataclass(frozen=True)
class WeightedBounds:
    """A weighted sum with two bounds, each at the one-sided error asked for.

    `value` is the plain weighted sum of means and lies within the bounds; `standard_error` is that
    of the values with the pseudo-items (never 0), and with `df` (None: normal) serves power only.
    """

    value: float
    lower: float
    upper: float
    standard_error: float
    df: float | None
    method: str
    items: int
    clusters: int


@dataclass(frozen=True)
class Weights:
    """Coefficients of the strata that count, and the variance of weights that are counts."""

    coefficients: Floats
    """share times scale."""
    variance: float
    least: float
    """Least possible value of the sum."""
    most: float


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
    strata : one per weight; those with weight or scale 0 are ignored and may be empty
    weights : shares of the work, [H], >= 0; used as given (they need not sum to 1: a task without
        items is left out by the caller and bounded there). A plain mean is one stratum with [1.0].
    error : one-sided error of each bound, in (0, .5)
    weight_counts : [H] counts from which the shares come; their variance is added
    scale : [H], of any sign: consequences, orientation

    Notes
    -----
    L = T - sqrt(q^2 (sum k_h^2 V_h + V_w) + sum (k_h (D_h - l_h))^2), the first sum over tasks
    with a variance, the second over those with exact bounds, q Student's with Satterthwaite's
    degrees of freedom; V_w = (1/n_f) (sum f g^2 - (sum f g)^2), g_h = scale_h D_h, f shares of
    n_f counted uses. Bounds never leave what is possible, never have width zero, contain the value,
    and widen as the error falls.
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
    weighing = _weights(kept, shares[used], factors[used], None if counts is None else counts[used])
    crossed, codes, clusters = _clusters(kept)
    if not crossed:
        return _nested(kept, weighing, error, clusters)
    return _crossed(kept, weighing, error, codes, clusters)


def _weights(
    kept: list[Stratum], shares: Floats, factors: Floats, counts: Floats | None
) -> Weights:
    """Coefficients, variance of counted weights, and the range of the weighted sum."""
    coefficients = shares * factors
    lows = np.array([min(f * s.lower, f * s.upper) for f, s in zip(factors, kept, strict=True)])
    highs = np.array([max(f * s.lower, f * s.upper) for f, s in zip(factors, kept, strict=True)])
    if counts is None or len(kept) == 1:
        least, most = float(np.sum(shares * lows)), float(np.sum(shares * highs))
        return Weights(coefficients, 0.0, least, most)
    g = factors * np.array([stratum.mean for stratum in kept])
    counted = float(counts.sum() / shares.sum())
    variance = max(0.0, float(np.sum(shares * g**2) - np.sum(shares * g) ** 2)) / counted
    total = float(shares.sum())
    return Weights(coefficients, variance, total * float(lows.min()), total * float(highs.max()))


def _clusters(kept: list[Stratum]) -> tuple[bool, list[Codes], int]:
    """Whether clusters cross strata; codes over all strata; how many clusters there are."""
    sets = [None if s.clusters is None else np.unique(s.clusters) for s in kept]
    named = [present for present in sets if present is not None]
    union = np.unique(np.concatenate(named)) if named else np.empty(0, dtype=np.int64)
    crossed = sum(len(present) for present in named) > len(union)
    codes: list[Codes] = []
    following = len(union)
    for stratum in kept:
        if stratum.clusters is not None:
            codes.append(np.searchsorted(union, stratum.clusters).astype(np.int64))
        else:
            codes.append(np.arange(following, following + len(stratum.values), dtype=np.int64))
            following += len(stratum.values)
    return crossed, codes, following


def _nested(
    kept: list[Stratum], weighing: Weights, error: float, clusters: int
) -> WeightedBounds | NotEstimable:
    """Clusters inside strata: one part per stratum, then MOVER."""
    alone = len(kept) == 1
    parts: list[Part] = []
    for stratum in kept:
        refusal = _refusal(stratum)
        if refusal:
            return refusal
        parts.append(_whole_range_if_one_cluster(stratum, part_of(stratum, error, alone=alone)))
    if any(part.method not in EXACT for part in parts):
        refusal = _too_few(kept, clusters)
        if refusal:
            return refusal
    return _combine(kept, parts, weighing, error, clusters)


def _refusal(stratum: Stratum) -> NotEstimable | None:
    """Without a range nothing bounds what few or equal values hide."""
    if stratum.has_range:
        return None
    count = codes_of(stratum.clusters, len(stratum.values))[1]
    if count < 2 or float(np.ptp(stratum.values)) == 0:
        return NotEstimable(
            Reason.TOO_FEW_ITEMS,
            f"The metric has no range and {len(stratum.values)} items in {count} clusters do not "
            "vary; nothing bounds their mean.",
        )
    return None


def _too_few(kept: list[Stratum], clusters: int) -> NotEstimable | None:
    if clusters >= LEAST_CLUSTERS:
        return None
    if any(stratum.is_grouped for stratum in kept):
        reason, word = Reason.TOO_FEW_CLUSTERS, "clusters of items"
    else:
        reason, word = Reason.TOO_FEW_ITEMS, "items"
    return NotEstimable(reason, f"{clusters} {word}; an interval needs at least {LEAST_CLUSTERS}.")


def _whole_range_if_one_cluster(stratum: Stratum, part: Part) -> Part:
    """One cluster of several items says nothing on how clusters differ: any mean is possible."""
    if not stratum.is_grouped or codes_of(stratum.clusters, len(stratum.values))[1] > 1:
        return part
    ends = (stratum.lower, stratum.upper)
    return Part(part.mean, part.centre, part.variance, part.df, ends, "whole range")


def _combine(
    kept: list[Stratum], parts: list[Part], weighing: Weights, error: float, clusters: int
) -> WeightedBounds:
    k = weighing.coefficients
    value = float(np.sum(k * np.array([part.mean for part in parts])))
    variances = k**2 * np.array([part.variance for part in parts])
    dfs = np.array([part.df for part in parts])
    smooth = np.array([part.bounds is None for part in parts])
    spread = float(np.sum(variances[smooth])) + weighing.variance
    df = satterthwaite(variances[smooth], dfs[smooth], spread)
    centre, below, above = 0.0, [0.0], [0.0]
    for weight, part in zip(k, parts, strict=True):
        centre += weight * (part.centre if part.bounds is None else part.mean)
        if part.bounds is not None:
            down, up = sorted(weight * (edge - part.mean) for edge in part.bounds)
            below.append(down)
            above.append(up)
    q = t_quantile(error, df)
    lower = centre - _root(q * math.sqrt(spread), below)
    upper = centre + _root(q * math.sqrt(spread), above)
    total = float(np.sum(variances)) + weighing.variance
    method = _method(parts, weighing.variance > 0)
    items = sum(len(stratum.values) for stratum in kept)
    return _bounded(value, lower, upper, total, df, method, items, clusters, weighing)


def _root(smooth: float, others: list[float]) -> float:
    """Root of the sum of squares, without squaring where there is but one term."""
    return math.hypot(smooth, *others)


def satterthwaite(variances: Floats, dfs: Floats, total: float) -> float | None:
    """total^2 / sum V_h^2/df_h; None (normal) without such variances.

    Satterthwaite (1946), Biometrics Bulletin 2, 110-114, doi:10.2307/3002019.
    """
    doubt = float(np.sum(variances**2 / dfs)) if len(variances) else 0.0
    return total**2 / doubt if doubt > 0 else None


def _method(parts: list[Part], counted: bool) -> str:
    """`tango`, `cr2+2`, `mover(tango)`, `mover(clusters, cr2+2)`, `... + counted weights`."""
    words = sorted({part.method for part in parts})
    name = ", ".join(words)
    if len(parts) > 1:
        name = f"mover({name})" if words not in (["cr2"], ["cr2+2"]) else f"strata({name})"
    return f"{name} + counted weights" if counted else name


def _bounded(
    value: float,
    lower: float,
    upper: float,
    variance: float,
    df: float | None,
    method: str,
    items: int,
    clusters: int,
    weighing: Weights,
) -> WeightedBounds:
    """Bounds inside what is possible and around the value."""
    return WeightedBounds(
        value=value,
        lower=min(value, max(lower, weighing.least)),
        upper=max(value, min(upper, weighing.most)),
        standard_error=math.sqrt(variance),
        df=df,
        method=method,
        items=items,
        clusters=clusters,
    )
