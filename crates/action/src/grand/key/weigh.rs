//! A technician's measurements of one key: weights, forces and distances.
//!
//! A key is weighed as with a force gauge, by one slow press and one slow return without the damper. This
//! takes about 40 ms and allocates: not for the audio thread.

use crate::grand::design::concert::{Built, Design};
use crate::grand::design::spec::Spec;
use crate::grand::key::usual::{self, Usual};
use crate::grand::{GrandKey, Phase};
use crate::{ActionSettings, Drive, GRAVITY, Key, KeyEvent, STEP};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

/// Speed of the slow press, m/s, as in the laboratory.
const PRESS_SPEED: f64 = 8e-3;

/// Range of depths over which the down force is averaged, m: off the rest felt, before every let-off.
const DOWN_RANGE: (f64, f64) = (2e-3, 6e-3);
/// Range of depths over which the up force is averaged, from deep to shallow, m.
const UP_RANGE: (f64, f64) = (5.5e-3, 2e-3);

/// Time for which the key is held on its bed at the end of the slow press, s: drop is the distance with the key
/// on its bed, as the drop screw is regulated.
const HOLD_TIME: f64 = 1.0;

/// Travel of a key that does not tell its own, m (chosen: a grand's).
const UNKNOWN_DIP: f64 = 0.01;

/// Drop of the hammer below let-off beyond which it is in the backcheck, m: more than every drop that can
/// be set.
const CAUGHT: f64 = 7e-3;

/// End of the slow press in which the hammer must stand still for its drop to be measured, s, and the largest travel
/// of a hammer that stands still, m.
const STILL: (f64, f64) = (0.1, 0.2e-3);

/// Forces of the inertia measurement, N: their difference over that of the accelerations is the mass at
/// the front.
const PUSHES: [f64; 2] = [6.0, 10.0];
/// Depth over which the accelerations are timed, m.
const PUSH_DEPTH: f64 = 6e-3;
/// Longest time for that depth, s.
const MAX_PUSH_TIME: f64 = 0.1;

/// Measurements of one key; NaN for a quantity that the key does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weighed {
    /// Least weight that makes the key sink, without the damper, g.
    pub down_weight_g: f64,
    /// Largest weight that the rising key lifts, g.
    pub up_weight_g: f64,
    /// Weight at the front due to the leads and the key's own balance, g.
    pub front_weight_g: f64,
    /// Weight of the hammer at the crown with the shank horizontal, g.
    pub strike_weight_g: f64,
    /// Travel of the hammer over travel of the key front, from 2 mm depth to let-off.
    pub action_ratio: f64,
    /// Effective mass at the front before let-off, g.
    pub inertia_g: f64,
    /// Depth of the key bed, mm.
    pub dip_mm: f64,
    /// Crown below the string at rest, mm.
    pub blow_mm: f64,
    /// Crown below the string where the jack slips, mm.
    pub let_off_mm: f64,
    /// Drop of the hammer from let-off with the key on its bed, mm; NaN if it has fallen to the backcheck or swings.
    pub drop_mm: f64,
    /// Whether the hammer still swings 1 s after the key has met its bed, as without friction.
    pub swings: bool,
    /// Key travel that remains after the jack slips, mm.
    pub after_touch_mm: f64,
    /// Height of the capstan's head over the key's balance point, key level, mm.
    pub capstan_mm: f64,
    /// Height of the let-off button, mm.
    pub button_mm: f64,
    /// Height of the drop screw, mm.
    pub drop_screw_mm: f64,
}

/// Description of one of the measurements.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Identifier in files.
    pub id: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// For the height of a screw: the pitch of its thread, mm per turn.
    pub pitch_mm: Option<f64>,
    /// The value among the measurements of a key.
    pub get: fn(&Weighed) -> f64,
    /// For a distance that is regulated: the setting of the key, mm.
    pub set: Option<fn(&ActionSettings) -> f64>,
    /// The usual range of a key on concert grands, where a source gives one.
    pub usual: Option<fn(KeyNumber) -> Usual>,
}

impl Figure {
    const fn usually(mut self, usual: fn(KeyNumber) -> Usual) -> Self {
        self.usual = Some(usual);
        self
    }
}

const fn figure(
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    get: fn(&Weighed) -> f64,
) -> Figure {
    Figure { id, name, unit, pitch_mm: None, get, set: None, usual: None }
}

