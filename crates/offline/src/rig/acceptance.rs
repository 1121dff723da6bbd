//! The junction compared with the ideal: the same key, finger and load rigidly joined.
//!
//! Everything runs in lock-step on a virtual clock, so that every run gives the same values. The stroke: at
//! 0.1 s the hand moves from 0 to 22 mm in 60 ms along half a cosine, is held until 0.5 s and moves back in
//! 60 ms; the finger (20 g, 3.75 N·s/m, 257 N/m) is glued to the key.

use super::co_simulation::{CoSimulation, HostLine, MemoryLine};
use touchback_action::{Drive, Key, KeyEvent, STEP, TimedEvent};
use touchback_core::exchange::cancel;
use touchback_core::math::power::square;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::bench_load::BenchLoad;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::{EmulatedFinger, KeyPlant};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction, eased};
use touchback_haptics::record::log::{Entry, Log};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;

/// The thesis's finger, glued to the key.
pub const GLUED: EmulatedFinger = EmulatedFinger {
    mass: 0.02,
    damping: 3.75,
    stiffness: 257.0,
    pulp_stiffness: 5000.0,
    pulp_damping: 10.0,
    is_glued: true,
};

/// Depth and speed of the hand at `t` s of a stroke.
fn hand(t: f64) -> (f64, f64) {
    match t {
        t if t < 0.1 => (0.0, 0.0),
        t if t < 0.5 => eased(0.0, 22e-3, 0.06, t - 0.1),
        t => eased(22e-3, 0.0, 0.06, t - 0.5),
    }
}

/// Result of a stroke.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StrokeResult {
    /// Time of the first strike from the beginning of the stroke, s.
    pub time: f64,
    /// Hammer speed of the first strike, m/s.
    pub speed: f64,
    /// Depth of the key every 125 µs, m.
    pub depths: Vec<f64>,
    /// Energy that the junction created, J.
    pub created: f64,
}

/// The stroke with key and lever rigidly joined.
#[must_use]
pub fn ideal(plant: &KeyPlant) -> StrokeResult {
    let mut lever = BenchLoad::BENCH;
    lever.mass = 0.05 + plant.mass + GLUED.mass;
    lever.bed = plant.bed;
    let mut stroke = StrokeResult::default();
    for i in 0..8000u32 {
        cancel::check();
        let t = f64::from(i) * STEP;
        let (at, speed) = hand(t);
        // The finger's grip and the key's damping act as an external force.
        let force = GLUED.stiffness * (at + 0.5 * STEP * speed - lever.x) + GLUED.damping * speed;
        let drive = Drive::Wave { force, impedance: GLUED.damping + plant.damping };
        lever.step(drive, &mut |offset, event| {
            if stroke.speed == 0.0 {
                (stroke.time, stroke.speed) = (t + offset - 0.1, event.value());
            }
        });
        stroke.depths.push(lever.x);
    }
    stroke
}

/// Records the first strike.
#[derive(Clone, Copy, Debug, Default)]
struct Ear {
    first: Option<(f64, f64)>,
}

impl Log for Ear {
    fn put(&mut self, _: &Entry) -> bool {
        true
    }
    fn on_event(&mut self, heard: &TimedEvent) {
        if let KeyEvent::Strike { speed } = heard.event
            && self.first.is_none()
        {
            self.first = Some((heard.step as f64 * STEP + heard.offset, speed));
        }
    }
}

/// Options of the acceptance measurements: a block delay of `block` samples, answers due at the next tick.
#[must_use]
pub fn options(block: u32) -> ServoOptions {
    ServoOptions {
        action: Action::Bench,
        block,
        lead_us: 125,
        deducts: false,
        ..ServoOptions::default()
    }
}

/// A keyboard with one key of this plant.
#[must_use]
pub fn design(plant: &KeyPlant) -> KeyboardDesign {
    KeyboardDesign { plant: *plant, finger: GLUED, ..KeyboardDesign::default() }
}

/// The same without a wave junction: it accepts plain forces.
#[must_use]
pub fn direct(plant: &KeyPlant) -> KeyboardDesign {
    KeyboardDesign { has_junction: false, ..design(plant) }
}

/// A co-simulation that is armed and at rest; `None` if it cannot be armed.
pub fn armed<L: HostLine>(
    design: &KeyboardDesign,
    options: ServoOptions,
    line: L,
) -> Option<CoSimulation<L>> {
    let mut pair = CoSimulation::new(design, Script::default(), options, line);
    if !pair.arm(&mut ()) {
        return None;
    }
    // The servo checks clock and motor and raises the impedance; then the key goes idle.
    pair.run(1.0, &mut (), |_| ());
    Some(pair)
}

/// The stroke through keyboard, line and servo; `None` if force was lost during it.
pub fn stroke<L: HostLine>(
    design: &KeyboardDesign,
    options: ServoOptions,
    line: L,
) -> Option<StrokeResult> {
    let mut pair = armed(design, options, line)?;
    let begin = pair.time();
    let act =
        |time: f64, action: FingerAction| ScriptedAction { time: begin + time, key: 0, action };
    pair.emulator.play(Script::new(vec![
        act(0.0, FingerAction::Press { depth: 0.0, within: 0.0 }),
        act(0.1, FingerAction::Reach { depth: 22e-3, within: 0.06 }),
        act(0.5, FingerAction::Reach { depth: 0.0, within: 0.06 }),
    ]));
    let mut ear = Ear::default();
    let mut depths = Vec::new();
    let start = energies(&pair)?;
    pair.run(1.0, &mut ear, |p| depths.extend(p.emulator.key(0).map(|k| k.x)));
    let end = energies(&pair)?;
    if pair.servo.status().state != ConnectionState::Live {
        return None;
    }
    let (time, speed) = ear.first?;
    // Steps count from the keyboard's first state.
    let first = pair.time() - pair.servo.status().step as f64 * STEP;
    let created = (end[1] - start[1]) - (end[0] - start[0]);
    Some(StrokeResult { time: time + first - begin - 0.1, speed, depths, created })
}

