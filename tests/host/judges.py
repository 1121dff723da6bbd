#!/usr/bin/env python3
"""Distances of Touchback's single notes from recorded grands, by judges of other people.

usage: judges.py TOUCHBACK PIANO [PIANO ...] [--keys N] [--set ID=VALUE ...] [--no-visqol]

A PIANO is a folder of single notes whose names have note and layer (A0v10.ogg, D#4v6.wav), or a
soundfont (.sf2, .sf3) whose first program is a grand, played by `fluidsynth`. Three levels of every
recorded note, soft, middle and loud, are compared with the nearest of eight velocities of Touchback,
and with the nearest layer of every other PIANO. Both signals begin at their onsets, last 3 s and are
brought to the same level; the mean of both channels counts.

Zimtohrli's distance, in 1/10000, is 0 for what nobody can tell apart. ViSQOL (audio mode)
gives a mean opinion score from 1 to 4.73, more is nearer; it judges the pair that Zimtohrli chose.
The real-to-real rows are what two recorded grands differ by.

Needs: pip install numpy scipy soundfile zimtohrli visqol-python
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from math import gcd

import midi_file
import numpy
import soundfile
import zimtohrli
from scipy.signal import resample_poly
from visqol.api import VisqolApi

RATE = 48000
SECONDS = 3.0
REST = 5.0
VELOCITIES = (16, 32, 48, 64, 80, 96, 112, 127)
# Share of the layers at which the three levels lie; the loudest layer of some sets is normalised.
LEVELS = (0.15, 0.5, 0.85)
REGISTERS = (("A0–B1", 15), ("C2–B3", 39), ("C4–B5", 63), ("C6–C8", 88))
NOTE = re.compile(r"(?<![A-Za-z])([A-Ga-g])([#bs♯♭]?)(-?\d)[^0-9]*(\d+)?")
SEMITONE = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
# Level of every excerpt, rms of its first half second; Zimtohrli takes full scale as 80 dB.
LEVEL = 10 ** (-26 / 20)


def excerpt(sound):
    """3 s from the onset at the common level, of samples by channels at 48 kHz."""
    peak = numpy.abs(sound).max(axis=1)
    first = max(0, int(numpy.argmax(peak > 0.05 * peak[:RATE].max())) - RATE // 200)
    cut = sound[first : first + int(SECONDS * RATE)]
    cut = numpy.pad(cut, ((0, int(SECONDS * RATE) - len(cut)), (0, 0)))
    rms = numpy.sqrt((cut[: RATE // 2] ** 2).mean())
    return (cut * (LEVEL / rms)).clip(-1, 1).astype(numpy.float32) if rms > 0 else None


def read(path):
    """Both channels of a sound file at 48 kHz."""
    sound, rate = soundfile.read(path, always_2d=True)
    sound = numpy.repeat(sound, 2, axis=1)[:, :2] if sound.shape[1] == 1 else sound[:, :2]
    if rate != RATE:
        common = gcd(rate, RATE)
        sound = resample_poly(sound, RATE // common, rate // common, axis=0)
    return sound


def folder(path):
    """Files of the recorded notes: {key: {layer: path}}."""
    notes = {}
    for file in sorted(pathlib.Path(path).rglob("*")):
        found = NOTE.search(file.stem)
        if file.suffix.lower() not in (".wav", ".flac", ".ogg", ".aif", ".aiff") or not found:
            continue
        letter, accidental, octave, layer = found.groups()
        sharp = {"": 0, "b": -1, "♭": -1}.get(accidental, 1)
        key = 12 * int(octave) + SEMITONE[letter.upper()] + sharp - 8
        notes.setdefault(key, {})[int(layer or 0)] = file
    return notes


def struck(path, keys, velocities):
    """Writes a MIDI file of single notes and gives {(key, velocity): second}."""
    begin, events, second = {}, [], 0.5
    for key in keys:
        for velocity in velocities:
            begin[key, velocity] = second
            events += [
                (second, bytes([0x90, key + 20, velocity])),
                (second + SECONDS + 0.2, bytes([0x80, key + 20, 64])),
            ]
            second += REST
    midi_file.write(path, events, second)
    return begin


def played(command, keys, velocities):
    """Sounds of the single notes that `command(midi, wav)` writes: {key: {velocity: sound}}."""
    with tempfile.TemporaryDirectory() as place:
        midi, wav = os.path.join(place, "notes.mid"), os.path.join(place, "notes.wav")
        begin = struck(midi, keys, velocities)
        subprocess.run(command(midi, wav), check=True, stdout=subprocess.DEVNULL)
        sound = read(wav)
    notes = {}
    for (key, velocity), second in begin.items():
        cut = sound[int((second - 0.05) * RATE) : int((second + SECONDS + 0.6) * RATE)]
        notes.setdefault(key, {})[velocity] = cut
    return notes


def piano(name, keys):
    """The layers of a recorded piano at `keys`: {key: {layer: sound}}."""
    if pathlib.Path(name).is_dir():
        notes = folder(name)
        return {k: {v: read(f) for v, f in notes[k].items()} for k in keys if k in notes}
    synth = lambda midi, wav: [
        "fluidsynth", "-ni", "-q", "-R", "0", "-C", "0", "-F", wav, "-T", "wav", "-O", "float",
        "-r", str(RATE), name, midi,
    ]  # fmt: skip
    return played(synth, keys, VELOCITIES)


class Judges:
    """Both judges, with Zimtohrli's spectrograms of each sound computed once."""

    def __init__(self, with_visqol):
        self.zimtohrli = zimtohrli.Pyohrli()
        self.visqol = VisqolApi() if with_visqol else None
        if self.visqol:
            self.visqol.create(mode="audio")

    def heard(self, notes):
        """{key: {layer: (excerpt, spectrograms)}} of {key: {layer: sound}}."""
        out = {}
        for key, layers in notes.items():
            cuts = {layer: excerpt(sound) for layer, sound in layers.items()}
            out[key] = {
                layer: (cut, [self.zimtohrli.analyze(channel) for channel in cut.T.copy()])
                for layer, cut in cuts.items()
                if cut is not None
            }
        return out

    def nearest(self, one, layers):
        """Zimtohrli's distance in 1/10000 and ViSQOL's score of the nearest of `layers`."""
        apart = lambda other: numpy.mean(
            [self.zimtohrli.distance(a, b) for a, b in zip(one[1], other[1], strict=True)]
        )
        distance, best = min(((apart(o), o) for o in layers.values()), key=lambda found: found[0])
        if self.visqol is None:
            return 1e4 * distance, float("nan")
        scores = [
            self.visqol.measure_from_arrays(a.astype(float), b.astype(float), RATE).moslqo
            for a, b in zip(one[0].T, best[0].T, strict=True)
        ]
        return 1e4 * distance, float(numpy.mean(scores))


