"""What must not matter: the side from which one looks, names, order of rows, other systems."""

import random

import numpy as np
import pytest

from audit.analyses import comparison, workload
from audit.analyses.contract import Estimate
from tests.analyses.builders import (
    BINARY,
    SHARE,
    analysis_slice,
    request,
    row,
    table,
    weight,
)

TASKS = ("x", "y", "z")
WEIGHTS = [
    weight(task, share, count=round(1000 * share), consequence=u)
    for task, share, u in zip(TASKS, (0.6, 0.3, 0.1), (1.0, 3.0, 10.0), strict=True)
]
SHAPES = ("binary", "missing", "clusters", "attempts", "graded", "crossing", "variants")


def rows_like(shape, seed=0, systems=("a", "b", "c"), n=90):
    """Responses of some systems with one difficulty each."""
    rng = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        task = TASKS[at % 3]
        cluster = {"clusters": f"{task}{at // 3 % 10}", "crossing": f"k{at % 11}"}.get(shape)
        ease = rng.uniform(-0.25, 0.25)
        for place, system in enumerate(systems):
            chance = 0.6 + 0.1 * place + ease
            fields = {"task": task, "cluster": cluster}
            if shape == "missing" and rng.random() < 0.15:
                status = ("error", "refused", "not_run")[int(rng.integers(3))]
                rows.append(row(system, f"q{at:03d}", None, status=status, **fields))
                continue
            if shape == "missing" and rng.random() < 0.05:
                continue
            attempts = int(rng.integers(1, 5)) if shape == "attempts" else 1
            for attempt in range(attempts):
                score = float(rng.random() < chance)
                if shape == "graded":
                    score = float(np.clip(chance + rng.normal(0, 0.2), 0, 1))
                rows.append(row(system, f"q{at:03d}", score, attempt=attempt, **fields))
            if shape == "variants" and rng.random() < 0.9:
                short = float(rng.random() < chance - 0.1)
                rows.append(row(system, f"q{at:03d}", short, variant="short", **fields))
    return rows


def requests_of(of, over, shape):
    variants = ("base", "short") if shape == "variants" else ("base",)
    fields = {"variants": variants}
    return [
        request(of, over, **fields),
        request(of, over, id="C.2", measure="expected_success", tasks=TASKS, **fields),
        request(of, over, id="C.3", measure="expected_loss", tasks=TASKS, sign=-1, **fields),
        request(of, over, id="C.4", measure="expected_success", tasks=("y",), **fields),
        request(of, over, id="C.4@tasks=z", measure="mean", tasks=("z",), **fields),
    ]


def answers(shape, rows, of="a", over="b", **fields):
    metric = SHARE.model_copy(update={"id": "correct"}) if shape == "graded" else BINARY
    wanted = analysis_slice(
        requests_of(of, over, shape), weights=WEIGHTS, metrics=(metric,), **fields
    )
    result = comparison.analyse(wanted, table(rows))
    return {one.request: one for one in (*result.estimates, *result.not_estimable)}


