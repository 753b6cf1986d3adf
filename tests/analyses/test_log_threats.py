"""What the files say against the study: each contradiction is found, named, and not invented."""

import pytest

from audit.analyses.log_threats import log_threats
from audit.responses.accounting import Accounting, FileAccount
from audit.responses.facts import Loss, Reproduction, Run
from tests.analyses.builders import row, table
from tests.analyses.test_intake import intake_slice

ASKED = intake_slice(claims={"c": ("a", "b")})


def run(system="a", **fields):
    values = {
        "file": f"{system}.json", "system": system, "task": "sums", "task_version": "1",
        "harness": "inspect_ai 0.3.285", "configuration": {"generate.temperature": "0"},
        "samples_claimed": 2, "samples_held": 2, "items_in_test": 2,
    }  # fmt: skip
    return Run(**(values | fields))


def accounting(runs=(), **fields):
    files = {one.file: one.samples_held for one in runs}
    values = {
        "source": "s", "source_digest": "d", "systems": (), "items": 2, "clusters": 2,
        "clustered": False, "items_by_task": {"": 2}, "variants": {"base": 4},
        "earliest_date": None, "latest_date": None, "unit": {"correct": "share"}, "runs": runs,
        "files": tuple(
            FileAccount(file=name, digest="d", rows_read=rows, rows_kept=rows, rows_left_out={})
            for name, rows in files.items()
        ),
    }  # fmt: skip
    return Accounting(**(values | fields))


ROWS = [row(system, item, 1) for system in "ab" for item in ("q1", "q2")]


def threats(account, rows=ROWS, checked=(), asked=ASKED):
    return {one.code: one for one in log_threats(account, table(rows), checked, asked)}


def test_a_table_that_says_nothing_raises_and_closes_nothing():
    assert threats(accounting()) == {}


def test_logs_that_agree_with_the_study_and_each_other_close_what_they_can():
    found = threats(accounting((run("a"), run("b"))))
    assert {code: one.state for code, one in found.items()} == {
        "configuration_mixed": "closed",
        "samples_missing": "closed",
    }


def test_a_threat_names_only_claims_of_its_systems():
    asked = intake_slice(claims={"c": ("a",), "d": ("b",)})
    runs = (run("a"), run("b"), run("b", configuration={"generate.temperature": "1"}))
    found = list(log_threats(accounting(runs), table(ROWS), (), asked))
    assert [one.claims for one in found if one.state == "open"] == [("d",)]


# ----------------------------------------------------------------------------------- configurations


def test_one_name_with_two_configurations():
    runs = (run(), run(configuration={"generate.temperature": "0.7"}), run("b"))
    one = threats(accounting(runs))["configuration_mixed"]
    assert (one.affects, one.state) == ("estimate", "open")
    assert "a: generate.temperature 0 or 0.7" in one.text


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        ({"task_args.framing": "plain"}, {"task_args.framing": "polite"}, ("task_args.framing",)),
        (
            {"task_args.framing": "plain", "solver": "generate"},
            {"task_args.framing": "polite", "solver": "system_message > generate"},
            ("task_args.framing",),
        ),
        ({"generate.seed": "1"}, {"generate.seed": "2"}, ()),
        ({"random_seed": "1"}, {"random_seed": "2"}, ()),
    ],
    ids=["what tells variants apart", "what follows from it", "a seed", "a seed of lm_eval"],
)
def test_what_may_differ_within_a_system(first, second, asked):
    account = accounting((run(configuration=first), run(configuration=second)))
    told = intake_slice(claims={"c": ("a",)}, told_apart=asked)
    assert threats(account, asked=told)["configuration_mixed"].state == "closed"


def test_tasks_have_prompts_of_their_own_and_models_one_temperature():
    prompts = (run(configuration={"doc_to_text": "x"}), run(task="b", configuration={}))
    assert threats(accounting(prompts))["configuration_mixed"].state == "closed"
    models = (run(), run(task="b", configuration={"generate.temperature": "1"}))
    assert threats(accounting(models))["configuration_mixed"].state == "open"


@pytest.mark.parametrize(
    ("tested", "contradicts"),
    [
        ({"sampling": {"temperature": 0}}, False),
        ({"sampling": {"temperature": 0.0, "top_p": 1}}, False),
        ({"sampling": {"temperature": 0.7}}, True),
        ({"harness": "inspect_ai 0.3.285"}, False),
        ({"harness": "inspect_ai 0.3.100"}, True),
        ({"harness": "our own"}, False),
    ],
)
def test_the_declared_configuration_against_the_logs(tested, contradicts):
    asked = intake_slice(claims={"c": ("a",)}, tested={"a": tested})
    found = threats(accounting((run(),)), asked=asked)
    assert ("configuration_contradicts" in found) == contradicts


