"""Weighted sum of task means whose clusters have items in several tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from audit.stats.clusters import CrossedMeans, Floats, cluster_means_crossed
from audit.stats.intervals import normal_quantile, t_quantile
from audit.stats.strata import Stratum, augmented, share_bounds, sparse_bounds
from audit.stats.weighing import Grouping, WeightedBounds, Weights, bounded, satterthwaite


def crossed_bounds(
    kept: Sequence[Stratum], weighing: Weights, error: float, grouping: Grouping
) -> WeightedBounds:
    """One CR2 variance of the whole sum, pseudo-items in each stratum; sparse sums as in rule 3.

    A stratum whose items are all of one cluster counts as its whole range: how clusters differ
    there is not seen.
    """
    k = weighing.coefficients
    value = float(np.sum(k * np.array([stratum.mean for stratum in kept])))
    fitted = _fitted(kept, k, grouping)
    spread = fitted.variance + weighing.variance
    df = satterthwaite(np.array([fitted.variance]), np.array([fitted.df]), spread)
    sparse = _sparse(kept, k, error, grouping)
    if sparse:
        side = normal_quantile(error) * math.sqrt(weighing.variance)
        interval = (
            value - math.hypot(value - sparse[0], side),
            value + math.hypot(sparse[1] - value, side),
        )
        method = "clusters across tasks"
    else:
        half = math.hypot(t_quantile(error, df) * math.sqrt(spread), *_unseen(kept, k, grouping))
        interval = (min(value, fitted.value) - half, max(value, fitted.value) + half)
        method = "cr2+2 across tasks" if all(s.has_range for s in kept) else "cr2 across tasks"
    return bounded(
        interval,
        weighing,
        value=value,
        variance=spread,
        df=df,
        method=method,
        items=sum(len(stratum.values) for stratum in kept),
        clusters=grouping.clusters,
    )


def _fitted(kept: Sequence[Stratum], k: Floats, grouping: Grouping) -> CrossedMeans:
    """CR2 of the values with the pseudo-items, each its own cluster."""
    values, strata, labels = [], [], []
    following = grouping.clusters
    for h, (stratum, codes) in enumerate(zip(kept, grouping.codes, strict=True)):
        more = augmented(stratum)[0]
        extra = len(more) - len(codes)
        values.append(more)
        strata.append(np.full(len(more), h, dtype=np.int64))
        labels.append(np.concatenate([codes, np.arange(following, following + extra)]))
        following += extra
    return cluster_means_crossed(
        np.concatenate(values), np.concatenate(strata), np.concatenate(labels), k
    )


def _unseen(kept: Sequence[Stratum], k: Floats, grouping: Grouping) -> list[float]:
    """Weighted ranges of the strata that lie in one cluster."""
    return [
        abs(float(weight)) * (stratum.upper - stratum.lower)
        for weight, stratum, codes in zip(k, kept, grouping.codes, strict=True)
        if len(codes) > 1 and len(np.unique(codes)) == 1
    ]


def _sparse(
    kept: Sequence[Stratum], k: Floats, error: float, grouping: Grouping
) -> tuple[float, float] | None:
    """Rule 3 over all strata: a cluster's size is its weight, sum_h |k_h| n_ch / n_h."""
    if not all(stratum.has_range for stratum in kept):
        return None
    if all(stratum.crosses_zero for stratum in kept):
        return _sparse_differences(kept, k, error, grouping)
    return _sparse_scores(kept, k, error, grouping)


def _sparse_differences(
    kept: Sequence[Stratum], k: Floats, error: float, grouping: Grouping
) -> tuple[float, float] | None:
    count = grouping.clusters
    sums, sizes = np.zeros(count), np.zeros(count)
    down, up = 0.0, 0.0
    for weight, stratum, codes in zip(k, kept, grouping.codes, strict=True):
        each = float(weight) / len(stratum.values)
        sums += np.bincount(codes, weights=each * stratum.values, minlength=count)
        sizes += abs(each) * np.bincount(codes, minlength=count)
        reach = sorted(math.copysign(1, each) * end for end in (stratum.lower, stratum.upper))
        down, up = min(down, reach[0]), max(up, reach[1])
    total = float(sizes.sum())
    found = sparse_bounds(sums * count / total, sizes, (down, up), error)
    return None if found is None else (found[0] * total, found[1] * total)


def _sparse_scores(
    kept: Sequence[Stratum], k: Floats, error: float, grouping: Grouping
) -> tuple[float, float] | None:
    """Scores as shares of what the weighted sum can reach, strata by their weighted ranges."""
    count = grouping.clusters
    sums, sizes, base = np.zeros(count), np.zeros(count), 0.0
    for weight, stratum, codes in zip(k, kept, grouping.codes, strict=True):
        low, high = sorted((float(weight) * stratum.lower, float(weight) * stratum.upper))
        each = (float(weight) * stratum.values - low) / len(stratum.values)
        sums += np.bincount(codes, weights=each, minlength=count)
        sizes += (high - low) / len(stratum.values) * np.bincount(codes, minlength=count)
        base += low
    total = float(sizes.sum())
    if total <= 0:
        return None
    found = share_bounds(sums, sizes, error)
    return None if found is None else (base + found[0] * total, base + found[1] * total)
