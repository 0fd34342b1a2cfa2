"""Games as rows of data, new games and recorded ones: what each robot observed, did and was rewarded with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rr_gym.encoding.act.actions import decode_actions, write_masks
from rr_gym.encoding.act.order_encoding import encode_actions
from rr_gym.envs.blocks import CoreGames, begin_block
from rr_gym.envs.core import Core
from rr_gym.evaluation.block_worker import BlockWorker, block_seed
from rr_gym.players import Player
from rr_gym.players.notes import PlayerNotes
from rr_gym.players.protocol import reset_players
from rr_gym.replay.recording import Recording
from rr_gym.replay.rerun import begin
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders
from rr_gym.runner import Seats, TurnCallback, play_out

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """Everything that a process needs to play games; it can be pickled if `players` are names.

    Attributes:
        players: The players or their names, one per seat.
        make: Creates a player from its name.
        course: One course, or several that games take in turn.
        options: Further arguments of `Core`, by name; see `rr_gym.datasets.OPTIONS`.
        games: The number of games of the whole data set.
        at_once: The number of games in a block, which are played at the same time.
        seed: The seed of the deals and of the players.
        quiet: Whether the players have been created before, so that their warnings need not be shown again.
    """

    players: tuple[str | Player, ...]
    make: Callable[[str], Player]
    course: Any
    options: Mapping[str, Any]
    games: int
    at_once: int
    seed: int
    quiet: bool = True

    def core(self) -> Core:
        """Return the games of a block."""
        return Core(self.course, min(self.games, self.at_once), len(self.players), **self.options)


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """The rows of a batch of games, with counts of inexact actions and of what players failed to do.

    Attributes:
        data: Arrays by name.
        changed: Number of orders that no action expresses exactly.
        counts: Decisions and faults by player, for players whose orders could not all be used.
    """

    data: dict[str, Array]
    changed: int
    counts: Mapping[str, tuple[int, dict[str, int]]] = field(default_factory=dict)


class DatasetWorker(BlockWorker[int, DatasetPart]):
    """Plays blocks of games; block b has `at_once` games from `b * at_once` on, the b-th episodes of a batch."""

    def __init__(self, plan: DatasetPlan) -> None:
        self.plan, self.core = plan, plan.core()
        super().__init__(plan.players, plan.make, quiet=plan.quiet)

    def play(self, block: int, tell: TurnCallback) -> DatasetPart:
        """Play a block and return its rows, which depend on nothing but the plan."""
        core, plan = self.core, self.plan
        numbers = begin_block(core, plan.seed, block)
        reset_players(self.players, block_seed(plan.seed, block) if block else plan.seed)
        who = (np.arange(core.num_seats) + numbers[:, None]) % core.num_seats
        notes = PlayerNotes(self.players)
        rows = DatasetRows(core, numbers, who, numbers < plan.games, np.random.default_rng([plan.seed, block]))
        play_out(rows, Seats(rows, self.players, who).ask, tell)
        lost = {one.player: (one.decisions, dict(one.faults)) for one in notes.losses()}
        return DatasetPart(rows.data(), rows.changed, lost)


def recorded_part(core: Core, replay: Recording, number: int, course: int, players: Sequence[str]) -> DatasetPart:
    """Return the rows of a replay.

    Args:
        core: A core of one game, with the replay's course, number of robots and settings.
        replay: Played again by its orders; where it stops before the game is over, the game is truncated.
        number: The number of the game in the data set.
        course: The number of its course in the core.
        players: The names of all players of the data set; the column `player` holds indices into them.

    Raises:
        ReplayError: The replay was written without its seed.
    """
    _, games = begin(replay)
    games["course"] = course
    core.max_cycles = len(replay.turns)
    core.take(games)
    who = np.array([[players.index(name) for name in replay.players]])
    rows = DatasetRows(core, np.array([number]), who, np.ones(1, np.bool_), np.random.default_rng(number), exact=True)
    for turn in replay.turns:
        if not rows.num_over:
            rows.play(turn.batch())
    return DatasetPart(rows.data(), rows.changed)


class DatasetRows(CoreGames):
    """Collects the rows of the games of a core, which have just begun.

    Args:
        core: The games, in which every seat is a row.
        numbers: Shape (games,), whole numbers: the number of each game in the data set.
        who: Shape (games, seats), whole numbers: the number of the player of each seat.
        wanted: Shape (games,), bool: the games whose rows are kept.
        rng: The generator that draws random cards for the registers that orders leave open.
        exact: Whether games are played by the orders themselves, not by the actions that stand for them.
    """

    def __init__(
        self, core: Core, numbers: Array, who: Array, wanted: Array, rng: np.random.Generator, exact: bool = False
    ) -> None:
        super().__init__(core)
        self.numbers, self.who, self.rng, self.exact = numbers, who, rng, exact
        self.wanted = np.repeat(wanted, core.num_seats)
        self.changed = 0
        self._rows: list[dict[str, Array]] = []
        self._final, self._facts = core.observe(), core.infos()

    def play(self, orders: Array) -> None:
        """Play a turn of the games that are not over: (running, 8), dtype `FULL_ORDERS`."""
        core, given = self.core, self.of_all(orders)
        codes = self._codes(given)
        for stage in range(core.stages):
            chosen = codes if core.steps is None else codes[..., core.steps.order[stage]]
            self._decide(chosen.reshape(core.num_rows, *codes.shape[2:][: core.steps is None]), stage, given)

    def _codes(self, orders: Array) -> Array:
        """Return the actions of a whole turn that stand for orders: (games, seats, components)."""
        core = self.core
        whole = np.empty((core.num_games, core.num_seats, *core.layout.shape), np.int8)
        tables, code = core.arena.tables, core.layout.code
        write_masks(core.games, tables, code, core.seats, whole)
        masks = whole.reshape(-1, *core.layout.shape)
        codes = encode_actions(core.games, core.seats, orders, core.layout, masks, self.rng)
        again, repaired = no_orders(core.num_games, MAX_ROBOTS, full=True), np.empty(codes.shape[:2], np.int32)
        decode_actions(core.games, tables, code, core.seats, np.ascontiguousarray(codes), again, repaired)
        given = orders.copy()
        faces = core.games["robots"]["facing"][:, :MAX_ROBOTS]
        given["facing"][given["facing"] == faces] = -1  # the facing that a robot keeps by default
        open_ones = given["program"] == 0
        given["program"][open_ones] = again["program"][open_ones]
        playing = (core.active() & self.wanted).reshape(codes.shape[:2])
        self.changed += int(((given != again)[:, : core.num_seats] & playing).sum())
        return codes

    def _decide(self, actions: Array, stage: int, orders: Array) -> None:
        """Play one step of the core and keep its rows."""
        core = self.core
        active, seen, masks = core.active() & self.wanted, core.observe(), core.masks()
        legal = np.take_along_axis(masks, actions[..., None], -1)[..., 0] > 0
        actions = np.where(legal, actions, 0)
        turns = np.repeat(core.games["turn"], core.num_seats)
        step = core.step(actions, orders=orders if self.exact else None)
        out = core.out()
        row = {"action": actions, "action_mask": masks, "reward": step.rewards.astype(np.float32)}
        row |= {"terminated": step.terminated | out, "truncated": step.truncated & ~out}
        row |= {"turn": turns.astype(np.int32), "game": np.repeat(self.numbers, core.num_seats).astype(np.int64)}
        row |= {"seat": np.tile(np.arange(core.num_seats, dtype=np.int8), core.num_games)}
        row |= {"player": self.who.ravel().astype(np.int8)}
        if core.steps:
            row["decision"] = np.full(core.num_rows, stage, np.int8)
        row |= named(seen, "observation")
        self._rows.append({name: array[active] for name, array in row.items()})
        ends = active & (row["terminated"] | row["truncated"])
        if ends.any():
            after, now = core.observe(), core.infos()
            for old, new in zip(named(self._final, "").values(), named(after, "").values(), strict=True):
                old[ends] = new[ends]
            for name in ("place", "won", "flags"):
                self._facts[name][ends] = now[name][ends]

    def data(self) -> dict[str, Array]:
        """Return all rows by name, episode after episode, with `episode_start` and `episode_length`."""
        rows = self._rows
        data = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
        order = np.lexsort((data.get("decision", data["seat"]), data["turn"], data["seat"], data["game"]))
        data = {name: array[order] for name, array in data.items()}
        begins = np.flatnonzero(np.diff(data["game"] * MAX_ROBOTS + data["seat"], prepend=-1))
        lengths = np.diff(np.append(begins, len(data["turn"])))
        places = (data["game"][begins] - self.numbers[0]) * self.core.num_seats + data["seat"][begins]
        data |= {"episode_start": begins, "episode_length": lengths}
        data["episode_return"] = np.add.reduceat(data["reward"].astype(np.float64), begins)
        data |= {f"episode_{name}": self._facts[name][places] for name in ("place", "won", "flags")}
        return data | {name: array[places] for name, array in named(self._final, "final_observation").items()}


def named(observation: Any, name: str) -> dict[str, Array]:
    """Return the arrays of an observation by name."""
    if not isinstance(observation, dict):
        return {name: observation}
    return {f"{name}/{part}": array for part, array in observation.items()}


def joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Concatenate the arrays of several parts by name, and shift the starts of episodes accordingly."""
    starts = np.cumsum([0, *(len(part["action"]) for part in parts)])
    data = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    moved = [part["episode_start"] + start for part, start in zip(parts, starts, strict=False)]
    return data | {"episode_start": np.concatenate(moved)}
