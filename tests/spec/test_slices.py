"""Slices: what a change in the study makes other, and what it leaves to the byte."""

import pytest

from audit.io import canonical_json
from audit.spec.plan import LockEntry
from audit.spec.slices import make_slices, seed_of
from tests.spec.builders import RICH, changed, load

DIGEST = "sha256:" + "a" * 64


def sliced(folder, text, lock=()):
    slices = make_slices(load(folder, text), lock)
    return {name: canonical_json(one) for name, one in slices.items()}


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return sliced(tmp_path_factory.mktemp("before"), RICH)


def test_files_of_a_study(before):
    assert sorted(before) == [
        "argument.json",
        "comparison.one.json",
        "configuration.json",
        "intake.one.json",
        "intake.two.json",
        "plan.json",
        "source.one.json",
        "source.two.json",
        "study.json",
        "workload.one.json",
    ]


ARGUMENT = {"argument.json", "plan.json"}
INTAKE = {"intake.one.json", "intake.two.json"}
RESPONSES = {"comparison.one.json", "workload.one.json"}


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("title: Everything", "title: Nearly everything", set()),
        ("question: What does", "question: What would", set()),
        ("statement: A is better", "statement: A is far better", set()),
        ("needs: think", "needs: think twice", set()),
        ("why: drawn", "why: drawn by lot", set()),
        ("basis: judged", "basis: guessed", set()),
        ("schema: 1\n", "schema: 1\n# a comment\n", set()),
        ('version: "1"', 'version: "1.0"', {"argument.json"}),  # another system: its digest
        ("better_by: 0.02", "better_by: 0.03", ARGUMENT),
        ("at_least: 70", "at_least: 60", ARGUMENT - {"comparison.one.json"}),
        ("exploratory: true", "exploratory: false", {"argument.json"}),
        ("rests_on: [pair, order]", "rests_on: [pair]", {"argument.json"}),
        (
            "over: b\n    variants",
            "over: c\n    variants",
            {"comparison.one.json", "configuration.json", "intake.one.json", *ARGUMENT},
        ),
        ("level: 0.9\n", "level: 0.95\n", {"comparison.one.json", *ARGUMENT}),
        ("share: 0.3,", "share: 0.31,", {*RESPONSES, "argument.json"}),
        ("documents: copy", "documents: print", {"configuration.json", *INTAKE}),
        ("deployed: same, match", "deployed: none, match", {"configuration.json"}),
        ("files: two.csv", "files: three.csv", {"source.two.json"}),
        (
            "item: question",
            "item: query",
            {"source.one.json", "intake.one.json", "argument.json"},
        ),
        ("smallest_difference: 0.05", "smallest_difference: 0.06", {*RESPONSES, "argument.json"}),
        (
            "metrics:\n",
            "unscored: {timeout: bounds}\nmetrics:\n",
            {*RESPONSES, *INTAKE, "argument.json"},
        ),
    ],
)
def test_a_change_touches_only_who_may_know_it(tmp_path, before, old, new, other):
    pairs = [(old, new)]
    if "share" in old:
        pairs.append(("share: 0.6,", "share: 0.59,"))
    after = sliced(tmp_path, changed(RICH, *pairs))
    assert {name for name in before if before[name] != after.get(name)} == {"study.json", *other}


def test_source_slice_says_what_ingest_reads(tmp_path):
    slices = make_slices(load(tmp_path, RICH), ())
    one = slices["source.one.json"]
    assert one.files == ("one/*.csv", "ROOT:two.csv.gz")
    assert [(m.id, m.column, m.lower, m.upper) for m in one.metrics] == [
        ("correct", "right", 0, 1),
        ("points", "points", 0, 100),
        ("seconds", "wall", None, None),
    ]
    assert [(s.system, s.match) for s in one.systems] == [
        ("a", {"system": "a"}),
        ("b", {"system": "b"}),
        ("c", {"model": "c", "temperature": "0"}),
    ]
    assert one.variants == ("base", "short", "list")
    assert one.tasks == ("easy", "hard", "rare")


def test_the_score_column_may_be_named_by_columns(tmp_path):
    text = changed(RICH, ("files: two.csv,", "files: two.csv, columns: {score: grade, item: q},"))
    two = make_slices(load(tmp_path, text), ())["source.two.json"]
    assert two.metrics[0].column == "grade"
    assert two.columns == {"item": "q"}


def test_analysis_slices_hold_what_is_asked_only(tmp_path):
    slices = make_slices(load(tmp_path, RICH), ())
    comparison = slices["comparison.one.json"]
    assert [one.id for one in comparison.metrics] == ["correct", "seconds"]
    assert comparison.weights_kind == "share"
    assert comparison.consequence_unit == "hours"
    assert comparison.unscored["error"] == "bounds"
    assert comparison.seed == seed_of("comparison", "one")
    assert comparison.systems == ("a", "b", "c")


def test_argument_slice_carries_the_lock_and_the_threats(tmp_path):
    entry = LockEntry(at="2026-10-01T00:00:00+00:00", decision=DIGEST, sources={}, program="x")
    argument = make_slices(load(tmp_path, RICH), (entry,))["argument.json"]
    assert argument.lock == (entry,)
    plain, bounded = argument.claims["tolerated"].threats
    assert (plain.affects, plain.bound) == ("validity", None)
    assert (bounded.affects, bounded.bound) == ("estimate", (-0.01, 0.01))


def test_study_slice_is_the_declared_study(tmp_path):
    study = make_slices(load(tmp_path, RICH), ())["study.json"]
    assert study["study"]["schema"] == 1
    assert study["study"]["systems"]["a"]["deployed"] == {"documents": "live"}
    assert {one["severity"] for one in study["remarks"]} == {"warning"}
    assert str(tmp_path) not in canonical_json(study).decode()
