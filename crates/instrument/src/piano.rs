//! The piano a host plays: events in, stereo samples out, on one sample clock.

use crate::block::Block;
use crate::clock::Clock;
use crate::load::WorkCounters;
use crate::note_output::SentAt;
use crate::record::{Counts, StrikeRecord};
use crate::snapshot::Snapshot;
use crate::trace::Sample;
use crate::{Event, Settings};
use touchback_action::SwitchableKeyboard;
use touchback_action::interface::press::Effort;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_sound::Sound;
use touchback_sound::microphones::Distant;

/// Action and sound of 88 keys.
///
/// All times count samples since creation or reset, so the same events at the same samples give the
/// same samples, bit for bit, however a host cuts its blocks.
pub struct Piano {
    block: Box<Block<SwitchableKeyboard, Sound>>,
}

impl Piano {
    /// A silent piano at `sample_rate` Hz (taken in whole mHz, kept to 1 kHz…1 MHz). Allocates;
    /// everything else here does not.
    #[must_use]
    pub fn new(sample_rate: f64, settings: &Settings) -> Self {
        let keyboard = SwitchableKeyboard::new(&settings.action);
        let sample_rate = Clock::new(sample_rate).rate();
        let hammers = |key| settings.action.of(key).hammers();
        let sound = Sound::with_each_hammer(sample_rate, &settings.strings(), hammers);
        Self { block: Box::new(Block::new(keyboard, sound, sample_rate, settings)) }
    }

    /// Silence, every key at rest, the pedal up, clocks and counts restarted; the settings stay.
    pub fn reset(&mut self) {
        self.block.reset();
    }

    /// New settings from the current sample on, without clicks: the sound at once, the regulation
    /// from the action step that covers this sample on, the output level by a 10 ms ramp.
    pub fn set(&mut self, settings: &Settings) {
        self.block.set(settings);
    }

    /// Applies `event` at the current sample.
    ///
    /// Immediate timing: a note-on is the hammer meeting the string, a note-off the damper meeting
    /// it, at this very sample. Natural timing: both are a finger's first motion, and what the
    /// action makes of it sounds one action step (125 µs) after it happens. Look-ahead timing is
    /// the scheduler's: here it is natural timing.
    ///
    /// Every note-on plays its key anew. Note-ons of one key are counted: the key is let go by as
    /// many note-offs. A note-off of a key not held does nothing. A choke lets go of one key and puts
    /// its damper on the strings whatever the pedals do. `AllSoundOff` also lets go of every key;
    /// what sounded fades within 3 ms, under whatever is played at the same sample.
    ///
    /// Where key pressure is read as position, a key follows the positions sent to it from the first
    /// above 0 until it has been let up; its notes are counted meanwhile and strike nothing.
    pub fn handle(&mut self, event: Event) {
        self.block.handle(event);
    }

    /// Detunes each key against its own tuning by as many `cents`, within ±4800, what rings included
    /// and besides every bend, from the next action step on; a reset keeps it.
    pub fn retune(&mut self, cents: &[f64; KEYS]) {
        self.block.retune(cents);
    }

