"""Strict YAML: scalars as people read them, positions, refusals; nothing else ever escapes."""

import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import SpecError
from audit.spec.characters import MOST_BYTES
from audit.spec.load import load_study
from audit.spec.strict_yaml import read_yaml
from tests.spec.builders import MINIMAL


def data(text):
    return read_yaml(text.encode(), "s.yaml").data


def refusal(content):
    content = content.encode() if isinstance(content, str) else content
    with pytest.raises(SpecError) as caught:
        read_yaml(content, "s.yaml")
    assert len(caught.value.issues) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-3", 0.001),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("012", 12),
        ("+7", 7),
        ("0x1f", "0x1f"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("2026-10-01", "2026-10-01"),
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("3.10", 3.1),
        ("a b", "a b"),
        ("=", "="),
    ],
)
def test_scalars(written, value):
    found = data(f"a: {written}")["a"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_text_as_written():
    assert data("{1: a, true: b, 1.50: c, -1: d}") == {
        "1": "a",
        "true": "b",
        "1.50": "c",
        "-1": "d",
    }


def test_positions():
    document = read_yaml(b"a:\n  b: [x, {c: 1}]\n", "s.yaml")
    assert document.position(("a", "b", 1, "c")) == (2, 14)
    assert document.entry(("a", "b", 1, "c")) == (2, 11)
    assert document.position(("a", "b", 1, "missing")) == (2, 10)
    assert document.position(("a", "missing")) == (1, 1)
    assert document.position(("nowhere",)) == (1, 1)
    assert document.written["a", "b", 1, "c"] == "1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "s.yaml:1:1: the file is empty"),
        ("# nothing\n", "s.yaml:1:1: the file is empty"),
        ("a: &x 1", "s.yaml:1:4: a: anchors (&name) are not read"),
        ("a: *x", "s.yaml:1:4: a: aliases (*name) are not read"),
        ("<<: {a: 1}", "s.yaml:1:1: merge keys (<<) are not read"),
        ("a: !!int 3", "s.yaml:1:4: a: tags (!name) are not read"),
        ("a: !python/object:os.system {}", "s.yaml:1:4: a: tags (!name) are not read"),
        ("a: 1\n---\nb: 2", "s.yaml:2:1: a second document begins here"),
        ("%YAML 1.1\n---\na: 1", "directives (%) are not read"),
        ("a:\n  c: 1\n  c: 2", 's.yaml:3:3: a.c: the key "c" is repeated; it stands at 2:3'),
        ("a: {1: x, '1': y}", 'the key "1" is repeated'),
        (b"a: \x00", "s.yaml:1:4: a control character; found U+0000"),
        (b"a: \x1b[31m", "found U+001B"),
        ("a: \u202eb", "found U+202E"),
        (b"a: b\nc: \xff\xfe", "s.yaml:2:4: the file is not UTF-8; found byte 0xff"),
        ("a: 1".encode("utf-16"), "the file is not UTF-8"),
        ('a: "\\0"', "s.yaml:1:4: a: a control character; found U+0000"),
        ('a: "\\ud800"', "found U+D800"),
        ('a: "\\UFFFFFFFF"', "an escape sequence or a number cannot be read"),
        ("[1]: 3", "a key must be text"),
        ("? {a: 1}\n: 2", "a key must be text"),
        ("'': 2", "a key is empty"),
        ("k" * 1001 + ": 1\n", "s.yaml:1:"),
        ("a: " + "9" * 30, "s.yaml:1:4: a: a number of more than 18 digits"),
        ("a: 1e999", "s.yaml:1:4: a: a number is too large"),
        ("\ta: 1", "a tab indents this line; indent with spaces"),
        ("a: b: c", "a colon stands where no key may begin; align the key"),
        ("a: {b, c", "a mapping in braces is not closed here; found it begins at 1:4"),
        ("a: [b, c", "a list in brackets is not closed here"),
        ("a: 'x", "a quotation is not closed"),
        ("a: `x", "text may not begin with this character; quote the text"),
        ("a: 1\n b: 2", "s.yaml:2:"),
    ],
)
def test_refused(content, message):
    assert message in refusal(content)


def bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "content",
    [
        bomb(),
        "[" * 100_000,
        "{a: " * 50_000,
        "- " * 50_000,
        "? " * 50_000,
        "a:\n" + "\n".join(" " * n + "a:" for n in range(1, 900)),
        "x" * 100_000 + ": 1",
        "a: [" + "1," * 200_000,
        "\n".join(f"k{n}: 1" for n in range(60_000)),
        "a: " + "x" * (MOST_BYTES + 1),
        "'" * 200_001,
    ],
    ids=range(11),
)
def test_bombs_are_refused_quickly(content):
    begun = time.process_time()
    refusal(content)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("size", [10**5, 10**6 - 1000])
def test_enormous_names_are_short_in_messages(tmp_path, size):
    home = tmp_path / "alpha-or-beta"
    home.mkdir()
    text = MINIMAL.replace("owner: Support", "owner: " + "x" * size)
    (home / "study.yaml").write_text(text)
    begun = time.process_time()
    with pytest.raises(SpecError) as caught:
        load_study(home)
    assert time.process_time() - begun < 5
    assert len(str(caught.value)) < 2_000


# ---------------------------------------------------------------------------------- whatever comes

WORDS = st.sampled_from(
    [
        *"{}[]:,-?&*!|>'\"%@`#~ \n\t",
        *(line + "\n" for line in MINIMAL.splitlines()),
        "claims: ",
        "C1: ",
        "kind: ranking",
        "<<: ",
        "&a ",
        "*a",
        "1e400",
        "0.5",
        "null",
        "\x00",
        "\ufeff",
        "é",
    ]
)


def survives(content, folder):
    home = folder / "alpha-or-beta"
    home.mkdir(exist_ok=True)
    path = home / "study.yaml"
    path.write_bytes(content)
    try:
        issues = load_study(path).remarks
    except SpecError as error:
        issues = error.issues or (None,)
    assert all(len(str(one)) < 5_000 for one in issues)
    assert None not in issues


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("garbage")


@settings(max_examples=150, deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace"))
    )
)
def test_garbage_is_a_mistake_of_the_study(folder, content):
    survives(content, folder)


@settings(max_examples=150, deadline=None)
@given(words=st.lists(WORDS, max_size=40))
def test_almost_yaml_is_a_mistake_of_the_study(folder, words):
    survives("".join(words).encode(), folder)


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**17), 10**17),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(string.printable, max_size=8).map(
            lambda t: "".join(c for c in t if c.isprintable())
        ),
        st.sampled_from(["same", "none", "alpha", "C1", "base", "plausible", "routine", "correct"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["kind", "of", "task", "criteria", "within", "bound", "what", "files", "m", "needs"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from places(one, (*path, at))


PLACES = [one for one in places(read_yaml(MINIMAL.encode(), "x").data) if one]


@settings(max_examples=300, deadline=None)
@given(place=st.sampled_from(PLACES), value=VALUES, other=st.sampled_from(PLACES), more=VALUES)
def test_any_value_anywhere_is_judged_in_plain_words(folder, place, value, other, more):
    import json

    study = read_yaml(MINIMAL.encode(), "x").data
    for path, new in ((place, value), (other, more)):
        held = study
        try:
            for step in path[:-1]:
                held = held[step]
            held[path[-1]] = new
        except (TypeError, KeyError, IndexError):
            continue
    survives(json.dumps(study, ensure_ascii=False).encode(), folder)
