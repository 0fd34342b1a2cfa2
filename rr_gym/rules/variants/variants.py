"""Kinds of games besides the race: teams, whose flags count, who wins (R-G2, R-G3)."""

from __future__ import annotations

from rr_gym.compilation.jit import kernel, with_elements, with_expansions
from rr_gym.rules.floor.ground import is_pit
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import place_now, turns_with_room
from rr_gym.rules.robot.health import repair
from rr_gym.rules.state.constants import (
    B4,
    BY_TRAPDOOR,
    CAPTURE,
    D2,
    HEAD_TO_HEAD,
    MAX_ROBOTS,
    NOBODY,
    ON,
    RACE,
    SURVIVAL,
    TAG_TEAMS,
    TOGGLE,
    WEAPON,
)
from rr_gym.rules.state.events import FLAG_MOVED, SUPERBOT, note, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

NO_FLAG = 0


@kernel
def printed_flag(game: Game, table: Table, square: int) -> int:
    return int(table.squares[square].flag)


@with_expansions(printed_flag)
def flag_on(game: Game, table: Table, square: int) -> int:
    """The number of the flag on a square now, 0 for none; of several that belts have carried there the highest."""
    found = NO_FLAG
    for k in range(table.course.num_flags):
        if game.flag_squares[k] == square and not is_carried(game, table, k + 1):
            found = k + 1
    return found


@kernel
def is_printed_flag(game: Game, table: Table, square: int, flag: int) -> bool:
    return table.squares[square].flag == flag


@with_expansions(is_printed_flag)
def has_flag(game: Game, table: Table, square: int, flag: int) -> bool:
    """The flag of a number is on a square now."""
    return flag > 0 and game.flag_squares[flag - 1] == square and not is_carried(game, table, flag)


@kernel
def is_carried(game: Game, table: Table, flag: int) -> bool:
    """Capture the flag: a robot has the flag with it."""
    if table.settings.game == CAPTURE:
        for i in range(game.num_robots):
            if game.robots[i].carries == flag:
                return True
    return False


@kernel
def move_flag(game: Game, log: Log, flag: int, square: int) -> None:
    """The flag of a number is on another square from now on."""
    origin = int(game.flag_squares[flag - 1])
    if origin != square:
        game.flag_squares[flag - 1] = square
        note_at(game, log, FLAG_MOVED, NOBODY, -1, flag, square, origin)


@kernel
def first_square(game: Game, table: Table, flag: int) -> int:
    """Where a flag that is lost returns to: its square of the course, where a rotating room has carried that (U50).

    A board that turns leaves flags where they are (R-G3.11).
    """
    square = int(table.course.flag_squares[flag - 1])
    return place_now(game, table, square) if turns_with_room(table, square) else square


