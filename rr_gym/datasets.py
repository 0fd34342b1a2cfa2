"""Games of players as data for behaviour cloning and offline reinforcement learning (docs/datasets.md)."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.act.actions import decode_actions
from rr_gym.encoding.act.encoding import encode_actions
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError, require, shown, whole_number
from rr_gym.files import write_file
from rr_gym.json_text import loads
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import CourseLike
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, orders_as, take_games
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

SCHEMA = 1
FORMS = ("npz", "safetensors")
DESCRIPTION = "dataset.json"
AT_ONCE = 64  # games that are played side by side; results depend on it
SHARD_ROWS = 50_000  # a shard is written when it has so many


class DatasetError(RoboRallyError):
    """A data set that cannot be written or read."""


def record_dataset(
    out: str | os.PathLike[str],
    players: Sequence[str | Player],
    *,
    games: int = 100,
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    seed: int = 0,
    form: str = "npz",
    report: Callable[[int, int], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Play games and write what every robot observed, did and was rewarded with.

    Args:
        out: The folder, which must not exist or be empty.
        players: Who play, one per robot; in game g the player of seat s is number (s + g) modulo their number.
        games: How many.
        course: Courses, which games take in turn.
        seed: From 0 to 2**64 - 1. The same arguments give the same data.
        form: One of `FORMS`.
        report: Is told how many games of how many are over.
        options: What environments take: `max_cycles`, `observation`, `reward`, `gamma`, `window`, `decisions`,
            `settings`.

    Returns:
        The description that is also written to ``dataset.json``.

    Raises:
        RoboRallyError: An argument has a wrong value, or the folder is not empty.
        MissingExtraError: The form is ``"safetensors"``, which comes with the extra `train`.
    """
    folder = Path(out)
    if form not in FORMS:
        raise DatasetError(f"form: {shown(form)}: expected {' | '.join(FORMS)}")
    if form == "safetensors":
        require("safetensors.numpy", extra="train")
    games = whole_number("games", games, 1, error=DatasetError)
    if not 1 <= len(players) <= MAX_ROBOTS:
        raise DatasetError(f"players: {len(players)}: expected 1 to {MAX_ROBOTS}, one per robot")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DatasetError(f"{folder}: expected a new or empty folder")
    core = Core(course, min(games, AT_ONCE), len(players), **options)
    if core.steps or core.layout.mode != "draw":
        raise DatasetError(f"action: {shown(options.get('action'))}: expected 'draw'")
    recorder = _Recorder(core, players, seed)
    shards: list[dict[str, Any]] = []
    kept: list[dict[str, Array]] = []
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, games, core.num_games):
        kept.append(recorder.play(first, min(games, first + core.num_games)))
        done = first + core.num_games >= games
        if done or sum(len(part["action"]) for part in kept) >= SHARD_ROWS:
            shards.append(_write_shard(folder, len(shards), _joined(kept), form))
            kept = []
        if report is not None:
            report(min(games, first + core.num_games), games)
    recorder.close()
    description = {
        "schema": SCHEMA,
        "rr_gym": __version__,
        "form": form,
        "players": [player if isinstance(player, str) else player.name for player in players],
        "courses": [one.id for one in core.arena.courses],
        "games": games,
        "seed": seed,
        "options": {name: value for name, value in options.items() if value is not None},
        "gamma": core.gamma,
        "components": list(core.layout.components),
        "choices": core.layout.width,
        "rows": sum(shard["rows"] for shard in shards),
        "episodes": sum(shard["episodes"] for shard in shards),
        "changed": recorder.changed,
        "shards": shards,
    }
    write_file(folder / DESCRIPTION, json.dumps(description, indent=1, default=str) + "\n")
    return description


