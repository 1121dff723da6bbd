"""Weighing, sweeps, fits, experiments: the figures of the command."""

import csv
import io
import json

import numpy as np
import pytest

import touchback


def test_weights_are_those_of_the_command(command, tmp_path):
    sheet = tmp_path / "sheet.csv"
    command("weigh", "--key", 40, "--set", "drop_mm=3", "-o", sheet)
    [printed] = csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8")))
    found = touchback.weigh(["C4", 88], drop_mm=3)
    assert found.keys_measured == [40, 88]
    for name, (value, _) in found.items():
        cell = printed[f"measured_{name}"]
        assert (f"{value:.4f}" if np.isfinite(value) else "") == cell, name
    assert found.to_pandas().loc[40, "down_weight_g"] == found["down_weight_g"][0]


def test_a_sweep_is_that_of_the_command(command, tmp_path):
    command(
        "lab", "sweep", "let_off_mm", 1, 3, "--measure", "down_weight_g", "--steps", 3,
        "--out", tmp_path,
    )
    record = json.loads((tmp_path / "sweep-let_off_mm-down_weight_g.json").read_text())
    found = touchback.sweep("let_off_mm", [1, 2, 3], "down_weight_g")
    assert found.tolist() == [value for _, value in record["points"]]
    assert "down_weight_g" in touchback.quantities()
    with pytest.raises(ValueError, match="quantit"):
        touchback.sweep("let_off_mm", [1, 2], "colour")


def test_a_fit_finds_changed_numbers():
    standard = touchback.Key(40)
    numbers = {
        "key.inertia": 1.1 * standard.numbers["key.inertia"],
        "hammer.inertia": 0.93 * standard.numbers["hammer.inertia"],
    }
    true = touchback.Key(40, numbers=numbers)
    presses = []
    for force in (5.0, 9.0, 14.0):
        t = np.arange(0, 0.25, 1e-3)
        push = force * np.minimum(t / 0.03, 1.0)
        run = true.follow(t, force=push)
        depth = np.interp(t, np.concatenate([[0.0], run.t]), np.concatenate([[0.0], run.key]))
        presses.append(touchback.Press(t, depth, push))
    found = touchback.fit(presses, ["key.inertia", "hammer.inertia"])
    assert found.converged and found.rms_after < 0.05 * found.rms_before
    for name, value in numbers.items():
        assert found.numbers[name] == pytest.approx(value, rel=0.01), name
    assert touchback.Key(40, model=found.model).numbers["key.inertia"] == pytest.approx(
        numbers["key.inertia"], rel=0.01
    )


def test_an_experiment_has_the_rows_of_the_command(command, tmp_path):
    command("lab", "thesis-run", "--out", tmp_path)
    record = json.loads((tmp_path / "thesis-run.json").read_text(encoding="utf-8"))
    experiment = touchback.experiment("thesis-run")
    rows = experiment.run(out=tmp_path / "own")
    assert len(rows) == len(record["rows"]) > 5
    for row, written in zip(rows, record["rows"]):
        # The file has the unit in a column of its own.
        assert row.quantity.startswith(written["quantity"])
        assert row.value == written["measured"]
    for figure in experiment.figures:
        assert (tmp_path / "own" / figure).read_bytes() == (tmp_path / figure).read_bytes()
    assert len(experiment.to_pandas()) == len(rows)
    with pytest.raises(ValueError, match="no experiment"):
        touchback.experiment("none")
    with pytest.raises(ValueError, match="takes no settings"):
        experiment.run(let_off_mm=2)


def test_parameters_are_those_of_the_command(command):
    listed = json.loads(command("params"))
    listed = listed["parameters"] if isinstance(listed, dict) else listed
    found = touchback.parameters()
    assert [p["id"] for p in found] == [p["id"] for p in listed]
    for ours, theirs in zip(found, listed):
        for name in ("name", "group", "unit", "min", "max", "default", "choices"):
            assert ours[name] == theirs[name], (ours["id"], name)
    assert touchback.__version__ == command("--version").split()[1]
