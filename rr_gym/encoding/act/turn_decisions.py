"""A turn in several decisions: one component of a `draw` action after the other (docs/actions.md).

Between two decisions a seat is shown a game in which the cards it has chosen are in their registers and no longer in
its hand. With the previewed pose, its robot also stands where those cards would bring it if it were alone on the board.
This game is also the draft for decisions about option cards, so that their masks are exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.actions import NO_ORDERS, ActionLayout, write_mask
from rr_gym.encoding.act.components import KIND, NUM_BASE, REGISTER
from rr_gym.encoding.act.option_actions import choose
from rr_gym.encoding.act.option_choices import NO_CARD_STORED, choices_of
from rr_gym.encoding.act.plans import ASKED, ASKED_REGISTER, CARD, PLACE, PREVIEWED, WHAT, plan_of
from rr_gym.encoding.act.previews import preview_phase
from rr_gym.forms import with_expansions
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state.cards import cards_in_hand, close_gaps
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import (
    DEFAULT_DECISIONS,
    GAME,
    ROBOT,
    GameRecord,
    OrdersRecord,
    Robot,
    new_log,
    no_orders,
)
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

DEFAULTS = DEFAULT_DECISIONS.reshape(1)


class DecisionRows(NamedTuple):
    """The state of turns that are being decided. There is one row per seat of each game, game by game.

    Attributes:
        seen: (rows,), dtype `GAME`: what the rows are shown.
        at: (rows, 1), int8: the seat of each row.
        whole: (games, seats, components, choices), int8: the masks for the whole turn as one action.
        hands: (games, seats, slots), int8: the hands as they were dealt.
        stages: (games,), int64: decisions made in this turn.
        orders: (rows,), dtype `FULL_ORDERS`: the decisions about cards and options so far.
        illegal: (games, seats), int32: how many decisions were not legal.
        actions: (games, seats, components), int64: the decisions as actions of the mode `draw`.
        bodies: (rows,), dtype `ROBOT`: the rows' robots as they were shown before the first decision.
        begun: (rows,), int64: how many turns have begun; it identifies the turn.
    """

    seen: Array
    at: Array
    whole: Array
    hands: Array
    stages: Array
    orders: Array
    illegal: Array
    actions: Array
    bodies: Array
    begun: Array


# The fields of `DecisionRows` that are saved, by their names in saved states
_SAVED = {
    "seen": "seen", "orders": "orders", "seats": "at", "stages": "stages", "actions": "actions", "illegal": "illegal",
    "masks": "whole", "hands": "hands", "bodies": "bodies",
}  # fmt: skip


@with_expansions(None)
def forget_last_turn(robot: Robot, table: Table) -> None:
    """Reset the robot's orders of the last turn, which are not part of a draft."""
    robot.orders = DEFAULTS[0]
    robot.second[:] = 0


@kernel
def show_game(games: Array, g: int, table: Table, seat: int, seen: Array, row: int) -> None:
    """Write what a seat is shown before its first decision: the game itself with the seat's open registers empty."""
    seen[row] = games[g]
    robot = seen[row].robots[seat]
    forget_last_turn(robot, table)
    if robot.down or keeps_program(seen[row], table, seat):
        return
    for r in range(NUM_REGISTERS):
        if not robot.locked >> r & 1:
            robot.registers[r] = 0


@kernel
def ask(shown: GameRecord, plan: Array, stage: int) -> None:
    """Record in the game that a seat is shown what it has to decide next; observations read it there."""
    shown.asked = plan[stage, ASKED] if stage < plan.shape[0] else 0
    shown.asked_register = plan[stage, ASKED_REGISTER] if stage < plan.shape[0] else 0


