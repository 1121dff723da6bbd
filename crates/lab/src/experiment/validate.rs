//! `validate`: the grand action compared with published measurements.
//!
//! The gestures are those of [`strokes`](touchback_offline::bench::strokes) and of the modules below; they were fixed
//! before any parameter was fitted. Rows marked *must* rest on several sources, rows marked *should* on one
//! transcription or on a derivation.

mod driven;
mod passive;
mod published;
mod slide;
mod slow_press;
pub mod timing;

use std::fmt::Write as _;

use anyhow::Result;

use touchback_action::{ActionKind, ActionSettings, Key};
use touchback_core::math::compass::KeyNumber;
use touchback_models::catalogue;
use touchback_offline::bench::{
    Folder, KeySource, Report, TargetBand, escapement, inertia, repetition, short, statics,
};
use touchback_offline::parallel;

/// The keys of the timing measurements: C1, G2, C4, C5, G6 [Goebl 2005].
pub const KEYS: [u8; 5] = [4, 23, 40, 52, 71];

/// Mean forces of the jack on the knuckle during let-off, N: from a hammer's weight to a hard stroke.
const SLIDES: [f64; 7] = [0.7, 1.5, 3.0, 6.0, 12.0, 25.0, 40.0];

/// Largest ripple of that force, % of its mean [chosen: a fifth of the ripple of a friction coefficient of
/// 0.12 that changes sign every step].
const RIPPLE: f64 = 10.0;

/// Middle C.
const MIDDLE: u8 = 40;

/// The keys whose repetition is measured: the ends of the compass and between.
const REPEATED: [u8; 8] = [1, 4, 16, 28, 40, 52, 71, 88];

/// Rates that every key repeats, strokes a second, and the least share of the ideal finger's gestures that
/// do so, %: the published 14 to 15; one gesture in a hundred (chosen: more than a single lucky one of 126).
const RATES: [f64; 2] = [13.0, 14.0];
const REPEATING: f64 = 1.0;

/// Runs all comparisons; writes the page docs/validation.md for the standard piano only.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    timing::check(keys, folder, &mut report)?;
    weights(keys, &mut report);
    slow(keys, &mut report);
    slow_press::draw(keys, folder, &mut report)?;
    inertias(keys, &mut report);
    blows(keys, &mut report);
    repetition(keys, &mut report);
    driven::check(keys, folder, &mut report)?;
    slides(keys, &mut report);
    loops(keys, &mut report);
    if keys.own_numbers().is_none() {
        super::thesis_run::check(&mut report)?;
        page(folder, &report)?;
    }
    Ok(report)
}

/// Writes the page of the documentation.
fn page(folder: &mut Folder, report: &Report) -> Result<()> {
    let mut page = String::from(
        "# Validation of the grand action\n\nThis page is written by `touchback lab validate`; a \
         test compares it with fresh output. Every row is one target: the published value, the \
         accepted band, and the value of the concert set in the standard regulation under the named \
         gesture. Missed targets are listed too. \
         V1 to V34 number the published measurements; *must* is required of a release, *should* is a \
         goal. Names in brackets: [references](references.md).\n\n",
    );
    write!(page, "{}\n{}", report.text(true), report.missed_line("validate"))?;
    folder.write("validation.md", page.as_bytes())
}

/// V11, V14: ratio, down and up weights.
fn weights(keys: &KeySource, report: &mut Report) {
    let compass = [(1, ("bass", 15.0)), (44, ("middle", 13.0)), (88, ("treble", 11.0))];
    for (number, (name, friction)) in keys.known(&compass) {
        let w = statics::weights(&keys.bench(number));
        let [down, up] = [w.down, w.up].map(|mass| mass * 1e3);
        let quantity = |what: &str| format!("V14 must: {what}, {name} (key {number}), g");
        report.check(&quantity("down weight"), "46–56", TargetBand::Within(45.0, 56.0), down);
        report.check(&quantity("up weight"), "≥ 20", TargetBand::AtLeast(20.0), up);
        let half = 0.5 * (down - up);
        let band = TargetBand::Within(friction - 4.0, friction + 4.0);
        report.check(&quantity("friction"), &short(friction), band, half);
    }
}

