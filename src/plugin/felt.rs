//! A motorized keyboard in a plugin: the port while the plugin is active, and what sounds of it.
//!
//! The audio thread replays the servo's log; everything else is the main thread's. An offline
//! bounce opens no port and waits for nothing.

use std::sync::Arc;

use crate::action::ActionSettings;
use crate::exchange::latest;
use crate::haptics::desk::{Desk, Ends};
use crate::haptics::replay::{Replay, Sounded};
use crate::instrument::Event;

/// The keyboard's end in the audio thread.
pub(super) struct Felt {
    desk: Arc<Desk>,
    settings: latest::Writer<ActionSettings>,
    replay: Replay,
}

impl Felt {
    /// Opens the port that the project chose, without force; `None` where it chose none or it cannot
    /// be had, which the desk and the host's log tell. Allocates.
    pub(super) fn open(
        desk: &Arc<Desk>,
        settings: &ActionSettings,
        sample_rate: f64,
        block: usize,
    ) -> Option<Self> {
        let ends = desk.open("the Touchback plugin", settings);
        let trouble = desk.trouble();
        if !trouble.is_empty() {
            nice_plug::prelude::nice_log!("Touchback plays without its keyboard: {trouble}");
        }
        let Ends { log, settings } = ends?;
        let replay = Replay::new(log, desk.choice().action, sample_rate, block);
        Some(Self { desk: desk.clone(), settings, replay })
    }

    /// The regulation has changed.
    pub(super) fn regulate(&mut self, settings: &ActionSettings) {
        self.settings.write(*settings);
    }

    /// What was felt and sounds in the `length` samples from `now` on.
    pub(super) fn block(&mut self, now: u64, length: usize, mut handle: impl FnMut(Event)) {
        self.replay.block(now, length, |ahead, sounded| match sounded {
            Sounded::Event(heard) => {
                let (key, kind, value) = (heard.key, heard.kind, heard.value);
                handle(Event::Felt { key, kind, value, ahead });
            }
            Sounded::Damper(key, lift) => handle(Event::FeltDamper { key, lift }),
        });
    }
}

impl Drop for Felt {
    fn drop(&mut self) {
        self.desk.close();
    }
}
