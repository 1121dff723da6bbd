//! One note: its modes, its hammer, its damper.

mod blow_cut;
mod blow_ring;
pub mod contacts;
mod load;
mod pluck;
mod resonance;
mod slow_ring;

use crate::bank::{self, ContactCoupling, LANES, Lane, ModeState};
use crate::bridge_delay::BridgeDelay;
use crate::contact::{self, MovingHammer};
use crate::hammer::shifted;
use crate::overtones::Overtones;
use crate::poles::{self, Pole};
use crate::scale::StringSpec;
use crate::slow_rate::SlowRate;
use crate::unison::MOST;
use crate::{SoundSettings, loss};
use blow_cut::BlowCut;
use blow_ring::BlowRing;
pub use blow_ring::least_loss as least_loss_of_blow;
use contacts::Strike;
use resonance::Resonance;
use slow_ring::SlowRing;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::mech::hammer::Hammer;

/// Highest partial, Hz.
const LIMIT_HZ: f64 = 16_000.0;
/// Highest partial that other notes drive or that rings at a slower rate, over the sample rate.
const LIMIT_OF_RATE: f64 = 0.45;

/// Force of struck strings on the bridge from which the other strings are simulated, over the gate.
pub const WAKE: f32 = 30.0;

/// Highest partial of a strike under economy, Hz (chosen: above lie 44 dB less than in the whole of dense music).
const ECONOMY_HZ: f64 = 6_000.0;

/// Highest resonance under economy over the highest one (chosen: the strongest resonances are the lowest
/// partials).
const ECONOMY_RESONANCE: f64 = 1.0 / 3.0;

/// Share of the loudest force on the bridge below which a struck note is simulated as a resonance only.
const FAINT: f32 = 2e-3;

/// Blocks between two polls of a note's level.
const POLL_BLOCKS: usize = 8;

/// Share of the gate below which the last of `active` groups of lanes is silenced.
const fn share(active: usize) -> f32 {
    if active == 1 { 1.0 } else { 0.03 }
}

/// Steps of the contact per second at least, by key number: about a hundred in the shortest
/// contact.
fn contact_rate(key: KeyNumber) -> f64 {
    match key.number() {
        0..=28 => 44_100.0,
        29..=58 => 88_200.0,
        _ => 176_400.0,
    }
}

/// Input gains of sixteen modes for a constant hammer force over one contact step.
#[derive(Clone, Copy, Default, Debug)]
struct HammerInput {
    /// w per force of a hammer that meets all strings, m/N.
    all_re: Lane,
    all_im: Lane,
    /// The part of w per force that comes through the string an una corda misses, m/N.
    missed_re: Lane,
    missed_im: Lane,
    /// Displacement under the hammer per Re w.
    shape: Lane,
}

/// One note of the engine.
pub struct Note {
    key: KeyNumber,
    sample_rate: f64,
    kernel: Kernel,
    partials: usize,
    strings: usize,
    /// Contact steps a sample.
    steps: usize,
    /// The strings under the default settings, which give the bridge gains: a change of settings never
    /// makes a force jump.
    strung: StringSpec,
    modes: Vec<ModeState>,
    contact_couplings: Vec<ContactCoupling>,
    poles: Vec<Pole>,
    hammer_inputs: Vec<HammerInput>,
    /// The low partials while no hammer touches them.
    slow: SlowRing,
    /// The strings as driven by other notes through the bridge.
    resonance: Resonance,
    /// Number of partials that other notes drive.
    resonating: usize,
    /// Struck since the note last slept.
    struck: bool,
    /// Share of the blow on each string.
    share: [f64; MOST],
    /// Frequencies over those in tune.
    ratio: f32,
    /// Shift of the hammer by the left pedal, 0…1: for the next strike, and as the contact
    /// couplings have it.
    una_corda: (f64, f64),
    /// The contact couplings agree with poles and hammer inputs.
    are_couplings_current: bool,
    overtones: Overtones,
    /// Displacement under the hammer per force over one step, m/N, of as many leading groups of lanes.
    compliances: Vec<f64>,
    /// Strikes excite only the first of [`Self::economical`].
    is_economical: bool,
    /// Leading groups of lanes under economy: those that a strike excites.
    economical: usize,
    /// Hammer of the next strike; its strike point is in `hammer_inputs` once they are loaded.
    hammer: Hammer,
    /// Time clear of the strings after which a hammer does not return, s.
    separation_time: f64,
    strike: Option<Strike>,
    blow_cut: BlowCut,
    blow_ring: BlowRing,
    contact_forces: contacts::ContactForces,
    /// Samples of the last [`Self::process`] with a hammer in contact.
    contact_samples: usize,
    /// States in which a plectrum releases the modes.
    released: Vec<pluck::Released>,
    settling: pluck::Settling,
    /// Share of the resting damper, requested and applied.
    rest: (f32, f32),
    /// Leading groups of lanes that still ring.
    active: usize,
}

