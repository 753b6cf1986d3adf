"""Hostile studies: refused or shown as text, in bounded time and in few words."""

import time

import pytest

from audit.errors import SpecError
from audit.spec.characters import MOST_BYTES, is_id
from audit.spec.load import MOST_TOLD, load_study
from audit.spec.showing import did_you_mean
from tests.spec.builders import MINIMAL, changed, load, said, write

LONG = "x" * 100_000
TABLED = changed(MINIMAL, ("claims:\n", "system_table: t.csv\nclaims:\n"))


@pytest.fixture(autouse=True)
def bounded_time():
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("of: alpha", f"of: {LONG}", "24:30: claims.C1.of: this is no id"),
        ("Alpha solves more", LONG, "24:60: claims.C1.statement: the text is too long"),
        ("\n  C1: {", '\n  "C1\\n": {', r'24:3: claims."C1\n": this is no id'),
        ("  alpha: {", '  "alpha\\n": {', r'19:3: systems."alpha\n": this is no id'),
        ("of: alpha", 'of: "alpha\\n"', "24:30: claims.C1.of: this is no id"),
        ("of: alpha", "of: al\u200bpha", r'this is no id; found "al\u200bpha"'),
        ("of: alpha", "of: ../alpha", "this is no id"),
        ("Support", "Sup\u202eport", "7:13: a control character; found U+202E"),
        ("Support", '"Sup\\u2066port"', "7:10: decision.owner: a control character; found U+2066"),
        ("Support", "Sup\U000e0041port", "7:13: a control character; found U+E0041"),
        ("Support", "Sup\x00port", "7:13: a control character; found U+0000"),
        ("Support", '"\\e[31m"', "7:10: decision.owner: a control character; found U+001B"),
        ("owner:", '"own\\x9ber":', "a control character; found U+009B"),
        ("responses.csv", '"a\\0b.csv"', "22:20: sources.october.files: a control character"),
        ("responses.csv", '"a\\nb.csv"', "a path holds characters that are not printable"),
        ("smallest_difference: 0.03", "smallest_difference: 1e308", "9:24: decision.smallest_d"),
        ("smallest_difference: 0.03", "smallest_difference: 1e-320", "a number is too small"),
        ("count: 8617", "count: " + "9" * 19, "a number of more than 18 digits"),
        ("owner: Support", "__class__: Support", 'decision.__class__: "__class__" is not known'),
        ("owner: Support", "model_config: Support", '"model_config" is not known here'),
    ],
    ids=range(20),
)
def test_refused_in_few_words(tmp_path, old, new, message):
    found = said(tmp_path, changed(MINIMAL, (old, new)))
    assert any(message in one for one in found)
    assert all(len(one) < 600 and one.isprintable() for one in found)


def test_markup_in_text_is_text(tmp_path):
    text = "<script>alert(1)</script> ${{ x }} $(touch x) `x` {{ y }} %s \\x00 =1+1"
    study = load(tmp_path, changed(MINIMAL, ("owner: Support", f"owner: '{text}'"))).study
    assert study.decision.owner == text


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 50 << 20])
def test_a_large_file_is_not_read(tmp_path, size):
    path = write(tmp_path, MINIMAL)
    with path.open("r+b") as stream:
        stream.truncate(size)
    with pytest.raises(SpecError, match=f"found {size} bytes; allowed: at most {MOST_BYTES}"):
        load_study(path)


def test_a_large_system_table_is_not_read(tmp_path):
    table = "system,name\n" + "x,y\n" * (1 << 19)
    (found,) = said(tmp_path, TABLED, files={"t.csv": table})
    assert found.startswith("23:15: system_table: the file is too large; found 2097164 bytes")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("system,name\nx,a\x00b\n", "t.csv:2:4: a control character; found U+0000"),
        ("system,name\nx,\u202eb\n", "t.csv:2:3: a control character; found U+202E"),
        ("system,name\nx,a\x1b[31m\n", "t.csv:2:4: a control character; found U+001B"),
        ('system,name\n"x\n",y\n', r't.csv:3:1: system: this is no id; found "x\n"'),
        ("system,name\nx," + "y" * 3000, "systems.x.name: the text is too long"),
        ("system,name\nx," + "y" * 200_000, "t.csv:2:1: "),  # no CSV, or too long: csv's own limit
        ("system," + ",".join(f"c{n}" for n in range(5000)) + "\n", "this column is not known"),
    ],
    ids=range(7),
)
def test_hostile_system_tables(tmp_path, table, message):
    found = said(tmp_path, TABLED, files={"t.csv": table})
    assert any(message in one for one in found)
    assert len(found) <= MOST_TOLD + 1
    assert all(len(one) < 600 for one in found)


def test_mistakes_beyond_the_first_thousand_are_not_told(tmp_path):
    names = ", ".join(f"n{number}" for number in range(5000))
    found = said(tmp_path, changed(MINIMAL, ("rests_on: [C1]", f"rests_on: [{names}]")))
    assert len(found) == MOST_TOLD + 1
    assert "too many mistakes: these are the first 1000" in found[0]


def test_a_mistake_is_never_hidden_by_warnings(tmp_path):
    claims = "".join(f"  c{number}: {{kind: ranking}}\n" for number in range(1200))
    defaults = (
        "{of: alpha, among: [alpha, beta], statement: x, warrant: x, level: 0.8,"
        " expected_effect: 1, criteria: [{at_most: 1}, {task: dispute, at_most: 1}]}"
    )
    text = changed(
        MINIMAL[: MINIMAL.index("  C1:")] + claims + "  z: {kind: ranking, of: gamma}\n",
        ("claims:\n", f"defaults: {{claims: {defaults}}}\nclaims:\n"),
        ("rests_on: [C1]", "rests_on: [c1]"),
    )
    assert [one.split(";")[0] for one in said(tmp_path, text)] == [
        "1225:26: claims.z.of: no such system is declared"
    ]


def test_nearly_equal_names_without_number(tmp_path):
    """A suggestion costs little, however many names there are that it could be."""
    stem = "abcdefghij" * 5
    table = "system\n" + "".join(f"{stem}{number:04}\n" for number in range(5000))
    claims = "".join(f"  c{number}: {{of: {stem}{number:04}z}}\n" for number in range(1500))
    defaults = "{kind: performance, statement: x, warrant: x, criteria: [{at_least: 0.5}]}"
    text = changed(
        MINIMAL[: MINIMAL.index("  C1:")] + claims,
        ("claims:\n", f"system_table: t.csv\ndefaults: {{claims: {defaults}}}\nclaims:\n"),
        ("rests_on: [C1]", "rests_on: [c1]"),
    )
    assert len(said(tmp_path, text, files={"t.csv": table})) == MOST_TOLD + 1


def test_the_name_that_was_meant_is_found_among_many():
    names = [f"model-{number:03}" for number in range(900)]
    assert did_you_mean("modle-731", names) == "did you mean model-731?"
    assert did_you_mean("x" * 101, names) == ""
    assert "\n" not in did_you_mean("alpha", ["alpha\n"])


@pytest.mark.parametrize(
    ("text", "whether"),
    [("a", True), ("a" * 64, True), ("a" * 65, False), ("", False), ("a\n", False), ("é", False)],
)
def test_ids(text, whether):
    assert is_id(text) == whether
