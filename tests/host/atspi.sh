#!/usr/bin/env bash
# The window as a screen reader hears it, over AT-SPI on a session bus of its own:
#
#   tests/host/atspi.sh
#
# Needs dbus-run-session, at-spi2-core and python3-gi (Debian's names).
set -euo pipefail
cd "$(dirname "$0")/../.."
launcher=
for place in /usr/libexec /usr/lib/at-spi2-core; do
    [ -x "$place/at-spi-bus-launcher" ] && launcher=$place/at-spi-bus-launcher
done
[ -n "$launcher" ] || { echo "at-spi-bus-launcher is missing: install at-spi2-core"; exit 2; }
export launcher
# The system's Python has Gio.
export PATH=/usr/bin:$PATH
cargo=$(PATH=$HOME/.cargo/bin:$PATH command -v cargo)
"$cargo" test -p touchback --features screen-reader --lib --no-run
export cargo
dbus-run-session -- bash -c '
    "$launcher" --launch-immediately &
    at_spi=$!
    trap "kill $at_spi" EXIT
    sleep 1
    "$cargo" test -p touchback --features screen-reader --lib -- --ignored --nocapture \
        editor::screen_reader::tests::a_reader_finds_controls_by_name_reads_and_turns_them'
