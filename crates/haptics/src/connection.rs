//! One plugin instance's keyboard: what its project chose, the sidecar while it is active, and what
//! the audio thread needs of it.
//!
//! | who | calls |
//! | --- | --- |
//! | host's main thread | [`KeyboardConnection::activate`], which opens what was chosen; [`KeyboardConnection::deactivate`] |
//! | window | [`KeyboardConnection::ports`], [`KeyboardConnection::choose`], [`KeyboardConnection::arm`], [`KeyboardConnection::look`] |
//! | audio thread | [`KeyboardAudioEnd`] alone: no allocation, lock or wait |
//!
//! A window shows [`KeyboardConnection::look`] (the choice, what is wrong, where the keyboard stands in words, the
//! sidecar's [`SidecarReport`] with histograms, depths and forces); on a click it calls [`KeyboardConnection::choose`] with
//! a changed [`Choice`] and writes [`Choice::text`] to the project's parameters
//! (`HostParams::set_keyboard`), so that it persists. Choosing takes effect at once while the plugin
//! is active, at its next activation otherwise. [`EMULATOR`] as port is a keyboard without hardware,
//! started and ended with the plugin; `take` names a servo's log that sounds in place of a keyboard.
//! A choice persists with the project, arming does not: force is off until [`KeyboardConnection::arm`], and off
//! again whenever the port changes. After a halt, arming again clears it.

mod audio;
mod choice;

use std::sync::{Mutex, MutexGuard};

use super::emulator::{Emulator, Making};
use super::live::Emulated;
use super::recording::Recording;
use super::replay::Replay;
use super::script::Script;
use super::serial::{self, PortError, PortInfo};
use super::sidecar::{Sidecar, SidecarOrder, SidecarReport};
use super::status_text;
use audio::Joined;
pub use audio::KeyboardAudioEnd;
pub use choice::Choice;
use touchback_action::ActionSettings;
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::queue;

/// Name of a port for an emulated keyboard of [`EMULATED_KEYS`] keys, played by its own fingers.
pub const EMULATOR: &str = "emulator";
/// Keys of the emulated keyboard; the first is piano key 40.
pub const EMULATED_KEYS: u8 = 8;

/// What a window shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConnectionView {
    /// The present choice.
    pub choice: Choice,
    /// Why the choice could not be opened, with what to do; empty where it is open.
    pub trouble: String,
    /// The keyboard's state in words; empty while nothing is open.
    pub standing: String,
    /// Advice from the measured round trips and losses, if any.
    pub advice: Option<&'static str>,
    /// The sidecar's report; `None` while no port is open.
    pub report: Option<SidecarReport>,
}

/// The keyboard of one instance.
#[derive(Debug, Default)]
pub struct KeyboardConnection {
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    choice: Choice,
    stage: Option<Stage>,
    sidecar: Option<Sidecar>,
    emulated: Option<Emulated>,
    trouble: String,
}

/// What is fixed while the instance is active, and the queues to the audio thread.
#[derive(Debug)]
struct Stage {
    owner: String,
    settings: ActionSettings,
    sample_rate: f64,
    block: usize,
    /// An offline bounce: only recordings are opened, no port.
    is_offline: bool,
    coming: queue::Sender<Option<Box<Joined>>>,
    spent: queue::Receiver<Box<Joined>>,
}

/// What an activation fixes: owner, settings, rate, block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActivationContext<'a> {
    /// Name of the port's owner, as other programs see it.
    pub owner: &'a str,
    /// Settings of the action at activation.
    pub settings: &'a ActionSettings,
    /// Sample rate, Hz.
    pub sample_rate: f64,
    /// Largest block, samples.
    pub block: usize,
    /// An offline bounce: no port is opened, a take sounds all the same.
    pub is_offline: bool,
}

