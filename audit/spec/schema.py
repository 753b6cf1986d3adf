"""JSON Schema of a study, for editors: the same language, with what is not available yet named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from audit.spec import not_yet
from audit.spec.models import Study
from audit.spec.places import CLAIM_MODELS, DEFAULTED, MODELS

SCHEMA_FILE = Path(__file__).with_name("study.schema.json")
_ENTRIES = {"systems": ("system",), "sources": ("source",), "claims": ("claim",)}


def study_schema() -> dict[str, Any]:
    """Make the schema from the models.

    `defaults` may hold any field of the entries below it, so no field of those entries is called
    missing here: `audit check` does that. Descriptions say what is known and not available yet.
    """
    schema = Study.model_json_schema(by_alias=True)
    definitions = schema["$defs"]
    claims = [model.__name__ for model in CLAIM_MODELS.values()]
    for name in ("System", "Source", *claims):
        definitions[name].pop("required", None)
    _any_of(schema)
    schema["required"] = [
        name for name in schema["required"] if name != "systems"
    ]  # a system table may hold them all
    schema["properties"]["systems"].pop("minProperties", None)
    schema["properties"]["defaults"] = _defaults(claims)
    for part, model in (*MODELS.items(), *(("claim", one) for one in CLAIM_MODELS.values())):
        _say_what_is_missing(definitions[model.__name__], part)
    _say_what_is_missing(schema, "study")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _any_of(value: Any) -> None:
    """A claim whose kind stands in `defaults` fits several forms: `oneOf` would refuse it."""
    if isinstance(value, dict):
        if "oneOf" in value:
            value["anyOf"] = value.pop("oneOf")
            value.pop("discriminator", None)
        for one in value.values():
            _any_of(one)
    elif isinstance(value, list):
        for one in value:
            _any_of(one)


def _defaults(claims: list[str]) -> dict[str, Any]:
    """Defaults by section: an entry as it may stand there."""
    forms = {
        "systems": {"$ref": "#/$defs/System"},
        "sources": {"$ref": "#/$defs/Source"},
        "claims": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in claims]},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "description": "Laid under each entry, key by key, one mapping deep; lists replace.",
        "properties": {name: forms[name] for name in DEFAULTED},
    }


def _say_what_is_missing(definition: dict[str, Any], part: str) -> None:
    """Add to the description of a part, and of its fields, what is not available yet."""
    keys = not_yet.KEYS.get(part, ())
    if keys:
        _add(definition, f"Not available yet: {', '.join(keys)}.")
    for (where, key), (values, _) in not_yet.VALUES.items():
        if where == part and key in definition.get("properties", {}):
            _add(definition["properties"][key], f"Not available yet: {', '.join(values)}.")


def _add(definition: dict[str, Any], sentence: str) -> None:
    held = definition.get("description", "")
    definition["description"] = f"{held} {sentence}".strip()
