"""The classes of input that the package reads: valid examples, and how each class is read and used."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from input_mutations import Example
from msgspec.structs import replace

from rr_gym import yaml12
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses import Course, load_course
from rr_gym.errors import RoboRallyError
from rr_gym.player_names import SPEC_FILE, WEIGHTS_FILE

ROOT = Path(__file__).resolve().parents[1]
ROBOTS, TURNS = 2, 2
MAX_SCENARIOS = 20  # at most this many are run from a file, since damage may turn one scenario into hundreds


@dataclass(frozen=True, slots=True)
class InputClass:
    """One class of input.

    Attributes:
        examples: Returns valid examples, each a dict of contents by file name; the first file is damaged most often.
        take: Reads the files in a folder as the package does, and uses them; it raises a `RoboRallyError` to refuse
          them.
    """

    examples: Callable[[], Sequence[Example]]
    take: Callable[[Path], None]


def _boards() -> list[Example]:
    """Return the built-in boards, with two starts and a flag added where there are none, so that they are playable."""
    boards = (files("rr_gym.courses") / "data" / "boards").iterdir()
    texts = [board.read_text("ascii") for board in sorted(boards, key=lambda board: board.name)]
    return [{"board.rrb": (text if "@1" in text else _with_starts(text)).encode()} for text in texts]


def _with_starts(text: str) -> str:
    """Return the text of a board with two starts and a flag put on its first squares of open floor."""
    head, grid, rest = text.partition("grid:\n")
    for sign in ("@1", "@2", "#1"):
        rest = re.sub(r"(?<!\S)\.(?!\S)", sign, rest, count=1)
    return head + grid + rest


def _courses() -> list[Example]:
    """Return courses whose boards are built in, in a file beside them, or inside their own file."""
    data = files("rr_gym.courses") / "data"
    texts = [(data / name).read_text("utf-8") for name in ("courses.yaml", "own_courses.yaml")]
    entries = [entry for text in texts for entry in yaml12.load(text)]
    board = (data / "boards" / "docking_bay_a.rrb").read_bytes()
    examples = [{"course.yaml": yaml12.dump(entry).encode(), "docking_bay_a.rrb": board} for entry in entries]
    return examples + [{"course.yaml": load_course(name).to_yaml().encode()} for name in ("dizzy_dash", "everything")]


def _configurations() -> list[Example]:
    """Return configurations of races and of training."""
    found = sorted((ROOT / "configs").glob("*.yaml"))
    return [{"race.yaml" if path.stem == "race" else "training.yaml": path.read_bytes()} for path in found]


def _replays() -> list[Example]:
    """Return short games: of the base game, with option cards, on all elements, and with flags of teams."""
    from rr_gym.replay import Recorder
    from rr_gym.rules.arena.arena import Arena
    from rr_gym.rules.state.records import new_log, no_orders

    found = []
    for course, settings in (
        ("risky_exchange", {}), ("risky_exchange", {"option_cards": "on", "start_options": 3}), ("everything", {}),
        ("everything", {"option_cards": "on", "start_options": 5, "lives": "unlimited"}),
    ):  # fmt: skip
        arena = Arena(course, settings)
        games, orders, logs = arena.new_games(1, ROBOTS, seed=3), no_orders(1, 8, full=True), new_log()
        recorder = Recorder(arena, games, players=["one", "two"])
        for turn in range(3):
            arena.random_orders(games, orders, np.array([turn + 1], np.uint64))
            arena.play(games, orders, logs=logs)
            recorder.add(orders, logs)
        with tempfile.TemporaryDirectory() as folder:
            found.append({"replay.json": recorder.replay(games).save(Path(folder) / "replay.json").read_bytes()})
    return found


def _scenarios() -> list[Example]:
    """Return a few scenarios from every folder of scenarios, each in a file of its own."""
    found = []
    for room in sorted((ROOT / "tests" / "scenarios").iterdir()):
        for file in islice(sorted(room.rglob("*.yaml")), 3) if room.is_dir() else [room]:
            entries = yaml12.load(file.read_text("utf-8"))
            found += [{"scenario.yaml": yaml12.dump([entry]).encode()} for entry in entries[:2]]
    return found


def _policies() -> list[Example]:
    """Return small policies, one with every kind of network."""
    from rr_gym.policies import NetworkSpec, Policy, PolicySpec, save_policy

    small: dict[str, Any] = {"hidden": (8,), "features": 8, "channels": (2, 2), "embed": 4}
    found = []
    for kind, observation in (("flat", "flat"), ("planes", "planes"), ("entities", "entities+planes"), ("mlp", "flat")):
        spec = PolicySpec(
            NetworkSpec(kind, **small), observation, window=5, num_robots=2, action="draw",
            decisions=("power_down", "facing"),
            trained_on=({"course": "chess", "settings": {}},), training={"steps": 5, "notes": ["a", {"b": 1.5}]},
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            save_policy(Policy(spec), folder)
            found.append({name: (Path(folder) / name).read_bytes() for name in (SPEC_FILE, WEIGHTS_FILE)})
    return found


def _protocol_lines() -> list[Example]:
    """Return programs' answers to turns; the name of each file says which view it answers."""
    found: list[Example] = []
    for number, view in enumerate(_views()):
        from rr_gym.players.messages import legal_choices

        legal = legal_choices(view)
        orders: list[Any] = [legal["cards"][:5], {"program": legal["cards"][:5], "power_down": False, "facing": None}]
        if number:
            options = {"conditional": None, "shield": "left", "give_up": ["brakes"], "freak_order": [2, 0, 1]}
            orders.append({"program": legal["cards"][:5], "second": [None] * 5, **options})
        found += [{f"{number}.json": json.dumps({"id": 1, "orders": order}).encode()} for order in orders]
    return found


