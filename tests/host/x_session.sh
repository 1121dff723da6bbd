#!/usr/bin/env bash
# Runs a command on an X display of its own, with a window manager and an XSETTINGS manager as desktops have:
#
#   tests/host/x_session.sh COMMAND ARGUMENT...
#
# SCREEN=2400x1500 gives another size than 1700x1100 pixels.
#
# Needs xvfb, openbox and xsettingsd (Debian's names). Hosts made with JUCE that are no JUCE application, as
# pedalboard 0.9, need both managers: without XSETTINGS they ask for a property of window 0, without a window
# manager for one of atom 0, and Xlib ends the process at the error. Both come before they open a plugin's window.
set -euo pipefail
for program in xvfb-run openbox xsettingsd; do
    command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 2; }
done
# The command's words pass through unchanged.
exec xvfb-run -a -s "-noreset -screen 0 ${SCREEN:-1700x1100}x24" bash -c '
    openbox >/dev/null 2>&1 & manager=$!
    xsettingsd -c /dev/null >/dev/null 2>&1 & settings=$!
    trap "kill $manager $settings" EXIT
    # Both are up in a fraction of a second.
    sleep 2
    "$@"' session "$@"
