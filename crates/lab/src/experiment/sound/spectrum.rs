//! Pitch and timbre: partials, stretch, phantom partials, board.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::Hammer;
use touchback_sound::board::response;
use touchback_sound::measure::{self, db};
use touchback_sound::output::perspective::Perspective;
use touchback_sound::tuning::scale::StringSpec;
use touchback_sound::tuning::stretch;

/// Keys whose partials are compared with the law, and the number of partials.
const PARTIALS: [(usize, usize); 6] = [(4, 20), (16, 20), (28, 20), (40, 20), (49, 12), (64, 6)];

/// Keys whose inharmonicity is measured, and the partial used.
const STIFF: [(usize, usize); 8] =
    [(1, 20), (16, 12), (28, 10), (40, 8), (52, 5), (64, 4), (76, 3), (88, 2)];

/// Deviation of the fundamental from equal temperament, cents: key, least and most of 10 concert grands
/// [Renault 2022].
const STRETCH: [(usize, f64, f64); 11] = [
    (1, -22.0, -3.0),
    (13, -9.0, -1.0),
    (28, -6.0, -1.0),
    (40, -5.0, -1.0),
    (52, 0.0, 2.0),
    (61, 2.0, 10.0),
    (64, 3.0, 13.0),
    (73, 11.0, 25.0),
    (76, 16.0, 31.0),
    (85, 42.0, 69.0),
    (88, 58.0, 93.0),
];

/// Phantom partials: key and the two parent partials i and j, of both parities, whose sum frequency is
/// clear of partial i + j.
const PHANTOMS: [(usize, usize, usize); 4] = [(4, 13, 14), (13, 11, 12), (16, 9, 10), (28, 7, 8)];

pub fn tuning(bench: &mut SoundBench) -> Result<()> {
    let (voicing, sound, report) = (bench.voicing.clone(), &mut bench.sound, &mut bench.report);
    for (number, most) in PARTIALS {
        let key = key(number)?;
        let string = StringSpec::of(key, &voicing);
        let seconds = (200.0 / string.partial_hz(1)).clamp(0.3, 2.0);
        let recording = measure::strike_free(sound, key, 3.0, seconds, RATE);
        let mut worst = [0.0f64; 2];
        for k in 1..=most {
            let hz = string.partial_hz(k);
            // Partials with a node near the hammer are too weak to measure.
            if string.strike_shape(&Hammer::concert(key), k).abs() < 0.15 {
                continue;
            }
            let error = 1200.0 * libm::log2(recording.peak_hz(hz, 12.0, 0.02, seconds) / hz);
            let slot = &mut worst[usize::from(k > 8)];
            *slot = slot.max(error.abs());
        }
        let quantity = format!("key {number}: partials 1–8, largest error, cents");
        report.check(&quantity, "0", TargetBand::AtMost(1.0), worst[0]);
        if most > 8 {
            let quantity = format!("key {number}: partials 9–{most}, largest error, cents");
            report.check(&quantity, "0", TargetBand::AtMost(3.0), worst[1]);
        }
    }
    for (number, partial) in STIFF {
        let key = key(number)?;
        let found = measure::inharmonicity(sound, &voicing, key, partial, RATE);
        let ratio = found / stretch::inharmonicity(key);
        let (low, high) = if (16..=76).contains(&number) { (0.8, 1.25) } else { (0.6, 1.6) };
        let quantity = format!("key {number}: B over median grand");
        report.check(&quantity, "1", TargetBand::Within(low, high), ratio);
    }
    let mut cents = Vec::new();
    for key in KeyNumber::all() {
        let error = measure::tuning_error_cents(sound, &voicing, key, RATE);
        cents.push(error + stretch::stretch_cents(key));
        bench.errors.push((f64::from(key.number()), error));
    }
    for (name, most, ends) in [("C2–C7", 1.0, false), ("elsewhere", 3.0, true)] {
        let within = |n: f64| (16.0..=76.0).contains(&n) != ends;
        let part = bench.errors.iter().filter(|(n, _)| within(*n));
        // NaN must not be hidden by a maximum.
        let worst = part.map(|e| e.1.abs()).fold(0.0, |m, e| if e <= m { m } else { e });
        let quantity = format!("fundamentals {name}, largest error, cents");
        report.check(&quantity, "0", TargetBand::AtMost(most), worst);
    }
    let a4 = cents[48];
    for (number, low, high) in STRETCH {
        let quantity = format!("key {number}: stretch, cents");
        let target = format!("{low}…{high}");
        report.check(&quantity, &target, TargetBand::Within(low, high), cents[number - 1] - a4);
    }
    // A6 is key 73.
    let step = cents[..73].windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    report.check(
        "A0–A6: stretch between neighbours, most, cents",
        "0",
        TargetBand::AtMost(1.5),
        step,
    );
    report.id(&["stretch-step"]);
    Ok(())
}

pub fn phantoms(bench: &mut SoundBench) -> Result<()> {
    let (voicing, sound, report) = (bench.voicing.clone(), &mut bench.sound, &mut bench.report);
    for (number, i, j) in PHANTOMS {
        let key = key(number)?;
        let string = StringSpec::of(key, &voicing);
        let sum = string.partial_hz(i) + string.partial_hz(j);
        let mut levels = |speed: f64| {
            let recording = measure::strike_free(sound, key, speed, 1.5, RATE);
            let at = |hz: f64| db(recording.amplitude(hz, 0.05, 1.5));
            (
                at(sum),
                at(string.partial_hz(i)),
                at(string.partial_hz(j)),
                at(string.partial_hz(i + j)),
            )
        };
        let (soft, loud) = (levels(2.5), levels(5.0));
        // A harder strike also changes the spectrum: a phantom grows by 6 dB per 6 dB of each parent.
        let parents = (loud.1 - soft.1) + (loud.2 - soft.2);
        let quantity = format!("key {number}: phantom {i} + {j}, dB for 12 dB of its parents");
        let step = (loud.0 - soft.0) * 12.0 / parents;
        report.check(&quantity, "12", TargetBand::Within(10.0, 14.0), step);
        report.id(&["phantom-growth", &format!("key {number}")]);
        let quantity = format!("key {number}: phantom {i} + {j} at 5 m/s, dB re partial {}", i + j);
        report.check(&quantity, "-20…-45", TargetBand::Within(-45.0, -20.0), loud.0 - loud.3);
        report.id(&["phantom-level", &format!("key {number}")]);
    }
    Ok(())
}

pub fn board(bench: &mut SoundBench) {
    let report = &mut bench.report;
    let modes = response::modes(Perspective::Player.pair(), RATE);
    let low: Vec<_> = modes.iter().filter(|m| m.hz < 1000.0).collect();
    let first = low.first().map_or(f64::NAN, |m| m.hz);
    let density = low.len() as f64 / (1000.0 - first);
    report.check(
        "board: modes a hertz below 1 kHz",
        "0.05",
        TargetBand::Within(0.03, 0.08),
        density,
    );
    let loss =
        low.iter().map(|m| m.sigma / (std::f64::consts::PI * m.hz)).sum::<f64>() / low.len() as f64;
    report.check(
        "board: mean loss factor below 1 kHz",
        "0.02",
        TargetBand::Within(0.015, 0.03),
        loss,
    );
    let response = response::responses(Perspective::Player.pair(), RATE);
    let corner = response.iter().map(|zone| measure::corner_hz(&zone[0], RATE)).sum::<f64>()
        / response.len() as f64;
    report.check(
        "board: lower corner of the radiation, Hz",
        "80–100",
        TargetBand::Within(60.0, 120.0),
        corner,
    );
}
