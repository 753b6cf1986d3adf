import json
import random
from dataclasses import replace

import pytest

from audit.argument.assessment import Assessment
from audit.errors import Contradiction, Reason
from audit.io import canonical_json
from audit.spec.plan import ArgumentThreat
from tests.argument.builders import Bar, study, uncovered

STRONG = Bar("better_by", 0.03, value=0.10, se=0.02)
FLAT = Bar("better_by", 0.03, value=0.04, se=0.02)


def test_honest_strong_study_is_supported_at_reach_work():
    guard = Bar("stop_if_worse_by", 0.05, value=0.02, se=0.05, task="dispute", severe=True)
    got = study([STRONG, guard])
    claim = got.only()
    assert claim.verdict == "supported"
    assert claim.reach == "work"
    assert claim.reasons == ()
    assert claim.timing == "stated"
    assert claim.narrowed_to is None
    # lower bound at one-sided .05: .02 - 1.645 * .05 = -.0622
    assert claim.caveats == ("A loss of up to 6.3 points in task dispute is not excluded.",)
    assert claim.criteria[1].loss_not_excluded == pytest.approx(0.0622, abs=1e-4)
    assert [change.code for change in claim.would_change] == ["overturn"]
    assert got.assess().answer == "enough"
    assert got.assess().deciding_claim == "C1"


def test_its_mirror_is_not_supported():
    mirrored = study([Bar("better_by", 0.03, value=-0.10, se=0.02)], systems=("beta", "alpha"))
    claim = mirrored.only()
    assert claim.verdict == "not_supported"
    assert claim.reasons == (Reason.BAR_FAILED,)
    assert mirrored.assess().answer == "speaks_against"


def test_deployment_claim_narrows_to_work():
    claim = study([STRONG], reach="deployment").only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "work"
    assert Reason.OUTCOMES_MISSING in claim.reasons
    assert "outcomes" in [change.code for change in claim.would_change]


@pytest.mark.parametrize(
    ("status", "reason", "code"),
    [
        ("unknown", Reason.DEPLOYMENT_UNDECLARED, "configuration"),
        ("differs", Reason.CONFIGURATION_DIFFERS, "bridge"),
    ],
)
def test_configuration_narrows_to_test(status, reason, code):
    got = study([STRONG], statuses={"alpha": "same", "beta": status})
    claim = got.only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "test"
    assert claim.reasons == (reason,)
    assert claim.configuration == status
    assert claim.would_change[0].code == code
    assert "beta" in claim.would_change[0].text
    assert got.assess().answer == "enough_only_for"


def test_configuration_of_a_test_claim_is_printed_only():
    claim = study([STRONG], reach="test", statuses={"alpha": "differs", "beta": "same"}).only()
    assert claim.verdict == "supported"
    assert claim.configuration == "differs"


def test_configuration_raised_as_a_threat_is_printed_and_counts_once():
    raised = uncovered(0, 0).model_copy(
        update={"code": "configuration_differs", "state": "open", "text": "It differs."}
    )
    statuses = {"alpha": "same", "beta": "differs"}
    claim = study([STRONG], statuses=statuses, result_threats=[raised]).only()
    assert claim.verdict == "narrowed"
    assert claim.reasons == (Reason.CONFIGURATION_DIFFERS,)
    assert "It differs." in [threat.text for threat in claim.threats]


def test_a_shorter_reach_says_itself_and_prints_no_condition():
    claim = study([STRONG], statuses={"alpha": "same", "beta": "differs"}).only()
    assert claim.narrowed_to.conditions == ()
    failed = study([Bar("better_by", 0.03, value=-0.1)], statuses={"alpha": "same"}).only()
    assert failed.caveats == (
        "This speaks for reach test only; beyond it, only if the systems are deployed in the "
        "configuration tested.",
    )


def test_without_a_configuration_result_nothing_is_known():
    claim = study([STRONG], systems_known=False).only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "test"
    assert claim.configuration == "unknown"


@pytest.mark.parametrize("change", [{"fixed": None}, {"exploratory": True}])
def test_late_or_exploratory_is_narrowed_and_not_enough(change):
    got = study([STRONG], **change)
    claim = got.only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "work"
    assert len(claim.narrowed_to.conditions) == 1
    assert got.assess().answer == "not_enough"


def test_crossing_interval_says_how_many_items_it_takes():
    claim = study([FLAT]).only()
    assert claim.verdict == "insufficient_evidence"
    # MDE = (1.960 + .842) * .02 = .0560 > .03; 400 ((.0560/.03)^2 - 1) = 996 -> 1,000
    assert claim.reasons == (Reason.MARGIN_CROSSED, Reason.UNDERPOWERED)
    first = claim.would_change[0]
    assert (first.code, first.items, first.criterion) == ("items", 1000, "C1.1")
    assert "1,000 more items" in first.text
    assert "3.0 points" in first.text


