"""Proximal policy optimisation for duels, in one file: self-play against past selves and scripted players.

    python examples/ppo.py                                # about two minutes on one core
    python examples/ppo.py --rows 200_000 --seed 2 --out runs/ppo2
    python examples/ppo.py --resume                       # from the last checkpoint of runs/ppo
    tensorboard --logdir runs

A row is one decision of one robot: a card in a register, a facing, a power-down. A turn has `envs.core.stages` of them,
and the reward comes with the last one. Needs the extras `train` and `examples`.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from rr_gym.envs import RoboRallyVectorEnv
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.networks import RaceNetwork, as_tensors
from rr_gym.policies import PolicyPlayer, save_policy

CHECKPOINT = "checkpoint.pt"
REWARD = {"place": 1.0, "lead": 1.0}  # the lead is potential-based shaping of the reward for the place
CONFIG = {"environment": {"reward": REWARD}, "algorithm": {"gamma": 1.0}}  # lets `strategist` use the values
Tables = dict[str, Tensor]


@dataclass
class Args:
    """The arguments of the command line."""

    out: Path = Path("runs/ppo")
    """the folder of the run: curves, the checkpoint, and the policy, which can be named as a player"""
    resume: bool = False
    """resume from the checkpoint in the folder"""
    seed: int = 1
    """seed of games, weights and samples"""
    rows: int = 2_000_000
    """decisions of all robots to play"""
    num_games: int = 256
    """games played in parallel"""
    course: str = "risky_exchange"
    lookahead: str = "turns"
    """how far the features of a choice look ahead: none, paths, turns, trials or trials+value"""
    racer: float = 0.4
    """share of the games against racer"""
    greedy: float = 0.1
    """share of the games against greedy"""
    past: float = 0.2
    """share of the games against past selves, once there are some; the rest are against the learner itself"""
    snapshot_every: int = 10
    """updates between past selves"""
    snapshots: int = 4
    """past selves that are kept"""
    turns: int = 8
    """turns of every game between updates"""
    epochs: int = 2
    """passes over the rows of an update"""
    minibatch: int = 2048
    """rows of a mini-batch"""
    learning_rate: float = 2e-3
    """at the start; it is annealed linearly to a twentieth"""
    gae_lambda: float = 0.95
    """per turn; there is no discount, since games are short and only their end counts"""
    clip: float = 0.2
    """clipping range of the probability ratio"""
    entropy: float = 0.003
    """weight of the entropy bonus"""
    value: float = 0.5
    """weight of the value loss"""
    max_grad_norm: float = 0.5
    """gradients are clipped to this norm"""
    evaluate_every: int = 20
    """updates between evaluations"""
    games: int = 400
    """duels against greedy in an evaluation; the last evaluation has five times as many"""
    stop_after: int = 0
    """updates after which to stop with a checkpoint, as if interrupted; 0 for all of them"""
    threads: int = 1
    """threads of PyTorch; one is fastest for networks this small"""


@dataclass
class Rollout:
    """The transitions of some turns of all games; arrays have the shape (steps, rows, ...)."""

    observation: Tables
    mask: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    reward: Tensor
    over: Tensor  # whether the game ended with this step
    ends_turn: Tensor  # (steps,): whether the step is the last decision of a turn
    learned: Tensor  # the learner played the row and had more than one legal choice


class Run:
    """A training run: the games, the network, past selves, the log and checkpoints."""

    def __init__(self, args: Args) -> None:
        self.args = args
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        self.envs = RoboRallyVectorEnv(
            2 * args.num_games, args.course, num_robots=2, opponents=self.shares([]), observation="choices",
            action="cards", preview=True, lookahead=args.lookahead, reward=REWARD, gamma=1.0, max_cycles=40,
        )  # fmt: skip
        self.network = RaceNetwork(self.envs)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5)
        self.stages = self.envs.core.stages
        self.updates = max(1, args.rows // (2 * args.num_games * args.turns * self.stages))
        self.update = 0
        self.past: deque[dict[str, Tensor]] = deque(maxlen=args.snapshots)
        self.seen, self.info = self.envs.reset(seed=args.seed)
        self.episodes: list[tuple[float, ...]] = []  # (won, flags, finished) of each episode since the last log
        self.began = time.process_time()
        self.log = SummaryWriter(str(args.out))
        self.log.add_text("arguments", "\n".join(f"    {name}: {value}" for name, value in asdict(args).items()))

    def shares(self, past: list[PolicyPlayer]) -> dict[Any, float]:
        """Return the opponents with the shares of games that they play."""
        shares: dict[Any, float] = {"racer": self.args.racer, "greedy": self.args.greedy}
        shares |= {player: self.args.past / len(past) for player in past}
        return {"self": 1 - sum(shares.values()), **shares}

    def player(self, weights: dict[str, Tensor] | None = None, sample: bool = False) -> PolicyPlayer:
        """Return a player with a copy of the network, or with other weights."""
        policy = self.network.policy(rows=self.rows_played, config=CONFIG)
        if weights is not None:
            policy.network.load_state_dict(weights)
        return PolicyPlayer(policy, sample=sample)

    @property
    def rows_played(self) -> int:
        """Return how many decisions have been made."""
        return self.update * self.envs.num_envs * self.args.turns * self.stages

    def play(self) -> Rollout:
        """Play `args.turns` turns of all games and return the transitions."""
        steps: list[tuple[Any, ...]] = []
        for step in range(self.args.turns * self.stages):
            observation, mask = as_tensors(self.seen), torch.as_tensor(self.info["action_mask"])
            learned = torch.as_tensor(self.info["active"]) & (mask.sum(1) > 1)
            with torch.no_grad():
                action, log_prob, _, value = self.network.action_and_value(observation, mask)
            learners = ~self.envs.core.idle()  # rows that the learner plays
            self.seen, reward, terminated, truncated, self.info = self.envs.step(action.numpy())
            self.count_episodes(learners)
            over = torch.as_tensor(terminated | truncated)
            ends_turn = (step + 1) % self.stages == 0
            earned = torch.as_tensor(reward).float()
            steps.append((observation, mask, action, log_prob, value, earned, over, torch.tensor(ends_turn), learned))
        observations, *columns = zip(*steps, strict=True)
        tables = {name: torch.stack([seen[name] for seen in observations]) for name in observations[0]}
        return Rollout(tables, *map(torch.stack, columns))

    def count_episodes(self, learners: Any) -> None:
        """Record the results of games that have just ended, for the rows in `learners`, bool, (rows,)."""
        final = self.info.get("final_info")
        if final is not None:
            rows = np.flatnonzero(final["_place"] & learners)
            self.episodes += zip(*(final[name][rows].tolist() for name in ("won", "flags", "finished")), strict=True)

    def advantages(self, rollout: Rollout) -> Tensor:
        """Return the advantages by GAE, with lambda applied once per turn: float32, (steps, rows)."""
        with torch.no_grad():
            following = self.network.distribution(self.seen, self.info["action_mask"])[1]
        found, advantage = torch.empty_like(rollout.value), torch.zeros_like(following)
        for step in reversed(range(len(found))):
            decay = self.args.gae_lambda if rollout.ends_turn[step] else 1.0
            going = ~rollout.over[step]
            advantage = rollout.reward[step] - rollout.value[step] + going * (following + decay * advantage)
            found[step], following = advantage, rollout.value[step]
        return found

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Update policy and value, and return the figures to log."""
        args, rows = self.args, rollout.learned
        advantage = self.advantages(rollout)[rows]
        observation = {name: table[rows] for name, table in rollout.observation.items()}
        mask, action, before = rollout.mask[rows], rollout.action[rows], rollout.log_prob[rows]
        target = advantage + rollout.value[rows]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        sums: dict[str, float] = {}
        parts = [part for _ in range(args.epochs) for part in torch.split(torch.randperm(len(action)), args.minibatch)]
        for part in parts:
            seen = {name: table[part] for name, table in observation.items()}
            _, log_prob, entropy, value = self.network.action_and_value(seen, mask[part], action[part])
            change = log_prob - before[part]
            ratio, gain = change.exp(), advantage[part]
            policy_loss = -torch.minimum(ratio * gain, ratio.clamp(1 - args.clip, 1 + args.clip) * gain).mean()
            value_loss = (value - target[part]).square().mean()
            loss = policy_loss + args.value * value_loss - args.entropy * entropy.mean()
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.network.parameters(), args.max_grad_norm)
            self.optimizer.step()
            facts = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy.mean()}
            facts |= {"kl": (ratio - 1 - change).mean(), "clipped": ((ratio - 1).abs() > args.clip).float().mean()}
            for name, number in facts.items():
                sums[f"losses/{name}"] = sums.get(f"losses/{name}", 0.0) + float(number.detach()) / len(parts)
        sums["losses/explained"] = float(1 - (target - rollout.value[rows]).var() / target.var())
        return sums

    def train(self) -> None:
        """Alternate between playing and learning until all rows have been played."""
        args = self.args
        while self.update < self.updates:
            left = 1 - self.update / self.updates
            self.optimizer.param_groups[0]["lr"] = args.learning_rate * max(left, 0.05)
            facts = self.learn(self.play())
            self.update += 1
            if self.update % args.snapshot_every == 0:
                self.past.append({name: weight.clone() for name, weight in self.network.state_dict().items()})
                self.meet_past_selves()
            if self.episodes:
                means = np.mean(self.episodes, axis=0)
                facts |= dict(zip(("episodes/won", "episodes/flags", "episodes/finished"), means.tolist(), strict=True))
            facts["rows_per_second"] = self.rows_played / max(time.process_time() - self.began, 1e-9)
            for name, number in facts.items():
                self.log.add_scalar(name, number, self.rows_played)
            self.episodes = []
            if self.update % args.evaluate_every == 0 or self.update == self.updates:
                self.evaluate(args.games * (5 if self.update == self.updates else 1))
                self.save()
            if self.update == args.stop_after:
                return

    def meet_past_selves(self) -> None:
        """Add the past selves to the opponents."""
        self.envs.set_opponents(self.shares([self.player(weights, sample=True) for weights in self.past]))

    def evaluate(self, games: int) -> None:
        """Play duels against greedy with the most probable choices."""
        found = evaluate(self.player(), ["greedy"], course=self.args.course, games=games, seed=1_000_000).players[0]
        for name in ("win", "flags", "finish"):
            self.log.add_scalar(f"greedy/{name}", getattr(found, name).value, self.rows_played)
        spent = f"{self.rows_played:,} rows, {time.process_time() - self.began:.0f} s of a processor"
        result = f"won {found.win.percent}, finished {found.finish.percent}, flags {found.flags.words()}"
        print(f"{spent}: of {games} duels against greedy {result}", flush=True)

    def save(self) -> None:
        """Write the policy, and a checkpoint with everything that is needed to resume."""
        save_policy(self.player().policy, self.args.out / "policy")
        state = {
            "network": self.network.state_dict(), "optimizer": self.optimizer.state_dict(), "update": self.update,
            "past": list(self.past), "random": torch.get_rng_state(), "seconds": time.process_time() - self.began,
            "games": {name: torch.from_numpy(array) for name, array in self.envs.core.get_state().items()},
        }  # fmt: skip
        torch.save(state, self.args.out / "new.pt")
        (self.args.out / "new.pt").replace(self.args.out / CHECKPOINT)

    def restore(self) -> None:
        """Resume from the checkpoint."""
        path = self.args.out / CHECKPOINT
        if not path.is_file():
            raise RoboRallyError(f"--resume: {path}: no such file: expected a checkpoint of an earlier run")
        state = torch.load(path, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.update, self.began = state["update"], time.process_time() - state["seconds"]
        self.past.extend(state["past"])
        if self.past:
            self.meet_past_selves()
        self.envs.core.set_state({name: tensor.numpy() for name, tensor in state["games"].items()})
        core = self.envs.core
        self.seen = core.observe()
        self.info = {"action_mask": core.masks().astype(bool), "active": core.active()}
        torch.set_rng_state(state["random"])


def main(args: Args) -> None:
    """Train, or resume a training run."""
    run = Run(args)
    if args.resume:
        run.restore()
    run.train()
    run.log.close()


if __name__ == "__main__":
    try:
        main(tyro.cli(Args, description=__doc__))
    except RoboRallyError as error:
        raise SystemExit(f"ppo.py: {error}") from None