class _Recorder:
    """Plays the games of a core by players, batch by batch."""

    def __init__(self, core: Core, players: Sequence[str | Player], seed: int) -> None:
        self.core = core
        made: dict[Any, Player] = {}
        for player in players:
            made[player] = made.get(player) or (make_player(player) if isinstance(player, str) else player)
        self.players = [made[player] for player in players]
        self._own = [player for name, player in made.items() if isinstance(name, str)]
        reset_players(self.players, seed % 2**64)
        self._seed: int | None = seed
        self._rng = np.random.default_rng([seed % 2**63, 1])  # for registers that a player leaves to chance
        self.changed = 0  # orders that no action stands for exactly

    def close(self) -> None:
        """Close the players that were made here."""
        for player in self._own:
            player.close()

    def play(self, first: int, last: int) -> dict[str, Array]:
        """The rows of games number first to last - 1: the next episodes of the core's games."""
        core = self.core
        core.reset(self._seed)
        self._seed = None
        count, seats = core.num_games, core.num_seats
        numbers = first + np.arange(count)
        who = (np.arange(seats) + numbers[:, None]) % seats
        rows: list[dict[str, Array]] = []
        final = core.observe()
        facts = core.infos()
        wanted = np.repeat(numbers < last, seats)
        while not core.ended.all():
            active = core.active() & wanted
            seen, masks = core.observe(), core.masks()
            actions = self._actions(who)
            turns = np.repeat(core.games["turn"], seats)
            step = core.step(actions)
            out = core.out()
            row = {"action": actions, "action_mask": masks, "reward": step.rewards.astype(np.float32)}
            row |= {"terminated": step.terminated | out, "truncated": step.truncated & ~out}
            row |= {"turn": turns.astype(np.int32), "game": np.repeat(numbers, seats).astype(np.int64)}
            row |= {"seat": np.tile(np.arange(seats, dtype=np.int8), count), "player": who.ravel().astype(np.int8)}
            row |= _named(seen, "observation")
            rows.append({name: array[active] for name, array in row.items()})
            after, now = core.observe(), core.infos()
            ends = active & (row["terminated"] | row["truncated"])
            for old, new in zip(_named(final, "").values(), _named(after, "").values(), strict=True):
                old[ends] = new[ends]
            for name in ("place", "won", "flags"):
                facts[name][ends] = now[name][ends]
        return self._in_order(rows, final, facts)

    def _actions(self, who: Array) -> Array:
        """What the players do in all games that are not over, as actions: (rows, components)."""
        core = self.core
        orders = no_orders(core.num_games, MAX_ROBOTS, full=True)
        for seat in range(core.num_seats):
            for k, player in enumerate(self.players):
                chosen = np.flatnonzero((who[:, seat] == k) & ~core.ended)
                if chosen.size:
                    given = player.act(core.arena, games_for(player, take_games(core.games, chosen)), seat)
                    orders[chosen, seat] = orders_as(given, True)
        actions = encode_actions(core.games, core.seats, orders, core.layout, core.masks(), self._rng)
        self._count_changes(actions, orders)
        return actions.reshape(core.num_rows, -1)

    def _count_changes(self, actions: Array, orders: Array) -> None:
        core = self.core
        again, repaired = no_orders(core.num_games, MAX_ROBOTS, full=True), np.empty(actions.shape[:2], np.int32)
        decode_actions(core.games, core.arena.tables, core.layout.code, core.seats, actions, again, repaired)
        given = orders.copy()
        faces = core.games["robots"]["facing"][:, :MAX_ROBOTS]
        given["facing"][given["facing"] == faces] = -1  # it faces so by default
        open_ones = given["program"] == 0
        given["program"][open_ones] = again["program"][open_ones]
        playing = core.active().reshape(actions.shape[:2])
        seats = np.arange(core.num_seats)
        self.changed += int(((given != again)[:, seats] & playing).sum())

    def _in_order(self, rows: list[dict[str, Array]], final: Any, facts: Mapping[str, Array]) -> dict[str, Array]:
        """All rows, an episode after the other, and a table of episodes."""
        data = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
        order = np.lexsort((data["turn"], data["seat"], data["game"]))
        data = {name: array[order] for name, array in data.items()}
        begins = np.flatnonzero(np.diff(data["game"] * MAX_ROBOTS + data["seat"], prepend=-1))
        lengths = np.diff(np.append(begins, len(data["turn"])))
        count, seats = self.core.num_games, self.core.num_seats
        places = data["game"][begins] % count * seats + data["seat"][begins]  # rows of the core
        data |= {"episode_start": begins, "episode_length": lengths}
        data["episode_return"] = np.add.reduceat(data["reward"].astype(np.float64), begins)
        data |= {f"episode_{name}": facts[name][places] for name in ("place", "won", "flags")}
        return data | {name: array[places] for name, array in _named(final, "final_observation").items()}


