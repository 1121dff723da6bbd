//! Build script: memory map of the board that a feature selects, facts of the key, strokes of `hand.csv` for QEMU.

use std::path::PathBuf;

/// Position of a released hand, m, as in crates/haptics/src/keyboard/script.rs.
const ABOVE: f64 = -5e-3;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    // STM32G431: 128 kB of flash, 32 kB of RAM. STM32G474: 512 and 128 kB. QEMU's AST1030: 768 kB from 0.
    let map = if std::env::var_os("CARGO_FEATURE_STM32G474").is_some() {
        "MEMORY { FLASH : ORIGIN = 0x08000000, LENGTH = 512K\n RAM : ORIGIN = 0x20000000, LENGTH = 96K }"
    } else if std::env::var_os("CARGO_FEATURE_QEMU").is_some() {
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
    println!("cargo::rerun-if-env-changed=TOUCHBACK_FACTS");
    let facts = std::env::var("TOUCHBACK_FACTS").ok();
    facts.iter().for_each(|path| println!("cargo::rerun-if-changed={path}"));
    std::fs::write(out.join("facts.rs"), self::facts(facts.as_deref()))
        .expect("the build folder can be written");
}

/// Source text with the facts of the key: those that `touchback keyboard calibrate` has written to the file
/// `path`, else those of the example.
fn facts(path: Option<&str>) -> String {
    let [mass, weight, friction, damping, bed, motor, scale] = match path {
        None => [0.045, 0.0, 0.0, 0.1, 0.01, 1.0, 1.0],
        Some(path) => {
            let text = std::fs::read_to_string(path).expect("TOUCHBACK_FACTS names a file");
            let mut lines = text.lines();
            let names: Vec<&str> = lines.next().expect("a line of names").split(',').collect();
            let row: Vec<&str> = lines.next().expect("a row for the key").split(',').collect();
            let of = |name: &str| -> f64 {
                let column = names.iter().position(|n| *n == name);
                let cell = column.and_then(|i| row.get(i)).expect("all columns are there");
                if cell.is_empty() { 0.0 } else { cell.parse().expect("cells are numbers") }
            };
            let names = ["mass_kg", "weight_n", "friction_n", "damping_n_s_m", "bed_m"];
            let [mass, weight, friction, damping, bed] = names.map(of);
            [mass, weight, friction, damping, bed, of("motor"), of("scale")]
        }
    };
    format!(
        "/// Mechanics of the key.\n\
         pub const FACTS: KeyFacts = KeyFacts {{ key: 0, mass: {:.0}, weight: {:.0}, \
         friction: {:.0}, damping: {:.0}, bed: {:.0} }};\n\
         /// Motor constant: newtons given for one commanded.\n\
         pub const MOTOR: f32 = {motor:?};\n\
         /// Scale: meters of the key front for one that the sensor shows.\n\
         pub const SCALE: f32 = {scale:?};\n",
        mass * 1e4,
        weight * 1e3,
        friction * 1e3,
        damping * 1e3,
        bed * 1e5,
    )
}

/// Source text with the presses and releases of the first key as (beginning s, depth m, duration s). The time of
/// the last line is the period.
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
