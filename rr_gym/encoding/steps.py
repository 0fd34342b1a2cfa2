"""A turn in several decisions: one component of a `draw` action after the other (docs/actions.md).

Between two decisions a seat is shown a game in which the cards it has chosen lie in their registers and are gone from
its hand. With the previewed pose its robot also stands where those cards would bring it if it were alone on the floor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.actions import ActionLayout, write_mask
from rr_gym.jit import expansion, kernel, run
from rr_gym.rules.arena import Arena
from rr_gym.rules.constants import CHOP_NONE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.records import GAME, GameRecord, LogRecord, RobotRecord, TableRecord, new_log
from rr_gym.rules.sleep import keeps_program
from rr_gym.rules.turn import register_phase

Array = np.ndarray[Any, Any]

# What a decision is about: a register, the facing, or an order that is not previewed
FACING_DECISION = NUM_REGISTERS
LATER_DECISION = NUM_REGISTERS + 1


@kernel
def show_game(games: Array, g: int, table: TableRecord, seat: int, seen: Array, row: int) -> None:
    """What a seat is shown before its first decision: the game itself, its open registers empty."""
    seen[row] = games[g]
    robot = seen[row].robots[seat]
    if robot.down or keeps_program(seen[row], table, seat):
        return
    for r in range(NUM_REGISTERS):
        if not robot.locked >> r & 1:
            robot.registers[r] = 0


@kernel
def begin_turns(
    games: Array,
    tables: Array,
    code: Array,
    seats: Array,
    mask: Array,
    stages: Array,
    actions: Array,
    masks: Array,
    seen: Array,
    at: Array,
) -> None:
    """Begin the turns of the games of a mask; `at` are the seats of the rows of `seen`."""
    for g in range(games.shape[0]):
        if mask[g]:
            stages[g] = 0
            for k in range(seats.shape[1]):
                row = g * seats.shape[1] + k
                at[row, 0] = seats[g, k]
                actions[g, k] = 0
                table = tables[games[g].course]
                write_mask(games[g], table, seats[g, k], code, masks[g, k])
                show_game(games, g, table, seats[g, k], seen, row)


@kernel
def take_card(robot: RobotRecord, register: int, choice: int) -> None:
    """A card of the hand goes into a register; the rest of the hand closes up."""
    robot.registers[register] = robot.hand[choice]
    for slot in range(choice, HAND_SLOTS - 1):
        robot.hand[slot] = robot.hand[slot + 1]
    robot.hand[HAND_SLOTS - 1] = 0


@expansion(None)
def without_chance(lone: GameRecord, table: TableRecord) -> None:
    """Nothing is drawn and no turret gun acts: no card that the player cannot know shows. Nor do other decisions."""
    lone.deck_left = 0
    lone.discards_left = 0
    lone.option_deck_left = 0
    lone.option_discards_left = 0
    lone.turret_cards[:] = 0
    robot = lone.robots[0]
    robot.chop = CHOP_NONE
    robot.waste = 0
    robot.reset_card = 0


@expansion(None)
def keep_board(shown: GameRecord, table: TableRecord, lone: GameRecord) -> None:
    """What the robot has done to the board by itself stays for the phases after it."""
    shown.step = lone.step
    shown.flip = lone.flip
    shown.flip_pending = lone.flip_pending
    shown.barrier_broken = lone.barrier_broken
    shown.piston_up = lone.piston_up
    for k in range(shown.crumbled.size):
        shown.crumbled[k] = lone.crumbled[k]


@kernel
def preview_phase(shown: GameRecord, table: TableRecord, seat: int, scratch: Array, log: LogRecord) -> None:
    """Play the phase `shown.phase` with the seat's robot alone on the floor, and let it stand where that brings it."""
    lone = scratch[0]
    lone.num_robots = 1
    lone.num_destroyed = 0
    lone.over = 0
    lone.winners = 0
    lone.key = 0  # what chance will bring must not show
    lone.robots[0] = shown.robots[seat]
    without_chance(lone, table)
    register_phase(lone, table, log)
    keep_board(shown, table, lone)
    # The rest of the turn is programmed with the cards and registers that are really there.
    before, after = shown.robots[seat], lone.robots[0]
    after.virtual = before.virtual
    after.locked = before.locked
    for r in range(NUM_REGISTERS):
        after.registers[r] = before.registers[r]
    for slot in range(HAND_SLOTS):
        after.hand[slot] = before.hand[slot]
    shown.robots[seat] = lone.robots[0]


