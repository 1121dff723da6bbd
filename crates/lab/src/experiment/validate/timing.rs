//! V1–V10, V13, V21: touch, travel time and hammer speed.

use anyhow::Result;

use super::published::{
    BOTTOM_PRESSED, BOTTOM_STRUCK, PublishedLaw, TRAVEL_PRESSED, TRAVEL_STRUCK,
};
use super::{Folder, KEYS, KeySource, MIDDLE, Report, TargetBand, short};
use touchback_action::EventKind;
use touchback_core::math::line::Line;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::strokes::{TimedStroke, TouchKind};
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};

/// Hammer speed, m/s, target, ms, band, ms.
type TargetRow = (f64, f64, f64, f64);

const PRESSED: [TargetRow; 4] = [
    (0.5, 148.0, 115.0, 185.0),
    (1.0, 94.0, 80.0, 115.0),
    (2.0, 60.0, 50.0, 70.0),
    (4.0, 39.0, 31.0, 47.0),
];
/// Time from the hammer's greatest speed to the string in a struck touch: hammer speed, m/s, band, ms [Goebl,
/// Bresin & Galembo 2005, three grands].
const FASTEST_STRUCK: [(f64, [f64; 2]); 3] =
    [(1.0, [3.0, 5.3]), (2.0, [1.0, 2.0]), (6.0, [0.18, 0.44])];
/// The same in a pressed touch: hammer speed, m/s, band, ms.
const FASTEST_PRESSED: [(f64, [f64; 2]); 3] =
    [(1.0, [1.6, 3.2]), (2.0, [0.62, 1.26]), (4.0, [0.23, 0.49])];
/// Time from string contact to key bottom in a struck touch: hammer speed, m/s, band, ms [the same].
const BOTTOM_STRUCK_AT: [(f64, [f64; 2]); 2] = [(4.0, [-1.6, 0.2]), (6.0, [-2.8, -0.8])];
/// Largest key force of a pressed touch relative to that of a struck one of the same hammer speed, about a third
/// [Kinoshita 2007, with Askenfelt].
const PRESSED_SHARE: f64 = 0.45;
/// Hammer speeds at which they are compared, m/s.
const COMPARED: [f64; 2] = [1.0, 2.5];
/// Least dip of the key force after the spike at the beginning of a struck touch, share [the same; chosen].
const DIP: f64 = 0.2;
const STRUCK: [TargetRow; 4] = [
    (1.0, 61.0, 48.0, 75.0),
    (2.0, 36.0, 28.0, 45.0),
    (4.0, 21.5, 17.0, 27.0),
    (6.0, 16.0, 12.0, 20.0),
];
const BOTTOM: [TargetRow; 4] =
    [(0.5, 9.0, 4.0, 16.0), (1.0, 4.0, 1.0, 12.0), (2.0, 0.0, -3.0, 4.0), (4.0, -2.5, -5.0, 0.0)];

/// Largest force of a fingertip, N: pressing (chosen), and striking [Kinoshita 2007].
pub const PRESSING: f64 = 25.0;
const STRIKING: f64 = 60.0;

/// Largest distance from the string, mm, at which a pressed hammer is fastest [chosen: an eighth of the
/// blow distance].
const NEAR: f64 = 6.0;

/// Mean over the keys that have the value, and the largest deviation from the mean.
fn mean(values: impl Iterator<Item = Option<f64>>) -> (f64, f64) {
    let values: Vec<Option<f64>> = values.collect();
    let n = values.iter().flatten().count() as f64;
    if values.len() as f64 > n {
        return (f64::NAN, f64::NAN);
    }
    let mean = values.iter().flatten().sum::<f64>() / n;
    (mean, values.iter().flatten().fold(0.0, |most, v| most.max((v - mean).abs())))
}

/// Greatest value over the keys; NaN if a key has none.
fn most(strokes: &[Option<TimedStroke>], value: impl Fn(TimedStroke) -> f64) -> f64 {
    let worst = |most: f64, v: f64| if v > most || v.is_nan() { v } else { most };
    strokes.iter().map(|s| s.map_or(f64::NAN, &value)).fold(f64::NEG_INFINITY, worst)
}

/// Least value over the keys; NaN if a key has none.
fn least(strokes: &[Option<TimedStroke>], value: impl Fn(TimedStroke) -> f64) -> f64 {
    -most(strokes, |s| -value(s))
}

/// Adds the least and the greatest `value`, ms, of the `strokes` of the keys at the hammer speed `v` to the report, by a
/// quantity and the first segment of its id.
fn least_and_most(
    report: &mut Report,
    (quantity, id): (&str, &str),
    v: f64,
    [low, high]: [f64; 2],
    strokes: &[Option<TimedStroke>],
    value: impl Fn(TimedStroke) -> f64 + Copy,
) {
    let target = format!("{low}–{high}").replace('-', "−");
    for (which, value) in [("least", least(strokes, value)), ("most", most(strokes, value))] {
        let what = format!("{quantity}, {v} m/s, {which}, ms");
        report.check(&what, &target, TargetBand::Within(low, high), value);
        report.id(&[id, &format!("{v} m/s"), which]);
    }
}

