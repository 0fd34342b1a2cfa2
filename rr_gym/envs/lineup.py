"""Line-ups: which seats the learners of a game take, and which their opponents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from rr_gym.envs.mix import LEARNER, Mix, uniforms
from rr_gym.envs.shares import SELF, LineupError
from rr_gym.errors import short_repr, whole_number
from rr_gym.player_calls import close_players, orders_from, orders_from_seats, reset_player
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.registry import Model, as_player, is_model, make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import take_games

Array = np.ndarray[Any, Any]
# A player for all seats but one, one for each of these seats, or shares by player, from which seats are drawn
Opponents = str | Player | Model | Sequence[str | Player | Model] | Mapping[Any, float]

ROTATE = "rotate"


class Lineup:
    """Learners and opponents around a table.

    Args:
        num_robots: Seats of a game, 1 to 8; or a list of such numbers, from which one is drawn for every episode.
        opponents: Registered names, paths of policies, `Player` objects, or models of Stable-Baselines3; learners take
            the other seats. A player that is listed twice takes two seats. A single player takes all seats but one.
            Or a mapping from these to their shares (`Mix`): then one seat is a learner's, and the players of the
            other seats are drawn for every episode; `SELF` gives the learner another seat.
        seat: ``"rotate"``: everybody moves one seat further with every game of a batch and every episode; or the fixed
            seat of the first learner. Learners come first, then the opponents, around the table.

    Attributes:
        opponents: The players in seats that do not learn, or all players of the mix.
        names: The names of the opponents, as they were given.
        num_learners: Seats of a game that learners may take.
        chosen: The number of robots that the last reset chose for all games; None if it chose none.

    Raises:
        LineupError: There are more opponents than seats, the seat does not exist, or the shares are wrong.
        PlayerError: There is no such player.
    """

    def __init__(self, num_robots: int | Sequence[int], opponents: Opponents = (), seat: int | str = ROTATE) -> None:
        numbers = num_robots if isinstance(num_robots, list | tuple) else (num_robots,)
        if not numbers:
            raise LineupError(f"num_robots: {short_repr(num_robots)}: expected at least one number")
        self._numbers = np.array([whole_number("num_robots", n, 1, MAX_ROBOTS, LineupError) for n in numbers])
        self.num_robots = num_robots = int(self._numbers.max())
        rotates = isinstance(seat, str) and seat == ROTATE
        whole = isinstance(seat, Integral) and not isinstance(seat, bool)
        if not rotates and not (whole and 0 <= int(seat) < num_robots):
            raise LineupError(f"seat: {short_repr(seat)}: expected '{ROTATE}' or a seat from 0 to {num_robots - 1}")
        self.seat = seat
        listed = self._repeated(opponents)
        self._mix = Mix(listed) if isinstance(listed, Mapping) else None
        if self._mix and self.num_robots < 2:
            raise LineupError("opponents: expected none: the only robot is the learner's")
        self._made: dict[str, Player] = {}
        self.opponents, self._made = self._players(self._mix.players if self._mix else listed)
        self.names = _names(self._mix.players if self._mix else listed)
        self._count = self.num_robots - 1 if self._mix else len(self.opponents)  # seats of opponents
        self.num_learners = self.num_robots - (0 if self._mix and self._mix.has_self else self._count)
        self.chosen: int | None = None
        if self.num_learners < 1:
            count = len(self.opponents)
            raise LineupError(f"opponents: {count}: expected at most {num_robots - 1}, leaving a seat for a learner")

    @property
    def mixed(self) -> bool:
        """Tell whether opponents are drawn by shares, so that they can differ from episode to episode."""
        return self._mix is not None

    def _repeated(self, opponents: Opponents) -> Any:
        """Return the opponents as players; a single one is repeated for all seats but one."""
        opponents = with_models(opponents)
        return (opponents,) * (self.num_robots - 1) if isinstance(opponents, str | Player) else opponents

    def _players(self, opponents: Any) -> tuple[tuple[Player, ...], dict[str, Player]]:
        """Return the players in the order given, and by name those that are created here."""
        if not isinstance(opponents, Sequence):
            raise LineupError(
                f"opponents: {short_repr(opponents)}: expected a list of names and players, or their shares"
            )
        made: dict[str, Player] = {}
        kept = self._made if self._mix else {}  # players that stay in a mix keep their state
        for opponent in opponents:
            if isinstance(opponent, str):
                if opponent == SELF:
                    raise LineupError(f"opponents: '{SELF}': expected shares with it, such as {{'{SELF}': 1}}")
                made[opponent] = made.get(opponent) or kept.get(opponent) or make_player(opponent)
            elif not isinstance(opponent, Player):
                raise LineupError(f"opponents: {short_repr(opponent)}: expected the name of a player, or a Player")
        return tuple(made[o] if isinstance(o, str) else o for o in opponents), made

    def replace(self, opponents: Opponents) -> None:
        """Replace the opponents by the same number of others, or by a mix; call `reseat` afterwards.

        Raises:
            LineupError: There are too many or too few, or the learner is among them but has no rows for their seats. In
                that case nothing has changed.
        """
        listed = self._repeated(opponents)
        mix = Mix(listed) if isinstance(listed, Mapping) else None
        all_learn = self.num_learners == self.num_robots
        if mix and self.num_robots < 2:
            raise LineupError("opponents: expected none: the only robot is the learner's")
        if mix and mix.has_self and not all_learn:
            raise LineupError(
                f"opponents: '{SELF}': expected players only: the environment was made without rows for these seats"
            )
        players, made = self._players(mix.players if mix else listed)
        if mix is None and self.mixed:
            raise LineupError(f"opponents: {short_repr(listed)}: expected players with their shares, as before")
        if mix is None and len(players) != self._count:
            raise LineupError(f"opponents: {len(players)}: expected {self._count}, as many as before")
        close_players(player for name, player in self._made.items() if made.get(name) is not player)
        self.opponents, self._made, self._mix = players, made, mix
        self.names = _names(mix.players if mix else listed)
        if mix and all_learn:
            self._count = self.num_robots - 1

    def reseat(self, before: Sequence[Player], games: Array, seated: Array) -> None:
        """Give new players their seeds, and seat those of a new mix in games that have begun.

        A player that is still in the mix keeps its seat until its episode ends, and so does the learner. The seats of
        the other players are drawn anew.

        Args:
            before: The opponents that were replaced.
            games: (n,), dtype `GAME`.
            seated: int16, (n, robots); see `seat_players`; updated in place.
        """
        _seed_newcomers(self.opponents, before, int(games["seed"][0]))
        if not self._mix:
            return
        places = np.array([*(_place(self.opponents, player) for player in before), LEARNER], np.int16)
        for number in range(self.num_robots - self._count, self.num_robots):
            now = places[seated[:, number]]  # LEARNER is -1, which selects the last entry
            gone = (seated[:, number] >= 0) & (now < 0)
            now[gone] = self._mix.draw(games[gone], number, others=True)
            seated[:, number] = now

    def close(self) -> None:
        """Close the players that were created here from names; the others belong to the caller."""
        close_players(self._made.values())

    def reset(self, seed: int) -> None:
        """Give every opponent its own seed, derived from `seed`."""
        reset_players(self.opponents, seed % 2**64)

    def _first_seats(self, games: Array) -> Array:
        """Return the seat of the first learner in every game, (n,)."""
        if self.seat != ROTATE:
            return np.full(len(games), int(self.seat))
        if not self._count:
            return np.zeros(len(games), np.int64)
        first: Array = (games["index"].astype(np.int64) + games["episode"]) % games["num_robots"]
        return first

    @property
    def several(self) -> bool:
        """Tell whether the line-up was made with several numbers of robots."""
        return len(self._numbers) > 1

    @property
    def varies(self) -> bool:
        """Tell whether the number of robots is drawn for every episode, which a reset with `num_robots` turns off."""
        return self.several and self.chosen is None

    @property
    def at_table(self) -> int:
        """Return the highest number of robots of the current games; seats from this number on have no robot."""
        return self.num_robots if self.chosen is None else self.chosen

    def robots(self, seeds: Array, index: Array, episodes: Array) -> Array:
        """Return the number of robots of episodes, int64, (n,), by seeds, indices and episodes of games, (n,) each."""
        if not self.varies:
            return np.full(len(index), self.at_table)
        drawn = uniforms(seeds, index, episodes, MAX_ROBOTS)
        return self._numbers[(drawn * len(self._numbers)).astype(np.int64)]

    def _seats(self, first: Array, numbers: Array, count: Array) -> Array:
        """Return the seats of robots that are counted from the first learner around tables of `count` seats.

        Numbers from `count` on are returned unchanged, as seats without a robot.
        """
        return np.where(numbers < count, (first + numbers) % count, numbers)

    def learner_seats(self, games: Array) -> Array:
        """Return the seats of the rows, int8, (n, learners); those from `num_robots` on have no robot."""
        count = games["num_robots"].astype(np.int64)[:, None]
        return self._seats(self._first_seats(games)[:, None], np.arange(self.num_learners), count).astype(np.int8)

    def seat_players(self, games: Array) -> Array:
        """Return which player takes each seat in games that begin: int16, (n, robots).

        Seats are counted from the first learner around the table; values are indices into `opponents`, or `LEARNER`.
        """
        seated = np.full((len(games), self.num_robots), LEARNER, np.int16)
        for number in range(self.num_robots - self._count, self.num_robots):
            place = number - (self.num_robots - self._count)
            seated[:, number] = self._mix.draw(games, number) if self._mix else place
        return seated

    def seating(self, count: int, first: int, seated: Array) -> list[str | None]:
        """Return who plays each robot of a game: the names of players, None for the learner.

        Args:
            count: Robots of the game.
            first: The seat of the first learner.
            seated: The game's row of `seat_players`.
        """
        return [self._name(place) for place in seated[(np.arange(count) - first) % count]]

    def against(self, places: Array, seated: Array, number: int) -> dict[str, float]:
        """Return, for each player, the share of its robots that are placed behind a given robot; ties count half.

        Args:
            places: int8, (robots,): the robots' places, counted from the first learner around the table.
            seated: Who plays them, (robots,); see `seat_players`.
            number: The index of the given robot.
        """
        scores = (1 + np.sign(places - places[number])) / 2
        names = [self._name(place) for place in seated]
        return {
            name: float(np.mean([score for other, score in zip(names, scores, strict=True) if other == name]))
            for name in names
            if name is not None
        }

    def _name(self, place: int) -> str | None:
        return None if place == LEARNER else self.names[place]

    def give_orders(
        self, arena: Arena, games: Array, mask: Array, orders: Array, first: Array, seated: Array
    ) -> None:
        """Write the orders of all opponents.

        Args:
            arena: The arena of the games.
            games: (n,), dtype `GAME`.
            mask: bool, (n,): the games to write orders for.
            orders: (n, 8), dtype `FULL_ORDERS`: overwritten in the seats of opponents.
            first: (n,): the seats of the first learners.
            seated: The players of the seats; see `seat_players`.
        """
        count = games["num_robots"].astype(np.int64)
        for player in dict.fromkeys(self.opponents):
            places = [place for place, other in enumerate(self.opponents) if other is player]
            sits = np.isin(seated, places) & mask[:, None]
            chosen, numbers = np.nonzero(sits & (np.arange(self.num_robots) < count[:, None]))
            seats = self._seats(first[chosen], numbers, count[chosen])
            if len(chosen) == len(games) and (seats == seats[0]).all():
                orders[:, seats[0]] = orders_from(player, arena, games, int(seats[0]))
            elif len(chosen):
                orders[chosen, seats] = orders_from_seats(player, arena, take_games(games, chosen), seats)


def with_models(opponents: Any) -> Any:
    """Return opponents with each model of Stable-Baselines3 among them converted to one player."""
    made: dict[int, Any] = {}

    def player(value: Any) -> Any:
        if is_model(value) and id(value) not in made:
            made[id(value)] = as_player(value)
        return made.get(id(value), value)

    if isinstance(opponents, Mapping):
        return {player(key): share for key, share in opponents.items()}
    if isinstance(opponents, list | tuple):
        return [player(value) for value in opponents]
    return player(opponents)


def _names(opponents: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of opponents: as they were given, or of the player objects."""
    return tuple(opponent if isinstance(opponent, str) else opponent.name for opponent in opponents)


def _place(players: Sequence[Player], player: Player) -> int:
    """Return the index of a player among `players`, or `LEARNER` if it is not among them."""
    return next((place for place, other in enumerate(players) if other is player), LEARNER)


def _seed_newcomers(players: Sequence[Player], before: Sequence[Player], seed: int) -> None:
    """Give the players that were not among those `before` seeds derived from the environment's."""
    kept = {id(player) for player in before}
    for place, player in enumerate(players):
        if id(player) not in kept:
            kept.add(id(player))  # a player may be listed for several seats
            reset_player(player, int(np.random.SeedSequence([seed, place, 1]).generate_state(1, np.uint64)[0]))
