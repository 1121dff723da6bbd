//! The text of an SFZ file: comments, directives, headers and opcodes in their order.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::region::Scope;
use touchback_core::text::encoding::decode;

use touchback_offline::output::{self, Shown as _};

/// Largest file, bytes.
pub const LARGEST: u64 = 8_000_000;
/// Most bytes of all files and of all expanded definitions.
const MOST: usize = 64_000_000;
/// Deepest nesting of includes.
const DEEPEST: usize = 16;
/// Most included files.
const MOST_FILES: usize = 10_000;

/// Longest word after its definitions are expanded, and longest name of a definition, bytes.
const LONGEST: usize = 4096;
const LONGEST_NAME: usize = 64;

/// The reader's state across included files.
struct Reader<'a> {
    defined: BTreeMap<String, String>,
    bytes: usize,
    /// The error that is being returned names its line already.
    is_placed: bool,
    scope: &'a mut Scope,
}

/// Reads `bytes`, the file at `path`, and what it includes into `scope`.
///
/// # Errors
/// Names the file and line at fault, and the line of the first file that includes it; the lines
/// between are omitted.
pub fn text(path: &Path, bytes: &[u8], scope: &mut Scope) -> Result<()> {
    let mut reader = Reader { defined: BTreeMap::new(), bytes: 0, is_placed: false, scope };
    reader.file(path, bytes, 0)
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, bytes: &[u8], depth: usize) -> Result<()> {
        self.scope.opened(path);
        self.count(bytes.len())?;
        let text = without_blocks(&decode(bytes));
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

    /// Adds `bytes` read or expanded to the total and checks its limit.
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

    /// Reads `$name value` and returns the rest of the line.
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

    /// Reads the file named in `"file"` and returns the rest of the line.
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

    /// Reads `name=value`, or counts a stray word, and returns the rest of the line.
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

/// `text` without its block comments; line numbers stay.
fn without_blocks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        kept += before;
        // `//*` begins a line comment, not a block comment.
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

/// Length of the opcode name at the beginning of `text`, bytes.
fn name_length(text: &str) -> usize {
    text.find(|c| !is_name(c) && c != '$').unwrap_or(text.len())
}

/// Index at which a value ends: at a header, a directive, the next opcode or the line's end. Values
/// contain spaces and `#`, because paths do.
fn value_end(text: &str) -> usize {
    let next = |index: usize| {
        let after = text[index..].trim_start();
        let length = name_length(after);
        after.starts_with("#define")
            || after.starts_with("#include")
            || length > 0 && after[length..].starts_with('=')
    };
    let mut was_blank = false;
    for (index, c) in text.char_indices() {
        // Only the first blank of a run is tested: keeps the search linear.
        let is_blank = c.is_whitespace();
        if c == '<' || is_blank && !was_blank && next(index) {
            return index;
        }
        was_blank = is_blank;
    }
    text.len()
}
