"""Page one as strings: nine items in a fixed order, shrunk by rule to one page."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from audit.argument.assessment import ClaimVerdict, CriterionOutcome
from audit.report.lookup import NAME_LIMIT, Lookup
from audit.report.marks import Strip, strip_svg, verdict_mark
from audit.report.purpose import purpose_lines
from audit.report.reasons import STATUS_WORDS, VERDICT_WORDS
from audit.report.rounding import count_text, number_text, scale_of
from audit.report.tested import Tested, tested
from audit.report.wording import (
    CriterionText,
    answer_words,
    because,
    criterion_text,
    criterion_words,
    deciding_outcomes,
    is_difference,
    narrowed_phrase,
    not_concluded,
    scope_words,
)
from audit.report.words import Num, Part, Quote, Words, clip, plain

MOST_CLAIMS = 6
_MOST_SEVERE = 3


@dataclass(frozen=True)
class Density:
    """How much page one may hold; the first that fits on one page is taken."""

    points: float
    lines: int
    """Criteria in words per claim."""
    strips: int
    """Criteria drawn per claim."""
    quote: int
    """Characters of an author's text."""
    names: int
    """Names listed before "and n more"."""
    rows: int
    """Rows of each small list."""
    name: int = NAME_LIMIT
    """Characters of a system's name."""

    @property
    def statement(self) -> int:
        """Characters of a claim's statement: half as many again, as long as there is room."""
        return self.quote * 3 // 2 if self.points >= 9 else self.quote


DENSITIES = (
    Density(10, 4, 3, 220, 6, 6),
    Density(10, 3, 2, 140, 5, 5),
    Density(10, 2, 1, 100, 4, 4),
    Density(10, 1, 1, 100, 3, 3),
    Density(9.5, 1, 1, 80, 3, 3),
    Density(9, 1, 1, 70, 3, 3),
    Density(8.5, 1, 1, 60, 2, 3, 20),
    Density(8, 1, 1, 40, 2, 2, 16),
    Density(8, 1, 1, 24, 2, 2, 12),
)
"""Ten points as long as leaving out will do; never below eight."""


@dataclass(frozen=True)
class CriterionLine:
    """One criterion of a claim: in words, with its status, drawn where there is room."""

    id: str
    status: str
    words: Words
    severe: bool
    strip: Markup | None


@dataclass(frozen=True)
class ClaimRow:
    """One claim on page one."""

    id: str
    kind: str
    verdict: str
    word: str
    timing: str
    mark: Markup
    statement: Quote
    by: Words
    """Whose claim it is, when it is not the author's."""
    narrowed: Words
    why: Words
    scope: Words
    lines: tuple[CriterionLine, ...]
    severe: Words
    """Criteria of severe tasks that have no line of their own."""
    more: str
    """Pointer to what is not shown here."""
    items: tuple[Num, ...]
    scored_by: str


@dataclass(frozen=True)
class PageOne:
    """Strings of page one, in its order."""

    points: str
    small: str
    """Of notes; never below eight points."""
    question: Quote
    owner: Quote
    latest: Words
    valid_until: str
    answer: Words
    decides: Words
    purpose: tuple[Words, ...]
    claims: tuple[ClaimRow, ...]
    more_claims: str
    not_concluded: tuple[Words, ...]
    tested: Tested
    timing: str
    digest: str


def strip_for(
    lookup: Lookup, claim: ClaimVerdict, outcome: CriterionOutcome, text: CriterionText
) -> Markup | None:
    """The interval against its bar, or None when there is no number."""
    if outcome.value is None or outcome.lower is None or outcome.upper is None:
        return None
    scale = scale_of(lookup.unit(outcome))
    difference = is_difference(claim)
    rank = outcome.measure == "rank"
    bars = tuple(
        f"{'place ' if rank else ''}{number_text(bar, scale=scale, signed=difference)}"
        f"{'' if rank else scale.after(False) if not difference else ''}"
        for bar in text.bars
    )
    words = criterion_words(lookup, claim, outcome, text)
    return strip_svg(
        Strip(
            value=outcome.value,
            lower=outcome.lower,
            upper=outcome.upper,
            bars=tuple(bar + 0.5 for bar in text.bars) if rank else text.bars,
            good=text.good,
            identified=outcome.identified or (outcome.value, outcome.value),
            zero=difference,
            bar_texts=tuple(clip(bar, 24) for bar in bars),
            title=f"Interval against the bar. {plain(words)}",
        )
    )


def criterion_line(
    lookup: Lookup, claim: ClaimVerdict, outcome: CriterionOutcome, *, drawn: bool
) -> CriterionLine:
    """A criterion in words, with its status, and drawn if asked."""
    text = criterion_text(lookup, claim, outcome)
    words = criterion_words(lookup, claim, outcome, text)
    if outcome.bar == "stop_if_worse_by" and outcome.status != "failed" and text.loss:
        words = (*words, " A loss of up to ", text.loss, " is not excluded.")
    return CriterionLine(
        id=outcome.id,
        status=STATUS_WORDS[outcome.status],
        words=words,
        severe=outcome.severe,
        strip=strip_for(lookup, claim, outcome, text) if drawn else None,
    )


def scored_by(lookup: Lookup, claim: ClaimVerdict) -> str:
    """By which metrics a claim is scored, and who judged."""
    metrics = tuple(dict.fromkeys(outcome.metric for outcome in claim.criteria))
    parts = []
    for metric in metrics:
        declared = (lookup.study.get("metrics") or {}).get(metric) or {}
        kind = declared.get("kind") or ("right or wrong" if metric == "correct" else "as declared")
        kind = "right or wrong" if kind == "binary" else kind
        parts.append(f"{clip(metric, 30)} ({kind})")
    return ", ".join(parts[:2]) + (f" and {len(parts) - 2} more" if len(parts) > 2 else "")


