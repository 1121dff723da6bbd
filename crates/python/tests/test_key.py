"""Keys and runs: the bits of the command, shapes, errors."""

import csv
import json
import pathlib

import numpy as np
import pytest

import touchback

GESTURE = """\
[[part]]
form = "pressed"
force_n = 7.0
duration_s = 0.16
[[part]]
form = "release"
duration_s = 0.25
"""


def table(path):
    """The columns of a run's file."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = dict(zip(rows[0], zip(*rows[1:])))
    phases = columns.pop("phase")
    return phases, {n: np.array([float(x or "nan") for x in c]) for n, c in columns.items()}


@pytest.mark.parametrize("action", ["grand", "reference", "viennese", "harpsichord", "ball"])
def test_a_press_has_the_bits_of_the_command(command, tmp_path, action):
    gesture = tmp_path / "press.toml"
    gesture.write_text(GESTURE, encoding="utf-8")
    run_file, events_file = tmp_path / "run.csv", tmp_path / "events.json"
    changes = ["--set", "let_off_mm=2.5"] if action in ("grand", "reference") else []
    command(
        "simulate", gesture, "--action", action, "--key", 52, *changes, "-o", run_file,
        "--events", events_file,
    )
    settings = {"let_off_mm": 2.5} if changes else {}
    run = touchback.Key(52, action=action, **settings).press(force=7.0, hold=0.16, after=0.25)
    phases, columns = table(run_file)
    assert list(run.phase) == list(phases)
    assert list(run.columns) == list(columns)
    for name, expected in columns.items():
        np.testing.assert_array_equal(run.columns[name], expected, err_msg=name)
    expected = json.loads(events_file.read_text(encoding="utf-8"))["events"]
    assert [(e.time, e.kind, e.value, e.unit) for e in run.events] == [
        (e["time_s"], e["kind"], e["value"], e["unit"]) for e in expected
    ]


MECHANISM = (
    pathlib.Path(__file__).parents[3] / "mechanisms" / "ball.mechanism.toml"
).read_text(encoding="utf-8")


def test_a_mechanism_from_a_file_has_the_bits_of_the_command(command, tmp_path):
    gesture, file = tmp_path / "press.toml", tmp_path / "own.mechanism.toml"
    gesture.write_text(GESTURE, encoding="utf-8")
    file.write_text(MECHANISM, encoding="utf-8")
    command("simulate", gesture, "--mechanism", file, "-o", tmp_path / "run.csv")
    _, columns = table(tmp_path / "run.csv")
    for mechanism in (file, MECHANISM):
        run = touchback.Key(mechanism=mechanism).press(force=7.0, hold=0.16, after=0.25)
        np.testing.assert_array_equal(run.columns["hammer_m"], columns["hammer_m"])
    with pytest.raises(ValueError, match="own.mechanism.toml"):
        file.write_text("nothing", encoding="utf-8")
        touchback.Key(mechanism=file)
    with pytest.raises(ValueError, match="neither"):
        touchback.Key(mechanism=MECHANISM, numbers={"a": 1.0})


def test_a_run_is_views_of_one_table():
    run = touchback.Key("C4").press()
    assert len(run) == run.t.size == 3280
    assert run.q.shape == run.q_rate.shape == (3280, 9)
    base = run.key.base
    assert all(column.base is base for column in run.columns.values())
    assert np.shares_memory(run.q, run.columns["q5"])
    strike = run.event("strike")
    assert strike is not None and strike.unit == "m/s" and 0.5 < strike.value < 2.0
    assert run.times("strike").tolist() == [strike.time]
    assert run.event("pluck") is None


def test_curves_files_and_parts_are_the_same_gesture(tmp_path):
    key = touchback.Key(28)
    t = [0.0, 0.05, 0.3]
    curve = key.follow(t, force=[0.0, 8.0, 8.0])
    path = tmp_path / "curve.csv"
    path.write_text("t_s,force_n\n0,0\n0.05,8\n0.3,8\n", encoding="utf-8")
    file = key.play(path)
    np.testing.assert_array_equal(curve.hammer, file.hammer)
    parts = key.play(
        [
            {"form": "ramp", "channel": "force_n", "to": 8.0, "duration_s": 0.05},
            {"form": "hold", "duration_s": 0.25},
        ]
    )
    assert [e.kind for e in parts.events] == [e.kind for e in curve.events]


def test_steps_are_those_of_a_curve():
    key = touchback.Key(40)
    depth = 9.5e-3 * (1 - np.cos(np.pi * np.minimum(np.arange(1, 801) / 640, 1))) / 2
    events, hammers = [], []
    for target in depth:
        state = key.step(depth=target)
        hammers.append(state.hammer)
        events += state.events
    t = np.arange(801) * touchback.STEP
    run = touchback.Key(40).follow(t, depth=np.concatenate([[0.0], depth]))
    assert [e.kind for e in events] == [e.kind for e in run.events]
    np.testing.assert_allclose(hammers, run.hammer, atol=1e-7)
    assert state.time == run.t[-1]


def test_a_saved_state_goes_on_with_the_same_bits():
    key = touchback.Key(64)
    key.step(force=6.0, steps=400)
    saved = key.save()
    first = [key.step(force=6.0, steps=100)[:6] for _ in range(5)]
    key.restore(saved)
    key._drive = ("force_n", 6.0)
    assert [key.step(force=6.0, steps=100)[:6] for _ in range(5)] == first
    key.reset()
    assert key.time == 0.0 and abs(key.state.depth) < 1e-6


def test_numbers_of_the_model_change_the_key_and_a_model_comes_back(tmp_path):
    standard = touchback.Key(40)
    mass = standard.numbers["hammer.mass"]
    heavy = touchback.Key(40, numbers={"hammer.mass": 1.2 * mass})
    assert heavy.numbers["hammer.mass"] == 1.2 * mass
    path = tmp_path / "heavy.toml"
    heavy.save_model(path)
    again = touchback.Key(40, model=path)
    runs = [key.press(8.0) for key in (standard, heavy, again)]
    assert runs[1].event("strike").value < runs[0].event("strike").value
    assert runs[2].events == runs[1].events


def test_half_the_step_moves_the_strike_by_microseconds():
    whole, half = (
        touchback.Key(40, step=step).press(8.0).event("strike")
        for step in (touchback.STEP, touchback.STEP / 2)
    )
    assert whole != half and abs(whole.time - half.time) < 60e-6


def test_data_frame_and_figure(tmp_path):
    run = touchback.Key(40).strike(0.6)
    frame = run.to_pandas()
    assert frame.shape == (len(run), len(run.columns) + 1)
    assert frame["hammer_m"].to_numpy().tolist() == run.hammer.tolist()
    assert frame.columns[1] == "phase"
    run.plot("a strike").savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: touchback.Key(89), "keys count from 1"),
        (lambda: touchback.Key(0), "keys count from 1"),
        (lambda: touchback.Key("H9"), "is no key"),
        (lambda: touchback.Key(40, action="spinet"), "unknown action"),
        (lambda: touchback.Key(40, let_of_mm=1), "no parameter"),
        (lambda: touchback.Key(40, let_off_mm=1e9), "out of range"),
        (lambda: touchback.Key(40, let_off_mm=float("nan")), "out of range"),
        (lambda: touchback.Key(40, numbers={"hammer.mass": -1.0}), "hammer.mass"),
        (lambda: touchback.Key(40, numbers={"hammer.mas": 1.0}), "has no `mas`"),
        (lambda: touchback.Key(40, step=1e-4), "whole number"),
        (lambda: touchback.Key(40).press(-1.0), "force_n"),
        (lambda: touchback.Key(40).play({"form": "prest", "duration_s": 1}), "prest"),
        (lambda: touchback.Key(40).play({"form": "hold", "duration_s": float("nan")}), "gesture"),
        (lambda: touchback.Key(40).follow([0, 1], depth=[0, 0], force=[0, 0]), "exactly one"),
        (lambda: touchback.Key(40).follow([0, 0], depth=[0, 0]), "rise from 0"),
        (lambda: touchback.Key(40).follow([0, 1], depth=[0, float("inf")]), "finite"),
        (lambda: touchback.Key(40).step(force=1e9), "beyond"),
        (lambda: touchback.Key(40).step(steps=0), "at least 1"),
        (lambda: touchback.Key(40).restore((0, [1, 2])), "another action"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_missing_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(OSError):
        touchback.Key(40, model=tmp_path / "none.toml")
    with pytest.raises(OSError):
        touchback.Key(40).play(tmp_path / "none.csv")


@pytest.mark.parametrize("action", ["grand", "thesis", "reference", "harpsichord", "model-a"])
def test_forces_are_those_of_the_command(command, tmp_path, action):
    gesture, forces_file = tmp_path / "press.toml", tmp_path / "forces.csv"
    gesture.write_text(GESTURE, encoding="utf-8")
    command("simulate", gesture, "--action", action, "--forces", forces_file)
    with open(forces_file, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    run = touchback.Key(40, action=action, forces=True).press(force=7.0, hold=0.16, after=0.25)
    assert names == ["time_s", *run.forces]
    for index, (name, values) in enumerate(run.forces.items(), 1):
        expected = [float(row[index] or "nan") for row in rows]
        np.testing.assert_array_equal(values, expected, err_msg=name)
    heats = {name: values for name, values in run.forces.items() if name.startswith("heat_")}
    for name, values in heats.items():
        if name in run.columns:
            np.testing.assert_array_equal(values, run.columns[name], err_msg=name)
    without = touchback.Key(40, action=action).press(force=7.0, hold=0.16, after=0.25)
    assert without.forces == {}
    np.testing.assert_array_equal(without.key, run.key)
    if action in ("grand", "reference"):
        np.testing.assert_array_equal(run.forces["knuckle_on_jack_n"], run.jack_force)
        dissipated = touchback.STEP * sum(values.sum() for values in heats.values())
        assert dissipated == pytest.approx(run.dissipated[-1], rel=0.02)
