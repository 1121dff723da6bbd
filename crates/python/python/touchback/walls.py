"""Balls on sampled virtual walls, with numbers of one's own::

    run = touchback.walls.simulate("deadbeat", k=2000, t=0.002, m=0.1, g=9.81, height=0.05, seconds=2)
    print(run.height.max())

``touchback lab walls --set k=2000 …`` computes the same on all walls and draws them.
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


def numbers() -> dict[str, tuple[str, float, float, float, str]]:
    """The numbers of :func:`simulate`: unit, least, greatest and usual value, and meaning of each."""
    return {id: tuple(rest) for id, *rest in _native.wall_numbers()}


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
