"""Planning: what a design can detect, how many items it takes, and the chance that a claim is met.

Never the power "observed" from an estimate: only declared effects enter here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from audit.stats.clusters import Floats
from audit.stats.intervals import check_error, normal_quantile, t_quantile

ITEM_SD = 0.45
"""SD of paired item differences where nothing better is known [policy; errata section 1]."""
DRAWS = 20_000


def detectable_difference(
    standard_error: float, df: float | None, error: float, power: float = 0.8
) -> float:
    """Difference found with the given power: (t_(1-error,df) + t_(power,df)) SE.

    Parameters
    ----------
    standard_error : > 0
    df : degrees of freedom; None: normal
    error : one-sided error, in (0, .5)
    power : in [.5, 1)
    """
    check_error(error)
    return (t_quantile(error, df) + t_quantile(1 - power, df)) * standard_error


def items_for(
    difference: float,
    error: float,
    *,
    item_variance: float,
    attempt_variance: tuple[float, float] = (0.0, 0.0),
    attempts: tuple[float, float] = (1.0, 1.0),
    power: float = 0.8,
    design_effect: float = 1.0,
) -> float:
    """Items needed to detect a difference of two systems, not rounded.

    Parameters
    ----------
    difference : > 0, in the metric's unit
    error : one-sided error; .025 for a two-sided 95% interval
    item_variance : variance over items of the true paired difference (omega^2)
    attempt_variance, attempts : per system, variance within an item and attempts per item
    design_effect : 1 + (m - 1) ICC for clusters of m items

    Notes
    -----
    n = (z_(1-error) + z_power)^2 (omega^2 + sigma_A^2/K_A + sigma_B^2/K_B) / difference^2; Miller
    (2024), arXiv:2411.00640, section 5. With omega^2 = 1/9, .03, .025, .8: 968.997, published 969.
    """
    check_error(error)
    if not difference > 0:
        raise ValueError(f"difference {difference!r} is not > 0")
    variance = item_variance + sum(s / k for s, k in zip(attempt_variance, attempts, strict=True))
    return design_effect * _quantiles(error, power) ** 2 * variance / difference**2


def guard_items(
    allowed_loss: float,
    error: float = 0.05,
    *,
    difference: float = 0.0,
    sd: float = ITEM_SD,
    power: float = 0.8,
) -> float:
    """Items in a guard's task for "not worse by `allowed_loss`" to be met, not rounded.

    Parameters
    ----------
    allowed_loss : >= 0
    difference : the true difference there, > -allowed_loss
    sd : SD of the paired item differences

    Notes
    -----
    n = (z_(1-error) + z_power)^2 sd^2 / (allowed_loss + difference)^2: 3,130 for .02 at .05.
    """
    check_error(error)
    room = allowed_loss + difference
    if not room > 0:
        raise ValueError(f"no room between difference {difference!r} and loss {allowed_loss!r}")
    return (_quantiles(error, power) * sd / room) ** 2


def _quantiles(error: float, power: float) -> float:
    return normal_quantile(error) + normal_quantile(1 - power)


@dataclass(frozen=True)
class ExpectedCriterion:
    """A criterion with the effect that its author expects, oriented (larger supports the claim).

    `above` is met if the lower bound is above `margin`, `within` if both bounds are inside
    +/- margin, `outside` if an end is beyond it. A `block` guard stops the claim only if the upper
    bound is below `margin`.
    """

    form: Literal["above", "within", "outside"]
    margin: float
    expected: float
    standard_error: float
    error: float
    block: bool = False


def chance_of_support(
    criteria: Sequence[ExpectedCriterion], correlation: Floats | None = None, *, seed: int = 0
) -> float:
    """Chance that all criteria are met at the expected effects, by normal estimates.

    Parameters
    ----------
    criteria : one or more; standard errors > 0
    correlation : [k, k] of the estimates; None: independent (then exact, else by simulation)
    seed : of the simulation

    Notes
    -----
    The criteria's estimates usually correlate positively (a guard's task is part of the whole);
    taking them as independent then understates the chance.
    """
    edges = np.array([_edges(criterion) for criterion in criteria])
    if correlation is None:
        return float(np.prod([_chance(criterion) for criterion in criteria]))
    rng = np.random.default_rng(seed)
    draws = rng.multivariate_normal(np.zeros(len(criteria)), correlation, size=DRAWS)
    inside = (draws > edges[:, 0]) & (draws < edges[:, 1])
    outside = np.array([criterion.form == "outside" for criterion in criteria])
    return float(np.mean(np.all(inside != outside, axis=1)))


def _edges(criterion: ExpectedCriterion) -> tuple[float, float]:
    """Standardised errors (z) of the estimate between which the bar is met; for `outside`, not."""
    c, q = criterion, normal_quantile(criterion.error)
    up = (c.margin - c.expected) / c.standard_error
    down = (-c.margin - c.expected) / c.standard_error
    if c.block:
        return up - q, np.inf
    if c.form == "above":
        return up + q, np.inf
    return (down + q, up - q) if c.form == "within" else (down - q, up + q)


def _chance(criterion: ExpectedCriterion) -> float:
    low, high = _edges(criterion)
    inside = max(0.0, float(ndtr(high) - ndtr(low)))
    return 1 - inside if criterion.form == "outside" else inside
