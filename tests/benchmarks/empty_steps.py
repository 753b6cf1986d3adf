"""What stands for `audit` when the graph alone is timed: outputs made, nothing computed."""

import itertools
import sys
from pathlib import Path

OUTPUTS = {
    "ingest": ("--responses", "--items", "--texts", "--accounting"),
    "evidence": ("--out", "--verdicts"),
    "render": ("--html", "--pdf", "--summary"),
}

verb, options = sys.argv[1], sys.argv[2:]
given = dict(itertools.pairwise(options))
for name in OUTPUTS.get(verb, ("--out",)):
    Path(given[name]).write_bytes(b"")
if verb == "render":
    Path(given["--figures"]).mkdir(exist_ok=True)
