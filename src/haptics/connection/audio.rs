//! The audio thread's end of a desk: no allocation, lock or wait.

use super::super::replay::{Replay, Sounded};
use super::super::sidecar::Note;
use crate::action::ActionSettings;
use crate::exchange::{latest, queue};
use crate::math::compass::{KEYS, KeyNumber};

/// What is joined to the audio thread.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) replay: Replay,
    pub(super) settings: Option<latest::LatestWriter<ActionSettings>>,
    pub(super) notes: Option<queue::Sender<Note>>,
    /// The regulation may have changed since it was made.
    pub(super) is_new: bool,
}

/// The audio thread's end: what was felt, as it sounds.
#[derive(Debug)]
pub struct AudioEnd {
    coming: queue::Receiver<Option<Box<Joined>>>,
    /// Where what is no longer joined goes to be freed.
    spent: queue::Sender<Box<Joined>>,
    joined: Option<Box<Joined>>,
    /// Keys whose dampers were told to be up, to be let down when their keyboard goes.
    lifted: [bool; KEYS],
}

impl AudioEnd {
    /// Takes what comes, gives back what is spent.
    pub(super) const fn new(
        coming: queue::Receiver<Option<Box<Joined>>>,
        spent: queue::Sender<Box<Joined>>,
    ) -> Self {
        Self { coming, spent, joined: None, lifted: [false; KEYS] }
    }

    /// Something is joined: the host must not put the piano to sleep.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.joined.is_some() || self.coming.waiting() > 0
    }

    /// The regulation has changed.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        if let Some(writer) = self.joined.as_mut().and_then(|j| j.settings.as_mut()) {
            writer.write(*settings);
        }
    }

    /// A host note presses `key` at `speed` m/s of a fingertip, or lets it up, at 0; the sidecar
    /// decides whether it may move the key.
    pub fn note(&self, key: KeyNumber, speed: f64) {
        if let Some(notes) = self.joined.as_ref().and_then(|j| j.notes.as_ref()) {
            // A full queue is a sidecar that stands still: its keys do not move anyway.
            let _ = notes.send(Note { key, speed });
        }
    }

    /// Samples count from 0 again.
    pub fn restart(&mut self) {
        if let Some(joined) = &mut self.joined {
            joined.replay.restart();
        }
        self.lifted = [false; KEYS];
    }

    /// What was felt and sounds in the `length` samples from `now` on, with its distance, samples;
    /// `settings` is the present regulation.
    pub fn block(
        &mut self,
        now: u64,
        length: usize,
        settings: &ActionSettings,
        mut hear: impl FnMut(f64, Sounded),
    ) {
        while let Some(coming) = self.coming.receive() {
            if let Some(old) = std::mem::replace(&mut self.joined, coming)
                && let Err(old) = self.spent.send(old)
            {
                // Never while the desk frees what comes back; freeing it here would not do.
                std::mem::forget(old);
            }
            for key in KeyNumber::all() {
                if std::mem::take(&mut self.lifted[key.index()]) {
                    hear(0.0, Sounded::Damper(key, 0.0));
                }
            }
        }
        let Some(joined) = &mut self.joined else { return };
        if std::mem::take(&mut joined.is_new)
            && let Some(writer) = &mut joined.settings
        {
            writer.write(*settings);
        }
        let lifted = &mut self.lifted;
        joined.replay.block(now, length, |ahead, what| {
            if let Sounded::Damper(key, lift) = what {
                lifted[key.index()] = lift > 0.0;
            }
            hear(ahead, what);
        });
    }
}