/// Number of modes of a partial of `key` that other notes drive: with undamped strings the sideways one
/// too.
const fn resonance_modes(key: KeyNumber, strings: usize) -> usize {
    if loss::has_damper(key) { strings } else { strings + 1 }
}

impl Note {
    /// The note of `key`, struck by `hammer`. `rates`: slow rates at which damped and undamped strings
    /// resonate.
    #[must_use]
    pub fn new(
        key: KeyNumber,
        settings: &SoundSettings,
        hammer: &Hammer,
        sample_rate: f64,
        rates: &[SlowRate; 2],
        kernel: Kernel,
    ) -> Self {
        let strung = StringSpec::of(key, &SoundSettings::default());
        // All that the hammer meets, also those that the rate cannot carry: contact steps are short enough.
        let partials = strung.partials_below(LIMIT_HZ);
        let strings = strung.strings;
        let chunks = load::modes(partials, strings).div_ceil(LANES);
        let below = |hz: f64| strung.partials_below(hz.min(LIMIT_OF_RATE * sample_rate));
        let low = load::modes(below(resonance::HIGHEST_HZ), strings) / LANES;
        let [damped, undamped] = rates;
        let (highest, resounds_at) = if loss::has_damper(key) {
            (resonance::HIGHEST_HZ, damped)
        } else {
            (resonance::HIGHEST_TOP_HZ, undamped)
        };
        let resonating = below(highest);
        let per_partial = resonance_modes(key, strings);
        let resonances = resonating * per_partial;
        let few = below(ECONOMY_RESONANCE * highest) * per_partial;
        let economical = load::modes(below(ECONOMY_HZ).max(1), strings).div_ceil(LANES);
        let mut note = Self {
            key,
            sample_rate,
            kernel,
            partials,
            strings,
            steps: floor_index(libm::exp2(
                libm::log2(contact_rate(key) / sample_rate).ceil().max(0.0),
            )),
            strung,
            modes: vec![ModeState::default(); chunks],
            contact_couplings: vec![ContactCoupling::default(); chunks],
            poles: vec![Pole::default(); chunks],
            hammer_inputs: vec![HammerInput::default(); chunks],
            slow: SlowRing::new(low, damped, kernel),
            resonance: Resonance::new(resonances, few, loss::has_damper(key), resounds_at, kernel),
            resonating,
            struck: false,
            share: [1.0; MOST],
            ratio: 1.0,
            una_corda: (0.0, 0.0),
            are_couplings_current: false,
            overtones: Overtones::new(key, &strung, sample_rate, kernel),
            compliances: vec![0.0; chunks + 1],
            is_economical: false,
            economical: economical.clamp(low.min(chunks), chunks),
            hammer: *hammer,
            separation_time: contact::gone(&Hammer::concert(key), &strung),
            strike: None,
            blow_cut: BlowCut::new(),
            blow_ring: BlowRing::new(),
            contact_forces: contacts::ContactForces::default(),
            contact_samples: 0,
            released: vec![pluck::Released::default(); chunks],
            settling: pluck::Settling::default(),
            rest: (0.0, 0.0),
            active: 0,
        };
        note.load(settings);
        note.reset();
        note
    }

