//! Names that live as long as the program, as readings and drawings need them, and the search for a name that was meant.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use touchback_action::interface::elements::Element;

/// Largest number of bytes of a name.
const LONGEST: usize = 48;

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static ELEMENTS: Mutex<Vec<&'static [Element]>> = Mutex::new(Vec::new());

/// The name, kept for the life of the program; each distinct one once.
pub(crate) fn intern(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}

/// The list, kept for the life of the program; each distinct one once.
pub(crate) fn intern_elements(list: Vec<Element>) -> &'static [Element] {
    let mut lists = ELEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lists.iter().find(|known| **known == list.as_slice()) {
        return known;
    }
    let kept: &'static [Element] = Box::leak(list.into());
    lists.push(kept);
    kept
}

/// What is wrong with `name` as a name of a part, if anything: names are columns of tables and words of expressions.
pub(crate) fn fault(name: &str) -> Option<String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ' || c == '-';
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_fit) {
        return Some(format!(
            "name {name:?}: use 1 to {LONGEST} letters, digits, spaces, hyphens or underscores"
        ));
    }
    None
}

/// Number of letters to insert, delete or replace between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The message for an unknown `name` of the kind `what`, with the nearest of `known` ones.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut known: Vec<(usize, &str)> =
        known.into_iter().map(|other| (distance(name, other), other)).collect();
    known.sort_unstable();
    match known.first() {
        Some((far, nearest)) if *far <= 2 + name.len() / 3 => {
            format!("no {what} {name:?}; nearest is {nearest:?}")
        }
        Some(_) => {
            let all: Vec<&str> = known.iter().map(|(_, name)| *name).take(12).collect();
            format!("no {what} {name:?}; there are {}", all.join(", "))
        }
        None => format!("no {what} {name:?}; there are none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_gets_the_nearest_one() {
        let message = unknown("body", "hamer", ["key", "hammer"]);
        assert_eq!(message, "no body \"hamer\"; nearest is \"hammer\"");
    }

    #[test]
    fn a_name_is_kept_once() {
        assert!(std::ptr::eq(intern("one name"), intern("one name")));
    }
}
