"""Compute digests of stored trajectories, which show whether the rules still play exactly as before.

``python -m rr_gym.bench.golden FILE`` regenerates them after an intended change of rules.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import DECK_SIZE, MAX_ROBOTS, NUM_OPTIONS
from rr_gym.rules.state.records import no_orders
from rr_gym.rules.state.scratch import Displacement, GameCaches

Array = np.ndarray[Any, Any]

# No built-in course of the base game has crushers.
PRESS = """
@1   @2    @3  @4   .
C24  >>    >>  v:w  P<135
.    w2    .   C    L
#1   ./n*2 R   ^    #2
X    <     <+C1 ^:e  .
"""

OTHER_SETTINGS = {
    "preset": "amigo", "option_cards": "on", "lava_mode": "page8", "ice_mode": "chart", "portal_trigger": "card",
    "jack_damage": "on", "crumble_leaves_pit": "on", "flip_state": 1,
    "option_package": "deluxe", "start_options": 2, "scavenger": 2, "turbo_wrenches": "on", "bio_bots": "on",
    "dual": "general", "arm": "2005", "arm_archive": "off", "dir_timing": "turn", "gadget_time": "priority",
    "goo_on_belt": "lose", "biggun_needs_target": "on", "cb_immunity": "on", "copter_single_use": "on",
    "tele_backup": "2 forward",
}  # fmt: skip

# By name: the id of a course or the text of a board, the settings, the number of robots. Together the cases use every
# board element and preset, all settings of expansion elements, option cards, and every kind of game.
CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "wotc risky_exchange": ("risky_exchange", {}, 4),
    "amigo risky_exchange": ("risky_exchange", {"preset": "amigo"}, 6),
    "ah2005 risky_exchange": ("risky_exchange", {"preset": "ah2005"}, 8),
    "wotc oddest_sea": ("oddest_sea", {"option_cards": "on"}, 8),
    "ah2005 island_king": ("island_king", {"preset": "ah2005"}, 5),
    "wotc factory_rejects": ("factory_rejects", {}, 7),
    "wotc everything": ("everything", {"option_cards": "on"}, 8),
    "amigo everything": ("everything", OTHER_SETTINGS, 6),
    "options oddest_sea": ("oddest_sea", {"start_options": 5}, 8),
    "options flag_fry": ("flag_fry", {"preset": "ah2005", "option_draft_deal": 5, "option_draft_keep": 4}, 6),
    "head to head risky_exchange": ("risky_exchange", {"game": "head_to_head"}, 4),
    "teams tandem_carnage": ("tandem_carnage", {"team_cards": "shared", "start_options": 3}, 6),
    "runner all_for_one_or_one_for_all": ("all_for_one_or_one_for_all", {"lives": 1}, 8),
    "toggle toggle_boggle": ("toggle_boggle", {"option_package": "standard"}, 6),
    "capture capture_the_flag": ("capture_the_flag", {"start_options": 1}, 8),
    "survival war_zone": ("war_zone", {"lives": 2}, 7),
    "moving_targets": ("moving_targets", {}, 5),
    "superbot day_of_the_superbot": ("day_of_the_superbot", {"start_options": 2}, 8),
    "racers interference": ("interference", {}, 8),
    "turning boards frenetic_factory": ("frenetic_factory", {}, 4),
    "wotc press": (PRESS, {"flag_touch": "pass", "pd_lock_card": "keep", "unlock": "lowest"}, 4),
}
SEED = 20
GAMES = (0, 6)  # indices of the games to digest; the other games of the batch must not influence them
TURNS = (0, 2, 25)  # turns after which games are digested; games that end restart


def digest(value: Array) -> str:
    """Return a digest of the names and values of all fields that are not zero.

    Caches are left out, and so are fields of robots that matter only during one displacement. Adding a field that is
    zero does not change the digest.
    """
    words = hashlib.sha256()
    _feed(words, value, "")
    return words.hexdigest()[:16]


def _feed(words: Any, value: Array, path: str) -> None:
    if value.dtype.names:
        left_out = Displacement.fields if path == ".robots" else GameCaches.fields
        for name in sorted({*value.dtype.names} - {*left_out}):
            _feed(words, value[name], f"{path}.{name}")
    elif np.any(value):
        words.update(f"{path}={value.astype(np.int64).tolist()};".encode())


def random_turn_orders(arena: Arena, games: Array, turn: int) -> Array:
    """Return random orders of every kind, dtype FULL_ORDERS, shape (games, 8).

    The orders of a game depend only on its index and the turn.
    """
    orders = no_orders(len(games), MAX_ROBOTS, full=True)
    words = games["index"].astype(np.uint64) * np.uint64(1_000_003) + np.uint64(turn)
    if any(settings.option_cards == "on" for settings in arena.settings):
        random_option_orders(arena, games, orders, words)
    else:
        arena.random_orders(games, orders, words)
    seats = games["index"][:, None] + np.arange(MAX_ROBOTS) + turn
    orders["power_down"] = seats % 7 == 0
    orders["stay_down"] = seats % 3 == 0
    orders["facing"] = seats % 5 - 1
    orders["unlock"] = seats % 6
    orders["site"] = seats % 3
    orders["square"] = seats % 9 - 1
    orders["chop"] = seats % 5
    orders["chop_option"] = seats % (NUM_OPTIONS + 1) - 1
    orders["waste"] = seats % 2
    orders["freak_order"] = seats % 6
    orders["reset_card"] = seats * 11 % (DECK_SIZE + 1)
    return orders


def play(case: str, num_games: int, turns: int, threads: int = 1) -> dict[int, Array]:
    """Play a case, and return its games, dtype GAME, shape (num_games,), after each turn of `TURNS` up to `turns`."""
    course, settings, num_robots = CASES[case]
    arena = Arena(Course.from_board(course, "press") if course == PRESS else course, settings)
    games = arena.new_games(num_games, num_robots, seed=SEED)
    kept = {0: games.copy()}
    for turn in range(1, turns + 1):
        arena.play(games, random_turn_orders(arena, games, turn), threads=threads, restart=True)
        if turn in TURNS:
            kept[turn] = games.copy()
    return kept


def digests(case: str, turns: int = TURNS[-1]) -> dict[str, list[str]]:
    """Return the digests of the games `GAMES` of a case, by turn."""
    return {
        str(turn): [digest(games[g]) for g in GAMES] for turn, games in play(case, max(GAMES) + 1, turns).items()
    }


def main(argv: Sequence[str]) -> int:
    """Write the digests of all cases to a file, and return the exit status."""
    if len(argv) != 1:
        print("usage: python -m rr_gym.bench.golden FILE", file=sys.stderr)
        return 2
    stored = {case: digests(case) for case in CASES}
    Path(argv[0]).write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
