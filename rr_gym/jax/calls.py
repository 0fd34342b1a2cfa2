"""Call kernels from JAX."""

from __future__ import annotations

import ctypes
from typing import Any

import jax
import jax.ffi
import jax.numpy as jnp
import numpy as np

from rr_gym.compilation.xla import ForeignFunction
from rr_gym.errors import EnvError

_registered: dict[str, ForeignFunction] = {}  # XLA keeps their addresses for good
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Call:
    """A call of a kernel for one game, which `jax.vmap` turns into one call for many games.

    Args:
        kernel: The kernel.
        arguments: Its arguments; see `rr_gym.compilation.xla.ForeignFunction`.
    """

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        made = ForeignFunction(kernel, arguments)
        self._function = _registered.setdefault(made.name, made)
        if self._function is made:
            jax.ffi.register_ffi_target(made.name, jax.ffi.pycapsule(_FUNCTION(made.address)), platform="cpu")
        self._results = tuple(jax.ShapeDtypeStruct(one.xla_shape, one.xla_dtype) for one in made.outputs)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Return the results, in the order of the kernel's arguments, from the inputs in the same order.

        Args:
            inputs: Arrays of `Rows.xla_shape` and `Rows.xla_dtype`.

        Raises:
            EnvError: An input has another shape or type.
        """
        for rows, array in zip(self._function.inputs, inputs, strict=True):
            if array.shape != rows.xla_shape or array.dtype != rows.xla_dtype:
                raise EnvError(
                    f"{rows.name}: {array.dtype} {array.shape}: expected {rows.xla_dtype} {rows.xla_shape}, the part "
                    "of one game; jax.vmap steps many"
                )
        results: tuple[Any, ...] = jax.ffi.ffi_call(
            self._function.name, self._results, vmap_method="broadcast_all", input_output_aliases=self._function.aliases
        )(*inputs)
        return results


def check_platform() -> None:
    """Raise an EnvError unless JAX computes on processors here."""
    chosen = jax.config.jax_default_device
    platform = getattr(chosen, "platform", chosen) or jax.default_backend()
    if platform != "cpu":
        raise EnvError(
            f"jax: the default device is of the platform {platform!r}: expected 'cpu', for which alone the rules are "
            "there; set JAX_PLATFORMS=cpu, or use jax.default_device(jax.devices('cpu')[0])"
        )


def as_words(numbers: Any) -> Any:
    """Return int32 as the bytes of int64, which JAX has no type for by default: uint8, (..., 8)."""
    pairs = jnp.stack([numbers, numbers >> 31], axis=-1)
    return jax.lax.bitcast_convert_type(pairs, jnp.uint8).reshape(*numbers.shape, 8)


def bytes_of(records: np.ndarray[Any, Any]) -> Any:
    """Return records as JAX sees them: uint8, with a last axis for the bytes of each record."""
    contiguous = np.ascontiguousarray(records)
    return jnp.asarray(contiguous.reshape(-1).view(np.uint8).reshape(*records.shape, records.dtype.itemsize))
