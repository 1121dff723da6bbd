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
