"""Can a displayed ball be rid of its sampling without damping? (Gillespie 1996, §5.8)

    python3 examples/python/dynamic_object.py [TOUCHBACK]

A ball of 50 g bounces on a device of 0.1 kg behind a spring, undamped, at 1 kHz: computed once from the sampled
contact force, once by moving ball and device together through the coming period and holding the mean force of the
contact in it. Both are integrated here in steps of 5 µs. With the path of the program, energies and the stiffest stable
contacts are compared with its own. Needs numpy; takes a minute. The exit code is 1 if a row fails.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

G, T, FINE = 9.80665, 1e-3, 200
BALL, CONTACT = 0.05, 2000.0
DEVICE = 0.12, 0.0, 257.0
HELD = 0.12, 4.25, 257.0
DROP, SECONDS = 5e-3, 4.0

failed = False


def row(name, value, low, high):
    """Prints a row; a value outside of its band fails."""
    global failed
    bad = not low <= value <= high
    failed |= bad
    print(f"{name:78} {value:10.4g}  {low:g} to {high:g}{'  FAILED' if bad else ''}")


def together(device, state):
    """Ball and device through one period by velocity Verlet; positions are depths."""
    mass, damping, spring = device
    x, v, y, w = state
    h = T / FINE

    def rates(x, y, v):
        push = CONTACT * max(y - x, 0.0)
        return (push - spring * x - damping * v) / mass, G - push / BALL

    a, b = rates(x, y, v)
    for _ in range(FINE):
        v, w = v + 0.5 * h * a, w + 0.5 * h * b
        x, y = x + h * v, y + h * w
        a, b = rates(x, y, v)
        v, w = v + 0.5 * h * a, w + 0.5 * h * b
    return x, v, y, w


def period(device):
    """Transition of the device over a period, and its response to a held force."""
    mass, damping, spring = device
    a = np.array([[0.0, 1.0, 0.0], [-spring / mass, -damping / mass, 1.0 / mass], [0.0, 0.0, 0.0]])
    return power(a)


def power(a):
    """exp(a T) by its series."""
    total, term = np.eye(len(a)), np.eye(len(a))
    for k in range(1, 40):
        term = term @ a * T / 64 / k
        total = total + term
    return np.linalg.matrix_power(total, 64)


def energy(device, state):
    """Energy of ball, device and contact, J."""
    mass, _, spring = device
    x, v, y, w = state
    pressed = max(y - x, 0.0)
    own = mass * v * v + spring * x * x + BALL * w * w + CONTACT * pressed * pressed
    return 0.5 * own - BALL * G * y


def run(device, compensated):
    """Energy over that at first, after each period."""
    step = period(device)
    state = (0.0, 0.0, -DROP, 0.0)
    first, found = energy(device, state), []
    for _ in range(round(SECONDS / T)):
        x, v, y, w = state
        if compensated:
            *_, y, after = together(device, state)
            force, w = BALL * (G - (after - w) / T), after
        else:
            force = CONTACT * max(y - x, 0.0)
            w += (G - force / BALL) * T
            y += w * T
        x, v, _ = step @ np.array([x, v, force])
        state = x, v, y, w
        found.append(energy(device, state) / first)
    return np.array(found)


def radius(contact, device, compensated):
    """Largest modulus of a pole of the loop in lasting contact."""
    mass, damping, spring = device
    a = np.array(
        [
            [0, 1, 0, 0],
            [-(spring + contact) / mass, -damping / mass, contact / mass, 0],
            [0, 0, 0, 1],
            [contact / BALL, 0, -contact / BALL, 0],
        ]
    )
    step = period(device)
    loop = np.zeros((4, 4))
    loop[:2, :2] = step[:2, :2]
    if compensated:
        loop[2:] = power(a)[2:]
        force = -BALL / T * (loop[3] - np.array([0, 0, 0, 1]))
    else:
        force = np.array([-contact, 0, contact, 0])
        loop[3] = np.array([0, 0, 0, 1]) - T / BALL * force
        loop[2] = np.array([0, 0, 1, 0]) + T * loop[3]
    loop[:2] += np.outer(step[:2, 2], force)
    return np.abs(np.linalg.eigvals(loop)).max()


def stiffest(device, compensated):
    """The largest contact stiffness, N/m, up to which the loop is stable, at most 1e6."""
    contact = 10.0
    while contact < 1e6 and radius(contact, device, compensated) < 1 + 1e-9:
        contact *= 1.01
    return min(contact, 1e6)


def main(arguments):
    """Prints all rows."""
    plain, compensated = (run(DEVICE, way) for way in (False, True))
    row("sampled force: largest energy of 4 s over the first", plain.max(), 2, 1e6)
    row("compensated: largest energy of 4 s over the first", compensated.max(), 0.99, 1.05)
    row("compensated: least energy of 4 s over the first", compensated.min(), 0.95, 1.0)
    limits = [stiffest(HELD, way) for way in (False, True)]
    row("held device, sampled force: stiffest stable contact, N/m", limits[0], 2e3, 5e3)
    row("held device, compensated: stiffest stable contact, N/m", limits[1], 1e5, 1e6)
    for program in arguments:
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "lab", "dynamic-object", "--out", folder + "/lab"]
            subprocess.run(command, check=True, capture_output=True)
            with open(pathlib.Path(folder, "lab/dynamic-object.csv"), encoding="utf-8") as file:
                theirs = {line["case"]: float(line["stiffest_held_n_m"]) for line in csv.DictReader(file)}
        for name, own in zip(("sampled", "compensated"), limits):
            row(f"{name}: stiffest stable contact over the program's", own / theirs[name], 0.98, 1.02)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
