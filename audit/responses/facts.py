"""What a log says besides its rows: how it was run, what it published, what it does not hold.

A table that somebody wrote says none of this; the log of a harness says all of it, and a study that
says otherwise is contradicted by its own evidence.
"""

from __future__ import annotations

from typing import Literal

from audit.io import Frozen


class Run(Frozen):
    """One evaluation as its log states it: one system on one task of the harness."""

    file: str
    """As declared; the file whose rows are this run's."""
    system: str
    """As the log names the model; intake replaces it by the study's id."""
    task: str
    """As the log names the task: `inspect_evals/arc_easy`, `gsm8k`."""
    task_version: str | None = None
    """Version, and digest of the task where the log states one."""
    harness: str
    """Name and version: `inspect_ai 0.3.285`."""
    date: str | None = None
    """ISO date-time of its start."""
    state: Literal["complete", "error", "cancelled", "started"] = "complete"
    configuration: dict[str, str] = {}
    """{dotted key: text} of what decides answers and scores: `generate.temperature`,
    `task_args.framing`, `model_args.pretrained`, `solver`, `system_instruction`, `num_fewshot`.
    Nothing that only says where or how fast it ran, and no text longer than 200 characters: longer
    ones are given by their digest."""
    items_in_test: int | None = None
    """Items that the test has as a whole, before any limit."""
    samples_claimed: int | None = None
    """Items x epochs that the log says it ran or set out to run."""
    samples_held: int = 0
    """Items x epochs that the file really holds."""


class Reproduction(Frozen):
    """A published aggregate beside what the rows of the same file, or source, give."""

    file: str
    """Where it was published."""
    system: str
    task: str = ""
    variant: str = ""
    metric: str
    """The score column, or the study's metric."""
    aggregation: str
    """As the publisher names it: `accuracy`, `accuracy after pass_at_2`, `mean`."""
    published: float
    recomputed: float | None = None
    """None: not checked, and `note` says why."""
    items: int
    """That the recomputed value is over."""
    state: Literal["agrees", "close", "contradicts", "impossible", "not_checked"]
    """`agrees`: within the rounding of the published figure; `close`: off by less than one item;
    `contradicts`: by one item or more; `impossible`: outside of the metric's range."""
    note: str = ""
    """Which reading of rows without a score reproduces it, or why it was not checked."""


class PublishedFigure(Frozen):
    """An aggregate that the study says its items must reproduce, as a file states it."""

    file: str
    row: int
    system: str
    """The study's id."""
    task: str = ""
    """Empty: over all tasks."""
    variant: str = ""
    """Empty: over all variants."""
    metric: str
    value: float
    """In the metric's unit."""
    decimals: int
    """That are written, in the metric's unit: 52.8 percent of a share has three."""
    items: int | None = None
    """That it is over, where the file says so."""


class Loss(Frozen):
    """Something that a log does not hold, or that was not read, in plain words with its count."""

    file: str
    code: Literal[
        "no_results_file",
        "header_only",
        "unfinished",
        "limited",
        "fewer_samples",
        "texts_left_out",
        "repeats_unscored",
        "invalidated",
        "retried",
        "other",
    ]
    count: int
    """Rows, items or texts that are concerned."""
    text: str
    """One plain sentence, with the counts that matter."""
