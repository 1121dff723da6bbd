//! Scales and keyboard maps in Scala's formats, `.scl` and `.kbm` [Op de Coul 2001].
//!
//! Text in, a [`Scale`] out; files are read elsewhere. The crate `tuning-library-rs` 0.1 reads both
//! formats as well, but its errors name no line.

mod other_formats;
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

/// The words of a reference pitch in a comment of an `.ascl` file [Ableton 2023].
fn reference(row: &str) -> Option<Vec<&str>> {
    let comment = row.trim_start().strip_prefix('!')?.trim_start();
    let mut words = comment.strip_prefix("@ABL")?.split_whitespace();
    (words.next() == Some("REFERENCE_PITCH")).then(|| words.collect())
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

    /// The map of a scale file without a `.kbm`: that of its reference pitch, if the text has one as Ableton's
    /// `.ascl` files, otherwise [`Self::plain`] at 440 Hz. `notes` are those of the text.
    ///
    /// The octave of a reference pitch is counted differently by different programs; the reference note is placed
    /// so that the scale begins, on middle C, as near to 261.6 Hz as its octaves allow.
    ///
    /// # Errors
    /// The line of a reference pitch that is none.
    pub fn of_scale(text: &str, notes: &[f64]) -> Result<Self, ScaleError> {
        let plain = Self::plain(440.0);
        let given = (1..).zip(rows(text)).find_map(|(line, row)| Some((line, reference(row)?)));
        let Some((line, words)) = given else { return Ok(plain) };
        let [_, index, hz] = [0, 1, 2].map(|i| words.get(i).and_then(|word| number(word)));
        let index = index.filter(|i| i.fract() == 0.0 && (0.0..notes.len() as f64).contains(i));
        let (Some(index), Some(hz)) = (index, hz.filter(|hz| (1.0..=20_000.0).contains(hz))) else {
            let what = format!(
                "'{}' is no reference pitch; give octave, note 0…{} and frequency, Hz",
                words.join(" "),
                notes.len() - 1
            );
            return error(line, what);
        };
        let index = touchback_core::math::cast::rounded_i32(index);
        let from_first = match usize::try_from(index - 1) {
            Ok(above) => notes[above],
            Err(_) => 0.0,
        };
        let octave = notes[notes.len() - 1];
        let to_middle = -900.0 - (1200.0 * libm::log2(hz / 440.0) - from_first);
        let octaves = if octave == 0.0 { 0.0 } else { (to_middle / octave).round() };
        let size = i32::try_from(notes.len()).unwrap_or(i32::MAX);
        let moved = touchback_core::math::cast::rounded_i32(octaves).saturating_mul(size);
        Ok(Self { reference: (plain.middle + index).saturating_sub(moved), hz, ..plain })
    }

    /// Reads a `.kbm` text.
    ///
    /// # Errors
    /// The line that violates the format.
    pub fn read(text: &str) -> Result<Self, ScaleError> {
        other_formats::refuse(text)?;
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
    other_formats::refuse(text)?;
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
        _ => {
            let what = format!("'{}' notes; give 1…{MOST_NOTES}", word(count));
            return Err(other_formats::key_map(text).unwrap_or(ScaleError { line, what }));
        }
    };
    let mut cents = Vec::with_capacity(count);
    while cents.len() < count {
        let Some((line, text)) = lines.next() else {
            let what = format!("{} notes of {count} are here", cents.len());
            return Err(other_formats::key_map(text).unwrap_or(ScaleError { line: end, what }));
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
    let (above, below) = ratio.split_once('/').unwrap_or((&ratio, "1"));
    let [above, below] = [above, below].map(whole);
    let ((above, tens), (below, other_tens)) = (above?, below?);
    let octaves = libm::log2(above / below) + (tens - other_tens) * std::f64::consts::LOG2_10;
    Some(1200.0 * octaves)
}

/// Most digits of a whole number that double precision holds in its range.
const MOST_DIGITS: usize = 300;

/// A positive whole number of any size: a number, and the power of ten by which it is to be multiplied.
fn whole(digits: &str) -> Option<(f64, f64)> {
    let digits = digits.strip_prefix('+').unwrap_or(digits).trim_start_matches('0');
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let (leading, rest) = digits.split_at(digits.len().min(MOST_DIGITS));
    Some((leading.parse().ok()?, rest.len() as f64))
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
mod tests;
