import pytest

from audit.argument.timing import when_fixed
from audit.spec.plan import LockEntry
from tests.argument.builders import DATA, DIGEST, Bar, study

OTHER = "sha256:" + "b" * 64


def entry(at, decision=DIGEST, sources=None):
    return LockEntry(at=at, decision=decision, sources=sources or {}, program="0")


def timing(earliest="2026-10-05", fixed=None, lock=()):
    one = study([Bar("better_by", 0.03)], earliest=earliest, fixed=fixed, lock=lock)
    return when_fixed(one.slice, one.accounting)


@pytest.mark.parametrize(
    ("at", "earliest", "expected"),
    [
        ("2026-10-04T23:59:00+00:00", "2026-10-05", "verified"),
        ("2026-10-05T00:01:00+00:00", "2026-10-05", "after"),  # same day, bare date
        ("2026-10-05T08:00:00+00:00", "2026-10-05T09:00:00+00:00", "verified"),
        ("2026-10-05T09:00:00+00:00", "2026-10-05T09:00:00+00:00", "after"),
        ("2026-10-05T10:30:00+02:00", "2026-10-05T09:00:00+00:00", "verified"),  # 08:30 UTC
        ("2026-10-05T08:00:00+00:00", "2026-10-05T09:00:00", "after"),  # no zone: a bare date
        ("2026-10-05T08:00:00+00:00", None, "after"),  # undated responses verify nothing
        ("2026-10-05T08:00:00Z", "2026-10-05 09:00:00Z", "verified"),
        ("nonsense", "2026-10-05", "after"),
        ("2026-10-04T08:00:00+00:00", "some day", "after"),
        ("2026-10-04", "2026-10-05", "verified"),
    ],
)
def test_verified_only_if_locked_before_the_earliest_response(at, earliest, expected):
    assert timing(earliest, lock=[entry(at)]).timing == expected


def test_a_later_lock_of_the_same_decision_does_not_undo_the_first():
    lock = [entry("2026-10-01T00:00:00+00:00"), entry("2026-11-01T00:00:00+00:00")]
    got = timing(lock=lock)
    assert got.timing == "verified"
    assert "2026-10-01" in got.text


def test_another_decision_locked_verifies_nothing():
    assert timing(lock=[entry("2026-10-01T00:00:00+00:00", OTHER)]).timing == "after"


def test_stated_by_a_named_person():
    got = timing(fixed=("head of support", "2026-10-01"))
    assert got.timing == "stated"
    assert got.text == (
        "Stated, not verified: according to “head of support” the criteria stood on 2026-10-01, "
        "before any score was seen."
    )


def test_stated_after_the_first_response_rests_on_the_word_alone():
    got = timing(fixed=("head of support", "2026-10-09"))
    assert got.timing == "stated"
    assert "only this word shows it" in got.text


def test_unknown_counts_as_after():
    got = timing()
    assert got.timing == "after"
    assert not got.changed
    assert got.text.startswith("Nobody states")


def test_other_criteria_locked_for_the_same_data_mean_changed():
    lock = [entry("2026-10-08T00:00:00+00:00", OTHER, {"s": DATA})]
    got = timing(fixed=("x", "2026-10-01"), lock=lock)
    assert got.timing == "after"
    assert got.changed


def test_changed_even_if_locked_again():
    lock = [
        entry("2026-10-08T00:00:00+00:00", OTHER, {"s": DATA}),
        entry("2026-10-09T00:00:00+00:00", DIGEST, {"s": DATA}),
    ]
    assert timing(fixed=("x", "2026-10-01"), lock=lock).changed


def test_other_criteria_for_other_data_are_no_change():
    lock = [entry("2026-09-08T00:00:00+00:00", OTHER, {"s": "sha256:" + "c" * 64})]
    assert timing(fixed=("x", "2026-10-01"), lock=lock).timing == "stated"


def test_other_criteria_tried_after_the_first_lock_are_no_change_of_the_first():
    lock = [
        entry("2026-10-01T00:00:00+00:00"),
        entry("2026-10-08T00:00:00+00:00", OTHER, {"s": DATA}),
    ]
    assert timing(lock=lock).timing == "verified"


def test_a_statement_older_than_another_lock_is_contradicted():
    lock = [entry("2026-10-03T00:00:00+00:00", OTHER)]
    got = timing(fixed=("x", "2026-10-01"), lock=lock)
    assert got.timing == "after"
    assert got.changed


def test_a_lock_before_the_responses_wins_over_a_stale_statement():
    lock = [
        entry("2026-10-02T00:00:00+00:00", OTHER),
        entry("2026-10-03T00:00:00+00:00"),
    ]
    assert timing(fixed=("x", "2026-10-01"), lock=lock).timing == "verified"


def test_sources_that_no_claim_uses_do_not_count():
    one = study([Bar("better_by", 0.03)], fixed=None, lock=[entry("2026-10-01T00:00:00+00:00")])
    unused = one.accounting[0].model_copy(update={"source": "old", "earliest_date": "2020-01-01"})
    assert when_fixed(one.slice, [*one.accounting, unused]).timing == "verified"


@pytest.mark.parametrize("name", ["x" * 5000, "<b>", "a\nb"])
def test_hostile_names_stay_one_short_sentence(name):
    text = timing(fixed=(name, "2026-10-01")).text
    assert len(text) < 300