def close(one, other):
    return one == pytest.approx(other, abs=1e-12, rel=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_swapping_the_systems_mirrors_every_number(shape):
    rows = rows_like(shape)
    there, back = answers(shape, rows), answers(shape, rows, "b", "a")
    for name, one in there.items():
        other = back[name]
        assert isinstance(one, Estimate)
        assert close(other.value, -one.value)
        assert close(other.identified, (-one.identified[1], -one.identified[0]))
        for held, mirrored in (
            (one.bounds, other.bounds),
            (one.bounds_if_low, other.bounds_if_high),
            (one.bounds_if_high, other.bounds_if_low),
        ):
            assert len(held) == len(mirrored)
            for bound, image in zip(held, mirrored, strict=True):
                assert close((image.lower, image.upper), (-bound.upper, -bound.lower))
        assert close(other.standard_error, one.standard_error)
        assert (other.method, other.items, other.missing_items) == (
            one.method,
            one.items,
            one.missing_items,
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_an_irrelevant_system_changes_no_bit(shape):
    rows = rows_like(shape)
    without = [one for one in rows if one["system"] != "c"]
    more = [row("d", f"w{at}", 1, task="y", cluster=one["cluster"]) for at, one in enumerate(rows)]
    assert answers(shape, rows) == answers(shape, without) == answers(shape, rows + more)


@pytest.mark.parametrize("shape", SHAPES)
def test_order_of_rows_changes_no_bit(shape):
    rows = rows_like(shape)
    assert answers(shape, rows) == answers(shape, random.Random(3).sample(rows, len(rows)))


@pytest.mark.parametrize("shape", SHAPES)
def test_names_of_items_and_clusters_do_not_matter(shape):
    rows = rows_like(shape)
    names = sorted({one["item"] for one in rows})
    new = dict(zip(names, random.Random(4).sample(names, len(names)), strict=True))
    renamed = [
        one | {"item": new[one["item"]], "cluster": one["cluster"] and f"n{one['cluster'][::-1]}"}
        for one in rows
    ]
    first, second = answers(shape, rows), answers(shape, renamed)
    for name, one in first.items():
        for bound, other in zip(one.bounds, second[name].bounds, strict=True):
            assert close((bound.lower, bound.upper), (other.lower, other.upper))
        assert close(one.value, second[name].value)
        assert close(one.identified, second[name].identified)


@pytest.mark.parametrize("shape", SHAPES)
def test_names_of_systems_do_not_matter(shape):
    rows = rows_like(shape)
    new = {"a": "zz", "b": "m", "c": "aa"}
    renamed = [one | {"system": new[one["system"]]} for one in rows]
    assert answers(shape, rows) == answers(shape, renamed, "zz", "m", systems=("zz", "m"))


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_hold_what_the_missing_allow(shape):
    for name, one in answers(shape, rows_like(shape)).items():
        for bound in one.bounds:
            assert bound.lower < bound.upper
            assert bound.lower <= one.identified[0] + 1e-12
            assert bound.upper >= one.identified[1] - 1e-12
        assert one.standard_error > 0, name


def test_any_filling_of_the_missing_lies_between_the_ends():
    """Fill what is unknown by chance: the estimate never leaves `identified`."""
    rows = rows_like("missing", systems=("a", "b"))
    first = answers("missing", rows)
    present = {(one["system"], one["item"]) for one in rows}
    items = {one["item"]: one["task"] for one in rows}
    for seed in range(5):
        rng = random.Random(seed)
        filled = [
            one | {"score": float(rng.random() < 0.5), "status": "ok"}
            if one["score"] is None and one["status"] in ("error", "not_run")
            else one
            for one in rows
        ]
        filled += [
            row(system, item, rng.randint(0, 1), task=task)
            for item, task in items.items()
            for system in "ab"
            if (system, item) not in present
        ]
        for name, one in answers("missing", filled).items():
            low, high = first[name].identified
            assert not one.missing_items
            assert low - 1e-12 <= one.value <= high + 1e-12
            for bound, outer in zip(one.bounds, first[name].bounds, strict=True):
                assert outer.lower < one.value < outer.upper
                assert bound.error == outer.error


def test_flipping_right_and_wrong_turns_a_share_around():
    rows = rows_like("binary", systems=("a",))
    flipped = [one | {"score": 1 - one["score"]} for one in rows]
    found = []
    for data in (rows, flipped):
        asked = [request("a", measure="expected_success", tasks=TASKS)]
        wanted = analysis_slice(asked, weights=WEIGHTS, systems=("a",))
        found.append(workload.analyse(wanted, table(data)).estimates[0])
    one, other = found
    assert close(other.value, 1 - one.value)
    for bound, image in zip(one.bounds, other.bounds, strict=True):
        assert close((image.lower, image.upper), (1 - bound.upper, 1 - bound.lower))


def test_percent_is_a_hundred_times_the_share():
    rows = rows_like("graded")
    share = answers("graded", rows)
    metric = SHARE.model_copy(update={"id": "correct", "upper": 100.0})
    percent = [one | {"score": 100 * one["score"]} for one in rows]
    wanted = analysis_slice(requests_of("a", "b", "graded"), weights=WEIGHTS, metrics=(metric,))
    result = comparison.analyse(wanted, table(percent))
    for one in result.estimates:
        factor = 1 if one.request == "C.3" else 100  # a loss is in its own unit
        held = share[one.request]
        assert one.value == pytest.approx(factor * held.value)
        for bound, other in zip(one.bounds, held.bounds, strict=True):
            assert bound.lower == pytest.approx(factor * other.lower)
            assert bound.upper == pytest.approx(factor * other.upper)
