"""Numbers as printed: bounds rounded outwards, never onto or across their bar."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

MINUS = "−"
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Scale:
    """How a unit is printed: factor, sign of a level (`%`) and words after a difference."""

    factor: int
    after_value: str
    after_difference: str
    whole: bool = False
    """Whole numbers only: places."""

    def after(self, difference: bool) -> str:
        """What follows the number."""
        return self.after_difference if difference else self.after_value


def scale_of(unit: str) -> Scale:
    """Scale of a unit: shares and percents are printed in percent, differences in points."""
    if unit == "share":
        return Scale(100, "%", " points")
    if unit == "percent":
        return Scale(1, "%", " points")
    if unit == "place":
        return Scale(1, "", "", whole=True)
    name = {"points": ""}.get(unit, f" {unit}")
    return Scale(1, name, name)


def _printed(number: float, factor: int) -> Decimal:
    """The number on its printed scale, rid of the noise of binary fractions."""
    exact = Decimal(repr(float(number))) * factor
    return exact.quantize(Decimal(1).scaleb(-12)) if abs(exact) < 10**12 else exact


def decimals_for(lower: float, upper: float, factor: int = 1) -> int:
    """Decimals that an interval of this width can bear: its half width gets two digits."""
    half = abs(upper - lower) * factor / 2
    if half <= 0 or not math.isfinite(half):
        return 2
    return max(0, min(_MOST_DECIMALS, math.ceil(-math.log10(half)) + 1))


def _text(number: Decimal, decimals: int, signed: bool) -> str:
    body = f"{abs(number):,.{decimals}f}"
    if number == 0:
        return body
    if number < 0:
        return MINUS + body
    return f"+{body}" if signed else body


def _side(number: Decimal, bar: Decimal) -> int:
    return (number > bar) - (number < bar)


def interval_texts(
    value: float,
    lower: float,
    upper: float,
    *,
    scale: Scale,
    bars: Iterable[float] = (),
    signed: bool = False,
) -> tuple[str, str, str]:
    """Value, lower and upper bound as printed, without unit.

    The lower bound is rounded down and the upper bound up. Decimals are added (at most six) until
    both lie on the same side of each bar as the numbers themselves, so that no page shows a bound
    on a bar that the computation did not put there. The value decides nothing and adds none.
    """
    if scale.whole:
        whole = [count_text(round(number)) for number in (value, lower, upper)]
        return whole[0], whole[1], whole[2]
    numbers = [_printed(number, scale.factor) for number in (value, lower, upper)]
    marks = [_printed(bar, scale.factor) for bar in bars]
    modes = (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING)
    rounded: list[Decimal] = []
    fewest = decimals_for(lower, upper, scale.factor)
    decimals = fewest
    for decimals in range(fewest, _MOST_DECIMALS + 1):
        step = Decimal(1).scaleb(-decimals)
        rounded = [
            number.quantize(step, rounding=mode)
            for number, mode in zip(numbers, modes, strict=True)
        ]
        if all(
            _side(short, mark) == _side(full, mark)
            for short, full in zip(rounded[1:], numbers[1:], strict=True)
            for mark in marks
        ):
            break
    first, second, third = (_text(number, decimals, signed) for number in rounded)
    return first, second, third


def number_text(number: float, *, scale: Scale, signed: bool = False) -> str:
    """A declared number (a bar) with all its digits, without unit."""
    exact = _printed(number, scale.factor).normalize()
    exponent = exact.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    return _text(exact, decimals, signed)


def upper_text(number: float, *, scale: Scale, decimals: int = 1) -> str:
    """A largest possible size, rounded up."""
    step = Decimal(1).scaleb(-decimals)
    exact = _printed(number, scale.factor)
    if 0 < exact < step:
        decimals = min(_MOST_DECIMALS, -exact.adjusted())
        step = Decimal(1).scaleb(-decimals)
    return _text(exact.quantize(step, rounding=ROUND_CEILING), decimals, signed=False)


def count_text(number: int) -> str:
    """A whole number with thousands set apart."""
    return f"{number:,}"


def share_text(share: float) -> str:
    """A share of the work in percent; what is not zero is never printed as zero."""
    percent = share * 100
    if 0 < percent < 0.1:
        return "<0.1%"
    return f"{percent:.1f}%"


def cell_text(cell: str | float | int | bool | None) -> str:
    """A cell of an annex table: four significant digits, text as it is."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return _text(Decimal(cell), 0, signed=False)
    if isinstance(cell, float):
        if cell == int(cell) and abs(cell) < 1e9:
            return _text(Decimal(int(cell)), 0, signed=False)
        return f"{cell:.4g}".replace("-", MINUS)
    return cell
