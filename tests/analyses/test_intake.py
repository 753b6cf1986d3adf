"""What was read and what was lost, as a result that no estimate rests on."""

from pathlib import Path

import pytest

from audit import __version__
from audit.analyses import arrays, asking, comparison, intake, workload
from audit.io import canonical_json, digest_of
from audit.modules import imports_of
from audit.spec.models import UNSCORED_DEFAULT
from audit.spec.plan import IntakeSlice
from tests.responses.builders import HEAD, read, slice_of

ROWS = (
    "system,item,score,status,task,attempt\n"
    "a,q1,1,,find,0\na,q1,,error,find,1\na,q2,,error,join,0\na,q3,,refused,join,0\n"
    "b,q1,0,error,find,0\nb,q2,1,,join,0\n"
)
WORK = {"tasks": ("find", "join")}


def intake_slice(**fields):
    """Of the source `s` that `slice_of` reads, without claims."""
    values = {
        "study": "study", "source": "s", "format": "table", "metrics": slice_of().metrics,
        "unscored": UNSCORED_DEFAULT, "claims": {}, "tested": {}, "told_apart": (),
        "chosen": "random", "chosen_on": None, "blind_to_scores": None,
        "percent_published": False,
    }  # fmt: skip
    return IntakeSlice(**(values | fields))


def analysed(folder, files, *, asked=None, **fields):
    found = read(folder, files, **fields)
    return intake.analyse(found.accounting, found.table, asked or intake_slice())


def table(result, name):
    return next((one for one in result.tables if one.id == name), None)


def test_nothing_that_an_estimate_or_a_verdict_rests_on_is_there(tmp_path):
    result = analysed(tmp_path, ROWS, **WORK)
    assert (result.estimates, result.not_estimable, result.threats) == ((), (), ())
    assert (result.analysis, result.source) == ("intake", "s")


@pytest.mark.parametrize("module", [arrays, asking, comparison, workload])
def test_no_estimate_is_made_from_what_intake_says(module):
    assert "audit.analyses.intake" not in imports_of(Path(module.__file__))


def test_statuses_by_system_with_and_without_a_score(tmp_path):
    """b's error has the score 0, and keeps it."""
    found = table(analysed(tmp_path, ROWS, **WORK), "statuses")
    assert found.columns == ("system", "status", "rows", "without_score")
    assert found.rows == (
        ("a", "error", 2, 2),
        ("a", "ok", 1, 0),
        ("a", "refused", 1, 1),
        ("b", "error", 1, 0),
        ("b", "ok", 1, 0),
    )


def test_items_without_a_row_by_system_and_task(tmp_path):
    result = analysed(tmp_path, ROWS, **WORK)
    assert table(result, "missing_by_task").rows == (
        ("a", "find", 1, 0, 1), ("a", "join", 2, 0, 2), ("b", "join", 2, 1, 0),
    )  # fmt: skip
    assert result.diagnostics["unequal"] == ["b"]
    first = result.assumptions[0]
    assert (first.checked, first.held) == (True, False)


def test_attempts_only_where_there_are_several(tmp_path):
    assert table(analysed(tmp_path, ROWS, **WORK), "attempts").rows == (("a", 1, 2),)
    plain = analysed(tmp_path, HEAD + "a,q1,1\nb,q1,1\n")
    assert [one.id for one in plain.tables] == ["rates.correct", "statuses"]
    assert plain.diagnostics["unequal"] == []
    assert plain.diagnostics["left_out"] == plain.diagnostics["published"] == {}
    assert plain.assumptions[0].held


def test_rows_left_out_are_added_up_over_files(tmp_path):
    head = "system,item,score,status,split\n"
    files = {
        "one.csv": head + "a,q1,1,,t\na,q2,,excluded,t\na,q1,0,,t\na,q9,1,,u\n",
        "two.csv": head + "b,q1,1,,t\nb,q2,,excluded,t\nb,q9,1,,u\n",
    }
    result = analysed(tmp_path, files, rows={"split": "t"}, repeats="first")
    assert result.diagnostics["left_out"] == {
        "item excluded for every system": 2,
        "later repeat": 1,
        "not selected": 2,
    }


@pytest.mark.parametrize(
    ("hashes", "expected"),
    [("xx", (True, True)), ("xy", (True, False)), ("x-", (False, None)), ("--", (False, None))],
    ids=["all", "two contents", "some", "none"],
)
def test_same_items_are_checked_only_where_every_row_has_a_digest(tmp_path, hashes, expected):
    first, second = (one.replace("-", "") for one in hashes)
    text = f"system,item,score,item_hash\na,q1,1,{first}\nb,q1,0,{second}\n"
    same = analysed(tmp_path, text).assumptions[1]
    assert (same.checked, same.held) == expected


def test_result_says_where_it_comes_from_and_is_the_same_each_time(tmp_path):
    first = analysed(tmp_path, ROWS, **WORK)
    assert first.provenance.program == __version__
    assert first.provenance.inputs == {"slice": digest_of(intake_slice())}
    assert canonical_json(first) == canonical_json(analysed(tmp_path, ROWS, **WORK))
    assert first.limits