def test_estimate_near_the_bar_is_the_owners_risk():
    near = Bar("better_by", 0.03, value=0.031, se=0.008)
    claim = study([near]).only()
    assert claim.reasons == (Reason.MARGIN_CROSSED, Reason.NEAR_MARGIN)
    assert "owner" in claim.would_change[0].text
    assert claim.would_change[0].items is None


def test_estimate_on_one_side_says_what_it_takes_if_it_stays():
    # lower = .05 - 1.96 * .0105 = .0294; MDE .0294 < .03; 400 ((.02058/.02)^2 - 1) = 23.5 -> 24
    claim = study([Bar("better_by", 0.03, value=0.05, se=0.0105)]).only()
    step = claim.would_change[0]
    assert step.items == 24
    assert "it need not" in step.text
    assert "clear the bar" in step.text


def test_missing_responses_that_decide_are_named_and_counted():
    cell = Bar("better_by", 0.0, value=0.02, se=0.004, identified=(-0.03, 0.07))
    claim = study([cell]).only()
    assert claim.verdict == "insufficient_evidence"
    assert Reason.MISSING_BOUNDS_CROSS in claim.reasons
    first = claim.would_change[0]
    assert first.code == "recover_rows"
    assert "20 items" in first.text
    assert "alpha: 12 not run, 3 items without a row" in first.text


def test_mirror_of_missing_responses_is_insufficient_too():
    one = study([Bar("better_by", 0.0, value=0.02, se=0.004, identified=(-0.03, 0.07))]).only()
    two = study([Bar("better_by", 0.0, value=-0.02, se=0.004, identified=(-0.07, 0.03))]).only()
    assert one.verdict == two.verdict == "insufficient_evidence"
    assert one.reasons == two.reasons
    assert one.criteria[0].lower == pytest.approx(-two.criteria[0].upper)


def test_severe_guard_that_fails_is_named():
    guard = Bar("stop_if_worse_by", 0.05, value=-0.2, se=0.03, task="dispute", severe=True)
    claim = study([STRONG, guard]).only()
    assert claim.verdict == "not_supported"
    assert claim.reasons == (Reason.BAR_FAILED, Reason.SEVERE_REGRESSION)


def test_severe_guard_that_is_gone_stops_everything():
    guard = Bar("stop_if_worse_by", 0.05, value=None, task="dispute", severe=True)
    got = study([STRONG, guard], items_by_task={"routine": 300, "dispute": 4})
    claim = got.only()
    assert claim.verdict == "insufficient_evidence"
    assert claim.reasons == (Reason.TOO_FEW_ITEMS,)
    assert claim.would_change[0].text == "Add at least 6 items of task dispute, which has 4."
    assert claim.would_change[0].items == 6


def test_mild_block_guard_that_is_gone_narrows_to_test():
    guard = Bar("stop_if_worse_by", 0.05, value=None, task="dispute")
    claim = study([STRONG, guard]).only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "test"
    assert claim.caveats == ("Harm in task dispute could not be estimated: it is not excluded.",)


def test_primary_without_a_number_is_insufficient_for_its_reason():
    claim = study([Bar("better_by", 0.03, value=None, reason="too_few_clusters")]).only()
    assert claim.verdict == "insufficient_evidence"
    assert claim.reasons == (Reason.TOO_FEW_CLUSTERS,)
    assert "6 clusters" in claim.would_change[0].text
    assert claim.criteria[0].not_estimable == "Too few."


# ------------------------------------------------------------------------- threats and silence


def test_silence_about_an_uncovered_task_narrows_to_test():
    claim = study([STRONG], items_by_task={"routine": 400, "dispute": 0}).only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "test"
    assert Reason.TASK_UNCOVERED in claim.reasons
    assert any("dispute" in c.text and c.code == "task_items" for c in claim.would_change)


def test_bounded_uncovered_task_that_crosses_narrows_under_its_condition():
    got = study(
        [STRONG],
        items_by_task={"routine": 400, "dispute": 0},
        result_threats=[uncovered(-0.1, 0.1)],
    )
    claim = got.only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.reach == "work"
    assert claim.narrowed_to.conditions == ("only the tasks that have items are meant",)
    assert claim.reasons == (Reason.TASK_UNCOVERED,)


