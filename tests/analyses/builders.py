"""Small response tables and slices for the analyses' tests."""

import polars as pl

from audit.responses.table import ITEM_SCHEMA, RESPONSE_SCHEMA, ResponseTable
from audit.spec.models import UNSCORED_DEFAULT
from audit.spec.plan import AnalysisSlice, MetricSlice, Request, TaskWeight

BINARY = MetricSlice(id="correct", kind="binary", lower=0, upper=1, better="higher")
SHARE = MetricSlice(id="solved", kind="bounded", lower=0, upper=1, better="higher")
PERCENT = MetricSlice(id="points", kind="bounded", lower=0, upper=100, better="higher")
ERRORS = MetricSlice(id="errors", kind="bounded", lower=0, upper=100, better="lower")
SECONDS = MetricSlice(id="seconds", kind="unbounded", lower=None, upper=None, better="lower")


def row(system, item, score, **fields):
    """One row of the response table; `task`, `cluster`, `status` and others by name."""
    values = dict.fromkeys(RESPONSE_SCHEMA)
    values |= {
        "source": "s",
        "system": system,
        "item": item,
        "variant": "base",
        "attempt": 0,
        "metric": "correct",
        "score": None if score is None else float(score),
        "status": "ok" if score is not None else "not_run",
        "file": "rows.csv",
        "row": 1,
    }
    return values | fields


def table(rows, extra_items=()):
    """Response table; the item table follows from the rows, and from `extra_items` (item, task)."""
    held = {}
    for one in rows:
        held.setdefault(one["item"], {"task": one["task"], "cluster": one["cluster"]})
    for item, task in extra_items:
        held.setdefault(item, {"task": task, "cluster": None})
    items = [dict.fromkeys(ITEM_SCHEMA) | {"source": "s", "item": i} | f for i, f in held.items()]
    return ResponseTable.of(
        pl.DataFrame(rows, schema=RESPONSE_SCHEMA), pl.DataFrame(items, schema=ITEM_SCHEMA)
    )


def scored(scores, **fields):
    """Rows from {system: [score by item, None for no row]}; fields may be lists by item."""
    rows = []
    for system, values in scores.items():
        for at, score in enumerate(values):
            if score is None:
                continue
            own = {k: v[at] if isinstance(v, list | tuple) else v for k, v in fields.items()}
            rows.append(row(system, f"q{at:04d}", score, **own))
    return rows


def paired(both, gains, losses, neither):
    """Scores of `a` and `b` by item."""
    a = [1] * both + [1] * gains + [0] * losses + [0] * neither
    b = [1] * both + [0] * gains + [1] * losses + [0] * neither
    return {"a": a, "b": b}


def weight(task, share, **fields):
    return TaskWeight(task=task, share=share, **fields)


def request(of="a", over=None, **fields):
    """Performance without `over`, comparison with it, ranking with `among`."""
    among = fields.get("among", ())
    kind = "ranking" if among else "performance" if over is None else "comparison"
    values = {
        "id": "C.1",
        "criterion": fields.get("id", "C.1").split("@")[0],
        "claim": fields.get("id", "C.1").split(".")[0],
        "source": "s",
        "analysis": "workload" if kind == "performance" else "comparison",
        "kind": kind,
        "measure": "rank" if among else "mean",
        "metric": "correct",
        "of": of,
        "over": over,
        "sign": -1 if among else 1,
        "errors": (0.05,) if among else (0.025, 0.0125),
    }
    return Request(**(values | fields))


def analysis_slice(requests, *, metrics=(BINARY,), weights=(), kind=None, **fields):
    """Slice of one analysis; `kind` of the weights is counts when they have some."""
    counted = bool(weights) and all(one.count is not None for one in weights)
    values = {
        "study": "small",
        "source": "s",
        "analysis": requests[0].analysis,
        "requests": tuple(requests),
        "metrics": tuple(metrics),
        "weights": tuple(weights),
        "weights_kind": kind or ("count" if counted else "share" if weights else "none"),
        "unscored": UNSCORED_DEFAULT,
        "systems": ("a", "b"),
        "smallest_difference": 0.03,
        "seed": 7,
    }
    return AnalysisSlice(**(values | fields))


def answer(result, request_id="C.1"):
    """Estimate or refusal of a request."""
    return next(
        one for one in (*result.estimates, *result.not_estimable) if one.request == request_id
    )


def rows_of(result, table_id):
    """Rows of a table as dicts."""
    found = next(one for one in result.tables if one.id == table_id)
    return [dict(zip(found.columns, one, strict=True)) for one in found.rows]
