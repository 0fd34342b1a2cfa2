"""``rr-gym prompt``: a position as a text for language models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.arguments import add, completed, one
from rr_gym.cli.grammar.output import Output
from rr_gym.errors import RoboRallyError, whole_number

_OF_NEW_GAMES = ("players", "course", "set", "seed", "turns")


def add_parser(subparsers: Any) -> None:
    """Register ``prompt``."""
    parser = subparsers.add_parser(
        "prompt",
        help="a position as a text for language models, with about its length in tokens",
        description="Prints what a seat sees as a prompt for a language model: the course, the robots, the hand, what "
        "is locked, what each card alone would do. The position is that of a saved game, or comes from a new one. The "
        "length goes to stderr.",
    )
    completed(parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a saved game"), "file")
    add(parser, "--players", note="who play the turns before, one per robot; four times greedy by default")
    add(parser, "--course", note="here only one")
    add(parser, "--set")
    add(parser, "--seed", note="0 by default")
    add(parser, "--turns", note="before the position, 0 by default")
    add(parser, "--seat", default=0, note="whose view it is")
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the prompt."""
    from rr_gym.play.prompt import count_tokens, prompt

    output = Output(args.json)
    game = _saved_game(args) if args.file else _new_game(args)
    if game.over:
        raise RoboRallyError("the game is over: expected one that goes on, or fewer --turns")
    text = prompt(game, args.seat)
    output.show(text)
    print(f"{len(text):,} characters, about {count_tokens(text):,} tokens", file=sys.stderr)
    output.write({"prompt": text, "characters": len(text), "tokens": count_tokens(text)})
    return 0


def _saved_game(args: argparse.Namespace) -> Any:
    from rr_gym.game import Game

    given = [name for name in _OF_NEW_GAMES if getattr(args, name) not in (None, {})]
    if given:
        raise RoboRallyError(f"--{given[0]}: expected none with a saved game")
    return Game.load(args.file)


def _new_game(args: argparse.Namespace) -> Any:
    from rr_gym.asking import close_players, reset_player
    from rr_gym.game import Game
    from rr_gym.registry import make_player

    turns, seed = whole_number("--turns", args.turns or 0, 0), args.seed or 0
    course, names = one(args.course, "--course") or "risky_exchange", args.players or ["greedy"] * 4
    game = Game(course, len(names), seed=seed, settings=args.set)
    players = [make_player(name) for name in names]
    for seat, player in enumerate(players):
        reset_player(player, seed + seat)
    while game.turn < turns and not game.over:
        game.play(dict(enumerate(players)))
    close_players(players)
    return game