/// A distance in mm that is regulated.
const fn regulated(
    id: &'static str,
    name: &'static str,
    get: fn(&Weighed) -> f64,
    set: fn(&ActionSettings) -> f64,
) -> Figure {
    Figure { id, name, unit: "mm", pitch_mm: None, get, set: Some(set), usual: None }
}

/// A height set by a screw. The pitches are chosen: ISO coarse threads of the usual sizes, M5 for the
/// capstan, M4 for button and drop screw; a given piano may have others.
const fn screw(
    id: &'static str,
    name: &'static str,
    pitch_mm: f64,
    get: fn(&Weighed) -> f64,
) -> Figure {
    Figure { id, name, unit: "mm", pitch_mm: Some(pitch_mm), get, set: None, usual: None }
}

/// All measurements.
pub const FIGURES: [Figure; 16] = [
    figure("down_weight_g", "Down weight", "g", |w| w.down_weight_g).usually(usual::down_weight),
    figure("up_weight_g", "Up weight", "g", |w| w.up_weight_g).usually(usual::up_weight),
    figure("balance_weight_g", "Balance weight", "g", Weighed::balance_weight_g)
        .usually(usual::balance_weight),
    figure("friction_weight_g", "Friction weight", "g", Weighed::friction_weight_g)
        .usually(usual::friction_weight),
    figure("front_weight_g", "Front weight", "g", |w| w.front_weight_g)
        .usually(usual::front_weight),
    figure("strike_weight_g", "Strike weight", "g", |w| w.strike_weight_g)
        .usually(usual::strike_weight),
    figure("action_ratio", "Action ratio", "", |w| w.action_ratio).usually(usual::action_ratio),
    figure("inertia_g", "Inertia at the front", "g", |w| w.inertia_g).usually(usual::inertia),
    regulated("dip_mm", "Key dip", |w| w.dip_mm, |s| s.key_dip_mm).usually(usual::dip),
    regulated("blow_mm", "Blow", |w| w.blow_mm, |s| s.blow_mm).usually(usual::blow),
    regulated("let_off_mm", "Let-off", |w| w.let_off_mm, |s| s.let_off_mm).usually(usual::let_off),
    regulated("drop_mm", "Drop", |w| w.drop_mm, |s| s.drop_mm).usually(usual::drop),
    figure("after_touch_mm", "Aftertouch", "mm", |w| w.after_touch_mm).usually(usual::after_touch),
    screw("capstan_height_mm", "Capstan", 0.8, |w| w.capstan_mm),
    screw("button_height_mm", "Let-off button", 0.7, |w| w.button_mm),
    screw("drop_screw_height_mm", "Drop screw", 0.7, |w| w.drop_screw_mm),
];

/// Running mean.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    /// The mean; NaN without values.
    fn value(&self) -> f64 {
        self.sum / self.count
    }
}

/// Results of the slow press; NaN if not found.
struct SlowPress {
    /// Mean force down, N.
    down: f64,
    /// Action ratio.
    ratio: f64,
    /// Height of the crown below the string when the jack slips, m.
    let_off: f64,
    /// Depth of the key when the jack slips, m.
    slip_depth: f64,
    /// Height of the crown below the string with the key held, m; NaN in the backcheck, and of a hammer that swings.
    held: f64,
    /// Whether the hammer swings.
    swings: bool,
}

impl Weighed {
    /// Measures `key` with `settings`. Allocates.
    #[must_use]
    pub fn of(key: KeyNumber, settings: &ActionSettings) -> Self {
        Self::built(Design::new(key).build(settings))
    }

    /// Measures the key `built`. Allocates.
    #[must_use]
    pub fn built(mut built: Built) -> Self {
        built.spec.damper.present = false;
        let spec = built.spec;
        let at_rest = GrandKey::built(built);
        let slow = slow_press(at_rest.clone(), &spec);
        let Spec { key, hammer, .. } = &spec;
        let grams = 1e3 / GRAVITY;
        Self {
            down_weight_g: grams * slow.down,
            up_weight_g: grams * up_force(&at_rest, 1.0),
            front_weight_g: grams * key.lead_torque / key.front,
            strike_weight_g: 1e3 * hammer.mass * hammer.centre.x / hammer.crown,
            action_ratio: slow.ratio,
            inertia_g: 1e3 * front_mass(&at_rest, PUSH_DEPTH),
            dip_mm: 1e3 * key.dip,
            blow_mm: -1e3 * hammer.crown * built.regulated.rest[1],
            let_off_mm: 1e3 * slow.let_off,
            drop_mm: 1e3 * (slow.held - slow.let_off),
            swings: slow.swings,
            after_touch_mm: 1e3 * (key.dip - slow.slip_depth),
            capstan_mm: 1e3 * key.capstan.y,
            button_mm: 1e3 * spec.jack.button_height,
            drop_screw_mm: 1e3 * spec.lever.drop_height,
        }
    }

