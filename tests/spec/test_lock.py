"""What a decision is, and the append-only file that pins it."""

import pytest

from audit.errors import SpecError
from audit.spec.lock import LOCK_FILE, append_lock, decision_digest, read_lock
from audit.spec.plan import LockEntry
from tests.spec.builders import RICH, changed, load

DIGEST = "sha256:" + "a" * 64


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return decision_digest(load(tmp_path_factory.mktemp("before"), RICH).study)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Everything", "title: Nearly everything"),
        ("statement: A is better", "statement: A is far better"),
        ("needs: think", "needs: think twice"),
        ("why: drawn", "why: drawn by lot"),
        ("owner: nobody", "owner: somebody"),
        ("documents: copy", "documents: print"),
        ("at_least: 70", "at_least: 60"),  # of an exploratory claim
        ("files: two.csv", "files: three.csv"),  # of a source that no claim uses
        ("the copy is a day old", "the copy is two days old"),
        ("smallest_difference: 0.05", "smallest_difference: 0.06"),
        ("[pair, order]", "[order, pair]"),
        ("{correct: right, points: points,", "{correct: right, points: points, "),
        (
            '  a: {version: "1", family: f1',
            '  d: {version: "1"}\n  a: {version: "1", family: f9',
        ),
        ("tasks: [easy, hard]", "tasks: [hard, easy]"),
    ],
)
def test_wording_is_no_decision(tmp_path, before, old, new):
    assert decision_digest(load(tmp_path, changed(RICH, (old, new))).study) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("better_by: 0.02", "better_by: 0.01"),
        ("{task: rare, stop_if_worse_by: 0.05}", "{task: rare, stop_if_worse_by: 0.06}"),
        ("level: 0.9\n", "level: 0.91\n"),
        ("tasks: [easy, hard]", "tasks: [easy]"),
        ("variants: [base, short]", "variants: [base]"),
        ("over: c", "over: b"),
        ("rests_on: [pair, order]", "rests_on: [pair]"),
        ("exploratory: true", "exploratory: false"),
        ("divisible_by: [tasks, variants]", "divisible_by: [tasks]"),
        ("bound: [-0.01, 0.01]", "bound: [-0.02, 0.02]"),
        ("cluster: passage", "label: passage"),
        ("split: [test]", "split: [dev]"),
        ("repeats: attempts", "repeats: first"),
        ("{correct: right, points: points,", "{points: points, correct: right,"),
        ("consequence: 5", "consequence: 6"),
        ("severe: true, ", ""),
        ('version: "1"', 'version: "1.1"'),
        ('temperature: "0"', 'temperature: "1"'),
        ("metrics:\n", "unscored: {timeout: bounds}\nmetrics:\n"),
        ("better: lower", "better: higher"),
        ("schema: 1\n", "schema: 1\nother_systems: refuse\n"),
    ],
)
def test_what_could_be_chosen_after_seeing_scores_is(tmp_path, before, old, new):
    other = decision_digest(load(tmp_path, changed(RICH, (old, new))).study)
    assert (other == before) == ("other_systems" in new)


def entry(at="2026-10-01T12:00:00+00:00", decision=DIGEST):
    return LockEntry(at=at, decision=decision, sources={"one": DIGEST}, program="claimscope 0")


def test_entries_are_only_added(tmp_path):
    assert read_lock(tmp_path) == ()
    append_lock(tmp_path, entry())
    first = (tmp_path / LOCK_FILE).read_bytes()
    append_lock(tmp_path, entry("2026-10-02T12:00:00+02:00"))
    assert (tmp_path / LOCK_FILE).read_bytes().startswith(first)
    assert [one.at[:10] for one in read_lock(tmp_path)] == ["2026-10-01", "2026-10-02"]


def test_a_missing_line_end_is_mended_by_adding(tmp_path):
    append_lock(tmp_path, entry())
    path = tmp_path / LOCK_FILE
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_lock(tmp_path, entry())
    assert len(read_lock(tmp_path)) == 2


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "null",
        '{"at": "2026-10-01T12:00:00+00:00"}',
        entry(at="yesterday").model_dump_json(),
        entry(at="2026-10-01T12:00:00").model_dump_json(),
        entry(decision="abc").model_dump_json(),
        '{"x": "' + "y" * 100_000 + '"}',
        "\x00",
    ],
)
def test_a_broken_lock_is_never_guessed_at(tmp_path, line):
    append_lock(tmp_path, entry())
    with (tmp_path / LOCK_FILE).open("a") as stream:
        stream.write(line + "\n")
    for call in (read_lock, lambda folder: append_lock(folder, entry())):
        with pytest.raises(SpecError) as caught:
            call(tmp_path)
        assert f"{LOCK_FILE}:2:1: this is no lock entry" in str(caught.value)
        assert len(str(caught.value)) < 500


def test_a_link_is_no_lock(tmp_path):
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / LOCK_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SpecError):
        append_lock(tmp_path, entry())
    assert (tmp_path / "elsewhere").read_text() == ""
