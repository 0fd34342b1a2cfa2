"""RoboRally as an environment of OpenEnv: positions in words, answers in words, rewards; for language models.

    python examples/integrations/openenv_text.py --serve --port 8000   # serve it; clients connect to ws://HOST:8000
    python examples/integrations/openenv_text.py                       # a scripted model plays it through a client

`reset(split="train", index=17)` begins task 17 of the split (docs/language-models.md); without an index, the seed
chooses one.
"""

# mypy: ignore-errors

from __future__ import annotations

import argparse
import threading
import time
from typing import Any
from uuid import uuid4

import uvicorn
from openenv.core import GenericEnvClient
from openenv.core.env_server import Action, Environment, Observation, State, create_app

from rr_gym.play import TextGame, first_legal_answer, text_task
from rr_gym.play.text_task import SIZES, TRAIN


class RoboRallyAction(Action):
    """An answer of the model: JSON, with or without words around it."""

    text: str


class RoboRallyObservation(Observation):
    """A position, or what was wrong with the last answer."""

    text: str
    illegal: int = 0  # answers so far that were no legal orders


class RoboRallyEnvironment(Environment[RoboRallyAction, RoboRallyObservation, State]):
    """A game of a task. The reward of a step is what it adds to the reward of the game."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game: TextGame | None = None
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, split: str = TRAIN, index: int | None = None,
        **_: Any,
    ) -> RoboRallyObservation:  # fmt: skip
        """Begin a task and return its first position."""
        number = (seed or 0) % SIZES[split] if index is None else index
        self._game = TextGame(text_task(split, number))
        self._state = State(episode_id=episode_id or str(uuid4()))
        return RoboRallyObservation(text=self._game.text)

    def step(self, action: RoboRallyAction, timeout_s: float | None = None, **_: Any) -> RoboRallyObservation:
        """Take an answer of the model."""
        if self._game is None:
            raise ValueError("expected reset before step")
        before = self._game.reward
        text = self._game.answer(action.text)
        self._state.step_count += 1
        game = self._game
        return RoboRallyObservation(text=text, reward=game.reward - before, done=game.done, illegal=game.illegal)

    @property
    def state(self) -> State:
        """Return how many answers the model has given."""
        return self._state

    # The tasks, which OpenEnv's clients may ask for

    def list_splits(self) -> list[str]:
        """Return the names of the splits."""
        return list(SIZES)

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks in a split."""
        return SIZES[split]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return what a task is about."""
        task = text_task(split, index)
        return {"id": task.name, "index": index, "course": task.course, "opponents": list(task.opponents)}


app = create_app(
    RoboRallyEnvironment, RoboRallyAction, RoboRallyObservation, env_name="roborally", max_concurrent_envs=64
)


def play(address: str, games: int) -> tuple[int, int, float]:
    """Play games with a scripted model; returns answers, illegal answers, and the mean reward of a game."""
    answers = illegal = 0
    rewards = 0.0
    with GenericEnvClient(base_url=address).sync() as env:
        for index in range(games):
            result = env.reset(split=TRAIN, index=index)
            while not result.done:
                result = env.step({"text": first_legal_answer(result.observation["text"])})
                rewards += result.reward or 0.0
                answers += 1
            illegal += result.observation["illegal"]
    return answers, illegal, rewards / games


def main() -> None:
    """Serve the environment, or play it with a scripted model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help="only serve")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--games", type=int, default=60)
    args = parser.parse_args()
    server = uvicorn.Server(uvicorn.Config(app, port=args.port if args.serve else 0, log_level="warning"))
    if args.serve:
        server.run()
        return
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    answers, illegal, reward = play(f"http://127.0.0.1:{port}", args.games)
    server.should_exit = True
    thread.join()
    print(f"illegal choices: {illegal}")
    print(f"mean reward of a game: {reward:.3f}")
    print(f"rows: {answers}")


if __name__ == "__main__":
    main()
