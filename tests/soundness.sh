#!/usr/bin/env bash
# Checks what the compiler and the tests cannot: undefined behaviour, by Miri, in the tests of the exchange
# between threads and of the device; every interleaving of the ring of recent items, by loom.
#
# Needs a nightly toolchain with the component miri:
#   rustup toolchain install nightly --component miri,rust-src
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Few cases: Miri takes a thousand times as long. It cannot start the C compiler that one test needs, nor
# follow the assembly by which libm takes roots on x86 and ARM: the device is checked as on RISC-V.
export PROPTEST_CASES=2 TOUCHBACK_HISTORIES=2

if cargo +nightly miri --version >/dev/null 2>&1; then
    MIRIFLAGS="-Zmiri-disable-isolation" CARGO_TARGET_DIR=target/miri \
        cargo +nightly miri test -p touchback-core --lib exchange::
    MIRIFLAGS="-Zmiri-disable-isolation" CARGO_TARGET_DIR=target/miri \
        cargo +nightly miri test --target riscv64gc-unknown-linux-gnu -p touchback-device --lib \
        -- --skip the_c_header_agrees_with_rust
else
    echo "Miri is skipped: there is no nightly toolchain with the component miri"
fi

RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom \
    cargo test -p touchback-core --test loom --release
