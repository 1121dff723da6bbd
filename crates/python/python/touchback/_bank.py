"""Many keys of the grand, stepped together."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterable

import numpy as np

from touchback import _native
from touchback._inputs import text_of, whole
from touchback._key import Value, _one
from touchback._run import Event
from touchback._spread import rebuilt, threads_of

if typing.TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class BankState(typing.NamedTuple):
    """Readings of a bank; each array has the shape (keys,), or (steps, keys) with ``record="all"``."""

    time: float
    """Time at the end, s."""
    depth: NDArray[np.float64]
    """Depths of the key fronts below rest, m."""
    speed: NDArray[np.float64]
    """Downward speeds of the key fronts, m/s."""
    hammer: NDArray[np.float64]
    """Heights of the hammers' crowns above their strings, m."""
    hammer_speed: NDArray[np.float64]
    """Speeds of the hammers toward their strings, m/s."""
    events: list[tuple[int, Event]]
    """Events since the state before, in order of time, with the index of their key in the bank."""


class Bank:
    """Keys of the grand that are stepped together: in lanes of the processor, on all cores, and without the
    interpreter's lock.

    Parameters
    ----------
    keys:
        The keys, in any order and any number of times; by default 1 to 88. Each occurrence is a key of its own.
    preset, sheet, settings:
        As of :class:`touchback.Key`, equal for all keys.
    threads:
        Number of threads; by default one a core. Results do not depend on it.

    A bank has the same bits as single keys of the standard model.
    """

    def __init__(
        self,
        keys: Iterable[int | str] = range(1, 89),
        *,
        preset: str | None = None,
        sheet: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        **settings: Value,
    ) -> None:
        threads, keys, sheet = threads_of(threads), list(keys), text_of(sheet)
        self._arguments = dict(settings, preset=preset, sheet=sheet, threads=threads)
        self._keys = keys
        self._native = _native.Bank(keys, preset, sheet, settings, threads)

    def __reduce__(self) -> typing.Any:
        """Pickles the arguments: the copy is as new."""
        return rebuilt, (type(self), (self._keys,), self._arguments)

    def __len__(self) -> int:
        return self._native.count

    def __repr__(self) -> str:
        return f"<Bank of {len(self)} keys at {self.time:.6g} s>"

    @property
    def time(self) -> float:
        """Time since the beginning, s."""
        return self._native.steps * _native.STEP

    def step(
        self,
        *,
        depth: ArrayLike | None = None,
        force: ArrayLike | None = None,
        finger: ArrayLike | None = None,
        steps: int | None = None,
        record: str = "last",
    ) -> BankState:
        """Takes action steps of 125 µs.

        Parameters
        ----------
        depth, force, finger:
            Depths of the key fronts, m, forces on them, N, or depths of massless fingers, m, at most one of the
            three. A number or an array of shape (keys,) is reached linearly after `steps` steps; an array of
            shape (steps, keys) has the value at the end of each step. NaN leaves a key free, as does no value.
        steps:
            Number of steps; 1 by default, or the number of rows.
        record:
            ``last`` returns the readings after the last step, ``all`` those after each.

        A call that an exception such as ``KeyboardInterrupt`` ends leaves the keys where they are; the readings and
        events of the call are lost.
        """
        if record not in ("last", "all"):
            raise ValueError(f"record = {record!r}: 'last' or 'all'")
        count = len(self)
        steps = None if steps is None else whole("steps", steps)
        if depth is None and force is None and finger is None:
            channel, rows = None, np.full((1 if steps is None else steps, count), np.nan)
        else:
            channel, values = _one(depth=depth, force=force, finger=finger)
            rows = self._rows(channel, np.asarray(values, dtype=np.float64), steps)
        if rows.shape[0] < 1:
            raise ValueError("at least one step is taken")
        table, events = self._native.step(channel, np.ascontiguousarray(rows), record == "all")
        readings = table.reshape(4, -1, count)
        if record == "last":
            readings = readings[:, -1]
        found = [(index, Event(*event)) for index, event in events]
        depth, speed, hammer, hammer_speed = readings
        return BankState(self.time, depth, speed, hammer, hammer_speed, found)

    def _rows(
        self, channel: str, values: NDArray[np.float64], steps: int | None
    ) -> NDArray[np.float64]:
        """The values at the end of each step, shape (steps, keys)."""
        count = len(self)
        if values.ndim == 2:
            if steps is not None and steps != values.shape[0]:
                raise ValueError(f"{values.shape[0]} rows for {steps} steps")
            if values.shape[1] != count:
                raise ValueError(f"{values.shape[1]} columns for {count} keys")
            return values
        if values.ndim > 2 or (values.ndim == 1 and values.shape[0] != count):
            raise ValueError(f"an array of the shape {values.shape} for {count} keys")
        steps = 1 if steps is None else steps
        target = np.broadcast_to(values, (count,))
        start = self._native.start(channel)
        share = np.arange(1, steps + 1)[:, np.newaxis] / steps
        return start + (target - start) * share

    def reset(self, indices: Iterable[int] | None = None) -> None:
        """Puts keys to rest, free: those of these indices in the bank, or all."""
        self._native.reset(list(range(len(self)) if indices is None else indices))
