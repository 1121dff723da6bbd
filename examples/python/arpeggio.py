"""Measures the files of `touchback lab arpeggio` again: level and spectral centroid from the last strike on.

    python3 examples/python/arpeggio.py target/release/touchback

A row that differs from the program's is marked, and the exit code is 1. Needs numpy.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

RATE, LENGTH = 48_000, 16_384
LAST_STRIKE = 0.1 + 3 * 0.16

failed = False


def row(name, value, low, high):
    """Prints a row; a value outside of its band fails."""
    global failed
    bad = not low <= value <= high
    failed |= bad
    print(f"{name:70} {value:9.4g}  {low:g} to {high:g}{'  FAILED' if bad else ''}")


def samples(path):
    """The sum of both channels of a WAV file of 24 bits, full scale 1."""
    data = path.read_bytes()
    at = data.index(b"data")
    size = int.from_bytes(data[at + 4 : at + 8], "little")
    bytes_ = np.frombuffer(data[at + 8 : at + 8 + size], dtype=np.uint8).reshape(-1, 2, 3).astype(np.int32)
    values = bytes_[..., 0] | bytes_[..., 1] << 8 | bytes_[..., 2] << 16
    return (np.where(values >= 1 << 23, values - (1 << 24), values) / ((1 << 23) - 1)).sum(axis=1)


def measure(sound):
    """Level, dB, and amplitude-weighted mean frequency, Hz, under half a Hann window."""
    part = sound[int(LAST_STRIKE * RATE) :][:LENGTH]
    size = np.abs(np.fft.rfft(part * (0.5 + 0.5 * np.cos(np.pi * np.arange(LENGTH) / LENGTH))))
    hz = np.arange(len(size)) * RATE / LENGTH
    return 10 * np.log10(np.mean(part**2)), (hz * size).sum() / size.sum()


def main(touchback):
    """Runs the experiment and prints all rows."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "lab")
        subprocess.run([touchback, "lab", "arpeggio", "--out", out], check=True, capture_output=True)
        with open(out / "arpeggio.csv", encoding="utf-8") as file:
            theirs = {line["way"]: line for line in csv.DictReader(file)}
        centroids = {}
        for way in ("slurred", "detached"):
            level, centroids[way] = measure(samples(out / f"{way}.wav"))
            row(f"{way}: level less the program's, dB", level - float(theirs[way]["level_db"]), -0.01, 0.01)
            ratio = centroids[way] / float(theirs[way]["centroid_hz"])
            row(f"{way}: spectral centroid over the program's", ratio, 0.99, 1.01)
        row("spectral centroid, slurred over detached", centroids["slurred"] / centroids["detached"], 1.05, 2)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
