//! An action and strings simple enough to predict, for the scheduler's tests.

use std::collections::VecDeque;

use crate::play::engine_traits::{Keys, Strings};
use crate::watch::trace::{KeySnapshot, Traced};
use touchback_action::interface::events::EventList;
use touchback_action::interface::press::{Effort, Press, Travel, Voice};
use touchback_action::{ActionSettings, Drive, KeyEvent, STEP};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::board::microphones::Distant;
use touchback_sound::{Knock, SoundSettings};

/// Depth at which a key of the fake action throws its hammer, m.
pub const THROW: f64 = 0.009;
/// Hammer speed over key speed of the fake action.
pub const RATIO: f64 = 5.0;
/// Presses slower than this (hammer speed, m/s) make no sound in the fake action.
pub const SOFTEST: f64 = 0.13;
/// Hammer speed beyond which the fake action knows no press, m/s.
pub const FASTEST: f64 = 4.5;

/// Last key with a damper.
const LAST_DAMPER: u8 = 68;

/// One key of [`FakeKeys`].
#[derive(Clone, Copy, Default)]
struct FakeKey {
    depth: f64,
    drive: Drive,
    thrown: bool,
    /// A strike was constructed and is reported by the next step, as an action may.
    fresh_strike: Option<f64>,
    awake: bool,
}

/// Keys without mass: they follow the finger between rest and bed, and come up alone.
pub struct FakeKeys {
    keys: [FakeKey; KEYS],
    dip: f64,
    blocked: bool,
    pedal: [f64; 2],
    pub steps: u64,
    /// Step before which a new regulation came, and its dip, mm.
    pub configured: Vec<(u64, f64)>,
}

impl FakeKeys {
    pub fn new(settings: &ActionSettings) -> Self {
        Self {
            keys: [FakeKey::default(); KEYS],
            dip: settings.key_dip_mm * 1e-3,
            blocked: settings.let_off_mm < 0.0,
            pedal: [0.0; 2],
            steps: 0,
            configured: Vec::new(),
        }
    }

    /// Moves a key to a depth, m, as if it had risen or sunk no further.
    pub fn put(&mut self, key: KeyNumber, depth: f64) {
        self.keys[key.index()].depth = depth;
    }
}

impl Keys for FakeKeys {
    fn reset(&mut self) {
        self.keys = [FakeKey::default(); KEYS];
        self.pedal = [0.0; 2];
        self.steps = 0;
    }

    fn configure(&mut self, settings: &ActionSettings) {
        self.dip = settings.key_dip_mm * 1e-3;
        self.blocked = settings.let_off_mm < 0.0;
        self.configured.push((self.steps, settings.key_dip_mm));
    }

    fn settle(&mut self) {}

    fn drive(&mut self, key: KeyNumber, drive: Drive) {
        let key = &mut self.keys[key.index()];
        key.drive = drive;
        key.awake = true;
    }

    fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        if !self.blocked {
            let (fresh_strike, depth) = (Some(speed), 0.95 * self.dip);
            self.keys[key.index()] =
                FakeKey { depth, drive: Drive::Free, thrown: true, fresh_strike, awake: true };
        }
        !self.blocked
    }

    fn construct_release(&mut self, key: KeyNumber, _speed: f64) {
        let key = &mut self.keys[key.index()];
        *key = FakeKey { depth: 0.003, awake: true, ..*key };
    }

    fn pressing(&self, _key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        (hammer_speed <= FASTEST).then_some(Effort::Even(hammer_speed / RATIO))
    }

    fn sustain(&mut self, lift: f64) {
        self.pedal[1] = lift;
    }

    fn are_asleep(&self) -> bool {
        self.keys.iter().all(|key| !key.awake && key.depth == 0.0)
    }

    fn key_acceleration(&self, _: KeyNumber, _: Drive) -> Option<f64> {
        None
    }

    fn catch_up(&mut self, _: KeySet, _: &mut EventList) {}

    fn step_without(&mut self, _: KeySet, events: &mut EventList) {
        self.steps += 1;
        // The tray takes 10 ms for its whole way, whether keys are awake or not.
        self.pedal[0] += (self.pedal[1] - self.pedal[0]).clamp(-0.0125, 0.0125);
        for note in KeyNumber::all() {
            let key = &mut self.keys[note.index()];
            if !key.awake {
                continue;
            }
            let mut report = |event, offset| events.push(note, offset, event);
            if let Some(speed) = key.fresh_strike.take() {
                report(KeyEvent::Strike { speed }, 0.0);
            }
            let before = key.depth;
            let free = before - 0.5 * STEP;
            let (aim, speed) = match &mut key.drive {
                Drive::Finger([start, end]) => {
                    let speed = (*end - *start) / STEP;
                    *start = *end;
                    (end.max(free), speed)
                }
                Drive::Motion { depth: [start, end], .. } => {
                    let speed = (*end - *start) / STEP;
                    *start = *end;
                    (*end, speed)
                }
                _ => (free, 0.0),
            };
            key.depth = aim.clamp(0.0, self.dip);
            let passed = |depth: f64| STEP * (depth - before) / (aim - before);
            if before < THROW && key.depth >= THROW && !key.thrown {
                key.thrown = true;
                if speed * RATIO >= SOFTEST {
                    report(KeyEvent::Strike { speed: speed * RATIO }, passed(THROW));
                }
            }
            if before < self.dip && key.depth >= self.dip {
                report(KeyEvent::KeyBottom { speed }, passed(self.dip));
            }
            if key.depth < 0.005 {
                key.thrown = false;
            }
            if before > 0.0 && key.depth <= 0.0 {
                report(KeyEvent::KeyRest { speed: 0.2 }, STEP);
            }
            key.awake = key.depth != before;
        }
    }

    fn damper_lift(&self, key: KeyNumber) -> f64 {
        if key.number() > LAST_DAMPER {
            return 1.0;
        }
        ((self.keys[key.index()].depth - 0.003) / 0.003).clamp(0.0, 1.0).max(self.pedal[0])
    }

    fn key_depth(&self, key: KeyNumber) -> f64 {
        self.keys[key.index()].depth
    }

    /// Not used by these fingers, whose target moves without a hand.
    fn key_speed(&self, _: KeyNumber) -> f64 {
        0.0
    }

    fn touch(&mut self, _: KeyNumber) {}

    fn awake_keys(&self) -> KeySet {
        let mut awake = KeySet::EMPTY;
        for key in KeyNumber::all().filter(|key| self.keys[key.index()].awake) {
            awake.insert(key);
        }
        awake
    }

    fn press(&self, _: KeyNumber) -> Option<Press> {
        None
    }

    fn travel(&self, _: KeyNumber) -> Option<Travel> {
        None
    }

    fn voice(&self, _: KeyNumber) -> Voice {
        Voice::Hammer
    }

    fn shank(&self, _: KeyNumber) -> Option<[f64; 2]> {
        None
    }

    fn hammer_height(&self, _: KeyNumber) -> Option<f64> {
        None
    }

    fn ports(&self, _: KeyNumber) -> [f64; 2] {
        [0.0; 2]
    }

    fn hammer_rise(&self, _: KeyNumber) -> f64 {
        0.0
    }

    /// Always below the dampers, so that it makes no noise.
    fn tray(&self) -> f64 {
        self.pedal[0] - 1.0
    }

    fn awake(&self) -> usize {
        self.awake_keys().len()
    }

    fn unbalanced(&self) -> u64 {
        0
    }
}

