//! Watch of the wire: round trips and the lead they need, states that come in chunks.

use crate::session::SILENCE;
use touchback_device::fixed::since;

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

/// Time within which states arrive at once, s, and least number of them in a chunk: a clock may also jump.
const AT_ONCE: (f64, u32) = (5e-3, 10);

/// States that have arrived at once.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Batch {
    /// Arrival of the first, s.
    begun: f64,
    /// Time of the first, µs of the keyboard's clock.
    from_us: u32,
    /// Number of states.
    states: u32,
    /// The batch is a chunk and has been counted.
    is_counted: bool,
}

/// Watch of the wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WireWatch {
    trips: [f64; KEPT],
    count: usize,
    /// The last states.
    batch: Option<Batch>,
    /// Number of recent chunks, the time of the last one, s, and the longest time that a chunk covers, s.
    chunks: u32,
    last_chunk: f64,
    chunk: f64,
}

impl Default for WireWatch {
    fn default() -> Self {
        Self {
            trips: [0.0; KEPT],
            count: 0,
            batch: None,
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

    /// Notes that a state of the time `t_us`, µs of the keyboard's clock, came at `now`, s. States that came at once and
    /// cover more than [`SILENCE`] of the keyboard's time are a chunk, whatever was lost between chunks.
    pub(crate) fn note_state(&mut self, t_us: u32, now: f64) {
        let Some(batch) = self.batch.as_mut().filter(|batch| now - batch.begun < AT_ONCE.0) else {
            self.batch = Some(Batch { begun: now, from_us: t_us, states: 1, is_counted: false });
            return;
        };
        batch.states += 1;
        let covered = f64::from(since(t_us, batch.from_us)) * 1e-6;
        if covered <= SILENCE || batch.states < AT_ONCE.1 {
            return;
        }
        if now - self.last_chunk > CHUNK_TIME {
            (self.chunks, self.chunk) = (0, 0.0);
        }
        self.chunks += u32::from(!std::mem::replace(&mut batch.is_counted, true));
        self.last_chunk = now;
        self.chunk = self.chunk.max(covered);
    }

    /// Longest time that a chunk covers, s, where states come in chunks at `now`, s.
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
        for ms in 0..600u32 {
            wire.note_state(1000 * ms, f64::from(ms / 150) * 0.15);
        }
        assert_eq!((wire.chunk(0.5), wire.chunk(3.0)), (Some(0.149), None));
        // A keyboard that was silent for 0.1 s four times, and bursts of 16 ms.
        for (silence, burst) in [(100, 1), (0, 16)] {
            let mut wire = WireWatch::default();
            for ms in 0..600u32 {
                let t = ms + silence * (ms / 150);
                wire.note_state(1000 * t, f64::from(t / burst * burst) * 1e-3);
            }
            assert_eq!(wire.chunk(0.7), None, "{silence} {burst}");
        }
    }
}
