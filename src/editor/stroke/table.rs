//! A stroke as the run CSV of `touchback simulate`: one row an action step.

use std::fmt::Write as _;

use super::Stroke;

/// Column names, as `touchback simulate` writes them.
#[must_use]
pub fn header() -> String {
    let mut text = String::from(
        "time_s,phase,key_m,key_velocity_m_s,key_force_n,jack_knuckle_force_n,hammer_m,\
         hammer_velocity_m_s",
    );
    for suffix in ["", "_rate"] {
        for i in 1..=9 {
            // Writing to a string cannot fail.
            let _ = write!(text, ",q{i}{suffix}");
        }
    }
    text + ",kinetic_j,potential_j,dissipated_j,work_j"
}

/// The whole stroke; times as in the window, 0 at the strike.
#[must_use]
pub fn csv(stroke: &Stroke) -> String {
    let mut text = header() + "\n";
    for row in &stroke.rows {
        let r = &row.view;
        let _ = write!(text, "{:.6},{}", row.time, r.phase);
        let cells = [r.key, r.key_speed, r.key_force, r.contact_force, r.hammer, r.hammer_speed];
        let energies = [r.kinetic, r.potential, r.dissipated, r.work];
        for value in cells.iter().chain(&r.q).chain(&r.q_rate).chain(&energies) {
            let _ = if value.is_nan() { write!(text, ",") } else { write!(text, ",{value:.9e}") };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::ActionSettings;
    use crate::math::compass::KeyNumber;

    #[test]
    fn every_row_has_every_column_and_reads_back() {
        let key = KeyNumber::from_midi(60).unwrap();
        let stroke = Stroke::pressed(key, &ActionSettings::default(), 1.0);
        let text = csv(&stroke);
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!((names.len(), names[16], names[29]), (30, "q9", "work_j"));
        let hammer = names.iter().position(|n| *n == "hammer_m").unwrap();
        for (line, row) in lines.by_ref().zip(&stroke.rows) {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), 30);
            let read: f64 = cells[hammer].parse().unwrap();
            assert!((read - row.view.hammer).abs() < 1e-9);
        }
        assert_eq!(text.lines().count(), stroke.rows.len() + 1);
    }
}