/// Checks all targets on the measured keys.
pub fn check(keys: &KeySource, folder: &mut Folder, report: &mut Report) -> Result<()> {
    let rigs: Vec<TestBench> = keys.numbers(&KEYS).iter().map(|n| keys.bench(*n)).collect();
    // C4, or the only key.
    let middle = &rigs[rigs.len() / 2];
    let whose = if rigs.len() == 1 { keys.name(MIDDLE) } else { "mean of five keys".into() };
    let at = |touch: TouchKind, speed: f64| -> Vec<Option<TimedStroke>> {
        rigs.iter().map(|rig| touch.giving(rig, speed)).collect()
    };
    let mut pressed_at_one = f64::NAN;
    let mut slope = Vec::new();
    let mut bottoms = Vec::new();
    let mut peaks = Vec::new();
    for ((v, target, low, high), (_, late, early, latest)) in PRESSED.into_iter().zip(BOTTOM) {
        let strokes = at(TouchKind::Pressed, v);
        let (travel, apart) = mean(strokes.iter().map(|s| s.map(|s| s.travel * 1e3)));
        let what = format!("V1 must: pressed, travel at {v} m/s, {whose}, ms");
        report.check(&what, &short(target), TargetBand::Within(low, high), travel);
        if v == 1.0 {
            pressed_at_one = travel;
            let what = "travel at 1 m/s, largest deviation of a key from the mean, %";
            report.check(what, "equal for all", TargetBand::AtMost(15.0), 100.0 * apart / travel);
        }
        slope.push((libm::log(v), libm::log(travel)));
        let (bottom, _) = mean(strokes.iter().map(|s| s.map(|s| s.bottom * 1e3)));
        let what = format!("V6 should: pressed, key bottom after contact at {v} m/s, ms");
        report.check(&what, &short(late), TargetBand::Within(early, latest), bottom);
        bottoms.push((v, bottom));
        let before = most(&strokes, |s| s.fastest_before[0] * 1e3);
        let what = format!(
            "pressed, distance from the string of the fastest hammer, {v} m/s, farthest key, mm"
        );
        report.check(&what, "small", TargetBand::AtMost(NEAR), before);
        if let Some((_, band)) = FASTEST_PRESSED.iter().find(|(at, _)| *at == v) {
            let what = "pressed, time from the greatest hammer speed to the string";
            let time = |s: TimedStroke| s.fastest_before[1] * 1e3;
            least_and_most(report, (what, "pressed-lead"), v, *band, &strokes, time);
        }
        let on_c4 = strokes[strokes.len() / 2];
        peaks.push(on_c4.map_or(String::new(), |s| {
            format!(
                "{} m/s {} N and {} ms",
                short(v),
                short(s.peak_force),
                short(s.fastest_before[1] * 1e3)
            )
        }));
    }
    report.note(&format!(
        "Pressed, {}: peak of the tip's force before the key's bottom, and time from the hammer's \
         greatest speed to the string: {}.",
        keys.name(MIDDLE),
        peaks.join(", ")
    ));
    let falls = bottoms.windows(2).all(|w| w[1].1 < w[0].1);
    report.holds("V6 must: key bottom earlier with harder strokes", falls);
    let signs = bottoms[0].1 > 0.0 && bottoms[3].1 < 0.0;
    report.holds("V6 must: key bottom after contact when soft, before when loud", signs);
    let zero = bottoms.windows(2).find(|w| w[0].1 > 0.0 && w[1].1 <= 0.0).map_or(f64::NAN, |w| {
        let share = w[0].1 / (w[0].1 - w[1].1);
        w[0].0 * libm::pow(w[1].0 / w[0].0, share)
    });
    let what = "V7 must: hammer speed at which key bottom and contact coincide, m/s";
    report.check(what, "1.4–3.1", TargetBand::Within(1.2, 4.5), zero);
    let what = "V2 should: slope of travel over speed, 0.5–4 m/s";
    report.check(
        what,
        "−0.56…−0.71",
        TargetBand::Within(-0.85, -0.5),
        Line::through(&slope).map_or(f64::NAN, |line| line.slope),
    );
    for (v, target, low, high) in STRUCK {
        let strokes = at(TouchKind::Struck, v);
        let (travel, _) = mean(strokes.iter().map(|s| s.map(|s| s.travel * 1e3)));
        let what = format!("V3 must: struck, travel at {v} m/s, {whose}, ms");
        report.check(&what, &short(target), TargetBand::Within(low, high), travel);
        if v == 1.0 {
            let what = "V4 must: struck less pressed at 1 m/s, ms";
            let band = TargetBand::Within(-42.0, -20.0);
            report.check(what, "−32", band, travel - pressed_at_one);
        }
        if let Some((_, band)) = BOTTOM_STRUCK_AT.iter().find(|(at, _)| *at == v) {
            let what = "struck, key bottom after contact";
            least_and_most(report, (what, "struck-bottom"), v, *band, &strokes, |s| s.bottom * 1e3);
        }
    }
    for (v, band) in FASTEST_STRUCK {
        let strokes = at(TouchKind::Struck, v);
        let what = "struck, time from the greatest hammer speed to the string";
        let time = |s: TimedStroke| s.fastest_before[1] * 1e3;
        least_and_most(report, (what, "struck-lead"), v, band, &strokes, time);
    }
    for v in COMPARED {
        let (pressed, struck) = (at(TouchKind::Pressed, v), at(TouchKind::Struck, v));
        let share = pressed
            .iter()
            .zip(&struck)
            .map(|(p, s)| Some(p.as_ref()?.peak_force / s.as_ref()?.peak_force));
        let share = share.fold(0.0, |most: f64, share| most.max(share.unwrap_or(f64::INFINITY)));
        let what = format!("key force, pressed over struck, {v} m/s, greatest of all keys");
        report.check(&what, "a third", TargetBand::AtMost(PRESSED_SHARE), share);
        let dip = least(&struck, |s| 1.0 - s.spike[1] / s.spike[0]);
        let what = format!("struck, dip of the key force after its spike, {v} m/s, least, share");
        report.check(&what, "a dip", TargetBand::AtLeast(DIP), dip);
    }
    extremes(keys, report);
    forces(middle, report);
    figures(middle, &keys.name(MIDDLE), folder, report)
}

