"""The sections of a training configuration: every key with its type, its default and its meaning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, field

from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.typed_data import FINITE, among

STOCK = "stock"
PAST = "past"  # the key for past selves in a mix of opponents
MOST_GENERATED = 200
MOST_STEPS = 10**12  # far more than any training reaches

# The `title` of a type describes the expected value in errors and editors.
Count = Annotated[int, Meta(ge=1)]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]
UpTo20 = Annotated[int, Meta(ge=1, le=20)]
Robots = Annotated[int, Meta(ge=1, le=8)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=FINITE)]
Positive = Annotated[float, Meta(gt=0, le=FINITE)]
Course = Annotated[str, Meta(title="the id of a course or a path", min_length=1)]
Player = Annotated[str, Meta(title="the name of a player or the folder of a policy", min_length=1)]
Players = Annotated[tuple[Player, ...], Meta(title="a list of at most 7 players", max_length=7)]
PlayersOrShares = Annotated[Players | dict[Player, Share], Meta(title="a list of players, or their shares by name")]
Seat = Literal["rotate"] | Annotated[int, Meta(title="a seat from 0 to 7", ge=0, le=7)]
Decision = Annotated[str, Meta(title="the name of a decision", min_length=1)]
Decisions = Annotated[tuple[Decision, ...], Meta(title="a list of decisions")]
Reward = Annotated[str | dict[str, Any], Meta(title="a preset, or weights by term")]
Settings = Annotated[dict[str, Any], Meta(title="settings with values")]


def doc(description: str) -> Meta:
    """Return the annotation that describes a key, for the documentation and for editors."""
    return Meta(description=description)


class Interval:
    """An interval between repeated actions, as a number of updates or of minutes."""

    def __init__(self, count: float, unit: str) -> None:
        self.count, self.unit = count, unit

    def __str__(self) -> str:
        return f"{int(self.count) if self.count.is_integer() else self.count} {self.unit}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @classmethod
    def read(cls, value: Any) -> Interval:
        """Read a number of updates, or text such as `5 minutes`. Raises ValueError for anything else."""
        text, unit = value.split() if isinstance(value, str) else (str(value), "updates")
        count = float(text)
        known = unit == "minutes" or (unit == "updates" and count.is_integer())
        if not known or not 0 < count < float("inf"):
            raise ValueError(value)
        return cls(count, unit)


Every = Annotated[Interval, Meta(title="a number of updates, or text such as '20 updates' or '5 minutes'")]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base class of sections: missing keys have their defaults, and unknown keys are errors."""


class GeneratedCourses(Section, frozen=True):
    """Generated courses; the generator itself checks the options other than `generated` and `seed`."""

    generated: Annotated[int, Meta(ge=1, le=MOST_GENERATED), doc("The number of courses")]
    seed: Annotated[int, Meta(ge=0), doc("Seed of the first course; each further course has the next seed")] = 0
    width: Any = UNSET
    height: Any = UNSET
    num_flags: Any = UNSET
    num_starts: Any = UNSET
    density: Any = UNSET
    difficulty: Any = UNSET
    elements: Any = UNSET


Courses = Annotated[
    Course | tuple[Course, ...] | GeneratedCourses,
    Meta(title="the id of a course or a path, a list of them, or a number of generated ones"),
]


class EnvironmentConfig(Section, frozen=True):
    """The arguments of the environment."""

    course: Annotated[
        Courses,
        doc("Id or path of a course, or a list: game i is played on course i modulo their number; or generated ones"),
    ] = "risky_exchange"
    num_games: Annotated[Count, doc("Games played in parallel")] = 64
    num_robots: Annotated[
        Robots | Annotated[tuple[Robots, ...], Meta(title="a list of at least one such number", min_length=1)],
        doc("Robots in each game; from a list, one is drawn for every game and episode"),
    ] = 1
    opponents: Annotated[
        PlayersOrShares,
        doc("Players in seats that do not learn, all other seats are learners; or shares by player"),
    ] = ()
    seat: Annotated[
        Seat, doc("The first learner's seat, or `rotate`: one seat further in each episode")
    ] = "rotate"
    max_cycles: Annotated[Count, doc("Turns after which a game is truncated")] = 100
    observation: Annotated[str, doc("What a seat sees")] = "entities+planes"
    action: Annotated[str, doc("`cards`: a decision per step; others: a whole turn")] = "cards"
    reward: Annotated[Reward, doc("A preset or weights by term")] = "shaped"
    window: Annotated[Count | None, doc("Odd width of the board in view; null: the default")] = None
    decisions: Annotated[
        Decisions | None,
        doc("What is decided besides the cards; null: all that the settings can use except the rare ones"),
    ] = None
    preview: Annotated[bool, doc("`cards` only: later decisions see the robot moved by the cards so far")] = True
    lookahead: Annotated[
        Annotated[str, among(LOOKAHEADS)] | None,
        doc("With an observation with choices: `none`, `paths`, `turns`, `trials` or `trials+value`; null: turns"),
    ] = None
    settings: Annotated[Settings, doc("Settings of the game, by name")] = field(default_factory=dict)


