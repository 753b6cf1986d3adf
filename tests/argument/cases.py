"""Cases for the verdict function: hand-made ones, and seeded random ones."""

import random
from dataclasses import replace

from audit.argument.case import Case, Criterion, Part, Threat
from audit.errors import Reason

STRENGTH = {"supported": 2, "narrowed": 1, "not_supported": 0, "insufficient_evidence": 0}


def criterion(lower=0.02, upper=0.08, margin=0.0, **fields):
    """A primary criterion `c` above its margin; adjusted bounds default to the plain ones."""
    name = fields.pop("id", "c")
    values = {
        "id": name,
        "whole": fields.pop("whole", name),
        "role": "primary",
        "form": "above",
        "margin": margin,
        "lower": lower,
        "upper": upper,
        "lower_adjusted": fields.pop("lower_adjusted", lower),
        "upper_adjusted": fields.pop("upper_adjusted", upper),
    }
    return Criterion(**(values | fields))


def guard(lower, upper, margin=-0.05, policy="show", **fields):
    return criterion(
        lower, upper, margin, role="guard", policy=policy, id=fields.pop("id", "g"), **fields
    )


def case(*criteria, **fields):
    """An honest case at reach work: stated timing, deployed as tested."""
    values = {"reach": "work", "timing": "stated", "configuration": "same"}
    whole = Part(criteria or (criterion(),), fields.pop("multiverse", "not_applicable"))
    return Case(whole, **(values | fields))


def threat(low=0.0, high=0.0, state="bounded", **fields):
    bounds = {fields.pop("on", "c"): (low, high)} if state == "bounded" else {}
    values = {"code": "t", "affects": "estimate", "state": state, "bounds": bounds}
    return Threat(**(values | fields))


# ---------------------------------------------------------------------------------- random cases

_GRID = (-0.12, -0.08, -0.05, -0.03, -0.01, 0.01, 0.03, 0.05, 0.08, 0.12)


def _interval(rng):
    a, b = _GRID[int(rng.random() * 10)], _GRID[int(rng.random() * 10)]
    if a > b:
        a, b = b, a
    if rng.random() < 0.5:  # half of them clearly on the good side
        a, b = abs(a) + 0.03, abs(a) + abs(b) + 0.04
    return a, b


def _random_criterion(rng, name, whole, primary):
    u = rng.random()
    form = "above" if u < 0.7 else "within" if u < 0.85 else "outside"
    role = "primary" if primary or rng.random() < 0.5 else "guard"
    lower, upper = _interval(rng)
    more = 0.02 if rng.random() < 0.3 else 0.0
    gone = rng.random()
    if gone < 0.03:
        lower, upper = (None, None) if gone < 0.015 else (float("nan"), upper)
    return Criterion(
        name,
        whole,
        role,
        form,
        (-0.05, -0.03, 0.0, 0.02, 0.05)[int(rng.random() * 5)] if form == "above" else 0.06,
        lower,
        upper,
        None if lower is None else lower - more,
        None if upper is None else upper + more,
        "block" if rng.random() < 0.5 else "show",
        rng.random() < 0.3,
    )


def _random_threat(rng, index, ids):
    u = rng.random()
    state = (
        "bounded" if u < 0.6 else "closed" if u < 0.8 else "not_assessed" if u < 0.95 else "open"
    )
    bounds = {}
    for name in ids:
        v = rng.random()
        if v < 0.4:
            bounds[name] = (-0.03 if v < 0.2 else 0.0, 0.03 if v > 0.1 else 0.0)
    return Threat(
        f"t{index}",
        "estimate" if rng.random() < 0.8 else "validity",
        state,
        bounds,
        "a condition holds" if rng.random() < 0.5 else None,
        (None, "test", "work", "deployment")[int(rng.random() * 4)],
    )


def _pick(rng, first, others, share=0.7):
    return first if rng.random() < share else others[int(rng.random() * len(others))]


def random_case(rng: random.Random) -> Case:
    """One case; neutral values are frequent enough for every verdict to be common."""
    n = 1 + int(rng.random() * 3)
    whole = tuple(
        _random_criterion(rng, f"c{i}", f"c{i}", i == 0 and rng.random() < 0.98) for i in range(n)
    )
    subset = None
    if rng.random() < 0.4:
        twins = tuple(
            _random_criterion(rng, f"c{i}@v", f"c{i}", i == 0 and rng.random() < 0.9)
            for i in range(n)
        )
        state = _pick(rng, "not_applicable", ("stable", "conditional", "unstable"))
        subset = Part(twins, state, ("v",))
    ids = [c.id for c in whole] + [f"c{i}@v" for i in range(n)]
    return Case(
        Part(whole, _pick(rng, "not_applicable", ("stable", "conditional", "unstable"))),
        subset,
        tuple(_random_threat(rng, i, ids) for i in range(int(rng.random() * 3))),
        (Reason.NO_ITEMS,) if rng.random() < 0.02 else (),
        (Reason.AGGREGATES_ONLY,) if rng.random() < 0.05 else (),
        rng.random() < 0.1,
        ("test", "work", "deployment")[int(rng.random() * 3)],
        _pick(rng, "stated", ("verified", "after")),
        _pick(rng, "same", ("bridged", "differs", "unknown")),
        _pick(rng, "none", ("agree", "matches_target", "unresolved"), 0.85),
        _pick(
            rng,
            "not_done",
            ("replicated", "not_informative", "partial", "cause_known", "cause_unknown"),
            0.85,
        ),
        _pick(rng, "none", ("undetermined", "concordant", "discordant"), 0.4),
        rng.random() < 0.5,
    )


