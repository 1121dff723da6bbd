//! Data shared by all pianos at one sample rate: the board's responses at each pair of microphones, and
//! the keys' level equalization. Some megabytes, and most of the time of making a piano; read only.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use crate::convolve::Filter;
use crate::microphones::PAIRS;
use crate::{board, level_equalization};
use touchback_core::math::compass::KEYS;
use touchback_core::math::shared::SharedValues;

/// Number of pairs that the calling thread computes, with the level equalization; the others take as long.
const FIRST_PAIRS: usize = 2;

/// Responses and level equalization at one sample rate.
pub struct SharedBoard {
    /// Responses by pair.
    filters: Vec<Filter>,
    /// Factor on each key's force: [`level_equalization::factors`].
    level_factors: [f32; KEYS],
}

impl SharedBoard {
    /// The shared board at `sample_rate` Hz, computed unless it exists already. Allocates, and may wait for
    /// another thread that computes it.
    #[must_use]
    pub fn at(sample_rate: f64) -> Arc<Self> {
        static BOARDS: SharedValues<u64, SharedBoard> = SharedValues::new();
        BOARDS.get(sample_rate.to_bits(), || Self::computed(sample_rate))
    }

    /// Computes the pairs on two threads, where the system gives a second one.
    fn computed(sample_rate: f64) -> Self {
        let filters = |pairs: Range<usize>| {
            let responses = board::responses_of(pairs, sample_rate);
            (responses.iter().map(Filter::new).collect::<Vec<_>>(), responses)
        };
        let (on_second, here) = (FIRST_PAIRS..PAIRS, 0..FIRST_PAIRS);
        thread::scope(|scope| {
            let second =
                thread::Builder::new().spawn_scoped(scope, || filters(on_second.clone()).0);
            let (mut of_pairs, responses) = filters(here);
            let level_factors = level_equalization::factors(&responses[0], sample_rate);
            let others = second.ok().and_then(|second| second.join().ok());
            of_pairs.extend(others.unwrap_or_else(|| filters(on_second.clone()).0));
            Self { filters: of_pairs, level_factors }
        })
    }

    /// The responses of a pair.
    #[must_use]
    pub fn filter(&self, pair: usize) -> &Filter {
        &self.filters[pair]
    }

    /// Factor on each key's force on the board.
    #[must_use]
    pub const fn level_factors(&self) -> &[f32; KEYS] {
        &self.level_factors
    }
}
