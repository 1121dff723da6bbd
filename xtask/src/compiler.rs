//! The oldest compiler: `rust-version` of the workspace's `Cargo.toml` is the only place that decides it.

#[cfg(test)]
mod tests {
    use std::fs;

    use cargo_metadata::MetadataCommand;
    use cargo_metadata::semver::Version;

    /// Cargo refuses to build with a compiler that is older than a package asks for.
    #[test]
    fn no_package_needs_a_newer_compiler_than_the_one_that_is_named() {
        let metadata = MetadataCommand::new().exec().unwrap();
        let plugin = metadata.packages.iter().find(|p| p.name.as_str() == "touchback").unwrap();
        let named = plugin.rust_version.clone().unwrap();
        let newer: Vec<String> = metadata
            .packages
            .iter()
            .filter(|p| p.rust_version.as_ref().is_some_and(|version| *version > named))
            .map(|p| format!("{} {}", p.name, p.version))
            .collect();
        assert!(newer.is_empty(), "newer than {named}: {newer:?}");

        let Version { major, minor, .. } = named;
        let root = metadata.workspace_root.as_std_path();
        for page in ["README.md", "docs/manual/install.md"] {
            let text = fs::read_to_string(root.join(page)).unwrap();
            assert!(text.contains(&format!("{major}.{minor} or newer")), "{page}");
        }
        for manifest in ["firmware/Cargo.toml", "firmware/c/Cargo.toml"] {
            let text = fs::read_to_string(root.join(manifest)).unwrap();
            let line = format!("rust-version = \"{major}.{minor}\"");
            assert!(text.contains(&line), "{manifest}");
        }
    }
}
