//! All strings with their hammers and dampers, and the knocks: from strikes to the forces on the bridge.
//!
//! One half of the [engine](super): the other half, the [board](super::board_section), turns the forces into
//! sound. Nothing returns from it but whether it is silent.

use std::ops::Range;

use arrayvec::ArrayVec;

use super::loading::{Loading, SILENT, partials_a_block};
use super::{ECONOMY_GATE, FARTHEST, FASTEST, FULL_SCALE, GATE, HEAVIEST, MOST_CENTS};
use crate::SoundSettings;
use crate::board::knock::{Knock, Knocks};
use crate::output::level_equalization;
use crate::signal::slow_rate::SlowRate;
use crate::strings::bank::{self, BLOCK, DrivenModes};
use crate::strings::bridge::{self, PATHS, Place, ZONES};
use crate::strings::note::{Note, WAKE, contacts};
use crate::strings::resonances::{NEAREST, Resonances, near_top};
use crate::strings::rods::Rods;
use crate::strings::{loss, plate, rear_lengths};
use crate::tuning::stretch;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::key_set::KeySet;
use touchback_core::math::real::MOST_LANES;
use touchback_core::mech::hammer::{Hammer, HammerSettings};
use touchback_core::mech::key_tones::ToneQuantity;

/// Forces on the bridge, N, by zone.
pub type BridgeForces = [[f32; BLOCK]; ZONES];

/// Index of the resonances of `key`: damped strings, undamped strings.
const fn group(key: KeyNumber) -> usize {
    if loss::has_damper(key) { 0 } else { 1 }
}

/// What belongs to the paths of each of these groups.
fn of_groups<T>(of_paths: &[T; PATHS]) -> [&[T]; 2] {
    let [damped @ .., undamped] = of_paths;
    [damped, std::slice::from_ref(undamped)]
}

/// All strings, at one sample rate.
pub struct StringSection {
    /// Settings as set last.
    pub(super) settings: SoundSettings,
    /// Settings in force since the beginning of a block.
    applied: SoundSettings,
    /// `settings` were set since the last block began.
    is_set: bool,
    hammers: [HammerSettings; KEYS],
    pub(super) notes: Vec<Note>,
    /// Keys whose notes sound or are being struck.
    awake: KeySet,
    /// Place of each key on the bridges, with the key's level equalization.
    places: Vec<Place>,
    knocks: Knocks,
    rods: Rods,
    kernel: Kernel,
    pub(super) loading: Option<Loading>,
    partials_a_block: usize,
    inputs: BridgeForces,
    /// Resonances of the damped strings and of the undamped ones.
    resonances: [Resonances; 2],
    rear_lengths: DrivenModes,
    plate: DrivenModes,
    /// Force of all hammers that drives the plate's modes and, through the plate, the rear lengths, N: in the
    /// last block and in the present one.
    blow: [[[f32; BLOCK]; 2]; 2],
    /// Shares of each key's hammer force that do.
    plate_shares: [[f32; 2]; KEYS],
    /// Force of all struck strings and knocks on the bridge, N: in the last block and in the present one, on
    /// each path to the strings that it drives.
    bridge: [[[f32; BLOCK]; PATHS]; 2],
    /// Share of each key's force on each path.
    paths: [[f32; PATHS]; KEYS],
    /// Samples into the present block.
    phase: usize,
    /// The control work of the present block is done.
    has_begun: bool,
    /// Samples of the block that are rendered and not yet taken.
    ahead: usize,
    /// Blocks since reset.
    block: usize,
    ignored: u64,
}