    /// Measures a key of any action, which is at rest, by what it answers and shows; NaN for what only the parts of
    /// the grand have. Allocates.
    #[must_use]
    pub fn of_any(at_rest: &dyn Key) -> Self {
        let dip = at_rest.travel().map_or(UNKNOWN_DIP, |travel| travel.dip);
        // The depths of measurement are those of a usual key.
        let share = (dip / UNKNOWN_DIP).min(1.0);
        let below = |key: &dyn Key| -key.readout(Drive::Free).hammer;
        let (mut key, mut mean) = (at_rest.duplicate(), Mean::default());
        let (mut from, mut slip) = ((f64::NAN, f64::NAN), (f64::NAN, f64::NAN));
        let to = |t: f64| (PRESS_SPEED * t).min(dip);
        let mut is_free = false;
        for step in 0..floor_index((dip / PRESS_SPEED + HOLD_TIME) / STEP) {
            cancel::check();
            let time = step as f64 * STEP;
            let (drive, depth) = (Drive::along(to, time), to(time + STEP));
            key.step(drive, &mut |_, event| {
                is_free |= matches!(event, KeyEvent::Release { .. } | KeyEvent::Pluck { .. });
            });
            if (share * DOWN_RANGE.0..share * DOWN_RANGE.1).contains(&depth) {
                mean.add(key.readout(drive).key_force);
            }
            if from.0.is_nan() && depth >= share * UP_RANGE.1 {
                from = (depth, below(&*key));
            }
            if is_free && slip.0.is_nan() {
                slip = (depth, below(&*key));
            }
        }
        let grams = 1e3 / GRAVITY;
        let drop = Some(below(&*key) - slip.1).filter(|drop| *drop < CAUGHT);
        Self {
            down_weight_g: grams * mean.value(),
            up_weight_g: grams * up_force(at_rest, share),
            front_weight_g: f64::NAN,
            strike_weight_g: f64::NAN,
            action_ratio: (from.1 - slip.1) / (slip.0 - from.0),
            inertia_g: 1e3 * front_mass(at_rest, share * PUSH_DEPTH),
            dip_mm: 1e3 * dip,
            blow_mm: 1e3 * below(at_rest),
            let_off_mm: 1e3 * slip.1,
            drop_mm: drop.map_or(f64::NAN, |drop| 1e3 * drop),
            swings: false,
            after_touch_mm: 1e3 * (dip - slip.0),
            capstan_mm: f64::NAN,
            button_mm: f64::NAN,
            drop_screw_mm: f64::NAN,
        }
    }

    /// Mean of down and up weight, g.
    #[must_use]
    pub fn balance_weight_g(&self) -> f64 {
        0.5 * (self.down_weight_g + self.up_weight_g)
    }

    /// The reason why the measurement `figure` has no value; none where it has one.
    #[must_use]
    pub fn missing(&self, figure: &Figure) -> Option<&'static str> {
        if (figure.get)(self).is_finite() {
            return None;
        }
        Some(match figure.id {
            "drop_mm" if self.swings => "the hammer swings",
            "drop_mm" if self.let_off_mm.is_finite() => "the hammer falls to the check",
            "action_ratio" | "let_off_mm" | "drop_mm" | "after_touch_mm" => {
                "the jack does not slip"
            }
            "inertia_g" => "the key does not sink",
            _ => "the action has no such part",
        })
    }

    /// Half the difference of down and up weight, g.
    #[must_use]
    pub fn friction_weight_g(&self) -> f64 {
        0.5 * (self.down_weight_g - self.up_weight_g)
    }
}

