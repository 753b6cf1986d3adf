"""All rules that need more than one field, all at once: errors, then warnings and hints."""

from __future__ import annotations

from collections.abc import Iterator

from audit.spec.check_claims import check_claims, warn_of_claims
from audit.spec.check_criteria import check_criteria
from audit.spec.check_size import check_size
from audit.spec.check_sources import check_sources, warn_of_sources
from audit.spec.check_systems import check_systems, warn_of_systems
from audit.spec.check_work import check_work, warn_of_work
from audit.spec.findings import Finding
from audit.spec.parts import Parts

CHECKS = (check_work, check_systems, check_sources, check_claims, check_criteria, check_size)
WARNINGS = (warn_of_work, warn_of_systems, warn_of_sources, warn_of_claims)


def check_parts(parts: Parts) -> Iterator[Finding]:
    """Check what could be read of a study.

    Returns
    -------
    Errors, then warnings, hints among them; an entry that could not be read is spoken of nowhere.
    """
    for check in (*CHECKS, *WARNINGS):
        yield from check(parts)