@kernel
def num_teams(game: Game, table: Table) -> int:
    """How many teams play, 0 for none: by the setting, else pairs in tag teams and for racers, two in other games."""
    pairs = (int(game.num_robots) + 1) // 2
    if table.settings.racer_and_blocker == ON:
        return pairs
    if table.settings.teams > 0:
        return int(table.settings.teams)
    if table.settings.game == TAG_TEAMS:
        return max(int(game.num_robots) // 2, 2)
    return 0 if table.settings.game in (RACE, SURVIVAL) else 2


@with_expansions(None)
def set_up_variant(game: Game, table: Table, log: Log) -> None:
    """The start of a game: robots are dealt to teams in turn, racers and their blockers in pairs; robot 0 is the
    SuperBot (R-G2, R-G3)."""
    teams = num_teams(game, table)
    game.shares_hands = table.settings.team_cards
    for i in range(game.num_robots):
        team = i // 2 if table.settings.racer_and_blocker == ON else i % max(teams, 1)
        game.robots[i].team = team + 1 if teams else 0
    if table.settings.superbot == ON:
        game.superbot = 0
        note(game, log, SUPERBOT, 0, 0)


@kernel
def mates(game: Game, robot: int) -> int:
    """The mask of the robots on a robot's side, its own included."""
    team = game.robots[robot].team
    mask = 1 << robot
    for i in range(game.num_robots):
        if team > 0 and game.robots[i].team == team:
            mask |= 1 << i
    return mask


@kernel
def itself(game: Game, table: Table, robot: int) -> int:
    return 1 << robot


@with_expansions(itself)
def side_of(game: Game, table: Table, robot: int) -> int:
    """The mask of the robots that win together with a robot."""
    return mates(game, robot)


@kernel
def is_racer(game: Game, robot: int) -> bool:
    """The first robot of its team; the others are blockers (R-G3.10)."""
    return mates(game, robot) & ((1 << robot) - 1) == 0


@kernel
def own_flags(game: Game, table: Table, robot: int) -> int:
    """How many flags a robot has to touch: in head to head every other flag is its team's (R-G2.6)."""
    flags = int(table.course.num_flags)
    if table.settings.game == HEAD_TO_HEAD:
        return (flags + 1) // 2 if game.robots[robot].team == 1 else flags // 2
    return flags


@kernel
def flag_in_order(game: Game, table: Table, robot: int) -> int:
    """The number of the next flag of a robot's set, `NO_FLAG` when it has touched all."""
    body = game.robots[robot]
    if body.flag >= own_flags(game, table, robot):
        return NO_FLAG
    if table.settings.game == HEAD_TO_HEAD:
        return 2 * int(body.flag) + (1 if body.team == 1 else 2)
    return int(body.flag + 1)


@kernel
def flag_after(game: Game, table: Table, robot: int) -> int:
    return int(game.robots[robot].flag + 1)


@with_expansions(flag_after)
def next_flag(game: Game, table: Table, robot: int) -> int:
    """The number of the flag that a robot has to touch next; `NO_FLAG` if it touches none (R-G2, R-G3)."""
    if table.settings.game in (SURVIVAL, TOGGLE, CAPTURE):
        return NO_FLAG
    if table.settings.superbot == ON and game.superbot != robot:
        return NO_FLAG
    if table.settings.racer_and_blocker == ON and not is_racer(game, robot):
        return NO_FLAG
    return flag_in_order(game, table, robot)


@kernel
def flags_touched(game: Game, table: Table, robot: int) -> int:
    return int(game.robots[robot].flag)


@with_expansions(flags_touched)
def flags_before_goal(game: Game, table: Table, robot: int) -> int:
    """How many flags come before the one that a robot goes for; all when it goes for none (U29, U32).

    In flag toggle that is the first flag that its team has not, in capture the flag the first one of another team.
    """
    body = game.robots[robot]
    flags = int(table.course.num_flags)
    played = table.settings.game
    if played == TOGGLE or (played == CAPTURE and not body.carries):
        for k in range(flags):
            owner = game.flag_owner[k] if played == TOGGLE else k + 1
            if owner != body.team:
                return k
    if played in (SURVIVAL, TOGGLE, CAPTURE):
        return flags
    flag = flag_in_order(game, table, robot)
    return flag - 1 if flag else flags


@kernel
def shares_flags(table: Table) -> bool:
    """A team has one count of flags (R-G2.3, R-G2.6)."""
    return table.settings.game in (TAG_TEAMS, HEAD_TO_HEAD)


@with_expansions(None)
def share_flags(game: Game, table: Table, robot: int) -> None:
    """What one robot has touched all of its team have."""
    if shares_flags(table):
        team = mates(game, robot)
        for i in range(game.num_robots):
            if team >> i & 1:
                game.robots[i].flag = game.robots[robot].flag


@with_elements(None)
def note_turning_board(game: Game, table: Table, flag: int) -> None:
    """A flag has been touched whose board may turn for it (R-G3.11)."""
    if table.settings.rotate_board_on_flag == ON:
        board = int(table.room_of[game.flag_squares[flag - 1]])
        if board >= table.extras.num_rooms:
            game.boards_touched |= 1 << board


@kernel
def owns_all_flags(game: Game, table: Table, robot: int) -> bool:
    for k in range(table.course.num_flags):
        if game.flag_owner[k] != game.robots[robot].team:
            return False
    return table.course.num_flags > 0


@kernel
def brings_flag_home(game: Game, table: Table, robot: int) -> bool:
    """Capture the flag: the robot stands on its own board, where its team's flag began, with another one (R-G3.15)."""
    body = game.robots[robot]
    if not body.alive or not body.carries or not 0 < body.team <= table.course.num_flags:
        return False
    home = table.course.flag_squares[body.team - 1]
    return table.ground[body.square].board == table.ground[home].board


@kernel
def has_won(game: Game, table: Table, robot: int) -> bool:
    """The robot has done what the game asks for."""
    played = table.settings.game
    if played == SURVIVAL:
        return False
    if played == TOGGLE:
        return owns_all_flags(game, table, robot)
    if played == CAPTURE:
        return brings_flag_home(game, table, robot)
    flags = own_flags(game, table, robot)
    return 0 < flags == game.robots[robot].flag


@kernel
def drop_flag(game: Game, table: Table, log: Log, robot: int, square: int, why: int) -> None:
    """A destroyed robot leaves the flag that it carried where it was; from a pit or off the board that returns to its
    first square (R-G3.15)."""
    flag = int(game.robots[robot].carries)
    game.robots[robot].carries = 0
    place = int(place_of_square(game, table, square)) if square >= 0 else NOBODY
    if place < 0 or why == BY_TRAPDOOR or is_pit(game, table, place):
        place = int(first_square(game, table, flag))
    move_flag(game, log, flag, place)


@kernel
def heir_of(game: Game, robot: int) -> int:
    """Who is the SuperBot after a robot's destruction (R-G3.9): who did it, else itself.

    When it is out of the game and nobody did it, the next one that is left (*ruling*).
    """
    heir = int(game.culprit)
    if heir < 0 or game.robots[heir].out:
        heir = robot
    for _ in range(game.num_robots):
        if not game.robots[heir].out:
            return heir
        heir = (heir + 1) % int(game.num_robots)
    return NOBODY


@with_expansions(None)
def is_lost(game: Game, table: Table, log: Log, robot: int, square: int, why: int) -> None:
    """A robot has been destroyed on a square: what that means for flags and for the SuperBot."""
    if game.robots[robot].carries:
        drop_flag(game, table, log, robot, square, why)
    if game.superbot == robot:
        game.superbot = heir_of(game, robot)
        if game.superbot >= 0 and game.superbot != robot:
            note(game, log, SUPERBOT, game.superbot, 0)


@kernel
def blame_shooter(game: Game, victim: int, shooter: int) -> None:
    """A point of damage reaches a robot: who shot, or whose device it was, may destroy the SuperBot by it.

    Nobody's damage in segment B belongs to who has pushed it there.
    """
    if game.superbot == victim and (shooter >= 0 or game.step > B4):
        game.culprit = shooter


@with_expansions(None)
def blame_mover(game: Game, table: Table, robot: int, cause: int, pusher: int) -> None:
    """A robot is displaced: its pusher may destroy the SuperBot by it, if it is a robot (not The Big One).

    Weapons have said before who fires them.
    """
    if game.superbot == robot and cause != WEAPON and game.step != D2:
        game.culprit = pusher if pusher < MAX_ROBOTS else NOBODY


@with_expansions(None)
def superbot_recovers(game: Game, table: Table, log: Log) -> None:
    """F2: the SuperBot loses all damage and all locks (R-G3.8)."""
    if game.superbot >= 0 and game.robots[game.superbot].alive:
        repair(game, log, int(game.superbot), int(game.robots[game.superbot].damage), 0)


@with_expansions(False)
def sits_out(game: Game, table: Table, robot: int) -> bool:
    """F5: a destroyed robot misses so many full turns as `sit_out` says (R-G3.13)."""
    body = game.robots[robot]
    if table.settings.sit_out and body.sits_out == 0:
        body.sits_out = table.settings.sit_out + 1
    if body.sits_out:
        body.sits_out -= 1
    return body.sits_out != 0


@with_expansions(False)
def misses_turn(game: Game, table: Table, robot: int) -> bool:
    """T1: the robot stays off the board in the turn that begins."""
    return game.robots[robot].sits_out != 0
