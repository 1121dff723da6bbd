//! Which parts and crates a source file names.

/// Something a source file names.
#[derive(Clone, PartialEq, Debug)]
pub enum Reference {
    /// A module at the crate's root.
    Part(String),
    /// The head of a path that starts with neither `crate`, `self` nor `super`.
    Crate(String),
}

/// Everything `source`, the text of `file` below `src`, names outside comments and literals.
pub fn references(file: &str, source: &str) -> Vec<Reference> {
    let code = without_comments_and_literals(source);
    let tokens = tokens(&code);
    let depth = module_depth(file);
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", |i| tokens[i]);
        let after = tokens.get(i + 1).copied().unwrap_or_default();
        if matches!(before, "::" | ".") || !token.starts_with(is_identifier) {
            continue;
        }
        match *token {
            "crate" if after == "::" => heads(&tokens, i + 2, &mut found),
            "super" if after == "::" => {
                // As many steps up as there are modules above the file end at the root.
                let steps = 1 + tokens[i + 1..]
                    .chunks(2)
                    .take_while(|pair| *pair == ["::", "super"])
                    .count();
                if steps >= depth {
                    heads(&tokens, i + 2 * steps, &mut found);
                }
            }
            _ if after == "::" || matches!(before, "use" | "crate") => {
                found.push(Reference::Crate((*token).to_owned()));
            }
            _ => {}
        }
    }
    found
}

/// Number of modules on the way to `file`: 1 for `sound.rs`, 2 for `sound/engine.rs`.
fn module_depth(file: &str) -> usize {
    if file == "lib.rs" { 0 } else { file.split('/').count() }
}

/// Collects the first names of a path or of a braced group of paths that starts at `at`.
fn heads(tokens: &[&str], at: usize, into: &mut Vec<Reference>) {
    let Some(first) = tokens.get(at) else { return };
    if *first != "{" {
        into.push(Reference::Part((*first).to_owned()));
        return;
    }
    let (mut depth, mut is_head) = (0, false);
    for token in &tokens[at..] {
        match *token {
            "{" => {
                depth += 1;
                is_head = depth == 1;
            }
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
            "," => is_head = depth == 1,
            name => {
                if is_head {
                    into.push(Reference::Part(name.to_owned()));
                }
                is_head = false;
            }
        }
    }
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Identifiers, `::`, and every other sign by itself.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_identifier(first) {
            rest.find(|c| !is_identifier(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// `source` with comments and string and character literals replaced by spaces.
fn without_comments_and_literals(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let after_identifier = code.ends_with(is_identifier);
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == 'r' && !after_identifier && raw_string(rest).is_some() {
            raw_string(rest).unwrap_or(1)
        } else if first == '\'' && is_character(rest) {
            quoted(rest, '\'')
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

/// Length of the block comment that opens `text`; comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Length of the literal that opens `text`, ended by an unescaped `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = !is_escaped && c == '\\';
    }
    text.len()
}

/// Length of the raw string that opens `text`, if one does.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|b| *b == b'#').count();
    let body = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(2 + hashes + body.find(&end).map_or(body.len(), |at| at + end.len()))
}

/// A character literal, not a lifetime, opens `text`.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    match characters.next() {
        Some('\\') => true,
        Some(_) => characters.next() == Some('\''),
        None => false,
    }
}
