//! A motorized keyboard, or a recorded one, in a plugin: what sounds of it, and which host notes
//! move its keys.
//!
//! The audio thread replays the servo's log; everything else is the desk's. An offline bounce opens
//! no port and waits for nothing; a take sounds in it as it does live.

use std::sync::Arc;

use crate::action::ActionSettings;
use crate::haptics::desk::{AudioEnd, Desk, Place};
use crate::haptics::replay::Sounded;
use crate::instrument::{Event, Settings};
use crate::math::compass::Key;

/// The keyboard's end in the audio thread.
pub(super) struct Felt {
    desk: Arc<Desk>,
    end: AudioEnd,
}

impl Felt {
    /// Joins what the project chose, without force; what cannot be had, the desk and the host's log
    /// tell. Allocates.
    pub(super) fn open(desk: &Arc<Desk>, place: &Place<'_>) -> Self {
        let end = desk.activate(place);
        let trouble = desk.trouble();
        if !trouble.is_empty() {
            nice_plug::prelude::nice_log!("Touchback plays without its keyboard: {trouble}");
        }
        Self { desk: desk.clone(), end }
    }

    /// Something is joined that may sound at any time.
    pub(super) fn is_joined(&self) -> bool {
        self.end.is_joined()
    }

    /// The regulation has changed.
    pub(super) fn regulate(&mut self, settings: &ActionSettings) {
        self.end.regulate(settings);
    }

    /// Samples count from 0 again.
    pub(super) fn restart(&mut self) {
        self.end.restart();
    }

    /// A host's event: a note may move its key.
    pub(super) fn heed(&self, event: &Event, settings: &Settings) {
        match event {
            Event::AllNotesOff | Event::AllSoundOff => {
                Key::all().for_each(|key| self.end.note(key, 0.0));
            }
            note => {
                if let Some((key, speed)) = note.fingertip(settings) {
                    self.end.note(key, speed);
                }
            }
        }
    }

    /// What was felt and sounds in the `length` samples from `now` on.
    pub(super) fn block(
        &mut self,
        now: u64,
        length: usize,
        settings: &ActionSettings,
        mut handle: impl FnMut(Event),
    ) {
        self.end.block(now, length, settings, |ahead, sounded| handle(event(sounded, ahead)));
    }
}

/// What was felt as the piano takes it.
fn event(sounded: Sounded, ahead: f64) -> Event {
    match sounded {
        Sounded::Event(heard) => {
            let (key, kind, value) = (heard.key, heard.kind, heard.value);
            Event::Felt { key, kind, value, ahead }
        }
        Sounded::Damper(key, lift) => Event::FeltDamper { key, lift, ahead },
    }
}

impl Drop for Felt {
    fn drop(&mut self) {
        self.desk.deactivate();
    }
}
