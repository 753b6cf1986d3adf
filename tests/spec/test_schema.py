"""The committed schema is that of the models, and it names what is not available yet."""

import json

from audit.io import canonical_json
from audit.spec import not_yet
from audit.spec.places import MODELS, fields_of, part_at
from audit.spec.schema import SCHEMA_FILE, study_schema


def test_committed_schema_is_current():
    wanted = canonical_json(study_schema())
    assert SCHEMA_FILE.read_bytes() == wanted, "write audit schema > audit/spec/study.schema.json"


def test_schema_names_what_is_not_available_yet():
    text = json.dumps(study_schema())
    for values, _ in not_yet.VALUES.values():
        assert all(one in text for one in values if one != "adversarial")
    for keys in not_yet.KEYS.values():
        assert all(one in text for one in keys)


def test_schema_needs_nothing_that_defaults_may_hold():
    schema = study_schema()
    for name in ("System", "Source", "ComparisonClaim"):
        assert "required" not in schema["$defs"][name]
    assert set(schema["properties"]["defaults"]["properties"]) == {"systems", "sources", "claims"}
    assert "systems" not in schema["required"]


def test_every_field_is_known_or_named_as_not_available():
    """No field of a model stands in the table of what is not available."""
    for part, keys in not_yet.KEYS.items():
        assert not set(keys) & set(fields_of(part))
    assert part_at(("defaults", "claims", "criteria", 0)) == "criterion"
    assert set(MODELS) <= {*MODELS, "claim"}
