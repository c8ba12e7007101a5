# Two commands from a fresh clone: `make run` and `make test`. Both set up .venv first, and only once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# CURDIR instead of abspath, which takes a path with a space for two. The build finds its tools here; cython is
# named in full, since a later import recompiles without this path, and quoted, since meson splits it.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CYTHON := "$(CURDIR)/$(BIN)/cython"
# nothing is written outside this folder and the user's cache, temporary files included
export TMPDIR := $(CURDIR)/build/tmp
$(shell mkdir -p build/tmp)
BUILD_TOOLS := "meson-python>=0.18" "meson>=1.4" ninja "Cython>=3.1" "scipy>=1.14"

.PHONY: run test test-all test-debug check bench clean help

run: $(READY)            ## set up and run the main job
	@$(BIN)/lopsided demo

# Importing recompiles what has changed. Done once here: test workers that do it at the same time get in each
# other's way.
BUILT := $(BIN)/python -c "import lopsided"

test: $(READY)           ## set up and run the tests, all but those marked slow
	@$(BUILT)
	$(BIN)/python -m pytest -m "not slow" -n auto $(ARGS)

test-all: $(READY)       ## the paper-scale tests as well
	@$(BUILT)
	$(BIN)/python -m pytest -n auto $(ARGS)

check: $(READY)          ## linters and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)          ## side by side with the peers that are installed
	$(BIN)/lopsided bench

test-debug: $(READY)     ## the tests on a compiled core that checks its bounds
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps -Csetup-args=-Dbounds_check=true -e .
	@rm $(READY) # the next make builds the usual core again
	$(BIN)/python -m pytest -m "not slow" -n auto $(ARGS)

clean:                   ## forget the environment and everything built
	rm -rf $(VENV) build

help:                    ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)

# The editable build recompiles by itself when a source file changes; only a change of the build or of
# the dependencies makes this run again. Build tools live in the environment because an editable
# install needs them later.
$(READY): pyproject.toml meson.build meson.options src/lopsided/meson.build src/lopsided/_kernels/meson.build
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "lopsided needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@echo "setting up $(VENV) (a minute or two, once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	@$(BIN)/python -m pip install --quiet --no-build-isolation -e ".[dev]"
	@touch $@
