import numpy as np
import pytest

from audit.analyses.arrays import cells_of, item_scores, planned_attempts, prepare
from audit.analyses.samples import one_sample, pair_sample
from audit.spec.models import UNSCORED_DEFAULT
from tests.analyses.builders import BINARY, ERRORS, PERCENT, SECONDS, row, scored, table


def made(rows, metric=BINARY, unscored=UNSCORED_DEFAULT, **fields):
    return prepare(table(rows, **fields), metric, unscored)


def scores(responses, system, planned=None, variants=("base",)):
    cells = cells_of(responses, system, variants)
    if planned is None:
        planned = cells.attempts
    return item_scores(cells, planned, responses.lower, responses.upper)


def test_a_cell_is_the_mean_of_its_attempts():
    rows = [row("a", "q", score, attempt=at) for at, score in enumerate((1, 0, 0, 1, 1))]
    found = scores(made(rows), "a")
    assert found.value == pytest.approx([0.6])
    assert found.low == found.high == found.value
    assert not found.bounded.any()


def test_samples_weigh_an_attempt_inside_its_cell():
    # (10 * .3 + 30 * .5) / 40 = .45
    rows = [
        row("a", "q", 0.3, attempt=0, samples=10, metric="solved"),
        row("a", "q", 0.5, attempt=1, samples=30, metric="solved"),
    ]
    responses = made(rows, metric=BINARY.model_copy(update={"id": "solved", "kind": "proportion"}))
    assert scores(responses, "a").value == pytest.approx([0.45])


@pytest.mark.parametrize(
    ("status", "low", "high"),
    [
        ("refused", 0, 0),
        ("timeout", 0, 0),
        ("limit", 0, 0),
        ("unparsed", 0, 0),
        ("error", 0, 1),
        ("not_run", 0, 1),
        ("excluded", 0, 1),
        (None, 0, 1),
        ("ok", 0, 1),
    ],
)
def test_a_row_without_score_counts_as_its_status_says(status, low, high):
    found = scores(made([row("a", "q", None, status=status)]), "a")
    assert (found.low[0], found.high[0]) == (low, high)
    assert found.complete[0] == (low == high)


@pytest.mark.parametrize("status", ["refused", "timeout", "error", "excluded"])
def test_a_row_with_a_score_keeps_it(status):
    found = scores(made([row("a", "q", 1, status=status)]), "a")
    assert found.low[0] == found.high[0] == 1


def test_wrong_is_the_upper_end_where_lower_is_better():
    rows = [row("a", "q", None, status="refused", metric="errors")]
    found = scores(made(rows, metric=ERRORS), "a")
    assert found.low[0] == found.high[0] == 100


def test_wrong_has_no_value_without_a_range():
    rows = [row("a", "q", None, status="refused", metric="seconds")]
    found = scores(made(rows, metric=SECONDS), "a")
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)
    assert found.bounded[0]


def test_declared_rules_override():
    rows = [row("a", "q", None, status="error"), row("a", "r", None, status="refused")]
    found = scores(made(rows, unscored={"error": "wrong", "refused": "bounds"}), "a")
    assert found.high.tolist() == [0, 1]


def test_absent_attempts_are_bounded_at_both_ends():
    # 1, 0 of four planned: (1 + 0) / 4 and (1 + 2) / 4
    rows = [row("a", "q", 1), row("a", "q", 0, attempt=1)]
    found = scores(made(rows), "a", planned=np.array([[4]]))
    assert (found.low[0], found.high[0]) == (0.25, 0.75)
    assert found.value[0] == 0.5
    assert found.complete[0]
    assert found.bounded[0]


def test_absent_samples_are_not_attempts():
    rows = [row("a", "q", 0.5, samples=10), row("b", "q", 0.3, samples=40)]
    metric = BINARY.model_copy(update={"kind": "proportion"})
    sample = pair_sample(made(rows, metric=metric), "a", "b", ("base",))
    assert sample.low[0] == sample.high[0] == pytest.approx(0.2)
    assert sample.kind == "graded"


