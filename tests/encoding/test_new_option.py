"""CONTRIBUTING's recipe for option cards: a made-up one touches the files that it names, and is played."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, Python
from made_up import check_files, edited, named_files, patched, patches

from rr_gym.option_facts import CARD_ORDERS

PATCH, OPTION = "new_option.yaml", "anchor"
# Files that commands write
WRITTEN = {"docs/options.md", "tests/golden/trajectories.json"}
MOST_FILES = 8
# A robot owns the card, and an action of the environment orders what the card asks for.
ACTS = """
from rr_gym import Game, Orders, roborally_v0
from rr_gym.encoding.orders.orders import Orders as Written

env = roborally_v0.parallel_env(num_robots=2, decisions="all", settings={"option_cards": "on"})
env.reset(seed=1)
env.core.arena.give(env.core.games, 0, "anchor")
place = env.layout.components.index("anchor")
actions = env.sample_actions()
for action in actions.values():
    action[5:] = 0
actions["robot_0"][place] = 2
infos = env.step(actions)[-1]
print(infos["robot_0"]["illegal_choices"], env.core.games[0]["robots"][0]["orders"]["anchor"])
game = Game("risky_exchange", num_robots=2, seed=1, settings={"option_cards": "on"})
try:
    game.play({0: Orders(anchor=3)})
except Exception as error:
    print(error)
print(Written.from_json({"anchor": 3}).to_json(), Written().anchor, "anchor:" in Written.__doc__)
"""


def test_the_card_touches_few_files_which_the_recipe_names() -> None:
    touched = {patch["file"] for patch in patches(PATCH)} | WRITTEN
    assert len(touched) <= MOST_FILES
    chapter, published = "Adding or changing an option card", "armed-and-dangerous"
    check_files(touched, named_files(chapter, set(), option=OPTION, set=published))


def test_the_patch_fits() -> None:
    for patch in patches(PATCH):
        assert edited(patch) != edited({"file": patch["file"]})


def test_the_order_of_the_card_takes_the_next_place() -> None:
    (new,) = [edit["new"] for patch in patches(PATCH) for edit in patch.get("edits", ()) if "place=" in edit["new"]]
    assert f"place={CARD_ORDERS[-1].next_place}," in new


@pytest.mark.long
def test_the_card_is_played(tmp_path: Path, python: Python) -> None:
    patched(tmp_path, PATCH)

    def run(*arguments: str) -> str:
        return python(*arguments, cwd=tmp_path, NUMBA_DISABLE_JIT="1", PYTHONPATH=str(tmp_path)).stdout

    file = tmp_path / "tests" / "scenarios" / "options" / f"{OPTION}.yaml"
    assert "2 passed, 0 failed" in run("-m", "rr_gym", "scenario", str(file))
    output = run("-m", "rr_gym", "options", OPTION)
    for fact in ("53  Anchor", "**R-O53.1**", "rr_gym/rules/movement/turning.py:", f"{OPTION}.yaml:1  an Anchor"):
        assert fact in output
    table = run("-m", "rr_gym", "options", "--markdown")
    assert "| `anchor` (T) | the register from which on the Anchor holds" in table
    (tmp_path / "docs" / "options.md").write_text(table, "utf-8")
    ordered, refused, written = run("-c", ACTS).splitlines()
    assert ordered == "0 2"
    assert "the robot does not own anchor" in refused
    assert written == "{'anchor': 3} None True"
    tests = [f"tests/encoding/test_{name}.py" for name in ("options_table", "names", "orders", "option_actions")]
    options = ("-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path))
    options += ("--basetemp", str(tmp_path / "temporary"))
    run("-m", "pytest", *options, *tests)
