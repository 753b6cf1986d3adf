"""Items: one id, one content; their tasks; the item table; hostile names."""

import hashlib

import pytest

from tests.responses.builders import HEAD, cells, left_out, only, read, refused

WORK = {"tasks": ("find", "join")}
TABLE = "item,task,text,cluster,label,author\nq1,find,Where?,c1,easy,Ann\nq2,join,Why?,,,\n"
ROWS = HEAD + "a,q1,1\nb,q1,0\n"


def with_table(table=TABLE, rows=ROWS):
    return {"items": "items.csv"}, {"rows.csv": rows, "items.csv": table}


@pytest.mark.parametrize(
    ("fields", "head", "row"),
    [
        ({"task": "find"}, "system,item,score", "a,q1,1"),
        ({}, "system,item,score,task", "a,q1,1,find"),
        ({"columns": {"task": "class"}}, "system,item,score,class", "a,q1,1,find"),
        ({"values": {"task": {"F": "find"}}}, "system,item,score,task", "a,q1,1,F"),
        ({"task": "find"}, "system,item,score,task", "a,q1,1,find"),
        ({"task": "find"}, "system,item,score,task", "a,q1,1,its own word"),
    ],
    ids=["source", "column", "mapped column", "mapped value", "both agree", "other words"],
)
def test_task(tmp_path, fields, head, row):
    found = read(tmp_path, f"{head}\n{row}\n", **WORK, **fields)
    assert cells(found, "task") == [("find",)]
    assert found.accounting.items_by_task == {"find": 1}


@pytest.mark.parametrize("where", ["rows.csv", "items.csv"])
def test_source_of_one_task_refuses_rows_of_another(tmp_path, where):
    rows = "system,item,score,task\na,q1,1,join\n" if where == "rows.csv" else HEAD + "a,q1,1\n"
    table = "item,task\nq1,join\n" if where == "items.csv" else "item\nq1\n"
    fields, files = with_table(table, rows)
    message = only(refused(tmp_path, files, task="find", **WORK, **fields))
    assert message == (
        f"{where}: row 1, column task: the row is of another task than its source; found "
        '"join"; allowed: find, as task: says; leave out task: and let the column speak, or leave '
        "the row out by rows: {…}"
    )


def test_undeclared_and_missing_tasks(tmp_path):
    text = "system,item,score,class\na,q1,1,finde\na,q2,1,\na,q3,1,join\n"
    assert refused(tmp_path, text, columns={"task": "class"}, **WORK) == [
        'rows.csv: row 1, column class: this task is not declared; found "finde"; allowed: find, '
        'join; did you mean find? map it: values: {task: {"finde": …}}, or leave it out by rows: '
        "{…}",
        'rows.csv: row 2: the item has no task; found "q2"; allowed: find, join; name the column: '
        "columns: {task: …}, or the source's one task: task: …",
    ]


def test_without_declared_work_any_task_is_kept(tmp_path):
    found = read(tmp_path, "system,item,score,task\na,q1,1,anything\na,q2,1,\n")
    assert found.accounting.items_by_task == {"": 1, "anything": 1}


def test_one_row_may_say_what_the_others_leave_open(tmp_path):
    text = "system,item,score,task,cluster\na,q1,1,,\nb,q1,0,find,c\n"
    assert cells(read(tmp_path, text, **WORK), "task", "cluster") == [("find", "c")] * 2


@pytest.mark.parametrize("key", ["task", "cluster", "label"])
def test_one_id_with_two_contents_is_refused(tmp_path, key):
    files = {
        "one.csv": f"system,item,score,{key}\na,q1,1,find\n",
        "two.csv": f"system,item,score,{key}\nb,q2,1,join\nb,q1,1,join\n",
    }
    message = only(refused(tmp_path, files))
    assert message == (
        f'two.csv: row 2, column {key}: the same item has another {key}; found "join" for item '
        '"q1"; allowed: "find", as in one.csv, row 1; one id is one item: give the changed item an '
        "id of its own; if the column is not about items, leave it aside: "
        f'values: {{{key}: {{"join": ""}}}}'
    )


# ------------------------------------------------------------------------------------- item table


