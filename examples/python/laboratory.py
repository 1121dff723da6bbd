"""Runs three experiments of the laboratory, loads their data, and draws two figures again; then presses a key in a
loop that decides every force by where the key is.

    python3 examples/python/laboratory.py touchback-lab

Needs the package touchback (crates/python), pandas and matplotlib. What is in the files: docs/formats.md.
"""

import pathlib
import sys

import pandas
from matplotlib.figure import Figure

import touchback

EXPERIMENTS = ["thesis-run", "wall-damping", "walls"]


def verdicts(experiment):
    """Prints what was measured beside what was aimed at."""
    print(f"\n{experiment.name}: {experiment.about}")
    for row in experiment.rows:
        print(f"  {row.verdict:6} {row.quantity}: {row.measured} ({row.target})")


def draw_run(run, path):
    """The published run: angles of key and hammer, force at the key front."""
    figure = Figure(figsize=(8, 6))
    angle, force = figure.subplots(2, sharex=True)
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
    figure = Figure(figsize=(8, 5))
    axes = figure.subplots()
    styles = {"alone": "-", "passive": "--", "finger": ":"}
    for name, style in styles.items():
        axes.plot(damping["period_ms"], damping[f"{name}_n_s_m"], style, label=name)
    axes.set_xlabel("sample period, ms")
    axes.set_ylabel("damping, N·s/m")
    axes.set_title("Damping that a sampled wall of 5 kN/m requires")
    axes.legend()
    figure.savefig(path)


def press_to(depth, seconds=0.3, period=8):
    """Presses C4 to a depth, m, by what the finger sees of the key every `period` action steps."""
    key = touchback.Key("C4")
    while key.time < seconds:
        state = key.state
        force = 0.5 + 400 * (depth - state.depth) - 5 * state.speed
        key.step(force=min(max(force, 0), 10), steps=period)
    return key.state.depth


def main(out):
    """Runs, loads, draws, presses."""
    folder = pathlib.Path(out)
    for name in EXPERIMENTS:
        experiment = touchback.experiment(name)
        experiment.run(out=folder)
        verdicts(experiment)
    tables = {path.stem: pandas.read_csv(path) for path in sorted(folder.glob("*.csv"))}
    draw_run(tables["thesis-run"], folder / "python-thesis-run.png")
    draw_damping(tables["wall-damping"], folder / "python-wall-damping.png")
    depth = press_to(0.005)
    print(f"\npressed in a loop to {1e3 * depth:.2f} mm of 5 mm")
    assert abs(depth - 0.005) < 0.3e-3
    rows = sum(len(table) for table in tables.values())
    print(f"\n{len(tables)} tables with {rows} rows loaded, two figures drawn in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
