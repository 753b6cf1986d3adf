# Two commands: `make report` regenerates every report, `make test` runs every check.
# Both make .venv first, from a lock whose every file is known by its hash.

PYTHON ?= python3
# SYSTEM=1 installs Pango by the machine's package manager; otherwise the command is printed.
SYSTEM ?= 0
CORES ?= 8
WORKERS ?= 2

BIN := .venv/bin
STAMP := .venv/.made

.DEFAULT_GOAL := report
.PHONY: report test slow setup pango

report: setup
	$(BIN)/python -P -m snakemake --cores $(CORES)

test: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict audit
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not slow"

# error rates by simulation, the installed wheel and other long checks; .ci/run runs them too
slow: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m slow

setup: $(STAMP) pango

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv --clear .venv
	awk '/^[^ #]/ { build = /^setuptools==/ } build' requirements.lock > .venv/build.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/build.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--no-build-isolation -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

pango: $(STAMP)
	@$(BIN)/python -P -m audit.pango || { [ "$(SYSTEM)" = 1 ] && \
		sh -c "$$($(BIN)/python -P -m audit.pango --command)" && $(BIN)/python -P -m audit.pango; }
