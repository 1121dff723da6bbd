//! `bridge-stroke`: a stroke on the emulated keyboard, and the same on an emulated motor controller behind the bridge.

use anyhow::{Context, Result};

use touchback_haptics::bridge::emulated::{LEVER, moteus as emulated_moteus};
use touchback_haptics::bridge::moteus::Moteus;
use touchback_haptics::bridge::requirement::Demand;
use touchback_haptics::bridge::virtual_time::{Rig, Virtual};
use touchback_haptics::bridge::{Bridge, BridgeDesign, FORCE};
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::{EmulatedFinger, KeyPlant};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_haptics::session::ConnectionState;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_offline::rig::acceptance;
use touchback_offline::rig::co_simulation::CoSimulation;

/// A key with a motor on its lever: 60 g.
const KEY: KeyPlant = KeyPlant { mass: 0.06, ..KeyPlant::DESK };

/// Time from the beginning of the hand's motion to the end of the record, s, and the time of a row, s.
const LENGTH: f64 = 0.7;
const ROW: f64 = 1e-3;

/// Rows in which the key is held at its bottom, and the largest difference of the mean forces there, N (chosen: a tenth of
/// the force that holds the key).
const HELD: std::ops::Range<usize> = 200..400;
const APART: f64 = 0.2;

/// Depth, m, and force of the motor, N, of the key every [`ROW`].
type Stroke = Vec<[f64; 2]>;

/// The hand's motion: down within 120 ms, held, up.
fn hand(begin: f64) -> Script {
    let act =
        |time: f64, action: FingerAction| ScriptedAction { time: begin + time, key: 0, action };
    Script::new(vec![
        act(0.0, FingerAction::Reach { depth: 22e-3, within: 0.12 }),
        act(0.4, FingerAction::Release { within: 0.1 }),
    ])
}

/// The grand, with at most the bridge's force.
fn options() -> ServoOptions {
    let mut options = ServoOptions::default();
    options.limits.force = FORCE;
    options
}

fn on_keyboard() -> Result<Stroke> {
    let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
    let mut pair = acceptance::armed(&design, options(), acceptance::line())
        .context("the emulated keyboard was not armed")?;
    pair.emulator.play(hand(pair.time()));
    let mut stroke = Stroke::new();
    while (stroke.len() as f64) < LENGTH / ROW {
        let depth = pair.emulator.key(0).map_or(0.0, |key| key.x);
        stroke.push([depth, pair.emulator.force(0)]);
        pair.run(ROW, &mut (), |_: &CoSimulation<_>| ());
    }
    anyhow::ensure!(pair.servo.status().state == ConnectionState::Live, "force was lost");
    Ok(stroke)
}

fn behind_bridge() -> Result<Stroke> {
    let begin = 2.0;
    let controllers =
        emulated_moteus::emulated(1, KEY, EmulatedFinger::default(), hand(begin), Some(FORCE));
    let demand = Demand { force: FORCE, lever: LEVER };
    let moteus = Moteus::new(Virtual::new(controllers), &[1], demand);
    let design = BridgeDesign { keys: 1, first_key: 40, plant: KEY, held: FORCE, rate_hz: 1000 };
    let mut rig = Rig::new(Bridge::new(moteus, &design)?);
    let mut servo = Servo::new(options(), rig.time());
    rig.serve(&mut servo, 0.1)?;
    let now = rig.time();
    servo.arm(true, now, &mut rig.queue.down);
    let left = begin - rig.time();
    rig.serve(&mut servo, left)?;
    let mut stroke = Stroke::new();
    while (stroke.len() as f64) < LENGTH / ROW {
        let motor = &rig.bridge.controller().wire.controllers.bus.motors[0];
        stroke.push([motor.key.x, motor.force]);
        rig.serve(&mut servo, ROW)?;
    }
    anyhow::ensure!(servo.status().state == ConnectionState::Live, "force was lost");
    Ok(stroke)
}

/// Plays both in virtual time.
///
/// # Errors
/// Force that was lost; a file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let strokes = [on_keyboard()?, behind_bridge()?];
    let mut csv =
        DataTable::new(&["t_s", "keyboard_m", "keyboard_n", "controller_m", "controller_n"]);
    let mut apart = 0.0f64;
    for (i, ([x, f], [bridged_x, bridged_f])) in strokes[0].iter().zip(&strokes[1]).enumerate() {
        apart = apart.max((x - bridged_x).abs() * 1e3);
        csv.row(&[&(i as f64 * ROW), x, f, bridged_x, bridged_f]);
    }
    report.note(&format!("Largest difference of depth: {} mm.", short(apart)));
    let held = strokes
        .each_ref()
        .map(|stroke| stroke[HELD].iter().map(|[_, force]| force).sum::<f64>() / HELD.len() as f64);
    let difference = (held[0] - held[1]).abs();
    report.check("difference of held force, N", "0", TargetBand::AtMost(APART), difference);
    for (name, stroke) in ["emulated keyboard", "controller"].iter().zip(&strokes) {
        let most = stroke.iter().map(|[_, force]| force.abs()).fold(0.0, f64::max);
        let quantity = format!("{name}: largest force, N");
        report.check(&quantity, "5", TargetBand::Within(1.0, 1.01 * FORCE), most);
    }
    let panel = |column: usize, scale: f64, label: &str| {
        let names = ["emulated keyboard", "moteus behind the bridge"];
        let series = names.iter().zip(&strokes).enumerate().map(|(i, (name, stroke))| {
            let points = stroke.iter().enumerate();
            let points = points.map(|(row, values)| (row as f64, scale * values[column]));
            Series::line(name, points.collect(), palette(i))
        });
        Subplot::new(Axis::new(label), series.collect())
    };
    let figure = Figure {
        title: "A stroke on middle C of the grand, key of 60 g, at most 5 N".into(),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![panel(0, 1e3, "key, mm"), panel(1, 1.0, "force of the motor, N")],
    };
    folder.table("bridge-stroke.csv", &csv)?;
    folder.draw("bridge-stroke", &figure, &mut report)?;
    Ok(report)
}
