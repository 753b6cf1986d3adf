"""Three rates: hand-worked, ordered, and equal where nothing is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.analyses.rates import rates_of, rule_text
from audit.spec.models import UNSCORED_DEFAULT
from tests.analyses.builders import BINARY, ERRORS, SECONDS, row, table


def rates(rows, items, metric=BINARY, unscored=UNSCORED_DEFAULT):
    return rates_of(table(rows).responses, items, metric, unscored)


def test_each_treatment_by_hand():
    """q1 right, q2 wrong, q3 refused, q4 errored, q5 without a row: 1/2, 1/3, 1/5, 3/5."""
    found = rates(
        [
            row("a", "q1", 1),
            row("a", "q2", 0),
            row("a", "q3", None, status="refused"),
            row("a", "q4", None, status="error"),
        ],
        items=5,
    )
    assert (found.completed, found.as_wrong) == (0.5, pytest.approx(1 / 3))
    assert (found.low, found.high) == (pytest.approx(1 / 5), pytest.approx(3 / 5))
    assert (found.answers, found.scored) == (4, 2)


def test_attempts_are_means_of_their_item():
    rows = [row("a", "q1", one, attempt=at) for at, one in enumerate([1, 1, 0])]
    found = rates([*rows, row("a", "q2", 0)], items=2)
    assert found.completed == pytest.approx(1 / 3)


def test_where_less_is_better_wrong_is_the_highest():
    rows = [
        row("a", "q1", 10, metric="errors"),
        row("a", "q2", None, status="timeout", metric="errors"),
    ]
    found = rates(rows, 2, ERRORS)
    assert (found.completed, found.as_wrong, found.low, found.high) == (10, 55, 55, 55)


def test_a_metric_without_ends_has_no_bounds():
    found = rates([row("a", "q1", 3, metric="seconds")], 2, SECONDS)
    assert (found.completed, found.as_wrong, found.low, found.high) == (3, None, None, None)


def test_a_refusal_with_a_score_keeps_it():
    assert rates([row("a", "q1", 1, status="refused")], 1).as_wrong == 1


answers = st.lists(
    st.tuples(st.sampled_from([0, 1, None]), st.sampled_from(sorted(UNSCORED_DEFAULT))),
    min_size=1, max_size=12,
)  # fmt: skip


@given(answers, st.integers(0, 3))
def test_rates_are_ordered_and_equal_where_nothing_is_lost(answered, absent):
    rows = [
        row("a", f"q{at}", score, status=status if score is None else "ok")
        for at, (score, status) in enumerate(answered)
    ]
    found = rates(rows, len(rows) + absent)
    assert found.low <= found.high
    if found.completed is not None and found.as_wrong is not None:
        assert found.as_wrong <= found.completed + 1e-12
        assert found.low <= found.as_wrong + 1e-12
    if found.scored == found.answers and not absent:
        assert found.completed == found.as_wrong == found.low == found.high


def test_the_rule_is_one_sentence():
    assert rule_text(UNSCORED_DEFAULT) == (
        "Without a score, refused, timeout, limit, unparsed count as wrong; error, not run stay "
        "open within bounds."
    )
