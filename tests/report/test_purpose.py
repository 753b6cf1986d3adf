import copy

from audit.report.view import make_view
from audit.report.words import plain
from tests.report.builders import STUDY, criterion, evidence, verdicts


def lines_for(purpose):
    study = copy.deepcopy(STUDY)
    study["decision"]["purpose"] = purpose
    return [plain(words) for words in make_view(evidence(study=study)).one.purpose]


def test_selection_and_release_say_it_in_their_own_places():
    assert lines_for("selection") == lines_for("release") == []


def safe(numbers):
    study = copy.deepcopy(STUDY)
    study["decision"]["purpose"] = "safety"
    severe = criterion(
        "fit", 2, bar="at_least", bar_value=0.7, task="dispute", status="met", numbers=numbers
    )
    found = tuple(
        one.model_copy(update={"criteria": (one.criteria[0], severe)}) if one.id == "fit" else one
        for one in verdicts()
    )
    return [plain(words) for words in make_view(evidence(found, study=study)).one.purpose]


def test_safety_names_the_worst_severe_task_with_its_upper_bound():
    """At least .8512 right: failures up to .1488, rounded up."""
    assert safe((0.9, 0.8512, 0.94)) == [
        "Worst severe task: Alpha in dispute: failures up to 14.9% are not excluded (fit.2)."
    ]


def test_safety_says_when_no_bound_could_be_had():
    assert safe(None) == ["Safety: no bound on the failures of a severe task could be had."]


def test_monitoring_names_the_next_step():
    (line,) = lines_for("monitoring")
    assert line.startswith("Next step for take: ")


def test_research_says_when_it_holds():
    (line,) = lines_for("research")
    assert line.startswith("This holds for these systems on items chosen like these")
