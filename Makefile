PYTHON ?= python3
# `make PYTHON=…` without a target installs.
.DEFAULT_GOAL := $(if $(filter command line,$(origin PYTHON)),install,help)
VENV := .venv
BIN := $(VENV)/bin
# One process more than the number of cores, because many tests wait for a server.
PYTEST = $(BIN)/python -m pytest --dist=worksteal \
	--numprocesses=$$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)')
PEERS := .venv-bench
CLIENTS := .venv-clients
AUDIT := .venv-audit
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Installed as locked, not resolved, so that a newer release of a package changes nothing. Wheels
# only: installing them runs no code of the packages and needs no compiler.
LOCKED := --no-deps --only-binary :all: --require-hashes --requirement

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: install ## install, create the database, load the catalogue, create a demo key, serve
	@$(BIN)/evref demo

.PHONY: install
install: $(VENV)/.installed ## install the service into .venv

.PHONY: install-dev
install-dev: $(VENV)/.installed-dev ## also install the dependencies of the tests and checks

.PHONY: install-bench
install-bench: install-dev $(PEERS)/.installed ## install the peers of the benchmark

.PHONY: test
test: install-dev ## run all tests except those of `deployment`, `browser`, `codes` and `crash`
	@$(PYTEST) $(patsubst %,--ignore=tests/%,deploy server browser codes crash faults) $(ARGS)

.PHONY: codes
codes: install-dev ## read every code of ICD-10-CM (a minute)
	@$(PYTEST) tests/codes $(ARGS)

# What differs between versions of Python shows here. Pages and servers are the same on each.
FAST := tests/adapters/files tests/adapters/memory tests/application tests/cli tests/contracts tests/domain \
	tests/test_*.py
.PHONY: fast
fast: install-dev ## run the tests of the core, of files and of commands (two minutes)
	@$(PYTEST) $(FAST) $(ARGS)

.PHONY: deployment
deployment: install-dev ## test started servers, and the files in deploy/ with nginx and others; needs them
	@EVREF_REQUIRE_PROGRAMS=1 $(PYTEST) tests/deploy tests/server $(ARGS)

.PHONY: browser
browser: install-dev ## test the pages in Chromium, with axe-core (two minutes)
	@$(PYTEST) tests/browser $(ARGS)

.PHONY: coverage
coverage: install-dev ## run all tests, and report the lines and branches that they miss
	@$(PYTEST) --cov --cov-report=term $(ARGS)

.PHONY: clients
clients: install-dev $(CLIENTS)/.installed ## test with linters, a fuzzer, generated clients and Firefox; needs a JDK
	@$(BIN)/mypy --python-executable $(CLIENTS)/bin/python --cache-dir .mypy_cache/clients integrations/mcp/evref_mcp
	@$(BIN)/python -m pytest --numprocesses=auto tests/clients/linters.py \
		tests/clients/generated.py tests/clients/mock_server.py tests/clients/readers.py \
		tests/clients/firefox.py tests/clients/fuzzing.py tests/clients/infobutton.py tests/clients/fhir.py \
		tests/clients/mcp_program.py tests/clients/mcp_command.py tests/clients/identity_provider.py $(ARGS)

SEED ?= 0
.PHONY: hostile
hostile: install-dev ## test hostile input (several minutes); SEED=n for other examples
	@$(BIN)/python -m pytest --numprocesses=auto --hypothesis-profile=hostile --hypothesis-seed=$(SEED) --timeout=600 \
		tests/hostile $(ARGS)

.PHONY: lint
lint: install-dev ## check format, lint, types and import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