@cache
def _views() -> list[Any]:
    """Return what a seat sees at the start of two games: a base game, and one with all elements and options."""
    from rr_gym.players.protocol import SeatView
    from rr_gym.rules.arena.arena import Arena

    views = []
    for course, settings in (("risky_exchange", {}), ("everything", {"option_cards": "on", "start_options": 5})):
        arena = Arena(course, settings)
        views.append(SeatView.of(arena, arena.new_games(1, ROBOTS, seed=2)[0], 0))
    return views


def _play(course: Course) -> None:
    """Show a course and play some turns on it."""
    from rr_gym.render.board.sketch import draw
    from rr_gym.rules.arena.arena import Arena
    from rr_gym.rules.state.records import new_log, no_orders

    for line in draw(course).splitlines():
        assert line.isprintable(), line
    if Course.from_yaml(course.to_yaml()) != course:
        raise AssertionError("the course changes when it is written and read again")
    arena = Arena(course)
    games, orders, logs = arena.new_games(1, ROBOTS, seed=5), no_orders(1, 8, full=True), new_log()
    for turn in range(TURNS):
        arena.random_orders(games, orders, np.array([turn + 1], np.uint64))
        arena.play(games, orders, logs=logs)


def _take_configuration(folder: Path) -> None:
    """Race one turn, or check everything that a configuration of training names."""
    from agents.config import TrainConfig
    from agents.environment import check_names, courses_of
    from rr_gym.race import RaceConfig, race
    from rr_gym.registry import check_player
    from rr_gym.rules.arena.arena import Arena

    if (folder / "race.yaml").exists():
        config = RaceConfig.load(folder / "race.yaml")
        race(replace(config, max_cycles=1, players=("random",) * len(config.players)))
        return
    train = TrainConfig.load(folder / "training.yaml")
    if TrainConfig.read(yaml12.dump(train.as_mapping())) != train:
        raise AssertionError("the configuration changes when it is written and read again")
    if isinstance(train.environment.course, Mapping):
        return  # generating courses takes seconds, or minutes if few of them can be finished
    if COMPILED:  # `check_names` creates an environment
        check_names(train, "training.yaml")
    else:
        Arena(courses_of(train), train.environment.settings)
        for name in train.environment.opponents:
            check_player(name)


def _take_replay(folder: Path) -> None:
    """Show a replay and verify it."""
    from rr_gym.replay import Replay
    from rr_gym.replay.page import to_html
    from rr_gym.replay.text import to_lines

    replay = Replay.load(folder / "replay.json")
    for line in to_lines(replay):
        assert line.isprintable(), line
    to_html(replay)
    replay.verify()


def _take_scenario(folder: Path) -> None:
    """Run some scenarios of a file."""
    from rr_gym.scenarios import load_scenarios, run_scenario

    for scenario in load_scenarios(folder / "scenario.yaml")[:MAX_SCENARIOS]:
        for difference in run_scenario(scenario).differences:
            if difference.field == "error":
                raise RoboRallyError(str(difference))


def _take_policy(folder: Path) -> None:
    """Let a policy play."""
    from rr_gym.registry import make_player

    for view in _views()[:1]:
        make_player(str(folder)).orders(view)


@cache
def _data_sets() -> list[Example]:
    """Return a small data set in each of the forms."""
    from rr_gym.datasets import record_dataset

    found = []
    for form in ("npz", "safetensors"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "data"
            record_dataset(folder, ["random"], games=2, max_cycles=1, action="cards", form=form)
            found.append({file.name: file.read_bytes() for file in sorted(folder.iterdir())})
    return found


def _take_data(folder: Path) -> None:
    """Load a data set and add up the rewards of its episodes."""
    from rr_gym.datasets import Dataset

    data = Dataset.open(folder).load()
    for start, length in zip(data["episode_start"], data["episode_length"], strict=True):
        data["reward"][start : start + length].sum()


def _take_line(folder: Path) -> None:
    """Play by the answer of a program."""
    from rr_gym.players.messages import read_answer, read_orders
    from rr_gym.rules.state.records import no_orders

    for file in folder.iterdir():
        view = _views()[int(file.stem)]
        games, orders = view.record.reshape(1).copy(), no_orders(1, 8, full=True)
        orders[0, 0] = read_orders(read_answer(file.read_bytes())[1], view)
        view.arena.play(games, orders)


CLASSES: dict[str, InputClass] = {
    "boards": InputClass(_boards, lambda folder: _play(load_course(folder / "board.rrb"))),
    "courses": InputClass(_courses, lambda folder: _play(load_course(folder / "course.yaml"))),
    "configurations": InputClass(_configurations, _take_configuration),
    "replays": InputClass(_replays, _take_replay),
    "scenarios": InputClass(_scenarios, _take_scenario),
    "policies": InputClass(_policies, _take_policy),
    "data sets": InputClass(_data_sets, _take_data),
    "protocol lines": InputClass(_protocol_lines, _take_line),
}


@cache
def examples(name: str) -> Sequence[Example]:
    """Return the valid examples of a class."""
    return CLASSES[name].examples()


def chance_of(name: str, number: int, seed: int) -> random.Random:
    """Return the random generator for one input; it does not depend on earlier inputs."""
    return random.Random(f"{seed}/{name}/{number}")
