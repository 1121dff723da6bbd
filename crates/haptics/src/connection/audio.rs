//! The audio thread's end of a connection: no allocation, lock or wait.

use super::super::action::Action;
use super::super::replay::{Felt, Replay};
use super::super::sidecar::KeyPress;
use touchback_action::ActionSettings;
use touchback_core::exchange::{latest, queue};
use touchback_core::math::compass::KeyNumber;

/// A keyboard or recording handed to the audio thread.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) replay: Replay,
    pub(super) settings: Option<latest::LatestWriter<ActionSettings>>,
    pub(super) notes: Option<queue::Sender<KeyPress>>,
    /// Settings of the action may have changed since it was opened.
    pub(super) is_new: bool,
}

/// The audio thread's end: replays the servo's log.
#[derive(Debug)]
pub struct KeyboardAudioEnd {
    coming: queue::Receiver<Option<Box<Joined>>>,
    /// Sends what is no longer used back to be freed elsewhere.
    spent: queue::Sender<Box<Joined>>,
    joined: Option<Box<Joined>>,
}

impl KeyboardAudioEnd {
    /// Joins the two queues.
    pub(super) const fn new(
        coming: queue::Receiver<Option<Box<Joined>>>,
        spent: queue::Sender<Box<Joined>>,
    ) -> Self {
        Self { coming, spent, joined: None }
    }

    /// A keyboard or recording is joined: the host must not put the piano to sleep.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.joined.is_some() || self.coming.waiting() > 0
    }

    /// Marks the settings of the action as changed.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        if let Some(writer) = self.joined.as_mut().and_then(|j| j.settings.as_mut()) {
            writer.write(*settings);
        }
    }

    /// A host note presses `key` at `speed` m/s of a fingertip, or lets it up, at 0; the sidecar
    /// decides whether it may move the key.
    pub fn note(&self, key: KeyNumber, speed: f64) {
        if let Some(notes) = self.joined.as_ref().and_then(|j| j.notes.as_ref()) {
            // A full queue means that the sidecar is stuck; the note is dropped.
            let _ = notes.send(KeyPress { key, speed });
        }
    }

    /// Restarts the count of samples at 0.
    pub fn restart(&mut self) {
        if let Some(joined) = &mut self.joined {
            joined.replay.restart();
        }
    }

    /// The action that is felt or replayed.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.joined.as_ref().map(|joined| joined.replay.action())
    }

    /// Calls back for every event that sounds in the `length` samples from `now` on, and every step
    /// of a felt key in them; `settings` are the present settings of the action.
    pub fn block(
        &mut self,
        now: u64,
        length: usize,
        settings: &ActionSettings,
        mut tell: impl FnMut(Felt<'_>),
    ) {
        while let Some(coming) = self.coming.receive() {
            if let Some(mut old) = std::mem::replace(&mut self.joined, coming) {
                old.replay.let_down(|down| tell(Felt::Heard(0.0, down)));
                if let Err(old) = self.spent.send(old) {
                    // Happens only if the other end is gone; freeing memory on this thread is not
                    // allowed.
                    std::mem::forget(old);
                }
            }
        }
        let Some(joined) = &mut self.joined else { return };
        if std::mem::take(&mut joined.is_new)
            && let Some(writer) = &mut joined.settings
        {
            writer.write(*settings);
        }
        joined.replay.watch(now, length, tell);
    }
}
