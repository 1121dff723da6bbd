//! The licences of all packages in the bundles: checked, and their texts written beside the plugins.
//!
//! Needs no network: cargo holds the sources that the build used.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use spdx::expression::Expression;

use crate::bundle::{BESIDE, BUNDLES};

const PACKAGE: &str = "touchback";
/// The target triple of this system.
pub(crate) const HOST: &str = env!("XTASK_TARGET");
/// Name of the licences' file inside a bundle.
const INSIDE: &str = "LICENSES.txt";
/// Depth of folders below a package's own that are searched for licences, because fonts have their own.
const DEEPEST: usize = 3;

/// Checks sources and licences of the packages of every system, and writes the texts of the plugin's licences into
/// the existing bundles.
pub(crate) fn run() -> Result<()> {
    check_all()?;
    let metadata = metadata(HOST, &["window"])?;
    let parts = checked(&metadata, PACKAGE)?;
    let text = text(&parts)?;
    let bundled = metadata.target_directory.as_std_path().join("bundled");
    let places = places(&bundled);
    for place in &places {
        fs::write(place, &text).with_context(|| format!("cannot write {}", place.display()))?;
        eprintln!("Wrote {}", place.display());
    }
    eprintln!("{} parts, every licence allowed", parts.len());
    Ok(())
}

/// The licence texts of all packages in `package`, built for `target` with `features` of the plugin's package,
/// after the check.
pub(crate) fn of(package: &str, target: &str, features: &[&str]) -> Result<String> {
    text(&checked(&metadata(target, features)?, package)?)
}

/// The packages linked into `package`.
///
/// # Errors
/// A package whose licence is not allowed.
fn checked<'a>(metadata: &'a Metadata, package: &str) -> Result<Vec<&'a Package>> {
    let parts = parts(metadata, package)?;
    let allowed = allowed(metadata.workspace_root.as_std_path())?;
    for part in &parts {
        check(part, &allowed)?;
    }
    Ok(parts)
}

/// Checks the packages of every system, those of tests and build tasks too.
///
/// # Errors
/// A package from elsewhere than crates.io, or whose licence is not allowed.
fn check_all() -> Result<()> {
    let mut command = MetadataCommand::new();
    let metadata =
        command.features(CargoOpt::AllFeatures).exec().context("cargo metadata failed")?;
    let allowed = allowed(metadata.workspace_root.as_std_path())?;
    metadata.packages.iter().try_for_each(|part| {
        check_source(part)?;
        check(part, &allowed)
    })
}

fn metadata(target: &str, features: &[&str]) -> Result<Metadata> {
    let features = features.iter().map(|feature| (*feature).to_owned()).collect();
    MetadataCommand::new()
        .features(CargoOpt::SomeFeatures(features))
        .other_options(["--filter-platform".to_owned(), target.to_owned()])
        .exec()
        .context("cargo metadata failed")
}

/// The packages linked into `package`, sorted by name.
fn parts<'a>(metadata: &'a Metadata, package: &str) -> Result<Vec<&'a Package>> {
    let graph = metadata.resolve.as_ref().context("cargo knows no dependencies")?;
    let nodes: BTreeMap<&PackageId, _> = graph.nodes.iter().map(|n| (&n.id, n)).collect();
    let root = metadata.packages.iter().find(|p| p.name.as_str() == package);
    let mut waiting = vec![&root.with_context(|| format!("there is no package {package}"))?.id];
    let mut linked = HashSet::new();
    while let Some(id) = waiting.pop() {
        if !linked.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map(|n| n.deps.as_slice()).unwrap_or_default();
        let normal = dependencies.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
        });
        waiting.extend(normal.map(|dependency| &dependency.pkg));
    }
    let mut parts: Vec<_> = metadata.packages.iter().filter(|p| linked.contains(&p.id)).collect();
    parts.sort_by_key(|part| (part.name.to_string(), part.version.clone()));
    Ok(parts)
}

