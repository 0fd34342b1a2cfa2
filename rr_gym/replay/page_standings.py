"""The standings at the end of a replay as a table in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rr_gym.render.colours import INK_ON_ROBOT, ROBOT_COLOURS
from rr_gym.replay.recording import Recording

_HEADS = ("place", "robot", "flags", "damage", "lives", "lost", "state")


def robot_number(seat: int) -> str:
    """Return the number of a robot in its colours as HTML."""
    style = f"--robot: {ROBOT_COLOURS[seat]}; --ink: {INK_ON_ROBOT[seat]}"
    return f'<span class="number" style="{style}">{seat + 1}</span>'


def standings_html(replay: Recording, names: Sequence[str]) -> str:
    """Return a table in HTML with a row for each robot, the best first.

    Args:
        replay: The replay.
        names: A name for each robot.
    """
    lost = [event.robot for event in replay.events() if event.kind == "destroyed"]
    caption = "Final standings" if replay.over else f"Standings after turn {len(replay.turns)}; the game is not over"
    rows = []
    for seat in sorted(range(len(names)), key=lambda seat: replay.placements[seat]):
        piece = replay.last[seat]
        cells = (
            str(replay.placements[seat]),
            f'<span class="ranked">{robot_number(seat)} <span>{escape(names[seat])}</span></span>',
            f"{piece.flag}/{len(replay.course.flags)}",
            str(piece.damage),
            "∞" if piece.lives < 0 else str(piece.lives),
            str(lost.count(seat)),
            replay.state_of(seat),
        )
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    return f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
