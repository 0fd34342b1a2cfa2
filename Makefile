# Every target makes its own environment in .venv; pip's own settings (PIP_INDEX_URL, PIP_FIND_LINKS, ...) are honoured.
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2

PY      := $(VENV)/bin/python
# Bytecode is made of what is used, when it is first used: also where the environment forbids it, since hundreds of
# processes would compile all sources again and again.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(PY) -m pip install --quiet --no-compile --constraint constraints.txt

.PHONY: demo warm test test-long test-browser check integration quick mutants lint bench wheel site clean

# The rules of the base game are compiled while the rest of what is needed is installed.
demo: $(VENV)/.installed
	$(MAKE) --jobs=2 warm $(VENV)/.installed-train
	$(PY) -m rr_gym demo $(if $(wildcard demo/run/config.yaml),--resume)

warm: $(VENV)/.installed
	-$(PY) -m rr_gym warmup --base --workers 2

# Small parts side by side, one of which installs the rest of what is needed, then the suite, whose closing line is the
# last line.
test: $(VENV)/.installed
	$(PY) tools/run_tests.py --jobs $(JOBS) --install "$(MAKE) $(VENV)/.installed-dev"

# What takes too long for every change.
test-long: $(VENV)/.installed-dev
	$(PY) tools/run_tests.py --jobs $(JOBS) --long
	$(PY) tools/test_browser.py
	$(MAKE) integration

# Pages in headless Chromium; skipped where there is none, which is said.
test-browser: $(VENV)/.installed-dev
	$(PY) tools/test_browser.py

# The same as `make lint test`, with both side by side.
check: $(VENV)/.installed
	$(PY) tools/run_tests.py --jobs $(JOBS) --install "$(MAKE) $(VENV)/.installed-dev" --lint

# Recipes for other libraries, each in an environment of its own with that library's pins: of all of them one after
# another, or LIBRARY=torchrl, tianshou, ...
LIBRARIES := $(sort $(basename $(notdir $(wildcard tools/integrations/*.txt))))

GYMNASIUM           := tests/envs/test_gymnasium.py tests/envs/test_vector_env.py tests/envs/test_resets.py
TESTS_OF_jax        := tests/envs/test_jax.py 'tests/package/test_docs.py::test_python_in_documents_runs[docs/jax.md]'
TESTS_OF_mcp        := tests/play/test_mcp_server.py
TESTS_OF_minari     := tests/envs/test_datasets.py
TESTS_OF_open_spiel := tests/integrations/test_open_spiel.py tests/exploit
TESTS_OF_openenv    := tests/integrations tests/play/test_text_task.py
TESTS_OF_pettingzoo := tests/envs/test_pettingzoo.py $(GYMNASIUM)
TESTS_OF_pyright    := tests/package/test_types.py
TESTS_OF_rllib      := tests/integrations tests/evaluation/test_cluster.py $(GYMNASIUM)
TESTS_OF_tianshou   := tests/integrations
TESTS_OF_torchrl    := tests/integrations tests/envs/test_torchrl.py
TESTS_OF_verifiers  := tests/integrations tests/play/test_text_task.py

.PHONY: $(addprefix integration-,$(LIBRARIES))

integration: $(addprefix integration-,$(or $(LIBRARY),$(LIBRARIES)))

$(addprefix integration-,$(LIBRARIES)): integration-%: .venv-%/.installed
	.venv-$*/bin/python -m pytest -q -m "long or not long" $(TESTS_OF_$*)

integration-%:
	@echo "LIBRARY=$*: expected one of: $(LIBRARIES)"; exit 2

.venv-%/.installed: tools/integrations/%.txt pyproject.toml constraints.txt
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[train]' pytest
	.venv-$*/bin/python -m pip install --quiet --requirement $<
	touch $@

quick: $(VENV)/.installed-dev
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest tests/scenario_files/test_scenarios.py -n $(JOBS) -q -x

mutants: $(VENV)/.installed-dev
	$(PY) tools/mutants.py

lint: $(VENV)/.installed-dev
	$(PY) -m ruff check
	$(PY) tools/check_types.py

bench: $(VENV)/.installed-train
	$(PY) -m rr_gym bench

# The wheel with machine code for this platform.
wheel: $(VENV)/.installed-dev
	RR_GYM_BUILD_LIBRARY=1 $(PY) -m pip wheel --quiet --no-deps --wheel-dir dist .

# The site in build/site/html: documents in their order, reference, pictures, races to watch; every link is checked.
site: $(VENV)/.installed-dev
	$(PY) tools/site/build.py

clean:
	rm -rf $(VENV) .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rr_gym needs Python 3.11 or newer (PYTHON=...)")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(PY)
	$(INSTALL) --editable .
	touch $@

# The package is installed already, so these are only what its extras need.
$(VENV)/.installed-train: $(VENV)/.installed
	$(INSTALL) 'rr-gym[viz,train]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) 'rr-gym[dev]'
	touch $@ $(VENV)/.installed-train
