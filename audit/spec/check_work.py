"""Checks of the decision and of the declared work: dates, weights, consequences, ranges."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

from audit.spec.check_ids import repeated, unknown
from audit.spec.findings import Finding, warn
from audit.spec.models import Decision, Task
from audit.spec.parts import Parts
from audit.spec.showing import Path, listed, shown

TO_BE_DEPLOYED = ("selection", "release")
"""Purposes that end in a deployment."""
WORK_PURPOSES = ("selection", "release", "safety")
"""Purposes whose claims go to reach `work` unless they say otherwise."""
_WEIGHTS = ("count", "share", "interest")
_LARGEST_ROUNDING = 0.002
"""Shares may sum to 1 within half a unit of their last decimal each, but never by more."""


def check_work(parts: Parts) -> Iterator[Finding]:
    """Check study id, decision and workload."""
    if parts.study is not None and parts.study != parts.folder:
        yield Finding(
            ("study",),
            "the study must have its folder's name",
            shown(parts.study),
            shown(parts.folder),
            "rename one of them",
        )
    if parts.decision is not None:
        yield from _decision(parts, parts.decision)
    yield from _weights(parts)
    yield from _consequences(parts)
    for name, task in parts.tasks.items():
        if task is not None:
            yield from _ranges(("workload", "tasks", name), task, _share_of(parts, name))


# ----------------------------------------------------------------------------------------- decision


def _decision(parts: Parts, decision: Decision) -> Iterator[Finding]:
    path: Path = ("decision",)
    if decision.valid_until is None and decision.purpose in WORK_PURPOSES:
        message = f"valid_until is missing: a decision of purpose {decision.purpose} expires"
        yield Finding(path, message, remedy="write valid_until: a date", at_key=True)
    early = decision.decide_by is not None and decision.valid_until is not None
    if early and decision.valid_until < decision.decide_by:  # type: ignore[operator]  # both there
        yield Finding(
            (*path, "valid_until"),
            "the evidence expires before the decision is made",
            str(decision.valid_until),
            f"on or after {decision.decide_by}",
        )
    yield from _rests_on(parts, decision)
    if decision.measure in ("expected_success", "expected_loss") and not parts.has_workload:
        yield Finding(
            (*path, "measure"),
            f"{decision.measure} needs a workload",
            remedy="declare the workload, or write measure: mean",
        )


def _rests_on(parts: Parts, decision: Decision) -> Iterator[Finding]:
    path: Path = ("decision", "rests_on")
    if not decision.rests_on and parts.has_claims and decision.purpose != "research":
        yield Finding(
            ("decision",),
            "rests_on is missing: page one says from these claims whether the evidence is enough",
            remedy=f"name claims: rests_on: [{', '.join(list(parts.claims)[:3])}]",
            at_key=True,
        )
    yield from repeated(path, decision.rests_on)
    for at, name in enumerate(decision.rests_on):
        yield from unknown(parts, (*path, at), name, "claims")
        claim = parts.claims.get(name)
        if claim is not None and claim.exploratory:
            yield Finding(
                (*path, at),
                "a decision cannot rest on an exploratory claim",
                shown(name),
                remedy="test it on new items as a claim of its own",
            )


# ----------------------------------------------------------------------------------------- weights


def _weights(parts: Parts) -> Iterator[Finding]:
    kinds: dict[str, list[str]] = {}
    for name, task in parts.tasks.items():
        if task is None:
            continue
        given = [kind for kind in _WEIGHTS if getattr(task, kind) is not None]
        if len(given) != 1:
            yield Finding(
                ("workload", "tasks", name),
                "a task has exactly one weight",
                listed(given) if given else "none",
                "count, share or interest",
                at_key=True,
            )
        for kind in given[:1]:
            kinds.setdefault(kind, []).append(name)
    if len(kinds) > 1:
        found = "; ".join(f"{kind}: {listed(names)}" for kind, names in kinds.items())
        yield Finding(
            ("workload", "tasks"),
            "all tasks have the same kind of weight",
            found,
            remedy="give counts to all, or shares to all, or interests to all",
            at_key=True,
        )
    elif kinds and None not in parts.tasks.values():
        yield from _sums(parts, next(iter(kinds)))


def _sums(parts: Parts, kind: str) -> Iterator[Finding]:
    values: list[Any] = [getattr(task, kind) for task in parts.tasks.values()]
    if None in values:
        return
    path: Path = ("workload", "tasks")
    total = math.fsum(values)
    if kind == "share" and abs(total - 1) > rounding_of(values):
        remedy = "make them sum to 1: give more decimals, or counts"
        yield Finding(path, "the shares do not sum to 1", f"{total:.6g}", "1", remedy, at_key=True)
    if kind == "count" and total == 0:
        yield Finding(path, "all counts are 0", remedy="count the work", at_key=True)
    purpose = parts.decision.purpose if parts.decision is not None else None
    if kind == "interest" and purpose in TO_BE_DEPLOYED:
        yield Finding(
            path,
            f"interest weighs no work that exists: refused for {purpose}",
            "interest",
            "count, share",
            "count or judge the work, or choose purpose research",
            at_key=True,
        )


def rounding_of(shares: list[float]) -> float:
    """How far rounded shares may sum away from 1.

    Half a unit of the last decimal of the most precise share for each, at most 0.002.
    """
    decimals = max(
        len(repr(one).partition(".")[2]) if "e" not in repr(one) else 12 for one in shares
    )
    return min(_LARGEST_ROUNDING, len(shares) * 0.5 * 10.0**-decimals) + 1e-9


def _share_of(parts: Parts, name: str) -> float | None:
    """A task's share of the work, where all weights are readable."""
    tasks = list(parts.tasks.values())
    for kind in ("count", "share"):
        values: list[Any] = [getattr(task, kind) if task is not None else None for task in tasks]
        if None not in values:
            total = math.fsum(values)
            own = parts.tasks[name]
            return getattr(own, kind) / total if total > 0 else None
    return None


