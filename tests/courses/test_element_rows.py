"""The rows of the table of elements: complete, resolved in every layer, and the only place that lists the elements."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from combinations import for_each
from conftest import ROOT

from rr_gym.bench.firing import SORTS
from rr_gym.courses.elements import BASE, BY_ID, ELEMENTS, Element
from rr_gym.courses.elements.element import Recipe
from rr_gym.courses.elements.observed import Observed
from rr_gym.courses.elements.traces import Sort
from rr_gym.courses.tables import ground as codes
from rr_gym.courses.tables.ground import GROUND
from rr_gym.courses.tables.sides import SHUT
from rr_gym.courses.tables.tables import SQUARE
from rr_gym.courses.tables.terrain import READINGS
from rr_gym.encoding.observe.board import FEATURE_NAMES
from rr_gym.encoding.observe.bounds import features_shown
from rr_gym.encoding.observe.columns import READS
from rr_gym.encoding.observe.elements import ELEMENT_GROUPS
from rr_gym.generate.expansions import LAYS
from rr_gym.render.board import glyphs, ground_glyphs, group_glyphs, side_glyphs
from rr_gym.render.board.scene import BELT_LOOKS
from rr_gym.rules.state.constants import CAUSE_NAMES, HARM_NAMES, STEP_NAMES
from rr_gym.rules.state.events import EVENT_NAMES

PACKAGE = ROOT / "rr_gym"
ROWS = PACKAGE / "courses" / "elements"
OF_LEVELS = {"board_edge", "ledge", "waterfall"}  # follow from the layout and its levels, not from a word
each = for_each(ELEMENTS, lambda element: element.id)


def constants_of(module: object) -> set[str]:
    return {name for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}


@each
def test_a_row_is_complete(element: Element) -> None:
    written = bool(element.items) + bool(element.sides) + bool(element.group)
    assert written == (element.id not in OF_LEVELS)
    assert bool(element.glyph) == bool(written)
    assert bool(element.edge) == bool(element.sides)
    assert element.traces
    assert (element.recipe is None) == (element.set == BASE)
    # An item tells the tables what it is, or has a feature, by which rules find it; the rest is read off the course.
    assert not element.items or element.square or element.ground or element.id in ("open_floor", "checkpoint")
    if element.set == BASE:
        assert not element.features
        assert isinstance(element.observed, str)


@each
def test_a_row_resolves_in_the_tables(element: Element) -> None:
    bits = constants_of(codes)
    assert {*element.features} <= bits
    for fields, record in ((element.square, SQUARE), (element.ground, GROUND)):
        assert fields.keys() <= set(record.names or ())
        for how in fields.values():
            assert isinstance(how, int) or how in READINGS or how in bits
    for field in (element.acts_on_arrival, element.acts_on_occupants):
        assert not field or field in (GROUND.names or ())
    assert not element.acts_on_occupants or element.features
    if element.edge:
        assert element.edge.kind in bits | {""}
        assert element.edge.shut in {*SHUT, "never"}


@each
def test_a_row_resolves_in_observations(element: Element) -> None:
    observed = element.observed
    if isinstance(observed, str):
        assert any(name == observed or name.startswith(f"{observed}_") for name in FEATURE_NAMES)
        return
    assert observed.feature in constants_of(codes) | {""}
    shown = features_shown((*observed.squares, *observed.robots, *observed.game))
    assert all(low < high for _, low, high in shown)
    for reading in observed.columns:
        assert reading.source in READS
        assert all(name in constants_of(codes) or name in (GROUND.names or ()) for name in reading.names)


@each
def test_a_row_resolves_in_pictures_and_phrases(element: Element) -> None:
    if element.glyph and element.glyph not in BELT_LOOKS:
        modules = (glyphs, ground_glyphs) if element.items else (side_glyphs,) if element.sides else (group_glyphs,)
        draw = next(vars(module)[element.glyph] for module in modules if element.glyph in vars(module))
        assert list(inspect.signature(draw).parameters)[:1] == ["pen"]
    assert not element.sign or (len(element.sign) == 1 and element.sides)
    assert element.carries.keys() <= set(CAUSE_NAMES)
    assert element.harms.keys() <= set(HARM_NAMES)
    for phrase in (*element.carries.values(), *(phrase for both in element.harms.values() for phrase in both)):
        assert "Twonky" in phrase.format(robot="Twonky") or not phrase


@each
def test_a_row_resolves_in_what_counts_as_an_action(element: Element) -> None:
    names = {
        Sort.EVENT: EVENT_NAMES, Sort.MOVED: CAUSE_NAMES, Sort.HARMED: HARM_NAMES, Sort.DESTROYED: HARM_NAMES,
    }  # fmt: skip
    for trace in element.traces:
        assert trace.sort in SORTS
        assert trace.sort not in names or trace.what[0] in names[trace.sort]
        assert set(trace.steps) <= set(STEP_NAMES)
        assert not trace.on or trace.on in BY_ID


@each
def test_a_row_resolves_in_the_generator(element: Element) -> None:
    if element.recipe:
        assert callable(LAYS[element.recipe.lay])


def test_places_are_numbered_without_gaps() -> None:
    """New groups of features and recipes come last, so that old observations and courses stay the same."""
    groups = {row.observed.name: row.observed for row in ELEMENTS if isinstance(row.observed, Observed)}
    assert sorted(group.place for group in groups.values()) == list(range(1, len(groups) + 1))
    assert all(row.observed == groups[row.observed.name] for row in ELEMENTS if isinstance(row.observed, Observed))
    assert [group.name for group in ELEMENT_GROUPS] == sorted(groups, key=lambda name: groups[name].place)
    recipes = [row.recipe for row in ELEMENTS if isinstance(row.recipe, Recipe)]
    assert sorted(recipe.place for recipe in recipes) == list(range(1, len(recipes) + 1))


def test_no_phrase_is_said_by_two_rows() -> None:
    for column in ("carries", "harms"):
        names = [name for element in ELEMENTS for name in getattr(element, column)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("path", sorted(ROWS.glob("*.py")), ids=lambda path: path.stem)
def test_rows_import_nothing_of_the_rest(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            for module in modules:
                assert module.split(".")[0] in sys.stdlib_module_names or module.startswith("rr_gym.courses.elements")


# Ids that are also words of the rules, of other elements, of courses, or of English
AMBIGUOUS = {
    "checkpoint", "chop_shop", "crusher", "current", "elevator", "energizer", "flip_belt", "flip_gear", "gate", "gear",
    "ice", "ledge", "light_barrier", "melting_beam", "mirror", "piston", "pit", "portal", "pusher", "ramp",
    "rotating_room", "teleporter", "turret_gun", "wall", "water",
}  # fmt: skip
MOST_FILES = 14  # the maximum number of files of the package that name one element


@cache
def sources() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}


@cache
def small_letters() -> dict[Path, str]:
    return {path: text.lower() for path, text in sources().items()}


def files_that_name(element: Element) -> list[str]:
    word = re.compile(element.id.replace("_", "[_ -]?"))
    return [path.name for path, text in small_letters().items() if word.search(text)]


def test_an_element_is_named_in_few_files() -> None:
    assert len(files_that_name(BY_ID["flamer"])) <= 6
    spread = {element.id: files_that_name(element) for element in ELEMENTS if element.id not in AMBIGUOUS}
    assert {name: files for name, files in spread.items() if len(files) > MOST_FILES} == {}


# Some ids are also names of harms, causes, fields of records, densities, or kinds of words.
MOST_NAMES = 12


def test_no_other_file_lists_the_elements() -> None:
    for path, text in sources().items():
        if path.parent != ROWS and sum(name in text for name in BY_ID) >= MOST_NAMES:
            nodes = ast.walk(ast.parse(text))
            texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            assert len(texts & BY_ID.keys()) < MOST_NAMES, path
