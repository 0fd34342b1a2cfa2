"""Learn the network of `rr_gym/players/pair_network.py` from games, and write its weights.

    python tools/learn_pair_network.py                         some three minutes
    python tools/learn_pair_network.py --batches 8 --out x.npz

Champion, with few trials, plays duels and races of three and four on the four courses that it is trained on; in a third
of the seats it samples its choices, and in a tenth racer plays. For all pairs of robots at the start of every turn the
network learns which of them finishes ahead. The last tenth of the games is for testing, and so are two other courses.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from rr_gym import make_player
from rr_gym.choices.trials import QUICK
from rr_gym.players.pair_network import FACTS, LEAD, WEIGHTS_FILE, write_pairs
from rr_gym.policies.player import PolicyPlayer
from rr_gym.progress import Progress
from rr_gym.registry import SHIPPED
from rr_gym.rules.arena.arena import Arena
from rr_gym.runner import Batch, Seats
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]

COURSES = ("risky_exchange", "island_hop", "chop_shop_challenge", "pilgrimage")
HELD_OUT = ("dizzy_dash", "vault_assault")
ROBOTS = (2, 2, 3, 4)  # of the batches in turn
BATCH = 600  # games
MAX_CYCLES = 60
UNITS, EPOCHS, ROWS, LEARNING_RATE = 16, 4, 512, 5e-3
ODDS = math.log(4)  # of a lead of one turn, as `chance_to_be_first` has it


class Pairs(NamedTuple):
    """Pairs of robots.

    Attributes:
        facts: float32, (pairs, facts).
        ahead: float32, (pairs,): 1 if the first robot of a pair finished ahead of the second, .5 if level with it.
        tests: bool, (pairs,): for testing alone.
        held_out: bool, (pairs,): on a course that nothing is learned from.
    """

    facts: Array
    ahead: Array
    tests: Array
    held_out: Array


def play(batches: int, seed: int) -> Pairs:
    """Play games, and collect all pairs of robots that were in the game at the start of a turn."""
    arena = Arena([*COURSES, *HELD_OUT])
    champion = SHIPPED / "champion"
    players = [
        PolicyPlayer(champion, effort=QUICK), PolicyPlayer(champion, sample=True, effort=QUICK), make_player("racer")
    ]  # fmt: skip
    rng = np.random.default_rng(seed)
    found: list[Pairs] = []
    with Progress("batches of games") as progress:
        for number in range(batches):
            robots = ROBOTS[number % len(ROBOTS)]
            deals = seed * 1_000_000 + number
            games = arena.new_games(BATCH, robots, seed=deals, course_index=np.arange(BATCH) % len(arena.courses))
            for k, player in enumerate(players):
                player.reset(deals + k)
            batch = Batch(arena, games, MAX_CYCLES)
            seats = Seats(batch, players, rng.choice(len(players), (BATCH, robots), p=[0.55, 0.35, 0.1]))
            found += play_batch(arena, batch, seats, robots, tests=number >= 0.9 * batches)
            progress(number + 1, batches)
    return Pairs(*map(np.concatenate, zip(*found, strict=True)))


def play_batch(arena: Arena, batch: Batch, seats: Seats, robots: int, tests: bool) -> list[Pairs]:
    """Play games to their end; return the pairs of each turn."""
    turns: list[tuple[Array, Array, Array]] = []
    while len(batch.running):
        facts = np.zeros((len(batch.records), robots, robots, len(FACTS)), np.float32)
        for course in range(len(arena.courses)):
            write_pairs(batch.records, arena.tables, expected_turns(arena, course), course, facts)
        inside = batch.records["robots"]["out"][:, :robots] == 0
        pairs = inside[:, :, None] & inside[:, None] & ~np.eye(robots, dtype=bool)
        turns.append((batch.running, facts, pairs))
        batch.play(seats.ask())
    places = arena.placements(batch.ended)[:, :robots].astype(int)
    ahead = (1 - np.sign(places[:, :, None] - places[:, None])) / 2
    found = []
    for running, facts, pairs in turns:
        courses = np.broadcast_to(batch.ended["course"][running][:, None, None], pairs.shape)[pairs]
        results = ahead[running][pairs].astype(np.float32)
        found.append(Pairs(facts[pairs], results, np.full(len(results), tests), courses >= len(COURSES)))
    return found


class Network(torch.nn.Module):
    """The network while it learns; its output is the lead times `ODDS`."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = torch.nn.Linear(len(FACTS), UNITS), torch.nn.Linear(UNITS, 1)
        self.direct = torch.nn.Linear(len(FACTS), 1, bias=False)
        with torch.no_grad():  # it begins with the lead itself
            self.last.weight *= 0.3
            self.direct.weight[:] = 0
            self.direct.weight[0, LEAD] = ODDS

    def forward(self, facts: torch.Tensor) -> torch.Tensor:
        """Return log odds, (pairs,)."""
        found: torch.Tensor = (self.last(torch.relu(self.first(facts))) + self.direct(facts))[:, 0]
        return found

    def weights(self) -> dict[str, Any]:
        """Return the weights of a `PairNetwork`."""
        named = {
            "first": self.first.weight.T, "bias": self.first.bias, "last": self.last.weight[0] / ODDS,
            "direct": self.direct.weight[0] / ODDS, "rest": self.last.bias / ODDS,
        }  # fmt: skip
        return {name: np.ascontiguousarray(value.detach().numpy(), np.float32) for name, value in named.items()}


def learn(pairs: Pairs, seed: int) -> Network:
    """Learn from pairs that are not for testing."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    chosen = ~pairs.tests & ~pairs.held_out
    facts, ahead = torch.from_numpy(pairs.facts[chosen]), torch.from_numpy(pairs.ahead[chosen])
    done, rows = 0, EPOCHS * len(facts)
    with Progress("pairs") as progress:
        for _ in range(EPOCHS):
            order = torch.randperm(len(facts))
            for begin in range(0, len(order), ROWS):
                some = order[begin : begin + ROWS]
                optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(0.01, 1 - done / rows)
                loss = torch.nn.functional.binary_cross_entropy_with_logits(network(facts[some]), ahead[some])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                done += len(some)
                progress(done, rows)
    return network


def main() -> None:
    """Play, learn, print how well the network predicts, and write its weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=44, help=f"batches of {BATCH} games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    args = parser.parse_args()
    pairs = play(args.batches, args.seed)
    print(f"learned from {(~pairs.tests & ~pairs.held_out).sum():,} pairs")
    network = learn(pairs, args.seed)
    with torch.no_grad():
        predicted = network(torch.from_numpy(pairs.facts))
    lead = torch.from_numpy(pairs.facts[:, LEAD]) * ODDS
    for name, chosen in (("on other deals", pairs.tests & ~pairs.held_out), ("on other courses", pairs.held_out)):
        ahead = torch.from_numpy(pairs.ahead[chosen])
        entropy = torch.nn.functional.binary_cross_entropy_with_logits
        before, now = (float(entropy(odds[chosen], ahead)) for odds in (lead, predicted))
        print(f"{name}: {chosen.sum():,} pairs, cross-entropy {before:.4f} by expected turns, {now:.4f} now")
    np.savez(args.out, **network.weights())


if __name__ == "__main__":
    main()
