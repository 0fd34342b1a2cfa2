"""Data sets of games for behaviour cloning and offline reinforcement learning (docs/datasets.md)."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.dataset_files import (
    DESCRIPTION,
    FORMS,
    MAX_COUNT,
    SCHEMA,
    DatasetError,
    read_description,
    read_shard,
    write_shard,
)
from rr_gym.dataset_games import DatasetPart, DatasetPlan, DatasetWorker, joined, recorded_part
from rr_gym.encoding.act.actions import CARDS
from rr_gym.envs.core import Core
from rr_gym.envs.rows import check_arguments
from rr_gym.errors import MAX_SEED, one_of, require, short_repr, whole_number
from rr_gym.evaluation.executor import in_order, share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.files import check_path, check_writable, write_file
from rr_gym.player_calls import close_players, make_named_player
from rr_gym.players import Player
from rr_gym.players.notes import Losses
from rr_gym.policies.spec import policy_facts
from rr_gym.registry import as_player, make_player
from rr_gym.replay import Replay
from rr_gym.rules.arena.arena import CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

# Arguments of environments. Others make no sense here: all robots are rows, and observations are stored as they are.
OPTIONS = (
    "max_cycles", "observation", "action", "reward", "gamma", "window", "decisions", "preview", "lookahead", "settings",
)  # fmt: skip
OF_REPLAYS = ("settings", "max_cycles")  # options that replays have themselves
AT_ONCE = 64  # games that are played at the same time; the data depend on it
SHARD_ROWS = 50_000  # a shard is written once it has at least this many rows
_PATIENCE = 5.0  # seconds that workers get to stop; their unfinished games are lost anyway


def record_dataset(
    out: str | os.PathLike[str],
    players: Sequence[str | Player],
    *,
    games: int = 100,
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    seed: int = 0,
    form: str = "npz",
    report: Callable[[int, int], None] | None = None,
    workers: int | None = 1,
    ray: str | None = None,
    make: Callable[[str], Player] = make_player,
    **options: Any,
) -> dict[str, Any]:
    """Play games and write what every robot observed, did and was rewarded with.

    Args:
        out: The folder of the data set, new or empty.
        players: The players, one per robot; in game g player number (s + g) modulo their number takes seat s.
        games: The number of games.
        course: One course, or several that games take in turn.
        seed: The seed, from 0 to 2**64 - 1. The same arguments give the same data.
        form: The file format of the arrays, one of `FORMS`.
        report: Called with the number of finished games and the number of all games.
        workers: The number of processes that play in parallel, None for as many as there are processors; the data do
            not depend on it. With more than one, players must be given by name.
        ray: The address of a Ray cluster, whose machines play instead (docs/scaling.md).
        make: Creates a player from its name. Other processes call it too, so it must be importable there.
        options: Arguments of environments: `max_cycles`, `observation`, `action`, `reward`, `gamma`, `window`,
            `decisions`, `preview`, `lookahead`, `settings`.

    Returns:
        The description that is also written to ``dataset.json``.

    Raises:
        RoboRallyError: An argument has a wrong value, or the folder is not empty.
        MissingExtraError: The form is ``"safetensors"``, which comes with the extra `train`.
    """
    check_arguments(options, record_dataset, OPTIONS)
    folder = _new_folder(out, form)
    seed = whole_number("seed", seed, 0, MAX_SEED, DatasetError)
    games = whole_number("games", games, 1, MAX_COUNT, DatasetError)
    if workers is not None:
        whole_number("workers", workers, 1, MAX_WORKERS, DatasetError)
    if not isinstance(players, Sequence) or isinstance(players, str):
        raise DatasetError(f"players: {short_repr(players)}: expected a list of players, one per robot")
    players = [as_player(player) for player in players]
    for player in players:
        if not isinstance(player, str | Player):
            raise DatasetError(f"players: {short_repr(player)}: expected the name of a player, or a Player")
    if not 1 <= len(players) <= MAX_ROBOTS:
        raise DatasetError(f"players: {len(players)}: expected 1 to {MAX_ROBOTS}, one per robot")
    here = workers == 1 and ray is None
    if not here and not all(isinstance(player, str) for player in players):
        raise DatasetError(f"workers: {workers}: expected 1 for players that are not created from their names")
    if not here:
        for name in dict.fromkeys(players):
            close_players([make_named_player(make, str(name))])  # so warnings and errors are shown once and early
    plan = DatasetPlan(tuple(players), make, course, options, games, AT_ONCE, seed, quiet=not here)
    core = _checked(plan.core(), options)
    blocks = range(-(-games // AT_ONCE))
    done = 0

    def tell(over: int) -> None:
        if report is not None:
            report(min(games, done + over), games)

    with _Writer(folder, form) as writer:
        with closing(share(partial(DatasetWorker, plan), blocks, workers, tell, _PATIENCE, ray)) as results:
            for part in in_order(results):
                writer.add(part)
                done = min(games, done + AT_ONCE)
                tell(0)
        return writer.finish(core, {
            "players": [player if isinstance(player, str) else player.name for player in players],
            "games": games,
            "seed": seed,
            "options": {name: value for name, value in options.items() if value is not None},
        })  # fmt: skip


def convert_replays(
    out: str | os.PathLike[str],
    replays: Sequence[str | os.PathLike[str]],
    *,
    form: str = "npz",
    report: Callable[[int, int], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Write recorded games as a data set, in the format of `record_dataset`.

    Games are replayed exactly as they were recorded. Orders that no action expresses exactly are stored as the nearest
    action; `changed` in the description counts them.

    Args:
        out: The folder of the data set, new or empty.
        replays: The files, all with the same number of robots and the same settings.
        form: The file format of the arrays, one of `FORMS`.
        report: Called with the number of converted games and the number of all games.
        options: As for `record_dataset`, without `settings` and `max_cycles`, which come from the replays.

    Returns:
        The description that is also written to ``dataset.json``; its `seed` is None.

    Raises:
        RoboRallyError: A replay cannot be read, does not fit the others, or was written without its seed; or an
            argument has a wrong value.
        MissingExtraError: The form is ``"safetensors"``, which comes with the extra `train`.
    """
    for name in OF_REPLAYS:
        if (given := options.pop(name, None)) is not None:
            raise DatasetError(f"{name}: {short_repr(given)}: expected none: replays have their own")
    check_arguments(options, convert_replays, [name for name in OPTIONS if name not in OF_REPLAYS])
    folder = _new_folder(out, form)
    if not replays:
        raise DatasetError("replays: none: expected at least one file")
    read = [Replay.load(path) for path in replays]
    first = read[0]
    for path, replay in zip(replays, read, strict=True):
        replay.known_seed()
        if not replay.turns:
            raise DatasetError(f"{path}: expected a game with turns")
        if replay.num_robots != first.num_robots:
            raise DatasetError(f"{path}: {replay.num_robots} robots: expected {first.num_robots}, as in {replays[0]}")
        if replay.settings != first.settings:
            raise DatasetError(f"{path}: settings: expected those of {replays[0]}")
    courses = list({replay.course.to_yaml(): replay.course for replay in read}.values())
    texts = [course.to_yaml() for course in courses]
    names = list(dict.fromkeys(name for replay in read for name in replay.players))
    options = {name: value for name, value in options.items() if value is not None}
    core = _checked(Core(courses, 1, first.num_robots, settings=first.settings, **options), options)
    with _Writer(folder, form) as writer:
        for number, replay in enumerate(read):
            writer.add(recorded_part(core, replay, number, texts.index(replay.course.to_yaml()), names))
            if report is not None:
                report(number + 1, len(read))
        described = {"players": names, "games": len(read), "seed": None, "options": options}
        return writer.finish(core, described | {"replays": [Path(path).name for path in replays]})


