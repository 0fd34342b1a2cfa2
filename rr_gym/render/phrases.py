"""The phrases from which `rr_gym.render.words` makes sentences; it fills in `{robot}`, `{other}` and the like."""

from __future__ import annotations

from rr_gym.courses.elements import ELEMENTS
from rr_gym.option_facts import OPTION_CARDS

CARD_WORDS = ("no card", "U-turn", "Rotate left", "Rotate right", "Back up", "Move 1", "Move 2", "Move 3")  # by type
FACING_WORDS = ("north", "east", "south", "west")
SIDE_WORDS = ("no side", "the front", "the right side", "the back", "the left side")  # as in SHIELD_NAMES

STEP_WORDS = {
    "setup": "Setup",
    "T1": "Upkeep",
    "T2": "Start of the turn",
    "T3": "Deal",
    "T4": "Programming",
    "T5": "Announcements",
    "A1": "Start of the phase",
    "A2": "Cards are revealed",
    "A3": "Randomizers",
    "A4": "Crumbly ground",
    "A5": "Gadgets",
    "A6": "Drawbridges",
    "B1": "Robots move",
    "B2": "Repeaters",
    "B3": "Platforms",
    "B4": "Robots have moved",
    "C1": "Particle accelerators",
    "C2": "Ventilators",
    "C3": "Rotating belts",
    "C4": "Gold belts",
    "C5": "Express belts",
    "C6": "All belts",
    "C7": "Flip belts",
    "C8": "Currents",
    "C9": "Jacks-in-the-box",
    "C10": "Pushers",
    "C10b": "Magnets and black holes",
    "C11": "Gears",
    "C12": "Crushers",
    "C13": "Elevators",
    "D0": "Arming",
    "D1": "Lasers",
    "D2": "Weapons push",
    "D3": "Hazards",
    "D4": "Devices",
    "E1": "Checkpoints",
    "E2": "Sites",
    "E3": "Virtual robots",
    "F1": "Landings",
    "F2": "Repairs",
    "F3": "Rotating rooms",
    "F4": "Virtual robots",
    "F5": "Re-entry",
    "F6": "Clean-up",
}

# By kind of event; `rr_gym.render.words` has other phrases for some events of these kinds
EVENTS = {
    "dealt": "{robot} gets {cards}",
    "programmed": "{robot} puts {card} into register {value}",
    "announced": "{robot} announces a power-down",
    "powered_down": "{robot} is powered down",
    "powered_up": "{robot} powers up",
    "faced": "{robot} chooses to face {facing}",
    "card": "{robot} plays {played}",
    "blocked": "{robot} cannot move {facing}",
    "turned": "{robot} turns {facing}",
    "shot": "{robot} fires {facing} from {at} and hits {other} at {target_at}",
    "locked": "register {value} of {robot} locks on {card}",
    "unlocked": "register {value} of {robot} is free again",
    "repaired": "{robot} is repaired by {points}",
    "flag": "{robot} touches flag {value}",
    "archived": "{robot} archives at {at}",
    "became_real": "{robot} is real again",
    "reentered": "{robot} returns at {at}, facing {facing}",
    "out": "{robot} is out of the game",
    "won": "{robot} wins",
    "over": "the game is over",
    "gun": "the turret gun at {at} turns {facing}",
    "flipped": "flip belts and flip gears change their direction",
    "pistons": "the pistons of colour {colour} rise",
    "crumbled": "the ground at {at} crumbles",
    "room_turned": "rotating room {room} turns",
    "level": "{robot} is on level {value}",
    "flying": "{robot} takes off",
    "burning": "{robot} burns for {points} in each phase",
    "asleep": "{robot} falls asleep",
    "energized": "{robot} is energized",
    "copy": "{robot} has a copy at {at}",
    "option": "{robot} gets the option {option}",
    "option_lost": "{robot} loses the option {option}",
    "taken": "{robot} takes the option {option} from {other}",
    "used": "{robot} uses its {option}",
    "counter": "{own_option} has {target} left",
    "absorbed": "{robot} gives up its {option} instead of a point of damage",
    "revealed": "register {value} of {robot} is changed to {card}",
    "second": "{robot} adds {card} to register {value}",
    "gadget": "{robot} puts {gadget} on register {value}",
    "token": "{robot}'s {token} lies on {other}",
    "hands": "{robot} swaps hands with {other}",
    "side": "{robot}'s {option} covers {side}",
    "dealt_anew": "{robot} recompiles and gets {cards}",
    "damping": "{robot}'s Option Damping Field is on",
    "stuck": "{robot} sticks in goo for {squares}",
    "bombed": "a scrambler bomb catches {robot}",
    "exploded": "{blast} explodes at {at} with power {target}",
    "device": "{robot} lays {device} at {at}",
    "device_moved": "{thing} moves to {at}",
    "device_gone": "{thing} is gone from {at}",
    "device_turned": "{thing} turns {target_facing}",
    "drone_aimed": "{thing} aims for {target_at}",
    "flag_moved": "flag {value} moves to {at}",
    "team_flag": "flag {value} belongs to team {target}",
    "superbot": "{robot} is the SuperBot",
}
# The same for events with the value 0, which say that something ends
ENDED = {
    "flying": "{robot} lands",
    "burning": "{robot} is extinguished",
    "asleep": "{robot} wakes up",
    "energized": "{robot} loses its energy",
    "damping": "{robot}'s Option Damping Field is off",
    "stuck": "{robot} is free of the goo",
}
# The same for events without a square
NOWHERE = {
    "copy": "{robot} loses its copy",
    "device_moved": "{thing} leaves the board",
    "device_gone": "{thing} is gone",
}
# What stands for another robot where there is none, by kind of event; "somebody" for all others
NO_OTHER = {"weapon": "nobody", "taken": "nobody", "hands": "nobody"}
# How robots are moved, by cause; the table of elements adds its own phrases here and to those below
CARRIED = {
    "weapon": "a weapon moves {robot}",
    "fall": "{robot} comes down",
    "jump": "{robot} jumps",
    "carry": "{robot} is carried",
    "place": "{robot} is placed",
    **{cause: phrase for element in ELEMENTS for cause, phrase in element.carries.items()},
}
# What turns robots in a sub-step; in other sub-steps robots turn themselves
TURNED_BY = {
    "C1": "the particle accelerator",
    **dict.fromkeys(("C3", "C4", "C5", "C6", "C7"), "the belt"),
    "C8": "the current",
    "C11": "the gear",
    "E1": "the board",
    "F3": "the rotating room",
}
# By harm
HARMED = {
    "robot_laser": "{other}'s laser hits {robot}",
    "damage": "{robot} is damaged",
    "explosion": "{blast} hits {robot}",
    "ramming": "{other} rams {robot}",
    "howitzer": "{other}'s Mini Howitzer hits {robot}",
    "big_gun": "{other}'s Big Gun hits {robot}",
    "overload": "{robot} overloads itself",
    "recompile": "recompiling costs {robot}",
    "reflected": "{other} reflects the shot to {robot}",
    "rear_laser": "{other}'s rear laser hits {robot}",
    "late": "{robot} was programmed too late",
    **{harm: phrase for element in ELEMENTS for harm, (phrase, _) in element.harms.items() if phrase},
}
DESTROYED = {
    "robot_laser": "{robot} is destroyed by lasers",
    "damage": "{robot} is destroyed by too much damage",
    "explosion": "{robot} is destroyed by {blast}",
    "ramming": "{robot} is rammed to pieces",
    "howitzer": "{robot} is destroyed by a Mini Howitzer",
    "big_gun": "{robot} is destroyed by a Big Gun",
    "overload": "{robot} is destroyed by its overload",
    "recompile": "{robot} is destroyed by recompiling",
    "reflected": "{robot} is destroyed by a shot that came back",
    "rear_laser": "{robot} is destroyed by lasers",
    "late": "{robot} is destroyed by a program that was late",
    **{harm: phrase for element in ELEMENTS for harm, (_, phrase) in element.harms.items() if phrase},
}

