"""The instrument: block by block, and whole MIDI files."""

from __future__ import annotations

import io
import os
import pathlib
import typing
import warnings
from collections.abc import Iterable

import numpy as np

from touchback import _native
from touchback._inputs import number as number_of
from touchback._inputs import named_text_of, text_of, whole
from touchback._key import Value
from touchback._spread import Executor, rebuilt, spread, threads_of

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
        sheet, mechanism = text_of(sheet), named_text_of(mechanism)
        self._arguments = dict(settings, preset=preset, sheet=sheet, mechanism=mechanism)
        self._native = _native.Piano(self._rate, preset, sheet, mechanism, settings)
        self.strikes: list[Strike] = []
        """Strikes of the last block."""

    def __reduce__(self) -> typing.Any:
        """Pickles the arguments: the copy is silent, at time 0."""
        return rebuilt, (type(self), (self._rate,), self._arguments)

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


def _bytes_of(midi: typing.Any) -> tuple[str, bytes]:
    """Name and bytes of a MIDI file: a path, its bytes, an open file, or an object that can be written as one."""
    if isinstance(midi, (bytes, bytearray, memoryview)):
        return "the MIDI data", bytes(midi)
    if isinstance(midi, (str, os.PathLike)):
        return os.fspath(midi), pathlib.Path(midi).read_bytes()
    if hasattr(midi, "read"):
        data = midi.read()
        if not isinstance(data, bytes):
            raise TypeError("the MIDI file is open as text; open it with mode 'rb'")
        return str(getattr(midi, "name", "the MIDI data")), data
    name = f"the {type(midi).__module__.split('.')[0]} object"
    # symusic, then mido, pretty_midi and miditoolkit.
    if hasattr(midi, "dumps_midi"):
        return name, midi.dumps_midi()
    buffer = io.BytesIO()
    if hasattr(midi, "save"):
        midi.save(file=buffer)
    elif hasattr(midi, "write"):
        midi.write(buffer)
    elif hasattr(midi, "dump"):
        midi.dump(file=buffer)
    else:
        raise TypeError(f"{type(midi).__name__}: a path, bytes, an open file or a MIDI object is needed")
    return name, buffer.getvalue()


def _numbers(name: str, chosen: str | int | Iterable[int] | None) -> str | None:
    """Channels or tracks as the command reads them."""
    if chosen is None or isinstance(chosen, str):
        return chosen
    if isinstance(chosen, Iterable):
        return ",".join(str(whole(name, number)) for number in chosen)
    return str(whole(name, chosen))


@typing.overload
def render(midi: list[typing.Any], rate: int = ..., **kwargs: typing.Any) -> list[Rendering]: ...
@typing.overload
def render(midi: typing.Any, rate: int = ..., **kwargs: typing.Any) -> Rendering: ...
def render(
    midi: typing.Any,
    rate: int = 48000,
    *,
    preset: str | None = None,
    sheet: str | os.PathLike[str] | None = None,
    mechanism: str | os.PathLike[str] | None = None,
    channels: str | int | Iterable[int] | None = None,
    tracks: str | int | Iterable[int] | None = None,
    scale: str | os.PathLike[str] | None = None,
    keymap: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    **settings: Value,
) -> Rendering | list[Rendering]:
    """Plays a MIDI file to the end of its sound, as ``touchback render`` does.

    Parameters
    ----------
    midi:
        Path of a MIDI file, its bytes, a file open for reading, or an object of mido, pretty_midi, symusic or
        miditoolkit. A list of these gives a list.
    rate:
        Sample rate, Hz.
    preset, sheet, mechanism, settings:
        As of :class:`Piano`.
    channels, tracks:
        Plays these, from 1 (``"1,3-5"``, ``"all"``, numbers), instead of the piano's part.
    scale, keymap:
        A Scala scale and keyboard map, as paths or as their texts.
    threads:
        1 plays on one thread, otherwise three are used. The samples are the same.
    executor:
        Plays each file by ``executor.submit``: a process pool, a client of Dask and the like.

    Damage in the file, and parts that are left out, are warnings.
    """
    sheet, scale, keymap = text_of(sheet), text_of(scale), text_of(keymap)
    own = named_text_of(mechanism)
    if keymap is not None and scale is None:
        raise ValueError("keymap: belongs to a scale")
    parts = (_numbers("channels", channels), _numbers("tracks", tracks))
    rate, threads = whole("rate", rate), threads_of(threads)
    if isinstance(midi, list) or executor is not None:
        options = dict(settings, preset=preset, sheet=sheet, mechanism=own)
        options.update(scale=scale, keymap=keymap)
        options.update(rate=rate, channels=parts[0], tracks=parts[1], threads=threads)
        # Objects are written here: a worker need not have their package.
        files = [_bytes_of(one) for one in (midi if isinstance(midi, list) else [midi])]
        if executor is None:
            played = [_played(file, **options) for file in files]
        else:
            options["threads"] = threads or 1
            played = spread(executor, _played, files, **options)
        for _, told in played:
            _warn(told)
        return [sound for sound, _ in played] if isinstance(midi, list) else played[0][0]
    sound, told = _played(
        _bytes_of(midi), rate, preset, sheet, own, *parts, scale, keymap, threads, **settings
    )
    _warn(told)
    return sound


def _warn(told: list[str]) -> None:
    for line in told:
        warnings.warn(line, UserWarning, stacklevel=3)


def _played(
    file: tuple[str, bytes],
    rate: int,
    preset: str | None,
    sheet: str | None,
    mechanism: tuple[str, str] | None,
    channels: str | None,
    tracks: str | None,
    scale: str | None,
    keymap: str | None,
    threads: int | None,
    **settings: Value,
) -> tuple[Rendering, list[str]]:
    """A file, played, and the warnings."""
    tuning = None if scale is None else (scale, keymap)
    (samples, strikes), told = _native.render(
        *file, rate, preset, sheet, mechanism, settings, (channels, tracks), tuning, threads
    )
    return Rendering(samples, [Strike(*strike) for strike in strikes], rate), told
