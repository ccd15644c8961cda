# The whole developer manual: `make` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CHECKOV := .venv-checkov
CHECKOV_STAMP := $(CHECKOV)/.installed
MLFLOW := .venv-mlflow
MLFLOW_STAMP := $(MLFLOW)/.installed

SEED := $(or $(SEED),$(shell date +%s))

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long test-servers security check format bench bench-relocation docs

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

setup: $(STAMP) ## create .venv and install the locked dependencies

$(STAMP): requirements.lock tools/pip/requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Atoll needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement tools/pip/requirements.lock
	# not compiled: that takes a minute for SDKs of which little is ever imported; Python compiles what is
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q catalogs planning components policies operations cli stacks
	touch $(STAMP)

demo: setup ## the main job on stacks/demo: quote, accept, plan
	$(BIN)/atoll check demo
	$(BIN)/atoll quote demo --allow-stale
	$(BIN)/atoll accept demo recommended --allow-stale
	$(BIN)/atoll plan demo --allow-stale

test: setup ## the tests that need no server; further cases and long searches are in test-long
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-long: setup ## further cases of what test proves, other examples, thousands of checklists; SEED=N for the same again
	$(BIN)/python -m pytest -n 2 -m "(long or hypothesis) and not server and not engine" --free-seed $(SEED)

test-servers: setup $(MLFLOW_STAMP) ## tests against real servers, built from source on first use; the Pulumi engine where it is
	tools/build || test $$? -eq 3 # without Go; then the tests that need a server say so and are skipped
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "server or engine" -o faulthandler_timeout=1200 -rs tests/server tests/engine

security: setup $(CHECKOV_STAMP) ## what we would build on AWS, read by Checkov
	$(BIN)/python tools/checkov/read

$(CHECKOV_STAMP): tools/checkov/requirements.lock
	$(PYTHON) -m venv --clear $(CHECKOV)
	$(CHECKOV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement tools/checkov/requirements.lock
	touch $(CHECKOV_STAMP)

$(MLFLOW_STAMP): tools/mlflow/requirements.lock
	$(PYTHON) -m venv --clear $(MLFLOW)
	$(MLFLOW)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement tools/mlflow/requirements.lock
	touch $(MLFLOW_STAMP)

check: setup ## format, lint, types, import contracts, prose
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/prose/check

format: setup ## apply the formatter and the safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## time and memory of the commands against their limits
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/catalog_refresh.py

bench-relocation: setup ## copy and proof against rclone, manifests, rewriting of addresses; minutes, needs Go and PostgreSQL
	tools/build minio rclone
	$(BIN)/python benchmarks/relocation_rewrite.py
	$(BIN)/python benchmarks/relocation_manifest.py
	$(BIN)/python benchmarks/relocation_copy.py
