"""Each mistake in the smallest useful study: exactly what is said, and where."""

from pathlib import Path

import pytest
import yaml

from audit.errors import SpecError
from audit.spec.load import load_study
from tests.spec.builders import MINIMAL, changed

MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["name"])
def test_mistake_is_named_with_its_place(tmp_path, mistake):
    home = tmp_path / "alpha-or-beta"
    home.mkdir()
    path = home / "study.yaml"
    path.write_text(changed(MINIMAL, *mistake["change"]), encoding="utf-8")
    if not mistake["says"]:
        load_study(path)
        return
    with pytest.raises(SpecError) as caught:
        load_study(path)
    errors = [one for one in caught.value.issues if one.severity == "error"]
    assert [str(one).replace(f"{path}:", "") for one in errors] == mistake["says"]
    assert all("pydantic" not in str(one) and "Input should" not in str(one) for one in errors)
