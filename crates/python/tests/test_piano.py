"""The instrument: the samples of the command, blocks, errors."""

import struct

import numpy as np
import pytest

import touchback


def midi(notes):
    """A MIDI file of `notes`: tick, status, data; 480 ticks are 0.5 s."""
    track, last = b"", 0
    for tick, *message in notes:
        delta = tick - last
        track += bytes([0x80 | delta >> 7, delta & 0x7F] if delta > 127 else [delta])
        track += bytes(message)
        last = tick
    track += b"\x00\xff\x2f\x00"
    head = b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480)
    return head + b"MTrk" + struct.pack(">I", len(track)) + track


PIECE = midi(
    [(0, 0x90, 60, 80), (10, 0xB0, 64, 127), (240, 0x90, 67, 50), (480, 0x80, 60, 64),
     (500, 0x90, 88, 110), (700, 0x80, 67, 64), (720, 0x80, 88, 64), (900, 0xB0, 64, 0)]
)  # fmt: skip


def test_a_rendering_has_the_samples_of_the_command(command, tmp_path):
    path, sound, strikes = (tmp_path / name for name in ("a.mid", "a.wav", "a.csv"))
    path.write_bytes(PIECE)
    command("render", path, "-o", sound, "--strikes", strikes, "--set", "let_off_mm=2")
    rendering = touchback.render(path, let_off_mm=2)
    head, data = sound.read_bytes().split(b"data", 1)
    assert struct.unpack_from("<HIIHH", head, head.index(b"fmt ") + 10) == (2, 48000, 288000, 6, 24)
    data = np.frombuffer(data[4:], np.uint8).reshape(-1, 2, 3)
    wide = np.zeros((*data.shape[:2], 4), np.uint8)
    wide[..., 1:] = data
    written = (wide.view("<i4")[..., 0] >> 8).T
    assert rendering.samples.dtype == np.float32
    assert rendering.samples.shape == written.shape
    rounded = rendering.samples.astype(np.float64) * 2**23
    assert np.abs(rounded - written).max() <= 1.0
    lines = strikes.read_text(encoding="utf-8").splitlines()[1:]
    expected = [[float(cell) for cell in line.split(",")] for line in lines]
    assert [list(strike) for strike in rendering.strikes] == expected
    assert len(expected) == 3


def test_blocks_of_any_size_have_the_same_samples():
    def play(sizes):
        piano = touchback.Piano(44100, preset="bright")
        piano.note_on(60, 0.7, offset=100)
        piano.sustain(1.0, offset=3000)
        piano.note_off(60, offset=9000)
        piano.note_on(64, 0.4, offset=9000)
        found, strikes = [], []
        for size in sizes:
            found.append(piano.process(size))
            strikes += piano.strikes
        return np.concatenate(found, axis=1), strikes

    whole, strikes = play([20000])
    parts, same = play([1, 999, 4000, 64, 14936])
    np.testing.assert_array_equal(whole, parts)
    assert strikes == same and [strike.key for strike in strikes] == [40, 44]
    assert np.abs(whole).max() > 1e-3


def test_a_reset_piano_is_a_new_one():
    piano = touchback.Piano()
    piano.note_on(50, 0.9)
    first = piano.process(6000)
    assert not piano.is_idle
    piano.reset()
    piano.note_on(50, 0.9)
    np.testing.assert_array_equal(piano.process(6000), first)


def test_parameters_change_the_sound():
    loud, soft = touchback.Piano(), touchback.Piano()
    soft.set(output_db=-12)
    found = []
    for piano in (loud, soft):
        piano.note_on(60, 0.5)
        found.append(np.abs(piano.process(9600)).max())
    assert found[1] < 0.5 * found[0]


def test_damage_is_a_warning_and_no_note_an_error():
    with pytest.warns(UserWarning, match="MIDI"):
        touchback.render(PIECE[:-4])
    with pytest.raises(ValueError, match="note"):
        touchback.render(midi([]))
    with pytest.raises(ValueError):
        touchback.render(b"no file")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.note_on(128), "0 to 127"),
        (lambda p: p.note_on(60, 1.5), "0 to 1"),
        (lambda p: p.note_on(60, float("nan")), "finite"),
        (lambda p: p.control(64, 0.5, channel=16), "0 to 15"),
        (lambda p: p.set(a4_hz="high"), "is no number"),
        (lambda _: touchback.Piano(8000), "22050"),
        (lambda _: touchback.Piano(preset="spinet"), "no such piano"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(touchback.Piano())