def test_bounded_uncovered_task_that_does_not_cross_is_a_caveat():
    # lower = .10 - 1.96 * .02 = .0608 > .03 + .02
    claim = study(
        [STRONG],
        items_by_task={"routine": 400, "dispute": 0},
        result_threats=[uncovered(-0.02, 0.02)],
    ).only()
    assert claim.verdict == "supported"
    assert claim.caveats == (
        "Task dispute has no items: up to 2.0 points against C1.1, allowed for.",
    )


def test_plain_threat_is_printed_and_costs_nothing():
    plain = ArgumentThreat(what="The pages change.", affects="validity", bound=None, condition=None)
    claim = study([STRONG], threats=[plain]).only()
    assert claim.verdict == "supported"
    assert claim.threats[0].text == "The pages change."
    assert claim.threats[0].code == "declared"


def test_threat_to_the_estimate_without_a_bound_is_open():
    bare = ArgumentThreat(what="The judge drifts.", affects="estimate", bound=None, condition=None)
    claim = study([STRONG], threats=[bare]).only()
    assert claim.verdict == "insufficient_evidence"
    assert claim.reasons == (Reason.THREAT_OPEN,)
    assert claim.would_change[0].code == "bound_threat"


@pytest.mark.parametrize(
    ("bound", "condition", "expected"),
    [
        ((-0.02, 0.0), None, "supported"),  # .0608 - .02 > .03
        ((-0.04, 0.0), None, "insufficient_evidence"),
        ((-0.04, 0.0), "the judge is as in June", "narrowed"),
        ((0.01, 0.04), None, "supported"),  # stretched to [0, .04]: speaks for the claim only
        ((-0.06, -0.04), None, "insufficient_evidence"),  # stretched to [-.06, 0]
    ],
)
def test_author_bounds_decide_by_their_size(bound, condition, expected):
    one = ArgumentThreat(
        what="The judge drifts.", affects="estimate", bound=bound, condition=condition
    )
    assert study([STRONG], threats=[one]).only().verdict == expected


def test_threat_that_could_reverse_a_failed_bar_makes_it_insufficient():
    one = ArgumentThreat(
        what="The judge drifts.", affects="estimate", bound=(-0.2, 0.2), condition="it stays"
    )
    claim = study([Bar("better_by", 0.03, value=-0.10, se=0.02)], threats=[one]).only()
    assert claim.verdict == "insufficient_evidence"
    assert Reason.THREAT_BOUND_CROSSES in claim.reasons
    assert claim.would_change


def test_what_nobody_looked_at_is_named_not_passed():
    claim = study([STRONG]).only()
    assert set(claim.not_assessed) >= {"multiverse", "replication", "revision", "deployment"}
    assert "whether items depend on each other" in claim.not_assessed
    states = {threat.code: threat.state for threat in claim.threats}
    assert states["item_dependence"] == states["contamination"] == "not_assessed"
    assert states["task_uncovered"] == states["missing_responses"] == "closed"


def test_unknown_unit_of_a_metric_counts():
    claim = study([STRONG], unit={}).only()
    assert claim.verdict == "insufficient_evidence"
    assert claim.reasons == (Reason.UNITS_UNKNOWN,)


# -------------------------------------------------------------------------------- mixed units


def test_bounds_by_criterion_never_mix_units():
    """Two criteria in points and seconds: the bound in seconds leaves the points alone."""
    bars = [
        Bar("at_least", 0.80, value=0.86, se=0.02),  # L = .8208: .0208 above the bar
        Bar(
            "at_most",
            8.0,
            value=6.0,
            se=0.4,
            metric="latency_s",
            measure="mean",
            unit="latency_s",
        ),  # U = 6.784: 1.216 s below the bar
    ]
    both = {"C1.1": (-0.01, 0.01), "C1.2": (-1.0, 1.0)}

    def judged(bounds):
        threat = uncovered(0, 0).model_copy(update={"bounds": bounds, "condition": None})
        return study(bars, kind="performance", systems=("alpha",), result_threats=[threat]).only()

    assert judged(both).verdict == "supported"
    assert judged(both | {"C1.2": (-1.3, 1.3)}).verdict == "insufficient_evidence"
    assert judged(both | {"C1.1": (-0.03, 0.03)}).verdict == "insufficient_evidence"
    swapped = {"C1.1": (-1.0, 1.0), "C1.2": (-0.01, 0.01)}
    assert judged(swapped).verdict == "insufficient_evidence"