impl Traced for FakeKeys {
    fn snapshot(&self, _: KeyNumber) -> Option<KeySnapshot> {
        None
    }
}

/// A call of the strings, with its values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Call {
    Strike(KeyNumber, f64, f64),
    Pluck(KeyNumber, f64, f64),
    Damper(KeyNumber, f64),
    Retune(KeyNumber, f64),
    UnaCorda(f64),
    Knock(KeyNumber, Knock, f64),
    Set,
    Reset,
}

/// One decaying level that everything moves, and a list of calls with their samples.
#[derive(Default)]
pub struct FakeStrings {
    settings: SoundSettings,
    level: f64,
    /// Samples since reset: an inner period counts them.
    count: u64,
    /// Samples since creation.
    pub sample: u64,
    /// Samples rendered and yet to be written.
    held: VecDeque<f32>,
    pub calls: Vec<(u64, Call)>,
}

impl FakeStrings {
    fn call(&mut self, call: Call) {
        self.calls.push((self.sample, call));
    }

    /// The next sample.
    fn next(&mut self) -> f32 {
        let sign = if self.count % 64 < 32 { 1.0 } else { 0.9 };
        let sample = touchback_core::math::cast::single(sign * self.level);
        self.level = if self.level < 1e-6 { 0.0 } else { 0.999 * self.level };
        self.count += 1;
        self.sample += 1;
        sample
    }
}

impl Strings for FakeStrings {
    fn reset(&mut self) {
        self.call(Call::Reset);
        (self.level, self.count) = (0.0, 0);
    }

    fn set(&mut self, settings: &SoundSettings) {
        self.call(Call::Set);
        self.level *= settings.brightness_loss;
        self.settings = settings.clone();
    }

    fn settle(&mut self) {}

    fn set_hammer(&mut self, _: KeyNumber, _: &HammerSettings) {}

    fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64) {
        self.call(Call::Strike(key, speed, delay));
        self.level += 0.1 * speed * (1.0 - 0.1 * delay);
    }

    fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64) {
        self.call(Call::Pluck(key, displacement, delay));
        self.level += displacement;
    }

    fn strike_rod(&mut self, _: KeyNumber, _: f64, _: f64, _: f64) {}

    fn blow(&mut self, _: KeyNumber, _: f64) {}

    fn damper(&mut self, key: KeyNumber, lift: f64) {
        self.call(Call::Damper(key, lift));
        self.level *= 0.999 + 0.001 * lift;
    }

    fn retune(&mut self, key: KeyNumber, cents: f64) {
        self.call(Call::Retune(key, cents));
    }

    fn una_corda(&mut self, amount: f64) {
        self.call(Call::UnaCorda(amount));
    }

    fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64) {
        self.call(Call::Knock(key, knock, speed));
        // Jack and shank of a strike are included in the strike's level.
        if !matches!(knock, Knock::Jack | Knock::Sway | Knock::Ring) {
            self.level += 0.01 * speed;
        }
    }

    /// Blocks of these strings have one sample.
    fn begin(&mut self, waiting: usize) {
        self.hold(waiting);
    }

    fn hold(&mut self, waiting: usize) {
        while self.held.len() < waiting {
            let sample = self.next();
            self.held.push_back(sample);
        }
    }

    fn process_with(&mut self, left: &mut [f32], right: &mut [f32], _: Distant) {
        self.hold(left.len());
        for ((l, r), sample) in left.iter_mut().zip(right).zip(self.held.drain(..)) {
            (*l, *r) = (sample, -sample);
        }
    }

    fn settings(&self) -> &SoundSettings {
        &self.settings
    }

    fn is_silent(&self) -> bool {
        self.level == 0.0
    }

    fn is_at_rest(&self) -> bool {
        self.level == 0.0
    }

    fn longest_ring(&self) -> f64 {
        1.0
    }
}
