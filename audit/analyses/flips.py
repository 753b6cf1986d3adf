"""Does the mix of tasks decide which system leads? Never said from point estimates alone.

Tables (one set per metric and variants, whose names end the id)
------
flips.* : of, over, plain, plain_lower, plain_upper, weighted, weighted_lower, weighted_upper, unit,
    flip; only pairs that the plain mean and the weighted score order otherwise: `established` if
    both 95% intervals exclude 0, `possible` if one does, else `not shown`
flip_weights.* : of, over, task, share, difference_on_task, difference_on_rest, flip_weight,
    set_low, set_high, second_low, second_high, shape; the share of a task at which the two tie, the
    others in proportion, and Fieller's 95% set within 0..1 (`interval`, `complement`, `line`)
ranges.* : of, over, measure, range, leads, declared, least, least_bound, holds, mix; whether the
    system that leads by estimate leads for all shares or consequences in the declared ranges:
    `least_bound` is the one-sided 97.5% bound at the worst vertex (errata section 10)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from audit.analyses.asking import TABLE_ERROR, Asking, View
from audit.analyses.contract import Estimate, Table
from audit.analyses.ranges import ranges_table
from audit.analyses.samples import pair_sample
from audit.analyses.task_differences import Differences, differences
from audit.stats.mixes import FlipWeight, flip_weight

Cell = str | float | int | bool | None
Pair = tuple[View, str, str]


@dataclass(frozen=True)
class Flips:
    """Tables, and how many pairs flip by view."""

    tables: tuple[Table, ...] = ()
    counts: dict[str, dict[str, int]] = field(default_factory=dict)


def flip_tables(asking: Asking, pairs: Sequence[Pair] | None = None) -> Flips:
    """Make the tables for some pairs, or for all candidates and baselines.

    Returns
    -------
    Nothing where the work has fewer than two tasks with weight.
    """
    if len(asking.weighted) < 2:
        return Flips()
    if pairs is None:
        pairs = [
            (view, *pair)
            for view in asking.views
            for pair in itertools.combinations(asking.compared, 2)
        ]
    tables: list[Table] = []
    counts: dict[str, dict[str, int]] = {}
    for view in dict.fromkeys(one[0] for one in pairs):
        own = [(of, over) for other, of, over in pairs if other == view]
        flips = [row for of, over in own if (row := _flip(asking, view, of, over))]
        words = [str(row[-1]).replace(" ", "_") for row in flips]
        counts[view.suffix] = {
            word: words.count(word) for word in ("established", "possible", "not_shown")
        }
        tables += _flips_table(view, flips)
        tables += _weights_table(asking, view, own)
        tables += ranges_table(asking, view, own)
    return Flips(tuple(tables), counts)


# --------------------------------------------------------------------- plain mean against the work


def _flip(asking: Asking, view: View, of: str, over: str) -> tuple[Cell, ...] | None:
    plain, weighted = (
        asking.value(asking.asked(view, of, over, measure=measure, tasks=asking.weighted))
        for measure in ("mean", "expected_success")
    )
    if not isinstance(plain, Estimate) or not isinstance(weighted, Estimate):
        return None
    if plain.value * weighted.value >= 0:
        return None
    clear = sum(one.bounds[0].lower > 0 or one.bounds[0].upper < 0 for one in (plain, weighted))
    numbers = [
        number
        for one in (plain, weighted)
        for number in (one.value, one.bounds[0].lower, one.bounds[0].upper)
    ]
    return (of, over, *numbers, plain.unit, ("not shown", "possible", "established")[clear])


def _flips_table(view: View, rows: Sequence[tuple[Cell, ...]]) -> Iterator[Table]:
    if rows:
        yield Table(
            id=f"flips.{view.suffix}",
            title=f"Pairs that the weights order otherwise, {view.metric}, "
            f"{' and '.join(view.variants)}",
            columns=(
                "of",
                "over",
                "plain",
                "plain_lower",
                "plain_upper",
                "weighted",
                "weighted_lower",
                "weighted_upper",
                "unit",
                "flip",
            ),
            rows=tuple(rows),
            note="95% intervals. Established: both exclude 0. Possible: one does. Not shown: "
            "neither does, so that nothing is said.",
        )


# ----------------------------------------------------------------------------------- flip weights


def _weights_table(asking: Asking, view: View, pairs: Sequence[tuple[str, str]]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for of, over in pairs:
        sample = pair_sample(asking.arrays[view.metric], of, over, view.variants)
        if bool(sample.bounded.any()) or not len(sample):
            continue
        found = differences(asking.slice.weights, sample, sample.value)
        if len(found.tasks) < 2 or not np.all(np.isfinite(found.covariance)):
            continue
        rows += [(of, over, *row) for row in _weight_rows(found)]
    if rows:
        yield Table(
            id=f"flip_weights.{view.suffix}",
            title=f"Share of a task at which two systems tie, {view.metric}, "
            f"{' and '.join(view.variants)}",
            columns=(
                "of",
                "over",
                "task",
                "share",
                "difference_on_task",
                "difference_on_rest",
                "flip_weight",
                "set_low",
                "set_high",
                "second_low",
                "second_high",
                "shape",
            ),
            rows=tuple(rows),
            note="Other tasks in proportion. The set holds the shares at which a tie is not "
            "excluded at 95% (Fieller); a complement or line is not bounded: the items do not "
            "tell where the order turns. Pairs with missing responses are left out.",
        )


def _weight_rows(found: Differences) -> Iterator[tuple[Cell, ...]]:
    shares = found.shares
    for at, one in enumerate(found.tasks):
        rest = np.where(np.arange(len(shares)) == at, 0.0, shares) / (1 - shares[at])
        both = np.stack([rest, np.eye(len(shares))[at]])
        d_rest, d_task = both @ found.value
        flip = flip_weight(
            float(d_rest),
            float(d_task),
            both @ found.covariance @ both.T,
            TABLE_ERROR,
            found.df,
        )
        yield (
            one.task,
            float(shares[at]),
            float(d_task),
            float(d_rest),
            flip.weight,
            *_set_cells(flip),
            flip.shape,
        )


def _set_cells(flip: FlipWeight) -> tuple[float | None, ...]:
    ends: list[float | None] = [edge for piece in flip.compatible[:2] for edge in piece]
    return tuple(ends + [None] * (4 - len(ends)))
