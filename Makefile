# Heliograph: what a person needs, by name. `make help` lists it.
# Needs Python 3.11 or newer and nothing else; the first use makes .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo up test check simulate sweep mutants faults differential fuzz coverage bench lock clean

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
COMPLETE := import ensurepip, venv; $(NEW_ENOUGH)
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$each" -c '$(COMPLETE)' 2>/dev/null && { echo "$$each"; exit; }; done; echo python3)
JOBS ?= 2
SEEDS ?= 1000
SEED ?= 0
COUNT ?= 200
COVER ?= 8000
EVERY ?= 4
KUBE ?= sandbox
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## a RayCluster's life on this machine, and its timeline
	@$(BIN)/heliograph demo

up: $(READY) ## the same, kept running for you and kubectl; Ctrl-C ends it
	@$(BIN)/heliograph up

test: $(READY) ## the whole suite (JOBS=2 processes; TESTS=... for a part)
	@JOBS=$(JOBS) tools/suite $(TESTS)

check: $(READY) ## format, lint, types, imports, house rules, generated pages
	@PATH="$(CURDIR)/$(BIN):$$PATH" tools/check

simulate: $(READY) ## SEEDS=1000 small worlds with faults; a table of what met what
	@$(BIN)/python -m tests.simulation 0-$$(($(SEEDS) - 1)) --jobs $(JOBS)

sweep: $(READY) ## all that can befall, at one moment of EVERY=4 of a few stories
	@$(BIN)/python -m tests.simulation.sweeping --every $(EVERY) --jobs $(JOBS)

mutants: $(READY) ## plant bugs one at a time, and see which of 2000 seeds notices each
	@$(BIN)/python -m tests.simulation --mutants --jobs $(JOBS)

faults: $(READY) ## harm to real processes, networks, disks and the API server (KUBE=real for a real one)
	@JOBS=1 tools/suite tests/e2e/test_kill.py tests/e2e/test_faults.py tests/e2e/test_faults_nats.py \
		tests/e2e/test_faults_network.py tests/e2e/test_faults_disk.py --kube $(KUBE)

differential: $(READY) ## every story against what KubeRay answered (KUBE=real for a real control plane)
	@$(BIN)/python -m tests.differential heliograph --kube $(KUBE)

fuzz: $(READY) ## COUNT=200 changes of each kind's fields (SEED=0): carried out, refused or explained
	@$(BIN)/python -m tests.fuzzing --seed $(SEED) --count $(COUNT) --jobs $(JOBS)

coverage: $(READY) ## how much of the pure core unit tests run, and seeds below COVER=8000; 95 percent each
	@$(BIN)/python tools/core_coverage.py unit
	@$(BIN)/python tools/core_coverage.py simulation --seeds $(COVER) --jobs $(JOBS)

bench: $(READY) ## measure, and say on what
	$(BIN)/python -m benchmarks

lock: $(READY) ## choose versions anew and write requirements.lock
	$(BIN)/uv pip compile pyproject.toml --quiet --extra dev --python-version 3.11 --universal \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
		--upgrade --output-file requirements.lock

clean: ## remove everything made here, .venv included
	@echo "removing .venv, caches and build leftovers"
	@rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache \
		build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "Heliograph needs Python 3.11 or newer; '$(PYTHON)' is not. Try: make PYTHON=/path/to/python3.11" >&2; \
		exit 2; }
	@echo "making .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv .venv || { \
		echo "'$(PYTHON) -m venv' failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }
	@echo "installing the packages of requirements.lock"
	@$(PIP) --require-hashes -r requirements.lock
	@echo "installing heliograph from this folder"
	@$(PIP) --no-build-isolation --editable .
	@touch $@
