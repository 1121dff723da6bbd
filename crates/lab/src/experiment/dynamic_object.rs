//! `dynamic-object`: a displayed ball, and whole keys, without the energy of their sampling [Gillespie 1996, §5.8; 1994, §3].
//!
//! The compensation of walls, carried over to an object that moves by itself ([`touchback_walls::display::dynamic`]), and
//! to actions ([`touchback_walls::display::key`]) and in the servo of the haptic keyboard.
//! `examples/python/dynamic_object.py` repeats runs and limits independently.

mod keys;
mod servo;

use anyhow::Result;

use super::impedance::key_and_hammer;
use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::Design;
use touchback_action::simple::simplified;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::display::dynamic::{Displayed, Force};

/// The numbers of the experiment.
pub const NUMBERS: &[Number] = &[
    Number { id: "m", unit: "kg", range: [1e-3, 10.0], usual: 0.05, about: "mass of the ball" },
    Number {
        id: "k",
        unit: "N/m",
        range: [1.0, 1e6],
        usual: 2000.0,
        about: "stiffness of its contact",
    },
    Number { id: "t", unit: "s", range: [1e-5, 0.05], usual: 1e-3, about: "sample period" },
    Number {
        id: "height",
        unit: "m",
        range: [1e-5, 1.0],
        usual: 5e-3,
        about: "height of the fall",
    },
    Number { id: "seconds", unit: "s", range: [0.1, 100.0], usual: 4.0, about: "length of a run" },
];

/// Device of the runs, undamped on the finger's spring, so that energy shows; and the device of the limits, which the
/// finger holds.
const RUN: Plant = Plant { mass: 0.12, damping: 0.0, stiffness: 257.0, bias: 0.0 };
const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 0.0 };

/// The forces, with their names.
const FORCES: [(&str, Force); 2] =
    [("sampled", Force::Sampled), ("compensated", Force::Compensated)];

/// A stiffness at and above which no limit is searched, N/m.
const LAST: f64 = 1e8;

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    let mut report = Report::default();
    let [mass, contact, period, height, seconds] =
        ["m", "k", "t", "height", "seconds"].map(|id| numbers.get(id));
    let ball = Displayed { device: RUN, believed: RUN, mass, contact, period };
    let held = Displayed { device: DEVICE.with(FINGER), believed: DEVICE.with(FINGER), ..ball };
    let blind = Displayed { believed: DEVICE, ..held };
    let hammer = hammer_of_1994(held);
    let mut csv = DataTable::new(&[
        "case",
        "least_energy_share",
        "largest_energy_share",
        "stiffest_held_n_m",
        "stiffest_finger_unknown_n_m",
        "pole_of_hammer_1994",
    ]);
    let (mut energies, mut heights, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (name, force)) in FORCES.into_iter().enumerate() {
        let mut state = [0.0, 0.0, -height, 0.0];
        let first = ball.energy(state);
        let (mut shares, mut above) = (Vec::new(), Vec::new());
        for step in 1..=floor_index(seconds / period) {
            state = ball.step(force, state);
            let time = step as f64 * period;
            shares.push((time, ball.energy(state) / first));
            above.push((time, -1e3 * state[2]));
            if !state[2].is_finite() || state[2].abs() > 1e3 * height {
                report.note(&format!(
                    "{name}: the ball is thrown out of sight after {} s.",
                    short(time)
                ));
                break;
            }
        }
        let ends = shares.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x.1), b.max(x.1)));
        let limit = |of: &Displayed| of.stiffest(force).map_or(0.0, |k| k.min(LAST));
        let row = [ends.0, ends.1, limit(&held), limit(&blind), hammer.radius(force)];
        csv.numbers(&name, &row);
        energies.push(Series::line(name, shares, palette(i)));
        heights.push(Series::line(name, above, palette(i)));
        found.push(row);
    }
    folder.table("dynamic-object.csv", &csv)?;
    let [sampled, compensated] = found[..] else { return Ok(report) };
    report.note(&format!(
        "Ball of {} kg on a contact of {} N/m, T {} ms. Energy over the first: sampled {} to {}, compensated {} to {}. \
         Stiffest stable contact on a device of 0.1 kg and 0.5 N·s/m in the source's finger: sampled {} N/m, compensated {} \
         N/m, {} N/m if the program does not know the finger. 1994's hammer on its coupling of {} N/m: largest pole \
         {:.5} sampled, {:.5} compensated.",
        short(mass),
        short(contact),
        short(1e3 * period),
        short(sampled[0]),
        short(sampled[1]),
        short(compensated[0]),
        short(compensated[1]),
        short(sampled[2]),
        short(compensated[2]),
        short(compensated[3]),
        short(hammer.contact),
        sampled[4],
        compensated[4]
    ));
    if numbers.changed().is_none() {
        rows(&mut report, sampled, compensated);
        keys::run(folder, &mut report)?;
        servo::run(folder, &mut report)?;
    }
    let figure = Figure {
        title: "A displayed ball on an undamped device, T 1 ms".into(),
        x: Axis::new("time, s"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("height of the ball, mm"), heights),
            Subplot::new(Axis::new("energy over the first").log(), energies),
        ],
    };
    folder.draw("dynamic-object", &figure, &mut report)?;
    Ok(report)
}

/// The hammer of 1994 as a mass at the key front on its coupling spring, displayed by the device of `like`.
fn hammer_of_1994(like: Displayed) -> Displayed {
    let key = KeyNumber::from_index(39).unwrap_or_else(|| unreachable!("key 40"));
    let built = Design::new(key).build(&ActionSettings::default());
    let [[_, contact, _], [mass, ..]] = key_and_hammer(&simplified::Spec::of_grand(&built));
    Displayed { mass, contact, ..like }
}

fn rows(report: &mut Report, sampled: [f64; 5], compensated: [f64; 5]) {
    report.source("000 §5.8 (dynamic objects)");
    let quantity = "sampled force: largest energy of 4 s over the first";
    report.check(quantity, "grows", TargetBand::AtLeast(2.0), sampled[1]);
    let quantity = "compensated force: largest energy of 4 s over the first";
    report.check(quantity, "1", TargetBand::Within(0.99, 1.05), compensated[1]);
    let quantity = "compensated force: least energy of 4 s over the first";
    report.check(quantity, "1", TargetBand::Within(0.95, 1.01), compensated[0]);
    for (i, what) in [(2, "held device"), (3, "held device, finger unknown to the program")] {
        let quantity = format!("{what}: stiffest stable contact, compensated over sampled");
        report.check(&quantity, "stiffer", TargetBand::AtLeast(10.0), compensated[i] / sampled[i]);
    }
    report.source("002 §4 (as simulation)");
    let quantity = "1994's hammer, compensated: largest pole of the contact";
    report.check(quantity, "stable", TargetBand::AtMost(1.0), compensated[4]);
}
