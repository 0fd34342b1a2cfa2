"""The rules of the game as kernels, room by room; `fast` has what takes the place of some of them in machine code."""

from rr_gym.compilation.accelerators import accelerated_by

accelerated_by("rr_gym.rules.fast")
