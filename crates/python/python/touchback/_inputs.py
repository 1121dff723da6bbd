"""Files that may also be given as their text."""

from __future__ import annotations

import os
import pathlib


def text_of(source: str | os.PathLike[str] | None) -> str | None:
    """The text of the file `source`; a text of several lines is returned as it is."""
    if source is None or (isinstance(source, str) and "\n" in source):
        return source
    return pathlib.Path(source).read_text(encoding="utf-8")
