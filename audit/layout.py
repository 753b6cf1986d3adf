"""Names in a results folder that several doors share."""

from __future__ import annotations

from typing import Final

RESULTS: Final = "results"
"""The results folder where none is named."""
RUN: Final = ".run"
"""Below the results folder: what a run needs and no result depends on."""
BROKEN: Final = "broken.json"
"""In a study's folder: why the study cannot be judged as it stands."""
STUDY_FILE: Final = "study.yaml"
EXIT_MARK: Final = "audit: exit code "
"""Last line in the log of a job that failed, with its code."""
