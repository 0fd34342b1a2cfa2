"""Checkpoints: what a training needs to resume as if it had never stopped, plain numbers without pickled code."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from rr_gym.errors import shown
from rr_gym.files import write_files
from rr_gym.json_text import loads

from .folder import RunError

Array = np.ndarray[Any, Any]

FORMAT = 1
_SLACK = 2**18  # bytes of headers, curves, pictures, events
_COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "_current_progress_remaining")


def play_state(model: OnPolicyAlgorithm, env: Any) -> dict[str, Array]:
    """Return the state between two rollouts that `set_play_state` restores, as plain arrays.

    It holds the games, their current observations, and the generator that draws choices, but not the weights.
    """
    arrays = {f"env/{name}": array for name, array in env.get_state().items()}
    arrays |= {f"seen/{name}": array for name, array in _parts(model._last_obs).items()}
    arrays["starts"] = np.asarray(model._last_episode_starts)
    arrays["draws"] = torch.get_rng_state().numpy()
    return arrays


def set_play_state(model: OnPolicyAlgorithm, env: Any, arrays: Mapping[str, Array]) -> None:
    """Play on from a state: of a model and an environment of the same configuration, after their first reset."""
    env.set_state(_under("env/", arrays))
    seen = _under("seen/", arrays)
    model._last_obs = seen if isinstance(model._last_obs, dict) else seen[""]
    model._last_episode_starts = arrays["starts"]
    torch.set_rng_state(torch.from_numpy(arrays["draws"].copy()))


def save_state(folder: Path, model: OnPolicyAlgorithm, play: Mapping[str, Array], more: dict[str, Any]) -> None:
    """Write the state of a training between two updates.

    Args:
        folder: An empty folder.
        model: What learns.
        play: From `play_state`, with other arrays if need be.
        more: Numbers of the trainer's own, plain data.

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
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    files: dict[str, str | bytes] = {
        "model.pt": saved(weights),
        "arrays.npz": packed.getvalue(),
        "state.json": json.dumps(numbers, indent=1),
    }
    write_files(folder, files, RunError)


def saved(weights: Any) -> bytes:
    """Serialise weights with `torch.save` in memory, since errors of torch do not name the file it cannot write."""
    content = io.BytesIO()
    torch.save(weights, content)
    return content.getvalue()


def room_for(weights: Iterable[torch.Tensor], more: int = 0) -> int:
    """Estimate the bytes that a checkpoint and the files written with it take at most.

    The optimizer keeps two numbers for each weight. Beside the checkpoint there are the policy, a snapshot of it for a
    league, and the model with its optimizer.

    Args:
        weights: Of the policy.
        more: Bytes of other arrays in the checkpoint.
    """
    own = sum(weight.numel() * weight.element_size() for weight in weights)
    return (3 + 1 + 1 + 3) * own + more + _SLACK


def load_state(
    folder: Path, model: OnPolicyAlgorithm, env: Any, prepare: Callable[[dict[str, Any]], None] = lambda _: None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Restore the state of a training that `save_state` saved.

    Args:
        folder: What `save_state` wrote.
        model: Of the same configuration, ready to learn.
        env: Its environment.
        prepare: Called with the numbers before anything is set.

    Returns:
        Everything from the file of numbers, `more` among it; and the arrays, `play`.

    Raises:
        RunError: The checkpoint cannot be read, or does not fit.
    """
    try:
        numbers: dict[str, Any] = loads((folder / "state.json").read_bytes(), "state.json")
        if numbers["format"] != FORMAT:
            raise RunError(f"{folder}: format: {shown(numbers['format'])}: expected {FORMAT}")
        weights = torch.load(folder / "model.pt", weights_only=True)
        with np.load(folder / "arrays.npz", allow_pickle=False) as file:
            arrays = dict(file.items())
        prepare(numbers)
        model.policy.load_state_dict(weights["policy"])
        model.policy.optimizer.load_state_dict(weights["optimizer"])
        arrays["draws"] = weights["chance"].numpy()
        set_play_state(model, env, arrays)
        for name in _COUNTERS:
            setattr(model, name, numbers["counters"][name])
        _set_chance(model, numbers["chance"], arrays.pop("chance"))
    except RunError:
        raise
    except Exception as error:  # whatever a damaged file makes its reader say
        raise damaged(folder, error) from error
    return numbers, arrays


def damaged(folder: Path, error: Exception) -> RunError:
    """Return the error for a checkpoint that cannot be resumed from because of `error`."""
    reason = f"no entry {error}" if isinstance(error, KeyError) else error
    hint = "without this folder the checkpoint before it is used"
    return RunError(f"{folder}: cannot be resumed from ({reason}); {hint}")


def _set_chance(model: OnPolicyAlgorithm, numbers: dict[str, Any], key: Any) -> None:
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
