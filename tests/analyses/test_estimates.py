"""Estimates of one request: hand-worked values, other programs' values, missing responses."""

import itertools

import numpy as np
import pytest
from scipy.stats import binomtest

from audit.analyses.arrays import prepare
from audit.analyses.contract import Estimate, NotEstimable
from audit.analyses.estimates import Choices, evaluate_value
from audit.errors import Reason
from audit.spec.models import UNSCORED_DEFAULT
from audit.stats.paired import tango_bounds
from tests.analyses.builders import (
    BINARY,
    ERRORS,
    PERCENT,
    SECONDS,
    SHARE,
    paired,
    request,
    row,
    scored,
    table,
    weight,
)

TASKS = ("easy", "middle", "hard")


def evaluated(rows, asked, metric=BINARY, weights=(), kind="none", **fields):
    responses = prepare(table(rows, **fields), metric, UNSCORED_DEFAULT)
    return evaluate_value(responses, Choices(asked, tuple(weights), kind, "hours"))


# ----------------------------------------------------------------------------------- hand-worked

# methods b, worked reference: shares of items (.6, .3, .1), of the work (.2, .3, .5);
# A scores (.95, .80, .30), B (.90, .78, .45).
ITEMS = (600, 300, 100)
RIGHT = {"a": (570, 240, 30), "b": (540, 234, 45)}
WORK = [weight(task, share) for task, share in zip(TASKS, (0.2, 0.3, 0.5), strict=True)]


def reference_rows():
    task = [name for name, n in zip(TASKS, ITEMS, strict=True) for _ in range(n)]
    scores = {
        system: [int(at < k) for k, n in zip(right, ITEMS, strict=True) for at in range(n)]
        for system, right in RIGHT.items()
    }
    return scored(scores, task=task)


@pytest.mark.parametrize(
    ("of", "over", "measure", "value"),
    [
        ("a", None, "mean", 0.840),  # .6*.95 + .3*.80 + .1*.30
        ("b", None, "mean", 0.819),
        ("a", "b", "mean", 0.021),
        ("a", None, "expected_success", 0.580),  # .2*.95 + .3*.80 + .5*.30
        ("b", None, "expected_success", 0.639),
        ("a", "b", "expected_success", -0.059),
    ],
)
def test_worked_reference_of_shares(of, over, measure, value):
    asked = request(of, over, measure=measure, tasks=TASKS)
    found = evaluated(reference_rows(), asked, weights=WORK, kind="share")
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.identified == (found.value, found.value)
    assert found.items == 1000
    assert found.bounds[0].lower < found.value < found.bounds[0].upper
    assert found.unit == "share"


def test_shares_are_renormalised_within_the_scope():
    # tasks easy and middle: (.2 * .95 + .3 * .80) / .5 = .86
    asked = request("a", measure="expected_success", tasks=TASKS[:2])
    found = evaluated(reference_rows(), asked, weights=WORK, kind="share")
    assert found.value == pytest.approx(0.86)
    assert found.items == 900


def test_loss_has_the_unit_of_its_consequence():
    # sum f u (1 - S) = .2*1*.05 + .3*2*.20 + .5*4*.70 = .01 + .12 + 1.4
    weights = [
        one.model_copy(update={"consequence": u})
        for one, u in zip(WORK, (1.0, 2.0, 4.0), strict=True)
    ]
    asked = request("a", measure="expected_loss", tasks=TASKS)
    found = evaluated(reference_rows(), asked, weights=weights, kind="share")
    assert found.value == pytest.approx(1.53)
    assert found.unit == "hours per task"
    # of minus over: -(.2*.05 + .3*2*.02 - .5*4*.15) = .278
    asked = request("a", "b", measure="expected_loss", tasks=TASKS)
    found = evaluated(reference_rows(), asked, weights=weights, kind="share")
    assert found.value == pytest.approx(0.278)


