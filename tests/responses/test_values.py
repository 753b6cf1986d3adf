"""Scores, statuses, amounts and dates: what is not exactly one of them is refused."""

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.responses.problems import Problems
from audit.responses.values import numbers, parse_scores, when
from tests.responses.builders import (
    BINARY,
    HEAD,
    PERCENT,
    POINTS,
    SHARE,
    cells,
    left_out,
    metric,
    only,
    read,
    refused,
)

ONE = "system,item,score\na,q1,"


@pytest.mark.parametrize(
    ("text", "score"),
    [("1", 1.0), (" 1 ", 1.0), ("1.0", 1.0), ("1.", 1.0), (".5", 0.5), ("+0.5", 0.5),
     ("5e-1", 0.5), ("5E-1", 0.5), ("-0", 0.0), ("0.1", 0.1), ("1e-999", 0.0)],
)  # fmt: skip
def test_number(tmp_path, text, score):
    found = cells(read(tmp_path, f'{ONE}"{text}"\n', metrics=(SHARE,)))[0][2]
    assert str(found) == str(score)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("0,5", "write a decimal point"),
        ("50%", "write the number without %, and declare range: [0, 100]"),
        *((text, 'values: {"' + text + '": not_run}') for text in (
            "NaN", "nan", "inf", "-inf", "Infinity", "1e999", "1_000", "0x1", "1 000", "１", "١",
            "½", "true", "TRUE", "yes", "1-", "--1", "1.2.3", "e5", ".", "None", "n/a", "1e", "1f",
        )),
    ],
)  # fmt: skip
def test_no_number(tmp_path, text, remedy):
    message = only(refused(tmp_path, f'{ONE}"{text}"\n', metrics=(SHARE,)))
    assert message.startswith(
        f'rows.csv: row 1, column score: the score is no number; found "{text}"; '
        "allowed: a number from 0 to 1; "
    )
    assert remedy in message


@pytest.mark.parametrize(("text", "score"), [("true", 1), ("True", 1), ("false", 0), ("False", 0)])
def test_true_and_false_are_right_and_wrong(tmp_path, text, score):
    assert cells(read(tmp_path, f"{ONE}{text}\n"))[0][2] == score


@given(st.text(max_size=12))
def test_number_never_is_what_float_would_not_read(text):
    found = numbers(pl.Series([text]))[0]
    plain = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text)
    assert found == (float(text) if plain and abs(float(text)) < float("inf") else None)


@pytest.mark.parametrize(
    ("kind", "text", "allowed", "remedy"),
    [
        (BINARY, "0.5", "0 or 1", "declare kind: proportion for shares"),
        (BINARY, "50", "0 or 1", "kind: proportion, or range: [0, 100] if these are percent"),
        (BINARY, "-1", "0 or 1", "declare kind: proportion for shares, or map values"),
        (SHARE, "1.01", "a number from 0 to 1", "declare range: [0, 100] if these are percent"),
        (SHARE, "-0.01", "a number from 0 to 1", "declare the range of the metric"),
        (PERCENT, "100.5", "a number from 0 to 100", "declare the range of the metric"),
        (metric("bounded", -1.0, 1.0), "-2", "a number from -1 to 1", "declare the range"),
    ],
    ids=lambda one: getattr(one, "kind", None),
)
def test_score_outside_of_the_range(tmp_path, kind, text, allowed, remedy):
    message = only(refused(tmp_path, f"{ONE}{text}\n", metrics=(kind,)))
    assert message.startswith(
        "rows.csv: row 1, column score: the score lies outside of the metric's range; "
        f'found "{text}"; allowed: {allowed}; '
    )
    assert remedy in message


def test_unbounded_metric_takes_any_finite_number(tmp_path):
    assert cells(read(tmp_path, f"{ONE}-1e300\n", metrics=(POINTS,)))[0][2] == -1e300


