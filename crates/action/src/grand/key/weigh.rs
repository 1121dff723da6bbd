//! The technician's numbers of one key: what weights, a gauge and a rule find on it.
//!
//! A key is weighed as a force gauge does it, by one slow press and one slow return with the damper
//! off: some 40 ms of work, for any thread but the audio thread.

use crate::grand::design::concert::{Built, Design};
use crate::grand::design::spec::{GRAVITY, Spec};
use crate::grand::{GrandKey, Phase};
use crate::{ActionSettings, Drive, Key as _, KeyEvent, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

/// Speed of the slow press, m/s: that of the laboratory's.
const SLOWLY: f64 = 8e-3;

/// Depths between which a weight must sink and rise, m: off the rest felt, short of every let-off.
const SINKS: (f64, f64) = (2e-3, 6e-3);
const RISES: (f64, f64) = (5.5e-3, 2e-3);

/// Short of the bed at which the slow press ends, m, and how long it then stands, s.
const ABOVE_BED: f64 = 0.2e-3;
const STANDS: f64 = 1.0;

/// A hammer that stands so far below where it was let off lies in the backcheck: beyond every drop that
/// can be set, m.
const CAUGHT: f64 = 7e-3;

/// Forces whose difference over that of the accelerations is the mass at the front, N, the depth over
/// which they are timed, m, and for how long at most, s.
const PUSHES: [f64; 2] = [6.0, 10.0];
const PUSHED: f64 = 6e-3;
const PUSHING: f64 = 0.1;

/// What is found on one key; NaN where it has none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weighed {
    /// Least weight under which the key sinks, the damper off, g.
    pub down_weight_g: f64,
    /// Largest weight that it lifts, g.
    pub up_weight_g: f64,
    /// What the leads and the key's own balance hold down at the front, g.
    pub front_weight_g: f64,
    /// What the hammer weighs at the crown, its shank level, g.
    pub strike_weight_g: f64,
    /// Way of the hammer over way of the key, from 2 mm to let-off.
    pub action_ratio: f64,
    /// Mass that a finger moves at the front before let-off, g.
    pub inertia_g: f64,
    /// Depth of the key bed, mm.
    pub dip_mm: f64,
    /// Crown below the string at rest, mm.
    pub blow_mm: f64,
    /// Crown below the string where the jack slips, mm.
    pub let_off_mm: f64,
    /// How far the hammer stands below that with the key held down, mm; NaN where the backcheck has
    /// caught it.
    pub drop_mm: f64,
    /// Key travel left after the slip, mm.
    pub after_touch_mm: f64,
    /// Height of the capstan's head over the key's balance point, key level, mm.
    pub capstan_mm: f64,
    /// Height of the let-off button, mm.
    pub button_mm: f64,
    /// Height of the drop screw, mm.
    pub drop_screw_mm: f64,
}

/// One of the numbers: its name with the unit, what it is, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Name in files.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// Millimetres a turn of the screw it is the height of.
    pub pitch_mm: Option<f64>,
    /// Its value.
    pub get: fn(&Weighed) -> f64,
}

const fn figure(
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    get: fn(&Weighed) -> f64,
) -> Figure {
    Figure { id, name, unit, pitch_mm: None, get }
}

/// A height set by a screw. Pitches are chosen, ISO coarse threads of the parts' usual size: capstan
/// M5, button and drop screw M4; those of a piano at hand may differ.
const fn screw(
    id: &'static str,
    name: &'static str,
    pitch_mm: f64,
    get: fn(&Weighed) -> f64,
) -> Figure {
    Figure { id, name, unit: "mm", pitch_mm: Some(pitch_mm), get }
}

/// All of them.
pub const FIGURES: [Figure; 16] = [
    figure("down_weight_g", "Down weight", "g", |w| w.down_weight_g),
    figure("up_weight_g", "Up weight", "g", |w| w.up_weight_g),
    figure("balance_weight_g", "Balance weight", "g", Weighed::balance_weight_g),
    figure("friction_weight_g", "Friction weight", "g", Weighed::friction_weight_g),
    figure("front_weight_g", "Front weight", "g", |w| w.front_weight_g),
    figure("strike_weight_g", "Strike weight", "g", |w| w.strike_weight_g),
    figure("action_ratio", "Action ratio", "", |w| w.action_ratio),
    figure("inertia_g", "Inertia at the front", "g", |w| w.inertia_g),
    figure("dip_mm", "Key dip", "mm", |w| w.dip_mm),
    figure("blow_mm", "Blow", "mm", |w| w.blow_mm),
    figure("let_off_mm", "Let-off", "mm", |w| w.let_off_mm),
    figure("drop_mm", "Drop", "mm", |w| w.drop_mm),
    figure("after_touch_mm", "After-touch", "mm", |w| w.after_touch_mm),
    screw("capstan_height_mm", "Capstan", 0.8, |w| w.capstan_mm),
    screw("button_height_mm", "Let-off button", 0.7, |w| w.button_mm),
    screw("drop_screw_height_mm", "Drop screw", 0.7, |w| w.drop_screw_mm),
];

