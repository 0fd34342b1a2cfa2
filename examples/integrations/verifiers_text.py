"""RoboRally as an environment of verifiers: positions in words, answers in words, a reward; for language models.

    python examples/integrations/verifiers_text.py     # a scripted model plays it, served on this machine

and in this folder, with a server of models of your own, in one line:

    vf-eval verifiers_text -n 20 --model my-model --client.base-url http://localhost:8000/v1 --no-push
        --env.player.harness.id null --env.player.runtime.type subprocess

One episode is one task of a split (docs/language-models.md). The reward is that of the game, from 0 to 1.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import verifiers.v1 as vf

from rr_gym.play import TextGame, first_legal_answer, text_task
from rr_gym.play.text_task import SIZES

__all__ = ["RoboRallyEnv", "RoboRallyTaskset"]
GAMES = 6  # that the scripted model plays


class RoboRallyConfig(vf.TasksetConfig):
    """Which tasks are played."""

    split: Literal["train", "test"] = "train"


class RoboRallyData(vf.TaskData):
    """A task, by its split and number."""

    split: str
    number: int


class RoboRallyTask(vf.Task[RoboRallyData, vf.State, vf.TaskConfig]):
    """A game against other players."""


class RoboRallyTaskset(vf.Taskset[RoboRallyTask, RoboRallyConfig]):
    """The tasks of a split, each with its first position as the prompt."""

    def load(self) -> Iterator[RoboRallyTask]:
        """Yield the tasks."""
        for number in range(SIZES[self.config.split]):
            task = text_task(self.config.split, number)
            data = RoboRallyData(name=task.name, prompt=TextGame(task).text, split=self.config.split, number=number)
            yield RoboRallyTask(data, self.config.task)


class RoboRallyEnvConfig(vf.EnvConfig):
    """The model that plays."""

    player: vf.AgentConfig = vf.AgentConfig()


class RoboRallyEnv(vf.Env[RoboRallyEnvConfig]):
    """A game, whose next position answers each message of the model."""

    async def run(self, task: RoboRallyTask, agents: vf.Agents) -> None:
        """Play a game to its end."""
        game = TextGame(text_task(task.data.split, task.data.number))
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # it has the first position
            while not segment.terminated:
                text = game.answer(segment.last_reply)
                if game.done:
                    break
                segment = await interaction.turn(text)
        interaction.trace.record_reward("game", game.reward, 1.0)
        interaction.trace.record_metric("illegal_answers", game.illegal)
        interaction.trace.record_metric("turns", game.game.turn)


class ScriptedModel(BaseHTTPRequestHandler):
    """A server with the interface of OpenAI's chat completions, whose model plays the first legal program."""

    answers = 0

    def do_POST(self) -> None:
        """Answer a request."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = request["messages"][-1]["content"]
        text = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
        ScriptedModel.answers += 1
        streamed = bool(request.get("stream"))
        part = {"role": "assistant", "content": first_legal_answer(text)}
        answer = {
            "id": f"answer-{ScriptedModel.answers}", "object": f"chat.completion{'.chunk' * streamed}", "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "delta" if streamed else "message": part, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip
        body = f"data: {json.dumps(answer)}\n\ndata: [DONE]\n\n" if streamed else json.dumps(answer)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> None:
    """Play some tasks with a scripted model, as `vf-eval` does."""
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig

    sys.path.insert(0, str(Path(__file__).parent))  # tasksets are found by the name of their module
    os.environ["SCRIPTED_KEY"] = "none"
    # The null harness starts its chat program by uv.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedModel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # uv leaves locks there
        config = EvalConfig(
            env={
                "taskset": {"id": "verifiers_text"},
                "player": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}},  # all on this machine
            },
            client={"base_url": f"http://127.0.0.1:{server.server_port}/v1", "api_key_var": "SCRIPTED_KEY"},
            model="scripted", select={"limit": GAMES}, max_concurrent=1, push=False, rich=None, output_dir=folder,
        )  # fmt: skip
        episodes = asyncio.run(run_eval(config))
    server.shutdown()
    traces = [trace for episode in episodes for trace in episode.traces]
    assert len(traces) == GAMES, traces
    assert all(episode.ok for episode in episodes), [trace.errors for trace in traces]
    print(f"illegal choices: {sum(int(trace.metrics['illegal_answers']) for trace in traces)}")
    print(f"mean reward of a game: {sum(trace.reward for trace in traces) / len(traces):.3f}")
    print(f"rows: {ScriptedModel.answers}")


if __name__ == "__main__":
    main()
