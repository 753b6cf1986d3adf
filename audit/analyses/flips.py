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

from audit.analyses.arrays import Floats
from audit.analyses.asking import TABLE_ERROR, Asking, Measure, View
from audit.analyses.contract import Estimate, Table
from audit.analyses.samples import Sample, pair_sample
from audit.spec.plan import TaskWeight
from audit.stats.clusters import cluster_mean
from audit.stats.estimate import NotEstimable as Refused
from audit.stats.mixes import FlipWeight, flip_weight, least_difference_over_vertices
from audit.stats.strata import Stratum, augmented

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
        tables += _ranges_table(asking, view, own)
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


# ------------------------------------------------------------------------- differences by task


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two systems by task, with their covariance; arrays are [task]."""

    tasks: tuple[TaskWeight, ...]
    value: Floats
    covariance: Floats
    gone: tuple[str, ...]
    """Tasks with weight but without items."""

    @property
    def shares(self) -> Floats:
        """Shares of the tasks with items, sum 1."""
        shares = np.array([one.share for one in self.tasks])
        return np.asarray(shares / shares.sum())


def differences(asking: Asking, sample: Sample, values: Floats) -> Differences:
    """Means by task of some values of a sample (`low`, `high` or `value`).

    Variances are CR2 with pseudo-items; clusters that cross tasks add covariances.
    """
    held, gone, means, variances, sums = [], [], [], [], []
    clusters = np.arange(len(sample)) if sample.cluster is None else sample.cluster
    codes = np.unique(clusters, return_inverse=True)[1]
    for one in asking.slice.weights:
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
        variances.append(cluster_mean(*more).variance if varied else np.inf)
        sums.append(
            np.bincount(
                codes[inside], weights=(own - own.mean()) / len(own), minlength=codes.max() + 1
            )
        )
    by_cluster = np.array(sums, dtype=np.float64).reshape(len(held), -1)
    covariance: Floats = by_cluster @ by_cluster.T
    np.fill_diagonal(covariance, variances)
    return Differences(tuple(held), np.array(means), covariance, tuple(gone))


def _weights_table(asking: Asking, view: View, pairs: Sequence[tuple[str, str]]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for of, over in pairs:
        sample = pair_sample(asking.arrays[view.metric], of, over, view.variants)
        if bool(sample.bounded.any()) or not len(sample):
            continue
        found = differences(asking, sample, sample.value)
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
            float(d_rest), float(d_task), both @ found.covariance @ both.T, TABLE_ERROR
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


# ------------------------------------------------------------------------------- declared ranges


def _ranges_table(asking: Asking, view: View, pairs: Sequence[tuple[str, str]]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    weights = [one for one in asking.slice.weights if one.share > 0]
    losses = asking.has_losses and asking.has_range(view)
    for of, over in pairs:
        if any(one.share_range for one in weights):
            rows += _range_rows(asking, view, of, over, "expected_success", "shares")
            if losses:
                rows += _range_rows(asking, view, of, over, "expected_loss", "shares")
        if losses and any(one.consequence_range for one in weights):
            rows += _range_rows(asking, view, of, over, "expected_loss", "consequences")
    if rows:
        yield Table(
            id=f"ranges.{view.suffix}",
            title=f"Does the order hold in the declared ranges? {view.metric}, "
            f"{' and '.join(view.variants)}",
            columns=(
                "of",
                "over",
                "measure",
                "range",
                "leads",
                "declared",
                "least",
                "least_bound",
                "holds",
                "mix",
            ),
            rows=tuple(rows),
            note="Declared: the lead at the declared weights. Least: the lead at the mix where it "
            "is least sure, with its one-sided 97.5% bound; the order holds if that is above 0. "
            "Tasks without a range share the rest in proportion.",
        )


def _range_rows(
    asking: Asking, view: View, of: str, over: str, measure: Measure, what: str
) -> Iterator[tuple[Cell, ...]]:
    """One row per pair: the lead of the system that leads by estimate, at its worst mix."""
    loss = measure == "expected_loss"
    responses = asking.arrays[view.metric]
    good = -1 if loss or responses.metric.better == "lower" else 1
    sample = pair_sample(responses, of, over, view.variants, loss=loss)
    if not len(sample):
        return
    ends = [differences(asking, sample, one) for one in (sample.low, sample.high)]
    factor = _consequences(ends[0].tasks) if loss else np.ones(len(ends[0].tasks))
    middle = sum(float(np.sum(one.shares * factor * one.value)) for one in ends) / 2
    leads = of if good * middle >= 0 else over
    side = good if leads == of else -good
    # the lead is least with missing responses at the end that speaks against it
    found = ends[0] if side == 1 else ends[1]
    head: tuple[Cell, ...] = (of, over, measure.replace("_", " "), what, leads)
    if found.gone or not np.all(np.isfinite(found.covariance)):
        why = f"not assessed: no items in {', '.join(found.gone)}" if found.gone else "not assessed"
        yield (*head, None, None, None, None, why)
        return
    vectors = _share_vectors if what == "shares" else _consequence_vectors
    mixes, low, high, names, times = vectors(found.tasks, found.shares, factor)
    least = least_difference_over_vertices(
        side * (mixes @ found.value),
        mixes @ found.covariance @ mixes.T,
        low,
        high,
        TABLE_ERROR,
    )
    declared = float(side * np.sum(found.shares * factor * found.value))
    if isinstance(least, Refused):
        yield (*head, declared, None, None, None, least.detail)
        return
    shown = ", ".join(
        f"{name} {weight:.3g}" for name, weight in zip(names, least.weights, strict=False)
    )
    bound = times * least.bound
    yield (*head, declared, times * least.difference, bound, bound > 0, shown)


def _consequences(tasks: Sequence[TaskWeight]) -> Floats:
    return np.array([float(one.consequence or 0.0) for one in tasks])


_Vectors = tuple[Floats, Floats, Floats, list[str], float]


def _share_vectors(tasks: Sequence[TaskWeight], shares: Floats, factor: Floats) -> _Vectors:
    """One mix per task with a range, and one of all others in proportion: rows over tasks."""
    ranged = [at for at, one in enumerate(tasks) if one.share_range]
    others = [at for at, one in enumerate(tasks) if not one.share_range]
    rows = [np.eye(len(tasks))[at] for at in ranged]
    low = [(tasks[at].share_range or (0.0, 1.0))[0] for at in ranged]
    high = [(tasks[at].share_range or (0.0, 1.0))[1] for at in ranged]
    names = [tasks[at].task for at in ranged]
    if others:
        rest = np.zeros(len(tasks))
        rest[others] = shares[others] / shares[others].sum()
        rows, low, high = [*rows, rest], [*low, 0.0], [*high, 1.0]
        names.append(tasks[others[0]].task if len(others) == 1 else "others")
    return np.array(rows) * factor, np.array(low), np.array(high), names, 1.0


def _consequence_vectors(tasks: Sequence[TaskWeight], shares: Floats, factor: Floats) -> _Vectors:
    """Consequences as a mix: share times consequence, with a slack that holds no difference."""
    low, high = (
        shares
        * [(one.consequence_range or (u, u))[end] for one, u in zip(tasks, factor, strict=True)]
        for end in (0, 1)
    )
    total = float(high.sum())
    if total == 0:
        return np.eye(len(tasks)), shares * 0, shares * 0, [], 1.0
    rows = np.vstack([np.eye(len(tasks)), np.zeros(len(tasks))])
    return (
        rows,
        np.append(low / total, 0.0),
        np.append(high / total, 1.0),
        [],
        total,
    )
