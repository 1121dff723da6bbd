//! The linker's map of the board chosen by a feature.

use std::path::PathBuf;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    // STM32G431: 128 kB of flash, 32 kB of RAM. QEMU's AST1030: 768 kB from 0.
    let map = if std::env::var_os("CARGO_FEATURE_QEMU").is_some() {
        "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 256K\n RAM : ORIGIN = 0x00040000, LENGTH = 256K }"
    } else {
        "MEMORY { FLASH : ORIGIN = 0x08000000, LENGTH = 128K\n RAM : ORIGIN = 0x20000000, LENGTH = 32K }"
    };
    std::fs::write(out.join("memory.x"), map).expect("the build folder can be written");
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
    println!("cargo::rerun-if-changed=build.rs");
}
