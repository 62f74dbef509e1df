# Two commands need nothing but Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := .stamps
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
export OMP_NUM_THREADS ?= 2

.PHONY: demo test test-slow claims bench lint docs clean

demo: $(STAMPS)/core
	@$(BIN)/coset demo

test: $(STAMPS)/test $(STAMPS)/browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" $(PYTEST)

test-slow: $(STAMPS)/test $(STAMPS)/browser $(STAMPS)/bench
	$(BIN)/python -m pytest -m slow $(PYTEST)

# Exit code 1 says that a claim is not supported: the page is written all the same.
claims: $(STAMPS)/core
	-$(BIN)/coset verify --all --scale small --out claims-small --json results/small.json
	$(BIN)/python docs/generate.py

bench: $(STAMPS)/bench
	$(BIN)/python benchmarks/run_all.py

lint: $(STAMPS)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMPS)/core
	$(BIN)/python docs/generate.py --figure --outputs

clean:
	rm -rf $(VENV) $(STAMPS) coset-demo claims-small .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(STAMPS)/venv:
	@mkdir -p $(STAMPS)
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(STAMPS)/core: $(STAMPS)/venv pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

$(STAMPS)/test: $(STAMPS)/core
	$(PIP) -e '.[test]'
	@touch $@

$(STAMPS)/lint: $(STAMPS)/core
	$(PIP) -e '.[lint]'
	@touch $@

# The peers need PyTorch; asked for by its exact version first, or a much larger build is taken.
$(STAMPS)/bench: $(STAMPS)/test
	$(PIP) torch==2.13.0
	$(PIP) -e '.[test,bench]'
	@touch $@

# The browser tests open the page in the system's Chromium; without it they skip and say so.
$(STAMPS)/browser: $(STAMPS)/test
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } \
	  || echo "no Chromium: the browser tests will skip (apt-get install chromium)"
	@touch $@
