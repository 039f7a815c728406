# Everything sets itself up: `make run` shows the window on a sample pair, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install run test check bench real clean pictures translations system

install: $(STAMP)

$(STAMP): pyproject.toml tools/system-libraries
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
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

bench: install system
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .venv-* out build dist
