"""Generate the rules primer: the game in nine steps, each with a moving picture made from a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rr_gym.errors import RoboRallyError
from rr_gym.replay.film import scenario_gif
from rr_gym.scenarios.load import Scenario, load_scenarios

ROOT = Path(__file__).resolve().parents[2]
TESTS = "tests/scenarios"
OWN = "tools/site/primer.yaml"  # for what no scenario of the tests shows in one picture
RULES = "../docs/rules"  # as seen from the page


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the primer.

    Attributes:
        id: The name of the file of its picture, without suffix.
        title: The heading.
        text: What is to be known, in Markdown.
        picture: What the picture shows, in words.
        file: The file of the scenario, relative to the repository.
        scenario: The name of the scenario.
        rules: Links to the text of the rules, in Markdown.
    """

    id: str
    title: str
    text: str
    picture: str
    file: str
    scenario: str
    rules: str


def _rule(name: str, place: str) -> str:
    return f"[{name}]({RULES}/{place})"


STEPS = (
    Step(
        "registers",
        "Nine cards, five registers",
        "Each turn you get nine cards and lay five of them, face down, into registers 1 to 5. Cards drive the robot "
        "forwards (Move 1, 2, 3), one square back, or turn it on its square. Everybody does this at the same time; "
        "then nothing can be changed any more, and the robots carry out register 1, then register 2, and so on: the "
        "five phases of a turn.",
        "One robot carries out Move 1, Rotate right, Move 2, Rotate left and Back up, a card in each phase.",
        f"{TESTS}/turn/registers.yaml",
        "the registers are executed in the order 1 to 5",
        f"{_rule('dealing and programming', 'cards.md#a5-dealing-and-programming')}, "
        f"{_rule('the deck', 'cards.md#a1-the-program-deck')}",
    ),
    Step(
        "priority",
        "The highest number goes first",
        "Every card has a number of its own, its priority. Within a phase the card with the highest number is "
        "carried out first, whoever played it. Fast cards are long moves; turns are slow. So you know what you will "
        "do, but not whether somebody is in your way, or has pushed you elsewhere, when your turn comes.",
        "The robot on the right holds the higher card: it drives away before the other one takes its square.",
        f"{TESTS}/turn/priority.yaml",
        "the card with the higher priority is executed first",
        _rule("the turn sequence", "turn.md#r-a4-the-turn-sequence"),
    ),
    Step(
        "phase",
        "What happens in a phase",
        "Each phase has five segments: the robots move, then the factory acts, always in this order:\n\n"
        "| segment | what happens |\n|---|---|\n"
        "| A | the cards of this register are revealed |\n"
        "| B | robots move, the highest card first |\n"
        "| C | the board moves: express belts, all belts, pushers, gears, crushers |\n"
        "| D | lasers fire, those of the board and those of the robots |\n"
        "| E | robots touch flags |\n\n"
        "After five phases robots on wrenches and flags are repaired, and destroyed ones return.",
        "In one phase a robot drives onto a belt, is carried under a pusher, pushed onto a gear, turned, shot, and "
        "touches its flag.",
        OWN,
        "in one phase a card, a belt, a pusher, a gear, a laser and a flag act in this order",
        _rule("the timing table", "turn.md#r-t-the-timing-table"),
    ),
    Step(
        "pushing",
        "Robots push each other",
        "Who drives into another robot pushes it along, and all that stand behind it too. Pushed robots keep the "
        "direction that they face, and carry out their own cards later, from wherever they are then. A push does no "
        "damage, but it can end on a belt, in a laser or in a pit.",
        "One robot drives two squares and pushes three others before it.",
        f"{TESTS}/pushing/chains.yaml",
        "chains of any length move together",
        _rule("movement and pushing", "movement.md#r-a8-movement-and-pushing"),
    ),
    Step(
        "belts",
        "Belts carry",
        "After all cards of a phase, belts carry the robots on them: express belts (two arrows) two squares, others "
        "one. Belts never push: where another robot stays in the way, the rider stays too. Whom a belt carries onto "
        "a curve is turned with it; whoever walks onto the curve is not.",
        "An express belt carries a robot onto the curve of a normal belt, which turns it and carries it on.",
        f"{TESTS}/belts/express.yaml",
        "an express belt hands a robot to a curved normal belt, which turns it and carries it on",
        f"{_rule('conveyor belts', 'elements.md#7-conveyor-belt')}, "
        f"{_rule('express belts', 'elements.md#8-express-conveyor-belt')}",
    ),
    Step(
        "walls",
        "Walls stop, pits destroy",
        "A wall stops robots and lasers, without damage; the rest of the move is lost. A pit destroys every robot "
        "that enters it, even in the middle of a long move, and so does the open edge of the board.",
        "Two robots play Move 3: a wall stops one of them, the other one falls into a pit.",
        OWN,
        "a wall stops one robot and a pit destroys the other",
        f"{_rule('walls', 'elements.md#4-wall')}, {_rule('pits', 'elements.md#2-pit')}",
    ),
    Step(
        "damage",
        "Lasers, damage and locked registers",
        "At the end of each phase every robot fires straight ahead, and so do the lasers on walls. A hit is one "
        "point of damage, and each point costs you a card of the next hand. From the fifth point on, registers "
        "lock, the last one first: a locked register keeps its card and plays it again every turn until it is "
        "repaired. The tenth point destroys the robot.",
        "A laser hits a robot with four points of damage: register 5 locks, and its Rotate left is played in the "
        "next turn as well.",
        f"{TESTS}/damage/locking.yaml",
        "a locked register keeps its card and repeats it in the next turn",
        f"{_rule('lasers', 'elements.md#r-a11-lasers')}, "
        f"{_rule('damage and locking', 'damage-and-power.md#a6-damage-locking-unlocking')}",
    ),
    Step(
        "flags",
        "Flags, the archive and three lives",
        "Touch the flags in order: stand on your next one at the end of a phase. Whoever touches the last flag "
        "first wins. Flags and wrenches are also where your archive is: a destroyed robot loses one of its three "
        "lives and returns at the end of the turn where its archive was last, with two points of damage.",
        "A robot touches flag 1, falls into a pit two squares further, and returns on the flag.",
        OWN,
        "a robot touches a flag, falls into a pit and comes back on the flag",
        f"{_rule('touching flags', 'flags-and-winning.md#a12-touching')}, "
        f"{_rule('destruction and re-entry', 'death-and-reentry.md#a13-destruction-and-re-entry')}",
    ),
    Step(
        "power_down",
        "Powering down",
        "With your program you may announce that the robot powers down for the whole next turn. It then loses all "
        "damage and all locks at once, but it gets no cards, does not fire, and everything still pushes, carries "
        "and hits it.",
        "A robot with three points of damage announces a power-down, is repaired, rests for a turn and drives on.",
        f"{TESTS}/power_down/announcing.yaml",
        "a robot is down for one turn",
        _rule("powering down", "damage-and-power.md#a7-powering-down"),
    ),
)

