"""The annex as strings: one section per kind of evidence, every number with its id."""

from __future__ import annotations

from dataclasses import dataclass

from audit.analyses.contract import Estimate, Result, Table, Threat
from audit.argument.assessment import ClaimVerdict
from audit.report.lookup import Lookup, result_id
from audit.report.page_one import CriterionLine, criterion_line, verdict_timing
from audit.report.reasons import GLOSSARY, NOT_ASSESSED_WORDS, REASON_WORDS, VERDICT_WORDS
from audit.report.rounding import count_text, interval_texts, scale_of
from audit.report.tables import (
    CELL,
    Cell,
    TableView,
    accounting_tables,
    laid_out,
    provenance,
    table_of,
)
from audit.report.wording import (
    criterion_text,
    criterion_words,
    deciding_outcomes,
    narrowed_phrase,
    scope_words,
)
from audit.report.words import Num, Quote, Words, clip, sentence_case, visible

_MOST_ANSWERS = 6

QUESTIONS = {
    "intake": "What was read, and what was lost?",
    "workload": "How do the systems score on the declared work?",
    "comparison": "How do the systems differ on the same items?",
    "configuration": "Is what was tested what will be deployed?",
}


@dataclass(frozen=True)
class Section:
    """One result: question, answer, figures, tables, method, limits, not assessed."""

    id: str
    heading: str
    question: str
    answer: tuple[Words, ...]
    figures: tuple[str, ...]
    tables: tuple[TableView, ...]
    method: tuple[Words, ...]
    limits: tuple[str, ...]
    not_assessed: tuple[str, ...]


@dataclass(frozen=True)
class ClaimDetail:
    """A claim in full."""

    id: str
    verdict: str
    statement: Quote
    warrant: Quote
    scope: Words
    narrowed: str
    reasons: tuple[str, ...]
    lines: tuple[CriterionLine, ...]
    subsets: tuple[CriterionLine, ...]
    threats: TableView
    caveats: tuple[str, ...]
    changes: tuple[str, ...]
    not_assessed: str


@dataclass(frozen=True)
class Annex:
    """Strings of the annex."""

    claims: tuple[ClaimDetail, ...]
    threats: TableView
    """Of every claim alike."""
    sections: tuple[Section, ...]
    remarks: tuple[tuple[str, str], ...]
    failures: TableView
    glossary: tuple[tuple[str, str], ...]
    provenance: TableView
    results: TableView


def _result_table(result: Result, table: Table) -> TableView:
    return table_of(
        f"{result_id(result)}/{table.id}", table.title, table.columns, list(table.rows), table.note
    )


def _estimate_row(
    lookup: Lookup, estimate: Estimate
) -> tuple[str | float | int | bool | None, ...]:
    request = lookup.requests.get(estimate.request)
    scale = scale_of(clip(estimate.unit, 60))
    difference = request is not None and request.kind == "comparison"
    first = estimate.bounds[0]
    texts = interval_texts(estimate.value, first.lower, first.upper, scale=scale, signed=difference)
    level = f"{(1 - first.error * (1 if estimate.unit == 'place' else 2)) * 100:.4g}%"
    groups = count_text(estimate.clusters)
    return (
        estimate.request,
        f"{texts[0]}{scale.after(difference)}",
        f"{texts[1]} to {texts[2]} ({level})",
        count_text(estimate.items),
        groups,
        count_text(estimate.missing_items),
        estimate.method,
    )


def _estimates_table(lookup: Lookup, result: Result) -> TableView | None:
    if not result.estimates and not result.not_estimable:
        return None
    rows = [_estimate_row(lookup, one) for one in result.estimates]
    rows += [
        (one.request, "not estimable", one.detail, "–", "–", "–", REASON_WORDS[one.reason])
        for one in result.not_estimable
    ]
    name = f"{result_id(result)}/estimates"
    view = table_of(
        name,
        "Estimates asked for by the criteria",
        ("id", "value", "interval", "items", "groups", "items missing", "method"),
        rows,
        "Each id is that of its criterion; after @ stands the part of the scope.",
    )
    numbered = tuple(
        tuple(
            Cell(cell.text, f"{result_id(result)}/{row[0].text}:{column}", index in (1, 3, 4, 5))
            if index
            else cell
            for index, (cell, column) in enumerate(zip(row, view.columns, strict=True))
        )
        for row in view.rows
    )
    return laid_out(view.id, view.title, view.columns, numbered, view.note)


