//! Data shared by all pianos at one sample rate: the board's responses at each pair of microphones. Some
//! megabytes, and most of the time of making a piano; read only.

use std::sync::Arc;

use crate::board::microphones::PAIRS;
use crate::board::response;
use crate::signal::convolve::Filter;
use touchback_core::math::shared::SharedValues;

/// Responses at one sample rate.
pub struct SharedBoard {
    /// Responses by pair.
    filters: Vec<Filter>,
}

impl SharedBoard {
    /// The shared board at `sample_rate` Hz, computed unless it exists already. Allocates, and may wait for
    /// another thread that computes it.
    #[must_use]
    pub fn at(sample_rate: f64) -> Arc<Self> {
        static BOARDS: SharedValues<u64, SharedBoard> = SharedValues::new();
        BOARDS.get(sample_rate.to_bits(), || Self::computed(sample_rate))
    }

    fn computed(sample_rate: f64) -> Self {
        let responses = response::responses_of(0..PAIRS, sample_rate);
        Self { filters: responses.iter().map(Filter::new).collect() }
    }

    /// The responses of a pair.
    #[must_use]
    pub fn filter(&self, pair: usize) -> &Filter {
        &self.filters[pair]
    }
}
