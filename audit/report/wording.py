"""Sentences about a criterion and a claim, computed from the structure.

Nothing here is stronger than the interval: a difference is stated as "A minus B" with its interval
and its bar, and what it covers (tasks, variants, settings, source) stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from audit.argument.assessment import ClaimVerdict, CriterionOutcome, NarrowedTo
from audit.report.lookup import Lookup
from audit.report.reasons import MEASURE_WORDS, REACH_WORDS, REASON_WORDS
from audit.report.rounding import (
    Scale,
    interval_texts,
    number_text,
    scale_of,
    upper_text,
)
from audit.report.words import (
    Num,
    Part,
    Quote,
    Words,
    capital,
    clip,
    listed,
    listed_clipped,
)


@dataclass(frozen=True)
class CriterionText:
    """A criterion's numbers, formatted once; every page uses these."""

    value: Num | None
    lower: Num | None
    upper: Num | None
    unit: str
    """With its leading space, as it follows a number."""
    level: str
    bar: str
    """The bar in the measure's natural orientation."""
    bars: tuple[float, ...]
    good: str
    loss: Num | None


def is_difference(claim: ClaimVerdict) -> bool:
    """Whether the claim's numbers are differences between two systems."""
    return claim.kind == "comparison"


def level_text(outcome: CriterionOutcome) -> str:
    """Coverage of the printed interval: two-sided, or of the simultaneous set for places."""
    level = 1 - outcome.error * (1 if outcome.measure == "rank" else 2)
    return f"{level * 100:.4g}%"


def natural_bars(outcome: CriterionOutcome, sign: int) -> tuple[tuple[float, ...], str]:
    """Bars in the natural orientation and the side that is meant: above, below or between."""
    size = outcome.bar_value
    oriented = {
        "better_by": size,
        "worse_by_at_most": -size,
        "stop_if_worse_by": -size,
    }
    if outcome.bar == "at_least":
        return (size,), "above"
    if outcome.bar == "at_most":
        return (size,), "below"
    if outcome.bar == "within":
        return (-size, size), "between"
    return (sign * oriented[outcome.bar],), "above" if sign > 0 else "below"


def bar_text(outcome: CriterionOutcome, sign: int, scale: Scale, *, difference: bool) -> str:
    """The bar in words: `at least +3 points`, `place 2 or before`, `stop beyond −5 points`."""
    bars, good = natural_bars(outcome, sign)
    after = scale.after(difference)
    texts = [number_text(bar, scale=scale, signed=difference) for bar in bars]
    if outcome.measure == "rank":
        return f"place {texts[0]} or before"
    if good == "between":
        return f"between {texts[0]} and {texts[1]}{after}"
    if outcome.bar == "stop_if_worse_by":
        side = "below" if good == "above" else "above"
        return f"stop only if shown to be {side} {texts[0]}{after}"
    if outcome.bar == "better_by":
        return f"{'above' if good == 'above' else 'below'} {texts[0]}{after}"
    return f"{'at least' if good == 'above' else 'at most'} {texts[0]}{after}"


def criterion_text(lookup: Lookup, claim: ClaimVerdict, outcome: CriterionOutcome) -> CriterionText:
    """Format a criterion's numbers once, each with its id."""
    scale = scale_of(lookup.unit(outcome))
    difference = is_difference(claim)
    sign = lookup.sign(outcome)
    bars, good = natural_bars(outcome, sign)
    name = lookup.number_id(outcome.id)
    value = lower = upper = loss = None
    if outcome.value is not None and outcome.lower is not None and outcome.upper is not None:
        numbers = (outcome.value, outcome.lower, outcome.upper)
        texts = interval_texts(*numbers, scale=scale, bars=bars, signed=difference)
        value, lower, upper = (
            Num(text, f"{name}:{part}")
            for text, part in zip(texts, ("value", "lower", "upper"), strict=True)
        )
    if outcome.loss_not_excluded is not None:
        loss = Num(
            upper_text(outcome.loss_not_excluded, scale=scale) + scale.after(difference),
            f"{name}:loss",
        )
    return CriterionText(
        value=value,
        lower=lower,
        upper=upper,
        unit=scale.after(difference),
        level=level_text(outcome),
        bar=bar_text(outcome, sign, scale, difference=difference),
        bars=bars,
        good=good,
        loss=loss,
    )


def subject(lookup: Lookup, claim: ClaimVerdict) -> str:
    """Of what the number is: `Alpha`, or `Alpha minus Beta`."""
    declared = lookup.claim(claim.id)
    name = lookup.name(str(declared["of"]))
    if claim.kind == "comparison":
        return f"{name} minus {lookup.name(str(declared['over']))}"
    return name


