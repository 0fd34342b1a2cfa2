"""Marks that several tests share."""

from __future__ import annotations

import pytest

from rr_gym.compilation.kernels import COMPILED

compiled_only = pytest.mark.skipif(not COMPILED, reason="takes minutes in interpreted code")
