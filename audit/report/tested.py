"""What was tested, against what will be deployed, what was lost, what is known to fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.analyses.contract import ErrorBounds, Estimate
from audit.report.lookup import Lookup
from audit.report.reasons import CHOSEN_WORDS
from audit.report.rounding import count_text, interval_texts, scale_of, share_text
from audit.report.words import Num, Part, Quote, Words, clip, listed, listed_clipped
from audit.responses.accounting import SystemAccount

_SEVERITY = {"critical": 0, "major": 1, "minor": 2}


@dataclass(frozen=True)
class TaskRow:
    """A task of the work."""

    task: str
    needs: Quote
    share: Num
    items: Num
    severe: bool


@dataclass(frozen=True)
class Tested:
    """Items 5 to 8 of page one."""

    sources: tuple[Words, ...]
    weights: Words
    tasks: tuple[TaskRow, ...]
    gaps: tuple[Words, ...]
    configuration: tuple[Words, ...]
    lost: tuple[Words, ...]
    failures: tuple[Words, ...]


def tested(lookup: Lookup, rows: int, quote: int, names: int) -> Tested:
    """Strings of items 5 to 8, at most `rows` lines each."""
    tasks = _task_rows(lookup, quote)
    gaps = _gaps(lookup, tasks, quote, names)
    if len(tasks) > rows + 2:
        gaps = (f"{len(tasks) - rows - 2} more tasks in the annex.",), *gaps
    return Tested(
        sources=_cut(_sources(lookup, quote), rows, "sources"),
        weights=_weights(lookup, quote),
        tasks=tasks[: rows + 2],
        gaps=gaps,
        configuration=_cut(_configuration(lookup, quote), rows + 1, "systems"),
        lost=_cut(_lost(lookup), rows, "lines"),
        failures=_cut(_failures(lookup, quote), rows, "open failures"),
    )


def _cut(lines: list[Words], rows: int, what: str) -> tuple[Words, ...]:
    if len(lines) <= rows:
        return tuple(lines)
    return (*lines[: rows - 1], (f"{len(lines) - rows + 1} more {what} in the annex.",))


def _sources(lookup: Lookup, quote: int) -> list[Words]:
    lines: list[Words] = []
    for account in lookup.evidence.accounting:
        declared = lookup.study["sources"][account.source]
        parts: list[Part] = [f"{clip(account.source, 30)}: "]
        parts.append(Num(f"{count_text(account.items)} items", f"intake.{account.source}/items"))
        parts.append(f", {CHOSEN_WORDS[declared['chosen']]}")
        if declared.get("chosen_by"):
            parts += [" by ", Quote(clip(str(declared["chosen_by"]), 30))]
        parts += ["; why these: ", Quote(clip(str(declared["why"]), quote)), "."]
        if declared.get("simulated"):
            parts.append(" Simulated data.")
        lines.append(tuple(parts))
    return lines


def _weights(lookup: Lookup, quote: int) -> Words:
    workload = lookup.study.get("workload")
    if not workload:
        return ("No workload is declared: every item counts alike.",)
    tasks = workload["tasks"].values()
    counts = [one.get("count") for one in tasks]
    if all(count is not None for count in counts):
        total = Num(count_text(sum(counts)), "workload/count")
        kind: Words = ("Weights: ", total, " counted uses, ")
    elif all(one.get("share") is not None for one in tasks):
        kind = ("Weights: shares as judged, ",)
    else:
        kind = ("Weights: interest, not traffic, ",)
    return (*kind, Quote(clip(str(workload["basis"]), quote)), ".")


def _task_rows(lookup: Lookup, quote: int) -> tuple[TaskRow, ...]:
    declared = (lookup.study.get("workload") or {}).get("tasks") or {}
    weights = {one.task: one.share for one in lookup.evidence.weights}
    rows = []
    for task, fields in declared.items():
        items = sum(one.items_by_task.get(task, 0) for one in lookup.evidence.accounting)
        rows.append(
            TaskRow(
                task=clip(task, 30),
                needs=Quote(clip(str(fields["needs"]), min(max(14, quote // 2), 60))),
                share=Num(share_text(weights.get(task, 0.0)), f"weights/{task}"),
                items=Num(count_text(items), f"intake/items_by_task/{task}"),
                severe=bool(fields.get("severe")),
            )
        )
    rows.sort(key=lambda row: not row.severe)
    return tuple(rows)


def _gaps(lookup: Lookup, tasks: tuple[TaskRow, ...], quote: int, names: int) -> tuple[Words, ...]:
    lines: list[Words] = []
    empty = [row.task for row in tasks if row.items.text == "0"]
    if empty:
        lines.append((f"Without items: {listed_clipped(empty, names)}.",))
    outside = [str(one) for one in (lookup.study.get("workload") or {}).get("not_covered") or ()]
    for declared in lookup.study["sources"].values():
        outside += [str(one) for one in declared.get("not_covered") or ()]
    if outside:
        parts: list[Part] = ["Not covered: "]
        for index, text in enumerate(outside[:names]):
            parts += ["; " if index else "", Quote(clip(text, quote))]
        more = len(outside) - names
        lines.append((*parts, f" and {more} more." if more > 0 else "."))
    scored = {one.metric for claim in lookup.evidence.plan.claims for one in claim.criteria}
    qualities = [
        str(fields.get("quality") or name)
        for name, fields in (lookup.study.get("metrics") or {}).items()
        if name not in scored
    ]
    if qualities:
        shown = listed_clipped([clip(one, 24) for one in qualities], names)
        lines.append((f"Recorded but judged by no claim: {shown}.",))
    lines.append(("Qualities outside these metrics were not measured.",))
    return tuple(lines)


def named_systems(lookup: Lookup) -> tuple[str, ...]:
    """Systems that a claim names, in the order of the claims."""
    named = [system for claim in lookup.claim_order for system in lookup.plans[claim].systems]
    return tuple(dict.fromkeys(named))


def _configuration(lookup: Lookup, quote: int) -> list[Words]:
    result = lookup.result("configuration")
    states: dict[str, Any] = dict(result.diagnostics.get("systems", {})) if result else {}
    lines: list[tuple[int, Words]] = []
    for system in named_systems(lookup):
        declared = lookup.study["systems"].get(system) or {}
        state = str(states.get(system, "unknown"))
        lines.append(
            (
                {"differs": 0, "unknown": 1, "bridged": 2}.get(state, 3),
                _system_line(lookup.name(system), declared, state, quote),
            )
        )
    lines.sort(key=lambda line: line[0])
    return [words for _, words in lines]


def _system_line(name: str, declared: dict[str, Any], state: str, quote: int) -> Words:
    deployed = declared.get("deployed")
    if deployed == "none":
        return (f"{name}: nothing is to be deployed.",)
    if state == "same":
        return (f"{name}: deployed as tested.",)
    if not isinstance(deployed, dict):
        return (f"{name}: the deployed configuration is not declared (open).",)
    tested_as = declared.get("tested") or {}
    bridges = declared.get("bridges") or {}
    differing = [key for key in deployed if deployed[key] != tested_as.get(key)]
    if not differing:
        return (f"{name}: no difference is declared.",)
    parts: list[Part] = [f"{name}: "]
    for index, key in enumerate(sorted(differing, key=lambda key: key in bridges)[:3]):
        room = max(20, quote // 3)
        before = clip(str(tested_as.get(key, "not stated")), room)
        parts += [
            "; " if index else "",
            f"{clip(key, 20)} tested as ",
            Quote(before),
            ", deployed as ",
            Quote(clip(str(deployed[key]), room)),
        ]
        if key in bridges:
            reason = bridges[key]
            parts += [
                " (bridged: ",
                Quote(clip(str(reason.get("irrelevant", "")), room)),
                ", says ",
                Quote(clip(str(reason.get("judged_by", "")), 24)),
                ")",
            ]
        else:
            parts.append(" (open)")
    if len(differing) > 3:
        parts.append(f"; {len(differing) - 3} more in the annex")
    return (*parts, ".")


def _lost(lookup: Lookup) -> list[Words]:
    lines: list[Words] = []
    named = set(named_systems(lookup))
    for account in lookup.evidence.accounting:
        quiet = 0
        losing = []
        for system in account.systems:
            if not system.unscored and not system.missing_items:
                quiet += 1
            else:
                losing.append(system)
        losing.sort(key=lambda one: one.system not in named)
        several = len(lookup.evidence.accounting) > 1
        prefix = f"{clip(account.source, 30)}, " if several else ""
        lines += [_system_lost(lookup, account.source, one, prefix) for one in losing]
        if quiet:
            what = f"{quiet} system{'s' if quiet > 1 else ''} lost no row."
            lines.append((prefix + what,))
    return [*_rule(lookup), *_bounds(lookup), *lines]


def _rule(lookup: Lookup) -> list[Words]:
    """How the scores of this page count what has no score, where anything has none."""
    if not any(one.unscored for each in lookup.evidence.accounting for one in each.systems):
        return []
    rules = [
        clip(str(one.diagnostics["rule"]), 200)
        for one in lookup.evidence.results
        if one.analysis == "intake" and one.diagnostics.get("rule")
    ]
    return [(rule,) for rule in dict.fromkeys(rules)]


def _system_lost(lookup: Lookup, source: str, system: SystemAccount, prefix: str) -> Words:
    at = f"intake.{source}/{system.system}"
    parts: list[Part] = [f"{prefix}{lookup.name(system.system)}: "]
    gone = sum(system.unscored.values())
    clauses: list[list[Part]] = []
    if gone:
        statuses = [
            f"{count} {clip(status, 20).replace('_', ' ')}"
            for status, count in sorted(system.unscored.items())
        ]
        clauses.append(
            [
                Num(count_text(gone), f"{at}/unscored"),
                " of ",
                Num(count_text(system.rows), f"{at}/rows"),
                f" rows without a score ({listed(statuses)})",
            ]
        )
    if system.missing_items:
        clauses.append(
            [Num(count_text(system.missing_items), f"{at}/missing_items"), " items without a row"]
        )
    for index, clause in enumerate(clauses):
        parts += ["; " if index else "", *clause]
    return (*parts, ".")


def _bounds(lookup: Lookup) -> list[Words]:
    """Both bounds for each criterion that missing responses touch."""
    lines: list[Words] = []
    for claim in lookup.claim_order:
        for outcome in lookup.verdicts[claim].criteria:
            held = lookup.estimates.get(outcome.id)
            if held is None or not held[1].missing_items:
                continue
            lines.append(_bounds_line(lookup, claim, held[0], held[1], outcome.error))
    return lines


def _at(bounds: tuple[ErrorBounds, ...], error: float) -> ErrorBounds | None:
    return next((one for one in bounds if abs(one.error - error) < 1e-12), None)


def _bounds_line(
    lookup: Lookup, claim: str, result: str, estimate: Estimate, error: float
) -> Words:
    scale = scale_of(clip(estimate.unit, 60))
    difference = lookup.verdicts[claim].kind == "comparison"
    unit = scale.after(difference)
    at = f"{result}/{estimate.request}"
    parts: list[Part] = [
        f"{estimate.request}, ",
        Num(count_text(estimate.missing_items), f"{at}:missing_items"),
        " items with responses missing: ",
    ]
    sides = (
        ("all taken as lowest", _at(estimate.bounds_if_low, error), estimate.identified[0], "low"),
        ("as highest", _at(estimate.bounds_if_high, error), estimate.identified[1], "high"),
    )
    for index, (words, found, value, side) in enumerate(sides):
        lower, upper = (found.lower, found.upper) if found else (value, value)
        texts = interval_texts(value, lower, upper, scale=scale, signed=difference)
        parts += [
            ", " if index else "",
            f"{words} ",
            Num(texts[0], f"{at}:if_{side}"),
            unit,
        ]
        if found:
            parts += [
                " (",
                Num(texts[1], f"{at}:if_{side}.lower"),
                " to ",
                Num(texts[2], f"{at}:if_{side}.upper"),
                ")",
            ]
    return (*parts, ".")


def _failures(lookup: Lookup, quote: int) -> list[Words]:
    lines: list[tuple[tuple[int, str], Words]] = []
    for name, one in (lookup.study.get("failures") or {}).items():
        if one["state"] != "open":
            continue
        words: Words = (
            f"{name}, {one['severity']}: {lookup.name(str(one['system']))} in "
            f"{clip(str(one['task']), 30)}, seen {one['seen']}: ",
            Quote(clip(str(one["what"]), quote)),
            ".",
        )
        lines.append(((_SEVERITY[one["severity"]], str(name)), words))
    return [words for _, words in sorted(lines, key=lambda line: line[0])]
