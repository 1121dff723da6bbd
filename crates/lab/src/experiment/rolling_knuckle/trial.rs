//! One trial: the measurements of a layout on several keys, and its misfit to the targets.

use std::ops::Range;

use touchback_action::grand::design::concert::Built;
use touchback_action::grand::key::weigh::Weighed;
use touchback_action::{ActionSettings, Drive, EventKind, STEP};
use touchback_instrument::play::touch::finger::silent_speed;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::strokes::{TouchKind, imposed};
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{TargetBand, escapement, repetition, statics};

/// What a target is about; the sums of a trial are by these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetGroup {
    /// The pressed hammer is fastest near the string.
    SoftPress,
    /// V10: softest press.
    Softest,
    /// V17: force of let-off.
    Bump,
    /// V22: let-off and after-touch.
    LetOff,
    /// V24: rise for a second strike.
    SecondStrike,
    /// V25: fast repetition.
    Repetition,
    /// A press strikes once, after the jack has left; a silent press does not strike.
    Once,
    /// Regulated keys measure as regulated.
    Regulation,
}

impl TargetGroup {
    /// All groups, in the order of the tables.
    pub const ALL: [Self; 8] = [
        Self::SoftPress,
        Self::Softest,
        Self::Bump,
        Self::LetOff,
        Self::SecondStrike,
        Self::Repetition,
        Self::Once,
        Self::Regulation,
    ];

    /// Name in tables and figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftPress => "soft press",
            Self::Softest => "V10 softest press",
            Self::Bump => "V17 force of let-off",
            Self::LetOff => "V22 let-off, after-touch",
            Self::SecondStrike => "V24 second strike",
            Self::Repetition => "V25 repetition",
            Self::Once => "one strike a press",
            Self::Regulation => "regulation",
        }
    }
}