def test_a_measure_in_other_units_is_not_held_against_the_smallest_difference():
    seconds = Bar(
        "at_most", 8.0, value=7.9, se=0.4, metric="latency_s", measure="mean", unit="latency_s"
    )
    claim = study([Bar("at_least", 0.8, value=0.9), seconds], kind="performance").only()
    assert claim.reasons == (Reason.MARGIN_CROSSED,)
    assert "0.03" not in claim.would_change[0].text


# ------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("claims", "fields", "answer", "decides"),
    [
        (([STRONG], [STRONG]), {}, "enough", "C1"),
        (([STRONG], [FLAT]), {}, "not_enough", "C2"),
        (([FLAT], [Bar("better_by", 0.03, value=-0.1)]), {}, "speaks_against", "C2"),
        (([STRONG], [STRONG]), {"reach": "deployment"}, "enough_only_for", "C1"),
        (([STRONG], [FLAT]), {"rests_on": ("C1",)}, "enough", "C1"),
        (([STRONG],), {"rests_on": ()}, "none", None),
    ],
)
def test_answer_follows_the_claims_it_rests_on(claims, fields, answer, decides):
    got = study(*claims, **fields).assess()
    assert (got.answer, got.deciding_claim) == (answer, decides)


# --------------------------------------------------------------------------------- invariances


def test_relabelling_systems_and_claims_changes_no_verdict():
    one = study([STRONG], [FLAT]).assess()
    two = study([FLAT], [STRONG], systems=("x", "y")).assess()
    assert [c.verdict for c in one.claims] == [c.verdict for c in reversed(two.claims)]
    assert [c.reasons for c in one.claims] == [c.reasons for c in reversed(two.claims)]


def test_an_irrelevant_system_changes_nothing():
    plain = study([STRONG])
    more = study([STRONG])
    extra = more.accounting[0].systems[0].model_copy(update={"system": "gamma"})
    systems = (*more.accounting[0].systems, extra)
    more.accounting[0] = more.accounting[0].model_copy(update={"systems": systems})
    more.results[1].diagnostics["systems"]["gamma"] = "differs"
    assert more.assess() == plain.assess()


@pytest.mark.parametrize("value", [0.10, 0.05, 0.031, 0.0, -0.05, -0.10])
@pytest.mark.parametrize("bar", ["better_by", "worse_by_at_most", "within"])
def test_swapping_of_and_over_never_supports_both(value, bar):
    one = study([Bar(bar, 0.03, value=value)]).only().verdict
    two = study([Bar(bar, 0.03, value=-value)]).only().verdict
    if bar == "within":
        assert one == two
    elif bar == "better_by" and one == "supported":
        assert two == "not_supported"
    elif bar == "worse_by_at_most" and one == "not_supported":
        assert two == "supported"


@pytest.mark.parametrize("value", [0.86, 0.81, 0.80, 0.75])
def test_negating_a_bar_mirrors_the_verdict(value):
    """`at_least` and `at_most` of one value contradict each other, so one bar mirrors the other."""
    mirror = {
        "supported": "not_supported",
        "not_supported": "supported",
        "insufficient_evidence": "insufficient_evidence",
    }
    fields = {"kind": "performance", "systems": ("alpha",)}
    up = study([Bar("at_least", 0.8, value=value)], **fields).only()
    down = study([Bar("at_most", 0.8, value=value)], **fields).only()
    assert down.verdict == mirror[up.verdict]


def test_loss_is_better_when_lower():
    bar = Bar(
        "better_by", 0.05, value=-0.2, se=0.03, measure="expected_loss", unit="staff hours",
        lower_is_better=True,
    )  # fmt: skip
    claim = study([bar]).only()
    assert claim.verdict == "supported"
    assert claim.criteria[0].value == -0.2  # natural orientation on the page
    assert claim.criteria[0].upper < -0.05


def test_rank_needs_its_whole_set_within_the_bar():
    def ranked(lower_upper):
        one = study(
            [Bar("at_most", 2, value=1.0, measure="rank", unit="place")],
            kind="ranking",
            systems=("alpha", "beta", "gamma", "delta"),
        )
        estimate = one.results[0].estimates[0]
        low, high = lower_upper
        bounds = tuple(b.model_copy(update={"lower": low, "upper": high}) for b in estimate.bounds)
        changed = estimate.model_copy(update={"bounds": bounds})
        one.results[0] = one.results[0].model_copy(update={"estimates": (changed,)})
        return one.only()

    assert ranked((1.0, 2.0)).verdict == "supported"
    assert ranked((1.0, 3.0)).verdict == "insufficient_evidence"
    assert ranked((3.0, 4.0)).verdict == "not_supported"
    assert ranked((1.0, 3.0)).would_change
    assert ranked((3.0, 4.0)).would_change


