"""Plays the VST3 bundle in a headless host: python vst3_pedalboard.py BUNDLE.

Exits 0 when every check holds, 1 with the failed check otherwise.
"""

import sys
import time

import numpy as np
import pedalboard

RATE = 48_000
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


def main(bundle):
    plugin = load(bundle)
    check(plugin.is_instrument and plugin.name == "Touchback", "it is an instrument named Touchback")
    check(plugin.reported_latency_samples == 0, "it reports no latency")

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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
