"""What both ways of combining tasks share: the weights, the answer, and when there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.errors import Reason
from audit.stats.clusters import Codes, Floats, codes_of
from audit.stats.estimate import NotEstimable
from audit.stats.strata import Stratum

LEAST_CLUSTERS = 6
"""Below this no interval at one-sided .025 can be had even from signs (2^-5 > .025)."""


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
    """Least possible value of the weighted sum."""
    most: float


@dataclass(frozen=True)
class Grouping:
    """Which items belong together, over all strata."""

    crossed: bool
    """A cluster has items in more than one stratum."""
    codes: tuple[Codes, ...]
    """Per stratum, codes 0..clusters-1 over all strata."""
    clusters: int


def weights_of(
    kept: Sequence[Stratum], shares: Floats, factors: Floats, counts: Floats | None
) -> Weights:
    """Coefficients, variance of counted weights, and the range of the weighted sum.

    Notes
    -----
    Shares f of n_f counted uses: Var = (1/n_f) (sum f g^2 - (sum f g)^2), g_h = factor_h mean_h
    (multinomial, first order). Shares that sum to less than 1 leave out tasks without items: g = 0.
    """
    coefficients = shares * factors
    lows = np.array([min(f * s.lower, f * s.upper) for f, s in zip(factors, kept, strict=True)])
    highs = np.array([max(f * s.lower, f * s.upper) for f, s in zip(factors, kept, strict=True)])
    if counts is None:
        least, most = float(np.sum(shares * lows)), float(np.sum(shares * highs))
        return Weights(coefficients, 0.0, least, most)
    g = factors * np.array([stratum.mean for stratum in kept])
    total = float(shares.sum())
    within = float(np.sum(shares * g**2) - np.sum(shares * g) ** 2)
    variance = max(0.0, within) * total / float(counts.sum())
    if total > 1 - 1e-9:  # g enters by its differences only; rounding must not make a variance
        variance = variance if np.ptp(g) > 0 else 0.0
    least, most = total * float(lows.min()), total * float(highs.max())
    return Weights(coefficients, variance, least, most)


def grouping_of(kept: Sequence[Stratum]) -> Grouping:
    """Codes of clusters over all strata; items without a cluster are clusters of their own."""
    named = [np.unique(s.clusters) for s in kept if s.clusters is not None]
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
    return Grouping(crossed, tuple(codes), following)


def without_range(kept: Sequence[Stratum]) -> NotEstimable | None:
    """Without a range nothing bounds what few or equal values hide."""
    for stratum in kept:
        if stratum.has_range:
            continue
        count = codes_of(stratum.clusters, len(stratum.values))[1]
        if count < 2 or float(np.ptp(stratum.values)) == 0:
            return NotEstimable(
                Reason.TOO_FEW_ITEMS,
                f"The metric has no range, and {len(stratum.values)} items in {count} clusters "
                "without variation do not bound their mean.",
            )
    return None


def too_few(kept: Sequence[Stratum], clusters: int) -> NotEstimable | None:
    """Refuse intervals that rest on how fewer than six clusters differ."""
    if clusters >= LEAST_CLUSTERS:
        return None
    if any(stratum.is_grouped for stratum in kept):
        reason, word = Reason.TOO_FEW_CLUSTERS, "clusters of items"
    else:
        reason, word = Reason.TOO_FEW_ITEMS, "items"
    return NotEstimable(reason, f"{clusters} {word}; an interval needs at least {LEAST_CLUSTERS}.")


def satterthwaite(variances: Floats, dfs: Floats, total: float) -> float | None:
    """total^2 / sum V_h^2/df_h; None (normal) without such variances.

    Satterthwaite (1946), Biometrics Bulletin 2, 110-114, doi:10.2307/3002019.
    """
    doubt = float(np.sum(variances**2 / dfs)) if len(variances) else 0.0
    return total**2 / doubt if doubt > 0 else None


def bounded(
    interval: tuple[float, float],
    weighing: Weights,
    *,
    value: float,
    variance: float,
    df: float | None,
    method: str,
    items: int,
    clusters: int,
) -> WeightedBounds:
    """The answer, its bounds inside what is possible and around the value."""
    return WeightedBounds(
        value=value,
        lower=min(value, max(interval[0], weighing.least)),
        upper=max(value, min(interval[1], weighing.most)),
        standard_error=math.sqrt(variance),
        df=df,
        method=method + (" + counted weights" if weighing.variance > 0 else ""),
        items=items,
        clusters=clusters,
    )
