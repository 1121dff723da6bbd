//! The queue of the watched key's steps from audio thread to window: some megabytes, allocated only while a
//! window is open.
//!
//! The window allocates the queue and sends its writing end to the audio thread. When the window is closed,
//! the audio thread sends the end back, so that it never frees memory.

use crate::watch::trace::Sample;
use touchback_core::exchange::queue::{Receiver, Sender, bounded};

/// Most waiting steps: two thirds of a second, many frames.
const STEPS: usize = 5333;
/// Most windows that open and close between two blocks.
const WINDOWS: usize = 64;

/// The audio thread's end.
pub(super) struct StepsIn {
    opened: Receiver<Sender<Sample>>,
    returned: Sender<Sender<Sample>>,
    steps: Option<Sender<Sample>>,
}

/// The window's end.
pub struct StepsOut {
    opened: Sender<Sender<Sample>>,
    returned: Receiver<Sender<Sample>>,
    steps: Option<Receiver<Sample>>,
}

/// Both ends, without a queue of steps. Allocates.
pub(super) fn steps() -> (StepsIn, StepsOut) {
    let ((opened, inbox), (outbox, returned)) = (bounded(WINDOWS), bounded(WINDOWS));
    let inner = StepsIn { opened: inbox, returned: outbox, steps: None };
    (inner, StepsOut { opened, returned, steps: None })
}

impl StepsIn {
    /// Takes the queue of a window that has opened; returns the queue of one that has closed.
    pub fn follow(&mut self, is_open: bool) {
        while let Some(steps) = self.opened.receive() {
            self.return_queue();
            self.steps = Some(steps);
        }
        if !is_open {
            self.return_queue();
        }
    }

    fn return_queue(&mut self) {
        if let Some(steps) = self.steps.take()
            && let Err(steps) = self.returned.send(steps)
        {
            // More windows than may be open between two blocks: freeing is not allowed here.
            std::mem::forget(steps);
        }
    }

    /// Sends a step, or drops it if the queue is full.
    pub fn send(&self, step: &Sample) {
        if let Some(steps) = &self.steps {
            let _ = steps.send(*step);
        }
    }
}

impl StepsOut {
    /// Allocates the queue.
    pub(super) fn open(&mut self) {
        self.close();
        let (to, from) = bounded(STEPS);
        // Refused if dozens of windows have opened without a block between them: this window then shows no
        // steps.
        self.steps = self.opened.send(to).is_ok().then_some(from);
    }

    /// Frees the queue; the audio thread's end is freed by the next call.
    pub(super) fn close(&mut self) {
        self.steps = None;
        while self.returned.receive().is_some() {}
    }

    /// The oldest step.
    #[must_use]
    pub fn receive(&self) -> Option<Sample> {
        self.steps.as_ref().and_then(Receiver::receive)
    }

    /// Number of waiting steps.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.steps.as_ref().map_or(0, Receiver::waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::trace::KeySnapshot;
    use touchback_action::interface::key::SavedState;
    use touchback_action::{ActionKind, Drive};
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn a_queue_exists_while_its_window_is_open() {
        let (mut inner, mut outer) = steps();
        let saved = SavedState::from(touchback_action::grand::GrandState {
            phase: touchback_action::grand::Phase::Return,
            x: [0.0; touchback_action::grand::STATES],
        });
        let look = KeySnapshot {
            kind: ActionKind::Grand,
            saved,
            drive: Drive::Free,
            tray: 0.0,
            answer: None,
        };
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
            assert_eq!(outer.returned.waiting(), 1);
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
