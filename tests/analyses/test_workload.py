import numpy as np
import pytest
from scipy.stats import binomtest

from audit.analyses import workload
from tests.analyses.builders import (
    BINARY,
    analysis_slice,
    answer,
    paired,
    request,
    row,
    rows_of,
    scored,
    table,
    weight,
)

TASKS = ("easy", "middle", "hard")
ITEMS = (600, 300, 100)
RIGHT = {"a": (570, 240, 30), "b": (540, 234, 45)}
TASK = [name for name, n in zip(TASKS, ITEMS, strict=True) for _ in range(n)]


def reference_rows(**fields):
    """The worked reference of shares: see test_estimates."""
    scores = {
        system: [int(at < k) for k, n in zip(right, ITEMS, strict=True) for at in range(n)]
        for system, right in RIGHT.items()
    }
    return scored(scores, task=TASK, **fields)


def work(**hard):
    return [weight("easy", 0.2), weight("middle", 0.3), weight("hard", 0.5, **hard)]


def analysed(rows, requests=None, weights=(), **fields):
    requests = requests or [request("a", measure="expected_success", tasks=TASKS)]
    return workload.analyse(analysis_slice(requests, weights=weights, **fields), table(rows))


def test_scores_by_task_are_exact():
    found = rows_of(analysed(reference_rows(), weights=work()), "scores_by_task.correct.base")
    assert [(one["system"], one["task"]) for one in found] == [
        (system, task) for system in "ab" for task in TASKS
    ]
    for one in found:
        k = RIGHT[one["system"]][TASKS.index(one["task"])]
        exact = binomtest(k, one["items"]).proportion_ci(method="exact")
        assert one["value"] == pytest.approx(k / one["items"])
        assert (one["lower"], one["upper"]) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_plain_and_weighted_scores_stand_beside_each_other():
    weights = [
        one.model_copy(update={"consequence": u}) for one, u in zip(work(), (1, 2, 4), strict=True)
    ]
    found = rows_of(
        analysed(reference_rows(), weights=weights, consequence_unit="hours"),
        "weighted_scores.correct.base",
    )
    values = {(one["system"], one["measure"]): one for one in found}
    assert values["a", "plain mean"]["value"] == pytest.approx(0.84)
    assert values["a", "expected success"]["value"] == pytest.approx(0.58)
    assert values["a", "expected loss"]["value"] == pytest.approx(1.53)
    assert values["a", "expected loss"]["unit"] == "hours per task"
    # (sum f)^2 / sum f^2/n = 1 / (.04/600 + .09/300 + .25/100) = 348.8
    assert values["a", "expected success"]["effective_items"] == pytest.approx(
        1 / (0.04 / 600 + 0.09 / 300 + 0.25 / 100)
    )
    assert values["a", "plain mean"]["effective_items"] == pytest.approx(1000)


def test_answer_is_that_of_the_table():
    result = analysed(reference_rows(), weights=work())
    found = answer(result)
    table_row = rows_of(result, "weighted_scores.correct.base")[1]
    assert (table_row["value"], table_row["lower"], table_row["upper"]) == (
        found.value,
        found.bounds[0].lower,
        found.bounds[0].upper,
    )


def test_without_work_all_items_count_alike():
    result = analysed(scored({"a": [1, 0, 1, 1], "b": [0, 0, 1, 1]}), [request("a")])
    assert answer(result).value == 0.75
    assert [one["task"] for one in rows_of(result, "scores_by_task.correct.base")] == [
        "all items",
        "all items",
    ]
    assert not any(one.id.startswith(("flip", "range")) for one in result.tables)


# --------------------------------------------------------------------------------- severe tasks


@pytest.mark.parametrize("n", [10, 60, 300])
def test_no_failure_bounds_the_rate_exactly(n):
    rows = scored({"a": [1] * n}, task="x")
    weights = [weight("x", 1.0, severe=True)]
    result = analysed(rows, [request("a")], weights=weights, systems=("a",))
    (one,) = rows_of(result, "severe_tasks.correct.base")
    assert (one["failures"], one["failure_rate"]) == (0, 0)
    assert one["upper_95"] == pytest.approx(1 - 0.05 ** (1 / n))


def test_missing_responses_of_a_severe_task_count_as_failures():
    rows = scored({"a": [1] * 40 + [None] * 10, "b": [1] * 50}, task="x")
    result = analysed(rows, [request("a")], weights=[weight("x", 1.0, severe=True)])
    one = rows_of(result, "severe_tasks.correct.base")[0]
    exact = binomtest(10, 50).proportion_ci(0.9, method="exact").high
    assert (one["items"], one["failures"]) == (50, 0)
    assert one["upper_95"] == pytest.approx(exact)


