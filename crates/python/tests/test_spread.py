"""Pickled objects, threads, executors, and MIDI from other packages."""

import io
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import touchback


def melody(*notes):
    """A MIDI file of short notes on channel 1."""
    events = b"".join(bytes([0, 0x90, note, 80, 60, 0x80, note, 64]) for note in notes)
    track = events + b"\x00\xff\x2f\x00"
    return b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk" + len(track).to_bytes(4, "big") + track


def test_objects_pickle_by_their_arguments(tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("key,let_off_mm\n40,0.5\n", encoding="utf-8")
    key = touchback.Key("C4", sheet=sheet, blow_mm=46)
    bank = touchback.Bank([40, "A4"], threads=1, hammer_mass=1.1)
    piano = touchback.Piano(44100, preset="mellow", output_db=-3)
    copies = [pickle.loads(pickle.dumps(one)) for one in (key, bank, piano)]
    sheet.unlink()
    assert copies[0].press(force=7.0, hold=0.1).events == key.press(force=7.0, hold=0.1).events
    steps = [one.step(force=6.0, steps=800) for one in (bank, copies[1])]
    assert np.array_equal(steps[0].depth, steps[1].depth)
    for one in (piano, copies[2]):
        one.note_on(60, 0.5)
    assert np.array_equal(piano.process(4800), copies[2].process(4800))


def test_threads_and_processes_give_the_same_bits():
    values = [3.0, 4.0]
    files = [melody(60), melody(64, 67)]
    alone = [touchback.render(one, threads=1) for one in files]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        weights = touchback.weigh([40, "A4"], executor=pool)
        points = touchback.sweep("let_off_mm", values, "softest_m_s", executor=pool)
        sounds = touchback.render(files, executor=pool)
    one = touchback.weigh([40, "A4"], threads=1)
    assert list(weights) == list(one) and weights.keys_measured == [40, 49]
    for name in one:
        assert np.array_equal(weights[name], one[name], equal_nan=True), name
    assert np.array_equal(points, touchback.sweep("let_off_mm", values, "softest_m_s", threads=2))
    for expected, found in zip(alone, sounds):
        assert np.array_equal(expected.samples, found.samples) and expected.strikes == found.strikes
    assert np.array_equal(touchback.render(files[0], threads=3).samples, alone[0].samples)
    for bad in (0, -1, 1.5, "two"):
        with pytest.raises((ValueError, TypeError)):
            touchback.weigh([40], threads=bad)


def presses():
    """Presses of a key whose hammer is heavier than the standard one."""
    heavier = touchback.Key(52, numbers={"hammer.inertia": 1.2 * touchback.Key(52).numbers["hammer.inertia"]})
    runs = [heavier.press(force=force, hold=0.1) for force in (4.0, 7.0)]
    return [touchback.Press(run.t[::16] - run.t[0], run.key[::16], run.force[::16]) for run in runs]


def test_a_fit_is_the_same_in_other_processes():
    measured = presses()
    alone = touchback.fit(measured, ["hammer.inertia"], key=52)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert touchback.fit(measured, ["hammer.inertia"], key=52, executor=pool) == alone

    class Broken:
        def submit(self, work, /, *args, **kwargs):
            raise OSError("the cluster is gone")

    with pytest.raises(OSError, match="the cluster is gone"):
        touchback.fit(measured, ["hammer.inertia"], key=52, executor=Broken())


def test_files_and_objects_are_played(tmp_path):
    data = melody(60, 64)
    path = tmp_path / "a.mid"
    path.write_bytes(data)
    expected = touchback.render(data).samples
    with path.open("rb") as file:
        assert np.array_equal(touchback.render(file).samples, expected)
    assert np.array_equal(touchback.render(io.BytesIO(data)).samples, expected)
    with path.open(encoding="latin-1") as file, pytest.raises(TypeError, match="'rb'"):
        touchback.render(file)
    with pytest.raises(TypeError):
        touchback.render(3.5)


@pytest.mark.parametrize("package", ["mido", "pretty_midi", "symusic"])
def test_objects_of_other_packages_are_played(package):
    module = pytest.importorskip(package)
    data = melody(60, 64)
    if package == "mido":
        midi = module.MidiFile(file=io.BytesIO(data))
    elif package == "pretty_midi":
        midi = module.PrettyMIDI(io.BytesIO(data))
    else:
        midi = module.Score.from_midi(data)
    sound = touchback.render(midi)
    assert [strike.key for strike in sound.strikes] == [40, 44]


def test_the_command_s_options(tmp_path):
    both = melody(60) + b""
    other = bytes([0, 0x92, 67, 80, 60, 0x82, 67, 64])
    track = bytes([0, 0x90, 60, 80, 60, 0x80, 60, 64]) + other + b"\x00\xff\x2f\x00"
    both = b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk" + len(track).to_bytes(4, "big") + track
    keys = lambda **options: [strike.key for strike in touchback.render(both, **options).strikes]
    assert keys() == [40, 47] and keys(channels=1) == [40] and keys(channels="3") == [47]
    assert keys(channels=[1, 3]) == [40, 47] and keys(tracks=1) == [40, 47]
    with pytest.raises(ValueError, match="channels"):
        keys(channels="x")
    scale = "even\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n800.\n900.\n1000.\n1100.\n2/1\n"
    flat = touchback.render(both, scale=scale, keymap="0\n0\n127\n60\n69\n415.0\n0\n")
    assert not np.array_equal(flat.samples, touchback.render(both, scale=scale).samples)
    with pytest.raises(ValueError, match="keymap"):
        touchback.render(both, keymap="0\n0\n127\n60\n69\n415.0\n0\n")
