"""Tables for Apache Arrow and Parquet, by their own library: pyarrow."""

from __future__ import annotations

import math
import os
import typing
from collections.abc import Iterable

from touchback._inputs import text_of
from touchback._laboratory import Weights
from touchback._piano import Rendering
from touchback._run import Run

if typing.TYPE_CHECKING:
    import pyarrow

WORDS = ("kind", "unit", "phase", "note")
"""Columns whose few words repeat."""


def table(source: typing.Any) -> pyarrow.Table:
    """A table of Apache Arrow, which ``pyarrow.parquet.write_table`` writes as Parquet. Needs pyarrow.

    Parameters
    ----------
    source:
        A :class:`Run`, the values of :func:`weigh`, the strikes of a :class:`Rendering` or the rendering, a list of
        :class:`Event`; or a CSV file of the command, such as those of ``touchback render --strikes``, ``--events`` and
        ``--motion``, as a path or as its text.

    Names of columns end with the unit, as in the files. Numbers have 64 bits, keys are whole numbers, and a missing
    value is null.
    """
    import pyarrow

    if isinstance(source, Run):
        columns: dict[str, typing.Any] = dict(source.columns)
        columns["phase"] = pyarrow.array(source.phase).dictionary_encode()
        return pyarrow.table(columns)
    if isinstance(source, Weights):
        return pyarrow.table({"key": pyarrow.array(source.keys_measured, pyarrow.uint8()), **source})
    if isinstance(source, Rendering):
        source = source.strikes
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source)
    return _of_rows(source)


def _of_file(source: str | os.PathLike[str]) -> pyarrow.Table:
    """A CSV file of the command."""
    import pyarrow
    from pyarrow import csv

    text = text_of(source)
    assert text is not None
    names = text.split("\n", 1)[0].strip().split(",")
    types = dict.fromkeys(names, pyarrow.float64())
    types.update(dict.fromkeys(WORDS, pyarrow.dictionary(pyarrow.int32(), pyarrow.string())))
    types.update(key=pyarrow.uint8(), press=pyarrow.int32())
    return csv.read_csv(
        pyarrow.py_buffer(text.encode()),
        convert_options=csv.ConvertOptions(column_types={name: types[name] for name in names}),
    )


def _of_rows(rows: Iterable[typing.Any]) -> pyarrow.Table:
    """Strikes or events: tuples with names."""
    import pyarrow

    rows = list(rows)
    if not rows or not all(hasattr(row, "_fields") for row in rows):
        raise TypeError("a run, weights, strikes, events or a CSV file of the command is needed")
    units = {"time": "time_s", "speed": "hammer_velocity_m_s", "note_on": "note_on_s"}
    columns = {}
    for name in rows[0]._fields:
        values = [getattr(row, name) for row in rows]
        if name == "key":
            values = pyarrow.array(values, pyarrow.uint8())
        elif name in WORDS:
            values = pyarrow.array(values).dictionary_encode()
        else:
            values = pyarrow.array([None if math.isnan(value) else value for value in values], pyarrow.float64())
        columns[units.get(name, name)] = values
    return pyarrow.table(columns)
