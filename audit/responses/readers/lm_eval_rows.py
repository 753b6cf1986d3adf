"""The documents of a samples file of lm-evaluation-harness: one row each, whatever its filters.

The harness writes one row per document and filter (extraction rule). Rules are columns here: one
answer that is read by two rules is one answer.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from audit.errors import DataError
from audit.io import digest
from audit.responses.readers.json_lines import Object, json_lines
from audit.responses.readers.lm_eval_results import mapping, text_of
from audit.responses.readers.raw import MOST_COLUMNS, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

LONGEST_FIELD: Final = 200
"""Characters of a document's field, of a hash, and of a column's name."""
LONGEST_PROMPT: Final = 20_000
"""Characters of a prompt that is kept."""
MOST_PROMPTS: Final = 200_000_000
"""Characters of all prompts of one file that are kept."""
MOST_CELLS: Final = 100_000_000
"""Rows times columns: a column that one row alone has costs as much as any other."""
WORDS: Final = {"true": 1.0, "false": 0.0, "True": 1.0, "False": 0.0}
"""Scores that the harness writes as words, and what its mean takes them for."""
_LISTS, _LONG = "lists or structures", f"texts longer than {LONGEST_FIELD} characters"
_HASHES: Final = ("doc_hash", "prompt_hash", "target_hash")
_FIELDS: Final = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    *_HASHES,
}  # fmt: skip
OURS: Final = {
    "system", "item", "item_hash", "text", "status", "date", "task_name", "task_version",
    "task_hash", "n_shot", "system_instruction", "chat_template", "fewshot_as_multiturn",
    "lm_eval_version", "group", *_FIELDS,
}  # fmt: skip
_OUR_PREFIXES: Final = ("doc.", "status:", "model_args.", "gen_kwargs.")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INVALID: Final = "[invalid]"


class Documents:
    """What the rows of one samples file say of its documents.

    Parameters
    ----------
    known_metrics : names that the results file has for the task; for logs that do not say per row
        which of their fields are metrics

    Raises
    ------
    DataError
        rows that cannot be read, or that contradict each other
    """

    def __init__(self, file: ResolvedFile, known_metrics: Iterable[str] = ()) -> None:
        self.file = file
        self.doc_ids: dict[int, int] = {}
        """{doc_id: place among the documents}."""
        self.scores: dict[str, None] = {}
        """Score columns in their order."""
        self.statuses: dict[str, dict[int, str]] = {}
        """{score column: {place: status of that score alone}}."""
        self.left_out: dict[str, str] = {}
        """{column: what it holds instead of single values}."""
        self.texts: dict[str, str] = {}
        self.texts_left_out = 0
        self.answers = 1
        """Answers per document, as far as rows show it."""
        self.merged = 0
        """Rows that repeat a document of a log without filters, with the same scores."""
        self.numberless = 0
        """Scores that are NaN or infinite."""
        self.has_words = False
        """Whether scores are written as words: true, False."""
        self.names_filters: bool | None = None
        self._known_metrics = tuple(known_metrics)
        self._columns: dict[str, list[str | None]] = {}
        self._rows: dict[str | None, dict[int, int]] = {}
        self._prompts = 0
        self._hashes: hashlib._Hash | None = hashlib.sha256()
        row = 0
        for row, fields in json_lines(file):
            try:
                self._take(row, fields)
            except RecursionError as error:
                raise self._refusal(row, "the values are nested too deep") from error
        if not row:
            raise refusal(file, "the file holds no rows", remedy="copy it again, or leave it out")
        self._drop_texts_among_scores()

    @property
    def task_hash(self) -> str | None:
        """Digest of the documents as lm_eval makes it for a task."""
        return self._hashes.hexdigest() if self._hashes else None

    # ------------------------------------------------------------------------------------- one row

    def _take(self, row: int, fields: Object) -> None:
        doc_id = fields.get("doc_id")
        if isinstance(doc_id, bool) or not isinstance(doc_id, int) or not 0 <= doc_id < 2**63:
            raise self._refusal(
                row, "the row names no document" if doc_id is None else "doc_id is no whole number",
                shown(doc_id), "a whole number from 0 up",
                "name samples files that lm_eval wrote with --log_samples",
            )  # fmt: skip
        rule = self._filter(row, fields)
        is_new = doc_id not in self.doc_ids
        place = self.doc_ids.setdefault(doc_id, len(self.doc_ids))
        self._count_hashes(fields)
        if is_new:
            self._document(row, place, fields)
        else:
            self._check_same_document(row, place, fields)
        earlier = self._rows.setdefault(rule, {}).setdefault(place, row)
        scores = self._scores_of(row, rule, fields)
        if earlier != row:
            self._repeated(row, earlier, doc_id, rule, scores)
            return
        is_invalid = _is_invalid(fields.get("filtered_resps"))
        for name, value in scores.items():
            self._score(row, place, name, value, is_invalid=is_invalid)
        self.answers = max(self.answers, _answers(fields.get("resps")))

    def _filter(self, row: int, fields: Object) -> str | None:
        """The row's extraction rule; None in logs that do not say it."""
        rule = fields.get("filter")
        if rule is not None and not (isinstance(rule, str) and rule):
            raise self._refusal(row, "the filter is no text", shown(rule))
        if self.names_filters is None:
            self.names_filters = rule is not None
        if self.names_filters != (rule is not None):
            raise self._refusal(
                row, "some rows name their filter and others do not",
                remedy="keep rows of one version of lm_eval in a file",
            )  # fmt: skip
        return rule

    def _scores_of(self, row: int, rule: str | None, fields: Object) -> dict[str, Any]:
        """{score column: value}."""
        named = fields.get("metrics")
        if named is None:
            names = self._known_metrics or [
                key
                for key, value in fields.items()
                if key not in _FIELDS and isinstance(value, bool | int | float)
            ]
        elif isinstance(named, list) and all(isinstance(one, str) for one in named):
            names = named
        else:
            raise self._refusal(row, "metrics is no list of names", shown(named))
        return {
            one if rule is None else f"{one},{rule}": fields[one]
            for one in names
            if one in fields and (named is not None or one not in _FIELDS)
        }

    def _repeated(
        self, row: int, earlier: int, doc_id: int, rule: str | None, scores: Mapping[str, Any]
    ) -> None:
        """Refuse a second row of a document, unless no rule is named and both say the same."""
        both = f"rows {earlier} and {row} are document {doc_id}"
        if rule is not None:
            raise self._refusal(
                row, "a document stands twice under one filter", f"{both} under {shown(rule)}",
                remedy="keep one of them; if two runs were written into one file, split it",
            )  # fmt: skip
        place = self.doc_ids[doc_id]
        held = {name: self._cell(name, place) for name in self.scores}
        said = {name: _score_text(value) for name, value in scores.items()}
        if {name: text for name, text in held.items() if text is not None} != {
            name: text for name, text in said.items() if text is not None
        }:
            raise self._refusal(
                row,
                "rows of one document differ and the log does not say which filter they belong to",
                both,
                remedy="run it again with lm_eval 0.4.7 or newer, or keep the rows of one filter",
            )
        self.merged += 1

    # -------------------------------------------------------------------------------- one document

    def _document(self, row: int, place: int, fields: Object) -> None:
        self._check_cells(row)
        self._put(row, "doc_id", place, str(fields["doc_id"]))
        hashes = {name: _short(fields.get(name)) for name in _HASHES}
        hashes["item_hash"] = hashes["doc_hash"] or _hash_of(fields)
        for name, text in hashes.items():
            if text:
                self._put(row, name, place, text)
        for key, value in mapping(fields.get("doc")).items():
            self._field(row, place, f"doc.{key}", value)
        prompt = _prompt(fields.get("arguments"))
        if prompt is None:
            return
        key = digest(prompt.encode())
        if key not in self.texts:
            if len(prompt) > LONGEST_PROMPT or self._prompts + len(prompt) > MOST_PROMPTS:
                self.texts_left_out += 1
                return
            self._prompts += len(prompt)
            self.texts[key] = prompt
        self._put(row, "text", place, key)

    def _field(self, row: int, place: int, name: str, value: Any) -> None:
        """A field of the document, unless some document holds lists or long texts there."""
        if name in self.left_out or value is None:
            return
        text = None if isinstance(value, list | dict) else _score_text(value) or str(value).strip()
        if text is None or len(text) > LONGEST_FIELD:
            self._columns.pop(name, None)
            self._leave_out(row, name, _LISTS if text is None else _LONG)
        elif text:
            self._put(row, name, place, text)

    def _check_same_document(self, row: int, place: int, fields: Object) -> None:
        held, said = self._cell("doc_hash", place), _short(fields.get("doc_hash"))
        if held and said and held != said:
            raise self._refusal(
                row, "rows of one doc_id are about different documents",
                f"doc_hash {shown(held[:12])} and {shown(said[:12])} of doc_id {fields['doc_id']}",
                remedy="split files that two tasks or two editions were written into",
            )  # fmt: skip

    def _count_hashes(self, fields: Object) -> None:
        stated = [fields.get(name) for name in _HASHES]
        if self._hashes is None or not all(isinstance(one, str) for one in stated):
            self._hashes = None
            return
        self._hashes.update("".join(str(one) for one in stated).encode())

    # ----------------------------------------------------------------------------------- one value

    def _score(self, row: int, place: int, name: str, value: Any, *, is_invalid: bool) -> None:
        if name not in self.scores:
            if name in OURS or name.startswith(_OUR_PREFIXES):
                raise self._refusal(
                    row, "a metric has the name of another column", shown(name),
                    remedy="rename the metric in the rows",
                )  # fmt: skip
            self.scores[name] = None
        if name in self.left_out:
            return
        text = _score_text(value)
        if isinstance(value, list | dict) or (text and len(text) > LONGEST_FIELD):
            self._columns.pop(name, None)
            self.statuses.pop(name, None)
            self._leave_out(row, name, _LONG if text else _LISTS)
            return
        self._put(row, name, place, text)
        self.has_words = self.has_words or text in WORDS
        if text is None and isinstance(value, float):
            self.numberless += 1
            self.statuses.setdefault(name, {})[place] = "error"
        elif is_invalid:
            self.statuses.setdefault(name, {})[place] = "unparsed"

    def _put(self, row: int, name: str, place: int, text: str | None) -> None:
        column = self._columns.get(name)
        if column is None:
            if len(name) > LONGEST_FIELD:
                raise self._refusal(
                    row, "a field has a name that is too long", shown(name),
                    f"at most {LONGEST_FIELD} characters",
                )  # fmt: skip
            column = self._columns[name] = []
            self._check_cells(row)
        column.extend([None] * (place + 1 - len(column)))
        column[place] = text

    def _cell(self, name: str, place: int) -> str | None:
        column = self._columns.get(name, ())
        return column[place] if place < len(column) else None

    def _leave_out(self, row: int, name: str, held: str) -> None:
        self.left_out[name[: LONGEST_FIELD + 1]] = held
        self._check_cells(row)

    def _check_cells(self, row: int) -> None:
        columns = len(self._columns) + len(self.left_out)
        if columns > MOST_COLUMNS or columns * len(self.doc_ids) > MOST_CELLS:
            raise self._refusal(
                row, "too many fields", f"{columns:,} in {len(self.doc_ids):,} documents",
                f"at most {MOST_COLUMNS:,}, and {MOST_CELLS:,} values",
                "leave out fields of doc that are not needed",
            )  # fmt: skip

    def _refusal(
        self, row: int, message: str, found: str = "", allowed: str = "", remedy: str = ""
    ) -> DataError:
        return refusal(self.file, message, found, allowed, remedy, f"row {row}")

    def _drop_texts_among_scores(self) -> None:
        """Leave out metrics that hold nothing but texts that are no numbers."""
        for name in self.scores:
            texts = Counter(
                number_of(text) is None for text in self._columns.get(name, ()) if text is not None
            )
            if texts[True] and not texts[False]:
                del self._columns[name]
                self.statuses.pop(name, None)
                self.left_out[name] = "texts"

    # ------------------------------------------------------------------------------- what is given

    def kept_scores(self) -> tuple[str, ...]:
        """Score columns that hold a single value per document."""
        return tuple(name for name in self.scores if name in self._columns)

    def numbers(self, name: str) -> list[float | None]:
        """The scores of a column, in the order of the documents; None without one."""
        column = self._columns[name]
        found = [None if text is None else number_of(text) for text in column]
        return found + [None] * (len(self.doc_ids) - len(found))

    @property
    def width(self) -> int:
        """Columns that the rows give."""
        return len(self._columns)

    def series(self, missing: Sequence[int]) -> Iterator[pl.Series]:
        """Columns as text; of `missing` documents nothing is known but their doc_id."""
        rows = len(self.doc_ids) + len(missing)
        for name, column in self._columns.items():
            ids = [str(one) for one in missing] if name == "doc_id" else []
            padding = [None] * (rows - len(column) - len(ids))
            yield pl.Series(name, [*column, *padding, *ids], pl.String)

    def row_statuses(self) -> list[str]:
        """`ok` with a score, `error` with none but NaN, else `not_run`."""
        found = ["not_run"] * len(self.doc_ids)
        for statuses in self.statuses.values():
            for place, status in statuses.items():
                if status == "error":
                    found[place] = "error"
        for name in self.kept_scores():
            for place, text in enumerate(self._columns[name]):
                if text is not None:
                    found[place] = "ok"
        return found


