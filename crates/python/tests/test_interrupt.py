"""Ctrl-C: every call ends at once, with KeyboardInterrupt and without partial files."""

import os
import signal
import subprocess
import sys
import time

import pytest

CALLS = {
    "render": "touchback.render(music)",
    "weigh": "touchback.weigh(range(1, 89))",
    "sweep": "touchback.sweep('let_off_mm', np.linspace(1, 5, 400), 'down_weight_g')",
    "fit": "touchback.fit(presses, ['key.inertia', 'hammer.inertia', 'hammer.mass'])",
    "follow": "touchback.Key(step=12.5e-6).follow([0, 60], depth=[0, 0.01])",
    "press": "touchback.Key(step=12.5e-6).press(hold=60)",
    "reference": "touchback.Key(action='reference').press(hold=20)",
    "step": "key.step(depth=0.005, steps=2**31)",
    "bank": "touchback.Bank(list(range(1, 89)) * 4).step(force=5, steps=20000)",
    "piano": "piano.process(2**23)",
    "edges": "touchback.experiment('edges').run(out='out', count=10**6)",
    "validate": "touchback.experiment('validate').run(out='out')",
    "sound": "touchback.experiment('sound').run(out='out')",
}

# Notes on all keys, a quarter of a second apart, for ten minutes.
PROGRAM = """
import signal
import numpy as np, touchback
# A shell's background jobs, and all that they start, ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
notes = b"".join(bytes([0x78, 0x90, 40 + i % 40, 64, 0x78, 0x80, 40 + i % 40, 64]) for i in range(1200))
track = notes + bytes([0, 0xFF, 0x2F, 0])
music = b"MThd" + bytes([0, 0, 0, 6, 0, 0, 0, 1, 0x01, 0xE0]) + b"MTrk" + len(track).to_bytes(4, "big") + track
key, piano = touchback.Key(), touchback.Piano()
for i in range(600):
    piano.note_on(40 + i % 40, offset=12000 * i)
t = np.arange(0, 8, 1e-3)
presses = [touchback.Press(t, 0.004 + 0.004 * np.sin(9 * t + i), 5 + 4 * np.sin(7 * t)) for i in range(4)]
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no process sends SIGINT to another on Windows")
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_a_call_at_once(tmp_path, name):
    program = PROGRAM.format(call=CALLS[name])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path, text=True
    ) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        assert child.poll() is None, "the call is too short for this test"
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        seconds = time.monotonic() - sent
        child.kill()
    print(f"{name}: {seconds:.3f} s")
    # 0.2 s on an idle machine, 2 s on one that builds; the calls last far longer.
    assert seconds < 4.0
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_key_goes_on_from_where_it_is():
    import touchback

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    key = touchback.Key()
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer")
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            key.step(depth=0.5, steps=2**31)
    finally:
        signal.signal(signal.SIGALRM, before)
    at = key.state
    assert 0 < at.time < 2**31 * touchback.STEP and at.depth < 0.5
    assert key.step(depth=at.depth).depth == pytest.approx(at.depth, abs=1e-6)
