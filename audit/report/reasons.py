"""Closed lists in plain words: verdicts, reasons, statuses, measures, ways of choosing items."""

from __future__ import annotations

from audit.errors import Reason

VERDICT_WORDS = {
    "supported": "Supported",
    "narrowed": "Narrowed",
    "not_supported": "Not supported",
    "insufficient_evidence": "Insufficient evidence",
}

STATUS_WORDS = {"met": "met", "failed": "failed", "undetermined": "undetermined"}

REASON_WORDS: dict[Reason, str] = {
    Reason.SPEC_INCOMPLETE: "the study leaves out what the judgement needs",
    Reason.CRITERIA_CHANGED: "the criteria were changed after they had been pinned",
    Reason.CRITERIA_AFTER: "nothing shows that the criteria stood before scores were seen",
    Reason.EXPLORATORY: "the claim was declared exploratory",
    Reason.NO_ITEMS: "no items fall in its scope",
    Reason.TOO_FEW_ITEMS: "there are too few items",
    Reason.TOO_FEW_SYSTEMS: "there are too few systems",
    Reason.TOO_FEW_CLUSTERS: "there are too few independent groups of items",
    Reason.NOT_CONVERGED: "a computation did not settle",
    Reason.MISSING_BOUNDS_CROSS: "the missing responses alone could change the outcome",
    Reason.UNITS_UNKNOWN: "the unit of a score is unknown",
    Reason.KEYS_REPEATED: "rows are repeated without a declared meaning",
    Reason.AGGREGATE_CONTRADICTS: "published totals do not follow from the items",
    Reason.CONFIGURATION_MIXED: "one system was run in several configurations",
    Reason.CONFIGURATION_CONTRADICTS: "the logs state another configuration than the study",
    Reason.TEST_VERSION_MIXED: "the systems answered different versions of the test",
    Reason.ITEM_CHANGED: "one id stands for different items among the systems",
    Reason.SAMPLES_MISSING: "the logs hold fewer answers than they say were given",
    Reason.RUN_INVALIDATED: "a run was marked as invalid",
    Reason.CONFIGURATION_DIFFERS: "what was tested is not what will be deployed",
    Reason.DEPLOYMENT_UNDECLARED: "the deployed configuration was not declared",
    Reason.DEPLOYMENT_DISCORDANT: "outcomes in use disagree with the test",
    Reason.OUTCOMES_MISSING: "there are no outcomes from use",
    Reason.TASK_UNCOVERED: "a task of the work has no items",
    Reason.SETTING_MIXED: "default and tuned settings are compared",
    Reason.MARGIN_CROSSED: "the interval crosses the bar",
    Reason.UNDERPOWERED: "the test could not show a difference of the size that matters",
    Reason.NEAR_MARGIN: "the estimate lies close to the bar",
    Reason.SUBSET_ONLY: "only a part of its scope meets the bars",
    Reason.FORK_FLIPS: "another reasonable choice changes the outcome",
    Reason.CIRCULAR_BANDS: "the difficulty bands were made with the compared systems",
    Reason.OUTCOMES_NOT_BLIND: "the outcomes were chosen with the scores in view",
    Reason.REVIEW_MISSING: "a needed review is missing",
    Reason.REPLICATION_CONTRADICTS: "a replication contradicts it",
    Reason.REVISION_UNRESOLVED: "a revised edition orders the systems otherwise",
    Reason.REVISION_DIFFERS: "a revised edition of the test gives another picture",
    Reason.AGGREGATES_ONLY: "only published totals are at hand, not the items",
    Reason.SEVERE_REGRESSION: "a severe task shows a loss",
    Reason.THREAT_OPEN: "a threat of unknown size is open",
    Reason.THREAT_BOUND_CROSSES: "a bounded threat could change the outcome",
    Reason.BAR_FAILED: "a bar is missed with the whole interval on the wrong side",
    Reason.EXPIRED: "the evidence has expired",
}

MEASURE_WORDS = {
    "mean": "mean score",
    "expected_success": "expected success",
    "expected_loss": "expected loss",
    "rank": "place",
}

CHOSEN_WORDS = {
    "all": "all that there are",
    "random": "drawn at random",
    "stratified": "drawn at random within groups",
    "expert": "picked by experts",
    "convenience": "taken as they were at hand",
    "generated": "generated",
    "published": "taken from a published set",
}

REACH_WORDS = {
    "test": "the systems as tested, on items like these",
    "work": "the declared work",
    "deployment": "outcomes in use",
}

UNSCORED_WORDS = {"wrong": "counted as wrong", "bounds": "left open within bounds"}

NOT_ASSESSED_WORDS = {
    "multiverse": "other reasonable choices",
    "replication": "replication with other systems or logs",
    "revision": "a revised edition of the test",
    "deployment": "outcomes in use",
    "difficulty": "difficulty of the items",
    "mismatch": "fit of the difficulties to the work",
    "coverage": "what the test cannot see",
    "change": "what changed between systems",
    "framing": "wording and format",
    "metrics": "other scoring rules",
    "additions": "quality of added items",
    "filling": "which items to write next",
}

GLOSSARY = (
    ("Bar", "the value that a criterion's interval is held against, declared by the author"),
    ("Claim", "a statement with its scope, its bars and what would defeat it"),
    (
        "Configuration",
        "model, instructions, documents, tools, limits and harness in which a system is run",
    ),
    ("Criterion", "a measure and exactly one bar; all criteria of a claim must hold"),
    ("Expected loss", "cost of failures per task, each task weighted by its share of the work"),
    ("Expected success", "score with each task weighted by its share of the work"),
    ("Guard", "a criterion that forbids harm somewhere while the claim looks elsewhere"),
    (
        "Interval",
        "values that the data leave possible if items like these were drawn again; "
        "at the level printed",
    ),
    ("Narrowed", "the bars are met, but only for less than was claimed"),
    ("Reach", "how far a claim goes: the test, the declared work, or outcomes in use"),
    ("Severe task", "a task that is never averaged away: it has its own bar"),
    ("Source", "one edition of one test"),
    ("System", "a model in one configuration"),
    ("Threat", "what would defeat a claim: closed, bounded, open or not assessed"),
    ("Variant", "another wording or answer form of the same items"),
)
