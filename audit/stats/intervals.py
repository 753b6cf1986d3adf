"""Intervals of one share, and the quantiles that all intervals use.

Everywhere in `stats`, `error` is the one-sided error of a bound: P(true < lower) <= error, and so
for upper. The two bounds together have level 1 - 2 error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv, ndtri, stdtrit


@dataclass(frozen=True)
class Bounds:
    """Two bounds, each at the one-sided `error`, and the short name of the method."""

    lower: float
    upper: float
    error: float
    method: str


def check_error(error: float) -> None:
    """Raise ValueError unless 0 < error < .5: a bound beyond the estimate bounds nothing."""
    if not 0 < error < 0.5:
        raise ValueError(f"one-sided error {error!r} is not in (0, .5)")


def normal_quantile(error: float) -> float:
    """z with P(Z > z) = error."""
    return float(-ndtri(error))


def t_quantile(error: float, df: float | None) -> float:
    """t with P(T > t) = error; the normal quantile where `df` is None or infinite."""
    if df is None or math.isinf(df):
        return normal_quantile(error)
    return float(-stdtrit(df, error))


def clopper_pearson(successes: int, trials: int, error: float) -> Bounds:
    """Exact interval of a binomial share.

    Parameters
    ----------
    successes, trials : counts, 0 <= successes <= trials, trials >= 1
    error : one-sided error of each bound, in (0, .5)

    Notes
    -----
    Never errs more often than stated, for any share and any number of trials. At 0 successes the
    upper bound is 1 - error^(1/trials). Clopper and Pearson (1934), Biometrika 26, 404-413,
    doi:10.1093/biomet/26.4.404.
    """
    _check_counts(successes, trials, error)
    failures = trials - successes
    lower = float(betaincinv(successes, failures + 1, error)) if successes else 0.0
    # The upper bound is one minus the lower bound of the failures, so that flips mirror exactly.
    upper = 1 - float(betaincinv(failures, successes + 1, error)) if failures else 1.0
    return Bounds(lower, upper, error, "clopper-pearson")


def effective_share(share: float, trials: float, error: float) -> Bounds:
    """Clopper and Pearson's interval of a share observed on an effective number of trials.

    Parameters
    ----------
    share : observed, in [0, 1]; with unequal or partly counting trials any such number
    trials : effective number, >= 1, any real number
    error : one-sided error of each bound, in (0, .5)

    Notes
    -----
    The beta quantiles at real counts, as for proportions from complex surveys. Korn and Graubard
    (1998), Survey Methodology 24(2), 193-201.
    """
    check_error(error)
    if not (0 <= share <= 1 and trials >= 1):
        raise ValueError(f"share {share!r} of {trials!r} trials")
    hits, misses = share * trials, (1 - share) * trials
    lower = float(betaincinv(hits, misses + 1, error)) if hits > 0 else 0.0
    upper = 1 - float(betaincinv(misses, hits + 1, error)) if misses > 0 else 1.0
    return Bounds(lower, upper, error, "effective clusters")


def wilson_interval(successes: int, trials: int, error: float) -> Bounds:
    """Score interval of a binomial share; approximate, and narrower than the exact one.

    Parameters
    ----------
    successes, trials : counts, 0 <= successes <= trials, trials >= 1
    error : one-sided error of each bound, in (0, .5)

    Notes
    -----
    Never leaves [0, 1], also at 0 and at `trials`. Wilson (1927), JASA 22, 209-212,
    doi:10.1080/01621459.1927.10502953.
    """
    _check_counts(successes, trials, error)
    z = normal_quantile(error)
    share = successes / trials
    half = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    centre, shrink = share + z * z / (2 * trials), 1 + z * z / trials
    lower = (centre - half) / shrink if successes else 0.0
    upper = (centre + half) / shrink if successes < trials else 1.0
    return Bounds(lower, upper, error, "wilson")


def _check_counts(successes: int, trials: int, error: float) -> None:
    check_error(error)
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes!r} successes of {trials!r} trials")
