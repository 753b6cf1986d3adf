"""Hand-worked cases: each row of the verdict table, and each line of the pseudo-code.

The default case: one criterion `c` above 0 with interval [.02, .08], reach work, stated timing,
deployed as tested. `guard` is above -.05.
"""

import math
from dataclasses import replace

import pytest

from audit.argument.case import Case, Part
from audit.argument.verdict import decide, judge, status
from audit.errors import Reason
from tests.argument.cases import case, criterion, guard, random_case, threat

NAN = math.nan
FAILED = criterion(-0.08, -0.02)
OPEN_END = criterion(-0.02, 0.04)


# ------------------------------------------------------------------------------ one criterion


@pytest.mark.parametrize(
    ("form", "margin", "lower", "upper", "expected"),
    [
        ("above", 0.0, 0.02, 0.08, "met"),
        ("above", 0.0, -0.08, -0.02, "failed"),
        ("above", 0.0, -0.01, 0.05, "undetermined"),
        ("above", 0.02, 0.02, 0.08, "undetermined"),  # on the bar is not above it
        ("above", -0.05, -0.04, 0.01, "met"),
        ("within", 0.05, -0.04, 0.04, "met"),
        ("within", 0.05, 0.06, 0.10, "failed"),
        ("within", 0.05, -0.10, -0.06, "failed"),
        ("within", 0.05, 0.01, 0.06, "undetermined"),
        ("outside", 0.05, 0.06, 0.10, "met"),
        ("outside", 0.05, -0.10, -0.06, "met"),
        ("outside", 0.05, -0.04, 0.04, "failed"),
        ("outside", 0.05, -0.06, 0.06, "undetermined"),
        ("above", 0.0, None, None, "undetermined"),
        ("above", 0.0, NAN, 0.08, "undetermined"),
        ("within", 0.05, -math.inf, math.inf, "undetermined"),
    ],
)
def test_interval_against_bar(form, margin, lower, upper, expected):
    c = criterion(lower, upper, margin, form=form)
    assert judge(c, lower, upper, 0.0, 0.0) == expected
    assert status(c, ()) == expected


def test_failed_needs_the_stricter_bound_and_met_does_not():
    c = criterion(-0.08, -0.01, lower_adjusted=-0.09, upper_adjusted=0.01)
    assert status(c, ()) == "undetermined"
    c = criterion(0.01, 0.08, lower_adjusted=-0.01, upper_adjusted=0.10)
    assert status(c, ()) == "met"


@pytest.mark.parametrize(
    ("policy", "lower", "upper", "adjusted", "expected"),
    [
        ("show", -0.06, 0.02, 0.02, "undetermined"),
        ("block", -0.06, 0.02, 0.02, "met"),  # harm not shown
        ("block", -0.12, -0.06, -0.051, "failed"),  # harm shown at a/k too
        ("block", -0.12, -0.06, -0.03, "undetermined"),  # shown at a only: still blocks
        ("block", None, None, None, "met"),  # no number: no harm shown
        ("show", None, None, None, "undetermined"),
    ],
)
def test_guards_show_or_block(policy, lower, upper, adjusted, expected):
    c = guard(lower, upper, policy=policy, upper_adjusted=adjusted)
    assert status(c, ()) == expected


def test_a_primary_bar_never_blocks():
    assert status(criterion(-0.06, 0.02, -0.05, policy="block"), ()) == "undetermined"


def test_bounds_of_threats_add_by_criterion():
    c = criterion(0.02, 0.08)
    assert status(c, [threat(-0.01)]) == "met"
    assert status(c, [threat(-0.01), threat(-0.02)]) == "undetermined"
    assert status(c, [threat(-0.5, on="other")]) == "met"


# ---------------------------------------------------------------- the table of verdicts, by row

