"""Whole studies: what is accepted, what is warned of, everything at once."""

import pytest

from audit.errors import SpecError
from audit.spec.load import load_study
from tests.spec.builders import FULL, MINIMAL, RICH, changed, load, said, write

TABLE = "system,family,version,match.model\nref-1,fam,,Ref One\nref-2,,7,Ref Two\n"

NOT_YET = """\
27:72: systems.hosted.bridges.documents.source: source is not available yet
31:65: metrics.solved.judge: judge is not available yet
31:89: metrics.solved.gold: gold is not available yet
36:20: variants.injected.kind: kind adversarial is not available yet
45:19: sources.revised.role: role revision is not available yet
45:29: sources.revised.revises: revises is not available yet
46:13: sources.revised.review: review is not available yet
46:33: sources.revised.adds: adds is not available yet
47:17: sources.pilot.role: role deployment is not available yet
49:22: sources.live-check.role: role replication is not available yet
50:1: difficulty: difficulty is not available yet
74:29: claims.fit.criteria[1].quantile: quantile is not available yet
75:37: claims.fit.criteria[2].measure: measure per_success is not available yet
78:11: claims.real.kind: kind deployment_agreement is not available yet
84:1: forks: forks is not available yet
""".splitlines()


def test_smallest_study_has_fitting_warnings_only(tmp_path):
    assert said(tmp_path, MINIMAL) == []
    assert said(tmp_path, MINIMAL, severity="hint") == []
    assert said(tmp_path, MINIMAL, severity="warning") == [
        "18:1: warning: systems: the family is unknown: alpha and beta; "
        "all without one count together as one family",
        "22:3: warning: sources.october: no task_review: that items belong to their tasks "
        "is the author's word",
        "22:3: warning: sources.october: whether items were chosen blind to scores is unknown",
    ]


def test_full_example_says_exactly_what_is_not_available_yet(tmp_path):
    found = said(tmp_path, FULL, files={"systems.csv": TABLE})
    assert [one.split(";")[0] for one in found] == NOT_YET


def test_rich_study_is_accepted(tmp_path):
    study = load(tmp_path, RICH).study
    assert study.claims["good"].variants == ("plausible",)
    assert study.claims["pair"].source == "one"


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        (
            "deployed: same}",
            "}",
            "19:3: warning: systems.alpha: how it is deployed is not declared",
        ),
        ('version: "4.1"', "version: not stated", "19:3: warning: systems.alpha: the version is"),
        ("chosen: random", "chosen: convenience", "items were chosen by convenience"),
        ("chosen: random", "chosen: random, blind_to_scores: false", "somebody who knew scores"),
        (
            "chosen: random",
            "chosen: random, task: routine",
            "weighted tasks without items: dispute",
        ),
        ("warrant: same", "level: 0.8, warrant: same", "the level 0.8 is below 0.9"),
        ("warrant: same", "reach: deployment, warrant: same", "it reaches the work at most"),
        (
            "warrant: same",
            "threats: [{what: x, affects: estimate}], warrant: same",
            "without a bound leaves the claim undecided",
        ),
        ("role: baseline", "role: reference", "a reference only calibrates"),
        (
            "claims:\n",
            "failures:\n  F: {system: alpha, task: routine, severity: critical, state: open,"
            " seen: 2026-01-01, where: a, what: b}\nclaims:\n",
            "24:3: warning: failures.F: a critical failure of alpha is open",
        ),
    ],
)
def test_warning(tmp_path, old, new, warning):
    text = changed(MINIMAL, (old, new))
    assert said(tmp_path, text) == []
    assert any(warning in one for one in said(tmp_path, text, severity="warning"))


def test_selection_without_work_is_warned_of(tmp_path):
    begin, end = MINIMAL.index("workload:"), MINIMAL.index("systems:")
    text = changed(
        MINIMAL[:begin] + MINIMAL[end:], (", {task: dispute, stop_if_worse_by: 0.05}", "")
    )
    assert said(tmp_path, text) == []
    assert any("no work is declared" in one for one in said(tmp_path, text, severity="warning"))


def test_prose_key_in_a_free_mapping_is_hinted_at(tmp_path):
    text = changed(
        MINIMAL, ("deployed: same}", "deployed: same, tested: {other: {a: b, and c d}}}")
    )
    found = said(tmp_path, text, severity="hint")
    assert len(found) == 1
    assert "a comma inside { } begins a new key" in found[0]


