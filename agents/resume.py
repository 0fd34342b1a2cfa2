"""Checkpoints from which a training run resumes as if it had never stopped: plain numbers, without pickled code.

`save` and `load` of Stable-Baselines3 keep weights and hyperparameters, by pickling. To resume exactly, a run also
needs the current games and observations, the opponents, and every random generator.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rr_gym.errors import short_repr
from rr_gym.files import write_files
from rr_gym.json_text import loads

from .folder import RunError

if TYPE_CHECKING:
    from .model import Learner

Array = np.ndarray[Any, Any]

FORMAT = 1
_SLACK = 2**18  # bytes for file headers, learning curves, plots and TensorBoard events
_COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "_current_progress_remaining")


def play_state(model: Learner) -> dict[str, Array]:
    """Return the state between two rollouts that `set_play_state` restores, as plain arrays.

    It contains the games, their current observations, and the generator that draws choices, but not the weights.
    """
    arrays = {f"env/{name}": array for name, array in model.env.get_state().items()}
    arrays |= {f"seen/{name}": array for name, array in _parts(model._last_obs).items()}
    arrays["starts"] = np.asarray(model._last_episode_starts)
    arrays["draws"] = torch.get_rng_state().numpy()
    return arrays


def set_play_state(model: Learner, arrays: Mapping[str, Array]) -> None:
    """Restore the state from `play_state` in a model of the same configuration, after its environment's first reset."""
    model.env.set_state(_under("env/", arrays))
    seen = _under("seen/", arrays)
    model._last_obs = seen if isinstance(model._last_obs, dict) else seen[""]
    model._last_episode_starts = arrays["starts"]
    torch.set_rng_state(torch.from_numpy(arrays["draws"].copy()))


def save_state(folder: Path, model: Learner, play: Mapping[str, Array], more: dict[str, Any]) -> None:
    """Write the state of a training run between two updates.

    Args:
        folder: An empty folder.
        model: The algorithm that learns.
        play: The arrays from `play_state`, and any others to store with them.
        more: Numbers of the trainer to store as well, as plain data.

    Raises:
        RunError: A file cannot be written.
    """
    arrays: dict[str, Any] = dict(play)
    weights = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "chance": torch.from_numpy(arrays.pop("draws")),
    }
    _, key, position, has_gauss, gauss = np.random.get_state()
    arrays["chance"] = np.asarray(key)
    numbers = {
        "format": FORMAT,
        "counters": {name: getattr(model, name) for name in _COUNTERS},
        "chance": {
            "numpy": [int(position), int(has_gauss), float(gauss)],
            "python": random.getstate(),
            "actions": model.action_space.np_random.bit_generator.state,
        },
        **more,
    }
    write_checkpoint(folder, weights, numbers, arrays)


def write_checkpoint(
    folder: Path, weights: Mapping[str, Any], numbers: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
) -> None:
    """Write weights, numbers (plain data) and arrays into a folder. Raises RunError if a file cannot be written."""
    # In memory first, since PyTorch's errors do not name the file that could not be written.
    model, packed = io.BytesIO(), io.BytesIO()
    torch.save(dict(weights), model)
    files: dict[str, str | bytes] = {"model.pt": model.getvalue()}
    if arrays:
        np.savez(packed, **arrays)
        files["arrays.npz"] = packed.getvalue()
    write_files(folder, files | {"state.json": json.dumps(numbers, indent=1)}, RunError)


def read_checkpoint(folder: Path) -> tuple[dict[str, Any], dict[str, Any], dict[str, Array]]:
    """Return the weights, numbers and arrays that `write_checkpoint` wrote."""
    numbers: dict[str, Any] = loads((folder / "state.json").read_bytes(), "state.json")
    weights, packed = torch.load(folder / "model.pt", map_location="cpu", weights_only=True), folder / "arrays.npz"
    if not packed.exists():
        return weights, numbers, {}
    with np.load(packed, allow_pickle=False) as file:
        return weights, numbers, dict(file.items())


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Turn errors while a checkpoint is read into a RunError that names it."""
    try:
        yield
    except RunError:
        raise
    except Exception as error:  # damaged files raise errors of many types
        reason = f"no entry {error}" if isinstance(error, KeyError) else error
        is_only = len(list(folder.parent.glob("[0-9]*"))) == 1
        hint = "" if is_only else "; without this folder the checkpoint before it is used"
        raise RunError(f"{folder}: cannot be resumed from ({reason}){hint}") from error


def room_for(weights: Iterable[torch.Tensor], more: int = 0) -> int:
    """Return an upper bound on the bytes of a checkpoint and of the files written with it.

    The optimizer keeps two numbers for each weight. Besides the checkpoint, a run stores the policy, the best one so
    far, a snapshot for a league, and the model with its optimizer.

    Args:
        weights: The weights of the policy.
        more: The size in bytes of the other arrays in the checkpoint.
    """
    own = sum(weight.numel() * weight.element_size() for weight in weights)
    return (3 + 1 + 1 + 1 + 3) * own + more + _SLACK


def set_state(
    model: Learner, weights: Mapping[str, Any], numbers: Mapping[str, Any], arrays: dict[str, Array]
) -> dict[str, Array]:
    """Restore the state of a training run that `save_state` wrote and `read_checkpoint` has read.

    Args:
        model: A model of the same configuration, after the first reset of its environment.
        weights: The weights from the checkpoint.
        numbers: The numbers from the checkpoint.
        arrays: The arrays from the checkpoint.

    Returns:
        The arrays that were given to `save_state` as `play`.
    """
    if numbers["format"] != FORMAT:
        raise ValueError(f"format: {short_repr(numbers['format'])}: expected {FORMAT}")
    play = {**arrays, "draws": weights["chance"].numpy()}
    key = play.pop("chance")
    model.policy.load_state_dict(weights["policy"])
    model.policy.optimizer.load_state_dict(weights["optimizer"])
    set_play_state(model, play)
    for name in _COUNTERS:
        setattr(model, name, numbers["counters"][name])
    _set_chance(model, numbers["chance"], key)
    return play


def _set_chance(model: Learner, numbers: dict[str, Any], key: Any) -> None:
    """Restore the random generators of the process, except for the one that draws choices."""
    np.random.set_state(("MT19937", key, *numbers["numpy"]))
    version, words, gauss = numbers["python"]
    random.setstate((version, tuple(words), gauss))
    model.action_space.np_random.bit_generator.state = numbers["actions"]


def _parts(observation: Any) -> dict[str, Any]:
    """Return the arrays of an observation by name; the name of a single array is empty."""
    return observation if isinstance(observation, dict) else {"": observation}


def _under(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Select the arrays whose names begin with a prefix, and remove it from their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
