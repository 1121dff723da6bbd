//! Tables of the comparison: one row per note, per partial, per third-octave band.

use crate::measure::partials::PARTIALS;
use crate::measure::thirds::{BANDS, middle};
use crate::measure::{Measured, TIMES};
use crate::pairs::Found;
use crate::verdict::gained;
use touchback_offline::bench::DataTable;

/// One row per recorded note: distances, and each quantity of the note and of the nearest rendering.
pub fn notes(found: &[Found<'_>]) -> DataTable {
    let mut columns: Vec<String> =
        ["key", "layer", "body_db", "attack_db"].map(String::from).to_vec();
    for whose in ["recorded", "rendered"] {
        columns.extend(TIMES.map(|t| format!("{whose}_level_{:.0}_ms_db", 1e3 * t)));
        let rest = ["below_db", "correlation", "level_dbfs", "left_over_right_db", "centroid_hz"];
        columns.extend(rest.map(|name| format!("{whose}_{name}")));
    }
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = DataTable::new(&names);
    for one in found {
        let of = |note: &Measured| {
            let rest =
                [note.below, note.correlation, note.level, note.left_over_right, note.centroid];
            note.course.into_iter().chain(rest).collect::<Vec<_>>()
        };
        let rest = [vec![f64::from(one.layer)], one.apart.to_vec(), of(one.note), of(one.nearest)];
        let rounded: Vec<f64> = rest.concat().into_iter().map(thousandths).collect();
        table.numbers(&one.number, &rounded);
    }
    table
}

fn thousandths(x: f64) -> f64 {
    (1e3 * x).round() / 1e3
}

/// A cell for `x`, empty if `x` is not finite.
fn cell(x: f64) -> String {
    if x.is_finite() { thousandths(x).to_string() } else { String::new() }
}

/// Gain of each partial from each layer to the loudest layer of its key, dB.
pub fn partials(found: &[Found<'_>]) -> DataTable {
    let mut table =
        DataTable::new(&["key", "layer", "partial", "recorded_gain_db", "rendered_gain_db"]);
    for of_key in found.chunk_by(|a, b| a.number == b.number) {
        let Some((loudest, softer)) = of_key.split_last() else { continue };
        for (one, n) in softer.iter().flat_map(|one| (0..PARTIALS).map(move |n| (one, n))) {
            let gains = gained(one, loudest, n);
            if gains.iter().any(|gain| gain.is_finite()) {
                let [recorded, rendered] = gains.map(cell);
                table.row(&[&one.number, &one.layer, &(n + 1), &recorded, &rendered]);
            }
        }
    }
    table
}

/// Early T60 and channel correlation of each note in third-octave bands.
pub fn thirds(found: &[Found<'_>]) -> DataTable {
    let mut table = DataTable::new(&[
        "key",
        "layer",
        "middle_hz",
        "recorded_t60_s",
        "rendered_t60_s",
        "recorded_correlation",
        "rendered_correlation",
    ]);
    for one in found {
        let both = [one.note, one.pair.nearer()].map(|note| &note.thirds);
        for band in 0..BANDS {
            let of = [
                both.map(|thirds| cell(thirds.early_t60[band])),
                both.map(|thirds| cell(thirds.correlation[band])),
            ]
            .concat();
            if of.iter().any(|cell| !cell.is_empty()) {
                let hz = middle(band).round();
                table.row(&[&one.number, &one.layer, &hz, &of[0], &of[1], &of[2], &of[3]]);
            }
        }
    }
    table
}
