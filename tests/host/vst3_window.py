"""Opens the window of the VST3 bundle in pedalboard, a host made with JUCE:

    tests/host/x_session.sh python3 tests/host/vst3_window.py BUNDLE

Needs the programs xwininfo, xprop, xev, xwd and xdotool (Debian: x11-utils, x11-apps, xdotool). The window opens and
closes twice; after a click into it the host's window gets typed keys but those that the plugin takes; the host ends by
itself. Exits 0 when every check holds, 1 with the failed check otherwise.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
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


def shown(size):
    """Waits until a window of this size shows a picture; returns the number of colours and the id of the innermost one."""
    begun, found = time.monotonic(), []
    while time.monotonic() - begun < PATIENCE and not found:
        time.sleep(0.5)
        # A window comes after the one that it is in.
        count = [(colours(n), n) for n, own in windows().items() if own == size]
        found = [pair for pair in count if pair[0] >= 100]
    return found[-1] if found else (0, None)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def host_window(number):
    """The window around `number` that the window manager knows."""
    while "window state" not in run("xprop", "-id", number, "WM_STATE"):
        tree = run("xwininfo", "-id", number, "-children")
        number = re.search(r"Parent window id: (0x[0-9a-f]+)", tree).group(1)
    return number


def typed(number):
    """Clicks into the plugin's window, types, and checks which keys the host's window gets."""
    host = host_window(number)
    log = tempfile.TemporaryFile("w+")
    watcher = subprocess.Popen(["stdbuf", "-oL", "xev", "-id", host, "-event", "keyboard"], stdout=log)
    time.sleep(1)
    # Above the rows of the bar: no control. A click gives the window the focus; this host sometimes takes it back at once.
    run("xdotool", "mousemove", "--window", number, str(SIZE[0] // 2), "3", "click", "1")
    focus = None
    for _ in range(10):
        time.sleep(1)
        focus = int(run("xdotool", "getwindowfocus", "-f"))
        if focus == int(number, 16):
            break
        run("xdotool", "windowfocus", number)
    check(focus == int(number, 16), f"the plugin's window has the keyboard focus ({focus:#x}, {number})")
    run("xdotool", "key", "--delay", "300", "space", "a", "Tab", "ctrl+z", "b")
    time.sleep(2)
    watcher.terminate()
    watcher.wait()
    log.seek(0)
    events = re.findall(r"^Key(Press|Release) event.*?keysym 0x[0-9a-f]+, (\w+)\)", log.read(), re.M | re.S)
    found = [(kind, key) for kind, key in events if not key.startswith("Control")]
    expected = [(kind, key) for key in ("space", "a", "b") for kind in ("Press", "Release")]
    check(found == expected, f"of space, a, Tab, Ctrl-Z and b the host gets {found}")


def watch(opening, close):
    """Waits until a window of the plugin's size shows a picture, then closes it."""
    count, number = shown(SIZE)
    check(count >= 100, f"opening {opening}: a window of {SIZE} shows {count} colours")
    if opening == 1:
        typed(number)
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
