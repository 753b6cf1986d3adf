"""Is what was tested what will be deployed, and are settings compared that may be compared?

`deployed` names only what differs from what was tested. A key that it repeats with the tested value
is no difference; each other key needs a bridge, a named person's reason why it does not matter. A
system without `deployed` is `unknown`, never `same`.

Diagnostics
-----------
systems : {system: `same` | `bridged` | `differs` | `unknown`}
differences : {system: [keys that differ and are not bridged]}
idle_bridges : {system: [keys with a bridge that do not differ]}

Tables
------
configurations : system, setting, product, status, keys_differing, keys_bridged
differences : system, key, tested, deployed, bridged, reason, judged_by

Threats, one of each code and claim, affecting validity: `configuration_differs` (closed or open),
`deployment_undeclared` (closed or open), `setting_mixed` (closed or open, affecting estimates).
The verdict reads the first two from `systems`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from audit import __version__
from audit.analyses.contract import Assumption, Provenance, Result, Table, Threat
from audit.io import digest_of
from audit.spec.plan import ConfigurationSlice, SystemConfiguration

Status = Literal["same", "bridged", "differs", "unknown"]
_LONGEST = 200
"""Characters of a configuration's value in a table; the study holds the whole."""


@dataclass(frozen=True)
class Difference:
    """One key in which the deployed configuration differs from the tested one."""

    key: str
    tested: Any
    """None when the key is not among the tested ones."""
    deployed: Any
    reason: str | None
    judged_by: str | None

    @property
    def bridged(self) -> bool:
        """Whether a named person gave a reason."""
        return bool(self.reason and self.judged_by)


@dataclass(frozen=True)
class Comparison:
    """One system, tested against deployed."""

    system: SystemConfiguration
    status: Status
    differences: tuple[Difference, ...]
    idle_bridges: tuple[str, ...]

    @property
    def open_keys(self) -> tuple[str, ...]:
        """Keys that differ without a bridge."""
        return tuple(one.key for one in self.differences if not one.bridged)


def compare(system: SystemConfiguration) -> Comparison:
    """Compare one system's tested with its deployed configuration.

    Returns
    -------
    `same` when it is deployed as tested or not at all, or nothing that is named differs; `bridged`
    when each difference has a named person's reason; `differs` otherwise; `unknown` undeclared.
    """
    deployed = system.deployed
    named = deployed if isinstance(deployed, dict) else {}
    differences = tuple(
        Difference(
            key,
            system.tested.get(key),
            named[key],
            system.bridges.get(key, {}).get("irrelevant"),
            system.bridges.get(key, {}).get("judged_by"),
        )
        for key in sorted(named)
        if key not in system.tested or not _equal(system.tested[key], named[key])
    )
    status: Status = "same"
    if deployed is None:
        status = "unknown"
    elif differences:
        status = "bridged" if all(one.bridged for one in differences) else "differs"
    differing = {one.key for one in differences}
    idle = tuple(sorted(key for key in system.bridges if key not in differing))
    return Comparison(system, status, differences, idle)


def _equal(first: Any, second: Any) -> bool:
    """Equal as written: 1 and 1.0 are, 1 and "1" or true are not; order counts in lists only."""
    return _canonical(first) == _canonical(second)


