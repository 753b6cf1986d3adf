"""Make the two response files of this folder from a known truth, and say what they were made for.

    python make.py             write october.csv and nightly.csv
    python make.py --design    print the truth and the power it was chosen for

The seed was fixed before the first draw and is the only one ever used for the committed files.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np

FOLDER = Path(__file__).resolve().parent
SEED = 20261201
NORMAL = NormalDist()

SHARE = {"routine": 0.60, "unclear": 0.25, "urgent": 0.15}
MINUTES = {"routine": 5, "unclear": 12, "urgent": 60}
OCTOBER_ITEMS = {"routine": 200, "unclear": 100, "urgent": 100}
NIGHTLY_ITEMS = {"routine": 720, "unclear": 300, "urgent": 180}

TRUTH = {
    "today": {"routine": 0.66, "unclear": 0.52, "urgent": 0.60},
    "alpha": {"routine": 0.84, "unclear": 0.70, "urgent": 0.78},
    "beta": {"routine": 0.91, "unclear": 0.12, "urgent": 0.60},
}
"""Success by system and task in October."""
SHARED = 0.5
"""Share of the variance of success that lies in the items, the same for all systems."""

GAMMA_GAINS, GAMMA_LOSSES = 0.0165, 0.0240
"""Share of nightly items that only gamma solves, and that only today's desk solves."""
GAMMA_LOST = 0.1
"""Share of gamma's failures that have no row."""


def october(generator: np.random.Generator) -> list[tuple[str, str, str, int]]:
    """Every system on every item; a normal variable of the item makes the outcomes alike."""
    rows = []
    for task, number in OCTOBER_ITEMS.items():
        common = generator.standard_normal(number)
        for system, success in TRUTH.items():
            own = generator.standard_normal(number)
            mixed = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own
            solved = mixed < NORMAL.inv_cdf(success[task])
            rows += [
                (system, f"oct-{task}-{place:03d}", task, int(one))
                for place, one in enumerate(solved)
            ]
    return sorted(rows)


def nightly(generator: np.random.Generator) -> list[tuple[str, str, str, int]]:
    """Today's desk, and gamma: it differs on few items and lost a tenth of its failures."""
    rows, failures = [], []
    for task, number in NIGHTLY_ITEMS.items():
        base = TRUTH["today"][task]
        today = generator.random(number) < base
        gains = GAMMA_GAINS / (1 - base)
        losses = GAMMA_LOSSES / base
        gamma = np.where(
            today, generator.random(number) >= losses, generator.random(number) < gains
        )
        for place in range(number):
            item = f"night-{task}-{place:04d}"
            rows.append(("today", item, task, int(today[place])))
            (rows if gamma[place] else failures).append(("gamma", item, task, int(gamma[place])))
    lost = generator.choice(len(failures), round(GAMMA_LOST * len(failures)), replace=False)
    rows += [row for place, row in enumerate(failures) if place not in set(lost.tolist())]
    return sorted(rows)


def as_csv(rows: list[tuple[str, str, str, int]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("system", "item", "task", "score"))
    writer.writerows(rows)
    return text.getvalue().encode()


def make(seed: int = SEED) -> dict[str, bytes]:
    """Both files by name; each has its own stream of the seed."""
    first, second = (np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(2))
    return {"october.csv": as_csv(october(first)), "nightly.csv": as_csv(nightly(second))}


# ---------------------------------------------------------------------------------- the design


def paired_variance(first: float, second: float) -> float:
    """Variance of the difference of two outcomes of one item, under the model of `october`."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    shift = np.sqrt(SHARED) * points
    chance = [
        np.array([NORMAL.cdf((NORMAL.inv_cdf(p) - z) / np.sqrt(1 - SHARED)) for z in shift])
        for p in (first, second)
    ]
    both = float(weights @ (chance[0] * chance[1]))
    return first + second - 2 * both - (first - second) ** 2


def weighted(system: str, worth: dict[str, float]) -> tuple[float, float]:
    """True weighted difference to today's desk, and the standard error of its estimate."""
    value = variance = 0.0
    for task, number in OCTOBER_ITEMS.items():
        of, over = TRUTH[system][task], TRUTH["today"][task]
        value += worth[task] * (of - over)
        variance += worth[task] ** 2 * paired_variance(of, over) / number
    return value, variance**0.5


def power(value: float, error: float, bar: float, one_sided: float) -> float:
    """Chance that the lower bound lies above the bar (normal approximation)."""
    return NORMAL.cdf((value - bar) / error - NORMAL.inv_cdf(1 - one_sided))


def design() -> str:
    minutes = {task: SHARE[task] * MINUTES[task] for task in SHARE}
    gain, gain_error = weighted("alpha", SHARE)
    saved, saved_error = weighted("alpha", minutes)
    whole, whole_error = weighted("beta", SHARE)
    routine = TRUTH["beta"]["routine"] - TRUTH["today"]["routine"]
    routine_error = (
        paired_variance(TRUTH["beta"]["routine"], TRUTH["today"]["routine"])
        / OCTOBER_ITEMS["routine"]
    ) ** 0.5
    fails = 1 - sum(SHARE[task] * TRUTH["today"][task] for task in SHARE)
    fails += GAMMA_LOSSES - GAMMA_GAINS
    lost = GAMMA_LOST * fails
    high = GAMMA_GAINS - GAMMA_LOSSES + lost
    spread = GAMMA_GAINS + GAMMA_LOSSES + lost - 2 * GAMMA_LOST * GAMMA_LOSSES - high**2
    high_error = (spread / sum(NIGHTLY_ITEMS.values())) ** 0.5
    lines = [
        f"alpha - today, success: {gain:+.4f} (SE {gain_error:.4f}); "
        f"chance of > 0.03: {power(gain, gain_error, 0.03, 0.025):.3f}",
        f"alpha - today, minutes saved: {saved:+.3f} (SE {saved_error:.3f}); "
        f"chance of > 0: {power(saved, saved_error, 0, 0.025):.3f}",
        f"beta - today, success: {whole:+.4f} (SE {whole_error:.4f}); "
        f"chance of > 0.05: {power(whole, whole_error, 0.05, 0.025):.3f}",
        f"beta - today on routine: {routine:+.4f} (SE {routine_error:.4f}); "
        f"chance of > 0.05, three tasks looked at: "
        f"{power(routine, routine_error, 0.05, 1 - 0.975 ** (1 / 3)):.3f}",
        f"gamma - today: {GAMMA_GAINS - GAMMA_LOSSES:+.4f}; lost rows {lost:.4f} of the items; "
        f"as if all lost were solved {high:+.4f} (SE {high_error:.4f}); "
        f"chance that this alone were > 0: {power(high, high_error, 0, 0.025):.3f}",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="store_true", help="print the truth and the power")
    if parser.parse_args(arguments).design:
        print(design())
        return 0
    for name, content in make().items():
        (FOLDER / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
