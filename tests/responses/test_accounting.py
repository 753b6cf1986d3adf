"""Every row is kept or counted, whatever the files hold; mistakes are bounded."""

import contextlib
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.errors import DataError
from audit.responses.problems import MOST_KINDS, MOST_SHOWN, Problems
from audit.responses.table import KEY
from tests.responses.builders import HEAD, SHARE, cells, read, refused, systems

ROW = st.tuples(
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["q1", "q2", "q3"]),
    st.sampled_from(["", "short"]),
    st.sampled_from(["0", "1", "0.5", "", ""]),
    st.sampled_from(["", "ok", "error", "refused", "excluded", "excluded"]),
    st.sampled_from(["test", "test", "train"]),
    st.sampled_from(["", "2026-01-01", "2026-01-02T10:00Z"]),
)
FILES = st.lists(st.lists(ROW, max_size=12), min_size=1, max_size=3)
POLICY = st.sampled_from(["refuse", "attempts", "first", "last", "mean"])
COLUMNS = "system,item,variant,score,status,split,date"
OFTEN = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def ingested(folder, files, repeats, **fields):
    """What intake makes of the rows, or None where it refuses them."""
    texts = {
        f"{place}.csv": "\n".join([COLUMNS, *(",".join(row) for row in rows)]) + "\n"
        for place, rows in enumerate(files)
    }
    try:
        return read(
            folder,
            texts,
            repeats=repeats,
            metrics=(SHARE,),
            variants=("base", "short"),
            other_systems="reference",
            **fields,
        )
    except DataError:
        return None


@OFTEN
@given(FILES, POLICY, st.booleans())
def test_every_row_is_kept_or_counted(tmp_path, files, repeats, select):
    found = ingested(tmp_path, files, repeats, rows={"split": "test"} if select else {})
    if found is None:
        return
    accounting, rows = found.accounting, found.table.responses
    for account, content in zip(accounting.files, files, strict=True):
        assert account.rows_read == len(content)
        assert account.rows_read == account.rows_kept + sum(account.rows_left_out.values())
        assert account.rows_kept == int((rows["file"] == account.file).sum())
        assert all(count > 0 for count in account.rows_left_out.values())
    assert sum(one.rows for one in accounting.systems) == len(rows)
    for one in accounting.systems:
        assert sum(one.statuses.values()) == one.rows
        assert one.scored + sum(one.unscored.values()) == one.rows
        assert one.items + one.missing_items == accounting.items
        assert sum(one.missing_by_task.values()) == one.missing_items
    assert sum(accounting.items_by_task.values()) == accounting.items == len(found.table.items)
    assert sum(accounting.variants.values()) == len(rows)


@OFTEN
@given(FILES, POLICY)
def test_table_has_one_row_per_key_and_is_sorted_by_it(tmp_path, files, repeats):
    found = ingested(tmp_path, files, repeats)
    if found is None:
        return
    keys = found.table.responses.select(KEY)
    assert keys.equals(keys.unique(maintain_order=True).sort(KEY))


@OFTEN
@given(FILES, POLICY)
def test_scores_of_the_files_are_the_scores_of_the_table(tmp_path, files, repeats):
    """No score is lost or made, but by the policy of repeats."""
    found = ingested(tmp_path, files, repeats)
    if found is None or repeats not in ("refuse", "attempts"):
        return
    given_scores = sorted(float(row[3]) for rows in files for row in rows if row[3])
    assert sorted(found.table.responses["score"].drop_nulls()) == given_scores


@OFTEN
@given(FILES, st.sampled_from(["refuse", "mean"]), st.randoms(use_true_random=False))
def test_order_of_files_and_rows_changes_nothing(tmp_path, files, repeats, chance):
    found = ingested(tmp_path, files, repeats)
    mixed = [chance.sample(rows, len(rows)) for rows in files]
    chance.shuffle(mixed)
    other = ingested(tmp_path, mixed, repeats)
    assert (found is None) == (other is None)
    if found is None or other is None:
        return
    assert found.table.responses.drop("file", "row").equals(
        other.table.responses.drop("file", "row")
    )
    assert found.table.items.equals(other.table.items)
    assert found.accounting.model_dump(exclude={"files", "source_digest"}) == (
        other.accounting.model_dump(exclude={"files", "source_digest"})
    )


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@settings(OFTEN, max_examples=80)
@given(st.lists(st.lists(TEXT, min_size=4, max_size=4), max_size=5), st.sampled_from(",;\n\"'"))
def test_no_text_stops_the_program(tmp_path, rows, mark):
    text = "system,item,score,date\n" + "".join(
        ",".join(f'"{cell}"' if mark in cell else cell for cell in row) + "\n" for row in rows
    )
    with contextlib.suppress(DataError):
        assert read(tmp_path, text, other_systems="reference").accounting.files[0].rows_kept


