"""Differences of two systems by task, with the covariance that crossing clusters give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.analyses.arrays import Floats
from audit.analyses.samples import Sample
from audit.spec.plan import TaskWeight
from audit.stats.clusters import cluster_mean
from audit.stats.strata import Stratum, augmented


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two systems by task, with their covariance; arrays are [task]."""

    tasks: tuple[TaskWeight, ...]
    value: Floats
    covariance: Floats
    df: float
    """The least of the tasks' degrees of freedom: cautious for every mix."""
    gone: tuple[str, ...]
    """Tasks with weight but without items."""

    @property
    def shares(self) -> Floats:
        """Shares of the tasks with items, sum 1."""
        shares = np.array([one.share for one in self.tasks])
        return np.asarray(shares / shares.sum())


def differences(weights: Sequence[TaskWeight], sample: Sample, values: Floats) -> Differences:
    """Means by task of some values of a sample (`low`, `high` or `value`).

    Variances are CR2 with pseudo-items; clusters that cross tasks add covariances.
    """
    held, gone, means, sums = [], [], [], []
    fitted: list[tuple[float, float]] = []
    clusters = np.arange(len(sample)) if sample.cluster is None else sample.cluster
    codes = np.unique(clusters, return_inverse=True)[1]
    for one in weights:
        if one.share <= 0:
            continue
        inside = sample.in_tasks((one.task,))
        if not inside.any():
            gone.append(one.task)
            continue
        own = values[inside]
        stratum = Stratum(
            own,
            clusters[inside],
            -np.inf if sample.lower is None else sample.lower,
            np.inf if sample.upper is None else sample.upper,
            "graded",
        )
        more = augmented(stratum)
        held.append(one)
        means.append(float(np.mean(own)))
        # one cluster does not show how clusters differ
        alone = len(own) > 1 and len(np.unique(clusters[inside])) == 1
        varied = not alone and len(np.unique(more[1])) > 1
        found = cluster_mean(*more) if varied else None
        fitted.append((found.variance, found.df) if found else (np.inf, 1.0))
        sums.append(
            np.bincount(
                codes[inside], weights=(own - own.mean()) / len(own), minlength=codes.max() + 1
            )
        )
    by_cluster = np.array(sums, dtype=np.float64).reshape(len(held), -1)
    covariance: Floats = by_cluster @ by_cluster.T
    np.fill_diagonal(covariance, [variance for variance, _ in fitted])
    df = min((df for _, df in fitted), default=1.0)
    return Differences(tuple(held), np.array(means), covariance, df, tuple(gone))