TABLE = {
    "row 1: all met, nothing open": (case(), "supported", ()),
    "row 2: met on a declared part only": (
        case(OPEN_END, subset=Part((criterion(id="c@v", whole="c"),), scope=("v",))),
        "narrowed",
        (Reason.SUBSET_ONLY,),
    ),
    "row 3a: bound smaller than the distance": (case(threats=(threat(-0.01),)), "supported", ()),
    "row 3b: bound crosses under a condition": (
        case(threats=(threat(-0.03, condition="X"),)),
        "narrowed",
        (Reason.THREAT_BOUND_CROSSES,),
    ),
    "row 3: bound crosses without a condition": (
        case(threats=(threat(-0.03),)),
        "insufficient_evidence",
        (Reason.THREAT_BOUND_CROSSES,),
    ),
    "row 3c: open threat without a bound": (
        case(threats=(threat(state="open"),)),
        "insufficient_evidence",
        (Reason.THREAT_OPEN,),
    ),
    "row 4: a bar failed": (case(FAILED), "not_supported", (Reason.BAR_FAILED,)),
    "row 5: failed, but a bounded threat could reverse it": (
        case(FAILED, threats=(threat(0.0, 0.03, condition="X"),)),
        "insufficient_evidence",
        (Reason.THREAT_BOUND_CROSSES,),
    ),
    "row 5: failed, but an open threat could reverse it": (
        case(FAILED, threats=(threat(state="open"),)),
        "insufficient_evidence",
        (Reason.THREAT_OPEN,),
    ),
    "row 6: some undetermined": (
        case(OPEN_END),
        "insufficient_evidence",
        (Reason.MARGIN_CROSSED,),
    ),
    "row 7: deployment claim without outcomes": (
        case(reach="deployment"),
        "narrowed",
        (Reason.OUTCOMES_MISSING,),
    ),
    "row 8: outcomes discordant and blind": (
        case(reach="deployment", deployment="discordant", independent=True),
        "not_supported",
        (Reason.DEPLOYMENT_DISCORDANT,),
    ),
    "row 9: exploratory": (case(selected=True), "narrowed", (Reason.EXPLORATORY,)),
    "row 10: revision, the own source matches the work": (
        case(revision="matches_target"),
        "narrowed",
        (Reason.REVISION_DIFFERS,),
    ),
    "row 10: revision unresolved": (
        case(revision="unresolved"),
        "insufficient_evidence",
        (Reason.REVISION_UNRESOLVED,),
    ),
    "row 11: replication contradicts, cause known": (
        case(replication="cause_known"),
        "narrowed",
        (Reason.REPLICATION_CONTRADICTS,),
    ),
    "row 11: replication contradicts, cause unknown": (
        case(replication="cause_unknown"),
        "insufficient_evidence",
        (Reason.REPLICATION_CONTRADICTS,),
    ),
    # each further line of the pseudo-code
    "a gate": (case(gates=(Reason.NO_ITEMS,)), "insufficient_evidence", (Reason.NO_ITEMS,)),
    "no primary": (
        case(guard(0.0, 0.1)),
        "insufficient_evidence",
        (Reason.SPEC_INCOMPLETE,),
    ),
    "severe guard gone": (
        case(criterion(), guard(None, None, severe=True, policy="block")),
        "insufficient_evidence",
        (Reason.TOO_FEW_ITEMS,),
    ),
    "gates come before discordant outcomes": (
        case(
            reach="deployment",
            deployment="discordant",
            independent=True,
            gates=(Reason.NO_ITEMS,),
        ),
        "insufficient_evidence",
        (Reason.NO_ITEMS,),
    ),
    "discordant outcomes that were not blind": (
        case(reach="deployment", deployment="discordant"),
        "insufficient_evidence",
        (Reason.DEPLOYMENT_DISCORDANT,),
    ),
    "concordant outcomes chosen blind": (
        case(reach="deployment", deployment="concordant", independent=True),
        "supported",
        (),
    ),
    "concordant outcomes that were not blind": (
        case(reach="deployment", deployment="concordant"),
        "narrowed",
        (Reason.OUTCOMES_NOT_BLIND,),
    ),
    "outcomes undetermined": (
        case(reach="deployment", deployment="undetermined", independent=True),
        "narrowed",
        (Reason.OUTCOMES_MISSING,),
    ),
    "test failed where outcomes agree": (
        case(FAILED, reach="deployment", deployment="concordant", independent=True),
        "insufficient_evidence",
        (Reason.DEPLOYMENT_DISCORDANT,),
    ),
    "not assessed, needed from test": (
        case(threats=(threat(state="not_assessed", needed_from="test"),)),
        "insufficient_evidence",
        (Reason.THREAT_OPEN,),
    ),
    "not assessed, needed from work": (
        case(threats=(threat(state="not_assessed", needed_from="work", code="task_uncovered"),)),
        "narrowed",
        (Reason.TASK_UNCOVERED,),
    ),
    "not assessed, needed farther than the claim goes": (
        case(threats=(threat(state="not_assessed", needed_from="deployment"),)),
        "supported",
        (),
    ),
    "not assessed, needed from nowhere": (
        case(threats=(threat(state="not_assessed"),)),
        "supported",
        (),
    ),
    "an open threat to validity": (
        case(threats=(threat(state="open", affects="validity"),)),
        "supported",
        (),
    ),
    "a closed threat": (case(threats=(threat(state="closed"),)), "supported", ()),
    "configuration differs": (
        case(configuration="differs"),
        "narrowed",
        (Reason.CONFIGURATION_DIFFERS,),
    ),
    "configuration unknown": (
        case(configuration="unknown"),
        "narrowed",
        (Reason.DEPLOYMENT_UNDECLARED,),
    ),
    "configuration bridged": (case(configuration="bridged"), "supported", ()),
    "configuration is nothing to a test claim": (
        case(reach="test", configuration="unknown"),
        "supported",
        (),
    ),
    "timing after": (case(timing="after"), "narrowed", (Reason.CRITERIA_AFTER,)),
    "timing verified": (case(timing="verified"), "supported", ()),
    "a further cap": (
        case(caps=(Reason.AGGREGATES_ONLY,)),
        "narrowed",
        (Reason.AGGREGATES_ONLY,),
    ),
    "replication partial": (
        case(replication="partial"),
        "narrowed",
        (Reason.REPLICATION_CONTRADICTS,),
    ),
    "replication not informative": (case(replication="not_informative"), "supported", ()),
    "forks unstable": (
        case(multiverse="unstable"),
        "insufficient_evidence",
        (Reason.FORK_FLIPS,),
    ),
    "forks conditional": (case(multiverse="conditional"), "narrowed", (Reason.FORK_FLIPS,)),
    "forks stable": (case(multiverse="stable"), "supported", ()),
    "failed with conditional forks": (
        case(FAILED, multiverse="conditional"),
        "insufficient_evidence",
        (Reason.FORK_FLIPS,),
    ),
    "failed with a severe guard": (
        case(criterion(), guard(-0.2, -0.1, severe=True)),
        "not_supported",
        (Reason.BAR_FAILED, Reason.SEVERE_REGRESSION),
    ),
    "block guard gone": (
        case(criterion(), guard(None, None, policy="block")),
        "narrowed",
        (Reason.TOO_FEW_ITEMS,),
    ),
    "block guard gone, test claim": (
        case(criterion(), guard(None, None, policy="block"), reach="test"),
        "supported",
        (),
    ),
    "failed with a cap is still not supported": (
        case(FAILED, configuration="differs", timing="after"),
        "not_supported",
        (Reason.BAR_FAILED,),
    ),
    "one failed, one undetermined": (
        case(FAILED, replace(OPEN_END, id="d", whole="d")),
        "not_supported",
        (Reason.BAR_FAILED,),
    ),
    "failed at a only": (
        case(criterion(-0.08, -0.01, lower_adjusted=-0.09, upper_adjusted=0.01)),
        "insufficient_evidence",
        (Reason.MARGIN_CROSSED,),
    ),
    "the primary is gone": (
        case(criterion(None, None, why_gone=Reason.TOO_FEW_CLUSTERS)),
        "insufficient_evidence",
        (Reason.TOO_FEW_CLUSTERS,),
    ),
}