@kernel
def begin_turns(
    games: Array, tables: Array, code: Array, seats: Array, mask: Array, plan: Array, rows: DecisionRows
) -> None:
    """Begin the turns of the games selected by `mask`: bool, (games,)."""
    for g in range(games.shape[0]):
        if mask[g]:
            rows.stages[g] = 0
            for k in range(seats.shape[1]):
                row = g * seats.shape[1] + k
                rows.at[row, 0] = seats[g, k]
                for slot in range(HAND_SLOTS):
                    rows.hands[g, k, slot] = games[g].robots[seats[g, k]].hand[slot]
                rows.actions[g, k] = 0
                rows.illegal[g, k] = 0
                rows.orders[row] = NO_ORDERS[0]
                table = tables[games[g].course]
                write_mask(games[g], table, seats[g, k], code, rows.whole[g, k])
                show_game(games, g, table, seats[g, k], rows.seen, row)
                rows.bodies[row] = rows.seen[row].robots[seats[g, k]]
                rows.begun[row] += 1
                ask(rows.seen[row], plan, 0)


@with_expansions(None)
def narrow_mask(shown: GameRecord, table: Table, seat: int, what: int, order: OrdersRecord, mask: Array) -> None:
    """Restrict a component's mask for the whole turn to what is legal given the decisions made so far.

    Without option cards, no decision restricts another.
    """
    if KIND[what] < NUM_BASE:
        return
    hand = shown.robots[seat].hand
    may_decide = False
    for c in range(1, mask.size):
        may_decide = may_decide or mask[c] > 0
    if may_decide:
        legal = choices_of(shown, table, seat, KIND[what], REGISTER[what], order, hand, True)
        for c in range(1, mask.size):
            mask[c] = legal >> c & 1


@kernel
def write_step_mask(
    shown: GameRecord, table: Table, seat: int, decision: Array, whole: Array, order: OrdersRecord, out: Array
) -> None:
    """Write the mask of one decision, int8, (choices,); `whole` are the masks of the whole turn."""
    out[:] = whole[decision[PLACE]]
    if decision[WHAT] >= 0:
        narrow_mask(shown, table, seat, decision[WHAT], order, out)
    else:
        for c in range(max(1, cards_in_hand(shown.robots[seat])), out.size):
            out[c] = 0


@kernel
def write_step_masks(tables: Array, plan: Array, rows: DecisionRows, out: Array) -> None:
    """Write the masks of every row's next decision: int8, (rows, choices).

    After the last decision of a turn, its mask is written again.
    """
    for row in range(rows.seen.shape[0]):
        g, k = row // rows.whole.shape[1], row % rows.whole.shape[1]
        stage = min(rows.stages[g], plan.shape[0] - 1)
        shown = rows.seen[row]
        table = tables[shown.course]
        write_step_mask(shown, table, rows.at[row, 0], plan[stage], rows.whole[g, k], rows.orders[row], out[row])


@kernel
def take_card(robot: Robot, register: int, choice: int, order: OrdersRecord) -> int:
    """Put a card in the hand into a register; return the choice that stands for it in a `draw` action.

    In a `draw` action all first cards are chosen before any second card, so its choices still count the second cards
    that have been taken from the hand here.
    """
    card = robot.hand[choice]
    robot.registers[register] = card
    order.program[register] = card
    robot.hand[choice] = 0
    close_gaps(robot)
    for r in range(register):
        choice += order.second[r] > card
    return choice


@kernel
def names_card(kind: int, choice: int) -> bool:
    """Tell whether a choice in a component selects a card in the hand to store on an option."""
    stores = kind == kinds.FLYWHEEL and choice != NO_CARD_STORED
    return stores or kind == kinds.COPTER or kind == kinds.CONDITIONAL


@kernel
def base_choose_option(
    shown: GameRecord, table: Table, seat: int, what: int, choice: int, order: OrdersRecord, hand: Array
) -> int:
    """Return the choice unchanged: without option cards it is the same in a `draw` action."""
    return choice


@with_expansions(base_choose_option)
def choose_option(
    shown: GameRecord, table: Table, seat: int, what: int, choice: int, order: OrdersRecord, hand: Array
) -> int:
    """Carry out a decision about options; return the choice that stands for it in a `draw` action.

    Choices of cards count current slots of the hand here, but slots of the hand as dealt in a `draw` action.
    """
    kind = int(KIND[what])
    robot = shown.robots[seat]
    if kind < NUM_BASE:
        return choice
    r = int(REGISTER[what])
    card = int(robot.hand[choice - 1]) if 0 < choice <= HAND_SLOTS else 0
    choose(shown, table, seat, kind, r, choice, order, robot.hand)
    close_gaps(robot)
    if kind == kinds.SECOND:
        card = int(order.second[r])
    elif not names_card(kind, choice):
        return choice
    if card == 0:
        return 0
    slot = 0
    while hand[slot] != card:
        slot += 1
    return slot + 1


