"""Checks `touchback lab pianissimo`: single presses by other models, the integral over the noise by random draws.

    python3 examples/python/pianissimo.py target/release/touchback

Presses of the key with a spring are integrated from its four numbers, presses of the grand by `second_model.py` from the
exported numbers; the shares of success are drawn at random from the table of speeds. A row that fails is marked, and the
exit code is 1. Takes about a minute. Needs numpy and Python 3.11.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import second_model
from compare_models import Hand

AIM, NOISE, FACTOR, TIME, RATIO = 0.4, 0.1, 1.25, 0.03, 5.0
SWITCHES = 4e-3, 8e-3

failed = False


def row(name, value, most):
    """Prints a row; a value above the limit fails."""
    global failed
    bad = not value <= most
    failed |= bad
    print(f"{name:78} {value:9.2g}  at most {most:g}{'  FAILED' if bad else ''}")


def rows_of(path):
    """The rows of a CSV file."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pressed(force, rise):
    """A hand at rest on the key."""
    return Hand(0.3, 3000.0, 10.0, 25.0, 0.0, 0.0, force, rise)


def on_spring(force, rise):
    """Speed of the key with a spring between its switches, in steps of 10 µs (`second_model.STEP`)."""
    hand, x, v, times, time = pressed(force, rise), 0.0, 0.0, [], 0.0
    while len(times) < 2 and time < 1.0:
        push = hand.force(time, x, v)
        hand.move()
        v += second_model.STEP * (push - 0.5 - 40.0 * x - 0.5 * v) / 0.05
        x += second_model.STEP * v
        if x < 0.0:
            x = v = 0.0
        time += second_model.STEP
        if x >= SWITCHES[len(times)]:
            times.append(time - (x - SWITCHES[len(times)]) / v)
    return RATIO * (SWITCHES[1] - SWITCHES[0]) / (times[1] - times[0]) if len(times) == 2 else 0.0


def presses(touchback, folder, table):
    """Single presses beside the table, where both sound."""
    file = pathlib.Path(folder, "key.toml")
    subprocess.run([touchback, "model", "export", "--key", "40", "-o", file], check=True, capture_output=True)
    key = second_model.Key(file)
    loud = [line for line in table if float(line["grand_m_s"]) > 0.35 and float(line["rise_s"]) < 0.15]
    for line in loud[:: len(loud) // 3][:3]:
        force, rise = float(line["force_n"]), float(line["rise_s"])
        (_, speed), *_ = second_model.simulate(key, pressed(force, rise), 1.0, 1)
        name = f"grand, {force:.3g} N in {1e3 * rise:.3g} ms: share of the speed by which the second model differs"
        row(name, abs(speed / float(line["grand_m_s"]) - 1), 0.01)
    heard = [line for line in table if 0.2 < float(line["spring_switches_m_s"]) < 2.0]
    for line in heard[:: len(heard) // 5][:5]:
        force, rise = float(line["force_n"]), float(line["rise_s"])
        speed = on_spring(force, rise)
        # The program reads its switches at its steps of 125 µs.
        most = 0.003 + 125e-6 * speed / RATIO / (SWITCHES[1] - SWITCHES[0])
        name = f"spring key, {force:.3g} N in {1e3 * rise:.3g} ms: share of the speed that differs"
        row(name, abs(speed / float(line["spring_switches_m_s"]) - 1), most)


def place(points, values):
    """Index of the point below each value, and the share of the way to the next, in logarithms."""
    at = np.interp(np.log(values), np.log(points), np.arange(len(points)))
    below = np.minimum(at.astype(int), len(points) - 2)
    return below, at - below


def tones(tables, forces, rises, force, rise):
    """Speeds and times of presses, interpolated in the tables; beside a silent press those of the nearest."""
    (i, a), (j, b) = place(forces, force), place(rises, rise)
    weights = np.array([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b])

    def corners(table):
        return np.array([table[j, i], table[j, i + 1], table[j + 1, i], table[j + 1, i + 1]])

    silent = (corners(tables[0]) == 0).any(axis=0)
    nearest = (table[j + (b >= 0.5), i + (a >= 0.5)] for table in tables)
    inner = ((corners(table) * weights).sum(axis=0) for table in tables)
    return [np.where(silent, x, y) for x, y in zip(nearest, inner)]


def drawn(tables, forces, rises, force, rise, random):
    """Share of random presses whose speed and time are near the aim."""
    noise = np.exp(NOISE * random.standard_normal((2, 200_000)))
    speed, time = tones(tables, forces, rises, force * noise[0], rise * noise[1])
    _, meant = tones(tables, forces, rises, np.array([force]), np.array([rise]))
    return np.mean((speed >= AIM / FACTOR) & (speed <= AIM * FACTOR) & (abs(time - meant) <= TIME))


def shares(table, aims):
    """The integral of the program beside random draws."""
    columns = {"grand": "grand_m_s", "fortepiano": "fortepiano_m_s"}
    columns |= {"grand, two switches": "grand_switches_m_s", "spring key, two switches": "spring_switches_m_s"}
    forces = np.unique([float(line["force_n"]) for line in table])
    rises = np.unique([float(line["rise_s"]) for line in table])
    random = np.random.default_rng(1996)
    for name, column in columns.items():
        cells = [[float(line[name]) for line in table] for name in (column, column.replace("_m_s", "_s"))]
        tables = np.array(cells).reshape(2, len(rises), len(forces))
        own = [line for line in aims if line["key"] == name]
        off = [
            abs(drawn(tables, forces, rises, float(x["force_n"]), float(x["rise_s"]), random) - float(x["success"]))
            for x in own[::6]
        ]
        row(f"{name}: largest difference of {len(off)} shares of success from random draws", max(off), 0.01)


def main(touchback):
    """Runs the experiment and prints all rows."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "lab")
        subprocess.run([touchback, "lab", "pianissimo", "--out", out], check=True, capture_output=True)
        table = rows_of(out / "pianissimo-map.csv")
        shares(table, rows_of(out / "pianissimo.csv"))
        presses(touchback, folder, table)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
