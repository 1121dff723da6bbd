"""A table of pianos beside recordings of the same performances, with the measures of MIDI-VALLE's paper as far as they
need no trained network (arXiv 2507.08530):

    python3 compare_recordings.py FOLDER [NAME=FOLDER ...] [--touchback touchback] [--preset concert] [--seconds 10]

FOLDER has recordings and their performances with the same names, as NAME.wav and NAME.mid (or .midi), in the layout of
MAESTRO or ATEPP. Each NAME=FOLDER is another system, with WAV files of the same names below it; without
`--touchback -` the performances are also rendered by this piano, the row *Touchback*. Needs numpy.

| column | meaning |
| --- | --- |
| spectrogram | root of the mean square difference of log-mel spectrograms, dB, of the loudest alignment within 0.25 s |
| chroma | root of the mean square difference of chroma vectors of length 1, by frame |
| Fréchet | Fréchet distance of the normal distributions of log-mel frames with their slopes, all files together |

Levels are matched file by file before. The paper's own Fréchet Audio Distance is that of a network's embedding; its
weights are not part of this program, so that the column *Fréchet* compares systems within a table only, and not with
the paper's numbers. The listening test is not repeated. The paper's test files are ten-second segments of ATEPP,
MAESTRO and PiJAMA, which their owners distribute.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

RATE = 22_050
"""Sample rate of the comparison, Hz; recordings at others are resampled."""
WINDOW, HOP, BANDS = 2048, 512, 64
FLOOR = 1e-5
"""Least power of a band, re the loudest: -50 dB."""


def read(path, seconds):
    """The first `seconds` of a WAV file of 16, 24 or 32 bits as one channel at RATE."""
    with open(path, "rb") as file:
        chunks = {}
        file.read(12)
        while len(head := file.read(8)) == 8 and "data" not in chunks:
            name, length = head[:4].decode("latin-1"), int.from_bytes(head[4:], "little")
            if name == "data":
                frame, rate = int.from_bytes(chunks["fmt "][12:14], "little"), int.from_bytes(chunks["fmt "][4:8], "little")
                length = min(length, frame * int(seconds * rate))
            chunks[name] = file.read(length + (length % 2 if name != "data" else 0))
    if "data" not in chunks or chunks["fmt "][:2] not in (b"\1\0", b"\xfe\xff"):
        raise SystemExit(f"{path}: no WAV file of whole numbers")
    channels = int.from_bytes(chunks["fmt "][2:4], "little")
    width, raw = frame // channels, chunks["data"]
    padded = np.zeros((len(raw) // frame * channels, 4), np.uint8)
    padded[:, 4 - width :] = np.frombuffer(raw[: len(padded) * width], np.uint8).reshape(-1, width)
    sound = padded.view("<i4")[:, 0].reshape(-1, channels).mean(axis=1) / 2.0**31
    return sound if rate == RATE else resampled(sound, rate)


def resampled(sound, rate):
    """`sound` at RATE, by its spectrum."""
    count = round(len(sound) * RATE / rate)
    spectrum = np.fft.rfft(sound)
    kept = np.zeros(count // 2 + 1, complex)
    shared = min(len(kept), len(spectrum))
    kept[:shared] = spectrum[:shared]
    return np.fft.irfft(kept, count) * count / len(sound)


def power(sound):
    """Power of each frame and bin, shape (frames, WINDOW // 2 + 1)."""
    sound = np.pad(sound, (0, max(0, WINDOW - len(sound))))
    frames = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
    return np.abs(np.fft.rfft(frames * np.hanning(WINDOW))) ** 2


def mel_bank():
    """Triangles of the mel scale, 30 Hz to the half of RATE, shape (BANDS, bins)."""
    mel = lambda hertz: 2595.0 * np.log10(1.0 + hertz / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(mel(30.0), mel(RATE / 2), BANDS + 2) / 2595.0) - 1.0)
    bins = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    low, middle, high = (edges[i : BANDS + i, np.newaxis] for i in range(3))
    return np.clip(np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)), 0.0, None)