def item_counts(lookup: Lookup, claim: ClaimVerdict) -> tuple[Num, ...]:
    """Number of items, and of groups of items where they hang together."""
    counted = [one for one in claim.criteria if one.items is not None and one.task is None]
    counted = counted or [one for one in claim.criteria if one.items is not None]
    if not counted:
        return ()
    first = counted[0]
    name = lookup.number_id(first.id)
    numbers = [Num(f"{count_text(first.items or 0)} items", f"{name}:items")]
    if first.clusters is not None and first.clusters != first.items:
        numbers.append(Num(f"{count_text(first.clusters)} groups", f"{name}:clusters"))
    return tuple(numbers)


def _severe_words(
    lookup: Lookup, claim: ClaimVerdict, outcomes: tuple[CriterionOutcome, ...]
) -> Words:
    """Severe criteria without a line of their own: status and loss, in one sentence."""
    parts: list[Part] = []
    for index, outcome in enumerate(outcomes[:_MOST_SEVERE]):
        text = criterion_text(lookup, claim, outcome)
        parts += [
            "; " if index else "Severe: ",
            f"{outcome.id} ({clip(outcome.task or '', 20)}) {STATUS_WORDS[outcome.status]}",
        ]
        if text.loss is not None and outcome.loss_not_excluded:
            parts += [", loss up to ", text.loss, " not excluded"]
    if not parts:
        return ()
    more = len(outcomes) - _MOST_SEVERE
    return (*parts, f"; {more} more severe in the annex." if more > 0 else ".")


def claim_row(lookup: Lookup, claim: ClaimVerdict, density: Density) -> ClaimRow:
    """A claim's row, at a density."""
    declared = lookup.claim(claim.id)
    ordered = deciding_outcomes(claim)
    shown = ordered[: density.lines]
    # a severe task is never averaged away, nor cut from page one
    severe = tuple(one for one in ordered[density.lines :] if one.severe)
    drawn = [one.id for one in shown if one.value is not None][: density.strips]
    lines = tuple(criterion_line(lookup, claim, one, drawn=one.id in drawn) for one in shown)
    left = len(ordered) - len(shown) - len(severe)
    reason = because(claim) if claim.verdict != "supported" else ""
    narrowed = claim.narrowed_to
    by = declared.get("asserted_by")
    return ClaimRow(
        id=claim.id,
        kind=claim.kind,
        verdict=claim.verdict,
        word=VERDICT_WORDS[claim.verdict],
        timing=verdict_timing(claim).strip(" ()"),
        mark=verdict_mark(claim.verdict, VERDICT_WORDS[claim.verdict]),
        statement=Quote(clip(str(declared["statement"]), density.statement)),
        by=("claimed by ", Quote(clip(str(by["who"]), 40))) if by else (),
        narrowed=(
            (f"Only for {narrowed_phrase(narrowed, claim.reach, density.names - 1)}.",)
            if narrowed
            else ()
        ),
        why=(f"Because {reason}.",) if reason else (),
        scope=scope_words(lookup, claim, density.names),
        lines=lines,
        severe=_severe_words(lookup, claim, severe),
        more=f"{left} more criteri{'on' if left == 1 else 'a'} in the annex." if left else "",
        items=item_counts(lookup, claim),
        scored_by=scored_by(lookup, claim),
    )


def verdict_timing(claim: ClaimVerdict) -> str:
    """What the verdict's word must carry about when the criteria were fixed."""
    return {
        "verified": "",
        "stated": " (criteria stated, not verified)",
        "after": " (criteria not shown to come first)",
    }[claim.timing]


def latest_response(lookup: Lookup) -> Words:
    """Day of the latest response over all sources; unknown in one is said."""
    dates = [one.latest_date for one in lookup.evidence.accounting]
    known = sorted(date for date in dates if date)
    if not known:
        return ("not stated",)
    text: Words = (known[-1][: len("2026-01-31")],)
    if len(known) < len(dates):
        return (*text, f" (not stated in {len(dates) - len(known)} of {len(dates)} sources)")
    return text


def page_one(lookup: Lookup, density: Density) -> PageOne:
    """All strings of page one at a density."""
    decision = lookup.study["decision"]
    answer, decides = answer_words(lookup)
    order = lookup.claim_order
    left = len(order) - MOST_CLAIMS
    return PageOne(
        points=f"{density.points:g}",
        small=f"{max(8.0, 0.88 * density.points):g}",
        question=Quote(
            clip(str(decision["question"]), max(90 if density.points > 8 else 60, density.quote))
        ),
        owner=Quote(clip(str(decision["owner"]), density.quote)),
        latest=latest_response(lookup),
        valid_until=str(decision.get("valid_until") or "not stated"),
        answer=answer,
        decides=decides,
        purpose=purpose_lines(lookup, density.quote),
        claims=tuple(
            claim_row(lookup, lookup.verdicts[one], density) for one in order[:MOST_CLAIMS]
        ),
        more_claims=f"{left} more claim{'s' if left > 1 else ''} on page two." if left > 0 else "",
        not_concluded=not_concluded(lookup),
        tested=tested(lookup, density.rows, density.quote, density.names),
        timing=clip(lookup.evidence.assessment.timing_text, max(200, density.quote)),
        digest=short_digest(lookup.evidence.digests.get("decision", "")),
    )


def short_digest(digest: str) -> str:
    """The first sixteen characters of a digest, as a page shows it."""
    return digest.removeprefix("sha256:")[:16] or "none"