/// The licences that `deny.toml` allows.
fn allowed(root: &Path) -> Result<Vec<String>> {
    let path = root.join("deny.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rules: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let list = rules.get("licenses").and_then(|l| l.get("allow")).and_then(|l| l.as_array());
    let list = list.with_context(|| format!("{}: no licenses.allow", path.display()))?;
    Ok(list.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

fn expression(part: &Package) -> Result<Expression> {
    let name = format!("{} {}", part.name, part.version);
    let license = part.license.as_deref().with_context(|| format!("{name}: names no licence"))?;
    // Old packages separate alternatives by a slash.
    Expression::parse(&license.replace('/', " OR "))
        .map_err(|e| anyhow::anyhow!("{name}: {license}: {}", e.reason))
}

/// # Errors
/// A package that none of the allowed licences covers.
fn check(part: &Package, allowed: &[String]) -> Result<()> {
    let is_allowed = |requirement: &spdx::LicenseReq| {
        allowed.iter().any(|name| *name == requirement.to_string())
    };
    ensure!(
        expression(part)?.evaluate(is_allowed),
        "{} {}: {} is not among the licences that deny.toml allows",
        part.name,
        part.version,
        part.license.as_deref().unwrap_or_default()
    );
    Ok(())
}

/// # Errors
/// A package that comes neither from this workspace nor from crates.io, whose versions never change.
fn check_source(part: &Package) -> Result<()> {
    let is_known = part.source.as_ref().is_none_or(|source| source.is_crates_io());
    ensure!(
        is_known,
        "{} {} comes from {}, not from crates.io",
        part.name,
        part.version,
        part.source.as_ref().map(ToString::to_string).unwrap_or_default()
    );
    Ok(())
}

/// A list of every package with its licence and repository, then each licence text once.
fn text(parts: &[&Package]) -> Result<String> {
    let mut list = String::from(
        "Touchback is licensed under MIT or Apache-2.0, at your choice. The plugin contains the \
         parts below; their licences follow, each with the parts that carry it.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in parts {
        let name = format!("{} {}", part.name, part.version);
        let license = part.license.as_deref().unwrap_or_default();
        match &part.repository {
            Some(source) => writeln!(list, "{name}: {license}; {source}")?,
            None => writeln!(list, "{name}: {license}")?,
        }
        let folder = part.manifest_path.parent().context("a manifest has a folder")?;
        let mut own = Vec::new();
        files(folder.as_std_path(), 0, &mut own)?;
        if own.is_empty() {
            own = standard(part)?;
        }
        for text in own {
            texts.entry(text.trim_end().to_owned()).or_default().push(name.clone());
        }
    }
    for (text, parts) in texts {
        let line = "-".repeat(78);
        write!(list, "\n{line}\n{}\n{line}\n\n{text}\n", parts.join(", "))?;
    }
    Ok(list)
}

/// Reads the licences and notices in `folder` and below into `texts`.
fn files(folder: &Path, depth: usize, texts: &mut Vec<String>) -> Result<()> {
    let context = || format!("cannot read {}", folder.display());
    let mut entries: Vec<_> = fs::read_dir(folder)
        .with_context(context)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .with_context(context)?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_dir() {
            let is_built = matches!(name.as_str(), "target" | ".git" | "crates" | "firmware");
            if depth < DEEPEST && !is_built {
                files(&path, depth + 1, texts)?;
            }
        } else if is_license(&name) {
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).replace("\r\n", "\n"));
        }
    }
    Ok(())
}

fn is_license(name: &str) -> bool {
    let begins =
        ["license", "licence", "copying", "copyright", "notice", "unlicense", "ofl", "ufl"];
    let is_code = [".rs", ".toml", ".py", ".json", ".html"].iter().any(|end| name.ends_with(end));
    let ends = ["license", "license.txt", "ofl.txt"];
    !is_code
        && (begins.iter().any(|b| name.starts_with(b)) || ends.iter().any(|e| name.ends_with(e)))
}

/// The standard licence texts, with the authors, of a package without a licence file.
fn standard(part: &Package) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for requirement in expression(part)?.requirements() {
        if let Some(id) = requirement.req.license.id() {
            let authors = match part.authors.is_empty() {
                true => format!("the authors of {}", part.name),
                false => part.authors.join(", "),
            };
            texts.push(format!("Copyright (c) {authors}\n\n{}", id.text()));
        }
    }
    if texts.is_empty() {
        bail!("{} {}: no text of its licence is known", part.name, part.version);
    }
    Ok(texts)
}

/// Paths of the licence files: inside bundles that are folders, beside a bundle that is a file.
fn places(bundled: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for name in BUNDLES {
        let bundle = bundled.join(name);
        let contents = bundle.join("Contents");
        if contents.is_dir() {
            let resources = contents.join("Resources");
            if fs::create_dir_all(&resources).is_ok() {
                places.push(resources.join(INSIDE));
            }
        } else if bundle.is_file() {
            places.push(bundled.join(BESIDE));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_recognized_by_name() {
        for name in
            ["license-mit", "licence", "copying.lesser", "ofl.txt", "hack-regular license.txt"]
        {
            assert!(is_license(name), "{name}");
        }
        assert!(!is_license("license.rs") && !is_license("readme.md"));
    }

    #[test]
    fn every_package_of_the_plugin_is_allowed_and_has_its_text() {
        let metadata = metadata(HOST, &["window"]).unwrap();
        let parts = checked(&metadata, PACKAGE).unwrap();
        assert!(parts.len() > 50);
        let none = check(parts[0], &[]).unwrap_err().to_string();
        assert!(none.contains("is not among the licences"), "{none}");
        check_all().unwrap();
        let mut fork =
            parts.iter().find(|part| part.source.is_some()).map(|part| (*part).clone()).unwrap();
        fork.source.as_mut().unwrap().repr = "git+https://example.org/fork#1".to_owned();
        let refused = check_source(&fork).unwrap_err().to_string();
        assert!(refused.contains("https://example.org/fork"), "{refused}");
        let text = text(&parts).unwrap();
        for word in ["SIL OPEN FONT LICENSE", "Mozilla Public License", "UBUNTU FONT"] {
            assert!(text.to_lowercase().contains(&word.to_lowercase()), "{word}");
        }
        assert!(
            parts.iter().all(|part| part.name.as_str() != "plotters"),
            "a part of the laboratory"
        );
    }
}
