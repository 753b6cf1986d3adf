"""Rows of one key: refused, attempts, one of them, or their mean."""

import itertools
import random

import polars as pl
import pytest

from tests.responses.builders import HEAD, SHARE, cells, left_out, metric, only, read, refused

TWICE = (
    "system,item,score,status,date\n"
    "a,q1,1,ok,2026-02-02\n"
    "b,q1,0,,2026-02-03\n"
    "a,q1,,error,2026-02-01\n"
)


def test_repeated_rows_are_refused_and_both_are_named(tmp_path):
    files = {"one.csv": HEAD + "b,q1,1\na,q1,1\n", "two.csv": HEAD + "a,q1,0\n"}
    message = only(refused(tmp_path, files))
    assert message == (
        "two.csv: row 1: the row repeats another one's system, item, variant and attempt; "
        'found "a", "q1", base, 0; allowed: one row; one.csv, row 2 is the other; say what repeats '
        "are: repeats: attempts, first, last or mean; rows of filters or metrics are selected by "
        "rows: {column: value}"
    )


@pytest.mark.parametrize(
    ("repeats", "kept", "gone"),
    [
        ("attempts", [(0, 1.0, "ok", 1), (1, None, "error", 3)], {}),
        ("first", [(0, 1.0, "ok", 1)], {"later repeat": 1}),
        ("last", [(0, None, "error", 3)], {"earlier repeat": 1}),
    ],
)
def test_policy(tmp_path, repeats, kept, gone):
    found = read(tmp_path, TWICE, repeats=repeats)
    assert cells(found, "attempt", "score", "status", "row")[:-1] == kept
    assert left_out(found) == {"rows.csv": gone}


@pytest.mark.parametrize("repeats", ["attempts", "first", "last"])
def test_dates_of_repeats_left_out_still_count(tmp_path, repeats):
    """Who keeps the later run has seen the earlier one."""
    found = read(tmp_path, TWICE, repeats=repeats).accounting
    assert (found.earliest_date, found.latest_date) == ("2026-02-01", "2026-02-03")


def test_mean_weighs_by_samples_and_keeps_what_went_wrong(tmp_path):
    text = (
        "system,item,score,samples,status,date,latency_s,cluster\n"
        "a,q1,0.5,2,ok,2026-02-02,1,c\n"
        "b,q1,0.25,,,,,c\n"
        "a,q1,1,,limit,2026-02-01,,c\n"
        "a,q1,0,,,,4,c\n"
    )
    found = read(tmp_path, text, repeats="mean", metrics=(SHARE,))
    # (2 * 0.5 + 1 + 0) / 4
    assert cells(found, "system", "score", "samples", "status", "date", "latency_s", "row") == [
        ("a", 0.5, 4, "limit", "2026-02-01", 2.5, 1),
        ("b", 0.25, 1, "ok", None, None, 2),
    ]
    assert left_out(found) == {"rows.csv": {"averaged into another row": 2}}
    assert found.accounting.undated == 2


def test_mean_does_not_depend_on_the_order_of_rows(tmp_path):
    chance = random.Random(7)
    scores = [chance.random() for _ in range(6)]
    means = {
        cells(read(tmp_path, HEAD + "".join(f"a,q1,{one!r}\n" for one in order), repeats="mean",
                   metrics=(SHARE,)))[0][2]
        for order in itertools.islice(itertools.permutations(scores), 0, 720, 40)
    }  # fmt: skip
    assert len(means) == 1


def test_mean_with_a_row_without_a_score_is_refused(tmp_path):
    message = only(refused(tmp_path, TWICE, repeats="mean"))
    assert message == (
        "rows.csv: row 3, column score: a repeat without a score cannot be averaged; "
        "write repeats: attempts; what is missing is then bounded"
    )


def test_mean_of_two_metrics_needs_both_scores(tmp_path):
    other = metric("bounded", 0.0, 9.0, id="points", column="points")
    text = "system,item,score,points\na,q1,1,2\na,q1,1,\na,q2,,\n"
    message = only(refused(tmp_path, text, repeats="mean", metrics=(metric(), other)))
    assert "row 2, column points" in message


def test_lonely_row_without_a_score_may_stand_beside_means(tmp_path):
    found = read(tmp_path, HEAD + "a,q1,1\na,q1,1\na,q2,\n", repeats="mean")
    assert [row[2:] for row in cells(found)] == [(1.0, "ok"), (None, "not_run")]


@pytest.mark.parametrize("first", [0, 1])
def test_attempts_keep_the_numbers_of_the_file_where_none_repeats(tmp_path, first):
    text = "system,item,score,epoch\n" + "".join(f"a,q1,{n % 2},{first + n}\n" for n in (2, 0, 1))
    found = read(tmp_path, text, columns={"attempt": "epoch"})
    assert cells(found, "attempt", "score") == [(first, 0.0), (first + 1, 1.0), (first + 2, 0.0)]
    assert found.accounting.systems[0].attempts == (3, 3)


def test_attempts_of_several_files_are_counted_on_by_their_number(tmp_path):
    head = "system,item,score,attempt\n"
    files = {"one.csv": head + "a,q1,1,2\na,q1,0,1\n", "two.csv": head + "a,q1,1,1\nb,q1,0,7\n"}
    found = read(tmp_path, files, repeats="attempts")
    assert cells(found, "system", "attempt", "score", "file") == [
        ("a", 0, 0.0, "one.csv"),
        ("a", 1, 1.0, "two.csv"),
        ("a", 2, 1.0, "one.csv"),
        ("b", 0, 0.0, "two.csv"),
    ]


def test_row_without_an_attempt_is_attempt_zero(tmp_path):
    text = "system,item,score,attempt\na,q1,1,\na,q1,0,0\n"
    assert 'found "a", "q1", base, 0' in only(refused(tmp_path, text))


@pytest.mark.parametrize("name", ["copy.csv", "copy.csv.gz", "copy.parquet"])
def test_copy_of_a_file_is_no_second_run(tmp_path, name):
    rows = HEAD + "a,q1,1\nb,q1,0\n"
    copy = pl.read_csv(rows.encode()) if "parquet" in name else rows
    message = only(refused(tmp_path, {"rows.csv": rows, name: copy}, repeats="attempts"))
    assert message == (
        f"{name}: the file holds the same rows as another one; found rows.csv; "
        "name one of them: a copy is no second run"
    )
