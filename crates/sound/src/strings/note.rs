//! One note: its modes, its hammer, its damper.

mod blow_cut;
mod blow_ring;
pub(crate) mod contacts;
mod hammering;
mod load;
mod note_poles;
mod pluck;
mod resonance;
mod ringing;
mod slow_ring;

use super::hammer::Shifted;
use crate::SoundSettings;
use crate::signal::slow_rate::SlowRate;
use crate::strings::bank::LANES;
use crate::strings::bridge_delay::BridgeDelay;
use crate::strings::overtones::Overtones;
use crate::strings::{contact, loss};
use crate::tuning::scale::StringSpec;
use blow_cut::BlowCut;
use blow_ring::BlowRing;
pub(crate) use blow_ring::least_loss as least_loss_of_blow;
use hammering::Hammering;
use note_poles::NotePoles;
use pluck::Plucking;
use resonance::Resonance;
use ringing::Ringing;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;
use touchback_core::mech::hammer::Hammer;

/// Highest partial, Hz.
const LIMIT_HZ: f64 = 16_000.0;
/// Highest partial that other notes drive or that rings at a slower rate, over the sample rate.
const LIMIT_OF_RATE: f64 = 0.45;

/// Force of struck strings on the bridge from which the other strings are simulated, over the gate.
pub(crate) const WAKE: f32 = 30.0;

/// Highest partial of a strike under economy, Hz (chosen: above lie 44 dB less than in the whole of dense music).
const ECONOMY_HZ: f64 = 6_000.0;

/// Highest resonance under economy over the highest one (chosen: the strongest resonances are the lowest
/// partials).
const ECONOMY_RESONANCE: f64 = 1.0 / 3.0;

/// Share of the loudest force on the bridge below which a struck note is simulated as a resonance only.
const FAINT: f32 = 2e-3;

/// Blocks between two polls of a note's level.
const POLL_BLOCKS: usize = 8;

/// Steps of the contact per second at least, by key number: about a hundred in the shortest
/// contact.
fn contact_rate(key: KeyNumber) -> f64 {
    match key.number() {
        0..=28 => 44_100.0,
        29..=58 => 88_200.0,
        _ => 176_400.0,
    }
}

/// The work that economy leaves out.
#[derive(Clone, Copy, Debug)]
struct Economy {
    is_on: bool,
    /// Leading groups of lanes that a strike excites under economy.
    groups: usize,
}

