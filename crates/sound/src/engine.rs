//! The sound engine of the whole instrument.
//!
//! Notes give the forces of their strings on the bridge; the board turns them into two channels.
//! All control work happens every [`BLOCK`] samples counted since reset, so that a host's block
//! size never changes a sample. Audio thread, except `new`.
//!
//! | part | does |
//! | --- | --- |
//! | [`Sound`] | settings, strikes and queries |
//! | `render` | the samples of a block, and the control work before it |
//! | `loading` | applies changed settings to the strings, note by note |

mod loading;
mod render;

use crate::bank::BLOCK;
use crate::bridge::{self, ZONES};
use crate::glide::Glide;
use crate::knock::{Knock, Knocks};
use crate::microphone_mixer::MicrophoneMixer;
use crate::microphones::{Distant, part};
use crate::note::Note;
use crate::output::HighShelf;
use crate::rear_lengths::RearLengths;
use crate::resonances::{Resonances, near_top};
use crate::room::Room;
use crate::settings::UnisonOffsets;
use crate::shared_board::SharedBoard;
use crate::slow_rate::SlowRate;
use crate::{SoundSettings, loss};
use loading::{Loading, partials_a_block};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::key_set::KeySet;
use touchback_core::mech::hammer::{Hammer, HammerSettings};
use touchback_core::mech::key_tones::{KeyTones, ToneQuantity};

/// Full scale per newton on the bridge: C4 at 2 m/s peaks near −25 dBFS, which leaves ten notes at
/// 5 m/s with the pedal down some decibels of room.
const FULL_SCALE: f64 = 1.0 / 1160.0;

/// Level below which a note sleeps, full scale (−100 dBFS).
const GATE: f64 = 1e-5;

/// Bound of the ratio between the loudest strings and the gate, 160 dB: 40 dB more than a blow of
/// all keys at [`FASTEST`] gives (chosen, to make [`Sound::longest_ring`] an upper bound).
const RANGE: f64 = 1e8;

/// Time added to the strings' longest decay for the board's response and for gliding settings, s.
const AFTER: f64 = 1.5;

/// Time constant of levels, lid and width, s: 12 % of the way in a block at 48 kHz.
const MIX_TIME: f64 = 10.430_245e-3;
/// Distance from their targets at which levels, lid and width have arrived.
const MIX_NEAR: f32 = 1e-4;

/// Largest strike speed, m/s; faster strikes are limited to it (the fastest measured is 7.8 m/s).
const FASTEST: f64 = 20.0;

/// Largest displacement of a plucked string, m; larger ones are limited to it.
const FARTHEST: f64 = 5e-3;

/// Widest bend, cents: the four octaves of polyphonic controllers.
const MOST_CENTS: f64 = 4800.0;

/// Targets of the gliding values: share of the late response, direct level, lid gain, stereo width.
fn mix(settings: &SoundSettings) -> [f64; 4] {
    [settings.board, settings.direct(), settings.lid_gain(), settings.side()]
}

/// All strings and the board, at one sample rate.
pub struct Sound {
    /// Settings as set last.
    settings: SoundSettings,
    /// Settings in force since the beginning of a block, at which the gliding values aim.
    applied: SoundSettings,
    /// `settings` were set since the last block began.
    is_set: bool,
    hammers: [HammerSettings; KEYS],
    notes: Vec<Note>,
    /// Keys whose notes sound or are being struck.
    awake: KeySet,
    /// First zone of each key on the bridges, and the weights of that zone and the next, with the key's
    /// level equalization.
    bridge_weights: Vec<(usize, [f32; 2])>,
    knocks: Knocks,
    kernel: Kernel,
    microphones: MicrophoneMixer,
    loading: Option<Loading>,
    partials_a_block: usize,
    /// Share of the late response, direct level, lid gain and stereo width: each at the block's beginning
    /// and at its end.
    mix: [(f32, Glide); 4],
    /// Lids over the chosen pair of microphones and over the distant pair.
    lids: [HighShelf; 2],
    room: Room,
    inputs: [[f32; BLOCK]; ZONES],
    /// Resonances of the damped strings and of the undamped ones.
    resonances: [Resonances; 2],
    rear_lengths: RearLengths,
    /// Force of all struck strings and knocks on the bridge, N: in the last block and in the present one,
    /// each the whole force and the part that reaches the undamped strings. Strings that were not struck
    /// receive it after a constant delay, for every block size of the host, and do not act back on the
    /// struck ones, so that no feedback loop can grow.
    bridge: [[[f32; BLOCK]; 2]; 2],
    /// Share of each key's force that reaches the undamped strings.
    near_top: [f32; KEYS],
    /// Samples into the present block.
    phase: usize,
    /// Blocks since reset.
    block: usize,
    ignored: u64,
}