@pytest.mark.parametrize("name", list(TABLE))
def test_table(name):
    x, word, reasons = TABLE[name]
    got = decide(x)
    assert (got.verdict, got.reasons) == (word, reasons)


# ------------------------------------------------------------------------ reach and narrowing


@pytest.mark.parametrize(
    ("x", "reach"),
    [
        (case(configuration="differs"), "test"),
        (case(reach="deployment", configuration="differs"), "test"),  # the lowest counts
        (case(reach="deployment"), "work"),
        (case(timing="after"), "work"),  # a cap without `to` keeps the reach
        (case(threats=(threat(state="not_assessed", needed_from="work"),)), "test"),
        (
            case(
                reach="deployment",
                deployment="concordant",
                independent=True,
                threats=(threat(state="not_assessed", needed_from="deployment"),),
            ),
            "work",
        ),
    ],
)
def test_caps_lower_the_reach_to_the_lowest_named(x, reach):
    got = decide(x)
    assert got.verdict == "narrowed"
    assert got.narrowed_to.reach == reach
    assert got.narrowed_to.conditions == tuple(c.text for c in got.caps if c.to is None)
    assert bool(got.narrowed_to.conditions) == (reach == x.reach)


def test_not_supported_prints_its_caps_and_reach():
    got = decide(case(FAILED, configuration="unknown"))
    assert (got.verdict, got.reach) == ("not_supported", "test")
    assert [cap.reason for cap in got.caps] == [Reason.DEPLOYMENT_UNDECLARED]
    assert got.narrowed_to is None


