import re

import pytest

from audit.argument.assessment import Change
from audit.report.html import print_page, style_sheet
from audit.report.lookup import Lookup
from audit.report.page_one import DENSITIES, MOST_CLAIMS, page_one
from audit.report.pdf import page_count
from audit.report.render import fitting_view
from audit.report.view import make_view
from audit.report.words import plain
from tests.report import hostile
from tests.report.builders import CLAIMS, STUDY, criterion, evidence, verdict, verdicts
from tests.report.pages import numbers_of, section, text_of


@pytest.fixture(scope="module")
def one(pages):
    return section(pages.html.decode(), "page-one")


def test_every_claim_with_its_verdict_word_is_on_page_one(one, bundle):
    for claim in bundle.assessment.claims:
        assert f'data-claim="{claim.id}" data-verdict="{claim.verdict}"' in one
    text = text_of(one)
    for word in ("Narrowed", "Insufficient evidence", "Not supported", "Supported"):
        assert word in text


def test_deciding_estimates_carry_their_ids(one):
    found = numbers_of(one)
    assert found["comparison.october/take.1:value"] == {"+8.2"}
    assert found["comparison.october/take.1:lower"] == {"+5.1"}
    assert found["comparison.october/take.1:upper"] == {"+11.3"}
    assert found["comparison.october/first.1:value"] == {"3"}
    assert found["comparison.october/take.2:loss"] == {"6.4 points"}


def test_a_severe_criterion_is_never_cut(one):
    assert "take.2, severe" in text_of(one)
    assert "fit.2, severe" in text_of(one)


