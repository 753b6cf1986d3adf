"""docs-pilot: the committed responses are what the committed systems answer."""

import csv
import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "specs" / "docs-pilot"


@pytest.fixture(scope="module")
def script():
    for library in ("bm25s", "sklearn", "rapidfuzz"):
        pytest.importorskip(library, reason="needs the extra `examples`")
    spec = importlib.util.spec_from_file_location("docs_pilot_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def committed():
    with (FOLDER / "responses.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_responses_are_regenerated_to_the_byte(script, tmp_path):
    assert script.main(["--out", str(tmp_path)]) == 0
    for name in ("responses.csv", "items.csv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_every_system_answered_every_question(script):
    rows = committed()
    questions = script.read_questions("questions.jsonl")
    assert len(rows) == len(script.SYSTEMS) * len(questions) == 8 * 60
    assert Counter(one["task"] for one in questions) == {
        "locate": 24,
        "reconcile": 18,
        "missing": 18,
    }


def test_questions_name_pages_that_exist(script):
    pages = {page.id: page for page in script.read_pages()}
    for name in ("questions.jsonl", "practice.jsonl"):
        for one in script.read_questions(name):
            assert set(one["pages"]) <= set(pages)
            assert len(one["pages"]) == {"locate": 1, "reconcile": 2, "missing": 0}[one["task"]]
            assert all(pages[page].topic == one["topic"] for page in one["pages"])


def test_practice_and_test_questions_differ(script):
    asked = {one["text"] for one in script.read_questions("questions.jsonl")}
    assert len(asked) == 60
    assert not asked & {one["text"] for one in script.read_questions("practice.jsonl")}


def test_claims_were_pinned_before_the_first_run():
    import datetime

    locked = [json.loads(one)["at"] for one in (FOLDER / "lock.jsonl").read_text().splitlines()]
    ran = {one["date"] for one in committed()}
    assert len(ran) == 1
    first = datetime.datetime.fromisoformat(ran.pop())
    assert all(datetime.datetime.fromisoformat(one) < first for one in locked)


def test_right_means_what_the_script_says(script):
    questions = {one["id"]: one for one in script.read_questions("questions.jsonl")}
    for row in committed():
        returned = row["returned"].split()
        assert row["status"] == ("ok" if returned else "refused")
        assert int(row["score"]) == script.is_right(questions[row["item"]], returned)
