"""Courses in formats of other programs, translated into the formats of this package."""

from __future__ import annotations

from pathlib import Path

from rr_gym.courses.foreign.roboruckus import read_roboruckus
from rr_gym.courses.foreign.rrc import read_rrc
from rr_gym.courses.foreign.squares import ImportedCourse
from rr_gym.errors import CourseError
from rr_gym.files import read_bytes

__all__ = ["ImportedCourse", "import_course"]

FORMATS = {".rrc": (read_rrc, "latin-1"), ".json": (read_roboruckus, "utf-8")}


def import_course(path: Path) -> ImportedCourse:
    """Translate a course file of another program.

    Args:
        path: A `.rrc` course, or a `.json` board of RoboRuckus.

    Raises:
        CourseError: The file has another suffix, cannot be read, or does not follow its format.
    """
    if path.suffix.lower() not in FORMATS:
        raise CourseError(f"{path}: expected a .rrc course or a .json board of RoboRuckus")
    read, encoding = FORMATS[path.suffix.lower()]
    try:
        text = read_bytes(path, CourseError).decode(encoding)
    except UnicodeDecodeError as error:
        raise CourseError(f"{path.name}: byte {error.start}: expected text in {encoding.upper()}") from None
    return read(text, path.name)