def test_two_tasks_are_combined_by_squares_of_their_distances():
    # MOVER: L = T - sqrt(sum (w (D - l))^2) with Tango's l of each task
    one, other = (20, 30, 10, 40), (10, 2, 9, 29)
    scores = {name: paired(*one)[name] + paired(*other)[name] for name in ("a", "b")}
    rows = scored(scores, task=["x"] * 100 + ["y"] * 50)
    weights = [weight("x", 0.7), weight("y", 0.3)]
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
    found = evaluated(rows, asked, weights=weights, kind="share")
    assert found.value == pytest.approx(0.7 * 20 / 100 + 0.3 * -7 / 50)
    l1, l2 = tango_bounds(30, 10, 100, 0.025), tango_bounds(2, 9, 50, 0.025)
    down = np.hypot(0.7 * (0.2 - l1.lower), 0.3 * (-0.14 - l2.lower))
    assert found.bounds[0].lower == pytest.approx(found.value - down, abs=1e-9)


def test_counts_widen_the_interval():
    weights = [
        one.model_copy(update={"count": count})
        for one, count in zip(WORK, (20, 30, 50), strict=True)
    ]
    asked = request("a", "b", measure="expected_success", tasks=TASKS)
    typed, counted = (
        evaluated(reference_rows(), asked, weights=weights, kind=kind)
        for kind in ("share", "count")
    )
    assert counted.value == typed.value
    assert counted.bounds[0].lower < typed.bounds[0].lower
    assert "uses counted" in counted.inference_population
    assert "weights fixed" in typed.inference_population


def test_percent_stays_percent():
    rows = scored({"a": [80, 60, 70, 50, 90, 75], "b": [70, 65, 40, 50, 80, 60]}, metric="points")
    found = evaluated(rows, request("a", "b", metric="points"), metric=PERCENT)
    # (10 - 5 + 30 + 0 + 10 + 15) / 6
    assert found.value == pytest.approx(10)
    assert found.unit == "percent"
    assert found.method.startswith(("cr2", "clusters"))


def test_lower_is_better_stays_natural():
    rows = scored({"a": [10, 20] * 10, "b": [30, 20] * 10}, metric="errors")
    found = evaluated(rows, request("a", "b", metric="errors", sign=-1), metric=ERRORS)
    assert found.value == pytest.approx(-10)


def test_several_variants_are_averaged_and_graded():
    rows = scored({"a": [1] * 12, "b": [0, 1] * 6})
    rows += scored({"a": [0] * 12, "b": [0] * 12}, variant="short")
    found = evaluated(rows, request("a", "b", variants=("base", "short")))
    assert found.value == pytest.approx(0.25)
    assert "tango" not in found.method


# ------------------------------------------------------------------------- against other programs


def test_single_score_is_the_exact_interval():
    found = evaluated(scored({"a": [1] * 37 + [0] * 13}), request("a"))
    exact = binomtest(37, 50).proportion_ci(0.95, method="exact")
    assert found.bounds[0].lower == pytest.approx(exact.low, abs=1e-9)
    assert found.bounds[0].upper == pytest.approx(exact.high, abs=1e-9)
    assert found.method == "clopper-pearson"


def test_paired_difference_is_tangos_interval():
    found = evaluated(scored(paired(100, 40, 25, 35)), request("a", "b"))
    for one in found.bounds:
        exact = tango_bounds(40, 25, 200, one.error)
        assert (one.lower, one.upper) == pytest.approx((exact.lower, exact.upper), abs=1e-12)


# -------------------------------------------------------------------------------------- missing

# 2,000 items: a solves 1,385, b 1,400; a loses rows on 61 of its 615 failures (5 where b solves).
LOST = {1385 + at for at in range(5)} | {1433 + 10 * at for at in range(56)}


def lossy():
    scores = paired(1352, 33, 48, 567)
    scores["a"] = [None if at in LOST else one for at, one in enumerate(scores["a"])]
    return scored(scores)