@kernel
def carry_out(
    shown: GameRecord, table: Table, seat: int, decision: Array, choice: int, order: OrdersRecord, hand: Array
) -> int:
    """Apply a legal choice to the game that the seat is shown; return the matching choice in a `draw` action.

    Args:
        shown: What the seat is shown; updated.
        table: The course of the game.
        seat: The seat that decides.
        decision: A row of the plan.
        choice: A legal choice of this decision.
        order: The seat's decisions so far; updated.
        hand: Its cards as they were dealt.
    """
    robot = shown.robots[seat]
    in_play = not shown.over and (robot.alive or shown.phase > 0)
    r = decision[CARD]
    if r >= 0 and in_play:
        shown.phase = r + 1
        # A sleeping robot keeps its old program and has no hand.
        if not robot.locked >> r & 1 and not robot.down and robot.hand[0] > 0:
            return int(take_card(robot, r, choice, order))
    elif decision[WHAT] == kinds.FACING:
        robot.facing = (robot.facing + choice) & 3
        robot.may_face = 0
    elif r < 0 and in_play:
        return int(choose_option(shown, table, seat, decision[WHAT], choice, order, hand))
    return choice


@kernel
def make_choices(
    tables: Array,
    plan: Array,
    rows: DecisionRows,
    choices: Array,
    playing: Array,
    preview: bool,
    scratch: Array,
    log: Any,
) -> None:
    """Make one decision of every row in the games that are playing.

    Args:
        tables: Tables of the arena.
        plan: `plan_of` the layout.
        rows: The turns; all fields except `at`, `whole` and `hands` are updated.
        choices: (games, seats), any integers. One that is not legal counts as 0.
        playing: (games,), bool.
        preview: Whether to preview the pose.
        scratch: (1,), dtype `GAME`.
        log: A log that is off.
    """
    legal = np.zeros(rows.whole.shape[3], np.int8)
    for g in range(rows.stages.shape[0]):
        if not playing[g]:
            continue
        decision = plan[rows.stages[g]]
        rows.stages[g] += 1
        for k in range(choices.shape[1]):
            row = g * choices.shape[1] + k
            shown, order, seat = rows.seen[row], rows.orders[row], rows.at[row, 0]
            table = tables[shown.course]
            robot = shown.robots[seat]
            choice = choices[g, k]
            write_step_mask(shown, table, seat, decision, rows.whole[g, k], order, legal)
            if choice < 0 or choice >= legal.size or not legal[choice]:
                rows.illegal[g, k] += 1
                choice = 0
            ask(shown, plan, rows.stages[g])
            in_play = not shown.over and (robot.alive or shown.phase > 0)
            choice = carry_out(shown, table, seat, decision, choice, order, rows.hands[g, k])
            rows.actions[g, k, decision[PLACE]] = choice
            races_on = robot.flag < table.course.num_flags
            if preview and decision[PREVIEWED] >= 0 and in_play and robot.alive and races_on:
                scratch[0] = shown
                preview_phase(shown, table, seat, order, scratch, log)


