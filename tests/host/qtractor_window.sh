#!/usr/bin/env bash
# Loads the CLAP plugin in Qtractor, opens its window from the mixer, and plays a key by a click into it:
#
#   tests/host/x_session.sh tests/host/qtractor_window.sh Touchback.clap [PICTURE.xwd]
#
# The window is then made smaller and larger by the host.
#
# Needs qtractor, jackd2, xdotool, x11-utils, x11-apps (Debian's names) and a C compiler. JACK runs without sound
# hardware, and without the kernel's sequencer (see alsa_sequencer.c). The places of the clicks are those of
# Qtractor 0.9.31 and of the plugin's usual size. Nothing of the user's is read or changed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/host_window.sh"
bundle=$(realpath "${1:?usage: qtractor_window.sh Touchback.clap [PICTURE.xwd]}")
picture=$(realpath -m "${2:-/dev/null}")
folder=$(mktemp -d)
export HOME=$folder XDG_RUNTIME_DIR=$folder XDG_CONFIG_HOME=$folder JACK_DEFAULT_SERVER=touchback-$$
chmod 700 "$folder"
cd "$folder"
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; sleep 2; kill -9 "${started[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

cc -shared -fPIC -O1 -o sequencer.so "$here/alsa_sequencer.c"
cat >touchback.qtr <<XML
<!DOCTYPE qtractor-session>
<session version="0.9.31" name="touchback">
 <properties><sample-rate>48000</sample-rate><tempo>120</tempo></properties>
 <tracks>
  <track name="Piano" type="midi">
   <properties>
    <input-bus>Master</input-bus><output-bus>Master</output-bus><midi-channel>0</midi-channel>
   </properties>
   <state><gain>1</gain></state>
   <plugins>
    <plugin type="CLAP"><filename>$bundle</filename><index>0</index><activated>1</activated></plugin>
   </plugins>
  </track>
 </tracks>
</session>
XML
jackd --no-realtime -d dummy -r 48000 -p 1024 >jackd.log 2>&1 &
started+=($!)
sleep 1
LD_PRELOAD=$folder/sequencer.so qtractor touchback.qtr >qtractor.log 2>&1 &
qtractor=$!
started=("$qtractor" "${started[@]}")

main=$(window 'touchback.qtr' 120 qtractor.log)
sleep 3
xdotool windowfocus --sync "$main" key F9
mixer=$(window '^Mixer' 120 qtractor.log)
sleep 2
xdotool mousemove --window "$mixer" 203 48 click --repeat 2 --delay 80 1
plugin=$(window '^Touchback' 120 qtractor.log)
colours=$(colours "$plugin")
[ "$picture" = /dev/null ] || xwd -silent -root >"$picture"
eval "$(xdotool getwindowgeometry --shell "$plugin")"
echo "window: $WIDTH x $HEIGHT"
[ "$colours" -ge 1000 ] || { echo "FAILED the window shows $colours colours"; exit 1; }

# Middle C, in the middle of the keys, near its front.
jack_rec -f played.wav -d 4 -b 16 Qtractor:Master/out_1 >/dev/null 2>&1 &
recorder=$!
sleep 1
xdotool mousemove --window "$plugin" $((WIDTH / 2)) $((HEIGHT - 12)) mousedown 1
sleep 1
xdotool mouseup 1
wait $recorder
python3 - <<'PYTHON'
import math, struct, wave
with wave.open("played.wav") as file:
    frames = file.readframes(file.getnframes())
peak = max(map(abs, struct.unpack(f"<{len(frames) // 2}h", frames))) / 32768
level = 20 * math.log10(peak) if peak else -math.inf
print(f"a clicked key: {level:.1f} dBFS")
if level < -40:
    raise SystemExit("FAILED the clicked key is not heard")
PYTHON
resized "$plugin" 900 600
resized "$plugin" 1240 800
[ "$(colours "$plugin")" -ge 1000 ] || { echo "FAILED nothing is drawn at the new size"; exit 1; }
kill -0 $qtractor || { echo "FAILED Qtractor has ended"; exit 1; }
echo "ok: the window shows $colours colours"
