"""Independent recomputations, simulated data and tolerances for the tests of statistics."""

import numpy as np
from scipy.linalg import sqrtm


def dense_cr2(values, clusters, design=None, contrast=None):
    """CR2 and Bell-McCaffrey by matrices: pseudo-inverse roots, no closed form."""
    n = len(values)
    X = np.ones((n, 1)) if design is None else design
    picked = np.ones(X.shape[1]) if contrast is None else contrast
    bread = np.linalg.inv(X.T @ X)
    H = X @ bread @ X.T
    R = np.eye(n) - H
    e = R @ values
    columns, variance = [], 0.0
    for code in np.unique(clusters):
        rows = np.flatnonzero(clusters == code)
        A = np.real(sqrtm(np.linalg.pinv(R[np.ix_(rows, rows)], rcond=1e-10)))
        weights = A @ X[rows] @ bread @ picked
        variance += float(weights @ e[rows]) ** 2
        columns.append(R[:, rows] @ weights)
    G = np.column_stack(columns)
    B = G.T @ G
    return float(picked @ bread @ X.T @ values), variance, np.trace(B) ** 2 / np.sum(B**2)


def indicators(strata):
    return (strata[:, None] == np.arange(strata.max() + 1)).astype(float)


def lognormal_sizes(rng, clusters, middle, spread=1.0):
    return np.maximum(1, np.round(rng.lognormal(np.log(middle), spread, clusters))).astype(int)


def signs(rng, n, gains, losses):
    """Paired differences of two right-or-wrong outcomes."""
    return rng.choice([1.0, 0.0, -1.0], size=n, p=[gains, 1 - gains - losses, losses])


def at_most(rate, runs, slack=3.0):
    """Largest share that `runs` seeded runs may show if the true rate is `rate`."""
    return rate + slack * np.sqrt(rate * (1 - rate) / runs)


def at_least(rate, runs, slack=3.0):
    return rate - slack * np.sqrt(rate * (1 - rate) / runs)
