//! The keyboard of one plugin instance: the project's choice, the sidecar while the plugin is active, and
//! the audio thread's end.
//!
//! | thread | calls |
//! | --- | --- |
//! | host's main thread | [`KeyboardConnection::activate`], which opens the choice; [`KeyboardConnection::deactivate`] |
//! | window | [`KeyboardConnection::ports`], [`KeyboardConnection::choose`], [`KeyboardConnection::arm`], [`KeyboardConnection::view`] |
//! | audio thread | [`KeyboardAudioEnd`] alone: no allocation, lock or wait |
//!
//! A window shows [`KeyboardConnection::view`]: choice, error, text of the state, and the [`SidecarReport`] with
//! histograms, depths and forces. On a click it calls [`KeyboardConnection::choose`] with a changed [`Choice`] and
//! writes [`Choice::text`] to the project's parameters (`HostParams::set_keyboard`), so that the choice persists.
//! A choice takes effect at once while the plugin is active, else at the next activation. Several ports are one
//! keyboard. [`EMULATOR`] as port is an emulated keyboard, started and ended with the plugin; `take` names a servo's
//! log that sounds in place of a keyboard. Arming does not persist: motors stay off until
//! [`KeyboardConnection::arm`], and go off whenever the port changes. After a halt the user must arm again.

mod audio;
mod choice;
pub mod host_interface;

use std::sync::{Mutex, MutexGuard};

use crate::keyboard::emulator::{Emulator, KeyboardDesign};
use crate::keyboard::live::Emulated;
use crate::keyboard::script::Script;
use crate::keyboard::status_text;
use crate::line::port_group::{AudioEnds, PortGroup};
use crate::line::serial::{self, PortError, PortInfo};
use crate::record::live::LiveReplay;
use crate::record::recording::Recording;
use crate::record::replay::Replay;
use crate::sidecar::{SidecarOrder, SidecarReport};
pub use audio::KeyboardAudioEnd;
use audio::{Joined, Member, Source};
pub use choice::Choice;
use touchback_action::ActionSettings;
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::queue;

/// Port name of an emulated keyboard with [`EMULATED_KEYS`] keys, played by emulated fingers.
pub const EMULATOR: &str = "emulator";
/// Number of keys of the emulated keyboard; the first is piano key 40.
pub const EMULATED_KEYS: u8 = 8;

/// State of a connection, for a window.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConnectionView {
    /// The present choice.
    pub choice: Choice,
    /// Why the choice could not be opened, and the remedy; empty without an error.
    pub trouble: String,
    /// The open ports, in the order of the choice.
    pub ports: Vec<PortView>,
}

/// State of an open port, for a window.
#[derive(Clone, PartialEq, Debug)]
pub struct PortView {
    /// Text of the keyboard's state; names port and keys where there are several ports.
    pub state_text: String,
    /// Advice from the measured round trips, if any.
    pub advice: Option<&'static str>,
    /// The sidecar's report.
    pub report: SidecarReport,
}

/// The keyboard of one plugin instance.
#[derive(Debug, Default)]
pub struct KeyboardConnection {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    choice: Choice,
    activation: Option<Activation>,
    group: Option<PortGroup>,
    emulated: Option<Emulated>,
    trouble: String,
}

/// Data of an activation, and the queues to and from the audio thread.
#[derive(Debug)]
struct Activation {
    owner: String,
    settings: ActionSettings,
    sample_rate: f64,
    block: usize,
    /// An offline bounce: takes are opened, ports are not.
    is_offline: bool,
    joining: queue::Sender<Option<Box<Joined>>>,
    retired: queue::Receiver<Box<Joined>>,
}

/// Parameters of an activation.
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
    /// An offline bounce: no port is opened, but a take sounds.
    pub is_offline: bool,
}

impl KeyboardConnection {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// The serial ports of the system, without [`EMULATOR`].
    ///
    /// # Errors
    /// The system cannot list its ports.
    pub fn ports() -> Result<Vec<PortInfo>, PortError> {
        serial::list()
    }

    /// The present choice.
    #[must_use]
    pub fn choice(&self) -> Choice {
        self.inner().choice.clone()
    }

    /// Sets the choice. Gain and host notes take effect at once. Another change opens port or take anew,
    /// without force, where the plugin is active.
    pub fn choose(&self, choice: Choice) {
        let mut inner = self.inner();
        let must_reopen = inner.choice.must_reopen(&choice);
        inner.choice = choice;
        if must_reopen {
            inner.reopen();
        } else if let Some(group) = &inner.group {
            group.order(&SidecarOrder::Gain(inner.choice.gain));
            group.order(&SidecarOrder::LetPlay(inner.choice.plays));
        }
    }

