"""Times one key and a bank of 88 from Python, with a hash of what they computed.

    python benches/speed.py

The bank's time is to be compared with *88 keys, stroke* of ``touchback-proof lab action-cost``, which has the same load.
"""

import hashlib
import time

import numpy as np

import touchback


def least(work, repeats=7):
    """Shortest duration of `work`, s, and its last result."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def main():
    """Prints both."""
    key = touchback.Key("C4")
    seconds, run = least(lambda: key.press(force=7.0, hold=0.5, after=0.5))
    digest = hashlib.sha256(run.hammer.tobytes()).hexdigest()[:16]
    print(f"one key, a press and its release: {run.t[-1] / seconds:.0f} × real time, {digest}")

    # One pressed touch from rest to the backcheck, by fingers at 0.2 m/s.
    steps = 1600
    ends = np.arange(1, steps + 1) * touchback.STEP
    fingers = np.repeat(np.minimum(0.2 * ends, 0.0165)[:, np.newaxis], 88, axis=1)

    def stroke():
        bank.reset()
        return bank.step(finger=fingers)

    bank = touchback.Bank(threads=1)
    seconds, state = least(stroke)
    digest = hashlib.sha256(state.hammer.tobytes()).hexdigest()[:16]
    print(f"88 keys, stroke: {1e9 * seconds / (88 * steps):.0f} ns a key-step, {digest}")


if __name__ == "__main__":
    main()
