"""An open set of piano performances with the motion of keys, hammers and dampers beside the sound:

    python3 open_set.py SCORES OUT [--performances FOLDER] [--touchback touchback] [--part I/N] [--megabytes 20]

SCORES and FOLDER have MIDI files. docs/open-set.md has the files of the set and becomes its data card. Stopped and begun
again, it goes on; with `--part` on several machines, the card is written by a last run without it. `--megabytes`
leaves out the largest files until the rest is smaller. Needs the Python package touchback and pyarrow.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess

import pyarrow
import pyarrow.parquet
import touchback

CARD = pathlib.Path(__file__).resolve().parents[2] / "docs/open-set.md"


def main():
    parser = argparse.ArgumentParser(description="An open set with key, hammer and sound.")
    parser.add_argument("scores", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--performances", type=pathlib.Path)
    parser.add_argument("--touchback", default="touchback")
    parser.add_argument("--part", help="renders every N-th file from the I-th on; the card is written without it")
    parser.add_argument("--megabytes", type=float)
    options = parser.parse_args()
    program = options.touchback
    if pathlib.Path(program).is_file():
        program = str(pathlib.Path(program).resolve())
    midi = options.out / "midi"
    for name, folder in (("scores", options.scores), ("performances", options.performances)):
        for file in sorted(folder.rglob("*.mid")) if folder is not None else ():
            copy = midi / name / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    left = [name for name in midi.rglob("*.mid") if not is_made(options.out, name.relative_to(midi).with_suffix(""))]
    if left:
        words = ["render", "--list", "-", "-o", "../sound", "--format", "flac", "--timing", "natural", "--normalize=-1"]
        words += [word for name in ("motion", "events", "strikes") for word in (f"--{name}", "../motion")]
        words += ["--skip-existing", "--quiet", "--yes"] + (["--part", options.part] if options.part else [])
        names = "".join(f"{name.relative_to(midi)}\n" for name in sorted(left))
        subprocess.run([program, *words], cwd=midi, input=names.encode(), check=True)
    for file in sorted((options.out / "motion").rglob("*.csv")):
        packed = file.with_suffix(".parquet")
        if not packed.is_file() or packed.stat().st_mtime < file.stat().st_mtime:
            pyarrow.parquet.write_table(touchback.table(file), packed, compression="zstd")
    if options.part is None:
        publish(options)


def is_made(out, name):
    """Whether the set in `out` has sound and tables of the performance `name`, and its record."""
    manifest = out / "sound/manifest.jsonl"
    lines = manifest.read_text(encoding="utf-8").splitlines()[1:] if manifest.is_file() else []
    has_record = any(json.loads(line)["name"] == str(name) for line in lines if line.endswith("}"))
    return has_record and all(file.is_file() for file in files(out, name))


def publish(options):
    """Leaves out tables as text and what is too large, and writes the card."""
    out = options.out
    # The lines stay as they are: a later run compares the first one.
    lines = (out / "sound/manifest.jsonl").read_text(encoding="utf-8").splitlines()
    head, *records = map(json.loads, lines)
    sizes = {record["name"]: sum(file.stat().st_size for file in files(out, record["name"])) for record in records}
    most = 1e6 * options.megabytes if options.megabytes else float("inf")
    kept = sorted(sizes, key=sizes.get)
    while sum(sizes[name] for name in kept) > most:
        left = kept.pop()
        for file in files(out, left) + [out / "midi" / f"{left}.mid"]:
            file.unlink()
    for file in [*(out / "motion").rglob("*.csv"), *(out / "sound").glob("manifest-*.jsonl")]:
        file.unlink()
    text = [lines[0], *(line for line, record in zip(lines[1:], records) if record["name"] in kept)]
    (out / "sound/manifest.jsonl").write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    rows = sum(pyarrow.parquet.read_metadata(file).num_rows for file in (out / "motion").rglob("*.strikes.parquet"))
    size = 1e-6 * sum(sizes[name] for name in kept)
    minutes = sum(seconds(out / "sound" / f"{name}.flac") for name in kept) / 60.0
    copy = f"{len(kept)} files, {minutes:.1f} minutes, {rows} strikes, {size:.1f} MB, by Touchback {head['touchback']}"
    card = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", CARD.read_text(encoding="utf-8"))
    card += f"\n## This copy\n\n{copy}.\n"
    (out / "README.md").write_text(card, encoding="utf-8")
    print(f"{out}: {copy}")


def seconds(path):
    """Length of a FLAC file by its stream information: 20 bits of the rate, 8 of the form, 36 of the frames."""
    with path.open("rb") as file:
        numbers = int.from_bytes(file.read(26)[18:], "big")
    return (numbers & (1 << 36) - 1) / (numbers >> 44)


def files(out, name):
    """Sound and tables of one performance."""
    tables = [out / "motion" / f"{name}.{kind}.parquet" for kind in ("motion", "events", "strikes")]
    return [out / "sound" / f"{name}.flac", *tables]


if __name__ == "__main__":
    main()