.PHONY: lint-peers
lint-peers: install-bench ## check the types of the peers of the benchmark, in their environment
	@$(BIN)/mypy --python-executable $(PEERS)/bin/python --cache-dir .mypy_cache/peers benchmarks/peers/*_peer.py

.PHONY: format
format: install-dev ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: docs
docs: install-dev ## build the documentation in site/ (broken links are errors), and follow its longest recipe
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky docs site
	@$(BIN)/python -m pytest --quiet tests/docs/recipe.py
	@echo "Open site/index.html"

.PHONY: bench
bench: lint-peers ## measure the speed, and compare it with the peers (about 20 minutes)
	@$(BIN)/python -m benchmarks $(ARGS)

ROUNDS ?= 60
.PHONY: crash
crash: install-dev ## stop storage under load, and kill processes hundreds of times (five minutes)
	@$(PYTEST) tests/faults $(ARGS)
	@ROUNDS=$(ROUNDS) $(PYTEST) -rP tests/crash $(ARGS)

.PHONY: snapshots
snapshots: install-dev ## rewrite the OpenAPI snapshot and the documents generated from the code
	@$(BIN)/python -m tests.http.snapshots

.PHONY: search-report
search-report: install-dev ## measure the search, and list the queries that it gets wrong
	@$(BIN)/python -m tests.search

.PHONY: search-ablation
search-ablation: install-dev ## leave out each rule and list of the search in turn, to see its worth
	@$(BIN)/python -m tests.search.ablation

.PHONY: screenshots
screenshots: install-dev ## retake the screenshots of the documentation; needs Chromium
	@$(BIN)/python -m tests.browser.screenshots

.PHONY: lock
lock: install-dev ## resolve and lock the dependencies again, with hashes
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade pyproject.toml --group flit \
		--extra granian --extra postgresql --extra redis --output-file requirements/run.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade pyproject.toml --group dev \
		--extra granian --extra postgresql --extra redis --extra testing \
		--constraint requirements/run.txt --output-file requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade --group bench --output-file requirements/bench.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade --group clients --output-file requirements/clients.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade --group audit --output-file requirements/audit.txt

SBOM := sbom.json
.PHONY: sbom
sbom: $(AUDIT)/.installed ## write the components of the service to sbom.json (CycloneDX)
	@$(AUDIT)/bin/python -W ignore -m cyclonedx_py requirements requirements/run.txt --pyproject pyproject.toml \
		--output-reproducible --output-file $(SBOM)
	@echo "Wrote $(SBOM)"

.PHONY: release
release: install-dev ## build wheel and sdist in dist/, check that they serve, add SBOM and hashes
	@rm -rf dist
	@$(BIN)/python -W error -m tests.release
	@$(MAKE) --no-print-directory sbom SBOM=dist/sbom.json
	@cd dist && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

.PHONY: audit
audit: $(AUDIT)/.installed ## check the dependencies for known vulnerabilities; needs internet access
	@$(AUDIT)/bin/pip-audit --strict --disable-pip --require-hashes --requirement requirements/run.txt

.PHONY: clean
clean: ## remove everything that the other targets created, except data
	rm -rf $(VENV) .venv-* tests/clients/node_modules sbom.json \
		dist site .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache

# pip checks the hash of every file that it installs. The project itself comes last, without
# dependencies, built by the locked build back end.
$(VENV)/.installed: requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("evref needs Python 3.11 or newer; choose an interpreter: make run PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) …"
	@$(PIP) install $(LOCKED) requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(PIP) check
	@touch $@

# A separate environment, because the tools need other versions of the service's dependencies.
$(AUDIT)/.installed: requirements/audit.txt
	@$(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip --quiet --disable-pip-version-check install $(LOCKED) requirements/audit.txt
	@$(AUDIT)/bin/python -m pip --quiet --disable-pip-version-check check
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/dev.txt
	@echo "Installing the test dependencies …"
	@$(PIP) install $(LOCKED) requirements/dev.txt
	@$(PIP) check
	@touch $@

$(PEERS)/.installed: requirements/bench.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@echo "Installing the peers of the benchmark into $(PEERS) …"
	@$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check install $(LOCKED) requirements/bench.txt
	@$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check check
	@touch $@

$(CLIENTS)/.installed-python: requirements/clients.txt integrations/mcp/pyproject.toml
	@test -x $(CLIENTS)/bin/python || $(PYTHON) -m venv $(CLIENTS)
	@echo "Installing the client tools into $(CLIENTS) …"
	@$(CLIENTS)/bin/python -m pip --quiet --disable-pip-version-check \
		install $(LOCKED) requirements/clients.txt
	@$(CLIENTS)/bin/python -m pip --quiet --disable-pip-version-check \
		install --no-deps --no-build-isolation --editable integrations/mcp
	@$(CLIENTS)/bin/python -m pip --quiet --disable-pip-version-check check
	@touch $@

# npm also checks the hash of every package; pip installs it in the step before.
$(CLIENTS)/.installed: $(CLIENTS)/.installed-python tests/clients/package-lock.json
	@PATH="$(CURDIR)/$(CLIENTS)/bin:$$PATH" npm ci --silent --prefix tests/clients
	@touch $@