/// One note of the engine.
pub struct Note {
    key: KeyNumber,
    sample_rate: f64,
    kernel: Kernel,
    partials: usize,
    /// Number of partials that other notes drive.
    resonating: usize,
    /// The strings under the default settings, which give the bridge gains: a change of settings never
    /// makes a force jump.
    strung: StringSpec,
    poles: NotePoles,
    ringing: Ringing,
    /// The strings as driven by other notes through the bridge.
    resonance: Resonance,
    /// Struck since the note last slept.
    struck: bool,
    hammering: Hammering,
    plucking: Plucking,
    overtones: Overtones,
    blow_cut: BlowCut,
    blow_ring: BlowRing,
    economy: Economy,
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
        let rate_ratio = contact_rate(key) / sample_rate;
        let steps = floor_index(libm::exp2(libm::log2(rate_ratio).ceil().max(0.0)));
        let separation_time = contact::gone(&Hammer::concert(key), &strung);
        let mut note = Self {
            key,
            sample_rate,
            kernel,
            partials,
            resonating,
            strung,
            poles: NotePoles::new(chunks),
            ringing: Ringing::new(chunks, low, damped, kernel),
            resonance: Resonance::new(resonances, few, loss::has_damper(key), resounds_at, kernel),
            struck: false,
            hammering: Hammering::new(
                chunks,
                [strings, steps],
                Shifted::of(key, strings),
                hammer,
                separation_time,
                kernel,
            ),
            plucking: Plucking::new(chunks),
            overtones: Overtones::new(key, &strung, sample_rate, kernel),
            blow_cut: BlowCut::new(),
            blow_ring: BlowRing::new(),
            economy: Economy { is_on: false, groups: economical.clamp(low.min(chunks), chunks) },
        };
        note.load(settings);
        note.reset();
        note
    }

    /// Resets the note: silent, damper at rest, in tune, hammer under all strings.
    pub fn reset(&mut self) {
        self.ringing.reset();
        self.resonance.reset();
        self.overtones.reset();
        self.blow_cut.reset();
        self.blow_ring.reset();
        self.hammering.reset(self.poles.ratio() == 1.0);
        self.plucking.reset();
        self.struck = false;
        self.poles.reset(loss::has_damper(self.key));
        self.poles.apply(&mut self.ringing, &mut self.resonance);
    }

    /// Economy: from the next blow on, only partials below `ECONOMY_HZ` and no overtones; only the lowest
    /// resonances are driven. What rings goes on ringing.
    pub(crate) const fn economize(&mut self, is_on: bool) {
        self.economy.is_on = is_on;
        self.resonance.economize(is_on);
    }

    /// Sets the hammer of the next strike; its strike point needs a [`Self::load`].
    pub const fn set_hammer(&mut self, hammer: &Hammer) {
        self.hammering.set_hammer(hammer);
    }

    /// The hammer meets the strings, where they are now, `delay` samples from now.
    pub fn strike(&mut self, speed: f64, delay: f64) {
        self.excite();
        let gap = speed * delay / self.sample_rate;
        self.hammering.strike(&self.poles, self.ringing.sounding(), speed, gap);
    }

    /// Sets the damper's lift, 0 resting … 1 clear.
    pub fn damper(&mut self, lift: f64) {
        if loss::has_damper(self.key) {
            self.poles.lift_damper(lift);
        }
    }

    /// Sets all frequencies `cents` above those in tune, sounding ones included, from the next block on;
    /// partials bent past the top of the band fall silent.
    pub fn retune(&mut self, cents: f64) {
        if self.poles.bend(cents) {
            self.hammering.outdate();
        }
    }

    /// The hammer shifts for the next strike: 0 under all strings … 1 clear of one of them.
    pub const fn una_corda(&mut self, amount: f64) {
        self.hammering.shift(amount);
    }

    /// Whether the note was struck and has not slept since.
    #[must_use]
    pub(crate) const fn is_struck(&self) -> bool {
        self.struck
    }

    /// Struck notes move the bridge: strings clear of their damper begin to resonate.
    pub fn wake(&mut self) {
        if self.wakes() {
            self.resonance.wake();
        }
    }

    /// Resonating strings move the bridge: struck strings clear of their damper are driven too.
    pub(crate) fn wake_struck(&mut self) {
        if self.struck && self.poles.is_lifted() {
            self.resonance.wake();
        }
    }

    /// Whether [`Note::wake`] makes the strings resonate.
    #[must_use]
    pub fn wakes(&self) -> bool {
        !self.struck && self.poles.is_lifted()
    }

    /// Whether the note sounds or is being struck.
    #[must_use]
    pub const fn is_awake(&self) -> bool {
        self.ringing.is_ringing() || self.resonance.is_awake() || self.blow_ring.is_ringing()
    }

    /// Prepares all modes for a strike or pluck.
    fn excite(&mut self) {
        self.ringing.return_modes();
        self.poles.apply(&mut self.ringing, &mut self.resonance);
        let Economy { is_on, groups } = self.economy;
        self.ringing.excite(if is_on { groups } else { self.ringing.groups() });
        self.struck = true;
        if is_on {
            self.overtones.leave_out();
        } else {
            self.overtones.wake();
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
        let in_band = self.poles.ratio() <= slow_ring::HIGHEST_RATIO;
        if !in_band {
            self.ringing.return_modes();
        }
        self.poles.apply(&mut self.ringing, &mut self.resonance);
        self.hammering.control(&self.poles, self.ringing.modes());
        self.ringing.begin_block(!self.hammering.is_striking() && in_band);
        if (block + self.key.index()).is_multiple_of(POLL_BLOCKS) {
            self.poll_level(gate, loudest, returned);
        }
    }

    /// Silences modes below audibility.
    fn poll_level(&mut self, gate: f32, loudest: f32, returned: f32) {
        let driven = loudest > WAKE * gate;
        let resounds = if self.struck { returned > WAKE * gate } else { driven };
        self.resonance.silence_below(gate, resounds && self.poles.is_lifted());
        self.blow_ring.poll_level(gate);
        if self.hammering.is_striking() || !self.ringing.is_ringing() {
            return;
        }
        self.ringing.flush_denormals();
        self.overtones.flush_denormals();
        self.overtones.silence_below(gate);
        if self.struck && driven && self.ringing.level() < square(FAINT * loudest) {
            self.struck = false;
            self.overtones.reset();
        }
        self.ringing.silence_below(gate, &self.overtones);
        if !self.ringing.is_ringing() {
            self.struck = false;
            self.overtones.reset();
        }
    }

    /// Whether a hammer is at the strings: [`contacts::advance`] must be called before
    /// [`Self::process`].
    #[must_use]
    pub(crate) const fn is_in_contact(&self) -> bool {
        self.hammering.is_striking()
    }

    /// Adds the struck strings' force on the bridge, N, over the samples from `at` in the block on.
    pub fn process(&mut self, at: usize, out: &mut [f32]) {
        self.plucking.process(out);
        let blow = self.hammering.process(out);
        self.blow_cut.process(blow, out.len());
        self.blow_ring.process(self.kernel, blow, out);
        let done = blow.len();
        self.ringing.process(at + done, &mut out[done..]);
    }

    /// The hammer's force on the strings as it reaches the plate, N, in the first samples of the last
    /// [`Self::process`]; 0 in the others.
    #[must_use]
    pub fn blow(&self) -> &[f32] {
        self.blow_cut.passed(self.hammering.blow())
    }

    /// The force on the bridge of the strings as they resonate, on its way to other strings; `None` while
    /// they do not, and for undamped strings, which drive no others.
    #[must_use]
    pub(crate) fn resounded(&self) -> Option<&BridgeDelay> {
        self.resonance.sent()
    }

    /// Adds the force of the resonating strings over the next block's slow samples, N; `force` is that of
    /// other notes on the bridge, `None` stands for silence. Returns whether any string resonates.
    pub(crate) fn resound(&mut self, force: Option<&[f32]>, out: &mut [f32]) -> bool {
        let awake = self.resonance.is_awake();
        if awake {
            self.resonance.process(force.filter(|_| self.poles.lets_ring()), out);
        }
        awake
    }

    /// Adds phantom partials or duplex to the `force` that [`Self::process`] gave; a string that only
    /// resonates is too soft for them.
    pub fn add_overtones(&mut self, force: &mut [f32]) {
        if self.struck {
            self.overtones.process(force, self.hammering.blow());
        }
    }
}