def chroma_bank():
    """Bins of the twelve pitch classes from A1 to A7, shape (12, bins)."""
    bins = np.arange(1, WINDOW // 2 + 1) * RATE / WINDOW
    semitones = 12.0 * np.log2(bins / 440.0)
    bank = np.zeros((12, WINDOW // 2 + 1))
    inside = (bins > 54.0) & (bins < 3600.0)
    bank[np.round(semitones[inside]).astype(int) % 12, 1 + np.flatnonzero(inside)] = 1.0
    return bank


MEL, CHROMA = mel_bank(), chroma_bank()


def features(sound):
    """Log-mel frames, dB re the loudest, and chroma of length 1."""
    spectrum = power(sound)
    mel = spectrum @ MEL.T
    mel = 10.0 * np.log10(np.maximum(mel / max(mel.max(), 1e-30), FLOOR))
    chroma = spectrum @ CHROMA.T
    return mel, chroma / np.maximum(np.linalg.norm(chroma, axis=1, keepdims=True), 1e-30)


def aligned(reference, other):
    """Frames by which `other` is later, of at most 0.25 s, where their levels agree best."""
    most = round(0.25 * RATE / HOP)
    level = lambda mel: mel.mean(axis=1) - mel.mean()
    a, b = level(reference), level(other)
    scores = {}
    for late in range(-most, most + 1):
        x, y = a[max(0, -late) :], b[max(0, late) :]
        count = min(len(x), len(y))
        if count > most:
            scores[late] = float(np.mean((x[:count] - y[:count]) ** 2))
    return min(scores, key=scores.get) if scores else 0


def distances(reference, other):
    """Difference of spectrograms, dB, and of chroma, after alignment."""
    late = aligned(reference[0], other[0])
    found = []
    for a, b in zip(reference, other):
        a, b = a[max(0, -late) :], b[max(0, late) :]
        count = min(len(a), len(b))
        found.append(float(np.sqrt(np.mean((a[:count] - b[:count]) ** 2))))
    return found


def frechet(mels_a, mels_b):
    """Fréchet distance of the normal distributions of frames with their slopes."""

    def moments(mels):
        rows = np.concatenate([np.hstack([mel[1:], np.diff(mel, axis=0)]) for mel in mels])
        return rows.mean(axis=0), np.cov(rows, rowvar=False)

    (mean_a, cov_a), (mean_b, cov_b) = moments(mels_a), moments(mels_b)
    # The trace of the root of cov_a cov_b is that of a symmetric matrix with the same eigenvalues.
    values, vectors = np.linalg.eigh(cov_a)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    mixed = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ cov_b @ root), 0.0)).sum()
    return max(0.0, float(((mean_a - mean_b) ** 2).sum() + np.trace(cov_a) + np.trace(cov_b) - 2.0 * mixed))


def pairs(folder):
    """Recordings below `folder` with their performances."""
    found = []
    for sound in sorted(folder.rglob("*.wav")):
        scores = [sound.with_suffix(ending) for ending in (".mid", ".midi")]
        found += [(sound, score) for score in scores if score.is_file()][:1]
    if not found:
        raise SystemExit(f"{folder}: no NAME.wav with a NAME.mid beside it")
    return found


def main():
    parser = argparse.ArgumentParser(description="A table of pianos beside recordings of the same performances.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("systems", nargs="*", metavar="NAME=FOLDER")
    parser.add_argument("--touchback", default="touchback", help="the command; - leaves this piano out")
    parser.add_argument("--preset", default="concert")
    parser.add_argument("--seconds", type=float, default=10.0, help="length that is compared")
    options = parser.parse_args()
    if pathlib.Path(options.touchback).is_file():
        options.touchback = pathlib.Path(options.touchback).resolve()
    files = pairs(options.folder)
    references = [features(read(sound, options.seconds)) for sound, _ in files]
    systems = [(name, pathlib.Path(folder)) for name, _, folder in (text.partition("=") for text in options.systems)]
    with tempfile.TemporaryDirectory() as work:
        if options.touchback != "-":
            listed = pathlib.Path(work, "list.txt")
            listed.write_text("".join(f"{score.relative_to(options.folder)}\n" for _, score in files), encoding="utf-8")
            words = ["render", "--list", listed, "-o", pathlib.Path(work, "sound"), "--quiet"]
            words += ["--sample-rate", str(RATE), "--preset", options.preset, "--yes"]
            # The names in a list keep their folders.
            subprocess.run([options.touchback, *words], cwd=options.folder, check=True)
            systems.append(("Touchback", pathlib.Path(work, "sound")))
        print("| system | files | spectrogram, dB | chroma | Fréchet, dB² |\n| --- | --- | --- | --- | --- |")
        for name, folder in systems:
            sounds = [folder / sound.relative_to(options.folder) for sound, _ in files]
            for sound in sounds:
                if not sound.is_file():
                    raise SystemExit(f"{sound}: is missing")
            others = [features(read(sound, options.seconds)) for sound in sounds]
            spectrogram, chroma = np.mean([distances(a, b) for a, b in zip(references, others)], axis=0)
            distance = frechet([mel for mel, _ in references], [mel for mel, _ in others])
            print(f"| {name} | {len(files)} | {spectrogram:.2f} | {chroma:.3f} | {distance:.0f} |")


if __name__ == "__main__":
    main()
