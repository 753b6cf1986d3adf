import numpy as np
import pytest

from audit.analyses import comparison
from audit.analyses.arrays import prepare
from audit.analyses.contract import NotEstimable
from audit.analyses.estimates import Choices
from audit.errors import Reason
from audit.spec.models import UNSCORED_DEFAULT
from tests.analyses.builders import (
    BINARY,
    ERRORS,
    SECONDS,
    analysis_slice,
    answer,
    request,
    rows_of,
    scored,
    table,
    weight,
)


def ranked(rows, of="a", among=("a", "b", "c"), metric=BINARY, weights=(), **fields):
    asked = request(of, among=among, metric=metric.id, **fields)
    wanted = analysis_slice([asked], metrics=(metric,), weights=weights, systems=among)
    return comparison.analyse(wanted, table(rows))


def draws(chances, n=200, seed=3):
    rng = np.random.default_rng(seed)
    return {name: (rng.random(n) < p).astype(int).tolist() for name, p in chances.items()}


def test_places_far_apart_are_single():
    result = ranked(scored(draws({"a": 0.95, "b": 0.55, "c": 0.1})))
    rows = {one["system"]: one for one in rows_of(result, "ranks")}
    assert [(rows[s]["rank"], rows[s]["lower"], rows[s]["upper"]) for s in "abc"] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]
    found = answer(result)
    assert (found.value, found.unit, found.standard_error) == (1, "place", 0)
    assert found.detectable_difference is None


def test_equal_scores_share_the_place_and_every_place_is_possible():
    scores = [1, 0] * 50
    result = ranked(scored({"a": scores, "b": scores, "c": scores}))
    for one in rows_of(result, "ranks"):
        assert (one["rank"], one["lower"], one["upper"]) == (1, 1, 3)


def test_a_set_holds_the_point_rank_and_lies_in_the_field():
    for seed in range(10):
        chances = {"a": 0.6, "b": 0.65, "c": 0.7, "d": 0.62}
        result = ranked(scored(draws(chances, 60, seed)), among=tuple("abcd"))
        for one in rows_of(result, "ranks"):
            assert 1 <= one["lower"] <= one["rank"] <= one["upper"] <= 4


def test_lower_is_better_turns_the_order():
    scores = {"a": [10.0, 12.0] * 30, "b": [50.0, 55.0] * 30, "c": [90.0, 80.0] * 30}
    rows = rows_of(ranked(scored(scores, metric="errors"), metric=ERRORS), "ranks")
    assert [one["rank"] for one in rows] == [1, 2, 3]


def test_weights_decide_the_order():
    # a: .9 in x, .1 in y; b: .5 in both; plain: x is 3 in 4 of the items
    task = ["x"] * 150 + ["y"] * 50
    a = [1] * 135 + [0] * 15 + [1] * 5 + [0] * 45
    b = [1] * 75 + [0] * 75 + [1] * 25 + [0] * 25
    rows = scored({"a": a, "b": b}, task=task)
    plain = ranked(rows, among=("a", "b"))
    weights = [weight("x", 0.1), weight("y", 0.9)]
    weighted = ranked(rows, among=("a", "b"), weights=weights)
    assert answer(plain).value == 1
    assert answer(weighted).value == 2
    # .1 * .9 + .9 * .1
    assert rows_of(weighted, "ranks")[0]["score"] == pytest.approx(0.18)


def test_missing_responses_widen_the_set_both_ways():
    scores = draws({"a": 0.95, "b": 0.55, "c": 0.1}, 400)
    holes = {**scores, "b": [None if at % 2 else one for at, one in enumerate(scores["b"])]}
    result = ranked(scored(holes), of="b")
    found = answer(result)
    assert found.missing_items == 200
    assert found.identified[0] <= 2 <= found.identified[1]
    assert answer(ranked(scored(scores), of="b")).bounds[0].upper == 2
    # b lies between .27 and .77 of the items, surely below a, surely above c
    assert (found.bounds[0].lower, found.bounds[0].upper) == (2, 2)
    more = {**scores, "b": [None if at % 10 else one for at, one in enumerate(scores["b"])]}
    found = answer(ranked(scored(more), of="b"))
    assert (found.bounds[0].lower, found.bounds[0].upper) == (1, 3)


def test_missing_without_a_range_is_refused():
    rows = scored({"a": [1.0, None, 3.0] * 9, "b": [2.0] * 27}, metric="seconds")
    found = answer(ranked(rows, among=("a", "b"), metric=SECONDS))
    assert isinstance(found, NotEstimable)
    assert found.reason == Reason.MISSING_BOUNDS_CROSS


def test_tasks_without_items_are_a_threat_in_places():
    task = ["x"] * 200
    rows = scored(draws({"a": 0.95, "b": 0.55, "c": 0.1}), task=task)
    result = ranked(rows, weights=[weight("x", 0.4), weight("z", 0.6)], tasks=("x", "z"))
    (threat,) = result.threats
    # anything may happen in .6 of the work: a may be last, c first
    assert threat.bounds == {"C.1": (-2.0, 0.0)}
    assert threat.needed_from == "work"


def test_few_items_and_few_clusters_are_refused():
    weights = [weight("x", 0.5), weight("y", 0.5)]
    rows = scored(draws({"a": 0.9, "b": 0.1}, 30), task=["x"] * 25 + ["y"] * 5)
    found = answer(ranked(rows, among=("a", "b"), weights=weights, tasks=("x", "y")))
    assert found.reason == Reason.TOO_FEW_ITEMS
    rows = scored(draws({"a": 0.9, "b": 0.1}, 30), cluster=[f"c{i % 4}" for i in range(30)])
    assert answer(ranked(rows, among=("a", "b"))).reason == Reason.TOO_FEW_CLUSTERS


def test_order_of_the_field_does_not_matter():
    rows = scored(draws({"a": 0.6, "b": 0.65, "c": 0.9}))
    one, other = ranked(rows), ranked(rows, among=("c", "b", "a"))
    assert answer(one) == answer(other)


def test_a_system_outside_the_field_does_not_matter():
    chances = {"a": 0.6, "b": 0.65, "c": 0.9}
    scores = draws(chances)
    more = scored({**scores, "z": [1] * 200})
    asked = request("a", among=("a", "b", "c"))
    one, other = (
        comparison.evaluate(prepare(table(rows), BINARY, UNSCORED_DEFAULT), Choices(asked, seed=7))
        for rows in (scored(scores), more)
    )
    assert one == other


@pytest.mark.slow
def test_sets_hold_together_as_often_as_asked():
    """Four systems of equal chance on 80 items: all sets are 1..4 in at least 95% of studies."""
    wrong = 0
    for seed in range(300):
        rows = scored(draws(dict.fromkeys("abcd", 0.6), 80, seed))
        asked = request("a", among=tuple("abcd"))
        responses = prepare(table(rows), BINARY, UNSCORED_DEFAULT)
        from audit.analyses.ranks import evaluate_ranking

        found = evaluate_ranking(responses, Choices(asked, seed=7))
        wrong += any((lower, upper) != (1, 4) for _, _, lower, upper, _ in found.rows)
    assert wrong <= 25  # P(X > 25 | 300, .05) = .004
