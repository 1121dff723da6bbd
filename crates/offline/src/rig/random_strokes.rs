//! Random strokes on a rendered action, in virtual time: energy that the junction creates, and the rest of
//! held keys.
//!
//! All random numbers follow from a seed, so that a failure can be reproduced.

use super::KEY;
use super::acceptance::line;
use super::co_simulation::{CoSimulation, HostLine};
use touchback_core::math::random::Random;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;

/// Least motion between two reversals of a held key that counts, m; chosen: a tenth of a key's usual
/// aftertouch.
const SWING: f64 = 1e-4;
/// Reversals from which a held key chatters: one motion to and one fro are the end of the press.
const CHATTER: u32 = 2;

/// The result of a campaign of strokes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Strokes {
    /// Number of strokes.
    pub count: u32,
    /// Largest energy created by the junction in a stroke, J, and the number of the stroke.
    pub created: (f64, u32),
    /// Mean energy created by the junction, J.
    pub mean: f64,
    /// Held keys that chatter.
    pub chatter: u32,
    /// Largest motion of a held key between two reversals, m, and the number of the stroke.
    pub unrest: (f64, u32),
    /// Largest distance between the simulated and the emulated key at the beginning of a stroke, m.
    pub apart: f64,
    /// Largest force, N.
    pub peak: f64,
    /// Strokes after which force was lost.
    pub halts: u32,
}

/// Reversals of a motion: a turning point counts once the motion has returned from it by [`SWING`].
#[derive(Clone, Copy, Debug, Default)]
struct Reversals {
    /// Turning point, m, and direction of the motion from it; none before the first position.
    turn: Option<(f64, f64)>,
    /// Position farthest from the turning point, m.
    farthest: f64,
    /// Number of reversals.
    count: u32,
    /// Longest motion in one direction, m.
    longest: f64,
}

impl Reversals {
    fn push(&mut self, x: f64) {
        let (turn, direction) = *self.turn.get_or_insert_with(|| {
            self.farthest = x;
            (x, 0.0)
        });
        if direction == 0.0 {
            // The direction is that of the first motion by a swing.
            if (x - turn).abs() >= SWING {
                self.turn = Some((turn, (x - turn).signum()));
                self.farthest = x;
            }
        } else if (x - self.farthest) * direction > 0.0 {
            self.farthest = x;
        } else if (self.farthest - x) * direction >= SWING {
            self.count += 1;
            self.turn = Some((self.farthest, -direction));
            self.farthest = x;
        }
        let from = self.turn.map_or(x, |turn| turn.0);
        self.longest = self.longest.max((x - from).abs());
    }
}

/// Work of the emulated key on the junction less that of the junction on the simulated key, J.
fn absorbed<L: HostLine>(pair: &CoSimulation<L>) -> f64 {
    let given = pair.emulator.key(0).map_or(0.0, |key| -key.motor_work);
    given - pair.servo.key(0).map_or(0.0, |key| key.work)
}

/// Plays `count` random strokes on `action` with a finger that can leave the key: pressed, held,
/// released at random depths and speeds.
#[must_use]
pub fn strokes(action: Action, count: u32, seed: u64) -> Strokes {
    let mut random = Random::new(seed);
    let options = ServoOptions { action, ..ServoOptions::default() };
    let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
    let mut pair = CoSimulation::new(&design, Script::default(), options, line());
    let mut done = Strokes::default();
    let depth_of = |p: &CoSimulation<_>| p.emulator.key(0).map_or(0.0, |key| key.x);
    for _ in 0..count {
        if !pair.arm(&mut ()) {
            done.halts += 1;
            continue;
        }
        // Before the first stroke the servo checks clock and motor.
        pair.run(if done.count == 0 { 1.0 } else { 0.25 }, &mut (), |_| ());
        let begin = pair.time();
        let depth = 4e-3 + 20e-3 * random.share();
        let within = 0.03 + 0.3 * random.share();
        let press =
            ScriptedAction { time: begin, key: 0, action: FingerAction::Press { depth, within } };
        let release = ScriptedAction {
            time: begin + within + 0.6,
            key: 0,
            action: FingerAction::Release { within: 0.03 + 0.2 * random.share() },
        };
        pair.emulator.play(Script::new(vec![press, release]));
        let simulated = pair.servo.simulated(0).map_or(0.0, |key| key.front()[0]);
        done.apart = done.apart.max((simulated - depth_of(&pair)).abs());
        let before = absorbed(&pair);
        pair.run(within + 0.4, &mut (), |_| ());
        let mut held = Reversals::default();
        pair.run(0.2, &mut (), |p| held.push(depth_of(p)));
        pair.run(0.7, &mut (), |_| ());
        let created = before - absorbed(&pair);
        done.count += 1;
        done.mean += created;
        let number = done.count;
        let larger = |most: (f64, u32), x: f64| if x > most.0 { (x, number) } else { most };
        done.created = larger(done.created, created);
        done.unrest = larger(done.unrest, held.longest);
        done.chatter += u32::from(held.count >= CHATTER);
        done.halts += u32::from(pair.servo.status().state != ConnectionState::Live);
    }
    done.mean /= f64::from(done.count.max(1));
    done.peak = pair.emulator.peak();
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_create_no_energy_and_end_at_rest() {
        for action in Action::ALL {
            let done = strokes(action, 8, 5);
            assert_eq!((done.count, done.halts), (8, 0), "{action:?} {done:?}");
            assert!(done.created.0 < 1e-3, "{action:?} {done:?}");
        }
    }

    #[test]
    fn drift_does_not_reverse_and_an_oscillation_does() {
        let motion = |x: &dyn Fn(f64) -> f64| {
            let mut reversals = Reversals::default();
            (0..1600).for_each(|i| reversals.push(x(f64::from(i) * 125e-6)));
            (reversals.count, reversals.longest)
        };
        let (count, longest) = motion(&|t| 4e-3 * t + 2e-6 * (900.0 * t).sin());
        assert!(count == 0 && (longest - 0.8e-3).abs() < 1e-5, "{count} {longest}");
        let (count, longest) = motion(&|t| 2e-4 * (std::f64::consts::TAU * 20.0 * t).sin());
        assert!((7..=8).contains(&count) && (longest - 4e-4).abs() < 1e-5, "{count} {longest}");
        assert_eq!(motion(&|t| 4e-5 * (std::f64::consts::TAU * 20.0 * t).sin()).0, 0);
    }
}
