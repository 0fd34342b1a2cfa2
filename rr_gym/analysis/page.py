"""The analysis of a game as a part of its page: chances over turns, the turns that gave most away, ghosts."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from html import escape
from typing import Any

from rr_gym.analysis.analysis import AnalysedTurn, Analysis
from rr_gym.render.colours import ROBOT_COLOURS
from rr_gym.render.words import card_words
from rr_gym.replay import Replay, to_html
from rr_gym.replay.page import short_names
from rr_gym.replay.page_standings import robot_number
from rr_gym.rules.state.cards import parse_card
from rr_gym.rules.state.constants import STEP_NAMES

WIDTH, HEIGHT = 400, 190  # of the drawing; the page scales it
LEAST = 0.005  # what a turn gave away to be named
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 10, 26  # margins of the drawing


def analysis_html(
    analysis: Analysis, replay: Replay, worst: int = 5, *, address_is_secret: bool = False
) -> str:
    """Return the page of a replay with the hands and, in a tab of its own, the analysis of the game.

    For each turn whose program was not the best that was found, the page can show the better one: a ghost walks beside
    the robot, and the cards of both programs are listed.

    Args:
        analysis: The analysis of the replay.
        replay: The replay.
        worst: How many of the turns that gave most away are named.
        address_is_secret: Whether the address of the page must not be shared; see `to_html`.
    """
    names = short_names(replay.players)
    result = "chance to win" if replay.num_robots == 2 else "expected result, 1 for the first place and 0 for the last"
    named = [turn for turn in analysis.worst(worst) if turn.given_away >= LEAST]
    parts = [
        '<section id="better" aria-label="Better programs in this turn"></section>', _better(analysis, replay),
        f"<h2>Before each turn: {result}</h2>", _chart(analysis, names), _sums(analysis, names),
        "<h2>Turns that gave most away</h2>", _worst(named, names),
    ]  # fmt: skip
    return to_html(replay, hands=True, analysis="\n".join(parts), address_is_secret=address_is_secret)


def _chart(analysis: Analysis, names: Sequence[str]) -> str:
    """Draw a line for each robot: what it could expect before each turn, and what it got; points open their turns."""
    last = max((turn.turn for turn in analysis.turns), default=1) + 1

    def x(turn: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (turn - 1) / (last - 1)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value)

    drawn = []
    for value in (0, 0.5, 1):
        at = f"{y(value):.1f}"
        drawn.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    step = max(1, (last + 7) // 8)
    for number in range(1, last, step):
        drawn.append(f'<text x="{x(number):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{number}</text>')
    for seat, name in enumerate(names):
        turns = analysis.of(seat)
        if not turns:
            continue
        points = [(x(turn.turn), y(turn.best)) for turn in turns] + [(x(turns[-1].turn + 1), y(turns[-1].after))]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        colour = ROBOT_COLOURS[seat]
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for turn, (a, b) in zip(turns, points, strict=False):
            title = f"turn {turn.turn}, {name}: {turn.best:.2f}; gave away {turn.given_away:.2f}, luck {turn.luck:+.2f}"
            circle = f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"><title>{escape(title)}</title></circle>'
            drawn.append(f'<a href="#turn={turn.turn}" aria-label="{escape(title)}">{circle}</a>')
    return f'<svg class="chances" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(drawn)}</svg>'


def _sums(analysis: Analysis, names: Sequence[str]) -> str:
    rows = []
    for seat, name in enumerate(names):
        figures = "".join(f"<td>{figure}</td>" for figure in analysis.sums(seat))
        rows.append(f"<tr><td>{robot_number(seat)} {escape(name)}</td>{figures}</tr>")
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("robot", "given away", "a turn", "luck"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _worst(turns: Sequence[AnalysedTurn], names: Sequence[str]) -> str:
    if not turns:
        return "<p>No better program was found for any turn.</p>"
    items = []
    for turn in turns:
        assert turn.better is not None
        what = f"{escape(names[turn.seat])} gave away {turn.given_away:.2f}"
        items.append(
            f'<li><a href="#turn={turn.turn}">Turn {turn.turn}</a>: {robot_number(turn.seat)} {what}'
            f"<br>played {_cards(turn.program)}<br>better {_cards(turn.better)}"
            f'<br><button type="button" data-better="{turn.turn}:{turn.seat}">Show me better</button></li>'
        )
    return f"<ol>{''.join(items)}</ol>"


def _cards(program: Sequence[str]) -> str:
    """Return the cards of a program as people read them, such as ``Move 2 (780)``."""
    return escape(", ".join(card_words(card) if card else "-" for card in _numbers(program)))


def _numbers(program: Sequence[str]) -> list[int]:
    """Return the numbers of cards in the deck, 0 for none."""
    return [0 if name == "none" else parse_card(name)[1] for name in program]


def _better(analysis: Analysis, replay: Replay) -> str:
    """Return the data of all better programs that were found, from which the page's script draws ghosts."""
    data = [
        {
            "turn": turn.turn, "seat": turn.seat, "given": turn.given_away, "played": _numbers(turn.program),
            "better": _numbers(turn.better), "path": _path(turn, replay),
        }
        for turn in analysis.turns
        if turn.better is not None and turn.given_away >= LEAST
    ]  # fmt: skip
    return f'<script type="application/json" id="better-data">{json.dumps(data, separators=(",", ":"))}</script>'


def _path(turn: AnalysedTurn, replay: Replay) -> list[list[Any]]:
    """Return the path of a ghost as [frame, x, y, facing], each from that frame on; destroyed, it has no x and y.

    The frames are those of the game as it was played, counted from 1: the ghost does in each sub-step what it would
    have done there, one square in a frame as far as the sub-step has frames.
    """
    played = [(number, frame) for number, frame in enumerate(replay.frames, start=1) if frame.turn == turn.turn - 1]
    times = [_time(frame.phase, frame.step) for _, frame in played]
    path: list[list[Any]] = []
    last = -1
    for stop in turn.path:
        time = _time(stop.phase, stop.step)
        place = bisect_left(times, time)
        if last >= place:
            place = last + 1 if last + 1 < len(times) and times[last + 1] <= time else last
        last = min(place, len(played) - 1)
        path.append([played[last][0], *(stop.square or (None, None)), stop.facing])
    return path


def _time(phase: int, step: str) -> tuple[int, int]:
    """Return when in a turn a sub-step happens, as something that can be compared."""
    number = STEP_NAMES.index(step)
    return (phase or (6 if step[0] in "F" else 0)), number
