"""Checks the force that answers an imposed motion, and the throw of model A, against the equations of the documents.

    python3 examples/python/imposed_motion.py target/release/touchback

The ball on a paddle (Gillespie 1994, equations 1 to 6) and model A (Gillespie and Cutkosky 1993, §4.1) are integrated
here from their equations, with the numbers of `touchback model export` alone, and compared with `touchback simulate`.
A press is simulated, its motion imposed again, and both forces are compared, for every action. Rows that fail are
marked, and the exit code is 1. Takes about a minute. Needs numpy and Python 3.11.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

STEP = 125e-6
GRAVITY = 9.80665
# Largest and root mean square difference of the forces of a press, over its peak; and of work and ∫F dx. The file of the
# press has its force at the ends of the steps only, the answer is a mean: where a contact begins they differ.
PEAK, RMS, AREA = 0.04, 0.01, 1e-3
# Speed below which a key stands, m/s: the friction that holds it does not follow from the motion.
STANDS = 1e-3
ACTIONS = ("grand", "thesis", "simplified", "model-a", "model-b", "viennese", "harpsichord", "ball")

failed = False


def row(name, value, limit):
    """Prints a row; a value above the limit fails."""
    global failed
    bad = not value <= limit
    failed |= bad
    print(f"{name:64} {value:10.3g}  at most {limit:g}{'  FAILED' if bad else ''}")


class Program:
    """`touchback` in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)

    def call(self, *arguments):
        subprocess.run([self.path, *arguments], check=True, capture_output=True)

    def model(self, action, key):
        file = self.folder / "model.toml"
        file.unlink(missing_ok=True)
        self.call("model", "export", "--action", action, "--key", str(key), "-o", str(file))
        return tomllib.loads(file.read_text())

    def simulate(self, action, key, gesture, *options, ending="csv"):
        file = self.folder / f"gesture.{ending}"
        file.write_text(gesture)
        run, events = self.folder / "run.csv", self.folder / "events.json"
        for old in (run, events):
            old.unlink(missing_ok=True)
        names = ("--action", action, "--key", str(key), "-o", str(run), "--events", str(events))
        self.call("simulate", str(file), *names, *options)
        table = np.genfromtxt(run, delimiter=",", names=True, dtype=None, encoding="utf-8")
        return table, json.loads(events.read_text())["events"]


def motion(times, depth, speed):
    """A gesture of depths and speeds."""
    rows = zip(times, depth, speed)
    return "t_s,key_m,key_velocity_m_s\n" + "".join(f"{t!r},{x!r},{v!r}\n" for t, x, v in rows)


def numbers_of(model):
    """The table of the model with the given numbers, wherever it stands in the file."""
    tables = [model] + [value for value in model.values() if isinstance(value, dict)]
    found = [t for t in tables if "ball" in t and not isinstance(t["ball"], dict) or "bodies" in t]
    return found[0]


def check_presses(program):
    for action in ACTIONS:
        for key in (4, 40, 71) if action == "grand" else (40,):
            for force in (4, 12, 30):
                text = f'form = "pressed"\nforce_n = {force}\nduration_s = 0.3\n'
                run, _ = program.simulate(action, key, text, ending="toml")
                times = np.append(0.0, run["time_s"])
                depth = np.append(run["key_m"][0], run["key_m"])
                speed = np.append(0.0, run["key_velocity_m_s"])
                given = np.append(0.0, run["key_force_n"])
                # The press begins at rest.
                depth[0] = 0.0 if abs(depth[1]) < 1e-7 else depth[1]
                again, _ = program.simulate(action, key, motion(times.tolist(), depth.tolist(), speed.tolist()))
                # The answer is the mean of a step.
                mean = 0.5 * (given[1:] + given[:-1])
                moves = (np.abs(speed[1:]) > STANDS) | (np.abs(speed[:-1]) > STANDS)
                moves[:2] = False
                error = (again["key_force_n"] - mean) * moves / given.max()
                row(f"{action}, key {key}, {force} N: force of its motion, largest", np.abs(error).max(), PEAK)
                row(f"{action}, key {key}, {force} N: force of its motion, rms", np.sqrt(np.mean(error**2)), RMS)
                travel = np.diff(np.append(depth[0], again["key_m"]))
                area = np.sum(again["key_force_n"] * travel)
                work = again["work_j"][-1]
                row(f"{action}, key {key}, {force} N: work less area", abs(work - area), AREA * max(work, 1e-3))


