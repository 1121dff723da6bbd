#!/usr/bin/env bash
# Runs the formats' own validators on the bundles:
#
#   CLAP_VALIDATOR=path/to/clap-validator VST3_VALIDATOR=path/to/validator \
#       PLUGINVAL=path/to/pluginval tests/host/validators.sh [FOLDER] [FUZZ_MINUTES]
#
# FOLDER holds Touchback.clap and Touchback.vst3, by default target/bundled. No package registry has
# these validators: they are built from sources. clap-validator is a Rust program (0.4.1: take its test
# plugins, `tests/clack-*`, out of `members` in its Cargo.toml, which then needs nothing but crates.io,
# and `cargo build --release`), VST3's validator a part of Steinberg's SDK (3.7: base, pluginterfaces,
# public.sdk; target `validator`). One that is not named is not run. With FUZZ_MINUTES clap-validator's
# fuzzer runs that long too. What they say goes to FOLDER/validators. `.ci/run` calls this with one
# minute where it finds them.
#
# pluginval (Tracktion; `git submodule update --init` fetches JUCE, then `cmake -B b && cmake --build b`)
# loads the VST3 bundle in a host of its own kind. It runs at strictness 10, the highest, with
# the same random seed every time: parameters and states at random while it plays, blocks of 64 to 1024 at
# 44.1 to 96 kHz, the window opened while it plays. Without a display the window's tests are left out.
#
# clap-validator 0.4.1 as published waits for itself at the second preset of a library (`begin_preset`
# holds the lock that `flush_preset` takes): EXCLUDE='preset-discovery-(crawl|load)' leaves those out.
set -euo pipefail

folder=${1:-target/bundled}
minutes=${2:-0}
log=$folder/validators
mkdir -p "$log"
ran=0

fail() {
    printf 'FAILED %s; see %s\n' "$1" "$2"
    exit 1
}

if [ -n "${CLAP_VALIDATOR:-}" ]; then
    "$CLAP_VALIDATOR" validate ${EXCLUDE:+--exclude "$EXCLUDE"} "$folder/Touchback.clap" >"$log/clap.txt" 2>&1 ||
        fail "clap-validator" "$log/clap.txt"
    # Numbers come in colours.
    sed -i 's/\x1b\[[0-9;]*m//g' "$log/clap.txt"
    grep 'tests run' "$log/clap.txt" | tail -1
    grep -q ' 0 failed, 0 warnings' "$log/clap.txt" || fail "clap-validator" "$log/clap.txt"
    if [ "$minutes" != 0 ]; then
        "$CLAP_VALIDATOR" --verbosity warn fuzz --jobs 1 --duration "${minutes}m" \
            "$folder/Touchback.clap" >"$log/fuzz.txt" 2>&1 || fail "the fuzzer" "$log/fuzz.txt"
        echo "fuzzed for $minutes minutes"
    fi
    ran=1
fi

if [ -n "${VST3_VALIDATOR:-}" ]; then
    "$VST3_VALIDATOR" "$folder/Touchback.vst3" >"$log/vst3.txt" 2>&1 ||
        fail "VST3's validator" "$log/vst3.txt"
    grep 'Result:' "$log/vst3.txt"
    grep -q ' 0 tests failed' "$log/vst3.txt" || fail "VST3's validator" "$log/vst3.txt"
    ran=1
fi

if [ -n "${PLUGINVAL:-}" ]; then
    skip_window=()
    [ -n "${DISPLAY:-}" ] || skip_window=(--skip-gui-tests)
    "$PLUGINVAL" --strictness-level 10 --random-seed 1 --validate-in-process --timeout-ms 600000 \
        --sample-rates 44100,48000,96000 --block-sizes 64,128,256,512,1024 "${skip_window[@]}" \
        --validate "$folder/Touchback.vst3" >"$log/pluginval.txt" 2>&1 ||
        fail "pluginval" "$log/pluginval.txt"
    echo "pluginval passes at strictness 10${skip_window:+, without its window}"
    ran=1
fi

[ $ran = 1 ] || fail "nothing: name CLAP_VALIDATOR, VST3_VALIDATOR, PLUGINVAL or several" "$0"
echo "ok"
