"""Strict YAML with positions: one plain document, no surprises, every value with its line.

Scalars are those of the YAML 1.2 core schema as people read them: `1e-3` is a number, `NO` is text,
`012` is 12, `0x1f`, dates and `12:30` are text. Refused: anchors, aliases, merge keys, tags,
directives, further documents, repeated keys, keys that are not text, control characters, whatever
is too large or too deep. Keys are taken as written: `{1: a}` has the key "1".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from audit.errors import Issue, SpecError
from audit.spec.characters import decode, forbidden_in, named
from audit.spec.showing import Path, place, shown

MOST_DEPTH = 40
MOST_NODES = 30_000
"""Keys and values of a document: ten times a very large study."""
LONGEST_KEY = 1_000
MOST_DIGITS = 18
LARGEST, SMALLEST = 1e18, 1e-18
"""Size of a number other than 0: sums, squares and quotients of such numbers stay finite."""

_INTEGER = re.compile(r"^[-+]?[0-9]+$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_CUT = re.compile(r"[ \t]+#[^\s#]")
_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

Position = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True)
class Document:
    """A document's data, where each value and key stands, and how scalars were written."""

    file: str
    data: Any
    values: dict[Path, Position] = field(repr=False)
    keys: dict[Path, Position] = field(repr=False)
    written: dict[Path, str] = field(repr=False)
    """Text of plain scalars, as written (`4.10`)."""
    cut: tuple[Path, ...] = ()
    """Plain texts behind which ` #` begins a comment without a space: a text was meant to go on."""

    def position(self, path: Path) -> Position:
        """Find a value; what is not there is placed at the entry that should hold it."""
        if path in self.values:
            return self.values[path]
        return self.entry(path[:-1]) if path else (1, 1)

    def entry(self, path: Path) -> Position:
        """Find an entry by its key (list items by their beginning)."""
        while path:
            found = self.keys.get(path) or self.values.get(path)
            if found is not None:
                return found
            path = path[:-1]
        return (1, 1)

    def holds(self, path: Path) -> bool:
        """Whether something stands at a path."""
        return path in self.values


def read_yaml(content: bytes, file: str) -> Document:
    """Read one strict YAML document.

    Parameters
    ----------
    content : UTF-8 bytes, at most 1 MiB
    file : name for messages

    Raises
    ------
    SpecError
        with one issue, at the first place that cannot be read
    """
    text = decode(content, file)
    builder = _Builder(file, text)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.YAMLError as error:
        _refuse_syntax(error, file)
    except (ValueError, OverflowError, RecursionError) as error:
        _refuse(file, (1, 1), (), "an escape sequence or a number cannot be read", str(error)[:80])
    if not builder.begun:
        _refuse(file, (1, 1), (), "the file is empty")
    return Document(
        file, builder.data, builder.values, builder.keys, builder.written, tuple(builder.cut)
    )


def _events(text: str) -> Iterator[yaml.Event]:
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_event():
            yield loader.get_event()  # type: ignore[no-untyped-call]  # the stubs lack it
    finally:
        loader.dispose()


# ----------------------------------------------------------------------------------------- events


@dataclass
class _Open:
    """A mapping or list that is still open."""

    path: Path
    held: dict[str, Any] | list[Any]
    key: str | None = None
    """The key whose value comes next; None while a mapping awaits a key."""


