"""The plan: criteria and requests against the table that leads from the language to verdicts."""

import pytest

from audit.spec.planning import make_plan, task_weights, weights_kind
from tests.spec.builders import MINIMAL, RICH, changed, load


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    return make_plan(load(tmp_path_factory.mktemp("rich"), RICH).study)


def criterion(plan, ident):
    return next(one for claim in plan.claims for one in claim.criteria if one.id == ident)


def request(plan, ident):
    return next(one for one in plan.requests if one.id == ident)


@pytest.mark.parametrize(
    ("ident", "sign", "form", "role", "policy", "margin", "error"),
    [
        # level .95: a1 = .025, a2 = .05; level .9: a2 = .1
        ("pair.1", 1, "above", "primary", "show", 0.02, 0.025),
        ("pair.2", -1, "above", "guard", "show", -0.5, 0.05),  # a loss, beside another bar
        ("pair.3", 1, "above", "guard", "block", -0.05, 0.05),
        ("same.1", 1, "within", "primary", "show", 0.05, 0.1),
        ("tolerated.1", 1, "above", "primary", "show", -0.04, 0.05),  # only a stop beside it
        ("tolerated.2", -1, "above", "guard", "block", -2.0, 0.05),  # seconds: less is better
        ("good.1", 1, "above", "primary", "show", 70.0, 0.025),
        ("good.2", -1, "above", "primary", "show", -9.0, 0.025),
        ("order.1", -1, "above", "primary", "show", -1.5, 0.05),
        ("order.2", -1, "above", "primary", "show", -2.5, 0.05),
    ],
)
def test_criteria_follow_the_table(rich, ident, sign, form, role, policy, margin, error):
    one = criterion(rich, ident)
    assert (one.sign, one.form, one.role, one.policy) == (sign, form, role, policy)
    assert one.margin == pytest.approx(margin)
    assert one.error == error
    count = sum(other.claim == one.claim for claim in rich.claims for other in claim.criteria)
    assert one.error_adjusted == pytest.approx(error / count)


def test_only_guards_of_severe_tasks_are_severe(rich):
    severe = [one.id for claim in rich.claims for one in claim.criteria if one.severe]
    assert severe == ["pair.3"]


def test_twins_are_single_values_of_what_may_be_divided(rich):
    tasks = [f"pair.1@tasks={one}" for one in ("easy", "hard", "rare")]
    variants = ["pair.1@variants=base", "pair.1@variants=short"]
    assert list(criterion(rich, "pair.1").twins) == tasks + variants
    assert len(criterion(rich, "pair.2").twins) == 5
    # its own task is one value already
    assert list(criterion(rich, "pair.3").twins) == [one.replace(".1", ".3") for one in variants]
    assert criterion(rich, "pair.1").error_twins == pytest.approx(1 - 0.975 ** (1 / 5))
    assert criterion(rich, "same.1").twins == ()
    assert criterion(rich, "same.1").error_twins is None


def test_a_primary_criterion_of_one_task_is_one_of_the_values(rich):
    """order is divided by three tasks; its second criterion is about one of them."""
    single = pytest.approx(1 - 0.975 ** (1 / 3))
    assert criterion(rich, "order.2").role == "primary"
    assert criterion(rich, "order.2").twins == ()
    assert criterion(rich, "order.2").error_twins == single
    assert request(rich, "order.2").errors == (0.05, 0.025, single)
    assert criterion(rich, "order.1").error_twins == single
    assert request(rich, "order.1").errors == (0.05, 0.025)


def test_requests_carry_scope_and_errors(rich):
    whole = request(rich, "pair.1")
    assert (whole.analysis, whole.source, whole.of, whole.over) == ("comparison", "one", "a", "b")
    assert (whole.tasks, whole.variants) == (("easy", "hard", "rare"), ("base", "short"))
    assert whole.errors == (0.025, pytest.approx(0.025 / 3))
    twin = request(rich, "pair.1@tasks=hard")
    assert (twin.tasks, twin.variants, twin.criterion) == (("hard",), ("base", "short"), "pair.1")
    assert twin.errors == (pytest.approx(1 - 0.975 ** (1 / 5)),)
    own = request(rich, "pair.3")
    assert own.tasks == ("rare",)
    assert own.errors[2] == pytest.approx(1 - 0.975 ** (1 / 5))  # also one of the divided values
    assert request(rich, "pair.3@variants=short").tasks == ("rare",)
    assert request(rich, "order.1").among == ("b", "c")
    assert request(rich, "good.1").variants == ("short",)
    assert request(rich, "good.1").analysis == "workload"


def test_every_twin_has_its_request(rich):
    known = {one.id for one in rich.requests}
    assert len(known) == len(rich.requests)
    for claim in rich.claims:
        for one in claim.criteria:
            assert {one.id, *one.twins} <= known


def test_claims_know_their_field(rich):
    claims = {one.id: one for one in rich.claims}
    assert claims["order"].systems == ("a", "b", "c")
    assert claims["pair"].reach == "test"  # research
    assert claims["same"].tasks == ("easy", "hard")


def test_minimal_plan(tmp_path):
    study = load(tmp_path, MINIMAL).study
    plan = make_plan(study)
    assert plan.claims[0].reach == "work"
    assert [one.measure for one in plan.claims[0].criteria] == ["expected_success"] * 2
    assert plan.claims[0].criteria[1].severe
    assert weights_kind(study) == "count"
    weights = task_weights(study)
    assert [one.count for one in weights] == [8617, 597]
    assert sum(one.share for one in weights) == pytest.approx(1)
    assert weights[1].share == pytest.approx(597 / 9214)


def test_without_a_workload_all_items_count(tmp_path):
    begin, end = MINIMAL.index("workload:"), MINIMAL.index("systems:")
    text = changed(
        MINIMAL[:begin] + MINIMAL[end:], (", {task: dispute, stop_if_worse_by: 0.05}", "")
    )
    study = load(tmp_path, text).study
    plan = make_plan(study)
    assert plan.requests[0].measure == "mean"
    assert plan.requests[0].tasks == ()
    assert task_weights(study) == ()
    assert weights_kind(study) == "none"


def test_lower_is_better_turns_differences(tmp_path):
    text = changed(
        MINIMAL, ("claims:", "metrics: {correct: {kind: binary, better: lower}}\nclaims:")
    )
    assert make_plan(load(tmp_path, text).study).claims[0].criteria[0].sign == -1
