"""Read and write policies in folders: ``policy.json`` is the specification, ``policy.safetensors`` the weights.

Neither contains code.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import require, short_repr
from rr_gym.files import write_files
from rr_gym.json_text import loads
from rr_gym.player_names import SPEC_FILE, WEIGHTS_FILE
from rr_gym.policies.choice_inputs import weight_shapes
from rr_gym.policies.inputs import fingerprint
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import CHOICES, PolicyError, PolicySpec
from rr_gym.policies.tensors import read_tensors
from rr_gym.version import __version__

if TYPE_CHECKING:
    from rr_gym.policies.networks import PolicyNetwork

FORMAT = 1
MAX_SPEC_BYTES = 1_000_000
_HEADER_BYTES = 1_000_000  # the most that names and shapes of weights may take

PathLike = str | os.PathLike[str]
PolicyLike = Policy | PathLike  # a policy or its folder


def save_policy(policy: Policy, folder: PathLike) -> Path:
    """Write a policy to a folder, which is created if necessary; an existing policy is replaced.

    The spec is written last, so that a folder with a spec has a complete policy. If the new policy cannot be written,
    the previous one stays.

    Returns:
        The folder.

    Raises:
        PolicyError: `policy` is not a policy, a weight is not a finite number, the training facts have types that JSON
            does not, or the folder cannot be written.
    """
    if not isinstance(policy, Policy):
        raise PolicyError(f"save_policy: policy: {short_repr(policy)}: expected a Policy")
    folder = _folder(folder, "save_policy")
    weights = policy.weights()
    for name, array in weights.items():
        _check_finite(name, array, "policy")
    spec = policy.spec
    header = {
        "format": FORMAT,
        "rr_gym": __version__,
        "columns": fingerprint(spec.observation, spec.num_robots, spec.window, spec.elements, spec.lookahead),
        **spec.to_json(),
    }
    try:
        text = json.dumps(header, indent=2, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise PolicyError(f"policy: training: {error}: expected values that JSON can represent") from None
    data = require("safetensors.numpy", extra="train").save(dict(weights))
    write_files(folder, {WEIGHTS_FILE: data, SPEC_FILE: text}, PolicyError)
    return folder


def load_policy(folder: PathLike) -> Policy:
    """Read a policy from a folder.

    Raises:
        PolicyError: There is no policy, or its files are invalid; the message names file, field, value and what was
            expected.
        MissingExtraError: PyTorch is not installed, which all networks but those of the kind `choices` need.
    """
    folder = _folder(folder, "load_policy")
    spec = _read_spec(folder / SPEC_FILE)
    if spec.network.kind == CHOICES:
        return Policy(spec, weights=_read_weights(weight_shapes(spec), folder / WEIGHTS_FILE))
    try:
        policy = Policy(spec)
    except PolicyError as error:
        raise PolicyError(f"{folder / SPEC_FILE}: {error}") from None
    _load_weights(policy.network, folder / WEIGHTS_FILE)
    return policy


def open_policy(policy: PolicyLike) -> Policy:
    """Return the policy itself, or read it from its folder.

    Raises:
        PolicyError: See `load_policy`.
        MissingExtraError: See `load_policy`.
    """
    return policy if isinstance(policy, Policy) else load_policy(policy)


def _folder(folder: PathLike, where: str) -> Path:
    """Return a folder as a `Path`; raise a PolicyError if it is not a path."""
    if not isinstance(folder, (str, os.PathLike)):
        raise PolicyError(f"{where}: folder: {short_repr(folder)}: expected a path")
    return Path(folder)


def _read(path: Path, most: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > most:
            raise PolicyError(f"{path}: {size:,} bytes: expected at most {most:,}")
        return path.read_bytes()
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read: {error.strerror}") from error


def _read_spec(path: Path) -> PolicySpec:
    if not path.is_file():
        of_run = path.parent / "policy"  # where `rr-gym train` puts it
        hint = f"; did you mean '{of_run}'?" if (of_run / SPEC_FILE).is_file() else ""
        raise PolicyError(f"{path.parent}: not a policy: expected a folder with {SPEC_FILE} and {WEIGHTS_FILE}{hint}")
    data = loads(_read(path, MAX_SPEC_BYTES), str(path), PolicyError)
    if not isinstance(data, dict):
        raise PolicyError(f"{path}: {short_repr(data)}: expected an object")
    number = data.pop("format", None)
    if isinstance(number, bool) or number != FORMAT:
        raise PolicyError(f"{path}: format: {short_repr(number)}: expected {FORMAT}")
    version, known = data.pop("rr_gym", None), data.pop("columns", None)
    spec = PolicySpec.from_json(data, str(path))
    expected = fingerprint(spec.observation, spec.num_robots, spec.window, spec.elements, spec.lookahead)
    if known != expected:
        raise PolicyError(
            f"{path}: columns: {short_repr(known)}: expected {short_repr(expected)}: the observation "
            f"'{spec.observation}' was different in rr_gym {short_repr(version)}, which wrote this policy"
        )
    return spec


def _load_weights(network: PolicyNetwork, path: Path) -> None:
    torch = require("torch", extra="train")
    weights = _read_weights({name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}, path)
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


def _read_weights(expected: Mapping[str, tuple[int, ...]], path: Path) -> dict[str, Any]:
    """Read the weights in a file, float32 by name, which must have exactly the expected names and shapes."""
    content = _read(path, sum(4 * math.prod(shape) for shape in expected.values()) + _HEADER_BYTES)
    weights = read_tensors(content, str(path), PolicyError)
    for names, fault in ((expected.keys() - weights.keys(), "missing"), (weights.keys() - expected.keys(), "unknown")):
        if names:
            raise PolicyError(f"{path}: {fault}: {', '.join(sorted(names)[:5])}: expected the weights of {SPEC_FILE}")
    for name, shape in expected.items():
        array = weights[name]
        if array.dtype != np.float32 or array.shape != shape:
            raise PolicyError(
                f"{path}: {name}: {array.dtype} {array.shape}: expected float32 {shape} as in {SPEC_FILE}"
            )
        _check_finite(name, array, str(path))
    return weights


def _check_finite(name: str, array: Any, where: str) -> None:
    if not np.isfinite(array).all():
        wrong = array[~np.isfinite(array)].flat[0]
        raise PolicyError(f"{where}: {name}: {wrong}: expected finite numbers")