def _new_folder(out: str | os.PathLike[str], form: str) -> Path:
    """Return the path of a new or empty folder, after checking that data of this form can be written there."""
    one_of("form", form, FORMS, DatasetError)
    if form == "safetensors":
        require("safetensors.numpy", extra="train")
    folder = check_path("out", out, DatasetError)
    check_writable(folder, error=DatasetError)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DatasetError(f"{folder}: expected a new or empty folder")
    return folder


def _checked(core: Core, options: Mapping[str, Any]) -> Core:
    """Return the core, or raise DatasetError if its kind of actions cannot be stored in a data set."""
    if core.layout.mode != "draw":
        raise DatasetError(f"action: {short_repr(options.get('action'))}: expected draw | {CARDS}")
    return core


class _Writer:
    """Writes shards and finally the description. If the context is left by an error, everything written is removed."""

    def __init__(self, folder: Path, form: str) -> None:
        self.folder, self.form = folder, form
        self.shards: list[dict[str, Any]] = []
        self.kept: list[dict[str, Array]] = []
        self.changed = 0
        self.counts: dict[str, tuple[int, Counter[str]]] = {}

    def __enter__(self) -> _Writer:
        self._made = [folder for folder in (self.folder, *self.folder.parents) if not folder.exists()]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(OSError):  # another program has put files there, or the folder has become read-only
                for shard in self.shards:
                    (self.folder / shard["file"]).unlink(missing_ok=True)
                for folder in self._made:
                    folder.rmdir()

    def add(self, part: DatasetPart) -> None:
        """Add the rows of a part, and write a shard once there are `SHARD_ROWS` of them."""
        self.kept.append(part.data)
        self.changed += part.changed
        for name, (decisions, faults) in part.counts.items():
            before, lost = self.counts.get(name, (0, Counter()))
            self.counts[name] = before + decisions, lost + Counter(faults)
        if sum(len(one["action"]) for one in self.kept) >= SHARD_ROWS:
            self._write()

    def _write(self) -> None:
        if self.kept:
            self.shards.append(write_shard(self.folder, len(self.shards), joined(self.kept), self.form))
            self.kept = []

    def finish(self, core: Core, described: Mapping[str, Any]) -> dict[str, Any]:
        """Write the remaining rows and then the description, which is also returned."""
        self._write()
        properties = dict(described)
        description = {
            "schema": SCHEMA,
            "rr_gym": __version__,
            "form": self.form,
            "players": properties.pop("players"),
            "courses": [one.id for one in core.arena.courses],
            **properties,
            "gamma": core.gamma,
            "components": list(core.layout.components),
            "choices": core.layout.width,
            "action": CARDS if core.steps else core.layout.mode,
            "environment": _plain(policy_facts(core)),
            "rows": sum(shard["rows"] for shard in self.shards),
            "episodes": sum(shard["episodes"] for shard in self.shards),
            "changed": self.changed,
            "losses": [asdict(Losses(name, count, dict(lost))) for name, (count, lost) in self.counts.items()],
            "shards": self.shards,
        }
        write_file(self.folder / DESCRIPTION, json.dumps(description, indent=1, default=str) + "\n")
        return description


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that observations and actions depend on, without those about training."""
    return {name: value for name, value in facts.items() if name not in ("trained_on", "training")}


def _episodes(minari: Any, data: Mapping[str, Array]) -> Iterator[Any]:
    """Iterate over the episodes of a shard as buffers of Minari."""
    seen = [name for name in data if name.partition("/")[0] == "observation"]
    for episode, (start, length) in enumerate(zip(data["episode_start"], data["episode_length"], strict=True)):
        rows = slice(start, start + length)
        parts = {name: np.concatenate([data[name][rows], data[f"final_{name}"][episode][None]]) for name in seen}
        last = np.zeros((1, *data["action_mask"].shape[1:]), np.int8)
        last[..., 0] = 1
        shown: Any = {name.partition("/")[2]: array for name, array in parts.items()}
        yield minari.data_collector.EpisodeBuffer(
            observations={
                "observation": shown.get("", shown),
                "action_mask": np.concatenate([data["action_mask"][rows], last]),
            },
            actions=data["action"][rows],
            rewards=data["reward"][rows],
            terminations=data["terminated"][rows],
            truncations=data["truncated"][rows],
        )


def minari_for(dataset_id: str) -> Any:
    """Import Minari and check the name of a new data set. Raises DatasetError or MissingExtraError."""
    minari = require("minari", extra="minari")
    if not re.fullmatch(r"([\w-]+/)*[\w-]+-v\d+", dataset_id):
        raise DatasetError(f"{short_repr(dataset_id)}: expected a name for Minari such as rr_gym/races-v0")
    if dataset_id in minari.list_local_datasets():
        raise DatasetError(f"{dataset_id}: Minari has a data set of that name: expected another name or version")
    return minari


def _space(observations: Any) -> spaces.Space[Any]:
    """Return the observation space for a batch of observations: its dtypes, and its shapes without the first axis."""
    if isinstance(observations, dict):
        return spaces.Dict({name: _space(part) for name, part in observations.items()})
    bounds = np.iinfo(observations.dtype)
    return spaces.Box(bounds.min, bounds.max, observations.shape[1:], observations.dtype.type)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set on disk.

    Attributes:
        folder: The folder that holds it.
        description: The contents of ``dataset.json``.
    """

    folder: Path
    description: dict[str, Any]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Open a data set by reading its description. Raises DatasetError if there is none, or if it is malformed."""
        path = check_path("folder", folder, DatasetError)
        return cls(path, read_description(path))

    def shards(self) -> Iterator[dict[str, Array]]:
        """Iterate over the shards, each as a dict of arrays by name. Raises DatasetError if one cannot be read."""
        for number in range(len(self.description["shards"])):
            yield read_shard(self.folder, self.description, number)

    def to_minari(self, dataset_id: str, **facts: Any) -> Any:
        """Write these data as a data set of Minari (extra `minari`).

        An observation is a dict of `observation` and `action_mask`, as in PettingZoo's environment. After the last row
        of an episode choice 0 is the only legal one.

        Args:
            dataset_id: The name of the data set for Minari, such as ``"rr_gym/races-v0"``.
            facts: Further facts that Minari stores: `author`, `author_email`, `code_permalink`, ...

        Returns:
            The `minari.MinariDataset`.

        Raises:
            DatasetError: The shards cannot be read, the name is malformed, or there is such a data set already.
            MissingExtraError: Minari is not installed.
        """
        minari = minari_for(dataset_id)
        episodes = (buffer for shard in self.shards() for buffer in _episodes(minari, shard))
        buffers = [replace(buffer, id=number) for number, buffer in enumerate(episodes)]
        first = buffers[0].observations
        choices, cards = self.description["choices"], self.description.get("action") == CARDS
        parts = [choices] * len(self.description["components"])
        actions: Any = spaces.Discrete(choices) if cards else spaces.MultiDiscrete(parts)
        try:
            return minari.create_dataset_from_buffers(
                dataset_id, buffers, observation_space=_space(first), action_space=actions,
                algorithm_name=", ".join(self.description["players"]),
                description=f"RoboRally on {', '.join(self.description['courses'])}, {self.description['games']} games",
                requirements=[f"rr-gym=={self.description['rr_gym']}"], jpeg_encoding=False, **facts,
            )  # fmt: skip
        except ValueError as error:
            raise DatasetError(f"{dataset_id}: {error}") from error
        except (OSError, RuntimeError) as error:  # HDF5 raises RuntimeError on a full disk
            raise DatasetError(f"{dataset_id}: cannot be written by Minari: {error}") from error

    def load(self) -> dict[str, Array]:
        """Read all shards and return their concatenated arrays by name. Raises DatasetError if one cannot be read."""
        return joined(list(self.shards()))
