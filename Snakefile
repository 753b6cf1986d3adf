"""The whole path of every study: slices -> tables -> analyses -> verdicts -> record -> pages.

`snakemake --cores 8` makes the report of each study below specs/. Each rule calls one verb of the
command `audit`. `results` is a study's results folder, `source` one of its sources. What reruns
follows from the inputs: slices of the study, digests of data files and of each step's modules
(audit/workflow.py), all written only when their content differs.
"""

import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
if (ROOT / "audit" / "__init__.py").is_file():
    sys.path.insert(0, str(ROOT))

from audit.holding import hold
from audit.workflow import job_environment, prepare, results_folder

LOCK = hold(results_folder(config)) if workflow.is_main_process else None
BUILD = prepare(config)
os.environ.update(job_environment(BUILD))

# one thread each, so that a sum of floats is the same on every machine
AUDIT = (
    "OMP_NUM_THREADS={threads} OPENBLAS_NUM_THREADS={threads} MKL_NUM_THREADS={threads} "
    'POLARS_MAX_THREADS={threads} "$AUDIT_PYTHON" -P -m audit'
)


wildcard_constraints:
    results=BUILD.folder_pattern,
    source=BUILD.source_pattern,


localrules:
    all,
    refuse,


rule all:
    input:
        BUILD.targets(),


rule refuse:
    message:
        "{wildcards.results}: cannot be judged as it stands"
    input:
        "{results}/broken.json",
    output:
        "{results}/accepted",
    log:
        "{results}/logs/refuse.log",
    shell:
        AUDIT + " refuse {input:q} > {log:q} 2>&1"


rule ingest:
    message:
        "{wildcards.results}: read {wildcards.source}"
    input:
        slice="{results}/slices/source.{source}.json",
        files="{results}/slices/files.{source}.json",
        code="{results}/slices/code.ingest.json",
        environment="{results}/slices/environment.json",
    output:
        responses="{results}/responses/{source}.parquet",
        item_table="{results}/responses/{source}.items.parquet",
        texts="{results}/responses/{source}.texts.parquet",
        accounting="{results}/responses/{source}.accounting.json",
    log:
        "{results}/logs/ingest.{source}.log",
    shell:
        AUDIT + ' ingest --slice {input.slice:q} --places "$AUDIT_RUN/places.json" '
        "--responses {output.responses:q} --items {output.item_table:q} --texts {output.texts:q} "
        "--accounting {output.accounting:q} > {log:q} 2>&1"


rule intake:
    message:
        "{wildcards.results}: account for {wildcards.source}"
    input:
        slice="{results}/slices/intake.{source}.json",
        accounting="{results}/responses/{source}.accounting.json",
        responses="{results}/responses/{source}.parquet",
        item_table="{results}/responses/{source}.items.parquet",
        code="{results}/slices/code.intake.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/analyses/intake.{source}.json",
    log:
        "{results}/logs/intake.{source}.log",
    shell:
        AUDIT + " intake --slice {input.slice:q} --accounting {input.accounting:q} "
        "--responses {input.responses:q} --items {input.item_table:q} --out {output:q} > {log:q} 2>&1"


rule workload:
    message:
        "{wildcards.results}: score {wildcards.source} on the declared work"
    input:
        slice="{results}/slices/workload.{source}.json",
        responses="{results}/responses/{source}.parquet",
        item_table="{results}/responses/{source}.items.parquet",
        code="{results}/slices/code.workload.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/analyses/workload.{source}.json",
    log:
        "{results}/logs/workload.{source}.log",
    shell:
        AUDIT + " workload --slice {input.slice:q} --responses {input.responses:q} "
        "--items {input.item_table:q} --out {output:q} > {log:q} 2>&1"


rule comparison:
    message:
        "{wildcards.results}: compare systems on {wildcards.source}"
    input:
        slice="{results}/slices/comparison.{source}.json",
        responses="{results}/responses/{source}.parquet",
        item_table="{results}/responses/{source}.items.parquet",
        code="{results}/slices/code.comparison.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/analyses/comparison.{source}.json",
    log:
        "{results}/logs/comparison.{source}.log",
    shell:
        AUDIT + " comparison --slice {input.slice:q} --responses {input.responses:q} "
        "--items {input.item_table:q} --out {output:q} > {log:q} 2>&1"


rule configuration:
    message:
        "{wildcards.results}: hold tested against deployed configurations"
    input:
        slice="{results}/slices/configuration.json",
        code="{results}/slices/code.configuration.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/analyses/configuration.json",
    log:
        "{results}/logs/configuration.log",
    shell:
        AUDIT + " configuration --slice {input.slice:q} --out {output:q} > {log:q} 2>&1"


rule assess:
    message:
        "{wildcards.results}: judge the claims"
    input:
        slice="{results}/slices/argument.json",
        results=BUILD.analyses,
        accounting=BUILD.accounting,
        code="{results}/slices/code.assess.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/analyses/assessment.json",
    params:
        results=BUILD.result_options,
        accounting=BUILD.accounting_options,
    log:
        "{results}/logs/assess.log",
    shell:
        AUDIT + " assess --slice {input.slice:q} {params.results:q} {params.accounting:q} "
        "--out {output:q} > {log:q} 2>&1"


rule evidence:
    message:
        "{wildcards.results}: lay the evidence together"
    input:
        study="{results}/slices/study.json",
        argument="{results}/slices/argument.json",
        assessment="{results}/analyses/assessment.json",
        results=BUILD.analyses,
        accounting=BUILD.accounting,
        code="{results}/slices/code.evidence.json",
        environment="{results}/slices/environment.json",
    output:
        evidence="{results}/evidence.json",
        verdicts="{results}/verdicts.json",
    params:
        results=BUILD.result_options,
        accounting=BUILD.accounting_options,
    log:
        "{results}/logs/evidence.log",
    shell:
        AUDIT + " evidence --study {input.study:q} --argument {input.argument:q} "
        "{params.results:q} {params.accounting:q} --assessment {input.assessment:q} "
        "--out {output.evidence:q} --verdicts {output.verdicts:q} > {log:q} 2>&1"


rule record:
    message:
        "{wildcards.results}: record the run"
    input:
        evidence="{results}/evidence.json",
        files=BUILD.recorded_files,
        code="{results}/slices/code.record.json",
        environment="{results}/slices/environment.json",
    output:
        "{results}/record.json",
    params:
        files=BUILD.file_options,
    log:
        "{results}/logs/record.log",
    shell:
        AUDIT + " record --evidence {input.evidence:q} --code {input.code:q} "
        "--environment {input.environment:q} {params.files:q} --out {output:q} > {log:q} 2>&1"


rule render:
    message:
        "{wildcards.results}: draw charts and pages"
    input:
        evidence="{results}/evidence.json",
        record="{results}/record.json",
        code="{results}/slices/code.render.json",
        environment="{results}/slices/environment.json",
    output:
        html="{results}/report.html",
        pdf="{results}/report.pdf",
        summary="{results}/summary.md",
        figures=directory("{results}/figures"),
    params:
        study=lambda wildcards: BUILD.study(wildcards.results).name,
    log:
        "{results}/logs/render.log",
    shell:
        AUDIT + " render --evidence {input.evidence:q} --record {input.record:q} "
        '--study {params.study:q} --places "$AUDIT_RUN/places.json" --html {output.html:q} '
        "--pdf {output.pdf:q} --summary {output.summary:q} --figures {output.figures:q} "
        "> {log:q} 2>&1"