def levels(layers):
    """The layers at the three levels."""
    order = sorted(layers)
    return sorted({order[round(share * (len(order) - 1))] for share in LEVELS})


def compare(judges, recorded, other):
    """Means by register: [(notes, Zimtohrli, ViSQOL)], the last of all."""
    found = []
    for key, layers in recorded.items():
        if other.get(key):
            found += [(key, *judges.nearest(layers[v], other[key])) for v in levels(layers)]
    rows, low = [], 0
    for _, high in REGISTERS:
        rows.append([f[1:] for f in found if low < f[0] <= high])
        low = high
    rows.append([f[1:] for f in found])
    return [(len(row), *numpy.mean(row, axis=0)) if row else (0, numpy.nan, numpy.nan) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("touchback")
    parser.add_argument("pianos", nargs="+")
    parser.add_argument("--keys", type=int, default=30)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--no-visqol", action="store_true")
    options = parser.parse_args()
    # A0, then every third key as recorded sets have it, and C8.
    keys = [1, *range(4, 88, 3), 88]
    keys = [keys[round(i * (len(keys) - 1) / (options.keys - 1))] for i in range(options.keys)]
    judges = Judges(not options.no_visqol)
    render = lambda midi, wav: [
        options.touchback, "render", midi, "-o", wav, *(w for s in options.set for w in ("--set", s)),
    ]  # fmt: skip
    ours = judges.heard(played(render, keys, VELOCITIES))
    recorded = {name: judges.heard(piano(name, keys)) for name in options.pianos}
    names = [*(name for name, _ in REGISTERS), "all"]
    print(f"| recorded | beside it | judge | {' | '.join(names)} |")
    print("| --- | --- | --- |" + " --- |" * len(names), flush=True)
    for name, layers in recorded.items():
        if not layers:
            sys.exit(f"{name}: no note of these keys")
        others = {"Touchback": ours, **{n: l for n, l in recorded.items() if n != name}}
        for other, notes in others.items():
            rows = compare(judges, layers, notes)
            for index, judge, form in ((1, "Zimtohrli", "{:.1f}"), (2, "ViSQOL", "{:.2f}")):
                if not numpy.isnan(rows[-1][index]):
                    cells = [f"{form.format(row[index])} ({row[0]})" for row in rows]
                    short = [pathlib.Path(n).stem for n in (name, other)]
                    print(f"| {short[0]} | {short[1]} | {judge} | {' | '.join(cells)} |", flush=True)


main()
