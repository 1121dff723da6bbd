//! Tells the build tasks which system the bundles are for.

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=XTASK_TARGET={target}");
}
