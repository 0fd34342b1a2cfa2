"""Games in the memory of a GPU: kernels, drivers, arrays, and the arena (docs/gpu.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.cuda.arena import DeviceArena as DeviceArena
    from rr_gym.cuda.device import DeviceArray as DeviceArray
    from rr_gym.cuda.device import DeviceError as DeviceError
    from rr_gym.cuda.encoders import DeviceActions as DeviceActions
    from rr_gym.cuda.encoders import DeviceObserver as DeviceObserver
    from rr_gym.cuda.stand_in import stand_in_gpu as stand_in_gpu
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
