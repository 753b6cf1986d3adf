"""Checks of sources, metrics and variants: what is read, how it is scored, how it was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from audit.spec.check_ids import unknown
from audit.spec.files import declared_problem
from audit.spec.findings import Finding, warn
from audit.spec.models import BUILT_IN_METRICS, UNJUDGED_METRICS, Metric, Source, Status
from audit.spec.parts import PLAUSIBLE_KINDS, Parts
from audit.spec.showing import Path, choices, did_you_mean, listed, shown

COLUMNS = (
    "system",
    "item",
    "variant",
    "attempt",
    "score",
    "status",
    "samples",
    "task",
    "cluster",
    "label",
    "item_hash",
    "date",
    "confidence",
    "cost_usd",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "human_minutes",
)
"""Canonical columns that a file may name otherwise."""
ITEM_COLUMNS = ("text", "author")
"""Further canonical columns of an item table."""
TEXT_COLUMNS = ("system", "item", "variant", "status", "task", "cluster", "label")
"""Canonical columns whose values may be mapped."""
RESERVED_VARIANTS = ("base", *PLAUSIBLE_KINDS, "adversarial")
_TAKEN_ENDINGS = (".items", ".texts", ".accounting")


def check_sources(parts: Parts) -> Iterator[Finding]:
    """Check every source, metric and variant."""
    for name, source in parts.sources.items():
        if name.endswith(_TAKEN_ENDINGS):
            yield Finding(
                ("sources", name),
                "a source's id may not end so",
                shown(name),
                remedy=f"{', '.join(_TAKEN_ENDINGS)} name files of results",
                at_key=True,
            )
        if source is not None:
            yield from _files(("sources", name), source)
            yield from _columns(parts, ("sources", name), source)
            yield from _scores(parts, ("sources", name), source)
            yield from _declarations(parts, ("sources", name), source)
    for name, metric in parts.metrics.items():
        if metric is not None:
            yield from _metric(("metrics", name), metric)
    yield from _variants(parts)


# ------------------------------------------------------------------------------------------ sources


def _files(path: Path, source: Source) -> Iterator[Finding]:
    for at, declared in enumerate(source.files):
        problem = declared_problem(declared)
        if problem is not None:
            where: Path = (*path, "files", at) if len(source.files) > 1 else (*path, "files")
            yield Finding(where, problem.message, shown(declared), remedy=problem.remedy)
    others = {"items": source.items, "published": source.published and source.published.file}
    for key, one in others.items():
        problem = declared_problem(one) if one else None
        if problem is not None:
            yield Finding((*path, key), problem.message, shown(one), remedy=problem.remedy)


def _columns(parts: Parts, path: Path, source: Source) -> Iterator[Finding]:
    known = COLUMNS + (ITEM_COLUMNS if source.items is not None else ())
    for name in source.columns:
        if name not in known:
            where = (*path, "columns", name)
            remedy = did_you_mean(name, known)
            if name == "metric":
                remedy = "name metrics under scores, and select their rows by rows: {column: value}"
            yield Finding(
                where, "no such column is known", shown(name), choices(known), remedy, at_key=True
            )
    for name, mapping in source.values.items():
        where = (*path, "values", name)
        if name not in TEXT_COLUMNS:
            yield Finding(
                where,
                "values of this column cannot be mapped",
                shown(name),
                choices(TEXT_COLUMNS),
                did_you_mean(name, TEXT_COLUMNS),
                at_key=True,
            )
        for written, here in mapping.items():
            yield from _mapped(parts, (*where, written), name, here)
    for name, wanted in source.rows.items():
        values = wanted if isinstance(wanted, list) else [wanted]
        if not values or not all(isinstance(one, str | int | float | bool) for one in values):
            yield Finding(
                (*path, "rows", name), "expected a value or a list of values", shown(wanted)
            )


def _mapped(parts: Parts, where: Path, name: str, here: str) -> Iterator[Finding]:
    if name == "task" and parts.has_workload:
        yield from unknown(parts, where, here, "tasks")
    elif name == "variant":
        yield from unknown(parts, where, here, "variants", ("base",))
    elif name == "status" and here not in get_args(Status):
        yield Finding(
            where,
            "no such status",
            shown(here),
            choices(get_args(Status)),
            did_you_mean(here, get_args(Status)),
        )


def _scores(parts: Parts, path: Path, source: Source) -> Iterator[Finding]:
    if not source.scores:
        yield Finding((*path, "scores"), "scores is empty", remedy="write {metric: column}")
    for name in source.scores:
        if name in parts.metrics or name in BUILT_IN_METRICS or "metrics" in parts.incomplete:
            continue
        where = (*path, "scores", name)
        if name in UNJUDGED_METRICS:
            message = f"{name} is a column of the responses, not a score"
            remedy = f"map it under columns: {{{name}: …}}, or declare it under metrics"
            yield Finding(where, message, remedy=remedy, at_key=True)
            continue
        known = [*parts.metrics, *BUILT_IN_METRICS]
        remedy = did_you_mean(name, known) or "declare it under metrics: {kind: …}"
        yield Finding(
            where, "no such metric is declared", shown(name), choices(known), remedy, at_key=True
        )


def _declarations(parts: Parts, path: Path, source: Source) -> Iterator[Finding]:
    if source.task is not None:
        yield from unknown(parts, (*path, "task"), source.task, "tasks")
        if "task" in source.columns:
            yield Finding(
                (*path, "task"),
                "task and columns.task say two things",
                remedy="keep one: all items of one task, or a column",
            )
    review = source.task_review
    if review is not None and review.agreed > review.sampled:
        yield Finding(
            (*path, "task_review", "agreed"),
            "more agreed than were sampled",
            str(review.agreed),
            f"at most {review.sampled}",
        )


# ---------------------------------------------------------------------------- metrics and variants


def _metric(path: Path, metric: Metric) -> Iterator[Finding]:
    if metric.kind == "bounded" and metric.range is None:
        yield Finding(
            path, "a bounded metric needs its range", remedy="write range: [low, high]", at_key=True
        )
    if metric.range is not None:
        low, high = metric.range
        if not low < high:
            yield Finding(
                (*path, "range"), "this is no range", f"[{low:g}, {high:g}]", "low < high"
            )
        if metric.kind in ("binary", "unbounded") and metric.range != (0.0, 1.0):
            yield Finding(
                (*path, "range"),
                f"a {metric.kind} metric has no range of its own",
                f"[{low:g}, {high:g}]",
                remedy="write kind: bounded",
            )
        elif metric.kind == "unbounded":
            yield Finding(
                (*path, "range"), "an unbounded metric has no range", remedy="write kind: bounded"
            )
        if metric.kind == "proportion" and metric.range not in ((0.0, 1.0), (0.0, 100.0)):
            yield Finding(
                (*path, "range"),
                "a proportion goes from 0 to 1, or to 100 in percent",
                f"[{low:g}, {high:g}]",
                "[0, 1], [0, 100]",
                "or write kind: bounded",
            )
    for written, here in metric.values.items():
        yield from _label((*path, "values", written), metric, here)


def _label(where: Path, metric: Metric, here: Any) -> Iterator[Finding]:
    statuses = get_args(Status)
    if isinstance(here, str):
        if here not in statuses:
            yield Finding(
                where,
                "expected a number or a status",
                shown(here),
                choices(statuses),
                did_you_mean(here, statuses),
            )
        return
    if isinstance(here, bool) or not isinstance(here, int | float):
        yield Finding(where, "expected a number or a status", shown(here), choices(statuses))
        return
    ends = range_of(metric)
    if ends is not None and not ends[0] <= here <= ends[1]:
        yield Finding(
            where,
            "the number lies outside of the metric's range",
            shown(here),
            f"{ends[0]:g} to {ends[1]:g}",
        )


def range_of(metric: Metric) -> tuple[float, float] | None:
    """Lowest and highest score; None for an unbounded metric, or a bounded one without range."""
    if metric.range is not None and metric.kind not in ("binary", "unbounded"):
        return metric.range
    return (0.0, 1.0) if metric.kind in ("binary", "proportion") else None


def _variants(parts: Parts) -> Iterator[Finding]:
    for name, variant in parts.variants.items():
        path: Path = ("variants", name)
        if name in RESERVED_VARIANTS:
            why = "base is the reference wording" if name == "base" else "it is the word for a kind"
            yield Finding(
                path,
                f"a variant cannot be called {name}: {why}",
                at_key=True,
                remedy="give it another id",
            )
        kept = variant.preserved if variant is not None else None
        if kept is None:
            continue
        where = (*path, "preserved")
        if (kept.sampled is None) != (kept.agreed is None):
            yield Finding(where, "sampled and agreed go together", at_key=True)
        elif kept.sampled is not None and kept.agreed is not None and kept.agreed > kept.sampled:
            yield Finding(
                (*where, "agreed"),
                "more agreed than were sampled",
                str(kept.agreed),
                f"at most {kept.sampled}",
            )


# ----------------------------------------------------------------------------------------- warnings


def warn_of_sources(parts: Parts) -> Iterator[Finding]:
    """Warn of what is not known about the choice of items."""
    for name, source in parts.sources.items():
        if source is None:
            continue
        path: Path = ("sources", name)
        if parts.has_workload and source.task_review is None:
            yield warn(
                path, "no task_review: that items belong to their tasks is the author's word"
            )
        if source.blind_to_scores is None:
            yield warn(path, "whether items were chosen blind to scores is unknown")
        elif source.blind_to_scores is False:
            yield warn((*path, "blind_to_scores"), "items were chosen by somebody who knew scores")
        if source.chosen == "convenience":
            yield warn((*path, "chosen"), "items were chosen by convenience")
    yield from _tasks_without_items(parts)


def _tasks_without_items(parts: Parts) -> Iterator[Finding]:
    """A source of one task leaves the others of a claim without items: the study alone says so."""
    for name, claim in parts.read_claims.items():
        source = parts.sources.get(parts.source_of(claim) or "")
        if source is None or source.task is None:
            continue
        scope = parts.scope_of(claim)
        empty = [task for task in scope if task != source.task and _has_weight(parts, task)]
        if empty and source.task in scope:
            yield warn(
                ("claims", name),
                f"weighted tasks without items: {listed(empty)}",
                "name the claim's tasks, or add items",
            )


def _has_weight(parts: Parts, name: str) -> bool:
    task = parts.tasks[name]
    return task is None or any(getattr(task, kind) for kind in ("count", "share", "interest"))
