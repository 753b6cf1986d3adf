"""Tables of paired differences: each requested pair, its counts, its noise, and all pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from audit.analyses.arrays import Cells, Responses, cells_of
from audit.analyses.asking import Asking, View, cells, why_not
from audit.analyses.contract import Estimate, NotEstimable, Table
from audit.analyses.estimates import Basis, basis_of
from audit.analyses.samples import pair_sample
from audit.spec.plan import Request
from audit.stats.paired import mcnemar

Cell = str | float | int | bool | None


def requested(asking: Asking) -> tuple[Request, ...]:
    """Comparison requests of the plan, twins apart."""
    return tuple(
        one for one in asking.slice.requests if one.kind == "comparison" and one.twin is None
    )


# ------------------------------------------------------------------------------ each requested pair

_PAIR_COLUMNS = (
    "request",
    "of",
    "over",
    "value",
    "lower_95",
    "upper_95",
    "lower_90",
    "upper_90",
    "unit",
    "items",
    "remark",
)
_TEST_COLUMNS = (
    "request",
    "measure",
    "clusters",
    "missing_items",
    "left_out",
    "detectable_difference",
    "items_needed",
    "mcnemar_mid_p",
)


def pairs_tables(asking: Asking) -> Iterator[Table]:
    """Each requested pair with 95% and 90% intervals, and what its test can see."""
    found = [
        (one, asking.value(one.model_copy(update={"errors": (0.025, 0.05)})))
        for one in requested(asking)
    ]
    if not found:
        return
    yield Table(
        id="pairs",
        title="Requested pairs, of minus over",
        columns=_PAIR_COLUMNS,
        rows=tuple(_pair_row(*one) for one in found),
        note="Tolerances are held against the 90% interval, other bars against the 95% one.",
    )
    yield Table(
        id="pair_tests",
        title="What the test of each requested pair can see",
        columns=_TEST_COLUMNS,
        rows=tuple(_test_row(asking, *one) for one in found),
        note="Left out: items that neither answered. Detectable: found in four of five such tests "
        "at 95%. Items needed: in all, for the smallest difference that matters, where it is in "
        "this unit. McNemar's mid-p accompanies right or wrong outcomes without clusters and "
        "decides nothing.",
    )


def _pair_row(request: Request, found: Estimate | NotEstimable) -> tuple[Cell, ...]:
    head: tuple[Cell, ...] = (request.id, request.of, request.over)
    if isinstance(found, NotEstimable):
        return (*head, None, None, None, None, None, request.metric, 0, found.detail)
    wide, narrow = found.bounds
    return (
        *head,
        found.value,
        wide.lower,
        wide.upper,
        narrow.lower,
        narrow.upper,
        found.unit,
        found.items,
        "",
    )


def _test_row(asking: Asking, request: Request, found: Estimate | NotEstimable) -> tuple[Cell, ...]:
    basis = basis_of(asking.arrays[request.metric], asking.choices(request))
    outside = basis.sample.left_out_in(basis.mix.names) if isinstance(basis, Basis) else 0
    if isinstance(found, NotEstimable) or not isinstance(basis, Basis):
        return (request.id, request.measure, 0, 0, outside, None, None, None)
    return (
        request.id,
        request.measure,
        found.clusters,
        found.missing_items,
        outside,
        found.detectable_difference,
        _items_needed(asking, request, found),
        _mid_p(basis),
    )


def _items_needed(asking: Asking, request: Request, found: Estimate) -> int | None:
    """Items in all for the smallest difference: n (MDE / delta)^2, rounded up.

    The smallest difference is in the unit of the decision's measure; the first request of the
    source stands for it, and others get a number only where their measure is the same.
    """
    first = asking.slice.requests[0]
    if found.detectable_difference is None or (first.measure, first.metric) != (
        request.measure,
        request.metric,
    ):
        return None
    ratio = found.detectable_difference / asking.slice.smallest_difference
    return math.ceil(found.items * ratio**2)


def _mid_p(basis: Basis) -> float | None:
    """Two-sided mid-p of McNemar, only for independent right or wrong outcomes of one attempt."""
    sample = basis.sample
    inside = sample.in_tasks(basis.mix.names)
    cluster = sample.cluster
    grouped = cluster is not None and len(np.unique(cluster[inside])) < inside.sum()
    if sample.kind != "binary_difference" or grouped:
        return None
    values = sample.value[inside & sample.complete]
    return mcnemar(int(np.sum(values > 0)), int(np.sum(values < 0))).mid_p


def counts_table(asking: Asking) -> Iterator[Table]:
    """Gains, losses and ties by task for each requested pair: regressions are listed."""
    rows: list[tuple[Cell, ...]] = []
    for view, of, over in distinct_pairs(asking):
        responses = asking.arrays[view.metric]
        sample = pair_sample(responses, of, over, view.variants)
        better = 1 if responses.metric.better == "higher" else -1
        tasks = asking.tasks_of(view)
        for task in tasks or ("all items",):
            inside = sample.in_tasks((task,) if tasks else ())
            values = better * sample.value[inside & sample.complete]
            rows.append(
                (
                    of,
                    over,
                    view.suffix,
                    task,
                    len(values),
                    int(np.sum(values > 0)),
                    int(np.sum(values < 0)),
                    int(np.sum(values == 0)),
                    int(np.sum(sample.bounded & inside)),
                    sample.left_out_in((task,) if tasks else ()),
                )
            )
    if rows:
        yield Table(
            id="gains_and_losses",
            title="Items on which one of the two scored more, by task",
            columns=(
                "of",
                "over",
                "metric",
                "task",
                "items",
                "gains",
                "losses",
                "ties",
                "missing_items",
                "left_out",
            ),
            rows=tuple(rows),
            note="Gains: items on which the first of the two did better. Counted on items with a "
            "usable response of both. Left out: items that neither answered.",
        )


def distinct_pairs(asking: Asking) -> tuple[tuple[View, str, str], ...]:
    """Requested pairs, each once per metric and variants."""
    return tuple(
        dict.fromkeys(
            (View(one.metric, one.variants), one.of, one.over or "") for one in requested(asking)
        )
    )


# ----------------------------------------------------------------------------------------- noise


def variance_table(asking: Asking) -> Iterator[Table]:
    """How much of the paired variance is noise between attempts, for planning only.

    Var(d) over items = omega^2 + sigma_of^2/K_of + sigma_over^2/K_over; omega^2 is the variance of
    the true paired difference over items (methods e). The interval's standard error is that of item
    means whatever the split.
    """
    rows = [
        (view.suffix, of, over, *_split_variance(asking.arrays[view.metric], view, of, over))
        for view, of, over in distinct_pairs(asking)
    ]
    if rows:
        yield Table(
            id="variance_split",
            title="Variance over items and between attempts",
            columns=(
                "metric",
                "of",
                "over",
                "items",
                "omega_squared",
                "omega_squared_used",
                "sigma_squared_of",
                "sigma_squared_over",
                "remark",
            ),
            rows=tuple(rows),
            note="For planning. A negative omega squared is printed and used as 0.",
        )


def _split_variance(responses: Responses, view: View, of: str, over: str) -> tuple[Cell, ...]:
    sample = pair_sample(responses, of, over, view.variants)
    both = [cells_of(responses, system, view.variants) for system in (of, over)]
    # items with at least two known attempts of both systems in every variant
    usable = np.all([np.all(one.known > 1, axis=1) for one in both], axis=0)
    number = int(usable.sum())
    if number < 2:
        return (number, None, None, None, None, "one attempt only: the split cannot be had")
    if not all(bool(np.all(one.known == one.known_weight)) for one in both):
        return (number, None, None, None, None, "scores that average samples: cannot be had")
    within = [_within(one) for one in both]
    noise = [
        np.mean((variance[usable] / one.known[usable]).sum(axis=1)) / len(view.variants) ** 2
        for variance, one in zip(within, both, strict=True)
    ]
    counted = ~sample.left_out
    differences = sample.value[usable[counted]]
    omega = float(np.var(differences, ddof=1) - sum(noise))
    sigma = [float(np.mean(one[usable])) for one in within]
    return (number, omega, max(omega, 0.0), *sigma, "")


def _within(cells: Cells) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Unbiased variance between the attempts of each cell, [item, variant]; 0 below two."""
    known = np.maximum(cells.known, 1)
    squares = cells.known_squares - cells.known_sum**2 / known
    return np.asarray(np.maximum(squares, 0.0) / np.maximum(cells.known - 1, 1))


