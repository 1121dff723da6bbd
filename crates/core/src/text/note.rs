//! Names of notes and keys.

use crate::math::compass::KeyNumber;

/// The key that is all of `text`: its number, 1 to 88, or a note, A0 to C8.
#[must_use]
pub fn key(text: &str) -> Option<KeyNumber> {
    match text.parse::<usize>() {
        Ok(number) => KeyNumber::from_index(number.checked_sub(1)?),
        Err(_) => KeyNumber::from_midi(u8::try_from(midi(text)?).ok()?),
    }
}

/// MIDI number of the note that is all of `text`, in any case: `c4`, `F#3`, `F♯3`, `Fs3`, `eb-1`; C4 is 60.
#[must_use]
pub fn midi(text: &str) -> Option<i32> {
    let name = text.to_lowercase();
    let (head, below) = name
        .split_once('-')
        .map_or((name.clone(), false), |(step, octave)| (format!("{step}{octave}"), true));
    let (number, _) = prefix(&head).filter(|(_, length)| *length == head.len())?;
    // The name ends with the digit of its octave.
    let octave = i32::from(*head.as_bytes().last()? - b'0');
    Some(if below { number - 24 * octave } else { number })
}

/// MIDI number of the note at the beginning of `text`, in lower case, and the length of its name.
#[must_use]
pub fn prefix(text: &str) -> Option<(i32, usize)> {
    let mut letters = text.chars();
    let step = match letters.next()? {
        'c' => 0,
        'd' => 2,
        'e' => 4,
        'f' => 5,
        'g' => 7,
        'a' => 9,
        'b' => 11,
        _ => return None,
    };
    let shift = match letters.next()? {
        '#' | 's' | '♯' => 1,
        'b' | '♭' => -1,
        _ => {
            letters = text[1..].chars();
            0
        }
    };
    let rest = letters.as_str();
    // One digit only: a number in a file name can be arbitrarily long.
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let octave: i32 = rest[..digits].parse().ok().filter(|_| digits == 1)?;
    Some((12 * (octave + 1) + step + shift, text.len() - rest.len() + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_case_and_spelling_are_notes() {
        let names =
            ["c4", "C#4", "C♯4", "CS4", "Db4", "DB4", "D♭4", "a0", "C-1", "g9", "B3", "bb3"];
        let numbers = names.map(midi);
        let read = [60, 61, 61, 61, 61, 61, 61, 21, 0, 127, 59, 58].map(Some);
        assert_eq!(numbers, read);
        for text in
            ["c", "c44", "é4", "a1#", "a1'", "c4 ", "c4é", "-", "c-", "b2147483647", "h4", "4", ""]
        {
            assert_eq!(midi(text), None, "{text}");
        }
        let keys = ["1", "88", "A0", "c8", "C♯4", "0", "89", "G0", "c#8", "4.0", ""];
        let numbers = keys.map(|text| key(text).map(KeyNumber::number));
        assert_eq!(numbers[..5], [1, 88, 1, 88, 41].map(Some));
        assert_eq!(numbers[5..], [None; 6]);
    }
}
