"""Runs three experiments of the laboratory, loads all their data, and draws two figures again; then
presses a key in a loop that decides every force by where the key is.

    python3 examples/python/laboratory.py target/release/touchback touchback-lab

Needs numpy and matplotlib. What is in the files: docs/formats.md.
"""

import csv
import hashlib
import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

EXPERIMENTS = ["thesis-run", "wall-damping", "walls"]


def table(path):
    """Columns of a CSV file by name: arrays of numbers where all cells are, of text otherwise."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert all(len(row) == len(header) for row in rows), path
    columns = {}
    for name, cells in zip(header, zip(*rows)):
        try:
            columns[name] = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            columns[name] = np.array(cells)
    return columns


def load(folder, name, entry):
    """An experiment's verdicts, and its tables by file; every file is what the manifest says."""
    tables = {}
    for file in entry["files"]:
        path = folder / file["name"]
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"], path
        if path.suffix == ".csv":
            tables[path.stem] = table(path)
    record = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert len(record["rows"]) == entry["targets"]
    return record, tables


def verdicts(record):
    """Prints what was measured beside what was aimed at."""
    print(f"\n{record['experiment']}: {record['about']}")
    for row in record["rows"]:
        unit = row["unit"] or ""
        print(f"  {row['verdict']:6} {row['quantity']}: {row['found']} {unit} ({row['target']})")


def draw_run(run, path):
    """The published run: angles of key and hammer, force at the key front."""
    figure, (angle, force) = plt.subplots(2, sharex=True, figsize=(8, 6))
    time = 1e3 * run["time_s"]
    angle.plot(time, run["q1_rad"], label="key, q1")
    angle.plot(time, run["q2_rad"], "--", label="hammer, q2")
    angle.set_ylabel("angle, rad")
    angle.legend()
    force.plot(time, run["key_force_n"], label="key front")
    force.plot(time, run["jack_knuckle_force_n"], "--", label="jack on knuckle")
    force.set_ylabel("force, N")
    force.set_xlabel("time, ms")
    force.legend()
    figure.suptitle("Reference run of the thesis")
    figure.savefig(path)


def draw_damping(damping, path):
    """What damping a sampled wall asks for over its period."""
    figure, axes = plt.subplots(figsize=(8, 5))
    styles = {"alone": "-", "passive": "--", "finger": ":"}
    for name, style in styles.items():
        axes.plot(damping["period_ms"], damping[f"{name}_n_s_m"], style, label=name)
    axes.set_xlabel("sample period, ms")
    axes.set_ylabel("damping, N·s/m")
    axes.set_title("Damping that a sampled wall of 5 kN/m requires")
    axes.legend()
    figure.savefig(path)


def press_to(touchback, depth, seconds=0.3, step=0.001):
    """A finger that presses a key to a depth by what it sees of it: rows of the run, by column."""
    command = [touchback, "simulate", "--stdin"]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, **pipe) as process:

        def answer(line):
            process.stdin.write(line + "\n")
            return process.stdout.readline().rstrip("\n").split(",")

        # The answer to the header comes with that to the first line.
        process.stdin.write("t_s,force_n\n")
        header = answer("0,0")
        row = process.stdout.readline().rstrip("\n").split(",")
        depth_at, speed_at = header.index("key_m"), header.index("key_velocity_m_s")
        rows = []
        for i in range(1, round(seconds / step) + 1):
            error = depth - float(row[depth_at])
            force = min(max(0.5 + 400 * error - 5 * float(row[speed_at]), 0), 10)
            row = answer(f"{i * step:.6f},{force:.6f}")
            rows.append(row)
        process.stdin.close()
        assert process.wait() == 0
    return dict(zip(header, zip(*rows)))


def main(touchback, out):
    folder = pathlib.Path(out)
    command = [touchback, "lab", *EXPERIMENTS, "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    tables = {}
    for name in EXPERIMENTS:
        record, found = load(folder, name, manifest["experiments"][name])
        verdicts(record)
        tables.update(found)
    draw_run(tables["thesis-run"], folder / "python-thesis-run.png")
    draw_damping(tables["wall-damping"], folder / "python-wall-damping.png")
    held = press_to(touchback, 0.005)
    print(f"\npressed in a loop to {1e3 * float(held['key_m'][-1]):.2f} mm of 5 mm")
    rows = sum(len(next(iter(t.values()))) for t in tables.values())
    print(f"\n{len(tables)} tables with {rows} rows loaded, two figures drawn in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
