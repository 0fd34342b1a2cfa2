"""The registry of players by name: built-in ones, policies, programs, and those that users register."""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.player_calls import FailedPlayerError, failures_of
from rr_gym.player_names import BOT, BUILT_IN, MODEL, PERSON, PROGRAM, SPEC_FILE
from rr_gym.players import GreedyPlayer, PlannerPlayer, Player, RacerPlayer, RandomPlayer
from rr_gym.players.planner import DEFAULT_TURNS, EQUILIBRIUM_TURNS, read_budget


class PlayerError(RoboRallyError):
    """A player that is not registered, or an option that it does not have."""


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """One registered player.

    Attributes:
        name: The name of the player.
        factory: Creates the player, given its options.
        doc: One line on how it plays.
        read: Turns the text in ``name:text`` into options; None if no text may follow the name.
    """

    name: str
    factory: Callable[..., Player]
    doc: str
    read: Callable[[str], dict[str, Any]] | None = None


class Model(Protocol):
    """A trained model of Stable-Baselines3, as far as types are concerned; see `is_model`."""

    policy: Any
    observation_space: Any

    def predict(self, observation: Any, *args: Any, **options: Any) -> Any:
        """Return actions for observations."""


PLAYERS: dict[str, PlayerEntry] = {}
_SEPARATORS = {"/", os.sep}
SHIPPED = Path(__file__).parent / "policies" / "shipped"  # policies in the package
# An option before the command, and the rest
_OPTION = re.compile(r"(seconds|sandbox|protocol|bank)=(\S*)\s+(.+)", re.DOTALL)


def register_player(
    name: str, factory: Callable[..., Player], doc: str, read: Callable[[str], dict[str, Any]] | None = None
) -> None:
    """Register a player under a name.

    Args:
        name: The name, of letters, digits, `_`, `-` and `.`.
        factory: Called with the options given to `make_player`, by keyword; returns a `Player`.
        doc: One line on how the player plays.
        read: For names such as ``planner:20k``: turns the text after the colon into options, or raises a
            `RoboRallyError`.

    Raises:
        PlayerError: The name is taken by another player or malformed, or the factory cannot be called.
    """
    if not isinstance(name, str) or not name or not all(c.isalnum() or c in "_-." for c in name):
        raise PlayerError(f"player name {short_repr(name)}: expected letters, digits, '_', '-' and '.'")
    if name in (PROGRAM, BOT) or (name in PLAYERS and PLAYERS[name].factory is not factory):
        raise PlayerError(f"player name '{name}': already registered")
    if not callable(factory):
        raise PlayerError(f"player '{name}': factory: {short_repr(factory)}: expected a function that creates it")
    PLAYERS[name] = PlayerEntry(name, factory, doc, read)


def as_player(value: Any) -> Any:
    """Return a trained model of Stable-Baselines3 as a player; return anything else as it is.

    Raises:
        PolicyError: The model does not say what it observes.
    """
    return make_player(value) if is_model(value) else value


def is_model(value: Any) -> bool:
    """Tell whether a value is a model of Stable-Baselines3, without importing that library."""
    library = sys.modules.get("stable_baselines3.common.base_class")
    return library is not None and isinstance(value, library.BaseAlgorithm)


def make_player(name: str | Model, **options: Any) -> Player:
    """Create a player by its registered name, from the folder of a policy (docs/policies.md), or of a trained model.

    Args:
        name: The name, such as ``greedy``, ``planner:20k`` or ``runs/mine``; it becomes the name of the player. Or a
            model of Stable-Baselines3, whose weights are copied.
        options: Options of the player, which its factory takes by keyword.

    Raises:
        PlayerError: There is no such player, or it does not have such an option.
        PolicyError: The folder holds no valid policy, or the model does not say what it observes.
        FailedPlayerError: The factory raised an error, or returned something other than a `Player`.
    """
    factory, named_options = _factory(name)
    called = name if isinstance(name, str) else type(name).__name__
    with failures_of(called, "cannot be made"):
        signature = inspect.signature(factory)
    try:
        signature.bind(**options, **named_options)
    except TypeError as error:
        known = ", ".join(signature.parameters) or "none"
        raise PlayerError(f"player '{called}': {error}; its options: {known}") from None
    try:
        with failures_of(called, "cannot be made"):
            player = factory(**options, **named_options)
    except RoboRallyError as error:
        if named_options:  # the bad option is a part of the name
            raise type(error)(f"player '{called}': {error}") from error
        raise
    if not isinstance(player, Player):
        raise FailedPlayerError(f"player '{called}': cannot be made: {short_repr(player)}: expected a Player")
    if isinstance(name, str) and (named_options or name not in PLAYERS):
        player.name = name  # a policy calls itself by the last part of its path, which need not be unique
    return player