    /// Resets the note: silent, damper at rest, in tune, hammer under all strings.
    pub fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.resonance.reset();
        self.slow.reset();
        self.overtones.reset();
        self.blow_cut.reset();
        self.blow_ring.reset();
        self.strike = None;
        self.contact_forces.len = 0;
        self.contact_samples = 0;
        self.settling = pluck::Settling::default();
        self.struck = false;
        self.active = 0;
        self.are_couplings_current &= self.ratio == 1.0 && self.una_corda.1 == 0.0;
        self.ratio = 1.0;
        self.una_corda.0 = 0.0;
        self.rest = (if loss::has_damper(self.key) { 1.0 } else { 0.0 }, f32::NAN);
        self.apply_poles();
    }

    /// Economy: from the next blow on, only partials below `ECONOMY_HZ` and no overtones; only the lowest
    /// resonances are driven. What rings goes on ringing.
    pub const fn economize(&mut self, is_on: bool) {
        self.is_economical = is_on;
        self.resonance.economize(is_on);
    }

    /// Sets the hammer of the next strike; its strike point needs a [`Self::load`].
    pub const fn set_hammer(&mut self, hammer: &Hammer) {
        self.hammer = *hammer;
    }

    /// The hammer meets the strings, where they are now, `delay` samples from now.
    pub fn strike(&mut self, speed: f64, delay: f64) {
        self.excite();
        self.are_couplings_current &= self.una_corda.0 == self.una_corda.1;
        self.una_corda.1 = self.una_corda.0;
        self.refresh_couplings();
        let modes = &self.modes[..self.active];
        let string = f64::from(bank::displacement(modes, &self.contact_couplings));
        let gap = speed * delay / self.sample_rate;
        let hammer = shifted(&self.hammer, self.una_corda.1);
        let hammer = MovingHammer::new(&hammer, string, gap, speed);
        self.strike = Some(Strike { hammer, clear: 0.0, age: 0.0 });
    }

    /// Sets the damper's lift x, 0 resting … 1 clear. The loss under the felt goes with (1 − x)²
    /// (chosen: half pedal lets a note ring several times as long).
    pub fn damper(&mut self, lift: f64) {
        if loss::has_damper(self.key) {
            self.rest.0 = single(square(1.0 - lift.clamp(0.0, 1.0)));
        }
    }

    /// Sets all frequencies `cents` above those in tune, sounding ones included, from the next block on;
    /// partials bent past the top of the band fall silent.
    pub fn retune(&mut self, cents: f64) {
        let ratio = single(libm::exp2(cents / 1200.0));
        if ratio != self.ratio {
            self.ratio = ratio;
            self.rest.1 = f32::NAN;
            self.are_couplings_current = false;
        }
    }

    /// The hammer shifts for the next strike: 0 under all strings … 1 clear of one of them.
    pub const fn una_corda(&mut self, amount: f64) {
        self.una_corda.0 = amount;
    }

    /// Whether the note was struck and has not slept since.
    #[must_use]
    pub const fn is_struck(&self) -> bool {
        self.struck
    }

    /// Struck notes move the bridge: strings clear of their damper begin to resonate.
    pub fn wake(&mut self) {
        if self.wakes() {
            self.resonance.wake();
        }
    }

    /// Resonating strings move the bridge: struck strings clear of their damper are driven too.
    pub fn wake_struck(&mut self) {
        if self.struck && self.rest.0 < 1.0 {
            self.resonance.wake();
        }
    }

    /// Whether [`Note::wake`] makes the strings resonate.
    #[must_use]
    pub fn wakes(&self) -> bool {
        !self.struck && self.rest.0 < 1.0
    }

    /// Whether the note sounds or is being struck.
    #[must_use]
    pub const fn is_awake(&self) -> bool {
        self.active > 0
            || self.slow.is_ringing()
            || self.resonance.is_awake()
            || self.blow_ring.is_ringing()
    }

    /// Prepares all modes for a strike or pluck.
    fn excite(&mut self) {
        self.return_modes();
        self.apply_poles();
        let groups = if self.is_economical { self.economical } else { self.modes.len() };
        self.active = self.active.max(groups);
        self.struck = true;
        if self.is_economical {
            self.overtones.leave_out();
        } else {
            self.overtones.wake();
        }
    }

    /// Returns the modes of [`SlowRing`] to the full rate.
    fn return_modes(&mut self) {
        let groups = self.slow.return_modes(&mut self.modes);
        self.active = self.active.max(groups);
    }

    fn apply_poles(&mut self) {
        if self.rest.0.to_bits() != self.rest.1.to_bits() {
            poles::set_ringing(self.kernel, &mut self.modes, &self.poles, self.rest.0, self.ratio);
            self.slow.apply_poles(self.rest.0, self.ratio);
            self.resonance.apply_poles(self.rest.0, self.ratio);
            self.rest.1 = self.rest.0;
        }
    }

    /// Control work at a block's beginning; `block` counts blocks since reset. A group of lanes
    /// below `gate` N is silenced, unless the force on the bridge, `loudest` N in the last block, may
    /// still raise it, or that of resonating strings, `returned` N, if it is struck. A struck note far below
    /// the others (−54 dB) is a resonance from then on.
    pub fn control(&mut self, block: usize, gate: f32, loudest: f32, returned: f32) {
        if !self.is_awake() {
            return;
        }
        let in_band = self.ratio <= slow_ring::HIGHEST_RATIO;
        if !in_band {
            self.return_modes();
        }
        self.apply_poles();
        if let Some(strike) = &self.strike {
            // Bound of the strings' displacement toward the hammer: all modes in phase, no loss.
            let reach = bank::reach(&self.modes, &self.contact_couplings);
            if strike.hammer.is_out_of(f64::from(reach)) {
                self.strike = None;
            } else {
                self.refresh_couplings();
            }
        }
        let free = self.strike.is_none() && in_band;
        self.slow.begin_block(&mut self.modes, self.active, free);
        if (block + self.key.index()).is_multiple_of(POLL_BLOCKS) {
            self.poll_level(gate, loudest, returned);
        }
    }

    /// Silences modes below audibility.
    fn poll_level(&mut self, gate: f32, loudest: f32, returned: f32) {
        let driven = loudest > WAKE * gate;
        let resounds = if self.struck { returned > WAKE * gate } else { driven };
        self.resonance.silence_below(gate, resounds && self.rest.0 < 1.0);
        self.blow_ring.poll_level(gate);
        if self.strike.is_some() || self.active == 0 && !self.slow.is_ringing() {
            return;
        }
        bank::flush_denormals(&mut self.modes[..self.active]);
        self.overtones.flush_denormals();
        self.overtones.silence_below(gate);
        let level = bank::level(&self.modes[..self.active]) + self.slow.level();
        if self.struck && driven && level < square(FAINT * loudest) {
            self.struck = false;
            self.overtones.reset();
        }
        let least = |active| square(share(active) * gate);
        self.slow.silence_below(least);
        // The last groups hold the highest partials, which decay first.
        while self.active > 0 {
            let last = self.active - 1..self.active;
            let alone = self.active == 1 && !self.slow.is_ringing();
            let beside = if alone { self.overtones.level() } else { 0.0 };
            if bank::level(&self.modes[last.clone()]) + beside >= least(self.active) {
                break;
            }
            bank::clear(&mut self.modes[last]);
            self.active -= 1;
        }
        if self.active == 0 && !self.slow.is_ringing() {
            self.struck = false;
            self.overtones.reset();
        }
    }

    /// Whether a hammer is at the strings: [`contacts::advance`] must be called before
    /// [`Self::process`].
    #[must_use]
    pub const fn is_in_contact(&self) -> bool {
        self.strike.is_some()
    }

    /// Adds the struck strings' force on the bridge, N, over the samples from `at` in the block on.
    pub fn process(&mut self, at: usize, out: &mut [f32]) {
        self.settling.apply(out);
        let done = std::mem::take(&mut self.contact_forces.len);
        self.contact_samples = done;
        for (out, force) in out.iter_mut().zip(&self.contact_forces.force[..done]) {
            *out += force;
        }
        let blow = &self.contact_forces.blow[..done];
        self.blow_cut.process(blow, out.len());
        self.blow_ring.process(self.kernel, blow, out);
        self.slow.process(&mut self.modes[..self.active], at + done, &mut out[done..]);
    }

    /// The hammer's force on the strings as it reaches the plate, N, in the first samples of the last
    /// [`Self::process`]; 0 in the others.
    #[must_use]
    pub fn blow(&self) -> &[f32] {
        self.blow_cut.passed(&self.contact_forces.blow[..self.contact_samples])
    }

    /// The force on the bridge of the strings as they resonate, on its way to other strings; `None` while
    /// they do not, and for undamped strings, which drive no others.
    #[must_use]
    pub fn resounded(&self) -> Option<&BridgeDelay> {
        self.resonance.sent()
    }

    /// Adds the force of the resonating strings over the next block's slow samples, N; `force` is that of
    /// other notes on the bridge, `None` stands for silence. Returns whether any string resonates.
    pub fn resound(&mut self, force: Option<&[f32]>, out: &mut [f32]) -> bool {
        let awake = self.resonance.is_awake();
        if awake {
            self.resonance.process(force.filter(|_| self.rest.1 < 1.0), out);
        }
        awake
    }

    /// Adds phantom partials or duplex to the `force` that [`Self::process`] gave; a string that only
    /// resonates is too soft for them.
    pub fn add_overtones(&mut self, force: &mut [f32]) {
        if self.struck {
            self.overtones.process(force, &self.contact_forces.blow[..self.contact_samples]);
        }
    }
}
