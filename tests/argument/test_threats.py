from itertools import product

import pytest

from audit.analyses.contract import Threat
from audit.argument.threats import (
    FIXED,
    Facts,
    author_threat,
    fixed_threats,
    raised_threats,
    straddling,
)
from audit.spec.plan import ArgumentThreat
from tests.argument.builders import Bar, study, uncovered

KINDS = ("performance", "comparison", "ranking")


def facts(kind="comparison", **fields):
    one = study([Bar("better_by", 0.03)], kind=kind, **fields)
    names = frozenset(result.analysis for result in one.results)
    return Facts(one.slice.plan.claims[0], one.accounting[0], one.slice.weights, names)


def states(found):
    return {one.code: one.state for one in found}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_whole_list(kind):
    found = fixed_threats(facts(kind), frozenset())
    assert {one.code for one in found} == {one.code for one in FIXED if kind in one.kinds}
    assert all(one.claims == ("C1",) for one in found)


def test_codes_are_unique_and_sentences_are_sentences():
    assert len({one.code for one in FIXED}) == len(FIXED)
    for one in FIXED:
        assert one.text.endswith(".")
        assert not one.closed_text or one.closed_text.endswith(".")


def test_nothing_that_this_version_cannot_look_at_counts_against_a_claim():
    """Evidence kinds that are not built are printed; else no claim could be supported."""
    for one in FIXED:
        if one.looked_at_by is None:
            assert one.affects == "validity"
        else:
            assert one.closed_text


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_study_leaves_no_estimate_threat_open(kind):
    found = fixed_threats(facts(kind), frozenset())
    assert not [one for one in found if one.affects == "estimate" and one.state != "closed"]


def test_facts_close_entries_one_by_one():
    base = states(fixed_threats(facts(), frozenset()))
    assert base["item_dependence"] == base["single_attempt"] == "not_assessed"
    assert base["weights_judged"] == "closed"
    one = states(fixed_threats(facts(clustered=True, counts=False), frozenset()))
    assert one["item_dependence"] == "closed"
    assert one["weights_judged"] == "not_assessed"
    two = states(fixed_threats(facts(systems_known=False), frozenset()))
    assert two["setting_mixed"] == "not_assessed"
    three = fixed_threats(facts(items_by_task={"routine": 9, "dispute": 0}), frozenset())
    lost = next(one for one in three if one.code == "task_uncovered")
    assert (lost.state, lost.needed_from, lost.affects) == ("not_assessed", "work", "estimate")
    assert "dispute" in lost.text


def test_an_analysis_that_spoke_is_not_spoken_over():
    found = fixed_threats(facts(), frozenset({"task_uncovered"}))
    assert "task_uncovered" not in states(found)


def test_raised_threats_are_those_that_name_the_claim():
    one = study([Bar("better_by", 0.03)], result_threats=[uncovered(-0.1, 0.1)])
    plan = one.slice.plan.claims[0]
    assert [t.code for t in raised_threats(one.results, plan)] == ["task_uncovered"]
    other = plan.model_copy(update={"id": "C9"})
    assert raised_threats(one.results, other) == ()


def test_bounds_that_leave_zero_out_are_stretched():
    assert straddling((0.1, 0.2)) == (0.0, 0.2)
    assert straddling((-0.2, -0.1)) == (-0.2, 0.0)
    assert straddling((0.2, -0.1)) == (-0.1, 0.2)


@pytest.mark.parametrize(
    ("affects", "bound", "state"),
    [
        ("validity", None, "not_assessed"),
        ("validity", (-1.0, 1.0), "not_assessed"),
        ("estimate", None, "open"),
        ("estimate", (-0.1, 0.1), "bounded"),
    ],
)
def test_author_threats(affects, bound, state):
    plan = facts().claim
    declared = ArgumentThreat(what="W.", affects=affects, bound=bound, condition=None)
    got = author_threat(declared, plan)
    assert (got.affects, got.state) == (affects, state)
    assert got.bounds == ({"C1.1": bound} if state == "bounded" else {})


def test_adding_any_unassessed_or_open_threat_never_strengthens():
    strength = {"supported": 2, "narrowed": 1, "not_supported": 0, "insufficient_evidence": 0}
    for value, reach, state, affects, needed in product(
        (0.1, 0.03, -0.1),
        ("test", "work", "deployment"),
        ("not_assessed", "open"),
        ("estimate", "validity"),
        (None, "test", "work", "deployment"),
    ):
        more = Threat(
            code="other",
            claims=("C1",),
            affects=affects,
            state=state,
            needed_from=needed,
            text="T.",
        )
        plain = study([Bar("better_by", 0.03, value=value)], reach=reach).only()
        worse = study(
            [Bar("better_by", 0.03, value=value)], reach=reach, result_threats=[more]
        ).only()
        assert strength[worse.verdict] <= strength[plain.verdict]
        if worse.verdict == "not_supported":
            assert plain.verdict == "not_supported"
