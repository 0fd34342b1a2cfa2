"""``rr-gym export``: a trained model as a policy folder, which holds no code and can be named as a player."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import click

from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.resuming import check_folder
from rr_gym.cli.grammar.words import OneOf, Whole, names

OF_THE_MODEL = "What the model was trained on, where it does not say so itself"


@command(examples=("rr-gym export model.zip --out policy --observation planes --action cards",))
@click.argument("model", type=click.Path(path_type=Path), help="a file that Stable-Baselines3 or sb3-contrib saved")
@shared("--out", required=True, note="the folder of the policy")
@shared("--force")
@shared("--observation", section=OF_THE_MODEL, note="what the model observes")
@option("--window", type=Whole(), metavar="N", section=OF_THE_MODEL, help="width of the part of the board observed")
@option("--num-robots", type=Whole(), metavar="N", section=OF_THE_MODEL, help="robots of a game")
@shared("--action", section=OF_THE_MODEL, type=OneOf(("draw", "slots", "cards")))
@option(
    "--decisions", **names(), metavar="NAME,...", section=OF_THE_MODEL,
    help="optional components of its actions, such as power_down,facing, or none; repeatable",
)  # fmt: skip
@option(
    "--preview", is_flag=True, default=None, section=OF_THE_MODEL,
    help="with the action cards: it observed the previewed pose",
)  # fmt: skip
@option(
    "--lookahead", type=OneOf(LOOKAHEADS), section=OF_THE_MODEL,
    help="with the observation choices: how far it looked beyond each choice",
)  # fmt: skip
@shared("--elements", section=OF_THE_MODEL, note="the groups of elements that it observed, such as levels,oil, or none")
def run(args: SimpleNamespace) -> int:
    """Turn a trained model (.zip) into a policy folder, which holds no code."""
    from rr_gym.errors import RoboRallyError
    from rr_gym.player_names import SPEC_FILE
    from rr_gym.policies.models import read_model
    from rr_gym.policies.spec import FACTS
    from rr_gym.policies.store import save_policy

    check_folder(args.out, SPEC_FILE)
    if (args.out / SPEC_FILE).exists() and not args.force:
        raise RoboRallyError(f"--out {args.out}: it holds a policy: --force replaces it, --out names another folder")
    for name in ("decisions", "elements"):
        if getattr(args, name) == ["none"]:
            setattr(args, name, [])
    given = {name: getattr(args, name) for name in FACTS if getattr(args, name, None) is not None}
    print(f"policy: {save_policy(read_model(args.model, given), args.out)}")
    return 0