def number_of(text: str) -> float | None:
    """The number that a score's text says."""
    if text in WORDS:
        return WORDS[text]
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def _score_text(value: Any) -> str | None:
    """A single value as text; nothing, NaN, infinities, lists and structures are none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else None
    return text_of(value)


def _short(value: Any) -> str | None:
    text = text_of(value)
    return text if text and len(text) <= LONGEST_FIELD else None


def _hash_of(fields: Object) -> str | None:
    """Digest of what was asked, for logs that do not state one."""
    if "doc" not in fields:
        return None
    asked = [fields["doc"], fields.get("target")]
    written = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _is_invalid(filtered: Any) -> bool:
    """Whether there are filtered answers and each of them is the mark of an unreadable one."""
    found = False
    pending = [filtered]
    while pending:
        one = pending.pop()
        if isinstance(one, list):
            pending.extend(one)
        elif one != _INVALID:
            return False
        else:
            found = True
    return found


def _answers(resps: Any) -> int:
    """Answers that a document's first request got; other values than texts are no answers."""
    first = resps[0] if isinstance(resps, list) and resps else None
    if not isinstance(first, list) or not all(isinstance(one, str) for one in first):
        return 1
    return max(1, len(first))


def _prompt(stated: Any) -> str | None:
    """The prompt of a document's first request, as it was sent."""
    if isinstance(stated, dict):
        first = mapping(stated.get("gen_args_0")).get("arg_0")
    else:
        first = stated[0] if isinstance(stated, list) and stated else None
        first = first[0] if isinstance(first, list) and first else None
    # a chat is a list of one text
    if isinstance(first, list) and len(first) == 1:
        first = first[0]
    return first if isinstance(first, str) and first else None
