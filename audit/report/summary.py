"""The summary in Markdown, for a pull request: page one's words without its drawings."""

from __future__ import annotations

import re

from audit.report.page_one import ClaimRow
from audit.report.view import View
from audit.report.words import Words, plain

_SPECIAL = re.compile(
    r"([\\`*_{}\[\]<>#!|~$&@]|(?<=\w):(?=//)|(?<=www)\.|^\s*[-+:=])", re.MULTILINE
)


def escaped(text: str) -> str:
    """Text in which Markdown and HTML find nothing to act on."""
    return _SPECIAL.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\>", "&gt;")


def _line(words: Words) -> str:
    return escaped(plain(words))


def _claim(row: ClaimRow) -> list[str]:
    lines = [f"### {escaped(row.id)}: {row.word}", ""]
    lines.append(f"“{escaped(row.statement.text)}”" + (f" {_line(row.by)}" if row.by else ""))
    for words in (row.narrowed, row.why):
        lines += ["", _line(words)] if words else []
    lines += [
        "",
        *(f"- {line.status}, {escaped(line.id)}: {_line(line.words)}" for line in row.lines),
    ]
    lines += ["", _line(row.scope)]
    if row.timing:
        lines += ["", escaped(row.timing.capitalize() + ".")]
    return [*lines, ""]


def summary_text(view: View) -> str:
    """The summary; every outside word is escaped for Markdown."""
    one = view.one
    lines = [f"# “{escaped(one.question.text)}”", ""]
    if view.simulated:
        lines += ["**Simulated data: nothing here is about a real system.**", ""]
    lines += [f"**{_line(one.answer)}** {_line(one.decides)}".strip(), ""]
    lines += [
        f"Decides: “{escaped(one.owner.text)}”. Latest response: {_line(one.latest)}. "
        f"Valid until: {escaped(one.valid_until)}.",
        "",
        "## Claims",
        "",
    ]
    for row in (*one.claims, *view.two.more_claims):
        lines += _claim(row)
    lines += ["## What must not be concluded", ""]
    lines += [f"- {_line(words)}" for words in one.not_concluded]
    lines += ["", "## What would change the verdicts", ""]
    for change in view.two.changes:
        for words in change.changes:
            lines.append(f"- {escaped(change.claim)}: {_line(words)}")
    lines += ["", f"{escaped(one.timing)} Decision digest {one.digest}.", ""]
    return "\n".join(lines)