@kernel
def make_choices(
    seen: Array,
    at: Array,
    tables: Array,
    masks: Array,
    order: Array,
    kinds: Array,
    choices: Array,
    playing: Array,
    preview: bool,
    scratch: Array,
    log: LogRecord,
    stages: Array,
    actions: Array,
) -> None:
    """One decision of every row in the games that are playing.

    Args:
        seen: (rows,), dtype `GAME`: what the rows are shown; changed.
        at: (rows, 1), int8: their seats.
        tables: Tables of the arena.
        masks: (games, seats, components, choices), int8: of the whole turn.
        order: Components in the order of their decisions.
        kinds: What the decisions are about.
        choices: (games, seats), any whole numbers. One that is not legal has the effect of 0 here.
        playing: (games,), bool.
        preview: Whether to preview the pose.
        scratch: (1,), dtype `GAME`.
        log: One that is off.
        stages: (games,): decisions made in this turn; counted up.
        actions: (games, seats, components): written.
    """
    for g in range(stages.shape[0]):
        if not playing[g]:
            continue
        stage = stages[g]
        stages[g] = stage + 1
        for k in range(choices.shape[1]):
            row = g * choices.shape[1] + k
            shown = seen[row]
            robot = shown.robots[at[row, 0]]
            choice = choices[g, k]
            actions[g, k, order[stage]] = choice
            if choice < 0 or choice >= masks.shape[3] or not masks[g, k, order[stage], choice]:
                choice = 0
            kind = kinds[stage]
            if kind == FACING_DECISION:
                robot.facing = (robot.facing + choice) & 3
                robot.may_face = 0
            if kind >= NUM_REGISTERS or shown.over or (not robot.alive and shown.phase == 0):
                continue
            shown.phase = kind + 1
            # Who sleeps over its old program has no hand.
            if not robot.locked >> kind & 1 and not robot.down and robot.hand[0] > 0:
                take_card(robot, kind, choice)
            if preview and robot.alive and robot.flag < tables[shown.course].course.num_flags:
                scratch[0] = shown
                preview_phase(shown, tables[shown.course], at[row, 0], scratch, log)


class TurnSteps:
    """The decisions of given seats in the current turns of a batch.

    Args:
        arena: Where the games are played.
        layout: Of the mode `draw`.
        preview: Whether seats are shown the previewed pose.

    Attributes:
        count: Decisions per turn: the facing where it is one of the components, the registers, all others.
        games: (n * k,), dtype `GAME`: what each row, game by game and seat by seat, is shown; only `seats` of it.
        seats: (n * k, 1), int8.
        stages: (n,), int64: how many decisions of its turn each game has behind it.
        actions: (n, k, components), int64: the decisions so far as actions of the mode `draw`.
    """

    def __init__(self, arena: Arena, layout: ActionLayout, preview: bool) -> None:
        self.arena = arena
        self.layout = layout
        self._code = layout.code
        self.preview = preview
        # The facing first: everything after it depends on it.
        names = sorted(layout.components, key=lambda name: name != "facing")
        self.order = np.array([layout.components.index(name) for name in names])
        registers = {f"register_{r + 1}": r for r in range(NUM_REGISTERS)} | {"facing": FACING_DECISION}
        self._kinds = np.array([registers.get(name, LATER_DECISION) for name in names])
        self.count = len(names)
        self._scratch = np.zeros(1, GAME)
        self._log = new_log(on=False)[0]
        self._shape = (-1, -1)

    def begin(self, games: Array, seats: Array, mask: Array | None = None) -> None:
        """Begin a turn.

        Args:
            games: (n,), dtype `GAME`; not changed.
            seats: (n, k), int8.
            mask: (n,), bool: only in these games; None for all.
        """
        n, k = seats.shape
        if self._shape != seats.shape:
            self._shape = (n, k)
            self.games = np.zeros(n * k, GAME)
            self.seats = np.zeros((n * k, 1), np.int8)
            self.stages = np.zeros(n, np.int64)
            self.actions = np.zeros((n, k, len(self.layout.components)), np.int64)
            self._masks = np.zeros((n, k, *self.layout.shape), np.int8)
            mask = None
        mask = np.ones(n, np.bool_) if mask is None else mask
        run(
            begin_turns, games, self.arena.tables, self._code, seats, mask,
            self.stages, self.actions, self._masks, self.games, self.seats,
        )  # fmt: skip

    @property
    def done(self) -> Array:
        """(n,), bool: the games whose turn has all its decisions."""
        return self.stages >= self.count

    def masks(self, out: Array | None = None) -> Array:
        """int8, (n * k, choices): what is legal for the next decision of every row. Choice 0 always is."""
        n, k = self._shape
        out = np.empty((n * k, self.layout.width), np.int8) if out is None else out
        component = self.order[np.minimum(self.stages, self.count - 1)]
        out.reshape(n, k, -1)[...] = self._masks[np.arange(n)[:, None], np.arange(k), component[:, None]]
        return out

    def choose(self, choices: Array, mask: Array | None = None) -> None:
        """Make the next decision of every row.

        Args:
            choices: (n * k,), whole numbers. One that is not legal counts as 0 and stays in `actions` as it is.
            mask: (n,), bool: only in these games; None for all. Games whose turn is done are left alone.
        """
        playing = ~self.done if mask is None else mask & ~self.done
        run(
            make_choices, self.games, self.seats, self.arena.tables, self._masks, self.order, self._kinds,
            np.ascontiguousarray(choices, np.int64).reshape(self._shape), playing, self.preview,
            self._scratch, self._log, self.stages, self.actions,
        )  # fmt: skip

    def get_state(self) -> dict[str, Array]:
        """What `set_state` needs to go on from here: copies, without structured types."""
        return {
            "seen": self.games.view(np.uint8).copy(),
            "seats": self.seats.copy(),
            "stages": self.stages.copy(),
            "actions": self.actions.copy(),
            "masks": self._masks.copy(),
        }

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state of the same shape."""
        self.games.view(np.uint8)[...] = state["seen"]
        self.seats[...] = state["seats"]
        self.stages[...] = state["stages"]
        self.actions[...] = state["actions"]
        self._masks[...] = state["masks"]