def test_lost_failures_leave_both_signs_possible():
    found = evaluated(lossy(), request("a", "b"))
    # worst: 33 gains, 48 losses; best: 33 + 56 gains, 43 losses; of both present 33 and 43 of 1939
    assert found.identified == pytest.approx((-15 / 2000, 46 / 2000))
    assert found.value == pytest.approx(-10 / 1939)
    assert found.missing_items == 61
    low, high = tango_bounds(33, 48, 2000, 0.025), tango_bounds(89, 43, 2000, 0.025)
    assert found.bounds[0].lower == pytest.approx(low.lower)
    assert found.bounds[0].upper == pytest.approx(high.upper)
    assert found.bounds_if_low[0].upper == pytest.approx(low.upper)
    assert found.bounds_if_high[0].lower == pytest.approx(high.lower)
    assert found.bounds_if_high[0].lower > 0 > found.bounds_if_low[0].lower


def test_lost_failures_mirror_when_the_systems_are_swapped():
    there, back = (evaluated(lossy(), request(*pair)) for pair in (("a", "b"), ("b", "a")))
    assert back.value == pytest.approx(-there.value, abs=1e-12)
    assert back.identified == pytest.approx((-there.identified[1], -there.identified[0]), abs=1e-12)
    for one, other in zip(there.bounds, back.bounds, strict=True):
        assert (other.lower, other.upper) == pytest.approx((-one.upper, -one.lower), abs=1e-12)
    for one, other in zip(there.bounds_if_low, back.bounds_if_high, strict=True):
        assert (other.lower, other.upper) == pytest.approx((-one.upper, -one.lower), abs=1e-12)


def test_a_loss_is_highest_where_scores_are_lowest():
    weights = [weight("x", 1.0, consequence=3.0)]
    rows = scored({"a": [1] * 15 + [None] * 5, "b": [1] * 20}, task="x")
    found = evaluated(
        rows, request("a", measure="expected_loss", tasks=("x",)), weights=weights, kind="share"
    )
    assert found.identified == pytest.approx((0, 3 * 5 / 20))
    assert found.value == 0


def test_missing_items_without_a_range_are_refused():
    rows = scored({"a": [3.0, None, 5.0], "b": [4.0, 2.0, 1.0]}, metric="seconds")
    found = evaluated(rows, request("a", "b", metric="seconds"), metric=SECONDS)
    assert isinstance(found, NotEstimable)
    assert found.reason == Reason.MISSING_BOUNDS_CROSS


def test_a_task_that_one_system_never_ran_is_bounded_in_its_middle():
    scores = {"a": [1] * 20 + [None] * 20, "b": [1, 0] * 20}
    weights = [weight("x", 0.5), weight("y", 0.5)]
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
    found = evaluated(
        scored(scores, task=["x"] * 20 + ["y"] * 20), asked, weights=weights, kind="share"
    )
    # x: +.5; y: between -.5 and +.5, middle 0
    assert found.value == pytest.approx(0.25)
    assert found.identified == pytest.approx((0.0, 0.5))


def test_unequal_attempts_bound_the_difference():
    rows = [row("a", f"q{i}", i % 2, attempt=at) for i in range(20) for at in range(4)]
    rows += [row("b", f"q{i}", i % 2, attempt=at) for i in range(20) for at in range(3)]
    found = evaluated(rows, request("a", "b"))
    assert found.value == 0
    # b's fourth attempt may be right or wrong: -1/4 and +1/4 of an item, half of them each way
    assert found.identified == pytest.approx((-0.125, 0.125))


