"""What the configuration analysis says of a claim's systems, as the verdict reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from audit.analyses.contract import Result

Status = Literal["same", "bridged", "differs", "unknown"]
_FROM_BEST: tuple[Status, ...] = ("same", "bridged", "unknown", "differs")


@dataclass(frozen=True)
class SystemStatus:
    """One system: is it deployed as tested, and in which keys does it differ unbridged."""

    system: str
    status: Status
    keys: tuple[str, ...] = ()


def system_statuses(results: Sequence[Result], systems: Sequence[str]) -> tuple[SystemStatus, ...]:
    """Read each system's status; a system that nothing is known of is `unknown`.

    The result's diagnostics hold `systems` ({system: status}) and may hold `differences`
    ({system: [keys that differ and are not bridged]}).
    """
    diagnostics: dict[str, Any] = {}
    for result in results:
        if result.analysis == "configuration":
            diagnostics = result.diagnostics
    statuses, keys = _mapping(diagnostics, "systems"), _mapping(diagnostics, "differences")
    return tuple(
        SystemStatus(one, _status(statuses.get(one)), _names(keys.get(one))) for one in systems
    )


def worst(statuses: Sequence[SystemStatus]) -> Status:
    """The worst of the claim's systems: differs, then unknown, then bridged, then same."""
    return max((one.status for one in statuses), key=_FROM_BEST.index, default="unknown")


def _mapping(diagnostics: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = diagnostics.get(name)
    return found if isinstance(found, Mapping) else {}


def _status(value: object) -> Status:
    for known in get_args(Status):
        if value == known:
            return known  # type: ignore[no-any-return]  # a member of the Literal
    return "unknown"


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
