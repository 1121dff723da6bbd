//! Johann Sebastian Bach, Prelude in C major, BWV 846 (The Well-Tempered Clavier I, 1722): Bach's text of
//! 35 bars, without the bar that later editions insert after bar 22.

/// Sixteenths in a bar.
pub(super) const BAR: usize = 16;

/// Bars 1…32: five MIDI notes from the bass, broken as 1 2 3 4 5 3 4 5, twice per bar.
const BROKEN: [[u8; 5]; 32] = [
    [60, 64, 67, 72, 76],
    [60, 62, 69, 74, 77],
    [59, 62, 67, 74, 77],
    [60, 64, 67, 72, 76],
    [60, 64, 69, 76, 81],
    [60, 62, 66, 69, 74],
    [59, 62, 67, 74, 79],
    [59, 60, 64, 67, 72],
    [57, 60, 64, 67, 72],
    [50, 57, 62, 66, 72],
    [55, 59, 62, 67, 71],
    [55, 58, 64, 67, 73],
    [53, 57, 62, 69, 74],
    [53, 56, 62, 65, 71],
    [52, 55, 60, 67, 72],
    [52, 53, 57, 60, 65],
    [50, 53, 57, 60, 65],
    [43, 50, 55, 59, 65],
    [48, 52, 55, 60, 64],
    [48, 55, 58, 60, 64],
    [41, 53, 57, 60, 64],
    [42, 48, 57, 60, 63],
    [44, 53, 59, 60, 62],
    [43, 53, 55, 59, 62],
    [43, 52, 55, 60, 64],
    [43, 50, 55, 60, 65],
    [43, 50, 55, 59, 65],
    [43, 51, 57, 60, 66],
    [43, 52, 55, 60, 67],
    [43, 50, 55, 60, 65],
    [43, 50, 55, 59, 65],
    [36, 48, 55, 58, 64],
];

/// Order in which a bar's five notes are broken in each of its halves.
const ORDER: [usize; 8] = [0, 1, 2, 3, 4, 2, 3, 4];

/// Bars 33 and 34: bass, tenor, then single notes; bass and tenor are held to the bar's end.
const CODA: [[u8; BAR]; 2] = [
    [36, 48, 53, 57, 60, 65, 60, 57, 60, 57, 53, 57, 53, 50, 53, 50],
    [36, 47, 67, 71, 74, 77, 74, 71, 74, 71, 67, 71, 62, 65, 64, 62],
];

/// Bar 35: the closing chord.
const CLOSE: [u8; 5] = [36, 48, 64, 67, 72];

/// A written note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScoreNote {
    /// Bar, from 0.
    pub(super) bar: usize,
    /// Sixteenth within the bar, from 0.
    pub(super) position: usize,
    /// Length in sixteenths.
    pub(super) length: usize,
    /// MIDI note.
    pub(super) pitch: u8,
}

/// Number of bars.
pub const BARS: usize = BROKEN.len() + CODA.len() + 1;

/// All notes in order of time.
pub(super) fn notes() -> Vec<ScoreNote> {
    let mut notes = Vec::new();
    for (bar, five) in BROKEN.iter().enumerate() {
        for (half, (i, voice)) in (0..2).flat_map(|h| ORDER.iter().enumerate().map(move |o| (h, o)))
        {
            // Bass a half note, tenor a dotted eighth tied to a quarter, the others sixteenths.
            let length = if i < 2 { 8 - i } else { 1 };
            notes.push(ScoreNote { bar, position: half * 8 + i, length, pitch: five[*voice] });
        }
    }
    for (i, sixteen) in CODA.iter().enumerate() {
        for (position, pitch) in sixteen.iter().enumerate() {
            let length = if position < 2 { BAR - position } else { 1 };
            notes.push(ScoreNote { bar: BROKEN.len() + i, position, length, pitch: *pitch });
        }
    }
    let last = CLOSE.map(|pitch| ScoreNote { bar: BARS - 1, position: 0, length: BAR, pitch });
    notes.extend(last);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prelude_is_complete() {
        let notes = notes();
        assert_eq!(BARS, 35);
        assert_eq!(notes.len(), 34 * 16 + 5);
        assert!(notes.is_sorted_by_key(|n| (n.bar, n.position)));
        // Every sixteenth of the first 34 bars has its note.
        assert!(notes.iter().take(34 * 16).enumerate().all(|(i, n)| n.bar * BAR + n.position == i));
        assert!(notes.iter().all(|n| n.position + n.length <= BAR));
    }

    #[test]
    fn no_key_is_struck_while_it_is_held() {
        let notes = notes();
        for (i, a) in notes.iter().enumerate() {
            let end = a.bar * BAR + a.position + a.length;
            let clash =
                notes[i + 1..].iter().any(|b| b.pitch == a.pitch && b.bar * BAR + b.position < end);
            assert!(!clash, "{a:?}");
        }
    }
}
