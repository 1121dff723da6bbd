"""Plays the VST3 bundle in a headless host: python vst3_pedalboard.py BUNDLE [TOUCHBACK].

With TOUCHBACK, the path of the command, the same performance is also rendered by it and must agree
within -108 dBFS. Exits 0 when every check holds, 1 with the failed check otherwise.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pedalboard

RATE = 48_000
# Delay of the output guard, samples.
GUARD = 72
CHORD = (48, 60, 64, 67)


def notes(events):
    """MIDI messages with times in seconds."""
    return [(bytes(message), at) for at, message in sorted(events, key=lambda e: e[0])]


def chord(on=0.1, off=0.8, pedal=None):
    """A chord held from `on` to `off`, the pedal at `pedal` (0..127) before it."""
    events = [] if pedal is None else [(0.0, (0xB0, 64, pedal))]
    events += [(on, (0x90, note, 90)) for note in CHORD]
    events += [(off, (0x80, note, 64)) for note in CHORD]
    return notes(events)


def render(plugin, midi, seconds=1.5, rate=RATE, block=512):
    return plugin(midi, duration=seconds, sample_rate=rate, num_channels=2, buffer_size=block)


def performance():
    """Chords and repetitions at whole milliseconds, no two at one: (ms, message).

    The pedal alone comes before them: this host hands controllers over at the beginning of a block.
    """
    events = [(0, (0xB0, 64, 45))]
    for i in range(40):
        at, note = 11 + 61 * i, 36 + 17 * i % 49
        events.append((at, (0x90, note, 30 + 2 * i)))
        events.append((at + 173, (0x80, note, 64)))
    return sorted(events)


def midi_file(events):
    """A standard MIDI file of format 0 whose ticks are milliseconds (25 frames of 40 ticks)."""

    def length(number):
        text = [number & 0x7F]
        while number := number >> 7:
            text.insert(0, 0x80 | number & 0x7F)
        return bytes(text)

    track, last = b"", 0
    for at, message in events:
        track += length(at - last) + bytes(message)
        last = at
    track += b"\0\xff\x2f\0"
    header = b"MThd" + (6).to_bytes(4) + (0).to_bytes(2) + (1).to_bytes(2) + bytes([0xE7, 40])
    return header + b"MTrk" + len(track).to_bytes(4) + track


def compare(plugin, command):
    """The performance through the plugin in this host and through the command, sample by sample."""
    events = performance()
    check(len({at for at, _ in events}) == len(events), "no two events at one sample")
    # A quarter of a sample in, so that it does not matter how the host rounds times to samples.
    midi = notes([((at * RATE / 1000 + 0.25) / RATE if at else 0.0, m) for at, m in events])
    played = render(plugin, midi, seconds=2.7, block=480)
    for block in (64, 8192):
        again = render(plugin, midi, seconds=2.7, block=block)
        check(np.array_equal(again, played), f"the performance is the same in blocks of {block}")
    with tempfile.TemporaryDirectory() as folder:
        source, sound = pathlib.Path(folder, "in.mid"), pathlib.Path(folder, "out.wav")
        source.write_bytes(midi_file(events))
        subprocess.run([command, "render", source, "-o", sound, "--block", "333"], check=True)
        raw = sound.read_bytes()
    start = raw.index(b"data") + 8
    raw = raw[start : start + int.from_bytes(raw[start - 4 : start], "little")]
    # 24 bits little-endian, two channels, as the upper three bytes of 32.
    padded = np.zeros((len(raw) // 3, 4), np.uint8)
    padded[:, 1:] = np.frombuffer(raw, np.uint8).reshape(-1, 3)
    written = (padded.view("<i4")[:, 0] >> 8).reshape(-1, 2).T
    # The command leaves out the delay of the output guard.
    played = played[:, GUARD:]
    frames = min(written.shape[1], played.shape[1])
    check(frames > 2.5 * RATE, "both last")
    scaled = np.round(played[:, :frames].astype(np.float64).clip(-1, 1) * 8_388_607)
    differ = int(np.abs(scaled - written[:, :frames]).max())
    # The host's single precision is taken back to MIDI's values, so that nothing is left.
    check(differ == 0, f"plugin and command give the same samples ({differ} of 2^23 at most)")


def look_ahead(plugin):
    """Everything is late by the latency that the host is told, and no more."""
    immediate = render(plugin, chord())
    plugin.timing, plugin.latency = "Look-ahead", 120.0
    render(plugin, [], seconds=0.1)
    # Activated again, as a host does that is asked to.
    render(plugin, [], seconds=0.1, rate=44_100)
    late = render(plugin, chord(), seconds=1.7)
    told = plugin.reported_latency_samples
    check(told == 5760 + GUARD, f"look-ahead of 120 ms reports {told} samples at 48 kHz")
    first = [int(np.argmax(np.abs(sound[0]) > 1e-3)) for sound in (immediate, late)]
    apart = 1e3 * (first[1] - first[0] - (told - GUARD)) / RATE
    check(abs(apart) < 1.5, f"the chord comes that much later, to {apart:+.2f} ms")


def presets(bundle, command):
    """A factory piano from a file, as this host loads VST3's presets, is shown and heard."""
    plugin = load(bundle)
    plain = render(plugin, chord())
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "viennese.vstpreset")
        subprocess.run([command, "preset", "export", "viennese", "-o", file], check=True)
        plugin.load_preset(str(file))
    heard = render(plugin, chord())
    for name, text in (("pitch_of_a4_hz", "430.00"), ("action", "Viennese")):
        shown = plugin.parameters[name].string_value
        check(shown.startswith(text), f"after the preset {name} reads {shown}")
    check(not np.array_equal(heard, plain), "a preset that is loaded is heard")
    # This host keeps a state beside the values of its controls: both must say the same.
    other = load(bundle)
    other.raw_state = bytes(plugin.raw_state)
    check(np.array_equal(render(other, chord()), heard), "its state sounds the same")