/// V9, V10.
fn extremes(keys: &KeySource, report: &mut Report) {
    let most = strongest(&keys.bench(keys.one(MIDDLE)), TouchKind::Pressed, PRESSING);
    let what = "V9 must: strongest press (25 N at the tip), hammer, m/s";
    report.check(what, "4–5", TargetBand::Within(3.5, 5.5), most);
    let targets = [(KEYS[0], "6–7"), (KEYS[2], "7–7.6"), (KEYS[4], "7.5–7.8")];
    for (number, target) in keys.known(&targets) {
        let most = strongest(&keys.bench(number), TouchKind::Struck, STRIKING);
        let what = format!("V9 must: strongest blow (60 N at the tip), key {number}, m/s");
        report.check(&what, target, TargetBand::Within(5.5, 8.5), most);
        report.id(&["strongest-blow", &format!("key {number}")]);
    }
    for number in keys.numbers(&[KEYS[0], KEYS[2], KEYS[4]]) {
        let rig = &keys.bench(number);
        let softest = TouchKind::Pressed.softest(rig);
        let what =
            format!("V10 must: softest press that still touches the string, key {number}, m/s");
        let band = TargetBand::Within(0.05, 0.3);
        report.check(&what, "0.11–0.18", band, softest.map_or(f64::NAN, |s| s.fastest));
        let what = format!("V10 must: a press weaker by 1 % is silent, key {number}");
        let slower = softest.and_then(|s| TouchKind::Pressed.stroke(rig, 0.99 * s.effort));
        report.holds(&what, softest.is_some() && slower.is_none());
    }
    report.note(
        "V10: the value is the hammer's greatest speed on its way up, as in the measurements; at the \
         string the hammer of the softest press has no speed left.",
    );
    report.note(
        "V1 to V13: a pressing hand is one mass of 0.3 kg behind a fingertip of 3000 N/m and 10 N·s/m; \
         its muscle of F N rises by 1 − (1 + t/τ) exp(−t/τ), τ = 33 ms + 60 ms / (1 + (F/3.3 N)³), and \
         loses 25 N·s/m with its speed. A striking finger has 80 g behind 9000 N/m and 8 N·s/m; its \
         muscle loses 7 N·s/m and rises after the contact by 13 N·s³/m³ times the cube of the arrival \
         speed, at most 60 N, with τ = 25 ms.",
    );
}

/// Hammer speed, m/s, of the touch whose fingertip force reaches `limit` N.
pub fn strongest(rig: &TestBench, touch: TouchKind, limit: f64) -> f64 {
    let (mut low, mut high) = match touch {
        TouchKind::Pressed => (5.0, 500.0),
        TouchKind::Struck => (0.2, 12.0),
    };
    let mut best = f64::NAN;
    for _ in 0..16 {
        let middle = f64::sqrt(low * high);
        match touch.stroke(rig, middle) {
            Some(s) if s.peak_force > limit => high = middle,
            Some(s) => (low, best) = (middle, s.hammer),
            // Too soft, or so hard that the backcheck catches the rising hammer.
            None if best.is_nan() => low = middle,
            None => high = middle,
        }
    }
    best
}

