//! A haptic session as MIDI: strikes as notes, key positions as polyphonic pressure.
//!
//! The file replays in two positions. An instrument that ignores pressure plays the notes, their velocity
//! refined by CC 88. With *key pressure* set to *position*, keys follow their positions and the action
//! decides what sounds. Such a key lags by the constant [`LATE`], so notes are written later by it.

use midly::num::u7;
use midly::{MidiMessage, TrackEventKind};

use touchback_action::{ActionSettings, KeyEvent, STEP, TimedEvent};
use touchback_core::math::cast::count;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::host::midi::{controller, seven_bits, split_velocity};
use touchback_instrument::host::midi_file::write as midi_file;
use touchback_instrument::play::touch::position::{INTO_BED, LATE};
use touchback_instrument::settings::TouchSettings;

/// Ticks per second: one tick is 50 µs.
const TICKS: u16 = 20_000;

/// A session being recorded.
pub struct Performance {
    touch: TouchSettings,
    dip: f64,
    begin: Option<u64>,
    /// Tick and message, in order of arrival.
    events: Vec<(u32, TrackEventKind<'static>)>,
    pressures: [u8; KEYS],
    sounds: [bool; KEYS],
}

impl Performance {
    /// An empty session; `touch` maps hammer speed to velocity.
    #[must_use]
    pub fn new(touch: &TouchSettings) -> Self {
        Self {
            touch: *touch,
            dip: 1e-3 * ActionSettings::default().key_dip_mm,
            begin: None,
            events: vec![(0, midi_file::tempo(500_000))],
            pressures: [0; KEYS],
            sounds: [false; KEYS],
        }
    }

    /// Sets the regulation from here on.
    pub fn regulate(&mut self, settings: &ActionSettings) {
        self.dip = 1e-3 * settings.key_dip_mm;
    }

    /// Records that `key` is at `depth` m after `step`.
    pub fn position(&mut self, step: u64, key: KeyNumber, depth: f64) {
        let value = seven_bits(depth / (self.dip + INTO_BED));
        let sent = &mut self.pressures[key.index()];
        if *sent != value {
            *sent = value;
            let pressure = MidiMessage::Aftertouch { key: note(key), vel: value.into() };
            self.add(step + 1, 0.0, pressure);
        }
    }

    /// Records an event of the action.
    pub fn event(&mut self, event: &TimedEvent) {
        let (step, key) = (event.step, event.key);
        match event.event {
            KeyEvent::Strike { speed } => {
                self.end(step, event.offset, key);
                let (coarse, fine) = split_velocity(self.touch.velocity(speed));
                let late = event.offset + LATE;
                if fine > 0 {
                    let (controller, value) = (controller::VELOCITY_PREFIX.into(), fine.into());
                    self.add(step, late, MidiMessage::Controller { controller, value });
                }
                self.add(step, late, MidiMessage::NoteOn { key: note(key), vel: coarse.into() });
                self.sounds[key.index()] = true;
            }
            KeyEvent::DamperFall { .. } | KeyEvent::KeyRest { .. } => {
                self.end(step, event.offset, key)
            }
            _ => {}
        }
    }

    fn end(&mut self, step: u64, offset: f64, key: KeyNumber) {
        if std::mem::take(&mut self.sounds[key.index()]) {
            let off = MidiMessage::NoteOff { key: note(key), vel: u7::from(0) };
            self.add(step, offset + LATE, off);
        }
    }

    fn add(&mut self, step: u64, offset: f64, message: MidiMessage) {
        let begin = *self.begin.get_or_insert(step);
        let time = step.saturating_sub(begin) as f64 * STEP + offset;
        let tick = count((time * f64::from(TICKS)).round());
        self.events.push((tick, TrackEventKind::Midi { channel: 0.into(), message }));
    }

    /// The file: format 0, one tick is 50 µs.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        // A quarter note lasts 0.5 s.
        midi_file::bytes(TICKS / 2, self.events, 0)
    }
}

