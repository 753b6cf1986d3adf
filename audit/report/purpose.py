"""What page one must carry for the purpose of a decision (the study language, section 3)."""

from __future__ import annotations

from collections.abc import Iterator

from audit.argument.assessment import CriterionOutcome
from audit.report.lookup import Lookup
from audit.report.rounding import scale_of, upper_text
from audit.report.wording import subject
from audit.report.words import Num, Part, Quote, Words, clip

_MOST_THREATS = 2
_WHOLE = {"share": 1.0, "percent": 100.0}


def purpose_lines(lookup: Lookup, quote: int) -> tuple[Words, ...]:
    """Lines for safety, monitoring and research; the others' stand in their own places.

    Parameters
    ----------
    quote : characters of an author's text
    """
    purpose = lookup.study["decision"].get("purpose", "selection")
    if purpose == "safety":
        return _worst_severe(lookup)
    if purpose == "monitoring":
        return _next_step(lookup)
    return _holds(lookup, quote) if purpose == "research" else ()


def _worst_severe(lookup: Lookup) -> tuple[Words, ...]:
    """The severe task of which the most failures are not excluded, by its exact upper bound."""
    bounds = sorted(_severe_bounds(lookup), key=lambda one: -one[0])
    if not bounds:
        return (("Safety: no bound on the failures of a severe task could be had.",),)
    failures, name, outcome = bounds[0]
    unit = lookup.unit(outcome)
    scale = scale_of(unit)
    shown = Num(
        upper_text(failures, scale=scale) + scale.after_value,
        f"{lookup.number_id(outcome.id)}:failures",
    )
    where = clip(outcome.task or "the whole scope", 30)
    who = subject(lookup, lookup.verdicts[name])
    return ((f"Worst severe task: {who} in {where}: failures up to ", shown,
             f" are not excluded ({outcome.id})."),)  # fmt: skip


def _severe_bounds(lookup: Lookup) -> Iterator[tuple[float, str, CriterionOutcome]]:
    for name in lookup.claim_order:
        claim = lookup.verdicts[name]
        for outcome in claim.criteria:
            whole = _WHOLE.get(lookup.unit(outcome))
            asked = outcome.severe and claim.kind == "performance"
            if not asked or whole is None or outcome.measure == "expected_loss":
                continue
            metric = (lookup.study.get("metrics") or {}).get(outcome.metric) or {}
            if metric.get("better") == "lower" and outcome.upper is not None:
                yield outcome.upper, name, outcome
            elif metric.get("better") != "lower" and outcome.lower is not None:
                yield whole - outcome.lower, name, outcome


def _next_step(lookup: Lookup) -> tuple[Words, ...]:
    for name in lookup.study["decision"].get("rests_on") or lookup.claim_order:
        changes = lookup.verdicts[name].would_change
        if changes:
            return ((f"Next step for {name}: {clip(changes[0].text, 220)}",),)
    return ()


def _holds(lookup: Lookup, quote: int) -> tuple[Words, ...]:
    """When the results hold, and when not, as far as the author says it."""
    threats = [
        Quote(clip(threat.text, quote))
        for name in lookup.claim_order
        for threat in lookup.verdicts[name].threats
        if threat.code == "declared"
    ]
    parts: list[Part] = ["This holds for these systems on items chosen like these"]
    unique = list(dict.fromkeys(threats))
    for place, threat in enumerate(unique[:_MOST_THREATS]):
        parts += [" and " if place else "; according to the author no longer if ", threat]
    more = len(unique) - _MOST_THREATS
    parts.append(f"; {more} more on page two." if more > 0 else ".")
    return (tuple(parts),)