impl Sound {
    /// Prepares all tables for `sample_rate` Hz, with the concert grand's hammers. Allocates;
    /// everything else here does not.
    #[must_use]
    pub fn new(sample_rate: f64, settings: &SoundSettings) -> Self {
        Self::with_hammers(sample_rate, settings, &HammerSettings::CONCERT)
    }

    /// Like [`Sound::new`] with `hammers`.
    #[must_use]
    pub fn with_hammers(
        sample_rate: f64,
        settings: &SoundSettings,
        hammers: &HammerSettings,
    ) -> Self {
        Self::with_each_hammer(sample_rate, settings, |_| *hammers)
    }

    /// Like [`Sound::new`] with a hammer for each key.
    #[must_use]
    pub fn with_each_hammer(
        sample_rate: f64,
        settings: &SoundSettings,
        hammers: impl Fn(KeyNumber) -> HammerSettings,
    ) -> Self {
        Self::prepared(sample_rate, settings, hammers, Kernel::detect())
    }

    /// Like [`Sound::new`] with a kernel of [`Kernel::available`]; every kernel gives the same
    /// samples.
    #[must_use]
    pub fn with_kernel(sample_rate: f64, settings: &SoundSettings, kernel: Kernel) -> Self {
        Self::prepared(sample_rate, settings, |_| HammerSettings::CONCERT, kernel)
    }

    fn prepared(
        sample_rate: f64,
        settings: &SoundSettings,
        hammers: impl Fn(KeyNumber) -> HammerSettings,
        kernel: Kernel,
    ) -> Self {
        let settings = settings.clamped();
        let slow = SlowRate::both(sample_rate);
        let note = |key| {
            let hammer = Hammer::of(key, &hammers(key));
            Note::new(key, &settings, &hammer, sample_rate, &slow, kernel)
        };
        let board = SharedBoard::at(sample_rate);
        let microphones =
            MicrophoneMixer::new(&board, settings.perspective.pair(), sample_rate, kernel);
        let bridge_weights = |(key, factor): (KeyNumber, f32)| {
            let (first, weights) = bridge::weights(key);
            (first, weights.map(|w| w * factor))
        };
        Self {
            notes: KeyNumber::all().map(note).collect(),
            settings,
            applied: settings,
            is_set: false,
            hammers: std::array::from_fn(|i| {
                KeyNumber::from_index(i).map_or(HammerSettings::CONCERT, &hammers)
            }),
            awake: KeySet::EMPTY,
            bridge_weights: KeyNumber::all()
                .zip(*board.level_factors())
                .map(bridge_weights)
                .collect(),
            knocks: Knocks::new(sample_rate),
            kernel,
            microphones,
            loading: None,
            partials_a_block: partials_a_block(sample_rate),
            mix: mix(&settings)
                .map(|x| (single(x), Glide::new(x, MIX_TIME, MIX_NEAR, sample_rate))),
            lids: [HighShelf::new(sample_rate); 2],
            room: Room::new(sample_rate, settings.room()),
            inputs: [[0.0; BLOCK]; ZONES],
            resonances: slow.each_ref().map(Resonances::new),
            rear_lengths: RearLengths::new(sample_rate, kernel),
            bridge: [[[0.0; BLOCK]; 2]; 2],
            near_top: std::array::from_fn(|i| KeyNumber::from_index(i).map_or(0.0, near_top)),
            phase: 0,
            block: 0,
            ignored: 0,
        }
    }