def twin(lower=0.02, upper=0.08, **fields):
    return criterion(lower, upper, id="c@v", whole="c", **fields)


def part(*criteria, **fields):
    return Part(criteria, scope=("v",), **fields)


def test_narrowed_to_a_part_names_it():
    got = decide(case(OPEN_END, subset=part(twin())))
    assert got.narrowed_to.scope == ("v",)
    assert got.narrowed_to.reach == "work"


def test_a_part_serves_failed_and_undetermined_alike():
    assert decide(case(FAILED, subset=part(twin()))).verdict == "narrowed"


def test_a_part_that_cannot_be_judged_is_no_way_out():
    gone = guard(None, None, severe=True, policy="block", id="g@v", whole="g")
    x = case(FAILED, guard(0.0, 0.1, severe=True), subset=part(twin(), gone))
    assert decide(x).verdict == "not_supported"


def test_a_bounded_threat_to_validity_moves_no_estimate():
    assert decide(case(threats=(threat(-0.5, affects="validity"),))).verdict == "supported"


def test_the_whole_comes_first():
    assert decide(case(subset=part(twin()))).verdict == "supported"


def test_a_part_whose_guard_does_not_hold_is_no_way_out():
    stop = guard(-0.2, -0.1)
    assert decide(case(FAILED, subset=part(twin(), stop))).verdict == "not_supported"


def test_a_bound_on_the_whole_without_one_on_the_part_undoes_the_part():
    one = threat(-0.001, 0.001)
    got = decide(case(OPEN_END, subset=part(twin()), threats=(one,)))
    assert got.verdict == "insufficient_evidence"
    assert got.reasons == (Reason.THREAT_BOUND_CROSSES, Reason.MARGIN_CROSSED)
    both = replace(one, bounds=one.bounds | {"c@v": (0.0, 0.0)})
    assert decide(case(OPEN_END, subset=part(twin()), threats=(both,))).verdict == "narrowed"


def test_a_part_of_a_deployment_claim_goes_to_work_only():
    x = case(
        OPEN_END,
        subset=part(twin()),
        reach="deployment",
        deployment="concordant",
        independent=True,
    )
    assert decide(x).narrowed_to.reach == "work"


def test_forks_are_judged_on_the_part_itself():
    x = case(OPEN_END, subset=part(twin(), multiverse="unstable"))
    assert decide(x).verdict == "insufficient_evidence"
    x = case(OPEN_END, subset=part(twin()), multiverse="unstable")
    assert decide(x).verdict == "narrowed"


def test_an_open_threat_undoes_the_part_too():
    x = case(OPEN_END, subset=part(twin()), threats=(threat(state="open"),))
    assert decide(x).verdict == "insufficient_evidence"


def test_a_part_that_is_met_helps_where_a_threat_undoes_the_whole():
    one = replace(threat(-0.05), bounds={"c": (-0.05, 0.0), "c@v": (0.0, 0.0)})
    got = decide(case(subset=part(twin()), threats=(one,)))
    assert got.narrowed_to.scope == ("v",)


def test_only_conditions_that_matter_are_named():
    small = threat(-0.001, condition="small")
    other = threat(-0.5, on="other", condition="other")
    big = threat(-0.03, condition="big")
    got = decide(case(threats=(other, big)))
    assert got.narrowed_to.conditions == ("big",)
    got = decide(case(threats=(small, other)))
    assert got.verdict == "supported"


def test_loss_not_excluded_is_a_caveat():
    got = decide(case(criterion(), guard(-0.07, 0.02, policy="block")))
    assert got.verdict == "supported"
    assert [(c.criterion, c.loss) for c in got.caveats] == [("g", 0.07)]
    got = decide(case(criterion(), guard(None, None, policy="block"), reach="test"))
    assert [(c.criterion, c.loss) for c in got.caveats] == [("g", None)]