def test_failures_are_low_errors_where_lower_is_better():
    metric = BINARY.model_copy(update={"better": "lower"})
    rows = scored({"a": [0] * 45 + [1] * 5}, task="x")
    weights = [weight("x", 1.0, severe=True)]
    result = analysed(rows, [request("a")], weights=weights, metrics=(metric,), systems=("a",))
    (one,) = rows_of(result, "severe_tasks.correct.base")
    assert (one["failures"], one["failure_rate"]) == (5, pytest.approx(0.1))
    assert one["upper_95"] == pytest.approx(binomtest(5, 50).proportion_ci(0.9).high)


# ----------------------------------------------------------------------------------------- flips


def test_a_flip_is_established_only_if_both_intervals_exclude_zero():
    # plain .840 against .819: not shown on 1,000 items; weighted .580 against .639: not shown
    result = analysed(reference_rows(), weights=work())
    (one,) = rows_of(result, "flips.correct.base")
    assert one["plain"] == pytest.approx(0.021)
    assert one["weighted"] == pytest.approx(-0.059)
    expected = [one["plain_lower"] > 0, one["weighted_upper"] < 0]
    assert one["flip"] == ("not shown", "possible", "established")[sum(expected)]
    # twenty times the items: both excluded
    n = [20 * one for one in ITEMS]
    scores = {
        system: [int(at < 20 * k) for k, m in zip(right, n, strict=True) for at in range(m)]
        for system, right in RIGHT.items()
    }
    task = [name for name, m in zip(TASKS, n, strict=True) for _ in range(m)]
    result = analysed(scored(scores, task=task), weights=work())
    assert rows_of(result, "flips.correct.base")[0]["flip"] == "established"
    assert result.diagnostics["flips"]["correct.base"]["established"] == 1


def test_no_flip_where_the_order_is_the_same():
    scores = {"a": [1] * 900 + [0] * 100, "b": [0] * 900 + [0] * 100}
    result = analysed(scored(scores, task=TASK), weights=work())
    assert not any(one.id.startswith("flips.") for one in result.tables)


def test_flip_weight_by_hand():
    # hard: -.15; rest, easy and middle as .2 : .3, (.2*.05 + .3*.02)/.5 = .032
    # w = -.032 / (-.15 - .032) = .1758
    result = analysed(reference_rows(), weights=work())
    one = next(one for one in rows_of(result, "flip_weights.correct.base") if one["task"] == "hard")
    assert one["difference_on_task"] == pytest.approx(-0.15)
    assert one["difference_on_rest"] == pytest.approx(0.032)
    assert one["flip_weight"] == pytest.approx(0.032 / 0.182)
    assert one["set_low"] <= one["flip_weight"] <= one["set_high"]


def ranged(low, high, rows=None, **fields):
    weights = [weight("x", 0.5), weight("y", 0.5, share_range=(low, high), **fields)]
    one, other = paired(80, 80, 20, 20), paired(80, 20, 80, 20)
    scores = {name: one[name] + other[name] for name in "ab"}
    rows = rows or scored(scores, task=["x"] * 200 + ["y"] * 200)
    asked = [request("a", measure="expected_success", tasks=("x", "y"))]
    return rows_of(analysed(rows, asked, weights=weights), "ranges.correct.base")


def test_order_holds_only_if_the_worst_mix_is_clear():
    # x: +.3, y: -.3; lead of a at share w of y: .3 - .6 w
    one = ranged(0.0, 0.2)[0]
    assert (one["leads"], one["holds"]) == ("a", True)
    assert one["least"] == pytest.approx(0.3 - 0.6 * 0.2)
    assert one["least_bound"] > 0
    near = ranged(0.0, 0.45)[0]
    # the least lead is .03: above 0 by estimate, not by its bound
    assert near["least"] == pytest.approx(0.03)
    assert not near["holds"]
    assert near["mix"].startswith("y 0.45")


def test_consequence_ranges_move_the_lead_of_a_loss():
    weights = [
        weight("x", 0.5, consequence=2.0),
        weight("y", 0.5, consequence=1.0, consequence_range=(0.5, 3.0)),
    ]
    one, other = paired(80, 80, 20, 20), paired(80, 20, 80, 20)
    scores = {name: one[name] + other[name] for name in "ab"}
    rows = scored(scores, task=["x"] * 200 + ["y"] * 200)
    asked = [request("a", measure="expected_loss", tasks=("x", "y"))]
    (found,) = rows_of(analysed(rows, asked, weights=weights), "ranges.correct.base")
    # a saves .5*2*.3 = .3 in x and loses .5*u*.3 in y: .15 at u = 1, .45 at u = 3
    assert found["leads"] == "a"
    assert found["declared"] == pytest.approx(0.15)
    assert found["least"] == pytest.approx(0.3 - 0.45)
    assert not found["holds"]