fn note(key: KeyNumber) -> u7 {
    // A0 is MIDI note 21.
    u7::new(key.number() + 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::EventKind;
    use touchback_haptics::action::Action;
    use touchback_haptics::keyboard::emulator::KeyboardDesign;
    use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
    use touchback_haptics::record::log::{MemoryLog, Twin};
    use touchback_haptics::servo::ServoOptions;
    use touchback_instrument::host::midi::Midi;
    use touchback_instrument::host::midi_file::Score;
    use touchback_instrument::settings::KeyPressure;
    use touchback_instrument::{Piano, Settings};
    use touchback_offline::rig::KEY;
    use touchback_offline::rig::co_simulation::{CoSimulation, MemoryLine};

    /// Soft and loud presses and repetitions of four keys over the junction.
    fn played() -> MemoryLog {
        let design = KeyboardDesign { keys: 4, plant: KEY, ..KeyboardDesign::default() };
        let mut acts = Vec::new();
        for i in 0..24u32 {
            let (time, key) = (0.5 + 0.45 * f64::from(i), (i % 4) as usize);
            let within = 0.05 + 0.012 * f64::from(i);
            acts.push(ScriptedAction {
                time,
                key,
                action: FingerAction::Press { depth: 14e-3 + 0.2e-3 * f64::from(i), within },
            });
            acts.push(ScriptedAction {
                time: time + within + 0.2,
                key,
                action: FingerAction::Release { within: 0.08 },
            });
        }
        let script = Script::new(acts);
        let mut pair =
            CoSimulation::new(&design, script, ServoOptions::default(), MemoryLine::new(0, 1));
        let mut played = MemoryLog::default();
        assert!(pair.arm(&mut played));
        pair.run(12.5, &mut played, |_| ());
        played
    }

    fn performed(played: &MemoryLog) -> Vec<u8> {
        let mut midi = Performance::new(&Settings::default().touch);
        let mut twin = Twin::new(Action::GRAND);
        for entry in &played.entries {
            let mut events = Vec::new();
            let mut positions = Vec::new();
            twin.watch(
                entry,
                |event| events.push(*event),
                |step, _, m| positions.push((step, m.front()[0])),
            );
            for (step, depth) in positions {
                midi.position(step, entry.key().unwrap(), depth);
            }
            events.iter().for_each(|event| midi.event(event));
        }
        midi.bytes()
    }

    /// Strikes of the file on a piano: time, s, key, speed.
    fn replayed(bytes: &[u8], key_pressure: KeyPressure) -> Vec<(f64, KeyNumber, f64)> {
        let mut settings = Settings::default();
        settings.touch.key_pressure = key_pressure;
        let score = Score::read("a.mid", bytes).unwrap();
        let (mut piano, mut midi) = (Piano::new(48_000.0, &settings), Midi::default());
        let (mut left, mut right) = ([0.0; 8], [0.0; 8]);
        let (mut events, mut strikes) = (score.events.iter().peekable(), Vec::new());
        let end = score.sample(score.events.last().unwrap().0, 48_000) + 24_000;
        while piano.sample() < end {
            while let Some((_, message)) =
                events.next_if(|(time, _)| score.sample(*time, 48_000) <= piano.sample())
            {
                midi.translate(message, &settings, |event| piano.handle(event));
            }
            piano.process(&mut left, &mut right);
            strikes.extend(piano.strikes().iter().map(|s| (s.time, s.key, s.speed)));
        }
        strikes
    }

    /// Largest error of the strikes' times, s, but for a constant of at most 8 ms, and of their
    /// speeds, share.
    fn errors(played: &MemoryLog, got: &[(f64, KeyNumber, f64)]) -> (f64, f64) {
        let mut pairs = Vec::new();
        let begin = played.entries.iter().find_map(|e| e.key().map(|_| e.step())).unwrap();
        for event in &played.of(EventKind::Strike) {
            let time = event.step.saturating_sub(begin) as f64 * STEP + event.offset;
            let near = got
                .iter()
                .filter(|(_, key, _)| *key == event.key)
                .min_by(|a, b| (a.0 - time).abs().total_cmp(&(b.0 - time).abs()))
                .unwrap();
            pairs.push((near.0 - time, near.2 / event.event.value() - 1.0));
        }
        assert_eq!(got.len(), pairs.len(), "no strike more or less");
        let middle = pairs.iter().map(|p| p.0).sum::<f64>() / pairs.len() as f64;
        assert!((0.0..0.008).contains(&middle), "{middle} s");
        let most = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).fold(0.0, f64::max);
        (most(&|p| (p.0 - middle).abs()), most(&|p| p.1.abs()))
    }

    #[test]
    fn a_session_replays_by_its_notes_and_by_its_positions() {
        let played = played();
        assert!(played.of(EventKind::Strike).len() >= 20, "{}", played.of(EventKind::Strike).len());
        let bytes = performed(&played);
        let by_notes = errors(&played, &replayed(&bytes, KeyPressure::Ignored));
        assert!(by_notes.0 < 0.2e-3 && by_notes.1 < 1e-3, "{by_notes:?}");
        let by_positions = errors(&played, &replayed(&bytes, KeyPressure::Position));
        eprintln!("by notes {by_notes:?}, by positions {by_positions:?} (s, share)");
        assert!(by_positions.0 < 3e-3 && by_positions.1 < 0.1, "{by_positions:?}");
    }
}