def test_item_table_gives_task_cluster_label_author_and_text(tmp_path):
    fields, files = with_table()
    found = read(tmp_path, files, **WORK, **fields)
    digest = "sha256:" + hashlib.sha256(b"Where?").hexdigest()
    assert found.table.items.drop("source").rows()[0] == (
        "q1", digest, "find", "c1", "easy", "Ann",
    )  # fmt: skip
    assert (digest, "Where?") in found.texts.rows()
    assert cells(found, "item", "task", "cluster", "label") == [("q1", "find", "c1", "easy")] * 2
    assert [(one.file, one.rows_read, one.rows_kept) for one in found.accounting.files] == [
        ("rows.csv", 2, 2),
        ("items.csv", 2, 2),
    ]


def test_item_that_nobody_answered_is_missing_for_every_system(tmp_path):
    fields, files = with_table()
    found = read(tmp_path, files, **WORK, **fields).accounting
    assert found.items == 2
    assert [(one.missing_items, one.missing_by_task) for one in found.systems] == [
        (1, {"join": 1})
    ] * 2


def test_texts_of_a_private_source_are_not_stored(tmp_path):
    fields, files = with_table()
    found = read(tmp_path, files, private=True, **WORK, **fields)
    assert found.texts.is_empty()
    assert found.texts.columns == ["digest", "text"]
    assert "Where?" not in str(found.table.items.rows()) + str(found.accounting)


@pytest.mark.parametrize(
    ("table", "fields", "row"),
    [
        ("item,task\nq1,find\n", {"columns": {"item": "question"}}, "question"),
        ("question,task\nq1,find\n", {"columns": {"item": "question"}}, "question"),
        ("item,class\nq1,find\n", {"columns": {"task": "class"}}, "item"),
        ("item,class\nq1,F\n", {"columns": {"task": "class"}, "values": {"task": {"F": "find"}}},
         "item"),
        ("item,kind,task\nq1,find,other\n", {"columns": {"task": "kind"}}, "item"),
    ],
    ids=["own name", "name of the answers", "only here", "mapped", "named before canonical"],
)  # fmt: skip
def test_columns_of_the_item_table(tmp_path, table, fields, row):
    files = {"rows.csv": f"system,{row},score\na,q1,1\n", "items.csv": table}
    found = read(tmp_path, files, items="items.csv", **WORK, **fields)
    assert cells(found, "item", "task") == [("q1", "find")]


@pytest.mark.parametrize(
    ("table", "fields", "start"),
    [
        ("item,task\nq1,find\nq1,find\n", {},
         'items.csv: row 2, column item: the item table names an item twice; found "q1"; row 1'),
        ("item,task\nq1,find\n,find\n", {},
         "items.csv: row 2, column item: the row names no item; give it"),
        ("item,task\nq12345,find\n", {},
         'rows.csv: row 1, column item: the item table does not name this item; found "q1"; add'),
        ("id,task\nq1,find\n", {}, 'items.csv: there is no column "item"; allowed: id, task; name'),
        ("item,task\nq1,find\n", {"columns": {"text": "question"}},
         'items.csv: there is no column "question"; allowed: item, task; the study says columns: '
         "{text: question}"),
        ("item,task\nq1,find\n", {"columns": {"cluster": "fam"}},
         'rows.csv: there is no column "fam"; allowed: system, item, score; the study says'),
        ("item,task,author\nq1,find," + "x" * 1001 + "\n", {},
         "items.csv: row 1, column author: the author is longer than 1,000 characters; found "),
        ("item,task\nq1,search\n", {},
         'items.csv: row 1, column task: this task is not declared; found "search"; allowed: '),
        ("item,task\nq1,\n", {}, 'items.csv: row 1: the item has no task; found "q1"'),
    ],
    ids=["twice", "no item", "unlisted", "no column", "no text", "nowhere", "long", "task", "none"],
)  # fmt: skip
def test_what_is_wrong_with_an_item_table(tmp_path, table, fields, start):
    own, files = with_table(table)
    assert only(refused(tmp_path, files, **WORK, **own, **fields)).startswith(start)


def test_task_of_the_rows_against_the_item_table(tmp_path):
    fields, files = with_table(rows="system,item,score,task\na,q1,1,join\n")
    message = only(refused(tmp_path, files, **WORK, **fields))
    assert message.startswith(
        'rows.csv: row 1, column task: the same item has another task; found "join" for item '
        '"q1"; allowed: "find", as in items.csv, row 1'
    )


