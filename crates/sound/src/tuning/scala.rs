//! Scales and keyboard maps in Scala's formats, `.scl` and `.kbm` [Op de Coul 2001].
//!
//! Text in, a [`Scale`] out; files are read elsewhere. The crate `tuning-library-rs` 0.1 reads both
//! formats as well, but its errors name no line.

pub mod texts;

pub use texts::Texts;

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::text::number::number;

/// Cents of every key relative to A4 of the piano, as a scale file gives them. Keys whose pitch is more than
/// four octaves from that of their string, or above 5.9 kHz, are silent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    cents: [f32; KEYS],
    silent: KeySet,
}

/// Why a scale or map cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ScaleError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

fn error<T>(line: usize, what: impl Into<String>) -> Result<T, ScaleError> {
    Err(ScaleError { line, what: what.into() })
}

/// Largest number of notes of a scale or a map.
const MOST_NOTES: usize = 4096;

/// Largest distance of a pitch from A4, cents.
const FURTHEST: f64 = 12_000.0;

/// Limit of a string's detuning, cents.
const REACH: f64 = 4800.0;

/// Highest fundamental, cents above 440 Hz: 5.9 kHz, half an octave above C8. Chosen: strings without a partial
/// below 8 kHz have no defined level.
const HIGHEST: f64 = 4500.0;

/// All lines; they end with `\n`, `\r\n` or `\r`.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let ends = if text.contains('\n') { '\n' } else { '\r' };
    let text = text.trim_start_matches('\u{feff}');
    text.split_terminator(ends).map(|line| line.trim_end_matches('\r'))
}

/// Lines that are not comments, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(rows(text)).filter(|(_, line)| !line.trim_start().starts_with('!'))
}

/// Number of the line after the last one.
fn end(text: &str) -> usize {
    rows(text).count() + 1
}

/// The first word of a line, without a comment behind it.
fn word(line: &str) -> &str {
    line.split(|c: char| c.is_whitespace() || c == '!').find(|w| !w.is_empty()).unwrap_or_default()
}

/// Assignment of MIDI keys to scale degrees.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyMap {
    /// Degree of each key from the middle key on; if empty, one key per degree.
    degrees: Vec<Option<i32>>,
    /// First and last MIDI key that are tuned.
    first: i32,
    last: i32,
    /// MIDI key of degree 0.
    middle: i32,
    /// MIDI key of known frequency.
    reference: i32,
    /// Frequency of the reference key, Hz.
    hz: f64,
    /// Degree that counts as the octave of the map.
    octave: i32,
}

impl KeyMap {
    /// One key per degree, degree 0 on middle C, A4 at `a4_hz`.
    #[must_use]
    pub const fn plain(a4_hz: f64) -> Self {
        Self {
            degrees: Vec::new(),
            first: 0,
            last: 127,
            middle: 60,
            reference: 69,
            hz: a4_hz,
            octave: 0,
        }
    }

    /// Reads a `.kbm` text.
    ///
    /// # Errors
    /// The line that violates the format.
    pub fn read(text: &str) -> Result<Self, ScaleError> {
        let mut lines = lines(text).filter(|(_, l)| !l.trim().is_empty());
        let end = end(text);
        let mut next = |what: &str| -> Result<(usize, f64), ScaleError> {
            let Some((line, text)) = lines.next() else {
                return error(end, format!("the map ends before {what}"));
            };
            let word = word(text);
            match number(word) {
                Some(x) => Ok((line, x)),
                None => error(line, format!("'{word}' is no number; {what} belongs here")),
            }
        };
        let mut whole = |what: &str, low: f64, high: f64| -> Result<i32, ScaleError> {
            let (line, x) = next(what)?;
            if x.fract() != 0.0 || !(low..=high).contains(&x) {
                return error(line, format!("{what} is {x}; give a whole number {low}…{high}"));
            }
            Ok(touchback_core::math::cast::rounded_i32(x))
        };
        let size = whole("the size of the map", 0.0, MOST_NOTES as f64)?;
        let first = whole("the first MIDI note", 0.0, 127.0)?;
        let last = whole("the last MIDI note", 0.0, 127.0)?;
        let middle = whole("the middle note", 0.0, 127.0)?;
        let reference = whole("the reference note", 0.0, 127.0)?;
        let (line, hz) = next("the reference frequency")?;
        if !(1.0..=20_000.0).contains(&hz) {
            return error(line, format!("reference frequency is {hz} Hz; give 1…20000"));
        }
        // A map that ends here has the scale's octave, and no key is mapped differently.
        let (line, octave) = next("the formal octave").or_else(|error| match error.line {
            line if line == end => Ok((line, 0.0)),
            _ => Err(error),
        })?;
        if octave.fract() != 0.0 || octave.abs() > MOST_NOTES as f64 {
            return error(line, format!("the formal octave is {octave}; give a degree"));
        }
        let mut degrees = Vec::new();
        for _ in 0..size {
            // Trailing keys may be omitted: they are not mapped.
            let Some((line, text)) = lines.next() else { break };
            let word = word(text);
            degrees.push(match word {
                "x" | "X" => None,
                _ => match word.parse::<i32>() {
                    Ok(d) if d.unsigned_abs() as usize <= MOST_NOTES => Some(d),
                    _ => return error(line, format!("'{word}' is no degree; give a number or x")),
                },
            });
        }
        // A map without any degree assigns a key to each.
        if !degrees.is_empty() {
            degrees.resize(usize::try_from(size).unwrap_or(0), None);
        }
        let octave = touchback_core::math::cast::rounded_i32(octave);
        Ok(Self { degrees, first, last, middle, reference, hz, octave })
    }

