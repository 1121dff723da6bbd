//! What all pianos at one sample rate have in common: the board as each pair of microphones hears it,
//! and the gains that even its keys out. Some megabytes, and most of the time that a piano takes to be
//! made; read only.

use std::sync::Arc;

use crate::convolve::Filter;
use crate::microphones::PAIRS;
use crate::{board, level_equalization};
use touchback_core::math::compass::KEYS;
use touchback_core::math::shared::SharedValues;

/// See the module.
pub struct SharedBoard {
    /// By pair.
    filters: Vec<Filter>,
    /// See [`level_equalization::factors`].
    evenness: [f32; KEYS],
}

impl SharedBoard {
    /// That of `sample_rate` Hz, computed unless a piano has it already. Allocates, and may wait for
    /// another thread that computes it.
    #[must_use]
    pub fn at(sample_rate: f64) -> Arc<Self> {
        static BOARDS: SharedValues<u64, SharedBoard> = SharedValues::new();
        BOARDS.get(sample_rate.to_bits(), || Self::computed(sample_rate))
    }

    fn computed(sample_rate: f64) -> Self {
        let responses = board::responses_of(0..PAIRS, sample_rate);
        Self {
            filters: responses.iter().map(Filter::new).collect(),
            evenness: level_equalization::factors(&responses[0], sample_rate),
        }
    }

    /// The responses of a pair.
    #[must_use]
    pub fn filter(&self, pair: usize) -> &Filter {
        &self.filters[pair]
    }

    /// Factor on each key's force on the board.
    #[must_use]
    pub const fn evenness(&self) -> &[f32; KEYS] {
        &self.evenness
    }
}
