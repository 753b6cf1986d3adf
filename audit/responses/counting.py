"""Every row accounted for, by file and by system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    declared = [one.system for one in slice_.systems]
    held = sorted(rows["system"].unique().to_list())
    order = [one for one in declared if one in held] + [one for one in held if one not in declared]
    groups = {str(key[0]): group for key, group in rows.group_by("system")}
    tasks = items["task"].fill_null("")
    return [
        _system(one, groups[one], items["item"], tasks, names.get(one, ()), one in declared)
        for one in order
    ]


def _system(
    name: str,
    rows: pl.DataFrame,
    items: pl.Series,
    tasks: pl.Series,
    names: tuple[str, ...],
    declared: bool,
) -> SystemAccount:
    missing = ~items.is_in(rows["item"].unique().implode())
    unscored = rows.filter(pl.col("score").is_null())
    attempts = rows.group_by("item", "variant").len()["len"].to_list()
    return SystemAccount(
        system=name,
        names=names,
        declared=declared,
        rows=len(rows),
        items=rows["item"].n_unique(),
        scored=len(rows) - len(unscored),
        statuses=_counts(rows["status"]),
        unscored=_counts(unscored["status"]),
        missing_items=int(missing.sum()),
        missing_by_task=_counts(tasks.filter(missing)),
        attempts=(min(attempts, default=0), max(attempts, default=0)),
    )


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
