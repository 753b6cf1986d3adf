"""One task's items and the interval of their mean: exact if it can be, else CR2 + pseudo-items.

Rules of one mean (docs/decisions/0030):

1. right or wrong, one attempt, no clusters: Tango's bounds of a difference, Clopper-Pearson's of a
   score;
2. else CR2 on the values and two pseudo-items at the ends of the range, each its own cluster;
3. but where fewer than min(10, C) clusters differ from a value that all could have: for a
   difference (from 0) the exact bound of the share of clusters that do, each as large as the
   largest and as far off as the range allows; for a score (from an end of the range) the exact
   bound of a share on Kish's effective number of clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.stats.clusters import Codes, Floats, cluster_mean, codes_of
from audit.stats.intervals import clopper_pearson, effective_share
from audit.stats.paired import tango_bounds

Kind = Literal["binary_difference", "binary_score", "graded"]

FEW = 10
"""Clusters that differ, below which the exact bound is used."""
TINY = 1e-12
"""Share of the range below which a cluster's sum is rounding."""


@dataclass(frozen=True)
class Stratum:
    """The items of one task.

    Parameters
    ----------
    values : [n] finite floats in [lower, upper]
    clusters : [n] integer codes, or None: each item its own cluster. A code that stands in two
        strata is the same cluster (a repository that has items in two tasks).
    lower, upper : range of one value: -r and r for differences, the metric's range for scores;
        -inf and inf for a metric without a range
    kind : `binary_difference` and `binary_score` (one attempt per item: values -r, 0, r and lower,
        upper) choose exact bounds where there are no clusters; values in between are then treated
        as graded
    """

    values: Floats
    clusters: NDArray[np.int64] | None
    lower: float
    upper: float
    kind: Kind

    def __post_init__(self) -> None:
        values = self.values
        if not self.lower < self.upper:
            raise ValueError(f"range [{self.lower!r}, {self.upper!r}] of a stratum")
        if self.clusters is not None and len(self.clusters) != len(values):
            raise ValueError(f"{len(self.clusters)} cluster codes for {len(values)} items")
        slack = TINY * (1 if math.isinf(self.upper - self.lower) else self.upper - self.lower)
        if len(values) and not (
            np.all(np.isfinite(values))
            and float(values.min()) >= self.lower - slack
            and float(values.max()) <= self.upper + slack
        ):
            raise ValueError(f"a value outside [{self.lower!r}, {self.upper!r}]")

    @property
    def mean(self) -> float:
        """Plain mean of the values."""
        return float(np.sum(self.values) / len(self.values))

    @property
    def has_range(self) -> bool:
        """Whether the metric has two ends."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    @property
    def crosses_zero(self) -> bool:
        """Whether the values are differences, or scores around 0."""
        return self.lower < 0 < self.upper

    @property
    def is_grouped(self) -> bool:
        """Whether some cluster has more than one item."""
        return self.clusters is not None and len(np.unique(self.clusters)) < len(self.values)


@dataclass(frozen=True)
class Part:
    """What a stratum brings into a weighted sum.

    `centre`, `variance` and `df` are those of the values with the pseudo-items; `bounds` are the
    exact ones where rule 1 or 3 applies, else None.
    """

    mean: float
    centre: float
    variance: float
    df: float
    bounds: tuple[float, float] | None
    method: str


def augmented(stratum: Stratum) -> tuple[Floats, Codes]:
    """Values and cluster codes with the pseudo-items; without a range there are none."""
    codes, count = codes_of(stratum.clusters, len(stratum.values))
    if not stratum.has_range:
        return stratum.values, codes
    values = np.concatenate([stratum.values, [stratum.lower, stratum.upper]])
    return values, np.concatenate([codes, [count, count + 1]])


def part_of(stratum: Stratum, error: float, *, alone: bool) -> Part:
    """Interval of one stratum's mean by the rules above.

    Rule 3 is for a mean that stands alone, and for clusters of several items: pseudo-items do not
    weigh against large clusters.
    """
    values, codes = augmented(stratum)
    fitted = cluster_mean(values, codes if stratum.is_grouped else None)
    found = None if stratum.is_grouped else exact_bounds(stratum, error)
    if found is None and stratum.has_range and (alone or stratum.is_grouped):
        found = _sparse(stratum, error)
    bounds, method = found if found else (None, "cr2+2" if stratum.has_range else "cr2")
    return Part(stratum.mean, fitted.value, fitted.variance, fitted.df, bounds, method)


def exact_bounds(stratum: Stratum, error: float) -> tuple[tuple[float, float], str] | None:
    """Rule 1, or None where the values are not right or wrong."""
    values, low, high = stratum.values, stratum.lower, stratum.upper
    n = len(values)
    wins, losses = int(np.sum(values == high)), int(np.sum(values == low))
    if stratum.kind == "binary_score" and wins + losses == n:
        share = clopper_pearson(wins, n, error)
        width = high - low
        return (low + width * share.lower, high - width * (1 - share.upper)), share.method
    ties = int(np.sum(values == 0))
    if stratum.kind == "binary_difference" and low == -high and wins + losses + ties == n:
        found = tango_bounds(wins, losses, n, error)
        return (high * found.lower, high * found.upper), found.method
    return None


def _sparse(stratum: Stratum, error: float) -> tuple[tuple[float, float], str] | None:
    """Rule 3 for one stratum, or None where enough clusters differ."""
    codes, count = codes_of(stratum.clusters, len(stratum.values))
    sizes = np.bincount(codes, minlength=count).astype(np.float64)
    low, high = stratum.lower, stratum.upper
    if stratum.crosses_zero:
        summed = np.bincount(codes, weights=stratum.values, minlength=count)
        return _named(
            sparse_bounds(summed.astype(np.float64), sizes, (low, high), error), "clusters"
        )
    share = np.bincount(codes, weights=(stratum.values - low) / (high - low), minlength=count)
    found = share_bounds(share.astype(np.float64), sizes, error)
    if found is None:
        return None
    return (low + (high - low) * found[0], low + (high - low) * found[1]), "effective clusters"


def _named(
    bounds: tuple[float, float] | None, method: str
) -> tuple[tuple[float, float], str] | None:
    return None if bounds is None else (bounds, method)


def sparse_bounds(
    sums: Floats, sizes: Floats, ends: tuple[float, float], error: float
) -> tuple[float, float] | None:
    """Bounds of sum(sums)/sum(sizes) from how many clusters differ from 0 at all.

    Parameters
    ----------
    sums, sizes : [C], the cluster's sum of deviations and its size (or its weight)
    ends : the least and the largest deviation of one item, ends[0] <= 0 <= ends[1]

    Returns
    -------
    (ends[0] r CPU(losses), ends[1] r CPU(gains)), or None where min(10, C) or more clusters differ;
    CPU is Clopper-Pearson's upper bound of a share of C clusters, r the largest size over the mean.
    """
    count = len(sums)
    least = TINY * (ends[1] - ends[0])
    losses, gains = int(np.sum(sums < -least)), int(np.sum(sums > least))
    if losses + gains >= min(FEW, count):
        return None
    r = float(sizes.max() / sizes.mean())
    down = min(1.0, r * clopper_pearson(losses, count, error).upper)
    up = min(1.0, r * clopper_pearson(gains, count, error).upper)
    return ends[0] * down, ends[1] * up


def share_bounds(sums: Floats, sizes: Floats, error: float) -> tuple[float, float] | None:
    """Bounds of sum(sums)/sum(sizes) where few clusters differ from all or from nothing.

    Parameters
    ----------
    sums, sizes : [C], what the cluster scored of what it could, and its size (or its weight)

    Returns
    -------
    Clopper and Pearson's bounds on (sum n)^2 / sum n^2 effective clusters, the number of equal ones
    that would tell as much if all items of a cluster went the same way; None where min(10, C) or
    more clusters differ from both ends.

    Notes
    -----
    Kish (1965), Survey Sampling, Wiley, for the effective number.
    """
    count = len(sums)
    least = TINY * float(sizes.max())
    fewest = min(int(np.sum(sums > least)), int(np.sum(sizes - sums > least)))
    if fewest >= min(FEW, count):
        return None
    share = min(max(float(sums.sum() / sizes.sum()), 0.0), 1.0)
    effective = float(sizes.sum() ** 2 / np.sum(sizes**2))
    found = effective_share(share, max(effective, 1.0), error)
    return found.lower, found.upper
