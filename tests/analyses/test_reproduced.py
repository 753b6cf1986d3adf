"""Published figures beside the items: every reading that a publisher may have used."""

import pytest

from audit.analyses.reproduced import readings, reproduced
from audit.responses.facts import PublishedFigure
from tests.analyses.builders import BINARY, ERRORS, row, table


def figure(value, decimals=3, **fields):
    values = {"file": "board.csv", "row": 1, "system": "a", "metric": "correct"}
    return PublishedFigure(**(values | fields), value=value, decimals=decimals)


ROWS = [
    row("a", "q1", 1),
    row("a", "q2", 0),
    row("a", "q3", 1),
    row("a", "q4", None, status="unparsed"),
    row("b", "q5", 1),
]


@pytest.mark.parametrize(
    ("value", "reading"),
    [
        (0.667, "answers with a score only"),
        (0.5, "answers without a score as wrong"),
        (0.4, "items without a row as wrong too"),
    ],
)
def test_each_denominator_is_recognised(value, reading):
    """2 of 3 scored, of 4 answers, of 5 items."""
    (one,) = reproduced([figure(value)], table(ROWS), [BINARY])
    assert (one.state, one.note) == ("agrees", reading)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (0.5, "agrees"),
        (0.5004, "agrees"),
        (0.58, "close"),
        (0.6, "contradicts"),
        (5.942, "impossible"),
    ],
)
def test_a_whole_item_off_is_a_contradiction(value, state):
    """5 of 10: one item is a tenth."""
    rows = [row("a", f"q{at}", at % 2) for at in range(10)]
    (one,) = reproduced([figure(value)], table(rows), [BINARY])
    assert (one.state, one.recomputed) == (state, 0.5)


def test_lower_is_better_counts_what_is_missing_as_the_highest():
    rows = [row("a", "q1", 10, metric="errors"), row("a", "q2", None, metric="errors")]
    found = dict(readings(table(rows).responses, 2, ERRORS))
    assert found == {"answers with a score only": 10, "answers without a score as wrong": 55}


def test_answers_and_samples_weigh_where_they_differ():
    rows = [
        row("a", "q1", 1, attempt=0, samples=1),
        row("a", "q1", 0, attempt=1, samples=1),
        row("a", "q2", 1, samples=2),
    ]
    found = dict(readings(table(rows).responses, 2, BINARY))
    assert found["answers with a score only"] == 0.75
    assert found["mean over answers, answers with a score only"] == pytest.approx(2 / 3)
    assert found["mean over samples, answers with a score only"] == 0.75


def test_a_task_and_a_variant_alone():
    rows = [
        row("a", "q1", 1, task="find"),
        row("a", "q2", 0, task="join"),
        row("a", "q1", 0, task="find", variant="short"),
    ]
    asked = [figure(1.0, task="find", variant="base"), figure(0.0, task="join")]
    assert [one.state for one in reproduced(asked, table(rows), [BINARY])] == ["agrees"] * 2


def test_nothing_to_hold_it_against_is_said():
    (one,) = reproduced([figure(0.5, task="other")], table(ROWS), [BINARY])
    assert (one.state, one.recomputed) == ("not_checked", None)
    assert one.note == "no answer with a score is there"
