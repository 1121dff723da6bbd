//! `key-design`: requirements on a motorized key that renders the grand's key, and two designs.
//!
//! Three requirements: the key's mass, weight and friction must not exceed what the junction can
//! compensate; its motor must supply the force of a stroke, of repetition and of a held key; and its drive
//! must fit into the remaining mass.

mod designs;

use anyhow::{Context, Result};

use touchback_action::interface::key::DynamicsCompensation;
use touchback_action::{ActionSettings, KeyEvent, TimedEvent};
use touchback_device::device::limit::MotorLimits;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::EmulatedFinger;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::{Entry, Log};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;
use touchback_offline::bench::{DataTable, Folder, Report, key, short};
use touchback_offline::output::progress;
use touchback_offline::rig::KEY;
use touchback_offline::rig::acceptance::{GLUED, armed, line};

/// Keys of the tables, by piano number.
const KEYS: [usize; 9] = [1, 10, 20, 30, 40, 50, 60, 71, 88];
/// The key of the force tables.
const MIDDLE: usize = 40;
/// Times in which the hand moves down by 22 mm, s, from piano to fortissimo; the capstan is designed for a
/// forte.
const TOUCHES: [f64; 5] = [0.3, 0.15, FORTE, 0.05, 0.03];
const FORTE: f64 = 0.08;
/// Repetition rate, strokes per second.
const REPETITION: f64 = 6.0;

/// Lists the requirements, computes two designs and draws them.
///
/// # Errors
/// A file that cannot be written; a stroke in which force was lost.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let budgets = budgets(folder)?;
    let bar = progress(TOUCHES.len() as u64 + 1, "key-design");
    let mut csv = DataTable::new(&["down_within_s", "hammer_m_s", "peak_n", "rms_n", "held_n"]);
    let (mut forte, mut most) = (RequiredForce::default(), RequiredForce::default());
    for within in TOUCHES {
        let required = stroke(within).context("force was lost in a stroke")?;
        let RequiredForce { hammer, peak, rms, held } = required;
        csv.row(&[&within, &hammer, &peak, &rms, &held]);
        report.note(&format!(
            "Press within {} ms: hammer {} m/s, motor {} N at most, {} N held.",
            short(within * 1e3),
            short(hammer),
            short(peak),
            short(held)
        ));
        if within == FORTE {
            forte = required;
        }
        most.peak = most.peak.max(peak);
        most.held = most.held.max(held);
        bar.inc(1);
    }
    folder.table("key-forces.csv", &csv)?;
    let repeated = repetition().context("force was lost in the repetition")?;
    (forte.rms, most.rms) = (repeated.rms, repeated.rms);
    report.note(&format!(
        "{REPETITION} strokes a second: motor {} N at most, {} N rms.",
        short(repeated.peak),
        short(repeated.rms)
    ));
    bar.finish_and_clear();
    let middle = budgets.iter().find(|b| b.0 == MIDDLE).context("no budget of the middle key")?;
    designs::run(folder, &mut report, &middle.1, [forte, most])?;
    Ok(report)
}

/// Forces required of a motor, N, and the resulting hammer speed, m/s.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct RequiredForce {
    hammer: f64,
    peak: f64,
    rms: f64,
    held: f64,
}

/// The largest mass, weight and friction of a motorized key for each key, after the line's mass.
fn budgets(folder: &mut Folder) -> Result<Vec<(usize, DynamicsCompensation)>> {
    const ALL: f64 = 10.0;
    let line = ServoOptions::default().line_mass();
    let everything = DynamicsCompensation { mass: ALL, weight: ALL, friction: ALL, has_bed: true };
    let mut csv = DataTable::new(&["key", "mass_kg", "weight_n", "friction_n"]);
    let mut rows = Vec::new();
    for number in KEYS {
        let piano_key = key(number)?;
        let (_, residual) = Action::GRAND.key(piano_key, &ActionSettings::default(), &everything);
        let limits = DynamicsCompensation {
            mass: ALL - residual.mass - line,
            weight: ALL - residual.weight,
            friction: ALL - residual.friction,
            has_bed: true,
        };
        csv.row(&[&number, &limits.mass, &limits.weight, &limits.friction]);
        rows.push((number, limits));
    }
    folder.table("key-budget.csv", &csv)?;
    Ok(rows)
}

/// Records the fastest strike.
#[derive(Clone, Copy, Debug, Default)]
struct FastestStrike {
    hammer: f64,
}

impl Log for FastestStrike {
    fn put(&mut self, _: &Entry) -> bool {
        true
    }
    fn on_event(&mut self, event: &TimedEvent) {
        if let KeyEvent::Strike { speed } = event.event {
            self.hammer = self.hammer.max(speed);
        }
    }
}

/// A finger stiff enough for a forte; the finger of the source documents is too soft for more than 2 m/s.
const FIRM: EmulatedFinger = EmulatedFinger { stiffness: 1000.0, damping: 10.0, ..GLUED };

/// Forces that `actions` require of an unlimited motor on a light key under a stiff finger in `seconds` s;
/// the held force is the mean over the last 0.1 s.
fn played(actions: &[(f64, FingerAction)], seconds: f64) -> Option<RequiredForce> {
    let limits = MotorLimits { force: 50.0, slew: 40_000.0, held: 50.0, time: 2.0 };
    let options = ServoOptions { action: Action::GRAND, limits, ..ServoOptions::default() };
    let design =
        KeyboardDesign { plant: KEY, finger: FIRM, force: 50.0, ..KeyboardDesign::default() };
    let mut pair = armed(&design, options, line())?;
    let begin = pair.time();
    let actions =
        actions.iter().map(|&(t, action)| ScriptedAction { time: begin + t, key: 0, action });
    pair.emulator.play(Script::new(actions.collect()));
    let (mut fastest, mut required) = (FastestStrike::default(), RequiredForce::default());
    let (mut square, mut held, mut ticks, mut last) = (0.0, 0.0, 0.0f64, 0.0f64);
    pair.run(seconds, &mut fastest, |p| {
        let force = p.emulator.force(0);
        required.peak = required.peak.max(force.abs());
        square += force * force;
        ticks += 1.0;
        if p.time() > begin + 0.9 * seconds {
            held += force.abs();
            last += 1.0;
        }
    });
    let is_live = pair.servo.status().state == ConnectionState::Live;
    let (hammer, rms, held) = (fastest.hammer, (square / ticks).sqrt(), held / last);
    is_live.then_some(RequiredForce { hammer, rms, held, ..required })
}

/// A press by 22 mm in `within` s, held for 1 s.
fn stroke(within: f64) -> Option<RequiredForce> {
    played(&[(0.1, FingerAction::Reach { depth: 22e-3, within })], 1.2)
}

/// A repetition of 2 s.
fn repetition() -> Option<RequiredForce> {
    let half = 0.5 / REPETITION;
    let strokes = 2.0 * REPETITION;
    let count = touchback_core::math::cast::rounded_i32(2.0 * strokes);
    let actions: Vec<(f64, FingerAction)> = (0..count)
        .map(|i| {
            let depth = if i % 2 == 0 { 22e-3 } else { 0.0 };
            (f64::from(i) * half, FingerAction::Reach { depth, within: half })
        })
        .collect();
    played(&actions, strokes / REPETITION)
}