/// One target: group, quantity with unit, band, and the deviation from the band that counts as 1, about half
/// the width of the band (chosen).
type Target = (TargetGroup, &'static str, TargetBand, f64);

const THIRD: f64 = 1.0 / 3.0;
const RISE: TargetBand = TargetBand::Within(THIRD, 2.0 * THIRD);

/// The quantity of the first axis of the figure, the first of [`TARGETS`].
pub const SOFT_PRESS: &str = "pressed, distance from the string of the fastest hammer, 0.5 m/s, mm";

/// The targets of each key, as in `touchback lab validate`; fewer speeds and rates, on every key of the
/// search.
pub const TARGETS: [Target; 20] = [
    (TargetGroup::SoftPress, SOFT_PRESS, TargetBand::AtMost(6.0), 3.0),
    (
        TargetGroup::Softest,
        "V10: softest press that still touches the string, m/s",
        TargetBand::Within(0.05, 0.3),
        0.12,
    ),
    (TargetGroup::Softest, "V10: strikes of a press weaker by 1 %", TargetBand::AtMost(0.0), 1.0),
    (TargetGroup::Bump, "V17: let-off bump, 8 mm/s, N", TargetBand::Within(0.1, 0.6), 0.25),
    (
        TargetGroup::Bump,
        "V17: the bump's top before the slip, mm",
        TargetBand::Within(0.0, 2.0),
        1.0,
    ),
    (TargetGroup::Bump, "V17: fall of the force after the slip, N", TargetBand::AtLeast(0.0), 0.1),
    (TargetGroup::LetOff, "V22: let-off of a slow press, mm", TargetBand::Within(1.0, 3.0), 1.0),
    (TargetGroup::LetOff, "V22: after-touch, mm", TargetBand::Within(0.8, 1.6), 0.4),
    (
        TargetGroup::SecondStrike,
        "V24: rise that resets the jack, at 0.3 m/s, share of the dip",
        RISE,
        0.5 * THIRD,
    ),
    (
        TargetGroup::SecondStrike,
        "V24: rise for a second strike, at 0.3 m/s, share of the dip",
        RISE,
        0.5 * THIRD,
    ),
    (
        TargetGroup::Repetition,
        "V25: strokes of twelve of the second best finger, 13/s",
        TargetBand::AtLeast(12.0),
        4.0,
    ),
    (
        TargetGroup::Repetition,
        "V25: strokes of twelve of the second best finger, 14/s",
        TargetBand::AtLeast(12.0),
        4.0,
    ),
    (
        TargetGroup::Once,
        "constant speeds of 0.08 to 0.4 m/s with two strikes",
        TargetBand::AtMost(0.0),
        2.0,
    ),
    (TargetGroup::Once, "strikes of a silent press, let-off 0.5 mm", TargetBand::AtMost(0.0), 1.0),
    (
        TargetGroup::Once,
        "jack leaves the knuckle before the strike, pressed at 0.2 m/s, ms",
        TargetBand::AtLeast(0.0),
        0.2,
    ),
    (
        TargetGroup::Regulation,
        "balance weight, let-off 2.2 mm, drop 1.4 mm, g",
        TargetBand::Within(34.0, 40.0),
        2.0,
    ),
    (
        TargetGroup::Regulation,
        "friction weight, let-off 2.2 mm, drop 1.4 mm, g",
        TargetBand::Within(9.0, 19.0),
        3.0,
    ),
    (
        TargetGroup::Regulation,
        "let-off measured above 2.2 mm as regulated, mm",
        TargetBand::Within(-0.13, 0.13),
        0.1,
    ),
    (
        TargetGroup::Regulation,
        "drop measured above 1.4 mm as regulated, mm",
        TargetBand::Within(-0.17, 0.17),
        0.1,
    ),
    (
        TargetGroup::Regulation,
        "drop measured of 0.7 mm more, mm",
        TargetBand::Within(0.55, 0.9),
        0.3,
    ),
];

/// Hammer speed of the soft press, m/s.
const SOFT: f64 = 0.5;

/// Speed at which the key rises for a second strike, m/s, and the grid of its rises, m.
const RISING: f64 = 0.3;
const GRID: f64 = 0.4e-3;

/// Constant speeds of the key front, m/s: `FIRST_SPEED` · `SPEED_RATIO`ⁱ.
const SPEEDS: u32 = 15;
const FIRST_SPEED: f64 = 0.08;
const SPEED_RATIO: f64 = 1.12;

/// Rates of the repetition, strokes a second.
const RATES: [f64; 2] = [13.0, 14.0];

/// Deviation, in units of a target, of a quantity that does not exist, and the largest that counts (chosen:
/// a target far off must not hide the others).
const MOST: f64 = 6.0;

/// The values of [`TARGETS`] of one key; NaN where a quantity does not exist.
pub type Values = [f64; TARGETS.len()];

/// The slow measurements, of V24 and V25.
const SLOW: Range<usize> = 8..12;

/// Sum of deviations of the other measurements from which the slow ones are not made (chosen); their quantities
/// then count as missing.
const HOPELESS: f64 = 6.0;

/// Measures the key that `build` gives in each regulation.
pub fn measure(build: impl Fn(&ActionSettings) -> Built) -> Values {
    let standard = ActionSettings::default();
    let built = build(&standard);
    let limits = built.regulated.limits;
    if limits.blow || limits.let_off || limits.after_touch || limits.spring {
        return [f64::NAN; TARGETS.len()];
    }
    let rig = TestBench::at_rest(built);
    let dip = rig.spec().key.dip;
    let slow = statics::slow_press(&rig, 8e-3);
    let (bump, top) = slow.bump();
    let slips = slow.slips();
    let softest = TouchKind::Pressed.softest(&rig);
    let weaker = softest.and_then(|s| TouchKind::Pressed.stroke(&rig, 0.99 * s.effort));
    let soft = TouchKind::Pressed.giving(&rig, SOFT);
    let [weight, friction, let_off, drop, deeper] = regulations(&build);
    let missing = f64::NAN;
    let mut values = [
        soft.map_or(missing, |s| s.fastest_before[0] * 1e3),
        softest.map_or(missing, |s| s.fastest),
        if softest.is_some() { f64::from(u8::from(weaker.is_some())) } else { missing },
        bump,
        (slips - top) * 1e3,
        slow.fall(),
        -slow.crown_at_slip() * 1e3,
        (dip - slips) * 1e3,
        missing,
        missing,
        missing,
        missing,
        twice(&rig),
        silent(&build),
        left(&rig),
        weight,
        friction,
        let_off,
        drop,
        deeper,
    ];
    let quick = TARGETS.iter().zip(values).enumerate().filter(|(i, _)| !SLOW.contains(i));
    let off = quick.map(|(_, ((_, _, band, unit), value))| deviation(*band, *unit, value));
    if off.sum::<f64>() < HOPELESS {
        let [slower, faster] =
            RATES.map(|rate| f64::from(repetition::second_best(rig.grand(), dip, rate)));
        values[SLOW].copy_from_slice(&[
            escapement::reset(&rig, RISING) / dip,
            escapement::retrigger(&rig, RISING, GRID).0 / dip,
            slower,
            faster,
        ]);
    }
    values
}

/// Number of constant speeds of the key front that strike more than once.
fn twice(rig: &TestBench) -> f64 {
    let speeds = (0..SPEEDS).map(|i| FIRST_SPEED * libm::pow(SPEED_RATIO, f64::from(i)));
    speeds.filter(|speed| imposed(rig, |t| speed * t).0 > 1).count() as f64
}

/// The key after a finger of `speed` m/s has pressed it to its bed.
fn pressed(mut rig: TestBench, speed: f64) -> TestBench {
    let depth = 1.5 * rig.spec().key.dip;
    let target = |t: f64| (speed * t).min(depth);
    while rig.now() < depth / speed + 0.1 {
        let now = rig.now();
        rig.step(Drive::Finger([target(now), target(now + STEP)]));
    }
    rig
}

/// Number of strikes of a silent press of a key with a let-off of 0.5 mm.
fn silent(build: impl Fn(&ActionSettings) -> Built) -> f64 {
    let let_off_mm = 0.5;
    let late = build(&ActionSettings { let_off_mm, ..ActionSettings::default() });
    let speed = silent_speed(1e-3 * let_off_mm);
    pressed(TestBench::at_rest(late), speed).log.count(EventKind::Strike) as f64
}

/// Time from the jack's leaving the knuckle to the strike, ms.
fn left(rig: &TestBench) -> f64 {
    let log = pressed(rig.clone(), 0.2).log;
    let time = |kind| log.first(kind).map_or(f64::NAN, |event| event.0);
    (time(EventKind::Strike) - time(EventKind::Release)) * 1e3
}

/// The values of [`TargetGroup::Regulation`].
fn regulations(build: impl Fn(&ActionSettings) -> Built) -> [f64; 5] {
    let standard = ActionSettings::default();
    let weighed = |let_off_mm, drop_mm| {
        Weighed::built(build(&ActionSettings { let_off_mm, drop_mm, ..standard.clone() }))
    };
    let other = weighed(2.2, 1.4);
    let drop = |more| weighed(standard.let_off_mm, standard.drop_mm + more).drop_mm;
    [
        other.balance_weight_g(),
        other.friction_weight_g(),
        other.let_off_mm - 2.2,
        other.drop_mm - 1.4,
        drop(0.7) - drop(0.0),
    ]
}

/// Deviation of `value` from `band` in `unit`s: 0 in the band, at most [`MOST`].
fn deviation(band: TargetBand, unit: f64, value: f64) -> f64 {
    if value.is_nan() {
        return MOST;
    }
    let [low, high] = band.ends();
    let below = low.map_or(0.0, |low| low - value);
    let above = high.map_or(0.0, |high| value - high);
    (below.max(above).max(0.0) / unit).min(MOST)
}

/// Sum of the deviations of `keys` in `group`, over the number of keys.
pub fn misfit(keys: &[Values], group: TargetGroup) -> f64 {
    let each = |values: &Values| -> f64 {
        let of_group = TARGETS.iter().zip(values).filter(|(target, _)| target.0 == group);
        of_group.map(|((_, _, band, unit), value)| deviation(*band, *unit, *value)).sum()
    };
    keys.iter().map(each).sum::<f64>() / keys.len() as f64
}

/// Number of targets that `keys` miss.
pub fn missed(keys: &[Values]) -> usize {
    let each = |values: &Values| {
        TARGETS.iter().zip(values).filter(|((_, _, band, _), value)| !band.holds(**value)).count()
    };
    keys.iter().map(each).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    fn middle(change: impl FnOnce(&mut touchback_action::grand::Spec)) -> [Values; 1] {
        let key = KeyNumber::from_index(39).unwrap();
        let design = Design::new(key).changed(change);
        [measure(|settings| design.build(settings))]
    }

    /// The grand meets all targets of the search; with the whole radius and nothing else changed, a second
    /// strike comes too early.
    #[test]
    fn the_grand_meets_the_targets_and_a_knuckle_that_only_rolls_does_not() {
        let grand = middle(|_| {});
        assert_eq!(missed(&grand), 0, "{grand:?}");
        let rolling = middle(|spec| spec.lever.knuckle_radius = 5e-3);
        assert_eq!(misfit(&grand, TargetGroup::SecondStrike), 0.0);
        assert!(misfit(&rolling, TargetGroup::SecondStrike) > 0.1, "{rolling:?}");
    }

    #[test]
    fn a_deviation_is_counted_from_the_nearer_end_and_bounded() {
        let band = TargetBand::Within(1.0, 3.0);
        let found = [0.5, 2.0, 4.0, 99.0, f64::NAN].map(|value| deviation(band, 0.5, value));
        assert_eq!(found, [1.0, 0.0, 2.0, MOST, MOST]);
    }
}