impl StringSection {
    /// Prepares all tables of the strings for `sample_rate` Hz. Allocates.
    pub(super) fn new(
        sample_rate: f64,
        settings: &SoundSettings,
        hammers: impl Fn(KeyNumber) -> HammerSettings,
        kernel: Kernel,
    ) -> Self {
        let slow = SlowRate::both(sample_rate);
        let note = |key| {
            let hammer = Hammer::of(key, &hammers(key));
            let mut note = Note::new(key, settings, &hammer, sample_rate, &slow, kernel);
            note.economize(settings.economy);
            note
        };
        let place = |key: KeyNumber| {
            let (place, factor) = (bridge::place(key), level_equalization::factor(key));
            Place { weights: place.weights.map(|w| w * factor), ..place }
        };
        let places: Vec<Place> = KeyNumber::all().map(place).collect();
        Self {
            notes: KeyNumber::all().map(note).collect(),
            settings: settings.clone(),
            applied: settings.clone(),
            is_set: false,
            hammers: std::array::from_fn(|i| {
                KeyNumber::from_index(i).map_or(HammerSettings::CONCERT, &hammers)
            }),
            awake: KeySet::EMPTY,
            rods: Rods::new(sample_rate, &places),
            places,
            knocks: Knocks::new(sample_rate),
            kernel,
            loading: None,
            partials_a_block: partials_a_block(sample_rate),
            inputs: [[0.0; BLOCK]; ZONES],
            resonances: [Resonances::new(&slow[0], 2, true), Resonances::new(&slow[1], 1, false)],
            rear_lengths: rear_lengths::new(sample_rate, kernel),
            plate: plate::new(sample_rate, kernel),
            blow: [[[0.0; BLOCK]; 2]; 2],
            plate_shares: std::array::from_fn(|i| {
                KeyNumber::from_index(i).map_or([0.0; 2], |key| {
                    [plate::share(key), plate::share(key) * near_top(key) / single(NEAREST)]
                })
            }),
            bridge: [[[0.0; BLOCK]; PATHS]; 2],
            paths: std::array::from_fn(|i| {
                KeyNumber::from_index(i).map_or([0.0; PATHS], |key| {
                    let [cosine, sine] = bridge::wave(key);
                    [cosine, sine, near_top(key)]
                })
            }),
            phase: 0,
            has_begun: false,
            ahead: 0,
            block: 0,
            ignored: 0,
        }
    }

    /// See [`Sound::reset`](super::Sound::reset).
    pub fn reset(&mut self) {
        self.apply_settings();
        if let Some(loading) = self.loading.take() {
            loading.finish(&mut self.notes, &self.settings);
        }
        self.notes.iter_mut().for_each(Note::reset);
        self.awake = KeySet::EMPTY;
        self.knocks.reset();
        self.rods.reset();
        self.inputs = [[0.0; BLOCK]; ZONES];
        self.resonances.iter_mut().for_each(Resonances::reset);
        self.rear_lengths.reset();
        self.plate.reset();
        self.blow = [[[0.0; BLOCK]; 2]; 2];
        self.bridge = [[[0.0; BLOCK]; PATHS]; 2];
        (self.phase, self.has_begun, self.ahead) = (0, false, 0);
        (self.block, self.ignored) = (0, 0);
    }

    /// See [`Sound::settle`](super::Sound::settle).
    pub fn settle(&mut self) {
        self.apply_settings();
        if let Some(loading) = &mut self.loading {
            loading.load_on_waking();
        }
    }

    /// See [`Sound::set`](super::Sound::set).
    pub fn set(&mut self, settings: &SoundSettings) {
        self.settings = settings.clamped();
        self.is_set = true;
    }

    /// Loads the note of `key`, which begins to sound, if it was to be loaded before.
    fn load_waking(&mut self, key: KeyNumber) {
        if let Some(loading) = &mut self.loading {
            loading.load_waking(key, &mut self.notes, &self.settings);
        }
    }

    /// Loads a bounded number of partials; `board` is whether the board is at rest.
    fn continue_loading(&mut self, board: bool) {
        if self.loading.is_none() {
            return;
        }
        let pace = if board && self.is_at_rest() { SILENT } else { 1 };
        let budget = pace * self.partials_a_block;
        if let Some(loading) = &mut self.loading
            && loading.advance(&mut self.notes, &self.settings, budget)
        {
            self.loading = None;
        }
    }

    /// Applies the settings that were set in the block before.
    fn apply_settings(&mut self) {
        if !std::mem::take(&mut self.is_set) {
            return;
        }
        let new = &self.settings;
        let old = std::mem::replace(&mut self.applied, new.clone());
        if !new.same_strings(&old) {
            self.loading.get_or_insert(Loading::NONE).begin();
        }
        if new.economy != old.economy {
            self.notes.iter_mut().for_each(|note| note.economize(new.economy));
        }
    }

