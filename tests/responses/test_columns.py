"""Which column is which, and which rows the study keeps."""

import pytest

from tests.responses.builders import HEAD, cells, left_out, metric, only, read, refused, systems

A = {"systems": systems(a="a")}


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("system,item,score", {}),
        ("system,question,score", {"item": "question"}),
        ("system,item,question,score", {"item": "question"}),
        ("item,system,score", {"item": "system", "system": "item"}),
        ("system,task,score", {"item": "task"}),
        ("^.*$,*,score", {"system": "^.*$", "item": "*"}),
    ],
    ids=["same names", "mapped", "beside the canonical", "swapped", "another's name", "patterns"],
)
def test_column_the_study_names_goes_before_the_one_of_the_same_name(tmp_path, head, columns):
    names = head.split(",")
    swapped = {"item": "a", "system": "q1"} if columns.get("item") == "system" else {}
    values = {"system": "a", "item": "x", "question": "q1", "task": "q1", "^.*$": "a", "*": "q1"}
    if "item" not in columns:
        values["item"] = "q1"
    row = ",".join((values | swapped | {"score": "1"})[name] for name in names)
    found = read(tmp_path, f"{head}\n{row}\n", columns=columns, **A)
    assert cells(found, "system", "item", "score", "task") == [("a", "q1", 1.0, None)]


def test_canonical_column_without_a_name_of_its_own_is_nothing(tmp_path):
    """`task` is the item here, so that nothing in the file is the task."""
    text = "system,task,score\na,x,1\n"
    found = read(tmp_path, text, columns={"item": "task"}, **A)
    assert cells(found, "item", "task") == [("x", None)]


@pytest.mark.parametrize(
    ("head", "fields", "parts"),
    [
        ("system,item,scor", {}, ['no column "score"', "allowed: system, item, scor",
                                  "scores: {correct: score}", "did you mean scor?"]),
        ("system,itm,score", {}, ['no column "item"', "columns: {item: …}", "did you mean itm?"]),
        ("sys,item,score", {}, ["no column that names systems (system)", "columns: {system: …}"]),
        ("system,item,score", {"columns": {"cluster": "fam"}},
         ['no column "fam"', "the study says columns: {cluster: fam}"]),
        ("system,item,score", {"rows": {"split": "test"}},
         ['no column "split"', "the study says rows: {split: …}"]),
        ("model,item,score", {"systems": systems(a={"model": "a", "agent": "x"}, b={"kind": "b"}),
                              "columns": {"item": "model"}}, None),
        ("system,item,score", {"columns": {"item": "system"}},
         ["no column that names systems (system)"]),
    ],
)  # fmt: skip
def test_missing_column_is_named_with_what_is_there(tmp_path, head, fields, parts):
    text = f"{head}\na,q1,1\n"
    if parts is None:
        assert 'this system is not declared; found "model=a"' in only(
            refused(tmp_path, text, **fields)
        )
        return
    message = only(refused(tmp_path, text, **fields))
    assert message.startswith("rows.csv: ")
    for part in parts:
        assert part in message


def test_every_missing_column_of_every_file_is_said_at_once(tmp_path):
    messages = refused(tmp_path, {"one.csv": "x\n1\n", "two.csv": "system,item\na,q\n"})
    assert [one.split(":")[0] for one in messages] == ["one.csv"] * 3 + ["two.csv"]


def test_column_that_only_some_files_have_is_null_in_the_others(tmp_path):
    files = {"one.csv": HEAD + "a,q1,1\n", "two.csv": "system,item,score,cluster\nb,q1,1,c\n"}
    found = read(tmp_path, files)
    assert cells(found, "system", "file", "row") == [("a", "one.csv", 1), ("b", "two.csv", 1)]
    assert cells(found, "cluster") == [("c",), ("c",)]


@pytest.mark.parametrize(
    ("values", "written", "read_as"),
    [
        ({"label": {"E": "easy"}}, "E", "easy"),
        ({"label": {" E ": " easy "}}, "E", "easy"),
        ({"label": {"E": "easy"}}, "H", "H"),
        ({"label": {"": "none stated"}}, "", "none stated"),
        ({"label": {"-": ""}}, "-", None),
        ({"label": {"E": "easy", "easy": "never twice"}}, "E", "easy"),
    ],
)
def test_mapped_values(tmp_path, values, written, read_as):
    text = f"system,item,score,label\na,q1,1,{written}\n"
    assert cells(read(tmp_path, text, values=values), "label") == [(read_as,)]


