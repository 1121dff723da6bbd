//! Files with the mechanics of a keyboard's keys, written by `touchback keyboard calibrate`, read by the
//! firmware's build and by `keyboard emulate --facts`.
//!
//! CSV with one row per key and the columns of [`COLUMNS`]. `key` counts from 1, `bed_m` is empty for a
//! key without a bed, `motor` is the force in N per commanded N, `scale` the travel in m per m reported
//! by the sensor.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use touchback_haptics::keyboard::calibration::KeyMeasurement;
use touchback_haptics::keyboard::plant::{KeyPlant, Stop};
use touchback_offline::output::{self, Shown as _};
use touchback_offline::table::{CsvTable, number};

/// Names of the columns, in order.
const COLUMNS: &str =
    "key,mass_kg,weight_n,friction_n,damping_n_s_m,bed_m,motor,scale,delay_s,noise_m";
/// Largest file, bytes.
const LIMIT: u64 = 1_000_000;

/// The file's text from measurements in true units, by key number from 1, and the sensor's scale.
pub fn text(keys: &[(u8, KeyMeasurement)], scale: f64) -> String {
    let mut text = format!("{COLUMNS}\n");
    for (key, found) in keys {
        let KeyMeasurement { mass, weight, friction, damping, delay, bed, motor, noise, .. } =
            found;
        let bed = bed.map(|[depth, _]| format!("{depth:.6}")).unwrap_or_default();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{key},{mass:.5},{weight:.4},{friction:.4},{damping:.3},{bed},{motor:.4},{scale:.5},\
             {delay:.6},{noise:.8}"
        );
    }
    text
}

/// Reads the mechanics of the first key of such a file.
///
/// # Errors
/// One line with file and line.
pub fn first_key(path: &Path) -> Result<KeyPlant> {
    let file = path.shown();
    read(&file, &output::read(path, LIMIT)?)
}

fn read(file: &str, bytes: &[u8]) -> Result<KeyPlant> {
    let table = CsvTable::read(file, bytes)?;
    let Some((line, cells)) = table.rows.first() else { bail!("{file}: no rows") };
    let at = |name: &str, low: f64, high: f64| {
        let column = table.column(name).ok_or_else(|| {
            anyhow!("{file}, line 1: no column `{name}`; the columns are {COLUMNS}")
        })?;
        let cell = &cells[column];
        number(cell).filter(|x| (low..=high).contains(x)).ok_or_else(|| {
            anyhow!("{file}, line {line}: {name} `{cell}` is no number from {low} to {high}")
        })
    };
    let has_bed = table.column("bed_m").is_some_and(|column| !cells[column].is_empty());
    let depth = if has_bed { at("bed_m", 5e-3, 15e-3)? } else { 0.0 };
    let bed = if has_bed { Stop { depth, ..KeyPlant::DESK.bed } } else { Stop::default() };
    Ok(KeyPlant {
        mass: at("mass_kg", 0.005, 1.0)?,
        weight: at("weight_n", -1.0, 2.0)?,
        friction: at("friction_n", 0.0, 2.0)?,
        damping: at("damping_n_s_m", 0.0, 20.0)?,
        bed,
        ..KeyPlant::DESK
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_facts_are_read_back_and_invalid_lines_are_refused() {
        let found = KeyMeasurement {
            mass: 0.031,
            weight: 0.21,
            friction: 0.09,
            damping: 0.15,
            bed: Some([0.0101, 2e4]),
            motor: 0.97,
            ..KeyMeasurement::default()
        };
        let plant = read("f.csv", text(&[(1, found)], 1.0).as_bytes()).unwrap();
        let expected = KeyPlant {
            mass: 0.031,
            weight: 0.21,
            friction: 0.09,
            damping: 0.15,
            bed: Stop { depth: 0.0101, ..KeyPlant::DESK.bed },
            ..KeyPlant::DESK
        };
        assert_eq!(plant, expected);
        let bedless = text(&[(1, KeyMeasurement { bed: None, ..found })], 1.0);
        assert_eq!(read("f.csv", bedless.as_bytes()).unwrap().bed, Stop::default());
        let heavy = text(&[(1, KeyMeasurement { mass: 3.0, ..found })], 1.0);
        let error = read("f.csv", heavy.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "f.csv, line 2: mass_kg `3.00000` is no number from 0.005 to 1");
        assert!(read("f.csv", b"key\n1\n").unwrap_err().to_string().contains("no column"));
    }
}
