"""When the criteria were fixed, and how that is known: verified, stated or after."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from audit.argument.assessment import Timing
from audit.responses.accounting import Accounting
from audit.spec.plan import ArgumentSlice, LockEntry

_LONGEST_NAME = 80


@dataclass(frozen=True)
class Fixing:
    """A timing with its one sentence; `changed`: the criteria were changed after data or word."""

    timing: Timing
    text: str
    changed: bool = False


@dataclass(frozen=True)
class _Moment:
    """A day, and the instant where the text gives one with its zone."""

    day: datetime.date
    instant: datetime.datetime | None

    def before(self, other: _Moment) -> bool:
        """Earlier for certain: by the instants, or by the day where either is a bare date."""
        if self.instant is not None and other.instant is not None:
            return self.instant < other.instant
        return self.day < other.day


def _moment(text: str | None) -> _Moment | None:
    """Read an ISO date or date-time; what cannot be read is unknown, and never verifies."""
    if text is None:
        return None
    try:
        if len(text) == len("2026-01-31"):
            return _Moment(datetime.date.fromisoformat(text), None)
        stamp = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    # a time without a zone may be any instant of its day
    return _Moment(stamp.date(), stamp if stamp.tzinfo is not None else None)


def when_fixed(slice_: ArgumentSlice, accounting: Sequence[Accounting]) -> Fixing:
    """Judge when the criteria stood, from the lock, the author's statement and response dates.

    Parameters
    ----------
    slice_ : decision digest, lock entries (append only, in file order), who states what
    accounting : of every source; those that no claim uses are left aside

    Returns
    -------
    `verified` if this decision digest was locked before the earliest response of every source used;
    `stated` if a named person says so and nothing contradicts it; else `after`.

    Notes
    -----
    `after` also if the lock holds, before this decision's first entry, another decision with one
    of these sources' digests, or another decision pinned later than the stated day: then the
    criteria were changed.
    """
    used = _sources_used(slice_, accounting)
    first = _first_of_this(slice_)
    others = _others_before(slice_, first)
    earliest = [_moment(one.earliest_date) for one in used]
    seen = _with_data(others, used)
    if seen is not None:
        return seen
    undated = any(one.undated or one.earliest_date is None for one in used)
    if first is not None and not undated and _locked_before(first, earliest):
        return Fixing(
            "verified",
            f"The criteria were pinned on {first.at}, before the earliest response "
            f"({_earliest_text(used)}).",
        )
    if slice_.fixed_by is not None and slice_.fixed_on is not None:
        contradicted = _contradicted(others, slice_.fixed_on)
        return contradicted or _stated(slice_.fixed_by, slice_.fixed_on, earliest)
    if first is not None:
        why = "responses without a date" if undated else "the earliest response"
        return Fixing(
            "after",
            f"The criteria were pinned on {first.at}, which is not shown to be before {why}, and "
            "nobody states that they stood before scores were seen.",
        )
    return Fixing(
        "after",
        "Nobody states when the criteria were fixed and they were not pinned, so they count as "
        "fixed after the scores were seen.",
    )


def _sources_used(slice_: ArgumentSlice, accounting: Sequence[Accounting]) -> list[Accounting]:
    names = {claim.source for claim in slice_.plan.claims}
    return [one for one in accounting if one.source in names] or list(accounting)


def _first_of_this(slice_: ArgumentSlice) -> LockEntry | None:
    same = [entry for entry in slice_.lock if entry.decision == slice_.decision_digest]
    return same[0] if same else None


def _locked_before(entry: LockEntry, earliest: Sequence[_Moment | None]) -> bool:
    at = _moment(entry.at)
    if at is None or not earliest:
        return False
    return all(moment is not None and at.before(moment) for moment in earliest)


def _others_before(slice_: ArgumentSlice, first: LockEntry | None) -> list[LockEntry]:
    """Entries of other decisions, before this decision's first entry (all, if it has none)."""
    lock = slice_.lock if first is None else slice_.lock[: slice_.lock.index(first)]
    return [entry for entry in lock if entry.decision != slice_.decision_digest]


def _with_data(others: Sequence[LockEntry], used: Sequence[Accounting]) -> Fixing | None:
    digests = {one.source: one.source_digest for one in used}
    for entry in others:
        if any(digests.get(name) == value for name, value in entry.sources.items()):
            return Fixing(
                "after",
                f"Other criteria were pinned on {entry.at} for the same responses: these criteria "
                "were changed after the responses were there.",
                changed=True,
            )
    return None


def _contradicted(others: Sequence[LockEntry], on: str) -> Fixing | None:
    stated = _moment(on)
    for entry in others:
        at = _moment(entry.at)
        if stated is not None and at is not None and stated.before(at):
            return Fixing(
                "after",
                f"The criteria are said to stand since {on}, but other criteria were pinned on "
                f"{entry.at}: they were changed after that day.",
                changed=True,
            )
    return None


def _stated(by: str, on: str, earliest: Sequence[_Moment | None]) -> Fixing:
    name = " ".join(by.split())
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    text = f"Stated, not verified: according to “{name}” the criteria stood on {on}, before any"
    text += " score was seen"
    stated = _moment(on)
    known = [moment for moment in earliest if moment is not None]
    if stated is not None and any(moment.day < stated.day for moment in known):
        day = min(moment.day for moment in known)
        text += f"; the responses begin on {day.isoformat()}, so only this word shows it"
    return Fixing("stated", text + ".")


def _earliest_text(used: Sequence[Accounting]) -> str:
    return min(one.earliest_date for one in used if one.earliest_date is not None)