class TurnSteps:
    """Decides the current turns of a batch of games, one component after the other.

    Args:
        arena: The arena of the games.
        layout: The layout of whole actions, with the mode `draw`.
        preview: Whether seats are shown the previewed pose.

    Attributes:
        count: Decisions per turn.
        order: (count,): the components of a whole action in the order of their decisions.
        games: (n * k,), dtype `GAME`: what each row is shown, game by game and seat by seat. Only the row's own seat,
          see `seats`, may be observed in it.
        seats: (n * k, 1), int8.
        stages: (n,), int64: how many decisions of its turn each game has made.
        actions: (n, k, components), int64: the decisions so far as actions of the mode `draw`, all of them legal.
        illegal: (n, k), int32: how many decisions of this turn were illegal; each counts as choice 0.
        plan: (count, columns), int16: `plan_of` the layout.
        rows: The same state in the form for kernels; exists once `begin` has been called.
    """

    rows: DecisionRows

    def __init__(self, arena: Arena, layout: ActionLayout, preview: bool) -> None:
        self.arena = arena
        self.layout = layout
        self._code = layout.code
        self.preview = preview
        self.plan = plan_of(layout)
        self.order = self.plan[:, PLACE].astype(np.int64)
        self.count = len(self.plan)
        self._scratch = np.zeros(1, GAME)
        self._log = new_log(on=False)[0]
        self._shape = (-1, -1)

    def begin(self, games: Array, seats: Array, mask: Array | None = None) -> None:
        """Begin a turn.

        Args:
            games: (n,), dtype `GAME`; not modified.
            seats: (n, k), int8.
            mask: (n,), bool: the games whose turn begins; None for all.
        """
        n, k = seats.shape
        if self._shape != seats.shape:
            # The counter never starts again, so that results cached for a turn of earlier rows are not used.
            begun = self.rows.begun.max(initial=0) if self._shape != (-1, -1) else 0
            self._shape = (n, k)
            self.rows = rows = DecisionRows(
                seen=np.zeros(n * k, GAME),
                at=np.zeros((n * k, 1), np.int8),
                whole=np.zeros((n, k, *self.layout.shape), np.int8),
                hands=np.zeros((n, k, HAND_SLOTS), np.int8),
                stages=np.zeros(n, np.int64),
                orders=no_orders(n * k, full=True),
                illegal=np.zeros((n, k), np.int32),
                actions=np.zeros((n, k, len(self.layout.components)), np.int64),
                bodies=np.zeros(n * k, ROBOT),
                begun=np.full(n * k, begun, np.int64),
            )
            self.games, self.seats, self.stages = rows.seen, rows.at, rows.stages
            self.actions, self.illegal = rows.actions, rows.illegal
            mask = None
        mask = np.ones(n, np.bool_) if mask is None else mask
        begin_turns(games, self.arena.tables, self._code, seats, mask, self.plan, self.rows)

    @property
    def done(self) -> Array:
        """Tell for each game, bool, (n,), whether all decisions of its turn have been made."""
        return self.stages >= self.count

    def masks(self, out: Array | None = None) -> Array:
        """Return the masks of every row's next decision, int8, (n * k, choices), 1 for legal; choice 0 always is."""
        n, k = self._shape
        out = np.empty((n * k, self.layout.width), np.int8) if out is None else out
        write_step_masks(self.arena.tables, self.plan, self.rows, out)
        return out

    def choose(self, choices: Array, mask: Array | None = None) -> None:
        """Make the next decision of every row.

        Args:
            choices: (n * k,), int. An illegal choice is replaced by 0 and counted in `illegal`.
            mask: (n,), bool: the games to decide in; None for all. Games with no decision left in their turn are
                skipped.
        """
        playing = ~self.done if mask is None else mask & ~self.done
        chosen = np.ascontiguousarray(choices, np.int64).reshape(self._shape)
        make_choices(
            self.arena.tables, self.plan, self.rows, chosen, playing, self.preview, self._scratch,
            self._log,
        )  # fmt: skip

    def get_state(self) -> dict[str, Array]:
        """Return copies of the arrays that `set_state` needs to resume from here, by name, in plain dtypes."""
        return {name: array.copy() for name, array in self._saved().items()}

    def set_state(self, state: dict[str, Array]) -> None:
        """Resume from a state of the same shape."""
        for name, array in self._saved().items():
            array[...] = state[name]
        self.rows.begun[...] += 1  # so that results cached for another turn are not used

    def _saved(self) -> dict[str, Array]:
        """Return the arrays of a state by name, records as bytes."""
        arrays = ((name, getattr(self.rows, field)) for name, field in _SAVED.items())
        return {name: array.view(np.uint8) if array.dtype.names else array for name, array in arrays}
