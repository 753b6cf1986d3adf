"""What reruns when something changes: the table, on real builds."""

import os
import shutil

import pytest

from tests.workflow.house import jobs

PAGES = {"evidence", "record", "render"}
JUDGED = {"assess", *PAGES}
READ = {"ingest", "intake", "workload", "comparison"}
EVERYTHING = {*READ, "configuration", *JUDGED}


def nothing(house):
    pass


def prose(house):
    house.edit("specs/one/study.yaml", "Alpha solves more of the tickets.", "Alpha wins more.")


def comment(house):
    house.edit("specs/one/study.yaml", "schema: 1", "# a comment\nschema: 1")


def page_template(house):
    path = house.root / "templates" / "annex.html.j2"
    path.write_text(path.read_text() + "\n")


def criterion_value(house):
    house.edit("specs/one/study.yaml", "better_by: 0.02", "better_by: 0.03")


def compared_systems(house):
    house.edit("specs/one/study.yaml", "of: alpha\n    over: beta", "of: beta\n    over: alpha")


def module_of_one_method(house):
    path = house.root / "audit" / "analyses" / "ranks.py"
    path.write_text(path.read_text() + "\n# changed\n")


def module_of_pages(house):
    path = house.root / "audit" / "report" / "page_two.py"
    path.write_text(path.read_text() + "\n# changed\n")


def touched_files(house):
    for file in ("specs/one/answers.csv", "specs/one/study.yaml", "audit/analyses/ranks.py"):
        os.utime(house.root / file)


def new_data(house):
    house.edit("specs/one/answers.csv", "beta,q59,plain,1", "beta,q59,plain,0")


def older_data(house):
    """Another file that carries an old time, as a copy or an archive gives it."""
    new_data(house)
    os.utime(house.root / "specs" / "one" / "answers.csv", (1_000_000_000, 1_000_000_000))


def new_study(house):
    house.add_study("three")


def removed_study(house):
    shutil.rmtree(house.root / "specs" / "two")


CHANGES = [
    (nothing, {}),
    (touched_files, {}),
    (prose, {"one": PAGES}),
    (comment, {"one": PAGES}),
    (page_template, {"one": {"render"}, "two": {"render"}}),
    (module_of_pages, {"one": {"render"}, "two": {"render"}}),
    (criterion_value, {"one": JUDGED}),
    (compared_systems, {"one": {"comparison", "configuration", *JUDGED}}),
    (module_of_one_method, {"one": {"comparison", *JUDGED}, "two": {"comparison", *JUDGED}}),
    (new_data, {"one": EVERYTHING - {"configuration"}}),
    (older_data, {"one": EVERYTHING - {"configuration"}}),
    (new_study, {"three": EVERYTHING}),
    (removed_study, {}),
]


@pytest.mark.parametrize(
    ("change", "expected"), CHANGES, ids=[change.__name__ for change, _ in CHANGES]
)
def test_a_change_reruns_exactly_what_depends_on_it(house, change, expected):
    change(house)
    rules = {(study, rule) for study, names in expected.items() for rule in names}
    assert house.planned() == rules


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "expected"), CHANGES, ids=[change.__name__ for change, _ in CHANGES]
)
def test_a_run_after_a_change_does_just_that_and_then_nothing(house, change, expected):
    change(house)
    done = house.run()
    assert done.returncode == 0, done.stdout
    rules = {(study, rule) for study, names in expected.items() for rule in names}
    assert jobs(done.stdout) == rules
    assert "Nothing to be done" in house.run().stdout


def test_results_without_a_study_are_named_and_not_counted(house):
    removed_study(house)
    done = house.run()
    assert done.returncode == 0
    assert "results/two: stale" in done.stdout
    assert "Nothing to be done" in done.stdout


def test_a_broken_study_fails_alone_and_is_made_again_once_mended(house):
    whole = house.study("two").read_text()
    house.edit("specs/two/study.yaml", "of: alpha\n    over: beta", "of: alpha\n    over: gamma")
    prose(house)
    done = house.run()
    assert done.returncode == 1
    assert "gamma" in done.stdout
    assert ("one", "render") in jobs(done.stdout)
    assert ("two", "refuse") in jobs(done.stdout)
    again = house.audit("report", "specs/one", "specs/two")
    assert again.returncode == 2
    assert "specs/two/study.yaml:" in again.stderr
    assert house.audit("gate", "results/two").returncode == 2
    house.study("two").write_text(whole)
    assert house.planned() == set()
    assert house.audit("gate", "results/two").returncode in (0, 3)
