"""20,000 damaged logs and tables: each is read or refused, none ends in a fault or hangs."""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audit.errors import DataError
from audit.responses.intake import ingest
from audit.responses.readers import READERS
from audit.spec.files import ResolvedFile
from tests.responses.builders import SHARE, slice_of
from tests.responses.test_inspect_log import mutated, swapped

ROOT = Path(__file__).resolve().parents[2]
LOGS = Path(os.environ.get("AUDIT_SHARED_DATA") or ROOT.parent / "shared" / "data") / "logs"
MOST_SECONDS = 5.0

pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not LOGS.is_dir(), reason="the shared data is not here"),
]


def survives(kind, at, *paths):
    """Every log goes through its reader, every fourth through all of intake."""
    files = [ResolvedFile(path.name, path) for path in paths]
    began = time.monotonic()
    with contextlib.suppress(DataError):
        if at % 4:
            READERS[kind](files)
        else:
            ingest(slice_of(format=kind, metrics=(SHARE,), other_systems="reference"), files)
    assert time.monotonic() - began < MOST_SECONDS


def slim(path):
    """A log without what no reader looks at, so that mutations hit what they do."""
    log = json.loads(path.read_bytes())
    for sample in log.get("samples") or []:
        for key in ("events", "events_data", "attachments", "store", "messages"):
            sample.pop(key, None)
    log.pop("reductions", None)
    return log


@pytest.mark.parametrize("seed", range(4))
def test_inspect_json(tmp_path, seed):
    generator = random.Random(seed)
    logs = [slim(path) for path in sorted((LOGS / "inspect").rglob("*.json"))]
    path = tmp_path / "log.json"
    for at in range(2000):
        log = logs[at % len(logs)]
        if at % 2:
            path.write_bytes(mutated(json.dumps(log).encode(), generator))
        else:
            path.write_text(json.dumps(swapped(log, generator)))
        survives("inspect", at // 2, path)


@pytest.mark.parametrize("seed", range(2))
def test_inspect_eval(tmp_path, seed):
    generator = random.Random(seed)
    logs = [path.read_bytes() for path in sorted((LOGS / "inspect").rglob("*.eval"))]
    path = tmp_path / "log.eval"
    for at in range(150):
        path.write_bytes(mutated(logs[at % len(logs)], generator))
        survives("inspect", at // 2, path)


@pytest.mark.parametrize("seed", range(4))
def test_lm_eval(tmp_path, seed):
    generator = random.Random(seed)
    folder = LOGS / "lm_eval" / "tiny__sum-strong"
    (results,) = folder.glob("results_*.json")
    samples = sorted(folder.glob("samples_*.jsonl"))
    header = json.loads(results.read_bytes())
    for at in range(2000):
        one = samples[at % len(samples)]
        copies = tmp_path / results.name, tmp_path / one.name
        copies[0].write_bytes(
            json.dumps(swapped(header, generator)).encode()
            if at % 3 == 0
            else mutated(results.read_bytes(), generator)
            if at % 3 == 1
            else results.read_bytes()
        )
        rows = [json.loads(line) for line in one.read_text().splitlines()]
        copies[1].write_bytes(
            mutated(one.read_bytes(), generator)
            if at % 2
            else "\n".join(json.dumps(swapped(row, generator)) for row in rows).encode()
        )
        survives("lm_eval", at // 6, *copies)
        copies[1].unlink()


@pytest.mark.parametrize("seed", range(2))
def test_tables(tmp_path, seed):
    generator = random.Random(seed)
    lines = ["system,item,score,status,task"]
    lines += [f'a,"q,{at}",{at % 2},ok,find' if at % 7 else f"b,q{at},,error," for at in range(60)]
    plain = "\n".join(line.replace('"', "").replace("q,", "q") for line in lines).encode()
    path = tmp_path / "rows.csv"
    for at in range(2000):
        path.write_bytes(mutated(plain if at % 2 else "\n".join(lines).encode(), generator))
        survives("table", at // 2, path)


@pytest.mark.parametrize("seed", range(3))
def test_the_command_ends_with_2_and_no_traceback(tmp_path, seed):
    """A sample by the command itself: read and checked, or refused with the file's name."""
    generator = random.Random(seed)
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "study.yaml").write_text(
        "schema: 1\nstudy: damaged\ntitle: Damaged\n"
        'decision: {purpose: research, question: "Is it read?", owner: us, '
        "smallest_difference: 0.1}\n"
        "systems: {m: {version: not stated, match: mockllm/model}}\n"
        "other_systems: reference\n"
        "sources: {s: {format: inspect, files: log.json, why: damaged, chosen: published, "
        "scores: {correct: match}}}\n"
    )
    source = next((LOGS / "inspect" / "aborted_status_error").glob("*.json"))
    content = json.dumps(slim(source)).encode()
    for _ in range(4):
        (folder / "log.json").write_bytes(mutated(content, generator))
        done = subprocess.run(
            [sys.executable, "-m", "audit", "check", str(folder)],
            capture_output=True, text=True, cwd=ROOT, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 2), done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        assert done.returncode == 0 or "log.json" in done.stderr