    /// Activates the instance and opens the choice, without force; an error is available from
    /// [`KeyboardConnection::trouble`]. Returns the audio thread's end.
    #[must_use]
    pub fn activate(&self, context: &ActivationContext<'_>) -> KeyboardAudioEnd {
        let mut inner = self.inner();
        // Capacity: 64 changes of choice between two blocks.
        let (joining, inbox) = queue::bounded(64);
        let (outbox, retired) = queue::bounded(64);
        inner.activation = Some(Activation {
            owner: context.owner.into(),
            settings: context.settings.clone(),
            sample_rate: context.sample_rate,
            block: context.block,
            is_offline: context.is_offline,
            joining,
            retired,
        });
        inner.reopen();
        KeyboardAudioEnd::new(inbox, outbox)
    }

    /// Ends force and closes the port.
    pub fn deactivate(&self) {
        let mut inner = self.inner();
        inner.activation = None;
        inner.close();
    }

    /// Arms or disarms. Arming also ends a halt. Of two ports with the same key the second is not armed.
    pub fn arm(&self, on: bool) {
        if let Some(group) = &mut self.inner().group {
            group.update();
            group.order(&SidecarOrder::Arm(on));
        }
    }

    /// State of the connection, for a window.
    #[must_use]
    pub fn view(&self) -> ConnectionView {
        let mut inner = self.inner();
        inner.free();
        let mut ports = Vec::new();
        if let Some(group) = &mut inner.group {
            group.update();
            let port = |(state_text, report): (String, &SidecarReport)| {
                let advice = status_text::advice(report);
                PortView { state_text, advice, report: *report }
            };
            ports.extend(group.texts().into_iter().zip(group.reports()).map(port));
        }
        ConnectionView { choice: inner.choice.clone(), trouble: inner.trouble.clone(), ports }
    }

    /// The report of the first port; `None` while no port is open.
    #[must_use]
    pub fn report(&self) -> Option<SidecarReport> {
        self.view().ports.first().map(|port| port.report)
    }

    /// Why the choice could not be opened, and the remedy; empty without an error.
    #[must_use]
    pub fn trouble(&self) -> String {
        self.inner().trouble.clone()
    }
}

impl Inner {
    /// Frees what the audio thread has returned.
    fn free(&mut self) {
        if let Some(activation) = &self.activation {
            while activation.retired.receive().is_some() {}
        }
    }

    /// Closes ports and emulator.
    fn close(&mut self) {
        self.group = None;
        self.emulated = None;
        self.trouble.clear();
    }

    /// Opens the choice and sends it, or nothing, to the audio thread.
    fn reopen(&mut self) {
        self.close();
        self.free();
        if self.activation.is_none() {
            return;
        }
        let joined = self.open().unwrap_or_else(|trouble| {
            self.trouble = trouble;
            None
        });
        if let Some(activation) = &self.activation
            && activation.joining.send(joined.map(Box::new)).is_err()
        {
            self.group = None;
            self.trouble = "the host is not processing audio: choose again when it is".into();
        }
    }

    /// Opens the choice; none without a port or take.
    fn open(&mut self) -> Result<Option<Joined>, String> {
        let Some(activation) = &self.activation else { return Ok(None) };
        let choice = &self.choice;
        if !choice.take.is_empty() {
            let take = Recording::open(choice.take.as_ref()).map_err(|e| e.to_string())?;
            let action = take.action().map_err(|e| e.to_string())?;
            let entries = take.in_memory().map_err(|e| e.to_string())?;
            let replay = Replay::recorded(entries, action, activation.sample_rate);
            let source = Source::Take(replay);
            return Ok(Some(Joined::new(vec![Member { source, settings: None, notes: None }])));
        }
        if choice.ports.is_empty() || activation.is_offline {
            return Ok(None);
        }
        let mut ports = choice.ports.clone();
        if let Some(port) = ports.iter_mut().find(|port| *port == EMULATOR) {
            let design = KeyboardDesign { keys: EMULATED_KEYS, ..Emulator::on_a_desk() };
            let emulated = Emulated::start(&design, Script::round(EMULATED_KEYS));
            let emulated = emulated.map_err(|e| e.to_string())?;
            emulated.path().clone_into(port);
            self.emulated = Some(emulated);
        }
        let options = choice.options(&activation.settings);
        let (group, ends) = PortGroup::start_for_audio(&ports, &activation.owner, &options)
            .map_err(|e| e.to_string())?;
        let (rate, block) = (activation.sample_rate, activation.block);
        let member = |AudioEnds { published, settings, notes }: AudioEnds| Member {
            source: Source::Live(LiveReplay::new(published, choice.action, rate, block)),
            settings,
            notes,
        };
        let members = ends.into_iter().map(member).collect();
        self.group = Some(group);
        Ok(Some(Joined::new(members)))
    }
}

#[cfg(test)]
mod tests;
