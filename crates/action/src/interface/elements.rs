//! Dissipated power of each element of an action.

/// Largest number of elements of an action.
const MOST: usize = 28;

/// Power dissipated by each element at one instant, W.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    names: &'static [&'static str],
    watts: [f64; MOST],
}

impl Losses {
    /// Losses of an action without elements.
    pub const NONE: Self = Self { names: &[], watts: [0.0; MOST] };

    /// The power `watts` of each of the elements `names`, at most 28.
    #[must_use]
    pub fn new<const K: usize>(names: &'static [&'static str; K], watts: [f64; K]) -> Self {
        const { assert!(K <= MOST) };
        let mut losses = Self { names, ..Self::NONE };
        losses.watts[..K].copy_from_slice(&watts);
        losses
    }

    /// Each element with its power, W, in the order of the action.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.names.iter().copied().zip(self.watts)
    }

    /// Sum of all elements, W.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.iter().map(|(_, watts)| watts).sum()
    }
}
