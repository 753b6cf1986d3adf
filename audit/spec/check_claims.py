"""Checks of claims as wholes: what they name, their scope, settings, variants, threats."""

from __future__ import annotations

from collections.abc import Iterator

from audit.spec.characters import is_id
from audit.spec.check_ids import repeated, unknown
from audit.spec.check_work import default_reach
from audit.spec.findings import Finding, warn
from audit.spec.models import Claim, DeclaredThreat, System
from audit.spec.parts import PLAUSIBLE_KINDS, Parts, expand_variants, systems_of
from audit.spec.showing import Path, choices, listed, shown


def check_claims(parts: Parts) -> Iterator[Finding]:
    """Check every claim apart from its criteria."""
    for name, claim in parts.claims.items():
        path: Path = ("claims", name)
        if claim is None:
            yield from _unread(parts, name)
            continue
        yield from _systems(parts, path, claim)
        yield from _source(parts, path, claim)
        yield from _scope(parts, path, claim)
        yield from _variants(parts, path, claim)
        yield from _settings(parts, path, claim)
        if claim.about == "model":
            yield from _about_model(parts, path, claim)
        yield from _threats(path, claim)
        yield from _divisible(parts, path, claim)


def _unread(parts: Parts, name: str) -> Iterator[Finding]:
    """Names in a claim that could not be read for other mistakes: they are told all the same."""
    claims = parts.raw.get("claims")
    raw = claims.get(name) if isinstance(claims, dict) else None
    if not isinstance(raw, dict):
        return
    path: Path = ("claims", name)
    sections = {"of": "systems", "over": "systems", "source": "sources"}
    for key, section in sections.items():
        one = raw.get(key)
        if isinstance(one, str) and is_id(one):
            yield from unknown(parts, (*path, key), one, section)
    for key, section in {"among": "systems", "tasks": "tasks"}.items():
        for at, one in enumerate(raw[key] if isinstance(raw.get(key), list) else []):
            if isinstance(one, str) and is_id(one):
                yield from unknown(parts, (*path, key, at), one, section)


