"""A replay as an animated GIF, which needs the extra `viz`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses import Course
from rr_gym.errors import require
from rr_gym.render.board.shapes import Polygon, Primitive, Text
from rr_gym.render.colours import BLAST, FIELD, GOO, SHIELD, TEAM_COLOURS, WEAPON_COLOURS
from rr_gym.render.event_sentences import sentences
from rr_gym.render.pieces import brief_labels
from rr_gym.render.pixels import lay, layer, pieces_rgb
from rr_gym.render.robots import body_shapes
from rr_gym.render.words import STEP_WORDS
from rr_gym.replay.effects import effect_shapes, effects
from rr_gym.replay.replay import Replay
from rr_gym.replay.scene import Frame, Scene

LONGER_SIDE = 576  # pixels
LEAST_WIDTH = 400  # pixels: room for captions beside small boards
SMALLEST_CELL, LARGEST_CELL = 14, 40
CAPTION_CELL = 40  # pixels: the largest letters of captions belong to squares of this side
MARGIN = 0.6  # squares around the course, for its coordinates
QUICK, SLOW, LAST = 220, 450, 3000  # milliseconds per frame: for moves, for effects, and for the last frame
QUICKEST = 40  # milliseconds: viewers show shorter frames for longer
FEWEST = 20  # pictures that are left of a long game, however short it is to be
CAPTION_PAPER, CAPTION_INK, CAPTION_SOFT = "#f4f5f7", "#1d2430", "#667085"
# Frames with none of these look like the one before.
VISIBLE = {
    "moved", "turned", "faced", "blocked", "shot", "damaged", "repaired", "destroyed", "reentered", "became_real",
    "flag", "powered_down", "powered_up", "won", "gun", "flipped", "pistons", "crumbled", "room_turned",
    "level", "flying", "burning", "asleep", "energized", "copy",
    "used", "taken", "absorbed", "weapon", "token", "exploded", "stuck", "bombed", "side", "damping", "superbot",
    "device", "device_moved", "device_gone", "device_turned", "drone_aimed", "flag_moved", "team_flag",
}  # fmt: skip


def to_gif(
    replay: Replay,
    from_turn: int = 1,
    to_turn: int | None = None,
    seconds: float | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> bytes:
    """Return an animated GIF of the board with its robots, one picture for every moment with something to see.

    Args:
        replay: The replay to show.
        from_turn: The first turn shown, counted from 1.
        to_turn: The last turn shown; None for all.
        seconds: About how long it lasts at most, of which the last picture takes three; None for a comfortable pace.
            Moments are put together in one picture if it would be shown for less than 40 ms otherwise.
        report: Called with the number of pictures drawn and the number of all pictures.

    Raises:
        MissingExtraError: pillow is not installed.
    """
    return draw(replay.before_turn(from_turn), replay.frames_of(from_turn, to_turn), replay.players, seconds, report)


def draw(
    before: Scene,
    frames: Sequence[Frame],
    players: Sequence[str],
    seconds: float | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
    first_title: str | None = None,
    largest_cell: int = LARGEST_CELL,
    pace: float = 1,
) -> bytes:
    """Return an animated GIF of a scene and the frames that follow it.

    Args:
        before: The state of everything before the first frame.
        frames: What follows, in order. Frames with nothing to see are left out.
        players: The names of players by seat.
        seconds: How long it lasts at most; see `to_gif`.
        report: Called with the number of pictures drawn and the number of all pictures.
        first_title: The caption of the first picture; None for its turn.
        largest_cell: The side of a square in pixels, unless the course is too large for that.
        pace: How much longer than usual each picture but the last is shown.

    Raises:
        MissingExtraError: pillow is not installed.
    """
    image = require("PIL.Image", extra="viz")
    course = before.course
    cell = min(largest_cell, max(SMALLEST_CELL, LONGER_SIDE // max(course.size)))
    shown = [frame for frame in frames if any(event.kind in VISIBLE for event in frame.events)]
    if seconds is not None:
        shown = together(shown, max(FEWEST, int(1000 * seconds - LAST) // QUICKEST))
    turn = frames[0].turn if frames else 0
    first_frame = Frame(turn, 0, "setup", (), tuple(before.pieces), before.changes, before.tokens)
    pictures = _pictures(course, players, [first_frame, *shown], cell, first_title)
    durations = frame_durations([False, *(bool(effects(frame, course.size[0])) for frame in shown)], seconds)
    durations = [int(pace * duration) for duration in durations[:-1]] + durations[-1:]
    first = next(pictures)
    palette = image.fromarray(np.vstack([first, _swatch(len(players), first.shape[1], cell)])).quantize(255)

    def quantized() -> Iterator[Any]:
        for done, picture in enumerate(pictures, start=1):
            report(done, len(shown))
            yield image.fromarray(picture).quantize(palette=palette, dither=0)

    file = io.BytesIO()
    image.fromarray(first).quantize(palette=palette, dither=0).save(
        file, "GIF", save_all=True, append_images=quantized(), duration=durations, loop=0, disposal=1
    )
    return file.getvalue()


def together(frames: Sequence[Frame], most: int) -> list[Frame]:
    """Return at most `most` frames, in which as many consecutive ones are put together as are necessary for that."""
    size = max(1, -(-len(frames) // most))
    groups = (frames[start : start + size] for start in range(0, len(frames), size))
    return [replace(group[-1], events=tuple(event for frame in group for event in frame.events)) for group in groups]


def frame_durations(with_effects: list[bool], seconds: float | None) -> list[int]:
    """Return how long each picture is shown, in milliseconds.

    Args:
        with_effects: Whether a picture shows shots, explosions and the like, for each picture.
        seconds: How long all of them are shown at most; see `to_gif`.
    """
    durations = [SLOW, *(SLOW if slow else QUICK for slow in with_effects[1:])]
    if seconds is not None:
        pace = min(1, max(0, 1000 * seconds - LAST) / max(1, sum(durations[:-1])))
        durations = [max(QUICKEST, int(pace * duration) // 10 * 10) for duration in durations]
    durations[-1] = LAST
    return durations


def _pictures(
    course: Course, players: Sequence[str], frames: list[Frame], cell: int, first_title: str | None
) -> Iterator[NDArray[np.uint8]]:
    width, height = course.size
    names = brief_labels(players)
    for number, frame in enumerate(frames):
        board = pieces_rgb(frame.pieces, course, cell, frame.changes, frame.tokens, MARGIN)
        edge = round(MARGIN * cell)
        flashes = [shape for effect in effects(frame, width) for shape in effect_shapes(effect)]
        if flashes:
            lay(board, layer(flashes, width, height, cell), edge, edge)
        if (missing := LEAST_WIDTH - board.shape[1]) > 0:
            sides = (missing // 2, missing - missing // 2)
            board = np.pad(board, ((0, 0), sides, (0, 0)), constant_values=255)
        phase = f", phase {frame.phase}" if frame.phase else ""
        title = f"Turn {frame.turn + 1}{phase}: {STEP_WORDS.get(frame.step, frame.step)}"
        if number == 0 and first_title is not None:
            title = first_title
        unit = min(cell, CAPTION_CELL)
        caption = np.zeros((round(1.1 * unit), board.shape[1], 3), np.uint8)
        words = _caption(title, "; ".join(sentences(frame.events, names, width)), board.shape[1] / unit)
        lay(caption, layer(words, caption.shape[1] / unit, 2, unit), 0, 0)
        yield np.vstack([board, caption])


def _caption(title: str, text: str, width: float) -> list[Primitive]:
    room = int(width * 6.2)  # characters of this size that fit into a line
    text = text if len(text) <= room else text[: room - 3] + "..."
    return [
        Polygon(((0, 0), (width, 0), (width, 2), (0, 2)), CAPTION_PAPER),
        Text((width / 2, 0.3), title, 0.4, CAPTION_INK),
        Text((width / 2, 0.8), text, 0.32, CAPTION_SOFT),
    ]


def _swatch(num_robots: int, width: int, cell: int) -> NDArray[np.uint8]:
    """Draw every robot and every colour of effects once, so that the palette includes their colours."""
    cell = min(cell, width // num_robots)
    strip = np.full((3 * cell, width, 3), 255, np.uint8)
    flashes = (*WEAPON_COLOURS.values(), *TEAM_COLOURS, BLAST, FIELD, GOO, SHIELD)
    for i, colour in enumerate(flashes):
        block = strip[2 * cell :, i * width // len(flashes) : (i + 1) * width // len(flashes)]
        block[:] = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    for seat in range(num_robots):
        lay(strip, layer(body_shapes(seat), 1, 1, cell), seat * cell, 0)
        lay(strip, layer(body_shapes(seat), 1, 1, cell), seat * cell, cell)
    return strip
