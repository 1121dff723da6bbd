"""Files that may also be given as their text; numbers of Python and of NumPy."""

from __future__ import annotations

import math
import numbers
import os
import pathlib
import typing
from collections.abc import Mapping

import numpy as np


def text_of(source: str | os.PathLike[str] | None) -> str | None:
    """The text of the file `source`; a text of several lines is returned as it is."""
    if source is None or (isinstance(source, str) and "\n" in source):
        return source
    return pathlib.Path(source).read_text(encoding="utf-8")


def named_text_of(
    source: str | os.PathLike[str] | tuple[str, str] | None,
) -> tuple[str, str] | None:
    """Name and text of the file `source`, or both as they are; a text of several lines has the name of its argument."""
    if isinstance(source, tuple):
        return source
    text = text_of(source)
    if source is None or text is None:
        return None
    is_text = isinstance(source, str) and "\n" in source
    return ("the mechanism" if is_text else pathlib.Path(source).name), text


def number(name: str, value: typing.Any) -> float:
    """`value` as a float: a finite real number of Python or NumPy, or an array of it without dimensions."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} = {value!r}: a real number is needed")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"{name} = {found}: a finite number is needed")
    return found


def whole(name: str, value: typing.Any) -> int:
    """`value` as an int: a number as of :func:`number` without a fraction."""
    found = number(name, value)
    if not found.is_integer():
        raise ValueError(f"{name} = {found}: a whole number is needed")
    return int(found)


def plain(name: str, value: typing.Any) -> object:
    """`value` with every number in it, in dictionaries and lists too, as a number of Python."""
    if isinstance(value, Mapping):
        return {str(key): plain(f"{name}.{key}", inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(name, inner) for inner in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    found = number(name, value)
    return int(value) if isinstance(value, numbers.Integral) else found
