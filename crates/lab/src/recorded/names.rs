//! Which key and which layer a file of a sampled piano holds, from its name.

use touchback::math::compass::KeyNumber;

/// MIDI number of A0.
const LOWEST: i32 = 21;

/// Dynamics that name a layer, softest first.
const DYNAMICS: [&str; 8] = ["ppp", "pp", "p", "mp", "mf", "f", "ff", "fff"];

/// Key and layer of a file called `stem`: a note name (`A0`, `C#4`, `Ds1`, `eb3`; C4 is middle C)
/// or, where there is none, a MIDI number; then `v` or `vel` and a number, or a dynamic from `ppp`
/// to `fff`. A name without a layer is of layer 1. `None` where no key is named.
#[must_use]
pub fn key_and_layer(stem: &str) -> Option<(KeyNumber, u32)> {
    let name = stem.to_ascii_lowercase();
    let at = |i: usize| name[i..].chars().next().unwrap_or(' ');
    let begins = |i: &usize| *i == 0 || !at(i - 1).is_ascii_alphanumeric();
    let starts = || (0..name.len()).filter(|i| name.is_char_boundary(*i));
    let of_note = starts().filter(begins).find_map(|i| note(&name[i..]).map(|n| (n, i)));
    let of_number = || {
        let first = |i: &usize| at(*i).is_ascii_digit() && begins(i);
        starts().filter(first).find_map(|i| {
            let (number, length) = number(&name[i..])?;
            (2..=3).contains(&length).then_some(((number, length), i))
        })
    };
    let ((midi, length), place) = of_note.or_else(of_number)?;
    let key = KeyNumber::from_index(usize::try_from(midi - LOWEST).ok()?)?;
    Some((key, layer(&name[..place]).or_else(|| layer(&name[place + length..])).unwrap_or(1)))
}

/// MIDI number of the note that `text` begins with, and how long its name is.
fn note(text: &str) -> Option<(i32, usize)> {
    let bytes = text.as_bytes();
    let step = match bytes.first()? {
        b'c' => 0,
        b'd' => 2,
        b'e' => 4,
        b'f' => 5,
        b'g' => 7,
        b'a' => 9,
        b'b' => 11,
        _ => return None,
    };
    let (shift, length) = match bytes.get(1)? {
        b'#' | b's' => (1, 2),
        b'b' => (-1, 2),
        _ => (0, 1),
    };
    let (octave, digits) = number(&text[length..])?;
    (digits == 1).then_some((12 * (octave + 1) + step + shift, length + digits))
}

/// The number that `text` begins with, and how many digits it has.
fn number(text: &str) -> Option<(i32, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, length))
}

/// Layer that `text` names.
fn layer(text: &str) -> Option<u32> {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| {
        let dynamic = DYNAMICS.iter().position(|d| *d == word).map(|i| i + 1);
        let digits = word.strip_prefix("vel").or_else(|| word.strip_prefix('v'));
        dynamic.or_else(|| digits.and_then(|d| d.parse().ok()))
    })?;
    u32::try_from(word).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_key_and_layer() {
        for (name, number, layer) in [
            ("A0v1", 1, 1),
            ("D#1v16", 7, 16),
            ("Ds4v10", 43, 10),
            ("piano.mf.Bb4", 50, 5),
            ("C8_ff", 88, 7),
            ("grand-060-vel100", 40, 100),
            ("60", 40, 1),
            ("Close C4 v3", 40, 3),
        ] {
            let (key, found) = key_and_layer(name).unwrap();
            assert_eq!((key.number(), found), (number, layer), "{name}");
        }
        for name in ["", "readme", "é", "C12v1", "G9", "5", "pedalD1-"] {
            assert!(key_and_layer(name).is_none(), "{name}");
        }
    }
}
