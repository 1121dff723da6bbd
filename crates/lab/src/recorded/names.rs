//! Which key and which layer a file of a sampled piano holds, from its name.

use touchback::math::compass::KeyNumber;

/// MIDI number of A0.
const LOWEST: i32 = 21;

/// Dynamics that name a layer, softest first.
const DYNAMICS: [&str; 8] = ["ppp", "pp", "p", "mp", "mf", "f", "ff", "fff"];

/// A layer of a key, and what kind of number names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layer {
    /// Softer ones are lower.
    pub number: u32,
    is_velocity: bool,
}

impl Layer {
    const fn counted(number: u32) -> Self {
        Self { number, is_velocity: false }
    }

    /// MIDI velocity it stands for, where it is named by one.
    #[must_use]
    pub fn velocity(self) -> Option<u8> {
        let velocity = u8::try_from(self.number).ok().filter(|v| (1..=127).contains(v));
        velocity.filter(|_| self.is_velocity)
    }
}

/// Key and layer of a file called `stem`: a note name (`A0`, `C#4`, `Ds1`, `eb3`; C4 is middle C)
/// or, where there is none, a MIDI number; then `v` and a layer, `vel` and a velocity, or a dynamic
/// from `ppp` to `fff`. A name without a layer is of layer 1. `None` where no key is named.
#[must_use]
pub fn key_and_layer(stem: &str) -> Option<(KeyNumber, Layer)> {
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
    let layer = layer(&name[..place]).or_else(|| layer(&name[place + length..]));
    Some((key, layer.unwrap_or(Layer::counted(1))))
}

/// MIDI number of the note that is all of `text`: `c4`, `F#3`, `eb-1`; C4 is 60.
#[must_use]
pub fn midi(text: &str) -> Option<i32> {
    let name = text.to_ascii_lowercase();
    let (head, below) = name
        .split_once('-')
        .map_or((name.clone(), false), |(step, octave)| (format!("{step}{octave}"), true));
    let (number, _) = note(&head).filter(|(_, length)| *length == head.len())?;
    // The name ends in its octave's digit.
    let octave = i32::from(*head.as_bytes().last()? - b'0');
    Some(if below { number - 24 * octave } else { number })
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
            assert_eq!((key.number(), found.number), (number, layer), "{name}");
            assert_eq!(found.velocity(), name.contains("vel").then_some(100), "{name}");
        }
        let keys = ["c4", "C#4", "Db4", "a0", "c-1", "g9", "h4", "c", "c44", "é4"].map(midi);
        let read = [Some(60), Some(61), Some(61), Some(21), Some(0), Some(127), None, None, None];
        assert_eq!((&keys[..9], keys[9]), (&read[..], None));
        for text in ["a1#", "a1'", "c4 ", "c4é", "-", "c-"] {
            assert_eq!(midi(text), None, "{text}");
        }
        for name in ["", "readme", "é", "C12v1", "G9", "5", "pedalD1-"] {
            assert!(key_and_layer(name).is_none(), "{name}");
        }
    }
}
