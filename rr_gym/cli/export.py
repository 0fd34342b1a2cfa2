"""``rr-gym export``: a trained model as a policy folder, which holds no code and can be named as a player."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("export", help="turn a trained model (.zip) into a policy folder")
    parser.add_argument("model", type=Path, help="a model that Stable-Baselines3 or sb3-contrib saved")
    parser.add_argument("folder", type=Path, help="where the policy is written")
    facts = parser.add_argument_group("what the model was trained on, where it does not say so itself")
    facts.add_argument("--observation", help="name of the observation, such as flat")
    facts.add_argument("--window", type=int, help="width of the part of the board that is seen")
    facts.add_argument("--num-robots", type=int, help="robots of a game")
    facts.add_argument("--action", help="draw, slots or cards")
    facts.add_argument("--decisions", nargs="*", help="optional components of its actions, such as power facing")
    facts.add_argument("--preview", action="store_true", default=None, help="with cards: it saw the previewed pose")
    facts.add_argument("--elements", nargs="*", help="groups of board elements that it saw, such as levels oil")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.policies.models import read_model
    from rr_gym.policies.spec import FACTS
    from rr_gym.policies.store import save_policy

    given = {name: getattr(args, name) for name in FACTS if getattr(args, name, None) is not None}
    print(f"policy: {save_policy(read_model(args.model, given), args.folder)}")
    return 0