    /// The settings set last.
    #[must_use]
    pub const fn settings(&self) -> &SoundSettings {
        &self.settings
    }

    /// A new hammer of `key`: mass and felt from the next strike on, the strike point as
    /// [`Sound::set`](super::Sound::set) changes pitch.
    pub fn set_hammer(&mut self, key: KeyNumber, hammer: &HammerSettings) {
        let old = std::mem::replace(&mut self.hammers[key.index()], *hammer);
        if old != *hammer {
            self.notes[key.index()].set_hammer(&Hammer::of(key, hammer));
        }
        if old.strike_point != hammer.strike_point {
            self.loading.get_or_insert(Loading::NONE).add(key);
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

    /// A hammer of `mass` kg meets the rod of `key` at `speed` m/s, `delay` samples (0…1) after the beginning of
    /// the next sample's interval. Values not above 0 and values that are no numbers are ignored and counted.
    pub fn strike_rod(&mut self, key: KeyNumber, mass: f64, speed: f64, delay: f64) {
        if [mass, speed].iter().all(|x| *x > 0.0 && x.is_finite()) && delay.is_finite() {
            let hz = stretch::fundamental(key, &self.settings);
            let (mass, speed) = (mass.min(HEAVIEST), speed.min(FASTEST));
            self.rods.strike(key, hz, mass, speed, delay.clamp(0.0, 1.0));
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
            self.rods.damper(key, lift);
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
            let Place { first, weights } = bridge::place(key);
            let (speed, paths) = (speed.min(FASTEST), self.paths[key.index()]);
            let decibels = self.settings.tones.get(key, ToneQuantity::Knock, 0);
            let scale = self.settings.knocks * libm::pow(10.0, decibels / 20.0);
            self.knocks.begin(knock, speed, scale, first, weights, paths);
        }
    }

    /// Events ignored since reset because their values were not finite or out of range.
    #[must_use]
    pub const fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Whether settings are still to be applied.
    pub(super) const fn is_changing(&self) -> bool {
        self.loading.is_some() || self.is_set
    }

    /// Whether no string sounds.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.awake.is_empty()
            && self.knocks.is_empty()
            && self.rods.is_silent()
            && self.resonances.iter().all(Resonances::is_silent)
            && self.rear_lengths.is_silent()
            && self.plate.is_silent()
    }

    /// The block of the next `waiting` samples, which are to be taken later, begins, once; `board` is whether the
    /// board is at rest.
    pub fn begin(&mut self, waiting: usize, board: bool) {
        if waiting > self.ahead && !std::mem::replace(&mut self.has_begun, true) {
            self.begin_block(board);
        }
    }

    /// Renders the next `waiting` samples, at most to the end of the block, which are to be taken later.
    pub fn hold(&mut self, waiting: usize, board: bool) {
        self.begin(waiting, board);
        let len = waiting.saturating_sub(self.ahead).min(BLOCK - self.phase);
        if len == 0 {
            return;
        }
        self.render(self.phase, len);
        self.ahead += len;
        self.phase += len;
        if self.phase == BLOCK {
            (self.phase, self.has_begun) = (0, false);
            self.block += 1;
        }
    }

    /// Takes the next samples, at most `most` and at most to the end of the block. Returns their place in the block,
    /// for [`Self::forces`].
    pub fn take(&mut self, most: usize, board: bool) -> Range<usize> {
        let at = (self.phase + BLOCK - self.ahead) % BLOCK;
        let len = most.min(BLOCK - at);
        self.hold(len, board);
        self.ahead -= len;
        at..at + len
    }

    /// Forces of the block whose samples were rendered last, up to these.
    #[must_use]
    pub const fn forces(&self) -> &BridgeForces {
        &self.inputs
    }

    /// Renders `len` samples of the present block from `at` on.
    fn render(&mut self, at: usize, len: usize) {
        self.bridge[1].iter_mut().for_each(|bus| bus[at..at + len].fill(0.0));
        self.blow[1].iter_mut().for_each(|bus| bus[at..at + len].fill(0.0));
        self.advance_contacts(len);
        for key in self.awake.iter() {
            let note = &mut self.notes[key.index()];
            let Place { first, weights } = self.places[key.index()];
            let mut force = [0.0f32; BLOCK];
            let force = &mut force[..len];
            note.process(at, force);
            if note.is_struck() {
                for (bus, share) in self.bridge[1].iter_mut().zip(self.paths[key.index()]) {
                    bank::add_scaled(self.kernel, &mut bus[at..at + len], share, force);
                }
            }
            for (bus, share) in self.blow[1].iter_mut().zip(self.plate_shares[key.index()]) {
                let blow = note.blow();
                bank::add_scaled(self.kernel, &mut bus[at..at + blow.len()], share, blow);
            }
            note.add_overtones(force);
            for (zone, weight) in self.inputs[first..first + 2].iter_mut().zip(weights) {
                bank::add_scaled(self.kernel, &mut zone[at..at + len], weight, force);
            }
        }
        if !self.rods.is_silent() {
            self.rods.process(&mut self.inputs, at, len);
        }
        if !self.knocks.is_empty() {
            self.knocks.process(self.kernel, &mut self.inputs, &mut self.bridge[1], at, len);
        }
    }

    /// Advances hammers at the strings by `len` samples.
    fn advance_contacts(&mut self, len: usize) {
        let mut group = ArrayVec::<_, MOST_LANES>::new();
        for key in self.awake.iter() {
            if self.notes[key.index()].is_in_contact() {
                group.push(key.index());
            }
            if group.len() == self.kernel.lanes() {
                contacts::advance(self.kernel, &mut self.notes, &group, len);
                group.clear();
            }
        }
        contacts::advance(self.kernel, &mut self.notes, &group, len);
    }

    /// Control work at a block's beginning; `board` is whether the board is at rest.
    fn begin_block(&mut self, board: bool) {
        self.apply_settings();
        self.continue_loading(board);
        self.rods.begin_block();
        let gate = if self.applied.economy { ECONOMY_GATE } else { GATE };
        let gate = single(gate / FULL_SCALE);
        self.bridge.swap(0, 1);
        self.blow.swap(0, 1);
        let [cosines, sines, _] = &self.bridge[0];
        let power = cosines.iter().zip(sines).fold(0.0f32, |m, (x, y)| m.max(x * x + y * y));
        let loudest = power.sqrt();
        if loudest > WAKE * gate {
            for key in KeyNumber::all() {
                if self.notes[key.index()].wakes() {
                    self.load_waking(key);
                }
                let note = &mut self.notes[key.index()];
                note.wake();
                if note.is_awake() {
                    self.awake.insert(key);
                }
            }
        }
        for (resonances, bridge) in self.resonances.iter_mut().zip(of_groups(&self.bridge[0])) {
            resonances.begin_block(bridge, loudest > gate);
        }
        for key in self.awake.iter() {
            let returned = self.resonances[group(key)].loudest_returned();
            let note = &mut self.notes[key.index()];
            if returned > WAKE * gate {
                note.wake_struck();
            }
            note.control(self.block, gate, loudest, returned);
            if !note.is_awake() {
                self.awake.remove(key);
            }
        }
        for key in self.awake.iter() {
            let Place { first, weights } = self.places[key.index()];
            let group = group(key);
            let shares = of_groups(&self.paths[key.index()])[group];
            let note = &mut self.notes[key.index()];
            self.resonances[group].add(note, shares, first, weights);
        }
        self.inputs.fill([0.0; BLOCK]);
        self.resonances.iter().for_each(|strings| strings.add_to(&mut self.inputs));
        let [plate, hitch_pins] = &self.blow[0];
        let ends = std::array::from_fn(|i| self.bridge[0][2][i] + hitch_pins[i]);
        self.rear_lengths.process(&ends, gate, &mut self.inputs);
        self.plate.process(plate, gate, &mut self.inputs);
    }
}
