"""Choose the device on which the network of a training run computes, and copy batches to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .config import ConfigError

Array = np.ndarray[Any, Any]


def find_device(name: str, key: str = "training.device") -> torch.device:
    """Return the device of a configuration.

    Args:
        name: ``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU if there is one.
        key: The name of the setting, for the error message.

    Raises:
        ConfigError: PyTorch finds no GPU here.
    """
    found = torch.cuda.is_available()
    if name == "cuda" and not found:
        raise ConfigError(f"{key}: 'cuda': expected cpu or auto: PyTorch {torch.__version__} finds no GPU here")
    return torch.device("cuda" if found and name != "cpu" else "cpu")


def on_device(arrays: Any, device: torch.device) -> Any:
    """Return an array, or a mapping of arrays, as tensors on a device.

    Tensors on the CPU share the memory of the arrays. To a GPU they are copied asynchronously from pinned memory, while
    the CPU continues.
    """
    if isinstance(arrays, dict):
        return {name: on_device(array, device) for name, array in arrays.items()}
    tensor = torch.as_tensor(arrays)
    return tensor if device.type == "cpu" else tensor.pin_memory().to(device, non_blocking=True)
