"""A league: opponents are drawn by shares; past selves are among them, those that are harder to beat more often.

Stable-Baselines3 has no notion of opponents. The trainer reports every episode and every update to the league, which
changes the opponents in the environment between updates.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from rr_gym.envs.shares import SELF
from rr_gym.errors import RoboRallyError
from rr_gym.player_calls import reset_player
from rr_gym.player_names import SPEC_FILE
from rr_gym.policies import PolicyPlayer, load_policy, save_policy

from .folder import RunError, RunFolder
from .league_files import write_tables
from .model import Learner, current_policy
from .payoffs import Payoffs, meet
from .sections import PAST

Entries = list[tuple[str, float]]  # players and past selves by name, with their shares
REMEMBERED = 256  # effective number of recent games against each player; older games count exponentially less


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A past self.

    Attributes:
        name: Its name in tables, which is also the name of its folder.
        update: The number of the update after which it was taken.
        rows: The number of rows that it had learned from.
        player: A player that samples choices with its probabilities.
    """

    name: str
    update: int
    rows: int
    player: PolicyPlayer


def past_self(folder: RunFolder, name: str) -> PolicyPlayer:
    """Load a past self from its snapshot; if that was deleted, the newest remaining snapshot plays under its name.

    Raises:
        RunError: It cannot be read, or no snapshot is left.
    """
    path = folder.league / name
    if not path.exists():
        left = sorted(file.parent for file in folder.league.glob(f"{PAST}-*/{SPEC_FILE}"))
        if not left:
            raise RunError(
                f"league.snapshots: no past self is left in {folder.league}: expected {name} there; --from "
                f"{folder.policy} in another folder starts from the learned weights"
            )
        path = left[-1]
    try:
        player = PolicyPlayer(load_policy(path), sample=True)
    except RoboRallyError as error:
        raise RunError(
            f"league.snapshots: {path}: cannot be read ({error}); delete this folder to continue with the other past "
            "selves"
        ) from error
    player.name = name
    return player


