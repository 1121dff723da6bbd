"""The instrument: block by block, and whole MIDI files."""

from __future__ import annotations

import os
import pathlib
import typing
import warnings

import numpy as np

from touchback import _native
from touchback._inputs import number as number_of
from touchback._inputs import named_text_of, text_of, whole
from touchback._key import Value

if typing.TYPE_CHECKING:
    from numpy.typing import NDArray


class Strike(typing.NamedTuple):
    """A hammer that met its string."""

    time: float
    """Time since the beginning, s."""
    key: int
    """The key, 1 (A0) to 88 (C8)."""
    speed: float
    """Speed of the hammer, m/s; 1 for a plucked string."""
    note_on: float
    """Time of the note-on, s; NaN without one."""


class Rendering(typing.NamedTuple):
    """A piece of music, played."""

    samples: NDArray[np.float32]
    """Samples of the left and the right channel, full scale ±1, shape (2, n)."""
    strikes: list[Strike]
    """The strikes, in order of time."""
    rate: int
    """Sample rate, Hz."""


class Piano:
    """A piano that is played block by block.

    Parameters
    ----------
    rate:
        Sample rate, Hz, 22050 to 384000.
    preset:
        Factory piano, or a preset file; the concert grand by default.
    sheet:
        Offsets of single keys: a CSV file, as a path or as its text.
    mechanism:
        A file that describes the mechanism of the keys, as a path or as its text, in place of the grand action.
    settings:
        Parameters of the piano, as ``output_db=-6``, and of the mechanism.

    The same messages give the same samples for every division into blocks. Offsets are samples from the
    beginning of the next block; a message beyond it waits for its block.
    """

    def __init__(
        self,
        rate: int = 48000,
        *,
        preset: str | None = None,
        sheet: str | os.PathLike[str] | None = None,
        mechanism: str | os.PathLike[str] | None = None,
        **settings: Value,
    ) -> None:
        self._rate = whole("rate", rate)
        self._native = _native.Piano(
            self._rate, preset, text_of(sheet), named_text_of(mechanism), settings
        )
        self.strikes: list[Strike] = []
        """Strikes of the last block."""

    @property
    def rate(self) -> int:
        """Sample rate, Hz."""
        return self._rate

    @property
    def latency(self) -> int:
        """Samples by which the sound is later than the notes; 0 but for look-ahead timing."""
        return self._native.latency

    @property
    def is_idle(self) -> bool:
        """Whether nothing sounds, moves or waits."""
        return self._native.is_idle

    def note_on(self, note: int, velocity: float = 0.5, *, channel: int = 0, offset: int = 0) -> None:
        """Plays the MIDI note `note` (60 is middle C) with a velocity of 0 to 1."""
        self._native.note_on(*_message(note, velocity, channel, offset, "note", "velocity"))

    def note_off(self, note: int, velocity: float = 0.5, *, channel: int = 0, offset: int = 0) -> None:
        """Lets the MIDI note `note` go with a release velocity of 0 to 1."""
        self._native.note_off(*_message(note, velocity, channel, offset, "note", "velocity"))

    def control(self, number: int, value: float, *, channel: int = 0, offset: int = 0) -> None:
        """Sends the control change `number` with a value of 0 to 1."""
        self._native.control(*_message(number, value, channel, offset, "control", "value"))

    def sustain(self, value: float, *, offset: int = 0) -> None:
        """Moves the sustain pedal: 0 is up, 1 is down."""
        self.control(64, value, offset=offset)

    def sostenuto(self, value: float, *, offset: int = 0) -> None:
        """Moves the sostenuto pedal: 0 is up, 1 is down."""
        self.control(66, value, offset=offset)

    def una_corda(self, value: float, *, offset: int = 0) -> None:
        """Moves the una corda pedal: 0 is up, 1 is down."""
        self.control(67, value, offset=offset)

    def set(self, **settings: Value) -> None:
        """Changes parameters from the next block on."""
        self._native.set(settings)

    def process(self, frames: int) -> NDArray[np.float32]:
        """Plays the next `frames` samples; returns them, shape (2, frames).

        A call that an exception such as ``KeyboardInterrupt`` ends leaves the piano where it is; its samples are lost.
        """
        samples, strikes = self._native.process(whole("frames", frames))
        self.strikes = [Strike(*strike) for strike in strikes]
        return samples

    def reset(self) -> None:
        """Silences the piano and puts all keys to rest, at time 0."""
        self._native.reset()
        self.strikes = []


def _message(
    number: int, value: float, channel: int, offset: int, number_name: str, value_name: str
) -> tuple[int, float, int, int]:
    """The arguments of a message as numbers of Python."""
    return (
        whole(number_name, number),
        number_of(value_name, value),
        whole("channel", channel),
        whole("offset", offset),
    )


def render(
    midi: str | os.PathLike[str] | bytes,
    rate: int = 48000,
    *,
    preset: str | None = None,
    sheet: str | os.PathLike[str] | None = None,
    mechanism: str | os.PathLike[str] | None = None,
    **settings: Value,
) -> Rendering:
    """Plays a MIDI file to the end of its sound, as ``touchback render`` does.

    Parameters
    ----------
    midi:
        Path of a MIDI file, or its bytes.
    rate:
        Sample rate, Hz.
    preset, sheet, mechanism, settings:
        As of :class:`Piano`.

    Damage in the file, and parts that are left out, are warnings.
    """
    if isinstance(midi, bytes):
        name, data = "the MIDI data", midi
    else:
        name, data = os.fspath(midi), pathlib.Path(midi).read_bytes()
    rate = whole("rate", rate)
    own = named_text_of(mechanism)
    sound, told = _native.render(name, data, rate, preset, text_of(sheet), own, settings)
    for line in told:
        warnings.warn(line, UserWarning, stacklevel=2)
    samples, strikes = sound
    return Rendering(samples, [Strike(*strike) for strike in strikes], rate)