def test_missing_responses_speak_against_the_lead():
    one, other = paired(80, 80, 20, 20), paired(80, 60, 60, 0)
    scores = {name: one[name] + other[name] for name in "ab"}
    task = ["x"] * 200 + ["y"] * 200
    whole = ranged(0.2, 0.6, scored(scores, task=task))[0]
    scores["a"] = [None if 280 <= at < 300 else s for at, s in enumerate(scores["a"])]
    holes = ranged(0.2, 0.6, scored(scores, task=task))[0]
    assert holes["least_bound"] < whole["least_bound"]


def test_ranges_are_not_assessed_where_a_task_has_no_items():
    rows = scored(paired(80, 80, 20, 20), task="x")
    one = ranged(0.1, 0.9, rows)[0]
    assert one["holds"] is None
    assert "no items in y" in one["mix"]


# --------------------------------------------------------------------------------------- threats


@pytest.mark.parametrize(
    ("measure", "sign", "bounds"),
    [
        ("expected_success", 1, (0.0, 0.5)),
        ("expected_success", -1, (-0.5, 0.0)),
        ("expected_loss", -1, (-2.0, 0.0)),  # .5 * 4
    ],
)
def test_a_task_without_items_could_have_any_score(measure, sign, bounds):
    weights = [weight("x", 0.5, consequence=1.0), weight("z", 0.5, consequence=4.0)]
    rows = scored({"a": [1] * 30 + [0] * 10}, task="x")
    asked = request("a", measure=measure, tasks=("x", "z"), sign=sign)
    result = analysed(rows, [asked], weights=weights)
    assert result.threats[0].bounds == {"C.1": pytest.approx(bounds)}
    # the task counts as score 0 and as loss 0
    expected = 0.5 * 0.75 if measure == "expected_success" else 0.5 * 0.25
    assert answer(result).value == pytest.approx(expected)


def test_a_scale_that_starts_above_zero_is_taken_at_its_lowest():
    metric = BINARY.model_copy(update={"kind": "bounded", "lower": 1.0, "upper": 5.0})
    rows = scored({"a": [3.0, 4.0] * 20}, task="x")
    asked = request("a", measure="expected_success", tasks=("x", "z"))
    result = analysed(
        rows, [asked], weights=[weight("x", 0.5), weight("z", 0.5)], metrics=(metric,)
    )
    found = answer(result)
    # .5 * 3.5 + .5 * 1, at most 2 more
    assert found.value == pytest.approx(2.25)
    assert found.bounds[0].lower < 2.25 < found.bounds[0].upper
    assert found.unit == "correct"
    assert result.threats[0].bounds == {"C.1": (0.0, 2.0)}


def test_an_unbounded_metric_leaves_the_threat_open():
    metric = BINARY.model_copy(update={"kind": "unbounded", "lower": None, "upper": None})
    rng = np.random.default_rng(1)
    rows = scored({"a": rng.gamma(2, 3, 40).tolist()}, task="x")
    asked = request("a", measure="expected_success", tasks=("x", "z"))
    result = analysed(
        rows, [asked], weights=[weight("x", 0.5), weight("z", 0.5)], metrics=(metric,)
    )
    assert result.threats[0].state == "open"
    assert result.threats[0].bounds == {}


def test_claims_are_shown_task_by_task_in_their_unit():
    weights = [
        one.model_copy(update={"consequence": u}) for one, u in zip(work(), (1, 2, 4), strict=True)
    ]
    asked = [request("a", measure="expected_loss", tasks=TASKS, errors=(0.05,))]
    found = rows_of(analysed(reference_rows(), asked, weights=weights), "task_values")
    # u (1 - S): 1*.05, 2*.2, 4*.7
    assert [one["value"] for one in found] == pytest.approx([0.05, 0.4, 2.8])


def test_unequal_attempts_are_bounded_by_what_was_planned():
    rows = [row("a", f"q{i}", 1, attempt=at) for i in range(20) for at in range(3 if i else 1)]
    found = answer(analysed(rows, [request("a")]))
    # the one item with one of three attempts: 1/3 to 1
    assert found.value == 1
    assert found.identified == pytest.approx(((19 + 1 / 3) / 20, 1))
    assert found.missing_items == 1


def test_result_is_plain_data():
    result = analysed(reference_rows(), weights=work())
    assert type(result).model_validate_json(result.model_dump_json()) == result
