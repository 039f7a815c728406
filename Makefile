# Everything sets itself up: `make run` shows the window on a sample pair, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: ablation install run test check bench soak accuracy lab real pictures translations system oldest coverage dist desktop release clean

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q src
	touch $@

# Qt needs a few system libraries, and Chinese text a font.
system:
	@sh tools/system-libraries

run: install system
	@BIN=$(BIN) sh tools/run-sample

test: install system
	@BIN=$(BIN) sh tools/run-tests

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# What it costs; the tables in docs/performance.md become those of this machine.
bench: install system
	$(BIN)/python -m benchmarks --write

# Real training steps with one bug each: where do reports list the cause? Figures may not get worse.
accuracy: install
	$(BIN)/python -m lab.score
	$(BIN)/python -m lab.values.score

# Record those steps again.
lab: install
	@sh tools/real-environments
	@BIN=$(BIN) sh tools/lab

# Tries to break it, with inputs that are new every time; what failed is kept in out/soak.
MINUTES ?= 30
soak: install system
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

# Environments with a real MindSpore and a real PyTorch, and the tests that need them.
real: install system
	@sh tools/real-environments
	@BIN=$(BIN) sh tools/run-tests -m 'mindspore or torch'

# Each step of the engine taken away in turn: some pair must come out wrong without it.
ablation: install
	$(BIN)/python -m pytest tests/compare/test_ablation.py -v -p no:cacheprovider

pictures: install system
	@BIN=$(BIN) sh tools/pictures

translations: install
	@BIN=$(BIN) sh tools/translations

# The tests with the oldest libraries that pyproject.toml allows; `make test` has the newest. TESTS=tests/report: some of them.
oldest: system
	@PYTHON=$(PYTHON) sh tools/oldest $(TESTS)

# How much of the engine its tests run: lines and branches of compare/. The figures may rise (RAISE=--raise), not fall.
coverage: install
	@BIN=$(BIN) sh tools/coverage $(RAISE)

# Wheel and sdist, each tried from an empty environment.
dist: install system
	@BIN=$(BIN) PYTHON=$(PYTHON) sh tools/dist

# The program with its own Python and Qt in one folder, dist/desktop/opdiff, for machines without either.
desktop: system
	@PYTHON=$(PYTHON) sh tools/desktop

# make release VERSION=x.y.z: when everything passes, the version is set, the changelog's open section closed, and both tagged.
release: check test dist
	$(BIN)/python tools/release.py $(VERSION)

clean:
	rm -rf $(VENV) .venv-* out build dist
