"""Opens the window of the VST3 bundle in DawDreamer, a host made with JUCE, on a display at 150 %:

    SCREEN=2400x1500 tests/host/x_session.sh python3 tests/host/dawdreamer_window.py BUNDLE [PICTURE.xwd]

The host makes the window larger and smaller; the plugin's window in it must follow, and keep drawing. The host closes
the window, and the piano still plays. Needs the package dawdreamer, and the programs xdotool,
xrdb, xwininfo and xwd (Debian: xdotool, x11-xserver-utils, x11-utils, x11-apps). Exits 0 when every check holds, 1 with
the failed check otherwise.
"""

import subprocess
import sys
import threading

import dawdreamer
from vst3_window import SIZE, check, run, shown, windows

SCALE = 1.5
# Sizes that the host gives the window, pixels.
RESIZED = ((1980, 1260), (1200, 780))


def watch(picture):
    usual = tuple(round(SCALE * side) for side in SIZE)
    count, _ = shown(usual)
    check(count >= 100, f"at {100 * SCALE:.0f} % the window has {usual} pixels and shows {count} colours")
    if picture:
        with open(picture, "wb") as file:
            subprocess.run(["xwd", "-silent", "-root"], stdout=file)
    frame = run("xdotool", "search", "--onlyvisible", "--name", "^DawDreamer: ").split()[0]
    for size in RESIZED:
        run("xdotool", "windowsize", frame, *map(str, size))
        count, _ = shown(size)
        check(count >= 100, f"resized by the host to {size}: {count} colours")
    run("xdotool", "windowfocus", "--sync", frame)
    run("xdotool", "key", "alt+F4")


def main(bundle, picture):
    dpi = round(96 * SCALE)
    subprocess.run(["xrdb", "-merge"], input=f"Xft.dpi: {dpi}\n", text=True, check=True)
    engine = dawdreamer.RenderEngine(48_000, 512)
    plugin = engine.make_plugin_processor("piano", bundle)
    threading.Thread(target=watch, args=(picture,), daemon=True).start()
    plugin.open_editor()
    check(not [n for n, size in windows().items() if size in RESIZED], "the host closes the window")
    plugin.add_midi_note(60, 90, 0.1, 0.5)
    engine.load_graph([(plugin, [])])
    engine.render(1.0)
    check(abs(engine.get_audio()).max() > 0.01, "the piano still plays")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
