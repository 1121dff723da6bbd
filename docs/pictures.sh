#!/usr/bin/env bash
# Draws the pictures of the window in docs/ and docs/manual/window/ anew, without a screen:
#
#   docs/pictures.sh [TOUCHBACK]
#
# TOUCHBACK is the program, `touchback` by default. The moving pictures take minutes.
set -euo pipefail
touchback=$(realpath "$(command -v "${1:-touchback}")")
cd "$(dirname "${BASH_SOURCE[0]}")"

shot() {
    local picture=$1
    shift
    "$touchback" lab shot "$picture" "$@"
}

shot window-piano.png --time 30
shot window-piano-dark.png --dark
shot window-voice.png --face voice
shot window-touch.png --face touch
shot window-settings.png --face settings
shot window.png --face action
shot window-harpsichord.png --face action --set action=harpsichord
shot window-depth.png --face action --depth --dark
shot window-keys.png --face keys
shot window-presets.png --presets

for face in piano voice touch action keys keyboard settings; do
    shot "manual/window/$face-720-light.png" --face $face --width 720 --height 480
    shot "manual/window/$face-720-dark.png" --face $face --width 720 --height 480 --dark
    shot "manual/window/$face-150-light.png" --face $face --scale 1.5
    shot "manual/window/$face-200-dark.png" --face $face --scale 2 --dark
done
shot manual/window/piano-390.png --width 390 --height 740
shot manual/window/pianos-720-light.png --presets --width 720 --height 480
shot manual/window/pianos-720-dark.png --presets --width 720 --height 480 --dark

"$touchback" lab film manual/examples/elise.mid -o window-moving.png
for walk in producer technician student; do
    "$touchback" lab film walks/$walk.toml -o walks/$walk.png
done