    /// Scale degree of a MIDI note; `None` if it is not mapped.
    fn degree(&self, midi: i32) -> Option<i32> {
        if self.degrees.is_empty() {
            return Some(midi - self.middle);
        }
        let size = i32::try_from(self.degrees.len()).ok()?;
        let (octaves, index) =
            ((midi - self.middle).div_euclid(size), (midi - self.middle).rem_euclid(size));
        let degree = self.degrees.get(usize::try_from(index).ok()?).copied().flatten()?;
        Some(degree + octaves * self.octave)
    }
}

/// The notes of a `.scl` text above the first, cents; the last is the octave.
///
/// # Errors
/// The line that violates the format.
pub fn notes(text: &str) -> Result<Vec<f64>, ScaleError> {
    let end = end(text);
    let mut lines = lines(text);
    if lines.next().is_none() {
        return error(end, "the scale has no description line");
    }
    // The description may be empty; other empty lines have no meaning.
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let Some((line, count)) = lines.next() else {
        return error(end, "the scale ends before its number of notes");
    };
    let count = match word(count).parse::<usize>() {
        Ok(n) if (1..=MOST_NOTES).contains(&n) => n,
        _ => return error(line, format!("'{}' notes; give 1…{MOST_NOTES}", word(count))),
    };
    let mut cents = Vec::with_capacity(count);
    while cents.len() < count {
        let Some((line, text)) = lines.next() else {
            return error(end, format!("{} notes of {count} are here", cents.len()));
        };
        let Some(x) = pitch(text).filter(|x| x.abs() < FURTHEST) else {
            return error(
                line,
                format!(
                    "'{}' is no pitch; give cents with a point (701.955) or a ratio (3/2)",
                    word(text)
                ),
            );
        };
        cents.push(x);
    }
    Ok(cents)
}

/// Cents of the pitch at the beginning of a line of a scale file.
fn pitch(line: &str) -> Option<f64> {
    let first = word(line);
    if first.contains(['.', ',']) {
        // A unit may follow without a blank.
        return number(first.trim_end_matches(|c: char| c.is_alphabetic() || c == '¢'));
    }
    // Blanks may stand around the stroke.
    let rest = line.trim_start().get(first.len()..).unwrap_or_default();
    let rest = rest.split('!').next().unwrap_or_default().trim_start();
    let ratio = match (first.ends_with('/'), rest.strip_prefix('/')) {
        (true, _) => format!("{first}{}", word(rest)),
        (_, Some(below)) => format!("{first}/{}", word(below)),
        _ => first.to_owned(),
    };
    let mut parts = ratio.splitn(2, '/').map(|p| p.parse::<u64>().ok().filter(|&n| n > 0));
    let above = parts.next()??;
    let below = parts.next().unwrap_or(Some(1))?;
    Some(1200.0 * libm::log2(above as f64 / below as f64))
}