# ----------------------------------------------------------------------------------- contract


def test_a_planned_number_that_nobody_answered_is_our_defect():
    one = study([STRONG])
    one.results[0] = one.results[0].model_copy(update={"estimates": ()})
    with pytest.raises(Contradiction, match=r"C1\.1"):
        one.assess()


def test_a_number_answered_twice_is_our_defect():
    one = study([STRONG])
    one.results.append(one.results[0].model_copy(update={"analysis": "workload"}))
    with pytest.raises(Contradiction, match="twice"):
        one.assess()


def test_assessment_is_canonical_and_reads_back():
    got = study([STRONG, Bar("stop_if_worse_by", 0.05, task="dispute")], [FLAT]).assess()
    content = canonical_json(got)
    assert canonical_json(Assessment.model_validate_json(content)) == content
    assert canonical_json(json.loads(content)) == content


@pytest.mark.parametrize("reach", ["test", "work", "deployment"])
@pytest.mark.parametrize("value", [0.2, 0.05, 0.03, -0.2, None])
@pytest.mark.parametrize("fixed", [None, ("x", "2026-10-01")])
def test_every_verdict_says_what_would_change_it(reach, value, fixed):
    claim = study([Bar("better_by", 0.03, value=value)], reach=reach, fixed=fixed).only()
    assert claim.would_change
    for change in claim.would_change:
        assert change.text.endswith(".")
        assert change.text[0].isupper()
        assert not {"p-value", "significant", "ability", "logit", "power"} & set(
            change.text.lower().replace(",", " ").split()
        )


# ------------------------------------------------------------------- whole studies, at random

STRENGTH = {"supported": 2, "narrowed": 1, "not_supported": 0, "insufficient_evidence": 0}


def random_bars(rng):
    """One to three criteria without block guards, which may gain from doubt."""
    bars = [Bar("better_by", 0.03, value=rng.choice([0.15, 0.08, 0.04, -0.1]), se=0.02)]
    if rng.random() < 0.4:
        tasks = {("tasks", "routine"): (0.12, 0.01), ("tasks", "dispute"): (-0.05, 0.02)}
        bars[0].twins = tasks
    if rng.random() < 0.5:
        bars.append(Bar("worse_by_at_most", 0.05, value=rng.choice([0.05, -0.04, -0.2]), se=0.02))
    if rng.random() < 0.3:
        bars.append(Bar("within", 0.05, value=rng.choice([0.0, 0.04, 0.2]), se=0.01))
    return bars


def random_fields(rng):
    return {
        "reach": rng.choice(["test", "work", "deployment"]),
        "fixed": rng.choice([None, ("x", "2026-10-01")]),
        "statuses": rng.choice([None, {"alpha": "differs", "beta": "same"}]),
        "exploratory": rng.random() < 0.1,
        "divisible_by": rng.choice([(), ("tasks",)]),
    }


def never_stronger(plain, worse):
    assert STRENGTH[worse.verdict] <= STRENGTH[plain.verdict]
    by_part = plain.narrowed_to is not None and plain.narrowed_to.tasks is not None
    if worse.verdict == "not_supported":
        assert plain.verdict == "not_supported" or by_part


@pytest.mark.parametrize("seed", range(4))
def test_worse_whole_studies_never_end_stronger(seed):
    rng = random.Random(seed)
    for _ in range(75):
        bars, fields = random_bars(rng), random_fields(rng)
        plain = study(bars, **fields).only()
        declared = ArgumentThreat(
            what="Drift.",
            affects="estimate",
            bound=rng.choice([None, (-0.01, 0.01), (-0.1, 0.0), (0.0, 0.1)]),
            condition=rng.choice([None, "it stays"]),
        )
        never_stronger(plain, study(bars, **fields, threats=[declared]).only())
        missing = [
            replace(one, identified=(one.value - 0.03, one.value + 0.03), twins=one.twins)
            for one in bars
        ]
        never_stronger(plain, study(missing, **fields).only())
        never_stronger(plain, study(bars, **(fields | {"fixed": None})).only())
        never_stronger(plain, study(bars, **(fields | {"divisible_by": ()})).only())
        never_stronger(plain, study(bars, **fields, systems_known=False).only())


def test_more_data_with_the_same_estimate_never_turns_support_into_doubt():
    for value in (0.05, 0.1, 0.2):
        verdicts = [
            study([Bar("better_by", 0.03, value=value, se=0.1 / n**0.5)]).only().verdict
            for n in (1, 4, 16, 64, 256, 1024)
        ]
        first = verdicts.index("supported")
        assert set(verdicts[first:]) == {"supported"}
