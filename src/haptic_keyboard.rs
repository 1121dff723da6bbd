//! A motorized keyboard, or a recording of one, in the plugin: its events for the piano, and host
//! notes that move its keys.
//!
//! The audio thread receives finished events; the servo and all other work have their own threads. An
//! offline bounce opens no port and does not wait; a recording sounds in it as it does in real time.

use std::sync::Arc;

use touchback_action::ActionSettings;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::connection::{ActivationContext, KeyboardAudioEnd, KeyboardConnection};
use touchback_haptics::record::publish::KeyStep;
use touchback_haptics::record::replay::ReplayEvent;
use touchback_instrument::watch::monitor::haptic::HapticStep;
use touchback_instrument::{Event, Settings};

/// A keyboard's output in a block.
pub(super) enum HapticOutput<'a> {
    /// For the piano.
    Event(Event),
    /// For the window.
    Step(&'a HapticStep),
}

/// The keyboard's end in the audio thread.
pub(super) struct Haptics {
    connection: Arc<KeyboardConnection>,
    end: KeyboardAudioEnd,
}

impl Haptics {
    /// Opens the keyboard or recording of the project, without force. Errors go to the connection and the
    /// host's log. Allocates.
    pub(super) fn open(
        connection: &Arc<KeyboardConnection>,
        context: &ActivationContext<'_>,
    ) -> Self {
        let end = connection.activate(context);
        let trouble = connection.trouble();
        if !trouble.is_empty() {
            nice_plug::prelude::nice_log!("Touchback plays without its keyboard: {trouble}");
        }
        Self { connection: connection.clone(), end }
    }

    /// Whether a keyboard or recording is connected, which may sound at any time.
    pub(super) fn is_joined(&self) -> bool {
        self.end.is_joined()
    }

    /// Applies changed settings of the action.
    pub(super) fn regulate(&mut self, settings: &ActionSettings) {
        self.end.regulate(settings);
    }

    /// Restarts the sample count at 0.
    pub(super) fn restart(&mut self) {
        self.end.restart();
    }

    /// Passes a host's event on: a note may move its key.
    pub(super) fn on_event(&self, event: &Event, settings: &Settings) {
        match event {
            Event::AllNotesOff | Event::AllSoundOff => {
                KeyNumber::all().for_each(|key| self.end.note(key, 0.0));
            }
            note => {
                if let Some((key, speed)) = note.fingertip(settings) {
                    self.end.note(key, speed);
                }
            }
        }
    }