/// A mean in the making.
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

    /// NaN where nothing was added.
    fn value(&self) -> f64 {
        self.sum / self.count
    }
}

/// What the slow press finds.
struct SlowPress {
    down: f64,
    ratio: f64,
    let_off: f64,
    slips: f64,
    stands: f64,
}

impl Weighed {
    /// What is found on `key` with `settings`. Allocates.
    #[must_use]
    pub fn of(key: KeyNumber, settings: &ActionSettings) -> Self {
        Self::built(Design::new(key).build(settings))
    }

    /// What is found on the key `built`. Allocates.
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
            up_weight_g: grams * up_force(at_rest.clone()),
            front_weight_g: grams * key.lead_torque / key.front,
            strike_weight_g: 1e3 * hammer.mass * hammer.centre.x / hammer.crown,
            action_ratio: slow.ratio,
            inertia_g: 1e3 * front_mass(&at_rest),
            dip_mm: 1e3 * key.dip,
            blow_mm: -1e3 * hammer.crown * built.regulated.rest[1],
            let_off_mm: 1e3 * slow.let_off,
            drop_mm: 1e3 * (slow.stands - slow.let_off),
            after_touch_mm: 1e3 * (key.dip - slow.slips),
            capstan_mm: 1e3 * key.capstan.y,
            button_mm: 1e3 * spec.jack.button_height,
            drop_screw_mm: 1e3 * spec.lever.drop_height,
        }
    }

    /// Mean of down and up weight, g.
    #[must_use]
    pub fn balance_weight_g(&self) -> f64 {
        0.5 * (self.down_weight_g + self.up_weight_g)
    }

    /// Half the difference of down and up weight, g.
    #[must_use]
    pub fn friction_weight_g(&self) -> f64 {
        0.5 * (self.down_weight_g - self.up_weight_g)
    }
}

/// Moves the key's front along `depth` of the time for `seconds`, telling key and force after each
/// step; whether the backcheck caught the hammer.
fn moved(
    key: &mut GrandKey,
    seconds: f64,
    depth: impl Fn(f64) -> f64,
    mut tell: impl FnMut(&GrandKey, f64, f64),
) -> bool {
    let mut is_caught = false;
    for step in 0..floor_index(seconds / STEP) {
        let ends = [step, step + 1].map(|s| depth(s as f64 * STEP));
        let drive = Drive::Motion(ends);
        key.step(drive, &mut |_, event| is_caught |= matches!(event, KeyEvent::Check { .. }));
        tell(key, ends[1], key.readout(drive).key_force);
    }
    is_caught
}

/// Crown below the string, m.
fn below(key: &GrandKey) -> f64 {
    -key.assembly().hammer(&key.state().x)[0]
}

fn slow_press(mut key: GrandKey, spec: &Spec) -> SlowPress {
    let end = spec.key.dip - ABOVE_BED;
    let mut found = SlowPress {
        down: f64::NAN,
        ratio: f64::NAN,
        let_off: f64::NAN,
        slips: f64::NAN,
        stands: f64::NAN,
    };
    let (mut from, mut lets_off) = ((f64::NAN, f64::NAN), false);
    let mut mean = Mean::default();
    let to = |t: f64| (SLOWLY * t).min(end);
    let is_caught = moved(&mut key, end / SLOWLY + STANDS, to, |key, depth, force| {
        if (SINKS.0..SINKS.1).contains(&depth) {
            mean.add(force);
        }
        if from.0.is_nan() && depth >= RISES.1 {
            from = (depth, below(key));
        }
        let phase = key.state().phase;
        if !lets_off && phase == Phase::LetOff {
            lets_off = true;
            found.ratio = (from.1 - below(key)) / (depth - from.0);
        }
        if lets_off && found.slips.is_nan() && !phase.jack_drives() {
            (found.slips, found.let_off) = (depth, below(key));
        }
    });
    found.down = mean.value();
    let stands = below(&key);
    if !is_caught && stands - found.let_off < CAUGHT {
        found.stands = stands;
    }
    found
}