def check_ball(program):
    """The ball on a moving paddle, integrated from equations (1) and (4) in steps of 1 µs."""
    numbers = numbers_of(program.model("ball", 40))
    ball, paddle, stiffness, damping = (numbers[n] for n in ("ball", "paddle", "stiffness", "damping"))
    rate, size = 2 * np.pi * 10.0, 2e-3
    times = np.arange(0, 4001) * STEP
    still, _ = program.simulate("ball", 40, "t_s,force_n\n0,0\n0.01,0\n")
    start = float(still["key_m"][0])

    def path(t):
        return start + size * (1 - np.cos(rate * t))

    gesture = motion(times.tolist(), path(times).tolist(), (size * rate * np.sin(rate * times)).tolist())
    run, _ = program.simulate("ball", 40, gesture)
    parts = 125
    h = STEP / parts
    # The ball at rest on its spring.
    q, v, on = path(0.0) - ball * GRAVITY / stiffness, 0.0, True
    answers, clean = [], []
    for step in range(len(times) - 1):
        t = times[step] + h * np.arange(parts + 1)
        d, speed, acceleration = path(t), size * rate * np.sin(rate * t), size * rate**2 * np.cos(rate * t)
        force = np.empty(parts + 1)
        changed = False
        for i in range(parts + 1):
            squeezed = d[i] - q
            if on and squeezed < 0 or not on and squeezed > 0:
                on, changed = not on, True
            press = stiffness * squeezed * (1 + damping * (speed[i] - v)) if on else 0.0
            force[i] = paddle * (acceleration[i] + GRAVITY) + press
            if i < parts:
                a = press / ball - GRAVITY
                # Velocity Verlet.
                half = v + 0.5 * h * a
                q += h * half
                later = stiffness * (d[i + 1] - q) if on and d[i + 1] > q else 0.0
                v = half + 0.5 * h * (later / ball - GRAVITY)
        work = np.sum(0.5 * (force[1:] * speed[1:] + force[:-1] * speed[:-1])) * h
        travel = d[-1] - d[0]
        answers.append(work / travel if abs(travel) > 1e-8 else np.nan)
        clean.append(not changed and min(d[0], d[-1]) > 1e-6)
    answers, clean = np.array(answers), np.array(clean)
    # The first step begins with the program's own rest pose.
    use = clean & np.isfinite(answers) & (times[1:] > 0.01)
    off = np.abs(run["key_force_n"][: len(answers)] - answers)[use]
    row("ball, equations (2) and (5): force, N", off.max(), 1e-5)
    air = use & np.array([phase == "air" for phase in run["phase"][: len(answers)]])
    row("ball in the air, equation (5): force, N", np.abs(run["key_force_n"][: len(answers)] - answers)[air].max(), 1e-5)
    row("ball: shortest time in the air, steps below 100", max(0, 100 - air.sum()), 0)


def check_model_a(program):
    """Model A thrown by 5 mm in 80 ms: the slider's force from the constraint, the flight as a pendulum."""
    model = program.model("model-a", 40)
    b = numbers_of(model)["bodies"]
    pivot = np.array([b["pivot"]["x"], b["pivot"]["y"]]) if isinstance(b["pivot"], dict) else np.array(b["pivot"])

    def depth(t):
        share = np.clip((t - 0.1) / 0.08, 0.0, 1.0)
        return 1.1e-3 + 2.5e-3 * (1 - np.cos(np.pi * share))

    def speed(t):
        share = (t - 0.1) / 0.08
        return np.where((share > 0) & (share < 1), 2.5e-3 * np.pi / 0.08 * np.sin(np.pi * share), 0.0)

    def angle(t):
        s = b["rest_angle"] + depth(t) / b["front"]
        x, y = b["back"] * np.cos(s) - pivot[0], b["back"] * np.sin(s) - pivot[1]
        return np.arctan2(y, x)

    times = np.arange(0, 3201) * STEP
    run, events = program.simulate("model-a", 40, motion(times.tolist(), depth(times).tolist(), speed(times).tolist()))
    fine = np.arange(0.0, 0.4, 1e-6)
    q = angle(fine)
    turn = np.gradient(np.gradient(q, 1e-6), 1e-6)
    pressing = b["hammer_inertia"] * turn + b["hammer_weight"] * np.cos(q)
    inside = (fine > 0.141) & (fine < 0.179)
    release = fine[inside][np.argmax(pressing[inside] <= 0.0)]
    # The hammer alone, until it meets the slider again.
    t, h = release, 1e-6
    state = np.array([np.interp(t, fine, q), np.interp(t, fine, np.gradient(q, 1e-6))])
    pull = b["hammer_weight"] / b["hammer_inertia"]
    while True:
        acceleration = -pull * np.cos(state[0])
        state = state + h * np.array([state[1] + 0.5 * h * acceleration, acceleration])
        t += h
        if state[0] < angle(np.float64(t)) and t > release + 1e-3:
            break
    names = [e["kind"] for e in events]
    found = [e["time_s"] for e in events]
    row("model A: events besides a release and a reset", len(names) - 2, 0)
    row("model A: release, s off", abs(found[0] - release), 5e-5)
    row("model A: landing, s off", abs(found[1] - t), 1e-4)
    row("model A: pull of the key on the hammer, N", max(0.0, -run["jack_knuckle_force_n"].min()), 0.0)
    middle = times[:-1] + 0.5 * STEP
    coupled = (run["phase"] == "A1") & ((middle < release - 1e-3) | (middle > t + 1e-3)) & (middle > 0.002)
    ratio = np.gradient(q, 1e-6) / np.where(np.abs(np.gradient(depth(fine), 1e-6)) > 1e-9, np.gradient(depth(fine), 1e-6), np.nan)
    expected = b["hammer_weight"] * np.cos(q) * ratio + b["key_inertia"] / b["front"] ** 2 * np.gradient(
        np.gradient(depth(fine), 1e-6), 1e-6
    ) + b["hammer_inertia"] * ratio * turn - b["key_torque"] / b["front"]
    at = np.interp(middle, fine, expected)
    during = coupled & (middle > 0.105) & (middle < release - 1e-3)
    row("model A: force on the user in the throw, N off", np.abs(run["key_force_n"] - at)[during].max(), 0.01)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], folder)
        check_ball(program)
        check_model_a(program)
        check_presses(program)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
