//! The last stage of the convolution, from tap 4096 on (85 ms at 48 kHz), which economy leaves out.

use super::COMPLETE;

/// Share of the last stage in the outputs; changes fade. Counts blocks.
#[derive(Debug)]
pub struct Tail {
    state: State,
    is_wanted: bool,
    /// Blocks of a fade.
    fade: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Out,
    /// Computed, and not complete for as many blocks.
    Preparing(usize),
    /// Fading in for as many blocks more.
    FadingIn(usize),
    In,
    /// Fading out for as many blocks more.
    FadingOut(usize),
}

impl Tail {
    /// In the outputs; changes fade over `fade` blocks.
    pub const fn new(fade: usize) -> Self {
        Self { state: State::In, is_wanted: true, fade }
    }

    /// Whether the outputs shall contain it, from the next block on.
    pub const fn want(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
    }

    /// The last request takes effect at once; call it while all history is zero.
    pub const fn settle(&mut self) {
        self.state = if self.is_wanted { State::In } else { State::Out };
    }

    /// Begins a block.
    pub const fn begin_block(&mut self) {
        self.state = match (self.state, self.is_wanted) {
            (State::Out, false) => State::Out,
            (State::Out, true) => State::Preparing(COMPLETE),
            (State::Preparing(_), false) => State::Out,
            (State::Preparing(1), true) => State::FadingIn(self.fade),
            (State::Preparing(left), true) => State::Preparing(left - 1),
            // A fade that has begun ends first.
            (State::FadingIn(1), _) => State::In,
            (State::FadingIn(left), _) => State::FadingIn(left - 1),
            (State::In, true) => State::In,
            (State::In, false) => State::FadingOut(self.fade),
            (State::FadingOut(1), _) => State::Out,
            (State::FadingOut(left), _) => State::FadingOut(left - 1),
        };
    }

    /// Whether the outputs compute it.
    pub(crate) const fn is_computed(&self) -> bool {
        !matches!(self.state, State::Out)
    }

    /// Its share at the beginning of the present block and at the end.
    pub fn shares(&self) -> [f32; 2] {
        let part = |blocks: usize| blocks as f32 / self.fade as f32;
        match self.state {
            State::Out | State::Preparing(_) => [0.0; 2],
            State::In => [1.0; 2],
            State::FadingIn(left) => [self.fade - left, self.fade - left + 1].map(part),
            State::FadingOut(left) => [left, left - 1].map(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_moves_without_a_step_and_is_complete_before() {
        let mut tail = Tail::new(5);
        let mut last = 1.0;
        for block in 0..2 * COMPLETE + 60 {
            tail.want(!(10..20).contains(&block));
            tail.begin_block();
            let [from, to] = tail.shares();
            assert_eq!(from, last, "block {block}");
            assert!((to - from).abs() <= 0.2 + f32::EPSILON);
            assert!(tail.is_computed() || to == 0.0);
            if (20..20 + COMPLETE).contains(&block) {
                assert_eq!(to, 0.0);
            }
            last = to;
        }
        assert_eq!(last, 1.0);
        tail.want(false);
        tail.settle();
        assert_eq!((tail.shares(), tail.is_computed()), ([0.0; 2], false));
    }
}
