"""Reads the window of Touchback over AT-SPI as a screen reader does: finds controls by name and role,
reads a value, sets one, presses a button. Run by atspi.sh; needs Gio (Debian: python3-gi)."""

import sys
import time

from gi.repository import Gio, GLib

ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
# Roles by AT-SPI's numbers.
BUTTONS, SLIDER = (43, 62), 51


def call(bus, name, path, interface, method, arguments=None):
    answer = bus.call_sync(name, path, interface, method, arguments, None, 0, 5000, None)
    return answer.unpack()


def prop(bus, name, path, interface, of):
    arguments = GLib.Variant("(ss)", (interface, of))
    return call(bus, name, path, "org.freedesktop.DBus.Properties", "Get", arguments)[0]


def walk(bus, name, path, found, depth=0):
    role = call(bus, name, path, ACCESSIBLE, "GetRole")[0]
    title = prop(bus, name, path, ACCESSIBLE, "Name")
    found.append((role, title, name, path))
    for child_name, child_path in call(bus, name, path, ACCESSIBLE, "GetChildren")[0]:
        if depth < 40:
            walk(bus, child_name, child_path, found, depth + 1)


session = Gio.bus_get_sync(Gio.BusType.SESSION, None)
# A screen reader is there.
status = GLib.Variant("(ssv)", ("org.a11y.Status", "IsEnabled", GLib.Variant("b", True)))
call(session, "org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties", "Set", status)
address = call(session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")[0]
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)

sliders = []
for _ in range(100):
    time.sleep(0.1)
    found = []
    try:
        walk(bus, "org.a11y.atspi.Registry", ROOT, found)
    except GLib.Error as error:
        print("still growing:", error.message, file=sys.stderr)
        continue
    sliders = [node for node in found if node[0] == SLIDER and node[1] == "Noises"]
    if sliders:
        break
print(f"{len(found)} nodes, {len({node[0] for node in found})} roles")
if len(sliders) != 1:
    sys.exit(f"{len(sliders)} sliders `Noises`: {found[:40]}")
_, _, name, path = sliders[0]
value = prop(bus, name, path, "org.a11y.atspi.Value", "CurrentValue")
print(f"slider Noises at {value}")
if not 0.0 < value < 1.0:
    sys.exit("the slider's value is not its own")
least = GLib.Variant("(ssv)", ("org.a11y.atspi.Value", "CurrentValue", GLib.Variant("d", 0.0)))
call(bus, name, path, "org.freedesktop.DBus.Properties", "Set", least)
for _ in range(50):
    time.sleep(0.1)
    if prop(bus, name, path, "org.a11y.atspi.Value", "CurrentValue") == 0.0:
        break
else:
    sys.exit("the slider was not turned")
keys = [node for node in found if node[1] == "Voice" and node[0] in BUTTONS]
if len(keys) != 1:
    sys.exit(f"{len(keys)} buttons `Voice`")
call(bus, keys[0][2], keys[0][3], "org.a11y.atspi.Action", "DoAction", GLib.Variant("(i)", (0,)))
for _ in range(50):
    time.sleep(0.1)
    found = []
    try:
        walk(bus, "org.a11y.atspi.Registry", ROOT, found)
    except GLib.Error:
        # Nodes come and go while the face changes.
        continue
    if any(node[1] == "Load" for node in found):
        break
else:
    sys.exit("the face was not changed")
print("turned the slider, pressed Voice")
