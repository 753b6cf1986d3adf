"""Seeded random inputs: totality, agreement with the literal transcription, monotony."""

import random
from collections import Counter

import pytest

from audit.argument.case import REACHES
from audit.argument.verdict import decide
from tests.argument.cases import STRENGTH, WORSE, as_dict, random_case
from tests.argument.literal import verdict

WORDS = {"supported", "narrowed", "not_supported", "insufficient_evidence"}
INPUTS = 200_000


def _check_form(x, got):
    """Exactly one verdict, and each says what it has to."""
    assert got.verdict in WORDS
    assert (got.narrowed_to is None) == (got.verdict != "narrowed")
    assert REACHES.index(got.reach) <= REACHES.index(x.reach)
    if got.verdict == "narrowed":
        named = got.narrowed_to
        assert named.scope or named.conditions or named.reach != x.reach
        assert all(named.conditions), named
    assert bool(got.reasons) == (got.verdict != "supported")


def _agree(seed, n):
    rng = random.Random(seed)
    seen = Counter()
    for _ in range(n):
        x = random_case(rng)
        got = decide(x)
        _check_form(x, got)
        word, reach, scope = verdict(as_dict(x))
        assert got.verdict == word, x
        if reach is not None:
            assert got.reach == reach, x
        if scope is not None and word == "narrowed":
            assert got.narrowed_to.scope == scope, x
        seen[word] += 1
    return seen


def _monotone(seed, n, kinds=tuple(WORSE)):
    """Worse never strengthens a positive verdict, nor makes not_supported, but for exceptions."""
    rng = random.Random(seed)
    for i in range(n):
        x = random_case(rng)
        kind = kinds[i % len(kinds)]
        y = WORSE[kind](x, rng)
        before, after = decide(x), decide(y)
        assert STRENGTH[after.verdict] <= STRENGTH[before.verdict], (kind, x, y)
        if before.verdict == after.verdict == "narrowed" and kind != "reach":
            worse = REACHES.index(after.narrowed_to.reach) <= REACHES.index(
                before.narrowed_to.reach
            )
            moved = before.narrowed_to.scope != after.narrowed_to.scope
            assert worse or moved, (kind, x, y)
        if after.verdict == "not_supported" and before.verdict != "not_supported":
            by_subset = before.verdict == "narrowed" and before.narrowed_to.scope
            outcomes = kind == "reach" and x.deployment == "discordant" and x.independent
            assert by_subset or outcomes, (kind, x, y)


def test_random_inputs_agree_with_the_literal_rules():
    seen = _agree(20261201, INPUTS)
    assert set(seen) == WORDS
    assert min(seen.values()) > INPUTS / 50, seen  # no verdict is so rare that it is not tested


@pytest.mark.parametrize("kind", list(WORSE))
def test_worse_never_strengthens(kind):
    _monotone(7, INPUTS // len(WORSE), (kind,))
