"""Does the order of two systems hold for all shares and consequences that the study declares?

The lead of the system that leads by estimate is bounded at the mix where it is least sure: a vertex
of the declared ranges, since estimate minus q standard errors is concave in the weights (errata
section 10). Missing responses stand at the end that speaks against the lead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audit.analyses.arrays import Floats
from audit.analyses.asking import TABLE_ERROR, Asking, Measure, View
from audit.analyses.contract import Table
from audit.analyses.samples import pair_sample
from audit.analyses.task_differences import differences
from audit.spec.plan import TaskWeight
from audit.stats.estimate import NotEstimable as Refused
from audit.stats.mixes import least_difference_over_vertices

Cell = str | float | int | bool | None


def ranges_table(asking: Asking, view: View, pairs: Sequence[tuple[str, str]]) -> Iterator[Table]:
    """Whether each pair's order holds in the declared ranges; nothing where none are declared."""
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
    ends = [differences(asking.slice.weights, sample, one) for one in (sample.low, sample.high)]
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
        found.df,
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
