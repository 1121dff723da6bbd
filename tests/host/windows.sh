#!/usr/bin/env bash
# Builds for Windows on Linux and tries the build under Wine:
#
#   tests/host/windows.sh PROGRAM PIECE.mid...
#
# PROGRAM is the `touchback` of this system, which the renders of the pieces are compared with.
# FOLDER (target/windows) takes what is built and written. Needs gcc-mingw-w64-x86-64, wine64 (Wine 8) and a
# Rust toolchain with rust-src. With BUILT=FOLDER-OF-TOUCHBACK.EXE nothing is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=$(realpath "$1")
shift
pieces=("$@")
[ ${#pieces[@]} -gt 0 ] || { echo "name a MIDI file"; exit 2; }
folder=${FOLDER:-target/windows}
mkdir -p "$folder"
folder=$(realpath "$folder")
triple=x86_64-pc-windows-gnu

if [ -z "${BUILT:-}" ]; then
    # The standard library is built too: no toolchain of another system is needed.
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$folder/build" cargo build --release \
        -Zbuild-std=std,panic_unwind --target "$triple" -p touchback -p touchback-command \
        --features touchback-command/window
    BUILT=$folder/build/$triple/release
fi

run=$folder/run
rm -rf "$run"
mkdir -p "$run"
cp "$BUILT/touchback.exe" "$BUILT/touchback.dll" "$run"
# Wine 8 has no bcryptprimitives.dll, of which Rust's standard library wants one function.
cat >"$folder/random.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
C
x86_64-w64-mingw32-gcc -shared -o "$run/bcryptprimitives.dll" "$folder/random.c" -ladvapi32

export WINEDEBUG=-all WINEPREFIX="$folder/wine"
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
cp docs/lab/press.toml "${pieces[@]}" "$run"
cd "$run"

windows() {
    timeout 600 "$wine" touchback.exe "$@" </dev/null
}

check() {
    printf 'ok    %s (%s s)\n' "$1" "$SECONDS"
}

for piece in "${pieces[@]}"; do
    name=$(basename "$piece" .mid)
    windows render "$name.mid" -o "$name-windows.wav" --timing natural --preset heavy
    "$program" render "$name.mid" -o "$name.wav" --timing natural --preset heavy
    cmp "$name.wav" "$name-windows.wav"
    check "$name renders as here, byte for byte"
done

windows params | tr -d '\r' >params-windows.json
"$program" params >params.json
cmp params.json params-windows.json
check "parameters"

windows simulate press.toml -o press-windows.csv
"$program" simulate press.toml -o press.csv
cmp press.csv press-windows.csv
check "a simulated press, byte for byte"

windows preset export heavy -o heavy.vstpreset
windows preset export heavy -o heavy.toml
"$program" preset export heavy -o here.vstpreset
cmp heavy.vstpreset here.vstpreset
windows render "$name.mid" -o preset.wav --timing natural --preset heavy.toml
cmp preset.wav "$name.wav"
check "presets"

# The archive's installer, into folders that are not there yet.
archive=$run/archive
mkdir -p "$archive/Touchback.vst3/Contents/x86_64-win" "$archive/presets"
cp touchback.dll "$archive/Touchback.clap"
cp touchback.dll "$archive/Touchback.vst3/Contents/x86_64-win/Touchback.vst3"
cp heavy.vstpreset "$archive/presets"
cp "$OLDPWD/packaging/install.bat" "$archive"
user=$WINEPREFIX/drive_c/users/$(whoami)
(cd "$archive" && timeout 120 "$wine" cmd /c install.bat </dev/null)
cmp touchback.dll "$user/AppData/Local/Programs/Common/CLAP/Touchback.clap"
cmp touchback.dll \
    "$user/AppData/Local/Programs/Common/VST3/Touchback.vst3/Contents/x86_64-win/Touchback.vst3"
cmp heavy.vstpreset "$user/Documents/VST3 Presets/Touchback/Touchback/heavy.vstpreset"
rm -r "$user/Documents/VST3 Presets/Touchback"
check "install.bat"

windows lab thesis-run geometry --out lab >lab.txt
grep -q ok lab.txt
check "laboratory"

windows lab shot shot.png
[ "$(head -c 4 shot.png | tail -c 3)" = PNG ]
check "window, drawn"

windows >demo.txt 2>&1
[ -s touchback-demo/prelude.wav ]
check "demonstration with the library as CLAP plugin"

windows keyboard list >ports.txt
check "ports: $(tr -d '\r' <ports.txt | head -1)"

# The emulator in the process, armed; closed input ends it.
printf 'a\n' | timeout 60 "$wine" touchback.exe feel emulator --log felt.log >feel.txt 2>&1 ||
    { cat feel.txt; exit 1; }
grep -q 'states' feel.txt
check "felt on the emulator"

# Shells let background jobs ignore the signal.
python3 - "$wine" "$name.mid" <<'PYTHON'
import os, signal, subprocess, sys, time
render = [sys.argv[1], "touchback.exe", "render", sys.argv[2], "-o", "interrupted.wav"]
program = subprocess.Popen(
    render, stdin=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
)
time.sleep(2)
program.send_signal(signal.SIGINT)
program.wait(20)
left = [name for name in os.listdir(".") if "interrupted" in name]
sys.exit(f"left behind: {left}" if left else 0)
PYTHON
check "Ctrl-C leaves nothing behind"
echo "ok"