# ------------------------------------------------------------------------------------ consequences


def _consequences(parts: Parts) -> Iterator[Finding]:
    workload = parts.workload
    if workload is None:
        return
    priced = [name for name, task in workload.tasks.items() if task.consequence is not None]
    for key in ("consequence_unit", "consequence_basis"):
        if priced and getattr(workload, key) is None:
            why = "what one failure costs is counted in it"
            if key == "consequence_basis":
                why = "where the consequences come from"
            message = f"{key} is missing: {why}"
            yield Finding(("workload",), message, remedy=f"write {key}: text", at_key=True)
    decision = parts.decision
    if decision is not None and decision.measure == "expected_loss":
        lacking = [name for name in workload.tasks if name not in priced]
        if lacking:
            yield Finding(
                ("decision", "measure"),
                "expected_loss needs a consequence for every task",
                f"none for {listed(lacking)}",
                remedy="write consequence: cost of one failure",
            )


def _ranges(path: Path, task: Task, share: float | None) -> Iterator[Finding]:
    for key, own in (("share_range", share), ("consequence_range", task.consequence)):
        pair = getattr(task, key)
        if pair is None:
            continue
        low, high = pair
        where = (*path, key)
        slack = 0.005 if key == "share_range" else 1e-9  # a share is rounded in the author's head
        if own is None and key == "consequence_range":
            yield Finding(where, "a range of consequences needs the consequence itself")
        elif task.interest is not None and key == "share_range":
            yield Finding(where, "a range of shares needs count or share", "interest")
        if low > high or low < 0 or (key == "share_range" and high > 1):
            allowed = "0 <= low <= high" + (" <= 1" if key == "share_range" else "")
            yield Finding(where, "this is no range", f"[{low:g}, {high:g}]", allowed)
        elif own is not None and not low - slack <= own <= high + slack:
            name = key.removesuffix("_range")
            yield Finding(
                where, f"the {name} {own:.4g} lies outside of its own range", f"[{low:g}, {high:g}]"
            )


def warn_of_work(parts: Parts) -> Iterator[Finding]:
    """Warn where the work is not declared but claims go to it."""
    decision = parts.decision
    if parts.has_workload or decision is None:
        return
    to_work = [
        name
        for name, claim in parts.read_claims.items()
        if (claim.reach or default_reach(decision.purpose)) != "test"
    ]
    if to_work:
        yield warn(
            ("claims", to_work[0]) if len(to_work) == 1 else ("claims",),
            f"no work is declared, so nothing shows that {listed(to_work)} holds for the work",
            "declare the workload, or write reach: test",
        )


def default_reach(purpose: str) -> Literal["test", "work"]:
    """Reach of claims that name none."""
    return "work" if purpose in WORK_PURPOSES else "test"
