"""Walls: the heights and forces of the command, refusals in words."""

import numpy as np
import pytest

import touchback

OWN = {"k": 2000.0, "t": 0.002, "m": 0.1, "g": 9.81, "height": 0.05, "seconds": 1.0}


def test_a_wall_has_the_bytes_of_the_command(command, tmp_path):
    chosen = [word for id, value in OWN.items() for word in ("--set", f"{id}={value}")]
    command("lab", "walls", *chosen, "--out", tmp_path)
    written = (tmp_path / "walls.csv").read_text(encoding="utf-8").splitlines()[1:]
    for name in touchback.walls.CONTROLLERS:
        run = touchback.walls.simulate(name, **OWN)
        rows = [line.split(",")[1:] for line in written if line.startswith(f"{name},")]
        found = np.array([run.t, run.height, run.force]).T
        np.testing.assert_array_equal(found, np.array(rows, dtype=float))
    experiment = touchback.experiment("walls")
    experiment.run(out=tmp_path / "own", **OWN)
    assert (tmp_path / "own/walls.csv").read_bytes() == (tmp_path / "walls.csv").read_bytes()


def test_deadbeat_keeps_the_height_that_the_standard_wall_raises():
    deadbeat, standard = (touchback.walls.simulate(name) for name in ("deadbeat", "standard"))
    assert deadbeat.height.max() == pytest.approx(1.0, abs=1e-12)
    assert standard.height.max() > 4.9


def test_a_number_that_makes_no_sense_is_refused_in_words():
    assert touchback.walls.numbers()["k"][0] == "N/m"
    for controller, values, words in [
        ("deadbeat", {"kk": 1.0}, "no such number"),
        ("deadbeat", {"k": -1.0}, "between"),
        ("dead", {}, "no such wall"),
        ("standard", {"t": 1e-5, "seconds": 1e6}, "samples"),
    ]:
        with pytest.raises(ValueError, match=words):
            touchback.walls.simulate(controller, **values)
    with pytest.raises(ValueError, match="no such number"):
        touchback.experiment("walls").run(let_off_mm=2.0)


@pytest.mark.parametrize(
    ("function", "experiment", "values"),
    [
        ("criteria", "unilateral", {"b": 5.0}),
        ("damping", "wall-damping", {"t": 1e-3, "b": 2.0, "bias": 1.0}),
        ("return_map", "long-run", {"t": 0.03, "strikes": 500, "every": 5}),
        ("line", "lines", {"gap": 0.01, "z": 200.0}),
        ("paddle", "ball", {"swing": 0.003, "seconds": 0.5}),
        ("press", "press", {"action": 1.0, "turn": 0.028, "rise": 0.08}),
        ("sprung", "wall-display", {"euler": 1.0}),
    ],
)
def test_a_function_has_the_bytes_of_the_command(command, tmp_path, function, experiment, values):
    chosen = [word for id, value in values.items() for word in ("--set", f"{id}={value}")]
    command("lab", experiment, *chosen, "--out", tmp_path)
    header, *rows = (tmp_path / f"{function.replace('_', '-')}.csv").read_text(encoding="utf-8").splitlines()
    table = getattr(touchback.walls, function)(**values)
    assert list(table) == header.split(",")
    written = np.array([line.split(",") for line in rows], dtype=float)
    np.testing.assert_array_equal(np.array(list(table.values())).T, written)
    assert set(values) <= set(touchback.walls.numbers(function))


def test_a_function_refuses_in_words():
    for function, values, words in [
        (touchback.walls.damping, {"k": 100.0}, "stiffer than the finger"),
        (touchback.walls.return_map, {"strikes": 1e9}, "rows"),
        (touchback.walls.criteria, {"c": 1.0}, "no such number"),
        (touchback.walls.line, {"m1": 0.0}, "between"),
    ]:
        with pytest.raises(ValueError, match=words):
            function(**values)
