"""The sections of configurations of trainings: every key with its default, its check and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.envs.shares import SELF, check_shares
from rr_gym.errors import did_you_mean, shown

from .checks import (
    Check,
    ConfigError,
    either,
    list_of,
    mapping,
    number,
    optional,
    text,
    whole,
    word,
    wrong,
    yes_or_no,
)

STOCK = "stock"
PAST = "past"  # in a mix of opponents: past selves

GENERATED = "generated"  # of courses: how many
MOST_GENERATED = 200
MOST_STEPS = 10**12  # years of training
GENERATOR = ("seed", "width", "height", "num_flags", "num_starts", "density", "difficulty", "elements")

_NAME = text("the name of a player or the folder of a policy")
_NAMES = list_of(_NAME, "a list of players", most=7)
_SHARE = number(0, 1)


def _opponents(where: str, value: Any) -> Any:
    """Check opponents: a list of players, or a mapping from players to shares."""
    if not isinstance(value, Mapping):
        names = list_of(_NAME, "a list of players, or their shares by name", most=7)(where, value)
        for name in names:
            if name in (SELF, PAST):
                raise wrong(where, name, f"shares with it, such as {{{name}: 1}}")
        return names
    shares = {_NAME(where, name): _SHARE(f"{where}.{name}", share) for name, share in value.items()}
    return check_shares(where, shares, ConfigError)


def _robots(where: str, value: Any) -> Any:
    """Check a number of robots, or a list of the numbers that games draw from."""
    check = whole(1, 8)
    if not isinstance(value, list | tuple):
        return check(where, value)
    if not value:
        raise wrong(where, value, "at least one number")
    return list_of(check, "a list of numbers")(where, value)


@dataclass(frozen=True, slots=True)
class Interval:
    """How often something is done: once in a number of updates or of minutes."""

    count: float
    unit: str

    def __str__(self) -> str:
        whole = self.count == int(self.count)
        return f"{int(self.count) if whole else self.count} {self.unit}"


def _interval(where: str, value: Any) -> Interval:
    """Read an `Interval` from a number of updates or from text such as `5 minutes`."""
    expected = "a number of updates, or text such as '20 updates' or '5 minutes'"
    words = value.split() if isinstance(value, str) else [value, "updates"]
    if len(words) != 2 or words[1] not in ("updates", "minutes"):
        raise wrong(where, value, expected)
    try:
        count = float(words[0])
    except (TypeError, ValueError, OverflowError):
        raise wrong(where, value, expected) from None
    if isinstance(value, bool) or not 0 < count < float("inf") or (words[1] == "updates" and count != int(count)):
        raise wrong(where, value, expected)
    return Interval(count, words[1])


def option(default: Any, check: Check, doc: str) -> Any:
    """Declare a key of a section by its default, its check and its description in the documentation."""
    factory: dict[str, Any] = {"default_factory": dict} if default == {} else {"default": default}
    return field(metadata={"check": check, "doc": doc}, **factory)


_course = text("the id of a course or a path")
_courses = list_of(_course, "a list of courses")


def _played_on(where: str, value: Any) -> Any:
    """Check a course, a list of courses, or a mapping with the number and the options of generated courses.

    The generator itself checks the values of its options.
    """
    if isinstance(value, Mapping):
        for key in value:
            if key not in (GENERATED, *GENERATOR):
                hint = did_you_mean(key, (GENERATED, *GENERATOR)) or f"expected {GENERATED}, {', '.join(GENERATOR)}"
                raise ConfigError(f"{where}: unknown key {shown(key)}: {hint}")
        whole(1, MOST_GENERATED)(f"{where}.{GENERATED}", value.get(GENERATED))
        whole(0)(f"{where}.seed", value.get("seed", 0))
        return dict(value)
    expected = "the id of a course or a path, a list of them, or a number of generated ones"
    return either(expected, _course, _courses)(where, value)


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """What is played: the arguments of the environment."""

    course: str | tuple[str, ...] | Mapping[str, Any] = option(
        "risky_exchange",
        _played_on,
        "Id or path of a course, or a list: game i is played on course i modulo their number; or generated ones",
    )
    num_games: int = option(64, whole(1), "Games played in parallel")
    num_robots: int | tuple[int, ...] = option(
        1, _robots, "Robots in each game; of a list one is drawn for every game and episode"
    )
    opponents: tuple[str, ...] | Mapping[str, float] = option(
        (), _opponents, "Players in seats that do not learn, all other seats are learners; or shares by player"
    )
    seat: int | str = option(
        "rotate",
        either("rotate, or a seat from 0 to 7", word("rotate"), whole(0, 7)),
        "The first learner's seat, or `rotate`: one seat further in each episode",
    )
    max_cycles: int = option(100, whole(1), "Turns after which a game is truncated")
    observation: str = option("entities+planes", text("the name of an observation"), "What a seat sees")
    action: str = option("cards", text("cards, draw or slots"), "`cards`: a decision per step; others: a whole turn")
    reward: str | Mapping[str, Any] = option(
        "shaped",
        either("a preset, or weights by term", text("a preset"), mapping("weights by term")),
        "A preset or weights by term",
    )
    window: int | None = option(None, optional(whole(1)), "Odd width of the board in view; null: the default")
    decisions: tuple[str, ...] | None = option(
        None,
        optional(list_of(text("the name of a decision"), "a list of decisions")),
        "What is decided besides the cards; null: all that the settings can use except the rare ones",
    )
    preview: bool = option(True, yes_or_no, "`cards` only: later decisions see the robot moved by the cards so far")
    lookahead: str | None = option(
        None,
        optional(word(*LOOKAHEADS)),
        "With an observation with choices: `none`, `paths`, `turns` or `trials`; null: turns",
    )
    settings: Mapping[str, Any] = option({}, mapping("settings with values"), "Settings of the game, by name")


@dataclass(frozen=True, slots=True)
class AlgorithmConfig:
    """How it learns: proximal policy optimisation (PPO)."""

    name: str = option(
        "maskable_ppo", word("maskable_ppo", "ppo"), "`ppo` ignores masks; illegal choices are repaired"
    )
    turns_per_update: int = option(32, whole(1), "Turns per game between updates")
    batch_size: int = option(1024, whole(2), "Minimum number of rows in a mini-batch")
    epochs: int = option(4, whole(1), "Passes over the rows of an update")
    learning_rate: float = option(1e-3, number(0, 1, above=True), "Learning rate of Adam at the start")
    final_learning_rate: float | None = option(None, optional(number(0, 1)), "At the end of training; null: the same")
    gamma: float = option(0.98, number(0, 1), "Discount of a turn, also in the reward's terms `progress` and `lead`")
    gae_lambda: float = option(0.95, number(0, 1), "Lambda of generalised advantage estimation, per turn")
    clip_range: float = option(0.2, number(0, 1000, above=True), "Clipping range of the probability ratio")
    entropy_coef: float = option(0.01, number(0), "Weight of the entropy bonus")
    value_coef: float = option(0.5, number(0), "Weight of the value loss")
    max_grad_norm: float = option(0.5, number(0, above=True), "Gradients are clipped to this norm")
    pull: float = option(
        0.0,
        number(0),
        "Weight of the divergence (KL) from the policy of training.start in the loss, where it starts from one",
    )
    rules_until: float = option(
        0.0, number(0, 1), "`cards` only: until this share of the training, rules decide power-downs and facings"
    )
    target_kl: float | None = option(None, optional(number(0, above=True)), "An update stops beyond 1.5 times this")


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How long it trains, and what is kept."""

    start: str | None = option(
        None,
        optional(text("a shipped policy or the folder of one")),
        "The policy to start from: a folder, or one that ships, such as `champion`; null: random weights",
    )
    total_steps: int = option(1_000_000, whole(1, MOST_STEPS), "Rows to learn from: a row is one step of one learner")
    minutes: float | None = option(
        None, optional(number(0, above=True)), "Time limit in minutes; null: none; not of imitations"
    )
    seed: int = option(0, whole(0, 2**32 - 1), "Seed of the games, the weights and all other randomness")
    checkpoint_every: Interval = field(
        default=Interval(5, "minutes"), metadata={"check": _interval, "doc": "`20 updates` or `5 minutes`"}
    )
    keep: int = option(3, whole(1), "How many of the latest checkpoints are kept")
    log_every: int = option(1, whole(1), "Updates per line of the learning curve")
    threads: int = option(1, whole(1, 1024), "Threads of the network; with more than 1, last digits may differ")
    second_core: bool = option(False, yes_or_no, "A second process plays, one update behind the one that learns")


@dataclass(frozen=True, slots=True)
class LeagueConfig:
    """Past selves, where `environment.opponents` has a share for `past`."""

    snapshot_every: int = option(20, whole(1), "Updates between snapshots, which are the past selves")
    snapshots: int = option(20, whole(1, 20), "How many are kept; then the easiest to beat is dropped")
    at_once: int = option(4, whole(1, 20), "How many are drawn after each update, to be met until the next")
    hardness: float = option(2.0, number(0), "Exponent of their share of games won, by which they are drawn; 0: evenly")
    games: int = option(20, whole(0), "Games of a new one against each other player, for ratings; 0: none")


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """Matches of the policy against players while it learns."""

    every: int | None = option(None, optional(whole(1)), "Updates between evaluations; null: none")
    opponents: tuple[str, ...] | None = option(
        None, optional(_NAMES), "Opponents; null: those of training, and `random` in place of other learners"
    )
    games: int = option(64, whole(1), "Games per evaluation")
    seed: int = option(1_000_000, whole(0, 2**32 - 1), "Seed of these games, the same in every evaluation")
