"""The recipes of docs/integrations.md, each if its library is installed (`tools/integrations` has the versions)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from conftest import ROOT, Python

RECIPES = sorted((ROOT / "examples" / "integrations").glob("*.py"))


MODULES = {"rllib": "ray"}  # names of modules that differ from the name of the recipe
LEAST = {"verifiers": 30}  # rows, of 300 elsewhere: every game starts a process
SHORT = ("--rows", "640", "--games", "8", "--duels", "4")  # for recipes that train for minutes


def library(recipe: Path) -> str:
    return recipe.stem.partition("_")[0]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_recipes_choose_only_legal_actions(recipe: Path, python: Python) -> None:
    if importlib.util.find_spec(MODULES.get(library(recipe), library(recipe))) is None:
        pytest.skip(f"{library(recipe)} is not installed")
    arguments = SHORT if recipe.stem.endswith("_ppo") else ()
    lines = python(str(recipe), *arguments, PYTHONPATH=str(ROOT)).stdout.splitlines()
    assert "illegal choices: 0" in lines
    assert int(lines[-1].partition("rows: ")[2]) >= LEAST.get(library(recipe), 300)


def test_every_recipe_has_its_versions_and_is_documented() -> None:
    document = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    for recipe in RECIPES:
        pins = ROOT / "tools" / "integrations" / f"{library(recipe)}.txt"
        for pin in pins.read_text("utf-8").split():
            assert pin.partition("==")[2]
        assert f"../examples/integrations/{recipe.name}" in document
    for pins in (ROOT / "tools" / "integrations").glob("*.txt"):
        assert all(pin.partition("==")[2] in document for pin in pins.read_text("utf-8").split()[:1])
