# `make lab` opens the notebooks, `make test` runs every test; both make the environment first.
# PYTHON is the interpreter to make it from (3.11 or later), VENV the folder to make it in; DECOYS: rewrites of each
# reference that the author's lint tries.

PYTHON ?= python3
VENV ?= .venv
DECOYS ?= 200
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help env lab test lint format check bench clean

help:  ## show this
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

env: $(STAMP)  ## make the environment

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "radixlab needs Python 3.11 or later: name one, as in: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[lab,test]'
	@touch $(STAMP)

lab: env  ## open JupyterLab on the notebooks
	$(BIN)/ol check ds.07 --impl reference --no-mutation >/dev/null || \
	  { echo "the install is damaged: make clean, then make lab"; exit 1; }
	$(BIN)/ol lab

test: env lint check  ## run every test; ARGS goes to pytest
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

lint: env  ## look at the style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: env  ## mend the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: env  ## the author's lint of the chapters
	$(BIN)/ol dev check --decoys $(DECOYS)

bench: env  ## measure beside the peers, and write the tables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/grading.py --write
	$(BIN)/python benchmarks/tree.py --write
	$(BIN)/python benchmarks/drawing.py --write
	$(BIN)/python benchmarks/lab.py --write
	$(BIN)/python benchmarks/memory.py --write
	$(BIN)/python benchmarks/structures.py --write
	$(BIN)/python benchmarks/classroom.py --write

clean:  ## drop the environment and what tests left
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