class AlgorithmConfig(Section, frozen=True):
    """The parameters of proximal policy optimisation (PPO)."""

    name: Annotated[
        Literal["maskable_ppo", "ppo"], doc("`ppo` ignores masks; illegal choices are repaired")
    ] = "maskable_ppo"
    turns_per_update: Annotated[Count, doc("Turns per game between updates")] = 32
    batch_size: Annotated[int, Meta(ge=2), doc("Minimum number of rows in a mini-batch")] = 1024
    epochs: Annotated[Count, doc("Passes over the rows of an update")] = 4
    learning_rate: Annotated[float, Meta(gt=0, le=1), doc("Learning rate of Adam at the start")] = 1e-3
    final_learning_rate: Annotated[Share | None, doc("At the end of training; null: the same")] = None
    gamma: Annotated[Share, doc("Discount of a turn, also in the reward's terms `progress` and `lead`")] = 0.98
    gae_lambda: Annotated[Share, doc("Lambda of generalised advantage estimation, per turn")] = 0.95
    clip_range: Annotated[float, Meta(gt=0, le=1000), doc("Clipping range of the probability ratio")] = 0.2
    entropy_coef: Annotated[Weight, doc("Weight of the entropy bonus")] = 0.01
    value_coef: Annotated[Weight, doc("Weight of the value loss")] = 0.5
    max_grad_norm: Annotated[Positive, doc("Gradients are clipped to this norm")] = 0.5
    pull: Annotated[
        Weight,
        doc("Weight in the loss of the KL divergence from the policy of training.start, if there is one"),
    ] = 0.0
    rules_until: Annotated[
        Share, doc("`cards` only: until this share of the training, rules decide power-downs and facings")
    ] = 0.0
    target_kl: Annotated[Positive | None, doc("An update stops beyond 1.5 times this")] = None


class TrainingConfig(Section, frozen=True):
    """The length of the training, its start, checkpoints and resources."""

    start: Annotated[
        Annotated[str, Meta(title="a shipped policy or the folder of one", min_length=1)] | None,
        doc("The policy to start from: a folder, or one that ships, such as `champion`; null: random weights"),
    ] = None
    total_steps: Annotated[
        int, Meta(ge=1, le=MOST_STEPS), doc("Rows to learn from: a row is one step of one seat")
    ] = 1_000_000
    minutes: Annotated[Positive | None, doc("Time limit in minutes, which imitations do not have; null: none")] = None
    seed: Annotated[Seed, doc("Seed of the games, the weights and all other randomness")] = 0
    checkpoint_every: Annotated[Every, doc("`20 updates` or `5 minutes`")] = field(
        default_factory=lambda: Interval(5.0, "minutes")
    )
    keep: Annotated[Count, doc("How many of the latest checkpoints are kept")] = 3
    log_every: Annotated[Count, doc("Updates per line of the learning curve")] = 1
    threads: Annotated[
        int, Meta(ge=1, le=1024), doc("Threads of the network; with more than 1, last digits may differ")
    ] = 1
    second_core: Annotated[bool, doc("A second process plays, one update behind the one that learns")] = False
    device: Annotated[
        Literal["cpu", "cuda", "auto"],
        doc("Where the network computes: `cpu`, `cuda` (a GPU of NVIDIA), or `auto`: a GPU if there is one"),
    ] = "cpu"


class LeagueConfig(Section, frozen=True):
    """The league of past selves, which is used if `environment.opponents` has a share for `past`."""

    snapshot_every: Annotated[Count, doc("Updates between snapshots, which are the past selves")] = 20
    snapshots: Annotated[UpTo20, doc("How many are kept; then the easiest to beat is dropped")] = 20
    at_once: Annotated[UpTo20, doc("How many are drawn after each update, to be met until the next")] = 4
    hardness: Annotated[
        Weight, doc("Exponent of their share of games won, by which they are drawn; 0: evenly")
    ] = 2.0
    games: Annotated[int, Meta(ge=0), doc("Games of a new one against each other player, for ratings; 0: none")] = 20


class EvaluationConfig(Section, frozen=True):
    """Evaluations of the policy in matches against players during the training."""

    every: Annotated[Count | None, doc("Updates between evaluations; null: none")] = None
    opponents: Annotated[
        Players | None,
        doc(
            "Opponents; null: those of training, `random` in place of other learners; "
            "with shares, the named player with the largest"
        ),
    ] = None
    games: Annotated[Count, doc("Games per evaluation")] = 64
    seed: Annotated[Seed, doc("Seed of these games, the same in every evaluation")] = 1_000_000
    keep_best: Annotated[
        bool, doc("Keep in `best/` the policy that won most in an evaluation; the last update is evaluated too")
    ] = False
    exploit_every: Annotated[
        Count | None,
        doc("Duels only: rows between two short best responses to the policy as it is then; null: none"),
    ] = None
    exploit_rows: Annotated[Count, doc("Rows that such a response learns from")] = 200_000
