"""The studies on the page about the language are accepted as they stand there."""

import re
from pathlib import Path

import pytest
import yaml

from audit.spec import models, not_yet
from audit.spec.load import load_study

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=["smallest", "richer"])
def test_a_study_on_the_page_is_accepted(tmp_path, block):
    folder = tmp_path / yaml.safe_load(block)["study"]
    folder.mkdir()
    (folder / "study.yaml").write_text(block, encoding="utf-8")
    loaded = load_study(folder / "study.yaml", data_roots={"DATA": tmp_path})
    assert not [one for one in loaded.remarks if one.severity == "error"]


@pytest.mark.parametrize(
    "model",
    [
        models.Study, models.Decision, models.Workload, models.Task, models.System, models.Source,
        models.Metric, models.Variant, models.Failure, models.Criterion, models.ComparisonClaim,
        models.PerformanceClaim, models.RankingClaim,
    ],
)  # fmt: skip
def test_the_page_names_every_field(model):
    for name, field in model.model_fields.items():
        assert re.search(rf"\b{field.alias or name}\b", PAGE), name


def test_the_page_names_what_is_not_available():
    section = PAGE.split("## Not available yet")[1]
    for kind in not_yet.CLAIM_KINDS:
        assert kind in section
