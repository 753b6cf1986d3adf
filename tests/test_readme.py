"""The README says what is true: its study loads, its verbs exist, its figures are those found."""

import re
from pathlib import Path

import yaml

from audit.__main__ import VERBS
from audit.report.rounding import interval_texts, scale_of
from tests.real.whole import run_whole

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_shortest_study_is_judged(tmp_path):
    (block,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    folder = tmp_path / yaml.safe_load(block)["study"]
    folder.mkdir()
    (folder / "study.yaml").write_text(block, encoding="utf-8")
    rows = ["system,item,task,score"]
    for number in range(240):
        task = "dispute" if number % 4 == 0 else "routine"
        rows += [f"alpha,q{number},{task},{int(number % 8 != 1)}"]
        rows += [f"beta,q{number},{task},{int(number % 8 in (0, 2, 3, 4))}"]
    (folder / "responses.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    whole = run_whole(folder / "study.yaml")
    assert whole.claim("better").verdict == "supported"


def test_it_names_every_verb_and_no_other():
    table = TEXT.split("## The command")[1].split("Exit codes")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `audit ")]
    named = {
        re.split(r"[ \[]", one)[0] for row in rows for one in re.findall(r"`(?:audit )?(.*?)`", row)
    }
    assert named == set(VERBS)


def test_its_figures_are_those_of_the_shipped_study():
    claim = run_whole(ROOT / "specs" / "docs-pilot" / "study.yaml").claim("swap")
    first = claim.criteria[0]
    value, lower, upper = interval_texts(
        first.value, first.lower, first.upper, scale=scale_of("share"), bars=(0.1,), signed=True
    )
    said = " ".join(TEXT.replace("\n> ", " ").split())
    assert claim.verdict == "narrowed"
    assert f"expected success: {value} points (95% interval {lower} to {upper})" in said


def test_every_file_that_it_links_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target