    /// Reports the events that sound in the `length` samples from `now` on, and the steps of the haptic
    /// keys.
    pub(super) fn block(
        &mut self,
        now: u64,
        length: usize,
        settings: &ActionSettings,
        mut report: impl FnMut(HapticOutput<'_>),
    ) {
        // A keyboard that is connected in this block is drawn from the next block on.
        let kind = match self.end.action() {
            Some(Action::Played(kind)) => Some(kind),
            _ => None,
        };
        self.end.block(now, length, settings, |output| match output {
            ReplayEvent::Event(ahead, what) => {
                report(HapticOutput::Event(Event::haptic(what, ahead)))
            }
            ReplayEvent::Step(&KeyStep { key, step, depth, lift, picture }) => {
                let step = HapticStep { key, step, kind, depth, lift, picture };
                report(HapticOutput::Step(&step));
            }
        });
    }
}

impl Drop for Haptics {
    fn drop(&mut self) {
        self.connection.deactivate();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_haptics::connection::Choice;
    use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
    use touchback_haptics::keyboard::plant::KeyPlant;
    use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
    use touchback_haptics::record::log::Entry;
    use touchback_haptics::record::recording::{Recording, Writer};
    use touchback_haptics::servo::{Servo, ServoOptions};
    use touchback_instrument::Piano;
    use touchback_instrument::host::midi::InputMessage;
    use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
    use touchback_instrument::settings::Switch;

    const RATE: f64 = 48_000.0;
    const LENGTH: usize = 72_000;

    /// The log of a servo during 1.5 s in which an emulated finger plays a trill.
    fn trill() -> String {
        let act = ScriptedAction {
            time: 0.3,
            key: 0,
            action: FingerAction::Trill { depth: 14e-3, rate: 6.0, lasts: 1.0 },
        };
        let plant = KeyPlant { mass: 0.03, weight: 0.2, ..KeyPlant::THREE[0] };
        let design = KeyboardDesign { plant, ..KeyboardDesign::default() };
        let mut keyboard = Emulator::new(&design, Script::new(vec![act]));
        let mut servo = Servo::new(ServoOptions::default(), 0.0);
        let (mut up, mut down, mut entries) = (Vec::new(), Vec::new(), Vec::<Entry>::new());
        for tick in 0..12_000 {
            keyboard.receive(&down);
            up.clear();
            down.clear();
            keyboard.tick(&mut up);
            servo.receive(keyboard.time(), &up, &mut down, &mut entries);
            servo.tick(keyboard.time(), &mut down);
            if tick == 1000 {
                servo.arm(true, keyboard.time(), &mut down);
            }
        }
        let mut writer = Writer::new(Vec::new()).unwrap();
        entries.iter().for_each(|e| writer.put(e).unwrap());
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    /// A host that sends nothing.
    struct Nobody;

    impl Host for Nobody {
        fn next(&mut self) -> Option<(u32, InputMessage)> {
            None
        }
    }

    /// A project with a servo's log: the plugin's blocks of any size give the samples of a piano that
    /// receives all events at once, also after a reset.
    #[test]
    fn a_recording_sounds_the_same_in_blocks_of_any_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("servo.log");
        let written = trill();
        std::fs::write(&path, &written).unwrap();
        // Without the delay of the output guard.
        let settings = Settings { output_guard: Switch::Off, ..Settings::default() };

        let take = Recording::read("servo.log", written.as_ref()).unwrap();
        let action = take.action().unwrap();
        let mut replay = touchback_haptics::record::replay::Replay::recorded(
            take.in_memory().unwrap(),
            action,
            RATE,
        );
        let mut piano = Piano::new(RATE, &settings);
        replay.block(0, 1 << 20, |ahead, what| piano.handle(Event::haptic(what, ahead)));
        let mut expected = [vec![0.0f32; LENGTH], vec![0.0f32; LENGTH]];
        let [left, right] = &mut expected;
        piano.process(left, right);
        assert!(piano.counts().strikes > 3 && left.iter().any(|s| s.abs() > 1e-3));

        let connection = Arc::new(KeyboardConnection::default());
        connection.choose(Choice { take: path.display().to_string(), ..Choice::default() });
        let context = ActivationContext {
            owner: "a test",
            settings: &settings.action,
            sample_rate: RATE,
            block: 1000,
            is_offline: true,
        };
        let mut haptics = Haptics::open(&connection, &context);
        let mut player = EventScheduler::new(Piano::new(RATE, &settings));
        for size in [37, 1000, 64] {
            let mut got = [vec![0.0f32; LENGTH], vec![0.0f32; LENGTH]];
            let [left, right] = &mut got;
            let mut deepest = 0.0f64;
            for (left, right) in left.chunks_mut(size).zip(right.chunks_mut(size)) {
                let now = player.sample();
                haptics.block(now, left.len(), &settings.action, |output| match output {
                    HapticOutput::Event(event) => player.haptic(event),
                    HapticOutput::Step(step) => deepest = deepest.max(step.depth),
                });
                player.process(left, right, &mut Nobody);
            }
            assert!(got == expected, "blocks of {size}");
            assert!(deepest > 8e-3, "the haptic key moves");
            player.reset();
            haptics.restart();
        }
        // A choice is opened at once while a piano is active, and not otherwise.
        let missing = Choice { take: "no such file".into(), ..Choice::default() };
        connection.choose(missing.clone());
        assert!(haptics.is_joined() && !connection.trouble().is_empty());
        drop(haptics);
        assert!(connection.trouble().is_empty());
        connection.choose(Choice::default());
        connection.choose(missing);
        assert!(connection.trouble().is_empty());
    }
}
