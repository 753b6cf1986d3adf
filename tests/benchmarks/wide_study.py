"""A simulated study of many systems and items: the same bytes for the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

TASKS = {"plain": 0.6, "mixed": 0.3, "rare": 0.1}
SEED = 20261201
LOST = 0.01
FAMILIES = 7


def write_wide_study(folder: Path, systems: int = 70, items: int = 1000) -> Path:
    """Write `study.yaml` and `responses.csv` of a simulated study into `folder`/wide.

    Success follows a logistic law of skill minus difficulty, both standard normal. One response in
    a hundred is lost to an error, at random.
    """
    home = folder / "wide"
    home.mkdir(parents=True)
    rng = np.random.default_rng(SEED)
    skill, difficulty = rng.normal(size=systems), rng.normal(size=items)
    task = rng.choice(list(TASKS), size=items, p=[1 / 3] * 3)
    chance = 1 / (1 + np.exp(difficulty[None, :] - skill[:, None]))
    right = rng.random((systems, items)) < chance
    lost = rng.random((systems, items)) < LOST
    lines = ["system,item,task,cluster,score,status"]
    for one in range(systems):
        scores = [",error" if lost[one, at] else f"{int(right[one, at])},ok" for at in range(items)]
        lines += [
            f"s{one:03},i{at:05},{task[at]},c{at // 4:04},{scores[at]}" for at in range(items)
        ]
    (home / "responses.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (home / "study.yaml").write_text(json.dumps(_study(systems), indent=1) + "\n", encoding="utf-8")
    return home / "study.yaml"


def _study(systems: int) -> dict:
    names = [f"s{one:03}" for one in range(systems)]
    common = {"statement": "It does more.", "warrant": "simulated"}
    return {
        "schema": 1,
        "study": "wide",
        "title": "Many systems, simulated",
        "decision": {
            "purpose": "research",
            "question": "How long does it take?",
            "owner": "developers",
            "smallest_difference": 0.02,
        },
        "workload": {
            "whose": "nobody",
            "basis": "simulated",
            "tasks": {name: {"share": share, "needs": name} for name, share in TASKS.items()},
        },
        "systems": {
            name: {"version": "1", "family": f"f{at % FAMILIES}", "deployed": "same"}
            for at, name in enumerate(names)
        },
        "sources": {
            "simulated": {
                "files": "responses.csv",
                "chosen": "generated",
                "why": "for measuring time",
                "simulated": True,
            }
        },
        "claims": {
            "pair": common
            | {
                "kind": "comparison",
                "of": names[0],
                "over": names[1],
                "criteria": [{"better_by": 0.0}, {"task": "rare", "stop_if_worse_by": 0.05}],
                "divisible_by": ["tasks"],
            },
            "level": common
            | {"kind": "performance", "of": names[0], "criteria": [{"at_least": 0.5}]},
            "place": common
            | {
                "kind": "ranking",
                "of": names[0],
                "among": names[:12],
                "criteria": [{"at_most": 3}],
            },
        },
    }