INTRO = """# RoboRally in two minutes

Robots race across a factory floor from flag to flag. You do not steer them: you program five moves ahead, all robots
run their programs at once, and belts, walls, lasers and other robots see to it that plans go wrong. These are the rules
of the base game in nine steps; what each picture shows is said below it.
"""
OUTRO = """## Now play

```sh
pip install "rr-gym[web]"
rr-gym play --web
```

* [Play](../docs/play.md) in a browser or in the terminal; *Hint* and the preview of your program help at first.
* [Watch a race](replays.md) of strong players.
* See what all [board elements](elements/index.md) and [option cards](options/index.md) do, in pictures.
* Read [the whole rules](../docs/rules/README.md).
"""


def scenario_of(step: Step) -> Scenario:
    """Return the scenario that a step shows.

    Raises:
        RoboRallyError: The file of the step has no scenario of this name.
    """
    for scenario in load_scenarios(ROOT / step.file):
        if scenario.name == step.scenario:
            return scenario
    raise RoboRallyError(f"{step.file}: no scenario '{step.scenario}', which the step '{step.id}' of the primer shows")


def text() -> str:
    """Return the page, with contents whose entries lead to its steps."""
    contents = [f"{number}. [{step.title}](#{step.id})" for number, step in enumerate(STEPS, start=1)]
    parts = [INTRO, "\n".join(contents), ""]
    for number, step in enumerate(STEPS, start=1):
        parts += [
            f"({step.id})=", f"## {number}. {step.title}", "", step.text, "",
            f"![{step.picture}](primer/{step.id}.gif)", "", f"*{step.picture}*", "", f"The rules: {step.rules}.", "",
        ]  # fmt: skip
    return "\n".join([*parts, OUTRO])


def files() -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and contents of the page and its pictures."""
    yield "primer.md", text()
    for step in STEPS:
        yield f"primer/{step.id}.gif", scenario_gif(scenario_of(step))