    /// Writes the next samples of both channels (equal lengths), full scale ±1.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.process_with(left, right, None);
    }

    /// The same, and what the `distant` pair of microphones hears (equal lengths too).
    pub fn process_with(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        self.block.process(left, right, distant);
    }

    /// Tells how many notes since reset could not be played in time.
    pub(super) const fn came_late(&mut self, notes: u64) {
        self.block.came_late(notes);
    }

    /// Counters since creation or reset.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.block.counts()
    }

    /// Strikes of the last call of [`Piano::process`] that rendered samples, oldest first.
    #[must_use]
    pub fn strikes(&self) -> &[StrikeRecord] {
        self.block.strikes()
    }

    /// What left as notes in the last call of [`Piano::process`] that rendered samples and since the
    /// one before it, in order; empty unless the strike output is switched on.
    #[must_use]
    pub fn outgoing(&self) -> &[SentAt] {
        self.block.outgoing()
    }

    /// The sample to be rendered next, counted since creation or reset.
    #[must_use]
    pub const fn sample(&self) -> u64 {
        self.block.now()
    }

    /// Work since creation or reset.
    #[must_use]
    pub const fn load(&self) -> WorkCounters {
        self.block.load()
    }

    /// The settings in force.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        self.block.settings()
    }

    /// Time of the next sample since creation or reset, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.block.time()
    }

    /// Samples a second, Hz.
    #[must_use]
    pub const fn sample_rate(&self) -> f64 {
        self.block.sample_rate()
    }

    /// What a finger will do on `key` for a hammer speed, m/s.
    pub(super) fn coming_effort(&mut self, key: KeyNumber, hammer_speed: f64) -> Effort {
        self.block.coming_effort(key, hammer_speed)
    }

    /// The keyboard.
    #[must_use]
    pub const fn keyboard(&self) -> &SwitchableKeyboard {
        &self.block.keys
    }

    /// Switches recording of the last touched key on or off; off at first.
    pub fn watch(&mut self, is_watched: bool) {
        self.block.trace.watch(is_watched);
    }

    /// The last touched key in each action step in which it moved, oldest first, since the last
    /// [`Piano::trace_read`]; 4096 steps at most.
    #[must_use]
    pub fn trace(&self) -> &[Sample] {
        self.block.trace.samples()
    }

    /// Empties the trace.
    pub fn trace_read(&mut self) {
        self.block.trace.clear();
    }

    /// State of the whole keyboard at the present sample.
    pub fn show(&self, to: &mut Snapshot) {
        self.block.show(to);
    }

    /// Nothing moves, nothing sounds and nothing is to come before the next event.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.block.is_idle()
    }

    /// Upper bound of the samples until the piano is idle, if no event comes: 0 when it is.
    #[must_use]
    pub fn tail(&self) -> usize {
        self.block.tail()
    }

    /// Upper bound of the samples until it is idle, if the last event comes `after` as many.
    pub(super) fn longest_tail(&self, after: u64) -> u64 {
        let tail = if after > 0 { self.block.longest_tail() } else { self.block.tail() };
        after + tail as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event::{NoteOff, NoteOn};

    #[test]
    fn an_immediate_note_is_a_strike_at_its_own_sample() {
        for rate in [22_050.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0, 384_000.0] {
            let mut piano = Piano::new(rate, &Settings::default());
            let (mut left, mut right) = ([0.0_f32; 100], [0.0_f32; 100]);
            piano.process(&mut left[..77], &mut right[..77]);
            assert!(piano.strikes().is_empty());
            let key = KeyNumber::from_midi(60).expect("a key");
            piano.handle(NoteOn { key, velocity: 52.0 / 127.0 });
            piano.process(&mut left, &mut right);
            let time = 77.0 / rate;
            assert_eq!(piano.strikes(), [StrikeRecord { time, key, speed: 1.0, note_on: time }]);
            piano.handle(NoteOff { key, velocity: 0.5 });
            piano.process(&mut left[..1], &mut right[..1]);
            assert!(piano.strikes().is_empty());
            let counts = piano.counts();
            assert_eq!((counts.notes, counts.strikes, counts.silent_presses), (1, 1, 0));
        }
    }

    #[test]
    fn values_that_are_no_numbers_are_counted_and_ignored() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let key = KeyNumber::from_midi(60).expect("a key");
        piano.handle(NoteOn { key, velocity: f64::NAN });
        piano.handle(NoteOff { key, velocity: f64::INFINITY });
        piano.handle(Event::Sustain(f64::NAN));
        assert_eq!(piano.counts(), Counts { ignored: 3, ..Counts::default() });
    }

    #[test]
    fn a_watched_key_shows_every_step_and_sounds_no_different() {
        let (mut plain, mut watched) = (
            Piano::new(48_000.0, &Settings::default()),
            Piano::new(48_000.0, &Settings::default()),
        );
        watched.watch(true);
        let key = KeyNumber::from_midi(60).expect("a key");
        let mut seen: Vec<Sample> = Vec::new();
        for block in 0..24 {
            if block == 2 {
                plain.handle(NoteOn { key, velocity: 0.5 });
                watched.handle(NoteOn { key, velocity: 0.5 });
            }
            let (mut a, mut b) = ([0.0_f32; 200], [0.0_f32; 200]);
            let (mut c, mut d) = ([0.0_f32; 200], [0.0_f32; 200]);
            plain.process(&mut a, &mut b);
            watched.process(&mut c, &mut d);
            assert_eq!((a, b), (c, d));
            seen.extend(watched.trace());
            watched.trace_read();
        }
        assert!(plain.trace().is_empty());
        // 22 blocks of 200 samples are 92 ms or 733 steps; the key moves through all of them.
        assert!((727..=735).contains(&seen.len()), "{}", seen.len());
        assert!(seen.windows(2).all(|w| w[1].step == w[0].step + 1 && w[1].key == key));
        let mut snapshot = Snapshot::default();
        watched.show(&mut snapshot);
        assert_eq!(snapshot.touched, Some(key));
        assert!((0.009..0.012).contains(&snapshot.depth[key.index()]), "{snapshot:?}");
        assert!(snapshot.struck[key.index()] > 0.5 && snapshot.damper[key.index()] == 1.0);
    }

    /// Both channels of `seconds` of a piano whose keys begin to differ after a fifth of it, C4 and G4
    /// played again and again, computed `block` samples at a time.
    fn turned(sheet: &str, unevenness: f64, seconds: f64, block: usize) -> Vec<(f32, f32)> {
        let mut settings = Settings::default();
        settings.touch.timing = crate::settings::Timing::Natural;
        let mut piano = Piano::new(48_000.0, &settings);
        settings.action.keys = sheet.parse().expect("a sheet");
        settings.action.unevenness = unevenness;
        let length = touchback_core::math::cast::floor_index(seconds * 48_000.0);
        let mut out = Vec::new();
        let changes = |at: usize| at.is_multiple_of(6_000) || at == length / 5;
        while out.len() < length {
            let at = out.len();
            if at == length / 5 {
                piano.set(&settings);
            }
            if at.is_multiple_of(6_000) {
                let key = KeyNumber::from_midi(60 + 7 * u8::from(at % 12_000 != 0)).expect("a key");
                piano.handle(NoteOff { key, velocity: 0.5 });
                piano.handle(NoteOn { key, velocity: 0.5 });
            }
            let next = (at + 1..length).find(|next| changes(*next)).unwrap_or(length);
            let count = block.min(next - at);
            let (mut left, mut right) = (vec![0.0; count], vec![0.0; count]);
            piano.process(&mut left, &mut right);
            out.extend(left.into_iter().zip(right));
        }
        out
    }

    #[test]
    fn keys_turned_by_themselves_sound_so_whatever_the_blocks() {
        let even = turned("key", 0.0, 1.0, 480);
        let sheet = "key,let_off_mm,strike_weight_g,unison_width_cents\n40,1,0.5,4\n";
        let one = turned(sheet, 0.0, 1.0, 480);
        assert_eq!(one[..9_600], even[..9_600]);
        assert_ne!(one, even);
        assert_eq!(one, turned(sheet, 0.0, 1.0, 37));
        let uneven = turned(sheet, 0.7, 1.0, 480);
        assert_eq!(uneven, turned(sheet, 0.7, 1.0, 111));
        assert!(uneven != one && uneven.iter().all(|(l, r)| l.is_finite() && r.is_finite()));
        // A key that is not played is not heard.
        assert_eq!(turned("key,let_off_mm\n7,2\n", 0.0, 0.5, 480), even[..24_000]);
    }
}
