"""Says in plain words what does not fit the language: where, what stands there, what may."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from audit.spec import models
from audit.spec.findings import Finding
from audit.spec.not_yet import is_known_key, is_known_value
from audit.spec.places import CLAIM_MODELS, CONFIGURATION_KEYS, fields_of, part_at
from audit.spec.remedies import (
    BY_ID,
    BY_KEY,
    COMMA,
    NUMBER_COMMA,
    belongs_below,
    date_meant,
    limit_meant,
    number_meant,
    switch_meant,
)
from audit.spec.showing import Path, ascii_safe, choices, did_you_mean, listed, shown


def not_an_id(path: Path) -> Finding:
    """Tell a key or value that is no id."""
    allowed = "letters, digits, . _ and -, at most 64"
    return Finding(path, "this is no id", shown(path[-1]), allowed, at_key=True)


@dataclass(frozen=True)
class _Mistake:
    """One error of the validator at a cleaned path."""

    kind: str
    path: Path
    found: Any
    context: Mapping[str, Any]
    at_key: bool = False


def explain(
    error: ValidationError, raw: Mapping[str, Any], prefix: Path, written: Mapping[Path, str]
) -> Iterator[Finding]:
    """Turn a validator's errors into findings, unknown and missing keys of one mapping together."""
    mistakes = [_clean(one, raw, prefix) for one in error.errors(include_url=False)]
    held = [one for one in mistakes if one is not None and not _is_told(one, raw)]
    keyed: dict[Path, tuple[list[str], list[str]]] = {}
    for one in held:
        if one.kind in ("extra_forbidden", "missing") and isinstance(one.path[-1], str):
            pair = keyed.setdefault(one.path[:-1], ([], []))
            pair[one.kind == "missing"].append(one.path[-1])
    for parent, (unknown, missing) in keyed.items():
        value = _value_at(raw, parent)
        part = part_at(parent)
        kind = value.get("kind") if isinstance(value, dict) else None
        known = fields_of(part, kind) if part is not None else ()
        if isinstance(value, dict) and any(is_known_key(part or "", key) for key in value):
            missing = []  # it has a form that is not available yet: told already
        yield from unknown_and_missing(parent, value, unknown, missing, known)
    for one in held:
        if not (one.kind in ("extra_forbidden", "missing") and isinstance(one.path[-1], str)):
            yield _plain_words(one, written)


def _value_at(raw: Any, path: Path) -> Any:
    value = raw
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _clean(one: Any, raw: Mapping[str, Any], prefix: Path) -> _Mistake | None:
    """Drop union branches that the value does not belong to, and steps that are no path."""
    path, value = prefix, _value_at(raw, prefix)
    at_key = False
    kind = str(one["type"])
    steps = one["loc"]
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        if _leads(value, step):
            path, value = (*path, step), value[step]
        elif step == "[key]":
            at_key = True
        elif last and kind == "missing":
            path = (*path, step)
        elif isinstance(step, str) and _is_other_branch(step, value):
            return None
    return _Mistake(kind, path, value, one.get("ctx") or {}, at_key)


