"""Whole studies of known content: what missing rows, units, mirrors and names do to verdicts."""

import random

import pytest

from audit.errors import DataError, Reason
from audit.report.view import make_view
from audit.report.words import plain
from tests.real.whole import as_csv, run_whole, write_study

COLUMNS = ("system", "item", "score")


def study_of(name, claims, *, systems=("candidate", "today"), metric=None, files="rows.csv"):
    """A selection study of one task with stated timing and systems deployed as tested."""
    study = {
        "schema": 1,
        "study": name,
        "title": "Which of the two?",
        "decision": {
            "purpose": "selection",
            "question": "Which of the two answers from March on?",
            "owner": "Support",
            "valid_until": "2027-09-01",
            "smallest_difference": 0.03,
            "rests_on": list(claims),
            "fixed": {"by": "head of support", "on": "2026-10-01"},
        },
        "workload": {
            "whose": "customers",
            "basis": "all questions of October",
            "tasks": {"question": {"count": 9214, "needs": "answer from the pages"}},
        },
        "systems": {one: {"version": "1", "family": one, "deployed": "same"} for one in systems},
        "sources": {
            "october": {
                "files": files,
                "task": "question",
                "chosen": "random",
                "blind_to_scores": True,
                "why": "drawn from that month",
            }
        },
        "claims": claims,
    }
    if metric is not None:
        study["metrics"] = {"correct": metric}
    return study


def comparison(of, over, **bar):
    return {
        "kind": "comparison",
        "of": of,
        "over": over,
        "statement": f"{of} answers more than {over}.",
        "warrant": "same questions",
        "criteria": [bar],
    }


def outcomes(both, gains, losses, neither):
    """Pairs (of, over) in a fixed order."""
    return [(1, 1)] * both + [(1, 0)] * gains + [(0, 1)] * losses + [(0, 0)] * neither


def rows_of(pairs, of="candidate", over="today"):
    rows = []
    for place, (first, second) in enumerate(pairs):
        rows += [(of, f"q{place:04d}", first), (over, f"q{place:04d}", second)]
    return rows


# --------------------------------------------------------------------- a tenth of failures missing

# 2,000 items; today solves 1,400. The candidate alone solves 33, today alone 48: -15/2000.
# The candidate fails 48 + 567 = 615; 61 of them (a tenth) have no row: 5 where today solves, 56
# where both fail. All lost rows wrong: -15/2000; all right: (33 + 56 - 43)/2000 = 46/2000 = 0.023.
PAIRS = outcomes(both=1352, gains=33, losses=48, neither=567)
LOST = {1352 + 33 + place for place in range(5)} | {1433 + 10 * place for place in range(56)}


def lossy_rows():
    lost = {f"q{place:04d}" for place in LOST}
    rows = [row for row in rows_of(PAIRS) if not (row[0] == "candidate" and row[1] in lost)]
    assert len(rows) == 4000 - 61
    assert all(PAIRS[place][0] == 0 for place in LOST)
    return rows


@pytest.fixture(scope="module")
def lossy(tmp_path_factory):
    claims = {
        "there": comparison("candidate", "today", better_by=0),
        "back": comparison("today", "candidate", better_by=0),
    }
    study = study_of("lossy", claims)
    content = as_csv(lossy_rows(), COLUMNS)
    return run_whole(write_study(tmp_path_factory.mktemp("lossy"), study, {"rows.csv": content}))


def test_missing_failures_leave_the_evidence_insufficient(lossy):
    verdict = lossy.claim("there")
    assert verdict.verdict == "insufficient_evidence"
    assert Reason.MISSING_BOUNDS_CROSS in verdict.reasons


def test_missing_rows_bound_the_difference_both_ways(lossy):
    found = lossy.estimate("there.1")
    assert found.identified == pytest.approx((-15 / 2000, 46 / 2000))
    assert found.missing_items == 61
    # on the items that both have: 33 gains, 43 losses of 1,939
    assert found.value == pytest.approx(-10 / 1939)
    assert found.bounds_if_low
    assert found.bounds_if_high
    outcome = lossy.claim("there").criteria[0]
    assert outcome.lower < -15 / 2000
    assert outcome.upper > 46 / 2000


