//! `haptics`: the junction compared with the ideal, servo and twin, hard contacts. Random faults and
//! strokes (`haptics-campaign`) and timings (`haptics-cost`) are experiments of their own.

use anyhow::{Context, Result};

use touchback_haptics::action::Action;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::output::progress;
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_offline::rig::acceptance::{self, PlantResult};
use touchback_offline::rig::fault_injection::{stiffest_bed, twins};
use touchback_offline::rig::z_width;

/// Block delays of the comparison, samples at 48 kHz.
pub const BLOCKS: [u32; 4] = [0, 64, 128, 256];
/// Number of key-steps compared between servo and twin.
const TWIN_STEPS: u64 = 1_000_000;
/// Seed of all random numbers.
pub const SEED: u64 = 2026;

/// Measures in virtual time.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let bar = progress(12, "haptics");
    against_the_ideal(&mut report, folder, &bar)?;
    let replayed = twins(TWIN_STEPS, SEED);
    let steps = replayed.steps as f64;
    report.check("key-steps replayed by the twin", "1000000", TargetBand::AtLeast(1e6), steps);
    let different = f64::from(replayed.different);
    report.check("keys whose twin differs in any bit", "0", TargetBand::AtMost(0.0), different);
    report.check(
        "events that differ",
        "0",
        TargetBand::AtMost(0.0),
        replayed.different_events as f64,
    );
    report.note(&format!(
        "The twin passed {} lost states and {} gaps, and adopted {} states.",
        replayed.lost, replayed.gaps, replayed.adopted
    ));
    for plant in &KeyPlant::THREE {
        let [with, without] = [true, false].map(|f| stiffest_bed(plant, f));
        report.note(&format!(
            "Key bed rendered by the keyboard, 10 N·s/m, key of {} g: comes to rest up to \
             {} N/m with a finger, {} N/m without.",
            plant.mass * 1e3,
            short(with),
            short(without)
        ));
    }
    for action in Action::ALL {
        let found = z_width::stiffest(action);
        let result = match (found.scale, found.is_limit) {
            (0.0, _) => format!("the action's own bed moves by {} µm", short(found.unrest * 1e6)),
            (scale, true) => {
                format!("at rest up to {scale} times its own bed's stiffness, not at twice that")
            }
            (scale, false) => {
                format!("at rest at {scale} times its own bed's stiffness, no limit found")
            }
        };
        report.note(&format!(
            "{}, bed rendered through the line, finger of the source documents at 6 to 7 N: {result}; \
             felt stiffness {} N/m.",
            action.name(),
            short(found.felt)
        ));
    }
    bar.finish_and_clear();
    Ok(report)
}

fn against_the_ideal(
    report: &mut Report,
    folder: &mut Folder,
    bar: &indicatif::ProgressBar,
) -> Result<()> {
    let mut csv = DataTable::new(&[
        "mass_kg",
        "block",
        "impedance_n_s_m",
        "delay_s",
        "strike_late_s",
        "strike_late_in_steps_s",
        "strike_speed_share",
        "way_rms_m",
        "created_j",
        "added_mass_kg",
        "drag_n_s_m",
        "unrest_m",
    ]);
    let mut traces = Vec::new();
    for plant in &KeyPlant::THREE {
        for block in BLOCKS {
            let options = acceptance::options(block);
            let row = acceptance::row(plant, options).context("force was lost in a stroke")?;
            line(&mut csv, &row);
            let name = format!("{} g, block {block}", plant.mass * 1e3);
            // The targets apply up to 128 samples; 256 is only reported.
            let check = |report: &mut Report, what: &str, band: TargetBand, value: f64| {
                if block <= 128 {
                    report.check(&format!("{name}: {what}"), "0", band, value);
                }
            };
            check(report, "strike late, ms", TargetBand::Within(-2.0, 2.0), row.late * 1e3);
            check(report, "strike speed, %", TargetBand::Within(-1.0, 1.0), row.speed * 1e2);
            check(report, "energy created, mJ", TargetBand::AtMost(0.5), row.created * 1e3);
            check(
                report,
                "mass added at 5 Hz, g",
                TargetBand::Within(-10.0, 10.0),
                row.added * 1e3,
            );
            check(report, "unrest under 1 N, µm", TargetBand::AtMost(50.0), row.unrest * 1e6);
            if block == 256 {
                report.note(&format!(
                    "{name}: strike {} ms late, speed {} %, energy created {} mJ, mass added {} g.",
                    short(row.late * 1e3),
                    short(row.speed * 1e2),
                    short(row.created * 1e3),
                    short(row.added * 1e3)
                ));
            }
            bar.inc(1);
        }
    }
    let plant = &KeyPlant::THREE[1];
    let points = |depths: &[f64]| {
        depths.iter().enumerate().map(|(i, x)| (i as f64 * 0.125, x * 1e3)).collect::<Vec<_>>()
    };
    traces.push(Series::line("welded", points(&acceptance::ideal(plant).depths), palette(0)));
    for (i, block) in [(1, 0), (2, 128)] {
        let options = acceptance::options(block);
        let stroke = acceptance::stroke(&acceptance::design(plant), options, acceptance::line());
        let depths = stroke.context("force was lost in a stroke")?.depths;
        traces.push(Series::new(
            &format!("block {block}"),
            points(&depths),
            palette(i),
            Shape::Line,
        ));
    }
    let figure = Figure {
        title: "A stroke through the junction, key of 100 g".into(),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("key, mm"), traces)],
    };
    folder.table("haptics.csv", &csv)?;
    folder.draw("haptics", &figure, report)?;
    report.note(
        "Strikes are timed at the load's end of the line, a line's delay after the finger. Lead of \
         one device tick, 1 kHz reports, bench load, finger glued.",
    );
    Ok(())
}

fn line(csv: &mut DataTable, row: &PlantResult) {
    csv.row(&[
        &row.mass,
        &row.block,
        &row.impedance,
        &row.delay,
        &row.late,
        &row.late_in_steps,
        &row.speed,
        &row.depth,
        &row.created,
        &row.added,
        &row.drag,
        &row.unrest,
    ]);
}
