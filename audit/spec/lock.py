"""The decision digest, and the append-only file that says when a decision was pinned."""

from __future__ import annotations

import datetime
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from audit.errors import Issue, SpecError
from audit.io import digest_of
from audit.spec.check_systems import match_of
from audit.spec.models import UNSCORED_DEFAULT, Claim, DeclaredThreat, Study
from audit.spec.plan import ClaimPlan, LockEntry
from audit.spec.planning import make_plan, metric_of

LOCK_FILE = "lock.jsonl"
MOST_BYTES = 10 << 20
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def decision_digest(study: Study) -> str:
    """Digest of everything about a decision that could be chosen after seeing scores.

    In it: what the decision rests on; each claim that is not exploratory with its systems and how
    the files name them, its source and how it is read, scope, variants, criteria, level, reach,
    what may narrow it and bounds that its author allows; the metrics, the missing rule, the
    weights. Not in it: wording, names, configurations, exploratory claims, systems and sources
    that no claim uses. A mapping's order does not matter, that of `scores` only by its first.
    """
    plans = [plan for plan in make_plan(study).claims if not study.claims[plan.id].exploratory]
    metrics = {one.metric for plan in plans for one in plan.criteria}
    variants = {name for plan in plans for name in plan.variants if name in study.variants}
    return digest_of(
        {
            "decision": 1,
            "rests_on": sorted(study.decision.rests_on),
            "claims": {plan.id: _claim(study.claims[plan.id], plan) for plan in plans},
            "systems": {name: _system(study, name) for plan in plans for name in plan.systems},
            "sources": {plan.source: _source(study, plan.source) for plan in plans},
            "metrics": {name: _metric(study, name) for name in metrics},
            "unscored": {**UNSCORED_DEFAULT, **study.unscored},
            "variants": {name: study.variants[name].kind for name in variants},
            "work": _work(study),
        }
    )


def _claim(claim: Claim, plan: ClaimPlan) -> dict[str, Any]:
    return {
        "kind": claim.kind,
        "systems": list(plan.systems),
        "source": plan.source,
        "tasks": sorted(plan.tasks),
        "variants": sorted(plan.variants),
        "level": claim.level,
        "reach": plan.reach,
        "about": claim.about,
        "accept": claim.accept,
        "divisible_by": sorted(plan.divisible_by),
        "criteria": [
            [one.measure, one.metric, one.task, one.bar, one.value] for one in plan.criteria
        ],
        "bounds": [
            list(one.bound) if one.bound is not None else None
            for one in claim.threats
            if isinstance(one, DeclaredThreat) and one.affects == "estimate"
        ],
    }


def _system(study: Study, name: str) -> dict[str, Any]:
    system = study.systems[name]
    return {
        "match": match_of(name, system),
        "version": system.version,
        "setting": system.setting,
        "product": system.product,
    }


def _source(study: Study, name: str) -> dict[str, Any]:
    source = study.sources[name]
    return {
        "files": list(source.files),
        "items": source.items,
        "columns": source.columns,
        "values": source.values,
        "rows": source.rows,
        "scores": source.scores,
        "primary": next(iter(source.scores)),
        "task": source.task,
        "repeats": source.repeats,
        # a table, as every source of the first locks was, has no word for it
        **({} if source.format == "table" else {"format": source.format}),
    }


def _metric(study: Study, name: str) -> dict[str, Any]:
    metric = metric_of(study, name)
    return {
        "kind": metric.kind,
        "range": metric.range,
        "better": metric.better,
        "values": metric.values,
        "attempts": metric.attempts,
    }


def _work(study: Study) -> dict[str, Any] | None:
    if study.workload is None:
        return None
    return {
        "unit": study.workload.consequence_unit,
        "tasks": {
            name: {
                "count": task.count,
                "share": task.share,
                "interest": task.interest,
                "consequence": task.consequence,
                "share_range": task.share_range,
                "consequence_range": task.consequence_range,
                "severe": task.severe,
            }
            for name, task in study.workload.tasks.items()
        },
    }


# ---------------------------------------------------------------------------------------- the file


def read_lock(folder: Path) -> tuple[LockEntry, ...]:
    """Read a study's lock, in file order; no file, no entries.

    Raises
    ------
    SpecError
        for lines that are no entries, with their numbers: a lock is never guessed at
    """
    path = folder / LOCK_FILE
    content = _content(path)
    if content is None:
        return ()
    entries: list[LockEntry] = []
    issues: list[Issue] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        entry = _entry(line)
        if isinstance(entry, str):
            remedy = "entries are only ever added: restore the committed file"
            issues.append(
                Issue(str(path), number, 1, "", "this is no lock entry", entry, remedy=remedy)
            )
        else:
            entries.append(entry)
    if issues:
        raise SpecError(issues)
    return tuple(entries)


def append_lock(folder: Path, entry: LockEntry) -> None:
    """Add an entry to a study's lock; what stands there is never changed.

    Raises
    ------
    SpecError
        when the lock cannot be read as it stands
    """
    read_lock(folder)
    path = folder / LOCK_FILE
    content = _content(path)
    line = json.dumps(entry.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    begin = "\n" if content and not content.endswith(b"\n") else ""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    handle = os.open(path, flags, 0o644)
    try:
        os.write(handle, f"{begin}{line}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def _content(path: Path) -> bytes | None:
    """Bytes of the lock; None without one. Links and other special files are refused."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise SpecError([Issue(str(path), 0, 0, "", "the lock is no regular file")])
    with path.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise SpecError([Issue(str(path), 0, 0, "", "the lock is too large")])
    return content


def _entry(line: bytes) -> LockEntry | str:
    """An entry, or why the line is none."""
    try:
        entry = LockEntry.model_validate_json(line)
        at = datetime.datetime.fromisoformat(entry.at)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(str(one) for one in first['loc']) or 'the line'}: not as written by lock"
    except ValueError:
        return "at: no date and time"
    if at.tzinfo is None:
        return "at: no time zone"
    if not all(_DIGEST.fullmatch(one) for one in (entry.decision, *entry.sources.values())):
        return "no digest"
    return entry