# Things on the board, by the names of devices
DEVICE_WORDS = {
    "none": "nothing",
    "bridge": "bridge",
    "mine": "mine",
    "proximity_mine": "proximity mine",
    "goo": "goo",
    "portable_teleporter": "portable teleporter",
    "scrambler_bomb": "scrambler bomb",
    "big_one": "Big One",
    "missile": "missile",
    "drone": "drone",
    "buzz_bomb": "buzz bomb",
}
FLYING = frozenset({"missile", "drone", "buzz_bomb"})
# Things that explode, by the names of blasts: devices, and options that are lost while loaded
BLAST_WORDS = DEVICE_WORDS | {
    "self_destruct": "Self-Destruct",
    "big_jet": "Big Jet",
    "retro_rockets": "Retro-Rockets",
    "converter": "Converter",
}
WEAPON_PHRASES = {
    "main": "{robot} fires its main laser at {other}",
    "mini_howitzer": "{robot} fires its Mini Howitzer at {other}",
    "pressor_beam": "{robot}'s Pressor Beam meets {other}",
    "tractor_beam": "{robot}'s Tractor Beam meets {other}",
    "radio_control": "{robot} takes {other} under Radio Control",
    "scrambler": "{robot} scrambles the next register of {other}",
    "big_gun": "{robot} fires its Big Gun at {other}",
    "missile": "{robot} launches a missile",
    "drone": "{robot} launches a drone at {other}",
    "homing": "{robot} fires its homing token at {other}",
    "interceptor": "{robot} fires its interceptor token at {other}",
}
# Movement options as programmed, by MOVEMENT_OPTION_NAMES
MOVEMENT_OPTION_PHRASES = {
    "none": "{robot} programs no movement option for register {value}",
    "crab_legs": "{robot} programs its Crab Legs for register {value}",
    "dual_processor": "{robot} programs its Dual Processor for register {value}",
    "overload": "{robot} overloads register {value}",
    "overload_second_first": "{robot} overloads register {value}, the second card first",
    "overload_empty": "{robot} leaves register {value} out",
    "big_jet": "{robot} programs its Big Jet for register {value}",
    "retro_1": "{robot} programs one counter of its Retro-Rockets for register {value}",
    "retro_2": "{robot} programs two counters of its Retro-Rockets for register {value}",
    "retro_3": "{robot} programs three counters of its Retro-Rockets for register {value}",
}
# Movement options as short labels of registers, by their number
MOVEMENT_OPTION_WORDS = (
    "", "crab legs", "dual", "overload", "overload", "left out", "big jet", "retro 1", "retro 2", "retro 3",
)  # fmt: skip
# Phrases for the use of an option, by its number
USED = {k: card.used for k, card in enumerate(OPTION_CARDS) if card.used}  # all others: "{robot} uses its {option}"
# Options that absorb a point of damage; all others are given up for it
ABSORBED = {k: card.absorbs for k, card in enumerate(OPTION_CARDS) if card.absorbs}
TOKEN_WORDS = {k: card.token for k, card in enumerate(OPTION_CARDS) if card.token}
SIDE_PHRASES = {k: card.turned for k, card in enumerate(OPTION_CARDS) if card.turned}
