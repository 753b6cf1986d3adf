"""The studies on the page about the language are accepted as they stand there."""

import re
from pathlib import Path

import pytest
import yaml

from audit.spec import characters, check_size, models, not_yet, strict_yaml, system_table
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


def test_the_page_states_the_limits():
    text = " ".join(PAGE.split())
    assert characters.MOST_BYTES == 1 << 20
    assert "At most 1 MiB" in text
    assert f"{strict_yaml.MOST_DEPTH} levels, {strict_yaml.MOST_NODES:,} keys and values" in text
    assert (strict_yaml.SMALLEST, strict_yaml.LARGEST) == (1e-18, 1e18)
    assert "from 1e-18 to 1e18" in text
    assert f"need at most {check_size.MOST_NUMBERS:,} numbers" in text


@pytest.mark.parametrize("field", system_table.FIELDS)
def test_the_page_names_the_columns_of_a_system_table(field):
    section = PAGE.split("`system_table` is a CSV")[1].split("##")[0]
    assert re.search(rf"\b{field}\b", section)