impl KeyboardConnection {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        lock(&self.inside)
    }

    /// The serial ports there are, [`EMULATOR`] not among them.
    ///
    /// # Errors
    /// The system's error.
    pub fn ports() -> Result<Vec<PortInfo>, PortError> {
        serial::list()
    }

    /// What is chosen.
    #[must_use]
    pub fn choice(&self) -> Choice {
        self.inside().choice.clone()
    }

    /// Sets the choice: force share and host notes take effect at once; a changed port, action,
    /// delay or recording is opened now where the plugin is active, without force.
    pub fn choose(&self, choice: Choice) {
        let mut inside = self.inside();
        let is_elsewhere = inside.choice.is_elsewhere(&choice);
        inside.choice = choice;
        if is_elsewhere {
            inside.join();
        } else if let Some(sidecar) = &inside.sidecar {
            sidecar.order(SidecarOrder::Gain(inside.choice.gain));
            sidecar.order(SidecarOrder::LetPlay(inside.choice.plays));
        }
    }

    /// Activates the instance: opens the choice, without force; an error is kept for
    /// [`KeyboardConnection::trouble`]. Returns the audio thread's end.
    #[must_use]
    pub fn activate(&self, place: &ActivationContext<'_>) -> KeyboardAudioEnd {
        let mut inside = self.inside();
        // Room for 64 changes of choice between two blocks; more wait in the window.
        let (coming, inbox) = queue::bounded(64);
        let (outbox, spent) = queue::bounded(64);
        inside.stage = Some(Stage {
            owner: place.owner.into(),
            settings: *place.settings,
            sample_rate: place.sample_rate,
            block: place.block,
            is_offline: place.is_offline,
            coming,
            spent,
        });
        inside.join();
        KeyboardAudioEnd::new(inbox, outbox)
    }

    /// Ends force and closes the port.
    pub fn deactivate(&self) {
        let mut inside = self.inside();
        inside.stage = None;
        inside.leave();
    }

    /// Arms or disarms; arming clears a halt.
    pub fn arm(&self, on: bool) {
        if let Some(sidecar) = &self.inside().sidecar {
            sidecar.order(SidecarOrder::Arm(on));
        }
    }

    /// What a window shows.
    #[must_use]
    pub fn look(&self) -> ConnectionView {
        let mut inside = self.inside();
        inside.free();
        let report = inside.sidecar.as_mut().map(|s| *s.report());
        ConnectionView {
            choice: inside.choice.clone(),
            trouble: inside.trouble.clone(),
            standing: report.as_ref().map(status_text::standing).unwrap_or_default(),
            advice: report.as_ref().and_then(status_text::advice),
            report,
        }
    }

    /// The sidecar's report; `None` while no port is open.
    #[must_use]
    pub fn report(&self) -> Option<SidecarReport> {
        self.look().report
    }

    /// Why what is chosen cannot be had, with what to do; empty where it can.
    #[must_use]
    pub fn trouble(&self) -> String {
        self.inside().trouble.clone()
    }
}

impl Inside {
    /// Frees what the audio thread has handed back.
    fn free(&mut self) {
        if let Some(stage) = &self.stage {
            while stage.spent.receive().is_some() {}
        }
    }

    fn leave(&mut self) {
        self.sidecar = None;
        self.emulated = None;
        self.trouble.clear();
    }

    /// Sends the open choice, or nothing, to the audio thread.
    fn join(&mut self) {
        self.leave();
        self.free();
        if self.stage.is_none() {
            return;
        }
        let joined = self.joined().unwrap_or_else(|trouble| {
            self.trouble = trouble;
            None
        });
        if let Some(stage) = &self.stage
            && stage.coming.send(joined.map(Box::new)).is_err()
        {
            self.sidecar = None;
            self.trouble = "the host does not play: choose again when it does".into();
        }
    }

    fn joined(&mut self) -> Result<Option<Joined>, String> {
        let Some(stage) = &self.stage else { return Ok(None) };
        let choice = &self.choice;
        if !choice.take.is_empty() {
            let take = Recording::open(choice.take.as_ref()).map_err(|e| e.to_string())?;
            let action = take.action().map_err(|e| e.to_string())?;
            let entries = take.in_memory().map_err(|e| e.to_string())?;
            let replay = Replay::recorded(entries, action, stage.sample_rate);
            return Ok(Some(Joined { replay, settings: None, notes: None, is_new: false }));
        }
        if choice.port.is_empty() || stage.is_offline {
            return Ok(None);
        }
        let mut port = choice.port.clone();
        if port == EMULATOR {
            let making = Making { keys: EMULATED_KEYS, ..Emulator::on_a_desk() };
            let emulated = Emulated::start(&making, Script::round(EMULATED_KEYS));
            let emulated = emulated.map_err(|e| e.to_string())?;
            emulated.path().clone_into(&mut port);
            self.emulated = Some(emulated);
        }
        let options = choice.options(&stage.settings);
        let mut sidecar =
            Sidecar::start(&port, &stage.owner, options).map_err(|e| e.to_string())?;
        let joined = sidecar.take_log().map(|log| Joined {
            replay: Replay::new(log, choice.action, stage.sample_rate, stage.block),
            settings: sidecar.take_settings(),
            notes: sidecar.take_notes(),
            is_new: true,
        });
        self.sidecar = Some(sidecar);
        Ok(joined)
    }
}

#[cfg(test)]
mod tests;
