//! Key and layer of a file of a sampled piano, from its name.

use touchback_core::math::compass::KeyNumber;
use touchback_core::text::note;

/// MIDI number of A0.
const LOWEST: i32 = 21;

/// Dynamics that name a layer, softest first.
const DYNAMICS: [&str; 8] = ["ppp", "pp", "p", "mp", "mf", "f", "ff", "fff"];

/// A layer of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layer {
    /// Number of the layer; softer layers have lower numbers.
    pub number: u32,
    is_velocity: bool,
}

impl Layer {
    const fn counted(number: u32) -> Self {
        Self { number, is_velocity: false }
    }

    /// MIDI velocity, if the name states one.
    #[must_use]
    pub fn velocity(self) -> Option<u8> {
        let velocity = u8::try_from(self.number).ok().filter(|v| (1..=127).contains(v));
        velocity.filter(|_| self.is_velocity)
    }
}

/// Key and layer of a file called `stem`: a note name (`A0`, `C#4`, `C♯4`, `Ds1`, `eb3`; C4 is middle C) or
/// else a MIDI number; then `v` and a layer, `vel` and a velocity, or a dynamic from `ppp` to `fff`. Without a
/// layer, layer 1. `None` without a key.
#[must_use]
pub fn key_and_layer(stem: &str) -> Option<(KeyNumber, Layer)> {
    let name = stem.to_lowercase();
    let begins = |i: &usize| !name[..*i].chars().next_back().is_some_and(continues_word);
    let starts = || name.char_indices().map(|(i, _)| i);
    let of_note = starts().filter(begins).find_map(|i| note::prefix(&name[i..]).map(|n| (n, i)));
    let of_number = || {
        let first = |i: &usize| name.as_bytes()[*i].is_ascii_digit() && begins(i);
        starts().filter(first).find_map(|i| {
            let (number, length) = number(&name[i..])?;
            (2..=3).contains(&length).then_some(((number, length), i))
        })
    };
    let ((midi, length), place) = of_note.or_else(of_number)?;
    let key = KeyNumber::from_index(usize::try_from(midi - LOWEST).ok()?)?;
    let layer = layer(&name[..place]).or_else(|| layer(&name[place + length..]));
    Some((key, layer.unwrap_or(Layer::counted(1))))
}

/// Whether `c` continues a word: a digit, or a letter of a script with upper case. Letters of other scripts
/// separate words as signs do.
fn continues_word(c: char) -> bool {
    c.is_numeric() || c.is_lowercase() || c.is_uppercase()
}

/// The number at the beginning of `text`, and its number of digits.
fn number(text: &str) -> Option<(i32, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, length))
}

/// The layer named in `text`.
fn layer(text: &str) -> Option<Layer> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| {
        let dynamic = (1..).zip(DYNAMICS).find(|(_, d)| *d == word).map(|(n, _)| n);
        let counted = || word.strip_prefix('v').and_then(|d| d.parse().ok());
        match word.strip_prefix("vel").and_then(|d| d.parse().ok()) {
            Some(number) => Some(Layer { number, is_velocity: true }),
            None => dynamic.or_else(counted).map(Layer::counted),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_key_and_layer() {
        for (name, number, layer) in [
            ("A0v1", 1, 1),
            ("D#1v16", 7, 16),
            ("Ds4v10", 43, 10),
            ("piano.mf.Bb4", 50, 5),
            ("C8_ff", 88, 7),
            ("grand-060-vel100", 40, 100),
            ("60", 40, 1),
            ("Close C4 v3", 40, 3),
            ("Flügel_C4", 40, 1),
            ("C♯4", 41, 1),
            ("Klavier d♭4 ff", 41, 7),
            ("Рояль C4v2", 40, 2),
            ("ピアノC4", 40, 1),
            ("ピアノ060", 40, 1),
            ("e\u{301}C4", 40, 1),
        ] {
            let (key, found) = key_and_layer(name).unwrap();
            assert_eq!((key.number(), found.number), (number, layer), "{name}");
            assert_eq!(found.velocity(), name.contains("vel").then_some(100), "{name}");
        }
        for name in [
            "",
            "readme",
            "é",
            "C12v1",
            "G9",
            "5",
            "pedalD1-",
            "Äsh",
            "FlügelüC4",
            "С4",
            "C٤",
            "♯4",
            "C2147483647",
            "C♯2147483647",
            "C99999999999",
        ] {
            assert!(key_and_layer(name).is_none(), "{name}");
        }
    }
}