    /// Silences everything, dampers at rest; the sample clock restarts.
    pub fn reset(&mut self) {
        self.apply_settings();
        self.finish_loading();
        self.notes.iter_mut().for_each(Note::reset);
        self.awake = KeySet::EMPTY;
        self.knocks.reset();
        self.microphones.reset();
        self.finish_mix();
        self.lids.iter_mut().for_each(HighShelf::reset);
        self.room.reset();
        self.inputs = [[0.0; BLOCK]; ZONES];
        self.resonances.iter_mut().for_each(Resonances::reset);
        self.rear_lengths.reset();
        self.bridge = [[[0.0; BLOCK]; 2]; 2];
        (self.phase, self.block, self.ignored) = (0, 0, 0);
    }

    /// Ends every change of settings in progress at once. Call it while [`Sound::is_at_rest`] holds: nothing
    /// sounds that could click. Strings whose change is unfinished are loaded as they begin to sound.
    pub fn settle(&mut self) {
        self.apply_settings();
        self.load_on_waking();
        self.finish_mix();
        self.microphones.settle();
        self.room.settle();
    }

    /// Levels, lid and width jump to their targets.
    fn finish_mix(&mut self) {
        for (from, glide) in &mut self.mix {
            glide.finish();
            *from = glide.now;
        }
    }

    /// New settings, without clicks: knocks from the next event, everything else from the next block on. Of
    /// several settings in one block the last is applied. Levels arrive within 50 ms, another pair of
    /// microphones within 75 ms, pitch and decay note by note, sounding notes first, within 0.52 s.
    pub fn set(&mut self, settings: &SoundSettings) {
        self.settings = settings.clamped();
        self.is_set = true;
    }

    /// Applies the settings that were set in the block before.
    fn apply_settings(&mut self) {
        if !std::mem::take(&mut self.is_set) || self.settings == self.applied {
            return;
        }
        let new = self.settings;
        let old = std::mem::replace(&mut self.applied, new);
        for (slot, target) in self.mix.iter_mut().zip(mix(&new)) {
            slot.1.aim(target);
        }
        self.microphones.choose(new.perspective.pair());
        self.room.set(new.room());
        if !new.same_strings(&old) {
            self.begin_loading();
        }
    }

    /// Unisons and tones of single keys, as set last.
    #[must_use]
    pub const fn of_keys(&self) -> (UnisonOffsets, KeyTones) {
        (self.settings.unisons, self.settings.tones)
    }

    /// New hammers, all set alike; see [`Sound::set_hammer`].
    pub fn set_hammers(&mut self, hammers: &HammerSettings) {
        KeyNumber::all().for_each(|key| self.set_hammer(key, hammers));
    }

    /// A new hammer of `key`: mass and felt from the next strike on, the strike point as [`Sound::set`]
    /// changes pitch.
    pub fn set_hammer(&mut self, key: KeyNumber, hammer: &HammerSettings) {
        let old = std::mem::replace(&mut self.hammers[key.index()], *hammer);
        if old != *hammer {
            self.notes[key.index()].set_hammer(&Hammer::of(key, hammer));
        }
        if old.strike_point != hammer.strike_point {
            self.begin_loading_note(key);
        }
    }

