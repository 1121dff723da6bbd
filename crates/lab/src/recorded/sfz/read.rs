//! The text of an SFZ file: comments, directives, headers and opcodes in their order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::region::Scope;
use crate::output;

/// Largest file, bytes; most of all files together; deepest include.
const LARGEST: u64 = 8_000_000;
const MOST: usize = 64_000_000;
const DEEPEST: usize = 16;

/// Longest text that definitions make of one word, bytes.
const LONGEST: usize = 4096;

/// What reading carries from file to file.
struct Reader<'a> {
    root: PathBuf,
    defined: BTreeMap<String, String>,
    bytes: usize,
    scope: &'a mut Scope,
}

/// Reads `path` and what it includes into `scope`.
pub fn file(path: &Path, scope: &mut Scope) -> Result<()> {
    let root = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
    Reader { root, defined: BTreeMap::new(), bytes: 0, scope }.file(path, 0)
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, depth: usize) -> Result<()> {
        let bytes = output::read(path, LARGEST)?;
        self.bytes += bytes.len();
        ensure!(self.bytes <= MOST, "{}: includes more than {MOST} bytes", path.display());
        let text = without_blocks(&String::from_utf8_lossy(&bytes));
        for (line, number) in text.lines().zip(1..) {
            let line = line.split("//").next().unwrap_or_default();
            self.line(line, depth).with_context(|| format!("{}, line {number}", path.display()))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, depth: usize) -> Result<()> {
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            rest = if let Some(after) = rest.strip_prefix("#define") {
                self.define(after)?
            } else if let Some(after) = rest.strip_prefix("#include") {
                self.include(after, depth)?
            } else if let Some(after) = rest.strip_prefix('<') {
                let (name, after) = after.split_once('>').context("a header without its `>`")?;
                self.scope.header(name.trim())?;
                after
            } else {
                self.opcode(rest)?
            }
            .trim_start();
        }
        Ok(())
    }

    /// `$name value`; what follows it.
    fn define<'t>(&mut self, text: &'t str) -> Result<&'t str> {
        let (name, rest) = word(text.trim_start());
        let name = name.strip_prefix('$').filter(|n| !n.is_empty() && n.chars().all(is_name));
        let name = name.context("#define wants a $name")?;
        let (value, rest) = word(rest.trim_start());
        let value = self.expanded(value)?;
        self.defined.insert(name.to_owned(), value);
        Ok(rest)
    }

    /// `"file"`; what follows it.
    fn include<'t>(&mut self, text: &'t str, depth: usize) -> Result<&'t str> {
        let quoted = text.trim_start().strip_prefix('"').and_then(|t| t.split_once('"'));
        let (name, rest) = quoted.context("#include wants a \"file\"")?;
        ensure!(depth < DEEPEST, "#include deeper than {DEEPEST}");
        let path = found(&self.root, &self.expanded(name)?);
        self.file(&path, depth + 1)?;
        Ok(rest)
    }

    /// `name=value`, or a word that is none; what follows it.
    fn opcode<'t>(&mut self, text: &'t str) -> Result<&'t str> {
        let length = name_length(text);
        let Some(after) = text[length..].strip_prefix('=').filter(|_| length > 0) else {
            self.scope.stray();
            let (_, rest) = word(text);
            return Ok(rest);
        };
        let end = value_end(after);
        let name = self.expanded(&text[..length])?;
        let value = self.expanded(after[..end].trim())?;
        self.scope.opcode(&name, &value)?;
        Ok(&after[end..])
    }

    /// `text` with the longest defined name after each `$` replaced.
    fn expanded(&self, text: &str) -> Result<String> {
        let mut parts = text.split('$');
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let lengths = (1..=part.len()).rev().filter(|n| part.is_char_boundary(*n));
            let known = lengths
                .map(|n| part.split_at(n))
                .find_map(|(name, rest)| Some((self.defined.get(name)?, rest)));
            match known {
                Some((value, rest)) => whole.extend([value, rest]),
                None => whole.extend(["$", part]),
            }
            if whole.len() > LONGEST {
                bail!("longer than {LONGEST} bytes with what is defined");
            }
        }
        Ok(whole)
    }
}

/// `text` with its block comments blanked, lines kept.
fn without_blocks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        kept += before;
        // A path may end in a wildcard of a comment: `//*` begins a comment of one line.
        if before.ends_with('/') {
            kept += "*";
            rest = after;
            continue;
        }
        let (inside, after) = after.split_once("*/").unwrap_or((after, ""));
        kept.extend(inside.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    kept + rest
}

/// The first word of `text`, and the rest.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

const fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// How long an opcode's name at the beginning of `text` is, bytes.
fn name_length(text: &str) -> usize {
    text.find(|c| !is_name(c) && c != '$').unwrap_or(text.len())
}

/// Where a value ends: at a header, a directive, the next opcode or the line's end. Paths have
/// spaces and sharps.
fn value_end(text: &str) -> usize {
    let next = |place: usize| {
        let after = text[place..].trim_start();
        let length = name_length(after);
        after.starts_with("#define")
            || after.starts_with("#include")
            || length > 0 && after[length..].starts_with('=')
    };
    let ends = |(place, c): &(usize, char)| *c == '<' || c.is_whitespace() && next(*place);
    text.char_indices().find(ends).map_or(text.len(), |(place, _)| place)
}

/// `name` in `root`, by whatever slashes and letters' case: such files come from systems that see
/// no difference.
pub fn found(root: &Path, name: &str) -> PathBuf {
    let name = name.replace('\\', "/");
    let exact = root.join(&name);
    if exact.exists() {
        return exact;
    }
    let mut path = root.to_owned();
    for part in name.split('/').filter(|part| !part.is_empty()) {
        let like = |entry: &std::fs::DirEntry| {
            entry.file_name().to_str().is_some_and(|n| n.to_lowercase() == part.to_lowercase())
        };
        let entries = std::fs::read_dir(&path);
        let entry = entries.ok().and_then(|all| all.flatten().find(like));
        path = entry.map_or_else(|| path.join(part), |entry| entry.path());
    }
    path
}

/// A value that is no number, key or velocity.
pub fn wrong(name: &str, value: &str, wanted: &str) -> anyhow::Error {
    anyhow!("{name}={value:.40}: is no {wanted}")
}
