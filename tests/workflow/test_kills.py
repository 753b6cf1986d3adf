"""Whatever a run dies of, the next one leaves the bytes of an undisturbed run."""

import os
import signal
import subprocess
import time

import pytest

from tests.workflow.house import new_house

DYING = '''\
"""Each step dies once at each of its renames: before it for odd ones, after it for even ones."""
import os
import signal
import sys

place = os.environ.get("DEATHS")
step = next((one for one in sys.argv[1:] if not one.startswith("-")), "")
if place and os.path.basename(sys.argv[0] or "") in ("-m", "__main__.py"):
    true = {name: getattr(os, name) for name in ("replace", "rename")}
    calls = 0

    def dying(name):
        def rename(source, target, **more):
            global calls
            calls += 1
            mark = os.path.join(place, f"{step}.{calls}")
            first = not os.path.exists(mark)
            open(mark, "a").close()
            if first and calls % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            true[name](source, target, **more)
            if first:
                os.kill(os.getpid(), signal.SIGKILL)
        return rename

    os.replace, os.rename = dying("replace"), dying("rename")
'''


@pytest.fixture
def fresh(finished, tmp_path):
    """A house with one study and nothing made, of the finished one's program."""
    return new_house(tmp_path / "house", "one", program=finished.root)


@pytest.mark.slow
def test_a_step_that_dies_at_any_of_its_renames_is_made_again(fresh, finished, tmp_path):
    library, deaths = tmp_path / "library", tmp_path / "deaths"
    library.mkdir()
    deaths.mkdir()
    (library / "sitecustomize.py").write_text(DYING)
    for _ in range(40):
        done = fresh.run(PYTHONPATH=str(library), DEATHS=str(deaths))
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stdout
    died = {path.name for path in deaths.iterdir()}
    steps = {"ingest", "intake", "workload", "comparison", "configuration", "assess", "evidence"}
    assert {f"{step}.1" for step in steps | {"record", "render"}} <= died
    assert {f"ingest.{call}" for call in range(1, 5)} <= died
    assert fresh.contents("one") == finished.contents("one")


def wait_for(path, process):
    deadline = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "whole_group"),
    [
        pytest.param(signal.SIGKILL, False, id="KILL"),
        pytest.param(signal.SIGTERM, False, id="TERM", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, True, id="INT", marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_stopped_just_goes_on(fresh, finished, number, whole_group):
    process = subprocess.Popen(
        fresh.command(),
        cwd=fresh.root,
        env=fresh.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for(fresh.results / "one" / "responses" / "month.parquet", process)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    assert process.wait(timeout=60) != 0
    done = fresh.run()
    assert done.returncode == 0, done.stdout
    assert "Unlock" not in done.stdout
    assert fresh.contents("one") == finished.contents("one")
    assert "Nothing to be done" in fresh.run().stdout


def test_a_second_run_says_who_holds_the_results_and_waits(house):
    code = (
        "import sys, time; from pathlib import Path; from audit.holding import hold; "
        "lock = hold(Path('results')); print('held', flush=True); time.sleep(8)"
    )
    holder = subprocess.Popen(
        [house.command()[0], "-c", code], cwd=house.root, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        done = house.run()
        holder.kill()
    assert f"process {holder.pid} on " in done.stdout
    assert "Nothing to be done" in done.stdout
