"""Plays gestures on a key of `touchback simulate` and on `second_model.py`, and compares the strikes.

    python3 examples/python/compare_models.py target/release/touchback

Prints time and speed of every strike of the program, and how far later and faster the second model
strikes. A strike more than 60 µs or 0.3 % apart, or a different number of strikes, is marked, and the
exit code is 1. Takes about a minute. Needs numpy and Python 3.11.
"""

import json
import math
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from second_model import STEP, Key, simulate

TIME = 60e-6
SPEED = 0.003
KEYS = (4, 40, 71)


class Hand:
    """A mass behind a soft tip on the key, under a muscle whose force rises from `held` by `full` N."""

    imposed = False

    def __init__(self, mass, stiffness, damping, drag, speed, held, full, rise):
        self.numbers = mass, stiffness, damping, drag, held, full, rise
        self.x, self.v, self.a = 0.0, speed, 0.0

    def force(self, time, depth, speed):
        mass, stiffness, damping, drag, held, full, rise = self.numbers
        squeezed, s = self.x - depth, time / rise
        tip = max(0.0, stiffness * squeezed + damping * (self.v - speed)) if squeezed > 0.0 else 0.0
        muscle = held + full * (1.0 - (1.0 + s) * math.exp(-s))
        self.a = (muscle - drag * self.v - tip) / mass
        return tip

    def move(self):
        self.v += STEP * self.a
        self.x += STEP * self.v


def pressed(force):
    """A hand at rest on the key that presses with `force` N."""
    return Hand(0.3, 3000.0, 10.0, 25.0, 0.0, 0.0, force, 0.033 + 0.06 / (1.0 + (force / 3.3) ** 3))


def struck(speed):
    """A finger that arrives at `speed` m/s."""
    return Hand(0.08, 9000.0, 8.0, 7.0, speed, 7.0 * speed, min(13.0 * speed**3, 60.0), 0.025)


class Curve:
    """The target of a massless finger: linear between rows of time and depth. Or an imposed motion: a cubic between
    rows of time, depth and speed."""

    def __init__(self, rows, imposed):
        self.imposed = imposed
        self.times, self.values, *speeds = np.array(rows).T
        self.speeds = speeds[0] if speeds else None
        self.slopes = np.append(np.diff(self.values) / np.diff(self.times), 0.0)

    def at(self, time):
        """Value and slope."""
        i = int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1
        slope = float(self.slopes[i])
        if self.speeds is not None and i + 1 < len(self.times):
            span = float(self.times[i + 1] - self.times[i])
            s = (time - float(self.times[i])) / span
            v, w = float(self.speeds[i]), float(self.speeds[i + 1])
            bend, twist = 3.0 * slope - 2.0 * v - w, v + w - 2.0 * slope
            value = float(self.values[i]) + span * s * (v + s * (bend + s * twist))
            return value, v + s * (2.0 * bend + 3.0 * s * twist)
        return float(self.values[i]) + slope * (time - float(self.times[i])), slope

    def force(self, time, depth, speed):
        target, rate = self.at(time)
        squeezed = target - depth
        return max(0.0, 500.0 * squeezed + 0.5 * (rate - speed)) if squeezed > 0.0 else 0.0

    def move(self):
        """A curve has no motion of its own."""


def imposed(acceleration):
    """Rows of a constant acceleration to 9.9 mm, a stop within 1 ms, then rest."""
    end = math.sqrt(2.0 * 9.9e-3 / acceleration)
    times = [i * 1e-3 for i in range(int(end / 1e-3) + 1)]
    rows = [(t, 0.5 * acceleration * t * t, acceleration * t) for t in times]
    time, depth, speed = rows[-1]
    stop = depth + 0.5e-3 * speed
    return [*rows, (time + 1e-3, stop, 0.0), (time + 0.1, stop, 0.0)]


def repeated(rate, times):
    """Rows of a finger that goes 16 mm down and 1 mm over the rest position, `rate` times a second."""
    rows = [(0.0, -1e-3)]
    for i in range(times):
        for share, depth in ((0.3, 16e-3), (0.55, 16e-3), (0.85, -1e-3), (1.0, -1e-3)):
            rows.append(((i + share) / rate, depth))
    return rows


def csv(column, rows):
    return f"t_s,{column}\n" + "".join(f"{t:.6f},{','.join(map(repr, x))}\n" for t, *x in rows)


def gestures():
    """Name, key, file, the same hand here, length in s and number of strikes."""
    form = 'form = "{}"\n{} = {}\nduration_s = {}\n'
    for number in KEYS:
        # With 2 N the hammer of key 4 turns at its string: its speed there is that of a small difference.
        for force, seconds in ((2.5, 0.5), (4, 0.3), (8, 0.2), (20, 0.15)):
            text = form.format("pressed", "force_n", force, seconds)
            yield f"pressed {force} N", number, text, pressed(force), seconds, 1
        for speed, seconds in ((0.8, 0.15), (2.0, 0.1)):
            text = form.format("struck", "speed_m_s", speed, seconds)
            yield f"struck {speed:g} m/s", number, text, struck(speed), seconds, 1
        for acceleration in (2.0, 20.0):
            rows = imposed(acceleration)
            text = csv("key_m,key_velocity_m_s", rows)
            yield f"imposed {acceleration:g} m/s²", number, text, Curve(rows, True), rows[-1][0], 1
        rows = repeated(6.0, 3)
        text = csv("finger_m", rows)
        yield "finger 6/s", number, text, Curve(rows, False), rows[-1][0], 3


def compared(case):
    """The lines of one gesture, and whether both agree."""
    touchback, model, (name, number, text, hand, seconds, strokes) = case
    with tempfile.TemporaryDirectory() as folder:
        gesture = pathlib.Path(folder, "gesture.csv" if text.startswith("t_s") else "gesture.toml")
        events = pathlib.Path(folder, "events.json")
        gesture.write_text(text, encoding="utf-8")
        command = [touchback, "simulate", gesture, "--key", str(number), "--events", events]
        subprocess.run(command, check=True)
        found = json.loads(events.read_text(encoding="utf-8"))["events"]
    theirs = [(e["time_s"], e["value"]) for e in found if e["kind"] == "strike"]
    ours = simulate(Key(model), hand, seconds, max(strokes, len(theirs)))
    agree = len(ours) == len(theirs) == strokes
    lines = [] if agree else [f"{number:3} {name}: {len(theirs)} strikes, here {len(ours)}"]
    for (time, speed), (own_time, own_speed) in zip(theirs, ours):
        late, fast = own_time - time, own_speed / speed - 1.0
        within = abs(late) <= TIME and abs(fast) <= SPEED
        agree &= within
        lines.append(
            f"{number:3} {name:18} {1e3 * time:10.3f} {speed:8.4f} {1e6 * late:+8.1f} "
            f"{100 * fast:+8.3f} {'' if within else ' outside'}"
        )
    return lines, agree


def main(touchback):
    touchback = str(pathlib.Path(touchback).resolve())
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for number in KEYS:
            models[number] = str(pathlib.Path(folder, f"{number}.toml"))
            command = [touchback, "model", "export", "--key", str(number), "-o", models[number]]
            subprocess.run(command, check=True)
        cases = [(touchback, models[g[1]], g) for g in gestures()]
        print("key gesture              strike, ms     m/s   µs apart  % apart")
        outside = 0
        with multiprocessing.Pool() as pool:
            for lines, agree in pool.imap(compared, cases):
                print("\n".join(lines), flush=True)
                outside += not agree
    print(f"{len(cases)} gestures, {outside} outside 60 µs or 0.3 %")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