def _answer(lookup: Lookup, result: Result) -> tuple[Words, ...]:
    """One or two computed sentences that open a section."""
    at = result_id(result)
    if result.analysis == "intake":
        account = lookup.accounts.get(result.source or "")
        if account is None:
            return ()
        read = sum(one.rows_read for one in account.files)
        kept = sum(one.rows_kept for one in account.files)
        gone = sum(sum(one.unscored.values()) for one in account.systems)
        return (
            (
                Num(count_text(kept), f"{at}/rows_kept"),
                " of ",
                Num(count_text(read), f"{at}/rows_read"),
                " rows were kept; ",
                Num(count_text(gone), f"{at}/unscored"),
                " of them carry no score.",
            ),
        )
    if result.analysis == "configuration":
        states = list(dict(result.diagnostics.get("systems", {})).values())
        words = ", ".join(
            f"{states.count(state)} {text}"
            for state, text in (
                ("same", "as tested"),
                ("bridged", "bridged"),
                ("differs", "differing"),
                ("unknown", "undeclared"),
            )
            if state in states
        )
        return ((f"Of {len(states)} systems: {words}.",),) if states else ()
    return _criteria_answer(lookup, result)


def _criteria_answer(lookup: Lookup, result: Result) -> tuple[Words, ...]:
    """For each claim that a result feeds, the criterion that matters most, in words."""
    lines: list[Words] = []
    for claim in lookup.claim_order:
        verdict = lookup.verdicts[claim]
        room = "workload" if verdict.kind == "performance" else "comparison"
        if (room, lookup.plans[claim].source) != (result.analysis, result.source):
            continue
        first = deciding_outcomes(verdict)[0]
        words = criterion_words(lookup, verdict, first, criterion_text(lookup, verdict, first))
        lines.append((f"{first.id}, {first.status}: ", *words))
    if len(lines) > _MOST_ANSWERS:
        more = (f"{len(lines) - _MOST_ANSWERS} more claims above rest on this result.",)
        lines = [*lines[:_MOST_ANSWERS], more]
    return tuple(lines) or (("No criterion rests on this result.",),)


def section(lookup: Lookup, result: Result, figures: tuple[str, ...]) -> Section:
    """A result's section; `figures` are the names of its charts."""
    methods = sorted({one.method for one in result.estimates})
    population = sorted({one.inference_population for one in result.estimates})
    method: list[Words] = []
    if methods:
        method.append((f"Intervals by {', '.join(clip(one, 60) for one in methods)}.",))
    method += [(f"What is random: {clip(one, 200)}.",) for one in population]
    for assumption in result.assumptions:
        state = "not checked" if not assumption.checked else "held" if assumption.held else "failed"
        method.append((f"Assumption ({state}): {clip(assumption.text, 300)}",))
    estimates = _estimates_table(lookup, result)
    tables = accounting_tables(lookup, result)
    tables += [estimates] if estimates else []
    tables += [_result_table(result, table) for table in result.tables]
    open_threats = [one.text for one in result.threats if one.state == "not_assessed"]
    title = f"{sentence_case(result.analysis)}"
    return Section(
        id=result_id(result),
        heading=f"{title}: source {clip(result.source, 40)}" if result.source else title,
        question=QUESTIONS.get(result.analysis, ""),
        answer=_answer(lookup, result),
        figures=figures,
        tables=tuple(tables),
        method=tuple(method),
        limits=tuple(clip(one, 400) for one in result.limits),
        not_assessed=tuple(dict.fromkeys(clip(one, 300) for one in open_threats)),
    )


