"""Draw boards on web pages: markup, data, scripts and styles for every page that shows a game.

A page contains `scripts()` and `styles()`, the markup of `board_html`, and the data of `drawing`. Its own script makes
a `Board` (see board.js) and gives it positions: robots from `PlacedRobots`, devices, flags and tokens from
`tokens_json`. An `About` (about.js) describes the thing under the pointer; a `Telling` (telling.js) composes the
description from the sentences of `squares_json` and `words_json`.
"""

from rr_gym.render.web.floor import board_svg
from rr_gym.render.web.markup import board_html, drawing, scripts, styles
from rr_gym.render.web.positions import PlacedRobots, tokens_json
from rr_gym.render.web.sentences import squares_json, words_json

__all__ = [
    "PlacedRobots",
    "board_html",
    "board_svg",
    "drawing",
    "scripts",
    "squares_json",
    "styles",
    "tokens_json",
    "words_json",
]
