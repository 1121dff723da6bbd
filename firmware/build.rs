//! The linker's map of the board chosen by a feature; the strokes of `hand.csv` for QEMU.

use std::path::PathBuf;

/// Where a released hand is, m, as in src/haptics/script.rs.
const ABOVE: f64 = -5e-3;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    // STM32G431: 128 kB of flash, 32 kB of RAM. QEMU's AST1030: 768 kB from 0.
    let map = if std::env::var_os("CARGO_FEATURE_QEMU").is_some() {
        "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 256K\n RAM : ORIGIN = 0x00040000, LENGTH = 256K }"
    } else {
        "MEMORY { FLASH : ORIGIN = 0x08000000, LENGTH = 128K\n RAM : ORIGIN = 0x20000000, LENGTH = 32K }"
    };
    std::fs::write(out.join("hand.rs"), hand()).expect("the build folder can be written");
    std::fs::write(out.join("memory.x"), map).expect("the build folder can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=hand.csv");
}

/// Presses and releases of the first key as (begin s, depth m, duration s); the last line's time is
/// the period.
fn hand() -> String {
    let text = std::fs::read_to_string("hand.csv").expect("hand.csv is there");
    let mut acts = String::new();
    let (mut count, mut period) = (0, 0.0);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let at = |i: usize| -> f64 { cells[i].parse().expect("hand.csv has numbers") };
        period = at(0);
        let (depth, within) = match cells[2] {
            "press" => (at(3), at(4)),
            "release" => (ABOVE, at(3)),
            _ => continue,
        };
        acts += &format!("({period:?}, {depth:?}, {within:?}), ");
        count += 1;
    }
    format!(
        "const PERIOD: f64 = {period:?};\nconst ABOVE: f64 = {ABOVE:?};\n\
         const ACTS: [(f64, f64, f64); {count}] = [{acts}];\n"
    )
}
