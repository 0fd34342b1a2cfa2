"""The analysis of a game as a part of its page: chances over turns, and the turns that gave most away."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rr_gym.analysis.analysis import AnalysedTurn, Analysis
from rr_gym.render.colours import ROBOT_COLOURS
from rr_gym.render.words import card_words
from rr_gym.replay import Replay, to_html
from rr_gym.replay.page import short_names
from rr_gym.replay.page_standings import robot_number
from rr_gym.rules.state.cards import parse_card

WIDTH, HEIGHT = 400, 190  # of the drawing; the page scales it
LEAST = 0.005  # what a turn gave away to be named
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 10, 26  # margins of the drawing


def analysis_html(analysis: Analysis, replay: Replay, worst: int = 5) -> str:
    """Return the page of a replay with the hands and, in a tab of its own, the analysis of the game.

    Args:
        analysis: The analysis of the replay.
        replay: The replay.
        worst: How many of the turns that gave most away are named.
    """
    names = short_names(replay.players)
    result = "chance to win" if replay.num_robots == 2 else "expected result, 1 for the first place and 0 for the last"
    named = [turn for turn in analysis.worst(worst) if turn.given_away >= LEAST]
    parts = [
        f"<h2>Before each turn: {result}</h2>", _chart(analysis, names), _sums(analysis, names),
        "<h2>Turns that gave most away</h2>", _worst(named, names),
    ]  # fmt: skip
    return to_html(replay, hands=True, analysis="\n".join(parts))


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
            f"<br>played {_cards(turn.program)}<br>better {_cards(turn.better)}</li>"
        )
    return f"<ol>{''.join(items)}</ol>"


def _cards(program: Sequence[str]) -> str:
    """Return the cards of a program as people read them, such as ``Move 2 (780)``."""
    cards = [0 if name == "none" else parse_card(name)[1] for name in program]
    return escape(", ".join(card_words(card) if card else "-" for card in cards))