# --------------------------------------------------------------------------------------- the others


def test_another_version_of_the_test_and_of_the_harness():
    found = threats(accounting((run("a"), run("b", task_version="2", harness="inspect_ai 0.4"))))
    assert found["test_version_mixed"].affects == "estimate"
    assert "sums: 1 or 2" in found["test_version_mixed"].text
    assert found["harness_mixed"].affects == "validity"


def test_versions_of_different_tests_are_not_compared():
    found = threats(accounting((run("a"), run("a", task="b", task_version="7"), run("b"))))
    assert "test_version_mixed" not in found


def test_one_id_with_two_contents_among_the_compared():
    rows = [
        row("a", "q1", 1, item_hash="x"),
        row("b", "q1", 1, item_hash="y"),
        row("a", "q2", 1, item_hash="z"),
        row("b", "q2", 1, item_hash="z"),
    ]
    one = threats(accounting(), rows)["item_changed"]
    assert (one.affects, one.state) == ("estimate", "open")
    assert "1 of 2 items" in one.text
    # a third system's own text concerns no claim of a and b
    same = [*rows[2:], row("c", "q2", 1, item_hash="other")]
    assert threats(accounting(), same)["item_changed"].state == "closed"


def test_two_wordings_of_an_item_are_two_contents_by_design():
    rows = [row(one, "q1", 1, item_hash="x") for one in "ab"]
    rows += [row(one, "q1", 1, item_hash="y", variant="short") for one in "ab"]
    assert threats(accounting(), rows)["item_changed"].state == "closed"


def test_fewer_answers_than_the_log_says():
    short = run("a", samples_claimed=12, samples_held=9)
    one = threats(accounting((short, run("b"))))["samples_missing"]
    assert (one.affects, one.state) == ("estimate", "open")
    assert "a: 9 of 12 in a.json" in one.text


def test_answers_put_back_as_not_run_are_bounded_not_open():
    early = run("a", state="error", samples_claimed=3, samples_held=2)
    account = accounting((early, run("b")))
    files = tuple(
        one.model_copy(update={"rows_read": 3}) if one.file == "a.json" else one
        for one in account.files
    )
    found = threats(account.model_copy(update={"files": files}))
    assert found["samples_missing"].state == "closed"
    assert found["run_unfinished"].affects == "validity"
    assert "a (error): 2 of 3 answered" in found["run_unfinished"].text


def test_a_part_of_the_test():
    part = run("a", items_in_test=2376, samples_claimed=3, samples_held=3)
    text = threats(accounting((part,)))["run_limited"].text
    assert "a: 3 of 2,376 items" in text
    asked = intake_slice(claims={"c": ("a",)}, chosen="all")
    assert "although all items" in threats(accounting((part,)), asked=asked)["run_limited"].text


def test_a_run_with_epochs_is_no_part():
    whole = run("a", configuration={"epochs": "3"}, items_in_test=4, samples_claimed=12)
    assert "run_limited" not in threats(accounting((whole,)))


def test_a_run_that_was_marked_as_invalid():
    loss = Loss(file="a.json", code="invalidated", count=2, text="2 samples are marked as invalid")
    found = threats(accounting((run("a"), run("b")), losses=(loss,)))
    assert found["run_invalidated"].state == "open"


@pytest.mark.parametrize(
    ("earliest", "refuted"), [("2026-09-30", True), ("2026-10-01", False), (None, False)]
)
def test_responses_older_than_a_blind_choice(earliest, refuted):
    asked = intake_slice(claims={"c": ("a",)}, blind_to_scores=True, chosen_on="2026-10-01")
    found = threats(accounting(earliest_date=earliest), asked=asked)
    assert ("blindness_refuted" in found) == refuted


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (("agrees", "close"), "closed"),
        (("agrees", "contradicts"), "open"),
        (("impossible",), "open"),
        (("not_checked",), None),
    ],
)
def test_published_figures(states, expected):
    checked = [
        Reproduction(
            file="a.json", system="a", metric="correct", aggregation="accuracy", published=0.5,
            recomputed=None if state == "not_checked" else 0.4, items=10, state=state,
        )
        for state in states
    ]  # fmt: skip
    found = threats(accounting(), checked=checked).get("aggregate_contradicts")
    assert (found.state if found else None) == expected
