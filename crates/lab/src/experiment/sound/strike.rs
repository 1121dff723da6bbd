//! The strike: contact time, force, momentum, and the force on the bridge.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::math::cast::floor_index;
use touchback_sound::measure::{self, blow};
use touchback_sound::strings::contact::{ReferenceNote, chaigne_askenfelt, strike_offline};
use touchback_sound::strings::hammer;

/// Contact time, ms, peak force, N, and impulse relative to twice the hammer's momentum, at 2 m/s, from
/// an independent solver with the hammers and strings of [Chaigne 1994].
const REFERENCE: [(ReferenceNote, f64, f64, (f64, f64)); 3] = [
    (ReferenceNote::C2, 3.31, 25.0, (1.45, 1.5)),
    (ReferenceNote::C4, 2.06, 28.0, (1.6, 1.75)),
    (ReferenceNote::C7, 0.78, 60.0, (1.98, 2.0)),
];

/// Keys whose level is measured over hammer speed; C6 is 64.
const LEVELS: [usize; 10] = [1, 4, 16, 28, 40, 52, 60, 64, 76, 88];

/// Keys whose spectral centroid (of the partials' power on the bridge) is measured over speed, up to C6.
/// Published hammers on published strings have exponents of 0.18 (C4) to 0.33 (D#1).
const CENTROIDS: [usize; 5] = [7, 16, 40, 53, 64];

pub fn run(bench: &mut SoundBench) -> Result<()> {
    let (report, voicing) = (&mut bench.report, bench.voicing.clone());
    for (number, time) in hammer::CONTACT_MS {
        let number = floor_index(number);
        let found = 1e3 * blow::strike(key(number)?, &voicing, 2.0).contact_time;
        report.near(&format!("key {number}: contact at 2 m/s, ms"), time, 0.2, found);
        report.id(&["contact", &format!("key {number}")]);
    }
    let strike = |number: usize, speed: f64| {
        Ok::<_, anyhow::Error>(blow::strike(key(number)?, &voicing, speed))
    };
    let ratio = strike(40, 5.0)?.contact_time / strike(40, 1.0)?.contact_time;
    report.check("C4: contact at 5 over 1 m/s", "0.67", TargetBand::Within(0.62, 0.85), ratio);
    for (number, low, high) in blow::PEAK_FORCE {
        let [soft, mid, loud] = [1.0, 2.0, 4.0].map(|v| strike(number, v).map(|r| r.peak_force));
        let (soft, mid, loud) = (soft?, mid?, loud?);
        let target = if low < high { format!("{low}–{high}") } else { format!("{low}") };
        let band = TargetBand::Within(0.7 * low, 1.3 * high);
        report.check(&format!("key {number}: peak force at 2 m/s, N"), &target, band, mid);
        let exponent = 0.5 * libm::log2(loud / soft);
        let quantity = format!("key {number}: exponent of peak force over speed");
        report.check(&quantity, "1.1", TargetBand::Within(1.05, 1.3), exponent);
    }
    for (note, time, force, (low, high)) in REFERENCE {
        let (hammer, string) = chaigne_askenfelt(note);
        let found = strike_offline(&hammer, &string, 2.0, 352_800.0);
        let name = format!("solver, reference {note:?} at 2 m/s");
        report.near(&format!("{name}: contact, ms"), time, 0.02, 1e3 * found.contact_time);
        let band = TargetBand::Within(0.97 * force - 0.5, 1.03 * force + 0.5);
        report.check(
            &format!("{name}: peak force, N"),
            &format!("{force}"),
            band,
            found.peak_force,
        );
        let band = TargetBand::Within(0.97 * low, 1.03 * high);
        let quantity = format!("{name}: impulse over m v");
        report.check(&quantity, &format!("{low}–{high}"), band, found.impulse_ratio);
        let quantity = format!("{name}: energy error");
        report.check(&quantity, "0", TargetBand::AtMost(1e-4), found.energy_error);
    }
    for number in LEVELS {
        let level = |v: f64| {
            Ok::<_, anyhow::Error>(measure::level_db(&mut bench.sound, key(number)?, v, RATE))
        };
        let [one, two, four] = [1.0, 2.0, 4.0].map(level);
        let (one, two, four) = (one?, two?, four?);
        for (step, span) in [(two - one, "1 to 2"), (four - two, "2 to 4")] {
            let high = if number < 64 { 7.0 } else { 8.0 };
            let quantity = format!("key {number}: level, {span} m/s, dB");
            report.check(&quantity, "6", TargetBand::Within(5.5, high), step);
            report.id(&["level", span, &format!("key {number}")]);
        }
    }
    for number in CENTROIDS {
        let centre =
            |v: f64| key(number).map(|key| blow::centroid(&blow::bridge_lines(key, &voicing, v)));
        let [a, b, c, d] = [0.5, 1.0, 2.0, 4.0].map(centre);
        let hz = [a?, b?, c?, d?];
        let quantity = format!("key {number}: exponent of the bridge force's centroid over speed");
        let exponent = 0.5 * libm::log2(hz[3] / hz[1]);
        report.check(&quantity, "0.15–0.33", TargetBand::Within(0.15, 0.33), exponent);
        report.id(&["centroid-exponent", &format!("key {number}")]);
        report.holds(
            &format!("key {number}: centroid rises from 0.5 to 4 m/s"),
            hz.windows(2).all(|w| w[1] > w[0]),
        );
    }
    for (number, low, high) in blow::PARTIALS {
        let lines = blow::bridge_lines(key(number)?, &voicing, 4.0);
        let found = blow::lines_above(&lines, 40.0) as f64;
        let target = if low < high { format!("{low}–{high}") } else { format!("{low}") };
        let quantity = format!("key {number}: partials above -40 dB at 4 m/s");
        report.check(&quantity, &target, TargetBand::Within(0.6 * low, 1.4 * high), found);
    }
    Ok(())
}