@pytest.mark.parametrize(
    ("values", "text", "score", "status"),
    [
        ({"C": 1, "I": 0}, "C", 1.0, "ok"),
        ({"C": 1, "I": 0}, "0", 0.0, "ok"),
        ({"-1": "not_run"}, "-1", None, "not_run"),
        ({"-1": "not_run"}, "-1.0", None, "not_run"),
        ({"-1.0": "error"}, "-1", None, "error"),
        ({"1": 0, "0": 1}, "1.0", 0.0, "ok"),
        ({"1": 0, "1.0": 1}, "1.0", 1.0, "ok"),
        ({"": 0}, "", 0.0, "ok"),
        ({"": "unparsed"}, "", None, "unparsed"),
        ({" C ": 1}, "C", 1.0, "ok"),
        ({"true": 0}, "true", 0.0, "ok"),
        ({"nan": "error"}, "nan", None, "error"),
    ],
)
def test_values_that_the_metric_maps(tmp_path, values, text, score, status):
    found = read(tmp_path, f"{ONE}{text}\n", metrics=(metric(values=values),))
    assert cells(found) == [("a", "q1", score, status)]


def test_two_metrics_of_one_row_have_their_own_scores_and_statuses(tmp_path):
    other = metric("bounded", 0.0, 10.0, id="points", column="points", values={"x": "unparsed"})
    text = "system,item,score,points\na,q1,1,x\na,q2,,7\n"
    found = read(tmp_path, text, metrics=(BINARY, other))
    assert cells(found, "item", "metric", "score", "status") == [
        ("q1", "correct", 1.0, "ok"),
        ("q1", "points", None, "unparsed"),
        ("q2", "correct", None, "not_run"),
        ("q2", "points", 7.0, "ok"),
    ]


def test_every_text_is_a_number_or_a_problem():
    """What is neither is neither a score nor nothing: no score goes unseen."""
    texts = [None, "1", "x", "0.5", "2", "-", "C"]
    problems = Problems()
    frame = pl.DataFrame({"score.correct": texts, "row": range(1, 8)})
    found = parse_scores(frame, metric("proportion", values={"C": "error"}), "f", problems)
    assert found.rows() == [
        (None, None), (1.0, None), (None, None), (0.5, None), (2.0, None), (None, None),
        (None, "error"),
    ]  # fmt: skip
    with pytest.raises(Exception, match="row 3") as caught:
        problems.raise_any()
    assert [issue.path[:5] for issue in caught.value.issues] == ["row 3", "row 5", "row 6"]


# ----------------------------------------------------------------------------------------- status


def test_statuses(tmp_path):
    text = (
        "system,item,score,status\n"
        "a,q1,1,\na,q2,,ok\na,q3,,\na,q4,0,error\na,q5,,refused\na,q6,1,refused\n"
    )
    assert [row[2:] for row in cells(read(tmp_path, text))] == [
        (1.0, "ok"), (None, "not_run"), (None, "not_run"), (0.0, "error"), (None, "refused"),
        (1.0, "refused"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "near"),
    [("OK", "error"), ("errored", "error"), ("time-out", "timeout"), ("success", "error")],
)
def test_word_that_is_no_status(tmp_path, word, near):
    text = f"system,item,score,state\na,q1,1,{word}\n"
    message = only(refused(tmp_path, text, columns={"status": "state"}))
    assert message == (
        f'rows.csv: row 1, column state: no such status; found "{word}"; allowed: ok, error, '
        "timeout, limit, unparsed, refused, not_run, excluded; "
        f'map it: values: {{status: {{"{word}": {near}}}}}'
    )


def test_status_of_the_row_goes_before_what_the_metric_maps(tmp_path):
    text = "system,item,score,status\na,q1,x,timeout\na,q2,x,ok\na,q3,x,\n"
    found = read(tmp_path, text, metrics=(metric(values={"x": "unparsed"}),))
    assert [row[3] for row in cells(found)] == ["timeout", "unparsed", "unparsed"]


GONE = {"rows.csv": {"item excluded for every system": 2}}


@pytest.mark.parametrize(
    ("a", "b", "gone"),
    [
        (",excluded", ",excluded", True),
        (",excluded", "0,ok", False),
        (",excluded", "0,excluded", False),
        (",excluded", ",error", False),
        (",excluded", None, False),
    ],
    ids=["for every system", "scored for one", "excluded with a score", "error", "no row"],
)
def test_item_is_left_out_only_if_excluded_for_every_system(tmp_path, a, b, gone):
    text = f"system,item,score,status\na,q1,1,\nb,q1,0,\na,q2,{a}\n"
    text += "" if b is None else f"b,q2,{b}\n"
    found = read(tmp_path, text)
    assert left_out(found) == (GONE if gone else {"rows.csv": {}})
    assert found.accounting.items == (1 if gone else 2)
    if not gone:
        system = next(one for one in found.accounting.systems if one.system == "a")
        assert system.unscored == {"excluded": 1}


