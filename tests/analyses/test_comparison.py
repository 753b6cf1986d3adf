import pytest
from scipy.stats import binom

from audit.analyses import comparison
from audit.analyses.contract import NotEstimable
from tests.analyses.builders import (
    BINARY,
    SHARE,
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

WORK = [weight("x", 0.7), weight("y", 0.3)]


def compared(rows, requests, **fields):
    return comparison.analyse(analysis_slice(requests, **fields), table(rows))


def pair_rows(result):
    """Rows of `pairs` and `pair_tests` put together."""
    both = zip(rows_of(result, "pairs"), rows_of(result, "pair_tests"), strict=True)
    return [one | other for one, other in both]


def two_tasks(**fields):
    one, other = paired(20, 30, 10, 40), paired(10, 2, 9, 29)
    scores = {name: one[name] + other[name] for name in "ab"}
    return scored(scores, task=["x"] * 100 + ["y"] * 50, **fields)


def test_each_pair_stands_with_both_intervals():
    (one,) = pair_rows(compared(two_tasks(), [request("a", "b")]))
    assert one["value"] == pytest.approx(13 / 150)
    assert one["lower_95"] < one["lower_90"] < one["value"] < one["upper_90"] < one["upper_95"]
    assert (one["items"], one["missing_items"], one["left_out"]) == (150, 0, 0)


def test_mid_p_of_mcnemar_by_hand():
    # 32 gains, 19 losses: 2 P(X <= 18) + P(X = 19) = 2 P(X <= 19) - P(X = 19), X ~ B(51, 1/2)
    (one,) = pair_rows(compared(two_tasks(), [request("a", "b")]))
    expected = 2 * binom.cdf(19, 51, 0.5) - binom.pmf(19, 51, 0.5)
    assert one["mcnemar_mid_p"] == pytest.approx(expected)


@pytest.mark.parametrize("how", ["clustered", "graded", "attempts"])
def test_mid_p_is_only_for_single_independent_outcomes(how):
    rows = two_tasks(cluster=[f"c{i // 5}" for i in range(150)]) if how == "clustered" else []
    metric = BINARY
    if how == "graded":
        rows, metric = scored({"a": [0.5, 0.7] * 10, "b": [0.1, 0.9] * 10}, metric="solved"), SHARE
    if how == "attempts":
        rows = [
            row(s, f"q{i}", (i + at) % 2, attempt=at)
            for s in "ab"
            for i in range(20)
            for at in range(2)
        ]
    result = compared(rows, [request("a", "b", metric=metric.id)], metrics=(metric,))
    assert pair_rows(result)[0]["mcnemar_mid_p"] is None


def test_items_needed_follow_the_square_of_the_detectable_difference():
    (one,) = pair_rows(compared(two_tasks(), [request("a", "b")]))
    exact = 150 * (one["detectable_difference"] / 0.03) ** 2
    assert exact <= one["items_needed"] < exact + 1


def test_items_needed_are_not_given_in_another_unit():
    weights = [one.model_copy(update={"consequence": 60.0}) for one in WORK]
    asked = [
        request("a", "b", measure="expected_success", tasks=("x", "y")),
        request("a", "b", id="C.2", measure="expected_loss", tasks=("x", "y"), sign=-1),
    ]
    first, second = pair_rows(compared(two_tasks(), asked, weights=weights))
    assert first["items_needed"] is not None
    assert second["items_needed"] is None


def test_regressions_are_listed_by_task():
    rows = rows_of(compared(two_tasks(), [request("a", "b")]), "gains_and_losses")
    counts = {one["task"]: (one["gains"], one["losses"], one["ties"]) for one in rows}
    assert counts == {"x": (30, 10, 60), "y": (2, 9, 39)}


def test_gains_follow_the_metric_where_lower_is_better():
    metric = BINARY.model_copy(update={"better": "lower"})
    result = compared(scored(paired(5, 7, 2, 6)), [request("a", "b", sign=-1)], metrics=(metric,))
    (one,) = rows_of(result, "gains_and_losses")
    assert (one["gains"], one["losses"]) == (2, 7)


def test_left_out_items_are_counted():
    rows = two_tasks() + [row("c", f"z{i}", 1, task="y") for i in range(7)]
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
    result = compared(rows, [asked], weights=WORK)
    assert pair_rows(result)[0]["left_out"] == 7
    assert result.diagnostics["left_out"] == {"C.1": 7}
    assert answer(result).items == 150


def test_variance_is_split_between_items_and_attempts():
    # a: cells 1,0 and 1,1 and 0,0; within variances .5, 0, 0: mean 1/6; b: always 0
    # item differences .5, 1, 0: variance .25; omega^2 = .25 - (1/6)/2 = 1/6
    pairs = [(1, 0), (1, 1), (0, 0)]
    rows = [row("a", f"q{i}", s, attempt=at) for i, p in enumerate(pairs) for at, s in enumerate(p)]
    rows += [row("b", f"q{i}", 0, attempt=at) for i in range(3) for at in range(2)]
    (one,) = rows_of(compared(rows, [request("a", "b")]), "variance_split")
    assert one["sigma_squared_of"] == pytest.approx(1 / 6)
    assert one["sigma_squared_over"] == 0
    assert one["omega_squared"] == pytest.approx(1 / 6)


def test_negative_variance_over_items_is_printed_and_used_as_nothing():
    # every cell 1, 0: no variance between items, .5 within: 0 - .5/2
    rows = [row("a", f"q{i}", at, attempt=at) for i in range(10) for at in range(2)]
    rows += [row("b", f"q{i}", 0, attempt=at) for i in range(10) for at in range(2)]
    (one,) = rows_of(compared(rows, [request("a", "b")]), "variance_split")
    assert one["omega_squared"] == pytest.approx(-0.25)
    assert one["omega_squared_used"] == 0


def test_one_attempt_cannot_be_split():
    (one,) = rows_of(compared(two_tasks(), [request("a", "b")]), "variance_split")
    assert one["omega_squared"] is None
    assert "one attempt" in one["remark"]


def test_all_pairs_of_candidates_and_baselines():
    rows = two_tasks() + scored({"c": [1, 0] * 75}, task=["x"] * 100 + ["y"] * 50)
    result = compared(rows, [request("a", "b")], systems=("a", "b", "c"))
    found = rows_of(result, "all_pairs.correct.base")
    assert [(one["of"], one["over"]) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    first = answer(result)
    assert found[0]["value"] == first.value
    assert (found[0]["lower"], found[0]["upper"]) == (
        first.bounds[0].lower,
        first.bounds[0].upper,
    )


def test_a_claim_is_shown_task_by_task_at_its_own_error():
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"), errors=(0.05,))
    rows = rows_of(compared(two_tasks(), [asked], weights=WORK), "task_differences")
    assert [(one["task"], one["value"]) for one in rows] == [
        ("x", pytest.approx(0.2)),
        ("y", pytest.approx(-0.14)),
    ]
    alone = asked.model_copy(update={"tasks": ("x",)})
    same = answer(compared(two_tasks(), [alone], weights=WORK)).bounds[0]
    assert (rows[0]["lower"], rows[0]["upper"]) == (same.lower, same.upper)


# ---------------------------------------------------------------------------- tasks without items


@pytest.mark.parametrize(
    ("measure", "sign", "bounds"),
    [
        ("expected_success", 1, (-0.25, 0.25)),
        ("expected_loss", -1, (-1.0, 1.0)),  # .25 * 4
    ],
)
def test_a_task_without_items_is_bounded(measure, sign, bounds):
    weights = [
        weight("x", 0.5, consequence=1.0),
        weight("y", 0.25, consequence=2.0),
        weight("z", 0.25, consequence=4.0),
    ]
    asked = request("a", "b", measure=measure, tasks=("x", "y", "z"), sign=sign)
    result = compared(two_tasks(), [asked], weights=weights)
    (threat,) = result.threats
    assert (threat.code, threat.state, threat.needed_from) == ("task_uncovered", "bounded", "work")
    assert threat.bounds == {"C.1": pytest.approx(bounds)}
    assert threat.condition == "only the tasks that have items are meant"
    value = answer(result).value
    # the task counts as no difference: .5 * .2 + .25 * -.14
    expected = 0.065 if measure == "expected_success" else -(0.5 * 0.2 + 0.25 * 2 * -0.14)
    assert value == pytest.approx(expected)


def test_the_twin_of_a_task_without_items_is_refused():
    weights = [weight("x", 0.5), weight("z", 0.5)]
    asked = [
        request("a", "b", measure="expected_success", tasks=("x", "z")),
        request("a", "b", id="C.1@tasks=z", measure="expected_success", tasks=("z",)),
    ]
    result = compared(two_tasks(), asked, weights=weights)
    assert isinstance(answer(result, "C.1@tasks=z"), NotEstimable)
    assert set(result.threats[0].bounds) == {"C.1"}


def test_nothing_is_threatened_where_every_task_has_items():
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
    assert compared(two_tasks(), [asked], weights=WORK).threats == ()


def test_every_request_is_answered_once():
    asked = [
        request("a", "b"),
        request("a", "b", id="D.1", tasks=("q",)),
        request("b", "a", id="E.1"),
    ]
    result = compared(two_tasks(), asked)
    names = [one.request for one in (*result.estimates, *result.not_estimable)]
    assert sorted(names) == ["C.1", "D.1", "E.1"]


def test_result_is_plain_data():
    asked = request("a", "b", measure="expected_success", tasks=("x", "y"))
    result = compared(two_tasks(), [asked], weights=WORK)
    assert type(result).model_validate_json(result.model_dump_json()) == result
