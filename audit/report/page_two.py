"""Page two as strings: what would change each verdict, losses not excluded, other choices."""

from __future__ import annotations

from dataclasses import dataclass

from audit.argument.assessment import ClaimVerdict
from audit.report.lookup import Lookup
from audit.report.page_one import (
    DENSITIES,
    MOST_CLAIMS,
    ClaimRow,
    claim_row,
    verdict_timing,
)
from audit.report.reasons import VERDICT_WORDS
from audit.report.rounding import count_text
from audit.report.wording import criterion_text, subject
from audit.report.words import Num, Part, Words, clip

_MOST_CHANGES = 4


@dataclass(frozen=True)
class ChangeRow:
    """What would change one claim's verdict, cheapest first."""

    claim: str
    verdict: str
    changes: tuple[Words, ...]


@dataclass(frozen=True)
class PageTwo:
    """Strings of page two."""

    more_claims: tuple[ClaimRow, ...]
    changes: tuple[ChangeRow, ...]
    losses: tuple[Words, ...]
    other_choices: tuple[Words, ...]
    defeaters: tuple[Words, ...]
    """Under what the claims stop being true, in the author's words."""


def _changes(claim: ClaimVerdict, lookup: Lookup) -> tuple[Words, ...]:
    rows: list[Words] = []
    for number, change in enumerate(claim.would_change[:_MOST_CHANGES], start=1):
        parts: list[Part] = [clip(change.text, 300)]
        if change.items is not None and count_text(change.items) not in change.text:
            at = f"assessment/{claim.id}/would_change/{number}"
            parts += [" (", Num(f"{count_text(change.items)} more items", at), ")"]
        rows.append(tuple(parts))
    if not rows:
        nothing = "No further step is known." if claim.verdict != "supported" else ""
        rows.append((nothing or "It is supported; the threats below would undo it.",))
    left = len(claim.would_change) - _MOST_CHANGES
    if left > 0:
        rows.append((f"{left} more steps in the annex.",))
    return tuple(rows)


def _losses(lookup: Lookup) -> tuple[Words, ...]:
    lines: list[Words] = []
    for name in lookup.claim_order:
        claim = lookup.verdicts[name]
        for outcome in claim.criteria:
            text = criterion_text(lookup, claim, outcome)
            if text.loss is None or not outcome.loss_not_excluded:
                continue
            where = f"task {clip(outcome.task, 40)}" if outcome.task else "the claim's whole scope"
            severe = ", severe" if outcome.severe else ""
            lines.append(
                (
                    f"{outcome.id}: {subject(lookup, claim)} in {where}{severe}: up to ",
                    text.loss,
                    ".",
                )
            )
    return tuple(lines)


def _defeaters(lookup: Lookup) -> tuple[Words, ...]:
    """Threats to validity that stand, and conditions: when a claim stops being true."""
    seen: dict[str, list[str]] = {}
    for name in lookup.claim_order:
        for threat in lookup.verdicts[name].threats:
            if threat.state == "closed" or threat.affects != "validity":
                continue
            seen.setdefault(threat.text, []).append(name)
    every = len(lookup.claim_order)
    return tuple(
        (f"{_claims(names, every)}: {clip(text, 260)}",) for text, names in list(seen.items())[:12]
    )


def _claims(names: list[str], every: int) -> str:
    if len(names) == every > 1:
        return "all claims"
    left = len(names) - 6
    return ", ".join(names[:6]) + (f" and {left} more" if left > 0 else "")


def page_two(lookup: Lookup) -> PageTwo:
    """All strings of page two."""
    order = lookup.claim_order
    return PageTwo(
        more_claims=tuple(
            claim_row(lookup, lookup.verdicts[one], DENSITIES[1]) for one in order[MOST_CLAIMS:]
        ),
        changes=tuple(
            ChangeRow(
                claim=one,
                verdict=f"{VERDICT_WORDS[lookup.verdicts[one].verdict]}"
                f"{verdict_timing(lookup.verdicts[one])}",
                changes=_changes(lookup.verdicts[one], lookup),
            )
            for one in order
        ),
        losses=_losses(lookup),
        other_choices=(
            (
                "Not assessed: this version does not recompute the verdicts under other "
                "reasonable choices.",
            ),
        ),
        defeaters=_defeaters(lookup),
    )
