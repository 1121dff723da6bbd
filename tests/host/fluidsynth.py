#!/usr/bin/env python3
"""Processor time of Touchback and of FluidSynth with a sampled piano, on the same MIDI in one run.

usage: fluidsynth.py TOUCHBACK SOUNDFONT.sf2 [FILE.mid ...]

Both write a 48 kHz WAV file; the shares are user and system time of the process over the length of
what it wrote, less what it takes to start and to play one soft note for a second. The worst case, 88 notes
restruck every two seconds under the pedal, is made here; performances are given. Needs `fluidsynth`
and a General MIDI soundfont (Debian: fluidsynth, fluid-soundfont-gm).
"""

import os
import struct
import subprocess
import sys
import tempfile

import midi_file


def struck(notes, seconds):
    """So many notes from the middle outwards, struck every two seconds under the pedal."""
    events = [(0.0, bytes([0xB0, 64, 127]))]
    first = 21 + (88 - notes) // 2
    for second in range(0, seconds, 2):
        for note in range(first, first + notes):
            if second:
                events.append((second - 0.01, bytes([0x80, note, 64])))
            events.append((second, bytes([0x90, note, 80])))
    # Both end soon after, or one would be measured over a long silence.
    events += [(seconds - 0.01, bytes([0x80, first + note, 64])) for note in range(notes)]
    return [*events, (seconds, bytes([0xB0, 64, 0]))]


def cost(command, out):
    """Processor seconds of a command, and the length of what it wrote to `out`, s."""
    with open(os.devnull, "wb") as nothing:
        child = subprocess.Popen(command, stdout=nothing, stderr=nothing)
        _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: failed")
    return used.ru_utime + used.ru_stime, length(out)


def length(path):
    """Seconds of a WAV file; Python's own reader does not know every format that is written."""
    with open(path, "rb") as file:
        file.seek(12)
        rate = 0
        while head := file.read(8):
            name, size = struct.unpack("<4sI", head)
            if name == b"data":
                return size / rate
            body = file.read(size + size % 2)
            if name == b"fmt ":
                rate = struct.unpack("<HHII", body[:12])[3]
    sys.exit(f"{path}: no samples")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    touchback, font, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.wav")
        rivals = {
            "touchback": lambda file: [touchback, "render", file, "-o", out],
            "fluidsynth": lambda file: [
                "fluidsynth", "-ni", "-q", "-F", out, "-T", "wav", "-O", "s24", "-r", "48000", font, file,
            ],
        }
        path = lambda name: os.path.join(folder, name)
        # Without a note Touchback refuses the file.
        note = [(0.0, bytes([0x90, 60, 1])), (0.01, bytes([0x80, 60, 64]))]
        midi_file.write(path("start.mid"), note, 1.0)
        cases = []
        for notes in (10, 32, 88):
            midi_file.write(path(f"{notes}.mid"), struck(notes, 24), 25.0)
            cases.append((f"{notes} notes under the pedal", path(f"{notes}.mid")))
        cases += [(os.path.basename(file), file) for file in files]
        best = lambda command: min((cost(command, out) for _ in range(3)), key=lambda c: c[0])
        start = {name: best(command(path("start.mid")))[0] for name, command in rivals.items()}
        print(f"starting and one soft note: {start['touchback']:.2f} s, {start['fluidsynth']:.2f} s")
        print("| music | Touchback, % of a core | FluidSynth, % of a core |\n| --- | --- | --- |")
        for name, file in cases:
            shares = []
            for rival, command in rivals.items():
                seconds, length = best(command(file))
                shares.append(100 * max(seconds - start[rival], 0) / length)
            print(f"| {name} | {shares[0]:.1f} | {shares[1]:.1f} |", flush=True)


main()
