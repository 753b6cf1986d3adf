import pytest

from audit.errors import Reason
from audit.report.lookup import Lookup
from audit.report.reasons import REASON_WORDS, VERDICT_WORDS
from audit.report.rounding import scale_of
from audit.report.wording import (
    bar_text,
    criterion_text,
    criterion_words,
    deciding_outcomes,
    natural_bars,
    scope_words,
)
from audit.report.words import plain
from tests.report.builders import criterion, evidence, verdict


def test_every_reason_has_words():
    assert set(REASON_WORDS) == set(Reason)
    assert set(VERDICT_WORDS) == {
        "supported",
        "narrowed",
        "not_supported",
        "insufficient_evidence",
    }


@pytest.mark.parametrize(
    ("bar", "sign", "bars", "good"),
    [
        ("at_least", 1, (0.05,), "above"),
        ("at_most", -1, (0.05,), "below"),
        ("better_by", 1, (0.05,), "above"),
        ("better_by", -1, (-0.05,), "below"),
        ("worse_by_at_most", 1, (-0.05,), "above"),
        ("worse_by_at_most", -1, (0.05,), "below"),
        ("within", 1, (-0.05, 0.05), "between"),
        ("stop_if_worse_by", 1, (-0.05,), "above"),
        ("stop_if_worse_by", -1, (0.05,), "below"),
    ],
)
def test_bars_turn_with_the_measure(bar, sign, bars, good):
    assert natural_bars(criterion("c", bar=bar, bar_value=0.05), sign) == (bars, good)


@pytest.mark.parametrize(
    ("bar", "sign", "text"),
    [
        ("better_by", 1, "above +3 points"),
        ("better_by", -1, "below −3 points"),
        ("worse_by_at_most", 1, "at least −3 points"),
        ("worse_by_at_most", -1, "at most +3 points"),
        ("within", 1, "between −3 and +3 points"),
        ("stop_if_worse_by", 1, "stop only if shown to be below −3 points"),
    ],
)
def test_bars_of_differences_in_words(bar, sign, text):
    found = criterion("c", bar=bar, bar_value=0.03)
    assert bar_text(found, sign, scale_of("share"), difference=True) == text


def test_no_bar_of_zero_carries_a_sign():
    found = criterion("c", bar="better_by", bar_value=0.0)
    assert bar_text(found, 1, scale_of("share"), difference=True) == "above 0 points"


def _words(claim, outcome):
    whole = evidence((verdict(claim, "supported", (outcome,)),), answer="none", deciding=None)
    lookup = Lookup(whole)
    found = lookup.verdicts[claim]
    return plain(criterion_words(lookup, found, outcome, criterion_text(lookup, found, outcome)))


def test_a_loss_is_worded_in_its_own_unit():
    outcome = criterion(
        "take", measure="expected_loss", unit="staff hours per task", numbers=(-0.4, -0.61, -0.19)
    )
    assert _words("take", outcome) == (
        "Alpha minus Beta, expected loss: −0.40 staff hours per task "
        "(95% interval −0.61 to −0.19). Bar: above +0.03 staff hours per task."
    )


def test_a_missing_number_is_said_with_its_reason():
    assert "not estimable (only 7 items; at least 10 are needed)" in _words(
        "fit", criterion("fit", bar="at_least", bar_value=0.7, status="undetermined", numbers=None)
    )


def test_places_are_worded_with_their_field():
    outcome = criterion(
        "first", bar="at_most", bar_value=2, numbers=(3, 2, 4), measure="rank", unit="place"
    )
    assert _words("first", outcome) == (
        "Beta is at place 3 of 4 (97.5% set of places: 2 to 4). Bar: place 2 or before."
    )


def test_the_scope_names_tasks_variants_versions_and_source():
    lookup = Lookup(evidence())
    assert plain(scope_words(lookup, lookup.verdicts["take"], 6)) == (
        "All 3 tasks; variants base and short; version “4.1” default and version “2.0” default; "
        "source october."
    )


def test_failed_criteria_decide_before_undetermined_ones():
    found = verdict(
        "take",
        "not_supported",
        (
            criterion("take", 1),
            criterion("take", 2, status="undetermined"),
            criterion("take", 3, status="failed"),
        ),
    )
    assert [one.id for one in deciding_outcomes(found)] == ["take.3", "take.2", "take.1"]
