"""Whatever the language knows and this version cannot judge is refused by its name, once."""

import json

import pytest

from audit.spec import not_yet
from audit.spec.places import CLAIM_MODELS, fields_of
from audit.spec.strict_yaml import read_yaml
from tests.spec.builders import MINIMAL, said

PLACES = {
    "study": (),
    "bridge": ("systems", "alpha", "bridges", "documents"),
    "source": ("sources", "october"),
    "metric": ("metrics", "correct"),
    "variant": ("variants", "short"),
    "claim": ("claims", "C1"),
    "criterion": ("claims", "C1", "criteria", 0),
}
"""Where each part stands in the study below."""


def study():
    data = read_yaml(MINIMAL.encode(), "x").data
    data["systems"]["alpha"]["deployed"] = {"documents": "live"}
    bridge = {"irrelevant": "a day old", "judged_by": "docs team"}
    data["systems"]["alpha"]["bridges"] = {"documents": bridge}
    data["metrics"] = {"correct": {"kind": "binary"}}
    data["variants"] = {"short": {"kind": "plausible", "why": "x"}}
    return data


def messages(folder, part, key, value):
    data = study()
    held = data
    for step in PLACES[part]:
        held = held[step]
    held[key] = value
    return [one.split(": ", 2)[2] for one in said(folder, as_block(data))]


def as_block(data):
    """A study whose id stands plainly on a line of its own; JSON is YAML."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in data.items()]
    return "\n".join(lines).replace(f'"{data["study"]}"', data["study"]) + "\n"


def test_the_study_itself_is_accepted(tmp_path):
    assert said(tmp_path, as_block(study())) == []


KEYS = [(part, key) for part, keys in not_yet.KEYS.items() for key in keys]
VALUES = [
    (part, key, value) for (part, key), (values, _) in not_yet.VALUES.items() for value in values
]


@pytest.mark.parametrize(("part", "key"), KEYS)
def test_a_key_that_is_not_available(tmp_path, part, key):
    found = messages(tmp_path, part, key, "x")
    assert len(found) == 1
    assert found[0].startswith(f"{key} is not available yet; ")


@pytest.mark.parametrize(("part", "key", "value"), VALUES)
def test_a_value_that_is_not_available(tmp_path, part, key, value):
    found = messages(tmp_path, part, key, value)
    assert len(found) == 1
    assert found[0].startswith(f"{key} {value} is not available yet; allowed: ")


def test_every_part_of_the_tables_was_looked_at():
    assert set(PLACES) == {*not_yet.KEYS, *(part for part, _ in not_yet.VALUES)}
    assert not set(not_yet.CLAIM_KINDS) & set(CLAIM_MODELS)
    for part, keys in not_yet.KEYS.items():
        assert not set(keys) & set(fields_of(part))
