"""Parquet says the same as CSV, whatever the types of its columns."""

import datetime
import io
import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import DataError
from audit.responses.intake import ingest
from audit.responses.readers.parquet import read_parquet
from audit.responses.readers.table import read_table
from audit.spec.files import ResolvedFile
from tests.responses.builders import (
    BINARY,
    POINTS,
    SHARE,
    cells,
    metric,
    only,
    read,
    refused,
    slice_of,
    written,
)

FRAME = pl.DataFrame(
    {
        "system": pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
        "item": [1, 2, 1, 2],
        "score": [0.1, None, 1.0, 1e-07],
        "status": pl.Series(["ok", "error", "ok", None], dtype=pl.Enum(["ok", "error"])),
        "attempt": pl.Series([0, 0, 0, 0], dtype=pl.UInt8),
        "date": [datetime.date(2026, 1, day) for day in (1, 2, 3, 4)],
        "latency_s": pl.Series([0.5, 1.5, None, 2.0], dtype=pl.Float32),
        "cluster": pl.Series([True, False, True, False]),
        "label": [None, None, None, None],
    }
)


@pytest.mark.parametrize("name", ["rows.csv.gz", "rows.parquet", "rows.parquet.gz"])
def test_csv_and_parquet_give_the_same_table(tmp_path, name):
    text = FRAME.write_csv()
    plain = read(tmp_path, text, metrics=(SHARE,))
    content = FRAME if "parquet" in name else text
    other = read(tmp_path, {name: content}, metrics=(SHARE,))
    same = other.table.responses.with_columns(pl.lit("rows.csv").alias("file"))
    assert same.equals(plain.table.responses)
    assert other.table.items.equals(plain.table.items)
    assert other.accounting.systems == plain.accounting.systems


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_come_back_as_they_were(numbers):
    buffer = io.BytesIO()
    pl.DataFrame({"x": numbers}).write_parquet(buffer)
    frame, _ = read_parquet(ResolvedFile("x.parquet", None), buffer.getvalue())
    assert [float(text) for text in frame["x"]] == numbers


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pl.Series([0.1], dtype=pl.Float32), "0.1"),
        (pl.Series([1.0]), "1.0"),
        (pl.Series([float("nan")]), "NaN"),
        (pl.Series([True]), "true"),
        (pl.Series([2**64 - 1], dtype=pl.UInt64), "18446744073709551615"),
        (pl.Series(["1.50"]).cast(pl.Decimal(10, 2)), "1.50"),
        (pl.Series([datetime.date(2026, 1, 2)]), "2026-01-02"),
        (pl.Series([datetime.datetime(2026, 1, 2, 3)]), "2026-01-02T03:00:00"),
        (
            pl.Series([datetime.datetime(2026, 1, 2)]).dt.replace_time_zone("Europe/Berlin"),
            "2026-01-02T00:00:00+01:00",
        ),
        (pl.Series([" x "]), "x"),
        (pl.Series(["  "]), None),
        (pl.Series([None]), None),
    ],
    ids=str,
)
def test_value_as_a_csv_would_write_it(tmp_path, column, text):
    file = written(tmp_path, {"x.parquet": pl.DataFrame({"x": column})})[0]
    assert read_table(file).frame["x"].to_list() == [text]


def frame_with(**columns):
    return pl.DataFrame({"system": ["a"], "item": ["q1"], "score": [1.0]} | columns)


OUT_OF_RANGE = pl.Series([2**62]).cast(pl.Datetime("us"))


@pytest.mark.parametrize(
    ("column", "held"),
    [
        ([[1.0]], "lists or structures"),
        ([{"value": 1.0}], "lists or structures"),
        ([b"1"], "bytes"),
        ([datetime.timedelta(seconds=1)], "values that have no text (Duration"),
        (OUT_OF_RANGE, "values that have no text (Datetime"),
    ],
    ids=["list", "structure", "bytes", "duration", "date out of range"],
)
def test_column_without_single_values_is_refused_only_where_the_study_needs_it(
    tmp_path, column, held
):
    message = only(refused(tmp_path, {"rows.parquet": frame_with(score=column)}))
    assert f'the column "score" holds no single values; found {held}' in message
    assert "scores: {correct: score}" in message
    assert cells(read(tmp_path, {"rows.parquet": frame_with(trace=column)}))


def test_deeply_nested_column_is_left_aside(tmp_path):
    value = 1
    for _ in range(50):
        value = [value]
    assert len(cells(read(tmp_path, {"rows.parquet": frame_with(trace=[value])}))) == 1


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        (pl.DataFrame(), "the file is empty"),
        (FRAME.clear(), "no row is left"),
        (pl.DataFrame({"x": [[1]]}), 'there is no column "item"'),
    ],
    ids=["no columns", "no rows", "lists only"],
)
def test_parquet_without_content_is_refused(tmp_path, frame, part):
    assert any(part in one for one in refused(tmp_path, {"rows.parquet": frame}))


def test_column_of_nulls_is_no_score(tmp_path):
    found = read(tmp_path, {"rows.parquet": frame_with(score=[None])})
    assert cells(found) == [("a", "q1", None, "not_run")]


def test_nan_is_no_score_until_the_study_says_what_it_means(tmp_path):
    frame = frame_with(score=[float("nan")])
    assert 'found "NaN"' in only(refused(tmp_path, {"rows.parquet": frame}, metrics=(POINTS,)))
    mapped = metric(values={"NaN": "error"})
    found = read(tmp_path, {"rows.parquet": frame}, metrics=(mapped,))
    assert cells(found) == [("a", "q1", None, "error")]


def test_booleans_are_right_or_wrong_for_a_binary_metric_only(tmp_path):
    frame = frame_with(score=[True])
    assert cells(read(tmp_path, {"rows.parquet": frame}, metrics=(BINARY,)))[0][2] == 1.0
    message = only(refused(tmp_path, {"rows.parquet": frame}, metrics=(SHARE,)))
    assert 'the score is no number; found "true"' in message


def test_damaged_parquet_is_refused_or_read_and_never_stops_the_program(tmp_path):
    path = tmp_path / "rows.parquet"
    FRAME.write_parquet(path)
    content = path.read_bytes()
    chance = random.Random(20)
    places = []
    for _ in range(150):
        damaged = bytearray(content)
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice((len(damaged), chance.randrange(len(damaged))))])
        try:
            ingest(slice_of(metrics=(SHARE,)), [ResolvedFile("rows.parquet", path)])
        except DataError as error:
            places += [issue.file for issue in error.issues]
    assert len(places) > 100
    assert set(places) == {"rows.parquet"}