def criterion_words(
    lookup: Lookup, claim: ClaimVerdict, outcome: CriterionOutcome, text: CriterionText
) -> Words:
    """One or two sentences: the estimate, its interval, its bar."""
    where = f" in {clip(outcome.task, 40)}" if outcome.task else ""
    measure = MEASURE_WORDS[outcome.measure]
    who = subject(lookup, claim)
    if text.value is None or text.lower is None or text.upper is None:
        why = clip(outcome.not_estimable or "no number could be had", 160).rstrip(".")
        return (f"{who}, {measure}{where}: not estimable ({why}). Bar: {text.bar}.",)
    if outcome.measure == "rank":
        among = len(lookup.claim(claim.id).get("among") or ())
        return (
            f"{who} is at place ",
            text.value,
            f" of {among}{where} ({text.level} set of places: ",
            text.lower,
            " to ",
            text.upper,
            f"). Bar: {text.bar}.",
        )
    return (
        f"{who}, {measure}{where}: ",
        text.value,
        f"{text.unit} ({text.level} interval ",
        text.lower,
        " to ",
        text.upper,
        f"). Bar: {text.bar}.",
    )


def scope_words(lookup: Lookup, claim: ClaimVerdict, limit: int) -> Words:
    """Tasks, variants, settings with versions, source: what the number stands for."""
    plan = lookup.plans[claim.id]
    declared_tasks = (lookup.study.get("workload") or {}).get("tasks") or {}
    if not declared_tasks:
        tasks = "All items"
    elif set(plan.tasks) == set(declared_tasks) or not plan.tasks:
        tasks = f"All {len(declared_tasks)} tasks"
    else:
        tasks = f"Tasks {listed_clipped([clip(t, 24) for t in plan.tasks], limit)}"
    variants = listed_clipped([clip(v, 24) for v in plan.variants], limit)
    parts: list[Part] = [
        f"{tasks}; variant{'s' if len(plan.variants) > 1 else ''} {variants}; ",
    ]
    named = claim.kind == "ranking"  # the others' sentences name their systems in this order
    shown = plan.systems[:limit]
    for index, system in enumerate(shown):
        declared = lookup.study["systems"].get(system) or {}
        who = f"{lookup.name(system)} " if named else "version "
        joint = "" if not index else ", " if named else " and "
        parts += [
            f"{joint}{who}",
            Quote(clip(str(declared.get("version", "not stated")), 5 * limit)),
            f" {declared.get('setting', 'default')}",
        ]
    if len(plan.systems) > limit:
        parts.append(f" and {len(plan.systems) - limit} more")
    parts.append(f"; source {clip(plan.source, 30)}.")
    return tuple(parts)


def narrowed_phrase(narrowed: NarrowedTo, asked: str, limit: int = 3) -> str:
    """What a narrowed verdict still covers, as a phrase after "only for"."""
    parts = []
    if narrowed.reach != asked:
        parts.append(REACH_WORDS[narrowed.reach])
    if narrowed.tasks is not None:
        parts.append(f"the tasks {listed_clipped([clip(t, 24) for t in narrowed.tasks], limit)}")
    if narrowed.variants is not None:
        names = [clip(v, 24) for v in narrowed.variants]
        parts.append(f"the variants {listed_clipped(names, limit)}")
    phrase = ", ".join(parts)
    if narrowed.conditions:
        conditions = "; and if ".join(
            clip(one, 160).removeprefix("if ").rstrip(".") for one in narrowed.conditions[:limit]
        )
        phrase = f"{phrase}, if {conditions}" if phrase else f"the claim's scope, if {conditions}"
        if len(narrowed.conditions) > limit:
            phrase += f"; {len(narrowed.conditions) - limit} more conditions in the annex"
    return phrase or "the claim as stated"


def because(claim: ClaimVerdict, limit: int = 2) -> str:
    """The reasons as a clause after "because", at most `limit` of them."""
    clauses = [REASON_WORDS[reason] for reason in claim.reasons[:limit]]
    return listed(clauses) if clauses else ""


def deciding_outcomes(claim: ClaimVerdict) -> tuple[CriterionOutcome, ...]:
    """Criteria in the order in which they matter: failed, undetermined, severe, primary, others."""
    rank = {"failed": 0, "undetermined": 1, "met": 2}
    order = sorted(
        range(len(claim.criteria)),
        key=lambda i: (
            rank[claim.criteria[i].status],
            claim.criteria[i].role != "primary",
            not claim.criteria[i].severe,
            i,
        ),
    )
    return tuple(claim.criteria[i] for i in order)