impl Scale {
    /// A scale of `notes` (cents, the last is the octave) under a key map. Keys that are not mapped keep
    /// equal temperament; those beyond the range of their string are silent.
    ///
    /// # Errors
    /// The reference note is not mapped, or no key is within the range of its string.
    pub fn new(notes: &[f64], map: &KeyMap) -> Result<Self, ScaleError> {
        let Ok(size) = i32::try_from(notes.len()) else { return error(1, "too many notes") };
        if size == 0 {
            return error(1, "a scale needs a note");
        }
        let octave = notes[notes.len() - 1];
        let at = |degree: i32| {
            let index = usize::try_from(degree.rem_euclid(size)).unwrap_or(0);
            let within = if index == 0 { 0.0 } else { notes[index - 1] };
            within + octave * f64::from(degree.div_euclid(size))
        };
        // A map's octave of 0 is the scale's own.
        let map = if map.octave == 0 && !map.degrees.is_empty() {
            KeyMap { octave: size, ..map.clone() }
        } else {
            map.clone()
        };
        let Some(reference) = map.degree(map.reference) else {
            return error(1, format!("the map leaves out its reference note {}", map.reference));
        };
        let base = 1200.0 * libm::log2(map.hz / 440.0) - at(reference);
        let (mut cents, mut silent) = ([0.0f32; KEYS], KeySet::EMPTY);
        for key in KeyNumber::all() {
            let midi = i32::from(key.midi());
            let mapped = map.degree(midi).filter(|_| (map.first..=map.last).contains(&midi));
            let equal = 100.0 * f64::from(midi - 69);
            let pitch = mapped.map_or(equal, |degree| base + at(degree));
            let from_string = pitch - equal;
            if (-REACH..=REACH).contains(&from_string) && pitch <= HIGHEST {
                cents[key.index()] = touchback_core::math::cast::single(from_string);
            } else {
                silent.insert(key);
            }
        }
        if silent == KeySet::ALL {
            return error(
                1,
                "every key would lie more than four octaves from its string's pitch; use another \
                 key map",
            );
        }
        Ok(Self { cents, silent })
    }

    /// Cents of `key` against equal temperament at A4 = 440 Hz; 0 for a silent key.
    #[must_use]
    pub fn cents(&self, key: KeyNumber) -> f64 {
        f64::from(self.cents[key.index()])
    }

    /// Keys whose pitch their string does not reach.
    #[must_use]
    pub const fn silent(&self) -> KeySet {
        self.silent
    }
}

impl serde::Serialize for Scale {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let each = KeyNumber::all().map(|key| {
            let cents = self.cents[key.index()];
            (!self.silent.contains(key)).then_some(cents)
        });
        serializer.collect_seq(each)
    }
}