def test_the_nine_items_stand_in_their_order(one):
    text = text_of(one)
    marks = [
        "Which of the two answers",
        "Decides: “Support”" if "“Support”" in text else "Decides: Support",
        "Latest response: 2026-11-05",
        "Valid until: 2027-09-01",
        "The evidence is not enough for this decision.",
        "Claim fit decides",
        "Alpha minus Beta, expected success",
        "What must not be concluded",
        "What was tested",
        "Tested against deployed",
        "Rows lost",
        "Open failures",
        "The head of support states",
        "Decision digest",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_severe_tasks_and_critical_failures_come_first(bundle):
    tested = page_one(Lookup(bundle), DENSITIES[0]).tested
    assert [row.task for row in tested.tasks] == ["dispute", "routine", "refund"]
    assert [plain(line)[:12] for line in tested.failures] == ["F2, critical", "F1, major: A"]


def test_lost_rows_show_both_bounds(bundle):
    lost = [plain(line) for line in page_one(Lookup(bundle), DENSITIES[0]).tested.lost]
    assert "all taken as lowest +7.1 points" in lost[0]
    assert "as highest +9.4 points" in lost[0]
    assert any("14 error and 5 timeout" in line for line in lost)


def test_no_claim_may_sound_stronger_than_its_structure(pages):
    for name in ("page-one", "page-two"):
        text = text_of(section(pages.html.decode(), name))
        ours = re.sub(r"“[^”]*”", "", text)
        assert not re.search(r"\b(better|best|quality|p-value|p =|logit|ability)\b", ours, re.I)


def _sentences(text):
    return [one for one in re.split(r"(?<=[.!?])\s+", text) if len(one.split()) > 1]


def test_sentences_are_short(bundle):
    one = page_one(Lookup(bundle), DENSITIES[0])
    said = [plain(line) for line in (*one.not_concluded, one.answer, one.decides, *one.tested.lost)]
    for row in one.claims:
        said += [plain(line.words) for line in row.lines]
        said += [plain(row.why), plain(row.narrowed)]
    lengths = [len(sentence.split()) for text in said for sentence in _sentences(text)]
    assert sum(lengths) / len(lengths) <= 22


ANSWERS = {
    "enough": "The evidence is enough for this decision.",
    "enough_only_for": "The evidence is enough only for the systems as tested",
    "not_enough": "The evidence is not enough for this decision.",
    "speaks_against": "The evidence speaks against what this decision rests on.",
    "none": "No claim is named as deciding, so this report gives no answer.",
}
DECIDERS = {"enough": None, "enough_only_for": "take", "speaks_against": "first", "none": None}


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_answer_follows_the_assessment(answer):
    found = evidence(answer=answer, deciding=DECIDERS.get(answer, "fit"))
    assert ANSWERS[answer] in plain(page_one(Lookup(found), DENSITIES[0]).answer)


def test_simulated_is_said_first_and_on_both_pages():
    view = make_view(evidence(simulated=True))
    assert "simulated" in plain(view.one.not_concluded[0])
    page = print_page(view, "")
    for name in ("page-one", "page-two", "annex"):
        assert "imulated data" in text_of(section(page, name))
    assert "SIMULATED DATA" in page


def _crowded(count, text, study=None):
    found, claims = [], {}
    for number in range(count):
        name = f"claim-{number}"
        claims[name] = {**CLAIMS["take"], "statement": text, "warrant": text}
        found.append(
            verdict(
                name,
                "narrowed" if number % 2 else "insufficient_evidence",
                (
                    criterion(name, 1, missing_items=30, identified=(0.02, 0.2)),
                    criterion(name, 2, bar="within", bar_value=0.2),
                    *(
                        criterion(name, index, bar="stop_if_worse_by", task="dispute")
                        for index in (3, 4, 5)
                    ),
                ),
                reasons=tuple(verdicts()[1].reasons),
                narrowed_to=verdicts()[0].narrowed_to if number % 2 else None,
                would_change=(Change(code="items", criterion=None, items=9, text=text[:2000]),),
            )
        )
    return evidence(tuple(found), claims=claims, deciding="claim-0", study=study)


def _loud_study(text):
    """The study with every text field at its allowed length."""

    def loud(value, key=""):
        if isinstance(value, dict):
            return {name: loud(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [loud(one, key) for one in value] * (4 if key == "not_covered" else 1)
        wordy = ("needs", "what", "why", "whose", "basis", "question", "owner", "irrelevant")
        wordy = (*wordy, "judged_by", "chosen_by", "version", "name", "documents", "where", "title")
        return text[:2000] if key in wordy else value

    study = loud(STUDY)
    study["workload"]["not_covered"] = [text[:2000]] * 9
    study["failures"] = {
        f"F{number}": {**study["failures"]["F2"], "what": text[:2000]} for number in range(40)
    }
    return study


@pytest.mark.parametrize(
    "text",
    ["An honest sentence of some length about our questions. " * 40, hostile.LONG, hostile.ALL],
    ids=["prose", "one long word", "hostile"],
)
def test_six_crowded_claims_fit_on_one_page(text):
    found = _crowded(6, text[:2000], _loud_study(text))
    view, css = fitting_view(found)
    assert page_count(print_page(view, css, only_page_one=True)) == 1
    assert len(view.one.claims) == 6
    assert float(view.one.points) >= 8


def test_the_rest_of_the_claims_stand_on_page_two():
    view = make_view(_crowded(9, "A statement."))
    assert len(view.one.claims) == MOST_CLAIMS
    assert view.one.more_claims == "3 more claims on page two."
    assert [row.id for row in view.two.more_claims] == ["claim-6", "claim-7", "claim-8"]


def test_claims_of_rests_on_come_first():
    study = {**STUDY, "decision": {**STUDY["decision"], "rests_on": ["steady", "first"]}}
    view = make_view(evidence(study=study))
    assert [row.id for row in view.one.claims] == ["steady", "first", "take", "fit"]


def test_no_type_is_smaller_than_eight_points():
    sheet = style_sheet("")
    sizes = [float(size) for size in re.findall(r"font-size: (\d+(?:\.\d+)?)pt", sheet)]
    sizes += [float(size) for size in re.findall(r"--small: (\d+(?:\.\d+)?)pt", sheet)]
    assert min(sizes) >= 8
    assert not re.findall(r"font-size: \.\d+em", sheet)
    assert min(density.points for density in DENSITIES) == 8
    smallest = page_one(Lookup(evidence()), DENSITIES[-1])
    assert (smallest.points, smallest.small) == ("8", "8")


def test_a_short_study_keeps_ten_points():
    view, _ = fitting_view(evidence((verdicts()[3],), answer="none", deciding=None))
    assert view.one.points == "10"