# ----------------------------------------------------------------- the meant exceptions, shown


def test_widening_a_block_guard_undoes_a_shown_harm():
    shown = guard(-0.12, -0.06, policy="block")
    assert decide(case(criterion(), shown)).verdict == "not_supported"
    assert decide(case(criterion(), guard(-0.14, -0.04, policy="block"))).verdict == "supported"


def test_outcomes_found_to_be_blind_turn_doubt_into_a_finding():
    x = case(reach="deployment", deployment="discordant")
    assert decide(x).verdict == "insufficient_evidence"
    assert decide(replace(x, independent=True)).verdict == "not_supported"


def test_a_worse_threat_may_turn_a_narrowed_part_into_not_supported():
    one = replace(threat(), bounds={"c@v": (-0.01, 0.0)})
    x = case(FAILED, subset=part(twin()), threats=(one,))
    assert decide(x).verdict == "narrowed"
    worse = replace(x, threats=(replace(one, bounds={"c@v": (-0.05, 0.0)}),))
    assert decide(worse).verdict == "not_supported"


def test_bounding_a_threat_is_evidence_gained():
    x = case(threats=(threat(state="not_assessed", needed_from="test"),))
    assert decide(x).verdict == "insufficient_evidence"
    assert decide(replace(x, threats=(threat(-0.001),))).verdict == "supported"


# ------------------------------------------------------------------------------------- mirrors


def negated(c):
    """The bar that contradicts this one, on the swapped difference."""
    form = {"above": "above", "within": "outside", "outside": "within"}[c.form]
    swap = c.form == "above"

    def turn(low, high):
        return (-high, -low) if swap else (low, high)

    (low, up), (low_k, up_k) = turn(c.lower, c.upper), turn(c.lower_adjusted, c.upper_adjusted)
    return replace(
        c,
        form=form,
        margin=-c.margin if swap else c.margin,
        lower=low,
        upper=up,
        lower_adjusted=low_k,
        upper_adjusted=up_k,
    )


MIRROR = {"met": "failed", "failed": "met", "undetermined": "undetermined"}


def alone(x: Case) -> Case | None:
    """The first criterion of a random case alone (k = 1), where it has an interval."""
    c = x.whole.criteria[0]
    if c.gone or c.role != "primary":
        return None
    c = replace(c, lower_adjusted=c.lower, upper_adjusted=c.upper)
    return Case(
        Part((c,), x.whole.multiverse),
        None,
        x.threats,
        reach="work" if x.reach == "deployment" else x.reach,
        timing=x.timing,
        configuration=x.configuration,
        selected=x.selected,
    )


def test_negated_criteria_mirror_status_and_verdict():
    import random

    rng = random.Random(3)
    seen = 0
    for _ in range(20_000):
        x = alone(random_case(rng))
        if x is None:
            continue
        c = x.whole.criteria[0]
        turned = negated(c)
        assert status(turned, ()) == MIRROR[status(c, ())]
        flip = c.form == "above"
        threats = tuple(
            replace(
                t, bounds={k: (-hi, -lo) if flip else (lo, hi) for k, (lo, hi) in t.bounds.items()}
            )
            for t in x.threats
        )
        y = replace(x, whole=Part((turned,), x.whole.multiverse), threats=threats)
        before, after = decide(x).verdict, decide(y).verdict
        if before == "supported":
            assert after == "not_supported"
            seen += 1
        if before == "not_supported":  # its caps, which it prints, narrow the mirror
            assert after in ("supported", "narrowed")
            assert (after == "supported") == (not decide(x).caps)
            seen += 1
        if before == after:
            assert before == "insufficient_evidence"
    assert seen > 1000


def test_swapping_systems_never_supports_both():
    import random

    rng = random.Random(4)
    for _ in range(20_000):
        x = alone(random_case(rng))
        if x is None or x.whole.criteria[0].form != "above":
            continue
        c = x.whole.criteria[0]
        if c.margin < 0:
            continue  # neither worse by more than the tolerance: both may hold
        swapped = replace(negated(c), margin=c.margin)
        y = replace(x, whole=Part((swapped,), x.whole.multiverse), threats=())
        x = replace(x, threats=())
        positive = {"supported", "narrowed"}
        assert not {decide(x).verdict, decide(y).verdict} <= positive
        if decide(x).verdict == "supported":
            assert decide(y).verdict == "not_supported"
