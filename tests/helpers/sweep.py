"""Play every scenario turned, mirrored, with its robots in reverse order, and inside a rotating room.

All must have the same outcome, except where the rules decide by rows, by robot number or by compass direction. A
scenario with another outcome has a comment, `# sweep (turned, in a room): U29`, and `sweep_rules.yaml` says what that
rule decides. The whole outcome is compared, not only what a scenario expects: every robot, device, flag, winner and
state of the board after every turn of the run. Scenarios that expect an error play nothing and are left out.

    python tests/helpers/sweep.py [PATH ...] [--more] [--only TRANSFORMATION]

runs the sweep and lists what differs and why. The exit status is 0 when nothing differs except where comments say so.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from recorded_runs import Data, Run, Turn, recorded, settled, turns_of
from symmetries import Symmetry, board_in_room

from rr_gym import yaml12
from rr_gym.courses import load_course
from rr_gym.courses.text.board import Board, parse_board
from rr_gym.courses.text.board_format import format_board
from rr_gym.scenarios import Scenario, load_scenarios

FOLDER = Path(__file__).parents[1]
SCENARIOS = FOLDER / "scenarios"
RULES = Path(__file__).with_name("sweep_rules.yaml")
COMMENT = re.compile(r"^ *# sweep \(([^)]+)\): (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Transformed:
    """A scenario that must have the same outcome as another one, up to a symmetry.

    Attributes:
        data: The scenario.
        after: The symmetries that map the outcome of each turn of the other scenario to its own.
        order: For each robot of the other scenario, its index in this one.
    """

    data: Data
    after: list[Symmetry]
    order: list[int]


Transformation = Callable[[Data, Run, Path], Transformed | None]


def moved(data: Data, before: list[Symmetry], after: list[Symmetry]) -> Data:
    """Return a scenario whose inputs and expectations of each turn are moved, on the same board."""
    data, start = deepcopy(data), before[0]
    data["robots"] = {name: start.robot({"facing": "n"} | fields) for name, fields in data["robots"].items()}
    if data.get("devices"):
        data["devices"] = [start.robot({"facing": "n"} | device) for device in data["devices"]]
    for turn, at_start, at_end in zip(turns_of(data), before, after, strict=True):
        for key, change in (
            ("programs", lambda cards, at_start=at_start: [at_start.card(card) for card in cards]),
            ("orders", lambda orders, at_start=at_start, at_end=at_end: at_start.orders(orders, at_end)),
            ("expect", at_end.robot),
        ):
            for name, value in (turn.get(key) or {}).items():
                turn[key][name] = value and change(value)
        if turn.get("deck"):
            turn["deck"] = [at_start.card(card) for card in turn["deck"]]
        if turn.get("expect_devices"):
            turn["expect_devices"] = [at_end.robot(device) for device in turn["expect_devices"]]
        for key, symmetry in (("state", at_start), ("expect_state", at_end)):
            if turn.get(key):
                turn[key] = symmetry.state(turn[key])
    return data


def turned(data: Data, run: Run, folder: Path, *, turns: int, mirrored: bool = False) -> Transformed:
    course = load_course(data["course"]) if "course" in data else None
    board = None if course else parse_board(data["board"])
    width, height = course.size if course else (board.width, board.height)
    symmetry = Symmetry(width, height, turns, mirrored)
    moves = [symmetry] * len(run.turns)
    data = moved(data, moves, moves)
    if course:
        path = folder / f"{course.id}_{turns}{'m' * mirrored}.yaml"
        path.write_text(symmetry.course(course), "utf-8")
        data["course"] = str(path)
    else:
        data["board"] = format_board(symmetry.board(board))
    return Transformed(data, moves, list(range(len(data["robots"]))))


def reversed_robots(data: Data, run: Run, folder: Path) -> Transformed | None:
    """Reverse the order of the robots, which changes only their indices; None for a single robot."""
    count = len(data["robots"])
    if count < 2:
        return None
    data = deepcopy(data)
    data["robots"] = dict(reversed(data["robots"].items()))
    for turn in turns_of(data):
        if isinstance(turn.get("winner"), list):
            turn["winner"].reverse()
    return Transformed(data, [Symmetry(0, 0)] * len(run.turns), list(reversed(range(count))))


def in_room(data: Data, run: Run, folder: Path, *, quarters: int) -> Transformed | None:
    """Put the whole board into a rotating room that has already turned; None if there can be no such room.

    The end of a turn turns the room once more (R-E72.1).
    """
    board = None if "course" in data else parse_board(data["board"])
    size = max(board.width, board.height) if board else 0
    turns = [0]
    for entry, turn in zip(turns_of(data), run.turns, strict=True):
        turns.append(turns[-1] + (entry.get("run") == "turn" and turn.real_in_f3))
    return _with_room(data, board, size, quarters, [Symmetry(size, size, count) for count in turns])


def partly_in_room(data: Data, run: Run, folder: Path, *, quarters: int) -> Transformed | None:
    """Put the north-west of the board into a rotating room that has already turned, and leave the rest outside.

    Return None if there can be no such room, or if the end of a turn would turn it.
    """
    if "course" in data or any(entry.get("run") == "turn" for entry in turns_of(data)):
        return None
    board = parse_board(data["board"])
    if any(part.kind == "light_barrier" for _, _, cell in board.squares() for part in cell.sides):
        return None  # their posts must be in line as the board is written
    length = max(board.width, board.height)
    size = max(2, length // 2) if length > 2 else 0
    return _with_room(data, board, size, quarters, [Symmetry(0, 0)] * (len(run.turns) + 1))


def _with_room(data: Data, board: Board | None, size: int, quarters: int, moves: list[Symmetry]) -> Transformed | None:
    if board is None or (built := board_in_room(board, size, quarters)) is None:
        return None
    data = moved(data, moves[:-1], moves[1:])
    data["board"] = format_board(built)
    state = data.get("state") or {}
    others = state.get("rooms") or [0] * sum(group.kind == "room" for group in board.groups)
    data["state"] = state | {"rooms": [*others, quarters]}
    return Transformed(data, moves[1:], list(range(len(data["robots"]))))


TRANSFORMATIONS: dict[str, Transformation] = {
    "turned": partial(turned, turns=1),
    "mirrored": partial(turned, turns=0, mirrored=True),
    "reversed": reversed_robots,
    "in a room": partial(in_room, quarters=3),
    "partly in a room": partial(partly_in_room, quarters=2),
}
# The same transformations with other quarter turns; comments may name them too
MORE: dict[str, Transformation] = {
    f"{name} {turns}": partial(transformation, **{key: turns})
    for name, key, transformation, others in (
        ("turned", "turns", turned, (2, 3)),
        ("in a room", "quarters", in_room, (1, 2)),
        ("partly in a room", "quarters", partly_in_room, (1, 3)),
    )
    for turns in others
}


@dataclass(frozen=True)
class Difference:
    """A field with a different outcome."""

    field: str
    text: str


def differences(scenario: Scenario, run: Run, transformed: Transformed) -> list[Difference]:
    """Return the fields in which the outcome of a transformed scenario differs from `run`."""
    node = replace(scenario.node, value=transformed.data, source=replace(scenario.node.source, lines={}))
    other = recorded(replace(scenario, node=node))
    found = [Difference(entry.field.rpartition(".")[2], str(entry)) for entry in other.result.differences]
    ids = list(scenario.node.value["robots"])
    for number, (turn, there, after) in enumerate(zip(run.turns, other.turns, transformed.after, strict=False), 1):
        for place, wanted, actual in _compared(turn, there, after, transformed.order, ids):
            found += [
                Difference(name, f"turn {number}, {place}{name}: expected {value}, got {actual.get(name)}")
                for name, value in wanted.items()
                if value != actual.get(name, value)  # destroyed robots have fewer fields
            ]
    return found


def _compared(
    turn: Turn, there: Turn, after: Symmetry, order: list[int], ids: list[str]
) -> Iterator[tuple[str, Data, Data]]:
    """Yield pairs of expected and actual values, each with its place."""
    for name, robot, index in zip(ids, turn.robots, order, strict=True):
        yield f"{name}.", after.robot(robot), there.robots[index]
    state = after.state(turn.state)
    rooms = there.state.get("rooms", [])[: len(state.get("rooms", []))]  # leaves out the added room, which is last
    yield "state.", state, there.state | {"rooms": rooms}
    devices = [
        after.robot(device if device["owner"] == "none" else device | {"owner": str(order[int(device["owner"])])})
        for device in turn.devices
    ]
    yield (
        "",
        {
            "devices": sorted(map(str, devices)),
            "flags": [after.square(flag) for flag in turn.flags],
            "winners": sorted(order[i] for i in turn.winners),
        },
        {"devices": sorted(map(str, there.devices)), "flags": there.flags, "winners": there.winners},
    )


@dataclass(frozen=True)
class Outcome:
    """The result of one scenario under one transformation; `found` is None if the scenario does not allow it."""

    scenario: Scenario
    transformation: str
    found: list[Difference] | None


def swept(
    scenarios: Iterable[Scenario], folder: Path, transformations: dict[str, Transformation] = TRANSFORMATIONS
) -> Iterator[Outcome]:
    """Yield the outcome of every scenario that plays anything, under every transformation.

    Files of courses are written into the folder.
    """
    for scenario in scenarios:
        if scenario.error is not None:
            continue
        run = recorded(scenario)
        assert run.result.passed, f"{scenario.name}: {'; '.join(map(str, run.result.differences))}"
        data = settled(scenario.node.value, run)
        for name, transformation in transformations.items():
            transformed = transformation(data, run, folder)
            yield Outcome(scenario, name, None if transformed is None else differences(scenario, run, transformed))


@dataclass(frozen=True)
class Rule:
    """A rule that makes the outcomes of transformed scenarios differ.

    Attributes:
        id: Its id.
        why: What the rule decides by rows, by robot number or by compass direction.
        only: The fields that may differ; empty for any.
    """

    id: str
    why: str
    only: frozenset[str]


@cache
def rules() -> dict[str, Rule]:
    """Return all rules that make outcomes differ, by id."""
    found = yaml12.load(RULES.read_text("utf-8"), RULES.name)
    return {name: Rule(name, entry["why"], frozenset(entry.get("only", ()))) for name, entry in found.items()}


@cache
def _lines(file: str) -> list[str]:
    return Path(file).read_text("utf-8").splitlines()


def exceptions(scenario: Scenario) -> dict[str, Rule]:
    """Return the rules that a scenario's comments name, by transformation."""
    source = scenario.node.source
    begin, following = source.lines[source.base], (*source.base[:-1], source.base[-1] + 1)
    text = "\n".join(_lines(scenario.file)[begin - 1 : source.lines.get(following, 0) - 1])
    named = [(name.strip(), rule) for names, rule in COMMENT.findall(text) for name in names.split(",")]
    assert len(dict(named)) == len(named), f"{scenario.name}: a transformation is named twice"
    return {name: rules()[rule] for name, rule in named}


