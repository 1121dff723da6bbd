//! `contact`: the sound engine's felt solver against an independent one.

use std::fmt::Write as _;

use anyhow::Result;

use crate::lab::bench::{Band, Folder, Report};
use crate::sound::contact::{ReferenceNote, chaigne_askenfelt, strike_offline};

/// Hammer speeds, m/s.
const SPEEDS: [f64; 4] = [1.0, 2.0, 4.0, 6.0];

/// Contact time ms and peak force N at [`SPEEDS`] of an independent solver (explicit steps at
/// 1.536 MHz) with the parameters of [Chaigne 1994]; printed to 10 µs and to the newton.
const REFERENCE: [(ReferenceNote, [(f64, f64); 4]); 3] = [
    (ReferenceNote::C2, [(3.67, 11.0), (3.31, 25.0), (3.03, 56.0), (2.90, 88.0)]),
    (ReferenceNote::C4, [(2.26, 13.0), (2.06, 28.0), (1.91, 61.0), (1.84, 95.0)]),
    (ReferenceNote::C7, [(0.92, 27.0), (0.78, 60.0), (0.69, 127.0), (0.66, 196.0)]),
];

/// Steps a second: the finest rate a note of the engine uses.
const RATE: f64 = 352_800.0;

/// Compares three notes at four speeds.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = String::from("note,speed_m_s,time_s,force_n\n");
    let mut worst: f64 = 0.0;
    for (note, rows) in REFERENCE {
        let (hammer, string) = chaigne_askenfelt(note);
        for (speed, (time, force)) in SPEEDS.into_iter().zip(rows) {
            let got = strike_offline(&hammer, &string, speed, RATE);
            let name = format!("{note:?}, {speed} m/s");
            report.near(&format!("{name}: contact, ms"), time, 0.02, got.contact_time * 1e3);
            // Half a newton is the reference's own rounding.
            let band = Band::Within(0.97 * force - 0.5, 1.03 * force + 0.5);
            let quantity = format!("{name}: peak force, N");
            report.check(&quantity, &format!("{force}"), band, got.peak_force);
            worst = worst.max(got.energy_error);
            for (i, f) in got.forces.iter().enumerate() {
                writeln!(csv, "{note:?},{speed},{},{f}", (i + 1) as f64 / got.rate)?;
            }
        }
    }
    report.check("largest energy error, share", "0", Band::AtMost(1e-6), worst);
    report.note(
        "Bands: contact time ± 2 %, peak force ± 3 % and half a newton, to which the reference \
         is rounded.",
    );
    folder.write("contact.csv", csv.as_bytes())?;
    Ok(report)
}
