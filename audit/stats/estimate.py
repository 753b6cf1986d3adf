"""What cannot be estimated is a value with a reason, never NaN or an interval of no width."""

from __future__ import annotations

from dataclasses import dataclass

from audit.errors import Reason


@dataclass(frozen=True)
class NotEstimable:
    """Why a number cannot be had; `detail` is one plain sentence with the counts that matter."""

    reason: Reason
    detail: str
