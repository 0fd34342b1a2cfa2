"""Proximal policy optimisation for duels on JAX, in one file: games, network and learning in one compiled program.

    python examples/jax_ppo.py                       # some minutes on one core
    python examples/jax_ppo.py --rows 500_000 --seed 2

Half of the rows are self-play, in which both robots of a game learn, and half are games against `racer`. A row is one
decision of one robot; the reward comes with the last decision of a turn. Needs the extra `jax`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import tyro

import rr_gym.jax
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.policies import FunctionPlayer

SEEN: dict[str, Any] = {"observation": "choices", "observation_dtype": "scaled", "lookahead": "turns", "preview": True}
Tree = Any  # a tree of arrays


@dataclass(frozen=True)
class Args:
    """The arguments of the command line."""

    seed: int = 1
    """seed of games, weights and samples"""
    rows: int = 2_000_000
    """decisions of all robots that learn"""
    course: str = "risky_exchange"
    self_play: int = 128
    """games in which both robots learn"""
    against_racer: int = 256
    """games against racer"""
    turns: int = 8
    """turns of every game between updates"""
    epochs: int = 2
    """passes over the rows of an update"""
    minibatches: int = 16
    """mini-batches of an epoch"""
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


class Rows(NamedTuple):
    """The transitions of a rollout; arrays have the shape (steps, rows, ...)."""

    observation: Tree
    mask: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    done: Any
    turn_over: Any
    learned: Any  # float32: 1 where the row had more than one legal choice


class Figures(NamedTuple):
    """What has come of the games that ended in a rollout, and the mean losses of an update."""

    episodes: Any
    won: Any
    flags: Any
    policy_loss: Any
    value_loss: Any
    entropy: Any


def linear(key: Any, size: int, out: int, gain: float = 2**0.5) -> Tree:
    """Return the weights of a layer."""
    return {"w": jax.nn.initializers.orthogonal(gain)(key, (size, out)), "b": jnp.zeros(out)}


def layer(weights: Tree, numbers: Any) -> Any:
    """Return what a layer makes of numbers, before its activation."""
    return numbers @ weights["w"] + weights["b"]


def flat(observation: Tree) -> Any:
    """Return all of an observation that is not about single choices, (rows, numbers)."""
    tables = [observation[name] for name in ("game", "robots", "prospects")]
    return jnp.concatenate([table.reshape(len(table), -1) for table in tables], axis=1)


def new_network(key: Any, observation: Tree, width: int = 64) -> Tree:
    """Return the weights of a network that scores choices by where they lead."""
    keys = jax.random.split(key, 6)
    return {
        "situation": linear(keys[0], flat(observation).shape[1], width),
        "deeper": linear(keys[1], width, width),
        "choice": linear(keys[2], observation["choices"].shape[-1], width),
        "together": linear(keys[3], 2 * width, width),
        "score": linear(keys[4], width, 1, 0.01),
        "value": linear(keys[5], 2 * width, 1, 1.0),
    }


def network(weights: Tree, observation: Tree, mask: Any) -> tuple[Any, Any]:
    """Return the log-probabilities of choices, (rows, choices), and the values, (rows,)."""
    situation = jax.nn.relu(layer(weights["situation"], flat(observation)))
    situation = jax.nn.relu(layer(weights["deeper"], situation))
    choices = jax.nn.relu(layer(weights["choice"], observation["choices"]))
    beside = jnp.broadcast_to(situation[:, None], choices.shape)
    joint = jax.nn.relu(layer(weights["together"], jnp.concatenate([choices, beside], axis=-1)))
    scores = layer(weights["score"], joint)[..., 0]
    best = jnp.where(mask[..., None], joint, 0).max(axis=1)
    values = layer(weights["value"], jnp.concatenate([situation, best], axis=-1))[:, 0]
    return jax.nn.log_softmax(jnp.where(mask, scores, -1e9)), values


def by_rows(parts: list[Any]) -> Any:
    """Return trees with axes games and learners as one tree with an axis of rows."""
    return jax.tree.map(lambda *arrays: jnp.concatenate([a.reshape(-1, *a.shape[2:]) for a in arrays]), *parts)


def per_learner(time_step: Any) -> Any:
    """Return an array of each game, repeated for its learners."""
    return lambda array: jnp.broadcast_to(array[:, None], time_step.reward.shape)


class Learner:
    """Plays and learns.

    Args:
        args: The arguments of the command line.
    """

    def __init__(self, args: Args) -> None:
        self.args = args
        make = partial(
            rr_gym.jax.make, args.course, num_robots=2, reward={"place": 1.0, "lead": 1.0}, gamma=1.0, max_cycles=40,
            **SEEN,
        )  # fmt: skip
        self.envs = [(make(), args.self_play), (make(opponents="racer"), args.against_racer)]
        self.steps = args.turns * self.envs[0][0].steps_of_turn
        self.rows = self.steps * (2 * args.self_play + args.against_racer)
        self.updates = max(1, args.rows // self.rows)
        count = self.updates * args.epochs * args.minibatches
        rate = optax.linear_schedule(args.learning_rate, args.learning_rate / 20, count)
        self.optimizer = optax.chain(optax.clip_by_global_norm(args.max_grad_norm), optax.adam(rate, eps=1e-5))
        self.update = jax.jit(self._update, donate_argnums=0)

    def begin(self, key: Any) -> Tree:
        """Return the state of training: weights, optimizer, games and what their learners see."""
        games = [
            jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.fold_in(key, k), count))
            for k, (env, count) in enumerate(self.envs)
        ]
        weights = new_network(key, by_rows([seen.observation for _, seen in games]))
        return {"weights": weights, "optimizer": self.optimizer.init(weights), "games": games, "key": key}

    def _update(self, state: Tree) -> tuple[Tree, Figures]:
        """Return the state after a rollout and an update, with figures."""
        key, play, learn = jax.random.split(state["key"], 3)
        weights, step = state["weights"], partial(self._step, state["weights"])
        games, (rows, ended) = jax.lax.scan(step, state["games"], jax.random.split(play, self.steps))
        seen = [time_step for _, time_step in games]
        following = network(weights, by_rows([t.observation for t in seen]), by_rows([t.action_mask for t in seen]))[1]
        advantages = self._advantages(rows, following)
        (weights, optimizer), losses = self._learn(weights, state["optimizer"], rows, advantages, learn)
        episodes, won, flags = (part.sum() for part in ended)
        figures = Figures(episodes, won / episodes, flags / episodes, *losses)
        return {"weights": weights, "optimizer": optimizer, "games": games, "key": key}, figures

    def _step(self, weights: Tree, games: Any, key: Any) -> tuple[Any, tuple[Rows, Any]]:
        """Take a step in all games."""
        observation = by_rows([seen.observation for _, seen in games])
        mask = by_rows([seen.action_mask for _, seen in games])
        active = by_rows([seen.active for _, seen in games])
        log_probs, value = network(weights, observation, mask)
        action = jax.random.categorical(key, log_probs)
        after, first = [], 0
        for (env, count), (state, _) in zip(self.envs, games, strict=True):
            size = count * env.num_learners
            after.append(jax.vmap(env.step)(state, action[first : first + size].reshape(count, -1)))
            first += size
        seen = [t for _, t in after]
        rows = Rows(
            observation, mask, action, jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0], value,
            by_rows([t.reward for t in seen]),
            by_rows([per_learner(t)(t.done) for t in seen]),
            by_rows([per_learner(t)(t.turn_over) for t in seen]),
            (active & (mask.sum(1) > 1)).astype(jnp.float32),
        )  # fmt: skip
        won = by_rows([(t.place == 1) & per_learner(t)(t.terminated) for t in seen])
        return after, (rows, (rows.done, won, rows.done * by_rows([t.flags for t in seen])))

    def _advantages(self, rows: Rows, following: Any) -> Any:
        """Return the advantages by GAE, with lambda applied once per turn: float32, (steps, rows)."""

        def back(carry: tuple[Any, Any], row: Rows) -> tuple[tuple[Any, Any], Any]:
            advantage, following = carry
            decay = jnp.where(row.turn_over, self.args.gae_lambda, 1.0)
            advantage = row.reward - row.value + ~row.done * (following + decay * advantage)
            return (advantage, row.value), advantage

        return jax.lax.scan(back, (jnp.zeros_like(following), following), rows, reverse=True)[1]

    def _learn(self, weights: Tree, optimizer: Tree, rows: Rows, advantages: Any, key: Any) -> Any:
        """Return weights and optimizer after the epochs of an update, with the mean losses."""
        args = self.args
        columns = rows, advantages, advantages + rows.value
        batch = jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:]), columns)

        def minibatch(carry: Any, at: Any) -> Any:
            weights, optimizer = carry
            part = jax.tree.map(lambda array: array[at], batch)
            gradients, losses = jax.grad(partial(loss, args), has_aux=True)(weights, *part)
            changes, optimizer = self.optimizer.update(gradients, optimizer, weights)
            return (optax.apply_updates(weights, changes), optimizer), losses

        def epoch(carry: Any, key: Any) -> Any:
            return jax.lax.scan(minibatch, carry, jax.random.permutation(key, self.rows).reshape(args.minibatches, -1))

        carry, losses = jax.lax.scan(epoch, (weights, optimizer), jax.random.split(key, args.epochs))
        return carry, [one.mean() for one in losses]


def loss(args: Args, weights: Tree, rows: Rows, advantage: Any, target: Any) -> tuple[Any, Any]:
    """Return the loss of PPO on a mini-batch, and its parts: of the policy, of the value, and the entropy."""
    log_probs, value = network(weights, rows.observation, rows.mask)
    count = rows.learned.sum() + 1e-8

    def mean(numbers: Any) -> Any:
        return (numbers * rows.learned).sum() / count

    gain = advantage - mean(advantage)
    gain /= jnp.sqrt(mean(gain**2)) + 1e-8
    ratio = jnp.exp(jnp.take_along_axis(log_probs, rows.action[:, None], 1)[:, 0] - rows.log_prob)
    policy_loss = -mean(jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - args.clip, 1 + args.clip) * gain))
    value_loss = mean((value - target) ** 2)
    entropy = -mean((jnp.exp(log_probs) * jnp.where(rows.mask, log_probs, 0)).sum(1))
    return policy_loss + args.value * value_loss - args.entropy * entropy, (policy_loss, value_loss, entropy)


best = jax.jit(lambda weights, observation, mask: network(weights, observation, mask)[0].argmax(1))


def player(weights: Tree) -> FunctionPlayer:
    """Return a player of this package that makes the network's most probable choices."""

    def choose(observation: Tree, mask: Any) -> Any:
        size = max(256, 1 << (len(mask) - 1).bit_length())  # few sizes, since each is compiled
        padded = jax.tree.map(lambda a: np.resize(a, (size, *a.shape[1:])), (dict(observation), mask > 0))
        return np.asarray(best(weights, *padded))[: len(mask)]

    return FunctionPlayer(choose, **SEEN, name="jax_ppo")


def main(args: Args) -> None:
    """Train, and play duels against greedy now and then."""
    learner, seconds = Learner(args), 0.0
    state = learner.begin(jax.random.key(args.seed))
    for update in range(1, learner.updates + 1):
        began = time.process_time()
        state, figures = jax.block_until_ready(learner.update(state))
        seconds += time.process_time() - began
        last = update == learner.updates
        if last or update % args.evaluate_every == 0:
            spent = f"{update * learner.rows:,} rows, learned in {seconds:.0f} s of a processor"
            names = zip(Figures._fields, figures, strict=True)
            print(f"{spent}: " + ", ".join(f"{name} {float(number):.3f}" for name, number in names), flush=True)
            games = args.games * (5 if last else 1)
            found = evaluate(
                player(state["weights"]), ["greedy"], course=args.course, games=games, seed=1_000_000
            ).players[0]
            result = f"won {found.win.percent}, finished {found.finish.percent}, flags {found.flags.words()}"
            print(f"  of {games} duels against greedy {result}", flush=True)


if __name__ == "__main__":
    try:
        main(tyro.cli(Args, description=__doc__))
    except RoboRallyError as error:
        raise SystemExit(f"jax_ppo.py: {error}") from None
