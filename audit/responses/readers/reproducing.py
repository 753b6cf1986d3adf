"""A published aggregate beside what its items give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

from audit.responses.facts import Reproduction

_SLACK: Final = 1e-9
"""Relative; for sums taken in another order than the publisher's."""


def reproduction(
    *,
    file: str,
    system: str,
    metric: str,
    aggregation: str,
    published: float,
    recomputed: float | Mapping[str, float] | None,
    items: int,
    decimals: int | None = None,
    lower: float | None = None,
    upper: float | None = None,
    task: str = "",
    variant: str = "",
    note: str = "",
) -> Reproduction:
    """Hold a published figure against what was recomputed.

    Parameters
    ----------
    published : finite; in the metric's unit
    recomputed : a value, or {reading in words: value}, of which the nearest decides and is named;
        None: it was not recomputed, and `note` says why
    items : that the recomputed value is over; one of them is worth `(upper - lower) / items`
    decimals : that were published; None: full precision
    lower, upper : ends of the metric's range, None without

    Raises
    ------
    ValueError
        for a published value that is not finite: it is no figure, and the caller counts it
    """
    if not math.isfinite(published):
        raise ValueError(f"{published} is no published figure")
    readings = recomputed if isinstance(recomputed, Mapping) else {"": recomputed}
    held = {name: one for name, one in readings.items() if one is not None and math.isfinite(one)}
    nearest = min(held, key=lambda name: abs(held[name] - published), default=None)
    value = None if nearest is None or not items else held[nearest]
    if nearest and value is not None and len(set(held.values())) > 1:
        note = "; ".join(part for part in (nearest, note) if part)
    return Reproduction(
        file=file,
        system=system,
        task=task,
        variant=variant,
        metric=metric,
        aggregation=aggregation,
        published=published,
        recomputed=value,
        items=items,
        state=_state(published, value, items, decimals, lower, upper),
        note=note,
    )


def _state(
    published: float,
    value: float | None,
    items: int,
    decimals: int | None,
    lower: float | None,
    upper: float | None,
) -> Literal["agrees", "close", "contradicts", "impossible", "not_checked"]:
    rounding = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    slack = _SLACK * max(1.0, abs(published))
    below = lower is not None and published < lower - rounding - slack
    if below or (upper is not None and published > upper + rounding + slack):
        return "impossible"
    if value is None:
        return "not_checked"
    gap = abs(published - value)
    if gap <= rounding + slack:
        return "agrees"
    width = upper - lower if lower is not None and upper is not None else 1.0
    return "close" if gap < width / items - slack else "contradicts"
