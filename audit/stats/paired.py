"""Two systems on the same items with right or wrong as outcome: Tango's bounds and McNemar's test.

A gain is an item that the first system alone got right, a loss one that the second alone did.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import bdtr

from audit.stats.intervals import Bounds, check_error, normal_quantile

HALVINGS = 60
"""Halvings of [-1, 1]: more than a double can hold."""


@dataclass(frozen=True)
class McNemar:
    """Two-sided p values of equal shares; they give no size (use `tango_bounds`)."""

    exact: float
    mid_p: float
    statistic: float | None
    """Chi-squared with one degree of freedom, no correction; None without discordant items."""
    chi_squared: float
    """p value of the statistic; 1 without discordant items."""


def tango_bounds(gains: int, losses: int, n: int, error: float) -> Bounds:
    """Score bounds of the difference of two shares on the same items.

    Parameters
    ----------
    gains, losses : discordant counts, 0 <= gains, losses; gains + losses <= n
    n : items, n >= 1
    error : one-sided error of each bound, in (0, .5)

    Returns
    -------
    Bounds of (p of the first) - (p of the second), in [-1, 1]; never of width zero.

    Notes
    -----
    With 0 discordant items the bounds are -/+ z^2 / (n + z^2). Tango (1998), Statistics in
    Medicine 17, 891-908, doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    The lower bound is minus the upper bound of the swapped table, so that swapping systems mirrors
    the interval to the last bit.
    """
    check_error(error)
    _check_table(gains, losses, n)
    z = normal_quantile(error)
    lower, upper = -_tango_upper(losses, gains, n, z), _tango_upper(gains, losses, n, z)
    return Bounds(lower, upper, error, "tango")


def _tango_upper(gains: int, losses: int, n: int, z: float) -> float:
    """Largest delta that the score test does not reject: the score falls as delta rises."""
    excess = gains - losses
    low, high = excess / n, 1.0
    for _ in range(HALVINGS):
        delta = (low + high) / 2
        if excess - n * delta > -z * _score_deviation(gains, losses, n, delta):
            low = delta
        else:
            high = delta
    return high


def _score_deviation(gains: int, losses: int, n: int, delta: float) -> float:
    """Standard deviation of gains - losses at the restricted maximum (Tango 1998).

    q, the share of losses where the difference is held at delta, solves 2n q^2 + B q + C = 0; the
    root is taken in the form that does not cancel.
    """
    B = -gains - losses + (2 * n - gains + losses) * delta
    C = -losses * delta * (1 - delta)
    root = math.sqrt(max(B * B - 8 * n * C, 0.0))
    q = -2 * C / (B + root) if B > 0 else (root - B) / (4 * n)
    return math.sqrt(max(n * (2 * q + delta * (1 - delta)), 0.0))


def mcnemar(gains: int, losses: int) -> McNemar:
    """Test that two systems are right equally often on the same items.

    Notes
    -----
    McNemar (1947), Psychometrika 12, 153-157, doi:10.1007/BF02295996; mid-p: Fagerland, Lydersen,
    Laake (2013), BMC Med Res Methodol 13:91, doi:10.1186/1471-2288-13-91.
    """
    if gains < 0 or losses < 0:
        raise ValueError(f"{gains!r} gains and {losses!r} losses")
    total, fewer = gains + losses, min(gains, losses)
    if total == 0:
        return McNemar(1.0, 1.0, None, 1.0)
    tail = float(bdtr(fewer, total, 0.5))
    at = tail - (float(bdtr(fewer - 1, total, 0.5)) if fewer else 0.0)
    statistic = (gains - losses) ** 2 / total
    return McNemar(
        exact=min(1.0, 2 * tail),
        mid_p=min(1.0, 2 * tail - at),
        statistic=statistic,
        chi_squared=math.erfc(math.sqrt(statistic / 2)),
    )


def bonett_price(gains: int, losses: int, n: int, error: float) -> Bounds:
    """Wald bounds with one added to each discordant count: for comparison with Tango's only.

    Notes
    -----
    May leave [-1, 1] and is cut there. Bonett and Price (2012), J Educ Behav Stat 37, 479-488,
    doi:10.3102/1076998611411915.
    """
    check_error(error)
    _check_table(gains, losses, n)
    more, fewer = (gains + 1) / (n + 2), (losses + 1) / (n + 2)
    centre = more - fewer
    half = normal_quantile(error) * math.sqrt((more + fewer - centre**2) / (n + 2))
    return Bounds(max(-1.0, centre - half), min(1.0, centre + half), error, "bonett-price")


def _check_table(gains: int, losses: int, n: int) -> None:
    if n < 1 or gains < 0 or losses < 0 or gains + losses > n:
        raise ValueError(f"{gains!r} gains and {losses!r} losses of {n!r} items")
