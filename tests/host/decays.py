#!/usr/bin/env python3
"""Decays of single partials, Touchback's beside recorded grands: a table and a figure.

usage: decays.py TOUCHBACK OUT.svg NAME=FOLDER [NAME=FOLDER ...]

A FOLDER has single notes of one layer, with key and octave (A0v8.ogg, D#4v8.ogg) or a MIDI number after an underscore
(g_mf_060.flac) in their names. Keys recorded in the first FOLDER are played at velocity 72, without the room, and held
for 5 s. A partial's level is that of its band (half a fundamental, at most 80 Hz wide) over both channels, relative to
0.05 s after the onset. The residual is the root mean square difference of its level from a cubic in time, from 0.05 to
3 s or until it has fallen by 45 dB.

Needs: pip install numpy scipy soundfile matplotlib
"""

import pathlib
import re
import subprocess
import sys
import tempfile
from math import gcd

import matplotlib
import midi_file
import numpy
import soundfile
from scipy.signal import oaconvolve, resample_poly

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402

RATE = 48000
HOP = 480
SECONDS = 4.6
VELOCITY = 72
EVERY = 6.0
REGISTERS = (("A0–B1", 21, 35), ("C2–B3", 36, 59), ("C4–B5", 60, 83), ("C6–B6", 84, 95), ("C7–C8", 96, 108))
DRAWN = (36, 60, 72, 84, 93)
PARTIALS = 8
SEMITONE = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
NUMBERED = re.compile(r"_(\d{3})$")
NAMED = re.compile(r"(?<![A-Za-z])([A-G])(#?)(\d)(?:v\d+)?$")


def midi_number(stem):
    """MIDI number of a file's name, or None."""
    if found := NUMBERED.search(stem):
        return int(found[1])
    if found := NAMED.search(stem):
        return 12 * (int(found[3]) + 1) + SEMITONE[found[1]] + len(found[2])
    return None


