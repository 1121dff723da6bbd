//! The link over a channel of bytes, for a window that shares no memory with its piano: a page in a browser,
//! whose sound runs in another module.
//!
//! Each message is a value in the format of `postcard`. Both ends must be of the same build: the bytes are
//! no format for files.

use serde::{Deserialize, Serialize};

use super::tape::TimedMessage;
use super::{Meter, WindowEnd};
use crate::host::mechanism::{MechanismFile, MechanismText, open};
use crate::host::params::all;
use crate::watch::trace::Sample;
use crate::{Event, Settings, Snapshot};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_sound::tuning::scala::Texts;

/// Most steps in one message: two frames of a slow screen.
const STEPS: usize = 800;

/// What the window sends to the piano.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub enum ToPiano {
    /// An event of the window.
    Play(Event),
    /// A message of a MIDI keyboard: status and two data bytes.
    Midi([u8; 3]),
    /// New settings.
    Set(Box<RemoteSettings>),
    /// A Standard MIDI file, played from its beginning instead of the present one.
    Perform(Vec<u8>),
    /// The performance ends and everything falls silent.
    Stop,
    /// Whether to play the preview phrase.
    Preview(bool),
}

/// What the piano sends to the window.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub enum ToWindow {
    /// The state of the keyboard.
    Keyboard(Box<Snapshot>),
    /// Steps of the watched key.
    Steps(Vec<Sample>),
    /// Messages of the performance.
    Played(Vec<TimedMessage>),
    /// Levels and computing time since the last message.
    Levels(Levels),
    /// Position in the performance and its length, s; the position is none once it has ended.
    Position(Option<f64>, f64),
    /// A performance could not be read, or not completely.
    Warning(String),
}

/// Levels and computing time.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug, Default)]
pub struct Levels {
    /// The cost of computing.
    pub meter: Meter,
    /// Largest ratio of a block's computing time to its duration.
    pub worst: f64,
    /// Largest magnitude of left and right.
    pub peaks: [f64; 2],
    /// Largest attenuation by the output guard, as 1 − gain.
    pub limited: f64,
}

/// Settings as the values of the table of parameters.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct RemoteSettings {
    values: Vec<f64>,
    keys: KeySheet,
    /// Name, scale and keyboard map: files may leave fields out, this format may not.
    scale: Option<(String, String, Option<String>)>,
    /// The mechanism's file.
    mechanism: Option<MechanismText>,
}

impl RemoteSettings {
    /// The `settings`, whose scale is that of the texts `scale`.
    #[must_use]
    pub fn of(settings: &Settings, scale: Option<Texts>) -> Self {
        let values = all().map(|parameter| parameter.get(settings)).collect();
        let scale = scale.map(|Texts { name, scale, map }| (name, scale, map));
        let mechanism = settings.action.mechanism.as_ref().map(|file| file.source().clone());
        Self { values, keys: settings.key_sheet(), scale, mechanism }
    }

    /// The settings after `before`, whose mechanism they keep if it is of the same file; a scale or a mechanism that
    /// cannot be read is left out.
    #[must_use]
    pub fn settings(&self, before: &Settings) -> Settings {
        let mut settings = Settings::default();
        for (parameter, value) in all().zip(&self.values) {
            parameter.set(&mut settings, *value);
        }
        settings.set_key_sheet(self.keys.clone());
        let texts = self.scale.clone().map(|(name, scale, map)| Texts { name, scale, map });
        settings.sound.scale = texts.and_then(|texts| texts.scale().ok()).into();
        let known = &before.action.mechanism;
        settings.action.mechanism =
            if known.as_ref().map(MechanismFile::source) == self.mechanism.as_ref() {
                known.clone()
            } else {
                self.mechanism.clone().and_then(|source| open(source).ok()).into()
            };
        settings
    }
}

/// The bytes of `message`.
#[must_use]
pub fn bytes<T: Serialize>(message: &T) -> Vec<u8> {
    // Writing to memory cannot fail, and every field has a form in the format.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// The message in `bytes`; none if the other end is of another build.
#[must_use]
pub fn message<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

impl WindowEnd {
    /// Everything that has arrived since the last call.
    #[must_use]
    pub fn messages(&mut self) -> Vec<ToWindow> {
        let mut messages = Vec::new();
        let steps: Vec<Sample> = std::iter::from_fn(|| self.steps.receive()).take(STEPS).collect();
        if !steps.is_empty() {
            messages.push(ToWindow::Steps(steps));
        }
        if let Some(snapshot) = self.snapshots.take_update() {
            messages.push(ToWindow::Keyboard(Box::new(*snapshot)));
        }
        let mut played = Vec::new();
        self.take.take_new(&mut played);
        if !played.is_empty() {
            messages.push(ToWindow::Played(played));
        }
        if let Some(meter) = self.meters.take_update() {
            messages.push(ToWindow::Levels(Levels {
                meter: *meter,
                worst: self.worst.swap(0.0),
                peaks: [0, 1].map(|side| self.peaks[side].swap(0.0)),
                limited: self.limited.swap(0.0),
            }));
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Piano;
    use crate::watch::monitor::link;
    use touchback_core::math::compass::KeyNumber;
    use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

    #[test]
    fn settings_keep_every_bit_on_their_way() {
        let mut settings = Settings::default();
        for parameter in all() {
            parameter.set(&mut settings, parameter.plain(0.37));
        }
        settings.set_key_sheet("key,drop_mm,knock_db\n7,0.3,3\n".parse().unwrap());
        let texts = Texts { name: "twelve".into(), scale: PYTHAGOREAN.into(), map: None };
        settings.sound.scale = Some(texts.scale().unwrap()).into();
        let sent = ToPiano::Set(Box::new(RemoteSettings::of(&settings, Some(texts))));
        let Some(ToPiano::Set(arrived)) = message(&bytes(&sent)) else { panic!() };
        assert!(arrived.settings(&Settings::default()) == settings);
    }

    #[test]
    fn everything_published_arrives_and_foreign_bytes_do_not() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        window.open();
        let (mut left, mut right) = ([0.0f32; 128], [0.0f32; 128]);
        let key = KeyNumber::from_midi(64).unwrap();
        window.events.send(Event::NoteOn { key, velocity: 0.7 }).unwrap();
        let mut sent = Vec::new();
        for _ in 0..40 {
            let _ = audio.before(&mut piano);
            piano.process(&mut left, &mut right);
            audio.after(&mut piano, &left, &right);
            sent.extend(window.messages());
        }
        let arrived: Vec<ToWindow> = message(&bytes(&sent)).unwrap();
        assert_eq!(arrived, sent);
        let of = |kind: fn(&ToWindow) -> bool| arrived.iter().filter(|m| kind(m)).count();
        assert!(of(|m| matches!(m, ToWindow::Keyboard(_))) > 5);
        assert!(of(|m| matches!(m, ToWindow::Played(_))) == 1);
        assert!(of(|m| matches!(m, ToWindow::Levels(_))) > 5);
        let steps: usize = arrived
            .iter()
            .map(|m| if let ToWindow::Steps(steps) = m { steps.len() } else { 0 })
            .sum();
        assert_eq!(steps, 40 * 128 / 6);
        for length in 0..60 {
            assert_eq!(message::<ToPiano>(&vec![0xff; length]), None);
        }
        // A key that does not exist.
        let mut foreign = bytes(&ToPiano::Play(Event::Choke(key)));
        *foreign.last_mut().unwrap() = 88;
        assert_eq!(message::<ToPiano>(&foreign), None);
    }
}