def check_player(name: str) -> None:
    """Raise PlayerError if `make_player` cannot know a player of that name. Policies are not opened."""
    _factory(name)


def _factory(name: Any) -> tuple[Callable[..., Player], dict[str, Any]]:
    """Return the factory of a player and the options that its name contains."""
    if is_model(name):
        from rr_gym.policies.model_player import player_of_model

        return partial(player_of_model, name), {}
    if not isinstance(name, str) or not name.isprintable():
        raise PlayerError(f"there is no player {short_repr(name)}: expected a name on one line")
    registered = name.partition(":")[0]
    if registered in (PROGRAM, BOT):
        # A program runs code, for which a name in a configuration must not be enough.
        raise PlayerError(f"player '{name}': programs play where a command line names them, or Python (ProgramPlayer)")
    options = options_in(name)
    if options is not None:
        return PLAYERS[registered].factory, options
    if _means_policy(name):
        return _policy_factory(name), {}
    if registered in PLAYERS:
        raise PlayerError(f"player '{name}': '{registered}' takes no text after a colon: expected '{registered}'")
    if name == PERSON:
        raise PlayerError(f"player '{name}': people play with rr-gym play; with --web there may be several")
    hint = did_you_mean(name, PLAYERS)
    expected = f": {hint}" if hint else f": expected {_names()}, or the folder of a policy"
    raise PlayerError(f"there is no player '{name}'{expected}")


def options_in(name: str) -> dict[str, Any] | None:
    """Return the options that the name of a registered player contains, such as ``planner:20k``; None for other names.

    Raises:
        RoboRallyError: What follows the colon is malformed.
    """
    registered, colon, text = name.partition(":")
    entry = PLAYERS.get(registered)
    if entry is None or (colon and not entry.read):
        return None
    with failures_of(name, "its name cannot be read"):
        return entry.read(text) if colon and entry.read else {}


def list_players() -> tuple[PlayerEntry, ...]:
    """Return all registered players, sorted by name."""
    return tuple(PLAYERS[name] for name in sorted(PLAYERS))


def _means_policy(name: str) -> bool:
    """Tell whether an unregistered name means a policy: it is a path, a model, or a folder that holds a policy."""
    if name.endswith(MODEL) or any(c in name for c in _SEPARATORS):
        return True
    with suppress(OSError):  # the name may be too long for a file
        return (Path(name) / SPEC_FILE).is_file()
    return False


def policy_folder(name: str | os.PathLike[str]) -> Path:
    """Return the folder of a policy, given the name of a shipped one such as ``champion``, or the path of a folder.

    An existing folder of that name takes precedence over a shipped policy.
    """
    path = Path(name)
    shipped = SHIPPED / path
    return shipped if len(path.parts) == 1 and not path.exists() and shipped.is_dir() else path


def _policy_factory(path: str) -> Callable[..., Player]:
    """Return a factory that creates a player from the folder of a policy."""
    if path.endswith(MODEL):
        # Reading a model runs code in it, for which a name in a configuration must not be enough.
        hint = f"rr-gym export {path} --out FOLDER makes one"
        raise PlayerError(f"player '{path}': expected the folder of a policy: {hint}")
    # PyTorch is loaded only where a policy plays.
    from rr_gym.policies.player import PolicyPlayer

    return partial(PolicyPlayer, path)


def _names() -> str:
    return " | ".join(sorted(PLAYERS))


def typed_player(name: str, sandbox: str | None = None) -> Player | str:
    """Create the player that the user named on a command line, if the name is one that may run code of others.

    Models, programs and submissions run code, so they are accepted here alone, and never in configurations.

    Args:
        name: The path of a model, which is read; or ``program:COMMAND`` for an external program (docs/protocol.md), or
            ``bot:DIR`` for a submission (docs/bots.md), both with options before the command or the folder:
            ``program:seconds=N bank=N protocol=2 sandbox=KIND COMMAND``; or any other name.
        sandbox: The kind of sandbox of programs and submissions that name none; None for the strongest that works here.

    Returns:
        The player; or the name itself, if `make_player` is to create the player.

    Raises:
        RoboRallyError: There is no such model, program, submission or sandbox.
    """
    kind, colon, text = name.partition(":")
    if kind in (PROGRAM, BOT) and colon:
        chosen: dict[str, Any] = {"sandbox": sandbox}
        options, text = program_options(text)
        for word, value in options:
            if word in ("seconds", "bank"):
                chosen[word] = _seconds(name, word, value)
            elif word == "protocol":
                chosen[word] = _protocol(kind, name, value)
            else:
                chosen[word] = value
        return _external(kind, name, text, chosen)
    if not name.endswith(MODEL):
        return name
    from rr_gym.policies import PolicyPlayer
    from rr_gym.policies.models import read_model

    player = PolicyPlayer(read_model(Path(name)))
    player.name = name
    return player


