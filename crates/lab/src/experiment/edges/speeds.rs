//! Imposed motion at constant speeds and accelerations: where the hammer sounds, how often, how fast.

use anyhow::Result;

use touchback_action::ActionSettings;
use touchback_offline::bench::strokes::imposed;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::parallel;

/// Constant speeds of the key front, m/s: `FIRST_SPEED` · 1.035ⁱ.
const SPEEDS: u32 = 90;
const FIRST_SPEED: f64 = 0.015;
const SPEED_RATIO: f64 = 1.035;

/// Constant accelerations of the key front, m/s²: `FIRST_ACCELERATION` · 1.1ⁱ.
const ACCELERATIONS: u32 = 60;
const FIRST_ACCELERATION: f64 = 0.05;
const ACCELERATION_RATIO: f64 = 1.1;

/// Largest fall of the hammer speed from one motion to the next faster one, %.
const FALL: f64 = 2.0;

/// Every fourth key, with both ends of the compass.
fn keys() -> impl Iterator<Item = u8> {
    (1..=88).filter(|key| key % 4 == 0 || *key == 1)
}

/// What a series of ever faster motions gives.
#[derive(Default)]
struct Series {
    /// Changes between silent and sounding.
    boundaries: usize,
    /// Motions that strike more than once.
    doubled: usize,
    /// Largest fall of the hammer speed, %.
    fall: f64,
}

impl Series {
    fn of(struck: &[(usize, f64)]) -> Self {
        let mut series = Self::default();
        for pair in struck.windows(2) {
            let [(before, slow), (after, fast)] = [pair[0], pair[1]];
            series.boundaries += usize::from((before > 0) != (after > 0));
            if before > 0 && after > 0 {
                series.fall = series.fall.max(100.0 * (1.0 - fast / slow));
            }
        }
        series.doubled = struck.iter().filter(|struck| struck.0 > 1).count();
        series
    }
}

/// The motions of a key: name, and what they give.
fn played(key: u8) -> [Vec<(f64, usize, f64)>; 2] {
    let rest = TestBench::concert(key, &ActionSettings::default());
    let power = |ratio: f64, i: u32| libm::pow(ratio, f64::from(i));
    let speeds = (0..SPEEDS).map(|i| FIRST_SPEED * power(SPEED_RATIO, i));
    let accelerations =
        (0..ACCELERATIONS).map(|i| FIRST_ACCELERATION * power(ACCELERATION_RATIO, i));
    let row = |value: f64, (count, speed): (usize, f64)| (value, count, speed);
    [
        speeds.map(|v| row(v, imposed(&rest, |t| v * t))).collect(),
        accelerations.map(|a| row(a, imposed(&rest, |t| 0.5 * a * t * t))).collect(),
    ]
}

/// Plays the motions on every fourth key and adds the worst of each series to the report.
pub(super) fn check(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let keys: Vec<u8> = keys().collect();
    let all = parallel::map(&keys, |key| played(*key));
    for (which, name, file, unit) in [
        (0, "constant speeds", "edges-speeds.csv", "speed_m_s"),
        (1, "constant accelerations", "edges-accelerations.csv", "acceleration_m_s2"),
    ] {
        let mut csv = DataTable::new(&["key", unit, "strikes", "hammer_m_s"]);
        let (mut boundaries, mut doubled, mut fall) = ([usize::MAX, 0], 0, 0.0f64);
        for (key, series) in keys.iter().zip(&all) {
            let rows = &series[which];
            for (value, count, speed) in rows {
                csv.row(&[key, value, count, speed]);
            }
            let struck: Vec<_> = rows.iter().map(|row| (row.1, row.2)).collect();
            let found = Series::of(&struck);
            boundaries = [boundaries[0].min(found.boundaries), boundaries[1].max(found.boundaries)];
            doubled += found.doubled;
            fall = fall.max(found.fall);
        }
        folder.table(file, &csv)?;
        let what = format!("{name}: fewest changes between silent and sounding, of a key");
        report.check(&what, "1", TargetBand::Within(1.0, 1.0), boundaries[0] as f64);
        let what = format!("{name}: most changes between silent and sounding, of a key");
        report.check(&what, "1", TargetBand::Within(1.0, 1.0), boundaries[1] as f64);
        let what = format!("{name}: motions that strike twice, of all keys");
        report.check(&what, "0", TargetBand::AtMost(0.0), doubled as f64);
        let what = format!("{name}: largest fall of the hammer speed to a faster motion, %");
        report.check(&what, "0", TargetBand::AtMost(FALL), fall);
        report.id(&[name, "largest-fall"]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_doubles_and_falls_are_counted() {
        let series = Series::of(&[(0, 0.0), (1, 0.2), (0, 0.0), (2, 0.5), (1, 0.4)]);
        assert_eq!((series.boundaries, series.doubled), (3, 1));
        assert!((series.fall - 20.0).abs() < 1e-9);
    }
}
