//! `touch`: two key motions of equal speed at let-off and different acceleration [Kuromiya 2025].
//!
//! Pianists who were asked for heavier tones moved keys of equal speed with lower acceleration at the
//! escapement; listeners heard it. The hammers were not measured. Here they are.

mod parts;
mod stroke;

use anyhow::{Result, anyhow};

use parts::{Cause, Parts, RATE};
use stroke::{KeyStroke, Outcome, play, speed_for};
use touchback_instrument::Settings;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::output::progress;
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};
use touchback_offline::wave::Wave;
use touchback_sound::Sound;

/// The key: C4.
const KEY: u8 = 40;

/// Speeds of the key front at let-off, m/s: piano, mezzo-forte, forte.
const SPEEDS: [f64; 3] = [0.15, 0.3, 0.5];

/// Shapes of the strokes: accelerating, constant speed, decelerating.
const SHAPES: [(&str, f64); 3] = [("accelerating", 0.7), ("even", 0.0), ("decelerating", -1.4)];

/// A difference below which two sounds count as equal, dB (chosen: the random variation of a knock).
const EQUAL: f64 = -60.0;

/// Runs the experiment.
pub fn run(folder: &mut Folder, settings: &Settings) -> Result<Report> {
    let mut report = Report::default();
    report.source("Kuromiya 2025");
    let action = &settings.action;
    let dip = 1e-3 * action.key_dip_mm;
    let let_off = touchback_offline::bench::test_bench::TestBench::concert(KEY, action)
        .regulated()
        .let_off_depth;
    if !let_off.is_finite() || let_off >= dip {
        return Err(anyhow!("touch: the regulation has no let-off before the key bed"));
    }
    let mut sound = Sound::new(f64::from(RATE), &settings.strings());
    let mut table = DataTable::new(&[
        "stroke",
        "key_speed_m_s",
        "acceleration_m_s2",
        "hammer_speed_m_s",
        "let_off_to_strike_ms",
        "shank_ahead_um",
        "shank_rate_m_s",
        "sway_m_s",
        "ring_m_s",
        "strike_to_bottom_ms",
        "bottom_speed_m_s",
    ]);
    let mut shares = DataTable::new(&["pair", "cause", "difference_db", "share_percent"]);
    let bar = progress(SPEEDS.len() as u64, "strokes");
    let (mut key_series, mut hammer_series) = (Vec::new(), Vec::new());
    let mut lines = vec![
        "| key speed, m/s | pair | hammer speeds, m/s | hammer | shank | key bed | jack, check | largest |"
            .to_owned(),
        "| --- | --- | --- | --- | --- | --- | --- | --- |".to_owned(),
    ];
    for (i, speed) in SPEEDS.into_iter().enumerate() {
        let stroke = |speed: f64, shape: f64| KeyStroke::new(let_off, dip, speed, shape);
        let mut outcomes = Vec::new();
        for (name, shape) in SHAPES {
            let stroke = stroke(speed, shape);
            let outcome = play(KEY, action, &stroke)
                .ok_or_else(|| anyhow!("touch: no strike at {speed} m/s, {name}"))?;
            enter(&mut table, name, &stroke, &outcome);
            report.near(
                &format!("{speed} m/s, {name}: key speed at let-off, m/s"),
                speed,
                0.03,
                outcome.key_speed,
            );
            if i == 1 {
                let colour = palette(outcomes.len());
                let near = outcome.speeds.iter().filter(|(t, ..)| (-0.06..0.03).contains(t));
                let line = |pick: fn(&(f64, f64, f64)) -> f64| {
                    near.clone().map(|row| (1e3 * row.0, pick(row))).collect::<Vec<_>>()
                };
                key_series.push(Series::line(name, line(|row| row.1), colour));
                hammer_series.push(Series::line(name, line(|row| row.2), colour));
            }
            outcomes.push(outcome);
        }
        let [rising, _, falling] = &outcomes[..] else { continue };
        report.check(
            &format!("{speed} m/s: hammer speed, decelerating over accelerating"),
            "faster",
            TargetBand::AtLeast(1.0),
            falling.hammer_speed / rising.hammer_speed,
        );
        let first = Parts::render(&mut sound, KEY, rising)?;
        let second = Parts::render(&mut sound, KEY, falling)?;
        for (name, parts) in [("accelerating", &first), ("decelerating", &second)] {
            let [left, right] = parts.sum();
            let mut wave = Wave::new(folder.draft(&format!("{name}-{speed}.wav"))?, RATE)?;
            wave.write(&left, &right)?;
            wave.finish()?;
        }
        lines.push(pair(
            &mut shares,
            speed,
            "equal key speed",
            [rising, falling],
            &first.differences(&second),
        ));
        // The same shapes at equal hammer speed: what the key's motion adds to it.
        let hammer = |key_speed: f64| {
            play(KEY, action, &stroke(key_speed, SHAPES[2].1)).map(|outcome| outcome.hammer_speed)
        };
        if let Some(slower) = speed_for(rising.hammer_speed, speed, hammer)
            && let Some(matched) = play(KEY, action, &stroke(slower, SHAPES[2].1))
        {
            let parts = Parts::render(&mut sound, KEY, &matched)?;
            lines.push(pair(
                &mut shares,
                speed,
                "equal hammer speed",
                [rising, &matched],
                &first.differences(&parts),
            ));
            let [left, right] = parts.sum();
            let mut wave = Wave::new(folder.draft(&format!("equal-hammer-{speed}.wav"))?, RATE)?;
            wave.write(&left, &right)?;
            wave.finish()?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.note(&lines.join("\n"));
    report.note(&format!(
        "Each part of the sound is rendered alone; the columns are levels of its difference between \
         accelerating and decelerating stroke, dB below the whole sound of the accelerating one \
         (below {EQUAL} dB: equal). At equal hammer speed the decelerating key is slower at let-off. \
         Files: accelerating-SPEED.wav, decelerating-SPEED.wav, equal-hammer-SPEED.wav."
    ));
    folder.table("touch.csv", &table)?;
    folder.table("touch-causes.csv", &shares)?;
    let figure = Figure {
        title: format!("Strokes of {} m/s at let-off", SPEEDS[1]),
        x: Axis::new("time from the strike, ms"),
        bands: Vec::new(),
        marks: vec![PlotMark { at: 0.0, name: "strike".into() }],
        panels: vec![
            Subplot::new(Axis::new("key front, m/s"), key_series),
            Subplot::new(Axis::new("hammer, m/s"), hammer_series),
        ],
    };
    folder.draw("touch", &figure, &mut report)?;
    Ok(report)
}

/// Enters one stroke.
fn enter(table: &mut DataTable, name: &str, stroke: &KeyStroke, outcome: &Outcome) {
    let [ahead, rate] = outcome.bend;
    let of_shank: Vec<f64> = outcome.knocks.iter().take(2).map(|knock| knock.2).collect();
    let mut numbers = vec![
        outcome.key_speed,
        stroke.acceleration,
        outcome.hammer_speed,
        1e3 * outcome.flight,
        1e6 * ahead,
        rate,
    ];
    numbers.extend(of_shank);
    numbers.extend([1e3 * outcome.bottom.0, outcome.bottom.1]);
    table.numbers(&name, &numbers);
}

/// Enters the differences of a pair; the line of the note's table.
fn pair(
    shares: &mut DataTable,
    speed: f64,
    name: &str,
    [first, second]: [&Outcome; 2],
    differences: &[f64; Cause::ALL.len()],
) -> String {
    let energies = differences.map(|db| libm::pow(10.0, 0.1 * db));
    let sum: f64 = energies.iter().sum();
    let mut largest = (Cause::Hammer, 0.0);
    let mut cells = String::new();
    for ((cause, db), energy) in Cause::ALL.into_iter().zip(differences).zip(energies) {
        let share = 100.0 * energy / sum;
        shares.row(&[
            &format!("{name}, {speed} m/s"),
            &cause.name(),
            &format!("{db:.1}"),
            &format!("{share:.1}"),
        ]);
        cells += &format!(" {} |", if *db < EQUAL { "equal".into() } else { format!("{db:.1}") });
        if share > largest.1 {
            largest = (cause, share);
        }
    }
    let (cause, share) = largest;
    format!(
        "| {speed} | {name} | {:.2}, {:.2} |{cells} {}, {share:.0} % |",
        first.hammer_speed,
        second.hammer_speed,
        cause.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a stroke add up to the sound of all of it.
    #[test]
    fn parts_add_up_to_the_whole() {
        let settings = Settings::default();
        let action = touchback_action::ActionSettings::default();
        let mut outcome = play(KEY, &action, &KeyStroke::new(8.9e-3, 10e-3, 0.3, 0.0)).unwrap();
        // One knock, so that its random variation is the same in the whole.
        outcome.knocks.truncate(1);
        let mut sound = Sound::new(f64::from(RATE), &settings.strings());
        let [left, _] = Parts::render(&mut sound, KEY, &outcome).unwrap().sum();
        sound.reset();
        let key = touchback_core::math::compass::KeyNumber::from_number(KEY).unwrap();
        sound.damper(key, 1.0);
        let (mut whole, mut right) = (vec![0.0f32; left.len()], vec![0.0f32; left.len()]);
        let strike = 12_000;
        sound.process(&mut whole[..strike], &mut right[..strike]);
        sound.strike(key, outcome.hammer_speed, 0.0);
        sound.knock(key, outcome.knocks[0].0, outcome.knocks[0].2);
        sound.process(&mut whole[strike..], &mut right[strike..]);
        let peak = whole.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let error = whole.iter().zip(&left).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
        assert!(peak > 1e-3 && error < 1e-4 * peak, "{error} of {peak}");
    }
}
