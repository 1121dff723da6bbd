"""Opens the plugin's window in Carla 2.6, through the host's own library:

    tests/host/x_session.sh python3 tests/host/carla_window.py libcarla_standalone2.so PLUGIN [PICTURE.xwd]

PLUGIN is Touchback.clap or Touchback.vst3.

Carla needs no sound hardware: its engine runs on its dummy driver. The host shows the window, plays a note, makes the
window smaller and larger, gets the keys that the plugin leaves to it, and closes the window. Debian 12 has no Carla; its
library is built from the sources by `make backend`. Needs the programs xdotool, xwininfo, xprop, xev and xwd (Debian:
xdotool, x11-utils, x11-apps). Exits 0 when every check holds, 1 with the failed check, 2 without the library.
"""

import ctypes
import pathlib
import subprocess
import sys
import threading
import time

from vst3_window import PATIENCE, SIZE, check, host_window, run, shown, typed

# Numbers of source/backend/CarlaBackend.h: programs of this machine, and a plugin's format with its id.
BINARY_POSIX64 = 2
FORMATS = {".clap": (14, b"org.touchback.touchback"), ".vst3": (6, b"")}
# Options of the engine: one rack, and the host's own transport.
OPTIONS = ((1, 2), (2, 1))
# Sizes that the host gives the window, pixels.
RESIZED = ((980, 640), (1400, 900))


class Carla:
    """The functions of the library that are used here; all but two take the host's handle first."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.carla_standalone_host_init.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.library.carla_standalone_host_init())

    def call(self, name, *arguments, result=ctypes.c_bool):
        function = getattr(self.library, f"carla_{name}")
        function.restype = result
        return function(self.handle, *arguments)


def watch(carla, picture, done):
    count, number = shown(SIZE)
    check(count >= 100, f"the window has {SIZE} pixels and shows {count} colours")
    if picture:
        with open(picture, "wb") as file:
            subprocess.run(["xwd", "-silent", "-root"], stdout=file)
    typed(number)
    frame = host_window(number)
    for size in RESIZED:
        run("xdotool", "windowsize", frame, *map(str, size))
        count, _ = shown(size)
        check(count >= 100, f"resized by the host to {size}: {count} colours")
    done.set()


def main(library, plugin, picture):
    if not pathlib.Path(library).is_file():
        print(f"{library}: is not there; Carla's `make backend` builds it", file=sys.stderr)
        sys.exit(2)
    carla = Carla(library)
    error = lambda: carla.call("get_last_error", result=ctypes.c_char_p)
    for option, value in OPTIONS:
        carla.call("set_engine_option", option, value, None, result=None)
    check(carla.call("engine_init", b"Dummy", b"touchback"), "the engine runs")
    path = pathlib.Path(plugin).resolve()
    (kind, label), file = FORMATS[path.suffix], str(path).encode()
    numbers = ctypes.c_int64(0), None, ctypes.c_uint(0)
    added = carla.call("add_plugin", BINARY_POSIX64, kind, file, b"Piano", label, *numbers)
    check(added, "the plugin is added" if added else f"the plugin is added: {error()}")
    carla.call("show_custom_ui", 0, ctypes.c_bool(True), result=None)
    done, peak = threading.Event(), 0.0
    threading.Thread(target=watch, args=(carla, picture, done), daemon=True).start()
    begun = time.monotonic()
    while not done.is_set():
        carla.call("engine_idle", result=None)
        beat = int(time.monotonic() - begun)
        carla.call("send_midi_note", 0, 0, 60, 90 if beat % 2 else 0, result=None)
        peak = max(peak, carla.call("get_output_peak_value", 0, ctypes.c_bool(True), result=ctypes.c_float))
        time.sleep(0.03)
    check(peak > 0.01, f"the piano plays: peak {peak:.3f}")
    carla.call("show_custom_ui", 0, ctypes.c_bool(False), result=None)
    left = True
    begun = time.monotonic()
    while left and time.monotonic() - begun < PATIENCE:
        carla.call("engine_idle", result=None)
        # The host keeps a window of VST3, hidden.
        left = run("xdotool", "search", "--onlyvisible", "--name", "^Piano")
    check(not left, "the host closes the window")
    check(carla.call("engine_close"), "the engine ends")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:3], sys.argv[3] if len(sys.argv) == 4 else None)
