"""Accelerators of rules, a file each: kernels in the place of rules, which they equal in everything but time.

Nothing imports them: `rr_gym.compilation.accelerators` says how they are registered and chosen. A file says in its
docstring what it assumes, and what it gains.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
