"""Does the energy of a ball on a sampled floor grow without bound? (Gillespie 1996, §6.4)

    python3 examples/python/long_run.py [TOUCHBACK]

Many balls fall on a floor that is switched at samples only, each strike in closed form: unit mass, stiffness and gravity.
At high speed the logarithm of the speed walks at random. Its mean change a strike is compared with the law
-(r + 2 r^3 - r^4) T^4 / 12, r = pi/T mod 1, and with a quadrature over the phase; then balls fall from 100 m/s, slow balls
climb, and at r = 0 balls climb without end. With the path of the program, its return map is compared strike by strike. Needs numpy; takes seconds. The exit code is 1 if a row
fails.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

failed = False


def row(name, value, low, high):
    """Prints a row; a value outside of its band fails."""
    global failed
    bad = not low <= value <= high
    failed |= bad
    print(f"{name:70} {value:11.5g}  {low:g} to {high:g}{'  FAILED' if bad else ''}")


def strike(v, t, period):
    """Exit speed and phase of the next contact after an exit at speed v, t after a sample; arrays."""
    # On the spring until the next sample: x'' = 1 - x, x = 0, x' = -v; x is positive in the floor.
    wait = period - t
    x = 1 - np.cos(wait) - v * np.sin(wait)
    u = np.sin(wait) - v * np.cos(wait)
    # Free fall x'' = 1 to x = 0, then into the floor until the next sample.
    at = np.sqrt(u * u - 2 * x)
    fall = at - u
    late = period - fall % period
    x, u = at * late + late * late / 2, at + late
    # x - 1 = R cos(s - phi) rises through -1 at the exit.
    radius, phi = np.hypot(x - 1, u), np.arctan2(u, x - 1)
    stay = phi + np.arccos(-1 / radius)
    return np.sqrt(radius * radius - 1), stay % period


def walk(v, t, period, strikes):
    """Speeds and phases after a number of strikes."""
    for _ in range(strikes):
        v, t = strike(v, t, period)
    return v, t


def quadrature(period, count=2_000_001):
    """Mean of the logarithm of a contact's gain at high speed, over the phase of the entry."""
    entry = (np.arange(count) + 0.5) / count * period
    stay = np.pi - np.arctan(entry)
    log = 0.5 * np.log1p(entry**2) + np.log(np.cos(-stay % period))
    return log.mean()


def high_speed():
    """The law of the drift, and balls that come down."""
    random = np.random.default_rng(1996)
    for period in (0.2, 0.3, 0.5):
        balls, strikes = 20_000, 200
        first = 1e5 * (1 + 1e-3 * random.random(balls))
        last, _ = walk(first, period * random.random(balls), period, strikes)
        mean = np.log(last / first).mean() / strikes
        r = np.pi / period % 1
        law = -(r + 2 * r**3 - r**4) / 12 * period**4
        row(f"T {period}: mean change of ln v over the law", mean / law, 0.85, 1.15)
        row(f"T {period}: quadrature over the law", quadrature(period) / law, 0.9, 1.1)
    last, _ = walk(100 * (1 + 1e-3 * random.random(200)), np.zeros(200), 0.3, 30_000)
    row("T 0.3, from 100 m/s: median exit speed after 30,000 strikes, m/s", np.median(last), 12, 14)


def growth():
    """Slow balls climb by T^3 / 4 a strike; with half a period of the spring in whole samples nothing takes it back."""
    random = np.random.default_rng(1996)
    for period in (0.01, 0.02, 0.04):
        periods = period * (0.95 + 0.1 * random.random(4000))
        last, _ = walk(np.ones(4000), periods * random.random(4000), periods, 1000)
        row(f"T {period}: growth of slow balls a strike over T^3/4", ((last - 1) / periods**3 * 4).mean() / 1000, 0.9, 1.1)
    period = np.pi / 8
    half, phase = walk(5 * (1 + 1e-3 * random.random(200)), period * random.random(200), period, 5000)
    last, _ = walk(half, phase, period, 5000)
    row("T pi/8, from 5 m/s: median exit speed after 10,000 strikes, m/s", np.median(last), 100, 1e4)
    row("T pi/8: the same over that after half as many", np.median(last) / np.median(half), 1.5, 3)


def beside(program):
    """The return map of the program and this one, over the first strikes, before rounding parts them."""
    with tempfile.TemporaryDirectory() as folder:
        for period in (0.02, 0.2):
            chosen = ("--set", f"t={period}", "--set", "strikes=25", "--set", "speed=1.25")
            out = pathlib.Path(folder) / str(period)
            subprocess.run([program, "lab", "long-run", *chosen, "--out", out], check=True, capture_output=True)
            with open(out / "return-map.csv", encoding="utf-8") as file:
                theirs = [float(line["speed_m_s"]) for line in csv.DictReader(file)]
            v, t, off = 1.25, 0.0, 0.0
            for speed in theirs:
                v, t = strike(v, t, period)
                off = max(off, abs(v - speed))
            row(f"T {period}: largest difference of 25 exit speeds of the program, m/s", off, 0, 1e-9)


def main(arguments):
    """Prints all rows."""
    high_speed()
    growth()
    for program in arguments:
        beside(program)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
