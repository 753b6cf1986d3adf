"""The wheel, installed elsewhere, makes the report of a study in another folder."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.workflow.house import ROOT, new_house


def call(*command, cwd=None):
    done = subprocess.run(
        [str(one) for one in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_an_installed_wheel_reports_on_a_study_elsewhere(tmp_path, finished):
    wheels, place = tmp_path / "wheels", tmp_path / "environment"
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", wheels, ROOT)
    (wheel,) = wheels.iterdir()
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    packages = next((place / "lib").glob("python*/site-packages"))
    call(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", packages,
         wheel)  # fmt: skip
    # the libraries are those of this environment; the program is the wheel's alone
    libraries = Path(pytest.__file__).resolve().parents[1]
    (packages / "libraries.pth").write_text(f"{libraries}\n")
    study = new_house(tmp_path / "house", "one").study("one").parent
    study.rename(tmp_path / "one")
    for path in (tmp_path / "one").iterdir():
        path.chmod(0o444)
    (tmp_path / "one").chmod(0o555)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = call(python, "-P", "-m", "audit", "report", tmp_path / "one", "--out", elsewhere / "out",
                cwd=elsewhere)  # fmt: skip
    answer = json.loads((finished.results / "one" / "verdicts.json").read_bytes())["answer"]
    assert done.stdout.startswith(f"one: {answer.replace('_', ' ')}: ")
    assert {path.name for path in elsewhere.iterdir()} == {"out"}
    pdf = elsewhere / "out" / "one" / "report.pdf"
    assert pdf.read_bytes()[:5] == b"%PDF-"
    files = {"verdicts.json", "evidence.json", "report.html", "summary.md"}
    made = {path.name: path.read_bytes() for path in (elsewhere / "out" / "one").iterdir()
            if path.is_file()}  # fmt: skip
    for name in files:
        assert made[name] == (finished.results / "one" / name).read_bytes()