def test_mapped_items_that_become_one_are_repeats(tmp_path):
    text = HEAD + "a,q1,1\na,Q1,0\n"
    message = only(refused(tmp_path, text, values={"item": {"Q1": "q1"}}))
    assert "row 2: the row repeats another one's" in message


# ------------------------------------------------------------------------------------------- rows

ROWS = (
    "system,item,score,split,n,kept,note\n"
    "a,q1,1,test,1,True,\n"
    "a,q2,0,train,1.0,false,x\n"
    "b,q1,1,test,1e0,true,\n"
    "b,q2,1,dev,2,False,\n"
)


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ({"split": "test"}, "a1 b1"),
        ({"split": ["test", "dev"]}, "a1 b1 b2"),
        ({"n": 1}, "a1 a2 b1"),
        ({"n": [1.0, 2]}, "a1 a2 b1 b2"),
        ({"n": "1"}, "a1"),
        ({"n": ["1", 2]}, "a1 b2"),
        ({"kept": True}, "a1 b1"),
        ({"kept": [False]}, "a2 b2"),
        ({"note": ""}, "a1 b1 b2"),
        ({"split": "test", "kept": True}, "a1 b1"),
        ({"item": "q1"}, "a1 b1"),
    ],
    ids=str,
)
def test_rows_that_the_study_keeps_and_the_others_counted(tmp_path, rows, kept):
    found = read(tmp_path, ROWS, rows=rows)
    assert " ".join(f"{system}{item[1:]}" for system, item, *_ in cells(found)) == kept
    lost = 4 - len(kept.split())
    assert left_out(found) == {"rows.csv": {"not selected": lost} if lost else {}}


@pytest.mark.parametrize(
    ("rows", "shown", "allowed"),
    [
        ({"split": ["test", "tests"]}, '"tests"', "test, train, dev"),
        ({"n": 3}, "3", "1, 1.0, 1e0, 2"),
        ({"n": "1.00"}, '"1.00"', "1, 1.0, 1e0, 2"),
        ({"split": True}, "true", "test, train, dev"),
    ],
)
def test_wanted_value_that_never_occurs_is_refused(tmp_path, rows, shown, allowed):
    messages = refused(tmp_path, ROWS, rows=rows)
    (column,) = rows
    assert messages[-1] == (
        f"rows.csv: column {column}: a value that rows keeps never occurs; found {shown}; "
        f"allowed: {allowed}; correct rows: {{{column}: …}}"
    )


def test_whole_numbers_beyond_what_floats_hold_are_compared_as_text(tmp_path):
    text = "system,item,score,run\na,q1,1,9007199254740992\na,q2,1,9007199254740993\n"
    found = read(tmp_path, text, rows={"run": 9007199254740993})
    assert [item for _, item, *_ in cells(found)] == ["q2"]


def test_rows_select_by_what_the_file_says_before_values_are_mapped(tmp_path):
    fields = {"columns": {"label": "split"}, "values": {"label": {"test": "final"}}}
    found = read(tmp_path, ROWS, rows={"split": "test"}, **fields)
    assert cells(found, "label") == [("final",), ("final",)]


@pytest.mark.parametrize(
    ("fields", "column", "word"),
    [
        ({"rows": {"score": [0, 1]}}, "score", "score"),
        ({"rows": {"n": 1}, "metrics": (metric(column="n"),)}, "n", "score"),
        ({"rows": {"status": "ok"}}, "status", "status"),
        ({"rows": {"split": "test"}, "columns": {"status": "split"}}, "split", "status"),
    ],
)
def test_rows_are_never_selected_by_how_they_came_out(tmp_path, fields, column, word):
    text = ROWS.replace("note", "status").replace(",x\n", ",error\n")
    message = only(refused(tmp_path, text, **fields))
    assert f"column {column}: rows are selected by their {word}" in message
    assert "unscored: {status: …}" in message