impl<'de> serde::Deserialize<'de> for Scale {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Vec::<Option<f32>>::deserialize(deserializer)?;
        let all: [Option<f32>; KEYS] = all
            .try_into()
            .map_err(|c: Vec<_>| serde::de::Error::invalid_length(c.len(), &"88 numbers"))?;
        if !all.iter().flatten().all(|c| f64::from(c.abs()) <= REACH) {
            return Err(serde::de::Error::custom("a scale's cents must lie within ±4800"));
        }
        let mut silent = KeySet::EMPTY;
        let keys = KeyNumber::all().zip(all);
        keys.filter(|(_, cents)| cents.is_none()).for_each(|(key, _)| silent.insert(key));
        Ok(Self { cents: all.map(Option::unwrap_or_default), silent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::temperament::Temperament;

    const QUARTER: &str = "! meanquar.scl\n!\n1/4-comma meantone\n 12\n!\n 76.04900\n 193.15686\n \
        310.26471\n 5/4\n 503.42157\n 579.47057\n 696.57843\n 25/16\n 889.73529\n 1006.84314\n \
        1082.89214\n 2/1\n";

    #[test]
    fn a_scale_file_is_the_temperament_it_describes() {
        let scale = Scale::new(&notes(QUARTER).unwrap(), &KeyMap::plain(440.0)).unwrap();
        for key in KeyNumber::all() {
            let known = Temperament::QuarterComma.cents(key);
            assert!((scale.cents(key) - known).abs() < 1e-3, "{key:?}");
        }
    }

    #[test]
    fn a_map_moves_the_reference_and_omits_keys() {
        let map = "! white keys\n7\n0\n127\n60\n69\n432.0\n7\n0\n2\n4\n5\n7\n9\n11\n";
        let map = KeyMap::read(map).unwrap();
        // Seven keys from middle C carry the seven degrees of a major scale.
        let scale = Scale::new(
            &notes(
                "equal\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n\
            800.\n900.\n1000.\n1100.\n2/1",
            )
            .unwrap(),
            &map,
        );
        assert!(scale.is_ok());
        let sparse = KeyMap::read("2\n0\n127\n60\n60\n261.6255653\n1\nx\n0\n").unwrap();
        let refused = Scale::new(&[1200.0], &sparse).unwrap_err();
        assert!(refused.what.contains("reference note 60"));
        let halves = KeyMap::read("2\n0\n127\n60\n60\n261.6255653\n1\n0\nx\n").unwrap();
        let whole = Scale::new(&[200.0], &halves).unwrap();
        for key in KeyNumber::all() {
            assert!(whole.cents(key).abs() < 1e-3, "{key:?}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line) in [
            ("", 1),
            ("name\n", 2),
            ("name\nmany\n", 2),
            ("name\n0\n", 2),
            ("name\n2\n100.\n", 4),
            ("name\n1\n! hm\n3:2\n", 4),
            ("name\n1\n1/0\n", 3),
            ("name\n1\n-3/2\n", 3),
            ("name\n1\n1e999.\n", 3),
        ] {
            assert_eq!(notes(text).unwrap_err().line, line, "{text:?}");
        }
        for (text, line) in [
            ("", 1),
            ("12\n0\n127\n60\n69\n0\n12\n", 6),
            ("12\n0\n200\n", 3),
            ("1.5\n", 1),
            ("1\n0\n127\n60\n69\n440\n1\nfoo\n", 8),
        ] {
            assert_eq!(KeyMap::read(text).unwrap_err().line, line, "{text:?}");
        }
        let map = KeyMap::read("0\n0\n127\n60\n21\n20000\n0\n").unwrap();
        let far = Scale::new(&[1200.0], &map).unwrap_err();
        assert!(far.what.contains("four octaves"), "{far}");
    }

    #[test]
    fn keys_beyond_the_reach_of_their_string_are_silent() {
        // Steps of 240 and 2400 cents for 100: 140 and 2300 cents a key from A4, at most 4500 cents above it.
        for (step, below, above) in [(240.0, -34, 18), (2400.0, -2, 1)] {
            let scale = Scale::new(&[step], &KeyMap::plain(440.0)).unwrap();
            for key in KeyNumber::all() {
                let from_a4 = i32::from(key.midi()) - 69;
                let is_silent = !(below..=above).contains(&from_a4);
                assert_eq!(scale.silent().contains(key), is_silent, "{key:?}");
                let cents = if is_silent { 0.0 } else { step - 100.0 };
                assert!((scale.cents(key) - cents * f64::from(from_a4)).abs() < 1e-3);
            }
            let text = serde_json::to_string(&scale).unwrap();
            assert_eq!(serde_json::from_str::<Scale>(&text).unwrap(), scale);
        }
    }

    #[test]
    fn scales_are_read_as_other_readers_do() {
        let plain = notes("just\n4\n9/8\n386.3\n3/2\n2/1\n").unwrap();
        for text in [
            "! just.scl\r\n!\r\njust\r\n 4\r\n!\r\n 9/8\r\n 386.3\r\n 3/2\r\n 2/1",
            "just\r4\r9/8\r386.3\r3/2\r2/1\r",
            "just\n\n4 notes\n\n9/8\n386,3\n\n3/2\n2\n",
            "\n4\n9 / 8 tone\n386.3 cents ! third\n3/ 2\n2/1!octave\nthe rest is text\n5/4\n",
            "\u{feff}just\n 4!\n9 /8\n386.3¢\n3/2\n2/1\n\u{1a}",
        ] {
            assert_eq!(notes(text).unwrap(), plain, "{text:?}");
        }
        let map = KeyMap::read("12\n0\n127\n60\n69\n432.0\n12\n").unwrap();
        assert!(map.degrees.is_empty(), "one key per degree");
        let map = KeyMap::read("3\n0\n127\n60\n60\n262\n12\n0\n2").unwrap();
        assert_eq!(map.degrees, [Some(0), Some(2), None]);
        let plain = KeyMap::read("0\n0\n127\n60\n69\n432.5\n0\n").unwrap();
        for text in [
            "! map\r\n0\r\n0\r\n127\r\n60\r\n69\r\n432,5\r\n0",
            "0 keys\n0\n127 ! last\n60\n69\n432.5 Hz\n",
            "0\r0\r127\r60\r69\r432.5!\r",
        ] {
            assert_eq!(KeyMap::read(text).unwrap(), plain, "{text:?}");
        }
    }
}
