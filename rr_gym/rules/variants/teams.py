"""Teams: which robots play together, and what they share (R-G2, R-G3.10)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.state.constants import HEAD_TO_HEAD, ON, RACE, SURVIVAL, TAG_TEAMS
from rr_gym.rules.state.events import SUPERBOT, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


# mutants: scenarios give the teams: tests/rules/test_variants.py
@kernel
def num_teams(game: GameRecord, table: Table) -> int:
    """Return how many teams play, 0 for none.

    Racers and blockers play in pairs. Otherwise the setting `teams` decides. If it is 0, tag teams are pairs, and the
    other team games have two teams.
    """
    pairs = (int(game.num_robots) + 1) // 2
    if table.settings.racer_and_blocker == ON:
        return pairs
    if table.settings.teams > 0:
        return int(table.settings.teams)
    if table.settings.game == TAG_TEAMS:
        return max(int(game.num_robots) // 2, 2)
    return 0 if table.settings.game in (RACE, SURVIVAL) else 2


@with_expansions(None)
def set_up_variant(game: GameRecord, table: Table, log: Log) -> None:
    """Assign robots to teams in turn, racers and blockers in pairs; make robot 0 the SuperBot (R-G2, R-G3)."""
    teams = num_teams(game, table)
    game.shares_hands = table.settings.team_cards
    # mutants: scenarios give the teams: tests/rules/test_variants.py
    for i in range(game.num_robots):
        team = i // 2 if table.settings.racer_and_blocker == ON else i % max(teams, 1)
        game.robots[i].team = team + 1 if teams else 0
    if table.settings.superbot == ON:
        game.superbot = 0
        note(game, log, SUPERBOT, 0, 0)


@kernel
def mates(game: GameRecord, robot: int) -> int:
    """Return the mask of the robots that play and win together with a robot, itself included."""
    team = game.robots[robot].team
    mask = 1 << robot
    for i in range(game.num_robots):
        if team > 0 and game.robots[i].team == team:
            mask |= 1 << i
    return mask


@kernel
def is_racer(game: GameRecord, robot: int) -> bool:
    """Tell whether a robot is the first of its team; the others are blockers (R-G3.10)."""
    return mates(game, robot) & ((1 << robot) - 1) == 0


@kernel
def shares_flags(table: Table) -> bool:
    """Tell whether a team has one count of flags (R-G2.3, R-G2.6)."""
    return table.settings.game in (TAG_TEAMS, HEAD_TO_HEAD)


@with_expansions(None)
def share_flags(game: GameRecord, table: Table, robot: int) -> None:
    """Give all robots of a team the flags that one of them has touched."""
    if shares_flags(table):
        team = mates(game, robot)
        for i in range(game.num_robots):
            if team >> i & 1:
                game.robots[i].flag = game.robots[robot].flag
