"""Means of clustered items: CR2 variance with the degrees of freedom of Bell and McCaffrey.

For a mean the cluster's hat matrix is 11'/n, with eigenvector 1; so is the adjustment
(I - H_cc)^(-1/2), and everything has a closed form in the clusters' sizes and sums. Bell and
McCaffrey (2002), Survey Methodology 28(2), 169-181; Pustejovsky and Tipton (2018), J Bus Econ Stat
36, 672-683, doi:10.1080/07350015.2016.1247004.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class ClusterMean:
    """A mean, the variance of it, and how many clusters and items it rests on."""

    value: float
    variance: float
    df: float
    clusters: int
    n: int


@dataclass(frozen=True)
class CrossedMeans:
    """A weighted sum of strata means whose clusters may cross the strata."""

    value: float
    variance: float
    df: float
    clusters: int


@dataclass(frozen=True)
class CrossedLayout:
    """What does not depend on the values: adjusted loads of clusters in strata, and the df."""

    strata: Codes
    clusters: Codes
    sizes: Floats
    """Items in cluster c and stratum h, [C, H]."""
    load: Floats
    """(w_h / n_h) (1 - n_ch / n_h)^(-1/2), [C, H]; 0 where the cluster has no item."""
    df: float


def codes_of(clusters: NDArray[np.int64] | None, n: int) -> tuple[Codes, int]:
    """Codes 0..C-1 in the order of the given codes, and C; without clusters each item is one."""
    if clusters is None:
        return np.arange(n, dtype=np.int64), n
    if len(clusters) != n:
        raise ValueError(f"{len(clusters)} cluster codes for {n} items")
    present, codes = np.unique(clusters, return_inverse=True)
    return codes.astype(np.int64), len(present)


def cluster_mean(values: Floats, clusters: NDArray[np.int64] | None = None) -> ClusterMean:
    """Mean of clustered values with its CR2 variance.

    Parameters
    ----------
    values : [n], finite
    clusters : [n] integer codes, or None: each item its own cluster, which gives s^2/n and n - 1

    Raises
    ------
    ValueError
        With fewer than two clusters.

    Notes
    -----
    V = n^-2 sum S_c^2 / (1 - n_c/n), S_c the residuals' sum. With a_c = (1/n)(1 - n_c/n)^(-1/2) and
    B_cd = a_c a_d (n_c 1[c=d] - n_c n_d/n): B_cc = n_c/n^2, tr B = 1/n, and the squares off the
    diagonal sum to ((sum u)^2 - sum u^2)/n^2 with u_c = (a_c n_c)^2.
    """
    n = len(values)
    codes, count = codes_of(clusters, n)
    if count < 2:
        raise ValueError("a variance between clusters needs two clusters")
    value = float(np.sum(values) / n)
    if count == n:
        variance = float(np.sum((values - value) ** 2)) / (n * (n - 1))
        return ClusterMean(value, variance, float(n - 1), n, n)
    sizes = np.bincount(codes, minlength=count).astype(np.float64)
    sums = np.bincount(codes, weights=values - value, minlength=count)
    free = 1 - sizes / n
    variance = float(np.sum(sums**2 / free)) / n**2
    u = (sizes / n) ** 2 / free
    squares = float(np.sum(sizes**2)) / n**4 + float(np.sum(u) ** 2 - np.sum(u**2)) / n**2
    return ClusterMean(value, variance, 1 / (n * n * squares), count, n)


def crossed_layout(
    strata: NDArray[np.int64], clusters: NDArray[np.int64] | None, weights: Floats
) -> CrossedLayout:
    """Loads and degrees of freedom of a weighted sum of strata means with crossing clusters.

    Parameters
    ----------
    strata : [n] codes 0..H-1, each present
    clusters : [n] codes, the same code in two strata is the same cluster; None: each item its own
    weights : [H], of any sign

    Notes
    -----
    Regression on the strata's indicators: the cluster's hat matrix has one block 11'/n_h per
    stratum, so (I - H_cc)^(-1/2) acts on each block's sum as (1 - n_ch/n_h)^(-1/2). A cluster that
    holds a whole stratum has residuals that sum to 0 there: its load is 0 (the generalised
    inverse), and the variance of that stratum is not seen. B = diag(D) - M M' with
    D_c = sum_h load_ch^2 n_ch and M_ch = load_ch n_ch / sqrt(n_h); df = (tr B)^2 / sum B_cd^2
    under equal variances of items, without forming B.
    """
    n, groups = len(strata), len(weights)
    codes, count = codes_of(clusters, n)
    cells = np.bincount(codes * groups + strata, minlength=count * groups)
    sizes = cells.reshape(count, groups).astype(np.float64)
    totals = sizes.sum(axis=0)
    if np.any(totals == 0):
        raise ValueError("a stratum has no items")
    free = 1 - sizes / totals
    load = np.zeros_like(sizes)
    np.divide(weights / totals, np.sqrt(free), out=load, where=(free > 0) & (sizes > 0))
    diagonal = (load**2 * sizes).sum(axis=1)
    M = load * sizes / np.sqrt(totals)
    own = (M**2).sum(axis=1)
    squares = float(np.sum(diagonal**2 - 2 * diagonal * own) + np.sum((M.T @ M) ** 2))
    trace = float(np.sum(diagonal - own))
    df = trace**2 / squares if squares > 0 else 0.0
    return CrossedLayout(np.asarray(strata), codes, sizes, load, df)


def crossed_sums(values: Floats, layout: CrossedLayout, centres: Floats) -> Floats:
    """Each cluster's adjusted residual sum, sum_h load_ch (sum of values - n_ch centre_h), [C]."""
    count, groups = layout.sizes.shape
    cells = layout.clusters * groups + layout.strata
    sums = np.bincount(cells, weights=values - centres[layout.strata], minlength=count * groups)
    found: Floats = (layout.load * sums.reshape(count, groups)).sum(axis=1)
    return found


def cluster_means_crossed(
    values: Floats,
    strata: NDArray[np.int64],
    clusters: NDArray[np.int64] | None,
    weights: Floats,
) -> CrossedMeans:
    """Weighted sum of strata means, CR2 variance for clusters that cross strata.

    Parameters
    ----------
    values : [n], finite
    strata, clusters, weights : as in `crossed_layout`
    """
    layout = crossed_layout(strata, clusters, weights)
    totals = layout.sizes.sum(axis=0)
    means = np.bincount(strata, weights=values, minlength=len(weights)) / totals
    sums = crossed_sums(values, layout, means)
    value = float(np.sum(weights * means))
    return CrossedMeans(value, float(np.sum(sums**2)), layout.df, len(layout.sizes))
