//! MIDI files of one track.

use midly::num::{u15, u24, u28};
use midly::{Format, Header, MetaMessage, Smf, Timing, TrackEvent, TrackEventKind};

/// The tempo, µs per quarter.
#[must_use]
pub fn tempo(microseconds: u32) -> TrackEventKind<'static> {
    TrackEventKind::Meta(MetaMessage::Tempo(u24::new(microseconds)))
}

/// A file of format 0 with `events` (tick and event, in any order; events of one tick keep their order)
/// that ends at tick `end` or with the last event.
#[must_use]
pub fn bytes(
    ticks_a_quarter: u16,
    mut events: Vec<(u32, TrackEventKind<'_>)>,
    end: u32,
) -> Vec<u8> {
    events.sort_by_key(|(tick, _)| *tick);
    let end = events.last().map_or(end, |(tick, _)| end.max(*tick));
    events.push((end, TrackEventKind::Meta(MetaMessage::EndOfTrack)));
    let mut last = 0;
    let track = events.into_iter().map(|(tick, kind)| {
        let delta = u28::new((tick - last).min(u28::max_value().as_int()));
        last = tick;
        TrackEvent { delta, kind }
    });
    let timing = Timing::Metrical(u15::new(ticks_a_quarter));
    let header = Header::new(Format::SingleTrack, timing);
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = Smf { header, tracks: vec![track.collect()] }.write_std(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use midly::MidiMessage;

    #[test]
    fn events_are_written_in_order_with_their_ticks() {
        let on = |note: u8| TrackEventKind::Midi {
            channel: 0.into(),
            message: MidiMessage::NoteOn { key: note.into(), vel: 64.into() },
        };
        let events = vec![(0, tempo(500_000)), (480, on(62)), (0, on(60)), (480, on(61))];
        for (end, pause) in [(0, 0), (960, 480)] {
            let bytes = bytes(480, events.clone(), end);
            let smf = Smf::parse(&bytes).unwrap();
            assert_eq!(smf.header, Header::new(Format::SingleTrack, Timing::Metrical(480.into())));
            let found: Vec<_> = smf.tracks[0].iter().map(|e| (e.delta.as_int(), e.kind)).collect();
            let expected = [
                (0, tempo(500_000)),
                (0, on(60)),
                (480, on(62)),
                (0, on(61)),
                (pause, TrackEventKind::Meta(MetaMessage::EndOfTrack)),
            ];
            assert_eq!(found, expected);
        }
    }
}
