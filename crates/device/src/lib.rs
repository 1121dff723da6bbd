#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests compare results with the functions of the standard library"
    )
)]
#![cfg_attr(not(test), no_std)]

#[cfg(any(test, feature = "c"))]
pub mod c_api;
pub mod device;
pub mod firmware;
pub mod fixed;
pub mod frame;
#[cfg(any(test, feature = "history"))]
pub mod history;
pub mod message;
pub mod port;
pub mod real;

/// The device is the one large object of a firmware and lies in static memory.
const _: () = assert!(size_of::<device::Device<88>>() < 48 * 1024);

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn files(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path, into) } else { into.push(path) }
        }
    }

    /// A `no_std` crate can reach a heap only by `extern crate alloc` or through its dependencies.
    #[test]
    fn no_source_file_and_no_dependency_needs_a_heap_or_an_operating_system() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Vec::new();
        files(&root.join("src"), &mut sources);
        for path in &sources {
            let text = std::fs::read_to_string(path).unwrap();
            let is_extern = text.lines().any(|line| line.trim_start().starts_with("extern crate"));
            assert!(!is_extern, "{}", path.display());
        }
        let root = include_str!("lib.rs");
        assert!(sources.len() > 8 && root.contains("\n#![cfg_attr(not(test), no_std)]"));
        let manifest = include_str!("../Cargo.toml");
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
        let (dependencies, _) = dependencies.split_once("\n\n").unwrap();
        for line in dependencies.lines() {
            let bare = line.starts_with("libm = ") || line.contains("default-features = false }");
            assert!(bare, "{line}");
        }
    }
}
