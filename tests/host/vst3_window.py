"""Opens the window of the VST3 bundle in pedalboard, a host made with JUCE:

    tests/host/x_session.sh python3 tests/host/vst3_window.py BUNDLE

Needs the programs xwininfo and xwd (Debian: x11-utils, x11-apps). The window opens and closes twice, and the host ends
by itself. Exits 0 when every check holds, 1 with the failed check otherwise.
"""

import os
import re
import struct
import subprocess
import sys
import threading
import time

# Size of a new window, points.
SIZE = (1180, 760)
OPENINGS = 2
# Longest wait for the window's picture, s.
PATIENCE = 60


def check(holds, what):
    print(("ok    " if holds else "FAILED"), what, flush=True)
    if not holds:
        # Not sys.exit, which ends a thread: the host's loop runs on the main one.
        os._exit(1)


def windows():
    """Width and height of every window of the display, by id."""
    tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=True)
    found = re.findall(r"(0x[0-9a-f]+) .*?\s(\d+)x(\d+)\+", tree.stdout)
    return {number: (int(width), int(height)) for number, width, height in found}


def colours(number):
    """Number of different pixels in a window."""
    dump = subprocess.run(["xwd", "-silent", "-id", number], capture_output=True).stdout
    if len(dump) < 100:
        return 0
    header = struct.unpack(">25I", dump[:100])
    start = header[0] + 12 * header[19]
    pixels = dump[start:]
    return len({pixels[i : i + 4] for i in range(0, len(pixels) - 3, 4)})


def watch(opening, close):
    """Waits until a window of the plugin's size shows a picture, then closes it."""
    begun = time.monotonic()
    shown = 0
    while time.monotonic() - begun < PATIENCE and shown < 100:
        time.sleep(0.5)
        shown = max([colours(n) for n, size in windows().items() if size == SIZE], default=0)
    check(shown >= 100, f"opening {opening}: a window of {SIZE} shows {shown} colours")
    close.set()


def main(bundle):
    import pedalboard

    plugin = pedalboard.load_plugin(bundle)
    for opening in range(1, OPENINGS + 1):
        close = threading.Event()
        watcher = threading.Thread(target=watch, args=(opening, close))
        watcher.start()
        plugin.show_editor(close)
        watcher.join()
    left = [size for size in windows().values() if size == SIZE]
    check(not left, "the window is closed")
    sound = plugin([(bytes((0x90, 60, 90)), 0.1)], duration=1.0, sample_rate=48_000, num_channels=2)
    check(abs(sound).max() > 0.01, "the piano still plays")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
