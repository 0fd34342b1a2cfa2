"""Machine code on disk: a file for each form of a function, so that processes can write at the same time.

Numba keeps one index for all forms of a function, and looks in it for a free file name before it writes. Two processes
that compile different forms at once may find the same name: then the index leads one form to the machine code of the
other, which reads records of the wrong layout. With an index for each form nothing is shared but by equals.
"""

from __future__ import annotations

import hashlib
from typing import Any

from numba.core.caching import IndexDataCacheFile


class FileOfEachForm:
    """What stands for the `IndexDataCacheFile` of a function: such a file for each key of a form."""

    def __init__(self, directory: str, name: str, stamp: Any) -> None:
        self._directory, self._name, self._stamp = directory, name, stamp

    def _file(self, key: Any) -> IndexDataCacheFile:
        form = hashlib.sha256(str(key).encode()).hexdigest()[:16]
        return IndexDataCacheFile(self._directory, f"{self._name}-{form}", self._stamp)

    def save(self, key: Any, data: Any) -> None:
        self._file(key).save(key, data)

    def load(self, key: Any) -> Any:
        file = self._file(key)
        try:
            return file.load(key)
        except Exception:  # half a file, as a full disk or the end of the power leaves it, may say anything when read
            file.flush()
            return None


def keep_forms_apart(compiled: Any) -> None:
    """Let a function that is kept on disk have a file for each of its forms."""
    cache = compiled._cache
    cache._cache_file = FileOfEachForm(
        cache.cache_path, cache._impl.filename_base, cache._impl.locator.get_source_stamp()
    )
