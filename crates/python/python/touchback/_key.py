"""One key of any action."""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Iterable, Mapping

import numpy as np

from touchback import _native
from touchback._inputs import number as number_of
from touchback._inputs import named_text_of, plain, text_of, whole
from touchback._run import Event, Run
from touchback._spread import rebuilt

if typing.TYPE_CHECKING:
    from numpy.typing import ArrayLike

Value = typing.Union[float, str]
Part = Mapping[str, object]


class KeyState(typing.NamedTuple):
    """Readings of a stepped key."""

    time: float
    """Time since the beginning, s."""
    depth: float
    """Depth of the key front below rest, m."""
    speed: float
    """Downward speed of the key front, m/s."""
    force: float
    """Force on the key front, N, positive down."""
    hammer: float
    """Height of the hammer's crown above the string, m."""
    hammer_speed: float
    """Speed of the hammer toward the string, m/s."""
    phase: str
    """Name of the submodel."""
    events: list[Event]
    """Events since the state before."""


class Key:
    """One key of a grand action, or of another action.

    Parameters
    ----------
    number:
        The key, 1 (A0) to 88 (C8), or its name.
    action:
        ``grand``, ``reference`` (the grand as a coupled force balance), ``thesis`` (the grand of Gillespie 1996),
        ``simplified``, ``viennese``, ``harpsichord``, ``model-a``, ``model-b`` or ``ball``.
    model:
        A model file from ``touchback model export``, :meth:`save_model` or a fit, as a path or as its text.
    mechanism:
        A file that describes the mechanism of the key, as a path or as its text, in place of ``action``. ``settings``
        may then have its parameters.
    numbers:
        Numbers of the model by name, such as ``{"hammer.mass": 0.009}``, SI units; see :attr:`numbers`.
    preset:
        Factory piano, or a preset file, to start from.
    sheet:
        Offsets of single keys: a CSV file, as a path or as its text.
    step:
        Step of integration, s: the action step of 125 µs divided by a whole number.
    forces:
        Whether runs have :attr:`Run.forces`.
    settings:
        Parameters of the piano, as ``let_off_mm=1.5``.

    Raises
    ------
    ValueError
        A key, action, number or parameter that does not exist, or a value out of range.
    OSError
        A file that cannot be read.
    """

    def __init__(
        self,
        number: int | str = 40,
        *,
        action: str = "grand",
        model: str | os.PathLike[str] | None = None,
        mechanism: str | os.PathLike[str] | None = None,
        numbers: Mapping[str, float] | None = None,
        preset: str | None = None,
        sheet: str | os.PathLike[str] | None = None,
        step: float = _native.STEP,
        forces: bool = False,
        **settings: Value,
    ) -> None:
        step = number_of("step", step)
        parts = round(_native.STEP / step) if step > 0 else 0
        if parts < 1 or abs(parts * step / _native.STEP - 1) > 1e-6:
            raise ValueError(f"step = {step}: 125 µs divided by a whole number")
        sheet, model, mechanism = text_of(sheet), text_of(model), named_text_of(mechanism)
        self._arguments = dict(
            settings,
            action=action,
            model=model,
            mechanism=mechanism,
            numbers=numbers,
            preset=preset,
            sheet=sheet,
            step=step,
            forces=forces,
        )
        self._native = _native.Key(
            number,
            action,
            preset,
            sheet,
            model,
            mechanism,
            settings,
            {name: number_of(name, value) for name, value in (numbers or {}).items()},
            parts,
            forces,
        )
        self._drive: tuple[str, float] | None = None
        self._last = KeyState(0.0, 0.0, 0.0, 0.0, np.nan, 0.0, "", [])
        self._take(*self._native.step(None, 0.0, 0.0, 0))

    def __reduce__(self) -> typing.Any:
        """Pickles the arguments: the copy is at rest, at time 0."""
        return rebuilt, (type(self), (self.number,), self._arguments)

    def __repr__(self) -> str:
        return f"<Key {self.number} at {self.time:.6g} s>"

    @property
    def number(self) -> int:
        """The key, 1 (A0) to 88 (C8)."""
        return self._native.number

    @property
    def numbers(self) -> dict[str, float]:
        """Every number of the model by name, SI units."""
        return dict(self._native.numbers())

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a file for ``model=`` and for ``touchback simulate --model``."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._native.model_text())

    # Whole gestures, each on a key at rest.

    def press(
        self,
        force: float = 7.0,
        hold: float = 0.16,
        *,
        after: float = 0.25,
        mass: float | None = None,
        rise: float | None = None,
    ) -> Run:
        """Presses with a hand that rests on the key, and lets go.

        Parameters
        ----------
        force:
            Force of the muscle once it is fully active, N.
        hold:
            Time until the key is let go, s.
        after:
            Time afterwards, s.
        mass:
            Mass of the hand, kg; 0.3 by default.
        rise:
            Time constant of the muscle, s; by default it depends on the force.
        """
        hand = _part(
            "pressed",
            force_n=("force", force),
            duration_s=("hold", hold),
            mass_kg=("mass", mass),
            rise_s=("rise", rise),
        )
        return self.play([hand, _part("release", duration_s=("after", after))])

    def strike(
        self, speed: float = 0.5, hold: float = 0.16, *, after: float = 0.25, mass: float | None = None
    ) -> Run:
        """Strikes with a finger that arrives at the key with a speed, and lets go.

        Parameters
        ----------
        speed:
            Speed on arrival, m/s.
        hold:
            Time until the key is let go, s.
        after:
            Time afterwards, s.
        mass:
            Mass of the finger, kg; 0.08 by default.
        """
        finger = _part(
            "struck", speed_m_s=("speed", speed), duration_s=("hold", hold), mass_kg=("mass", mass)
        )
        return self.play([finger, _part("release", duration_s=("after", after))])

    def weight(self, mass: float, duration: float = 1.0, *, height: float = 0.0) -> Run:
        """Places a weight of `mass` kg on the key, or drops it from `height` m."""
        form = _part(
            "weight",
            mass_kg=("mass", mass),
            duration_s=("duration", duration),
            height_m=("height", height),
        )
        return self.play(form)

    def follow(
        self,
        t: ArrayLike,
        *,
        depth: ArrayLike | None = None,
        force: ArrayLike | None = None,
        finger: ArrayLike | None = None,
        speed: ArrayLike | None = None,
    ) -> Run:
        """Imposes a curve, linear between its points but for a depth, whose speed is continuous.

        Parameters
        ----------
        t:
            Times, s, from 0 and rising, shape (n,).
        depth:
            Depth of the key front, m, shape (n,); :attr:`Run.force` is the force that answers, the work of each
            step over its travel. Points at most 5 ms apart are joined by a cubic spline, others by straight lines
            whose speed changes within 1 ms about the points.
        force:
            Force on the key front, N, shape (n,).
        finger:
            Depth of a massless finger behind a one-sided spring of 500 N/m, m, shape (n,).
        speed:
            Speed of the key front at the points of `depth`, m/s, shape (n,): the motion is then a cubic between
            points, as exact as these are.
        """
        channel, values = _one(depth=depth, force=force, finger=finger)
        if speed is not None and channel != "key_m":
            raise ValueError("speed belongs to depth")
        times = np.ascontiguousarray(t, dtype=np.float64)
        curve = np.ascontiguousarray(values, dtype=np.float64)
        speeds = None if speed is None else np.ascontiguousarray(speed, dtype=np.float64)
        if times.ndim != 1 or curve.ndim != 1 or (speeds is not None and speeds.ndim != 1):
            raise ValueError("a curve has one dimension")
        return Run(*self._native.play_curve(channel, times, curve, speeds))

    def play(self, gesture: str | os.PathLike[str] | Part | Iterable[Part]) -> Run:
        """Plays a gesture: a file (.csv or .toml), one part, or parts one after another, on a key at rest.

        A part is a dictionary with the names of a gesture file, such as
        ``{"form": "pressed", "force_n": 7.0, "duration_s": 0.16}``.
        """
        if isinstance(gesture, (str, os.PathLike)):
            # A missing file is an error of the system here as everywhere.
            with open(gesture, "rb"):
                return Run(*self._native.play_file(os.fspath(gesture)))
        parts = [gesture] if isinstance(gesture, Mapping) else list(gesture)
        part = [plain(f"gesture, part {index + 1}", part) for index, part in enumerate(parts)]
        return Run(*self._native.play_parts(json.dumps({"part": part})))

    # Step by step.

    @property
    def state(self) -> KeyState:
        """Readings of the stepped key."""
        return self._last

    @property
    def time(self) -> float:
        """Time of the stepped key, s."""
        return self._last.time

    def step(
        self,
        *,
        depth: float | None = None,
        force: float | None = None,
        finger: float | None = None,
        steps: int = 1,
    ) -> KeyState:
        """Takes `steps` action steps of 125 µs; returns the readings at their end.

        The drive goes linearly from where it was, a new kind of drive from the key's depth or from 0 N, to the
        given value: a depth of the key front, m, whose speed is continuous, a force on it, N, or the depth of a
        massless finger, m. Without a value the key is free. A call that an exception such as ``KeyboardInterrupt`` ends leaves the key where it
        is; the events of the call are lost.
        """
        steps = whole("steps", steps)
        if steps < 1:
            raise ValueError(f"steps = {steps}: at least 1")
        given = [value for value in (depth, force, finger) if value is not None]
        if not given:
            self._drive = None
            return self._advance(None, 0.0, 0.0, steps)
        channel, value = _one(depth=depth, force=force, finger=finger)
        target = number_of(channel, value)
        if abs(target) > (1000.0 if channel == "force_n" else 1.0):
            raise ValueError(f"{channel} = {target} is beyond ±1000 N or ±1 m")
        start = 0.0 if channel == "force_n" else self._last.depth
        if self._drive is not None and self._drive[0] == channel:
            start = self._drive[1]
        self._drive = (channel, target)
        return self._advance(channel, start, target, steps)

    def reset(self) -> None:
        """Puts the stepped key to rest at time 0."""
        self._native.reset()
        self._drive = None
        self._take(*self._native.step(None, 0.0, 0.0, 0))

    def save(self) -> tuple[int, list[int]]:
        """The state of the stepped key, for :meth:`restore`."""
        return self._native.save()

    def restore(self, saved: tuple[int, list[int]]) -> None:
        """Restores a state of this key, or of one with the same model, from :meth:`save`."""
        self._native.restore(*saved)
        self._drive = None
        self._take(*self._native.step(None, 0.0, 0.0, 0))

    def _advance(self, channel: str | None, start: float, target: float, steps: int) -> KeyState:
        try:
            found = self._native.step(channel, start, target, steps)
        except ValueError:
            raise
        except BaseException:
            # Interrupted: the key stands somewhere between.
            self._drive = None
            self._take(*self._native.step(None, 0.0, 0.0, 0))
            raise
        return self._take(*found)

    def _take(self, values: list[float], phase: str, events: list[tuple[float, str, float, str]]) -> KeyState:
        time, depth, speed, force, _, hammer, hammer_speed = values[:7]
        found = [Event(*event) for event in events]
        self._last = KeyState(time, depth, speed, force, hammer, hammer_speed, phase, found)
        return self._last


CHANNELS = {"depth": "key_m", "force": "force_n", "finger": "finger_m"}


def _one(**given: typing.Any) -> tuple[str, typing.Any]:
    """The one drive that is given, with the name of its channel."""
    found = [(CHANNELS[name], value) for name, value in given.items() if value is not None]
    if len(found) != 1:
        raise ValueError(f"give exactly one of {', '.join(given)}")
    return found[0]


def _part(form: str, **given: tuple[str, typing.Any]) -> dict[str, object]:
    """A part of a gesture of this form: for each field the name and the value of an argument, if it is not none."""
    fields = {
        field: number_of(name, value) for field, (name, value) in given.items() if value is not None
    }
    return {"form": form, **fields}