class League:
    """Chooses whom the learner meets in a training run with opponents by shares.

    Args:
        model: The algorithm that learns.
        folder: The run folder, which gets a folder for each snapshot.

    Attributes:
        entries: The opponents until the next update, with their shares; empty for those of the configuration.
    """

    def __init__(self, model: Learner, folder: RunFolder) -> None:
        self._model = model
        self._folder = folder
        self._config, self._env = model.config, model.env
        opponents = self._config.environment.opponents
        self._shares: Mapping[str, float] = opponents if isinstance(opponents, Mapping) else {}
        self._named = [name for name in self._shares if name not in (SELF, PAST)]
        self.snapshots: list[Snapshot] = []
        self.payoffs = Payoffs()
        self._read: dict[str, PolicyPlayer] = {}  # past selves among the current opponents, by name
        self.entries: Entries = []
        self._results: dict[str, list[float]] = {}  # by player: recent games won against it, and all; decaying sums

    def begin(self) -> None:
        """Begin with the initial policy as the first past self."""
        if PAST in self._shares:
            self._take(0)
            self._mix(0)

    def note(self, against: Mapping[str, float]) -> None:
        """Add the result of an episode of the learner, by opponent: 1 if it finished ahead, 0 behind."""
        for name, score in against.items():
            for key in (name,) if name in self._named else (name, PAST):
                result = self._results.setdefault(key, [0.0, 0.0])
                for k, value in enumerate((score, 1.0)):
                    result[k] += value - result[k] / REMEMBERED

    def score(self, name: str) -> float:
        """Estimate the share of recent games in which the learner finished ahead of a player; 0.5 before any game."""
        ahead, games = self._results.get(name, (0.0, 0.0))
        return (ahead + 1) / (games + 2)

    def after_update(self, update: int) -> None:
        """Take a snapshot if one is due, and draw the opponents until the next update."""
        if PAST not in self._shares:
            return
        if update % self._config.league.snapshot_every == 0:
            self._take(update)
        self._mix(update)

    def _take(self, update: int) -> None:
        """Take a snapshot; if there are too many, drop the one that is easiest to beat, whose folder remains."""
        name = f"{PAST}-{update:06}"
        with torch.random.fork_rng(devices=[]):
            policy = current_policy(self._model)
            save_policy(policy, self._folder.league / name)
        player = PolicyPlayer(policy, sample=True)
        player.name = name
        if len(self.snapshots) == self._config.league.snapshots:
            easiest = max(self.snapshots, key=lambda snapshot: self.score(snapshot.name))
            self.snapshots.remove(easiest)
            self._results.pop(easiest.name, None)
        snapshot = Snapshot(name, update, self._model.num_timesteps, player)
        if self._config.league.games:
            self._rate(snapshot)
        self.snapshots.append(snapshot)

    def _rate(self, newest: Snapshot) -> None:
        """Let a new snapshot play all other snapshots and the named players, and rate all of them."""
        environment, lineup = self._config.environment, self._env.core.lineup
        named = dict(zip(lineup.names, lineup.opponents, strict=True))
        others: dict[str, Any] = {snapshot.name: snapshot.player for snapshot in self.snapshots}
        others |= {name: named[name] for name in self._named}
        self.payoffs.add(newest.name, newest.update, newest.rows)
        seeds = {name: player.seed for name, player in named.items()}
        scores = meet(
            self._env.core.arena, newest.player, list(others.values()), self._env.core.num_robots,
            games=self._config.league.games, max_cycles=environment.max_cycles,
            seed=int(np.random.SeedSequence([self._config.training.seed, newest.update]).generate_state(1)[0]),
        )  # fmt: skip
        for name, seed in seeds.items():
            reset_player(named[name], seed)
        for name, score in zip(others, scores, strict=True):
            self.payoffs.note(newest.name, name, score, self._config.league.games)
        kept = [*others, newest.name]
        write_tables(self._folder, self.payoffs, [name for name in kept if name not in self._named] + self._named)

    def _mix(self, update: int) -> None:
        """Draw the past selves for the time until the next update, and set them as opponents of the environment."""
        options = self._config.league
        weights = np.array([(1 - self.score(s.name)) ** options.hardness for s in self.snapshots])
        chance = np.random.default_rng([self._config.training.seed, update])
        weights += 1e-9  # with a high exponent all weights may underflow to 0
        drawn = chance.choice(len(weights), options.at_once, p=weights / weights.sum())
        parts = np.bincount(drawn, minlength=len(weights)) / options.at_once
        shares: dict[Any, float] = {name: share for name, share in self._shares.items() if name != PAST}
        shares |= {s.player: self._shares[PAST] * part for s, part in zip(self.snapshots, parts.tolist(), strict=True)}
        self._env.set_opponents(shares)
        self.entries = [(key if isinstance(key, str) else key.name, share) for key, share in shares.items()]

    def meet(self, entries: Entries) -> None:
        """Replace the opponents from the next turn on; past selves that are not in memory are read from their folders.

        Raises:
            RunError: A past self cannot be read.
        """
        if not entries:
            return
        known = self._read | {snapshot.name: snapshot.player for snapshot in self.snapshots}
        past = [name for name, _ in entries if name not in self._shares]
        self._read = {name: known.get(name) or past_self(self._folder, name) for name in past}
        self._env.set_opponents({self._read.get(name, name): share for name, share in entries})

    def facts(self) -> dict[str, float | None]:
        """Return the league's columns of the curve; their names never change during a training run."""
        if not self._shares:
            return {}
        met = [*self._named, *([PAST] if PAST in self._shares else ())]
        facts: dict[str, float | None] = {}
        for name in met:
            ahead, games = self._results.get(name, (0.0, 0.0))
            facts[f"league/ahead_of_{name}"] = ahead / games if games else None
        if PAST in self._shares:
            facts["league/snapshots"] = len(self.snapshots)
            facts["league/hardest"] = min(self.score(snapshot.name) for snapshot in self.snapshots)
            facts["league/rating"] = self.payoffs.newest_rating
        return facts

    # Checkpoints

    def get_state(self) -> dict[str, Any]:
        """Return the state that `set_state` restores, as plain data; the snapshots' weights are in their folders."""
        snapshots = [[snapshot.name, snapshot.update, snapshot.rows] for snapshot in self.snapshots]
        state: dict[str, Any] = {"results": self._results, "snapshots": snapshots, "payoffs": self.payoffs.get_state()}
        if self.snapshots:
            state["entries"] = self.entries
        return state

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resume from a state, without snapshots that have been deleted; set the environment's state afterwards.

        Raises:
            RunError: A snapshot cannot be read, or none is left.
        """
        self._results = {name: list(map(float, result)) for name, result in state["results"].items()}
        self.payoffs.set_state(state["payoffs"])
        taken = [Snapshot(name, int(u), int(r), past_self(self._folder, name)) for name, u, r in state["snapshots"]]
        left = [snapshot for snapshot in taken if (self._folder.league / snapshot.name).exists()]
        self.snapshots = left or taken[-1:]
        if gone := [snapshot.name for snapshot in taken if snapshot not in left]:
            print(
                f"rr-gym: {self._folder.league}: {', '.join(gone)} deleted: the training continues with the remaining "
                "past selves, so it differs from an uninterrupted one",
                file=sys.stderr, flush=True,
            )  # fmt: skip
        if self.snapshots:
            self.entries = [(name, float(share)) for name, share in state["entries"]]
            self.meet(self.entries)
            if self.payoffs.names:
                kept = [snapshot.name for snapshot in self.snapshots]
                write_tables(self._folder, self.payoffs, [*kept, *self._named])