/// Moves the key front along `depth`, m, a function of time, for `seconds`. `observe` gets key, depth, m,
/// and force on the front, N, after each step. Returns whether the backcheck caught the hammer.
fn move_front<K: Key + ?Sized>(
    key: &mut K,
    seconds: f64,
    depth: impl Fn(f64) -> f64,
    mut observe: impl FnMut(&K, f64, f64),
) -> bool {
    let mut is_caught = false;
    for step in 0..floor_index(seconds / STEP) {
        let time = step as f64 * STEP;
        let drive = Drive::along(&depth, time);
        cancel::check();
        key.step(drive, &mut |_, event| is_caught |= matches!(event, KeyEvent::Check { .. }));
        observe(key, depth(time + STEP), key.readout(drive).key_force);
    }
    is_caught
}

/// Distance of the crown below the string, m.
fn below(key: &GrandKey) -> f64 {
    -key.assembly().hammer(&key.state().x)[0]
}

fn slow_press(mut key: GrandKey, spec: &Spec) -> SlowPress {
    let end = spec.key.dip;
    let mut found = SlowPress {
        down: f64::NAN,
        ratio: f64::NAN,
        let_off: f64::NAN,
        slip_depth: f64::NAN,
        held: f64::NAN,
        swings: false,
    };
    let (mut lowest, mut highest) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut from, mut lets_off) = ((f64::NAN, f64::NAN), false);
    let mut mean = Mean::default();
    let to = |t: f64| (PRESS_SPEED * t).min(end);
    let seconds = end / PRESS_SPEED + HOLD_TIME;
    let mut left = floor_index(seconds / STEP);
    let is_caught = move_front(&mut key, seconds, to, |key, depth, force| {
        left -= 1;
        if left < floor_index(STILL.0 / STEP) {
            (lowest, highest) = (lowest.max(below(key)), highest.min(below(key)));
        }
        if (DOWN_RANGE.0..DOWN_RANGE.1).contains(&depth) {
            mean.add(force);
        }
        if from.0.is_nan() && depth >= UP_RANGE.1 {
            from = (depth, below(key));
        }
        let phase = key.state().phase;
        if !lets_off && phase == Phase::LetOff {
            lets_off = true;
            found.ratio = (from.1 - below(key)) / (depth - from.0);
        }
        if lets_off && found.slip_depth.is_nan() && !phase.jack_drives() {
            (found.slip_depth, found.let_off) = (depth, below(key));
        }
    });
    found.down = mean.value();
    let held = below(&key);
    found.swings = !is_caught && lowest - highest > STILL.1;
    if !is_caught && !found.swings && held - found.let_off < CAUGHT {
        found.held = held;
    }
    found
}

/// Mean force on the front of the slowly rising key, N.
fn up_force(at_rest: &dyn Key, share: f64) -> f64 {
    let mut key = at_rest.duplicate();
    let deepest = share * DOWN_RANGE.1;
    let turn = deepest / PRESS_SPEED;
    let mut mean = Mean::default();
    let back = |t: f64| {
        if t < turn { PRESS_SPEED * t } else { (2.0 * deepest - PRESS_SPEED * t).max(0.0) }
    };
    let mut rises = false;
    move_front(&mut *key, 2.0 * turn, back, |_, depth, force| {
        rises |= depth >= deepest - PRESS_SPEED * STEP;
        if rises && (share * UP_RANGE.1..share * UP_RANGE.0).contains(&depth) {
            mean.add(force);
        }
    });
    mean.value()
}

/// Effective mass at the front, kg: the difference of two forces over that of the accelerations they give,
/// in which weight and friction cancel.
fn front_mass(at_rest: &dyn Key, push_depth: f64) -> f64 {
    let acceleration = |force: f64| {
        let mut key = at_rest.duplicate();
        let mut before = 0.0;
        for step in 1..=floor_index(MAX_PUSH_TIME / STEP) {
            cancel::check();
            key.step(Drive::Force([force; 2]), &mut |_, _: KeyEvent| {});
            let [depth, _] = key.front();
            if depth >= push_depth {
                let share = (push_depth - before) / (depth - before);
                let time = (step as f64 - 1.0 + share) * STEP;
                return 2.0 * push_depth / (time * time);
            }
            before = depth;
        }
        f64::NAN
    };
    let [low, high] = PUSHES.map(acceleration);
    (PUSHES[1] - PUSHES[0]) / (high - low)
}

#[cfg(test)]
mod tests;