def _named(observation: Any, name: str) -> dict[str, Array]:
    """The arrays of an observation by name."""
    if not isinstance(observation, dict):
        return {name: observation}
    return {f"{name}/{part}": array for part, array in observation.items()}


def _joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Parts one after the other, with the places of episodes counted on."""
    starts = np.cumsum([0, *(len(part["action"]) for part in parts)])
    data = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    moved = [part["episode_start"] + start for part, start in zip(parts, starts, strict=False)]
    return data | {"episode_start": np.concatenate(moved)}


def _write_shard(folder: Path, number: int, data: Mapping[str, Array], form: str) -> dict[str, Any]:
    name = f"shard-{number:05d}.{form}"
    if form == "npz":
        buffer = io.BytesIO()
        arrays: Any = data
        np.savez_compressed(buffer, **arrays)
        content = buffer.getvalue()
    else:
        content = require("safetensors.numpy", extra="train").save(
            {key: np.ascontiguousarray(array) for key, array in data.items()}
        )
    write_file(folder / name, content)
    return {"file": name, "rows": len(data["action"]), "episodes": len(data["episode_start"])}


def _episodes(minari: Any, data: Mapping[str, Array]) -> Iterator[Any]:
    """The episodes of a shard as Minari's buffers."""
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


def _space(observations: Any) -> spaces.Space[Any]:
    """A space of observations of these shapes and types, without their first axis."""
    if isinstance(observations, dict):
        return spaces.Dict({name: _space(part) for name, part in observations.items()})
    bounds = np.iinfo(observations.dtype)
    return spaces.Box(bounds.min, bounds.max, observations.shape[1:], observations.dtype.type)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set on disk.

    Attributes:
        folder: Where it is.
        description: What ``dataset.json`` says.
    """

    folder: Path
    description: dict[str, Any]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Read the description. Raises DatasetError if there is none, or of another schema."""
        path = Path(folder) / DESCRIPTION
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
        description = loads(content, str(path), DatasetError)
        if not isinstance(description, dict) or description.get("schema") != SCHEMA:
            found = shown(description.get("schema") if isinstance(description, dict) else description)
            raise DatasetError(f"{path}: schema: {found}: expected {SCHEMA}")
        return cls(Path(folder), description)

    def shards(self) -> Iterator[dict[str, Array]]:
        """The arrays of one shard after the other, by name. Raises DatasetError."""
        for shard in self.description["shards"]:
            path = self.folder / shard["file"]
            try:
                if self.description["form"] == "npz":
                    with np.load(path) as data:
                        yield {name: data[name] for name in data.files}
                else:
                    yield require("safetensors.numpy", extra="train").load_file(path)
            except (OSError, ValueError) as error:
                raise DatasetError(f"{path}: cannot be read: {error}") from error

    def to_minari(self, dataset_id: str, **facts: Any) -> Any:
        """Write the same as a data set of Minari (extra `minari`).

        An observation is a dict of `observation` and `action_mask`, as in PettingZoo's environment. After the last row
        of an episode choice 0 is the only legal one.

        Args:
            dataset_id: Minari's, such as ``"rr_gym/races-v0"``.
            facts: What else Minari keeps: `author`, `author_email`, `code_permalink`, ...

        Returns:
            The `minari.MinariDataset`.

        Raises:
            DatasetError: The shards cannot be read, or there is such a data set already.
            MissingExtraError: Minari is not installed.
        """
        minari = require("minari", extra="minari")
        episodes = (buffer for shard in self.shards() for buffer in _episodes(minari, shard))
        buffers = [replace(buffer, id=number) for number, buffer in enumerate(episodes)]
        first = buffers[0].observations
        choices = [self.description["choices"]] * len(self.description["components"])
        try:
            return minari.create_dataset_from_buffers(
                dataset_id, buffers, observation_space=_space(first), action_space=spaces.MultiDiscrete(choices),
                algorithm_name=", ".join(self.description["players"]),
                description=f"RoboRally on {', '.join(self.description['courses'])}, {self.description['games']} games",
                requirements=[f"rr-gym=={self.description['rr_gym']}"], jpeg_encoding=False, **facts,
            )  # fmt: skip
        except ValueError as error:
            raise DatasetError(f"{dataset_id}: {error}") from error

    def load(self) -> dict[str, Array]:
        """The arrays of all shards together, by name. Raises DatasetError."""
        return _joined(list(self.shards()))