/// V13, V21.
fn forces(rig: &TestBench, report: &mut Report) {
    for (name, v, target) in [("p", 1.0, 8.0), ("mf", 2.5, 15.0), ("ff", 6.0, 50.0)] {
        let stroke = TouchKind::Struck.giving(rig, v);
        let what = format!("V21 should: struck {name} ({v} m/s), peak force, N");
        let band = TargetBand::Within(0.6 * target, 1.6 * target);
        report.check(&what, &short(target), band, stroke.map_or(f64::NAN, |s| s.peak_force));
    }
    let struck =
        TouchKind::Struck.giving(rig, 3.0).map_or(f64::NAN, |s| dent(rig, TouchKind::Struck, s));
    let what = "V13 should: struck at 3 m/s, dent in the key's speed, share";
    report.check(what, "plateau", TargetBand::AtLeast(0.05), struck);
    let pressed =
        TouchKind::Pressed.giving(rig, 1.0).map_or(f64::NAN, |s| dent(rig, TouchKind::Pressed, s));
    let what = "V13 should: pressed at 1 m/s, dent in the key's speed, share";
    report.check(what, "none", TargetBand::AtMost(0.05), pressed);
}

/// Largest relative drop of the key's speed below an earlier speed, within the first two thirds of its
/// travel to let-off.
fn dent(rig: &TestBench, touch: TouchKind, stroke: TimedStroke) -> f64 {
    let mut rig = rig.clone();
    let end = 2.0 / 3.0 * rig.regulated().let_off_depth;
    let (mut top, mut deepest) = (0.0f64, 0.0f64);
    rig.play(&mut touch.gesture(stroke.effort), |rig, _| {
        let key = rig.view();
        top = top.max(key.speed);
        if key.depth > FIRST {
            deepest = deepest.max(1.0 - key.speed / top);
        }
        key.depth < end && rig.log.count(EventKind::Strike) == 0
    });
    deepest
}

/// Depth from which a dent counts, m.
const FIRST: f64 = 1e-3;

/// Speeds of the curves in the figures, m/s.
fn speeds(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..=24u32).map(move |i| from * libm::pow(to / from, f64::from(i) / 24.0))
}

/// Draws the published curves and the simulated ones.
fn figures(rig: &TestBench, name: &str, folder: &mut Folder, report: &mut Report) -> Result<()> {
    let curve = |touch: TouchKind, from: f64, to: f64| -> Vec<TimedStroke> {
        speeds(from, to).filter_map(|v| touch.giving(rig, v)).collect()
    };
    let pressed = curve(TouchKind::Pressed, 0.35, 4.4);
    let struck = curve(TouchKind::Struck, 0.6, 7.0);
    let dots = |strokes: &[TimedStroke], pick: &dyn Fn(&TimedStroke) -> f64| {
        strokes.iter().map(|s| (s.hammer, pick(s) * 1e3)).collect()
    };
    let panel = |label: &str, laws: &[PublishedLaw; 3], range, ours: Vec<(f64, f64)>, log: bool| {
        let (from, to) = range;
        let mut series: Vec<Series> = laws
            .iter()
            .enumerate()
            .map(|(i, law)| {
                let points = speeds(from, to).map(|v| (v, law.at(v))).collect();
                Series::line(law.piano, points, palette(i + 1))
            })
            .collect();
        series.push(Series::new("Touchback", ours, palette(0), Shape::Dots));
        let axis = Axis::new(label);
        Subplot::new(if log { axis.log() } else { axis }, series)
    };
    let travel = |s: &TimedStroke| s.travel;
    let bottom = |s: &TimedStroke| s.bottom;
    let figure = |what: &str, panels| Figure {
        title: format!("{what}, {name}; lines: three grands [Goebl 2005]"),
        x: Axis::new("hammer speed, m/s").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels,
    };
    let (soft, hard) = ((0.35, 5.0), (0.6, 7.0));
    let both = figure(
        "Finger on key to hammer on string",
        vec![
            panel("pressed, ms", &TRAVEL_PRESSED, soft, dots(&pressed, &travel), true),
            panel("struck, ms", &TRAVEL_STRUCK, hard, dots(&struck, &travel), true),
        ],
    );
    folder.draw("validation-travel", &both, report)?;
    let both = figure(
        "Key bottom after hammer on string",
        vec![
            panel("pressed, ms", &BOTTOM_PRESSED, soft, dots(&pressed, &bottom), false),
            panel("struck, ms", &BOTTOM_STRUCK, hard, dots(&struck, &bottom), false),
        ],
    );
    folder.draw("validation-bottom", &both, report)
}
