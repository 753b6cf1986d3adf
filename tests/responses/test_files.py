"""Files as they come: damaged, cut off, packed, in other encodings and shapes."""

import gzip

import polars as pl
import pytest

from audit.responses.readers import csv_text, raw, table
from audit.responses.readers.table import read_table
from tests.responses.builders import HEAD, cells, only, read, refused, written

PLAIN = HEAD + "a,q1,1\nb,q1,0\n"
PACKED = gzip.compress(PLAIN.encode())


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("\n", "\n\n"),
        PLAIN.replace(",", " , "),
        PLAIN.replace("a,", '"a",'),
    ],
    ids=["plain", "no last line end", "BOM", "CRLF", "CR", "blank lines", "blanks", "quotes"],
)
def test_ways_of_writing_the_same_csv(tmp_path, content):
    assert cells(read(tmp_path, content)) == [("a", "q1", 1.0, "ok"), ("b", "q1", 0.0, "ok")]


def test_quoted_commas_and_line_ends_stay_in_their_value(tmp_path):
    found = read(tmp_path, HEAD + 'a,"q,1\nand ""more""",1\n')
    assert cells(found, "item", "row") == [('q,1\nand "more"', 1)]


def test_rows_are_counted_without_blank_lines_and_line_ends_in_values(tmp_path):
    text = HEAD + 'a,"one\ntwo",1\n\na,q2,x\n'
    assert "row 2, column score" in only(refused(tmp_path, text))


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["the file is empty"]),
        (b"\n\r\n", ["the file is empty"]),
        (PLAIN.encode("utf-16"), ["the first line", "NUL bytes", "UTF-8"]),
        (PLAIN.encode("utf-16-le"), ["the first line", "NUL bytes", "UTF-8"]),
        (PLAIN.encode() + b"a,caf\xe9,1\n", ["row 3", "not UTF-8", "byte 0xe9", "save it as CSV"]),
        (b"system,item,caf\xe9\n", ["the first line", "not UTF-8", "byte 0xe9"]),
        (PLAIN.encode() + b"a,q2\x00,1\n", ["row 3", "NUL bytes"]),
        (PLAIN.encode() + b"\x00" * 9, ["row 3", "NUL bytes", "cut off"]),
        (PLAIN.encode() + b"a,q2,1,1\n", ["row 3", "4 values", "allowed: 3 values"]),
        (PLAIN.encode() + b"a,q2", ["row 3", '2 values, the first "a"', "cut off"]),
        (PLAIN.encode() + b'a,"q2,1\n', ["row 3", "no well-formed CSV", "unexpected end"]),
        (PLAIN.encode() + b'a,"q"2,1\n', ["row 3", "no well-formed CSV", "double the"]),
        (b"system,item,item,score\n", ['two columns have one name; found "item"']),
        (b"system, item ,item\n", ['two columns have one name; found "item"']),
        (b"system,,score\n", ["column 2 has no name"]),
        (b"system;item;score\na;q1;1\n", ["separated by commas", "a semicolon"]),
        (b"system\titem\tscore\n", ["separated by commas", "a tab"]),
        (b"system|item|score\n", ["separated by commas", "a bar"]),
        (HEAD.encode(), ["no row is left"]),
    ],
)
def test_what_is_no_csv_is_refused_with_its_place(tmp_path, content, parts):
    message = only(refused(tmp_path, content))
    assert message.startswith("rows.csv: ")
    for part in parts:
        assert part in message


def test_row_of_a_wrong_byte_is_told_far_behind_the_first_block(tmp_path):
    good = b"".join(b"a,q%d,1\n" % n for n in range(60_000))
    message = only(refused(tmp_path, HEAD.encode() + good + b"a,\xff,1\n"))
    assert "row 60001: the file is not UTF-8; found byte 0xff" in message


def test_first_column_may_be_a_nameless_index(tmp_path):
    found = read(tmp_path, ",system,item,score\n0,a,q1,1\n1,b,q1,0\n")
    assert len(cells(found)) == 2


def test_file_without_rows_is_counted_beside_others(tmp_path):
    found = read(tmp_path, {"none.csv": HEAD, "some.csv": PLAIN})
    assert [(one.file, one.rows_read) for one in found.accounting.files] == [
        ("none.csv", 0),
        ("some.csv", 2),
    ]


# ------------------------------------------------------------------------------------------- gzip


def damaged(place: int) -> bytes:
    content = bytearray(PACKED)
    content[place] ^= 0xFF
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [PACKED[:-6], PACKED[:15], damaged(-6), damaged(12), b"system,item", PACKED + b"more"],
    ids=["cut off", "cut off early", "checksum", "damaged", "not packed", "more behind it"],
)
def test_damaged_gzip_is_refused(tmp_path, content):
    message = only(refused(tmp_path, {"rows.csv.gz": content}))
    assert message.startswith("rows.csv.gz: ")
    assert "damaged or cut off" in message


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.parquet.gz"])
def test_more_bytes_than_allowed_are_refused_once_unpacked(tmp_path, monkeypatch, name):
    monkeypatch.setattr(table, "MOST_BYTES", 1000)
    many = HEAD + "".join(f"a,q{n:04d},1\n" for n in range(200))
    content = pl.read_csv(many.encode()) if "parquet" in name else many
    message = only(refused(tmp_path, {name: content}))
    assert "the file holds more than 1,000 bytes" in message


def test_rows_columns_and_lines_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(raw, "MOST_ROWS", 1)
    assert "more than 1 rows" in only(refused(tmp_path, PLAIN))
    assert "more than 1 rows" in only(
        refused(tmp_path, {"rows.parquet": pl.read_csv(PLAIN.encode())})
    )
    monkeypatch.setattr(raw, "MOST_COLUMNS", 2)
    assert "too many columns; found 3; allowed: at most 2" in only(refused(tmp_path, PLAIN))
    monkeypatch.setattr(csv_text, "MOST_LINE", 10)
    assert "the first line: the line is too long" in only(refused(tmp_path, PLAIN))


def test_value_longer_than_allowed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_text, "MOST_CELL", 100)
    message = only(refused(tmp_path, PLAIN + "a," + "q" * 101 + ",1\n"))
    assert "row 3" in message
    assert "field larger than field limit (100)" in message


def test_other_endings_are_refused(tmp_path):
    message = only(refused(tmp_path, {"rows.xlsx": b"PK"}))
    assert message.endswith("allowed: .csv, .csv.gz, .parquet, .parquet.gz")


def test_unreadable_file_is_refused(tmp_path):
    files = written(tmp_path, {"rows.csv": PLAIN})
    (tmp_path / "rows.csv").unlink()
    with pytest.raises(Exception, match=r"rows\.csv: the file cannot be read; found No such file"):
        read_table(files[0])