def test_each_treatment_alone_would_have_decided(lossy):
    """As if all were right, better; as if all were wrong, not shown better."""
    found = lossy.estimate("there.1")
    assert all(one.lower > 0 for one in found.bounds_if_high)
    assert all(one.lower < 0 for one in found.bounds_if_low)


def test_swapping_the_systems_mirrors_the_missing_bounds(lossy):
    there, back = lossy.estimate("there.1"), lossy.estimate("back.1")
    assert back.value == pytest.approx(-there.value)
    assert back.identified == pytest.approx((-there.identified[1], -there.identified[0]))
    for one, other in zip(there.bounds, back.bounds, strict=True):
        assert (other.lower, other.upper) == pytest.approx((-one.upper, -one.lower))
    mirrored = lossy.claim("back")
    assert mirrored.verdict == "insufficient_evidence"
    assert Reason.MISSING_BOUNDS_CROSS in mirrored.reasons


def test_page_one_shows_both_bounds_of_what_is_missing(lossy):
    """-15/2000 and 46/2000, each with its interval, in both directions."""
    lost = [plain(words) for words in make_view(lossy.evidence()).one.tested.lost]
    there, back = lost[:2]
    assert there.startswith("there.1, 61 items with responses missing: all taken as lowest −0.75 ")
    assert "as highest +2.3 points (" in there
    assert "all taken as lowest −2.3 points (" in back
    assert "as highest +0.75 points (" in back
    assert "candidate: 61 items without a row." in lost


def test_lost_rows_are_counted_for_the_system_that_lost_them(lossy):
    lost = {one.system: one.missing_items for one in lossy.accounting("october").systems}
    assert lost == {"candidate": 61, "today": 0}


# ----------------------------------------------------------------------------------- percent, share


def test_percent_beside_share_is_refused_with_its_row(tmp_path):
    percent = as_csv([("candidate", f"q{n}", 40 + n) for n in range(20)], COLUMNS)
    share = as_csv([("today", f"q{n}", (40 + n) / 100) for n in range(20)], COLUMNS)
    study = study_of(
        "units",
        {"there": comparison("candidate", "today", better_by=1)},
        metric={"kind": "bounded", "range": [0, 100]},
        files=["a.csv", "b.csv"],
    )
    study["decision"]["smallest_difference"] = 3
    path = write_study(tmp_path, study, {"a.csv": percent, "b.csv": share})
    with pytest.raises(DataError) as caught:
        run_whole(path)
    text = str(caught.value)
    assert "b.csv" in text
    assert "row 1" in text
    assert "0.4" in text


def test_percent_for_a_share_metric_is_refused_with_its_row(tmp_path):
    rows = [("candidate", f"q{n}", 0.5) for n in range(20)]
    rows += [("today", f"q{n}", 50) for n in range(20)]
    study = study_of(
        "range",
        {"there": comparison("candidate", "today", better_by=0)},
        metric={"kind": "proportion"},
    )
    with pytest.raises(DataError) as caught:
        run_whole(write_study(tmp_path, study, {"rows.csv": as_csv(rows, COLUMNS)}))
    text = str(caught.value)
    assert "row 21" in text
    assert "50" in text


# ---------------------------------------------------------------------------- honest and strong

# 400 items: the candidate alone solves 100, today alone 28: +.18, discordant .32, SE about .027
STRONG = outcomes(both=200, gains=100, losses=28, neither=72)


def strong_claims(of="candidate", over="today"):
    return {
        "there": comparison(of, over, better_by=0.03),
        "back": comparison(over, of, better_by=0.03),
    }


@pytest.fixture(scope="module")
def strong(tmp_path_factory):
    content = as_csv(rows_of(STRONG), COLUMNS)
    folder = tmp_path_factory.mktemp("strong")
    return run_whole(
        write_study(folder, study_of("strong", strong_claims()), {"rows.csv": content})
    )


