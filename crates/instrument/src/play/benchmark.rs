//! Music for measuring the cost of a piano.

use crate::{Event, Piano};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;

/// Samples of a beat of dense music: 64 ms at 48 kHz, a multiple of the usual block sizes.
pub const BEAT: usize = 3072;

/// Plays the events of `beat` of dense music: one note under the pedal, which is changed every 16 beats.
pub fn dense(piano: &mut Piano, beat: usize, random: &mut Random) {
    if beat.is_multiple_of(16) {
        piano.handle(Event::Sustain(0.0));
    } else if beat % 16 == 1 {
        piano.handle(Event::Sustain(1.0));
    }
    let index = usize::try_from(12 + random.below(60)).unwrap_or(0);
    if let Some(key) = KeyNumber::from_index(index) {
        let velocity = (40 + random.below(70)) as f64 / 127.0;
        piano.handle(Event::NoteOff { key, velocity: 0.5 });
        piano.handle(Event::NoteOn { key, velocity });
    }
}
