"""Is prediction a better wall than damping, if the hand feels as much damping? (Gillespie 1996, §5.6)

    python3 examples/python/walls_compared.py [TOUCHBACK]

A device of 0.1 kg and 0.5 N·s/m in the source's finger falls on a sampled wall at 1 kHz, with an encoder of 2 µm and a
filtered velocity, and must come to rest. The damping that a hand feels is measured for each wall: the work of a slow
motion inside of it. Then the sampled spring gets the damper with which it feels like the prediction, and one that makes it
as stiff, whatever it feels like. With the path of the program, the stiffest quiet walls are compared with its own.
Needs numpy; takes a minute. The exit code is 1 if a row fails.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

T, COUNT, CORNER = 1e-3, 2e-6, 200.0
# Mass, damping, spring, bias of the device with the finger (0.02 kg, 3.75 N·s/m, 257 N/m) on it.
MASS, DAMPING, SPRING, BIAS = 0.12, 4.25, 257.0, 1.0
SPEEDS = 0.03, 0.12, 0.4
STIFFNESSES = 20 * 1.1 ** np.arange(90)
SHARE = -np.expm1(-2 * np.pi * CORNER * T)

failed = False


def row(name, value, low, high):
    """Prints a row; a value outside of its band fails."""
    global failed
    bad = not low <= value <= high
    failed |= bad
    print(f"{name:86} {value:10.4g}  {low:g} to {high:g}{'  FAILED' if bad else ''}")


def flow(spring, time):
    """Transition of position, speed and a held force over a time."""
    a = np.array([[0, 1, 0], [-spring / MASS, -DAMPING / MASS, 1 / MASS], [0, 0, 0]], dtype=float)
    total, term = np.eye(3), np.eye(3)
    for k in range(1, 30):
        term = term @ a * time / 64 / k
        total = total + term
    return np.linalg.matrix_power(total, 64)


class Wall:
    """Forces of walls of many stiffnesses: position, speed -> force inside."""

    def __init__(self, kind, k, damper=0.0, delay=0):
        self.kind, self.k, self.damper = kind, k, damper + 0 * k
        if kind == "prediction":
            ahead = np.array([flow(SPRING + each, (0.5 + delay) * T)[0] for each in k])
            self.gains = k[:, None] * ahead

    def force(self, x, v):
        """Force against the device, N; arrays whose first axis is the stiffness."""
        if self.kind == "prediction":
            gain = self.gains[:, :, None]
            inside = gain[:, 0] * x + gain[:, 1] * v + gain[:, 2] * BIAS
        elif self.kind == "hysteresis":
            inside = self.k[:, None] * x * np.where(v < 0, 0.7, 1.0)
        else:
            inside = self.k[:, None] * x + self.damper[:, None] * v
        return np.where(x > 0, inside, 0.0)


def quiet(wall, delay=0, seconds=5.0):
    """The largest stiffness, N/m, up to which every wall brings the device to rest from every speed."""
    step, count = flow(SPRING, T), round(seconds / T)
    x = np.full((len(wall.k), len(SPEEDS)), -1e-3)
    v = np.broadcast_to(SPEEDS, x.shape).copy()
    last, filtered, late = np.ceil(x / COUNT) * COUNT, 0 * x, [0 * x] * delay
    spans = np.array([np.full(x.shape, np.inf), np.full(x.shape, -np.inf)] * 2)
    is_lost = np.zeros(x.shape, bool)
    for i in range(count):
        seen = np.ceil(x / COUNT) * COUNT
        filtered = filtered + SHARE * ((seen - last) / T - filtered)
        last = seen
        late.append(wall.force(seen, filtered))
        held = BIAS - late.pop(0)
        x, v = (step[j, 0] * x + step[j, 1] * v + step[j, 2] * held for j in (0, 1))
        is_lost |= ~(np.abs(x) <= 1)
        x, v, filtered = (np.where(is_lost, 0.0, each) for each in (x, v, filtered))
        fifth = 5 * i // count
        if fifth in (2, 4):
            at = fifth - 2
            spans[at], spans[at + 1] = np.minimum(spans[at], x), np.maximum(spans[at + 1], x)
    before, end = spans[1] - spans[0], spans[3] - spans[2]
    rests = (~is_lost & ((end < 50e-6) | (end < 0.5 * before))).all(axis=1)
    return wall.k[: rests.argmin() if not rests.all() else None][-1:].sum()


def felt(wall, amplitude=1e-3, depth=5e-3, rate=2.0):
    """Damping that a hand feels that moves the device slowly inside of the wall, N·s/m, for each stiffness."""
    w, parts = 2 * np.pi * rate, 50
    time = np.arange(round(2 / rate / T)) * T
    x = depth + amplitude * np.sin(w * time)
    filtered, last, work = 0.0, x[0], np.zeros(len(wall.k))
    for i, at in enumerate(time):
        filtered += SHARE * ((x[i] - last) / T - filtered)
        last = x[i]
        force = wall.force(np.full((len(wall.k), 1), x[i]), np.full((len(wall.k), 1), filtered))[:, 0]
        if i >= len(time) // 2:
            ends = at + np.arange(parts + 1) / parts * T
            work += force * np.diff(depth + amplitude * np.sin(w * ends)).sum()
    return work / (np.pi * w * amplitude**2)


def fairly(delay):
    """Rows of the comparison under a delay of whole periods."""
    late = f"{delay} ms late: " if delay else ""
    k = STIFFNESSES
    predicted = quiet(Wall("prediction", k, delay=delay), delay)
    plain = quiet(Wall("spring", k), delay)
    # The damper that feels like the prediction: the felt damping is linear in it. A delay takes the same share from both.
    target = felt(Wall("prediction", k, delay=delay))
    none, one = (felt(Wall("spring", k, damper)) for damper in (0.0, 1.0))
    damper = (target - none) / (one - none)
    at_equal = quiet(Wall("spring", k, damper), delay)
    row(f"{late}prediction over the sampled spring", predicted / plain, 1.1, 100)
    row(f"{late}prediction over the spring with the damper that feels alike", predicted / at_equal, 0.5, 2)
    at = np.abs(k - predicted).argmin()
    row(f"{late}that damper over K (T/2 + delay)", damper[at] / (k[at] * (0.5 + delay) * T), 0.8, 1.25)
    own = target[np.abs(k - predicted).argmin()] - predicted * delay * T
    row(f"{late}damping felt at the limit of the prediction, N·s/m", own, -2, 0.5)
    # More damping buys more stiffness, but the hand feels it.
    stiffest = quiet(Wall("spring", k, 20.0), delay)
    feels = felt(Wall("spring", np.array([stiffest]), 20.0))[0] - stiffest * delay * T
    row(f"{late}prediction over the spring with a damper of 20 N·s/m", predicted / stiffest, 0.8, 1.3)
    row(f"{late}damping felt at the limit of that spring, N·s/m", feels, 2, 10)


def main(arguments):
    """Prints all rows."""
    for delay in (0, 2):
        fairly(delay)
    for program in arguments:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, "lab", "wall-map", "--out", folder], check=True, capture_output=True)
            with open(pathlib.Path(folder, "wall-map.csv"), encoding="utf-8") as file:
                theirs = {
                    (line["wall"], int(line["delay_periods"])): float(line["stiffness_n_m"])
                    for line in csv.DictReader(file)
                    if line["finger"] == line["measured"] == "true" and float(line["period_ms"]) == 1
                }
        k = STIFFNESSES
        for delay in (0, 2):
            walls = {
                "standard": Wall("spring", k),
                "damped": Wall("spring", k, 2.0),
                "damped by its lag": Wall("spring", k, k * (0.5 + delay) * T),
                "hysteresis": Wall("hysteresis", k),
                "prediction": Wall("prediction", k, delay=delay),
            }
            for name, wall in walls.items():
                # One step of the grid: rounding decides at its edge.
                row(f"{name}, {delay} ms late: stiffest over the program's", quiet(wall, delay) / theirs[name, delay], 0.9, 1.11)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
