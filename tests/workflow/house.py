"""A copy of the house with studies of its own, so that any file of it may be changed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("audit", "templates", "profiles", "Snakefile")
JOB = re.compile(r"^Job \d+: (?:results/)?(\S+): (.*)$", re.MULTILINE)
BYTECODE = Path(tempfile.gettempdir()) / "claimscope-bytecode"
RULES = {
    "read": "ingest",
    "account": "intake",
    "score": "workload",
    "compare": "comparison",
    "hold": "configuration",
    "judge": "assess",
    "lay": "evidence",
    "record": "record",
    "draw": "render",
    "cannot": "refuse",
}
"""{first word of a job's message: its rule}."""

STUDY = """\
schema: 1
study: {name}
title: Alpha or Beta for the tickets?
decision:
  purpose: selection
  question: Which of the two takes the tickets?
  owner: Support
  valid_until: 2027-09-01
  smallest_difference: 0.1
  rests_on: [better]
  fixed: {{by: head of support, on: 2026-10-01}}
workload:
  whose: customers who write to support
  basis: questions of one month
  tasks:
    plain: {{count: 800, needs: answer from the pages}}
    hard: {{count: 200, needs: collect the facts}}
systems:
  alpha: {{version: "4.1", deployed: same}}
  beta: {{version: "2.0", role: baseline, deployed: same}}
sources:
  month: {{files: answers.csv, chosen: random, why: drawn from that month}}
claims:
  better:
    kind: comparison
    of: alpha
    over: beta
    statement: Alpha solves more of the tickets.
    criteria: [{{better_by: 0.02}}]
    warrant: the same tickets for both
  good:
    kind: performance
    of: alpha
    statement: Alpha solves most tickets.
    criteria: [{{at_least: 0.5}}]
    warrant: the tickets are a random draw
"""


def answers() -> str:
    """120 rows: Alpha solves three quarters of the tickets, Beta half of them."""
    lines = ["system,item,task,score"]
    for item in range(60):
        task = "hard" if item % 5 == 0 else "plain"
        lines.append(f"alpha,q{item:02},{task},{int(item % 4 != 1)}")
        lines.append(f"beta,q{item:02},{task},{int(item % 4 > 1)}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class House:
    """A folder with the package, its Snakefile and `specs/`."""

    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results"

    def study(self, name: str) -> Path:
        """The file of a study."""
        return self.root / "specs" / name / "study.yaml"

    def add_study(self, name: str) -> None:
        folder = self.root / "specs" / name
        folder.mkdir(parents=True)
        (folder / "study.yaml").write_text(STUDY.format(name=name))
        (folder / "answers.csv").write_text(answers())

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a text that stands in a file exactly once."""
        path = self.root / file
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "snakemake", "--cores", "2", *arguments]

    def environment(self, **changes: str) -> dict[str, str]:
        dropped = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        kept = {key: text for key, text in os.environ.items() if key not in dropped}
        # compiled modules are shared by all copies, or each would compile every library again
        return {**kept, "PYTHONPYCACHEPREFIX": str(BYTECODE), **changes}

    def run(self, *arguments: str, **changes: str) -> subprocess.CompletedProcess:
        """Run Snakemake here; output and errors in one text."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            env=self.environment(**changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def audit(self, *arguments: str, **changes: str) -> subprocess.CompletedProcess:
        """Run the command `audit` of this copy."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "audit", *arguments],
            cwd=self.root,
            env=self.environment(PYTHONPATH=str(self.root), **changes),
            capture_output=True,
            text=True,
            check=False,
        )

    def planned(self) -> set[tuple[str, str]]:
        """{(study, rule)} that a run would do now."""
        done = self.run("--dry-run")
        assert done.returncode == 0, done.stdout
        return jobs(done.stdout)

    def contents(self, *studies: str) -> dict[str, str]:
        """{file of the results: digest}; without logs and what only a run needs."""
        return {
            path.relative_to(self.results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for study in studies
            for path in sorted((self.results / study).rglob("*"))
            if path.is_file() and "logs" not in path.relative_to(self.results).parts
        }

    def copy_to(self, place: Path) -> "House":
        """This house with its results and all times, elsewhere."""
        shutil.copytree(self.root, place, symlinks=True)
        return House(place)


def jobs(output: str) -> set[tuple[str, str]]:
    """{(study, rule)} of the jobs that Snakemake names in its output."""
    return {(study, RULES[message.split()[0]]) for study, message in JOB.findall(output)}


def new_house(root: Path, *studies: str, program: Path = ROOT) -> House:
    """A house with these studies and the program of another folder, nothing made yet."""
    ignored = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        if (program / part).is_dir():
            shutil.copytree(program / part, root / part, ignore=ignored)
        else:
            root.mkdir(parents=True, exist_ok=True)
            shutil.copy2(program / part, root / part)
    house = House(root)
    for name in studies:
        house.add_study(name)
    return house
