# Everything sets itself up: `make run` shows the window on a sample pair, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install run test check bench real pictures translations system clean

install: $(STAMP)

$(STAMP): pyproject.toml
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

# Environments with a real MindSpore and a real PyTorch, and the tests that need them.
real: install system
	@sh tools/real-environments
	@BIN=$(BIN) sh tools/run-tests -m 'mindspore or torch'

pictures: install system
	@BIN=$(BIN) sh tools/pictures

translations: install
	@BIN=$(BIN) sh tools/translations

clean:
	rm -rf $(VENV) .venv-* out build dist