/// Work of the keyboard on the junction, and the load's energy including its losses, J.
fn energies<L: HostLine>(pair: &CoSimulation<L>) -> Option<[f64; 2]> {
    let key = pair.emulator.key(0)?;
    Some([-key.motor_work, pair.servo.simulated(0)?.work()])
}

/// A line in memory without delay; the lead accounts for the delay.
#[must_use]
pub const fn line() -> MemoryLine {
    MemoryLine::new(0, 1)
}

/// Drag, N·s/m, and mass, kg, of the load as rendered to a hand that shakes the key by ±1 mm about 4 mm at
/// `hertz`; `None` if force was lost.
#[must_use]
pub fn shaken(design: &KeyboardDesign, options: ServoOptions, hertz: f64) -> Option<[f64; 2]> {
    let firm = EmulatedFinger { stiffness: 5000.0, damping: 20.0, ..GLUED };
    let mut pair = armed(&KeyboardDesign { finger: firm, ..design.clone() }, options, line())?;
    let begin = pair.time();
    let acts = vec![ScriptedAction {
        time: begin,
        key: 0,
        action: FingerAction::Shake { middle: 4e-3, swing: 1e-3, rate: hertz },
    }];
    pair.emulator.play(Script::new(acts));
    pair.run(1.0, &mut (), |_| ());
    // Fourier sums of motor force and key position over whole periods.
    let (mut force, mut depth) = ([0.0; 2], [0.0; 2]);
    let w = std::f64::consts::TAU * hertz;
    pair.run(4.0 / hertz.min(4.0), &mut (), |p| {
        let (s, c) = libm::sincos(w * p.time());
        let x = p.emulator.key(0).map_or(0.0, |k| k.x);
        for (sum, value) in [(&mut force, p.emulator.force(0)), (&mut depth, x)] {
            sum[0] += value * c;
            sum[1] += value * s;
        }
    });
    // Force against motion: F = b·v + (m a): with x = X·e^{iwt}, F/X = i w b − w² m.
    let size = square(depth[0]) + square(depth[1]);
    let real = (force[0] * depth[0] + force[1] * depth[1]) / size;
    let imaginary = (force[0] * depth[1] - force[1] * depth[0]) / size;
    Some([imaginary / w, -real / (w * w)])
}

/// Peak-to-peak motion of the key, m, in the last of 3 s under a bias of 1 N without a finger.
#[must_use]
pub fn biased(design: &KeyboardDesign, options: ServoOptions) -> Option<f64> {
    let mut pair = armed(design, options, line())?;
    let begin = pair.time();
    pair.emulator.play(Script::new(vec![ScriptedAction {
        time: begin,
        key: 0,
        action: FingerAction::Bias { force: 1.0 },
    }]));
    pair.run(2.0, &mut (), |_| ());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    pair.run(1.0, &mut (), |p| {
        let x = p.emulator.key(0).map_or(0.0, |k| k.x);
        (low, high) = (low.min(x), high.max(x));
    });
    Some(high - low)
}

/// One row of the comparison with the ideal: one plant, one block delay.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlantResult {
    /// Moving mass of the plant, kg.
    pub mass: f64,
    /// Block delay, samples.
    pub block: u32,
    /// Impedance of the line, N·s/m.
    pub impedance: f64,
    /// One-way delay of the line, s.
    pub delay: f64,
    /// Time from the ideal strike, shifted by the line's delay, to the strike at the load's end of the line,
    /// s.
    pub late: f64,
    /// Time from the ideal strike to the strike, in the servo's steps, s.
    pub late_in_steps: f64,
    /// Relative deviation of the hammer speed from the ideal.
    pub speed: f64,
    /// Deviation of the key depth from the ideal, m rms.
    pub depth: f64,
    /// Energy the junction created, J.
    pub created: f64,
    /// Rendered mass at 5 Hz in excess of the load's 0.2 kg, kg.
    pub added: f64,
    /// Rendered drag at 5 Hz, N·s/m.
    pub drag: f64,
    /// Peak-to-peak motion of the key under a bias of 1 N without a finger, m.
    pub unrest: f64,
}

/// Mass of the bench load at the key, kg.
const BENCH_MASS: f64 = 0.2;

/// Measures one row; `None` if force was lost.
#[must_use]
pub fn row(plant: &KeyPlant, options: ServoOptions) -> Option<PlantResult> {
    let aim = ideal(plant);
    let got = stroke(&design(plant), options.clone(), line())?;
    let squares: f64 = got.depths.iter().zip(&aim.depths).map(|(a, b)| square(a - b)).sum();
    let count = f64::from(u32::try_from(got.depths.len().max(1)).ok()?);
    let [drag, mass] = shaken(&design(plant), options.clone(), 5.0)?;
    Some(PlantResult {
        mass: plant.mass,
        block: options.block,
        impedance: options.impedance(),
        delay: options.line_delay(),
        late: got.time - aim.time + options.line_delay(),
        late_in_steps: got.time - aim.time,
        speed: got.speed / aim.speed - 1.0,
        depth: (squares / count).sqrt(),
        created: got.created,
        added: mass - BENCH_MASS,
        drag,
        unrest: biased(&design(plant), options)?,
    })
}

#[cfg(test)]
mod tests;
