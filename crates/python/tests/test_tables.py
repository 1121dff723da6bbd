"""Tables of Apache Arrow and files of Parquet."""

import numpy as np
import pytest

import touchback

pyarrow = pytest.importorskip("pyarrow")


def test_runs_weights_strikes_and_events_are_tables(tmp_path):
    from pyarrow import parquet

    run = touchback.Key(40).press(force=7.0, hold=0.1)
    table = touchback.table(run)
    parquet.write_table(table, tmp_path / "run.parquet")
    read = parquet.read_table(tmp_path / "run.parquet")
    assert np.array_equal(read["key_m"].to_numpy(), run.key)
    assert read["phase"].to_pylist() == list(run.phase)
    events = touchback.table(run.events)
    assert events["kind"].to_pylist() == [event.kind for event in run.events]
    assert events["time_s"].to_pylist() == [event.time for event in run.events]
    piano = touchback.Piano()
    piano.note_on(60, 0.5)
    piano.process(4800)
    strikes = touchback.table(piano.strikes)
    assert strikes.column_names == ["time_s", "key", "hammer_velocity_m_s", "note_on_s"]
    assert strikes["key"].to_pylist() == [40]
    strike = touchback.Strike(1.0, 3, 2.0, float("nan"))
    rendering = touchback.Rendering(np.zeros((2, 1), np.float32), [strike], 48000)
    assert touchback.table(rendering)["note_on_s"].to_pylist() == [None]
    for bad in ([], [(1, 2)], 3.5):
        with pytest.raises((TypeError, ValueError)):
            touchback.table(bad)


def test_weights_are_a_table():
    weights = touchback.weigh(["C4"])
    table = touchback.table(weights)
    assert table.column_names == ["key", *weights] and table["key"].to_pylist() == [40]


def test_files_of_the_command_are_tables_with_types(tmp_path, command):
    score = b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk\0\0\0\x0c\0\x90\x3c\x50\x60\x80\x3c\x40\0\xff\x2f\0"
    (tmp_path / "a.mid").write_bytes(score)
    names = {"strikes": "hammer_velocity_m_s", "events": "kind", "motion": "hammer_mm"}
    outputs = [word for name in names for word in (f"--{name}", tmp_path / f"{name}.csv")]
    command("render", tmp_path / "a.mid", "-o", tmp_path / "a.wav", *outputs)
    tables = {name: touchback.table(tmp_path / f"{name}.csv") for name in names}
    for name, column in names.items():
        assert column in tables[name].column_names
        assert tables[name].schema.field("key").type == pyarrow.uint8()
        # The motion begins with all keys.
        assert 40 in set(tables[name]["key"].to_pylist()) <= (set(range(1, 89)) if name == "motion" else {40})
    kinds = tables["events"]["kind"].to_pylist()
    assert {"strike", "check", "key_bottom", "damper_fall", "key_rest"} <= set(kinds), kinds
    [strike] = tables["strikes"].to_pylist()
    [event] = [row for row in tables["events"].to_pylist() if row["kind"] == "strike"]
    assert (event["time_s"], event["value"], event["unit"]) == (
        strike["time_s"],
        strike["hammer_velocity_m_s"],
        "m/s",
    )
