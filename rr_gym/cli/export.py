"""``rr-gym export``: a trained model as a policy folder, which holds no code and can be named as a player."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.cli.grammar.arguments import add, completed
from rr_gym.cli.grammar.resuming import check_folder
from rr_gym.cli.grammar.words import ListAction


def add_parser(subparsers: Any) -> None:
    """Register ``export``."""
    parser = subparsers.add_parser("export", help="turn a trained model (.zip) into a policy folder")
    completed(
        parser.add_argument("model", metavar="MODEL", type=Path, help="what Stable-Baselines3 or sb3-contrib saved"),
        "file",
    )
    add(parser, "--out", required=True, note="the folder of the policy")
    add(parser, "--force")
    facts = parser.add_argument_group("what the model was trained on, where it does not say so itself")
    add(facts, "--observation", note="what the model observes")
    facts.add_argument("--window", type=int, metavar="N", help="width of the part of the board that is seen")
    facts.add_argument("--num-robots", type=int, metavar="N", help="robots of a game")
    add(facts, "--action", choices=("draw", "slots", "cards"))
    facts.add_argument(
        "--decisions", action=ListAction, metavar="NAME,...",
        help="optional components of its actions, such as power_down,facing, or none; repeatable",
    )  # fmt: skip
    facts.add_argument("--preview", action="store_true", default=None, help="with cards: it saw the previewed pose")
    facts.add_argument("--lookahead", choices=LOOKAHEADS, help="with choices: what it knew beyond them")
    add(facts, "--elements", note="their groups that it saw, such as levels,oil, or none")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the model and write the policy."""
    from rr_gym.errors import RoboRallyError
    from rr_gym.policies.models import read_model
    from rr_gym.policies.spec import FACTS
    from rr_gym.policies.store import SPEC_FILE, save_policy

    check_folder(args.out, SPEC_FILE)
    if (args.out / SPEC_FILE).exists() and not args.force:
        raise RoboRallyError(f"--out {args.out}: it holds a policy: --force replaces it, --out names another folder")
    for name in ("decisions", "elements"):
        if getattr(args, name) == ["none"]:
            setattr(args, name, [])
    given = {name: getattr(args, name) for name in FACTS if getattr(args, name, None) is not None}
    print(f"policy: {save_policy(read_model(args.model, given), args.out)}")
    return 0
