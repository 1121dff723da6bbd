//! The device half builds alone, without the standard library and without a heap.

use std::path::Path;
use std::process::Command;

/// What firmware takes, below `src/haptics`.
const TAKEN: [&str; 11] = [
    "fixed.rs",
    "frame.rs",
    "message.rs",
    "message/code.rs",
    "message/tests.rs",
    "device.rs",
    "device/key_impedance.rs",
    "device/limit.rs",
    "device/playout.rs",
    "device/safety.rs",
    "device/tests.rs",
];

const MANIFEST: &str = r#"
[package]
name = "firmware"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
cobs = { version = "0.5", default-features = false }
crc = { version = "3.4", default-features = false }
libm = "0.2"
"#;

/// What it takes besides, below `src`.
const PORT: &str = "wall/junction/port.rs";

/// Without `std` and `extern crate alloc` nothing can allocate.
const ROOT: &str = "#![no_std]
pub mod device;
pub mod fixed;
pub mod frame;
pub mod message;
pub mod wall {
    pub mod junction {
        pub mod port;
    }
}

/// The one object of a firmware, in static memory.
pub type Keyboard = device::Device<88>;
const _: () = assert!(core::mem::size_of::<Keyboard>() < 48 * 1024);
";

#[test]
fn the_device_half_needs_no_heap_and_no_operating_system() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("src");
    let take = |from: &Path, file: &str| {
        let to = source.join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from.join(file), to).unwrap();
    };
    for file in TAKEN {
        take(&root.join("src/haptics"), file);
    }
    take(&root.join("src"), PORT);
    std::fs::write(source.join("lib.rs"), ROOT).unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), MANIFEST).unwrap();
    std::fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet"])
        .current_dir(folder.path())
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}