def test_unlisted_item_with_a_near_name(tmp_path):
    fields, files = with_table(
        rows=HEAD + "a,question-17,1\n", table="item,task\nquestion-71,find\n"
    )
    assert only(refused(tmp_path, files, **WORK, **fields)).endswith("did you mean question-71?")


def test_rows_select_items_too_where_the_item_table_has_the_column(tmp_path):
    table = "item,task,split\nq1,find,test\nq2,find,train\n"
    rows = "system,item,score,split\na,q1,1,test\na,q2,1,train\n"
    fields, files = with_table(table, rows)
    found = read(tmp_path, files, rows={"split": "test"}, **WORK, **fields)
    assert found.accounting.items == 1
    assert left_out(found) == {"rows.csv": {"not selected": 1}, "items.csv": {"not selected": 1}}


def test_excluded_items_leave_the_item_table_under_that_name(tmp_path):
    rows = "system,item,score,status\na,q1,1,\na,q2,,excluded\n"
    fields, files = with_table(rows=rows)
    found = read(tmp_path, files, **WORK, **fields)
    gone = {"item excluded for every system": 1}
    assert left_out(found) == {"rows.csv": gone, "items.csv": gone}


@pytest.mark.parametrize("declared", ["./items.csv", "items.csv"])
def test_item_table_is_found_by_its_path(tmp_path, declared):
    _, files = with_table()
    assert read(tmp_path, files, items=declared, **WORK).accounting.items == 2


@pytest.mark.parametrize(
    ("items", "files", "start"),
    [
        ("item*.csv", {"rows.csv": ROWS, "items.csv": TABLE},
         "item*.csv: the item table is none of the files that were found; allowed: rows.csv, "
         "items.csv; items names one file by its path"),
        ("rows.csv", {"rows.csv": ROWS},
         "rows.csv: this is the item table, and no file of answers is beside it"),
    ],
    ids=["glob", "the answers themselves"],
)  # fmt: skip
def test_item_table_that_is_no_file_of_its_own(tmp_path, items, files, start):
    assert only(refused(tmp_path, files, items=items, **WORK)).startswith(start)


# ------------------------------------------------------------------------------------------ names


@pytest.mark.parametrize("key", ["item", "cluster", "label", "item_hash", "system", "variant"])
def test_names_longer_than_a_thousand_characters_are_refused(tmp_path, key):
    values = {"system": "a", "item": "q1", "score": "1"} | {key: "x" * 1001}
    text = ",".join(values) + "\n" + ",".join(values.values()) + "\n"
    fields = {"other_systems": "reference"} if key == "system" else {}
    messages = refused(tmp_path, text, **fields)
    assert any(
        one.startswith(f"rows.csv: row 1, column {key}: the {key} is longer than 1,000 characters; "
                       "found 1,001: ")
        for one in messages
    )  # fmt: skip
    assert all(len(one) < 600 for one in messages)


def test_names_of_a_thousand_characters_are_read(tmp_path):
    assert cells(read(tmp_path, HEAD + "a," + "é" * 1000 + ",1\n"))[0][1] == "é" * 1000


HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "\u202etxt.exe",
    "bell\x07back\x08",
    "two\nlines",
    "${jndi:ldap}",
    "'; DROP TABLE items; --",
    "../../etc/passwd",
    "nan",
    "-1",
    "null",
    "e\u0301",
    "\u00e9",
    "\ufeff",
    "🙂",
]


def test_hostile_names_stay_the_text_that_they_are(tmp_path):
    quoted = ['"' + one.replace('"', '""') + '"' for one in HOSTILE]
    text = "system,item,score,cluster\n" + "".join(f"a,{one},1,{one}\n" for one in quoted)
    found = read(tmp_path, text)
    assert sorted(found.table.responses["item"]) == sorted(HOSTILE)
    assert found.table.responses["cluster"].to_list() == found.table.responses["item"].to_list()


@pytest.mark.parametrize("name", HOSTILE)
def test_messages_show_hostile_names_on_one_printable_line(tmp_path, name):
    quoted = '"' + name + '"'
    text = f"system,item,score,{quoted}\na,{quoted},{quoted}x,1\n"
    messages = refused(
        tmp_path, text.replace('"x,', 'x",'), columns={"cluster": name, "label": "no"}
    )
    messages += refused(tmp_path, HEAD + f"{quoted},q1,1\na,{quoted},x\n")
    assert all(one.isprintable() for one in messages)
