"""Races: registered players against each other on one course, described by a few lines of YAML."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, field

from rr_gym.config_files import read_config
from rr_gym.courses import load_course
from rr_gym.errors import MAX_SEED, RoboRallyError, items, short_repr, whole_number
from rr_gym.player_calls import FailedPlayerError, close_players, reset_player
from rr_gym.players import Player
from rr_gym.players.forfeits import places_after
from rr_gym.players.kept_games import KeptGame, KeptSeats
from rr_gym.players.protocol import reset_players
from rr_gym.registry import check_player, make_player
from rr_gym.render.pieces import Piece, labels, pieces_of
from rr_gym.replay import RecordedTurn, Recorder, Replay
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import new_log
from rr_gym.runner import Batch, Seats, play_out
from rr_gym.salt import choose_salt
from rr_gym.typed_data import Where, at, typed

Array = np.ndarray[Any, Any]

MAX_CYCLES = 10_000


class RaceError(RoboRallyError):
    """A race whose description is malformed."""


class RaceConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """The description of one race.

    Attributes:
        course: The id of a built-in course or the path of a course file.
        players: Names of registered players or folders of policies, one per seat, 1 to 8.
        seed: The seed of the game and of the players.
        max_cycles: Turns after which the race is truncated.
        settings: Settings of the game by name (docs/rules/settings.md).
    """

    course: Annotated[str, Meta(title="the id of a course or a path")] = "risky_exchange"
    players: Annotated[
        tuple[Annotated[str, Meta(title="the name of a player")], ...],
        Meta(title=f"a list of 1 to {MAX_ROBOTS} names of players", min_length=1, max_length=MAX_ROBOTS),
    ] = ("greedy", "greedy", "random", "random")
    seed: Annotated[int, Meta(title=f"a whole number from 0 to {MAX_SEED}")] = 1
    max_cycles: Annotated[int, Meta(ge=1, le=MAX_CYCLES)] = 60
    settings: Annotated[dict[str, Any], Meta(title="settings with values")] = field(default_factory=dict)

    @classmethod
    def from_mapping(cls, data: Any, where: Where = "race") -> RaceConfig:
        """Create a description from the contents of a configuration file, after checking them.

        Raises:
            RaceError: An unknown key or a wrong value; names the place, the key, the value and what was expected.
        """
        config: RaceConfig = typed(data, cls, where, RaceError)
        whole_number(at(where, ("seed",)), config.seed, 0, MAX_SEED, RaceError)
        for seat, name in enumerate(config.players):
            try:
                check_player(name)
            except RoboRallyError as error:
                raise RaceError(f"{at(where, ('players', seat))}: {error}") from None
        return config

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RaceConfig:
        """Read a configuration file in YAML. Raises RaceError, or RoboRallyError if the file is not YAML."""
        return cls.from_mapping(*read_config(path, RaceError))


def race(
    config: RaceConfig,
    report: Callable[[int, list[Piece]], None] | None = None,
    players: Sequence[Player] | None = None,
    *,
    salt: int | str | None = None,
    resumed: Replay | None = None,
    keep: Callable[[Replay], None] | None = None,
    begin: Callable[[], None] | None = None,
    forfeited: Callable[[int], None] | None = None,
    resumed_seats: Sequence[KeptGame | None] = (),
    keep_seats: Callable[[KeptSeats], None] | None = None,
) -> Replay:
    """Play a race to its end, or to its last allowed turn.

    Args:
        config: The description of the race.
        report: Called after every turn with the number of the turn, from 1, and the robots after it.
        players: The players that `config` names, if they have been created already. They are closed at the end.
        salt: 128 bits besides the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None draws one if a
            player is external (`Player.outside`). The replay contains it.
        resumed: A replay of the same race, as far as it was played, to resume from. Without `salt`, its salt is used.
        keep: Called with a replay of the race so far if it is interrupted after a turn or a player fails.
        begin: Called before the first turn, once all arguments have been checked.
        forfeited: Called at the end with the seat of each player that has forfeited the race (docs/protocol.md).
        resumed_seats: By seat, what the player has to remember of the part that is resumed, as `keep_seats` got it.
        keep_seats: Called with what players have to remember if the race is resumed, before `keep`.

    Raises:
        RoboRallyError: The course, a player or a setting does not exist, the salt is malformed, or `resumed` is another
            race.
        FailedPlayerError: The code of a player raised an error, or returned something other than orders.
    """
    if not isinstance(config, RaceConfig):
        raise RaceError(f"config: {short_repr(config)}: expected a RaceConfig")
    max_cycles = whole_number("max_cycles", config.max_cycles, 1, MAX_CYCLES, RaceError)
    names = items(config.players)
    if names is None or not all(isinstance(name, str) for name in names):
        raise RaceError(f"players: {short_repr(config.players)}: expected a list of names of players")
    arena = Arena(load_course(config.course), config.settings)
    if players is None:
        players = [make_player(name) for name in names]
    if salt is None and resumed is not None:
        salt = resumed.salt
    salt = choose_salt(salt, players, RaceError)

    def new_game() -> RecordedGame:
        games = arena.new_games(1, len(players), seed=config.seed, salt=salt)
        return RecordedGame(arena, games, names, max(max_cycles, len(resumed.turns) if resumed else 0))

    def tell(_: int) -> None:
        if report:
            report(game.recorder.num_turns, pieces_of(game.games[0]))

    game, resuming = new_game(), resumed is not None
    if resumed is not None:
        _check_same(resumed, game.replay())
    if begin:
        begin()
    try:
        if salt:
            reset_players(players, config.seed, salt)
        else:
            for player in players:
                reset_player(player, config.seed)
        game.play_again(resumed.turns if resumed else ())
        table = Seats(game, players, np.arange(len(players))[None], scored="places")
        table.meet()
        for seat, memory in enumerate(resumed_seats):
            if memory:
                table.forfeits[0, seat] = bool(memory.forfeited)
                if len(game.running):
                    players[seat].take_up(game.records[0], seat, memory)
        resuming = False
        play_out(game, table.ask, tell)
        if forfeited:
            for seat in np.flatnonzero(table.forfeits[0]).tolist():
                forfeited(seat)
    except (KeyboardInterrupt, FailedPlayerError):
        if keep and game.recorder.num_turns and not resuming:  # until then, what was kept before is all there is
            # The game may be a turn ahead of the record, so the replay to keep comes from playing the record again.
            kept = new_game()
            kept.play_again(game.replay().turns)
            if keep_seats:
                seats = [player.put_aside(kept.games[0], seat) for seat, player in enumerate(players)]
                keep_seats(KeptSeats(game.recorder.num_turns, tuple(seats)))
            keep(kept.replay())
        raise
    finally:
        close_players(players)
    return game.replay()


class RecordedGame(Batch):
    """A game that is recorded as it is played."""

    def __init__(self, arena: Arena, games: Array, names: Sequence[str], max_cycles: int) -> None:
        self.log, self.recorder = new_log(), Recorder(arena, games, players=names)
        super().__init__(arena, games, max_cycles, self.log)

    def play(self, orders: Array) -> None:
        """Play and record a turn."""
        super().play(orders)
        self.recorder.add(orders, self.log)

    def play_again(self, turns: Iterable[RecordedTurn]) -> None:
        """Play turns by the orders that were recorded."""
        for turn in turns:
            self.play(turn.batch())

    def replay(self) -> Replay:
        """Return the replay of what was recorded so far."""
        return self.recorder.replay(self.games, reveal=True)


def _check_same(resumed: Replay, begun: Replay) -> None:
    """Raise RaceError if a replay is not of the race that begins as `begun` does."""
    for name in ("players", "seed", "salt", "settings", "course"):
        had, wanted = getattr(resumed, name), getattr(begun, name)
        if had != wanted:
            if name == "course":
                had, wanted = had.id, wanted.id
            raise RaceError(
                f"{name}: {short_repr(wanted)}: the race has {short_repr(had)}: only the same can be resumed"
            )


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a race's result.

    Attributes:
        place: The place, 1 for the best; robots that tie share the better place.
        player: The name of the player, different from those of all others.
        flags: The number of flags touched.
        damage: The points of damage at the end.
        lives: The number of lives left, -1 if unlimited.
        turns: The number of turns until the end of the race, or until the robot was eliminated.
        state: The final state of the robot; see `Recording.state_of`; "forfeited" for a player that has forfeited.
    """

    place: int
    player: str
    flags: int
    damage: int
    lives: int
    turns: int
    state: str


def standings(replay: Replay, forfeited: Iterable[int] = ()) -> list[Standing]:
    """Return the result of a recorded race, the best first.

    Args:
        replay: The race.
        forfeited: The seats of players that have forfeited it, who share the last place.
    """
    left = np.isin(np.arange(len(replay.players)), list(forfeited))
    places = places_after(np.array([replay.placements]), left[None])[0].tolist()
    out = {event.robot: event.turn + 1 for event in replay.events() if event.kind == "out"}
    lines = []
    for seat, (name, piece) in enumerate(zip(labels(replay.players), replay.last, strict=True)):
        lines.append(
            Standing(
                place=places[seat],
                player=name,
                flags=piece.flag,
                damage=piece.damage,
                lives=piece.lives,
                turns=out.get(seat, len(replay.turns)),
                state="forfeited" if left[seat] else replay.state_of(seat),
            )
        )
    return sorted(lines, key=lambda line: line.place)
