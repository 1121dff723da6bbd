"""Balls on sampled virtual walls, with numbers of one's own::

    run = touchback.walls.simulate("deadbeat", k=2000, t=0.002, m=0.1, g=9.81, height=0.05, seconds=2)
    print(run.height.max())

``touchback lab walls --set k=2000 …`` computes the same on all walls and draws them. The analyses of walls are functions
too, :func:`criteria`, :func:`damping`, :func:`return_map` and :func:`line`, and so are motions, :func:`paddle`,
:func:`press` and :func:`sprung`; each returns the columns of its table by name, and takes some of :func:`numbers` of its
name. The others have their usual values, those of the sources.
"""

from __future__ import annotations

import typing

import numpy as np

from touchback import _native

if typing.TYPE_CHECKING:
    from numpy.typing import NDArray

CONTROLLERS = ("standard", "hysteresis", "prediction", "placement", "deadbeat")
"""Names of the walls."""


class WallRun(typing.NamedTuple):
    """A ball on a wall, a row for each sample; arrays of shape (samples,)."""

    t: NDArray[np.float64]
    """Times, s."""
    height: NDArray[np.float64]
    """Heights above the wall's surface, m."""
    speed: NDArray[np.float64]
    """Speeds away from the wall, m/s."""
    force: NDArray[np.float64]
    """Forces of the wall on the ball, N, held until the next sample."""


def numbers(function: str = "simulate") -> dict[str, tuple[str, float, float, float, str]]:
    """The numbers of a function of this module: unit, least, greatest and usual value, and meaning of each."""
    return {id: tuple(rest) for id, *rest in _native.wall_numbers(function)}


def simulate(controller: str = "standard", **values: float) -> WallRun:
    """Drops a ball onto a sampled wall.

    Parameters
    ----------
    controller:
        One of :data:`CONTROLLERS`.
    values:
        Some of :func:`numbers`; the others have their usual values, those of the thesis's figures.
    """
    (height, speed, force), period = _native.wall_run(controller, values)
    return WallRun(np.arange(len(height)) * period, height, speed, force)


Table = dict[str, "NDArray[np.float64]"]
"""Columns by name, which ends with the unit; arrays of shape (rows,)."""


def _table(function: str, values: dict[str, float]) -> Table:
    names, columns = _native.wall_table(function, values)
    return dict(zip(names, columns))


def criteria(**values: float) -> Table:
    """Largest stiffnesses, N/m, of a one-sided spring on a device in a sampled loop: by the circle, Tsypkin's, the wedge's
    and all shifts' criterion and by brute force; in continuous time, with the hold as a lag, by Popov's, and of a two-sided
    spring. One row; ``touchback lab unilateral --set …``.
    """
    return _table("criteria", values)


def damping(**values: float) -> Table:
    """Dampings, N·s/m, that a sampled spring requires of a device: at the margin of stability, for passivity, and against
    late switching (NaN without a finger, whose spring brings the device back); and the modulus of the loop's pole. One
    row; ``touchback lab wall-damping --set …``.
    """
    return _table("damping", values)


def return_map(**values: float) -> Table:
    """Exits of a ball from a floor that is switched at samples only: time, speed, phase within the sample period, largest
    speed so far. One row for each strike, or for ``every`` of them; ``touchback lab long-run --set …``.
    """
    return _table("return_map", values)


def line(**values: float) -> Table:
    """Two masses on a transmission line one step long, joined for good or, with a ``gap``, during contact: positions,
    speeds, forces, energies. One row for each step; ``touchback lab lines --set …``.
    """
    return _table("line", values)


def paddle(**values: float) -> Table:
    """A ball on a paddle that moves up and down: height, paddle, force of the contact. One row for each step of 125 µs;
    ``touchback lab ball --set …``.
    """
    return _table("paddle", values)


def press(**values: float) -> Table:
    """C4 of an action under a force that rises within a time, or the thesis's under a turn of its manipulandum: key,
    hammer, its speed, force on the hammer, force of the drive, energy that is not accounted for. One row for each step of
    125 µs; ``touchback lab press --set …``.
    """
    return _table("press", values)


def sprung(**values: float) -> Table:
    """A mass behind a spring, displayed by a device that stands still: its place, force, energy over the first. One row for
    each sample; ``touchback lab wall-display --set …``.
    """
    return _table("sprung", values)
