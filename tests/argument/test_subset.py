from audit.argument.criteria import collect
from audit.argument.subset import find_subset
from audit.errors import Reason
from tests.argument.builders import Bar, study, uncovered

TASKS = ("a", "b", "c")
SHARES = (0.5, 0.3, 0.2)


def bars(a=0.1, b=-0.01, c=-0.01, *, se=0.02, value=0.02, **fields):
    twins = {("tasks", t): (v, se) for t, v in zip(TASKS, (a, b, c), strict=True)}
    return Bar("better_by", 0.03, value=value, se=0.02, twins=twins, **fields)


def whole(*claim, **fields):
    values = {"tasks": TASKS, "shares": SHARES, "divisible_by": ("tasks",)}
    return study(list(claim), **(values | fields))


def test_narrowed_to_the_tasks_that_meet_the_bar():
    claim = whole(bars()).only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.tasks == ("a",)
    assert claim.narrowed_to.variants is None
    assert claim.narrowed_to.reach == "work"
    assert claim.reasons[:2] == (Reason.SUBSET_ONLY, Reason.MARGIN_CROSSED)
    assert [one.id for one in claim.subset_criteria] == [f"C1.1@tasks={t}" for t in TASKS]
    assert claim.subset_criteria[0].status == "met"
    assert claim.would_change


def test_failed_wholes_are_narrowed_alike_and_name_the_failure():
    claim = whole(bars(value=-0.1)).only()
    assert claim.verdict == "narrowed"
    assert claim.reasons == (Reason.SUBSET_ONLY, Reason.BAR_FAILED)


def test_no_narrowing_unless_declared():
    assert whole(bars(), divisible_by=()).only().verdict == "insufficient_evidence"


def test_twins_are_held_at_the_simultaneous_bound():
    # .03 + 1.96 * .02 = .0692 < .075 < .03 + 2.39 * .02 = .0778
    assert whole(bars(a=0.075)).only().verdict == "insufficient_evidence"
    assert whole(bars(a=0.079)).only().verdict == "narrowed"


def test_less_than_a_quarter_of_the_work_is_not_enough():
    assert whole(bars(a=-0.01, c=0.1)).only().verdict == "insufficient_evidence"  # c is .2
    assert whole(bars(a=-0.01, b=0.1)).only().narrowed_to.tasks == ("b",)  # b is .3
    assert whole(bars(a=-0.01, b=0.1, c=0.1)).only().narrowed_to.tasks == ("b", "c")


def test_all_values_met_is_no_part():
    one = whole(bars(b=0.1, c=0.1))
    assert find_subset(one.slice, one.slice.plan.claims[0], collect(one.results)) is None


def test_guard_on_all_work_cannot_be_dropped():
    guard = Bar("stop_if_worse_by", 0.05, value=-0.2, se=0.02)
    assert whole(bars(), guard).only().verdict == "not_supported"
    guard = Bar("worse_by_at_most", 0.05, value=-0.03, se=0.02)
    assert whole(bars(), guard).only().verdict == "insufficient_evidence"


def test_guard_of_a_kept_task_must_hold_and_of_a_dropped_one_need_not():
    def judged(task):
        guard = Bar("stop_if_worse_by", 0.05, value=-0.2, se=0.02, task=task)
        return whole(bars(), guard).only()

    assert judged("a").verdict == "not_supported"
    dropped = judged("b")
    assert dropped.verdict == "narrowed"
    assert Reason.BAR_FAILED in dropped.reasons  # the failure is named


def test_twin_of_a_guard_stops_it_only_where_harm_is_shown():
    def judged(value):
        twins = {("tasks", t): (value, 0.02) for t in TASKS}
        guard = Bar("stop_if_worse_by", 0.05, value=0.0, se=0.02, twins=twins)
        return whole(bars(), guard).only().verdict

    assert judged(-0.04) == "narrowed"
    assert judged(-0.2) == "insufficient_evidence"


def test_primary_bar_of_one_task_is_dropped_with_its_task():
    own = Bar("at_least", 0.8, value=0.7, se=0.02, task="b")
    spans = Bar(
        "at_least", 0.5, value=0.6, se=0.02, twins={("tasks", t): (0.6, 0.02) for t in TASKS}
    )
    claim = whole(spans, own, kind="performance", systems=("alpha",)).only()
    assert claim.verdict == "narrowed"
    assert claim.narrowed_to.tasks == ("a", "c")


def test_primary_bar_of_one_task_needs_its_simultaneous_bound_to_be_kept():
    """Bounds at .025 and .0125 only: not as strict as .0084, so its task cannot be kept."""
    own = Bar("at_least", 0.8, value=0.9, se=0.02, task="a")
    spans = Bar(
        "at_least",
        0.5,
        value=0.51,
        se=0.02,
        twins={("tasks", t): (v, 0.02) for t, v in zip(TASKS, (0.6, 0.6, 0.4), strict=True)},
    )
    claim = whole(spans, own, kind="performance", systems=("alpha",)).only()
    assert claim.narrowed_to.tasks == ("b",)


def test_of_several_dimensions_the_larger_share_counts():
    twins = {
        ("tasks", "a"): (0.1, 0.01),
        ("tasks", "b"): (-0.1, 0.01),
        ("tasks", "c"): (-0.1, 0.01),
    }
    twins |= {("variants", v): (p, 0.01) for v, p in zip("xyz", (0.1, 0.1, -0.1), strict=True)}
    one = Bar("better_by", 0.03, value=0.02, se=0.02, twins=twins)
    claim = whole(one, divisible_by=("tasks", "variants"), variants=("x", "y", "z")).only()
    assert claim.narrowed_to.variants == ("x", "y")  # 2 of 3 against .5 of the work
    assert claim.narrowed_to.tasks is None


def test_tasks_without_items_can_be_dropped():
    """The bounded threat of the whole does not touch the twin of a task that has items."""
    one = whole(
        bars(),
        items_by_task={"a": 300, "b": 100, "c": 0},
        result_threats=[uncovered(-0.2, 0.2)],
    )
    assert one.only().narrowed_to.tasks == ("a",)


def test_a_bound_of_the_author_speaks_of_the_whole_only():
    from audit.spec.plan import ArgumentThreat

    threat = ArgumentThreat(what="Drift.", affects="estimate", bound=(-0.001, 0), condition=None)
    assert whole(bars(), threats=[threat]).only().verdict == "insufficient_evidence"
