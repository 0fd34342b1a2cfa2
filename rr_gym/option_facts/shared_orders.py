"""Orders about several option cards or all of them. Orders about a single card are in the row of that card."""

from __future__ import annotations

from rr_gym.option_facts.order import CardOrder

SHARED_ORDERS = (
    CardOrder(
        name="movement_option",
        place=2,
        kind="choice",
        default="none",
        words="MOVEMENT_OPTION_NAMES",
        per_register=True,
        on_table=True,
        programmed=True,
        says="how the register's cards are executed: `crab_legs`, `dual_processor`, `overload` (two cards, that of the "
        "program first), `overload_second_first`, `overload_empty` (its card is not executed), `big_jet`, or "
        "`retro_1` to `retro_3` counters",
    ),
    CardOrder(
        name="second",
        place=3,
        kind="card",
        choices=12,
        per_register=True,
        on_table=True,
        programmed=True,
        says="the extra card of a register with `crab_legs`, `dual_processor`, `overload` or `overload_second_first`",
        chooses="1 to 11: the card in this slot of the hand as dealt; 0: the highest unused card that fits",
    ),
    CardOrder(
        name="gadget",
        place=4,
        kind="choice",
        default="none",
        words="GADGET_NAMES",
        per_register=True,
        on_table=True,
        programmed=True,
        says="the token on the register, which is laid there",
    ),
    CardOrder(
        name="weapon",
        place=9,
        kind="choice",
        default="main",
        words="WEAPON_NAMES",
        per_register=True,
        says="what fires; `homing` and `interceptor` shoot the tokens of Homing Device and Interceptor",
    ),
    CardOrder(
        name="fallback_to_laser",
        word="wcond",
        place=18,
        kind="flag",
        default=True,
        per_register=True,
        rare=True,
        says="true: fall back to the main laser if the weapon has no legal target; false: hold the shot",
    ),
    CardOrder(
        name="gear",
        place=10,
        kind="flag",
        default=False,
        per_register=True,
        says="use Brakes, Reverse Gears or Fourth Gear, whichever fits a card of this phase (U58)",
    ),
    CardOrder(
        name="sacrifice_threshold",
        word="sac_thr",
        place=32,
        kind="number",
        default=10,
        high=11,
        rare=True,
        lasting=True,
        says="give up options only for points that would raise the damage to this or more: 11 never, 0 always; 10 only "
        "to avoid destruction",
        chooses="1 to 10: 0 to 9; 11: 11; 0: 10",
    ),
    CardOrder(
        name="give_up",
        place=33,
        kind="options",
        choices=12,
        rare=True,
        lasting=True,
        says="option ids, ten at most, in the order in which they are given up; an explicit list prevents every point "
        "from the first on, an empty one gives up nothing (U24); none: by `sacrifice_threshold`",
        chooses="k: give up the robot's k-th option for the next point of damage, and no others",
    ),
    CardOrder(
        name="lose",
        place=34,
        kind="option",
        choices=12,
        rare=True,
        lasting=True,
        says="the option lost when destroyed or over the limit; by default that of the lowest value, Superior Archive "
        "first",
        chooses="k: the robot's k-th option; 0: the least valuable",
    ),
    CardOrder(
        name="keep",
        place=35,
        kind="number",
        low=1,
        high=8,
        rare=True,
        lasting=True,
        needs="offers",
        says="of several options on offer (turbo wrenches, scavenger hunt; in scenarios also packages and drafts) the "
        "one with this rank by value, 1 to 8; by default the best",
        chooses="1 to 8: the rank; 0: the best",
    ),
    CardOrder(
        name="chop_option",
        place=36,
        kind="option",
        choices=12,
        rare=True,
        lasting=True,
        needs="chop shops",
        says="the option that a chop shop swaps or reloads; by default it swaps the least valuable one and reloads the "
        "emptiest",
        chooses="k: the robot's k-th option; 0: the least valuable, or the emptiest",
    ),
)