def as_dict(x: Case) -> dict:
    """The same case for the literal transcription."""

    def crit(c):
        return {
            "id": c.id,
            "of": c.whole,
            "role": c.role,
            "policy": c.policy,
            "severe": c.severe,
            "form": c.form,
            "m": c.margin,
            "L": c.lower,
            "U": c.upper,
            "L_adj": c.lower_adjusted,
            "U_adj": c.upper_adjusted,
        }

    def part(p):
        return {
            "crits": [crit(c) for c in p.criteria],
            "multiverse": p.multiverse,
            "scope": p.scope,
        }

    threats = [
        {
            "code": t.code,
            "affects": t.affects,
            "state": t.state,
            "bounds": t.bounds,
            "condition": t.condition,
            "needed_from": t.needed_from,
        }
        for t in x.threats
    ]
    return part(x.whole) | {
        "subset": None if x.subset is None else part(x.subset),
        "threats": threats,
        "gates": x.gates,
        "caps": x.caps,
        "selected": x.selected,
        "reach": x.reach,
        "timing": x.timing,
        "config": x.configuration,
        "revision": x.revision,
        "replication": x.replication,
        "deployment": x.deployment,
        "independent": x.independent,
    }


# ------------------------------------------------------------------------------- making it worse


def _worse_threat(x, rng):
    """Open a threat, widen a bound, take a condition away, or add one (never to bounded)."""
    kind = int(rng.random() * 5)
    if kind == 0 or not x.threats:
        state = "open" if rng.random() < 0.5 else "not_assessed"
        needed = ("test", "work", "deployment")[int(rng.random() * 3)]
        return replace(x, threats=(*x.threats, Threat("new", "estimate", state, {}, None, needed)))
    i = int(rng.random() * len(x.threats))
    old = x.threats[i]
    if kind == 1:
        new = replace(old, state="open")
    elif kind == 2 and old.state == "closed":
        new = replace(old, state=("bounded", "open", "not_assessed")[int(rng.random() * 3)])
    elif kind == 3 and old.state == "bounded":
        new = replace(old, condition=None)
    elif old.bounds:
        wider = {name: (lo - 0.03, hi + 0.03) for name, (lo, hi) in old.bounds.items()}
        new = replace(old, bounds=wider)
    else:
        new = replace(old, affects="estimate")
    return replace(x, threats=(*x.threats[:i], new, *x.threats[i + 1 :]))


def _widen(c, rng):
    """Wider or gone, for criteria that are not block guards."""
    if c.blocks or rng.random() < 0.3:
        return c
    if rng.random() < 0.1:
        return replace(c, lower=None, upper=None, lower_adjusted=None, upper_adjusted=None)
    if c.lower is None:
        return c
    low, high = 0.06 * rng.random(), 0.06 * rng.random()
    return replace(
        c,
        lower=c.lower - low,
        upper=c.upper + high,
        lower_adjusted=c.lower_adjusted - low,
        upper_adjusted=c.upper_adjusted + high,
    )


def _wider(x, rng):
    whole = replace(x.whole, criteria=tuple(_widen(c, rng) for c in x.whole.criteria))
    subset = x.subset
    if subset is not None:
        subset = replace(subset, criteria=tuple(_widen(c, rng) for c in subset.criteria))
    return replace(x, whole=whole, subset=subset)


def _higher_reach(x, rng):
    return replace(x, reach="work" if x.reach == "test" else "deployment")


def _worse_context(x, rng):
    """Worse timing, configuration, revision, replication, forks; a cap or a gate more."""
    kind = int(rng.random() * 7)
    if kind == 0:
        return replace(x, timing="after")
    if kind == 1:
        return replace(x, configuration="differs" if rng.random() < 0.5 else "unknown")
    if kind == 2:
        return replace(x, revision="unresolved")
    if kind == 3:
        return replace(x, replication="cause_unknown")
    if kind == 4:
        return replace(x, selected=True)
    if kind == 5:
        return replace(x, gates=(Reason.NO_ITEMS,))
    return replace(x, whole=replace(x.whole, multiverse="unstable"))


WORSE = {
    "threat": _worse_threat,
    "wider": _wider,
    "reach": _higher_reach,
    "context": _worse_context,
}
