"""Accelerators: kernels that replace rules by faster code with the same results, one accelerator per file.

No other module imports them; `rr_gym.compilation.accelerators` registers and selects them. The docstring of each file
says what it assumes and what it gains.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
