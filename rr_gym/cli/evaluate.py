"""``rr-gym evaluate``: many games of a player, and what they say with 95 % confidence."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation import Evaluation

CLAIMS = ("win", "finish", "flags")  # figures of which more is better


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="play many games of a player and report how it does",
        description="Plays a player alone or against others, every deal with everybody in every seat, and reports its "
        "figures with 95 % intervals. Ctrl-C ends the run with a report of what was played. The exit status is 1 if "
        "a claim of --at-least is not borne out.",
    )
    parser.add_argument(
        "player", metavar="PLAYER",
        help="who is tested: a registered name, a folder of a policy, a model (.zip; reading it runs its code), or a "
        "program (program:COMMAND)",
    )  # fmt: skip
    parser.add_argument("--against", nargs="+", default=[], metavar="PLAYER", help="the other players (none: alone)")
    parser.add_argument(
        "--course", nargs="+", default=["risky_exchange"], metavar="COURSE",
        help="ids or paths; with several each has as many deals (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="rounded up to whole deals (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the deals and players (%(default)s)")
    add_salt_option(parser)
    add_game_options(parser)
    parser.add_argument("--batch", type=int, default=128, metavar="N", help="deals played at a time (%(default)s)")
    parser.add_argument(
        "--at-least", nargs="+", action="extend", default=[], metavar="FIGURE=P",
        help="claims about PLAYER: the lower end of its interval is P or more; win, finish or flags",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON too")
    parser.set_defaults(run=run)


def add_salt_option(parser: argparse.ArgumentParser) -> None:
    """``--salt``, of every command that plays games with programs."""
    parser.add_argument(
        "--salt", metavar="HEX",
        help="128 bits that enter the chance beside the seed, to play the same games again; 0 for none (default: drawn "
        "and reported where a program plays, else none)",
    )  # fmt: skip


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """What every command says alike of the games that it plays; `read_settings` reads ``--set``."""
    parser.add_argument(
        "--max-cycles", type=int, default=100, metavar="N", help="turns before a game is broken off (%(default)s)"
    )
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="settings, such as lives=1"
    )


def run(args: argparse.Namespace) -> int:
    from rr_gym.errors import RoboRallyError
    from rr_gym.evaluation import Match
    from rr_gym.files import write_file
    from rr_gym.registry import typed_player

    claims = read_claims(args.at_least)
    if args.json and args.json.is_dir():
        raise RoboRallyError(f"--json {args.json}: expected a file")
    match = Match(
        typed_player(args.player), [typed_player(name) for name in args.against],
        course=args.course, games=args.games, seed=args.seed, max_cycles=args.max_cycles,
        settings=read_settings(args.set), batch=args.batch, salt=args.salt,
    )  # fmt: skip
    if match.num_games != args.games:
        print(f"rr-gym: {args.games:,} games are rounded up to {match.num_games:,}: whole deals", file=sys.stderr)
    progress = Progress()
    try:
        match.play(progress)
    except KeyboardInterrupt:
        progress.close()
        if not match.num_played:
            raise
        print("rr-gym: interrupted: what follows is of the deals before", file=sys.stderr)
    else:
        progress.close()
    evaluation = match.result()
    print(evaluation.text())
    if args.json:
        write_file(args.json, json.dumps(evaluation.to_json(), indent=1, allow_nan=False) + "\n")
    borne_out = check_claims(evaluation, claims)
    return 130 if not evaluation.complete else 0 if borne_out else 1


def read_settings(words: Sequence[str]) -> dict[str, Any]:
    """Settings from words such as ``lives=1``; values are YAML. Raises RoboRallyError."""
    from rr_gym import yaml12

    return {name: yaml12.load(value, f"--set {name}") for name, value in _pairs("--set", words, "lives=1").items()}


def read_claims(words: Sequence[str]) -> dict[str, float]:
    """Least values by figure from words such as ``finish=0.6``. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError, did_you_mean

    claims = {}
    for name, value in _pairs("--at-least", words, "finish=0.6").items():
        if name not in CLAIMS:
            hint = did_you_mean(name, CLAIMS) or f"expected {' | '.join(CLAIMS)}"
            raise RoboRallyError(f"--at-least: there is no claim about '{name}': {hint}")
        try:
            claims[name] = float(value)
        except ValueError:
            raise RoboRallyError(f"--at-least {name}={value}: expected a number") from None
        if not 0 <= claims[name] <= (8 if name == "flags" else 1):
            raise RoboRallyError(f"--at-least {name}={value}: expected 0 to {8 if name == 'flags' else 1}")
    return claims


def _pairs(option: str, words: Sequence[str], example: str) -> dict[str, str]:
    from rr_gym.errors import RoboRallyError

    pairs: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise RoboRallyError(f"{option} {word}: expected a name and a value, such as {example}")
        if name in pairs:
            raise RoboRallyError(f"{option}: '{name}' is there twice")
        pairs[name] = value
    return pairs


def check_claims(evaluation: Evaluation, claims: dict[str, float]) -> bool:
    """Print whether the claims about the player under test are borne out; True if all are."""
    player = evaluation.players[0]
    low = {name: getattr(player, name).low for name in claims}
    for name, least in claims.items():
        verdict = "yes" if low[name] >= least else "no"
        print(f"{name} of {player.name} at least {least:g}: {verdict}, its interval begins at {low[name]:.4f}")
    return all(low[name] >= least for name, least in claims.items())