/// V11, V15–V17, V22: the slow press and the regulation it shows.
fn slow(keys: &KeySource, report: &mut Report) {
    for (number, place) in keys.known(&KEYS.map(|n| (n, n))) {
        let rig = keys.bench(number);
        let slow = statics::slow_press(&rig, 8e-3);
        let quantity = |what: &str| format!("{what}, key {number}");
        if place == MIDDLE {
            let ratio = slow.ratio(2e-3, slow.let_off_begins());
            let band = TargetBand::Within(4.8, 6.0);
            report.check("V11 must: hammer over key speed before let-off", "5", band, ratio);
            let risen = keys.action().map_or_else(
                || (slow.crown_at_slip() - rig.hammer().0) * 1e3,
                |settings| settings.blow_mm - settings.let_off_mm,
            );
            let integral = risen / (slow.slips() * 1e3);
            let what = "V11 must: (blow − let-off) over dip at let-off";
            report.check(what, "5", TargetBand::Within(4.8, 6.0), integral);
        }
        if place == 4 || place == MIDDLE {
            let force = slow.mean(1e-3, 3e-3);
            let what = quantity("V15 must: force before the damper, 8 mm/s, N");
            report.check(&what, "0.45–0.55", TargetBand::Within(0.3825, 0.6325), force);
            let what = quantity("V16 should: damper pick-up, N");
            report.check(&what, "0.2–0.3", TargetBand::Within(0.1, 0.45), slow.pick_up());
        }
        if place == 4 || place == MIDDLE || place == 71 {
            let (bump, at) = slow.bump();
            let what = quantity("V17 should: let-off bump, 8 mm/s, N");
            report.check(&what, "0.15–0.25", TargetBand::Within(0.1, 0.6), bump);
            let what = quantity("V17 should: the bump's top before the slip, mm");
            let before = (slow.slips() - at) * 1e3;
            report.check(&what, "1–2", TargetBand::Within(0.0, 2.0), before);
            let what = quantity("V17 should: fall of the force after the slip, N");
            report.check(&what, "falls", TargetBand::AtLeast(0.0), slow.fall());
        }
        let what = quantity("V22 must: blow at rest, mm");
        report.check(&what, "46", TargetBand::Within(44.0, 48.0), -rig.hammer().0 * 1e3);
        let what = quantity("V22 must: let-off of a slow press, mm");
        report.check(&what, "1–3", TargetBand::Within(1.0, 3.0), -slow.crown_at_slip() * 1e3);
        let after = (rig.spec().key.dip - slow.slips()) * 1e3;
        let what = quantity("V22 must: after-touch, mm");
        report.check(&what, "0.8–1.6", TargetBand::Within(0.8, 1.6), after);
    }
    let middle = keys.bench(keys.one(MIDDLE));
    for (depth, name) in [(0.004, "at 4 mm"), (0.0078, "in let-off, at 7.8 mm")] {
        let what = format!("creep under 80 % of friction {name}, mm/s");
        let band = TargetBand::AtMost(0.1);
        report.check(&what, "0", band, statics::creep(&middle, depth) * 1e3);
    }
    let (creep, caught) = statics::checked_creep(&middle);
    let what = "travel of a checked hammer in 10 s, mm";
    report.check(what, "0", TargetBand::AtMost(0.2), creep * 1e3);
    let what = "V23 must: held mezzo-forte press, hammer caught at, mm";
    report.check(what, "12–16", TargetBand::Within(10.0, 18.0), caught * 1e3);
}

/// V18, V19: effective mass at the key.
fn inertias(keys: &KeySource, report: &mut Report) {
    let compass = [
        (1, ("0.30–0.40", 0.2, 0.45)),
        (MIDDLE, ("0.30–0.40", 0.2, 0.45)),
        (88, ("0.15–0.20", 0.1, 0.28)),
    ];
    for (number, (target, low, high)) in keys.known(&compass) {
        let rig = keys.bench(number);
        let what = format!("V18 must: mass at the key front before let-off, key {number}, kg");
        let before = inertia::before_let_off(&rig);
        report.check(&what, target, TargetBand::Within(low, high), before);
        let what =
            format!("V19 must: mass at the key front while the hammer flies, key {number}, kg");
        report.check(&what, "≤ 0.12", TargetBand::AtMost(0.12), inertia::after_let_off(&rig));
    }
}

/// V22, V23: check.
fn blows(keys: &KeySource, report: &mut Report) {
    for number in keys.numbers(&[4, MIDDLE, 71]) {
        let rig = keys.bench(number);
        let held = escapement::held(&rig, 3.0);
        let what = format!("V23 must: held struck blow, hammer caught at, key {number}, mm");
        report.check(&what, "12–16", TargetBand::Within(10.0, 18.0), held.caught * 1e3);
        let what = format!("V23 must: held struck blow, hammer at rest after, key {number}, ms");
        report.check(&what, "< 60", TargetBand::AtMost(60.0), held.settled * 1e3);
    }
}

/// A key of the single-escapement action, and its dip, m.
fn single_escapement() -> (Box<dyn Key>, f64) {
    let middle =
        KeyNumber::from_number(MIDDLE).unwrap_or_else(|| unreachable!("a key of the piano"));
    let key = catalogue::played(ActionKind::Viennese, middle, &ActionSettings::default());
    let dip = key.travel().map_or(f64::NAN, |travel| travel.dip);
    (key, dip)
}