def test_at_least_of_a_loss_is_hinted_at(tmp_path):
    text = changed(RICH, ("at_most: 9}", "at_least: 9}"))
    assert any("at_most was probably meant" in one for one in said(tmp_path, text, severity="hint"))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("title: Alpha or", "title: Alpha #1 or", "3:1: hint: title"),
        ("owner: Support", "owner: Support # the head of it", None),
        ("owner: Support", 'owner: "Support #7"', None),
        ("whose: customers", "whose: customers\n    and #1 clients", "13:3: hint: workload.whose"),
    ],
)
def test_a_text_that_a_comment_cuts_is_hinted_at(tmp_path, old, new, place):
    for text in (changed(MINIMAL, (old, new)), changed(MINIMAL, (old, new)).replace("\n", "\r\n")):
        found = [one for one in said(tmp_path, text, severity="hint") if "the text ends" in one]
        assert [one.split(": the text")[0] for one in found] == ([place] if place else [])


@pytest.mark.parametrize(
    ("pairs", "which"),
    [
        ([("of: alpha, over: beta", "of: alpha, among: [alpha, beta]"), ("comparison", "ranking"),
          ("better_by: 0.03", "at_most: 1"), ("stop_if_worse_by: 0.05", "at_most: 1")],
         "a ranking"),
        ([("of: alpha, over: beta", "of: alpha"), ("comparison", "performance"),
          ("better_by: 0.03", "measure: expected_loss, at_most: 1"),
          (", {task: dispute, stop_if_worse_by: 0.05}", ""),
          ("count: 8617", "count: 8617, consequence: 1"),
          ("count: 597", "count: 597, consequence: 9"),
          ("  tasks:", "  consequence_unit: hours\n  consequence_basis: judged\n  tasks:")],
         "the loss of one system"),
    ],
    ids=["ranking", "loss"],
)  # fmt: skip
def test_an_effect_that_foretells_nothing_is_hinted_at(tmp_path, pairs, which):
    text = changed(MINIMAL, *pairs, ("warrant: same", "expected_effect: 0.5, warrant: same"))
    assert said(tmp_path, text) == []
    (found,) = said(tmp_path, text, severity="hint")
    assert f"claims.C1.expected_effect: no chance of support is computed for {which}" in found


def test_claims_that_multiply_are_refused(tmp_path):
    tasks = "".join(f"    t{number}: {{count: 1, needs: x}}\n" for number in range(1200))
    pairs = [
        ("    dispute:", tasks + "    dispute:"),
        ("warrant: same", "accept: narrowed, warrant: same"),
    ]
    assert said(tmp_path, changed(MINIMAL, *pairs)) == []
    pairs[1] = ("warrant: same", "divisible_by: tasks, warrant: same")
    assert said(tmp_path, changed(MINIMAL, *pairs)) == [
        "1223:1: claims: the claims ask for too many numbers; found 2406 numbers over 2899230 "
        "systems, tasks and variants; allowed: at most 20000 over 1000000; "
        "divide fewer claims, or make several studies"
    ]


