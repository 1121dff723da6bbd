//! Steps of the watched key on their way to the window: some megabytes of room, which are there while a
//! window is open.
//!
//! The window makes the room and sends its other end to the audio thread, which sends it back when the
//! window is closed: nothing is freed there.

use touchback_core::exchange::queue::{Receiver, Sender, bounded};
use touchback_instrument::trace::Sample;

/// Room for steps: two thirds of a second, many frames.
const STEPS: usize = 5333;
/// Windows that may open and close between two blocks.
const WINDOWS: usize = 64;

/// The audio thread's end.
pub(super) struct StepsIn {
    coming: Receiver<Sender<Sample>>,
    spent: Sender<Sender<Sample>>,
    steps: Option<Sender<Sample>>,
}

/// The window's end.
pub struct StepsOut {
    coming: Sender<Sender<Sample>>,
    spent: Receiver<Sender<Sample>>,
    steps: Option<Receiver<Sample>>,
}

/// Both ends, without room. Allocates.
pub(super) fn steps() -> (StepsIn, StepsOut) {
    let ((coming, inbox), (outbox, spent)) = (bounded(WINDOWS), bounded(WINDOWS));
    let inner = StepsIn { coming: inbox, spent: outbox, steps: None };
    (inner, StepsOut { coming, spent, steps: None })
}

impl StepsIn {
    /// Takes up the room of a window that has opened; gives back that of one that has closed.
    pub fn follow(&mut self, is_open: bool) {
        while let Some(steps) = self.coming.receive() {
            self.give_back();
            self.steps = Some(steps);
        }
        if !is_open {
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        if let Some(steps) = self.steps.take()
            && let Err(steps) = self.spent.send(steps)
        {
            // So many windows that their rooms are not fetched: freeing is not allowed here.
            std::mem::forget(steps);
        }
    }

    /// Sends a step; without room it is dropped.
    pub fn send(&self, step: &Sample) {
        if let Some(steps) = &self.steps {
            let _ = steps.send(*step);
        }
    }
}

impl StepsOut {
    /// Makes room. Allocates.
    pub(super) fn open(&mut self) {
        self.close();
        let (to, from) = bounded(STEPS);
        // Refused where no block came for dozens of windows: this one shows no steps.
        self.steps = self.coming.send(to).is_ok().then_some(from);
    }

    /// Frees the room, what the audio thread has of it with the next call.
    pub(super) fn close(&mut self) {
        self.steps = None;
        while self.spent.receive().is_some() {}
    }

    /// The oldest step.
    #[must_use]
    pub fn receive(&self) -> Option<Sample> {
        self.steps.as_ref().and_then(Receiver::receive)
    }

    /// Steps waiting.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.steps.as_ref().map_or(0, Receiver::waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::interface::key::Saved;
    use touchback_action::{ActionKind, Drive};
    use touchback_core::math::compass::KeyNumber;
    use touchback_instrument::trace::KeySnapshot;

    #[test]
    fn room_comes_with_a_window_and_goes_back_when_it_is_closed() {
        let (mut inner, mut outer) = steps();
        let saved = Saved::from(touchback_action::grand::GrandState {
            phase: touchback_action::grand::Phase::Return,
            x: [0.0; touchback_action::grand::STATES],
        });
        let look = KeySnapshot { kind: ActionKind::Grand, saved, drive: Drive::Free, tray: 0.0 };
        let key = KeyNumber::from_midi(60).unwrap();
        let step = Sample { step: 0, touch: 1, key, snapshot: look };
        for _ in 0..3 {
            inner.follow(false);
            inner.send(&step);
            assert!(outer.waiting() == 0 && inner.steps.is_none());
            outer.open();
            inner.follow(true);
            inner.send(&step);
            assert!(outer.waiting() == 1 && outer.receive() == Some(step));
            outer.close();
            inner.follow(false);
            assert_eq!(outer.spent.waiting(), 1);
        }
        // One window after the other without a block between them.
        for _ in 0..2 * WINDOWS {
            outer.open();
        }
        inner.follow(true);
        outer.open();
        inner.follow(true);
        inner.send(&step);
        assert_eq!(outer.waiting(), 1);
    }
}
