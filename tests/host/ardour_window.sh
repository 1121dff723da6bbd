#!/usr/bin/env bash
# Opens the plugin's window in Ardour 7, in the session that tests/host/ardour.lua has made:
#
#   tests/host/x_session.sh tests/host/ardour_window.sh [PICTURE.xwd]
#
# Needs xdotool, xwininfo and xwd (Debian: xdotool, x11-utils, x11-apps). Ardour runs without sound hardware. Its
# mixer is clicked at the places of Ardour 7.3's usual theme, in a window of fixed size.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/host_window.sh"
session=/tmp/touchback-ardour/touchback.ardour
[ -f "$session" ] || { echo "no session: run tests/host/ardour.lua first" >&2; exit 2; }
config=${XDG_CONFIG_HOME:-$HOME/.config}/ardour7
log=$(mktemp)
mkdir -p "$config"
# Ardour asks nothing on its first start, and takes its backend without hardware. A user's own choice stays.
touch "$config/.a7"
[ -f "$config/config" ] || cat >"$config/config" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<Ardour><MIDIPorts/><Config><Option name="try-autostart-engine" value="1"/></Config>
<Extra><AudioMIDISetup><EngineStates><State backend="None (Dummy)" driver="Normal Speed" device="Silence"
 input-device="" output-device="" sample-rate="48000" buffer-size="1024" n-periods="0" input-latency="0"
 output-latency="0" input-channels="0" output-channels="0" active="1" use-buffered-io="0"
 midi-option="1 in, 1 out, Silence" lru="1"/></EngineStates></AudioMIDISetup></Extra></Ardour>
XML
ardour --no-announcements --no-splash "$session" >"$log" 2>&1 &
ardour=$!
trap 'kill $ardour 2>/dev/null || true; sleep 2; kill -9 $ardour 2>/dev/null || true; rm -f "$log"' EXIT

main=$(window '^touchback - Ardour$' 200 "$log")
sleep 5
xdotool windowsize --sync "$main" 1348 713
sleep 2
# The button Mix, then the plugin in the strip.
xdotool mousemove --window "$main" 1326 73 click 1
sleep 3
xdotool mousemove --window "$main" 327 187 click --repeat 2 --delay 80 1
plugin=$(window '^Touchback: Touchback' 200 "$log")
colours=$(colours "$plugin")
[ -z "${1:-}" ] || xwd -silent -root >"$1"
xwininfo -id "$plugin" | grep -E 'xwininfo|Width|Height'
[ "$colours" -ge 1000 ] || { echo "FAILED the window shows $colours colours"; exit 1; }
kill -0 $ardour || { echo "FAILED Ardour has ended"; exit 1; }
echo "ok: the window shows $colours colours"