def answer_words(lookup: Lookup) -> tuple[Words, Words]:
    """The one answer of the page, and the claim that makes it so."""
    assessment = lookup.evidence.assessment
    decider = lookup.verdicts.get(assessment.deciding_claim or "")
    if assessment.answer == "none" or (decider is None and assessment.answer != "enough"):
        return ("No claim is named as deciding, so this report gives no answer.",), ()
    if assessment.answer == "enough":
        rests = [one for one in lookup.claim_order if one in _rests_on(lookup)]
        return (
            ("The evidence is enough for this decision.",),
            (f"Supported: {'claims' if len(rests) > 1 else 'claim'} {listed_clipped(rests, 6)}.",),
        )
    if decider is None:
        return (), ()
    return _answer_of(assessment.answer, decider)


def _answer_of(answer: str, decider: ClaimVerdict) -> tuple[Words, Words]:
    reason = because(decider)
    why = f", because {reason}" if reason else ""
    if answer == "enough_only_for":
        narrowed = decider.narrowed_to
        phrase = narrowed_phrase(narrowed, decider.reach) if narrowed else "less than was claimed"
        return (
            (f"The evidence is enough only for {phrase}.",),
            (f"Claim {decider.id} decides: it is narrowed{why}.",),
        )
    if answer == "speaks_against":
        return (
            ("The evidence speaks against what this decision rests on.",),
            (f"Claim {decider.id} decides: it is not supported{why}.",),
        )
    word = {"insufficient_evidence": "the evidence is insufficient"}.get(
        decider.verdict, f"it is {decider.verdict.replace('_', ' ')}"
    )
    return (
        ("The evidence is not enough for this decision.",),
        (f"Claim {decider.id} decides: {word}{why}.",),
    )


def _rests_on(lookup: Lookup) -> tuple[str, ...]:
    return tuple(lookup.study["decision"].get("rests_on") or ())


def not_concluded(lookup: Lookup, limit: int = 3) -> tuple[Words, ...]:
    """What a reader must not conclude, most dangerous first."""
    lines: list[Words] = []
    if lookup.evidence.simulated:
        lines.append(("Anything about real systems: the data is simulated.",))
    verdicts = [lookup.verdicts[one] for one in lookup.claim_order]
    lines += _severe_losses(lookup, verdicts)
    for word, start, end in (
        (
            "insufficient_evidence",
            "That ",
            " would hold, or would fail: the evidence leaves both open.",
        ),
        ("not_supported", "What ", " states: a bar is missed."),
    ):
        names = [one.id for one in verdicts if one.verdict == word]
        if names:
            what = f"{'claims' if len(names) > 1 else 'claim'} {listed_clipped(names, 3)}"
            lines.append((f"{start}{what}{end}",))
    beyond: dict[str, list[str]] = {}
    for one in verdicts:
        if one.verdict == "narrowed" and one.narrowed_to:
            phrase = narrowed_phrase(one.narrowed_to, one.reach, limit=1)
            beyond.setdefault(phrase, []).append(one.id)
    for phrase, names in beyond.items():
        what = f"{'Claims' if len(names) > 1 else 'Claim'} {listed_clipped(names, 3)}"
        lines.append((f"{what} beyond {phrase}.",))
    lines += _outside_work(lookup)
    lines.append(("That real use shows the same: no outcomes from use were looked at.",))
    return tuple(capital(line) for line in lines[:limit])


def _severe_losses(lookup: Lookup, verdicts: list[ClaimVerdict]) -> list[Words]:
    """The largest loss on a severe task that a claim which stands leaves possible."""
    for claim in verdicts:
        for outcome in claim.criteria:
            if not (outcome.severe and outcome.loss_not_excluded and outcome.task):
                continue
            text = criterion_text(lookup, claim, outcome)
            if text.loss is not None:
                return [
                    (
                        f"That no harm is done in the severe task {clip(outcome.task, 30)}: "
                        "a loss of up to ",
                        text.loss,
                        f" ({subject(lookup, claim)}) is not excluded.",
                    )
                ]
    return []


def _outside_work(lookup: Lookup) -> list[Words]:
    outside = (lookup.study.get("workload") or {}).get("not_covered") or ()
    if not outside:
        return []
    more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
    return [
        ("Anything about ", Quote(clip(str(outside[0]), 40)), f"{more}: no task stands for it.")
    ]
