#!/usr/bin/env bash
# Runs the plugin's `process` under LLVM's real-time sanitizer, which stops at the first call that may wait:
# heap, locks, files, calls of `syscall`. It does not see a thread that sleeps.
#
#   tests/realtime.sh [COMMAND_ARGUMENTS …]
#
# Needs a nightly toolchain, whose standard library has the sanitizer's runtime:
#   rustup toolchain install nightly
#
# 1. A unit test shows that the sanitizer catches each kind of fault.
# 2. The plugin in a CLAP host: music, automation, states loaded while it plays, every parameter.
# 3. The demonstration: music, automation, an emulated motorized keyboard on a serial port. The open window is
#    not part of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
if ! ls "$(rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/$host/lib/"*rtsan* >/dev/null 2>&1; then
    echo "skipped: there is no nightly toolchain with the real-time sanitizer"
    exit 0
fi
# The plugin is a shared library: the program that loads it lends it the runtime.
export RUSTFLAGS="-Zsanitizer=realtime --cfg realtime_sanitizer -Clink-arg=-rdynamic"
export CARGO_TARGET_DIR=${REALTIME_TARGET:-target/realtime}
# With a target of its own, procedural macros and build scripts are built without the sanitizer.
cargo=(cargo +nightly)
target=(--target "$host")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"${cargo[@]}" test "${target[@]}" -p touchback --lib realtime::
"${cargo[@]}" test "${target[@]}" -p touchback-command --test plugin
(
    command=$PWD/$CARGO_TARGET_DIR
    [ "${CARGO_TARGET_DIR#/}" = "$CARGO_TARGET_DIR" ] || command=$CARGO_TARGET_DIR
    "${cargo[@]}" build "${target[@]}" -p touchback-command --bin touchback
    cd "$out"
    "$command/$host/debug/touchback" --bars 2
)
echo "ok: no call that may wait in process"
