"""Tables of the annex: cells formatted once, each number with its id, columns with their widths."""

from __future__ import annotations

from dataclasses import dataclass

from audit.analyses.contract import Result
from audit.report.lookup import Lookup, result_id
from audit.report.rounding import cell_text
from audit.report.words import clip, sentence_case

CELL = 160
"""Characters of a cell."""
_MOST_ROWS = 40
_FULL_WIDTH = 96
"""Characters of table text across a page."""
_MOST_AT_SIZE = 84
"""Characters of all columns' longest words, beyond which a table is set smaller."""


@dataclass(frozen=True)
class Cell:
    """A cell of an annex table, with its id when it is a number."""

    text: str
    id: str
    number: bool


@dataclass(frozen=True)
class TableView:
    """A table, headed and with its id."""

    id: str
    title: str
    columns: tuple[str, ...]
    width: str
    """Share of the page's width."""
    widths: tuple[str, ...]
    """Shares of the table's width, from the longest text of each column."""
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str
    dense: bool = False
    """Too many columns for the usual size of letters."""


def table_of(
    name: str,
    title: str,
    columns: tuple[str, ...],
    rows: list[tuple[str | float | int | bool | None, ...]],
    note: str = "",
) -> TableView:
    """Format a table's cells; ids are `<table>/<row>:<column>`, rows counted from 1."""
    shown = []
    for number, row in enumerate(rows[:_MOST_ROWS], start=1):
        cells = []
        for column, cell in zip(columns, row, strict=True):
            numeric = isinstance(cell, int | float) and not isinstance(cell, bool)
            cells.append(
                Cell(
                    clip(cell_text(cell), CELL),
                    f"{name}/{number}:{column}" if numeric else "",
                    numeric,
                )
            )
        shown.append(tuple(cells))
    more = len(rows) - _MOST_ROWS
    if more > 0:
        note = f"{note} {more} more rows in the attached evidence.json.".strip()
    heads = tuple(sentence_case(clip(column, 40).replace("_", " ")) for column in columns)
    return laid_out(name, clip(title, 120), heads, tuple(shown), clip(note, 400))


def laid_out(
    name: str, title: str, heads: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...], note: str
) -> TableView:
    """Give each column its width and its side: numbers stand at the right.

    No column is narrower than its longest word; what is left goes to the columns that want more.
    """
    columns = [[head, *(row[index].text for row in rows)] for index, head in enumerate(heads)]
    least = [max(5, *(min(44, _word(text) + 3) for text in column)) for column in columns]
    wanted = [
        max(low, min(44, max((len(text) + 3 for text in column[1:]), default=0)))
        for low, column in zip(least, columns, strict=True)
    ]
    spare = max(0, _FULL_WIDTH - sum(least))
    share = min(1.0, spare / max(1, sum(wanted) - sum(least)))
    sizes = [low + share * (want - low) for low, want in zip(least, wanted, strict=True)]
    total = max(sum(sizes), _FULL_WIDTH)
    return TableView(
        name,
        title,
        heads,
        f"{100 * sum(sizes) / total:.1f}%",
        tuple(f"{100 * size / sum(sizes):.1f}%" for size in sizes),
        tuple(
            bool(rows) and all(row[index].number or row[index].text == "–" for row in rows)
            for index in range(len(heads))
        ),
        rows,
        note,
        dense=sum(least) > _MOST_AT_SIZE,
    )


def _word(text: str) -> int:
    """Characters of the longest word."""
    return max((len(word) for word in text.split()), default=0)


def accounting_tables(lookup: Lookup, result: Result) -> list[TableView]:
    """Rows by file and by system, for the section of intake."""
    account = lookup.accounts.get(result.source or "")
    if account is None or result.analysis != "intake":
        return []
    at = result_id(result)
    files = table_of(
        f"{at}/files",
        "Rows by file",
        ("file", "rows_read", "rows_kept", "left_out", "digest"),
        [
            (
                one.file,
                one.rows_read,
                one.rows_kept,
                ", ".join(
                    f"{count} {clip(why, 40)}" for why, count in sorted(one.rows_left_out.items())
                )
                or "none",
                one.digest.removeprefix("sha256:")[:16],
            )
            for one in account.files
        ],
        "Rows read are rows kept and rows left out together.",
    )
    systems = table_of(
        f"{at}/systems",
        "Rows by system",
        ("system", "rows", "items", "scored", "without_score", "items_without_row", "attempts"),
        [
            (
                one.system,
                one.rows,
                one.items,
                one.scored,
                ", ".join(f"{n} {clip(status, 20)}" for status, n in sorted(one.unscored.items()))
                or "none",
                one.missing_items,
                "–".join(str(n) for n in dict.fromkeys(one.attempts)),
            )
            for one in account.systems
        ],
    )
    return [files, systems]


def provenance(lookup: Lookup) -> tuple[TableView, TableView]:
    """Digests of everything, and where each result comes from."""
    digests = table_of(
        "provenance/digests",
        "Digests (SHA-256)",
        ("of", "digest"),
        [
            (role, digest.removeprefix("sha256:"))
            for role, digest in sorted(lookup.evidence.digests.items())
        ],
    )
    results = table_of(
        "provenance/results",
        "Results",
        ("result", "program", "seed", "inputs"),
        [
            (
                result_id(one),
                one.provenance.program,
                str(one.provenance.seed) if one.provenance.seed is not None else "none needed",
                ", ".join(
                    f"{role} {digest.removeprefix('sha256:')[:12]}"
                    for role, digest in sorted(one.provenance.inputs.items())
                ),
            )
            for one in lookup.evidence.results
        ],
    )
    return digests, results
