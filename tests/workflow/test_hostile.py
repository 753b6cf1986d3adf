"""Hostile text on the real path: shown as text or refused; nothing outside is read or asked."""

import csv
import io
import json
import re
import socket
import threading

import pikepdf
import polars as pl
import pytest

from tests.report.hostile import ATTACHMENT, FILE_LINK, HTML, MARKDOWN, MATH, STYLE, TEMPLATE
from tests.workflow.house import new_house

CANARY = "canary-8f31c2-never-shown"


@pytest.fixture
def listener():
    """A port that counts who connects."""
    found = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.2)
    done = threading.Event()

    def listen():
        while not done.is_set():
            try:
                connection, address = server.accept()
            except TimeoutError:
                continue
            found.append(address)
            connection.close()

    thread = threading.Thread(target=listen)
    thread.start()
    yield server.getsockname()[1], found
    done.set()
    thread.join()
    server.close()


def hostile_study(house, port, canary):
    """A study whose every free text and every name in its data tries to be more than text."""
    here = f"http://127.0.0.1:{port}/"
    texts = [
        one.replace("http://x.invalid/", here).replace("/etc/passwd", str(canary))
        for one in (HTML, FILE_LINK, ATTACHMENT, TEMPLATE, STYLE, MATH, MARKDOWN)
    ]
    every = " ".join(texts)
    assert len(every) < 2000
    house.add_study("one")
    path = house.study("one")
    text = path.read_text()
    for plain in (
        "Alpha or Beta for the tickets?", "Which of the two takes the tickets?",
        "customers who write to support", "questions of one month", "answer from the pages",
        "drawn from that month", "Alpha solves more of the tickets.", "the same tickets for both",
    ):  # fmt: skip
        assert plain in text
        text = text.replace(plain, json.dumps(every))
    text = text.replace('version: "4.1"', f"version: {json.dumps(every[:400])}")
    text = text.replace(
        "  month: {files: answers.csv,", "  month: {items: items.csv, files: answers.csv,"
    )
    text = text.replace("sources:\n", "other_systems: reference\nsources:\n", 1)
    path.write_text(text)
    folder = path.parent
    rows = list(csv.DictReader(io.StringIO((folder / "answers.csv").read_text())))
    rows += [{**row, "system": every[:900]} for row in rows if row["system"] == "beta"]
    rows += [{**row, "system": "=cmd|' /C calc'!A0"} for row in rows if row["system"] == "beta"]
    for row in rows:
        row["item"] = f"{row['item']} {every[:300]}"
    write(folder / "answers.csv", rows)
    items = {
        row["item"]: {"item": row["item"], "text": every, "author": every[:200]} for row in rows
    }
    write(folder / "items.csv", list(items.values()))


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.slow
def test_hostile_text_is_text_in_everything_that_is_made(tmp_path, listener):
    port, connected = listener
    canary = tmp_path / "canary.txt"
    canary.write_text(CANARY)
    house = new_house(tmp_path / "house")
    hostile_study(house, port, canary)
    done = house.audit("report", "specs/one")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert connected == []
    results = house.results / "one"
    for path in results.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path
    html = (results / "report.html").read_text(encoding="utf-8")
    assert "<script" not in html
    assert not re.search(r"<(?:img|object|link|iframe|embed|base|form)\b", html)
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', html))
    assert "{{ 7 * 7 }}" in html
    assert not re.search(r"(?<!\\)\[x\]\(", (results / "summary.md").read_text(encoding="utf-8"))
    with pikepdf.open(results / "report.pdf") as pdf:
        assert set(pdf.attachments) == {"study.yaml", "evidence.json", "record.json"}
        for object_ in pdf.objects:
            if isinstance(object_, pikepdf.Dictionary):
                assert not {"/JavaScript", "/Launch", "/URI"} & {str(object_.get("/S", ""))}
    kept = pl.read_parquet(results / "responses" / "month.parquet")
    assert "=cmd|' /C calc'!A0" in kept["system"].to_list()


OUTSIDE = [
    ("../outside.csv", "leave the folder"),
    ("/etc/passwd", "absolute paths are refused"),
    ("link.csv", "a link leaves the folder"),
    ("answers.csv/../../outside.csv", "leave the folder"),
]


@pytest.mark.parametrize(("declared", "why"), OUTSIDE, ids=[one for one, _ in OUTSIDE])
def test_files_outside_of_the_study_are_refused(tmp_path, declared, why):
    house = new_house(tmp_path / "house", "one")
    (house.root / "specs" / "outside.csv").write_text(f"system,item,score\n{CANARY},q,1\n")
    link = house.study("one").parent / "link.csv"
    link.symlink_to(house.root / "specs" / "outside.csv")
    house.edit("specs/one/study.yaml", "files: answers.csv", f"files: {declared}")
    done = house.audit("check", "specs/one")
    assert done.returncode == 2
    assert why in done.stderr
    assert CANARY not in done.stderr + done.stdout


@pytest.mark.parametrize("name", ["system", "item", "task"])
def test_names_of_a_hundred_thousand_characters_are_refused_with_their_row(tmp_path, name):
    house = new_house(tmp_path / "house", "one")
    path = house.study("one").parent / "answers.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    rows[6][name] = "w" * 100_000
    write(path, rows)
    done = house.audit("check", "specs/one")
    assert done.returncode == 2
    assert "row 7" in done.stderr
    assert "longer than 1,000 characters" in done.stderr
    assert len(done.stderr) < 5000


def test_an_alias_bomb_is_refused_at_once(tmp_path):
    house = new_house(tmp_path / "house", "one")
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)
    )
    path = house.study("one")
    path.write_text(bomb + path.read_text())
    done = house.audit("check", "specs/one")
    assert done.returncode == 2
    assert "study.yaml:1:" in done.stderr
