"""The record of one gesture on one key."""

from __future__ import annotations

import typing
import warnings
from collections.abc import Mapping

import numpy as np

if typing.TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


class UnbalancedWarning(UserWarning):
    """The energies of a run do not add up to 1 %: the gesture asks more than the action can follow."""


class Event(typing.NamedTuple):
    """An event inside the action."""

    time: float
    """Time since the beginning, s."""
    kind: str
    """``let_off_start``, ``release``, ``strike``, ``pluck``, ``check``, ``reset``, ``key_bottom``,
    ``damper_lift``, ``damper_fall`` or ``key_rest``."""
    value: float
    """Speed or length that belongs to the event."""
    unit: str
    """Unit of the value, ``m/s`` or ``m``."""


def column(name: str, about: str) -> property:
    """A property for the column `name` of a run."""
    return property(lambda run: run.columns[name], doc=about)


class Run:
    """A gesture on one key, with one row for each action step of 125 µs.

    Every array is a view of one table in memory; nothing is copied. A quantity that the action does not have is
    NaN. The columns are those of ``touchback simulate`` and have the same bits.
    """

    columns: Mapping[str, NDArray[np.float64]]
    """All numbers by name, each of shape (n,); names end with the unit, if there is one. ``heat_PART_w`` is the
    power that a part turns into heat, W."""
    events: list[Event]
    """The events in order of time."""
    forces: Mapping[str, NDArray[np.float64]]
    """Force and heat of every contact, spring, drag and friction element by name, each of shape (n,), as
    ``touchback simulate --forces``: ``NAME_n`` is a force, N, ``NAME_nm`` a torque, N·m, ``heat_NAME_w`` the power that
    becomes heat, W. NaN where a rigid constraint stands in place of the element. Empty but for
    ``Key(forces=True)``."""

    t = column("time_s", "Time at the end of each step, s, shape (n,).")
    key = column("key_m", "Depth of the key front below rest, m, shape (n,).")
    key_speed = column("key_velocity_m_s", "Downward speed of the key front, m/s, shape (n,).")
    force = column("key_force_n", "Force on the key front, N, positive down, shape (n,).")
    jack_force = column("jack_knuckle_force_n", "Force of the jack on the knuckle, N, shape (n,).")
    hammer = column("hammer_m", "Height of the hammer's crown above the string, m, shape (n,).")
    hammer_speed = column(
        "hammer_velocity_m_s", "Speed of the hammer toward the string, m/s, shape (n,)."
    )
    kinetic = column("kinetic_j", "Kinetic energy, J, shape (n,).")
    potential = column("potential_j", "Potential energy, J, shape (n,).")
    dissipated = column("dissipated_j", "Energy turned into heat since the beginning, J, shape (n,).")
    work = column("work_j", "Work of the hand since the beginning, J, shape (n,).")

    def __init__(
        self,
        names: list[str],
        table: NDArray[np.float64],
        phases: NDArray[np.uint8],
        phase_names: list[str],
        events: list[tuple[float, str, float, str]],
        unbalanced: str | None,
        forces: tuple[list[str], NDArray[np.float64]] | None,
    ) -> None:
        self.columns = dict(zip(names, table))
        self.forces = {} if forces is None else dict(zip(*forces))
        self.events = [Event(*event) for event in events]
        self._table = table
        self._first_q = names.index("q1")
        self._phases = phases
        self._phase_names = phase_names
        if unbalanced is not None:
            warnings.warn(unbalanced, UnbalancedWarning, stacklevel=4)

    def __len__(self) -> int:
        return len(self._phases)

    def __repr__(self) -> str:
        kinds = ", ".join(event.kind for event in self.events) or "no event"
        return f"<Run of {len(self)} steps: {kinds}>"

    @property
    def q(self) -> NDArray[np.float64]:
        """The grand's generalized coordinates q1…q9 [Gillespie 1996], rad; q4, q7, q8, q9 in m; shape (n, 9)."""
        return self._table[self._first_q : self._first_q + 9].T

    @property
    def q_rate(self) -> NDArray[np.float64]:
        """Rates of :attr:`q`, rad/s and m/s, shape (n, 9)."""
        return self._table[self._first_q + 9 : self._first_q + 18].T

    @property
    def phase(self) -> NDArray[np.str_]:
        """Name of the submodel in each row, shape (n,); empty for an action without submodels."""
        return np.array(self._phase_names or [""])[self._phases]

    def times(self, kind: str) -> NDArray[np.float64]:
        """Times of the events of this kind, s, shape (number of events,)."""
        return np.array([event.time for event in self.events if event.kind == kind])

    def event(self, kind: str) -> Event | None:
        """The first event of this kind; none if there was none."""
        return next((event for event in self.events if event.kind == kind), None)

    def to_pandas(self) -> pandas.DataFrame:
        """The run as a data frame with the columns of ``touchback simulate``. Needs pandas."""
        import pandas

        frame = pandas.DataFrame(dict(self.columns), copy=False)
        frame.insert(1, "phase", pandas.Categorical.from_codes(self._phases, self._phase_names))
        return frame

    def plot(self, title: str = "") -> Figure:
        """Draws depth, hammer, speeds and forces over time, with the events. Needs matplotlib.

        Returns the figure; ``run.plot().savefig("run.png")`` writes it.
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 9), layout="constrained")
        axes = figure.subplots(4, sharex=True)
        t = 1e3 * self.t
        axes[0].plot(t, 1e3 * self.key, color="C0")
        axes[0].set_ylabel("key depth, mm")
        axes[0].invert_yaxis()
        axes[1].plot(t, 1e3 * self.hammer, color="C1")
        axes[1].set_ylabel("crown to string, mm")
        axes[2].plot(t, self.key_speed, color="C0", label="key front")
        axes[2].plot(t, self.hammer_speed, color="C1", label="hammer")
        axes[2].set_ylabel("speed, m/s")
        axes[3].plot(t, self.force, color="C0", label="hand on key")
        axes[3].plot(t, self.jack_force, color="C1", label="jack on knuckle")
        axes[3].set_ylabel("force, N")
        axes[3].set_xlabel("time, ms")
        for axis in axes[2:]:
            axis.legend()
        for axis in axes:
            for event in self.events:
                axis.axvline(1e3 * event.time, color="0.8", linewidth=0.8, zorder=0)
        for event in self.events:
            axes[0].annotate(
                event.kind.replace("_", " "),
                (1e3 * event.time, 1.0),
                xycoords=("data", "axes fraction"),
                rotation=90,
                fontsize="x-small",
                verticalalignment="top",
            )
        if title:
            figure.suptitle(title)
        return figure