/// Mean force with which the key rises slowly, N.
fn up_force(mut key: GrandKey) -> f64 {
    let turn = SINKS.1 / SLOWLY;
    let mut mean = Mean::default();
    let back = |t: f64| if t < turn { SLOWLY * t } else { (2.0 * SINKS.1 - SLOWLY * t).max(0.0) };
    let mut rises = false;
    moved(&mut key, 2.0 * turn, back, |_, depth, force| {
        rises |= depth >= SINKS.1 - SLOWLY * STEP;
        if rises && (RISES.1..RISES.0).contains(&depth) {
            mean.add(force);
        }
    });
    mean.value()
}

/// Mass at the front, kg: the difference of two forces over that of the accelerations they give, free
/// of weight and friction.
fn front_mass(at_rest: &GrandKey) -> f64 {
    let acceleration = |force: f64| {
        let mut key = at_rest.clone();
        let mut before = 0.0;
        for step in 1..=floor_index(PUSHING / STEP) {
            key.step(Drive::Force([force; 2]), &mut |_, _: KeyEvent| {});
            let [depth, _] = key.front();
            if depth >= PUSHED {
                let share = (PUSHED - before) / (depth - before);
                let time = (step as f64 - 1.0 + share) * STEP;
                return 2.0 * PUSHED / (time * time);
            }
            before = depth;
        }
        f64::NAN
    };
    let [low, high] = PUSHES.map(acceleration);
    (PUSHES[1] - PUSHES[0]) / (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> KeyNumber {
        KeyNumber::from_index(number - 1).unwrap()
    }

    #[test]
    fn a_regulated_key_measures_as_it_was_regulated() {
        let settings = ActionSettings { let_off_mm: 2.2, drop_mm: 1.4, ..Default::default() };
        for number in [4, 40, 80] {
            let found = Weighed::of(key(number), &settings);
            assert!((found.let_off_mm - 2.2).abs() < 0.15, "{number}: {found:?}");
            assert!((found.drop_mm - 1.4).abs() < 0.5, "{number}: {found:?}");
            assert!((found.blow_mm - 47.0).abs() < 1e-6 && found.dip_mm == 10.0);
            assert!((33.0..41.0).contains(&found.balance_weight_g()), "{number}: {found:?}");
            assert!((8.0..20.0).contains(&found.friction_weight_g()), "{number}: {found:?}");
            assert!((4.0..7.0).contains(&found.action_ratio), "{number}: {found:?}");
            assert!(found.after_touch_mm > 0.3 && found.inertia_g > 50.0, "{number}: {found:?}");
        }
    }

    #[test]
    fn lead_weight_and_screws_show_where_they_were_changed() {
        let standard = Weighed::of(key(40), &ActionSettings::default());
        let sheet = "key,key_lead_g,strike_weight_g,let_off_mm\n40,6,0.5,1\n";
        let changed = ActionSettings { keys: sheet.parse().unwrap(), ..Default::default() };
        let found = Weighed::of(key(40), &changed);
        assert_eq!(Weighed::of(key(41), &changed), Weighed::of(key(41), &Default::default()));
        assert!((standard.front_weight_g - found.front_weight_g - 6.0).abs() < 1e-9);
        assert!((found.strike_weight_g - standard.strike_weight_g - 0.5).abs() < 0.02);
        let heavier = found.balance_weight_g() - standard.balance_weight_g();
        // The lead, and the added weight by the ratio.
        assert!((7.5..10.5).contains(&heavier), "{heavier}");
        // A let-off farther from the string is a lower button.
        let turns = (found.button_mm - standard.button_mm) / 0.7;
        assert!((-2.0..-0.05).contains(&turns), "{turns}");
    }

    #[test]
    fn a_hammer_in_the_backcheck_has_no_drop() {
        let uneven = ActionSettings { unevenness: 1.0, ..Default::default() };
        for number in [4, 20, 45, 61] {
            let drop = Weighed::of(key(number), &uneven).drop_mm;
            assert!(drop.is_nan() || (0.5..6.0).contains(&drop), "{number}: {drop}");
        }
    }

    #[test]
    fn every_figure_has_a_name_of_its_own_and_a_value() {
        let found = Weighed::of(key(52), &ActionSettings::default());
        for (i, figure) in FIGURES.iter().enumerate() {
            assert!((figure.get)(&found).is_finite(), "{}", figure.id);
            assert!(FIGURES[..i].iter().all(|f| f.id != figure.id && f.name != figure.name));
        }
    }
}