def test_honest_strong_study_is_supported_at_work(strong):
    verdict = strong.claim("there")
    assert (verdict.verdict, verdict.reach) == ("supported", "work")
    assert (verdict.timing, verdict.configuration) == ("stated", "same")
    assert verdict.reasons == ()
    assert strong.estimate("there.1").value == pytest.approx(0.18)


def test_mirror_of_the_strong_study_is_not_supported(strong):
    verdict = strong.claim("back")
    assert verdict.verdict == "not_supported"
    assert Reason.BAR_FAILED in verdict.reasons


def test_strong_study_without_a_stated_time_is_no_longer_supported(tmp_path):
    study = study_of("silent", strong_claims())
    del study["decision"]["fixed"]
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": as_csv(rows_of(STRONG), COLUMNS)}))
    assert whole.claim("there").verdict == "narrowed"
    assert whole.claim("there").timing == "after"


def test_strong_study_of_undeclared_deployment_reaches_the_test_only(tmp_path):
    study = study_of("undeclared", strong_claims())
    del study["systems"]["candidate"]["deployed"]
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": as_csv(rows_of(STRONG), COLUMNS)}))
    verdict = whole.claim("there")
    assert verdict.verdict == "narrowed"
    assert verdict.narrowed_to.reach == "test"


def summary_of(whole, rename=None):
    """What must not move: verdict, reasons and numbers of each claim."""
    rename = rename or {}
    return {
        rename.get(one.id, one.id): (
            one.verdict,
            one.reasons,
            one.narrowed_to,
            [(c.status, c.value, c.lower, c.upper, c.identified, c.items) for c in one.criteria],
        )
        for one in whole.assessment.claims
    }


@pytest.mark.parametrize("pairs", [STRONG, PAIRS], ids=["strong", "tie"])
def test_order_of_rows_and_names_of_items_do_not_matter(tmp_path, pairs):
    rows = rows_of(pairs)
    shuffled = random.Random(5).sample(rows, len(rows))
    names = [f"q{place:04d}" for place in range(len(pairs))]
    other = dict(zip(names, random.Random(6).sample(names, len(names)), strict=True))
    variants = [rows, shuffled, [(system, other[item], score) for system, item, score in rows]]
    found = []
    for place, one in enumerate(variants):
        study = study_of("names", strong_claims())
        path = write_study(tmp_path / str(place), study, {"rows.csv": as_csv(one, COLUMNS)})
        found.append(summary_of(run_whole(path)))
    assert found[0] == found[1] == found[2]


def test_names_of_systems_do_not_matter(tmp_path, strong):
    study = study_of("renamed", strong_claims("zeta", "alpha"), systems=("alpha", "zeta"))
    rows = as_csv(rows_of(STRONG, of="zeta", over="alpha"), COLUMNS)
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": rows}))
    assert summary_of(whole) == summary_of(strong)


@pytest.mark.parametrize("scores", ["right", "wrong", "half missing"])
def test_an_irrelevant_system_does_not_matter(tmp_path, strong, scores):
    study = study_of("third", strong_claims(), systems=("candidate", "today", "third"))
    extra = [
        ("third", f"q{place:04d}", int(scores == "right"))
        for place in range(len(STRONG))
        if scores != "half missing" or place % 2
    ]
    rows = as_csv(rows_of(STRONG) + extra, COLUMNS)
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": rows}))
    assert summary_of(whole) == summary_of(strong)


def test_items_that_no_compared_system_has_do_not_matter(tmp_path, strong):
    study = study_of("more", strong_claims(), systems=("candidate", "today", "third"))
    extra = [("third", f"x{place:04d}", 1) for place in range(50)]
    rows = as_csv(rows_of(STRONG) + extra, COLUMNS)
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": rows}))
    assert summary_of(whole) == summary_of(strong)


def test_other_words_do_not_matter(tmp_path, strong):
    study = study_of("words", strong_claims())
    study["title"] = "Another title"
    study["claims"]["there"]["statement"] = "Quite another sentence."
    rows = as_csv(rows_of(STRONG), COLUMNS)
    whole = run_whole(write_study(tmp_path, study, {"rows.csv": rows}))
    assert summary_of(whole) == summary_of(strong)
