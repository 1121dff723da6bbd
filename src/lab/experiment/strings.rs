//! `strings`: pitch, inharmonicity, decay and level of the sound engine, measured on what it
//! renders.

use std::fmt::Write as _;

use anyhow::Result;

use super::{Band, Folder, Report};
use crate::lab::output::progress;
use crate::lab::plot::{Axis, Figure, Panel, Series, Shape, palette};
use crate::math::compass::Key;
use crate::sound::{Sound, Voicing, measure, tuning};

const RATE: f64 = 48_000.0;

/// Keys whose inharmonicity is measured, and the partial it is taken from.
const PARTIALS: [(usize, usize); 9] =
    [(1, 20), (4, 20), (16, 12), (28, 10), (40, 8), (52, 5), (64, 4), (76, 3), (88, 2)];

/// Keys whose level is measured against hammer speed; C6 is 64.
const LEVELS: [usize; 10] = [1, 4, 16, 28, 40, 52, 60, 64, 76, 88];

/// A ten-note chord in both hands.
const CHORD: [usize; 10] = [16, 28, 32, 35, 40, 44, 47, 52, 56, 59];

/// Measures everything; takes about a minute.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let voicing = Voicing::default();
    let mut sound = Sound::new(RATE, &voicing);
    let mut report = Report::default();
    let mut csv = String::from("key,quantity,value\n");
    let bar = progress(120, "measuring");

    let (mut worst, mut errors) = ([0.0f64; 2], Vec::new());
    for key in Key::all() {
        let error = measure::tuning_error_cents(&mut sound, &voicing, key, RATE);
        let number = key.number();
        let at = usize::from(!(16..=76).contains(&number));
        // A pitch that is no number must not hide behind a maximum.
        worst[at] = if error.is_finite() { worst[at].max(error.abs()) } else { f64::NAN };
        writeln!(csv, "{number},fundamental_error_cents,{error}")?;
        errors.push((f64::from(number), error));
        bar.inc(1);
    }
    let quantity = "fundamentals C2–C7, largest error, cents";
    report.check(quantity, "0", Band::AtMost(1.0), worst[0]);
    let quantity = "fundamentals elsewhere, largest error, cents";
    report.check(quantity, "0", Band::AtMost(3.0), worst[1]);

    for (number, partial) in PARTIALS {
        let Some(key) = Key::from_index(number - 1) else { continue };
        let found = measure::inharmonicity(&mut sound, &voicing, key, partial, RATE);
        let table = tuning::inharmonicity(key);
        let (low, high) = if (16..=76).contains(&number) { (0.8, 1.25) } else { (0.6, 1.6) };
        let quantity = format!("key {number}: B × 10⁴");
        let band = Band::Within(low * table * 1e4, high * table * 1e4);
        report.check(&quantity, &super::short(table * 1e4), band, found * 1e4);
        writeln!(csv, "{number},inharmonicity,{found}")?;
        bar.inc(1);
    }

    let mut decays = Vec::new();
    for (number, low, high, seconds) in measure::FREE_DECAY {
        let Some(key) = Key::from_index(number - 1) else { continue };
        let found = measure::early_decay(&mut sound, &voicing, key, RATE, seconds);
        let found = found.unwrap_or(f64::NAN);
        let target = format!("{low}–{high}");
        let band = Band::Within(low / 1.5, high * 1.5);
        report.check(&format!("key {number}: early T60, s"), &target, band, found);
        writeln!(csv, "{number},early_t60_s,{found}")?;
        decays.push((number as f64, found));
        bar.inc(1);
    }
    let mut damped = Vec::new();
    for (number, time) in measure::DAMPED_DECAY {
        let Some(key) = Key::from_index(number - 1) else { continue };
        let found = measure::damped_decay(&mut sound, key, RATE).unwrap_or(f64::NAN);
        let band = Band::Within(time / 1.6, time * 1.6);
        report.check(&format!("key {number}: damped T60, s"), &super::short(time), band, found);
        writeln!(csv, "{number},damped_t60_s,{found}")?;
        damped.push((number as f64, found));
        bar.inc(1);
    }

    for number in LEVELS {
        let Some(key) = Key::from_index(number - 1) else { continue };
        let levels = [1.0, 2.0, 4.0].map(|v| measure::level_db(&mut sound, key, v, RATE));
        for (pair, span) in levels.windows(2).zip(["1 to 2", "2 to 4"]) {
            let high = if number < 64 { 7.0 } else { 8.0 };
            let quantity = format!("key {number}: level, {span} m/s, dB");
            report.check(&quantity, "6", Band::Within(5.5, high), pair[1] - pair[0]);
        }
        writeln!(csv, "{number},level_2_m_s_db,{}", levels[1])?;
        bar.inc(1);
    }
    let peak = Key::from_midi(60)
        .map_or(f64::NAN, |c4| measure::strike_free(&mut sound, c4, 2.0, 0.3, RATE).peak_db());
    report.check("C4 at 2 m/s, peak, dBFS", "-20", Band::Within(-21.5, -18.5), peak);
    let chord = chord_peak(&mut sound);
    let quantity = "ten notes at 5 m/s, pedal down, peak, dBFS";
    report.check(quantity, "below -1", Band::AtMost(-1.0), chord);
    bar.finish_and_clear();

    let figure = Figure {
        title: "Strings of the concert grand as rendered".into(),
        x: Axis::new("key"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Panel::new(
                Axis::new("off the stretch law, cents"),
                vec![Series::new("", errors, palette(0), Shape::Dots)],
            ),
            Panel::new(
                Axis::new("T60, s").log(),
                vec![
                    Series::new("free, first 20 dB", decays, palette(0), Shape::Line),
                    Series::new("damped", damped, palette(1), Shape::Line),
                ],
            ),
        ],
    };
    folder.write("strings.csv", csv.as_bytes())?;
    folder.draw("strings.png", &figure, &mut report)?;
    Ok(report)
}

/// Peak of ten notes at once with every damper up, dB full scale, of the louder channel.
fn chord_peak(sound: &mut Sound) -> f64 {
    sound.reset();
    Key::all().for_each(|key| sound.damper(key, 1.0));
    for key in CHORD.iter().filter_map(|n| Key::from_index(n - 1)) {
        sound.strike(key, 5.0, 0.0);
    }
    let (mut left, mut right) = (vec![0.0f32; 24_000], vec![0.0f32; 24_000]);
    sound.process(&mut left, &mut right);
    measure::db(left.iter().chain(&right).fold(0.0f64, |m, x| m.max(f64::from(x.abs()))))
}