def _leads(value: Any, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _is_other_branch(branch: str, value: Any) -> bool:
    for_mapping = branch.startswith("dict[") or branch[:1].isupper()
    return for_mapping != isinstance(value, dict)


def _is_told(one: _Mistake, raw: Mapping[str, Any]) -> bool:
    """Whether the table of what is not available yet tells it already."""
    last = one.path[-1] if one.path else None
    if isinstance(last, int):  # an item of a list: the key is one step up
        part, key = part_at(one.path[:-2]), one.path[-2] if len(one.path) > 1 else None
    else:
        part, key = part_at(one.path[:-1]), last
    if part is None or not isinstance(key, str):
        return False
    if one.kind == "extra_forbidden":
        return is_known_key(part, key)
    return is_known_value(part, key, one.found)


# --------------------------------------------------------------------------- unknown and missing


def unknown_and_missing(
    parent: Path,
    value: Any,
    unknown: list[str],
    missing: list[str],
    known: tuple[str, ...],
) -> Iterator[Finding]:
    """Tell unknown and missing keys; one that was probably meant as the other is one finding."""
    empty = [key for key in missing if isinstance(value, dict) and key in value]
    missing = [key for key in missing if key not in empty]
    for key in unknown:
        path = (*parent, key)
        meant = _meant(key, missing)
        if meant is not None:
            missing.remove(meant)
            message = f"{shown(key)} is not known here, and {meant} is missing"
            yield Finding(path, message, remedy=f"did you mean {meant}?", at_key=True)
            continue
        remedy = _unknown_remedy(parent, value, key, known)
        allowed = "" if remedy or len(key) > 64 else choices(known, 40)
        message = f"{shown(key)} is not known here"
        yield Finding(path, message, allowed=allowed, remedy=remedy, at_key=True)
    for key in empty:
        yield Finding((*parent, key), f"{key} is empty", at_key=True)
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        kinds = choices(CLAIM_MODELS) if missing == ["kind"] and part_at(parent) == "claim" else ""
        yield Finding(
            (*parent, missing[0]) if len(missing) == 1 else parent,
            f"{listed(missing)} {verb} missing",
            allowed=kinds,
            at_key=True,
        )


def _unknown_remedy(parent: Path, value: Any, key: str, known: tuple[str, ...]) -> str:
    held = value if isinstance(value, dict) else {}
    if _is_prose(key, held.get(key)):
        return NUMBER_COMMA if key.strip().isdigit() else COMMA
    remedy = (
        belongs_below(held, key, known)
        or did_you_mean(key, [one for one in known if one not in held])
        or did_you_mean(key, [one for one in known if one in held], cutoff=0.75)
    )
    if not remedy and part_at(parent) == "claim":
        others = [kind for kind in CLAIM_MODELS if key in fields_of("claim", kind)]
        remedy = f"it belongs to kind {' and '.join(others)}" if others else ""
    return remedy


def _meant(key: str, missing: list[str]) -> str | None:
    if len(key) > 100:
        return None
    found = difflib.get_close_matches(key, missing, n=1, cutoff=0.6)
    return found[0] if found else None


def _is_prose(key: str, value: Any) -> bool:
    return value is None and (" " in key.strip() or key.strip().isdigit())


# ------------------------------------------------------------------------------------ plain words

_EXPECTED = {
    "string_type": "expected text",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "model_attributes_type": "expected a mapping",
    "tuple_type": "expected a list",
    "list_type": "expected a list",
    "date_type": "expected a date such as 2026-10-31",
    "date_from_datetime_parsing": "expected a date such as 2026-10-31",
    "finite_number": "expected a finite number",
}
_LIMITS = {
    "greater_than": ("> {gt}", "gt"),
    "greater_than_equal": (">= {ge}", "ge"),
    "less_than": ("< {lt}", "lt"),
    "less_than_equal": ("<= {le}", "le"),
}


def _plain_words(one: _Mistake, written: Mapping[Path, str]) -> Finding:
    if one.at_key:
        return _key_in_words(one)
    found = _as_written(one, written)
    if one.kind in _LIMITS:
        pattern, name = _LIMITS[one.kind]
        limit = one.context[name]
        number = int(limit) if float(limit).is_integer() else limit
        expected = "expected a number " + pattern.format(**{name: number})
        return Finding(one.path, expected, found, remedy=limit_meant(one.kind, one.found, one.path))
    if one.kind == "literal_error":
        return _choice_in_words(one, found)
    if one.kind in ("string_too_short", "string_pattern_mismatch", "string_too_long"):
        return _text_in_words(one, found)
    if one.kind in ("too_short", "too_long", "missing"):
        return _length_in_words(one, found)
    if one.kind == "value_error":
        return _written_otherwise(one, found)
    message = _EXPECTED.get(one.kind, "this value does not fit here")
    return Finding(one.path, message, found, remedy=_type_remedy(one, written))


def _as_written(one: _Mistake, written: Mapping[Path, str]) -> str:
    """Numbers as the author wrote them: 4.10 is not shown as 4.1."""
    plain = written.get(one.path, "")
    is_number = isinstance(one.found, int | float) and not isinstance(one.found, bool)
    return plain if is_number and 0 < len(plain) <= 40 else shown(one.found)


def _written_otherwise(one: _Mistake, found: str) -> Finding:
    """A number or a date that is none: our own validators say which was expected."""
    reason = str(one.context.get("error", ""))
    if reason == "expected a number":
        remedy = number_meant(one.found, one.path) if isinstance(one.found, str) else ""
        return Finding(one.path, reason, found, remedy=remedy)
    return Finding(one.path, _EXPECTED["date_type"], found, remedy=date_meant(one.found))


def _type_remedy(one: _Mistake, written: Mapping[Path, str]) -> str:
    value = one.found
    if one.kind == "string_type" and not isinstance(value, dict | list | None.__class__):
        return f'quote it: "{written.get(one.path, shown(value))[:60]}"'
    if one.kind == "tuple_type" and isinstance(value, str):
        return f"write [{ascii_safe(value[:60])}]"
    if one.kind == "int_type" and isinstance(value, str):
        return number_meant(value, one.path, whole=True)
    if one.kind == "date_type":
        return date_meant(value)
    if one.kind == "bool_type" and isinstance(value, str):
        return switch_meant(value)
    if _EXPECTED.get(one.kind) == "expected a mapping" and isinstance(value, list):
        return BY_ID if one.path[-1:] in (("tasks",), ("bridges",)) else BY_KEY
    return ""


def _key_in_words(one: _Mistake) -> Finding:
    key = str(one.path[-1])
    if one.kind == "literal_error":
        in_unscored = one.path[0] == "unscored"
        known = models.UNSCORED_DEFAULT if in_unscored else CONFIGURATION_KEYS
        remedy = did_you_mean(key, known)
        if _is_prose(key, one.found):
            remedy = COMMA
        if not remedy and not in_unscored:
            remedy = "put other keys under `other`"
        return Finding(
            one.path, f"{shown(key)} is not known here", "", choices(known), remedy, at_key=True
        )
    return not_an_id(one.path)


def _choice_in_words(one: _Mistake, found: str) -> Finding:
    allowed = [name.strip("'") for name in re.split(r", | or ", one.context["expected"])]
    if isinstance(one.path[-1], str) and one.path[-1] == "deployed":
        allowed.append("a mapping of what differs")
    if "divisible_by" in one.path[-2:]:
        allowed.insert(0, "none")
    remedy = did_you_mean(str(one.found), allowed) if isinstance(one.found, str) else ""
    return Finding(one.path, "this value is not known", found, choices(allowed), remedy)


def _text_in_words(one: _Mistake, found: str) -> Finding:
    if one.kind == "string_too_long":
        length = f"{len(str(one.found))} characters"
        return Finding(
            one.path, "the text is too long", length, f"at most {one.context['max_length']}"
        )
    if one.kind == "string_pattern_mismatch" and "A-Z" in str(one.context.get("pattern")):
        return Finding(one.path, "this is no id", found, "letters, digits, . _ and -, at most 64")
    return Finding(one.path, "the text is empty")


def _length_in_words(one: _Mistake, found: str) -> Finding:
    last = one.path[-1] if one.path else ""
    if isinstance(last, int) or last in ("range", "bound", "share_range", "consequence_range"):
        path = one.path[:-1] if isinstance(last, int) else one.path
        return Finding(path, "expected two numbers: [low, high]", found if path == one.path else "")
    return Finding(one.path, f"{last} is empty", remedy="declare at least one")