/// V24–V26: repetition and return.
fn repetition(keys: &KeySource, report: &mut Report) {
    let rig = keys.bench(keys.one(MIDDLE));
    let dip = rig.spec().key.dip;
    for speed in [0.1, 0.3] {
        let band = TargetBand::Within(1.0 / 3.0, 2.0 / 3.0);
        let what = format!("V24 must: rise that resets the jack, at {speed} m/s, share of the dip");
        report.check(&what, "1/3–1/2", band, escapement::reset(&rig, speed) / dip);
        let what = format!("V24 must: rise for a second strike, at {speed} m/s, share of the dip");
        report.check(
            &what,
            "1/3–1/2",
            band,
            escapement::retrigger(&rig, speed, escapement::GRID).0 / dip,
        );
    }
    let what = "V25 must: fastest repetition, ideal finger, strokes a second";
    let double = repetition::fastest(rig.grand(), dip);
    report.check(what, "14–15", TargetBand::Within(12.0, 17.0), double);
    let pairs: Vec<(u8, f64)> = keys
        .numbers(&REPEATED)
        .into_iter()
        .flat_map(|number| RATES.map(|rate| (number, rate)))
        .collect();
    let shares = parallel::map(&pairs, |&(number, rate)| {
        let rig = keys.bench(number);
        100.0 * repetition::share(rig.grand(), rig.spec().key.dip, rate)
    });
    for ((number, rate), share) in pairs.into_iter().zip(shares) {
        let what = format!("V25 must: fingers that repeat at {rate}/s, key {number}, %");
        report.check(&what, "14–15/s", TargetBand::AtLeast(REPEATING), share);
    }
    let what = "V25 must: fastest repetition of a single escapement (Viennese), strokes a second";
    let (viennese, dip) = single_escapement();
    let single = repetition::fastest(&*viennese, dip);
    report.check(what, "7", TargetBand::Within(6.0, 9.0), single);
    let (half, full) = escapement::free_return(&rig);
    let what = "V26 should: free return, half the dip, ms";
    report.check(what, "20–50", TargetBand::Within(20.0, 50.0), half * 1e3);
    let what = "V26 should: free return, to 0.3 mm, ms";
    report.check(what, "40–170", TargetBand::Within(40.0, 170.0), full * 1e3);
    report.note(
        "V24: the rise is that of the key, as in a measurement, because the target of a finger leads \
         the key on the finger's spring. A second strike counts from 0.3 m/s on. V25: the target of \
         the ideal finger moves up and down linearly; the fastest of 126 fingers counts: 6 lifts (−0.3 to 0.6 \
         of the dip), 3 shares of the period downward (0.35 to 0.65), 7 depths beyond the bed (8 to 20 mm, 4 \
         to 10 N). Each of twelve strokes must strike exactly once, at 0.5 m/s or more.",
    );
    report.note(
        "V9: with a force that acts on the key's front at once, the check touches the rising tail from \
         60 N on (in the treble from 50 N on), because the knuckle is compressed by more than the check's \
         clearance; 70 N give a slower hammer than 60 N, and with 80 N the check catches the hammer before \
         the string. With a rigid shank these limits were 40, 50 and 80 N.",
    );
}

/// The jack leaves the knuckle without chatter at any force.
fn slides(keys: &KeySource, report: &mut Report) {
    let rig = keys.bench(keys.one(MIDDLE));
    for force in SLIDES {
        let slide = slide::under(&rig, force);
        let what = format!("let-off with {force} N of jack on knuckle, reversals of the slide");
        let turns = slide.map_or(f64::NAN, |s| f64::from(s.turns));
        report.check(&what, "0", TargetBand::AtMost(0.0), turns);
        let what = format!("let-off with {force} N, ripple of the force from step to step, %");
        let ripple = slide.map_or(f64::NAN, |s| 100.0 * s.ripple);
        report.check(&what, "0", TargetBand::AtMost(RIPPLE), ripple);
    }
}

/// V33: no oscillation grows by itself.
fn loops(keys: &KeySource, report: &mut Report) {
    let (early, late) = passive::swing(keys.bench(keys.one(MIDDLE)));
    let what = "V33 must: finger on the bed in a 1 kHz loop, late over early oscillation";
    report.check(what, "dies out", TargetBand::AtMost(1.0), late / early.max(1e-7));
    let what = "V33 must: finger on the bed, oscillation after 1.25 s, mm";
    report.check(what, "0", TargetBand::AtMost(0.01), late * 1e3);
}