@pytest.mark.parametrize("begin", ["", "\ufeff", "---\n", "# a comment\n"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_how_a_file_begins_and_ends_its_lines_is_no_matter(tmp_path, begin, ends):
    home = tmp_path / "alpha-or-beta"
    home.mkdir()
    (home / "study.yaml").write_bytes((begin + MINIMAL).replace("\n", ends).encode())
    assert load_study(home).study == load(tmp_path, MINIMAL).study


def test_mistakes_of_structure_do_not_hide_others(tmp_path):
    text = changed(
        MINIMAL,
        ("owner: Support", "owner: 12"),
        ("count: 8617", "count: -1"),
        ("over: beta", "over: betta"),
        ("chosen: random", "scores: {solved: s}, chosen: random"),
        ("claims:", "forks: {}\nclaims:"),
    )
    places = [one.split(": ")[1] for one in said(tmp_path, text)]
    assert places == [
        "decision.owner",
        "workload.tasks.routine.count",
        "sources.october.scores.solved",
        "forks",
        "claims.C1.over",
    ]


# ----------------------------------------------------------------------------------------- defaults


def test_defaults_lie_one_mapping_deep_and_lists_replace(tmp_path):
    study = load(tmp_path, RICH).study
    assert study.systems["a"].tested == {"documents": "copy", "tools": ["search"], "model": "a-1"}
    assert study.systems["a"].deployed == {"documents": "live"}
    assert study.systems["c"].deployed == "same"
    text = changed(RICH, ("tested: {model: a-1}", "tested: {tools: [none], documents: {of: x}}"))
    assert load(tmp_path, text).study.systems["a"].tested == {
        "documents": {"of": "x"},
        "tools": ["none"],
    }


def test_mistake_in_defaults_is_told_once_where_it_stands(tmp_path):
    text = changed(RICH, ("tools: [search]}", "tool: [search]}"))
    assert [one.split(";")[0] for one in said(tmp_path, text)] == [
        '20:39: defaults.systems.tested.tool: "tool" is not known here'
    ]


def test_defaults_may_hold_what_an_entry_needs(tmp_path):
    text = changed(
        MINIMAL, ("of: alpha, ", ""), ("claims:", "defaults: {claims: {of: alpha}}\nclaims:")
    )
    assert load(tmp_path, text).study.claims["C1"].of == "alpha"


# ------------------------------------------------------------------------------------ system table

WITH_TABLE = changed(MINIMAL, ("claims:\n", "system_table: systems.csv\nclaims:\n"))


def test_system_table_adds_references(tmp_path):
    study = load(tmp_path, WITH_TABLE, files={"systems.csv": TABLE}).study
    first, second = study.systems["ref-1"], study.systems["ref-2"]
    assert (first.role, first.family, first.version) == ("reference", "fam", "not stated")
    assert first.match == {"model": "Ref One"}
    assert (second.family, second.version) == (None, "7")


def test_system_table_rows_take_defaults_below_their_own_cells(tmp_path):
    text = changed(
        WITH_TABLE, ("claims:\n", "defaults: {systems: {family: f, role: candidate}}\nclaims:\n")
    )
    study = load(tmp_path, text, files={"systems.csv": TABLE}).study
    assert study.systems["ref-1"].family == "fam"
    assert study.systems["ref-2"].family == "f"
    assert study.systems["ref-2"].role == "candidate"


def test_system_table_is_part_of_the_digest(tmp_path):
    one = load(tmp_path, WITH_TABLE, files={"systems.csv": TABLE}).spec_digest
    two = load(tmp_path, WITH_TABLE, files={"systems.csv": TABLE + "\n"}).spec_digest
    assert one != two


@pytest.mark.parametrize(
    ("table", "said_of_it"),
    [
        ("system,famly\nx,y\n", ['1:1: column 2: this column is not known; found "famly"']),
        ("family\nx\n", ["1:1: the column system is missing"]),
        ("system\na b\n", ['2:1: system: this is no id; found "a b"']),
        ("system\nx\nx\n", ["3:1: systems.x: the system is repeated; it stands on line 2 already"]),
        ("system,family\nx\n", ["2:1: the row has another number of cells than the head"]),
        ('system\n"x\n', ["2:1: this is no CSV"]),
        ("system,match,match.a\n", ["1:1: both match and match.<column>; keep one form"]),
        ("system,role\nx,boss\n", ['2:1: systems.x.role: this value is not known; found "boss"']),
        (
            "system,family\nx,a b\ny,c d\n",
            ["2:1: systems.x.family: this is", "3:1: systems.y.family"],
        ),
    ],
)
def test_system_table_mistakes(tmp_path, table, said_of_it):
    found = said(tmp_path, WITH_TABLE, files={"systems.csv": table})
    assert len(found) == len(said_of_it)
    for one, wanted in zip(found, said_of_it, strict=True):
        assert one.replace("systems.csv:", "", 1).startswith(wanted)


def test_system_declared_twice(tmp_path):
    found = said(tmp_path, WITH_TABLE, files={"systems.csv": "system\nalpha\n"})
    assert found == [
        "19:3: systems.alpha: the system is declared twice; "
        "it stands in systems.csv on line 2 too; keep one"
    ]


def test_unreadable_system_table_makes_no_system_unknown(tmp_path):
    text = changed(WITH_TABLE, ("of: alpha", "of: ref-1"))
    assert len(said(tmp_path, text)) == 1


# ------------------------------------------------------------------------------------------- files


def test_folder_or_file(tmp_path):
    path = write(tmp_path, MINIMAL)
    assert load_study(path).study == load_study(path.parent).study


@pytest.mark.parametrize("what", ["missing", "folder", "pipe"])
def test_what_is_no_file_is_refused(tmp_path, what):
    import os

    path = tmp_path / "study.yaml"
    if what == "folder":
        (path / "study.yaml").mkdir(parents=True)
    if what == "pipe":
        os.mkfifo(path)
    with pytest.raises(SpecError):
        load_study(path)


@pytest.mark.parametrize("text", ["[]", "a", "1", "~", "- a: 1"])
def test_a_study_is_a_mapping(tmp_path, text):
    assert any("a study is a mapping" in one for one in said(tmp_path, text))
