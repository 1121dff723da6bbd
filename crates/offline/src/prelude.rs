//! A performance of the prelude: timing, dynamics and pedal, as a MIDI file.
//!
//! Notes are on the written grid and the tempo map holds the rubato, so that the file also reads as a
//! score. Timing and dynamics are chosen by ear and by the harmony, not taken from a recording.

mod text;

pub use text::BARS;

use midly::{MidiMessage, TrackEventKind};

use text::{BAR, ScoreNote, notes};
use touchback_core::math::cast::{byte, count, floor_index};
use touchback_core::math::compass::linear;
use touchback_instrument::host::midi_file::write as midi_file;

/// Ticks per sixteenth, and per quarter.
const SIXTEENTH: usize = 240;
const QUARTER: u16 = 960;

/// Tempo in the middle of a phrase, quarters per minute.
const TEMPO: f64 = 68.0;

/// Duration factor at the end of a bar, by bar number (1: tempo). Phrases end with bars 4, 11, 19, 24
/// and 31; the last three bars slow down.
const BREADTH: [(f64, f64); 16] = [
    (1.0, 1.06),
    (2.0, 1.0),
    (4.0, 1.05),
    (5.0, 1.0),
    (10.0, 1.0),
    (11.0, 1.08),
    (12.0, 1.0),
    (18.0, 1.02),
    (19.0, 1.10),
    (20.0, 1.0),
    (24.0, 1.06),
    (25.0, 1.0),
    (31.0, 1.04),
    (33.0, 1.12),
    (34.0, 1.45),
    (35.0, 1.9),
];

/// Velocity of a middle voice, by bar: a rise to the diminished chords of bars 12 and 14, the minimum at
/// bar 19, the longest rise over the dominant pedal to bar 29, then a fall.
const DYNAMICS: [(f64, f64); 14] = [
    (1.0, 46.0),
    (4.0, 50.0),
    (5.0, 56.0),
    (8.0, 50.0),
    (12.0, 62.0),
    (15.0, 54.0),
    (19.0, 44.0),
    (22.0, 58.0),
    (24.0, 52.0),
    (28.0, 74.0),
    (29.0, 78.0),
    (32.0, 58.0),
    (34.0, 46.0),
    (35.0, 36.0),
];

/// The performance of the first `bars` bars as a MIDI file of format 0.
#[must_use]
pub fn midi(bars: usize) -> Vec<u8> {
    file(bars.min(BARS), true)
}

/// The first `bars` bars without pedal, for an instrument that has none.
#[must_use]
pub fn beginning(bars: usize) -> Vec<u8> {
    file(bars.min(BARS), false)
}

/// Events with their ticks.
type Events = Vec<(u32, TrackEventKind<'static>)>;

fn file(bars: usize, pedalled: bool) -> Vec<u8> {
    let mut events = Events::new();
    for i in 0..bars * BAR {
        events.push((tick(i * SIXTEENTH), midi_file::tempo(tempo(i))));
    }
    for bar in (0..bars).filter(|_| pedalled) {
        pedal(bar, &mut events);
    }
    for note in notes().into_iter().filter(|note| note.bar < bars) {
        let start = (note.bar * BAR + note.position) * SIXTEENTH;
        // Sixteenths touch; held notes end just before the second half of the bar strikes them again.
        let end = start + note.length * SIXTEENTH - SIXTEENTH / 16;
        let key = note.pitch.into();
        let vel = velocity(&note).into();
        events.push((tick(start), channel(MidiMessage::NoteOn { key, vel })));
        events.push((tick(end), channel(MidiMessage::NoteOff { key, vel: 64.into() })));
    }
    midi_file::bytes(QUARTER, events, tick(bars * BAR * SIXTEENTH))
}

fn channel(message: MidiMessage) -> TrackEventKind<'static> {
    TrackEventKind::Midi { channel: 0.into(), message }
}

/// `ticks` as a MIDI tick; the piece is far shorter than the limit.
fn tick(ticks: usize) -> u32 {
    u32::try_from(ticks).unwrap_or(u32::MAX)
}

/// Tempo at sixteenth `i` of the piece, µs per quarter.
fn tempo(i: usize) -> u32 {
    let bars = i as f64 / BAR as f64;
    // BREADTH holds at the ends of bars.
    let breadth = linear(&BREADTH, bars + 0.5);
    // The bass of each half bar is 3 % longer (chosen).
    let lean = if i.is_multiple_of(8) { 1.03 } else { 1.0 };
    let micros = 60e6 / TEMPO * breadth * lean;
    count(micros)
}

/// Changes the pedal with the harmony of every bar: up with the bass, down once the old bar is damped,
/// through half positions. The pedal stays down in the last bar.
fn pedal(bar: usize, events: &mut Events) {
    let start = bar * BAR * SIXTEENTH;
    let mut at = |ticks, value: u8| {
        let message = MidiMessage::Controller { controller: 64.into(), value: value.into() };
        events.push((tick(ticks), channel(message)));
    };
    if bar > 0 {
        at(start, 60);
        at(start + SIXTEENTH / 16, 0);
    }
    at(start + SIXTEENTH / 2, 50);
    at(start + SIXTEENTH * 5 / 8, 90);
    at(start + SIXTEENTH * 3 / 4, 127);
    if bar + 1 == BARS {
        let end = start + BAR * SIXTEENTH;
        for (i, value) in [90, 64, 45, 25, 0].into_iter().enumerate() {
            at(end - (4 - i) * SIXTEENTH / 4, value);
        }
    }
}

fn velocity(note: &ScoreNote) -> u8 {
    let bar = note.bar as f64 + 1.0 + note.position as f64 / BAR as f64;
    let voice = match note.position % 8 {
        _ if note.bar + 1 == BARS => 0.0,
        // By position in the half bar: bass, tenor, ascent, top note, echo.
        0 => 6.0,
        1 => -2.0,
        2 | 3 => 0.0,
        4 => 5.0,
        7 => 1.0,
        _ => -4.0,
    };
    // The second half of a bar repeats the first, softer.
    let repeat = if note.bar < 32 && note.position >= 8 { -3.0 } else { 0.0 };
    byte(floor_index((linear(&DYNAMICS, bar) + voice + repeat).clamp(1.0, 127.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_instrument::host::midi::InputMessage;
    use touchback_instrument::host::midi_file::Score;

    #[test]
    fn the_file_reads_back_as_played() {
        let score = Score::read("prelude.mid", &midi(BARS)).unwrap();
        assert!(score.warnings.is_empty(), "{:?}", score.warnings);
        let ons: Vec<_> = score
            .events
            .iter()
            .filter_map(|(_, e)| match e {
                InputMessage::NoteOn { note, velocity, .. } => Some((*note, *velocity)),
                _ => None,
            })
            .collect();
        assert_eq!(ons.len(), 549);
        assert_eq!(ons[..5].iter().map(|n| n.0).collect::<Vec<_>>(), [60, 64, 67, 72, 76]);
        assert!(ons.iter().all(|n| (0.2..0.75).contains(&n.1)));
        // 35 bars of four quarters at 68 a minute last 123.5 s; the rubato adds some.
        assert!((125.0..145.0).contains(&score.end()), "{}", score.end());
        // Nothing is left sounding.
        assert!(matches!(
            score.events.last(),
            Some((_, InputMessage::Controller { number: 64, value: 0.0, .. }))
        ));
    }
}