def rms(samples):
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def check(holds, what):
    print(("ok    " if holds else "FAILED"), what, flush=True)
    if not holds:
        sys.exit(1)


def load(bundle):
    started = time.monotonic()
    plugin = pedalboard.load_plugin(bundle)
    print(f"loaded in {time.monotonic() - started:.1f} s, parameter by parameter", flush=True)
    return plugin


def controls(plugin):
    """Positions of the instrument's own controls, without the framework's MIDI controllers."""
    return {
        name: parameter.raw_value
        for name, parameter in plugin.parameters.items()
        if not name.startswith("midi_ch_")
    }


def main(bundle, command=None):
    plugin = load(bundle)
    check(plugin.is_instrument and plugin.name == "Touchback", "it is an instrument named Touchback")
    told = plugin.reported_latency_samples
    # The host loads it for 44.1 kHz.
    check(told == 66, f"it reports the delay of the output guard ({told} samples)")

    own = controls(plugin)
    check(len(own) >= 30, f"it has parameters ({len(own)})")
    for name, text in (
        ("blow_distance_mm", "47.0"),
        ("let_off_mm", "1.50"),
        ("hammer_mass", "1.00"),
        ("timing", "Immediate"),
        ("pitch_of_a4_hz", "440.00"),
    ):
        shown = plugin.parameters[name].string_value if name in own else "nothing"
        check(shown.startswith(text), f"{name} reads {shown}")

    for name, value in (("let_off_mm", 2.5), ("hammer_mass", 1.25), ("bend_range_semitones", 12.0)):
        before = getattr(plugin, name)
        setattr(plugin, name, value)
        check(getattr(plugin, name) == value, f"{name} is the number {getattr(plugin, name)!r}")
        setattr(plugin, name, before)

    silence = render(plugin, [])
    check(not silence.any(), "it is silent before the first note")
    played = render(plugin, chord())
    peak = float(np.abs(played).max())
    check(np.isfinite(played).all(), "every sample is a number")
    check(0.01 < peak < 2.0, f"the chord sounds (peak {20 * np.log10(max(peak, 1e-9)):.1f} dBFS)")
    check(not played[:, : int(0.1 * RATE)].any(), "nothing sounds before the note")
    check(rms(played[:, -2400:]) < 0.3 * rms(played[:, : RATE // 2]), "the chord dies when released")

    check(np.array_equal(render(plugin, chord()), played), "the same notes give the same samples")
    for block in (64, 1000, 8192):
        again = render(plugin, chord(), block=block)
        check(np.array_equal(again, played), f"blocks of {block} give the same samples")
    held = render(plugin, chord(pedal=127))
    tail = int(1.3 * RATE)
    check(rms(held[:, tail:]) > 3 * rms(played[:, tail:]), "the pedal holds the chord")
    for rate in (22_050, 44_100, 96_000, 192_000):
        other = render(plugin, chord(), rate=rate)
        check(
            np.isfinite(other).all() and float(np.abs(other).max()) > 0.01, f"it plays at {rate} Hz"
        )
    outside = render(plugin, notes([(0.1, (0x90, 0, 90)), (0.1, (0x90, 127, 90))]))
    check(not outside.any(), "notes outside the compass are silent")

    if command:
        compare(plugin, command)

    for name in ("hammer_hardness_octaves", "output_level_db", "pitch_of_a4_hz"):
        plugin.parameters[name].raw_value = 0.6
    changed = render(plugin, chord())
    check(not np.array_equal(changed, played), "parameters change the sound")
    saved, before = plugin.raw_state, controls(plugin)

    second = load(bundle)
    check(controls(second) == own, "a second instance starts with the defaults")
    check(np.array_equal(render(second, chord()), played), "and sounds as the first one did")
    check(np.array_equal(render(plugin, chord()), changed), "while the first keeps its own settings")
    second.raw_state = saved
    check(controls(second) == before, "a saved state brings every parameter back")
    check(np.array_equal(render(second, chord()), changed), "and the same samples")

    if command:
        presets(bundle, command)
    look_ahead(second)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
