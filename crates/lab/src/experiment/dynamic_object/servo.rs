//! The compensation in the servo itself: emulated keyboards that accept plain forces only, at 1 kHz in virtual time.

use anyhow::{Context as _, Result};

use touchback_haptics::action::Action;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::servo::Coupling;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::parallel;
use touchback_offline::rig::coupling::{Stroke, stiffest, struck, through_junction};

/// A coupling with its name.
type Case = (&'static str, Coupling);

/// The mean of the past interval with much damping in the keyboard and with little, and the compensation.
const CASES: [Case; 3] = [
    ("past, 25 N·s/m in the keyboard", Coupling::PAST),
    ("past", Coupling { is_compensated: false, ..Coupling::COMPENSATED }),
    ("compensated", Coupling::COMPENSATED),
];

/// How much stiffer than its own the bed is that is held through a wave junction.
const STIFFER: f64 = 64.0;

/// The tables and rows of three keys.
pub fn run(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let pairs: Vec<(&KeyPlant, &Case)> =
        KeyPlant::THREE.iter().flat_map(|plant| CASES.iter().map(move |c| (plant, c))).collect();
    let found = parallel::map(&pairs, |(plant, (_, coupling))| {
        (stiffest(plant, Action::GRAND, *coupling), struck(plant, *coupling))
    });
    let mut csv = DataTable::new(&[
        "mass_kg",
        "case",
        "stiffest_n_m",
        "strike_later_s",
        "strike_speed_share",
        "created_j",
        "drag_n_s_m",
        "unrest_m",
    ]);
    let mut all: Vec<[f64; 6]> = Vec::new();
    for ((plant, (name, _)), (limit, stroke)) in pairs.iter().zip(&found) {
        let Stroke { late, speed, created, drag, unrest } =
            stroke.context("force was lost in a stroke")?;
        csv.row(&[&plant.mass, name, limit, &late, &speed, &created, &drag, &unrest]);
        all.push([*limit, late, speed, created, drag, unrest]);
    }
    folder.table("dynamic-servo.csv", &csv)?;
    report.source("000 §5.8 (dynamic objects), fig. 5.5 (as emulation)");
    for (plant, of) in KeyPlant::THREE.iter().zip(all.chunks(CASES.len())) {
        let [_, past, compensated] = of else { continue };
        let name = format!("servo, key of {} g", 1e3 * plant.mass);
        let quantity = format!("{name}: stiffest held coupling, compensated over past");
        report.check(&quantity, "stiffer", TargetBand::AtLeast(5.0), compensated[0] / past[0]);
        let quantity = format!("{name}: strike late, compensated, ms");
        report.check(&quantity, "0", TargetBand::Within(-2.0, 2.0), 1e3 * compensated[1]);
        let quantity = format!("{name}: drag beyond the keyboard's own 2 N·s/m, compensated");
        let own = Coupling::COMPENSATED.local;
        report.check(&quantity, "0", TargetBand::Within(-0.1, 0.1), compensated[4] - own);
        let each = CASES.iter().zip(of).map(|((case, _), [limit, late, speed, created, drag, unrest])| {
            format!(
                "{case}: held up to {} N/m; strike {} ms late, speed × {}, {} mJ created; drag {} N·s/m; {} µm \
                 under 1 N without a finger",
                short(*limit),
                short(1e3 * late),
                short(*speed),
                short(1e3 * created),
                short(*drag),
                short(1e6 * unrest)
            )
        });
        report.note(&format!("{name}. {}.", each.collect::<Vec<_>>().join(". ")));
    }
    // Through the junction nothing has to be compensated: damper and waves are passive.
    let quiet = parallel::map(&KeyPlant::THREE, |plant| {
        through_junction(plant, Action::GRAND, STIFFER).unwrap_or(f64::NAN)
    });
    let worst = quiet.into_iter().fold(0.0, f64::max);
    let quantity = "three keys with a wave junction, bed 64 times as stiff: motion when held, µm";
    report.check(quantity, "at rest", TargetBand::AtMost(50.0), 1e6 * worst);
    Ok(())
}
