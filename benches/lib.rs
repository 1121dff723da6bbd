//! Benches only: `cargo bench -p touchback-benches`.
