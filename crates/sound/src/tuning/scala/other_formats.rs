//! Names tuning files of other formats, which are not read.

use super::{ScaleError, error, lines, rows, word};
use touchback_core::text::number::number;

/// First lines of the sections of AnaMark tunings.
const ANAMARK: [&str; 3] = ["[scale begin]", "[tuning]", "[exact tuning]"];

/// Beginnings of files, and what they are.
const BEGINNINGS: [(&str, &str); 8] = [
    ("{", "JSON; save it as a Scala scale (.scl)"),
    ("<?xml", "XML; save it as a Scala scale (.scl)"),
    ("<!doctype", "a page of the web; save the scale itself (.scl)"),
    ("<html", "a page of the web; save the scale itself (.scl)"),
    ("MThd", "a MIDI file; `render` obeys the tuning messages in it without --scale"),
    ("\u{f0}\u{7e}", "a dump of the MIDI Tuning Standard; save it as a Scala scale (.scl)"),
    ("\u{1f}\u{8b}", "compressed (gzip); unpack it first"),
    ("PK\u{3}\u{4}", "compressed (zip); unpack it first"),
];

/// Refuses a text of another format.
///
/// # Errors
/// Names the format.
pub(super) fn refuse(text: &str) -> Result<(), ScaleError> {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let begins =
        |mark: &str| begin.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
    if let Some((_, name)) = BEGINNINGS.iter().find(|(mark, _)| begins(mark)) {
        return error(1, format!("this is {name}"));
    }
    let is_section = |row: &str| ANAMARK.iter().any(|name| row.trim().eq_ignore_ascii_case(name));
    if rows(text).any(is_section) {
        return error(1, "this is an AnaMark tuning (.tun); save it as a Scala scale (.scl)");
    }
    Ok(())
}

/// The error of a keyboard map in place of a scale, if the first six lines of `text` are numbers.
pub(super) fn key_map(text: &str) -> Option<ScaleError> {
    let mut lines = lines(text).filter(|(_, line)| !line.trim().is_empty());
    let is_map = (0..6).all(|_| lines.next().is_some_and(|(_, l)| number(word(l)).is_some()));
    let what = "this is a keyboard map (.kbm); --keymap takes it, beside a scale (.scl)";
    is_map.then(|| ScaleError { line: 1, what: what.into() })
}
