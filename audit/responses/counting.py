"""Every row accounted for, by file and by system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from audit.io import digest_of
from audit.responses.accounting import Accounting, FileAccount, SystemAccount
from audit.responses.table import ResponseTable
from audit.responses.values import when
from audit.spec.plan import MetricSlice, SourceSlice


def account(
    slice_: SourceSlice,
    table: ResponseTable,
    files: Sequence[FileAccount],
    names: Mapping[str, tuple[str, ...]],
    dates: pl.Series,
) -> Accounting:
    """Count a source's table.

    Parameters
    ----------
    files : accounts of its files, the item table's among them
    names : {system: how the files name it}
    dates : of all rows that the study keeps; a later repeat left out was an answer too
    """
    rows = table.responses.filter(pl.col("metric") == slice_.metrics[0].id)
    clusters, clustered = _clusters(table.items)
    return Accounting(
        source=slice_.source,
        source_digest=digest_of({one.file: one.digest for one in files}),
        files=tuple(files),
        systems=tuple(_systems(slice_, rows, table.items, names)),
        items=len(table.items),
        clusters=clusters,
        clustered=clustered,
        items_by_task=_counts(table.items["task"].fill_null("")),
        variants=_counts(rows["variant"]),
        earliest_date=_end(dates, first=True),
        latest_date=_end(dates, first=False),
        undated=dates.null_count(),
        unit={one.id: unit_of(one) for one in slice_.metrics},
    )


def unit_of(metric: MetricSlice) -> str:
    """`share` for 0 to 1, `percent` for 0 to 100, else `points`."""
    if (metric.lower, metric.upper) == (0.0, 100.0):
        return "percent"
    is_share = metric.kind in ("binary", "proportion") or (metric.lower, metric.upper) == (0, 1)
    return "share" if is_share else "points"


def _systems(
    slice_: SourceSlice,
    rows: pl.DataFrame,
    items: pl.DataFrame,
    names: Mapping[str, tuple[str, ...]],
) -> list[SystemAccount]:
    """Accounts of all systems; rows are of one metric and in the order of the table's key."""
    declared = [one.system for one in slice_.systems]
    tasks = items["task"].fill_null("")
    found: dict[str, SystemAccount] = {}
    start = 0
    for length, name in rows["system"].rle().struct.unnest().iter_rows():
        own = rows.slice(start, length)
        found[name] = _system(
            name, own, items["item"], tasks, names.get(name, ()), name in declared
        )
        start += length
    order = [one for one in declared if one in found] + sorted(set(found) - set(declared))
    return [found[one] for one in order]


def _system(
    name: str,
    rows: pl.DataFrame,
    items: pl.Series,
    tasks: pl.Series,
    names: tuple[str, ...],
    declared: bool,
) -> SystemAccount:
    """One system's account; rows of one item stand together, those of one wording of it too."""
    new_item = _changes(rows["item"])
    cells = np.flatnonzero(new_item | _changes(rows["variant"]))
    attempts = np.diff(np.append(cells, len(rows)))
    held = int(new_item.sum())
    missing = tasks.clear()
    if held < len(items):
        missing = tasks.filter(~items.is_in(rows["item"].unique().implode()))
    unscored = rows.filter(pl.col("score").is_null())
    return SystemAccount(
        system=name,
        names=names,
        declared=declared,
        rows=len(rows),
        items=held,
        scored=len(rows) - len(unscored),
        statuses=_counts(rows["status"]),
        unscored=_counts(unscored["status"]),
        missing_items=len(missing),
        missing_by_task=_counts(missing),
        attempts=(int(attempts.min()), int(attempts.max())),
    )


def _changes(column: pl.Series) -> np.ndarray:
    """Whether each value differs from the one before it; the first one does."""
    changed: np.ndarray = column.ne_missing(column.shift(1)).to_numpy()
    return np.asarray(changed | (np.arange(len(column)) == 0))


def _clusters(items: pl.DataFrame) -> tuple[int, bool]:
    """Number of clusters, an item without one standing alone, and whether any is named."""
    named = items["cluster"].drop_nulls()
    return named.n_unique() + items["cluster"].null_count(), bool(len(named))


def _counts(values: pl.Series) -> dict[str, int]:
    counted = values.value_counts()
    return dict(sorted(zip(counted[values.name], counted["count"], strict=True)))


def _end(dates: pl.Series, *, first: bool) -> str | None:
    """The earliest or latest date, as stated; None without any."""
    stated = dates.drop_nulls().unique().to_list()
    if not stated:
        return None
    ordered = sorted(stated, key=lambda text: (when(text), text))
    return str(ordered[0] if first else ordered[-1])
