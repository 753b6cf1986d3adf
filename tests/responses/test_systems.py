"""Which system a row belongs to, and shares among percent."""

import pytest

from tests.responses.builders import (
    HEAD,
    PERCENT,
    cells,
    metric,
    only,
    read,
    refused,
    systems,
)

TWO_KEYS = systems(a={"model": "m", "agent": "x"}, b={"model": "m", "agent": "y"})
AGENTS = "model,agent,item,score\nm,x,q1,1\nm,y,q1,0\n"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (HEAD + "a,q1,1\nb,q1,0\n", {}),
        (HEAD + "A 1.0,q1,1\nB,q1,0\n", {"systems": systems(a="A 1.0", b="B")}),
        (HEAD + "A-2,q1,1\nb,q1,0\n", {"values": {"system": {"A-2": "a"}}}),
        ("m,item,score\na,q1,1\nb,q1,0\n", {"columns": {"system": "m"}}),
        ("m,item,score\na,q1,1\nb,q1,0\n", {"systems": systems(a={"m": "a"}, b={"m": "b"})}),
        (AGENTS, {"systems": TWO_KEYS}),
        (AGENTS, {"systems": TWO_KEYS, "columns": {"system": "model"}}),
    ],
    ids=["id", "match", "mapped value", "mapped column", "other column", "two columns", "both"],
)
def test_rows_find_their_system(tmp_path, text, fields):
    found = cells(read(tmp_path, text, **fields))
    assert found == [("a", "q1", 1.0, "ok"), ("b", "q1", 0.0, "ok")]


def test_accounting_says_how_the_files_name_a_system(tmp_path):
    files = {"one.csv": HEAD + "a,q1,1\nB,q1,1\n", "two.csv": HEAD + "A-2,q2,1\n"}
    found = read(tmp_path, files, systems=systems(x={"system": "A"}, b="B"),
                 values={"system": {"a": "A", "A-2": "A"}})  # fmt: skip
    assert [(one.system, one.names, one.declared) for one in found.accounting.systems] == [
        ("x", ("A",), True),
        ("b", ("B",), True),
    ]
    texts = {"one.csv": "m,v,item,score\nM,1,q1,1\n", "two.csv": "m,v,item,score\nM,2,q2,1\n"}
    found = read(tmp_path, texts, columns={"system": "v"}, systems=systems(a={"m": "M"}))
    assert found.accounting.systems[0].names == ("1, m=M", "2, m=M")


def test_name_that_nobody_declared(tmp_path):
    message = only(
        refused(tmp_path, HEAD + "b,q1,1\ngpt-4,q1,1\n", systems=systems(a="gpt-4o", b="b"))
    )
    assert message == (
        'rows.csv: row 2, column system: this system is not declared; found "gpt-4"; '
        "allowed: gpt-4o, b; did you mean gpt-4o? (match of a); declare it, give a declared one "
        'match: "gpt-4", or write other_systems: reference'
    )


def test_case_and_inner_blanks_tell_systems_apart(tmp_path):
    assert len(refused(tmp_path, HEAD + "A,q1,1\na  a,q1,1\n")) == 2


def test_row_that_fits_several_systems(tmp_path):
    declared = systems(a={"model": "m"}, b={"model": "m", "agent": "y"})
    message = only(refused(tmp_path, AGENTS, systems=declared))
    assert message == (
        "rows.csv: row 2, column agent, model: several declared systems match this row; found "
        '"agent=y, model=m"; make the match of a, b tell them apart'
    )


def test_row_without_a_system(tmp_path):
    for other in ("refuse", "reference"):
        message = only(refused(tmp_path, HEAD + "a,q1,1\n,q1,1\n", other_systems=other))
        assert "row 2, column system: the row names no system; name its system" in message


def test_undeclared_systems_become_references_under_their_own_name(tmp_path):
    found = read(tmp_path, HEAD + "z,q1,1\na,q1,1\n<b>z</b>,q1,0\n", other_systems="reference")
    assert [(one.system, one.declared) for one in found.accounting.systems] == [
        ("a", True),
        ("<b>z</b>", False),
        ("z", False),
    ]