def test_planned_attempts_are_the_most_frequent_number():
    rows = [row("a", f"q{i}", 1, attempt=at) for i, n in enumerate((3, 3, 2, 5)) for at in range(n)]
    responses = made(rows)
    assert set(planned_attempts(cells_of(responses, "a", ("base",))).ravel()) == {3}
    sample = one_sample(responses, "a", ("base",))
    assert sample.bounded.tolist() == [False, False, True, False]
    # two of three right: (2 + 0) / 3 and (2 + 1) / 3
    assert (sample.low[2], sample.high[2]) == pytest.approx((2 / 3, 1))


def test_variants_are_averaged_with_equal_weight_and_all_are_needed():
    rows = [row("a", "q", 1), row("a", "q", 0, variant="short"), row("a", "r", 1)]
    found = scores(made(rows), "a", variants=("base", "short"))
    assert found.low.tolist() == [0.5, 0.5]
    assert found.high.tolist() == [0.5, 1.0]
    assert found.complete.tolist() == [True, False]


def test_an_item_that_neither_answered_in_every_variant_is_left_out():
    rows = [
        row("a", "q", 1),
        row("a", "q", 1, variant="short"),
        row("b", "q", 1),
        row("a", "r", 1),
        row("b", "r", 0, variant="short"),
        row("c", "s", 1),
    ]
    sample = pair_sample(made(rows), "a", "b", ("base", "short"))
    assert len(sample) == 1
    assert sample.left_out_in(()) == 2
    # b lacks the short form of q: (1 - 1 + 1 - 1) / 2 and (1 - 1 + 1 - 0) / 2
    assert (sample.low[0], sample.high[0]) == (0, 0.5)


def test_an_error_of_both_bounds_the_difference_at_both_ends():
    rows = [row(name, "q", None, status="error") for name in "ab"]
    sample = pair_sample(made(rows), "a", "b", ("base",))
    assert (sample.low[0], sample.high[0]) == (-1, 1)


def test_missing_cells_keep_binary_differences():
    rows = scored({"a": [1, None, 0, 1], "b": [1, 1, None, 0]})
    sample = pair_sample(made(rows), "a", "b", ("base",))
    assert sample.kind == "binary_difference"
    assert sample.low.tolist() == [0, -1, -1, 1]
    assert sample.high.tolist() == [0, 0, 0, 1]


def test_one_system_answers_for_every_item_of_the_source():
    rows = [row("a", "q", 1), row("b", "r", 1)]
    sample = one_sample(made(rows, extra_items=[("s", None)]), "a", ("base",))
    assert sample.low.tolist() == [1, 0, 0]
    assert sample.high.tolist() == [1, 1, 1]


def test_items_that_a_metric_does_not_score_for_anybody_are_no_items_of_it():
    rows = [row("a", "q", 1), row("a", "r", 1, metric="other")]
    sample = one_sample(made(rows), "a", ("base",))
    assert len(sample) == 1


def test_losses_are_shares_of_the_range_lost():
    rows = [row("a", "q", 80, metric="points"), row("b", "q", 30, metric="points")]
    responses = made(rows, metric=PERCENT)
    assert one_sample(responses, "a", ("base",), loss=True).low[0] == pytest.approx(0.2)
    pair = pair_sample(responses, "a", "b", ("base",), loss=True)
    assert pair.low[0] == pytest.approx(-0.5)
    assert (pair.lower, pair.upper) == (-1, 1)
    rows = [row("a", "q", 80, metric="errors")]
    responses = made(rows, metric=ERRORS)
    assert one_sample(responses, "a", ("base",), loss=True).low[0] == pytest.approx(0.8)


def test_items_without_a_cluster_stand_alone():
    rows = [row("a", "q", 1, cluster="z"), row("a", "r", 1), row("a", "s", 1, cluster="z")]
    assert made(rows).cluster.tolist() == [0, 2, 0]
    assert made([row("a", "q", 1)]).cluster is None


def test_order_of_rows_does_not_matter():
    rows = scored({"a": [0.1, 0.7, 0.3], "b": [0.9, 0.2, 0.4]}, metric="solved")
    metric = BINARY.model_copy(update={"id": "solved", "kind": "proportion"})
    one, other = made(rows, metric), made(rows[::-1], metric)
    for name in ("known_sum", "known_weight", "attempts"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