def _systems(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    yield from unknown(parts, (*path, "of"), claim.of, "systems")
    if claim.kind == "comparison":
        yield from unknown(parts, (*path, "over"), claim.over, "systems")
        if claim.over == claim.of:
            yield Finding((*path, "over"), "a system is compared with itself", shown(claim.over))
    if claim.kind == "ranking":
        yield from repeated((*path, "among"), claim.among)
        for at, one in enumerate(claim.among):
            yield from unknown(parts, (*path, "among", at), one, "systems")


def _source(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    if claim.source is not None:
        yield from unknown(parts, (*path, "source"), claim.source, "sources")
    elif len(parts.sources) > 1:
        yield Finding(
            path,
            "source is missing: the study has several",
            "",
            choices(parts.sources),
            "write source: id",
            at_key=True,
        )


def _scope(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    if claim.tasks is not None:
        where = (*path, "tasks")
        if not claim.tasks:
            yield Finding(
                where,
                "the scope is empty: no item belongs to it",
                remedy="name tasks, or leave tasks out",
            )
        yield from repeated(where, claim.tasks)
        for at, one in enumerate(claim.tasks):
            yield from unknown(parts, (*where, at), one, "tasks")
    source = parts.sources.get(parts.source_of(claim) or "")
    scope = parts.scope_of(claim)
    if source is not None and source.task in parts.tasks and scope and source.task not in scope:
        yield Finding(
            (*path, "tasks"),
            "the scope has no items",
            f"all items of {parts.source_of(claim)} are of task {source.task}",
            remedy=f"add {source.task} to tasks, or name another source",
        )


# ---------------------------------------------------------------------------------------- variants


def _variants(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    where: Path = (*path, "variants")
    named = claim.variants
    if not named:
        yield Finding(where, "the list is empty", remedy="leave it out for the reference wording")
        return
    if "adversarial" in named or "variants" in parts.incomplete:
        return  # not available yet: told already
    if len(named) == 1 and named[0] in PLAUSIBLE_KINDS:
        readable = None not in parts.variants.values()
        if readable and not expand_variants(claim, parts.variants):
            yield Finding(
                where,
                f"no variant of kind {named[0]} is declared",
                "",
                choices(["base", *parts.variants]),
            )
        return
    yield from repeated(where, named)
    for at, one in enumerate(named):
        if one in PLAUSIBLE_KINDS:
            yield Finding(
                (*where, at),
                "a kind stands alone",
                shown(one),
                remedy=f"write variants: {one}, or name the variants",
            )
        else:
            yield from unknown(parts, _item(where, at, named), one, "variants", ("base",))
    kinds: dict[str, list[str]] = {}
    for one in dict.fromkeys(named):
        variant = parts.variants.get(one)
        if variant is not None:
            kinds.setdefault(variant.kind, []).append(one)
    if len(kinds) > 1:
        found = "; ".join(f"{kind}: {listed(names)}" for kind, names in kinds.items())
        yield Finding(
            where,
            "variants of different kinds are never averaged together",
            found,
            remedy="make a claim for each kind",
        )


def _item(where: Path, at: int, named: tuple[str, ...]) -> Path:
    return (*where, at) if len(named) > 1 else where


# ---------------------------------------------------------------------------------- configurations


def _read_systems(parts: Parts, claim: Claim) -> dict[str, System]:
    found = {name: parts.systems.get(name) for name in systems_of(claim)}
    return {name: one for name, one in found.items() if one is not None}


def _settings(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    systems = _read_systems(parts, claim)
    if len({one.setting for one in systems.values()}) < 2:
        return
    products = {one.product for one in systems.values()}
    if len(products) > 1 or None in products:
        tuned = [name for name, one in systems.items() if one.setting == "tuned"]
        default = [name for name in systems if name not in tuned]
        yield Finding(
            path,
            "a tuned system is set against one in its default setting",
            f"tuned: {listed(tuned)}; default: {listed(default)}",
            remedy="compare equal settings, or two forms of one product (product: id)",
            at_key=True,
        )


def _about_model(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    """A claim about models needs systems that differ in their model only."""
    systems = _read_systems(parts, claim)
    if len(systems) < 2:
        return
    keys = dict.fromkeys(key for one in systems.values() for key in one.tested if key != "model")
    if not keys:
        yield warn(
            (*path, "about"),
            "about: model, but no system says how it was tested",
            "declare tested: {instructions, documents, tools, …}",
        )
    differing = [
        key
        for key in keys
        if len({repr(one.tested.get(key, Ellipsis)) for one in systems.values()}) > 1
    ]
    if differing:
        names = list(systems)
        others = listed(names[1:])
        run = f"run {others} with the {listed(differing)} of {names[0]}"
        yield Finding(
            (*path, "about"),
            "about: model, but the tested configurations differ",
            listed(differing),
            remedy=f"{run}, or write about: product",
        )


# ---------------------------------------------------------------------------- threats and division


def _threats(path: Path, claim: Claim) -> Iterator[Finding]:
    for at, threat in enumerate(claim.threats):
        if not isinstance(threat, DeclaredThreat):
            continue
        where: Path = (*path, "threats", at)
        if threat.bound is not None and threat.affects == "validity":
            yield Finding(
                (*where, "bound"),
                "a bound needs affects: estimate",
                remedy="write affects: estimate, or leave the bound out",
            )
        if threat.bound is not None and not threat.bound[0] <= threat.bound[1]:
            low, high = threat.bound
            yield Finding(
                (*where, "bound"),
                "this is no bound",
                f"[{low:g}, {high:g}]",
                "[low, high] with low <= high",
            )
        if threat.affects == "estimate" and threat.bound is None:
            yield warn(
                where,
                "a threat to the estimate without a bound leaves the claim undecided",
                "write bound: [low, high]",
            )


def _divisible(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    if "tasks" in claim.divisible_by and not parts.has_workload:
        yield Finding(
            (*path, "divisible_by"),
            "no tasks are declared",
            remedy="declare the workload, or leave divisible_by out",
        )
    if len(set(claim.divisible_by)) < len(claim.divisible_by):
        yield from repeated((*path, "divisible_by"), claim.divisible_by)


# ---------------------------------------------------------------------------------------- warnings


def warn_of_claims(parts: Parts) -> Iterator[Finding]:
    """Warn of low levels and of what no evidence can be declared for yet."""
    purpose = parts.decision.purpose if parts.decision is not None else "research"
    for name, claim in parts.read_claims.items():
        path: Path = ("claims", name)
        if claim.level < 0.9:
            yield warn((*path, "level"), f"the level {claim.level:g} is below 0.9")
        if (claim.reach or default_reach(purpose)) == "deployment":
            yield warn(
                (*path, "reach"), "outcomes cannot be declared yet: it reaches the work at most"
            )