def test_references_that_differ_in_any_matched_column_are_two(tmp_path):
    text = AGENTS + "m,z,q1,1\nm,w,q1,0\n"
    fields = {"columns": {"system": "model"}, "repeats": "attempts"}
    found = read(tmp_path, text, systems=TWO_KEYS, other_systems="reference", **fields)
    assert [one.system for one in found.accounting.systems] == [
        "a",
        "b",
        "m, agent=w",
        "m, agent=z",
    ]


def test_reference_with_the_id_of_a_declared_system_is_refused(tmp_path):
    message = only(
        refused(tmp_path, HEAD + "A,q1,1\na,q1,0\n", systems=systems(a="A"),
                other_systems="reference")
    )  # fmt: skip
    assert message == (
        "rows.csv: row 2, column system: an undeclared system has the id of a declared one; found "
        '"a"; declare it, or give the declared "a" another id'
    )


def test_variants(tmp_path):
    text = "system,item,score,wording\na,q1,1,\na,q1,0,S\na,q1,0,long\n"
    fields = {"columns": {"variant": "wording"}, "variants": ("base", "short")}
    message = only(refused(tmp_path, text, values={"variant": {"S": "short"}}, **fields))
    assert message == (
        'rows.csv: row 3, column wording: this variant is not declared; found "long"; '
        'allowed: base, short; declare it, map it: values: {variant: {"long": base}}, '
        "or leave its rows out by rows: {…}"
    )
    values = {"variant": {"S": "short", "long": "short"}}
    found = read(tmp_path, text.replace("q1,0,long", "q2,0,long"), values=values, **fields)
    assert cells(found, "item", "variant", "score") == [
        ("q1", "base", 1.0),
        ("q1", "short", 0.0),
        ("q2", "short", 0.0),
    ]
    assert found.accounting.variants == {"base": 1, "short": 2}


# -------------------------------------------------------------------------------- percent and share

SHARES = "all scores are at most 1, and the metric is in percent"
OF_ONE = "all scores of one system are at most 1, and the metric is in percent"


@pytest.mark.parametrize(
    ("files", "place", "message"),
    [
        ({"p.csv": "a,q1,40\n", "s.csv": "b,q1,0\nb,q2,0.4\n"}, "s.csv: row 2", SHARES),
        ({"s.csv": "a,q1,0.4\nb,q1,1\n"}, "s.csv: row 1", SHARES),
        ({"s.csv": "a,q1,0\nb,q1,1\n"}, "s.csv: row 2", SHARES),
        ({"s.csv": "a,q1,40\nb,q1,1\nb,q2,0.5\n"}, "s.csv: row 2", OF_ONE),
    ],
    ids=["file beside file", "whole file", "file of 0 and 1", "system in a file"],
)
def test_shares_in_a_percent_metric(tmp_path, files, place, message):
    found = refused(
        tmp_path, {name: HEAD + rows for name, rows in files.items()}, metrics=(PERCENT,)
    )
    assert any(one.startswith(f"{place}, column score: {message}; found ") for one in found)
    assert all("for shares declare range: [0, 1]" in one for one in found)


@pytest.mark.parametrize(
    "rows",
    ["a,q1,0\nb,q1,0\n", "a,q1,40\nb,q1,0\nb,q2,1\n", "a,q1,0.4\na,q2,1.5\n", "a,q1,\nb,q1,\n"],
    ids=["zeros", "one system of 0 and 1", "above 1", "no scores"],
)
def test_what_may_be_percent_is_percent(tmp_path, rows):
    assert read(tmp_path, HEAD + rows, metrics=(PERCENT,)).accounting.unit == {"correct": "percent"}


@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        (metric(), "share"),
        (metric("proportion"), "share"),
        (metric("proportion", 0.0, 100.0), "percent"),
        (metric("bounded"), "share"),
        (metric("bounded", -1.0, 1.0), "points"),
        (metric("unbounded", None, None), "points"),
    ],
    ids=["binary", "proportion", "percent", "0 to 1", "bounded", "unbounded"],
)
def test_unit(tmp_path, kind, unit):
    text = HEAD + ("a,q1,60\n" if unit == "percent" else "a,q1,1\n")
    assert read(tmp_path, text, metrics=(kind,)).accounting.unit == {"correct": unit}