# ---------------------------------------------------------------------------------------- all pairs


def all_pairs_tables(asking: Asking) -> Iterator[Table]:
    """Differences of all candidates and baselines, unadjusted, in each metric and variant used."""
    systems = asking.compared
    for view in asking.views:
        measure = "expected_success" if asking.weighted else "mean"
        rows: list[tuple[Cell, ...]] = []
        for of, over in itertools.combinations(systems, 2):
            found = asking.value(
                asking.asked(view, of, over, measure=measure, tasks=asking.weighted)
            )
            held = isinstance(found, Estimate)
            rows.append(
                (
                    of,
                    over,
                    *cells(found),
                    found.items if isinstance(found, Estimate) else 0,
                    found.missing_items if isinstance(found, Estimate) else 0,
                    found.unit if isinstance(found, Estimate) else view.metric,
                    "" if held else why_not(found),
                )
            )
        more = len(asking.systems) - len(systems)
        if rows:
            yield Table(
                id=f"all_pairs.{view.suffix}",
                title=f"All pairs, {view.metric}, {' and '.join(view.variants)}",
                columns=(
                    "of",
                    "over",
                    "value",
                    "lower",
                    "upper",
                    "items",
                    "missing_items",
                    "unit",
                    "remark",
                ),
                rows=tuple(rows),
                note="95% intervals, each by itself: among many pairs some exclude 0 by chance."
                + (f" {more} more systems are not shown." if more else ""),
            )
