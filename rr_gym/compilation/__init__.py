"""From Python to machine code: kernels, the libraries that they are compiled into, and where these are kept."""

from rr_gym.compilation import entering  # noqa: F401  # how Python enters kernels
