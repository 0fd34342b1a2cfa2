"""``rr-gym prompt``: a position as text for language models."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from rr_gym.cli.grammar.arguments import ONE_COURSE, shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import Whole
from rr_gym.errors import RoboRallyError, whole_number

_OF_NEW_GAMES = ("players", "course", "set", "seed", "turns")


@command(examples=("rr-gym prompt play/game.json --seat 1", "rr-gym prompt --course checkmate --turns 3"))
@click.argument("file", type=click.Path(path_type=Path), required=False, help="a saved game")
@shared("--players", note="players of the turns before the position, one per robot; four times greedy by default")
@shared("--course", note="only one", **ONE_COURSE)
@shared("--set")
@shared("--seed", note="0 by default")
@shared("--turns", type=Whole(0), note="before the position; 0 by default")
@shared("--seat", default=0, note="whose view it is")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Print a position as text for language models, with its approximate length in tokens.

    The prompt is what a seat sees: the course, the robots, the hand, the locked registers, what each card alone would
    do. The position is that of a saved game, or comes from a new one. The length goes to stderr.
    """
    from rr_gym.play.prompt import count_tokens, prompt

    output = Output(args.json)
    game = _saved_game(args) if args.file else _new_game(args)
    if game.over:
        raise RoboRallyError("the game is over: expected one that is not over, or a smaller number for --turns")
    text = prompt(game, args.seat)
    output.show(text)
    print(f"{len(text):,} characters, about {count_tokens(text):,} tokens", file=sys.stderr)
    output.write({"prompt": text, "characters": len(text), "tokens": count_tokens(text)})
    return 0


def _saved_game(args: SimpleNamespace) -> Any:
    from rr_gym.game import Game

    given = [name for name in _OF_NEW_GAMES if getattr(args, name) not in (None, {})]
    if given:
        raise RoboRallyError(f"--{given[0]}: expected none with a saved game")
    return Game.load(args.file)


def _new_game(args: SimpleNamespace) -> Any:
    from rr_gym.game import Game
    from rr_gym.player_calls import close_players, reset_player
    from rr_gym.registry import make_player

    turns, seed = whole_number("--turns", args.turns or 0, 0), args.seed or 0
    course, names = args.course or "risky_exchange", args.players or ["greedy"] * 4
    game = Game(course, len(names), seed=seed, settings=args.set)
    players = [make_player(name) for name in names]
    for seat, player in enumerate(players):
        reset_player(player, seed + seat)
    while game.turn < turns and not game.over:
        game.play(dict(enumerate(players)))
    close_players(players)
    return game
