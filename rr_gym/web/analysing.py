"""The analysis of a game that was played at pages, in a process of its own, which never delays the server."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Literal

from rr_gym.analysis import analyse, analysis_html, judge_of
from rr_gym.errors import RoboRallyError
from rr_gym.players.planner import PlannerPlayer
from rr_gym.registry import make_player
from rr_gym.replay import Replay

Analyst = Callable[[Replay, Callable[[int, int | None], None]], str]
NICE = 10  # how far the process stands back behind the server and the players
GRACE = 2.0  # seconds that the process has to end before it is killed


def page_of(replay: Replay, report: Callable[[int, int | None], None]) -> str:
    """Analyse a game and return its page.

    Args:
        replay: The game.
        report: Called with the number of decisions that are done, and of all.
    """
    judge = make_player(judge_of(replay.num_robots))
    if not isinstance(judge, PlannerPlayer):
        raise TypeError(f"{judge!r}: expected a player that values orders")
    return analysis_html(analyse(replay, judge, report=report), replay, address_is_secret=True)


class Analysing:
    """An analysis that is made in a process of its own.

    Args:
        replay: The game, with its seed.
        tell: Called with the reason if the analysis fails, in a thread of its own. It may name files of this machine.
        analyst: Makes the page; pickled and called in the process.

    Attributes:
        state: ``running``, ``ready``, or ``failed``, also if it was stopped.
        done: The number of decisions that are valued.
        total: The number of all decisions, None as long as it is not known.
        page: The page once it is ready.
    """

    def __init__(self, replay: Replay, tell: Callable[[str], None], analyst: Analyst = page_of) -> None:
        self.state: Literal["running", "ready", "failed"] = "running"
        self.done = 0
        self.total: int | None = None
        self.page = ""
        self._tell, self._stopped = tell, False
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(theirs, replay.to_text(), analyst), daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, args=(ours,), daemon=True).start()

    def _listen(self, pipe: Connection) -> None:
        why = "the process of the analysis was killed"
        with pipe, suppress(EOFError, OSError):
            while True:
                kind, what = pipe.recv()
                if kind == "progress":
                    self.done, self.total = what
                elif kind == "page":
                    self.page, self.state = what, "ready"
                    return
                else:
                    why = what
                    break
        self.state = "failed"
        if not self._stopped:
            self._tell(why)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._stopped = True
        self._process.terminate()
        self._process.join(GRACE)
        self._process.kill()


def _work(pipe: Connection, replay: str, analyst: Analyst) -> None:
    """Send the progress of an analysis and then its page, or why it failed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all; the server ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(AttributeError, OSError):
        os.nice(NICE)

    def report(done: int, total: int | None) -> None:
        pipe.send(("progress", (done, total)))

    try:
        answer = "page", analyst(Replay.from_json(json.loads(replay)), report)
    except BrokenPipeError:
        return  # the server is gone: nobody waits for the page
    except RoboRallyError as error:
        answer = "error", str(error)
    except Exception as error:
        answer = "error", "".join(traceback.format_exception(error)).rstrip()
    with suppress(OSError):
        pipe.send(answer)