def program_options(text: str) -> tuple[list[tuple[str, str]], str]:
    """Split what follows ``program:`` or ``bot:`` into its options, and the command or the folder."""
    options = []
    while option := _OPTION.match(text):
        word, value, text = option.groups()
        options.append((word, value))
    return options, text


def _seconds(name: str, option: str, text: str) -> float:
    """Read an option in seconds in the name of a player. Raises PlayerError."""
    if not re.fullmatch(r"\d+(\.\d+)?", text) or not 0 < float(text) < math.inf:
        raise PlayerError(f"player '{name}': {option}: {short_repr(text)}: expected a number above 0, such as 2.5")
    return float(text)


def _protocol(kind: str, name: str, text: str) -> int:
    """Read the version of the protocol in the name of a player. Raises PlayerError."""
    if kind == BOT:
        raise PlayerError(f"player '{name}': protocol: {short_repr(text)}: expected none: the bot's manifest says it")
    if text not in ("1", "2"):
        raise PlayerError(f"player '{name}': protocol: {short_repr(text)}: expected 1 or 2")
    return int(text)


def _external(kind: str, name: str, text: str, chosen: dict[str, Any]) -> Player:
    """Create a player that is a program, or a submission in a folder, with its options. Raises RoboRallyError."""
    from rr_gym.players.program import ProgramPlayer

    try:
        if kind == BOT:
            from rr_gym.bots import open_bot

            return open_bot(text, **chosen)
        program = ProgramPlayer(text, **chosen)
    except RoboRallyError as error:
        own = str(error).startswith(("sandbox:", "bank:"))
        raise type(error)(f"player '{name}': {error}") if own else error from None
    program.name = name
    return program


def open_player(name: str, sandbox: str | None = None) -> Player:
    """Create the player that the user named on a command line: a model, a program, or one that `make_player` knows.

    Args:
        name: As for `typed_player`.
        sandbox: As for `typed_player`.

    Raises:
        RoboRallyError: There is no such player.
    """
    player = typed_player(name, sandbox)
    return make_player(player) if isinstance(player, str) else player


def _trained(name: str) -> Callable[..., Player]:
    """Return a factory that creates a player from a policy that ships with the package."""

    def make(sample: bool = False) -> Player:
        from rr_gym.policies.player import PolicyPlayer

        return PolicyPlayer(SHIPPED / name, sample)

    return make


def _strategist(
    turns: int = DEFAULT_TURNS, milliseconds: int | None = None, policy: str | os.PathLike[str] = SHIPPED / "champion",
    values: str | os.PathLike[str] | None = None,
) -> Player:  # fmt: skip
    from rr_gym.policies.strategist import StrategistPlayer

    return StrategistPlayer(policy_folder(policy), turns, milliseconds, policy_folder(values) if values else None)


def _equilibrium(
    turns: int = EQUILIBRIUM_TURNS, policy: str | os.PathLike[str] = SHIPPED / "champion",
    values: str | os.PathLike[str] | None = None,
) -> Player:  # fmt: skip
    from rr_gym.equilibrium.player import EquilibriumPlayer

    return EquilibriumPlayer(policy_folder(policy), turns, policy_folder(values) if values else None)


def _read_search(text: str, player: str) -> dict[str, Any]:
    """Parse the options behind the colon of a name such as ``strategist:BUDGET@POLICY+VALUES``, or a part of them."""
    budget, at, policies = text.partition("@")
    policy, plus, values = policies.partition("+")
    if (at and not policy) or (plus and not values):
        raise PlayerError(f"{player}:{text}: expected policies after '@' and '+': names of shipped ones, or folders")
    found: dict[str, Any] = read_budget(budget, player) if budget or not at else {}
    return found | ({"policy": policy} if at else {}) | ({"values": values} if plus else {})


def _read_equilibrium(text: str) -> dict[str, Any]:
    """Parse the options behind the colon of ``equilibrium:TURNS@POLICY+VALUES``."""
    found = _read_search(text, "equilibrium")
    if "milliseconds" in found:
        raise PlayerError(f"equilibrium:{text}: expected a budget in simulated turns, such as 1500 or 20k")
    return found


_FACTORIES: dict[str, Callable[..., Player]] = {
    "champion": _trained("champion"),
    "equilibrium": _equilibrium,
    "grandmaster": _trained("grandmaster"),
    "greedy": GreedyPlayer,
    "planner": PlannerPlayer,
    "racer": RacerPlayer,
    "random": RandomPlayer,
    "rookie": _trained("rookie"),
    "strategist": _strategist,
    "veteran": _trained("veteran"),
}
# Readers of the text behind a colon
_READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "equilibrium": _read_equilibrium,
    "planner": read_budget,
    "strategist": partial(_read_search, player="strategist"),
}
for _name, _doc in BUILT_IN.items():
    register_player(_name, _FACTORIES[_name], _doc, _READERS.get(_name))