def test_item_with_a_score_in_any_metric_stays(tmp_path):
    other = metric("bounded", 0.0, 10.0, id="points", column="points")
    text = "system,item,score,points,status\na,q1,,7,excluded\na,q2,1,2,\n"
    assert len(cells(read(tmp_path, text, metrics=(BINARY, other)))) == 4


def test_value_that_the_metric_maps_to_excluded_excludes(tmp_path):
    found = read(
        tmp_path,
        HEAD + "a,q1,1\na,q2,-1\nb,q1,0\nb,q2,-1\n",
        metrics=(metric(values={"-1": "excluded"}),),
    )
    assert left_out(found) == GONE


# ------------------------------------------------------------------------------------------ amounts


@pytest.mark.parametrize(
    ("key", "text", "allowed"),
    [
        ("attempt", "-1", "a whole number from 0 up"),
        ("attempt", "1.5", "a whole number from 0 up"),
        ("attempt", "first", "a whole number from 0 up"),
        ("attempt", "1e300", "a whole number from 0 up"),
        ("samples", "0", "a whole number from 1 up"),
        ("confidence", "1.1", "a number from 0 to 1"),
        ("cost_usd", "$1", "a number from 0 up"),
        ("latency_s", "nan", "a number from 0 up"),
        ("tokens_in", "-1", "a number from 0 up"),
    ],
)
def test_what_is_no_amount(tmp_path, key, text, allowed):
    message = only(
        refused(tmp_path, f"system,item,score,own\na,q1,1,{text}\n", columns={key: "own"})
    )
    assert message.startswith(
        f'rows.csv: row 1, column own: this is no {key}; found "{text}"; allowed: {allowed}; '
    )


def test_amounts_are_read(tmp_path):
    text = "system,item,score,attempt,samples,confidence,cost_usd\na,q1,1,2.0,3,0.5,1e-3\n"
    found = read(tmp_path, text)
    assert cells(found, "attempt", "samples", "confidence", "cost_usd", "latency_s") == [
        (2, 3, 0.5, 0.001, None)
    ]


def test_score_that_averages_nothing_is_one_sample(tmp_path):
    assert cells(read(tmp_path, ONE + "1\n"), "samples") == [(1,)]


# ------------------------------------------------------------------------------------------- dates


def test_a_date_without_dashes_is_one_and_gets_them(tmp_path):
    text = "system,item,score,date\na,q1,1,20260131\n"
    assert cells(read(tmp_path, text), "date") == [("2026-01-31",)]


@pytest.mark.parametrize(
    "text",
    ["2026-1-1", "01/02/2026", "2026-02-30", "2026-W05-1", "2026-01-01T25:00", "2026010",
     "２０２６-01-01", "1767225600", "2026", "yesterday", "2026-01-01T", "2026-01-01x"],
)  # fmt: skip
def test_what_is_no_date(tmp_path, text):
    message = only(refused(tmp_path, f"system,item,score,date\na,q1,1,{text}\n"))
    assert message == (
        f'rows.csv: row 1, column date: this is no ISO date; found "{text}"; '
        "allowed: 2026-01-31, 2026-01-31T12:00:00Z; write year-month-day"
    )


@pytest.mark.parametrize(
    ("dates", "earliest", "latest", "undated"),
    [
        (["2026-02-01", "2026-01-31"], "2026-01-31", "2026-02-01", 0),
        (["2026-01-01T00:30:00+02:00", "2025-12-31T23:00:00Z"],
         "2026-01-01T00:30:00+02:00", "2025-12-31T23:00:00Z", 0),
        (["2026-01-01T01:00", "2026-01-01", ""], "2026-01-01", "2026-01-01T01:00", 1),
        (["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"],
         "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00", 0),
        (["", ""], None, None, 2),
    ],
    ids=["days", "zones", "partly", "ends of the calendar", "none"],
)  # fmt: skip
def test_first_and_last_date(tmp_path, dates, earliest, latest, undated):
    text = "system,item,score,date\n" + "".join(
        f"a,q{place},1,{date}\n" for place, date in enumerate(dates)
    )
    found = read(tmp_path, text).accounting
    assert (found.earliest_date, found.latest_date, found.undated) == (earliest, latest, undated)


@given(st.text(max_size=30))
def test_text_never_stops_the_reading_of_dates(text):
    found = when(text)
    assert found is None or found.tzinfo is not None
