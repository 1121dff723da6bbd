//! The state graph of a mechanism: its submodels and the transitions between them.

/// A transition between submodels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Index of the submodel before the transition.
    pub from: u8,
    /// Index of the submodel after it.
    pub to: u8,
    /// The condition, in words or as the mechanism's file writes it.
    pub when: &'static str,
}

/// Submodels and transitions of a mechanism.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Graph<'a> {
    /// Names of the submodels, in the order of their numbers in
    /// [`SavedState::phase`](super::key::SavedState::phase).
    pub submodels: &'a [&'static str],
    /// The transitions, each pair of submodels once.
    pub transitions: &'a [Transition],
}

impl Graph<'_> {
    /// The graph of a mechanism without submodels.
    pub const NONE: Self = Self { submodels: &[], transitions: &[] };

    /// Name of the submodel `phase`; empty if there is none.
    #[must_use]
    pub fn name(&self, phase: u8) -> &'static str {
        self.submodels.get(usize::from(phase)).copied().unwrap_or("")
    }
}

/// Place of the submodel `index` of `count` in a drawing: on the unit circle, x to the right, y down.
#[must_use]
pub fn place(index: usize, count: usize) -> [f64; 2] {
    let first = if count == 2 { 0.5 } else { 0.75 };
    let turn = std::f64::consts::TAU * (first + index as f64 / count.max(1) as f64);
    [libm::cos(turn), libm::sin(turn)]
}

/// Transitions from submodel to submodel under a condition, for constants.
pub(crate) const fn transition(from: u8, to: u8, when: &'static str) -> Transition {
    Transition { from, to, when }
}
