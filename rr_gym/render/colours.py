"""Colours of robots, teams and weapons."""

# Robot colours by seat; the eight can be told apart with any kind of colour vision.
ROBOT_COLOURS = ("#e69f00", "#0072b2", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#4a4f57")
# Colours of the numbers on robots, by seat
INK_ON_ROBOT = ("#1b1b1b", "#ffffff", "#ffffff", "#ffffff", "#1b1b1b", "#1b1b1b", "#1b1b1b", "#ffffff")

# Robot colours in terminals, as parameters of ANSI escape codes: text on a coloured background, and coloured text
TERMINAL_CHIPS = (
    "30;48;5;214", "97;48;5;25", "97;48;5;29", "97;48;5;166", "30;48;5;175", "30;48;5;117", "30;48;5;227",
    "97;48;5;240",
)  # fmt: skip
TERMINAL_INKS = ("38;5;214", "38;5;33", "38;5;35", "38;5;166", "38;5;175", "38;5;117", "38;5;184", "38;5;246")

# The colours of teams 1, 2, ...; teams beyond the last colour start again with the first
TEAM_COLOURS = ("#b5179e", "#2b9348", "#f3722c", "#277da1")

UNOWNED = "#8d929b"  # things that belong to no robot
SHIELD, REFLECTOR, FIELD, GOO = "#2f6bff", "#dfe6ee", "#7b2ff7", "#5fb12e"
BLAST, BLAST_INK = "#ff7a1a", "#8c2f00"

# Colours of the beams of optional weapons, by name; a main laser has the colour of its robot
WEAPON_COLOURS = {
    "mini_howitzer": "#9c3d00",
    "pressor_beam": "#1e88e5",
    "tractor_beam": "#00a38d",
    "radio_control": "#8e44ec",
    "scrambler": "#d81b9a",
    "big_gun": "#5c4033",
    "missile": "#6a707a",
    "drone": "#6a707a",
    "homing": "#c62828",
    "interceptor": "#5e35b1",
}


def robot_colour(seat: int) -> str:
    """Return the colour of the robot in a seat as ``#rrggbb``; for -1 (nobody) return the neutral `UNOWNED`."""
    return ROBOT_COLOURS[seat] if seat >= 0 else UNOWNED


def team_colour(team: int) -> str:
    """Return the colour of a team, numbered from 1, as ``#rrggbb``; return "" for 0, which means no team."""
    return TEAM_COLOURS[(team - 1) % len(TEAM_COLOURS)] if team > 0 else ""