def _canonical(value: Any) -> str:
    return json.dumps(_whole_numbers(value), sort_keys=True, default=str)


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _whole_numbers(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def analyse(slice: ConfigurationSlice) -> Result:
    """Compare tested with deployed for every system of the study, and settings within claims.

    Parameters
    ----------
    slice : the systems' configurations, and the systems that each claim names

    Returns
    -------
    No estimates: statuses, tables and threats, as the module says.
    """
    found = {one.system: compare(one) for one in slice.systems}
    return Result(
        analysis="configuration",
        source=None,
        provenance=Provenance(program=__version__, inputs={"slice": digest_of(slice)}),
        threats=tuple(_threats(slice, found)),
        assumptions=(
            Assumption(
                text="The tested and the deployed configurations are as the author declares them.",
                checked=False,
                held=None,
            ),
        ),
        diagnostics={
            "systems": {name: one.status for name, one in found.items()},
            "differences": {
                name: list(one.open_keys) for name, one in found.items() if one.open_keys
            },
            "idle_bridges": {
                name: list(one.idle_bridges) for name, one in found.items() if one.idle_bridges
            },
        },
        tables=(_systems_table(found), _differences_table(found)),
        limits=(
            "A declared configuration is not observed: keys that nobody named may differ.",
            "A bridge is a named person's judgement, not a run.",
        ),
    )


# ---------------------------------------------------------------------------------------- threats


def _threats(slice: ConfigurationSlice, found: dict[str, Comparison]) -> Iterator[Threat]:
    for claim, names in slice.claims.items():
        held = [found[name] for name in names if name in found]
        yield _differs(claim, held)
        lacking = [name for name in names if name not in found or found[name].status == "unknown"]
        yield _undeclared(claim, lacking)
        if len(names) > 1:
            yield _mixed(claim, [one.system for one in held])


def _differs(claim: str, held: Sequence[Comparison]) -> Threat:
    open_ = [f"{one.system.system} ({', '.join(one.open_keys)})" for one in held if one.open_keys]
    bridged = sum(one.status == "bridged" for one in held)
    text = "No declared difference between tested and deployed is open."
    if bridged:
        text = "Every declared difference between tested and deployed is bridged by a person."
    if open_:
        text = f"The deployed configuration differs from the tested one: {'; '.join(open_)}."
    return Threat(
        code="configuration_differs",
        claims=(claim,),
        affects="validity",
        state="open" if open_ else "closed",
        condition="what was tested is what is deployed" if open_ else None,
        needed_from="work",
        text=text,
    )


def _undeclared(claim: str, lacking: Sequence[str]) -> Threat:
    text = "The deployed configuration of each system is declared."
    if lacking:
        text = f"How {', '.join(lacking)} will be deployed is not declared."
    return Threat(
        code="deployment_undeclared",
        claims=(claim,),
        affects="validity",
        state="open" if lacking else "closed",
        condition="the systems are deployed as tested" if lacking else None,
        needed_from="work",
        text=text,
    )


def _mixed(claim: str, systems: Sequence[SystemConfiguration]) -> Threat:
    """Default against tuned, unless they are forms of one product."""
    settings = {one.setting for one in systems}
    products = {one.product for one in systems}
    mixed = len(settings) > 1 and (len(products) > 1 or None in products)
    text = "No default setting is compared with a tuned one of another product."
    if mixed:
        tuned = ", ".join(one.system for one in systems if one.setting == "tuned")
        text = f"Systems in default settings are set against tuned ones of other products: {tuned}."
    return Threat(
        code="setting_mixed",
        claims=(claim,),
        affects="estimate",
        state="open" if mixed else "closed",
        condition="the systems are compared in equal settings" if mixed else None,
        needed_from="work",
        text=text,
    )


# ----------------------------------------------------------------------------------------- tables


def _systems_table(found: dict[str, Comparison]) -> Table:
    return Table(
        id="configurations",
        title="Tested against deployed, by system",
        columns=("system", "setting", "product", "status", "keys_differing", "keys_bridged"),
        rows=tuple(
            (
                name,
                one.system.setting,
                one.system.product,
                one.status,
                len(one.differences),
                sum(difference.bridged for difference in one.differences),
            )
            for name, one in found.items()
        ),
        note="Unknown: the deployed configuration is not declared.",
    )


def _differences_table(found: dict[str, Comparison]) -> Table:
    rows = [
        (
            name,
            one.key,
            _shown(one.tested),
            _shown(one.deployed),
            "yes" if one.bridged else "no",
            one.reason,
            one.judged_by,
        )
        for name, comparison in found.items()
        for one in comparison.differences
    ]
    idle = [
        f"{name}: {', '.join(one.idle_bridges)}" for name, one in found.items() if one.idle_bridges
    ]
    return Table(
        id="differences",
        title="What differs between tested and deployed",
        columns=("system", "key", "tested", "deployed", "bridged", "reason", "judged_by"),
        rows=tuple(rows),
        note=f"Bridges for keys that do not differ: {'; '.join(idle)}." if idle else "",
    )


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else _canonical(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
