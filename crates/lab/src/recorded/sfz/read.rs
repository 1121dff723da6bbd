//! The text of an SFZ file: comments, directives, headers and opcodes in their order.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};

use super::region::Scope;
use crate::output::{self, Shown as _};

/// Largest file, bytes; most of all files and of all that definitions make; deepest include.
pub const LARGEST: u64 = 8_000_000;
const MOST: usize = 64_000_000;
const DEEPEST: usize = 16;
/// Most files that are included.
const MOST_FILES: usize = 10_000;

/// Longest text that definitions make of one word, and longest name of one, bytes.
const LONGEST: usize = 4096;
const LONGEST_NAME: usize = 64;

/// What reading carries from file to file.
struct Reader<'a> {
    defined: BTreeMap<String, String>,
    bytes: usize,
    /// The error on its way out names the line that it is in.
    is_placed: bool,
    scope: &'a mut Scope,
}

/// Reads `bytes`, the file at `path`, and what it includes into `scope`.
///
/// # Errors
/// Names the file's line, and of what it includes the file and line at fault; those between are left
/// out.
pub fn text(path: &Path, bytes: &[u8], scope: &mut Scope) -> Result<()> {
    let mut reader = Reader { defined: BTreeMap::new(), bytes: 0, is_placed: false, scope };
    reader.file(path, bytes, 0)
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, bytes: &[u8], depth: usize) -> Result<()> {
        self.scope.opened(path);
        self.count(bytes.len())?;
        let text = without_blocks(&String::from_utf8_lossy(bytes));
        for (line, number) in text.lines().zip(1..) {
            let line = line.split("//").next().unwrap_or_default();
            let Err(error) = self.line(line, depth) else { continue };
            let is_inner = std::mem::replace(&mut self.is_placed, true);
            if is_inner && depth > 0 {
                return Err(error);
            }
            return Err(error.context(format!("{}, line {number}", path.shown())));
        }
        Ok(())
    }

    /// Counts `bytes` that were read or made.
    fn count(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        ensure!(self.bytes <= MOST, "more than {MOST} bytes with what is included and defined");
        Ok(())
    }

    fn line(&mut self, line: &str, depth: usize) -> Result<()> {
        let mut rest = line.trim();
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
        ensure!(name.len() <= LONGEST_NAME, "#define: a name longer than {LONGEST_NAME} bytes");
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
        let name = self.expanded(name)?;
        let path = self.scope.find(&name);
        ensure!(self.scope.files() < MOST_FILES, "more than {MOST_FILES} files are included");
        self.file(&path, &output::read(&path, LARGEST)?, depth + 1)?;
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
    fn expanded(&mut self, text: &str) -> Result<String> {
        let long = || format!("longer than {LONGEST} bytes with what is defined");
        let mut parts = text.split('$');
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len()).min(LONGEST_NAME);
            let known = (1..=end)
                .rev()
                .map(|n| part.split_at(n))
                .find_map(|(name, rest)| Some((self.defined.get(name)?, rest)));
            match known {
                Some((value, rest)) => whole.extend([value, rest]),
                None => whole.extend(["$", part]),
            }
            ensure!(whole.len() <= LONGEST, long());
        }
        self.count(whole.len())?;
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
    let mut was_blank = false;
    for (place, c) in text.char_indices() {
        // What follows a run of blanks is looked at once, at its first.
        let is_blank = c.is_whitespace();
        if c == '<' || is_blank && !was_blank && next(place) {
            return place;
        }
        was_blank = is_blank;
    }
    text.len()
}

/// A value that is no number, key or velocity.
pub fn wrong(name: &str, value: &str, wanted: &str) -> anyhow::Error {
    anyhow!("{name}={value:.40}: is no {wanted}")
}
