# Two commands from a fresh clone: `make run` and `make test`. Both set up .venv first, and only once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
# CURDIR instead of abspath, which takes a path with a space for two. The build finds its tools here; cython is
# named in full, since a later import recompiles without this path, and quoted, since meson splits it.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHON
export CYTHON := "$(CURDIR)/$(BIN)/cython"
# nothing is written outside this folder and the user's cache, temporary files included
export TMPDIR := $(CURDIR)/build/tmp
$(shell mkdir -p build/tmp)
BUILD_TOOLS := "meson-python>=0.18" "meson>=1.4" ninja "Cython>=3.1" "scipy>=1.14"

.PHONY: run serve test test-all test-debug sanitized test-sanitized test-lowest fuzz wheel check check-workflows changelog bench docs clean help

run: $(READY)            ## set up and run the main job
	@$(BIN)/lopsided demo

serve: $(READY)          ## open the triage page on a ready project
	@$(BIN)/lopsided serve --demo --open

# Importing recompiles what has changed. Done once here: test workers that do it at the same time get in each
# other's way.
BUILT := $(BIN)/python -c "import lopsided"
# Each worker takes a stretch of the tests in their order, so that data are read by one, and at the end it helps
# the others.
WORKERS := -n auto --dist worksteal

test: $(READY)           ## set up and run the tests, all but those marked slow
	@$(BUILT)
	$(BIN)/python -m pytest -m "not slow" $(WORKERS) $(ARGS)

test-all: $(READY)       ## the paper-scale tests as well
	@$(BUILT)
	$(BIN)/python -m pytest $(WORKERS) $(ARGS)

check: $(READY)          ## linters and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)          ## side by side with the peers that are installed
	$(BIN)/lopsided bench

docs: $(DOCS_READY)      ## the documentation site, in build/docs; warnings are errors
	@$(BUILT)
	$(BIN)/python -m sphinx -b html --fail-on-warning -d build/docs-doctrees $(ARGS) docs build/docs

test-debug: $(READY)     ## the tests on a compiled core that checks its bounds
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps -Csetup-args=-Dbounds_check=true -e .
	@rm $(READY) # the next make builds the usual core again
	$(BIN)/python -m pytest -m "not slow" $(WORKERS) $(ARGS)

# The sanitised core can be loaded only by a process that loads the sanitisers first. So it is installed into an
# environment of its own, which sees the packages of $(VENV) but not the core that is installed there.
SANITIZED := $(CURDIR)/build/sanitized
SANITIZED_PYTHON := "$(SANITIZED)/venv/bin/python"
SANITIZERS = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	PYTHONMALLOC=malloc
CORE_TESTS := tests/svm tests/online tests/boosting tests/feedback tests/pu tests/text/test_byte_grams.py \
	tests/mail/test_engine.py tests/unexpected tests/test_persistence.py \
	tests/test_sparse.py tests/test_recipes.py tests/test_hostile_files.py
SITE_PACKAGES := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'

sanitized: $(READY)
	@$(PYTHON) -m venv --without-pip "$(SANITIZED)/venv"
	@$(BIN)/python $(SITE_PACKAGES) > "$$($(SANITIZED_PYTHON) $(SITE_PACKAGES))/packages.pth"
	@$(BIN)/python -m pip --python $(SANITIZED_PYTHON) install --quiet --no-build-isolation --no-deps \
		--force-reinstall -Cbuild-dir="$(SANITIZED)/core" -Csetup-args=-Dbuildtype=debugoptimized \
		-Csetup-args=-Db_sanitize=address,undefined .

test-sanitized: sanitized ## the tests of the compiled core under gcc's address and undefined-behaviour sanitisers
	$(SANITIZERS) $(SANITIZED_PYTHON) -m pytest -m "not slow" $(WORKERS) --capture=sys $(or $(ARGS),$(CORE_TESTS))

# Documents, mail, states and models under Atheris, which sees what code an input reaches; what ends in compiled
# code on the sanitised core. FUZZ_SECONDS for each, and ARGS for targets by name.
FUZZ_SECONDS ?= 60
export FUZZ_SECONDS
fuzz: sanitized          ## strange inputs for every reader and service, FUZZ_SECONDS for each (60)
	@$(BIN)/python -c "import atheris" 2>/dev/null || $(BIN)/python -m pip install --quiet --no-build-isolation -e ".[fuzz]"
	@found=0; PYTHONPATH=tests $(BIN)/python -m fuzz $(ARGS) || found=1; \
		PYTHONPATH=tests $(SANITIZERS) $(SANITIZED_PYTHON) -m fuzz $(ARGS) || found=1; exit $$found

test-lowest:             ## the tests with the lowest versions of the dependencies
	.ci/lowest $(ARGS)

wheel:                   ## sdist and wheel in dist/, and the tests against the installed wheel
	.ci/wheel $(ARGS)

check-workflows: $(READY) ## the workflows of the forge: schema and security
	$(BIN)/python -m pip install --quiet check-jsonschema zizmor
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline .github/workflows

changelog:               ## move the notes of changes/ into CHANGELOG.md: make changelog VERSION=0.2.0
	.ci/changelog $(VERSION) $$(date +%Y-%m-%d)

clean:                   ## forget the environment and everything built
	rm -rf $(VENV) build dist docs/gallery docs/api/generated

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

$(DOCS_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --no-build-isolation -e ".[docs]"
	@touch $@
