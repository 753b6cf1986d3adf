"""How much a study asks for: what no machine should be made to compute is refused early."""

from __future__ import annotations

from collections.abc import Iterator

from audit.spec.findings import Finding
from audit.spec.parts import Parts, expand_variants, systems_of

MOST_NUMBERS = 20_000
"""Numbers that all claims need together, with those for every single task and variant."""
MOST_NAMES = 1_000_000
"""Systems, tasks and variants, summed over these numbers."""


def check_size(parts: Parts) -> Iterator[Finding]:
    """Refuse claims that multiply to more numbers than are ever read."""
    numbers = names = 0
    for claim in parts.read_claims.values():
        scope = {
            "tasks": len(parts.scope_of(claim)),
            "variants": len(expand_variants(claim, parts.variants)),
        }
        single = sum(scope[one] for one in set(claim.divisible_by) if scope[one] > 1)
        wanted = len(claim.criteria) * (1 + single)
        numbers += wanted
        names += wanted * (len(systems_of(claim)) + sum(scope.values()))
    if numbers > MOST_NUMBERS or names > MOST_NAMES:
        yield Finding(
            ("claims",),
            "the claims ask for too many numbers",
            f"{numbers} numbers over {names} systems, tasks and variants",
            f"at most {MOST_NUMBERS} over {MOST_NAMES}",
            "divide fewer claims, or make several studies",
            at_key=True,
        )