def wrong(outcome: Outcome, expected: Rule | None) -> list[str]:
    """Return a sentence for each disagreement between an outcome and the exception for it."""
    place = f"{outcome.transformation}: {outcome.scenario.name}"
    found = outcome.found or []
    if expected and not found:
        return [f"{place}: has the same outcome: the exception by {expected.id} is not needed"]
    return [
        f"{place}: {difference.text}"
        for difference in found
        if expected is None or (expected.only and difference.field not in expected.only)
    ]


def main() -> int:
    """Run the sweep and print what differs and why. Returns 1 if anything differs that no comment names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[SCENARIOS], help="files or folders of scenarios")
    parser.add_argument("--more", action="store_true", help="by the other quarter turns as well")
    parser.add_argument("--only", choices=[*TRANSFORMATIONS, *MORE], help="one transformation")
    arguments = parser.parse_args()
    chosen = TRANSFORMATIONS | (MORE if arguments.more else {})
    if arguments.only:
        chosen = {arguments.only: (TRANSFORMATIONS | MORE)[arguments.only]}
    counts: Counter[tuple[str, str]] = Counter()
    decided: defaultdict[Rule, list[str]] = defaultdict(list)
    mistakes = []
    with tempfile.TemporaryDirectory() as folder:
        for outcome in swept([s for path in arguments.paths for s in load_scenarios(path)], Path(folder), chosen):
            name = outcome.transformation
            named = exceptions(outcome.scenario)
            expected = named.get(name)
            if name in MORE and outcome.found:
                related = (name.rpartition(" ")[0], "turned", "mirrored")
                others = (replace(named[other], only=frozenset()) for other in related if other in named)
                expected = expected or next(others, None)
            counts[name, "impossible" if outcome.found is None else "different" if outcome.found else "same"] += 1
            if found := wrong(outcome, expected):
                mistakes += found
                print(*found, sep="\n", file=sys.stderr, flush=True)
            elif expected:
                decided[expected].append(f"{name}: {outcome.scenario.name}")
    for entry, scenarios in sorted(decided.items(), key=lambda pair: pair[0].id):
        print(f"{entry.id}: {entry.why}", *(f"    {scenario}" for scenario in scenarios), sep="\n")
    print(f"{'':30}{'same':>12}{'different':>12}{'impossible':>12}")
    for name in chosen:
        print(f"{name:30}" + "".join(f"{counts[name, kind]:12}" for kind in ("same", "different", "impossible")))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
