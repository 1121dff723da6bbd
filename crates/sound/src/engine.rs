//! The sound engine of the whole instrument.
//!
//! Notes give the forces of their strings on the bridge; the board turns them into two channels.
//! All control work happens every [`BLOCK`](crate::strings::bank::BLOCK) samples counted since reset, so that a host's block
//! size never changes a sample. Audio thread, except `new`.
//!
//! | part | does |
//! | --- | --- |
//! | [`Sound`] | both halves at one clock |
//! | [`strings`] | strings, dampers and knocks: up to the forces on the bridge |
//! | [`board_section`] | board, microphones and room: from these forces on |
//! | `loading` | applies changed settings to the strings, note by note |

pub mod board_section;
mod loading;
pub mod strings;

use crate::SoundSettings;
use crate::board::knock::Knock;
use crate::board::microphones::{Distant, part};
use crate::board::shared_board::SharedBoard;
use crate::strings::loss;
use board_section::BoardSection;
use strings::StringSection;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::pages::boxed;
use touchback_core::mech::hammer::HammerSettings;
use touchback_core::mech::key_tones::ToneQuantity;

/// Full scale per newton on the bridge: the loudest of three recorded performances peaks at −0.6 dBFS without a
/// limiter, C4 at 2 m/s at −25 dBFS.
const FULL_SCALE: f64 = 1.0 / 1250.0;

/// Level below which a note sleeps, full scale (−100 dBFS).
const GATE: f64 = 1e-5;

/// [`GATE`] under economy (−80 dBFS).
const ECONOMY_GATE: f64 = 1e-4;

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

