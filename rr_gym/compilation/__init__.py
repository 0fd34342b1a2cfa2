"""From Python to machine code: kernels, the libraries that they are compiled into, and where these are kept."""

from rr_gym.compilation import sources  # noqa: F401, I001  # first: it notes how the others stand before their import
from rr_gym.compilation import entering  # noqa: F401  # how Python enters kernels
