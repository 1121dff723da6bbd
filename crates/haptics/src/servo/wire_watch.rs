//! Watch of the wire: round trips and the lead they need, states that come in chunks.

use crate::session::SILENCE;

/// Round trips that are kept, and the least number for a judgement.
const KEPT: usize = 32;
/// See [`KEPT`].
const LEAST: usize = 8;
/// Share of the round trips that the lead covers.
const COVERED: f64 = 0.9;
/// Least difference between the lead and what the wire needs that counts, s.
const MARGIN: f64 = 50e-6;
/// Number of chunks within [`CHUNK_TIME`] from which the wire counts as chunked.
const CHUNKS: u32 = 3;
/// Time after which chunks are forgotten, s.
const CHUNK_TIME: f64 = 2.0;

/// Arrival of a state.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Arrival {
    /// Number of the state.
    seq: u16,
    /// Time, s.
    time: f64,
}

/// Watch of the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WireWatch {
    trips: [f64; KEPT],
    count: usize,
    /// Arrival of the last state.
    arrival: Option<Arrival>,
    /// Number of recent chunks, the time of the last one, s, and the longest silence before a chunk, s.
    chunks: u32,
    last_chunk: f64,
    chunk: f64,
}

impl Default for WireWatch {
    fn default() -> Self {
        Self {
            trips: [0.0; KEPT],
            count: 0,
            arrival: None,
            chunks: 0,
            last_chunk: f64::NEG_INFINITY,
            chunk: 0.0,
        }
    }
}

impl WireWatch {
    /// Notes a round trip, s.
    pub(crate) const fn note_trip(&mut self, trip: f64) {
        self.trips[self.count % KEPT] = trip;
        self.count += 1;
        if self.count >= 3 * KEPT {
            self.count -= KEPT;
        }
    }

    /// Enough round trips are known.
    pub const fn is_known(&self) -> bool {
        self.count >= LEAST
    }

    /// Lead that the wire needs, s: nine of ten round trips are shorter. None before eight round trips.
    pub fn lead(&self) -> Option<f64> {
        if !self.is_known() {
            return None;
        }
        let mut trips = self.trips;
        let known = trips.get_mut(..self.count.min(KEPT))?;
        known.sort_unstable_by(f64::total_cmp);
        let last = known.len() - 1;
        let place = touchback_core::math::cast::floor_index(COVERED * last as f64);
        known.get(place).map(|trip| (trip - MARGIN).max(0.0))
    }

    /// Notes that a state of the number `seq` came at `now`, s.
    pub(crate) fn note_state(&mut self, seq: u16, now: f64) {
        let Some(last) = self.arrival.replace(Arrival { seq, time: now }) else { return };
        let silence = now - last.time;
        // After a silence of the keyboard itself, states are missing.
        if silence <= SILENCE || seq.wrapping_sub(last.seq) != 1 {
            return;
        }
        if now - self.last_chunk > CHUNK_TIME {
            (self.chunks, self.chunk) = (0, 0.0);
        }
        self.chunks += 1;
        self.last_chunk = now;
        self.chunk = self.chunk.max(silence);
    }

    /// This computer has stood still: it cannot tell how states came.
    pub const fn pause(&mut self) {
        self.arrival = None;
    }

    /// Longest silence before a chunk, s, where states come in chunks at `now`, s.
    pub fn chunk(&self, now: f64) -> Option<f64> {
        (self.chunks >= CHUNKS && now - self.last_chunk <= CHUNK_TIME).then_some(self.chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_covers_nine_of_ten_round_trips() {
        let mut wire = WireWatch::default();
        assert_eq!(wire.lead(), None);
        for i in 0..100 {
            wire.note_trip(if i % 20 == 7 { 9e-3 } else { 1.5e-3 });
        }
        assert!((wire.lead().unwrap() - 1.45e-3).abs() < 1e-9);
    }

    #[test]
    fn three_chunks_within_two_seconds_are_chunks() {
        let mut wire = WireWatch::default();
        for seq in 0..600u16 {
            wire.note_state(seq, f64::from(seq / 150) * 0.15);
        }
        assert_eq!((wire.chunk(0.5), wire.chunk(3.0)), (Some(wire.chunk), None));
        // A keyboard that was silent has lost states.
        let mut wire = WireWatch::default();
        for seq in 0..600u16 {
            wire.note_state(seq + 100 * (seq / 150), f64::from(seq / 150) * 0.15);
        }
        assert_eq!(wire.chunk(0.5), None);
    }
}
