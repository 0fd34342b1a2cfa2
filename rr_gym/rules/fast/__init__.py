"""Accelerators of rules, a file each: kernels that replace rules, with the same results in less time.

No other module imports them: `rr_gym.compilation.accelerators` says how they are registered and chosen. The docstring
of each file says what it assumes and what it gains.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