@settings(OFTEN, max_examples=80)
@given(st.binary(max_size=60), st.sampled_from(["x.csv", "x.csv.gz", "x.parquet", "x.parquet.gz"]))
def test_no_bytes_stop_the_program(tmp_path, content, name):
    with pytest.raises(DataError):
        read(tmp_path, {name: content})


# ------------------------------------------------------------------------------------ many mistakes


def test_one_mistake_is_shown_a_few_times_and_counted(tmp_path):
    text = HEAD + "".join(f"a,q{n},x\n" for n in range(12))
    messages = refused(tmp_path, text)
    assert [one.split(", column")[0] for one in messages] == [
        *(f"rows.csv: row {n}" for n in range(1, MOST_SHOWN + 1)),
        "rows.csv: rows",
    ]
    assert messages[-1] == "rows.csv: rows, column score: the score is no number: 7 more like this"


def test_kinds_of_mistakes_are_bounded():
    problems = Problems()
    for n in range(MOST_KINDS + 30):
        for _ in range(2):
            problems.add(f"f{n:03d}.csv", "it is wrong")
    with pytest.raises(DataError) as caught:
        problems.raise_any()
    assert len(caught.value.issues) == 2 * MOST_KINDS + 1
    assert str(caught.value.issues[-1]) == "f200.csv: 60 further mistakes, here and in 29 files"


def test_remedy_that_takes_long_is_looked_for_only_where_it_is_shown():
    asked = []
    problems = Problems()
    for n in range(50):
        problems.add("f.csv", "it is wrong", row=n, remedy=lambda: asked.append(1) or "do this")
    assert len(asked) == MOST_SHOWN


def test_long_column_names_are_cut(tmp_path):
    name = "c" * 100_000
    messages = refused(tmp_path, f"system,item,score,{name}\na,q1,1,x\n", columns={"date": name})
    assert len(messages[0]) < 1000


@pytest.mark.parametrize("of", ["system", "item", "score", "status", "date"])
def test_thousands_of_mistakes_are_told_in_a_moment(tmp_path, of):
    rows = []
    for n in range(5000):
        values = {"system": "a", "item": f"question-{n}", "score": "1", "status": "", "date": ""}
        rows.append(",".join((values | {of: f"questiom-{n}"}).values()))
    files = {
        "rows.csv": "system,item,score,status,date\n" + "\n".join(rows) + "\n",
        "items.csv": "item\n" + "".join(f"question-{n}\n" for n in range(5000)),
    }
    start = time.perf_counter()
    messages = refused(
        tmp_path,
        files,
        items="items.csv",
        systems=systems(a="a", **{f"s{n}": f"question-{n}" for n in range(300)}),
    )
    assert len(messages) == MOST_SHOWN + 1
    assert "4,995 more like this" in messages[-1]
    assert time.perf_counter() - start < 20


def test_many_files_take_a_time_in_proportion(tmp_path):
    files = {f"{n}.csv": HEAD + f"a,q{n},1\nb,q{n},0\n" for n in range(200)}
    assert len(cells(read(tmp_path, files))) == 400


def test_wide_files_are_read(tmp_path):
    wide = ",".join(f"c{n}" for n in range(9000))
    text = f"system,item,score,{wide}\na,q1,1,{','.join('x' * 9000)}\n"
    assert len(cells(read(tmp_path, text))) == 1


def test_rows_of_a_large_file_keep_their_number(tmp_path):
    """Files are read in portions; a row is found by its number in the whole."""
    numbers = list(range(1, 120_001))
    random.Random(3).shuffle(numbers)
    text = HEAD + "".join(f"a,{n},1\n" for n in numbers)
    found = dict(cells(read(tmp_path, text), "item", "row"))
    assert all(found[str(n)] == place for place, n in enumerate(numbers, start=1))
