#!/usr/bin/env bash
# Builds the firmware for a Cortex-M4F, counts the instructions of a tick, and runs `touchback feel` on the
# firmware in QEMU and on `touchback keyboard emulate`, with the same strokes (hand.csv).
#
#   firmware/run-in-qemu.sh [FOLDER]     FOLDER: for toolchain and build, default /tmp/touchback-firmware
#
# Needs Debian 12, the packages below (installed when run as root) and a built `touchback` (the variable
# TOUCHBACK, or target/release/touchback, or target/debug/touchback). The compiler is unpacked into FOLDER; the
# system's compiler stays as it is. Needs one or two idle cores, because QEMU runs on the wall clock.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-/tmp/touchback-firmware}
mkdir -p "$folder"
if [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends libgit2-1.5 qemu-system-arm gcc-arm-none-eabi >/dev/null
fi
if [ ! -x "$folder/root/usr/bin/rustc" ]; then
    (
        cd "$folder"
        standard=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p')
        llvm=$(apt-cache depends "$standard" rustc-web | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p' | head -1)
        apt-get download rustc-web cargo-web libstd-rust-web-dev rust-web-src "$standard" "$llvm"
        for package in ./*.deb; do dpkg -x "$package" root; done
    )
fi

build() {
    env PATH="$folder/root/usr/bin:$PATH" RUSTC="$folder/root/usr/bin/rustc" RUSTC_BOOTSTRAP=1 \
        LD_LIBRARY_PATH="$folder/root/usr/lib:$folder/root/usr/lib/x86_64-linux-gnu" \
        CARGO_TARGET_DIR="$folder/target" CARGO_TARGET_THUMBV7EM_NONE_EABIHF_LINKER=arm-none-eabi-ld \
        "$folder/root/usr/bin/cargo" build --manifest-path "$here/Cargo.toml" --release --locked \
        -Zbuild-std=core --target thumbv7em-none-eabihf "$@"
}

# Checks that a program for a board uses no double precision, no 64-bit division and no heap.
single() {
    if arm-none-eabi-nm "$1" | grep -E ' (__aeabi_d|__aeabi_[a-z0-9]+2d|__aeabi_u?ldivmod|__rust_alloc|malloc)'; then
        echo "$1 calls functions that a board does not have" >&2
        exit 1
    fi
    arm-none-eabi-size "$1"
}

out=$folder/target/thumbv7em-none-eabihf/release
build --features stm32g431
single "$out/stm32g431"
build --features stm32g474
single "$out/positions-stm32g474"
build --features qemu
single "$out/measure"
single "$out/positions-qemu"
echo "== a firmware in C, linked"
build -p touchback-device-c
arm-none-eabi-gcc -std=c11 -Wall -Wextra -Werror -O2 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard \
    -I "$here/../crates/device/include" -nostdlib -Wl,--gc-sections -Wl,-e,firmware \
    -Wl,--defsym=board_micros=0,--defsym=board_count=0,--defsym=board_newtons=0 \
    -Wl,--defsym=board_receive=0,--defsym=board_send=0 \
    -Wl,--defsym=board_enable=0,--defsym=board_feed_watchdog=0 \
    -Wl,--defsym=board_driver_fault=0,--defsym=board_supply=0,--defsym=board_reset_cause=0 \
    "$here/c/example.c" "$out/libtouchback_device_c.a" -o "$folder/example.elf"
single "$folder/example.elf"
echo "== instructions, by -icount shift=0"
# The program does not end by itself.
timeout 10 qemu-system-arm -M ast1030-evb -icount shift=0 -nographic -monitor none -serial stdio \
    -kernel "$out/measure" >"$folder/measure.txt" 2>&1 </dev/null || true
sed '/^done/q' "$folder/measure.txt"
grep -q '^done' "$folder/measure.txt"

touchback=${TOUCHBACK:-}
for built in "$here/../target/release/touchback" "$here/../target/debug/touchback"; do
    [ -n "$touchback" ] || { [ -x "$built" ] && touchback=$built; }
done
[ -n "$touchback" ] || { echo "no touchback found: the session is skipped"; exit 0; }
real=()
chrt -r 20 true 2>/dev/null && real=(chrt -r 20)
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# Starts the command after $1 in the background, as process $started; its output goes to $1. Waits for the address of a
# keyboard there, $address.
keyboard() {
    local output=$1
    shift
    "${real[@]}" "$@" >"$output" 2>&1 &
    started=$!
    for _ in $(seq 50); do
        address=$(grep -o '/dev/pts/[0-9]*' "$output" || true)
        [ -n "$address" ] && break
        sleep 0.1
    done
}
qemu=(qemu-system-arm -M ast1030-evb -nographic -monitor none -serial pty -kernel)
keyboard "$folder/qemu.log" "${qemu[@]}" "$out/qemu"
port=$address
echo "== keyboard probe $port"
"$touchback" keyboard probe "$port"
echo "== keyboard certify $port"
"$touchback" keyboard certify "$port" || echo "failed tests: the hand of hand.csv touches the key, or the machine is busy"

# Runs `feel` for 16 s at the port $1 and stores its output as $2; again, up to three times, where a computer that stood
# still made gaps: force ends then, and the strokes after it are not felt.
session() {
    for try in 1 2 3; do
        echo "== feel $1: $2, 16 s, try $try"
        "$touchback" feel "$1" --arm --seconds 16 --record "$folder/$2.csv" </dev/null 2>"$folder/$2.log" |
            tee "$folder/$2.txt"
        cat "$folder/$2.log" >&2
        grep -q ' 0 gaps' "$folder/$2.txt" && ! grep -q 'this computer paused' "$folder/$2.log" && return
    done
    echo "no verdict: this machine stood still in each of three sessions; repeat on an idle one"
    exit 3
}
session "$port" firmware

echo "== sixteen keys without motors, 6 s"
keyboard "$folder/positions.log" "${qemu[@]}" "$out/positions-qemu"
"$touchback" feel "$address" --seconds 6 --midi "$folder/positions.mid" </dev/null >"$folder/positions.txt"
kill "$started"
grep -c '  strike ' "$folder/positions.txt" | sed 's/$/ strikes/'

# The same strokes, repeated, on the emulator of the command.
awk -F, 'NR == 1 { print; next } { row[NR] = $0; sub(/^[^,]*/, "", row[NR]); at[NR] = $1; last = NR }
    END { for (i = 0; i < 50; i++) for (n = 2; n <= last; n++) print at[n] + i * at[last] row[n] }' \
    "$here/hand.csv" >"$folder/hand.csv"
keyboard "$folder/emulator.log" "$touchback" keyboard emulate --script "$folder/hand.csv" --seconds 100
session "$address" emulator

# Let-off depth and hammer speed at the string for the soft strokes (below 1.2 m/s) and the hard ones.
echo "== the same hand on both"
strokes() {
    awk '/let off start/ { depth = $(NF - 1) } / strike / { print ($(NF - 1) < 1.2 ? "soft" : "hard"), depth, $(NF - 1); depth = "-" }' "$1"
}
# Ticks that QEMU skips make its hand slower.
fastest() {
    awk '/ strike / && $(NF - 1) > top { top = $(NF - 1) } END { print top + 0 }' "$folder/$1.txt"
}
if ! awk -v ours="$(fastest firmware)" -v theirs="$(fastest emulator)" 'BEGIN { exit ours < 0.8 * theirs }'; then
    echo "no verdict: this machine is too slow for QEMU at 8 kHz, the fastest strike is $(fastest firmware) m/s for" \
        "the emulator's $(fastest emulator) m/s"
    exit 3
fi
for kind in soft hard; do
    for side in firmware emulator; do
        strokes "$folder/$side.txt" | awk -v kind=$kind -v side=$side '
            $1 == kind { n++; d += $2; v += $3; if ($3 > top) top = $3; if (n == 1 || $3 < low) low = $3
                if ($2 == "-") bare++ }
            END { printf "%-4s  %-8s  %d strokes, %d without let-off, let-off at %.2f mm, strike %.2f m/s (%.2f to %.2f)\n",
                kind, side, n, bare, n ? d / n : 0, n ? v / n : 0, low, top
                if (n < 2 || bare > 0) print "wrong: every stroke has a let-off where force is on throughout"
                exit n < 2 || bare > 0 }'
    done
done