def not_assessed_words(claim: ClaimVerdict) -> str:
    """What nobody looked at, in one line."""
    words = [NOT_ASSESSED_WORDS.get(one, clip(one, 120)) for one in claim.not_assessed]
    return "; ".join(dict.fromkeys(words))


def claim_detail(lookup: Lookup, claim: ClaimVerdict) -> ClaimDetail:
    """All that led to one verdict."""
    declared = lookup.claim(claim.id)
    narrowed = claim.narrowed_to
    common = _common_threats(lookup)
    own = [row for row in map(_threat_row, claim.threats) if row not in common]
    threats = _threats_table(claim.id, "Threats looked at", own)
    return ClaimDetail(
        id=claim.id,
        verdict=VERDICT_WORDS[claim.verdict] + verdict_timing(claim),
        statement=Quote(visible(str(declared["statement"]))),
        warrant=Quote(visible(str(declared["warrant"]))),
        scope=scope_words(lookup, claim, 12),
        narrowed=f"Only for {narrowed_phrase(narrowed, claim.reach, 12)}." if narrowed else "",
        reasons=tuple(f"{sentence_case(REASON_WORDS[one])} ({one})." for one in claim.reasons),
        lines=tuple(criterion_line(lookup, claim, one, drawn=True) for one in claim.criteria),
        subsets=tuple(
            criterion_line(lookup, claim, one, drawn=False) for one in claim.subset_criteria
        ),
        threats=threats,
        caveats=tuple(clip(one, 400) for one in claim.caveats),
        changes=tuple(clip(one.text, 300) for one in claim.would_change),
        not_assessed=not_assessed_words(claim),
    )


_Row = tuple[str | float | int | bool | None, ...]


def _threat_row(threat: Threat) -> _Row:
    return (
        threat.code.replace("_", " "),
        threat.affects,
        threat.state.replace("_", " "),
        threat.condition or "",
        clip(threat.text, CELL),
    )


def _common_threats(lookup: Lookup) -> list[_Row]:
    """What was found alike for every claim, where there are several."""
    first, *others = [
        list(map(_threat_row, lookup.verdicts[name].threats)) for name in lookup.claim_order
    ] or [[]]
    return [row for row in first if others and all(row in other for other in others)]


def _threats_table(name: str, title: str, rows: list[_Row]) -> TableView:
    heads = ("threat", "affects", "state", "condition", "in words")
    return table_of(f"assessment/{name}/threats", title, heads, rows)


_FAILURE_KEYS = ("system", "task", "severity", "state", "seen", "where", "what")
_SECTION_ORDER = ("intake", "workload", "comparison", "configuration")


def annex(lookup: Lookup, figures: dict[str, tuple[str, ...]]) -> Annex:
    """All strings of the annex; `figures` maps a result's id to its charts' names."""
    ordered = sorted(
        lookup.evidence.results,
        key=lambda one: (
            _SECTION_ORDER.index(one.analysis)
            if one.analysis in _SECTION_ORDER
            else len(_SECTION_ORDER),
            one.source or "",
        ),
    )
    digests, results = provenance(lookup)
    failures = table_of(
        "study/failures",
        "Known failures, as the author lists them",
        ("id", "system", "task", "severity", "state", "seen", "where", "what"),
        [
            (name, *(str(one.get(key) or "") for key in _FAILURE_KEYS))
            for name, one in (lookup.study.get("failures") or {}).items()
        ],
    )
    return Annex(
        claims=tuple(claim_detail(lookup, lookup.verdicts[one]) for one in lookup.claim_order),
        threats=_threats_table(
            "all", "Threats looked at, every claim alike", _common_threats(lookup)
        ),
        sections=tuple(section(lookup, one, figures.get(result_id(one), ())) for one in ordered),
        remarks=tuple((clip(one.path, 80), clip(one.text, 400)) for one in lookup.evidence.remarks),
        failures=failures,
        glossary=GLOSSARY,
        provenance=digests,
        results=results,
    )