def test_attempts_never_weight_items():
    rows = [row("a", "q0", 1, attempt=at) for at in range(9)]
    rows += [row("a", f"q{i}", 0) for i in range(1, 10)]
    assert evaluated(rows, request("a")).value == pytest.approx(0.1)


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (request("a", tasks=("z",)), Reason.NO_ITEMS),
        (request("a", variants=("short",)), Reason.NO_ITEMS),
        (request("nobody", "else"), Reason.NO_ITEMS),
        (request("nobody"), Reason.NO_ITEMS),
        (request("a", measure="expected_success", tasks=("few", "many")), Reason.TOO_FEW_ITEMS),
        (request("a", measure="expected_success", tasks=("few",)), Reason.TOO_FEW_ITEMS),
        (request("a", measure="expected_success", tasks=("none",)), Reason.NO_ITEMS),
        (request("a", measure="expected_loss", tasks=("many",)), Reason.SPEC_INCOMPLETE),
    ],
)
def test_what_cannot_be_had_is_refused_with_its_reason(asked, reason):
    rows = scored({"a": [1, 0] * 12}, task=["few"] * 4 + ["many"] * 20)
    weights = [weight("few", 0.3), weight("many", 0.6), weight("none", 0.1)]
    found = evaluated(rows, asked, weights=weights, kind="share")
    assert isinstance(found, NotEstimable)
    assert found.reason == reason
    assert found.detail.endswith(".")


def test_a_light_task_may_have_few_items():
    rows = scored({"a": [1, 0] * 12}, task=["few"] * 4 + ["many"] * 20)
    weights = [weight("few", 0.05), weight("many", 0.95)]
    asked = request("a", measure="expected_success", tasks=("few", "many"))
    assert isinstance(evaluated(rows, asked, weights=weights, kind="share"), Estimate)


def test_few_clusters_are_refused():
    rows = scored({"a": [1, 0] * 20}, cluster=[f"c{i % 5}" for i in range(40)])
    found = evaluated(rows, request("a"))
    assert found.reason == Reason.TOO_FEW_CLUSTERS


def test_clusters_of_one_item_are_items():
    scores = paired(10, 12, 3, 25)
    one = evaluated(scored(scores), request("a", "b"))
    other = evaluated(scored(scores, cluster=[f"c{i}" for i in range(50)]), request("a", "b"))
    assert one == other


def test_no_interval_has_no_width():
    for scores in ({"a": [1] * 30, "b": [1] * 30}, {"a": [1] * 30, "b": [0] * 30}):
        found = evaluated(scored(scores), request("a", "b"))
        assert found.bounds[0].lower < found.bounds[0].upper


# --------------------------------------------------------------------------------- recovered truth


@pytest.mark.parametrize("clustered", [False, True])
def test_truth_is_inside_for_most_seeds(clustered):
    """Difference .10 in task x, -.05 in y, weights .7 and .3: .055; 40 studies, 95% intervals."""
    inside = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 120
        shift = np.repeat(rng.normal(0, 0.08, n // 4), 4)[rng.permutation(n)] * clustered
        task = np.where(np.arange(n) % 3 == 0, "y", "x")
        gain = np.where(task == "x", 0.1, -0.05)
        a = rng.random(n) < np.clip(0.6 + gain + shift, 0, 1)
        b = rng.random(n) < 0.6
        rows = scored({"a": a.tolist(), "b": b.tolist()}, task=task.tolist())
        weights = [weight("x", 0.7), weight("y", 0.3)]
        asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
        found = evaluated(rows, asked, weights=weights, kind="share")
        inside += found.bounds[0].lower < 0.055 < found.bounds[0].upper
    assert inside >= 34  # P(X <= 33 | 40, .95) = .0007


def test_bounds_widen_with_the_error():
    rows = scored({"a": [0.2, 0.9, 0.4, 0.7] * 8, "b": [0.1, 0.5, 0.6, 0.7] * 8}, metric="solved")
    errors = (0.05, 0.025, 0.0125, 0.001)
    found = evaluated(rows, request("a", "b", metric="solved", errors=errors), metric=SHARE)
    assert [one.error for one in found.bounds] == list(errors)
    for one, other in itertools.pairwise(found.bounds):
        assert other.lower < one.lower
        assert other.upper > one.upper
