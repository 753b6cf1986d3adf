"""What each step may know of a study: a change that a step does not see never reruns it."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from pydantic import BaseModel

from audit.errors import Issue
from audit.spec.check_sources import range_of
from audit.spec.check_systems import match_of
from audit.spec.load import LoadedStudy
from audit.spec.lock import decision_digest
from audit.spec.models import UNSCORED_DEFAULT, DeclaredThreat, Study, Text
from audit.spec.parts import systems_of
from audit.spec.plan import (
    AnalysisSlice,
    ArgumentClaim,
    ArgumentSlice,
    ArgumentThreat,
    ConfigurationSlice,
    IntakeSlice,
    LockEntry,
    MetricSlice,
    Plan,
    PublishedSlice,
    SourceSlice,
    SystemConfiguration,
    SystemMatch,
)
from audit.spec.planning import make_plan, metric_of, requests_for, task_weights, weights_kind

_ANALYSES: tuple[Literal["workload", "comparison"], ...] = ("workload", "comparison")


def make_slices(
    loaded: LoadedStudy, lock: tuple[LockEntry, ...]
) -> dict[str, BaseModel | dict[str, Any]]:
    """Split a study into what its steps may know.

    Parameters
    ----------
    loaded : a study without errors
    lock : entries of its `lock.jsonl`

    Returns
    -------
    By file name: `source.<id>.json` and `intake.<id>.json`; `workload.<id>.json` and
    `comparison.<id>.json` where there is something to compute; `configuration.json`,
    `argument.json`, `study.json`, `plan.json`. Wording
    stands in `study.json` alone.
    """
    study = loaded.study
    plan = make_plan(study)
    digest = decision_digest(study)
    slices: dict[str, BaseModel | dict[str, Any]] = {}
    for source in study.sources:
        slices[f"source.{source}.json"] = source_slice(study, source)
        slices[f"intake.{source}.json"] = intake_slice(study, plan, source)
        for analysis in _ANALYSES:
            made = analysis_slice(study, plan, source, analysis)
            if made is not None:
                slices[f"{analysis}.{source}.json"] = made
    slices["configuration.json"] = configuration_slice(study)
    slices["argument.json"] = argument_slice(study, plan, digest, lock)
    slices["plan.json"] = plan
    slices["study.json"] = {
        "study": study.model_dump(mode="json", by_alias=True),
        "remarks": [_remark(one) for one in loaded.remarks],
        "spec_digest": loaded.spec_digest,
        "decision_digest": digest,
    }
    return slices


def _remark(issue: Issue) -> dict[str, str]:
    """A warning or hint without its file and line, which say nothing to a reader of the page."""
    return {
        "severity": issue.severity,
        "path": issue.path,
        "message": issue.message,
        "found": issue.found,
        "remedy": issue.remedy,
    }


def metric_slice(study: Study, source: str, name: str) -> MetricSlice:
    """A metric as a source scores it."""
    metric = metric_of(study, name)
    declared = study.sources[source]
    column = declared.scores[name]
    ends = range_of(metric)
    return MetricSlice(
        id=name,
        kind=metric.kind,
        lower=None if ends is None else ends[0],
        upper=None if ends is None else ends[1],
        better=metric.better,
        column=declared.columns.get("score", column) if column == "score" else column,
        values=dict(metric.values),
    )


def source_slice(study: Study, name: str) -> SourceSlice:
    """All that `ingest` may know of one source."""
    source = study.sources[name]
    return SourceSlice(
        study=study.study,
        source=name,
        files=source.files,
        format=source.format,
        items=source.items,
        columns={key: column for key, column in source.columns.items() if key != "score"},
        values={key: dict(one) for key, one in source.values.items()},
        rows=dict(source.rows),
        metrics=tuple(metric_slice(study, name, one) for one in source.scores),
        task=source.task,
        tasks=tuple(study.workload.tasks) if study.workload is not None else (),
        variants=("base", *study.variants),
        repeats=source.repeats,
        systems=tuple(
            SystemMatch(system=system, match=match_of(system, one))
            for system, one in study.systems.items()
        ),
        other_systems=study.other_systems,
        private=source.private,
        published=(
            None
            if source.published is None
            else PublishedSlice(
                file=source.published.file,
                columns=dict(source.published.columns),
                rows=dict(source.published.rows),
                percent=source.published.unit == "percent",
            )
        ),
    )


def intake_slice(study: Study, plan: Plan, name: str) -> IntakeSlice:
    """All that the analysis of what was read and lost may know of one source."""
    source = study.sources[name]
    matches = {key for one in study.systems for key in match_of(one, study.systems[one])}
    return IntakeSlice(
        study=study.study,
        source=name,
        format=source.format,
        metrics=tuple(metric_slice(study, name, one) for one in source.scores),
        unscored=unscored_rules(study),
        claims={one.id: tuple(sorted(one.systems)) for one in plan.claims if one.source == name},
        tested={
            system: {str(key): value for key, value in one.tested.items()}
            for system, one in study.systems.items()
        },
        told_apart=tuple(sorted({*matches, *source.columns.values(), *source.rows})),
        chosen=source.chosen,
        chosen_on=None if source.chosen_on is None else source.chosen_on.isoformat(),
        blind_to_scores=source.blind_to_scores,
        percent_published=source.published is not None and source.published.unit == "percent",
    )


def analysis_slice(
    study: Study, plan: Plan, source: str, analysis: Literal["workload", "comparison"]
) -> AnalysisSlice | None:
    """All that an analysis may know of one source; None where nothing is asked of it."""
    requests = requests_for(plan, source, analysis)
    if not requests:
        return None
    metrics = dict.fromkeys(one.metric for one in requests)
    return AnalysisSlice(
        study=study.study,
        source=source,
        analysis=analysis,
        format=study.sources[source].format,
        requests=tuple(requests),
        metrics=tuple(metric_slice(study, source, one) for one in metrics),
        weights=task_weights(study),
        weights_kind=weights_kind(study),
        consequence_unit=None if study.workload is None else study.workload.consequence_unit,
        unscored=unscored_rules(study),
        systems=tuple(name for name, one in study.systems.items() if one.role != "reference"),
        smallest_difference=study.decision.smallest_difference,
        seed=seed_of(analysis, source),
    )


def unscored_rules(study: Study) -> dict[str, Literal["wrong", "bounds"]]:
    """Rules for rows without a score by status, defaults filled in."""
    return UNSCORED_DEFAULT | {str(status): rule for status, rule in study.unscored.items()}


def seed_of(analysis: str, source: str) -> int:
    """The seed of a result, from its key: 32 bits, the same for every study."""
    return int.from_bytes(hashlib.sha256(f"{analysis}.{source}".encode()).digest()[:4], "big")


def configuration_slice(study: Study) -> ConfigurationSlice:
    """All that `configuration` may know: systems of claims, candidates and baselines."""
    claims = {name: systems_of(one) for name, one in study.claims.items()}
    named = {system for names in claims.values() for system in names}
    return ConfigurationSlice(
        study=study.study,
        claims=claims,
        systems=tuple(
            SystemConfiguration(
                system=name,
                setting=one.setting,
                product=one.product,
                tested={str(key): value for key, value in one.tested.items()},
                deployed=(
                    {str(key): value for key, value in one.deployed.items()}
                    if isinstance(one.deployed, dict)
                    else one.deployed
                ),
                bridges={
                    key: {"irrelevant": bridge.irrelevant, "judged_by": bridge.judged_by}
                    for key, bridge in one.bridges.items()
                },
            )
            for name, one in study.systems.items()
            if one.role != "reference" or name in named
        ),
    )


def argument_slice(
    study: Study, plan: Plan, digest: str, lock: tuple[LockEntry, ...]
) -> ArgumentSlice:
    """All that `assess` may know."""
    fixed = study.decision.fixed
    return ArgumentSlice(
        study=study.study,
        purpose=study.decision.purpose,
        rests_on=study.decision.rests_on,
        smallest_difference=study.decision.smallest_difference,
        plan=plan,
        weights=task_weights(study),
        claims={
            name: ArgumentClaim(
                exploratory=one.exploratory,
                accept=one.accept,
                threats=tuple(_threat(threat) for threat in one.threats),
            )
            for name, one in study.claims.items()
        },
        fixed_by=None if fixed is None else fixed.by,
        fixed_on=None if fixed is None else fixed.on.isoformat(),
        decision_digest=digest,
        lock=lock,
    )


def _threat(threat: Text | DeclaredThreat) -> ArgumentThreat:
    """Plain text is a threat to validity."""
    if isinstance(threat, DeclaredThreat):
        return ArgumentThreat(
            what=threat.what,
            affects=threat.affects,
            bound=threat.bound,
            condition=threat.condition,
        )
    return ArgumentThreat(what=threat, affects="validity", bound=None, condition=None)