def aligned(sound):
    """4.6 s from 5 ms before the onset, padded with silence."""
    peak = numpy.abs(sound).max(axis=1)
    first = max(0, int(numpy.argmax(peak > 0.05 * peak[:RATE].max())) - RATE // 200)
    cut = sound[first : first + int(SECONDS * RATE)]
    return numpy.pad(cut, ((0, int(SECONDS * RATE) - len(cut)), (0, 0)))


def read(path):
    """Both channels of a sound file at 48 kHz."""
    sound, rate = soundfile.read(path, always_2d=True)
    if rate != RATE:
        divisor = gcd(rate, RATE)
        sound = resample_poly(sound, RATE // divisor, rate // divisor, axis=0)
    return sound


def recorded(folder):
    """Notes of a folder by MIDI number."""
    paths = (path for path in sorted(pathlib.Path(folder).rglob("*")) if path.suffix in (".wav", ".flac", ".ogg"))
    numbered = ((midi_number(path.stem), path) for path in paths)
    return {number: aligned(read(path)) for number, path in numbered if number is not None}


def rendered(touchback, numbers):
    """Notes of Touchback by MIDI number."""
    with tempfile.TemporaryDirectory() as folder:
        midi, wave = pathlib.Path(folder, "notes.mid"), pathlib.Path(folder, "notes.wav")
        starts = [(0.5 + i * EVERY, number) for i, number in enumerate(numbers)]
        events = [(start, bytes((0x90, number, VELOCITY))) for start, number in starts]
        events += [(start + 5.0, bytes((0x80, number, 64))) for start, number in starts]
        midi_file.write(midi, events, EVERY * (len(numbers) + 1))
        command = [touchback, "render", midi, "-o", wave, "--set", "room_db=-60"]
        subprocess.run(command, check=True, capture_output=True)
        sound = read(wave)
    start = [int((0.5 + i * EVERY) * RATE) - HOP for i in range(len(numbers))]
    return {number: aligned(sound[at : at + int(5 * RATE)]) for number, at in zip(numbers, start)}


def course(sound, number, partial):
    """Level of a partial every 10 ms from the onset on, dB; the partial is sought within 26 cents of the stiff string."""
    fundamental = 440 * 2 ** ((number - 69) / 12)
    stiffness = numpy.exp(-0.1112 * number - 6.867) + numpy.exp(0.0946 * number - 13.705)
    hz = partial * fundamental * ((1 + stiffness * partial**2) / (1 + stiffness)) ** 0.5
    length = 1 << 16
    part = sound[HOP // 2 : HOP // 2 + length]
    power = (numpy.abs(numpy.fft.rfft(part * numpy.hanning(len(part))[:, None], length, axis=0)) ** 2).sum(axis=1)
    bins = numpy.fft.rfftfreq(length, 1 / RATE)
    near = numpy.flatnonzero((bins > hz * 0.985) & (bins < hz * 1.015))
    centre = bins[near[numpy.argmax(power[near])]]
    window = numpy.hanning(2 * int(RATE / min(max(8.0, 0.25 * fundamental), 40.0) / 2) + 1)
    turned = sound * numpy.exp(-2j * numpy.pi * centre * numpy.arange(len(sound)) / RATE)[:, None]
    slow = oaconvolve(turned, (window / window.sum())[:, None], mode="same", axes=0)[HOP // 2 :: HOP]
    return 10 * numpy.log10((numpy.abs(slow) ** 2).sum(axis=1) + 1e-20)


def residual(levels):
    """Root mean square difference from a cubic, dB; None for a partial that is gone in 0.6 s."""
    part = levels[5:300]
    above = part > part.max() - 45
    count = len(part) if above.all() else int(numpy.argmin(above))
    if count <= 60:
        return None
    time = numpy.arange(count) * 0.01
    return float(numpy.sqrt(((part[:count] - numpy.polyval(numpy.polyfit(time, part[:count], 3), time)) ** 2).mean()))


def late_t60(levels):
    """Time for 60 dB from the slope between 1.5 and 3.5 s, s; none within 100 s is 100."""
    slope = numpy.polyfit(numpy.arange(150, 350) * 0.01, levels[150:350], 1)[0]
    return min(100.0, -60 / slope) if slope < 0 else 100.0


def table(pianos):
    """Prints the medians of each register."""
    print("| piano | " + " | ".join(name for name, *_ in REGISTERS) + " |")
    print("| --- |" + " --- |" * len(REGISTERS))
    for name, courses in pianos.items():
        cells = []
        for _, low, high in REGISTERS:
            inside = {key: levels for key, levels in courses.items() if low <= key[0] <= high}
            first = [levels for (_, partial), levels in inside.items() if partial == 1]
            if not first:
                cells.append("–")
                continue
            rest = [value for value in map(residual, inside.values()) if value is not None]
            at = [numpy.median([levels[int(100 * t)] - levels[5] for levels in first]) for t in (0.4, 1.6)]
            t60 = numpy.median([late_t60(levels) for levels in first])
            cells.append(f"{at[0]:.1f}, {at[1]:.1f}; {numpy.median(rest):.2f}; {t60:.1f}".replace("-", "−"))
        print(f"| {name} | " + " | ".join(cells) + " |")


def draw(pianos, path):
    """Draws the first three partials of some keys."""
    matplotlib.rcParams.update({"svg.hashsalt": "decays", "svg.fonttype": "none", "path.simplify_threshold": 0.5})
    figure, axes = pyplot.subplots(len(DRAWN), len(pianos), figsize=(3 * len(pianos), 1.7 * len(DRAWN)), sharex=True, sharey=True)
    for row, number in zip(axes, DRAWN):
        for axis, (name, courses) in zip(row, pianos.items()):
            nearest = min({key for key, _ in courses}, key=lambda key: abs(key - number))
            for partial in (1, 2, 3):
                if (levels := courses.get((nearest, partial))) is not None:
                    axis.plot(numpy.arange(0, 400, 8) * 0.01, (levels - levels[5])[:400:8], label=f"partial {partial}", linewidth=0.9)
            axis.set_ylim(-70, 10)
            axis.set_title(f"{name}, MIDI {nearest}", fontsize=8)
            axis.tick_params(labelsize=7)
    axes[0][0].legend(fontsize=6)
    figure.supxlabel("time, s", fontsize=9)
    figure.supylabel("level re 0.05 s, dB", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    # Tenths of a point are finer than the lines.
    text = pathlib.Path(path).read_text(encoding="utf-8")
    text = re.sub(r'(?m)^(L |.*d="M ).*', lambda points: re.sub(r"(\.\d)\d+", r"\1", points[0]), text)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def main():
    """Measures all pianos."""
    touchback, out, *folders = sys.argv[1:]
    if not folders or any("=" not in folder for folder in folders):
        sys.exit(__doc__)
    notes = {name: recorded(folder) for name, folder in (folder.split("=", 1) for folder in folders)}
    notes = {"Touchback": rendered(touchback, sorted(next(iter(notes.values())))), **notes}
    pianos = {}
    for name, sounds in notes.items():
        pianos[name] = {
            (number, partial): course(sound, number, partial)
            for number, sound in sounds.items()
            for partial in range(1, PARTIALS + 1)
            if partial * 440 * 2 ** ((number - 69) / 12) < 9000
        }
    table(pianos)
    draw(pianos, out)


if __name__ == "__main__":
    main()