    /// The hammer of `key` meets its strings at `speed` m/s, `delay` samples (0…1) after the
    /// beginning of the next sample's interval. Speeds not above 0 and values that are no numbers
    /// are ignored and counted.
    pub fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64) {
        if speed > 0.0 && speed.is_finite() && delay.is_finite() {
            self.load_waking(key);
            self.notes[key.index()].strike(speed.min(FASTEST), delay.clamp(0.0, 1.0));
            self.awake.insert(key);
        } else {
            self.ignored += 1;
        }
    }

    /// A plectrum lets the strings of `key` go, displaced by `displacement` m, `delay` samples (0…1)
    /// after the beginning of the next sample's interval. Displacements not above 0 and values that
    /// are no numbers are ignored and counted.
    pub fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64) {
        if displacement > 0.0 && displacement.is_finite() && delay.is_finite() {
            self.load_waking(key);
            let note = &mut self.notes[key.index()];
            note.pluck(displacement.min(FARTHEST), delay.clamp(0.0, 1.0));
            self.awake.insert(key);
        } else {
            self.ignored += 1;
        }
    }

    /// Damper of `key`: 0 resting on the string … 1 clear of it, from the next block on.
    pub fn damper(&mut self, key: KeyNumber, lift: f64) {
        if lift.is_nan() {
            self.ignored += 1;
        } else {
            self.notes[key.index()].damper(lift);
        }
    }

    /// Bends `key` by `cents` (within ±4800) against its tuning, sounding strings included, from the next
    /// block on until the next call or reset. Its work is bounded: the poles of one note.
    pub fn retune(&mut self, key: KeyNumber, cents: f64) {
        if cents.is_nan() {
            self.ignored += 1;
        } else {
            self.notes[key.index()].retune(cents.clamp(-MOST_CENTS, MOST_CENTS));
        }
    }

    /// Left pedal: 0 up … 1 down, for strikes from now on. The hammers shift off the first of two
    /// or three strings and meet the others with softer felt; up again after a reset.
    pub fn una_corda(&mut self, amount: f64) {
        if amount.is_nan() {
            self.ignored += 1;
        } else {
            let amount = amount.clamp(0.0, 1.0);
            self.notes.iter_mut().for_each(|note| note.una_corda(amount));
        }
    }

    /// A knock of the mechanism at `key` with the given impact speed, m/s.
    pub fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64) {
        if !(speed > 0.0 && speed.is_finite()) {
            self.ignored += 1;
        } else if self.settings.knocks > 0.0 {
            let (first, weights) = bridge::weights(key);
            let (speed, near) = (speed.min(FASTEST), self.near_top[key.index()]);
            self.knocks.begin(knock, speed, self.settings.knocks, first, weights, near);
        }
    }

    /// Events ignored since reset because their values were not finite or out of range.
    #[must_use]
    pub const fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Writes the next samples of both channels (equal lengths), full scale ±1.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.process_with(left, right, None);
    }

    /// Like [`Sound::process`], and writes the `distant` pair (equal lengths too), which costs nothing
    /// where it is not requested.
    pub fn process_with(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        let len = left.len().min(right.len());
        left[len..].fill(0.0);
        right[len..].fill(0.0);
        let mut done = 0;
        while done < len {
            if self.phase == 0 {
                self.begin_block();
            }
            let portion = (len - done).min(BLOCK - self.phase);
            let range = done..done + portion;
            let far = part(&mut distant, &range);
            self.render(&mut left[range.clone()], &mut right[range], far);
            done += portion;
            self.phase += portion;
            if self.phase == BLOCK {
                self.microphones.end_block();
                self.phase = 0;
                self.block += 1;
            }
        }
    }

    /// Whether nothing sounds, and nothing will before the next event.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.loading.is_none() && !self.is_set && self.is_at_rest()
    }

    /// Whether strings, board and room are silent, whatever settings are still being applied.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.lids.iter().all(HighShelf::is_silent)
            && self.awake.is_empty()
            && self.knocks.is_empty()
            && self.resonances.iter().all(Resonances::is_silent)
            && self.rear_lengths.is_silent()
            && self.microphones.is_silent()
            && self.room.is_silent()
    }

    /// Upper bound of the time for which anything sounds after the last event, s: the decay of strings that
    /// lose nothing to the bridge, and of the room after them.
    #[must_use]
    pub fn longest_ring(&self) -> f64 {
        let longer = libm::exp2(self.settings.tones.most(ToneQuantity::Decay));
        let loss = loss::least_internal() / (self.settings.sustain * longer);
        libm::log(RANGE) / loss + self.settings.room().time * libm::log10(RANGE) / 3.0 + AFTER
    }
}

#[cfg(test)]
mod tests;