/// Largest mass of a hammer that strikes a rod, kg; heavier ones are limited to it.
const HEAVIEST: f64 = 0.1;

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
    // In boxes, so that a sound is made with little stack.
    strings: Box<StringSection>,
    board: Box<BoardSection>,
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
    pub(crate) fn with_hammers(
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
        let board = SharedBoard::at(sample_rate);
        Self {
            strings: boxed(|| StringSection::new(sample_rate, &settings, hammers, kernel)),
            board: boxed(|| BoardSection::new(sample_rate, &settings, &board, kernel)),
        }
    }

    /// Both halves, to run them on two threads.
    #[must_use]
    pub fn split(self) -> (StringSection, BoardSection) {
        (*self.strings, *self.board)
    }

    /// Silences everything, dampers at rest; the sample clock restarts.
    pub fn reset(&mut self) {
        self.strings.reset();
        self.board.reset();
    }

    /// Ends every change of settings in progress at once. Call it while [`Sound::is_at_rest`] holds: nothing
    /// sounds that could click. Strings whose change is unfinished are loaded as they begin to sound.
    pub fn settle(&mut self) {
        self.strings.settle();
        self.board.settle();
    }

    /// New settings, without clicks: knocks from the next event, everything else from the next block on. Of
    /// several settings in one block the last is applied. Levels arrive within 50 ms, another pair of
    /// microphones within 140 ms at 48 kHz, pitch and decay note by note, sounding notes first, within 0.52 s.
    /// Economy leaves out the end of the board's response within 50 ms, and the partials and resonances of a
    /// note from its next strike on; without economy the end of the response is back within 140 ms.
    pub fn set(&mut self, settings: &SoundSettings) {
        self.strings.set(settings);
        self.board.set(settings);
    }

    /// The settings set last.
    #[must_use]
    pub const fn settings(&self) -> &SoundSettings {
        self.strings.settings()
    }

    /// New hammers, all set alike; see [`Sound::set_hammer`].
    pub fn set_hammers(&mut self, hammers: &HammerSettings) {
        KeyNumber::all().for_each(|key| self.set_hammer(key, hammers));
    }

    /// A new hammer of `key`: mass and felt from the next strike on, the strike point as [`Sound::set`]
    /// changes pitch.
    pub fn set_hammer(&mut self, key: KeyNumber, hammer: &HammerSettings) {
        self.strings.set_hammer(key, hammer);
    }

    /// The hammer of `key` meets its strings at `speed` m/s, `delay` samples (0…1) after the
    /// beginning of the next sample's interval. Speeds not above 0 and values that are no numbers
    /// are ignored and counted.
    pub fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64) {
        self.strings.strike(key, speed, delay);
    }

    /// A plectrum lets the strings of `key` go, displaced by `displacement` m, `delay` samples (0…1)
    /// after the beginning of the next sample's interval. Displacements not above 0 and values that
    /// are no numbers are ignored and counted.
    pub fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64) {
        self.strings.pluck(key, displacement, delay);
    }

    /// A hammer of `mass` kg meets the rod of `key` at `speed` m/s, `delay` samples (0…1) after the beginning of
    /// the next sample's interval. Values not above 0 and values that are no numbers are ignored and counted.
    pub fn strike_rod(&mut self, key: KeyNumber, mass: f64, speed: f64, delay: f64) {
        self.strings.strike_rod(key, mass, speed, delay);
    }

    /// Wind of `pressure` Pa at the foot of the pipe of `key`, from the next sample on.
    pub fn blow(&mut self, key: KeyNumber, pressure: f64) {
        self.board.blow(key, pressure);
    }

    /// Damper of `key`: 0 resting on the string … 1 clear of it, from the next block on.
    pub fn damper(&mut self, key: KeyNumber, lift: f64) {
        self.strings.damper(key, lift);
    }

    /// Bends `key` by `cents` (within ±4800) against its tuning, sounding strings included, from the next
    /// block on until the next call or reset. Its work is bounded: the poles of one note.
    pub fn retune(&mut self, key: KeyNumber, cents: f64) {
        self.strings.retune(key, cents);
        self.board.retune(key, cents);
    }

    /// Left pedal: 0 up … 1 down, for strikes from now on. The hammers shift off the first of two
    /// or three strings and meet the others with softer felt; up again after a reset.
    pub fn una_corda(&mut self, amount: f64) {
        self.strings.una_corda(amount);
    }

    /// A knock of the mechanism at `key` with the given impact speed, m/s.
    pub fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64) {
        self.strings.knock(key, knock, speed);
    }

    /// Events ignored since reset because their values were not finite or out of range.
    #[must_use]
    pub const fn ignored(&self) -> u64 {
        self.strings.ignored()
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
            self.board.begin();
            let portion = self.strings.take(len - done, self.board.is_at_rest()).len();
            let range = done..done + portion;
            let far = part(&mut distant, &range);
            let (forces, is_still) = (self.strings.forces(), self.strings.is_at_rest());
            self.board.process(forces, is_still, &mut left[range.clone()], &mut right[range], far);
            done += portion;
        }
    }

    /// The block of the next `waiting` samples, which are to be written later, begins: what is changed from now on
    /// is in force from the next block on.
    pub fn begin(&mut self, waiting: usize) {
        if waiting > 0 {
            self.board.begin();
            self.strings.begin(waiting, self.board.is_at_rest());
        }
    }

    /// The strings render the next `waiting` samples, at most to the end of the block, which
    /// [`Sound::process_with`] writes later: an excitation from now on comes after them, and the board renders the
    /// block as one.
    pub fn hold(&mut self, waiting: usize) {
        if waiting > 0 {
            self.board.begin();
            self.strings.hold(waiting, self.board.is_at_rest());
        }
    }

    /// Whether nothing sounds, and nothing will before the next event.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        !self.strings.is_changing() && self.is_at_rest()
    }

    /// Whether strings, board and room are silent, whatever settings are still being applied.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.strings.is_at_rest() && self.board.is_at_rest()
    }

    /// Upper bound of the time for which anything sounds after the last event, s: the decay of strings that
    /// lose nothing to the bridge, and of the room after them.
    #[must_use]
    pub fn longest_ring(&self) -> f64 {
        let settings = &self.strings.settings;
        let longer = libm::exp2(settings.tones.most(ToneQuantity::Decay));
        let loss = loss::least_internal() / (settings.sustain * longer);
        let loss = loss.min(crate::strings::note::least_loss_of_blow(&settings.tones));
        libm::log(RANGE) / loss + settings.room().time * libm::log10(RANGE) / 3.0 + AFTER
    }
}

#[cfg(test)]
mod tests;