class _Builder:
    """Builds data from parser events with a stack of its own, so that depth costs nothing."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.data: Any = None
        self.begun = False
        self.values: dict[Path, Position] = {}
        self.keys: dict[Path, Position] = {}
        self.written: dict[Path, str] = {}
        self.cut: list[Path] = []
        self._stack: list[_Open] = []
        self._nodes = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Take one event in order."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._document(event)
        elif isinstance(event, yaml.AliasEvent):
            self._refuse(event, "aliases (*name) are not read", remedy="write the value out")
        elif isinstance(event, yaml.NodeEvent):
            self._node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close()

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._refuse(event, "a second document begins here", remedy="one study, one document")
        if event.version or event.tags:
            self._refuse(event, "directives (%) are not read", remedy="remove the line")

    def _node(self, event: yaml.NodeEvent) -> None:
        self.begun = True
        self._nodes += 1
        if self._nodes > MOST_NODES:
            self._refuse(event, "too many entries", allowed=f"at most {MOST_NODES} keys and values")
        if event.anchor is not None:
            self._refuse(
                event, "anchors (&name) are not read", remedy="write the value where it is needed"
            )
        if getattr(event, "tag", None) is not None:
            self._refuse(event, "tags (!name) are not read", remedy="remove the tag")
        top = self._stack[-1] if self._stack else None
        if top is not None and isinstance(top.held, dict) and top.key is None:
            self._key(top, event)
            return
        path = self._here(top)
        self.values[path] = _position(event)
        if isinstance(event, yaml.ScalarEvent):
            self._put(top, self._scalar(event, path))
        else:
            self._open(top, path, event)

    def _open(self, top: _Open | None, path: Path, event: yaml.NodeEvent) -> None:
        if len(self._stack) >= MOST_DEPTH:
            self._refuse(event, "nested too deeply", allowed=f"at most {MOST_DEPTH} levels")
        held: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._put(top, held)
        self._stack.append(_Open(path, held))

    def _close(self) -> None:
        self._stack.pop()

    def _here(self, top: _Open | None) -> Path:
        if top is None:
            return ()
        step = len(top.held) if isinstance(top.held, list) else str(top.key)
        return (*top.path, step)

    def _put(self, top: _Open | None, value: Any) -> None:
        if top is None:
            self.data = value
        elif isinstance(top.held, list):
            top.held.append(value)
        else:
            top.held[str(top.key)] = value
            top.key = None

    def _key(self, top: _Open, event: yaml.NodeEvent) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            self._refuse(event, "a key must be text", remedy="quote text that begins with [ or {")
        text = event.value
        if event.style is None and text == "<<":
            self._refuse(event, "merge keys (<<) are not read", remedy="write the entries out")
        if not text:
            self._refuse(event, "a key is empty", remedy="write a key before the colon")
        if len(text) > LONGEST_KEY:
            self._refuse(
                event,
                "a key is too long",
                found=f"{len(text)} characters",
                allowed=f"at most {LONGEST_KEY}",
            )
        self._check_characters(event)
        path = (*top.path, text)
        if text in top.held:
            line, column = self.keys[path]
            self._refuse(
                event,
                f"the key {shown(text)} is repeated",
                remedy=f"it stands at {line}:{column} already; keep one",
                path=path,
            )
        self.keys[path] = _position(event)
        top.key = text

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> Any:
        self._check_characters(event)
        if event.style is not None:
            return event.value
        self.written[path] = event.value
        if event.value in _CONSTANTS:
            return _CONSTANTS[event.value]
        if _INTEGER.match(event.value):
            if len(event.value.lstrip("+-").lstrip("0")) > MOST_DIGITS:
                self._refuse(
                    event,
                    f"a number of more than {MOST_DIGITS} digits",
                    found=shown(event.value),
                    remedy="quote it if it is a name",
                    path=path,
                )
            return int(event.value)
        if _FLOAT.match(event.value):
            number = float(event.value)
            if number and not SMALLEST <= abs(number) <= LARGEST:
                which = "large" if abs(number) > 1 else "small"
                self._refuse(event, f"a number is too {which}", shown(event.value), path=path)
            return number
        end = event.end_mark
        if end is not None and _CUT.match(self.text, end.index):
            self.cut.append(path)
        return event.value

    def _check_characters(self, event: yaml.ScalarEvent) -> None:
        """Escapes inside double quotes may hide what the file itself may not hold."""
        at = forbidden_in(event.value)
        if at is not None:
            found = named(event.value[at])
            self._refuse(event, "a control character", found, remedy="remove it")

    def _refuse(
        self,
        event: yaml.Event,
        message: str,
        found: str = "",
        *,
        allowed: str = "",
        remedy: str = "",
        path: Path | None = None,
    ) -> NoReturn:
        top = self._stack[-1] if self._stack else None
        where = self._here(top) if path is None else path
        if path is None and top is not None and top.key is None and isinstance(top.held, dict):
            where = top.path
        _refuse(self.file, _position(event), where, message, found, allowed, remedy)


def _position(event: yaml.Event) -> Position:
    mark = event.start_mark
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


# ----------------------------------------------------------------------------------------- errors

_NO_COLON = "could not find expected ':'"
_SYNTAX = (
    ("'\\t' that cannot start any token", "a tab indents this line", "indent with spaces"),
    (
        "mapping values are not allowed here",
        "a colon stands where no key may begin",
        "align the key with those above, or quote text that holds a colon and a space",
    ),
    (
        _NO_COLON,
        "a key without a colon and a space behind it",
        "write `key: value`, and quote long text",
    ),
    (
        "expected ',' or '}'",
        "a mapping in braces is not closed here",
        "close it with }, or quote text that holds braces, brackets, commas or colons",
    ),
    (
        "expected ',' or ']'",
        "a list in brackets is not closed here",
        "close it with ], or quote text that holds braces, brackets, commas or colons",
    ),
    ("found unexpected end of stream", "a quotation is not closed", "close it"),
    ("that cannot start any token", "text may not begin with this character", "quote the text"),
    ("expected <block end>", "the indentation does not fit what stands above", "align the keys"),
    ("unknown escape character", "an unknown escape inside double quotes", "use single quotes"),
    ("found unknown escape", "an unknown escape inside double quotes", "use single quotes"),
    ("undefined alias", "aliases (*name) are not read", "write the value out"),
)


def _refuse_syntax(error: yaml.YAMLError, file: str) -> NoReturn:
    problem = str(getattr(error, "problem", None) or "it is no YAML")
    context = str(getattr(error, "context", None) or "")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
    for sign, message, remedy in _SYNTAX:
        if sign in problem:
            begun = getattr(error, "context_mark", None)
            found = f"it begins at {begun.line + 1}:{begun.column + 1}" if begun else ""
            if begun and sign == _NO_COLON:  # noticed on a later line
                where, found = (begun.line + 1, begun.column + 1), ""
            _refuse(file, where, (), message, found, remedy=remedy)
    found = shown(f"{context}: {problem}" if context else problem)
    _refuse(file, where, (), "this cannot be read as YAML", found)


def _refuse(
    file: str,
    where: Position,
    path: Path,
    message: str,
    found: str = "",
    allowed: str = "",
    remedy: str = "",
) -> NoReturn:
    raise SpecError([Issue(file, *where, place(path), message, found, allowed, remedy)])
