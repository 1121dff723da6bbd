//! Where energy turns to heat: the power of each element of an action.

/// Most elements that an action names.
const MOST: usize = 28;

/// The power that each element turns into heat at one moment, W.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    names: &'static [&'static str],
    watts: [f64; MOST],
}

impl Losses {
    /// Of an action that names no elements.
    pub const NONE: Self = Self { names: &[], watts: [0.0; MOST] };

    /// `watts` of the elements `names`, at most 24.
    #[must_use]
    pub fn new<const K: usize>(names: &'static [&'static str; K], watts: [f64; K]) -> Self {
        const { assert!(K <= MOST) };
        let mut losses = Self { names, ..Self::NONE };
        losses.watts[..K].copy_from_slice(&watts);
        losses
    }

    /// Each element with its power, W, in the action's own order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.names.iter().copied().zip(self.watts)
    }

    /// All of it, W.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.iter().map(|(_, watts)| watts).sum()
    }
}
