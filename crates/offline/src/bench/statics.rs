//! Static measurements: down and up weight, and the slow press under a force gauge.

use super::driven::Driven as _;
use super::test_bench::{TestBench, motion};
use crate::gesture::{Form, Gesture};
use touchback_action::grand::{Phase, Spec};
use touchback_action::{Drive, EventKind};

/// Depth that a down weight must reach, m: before every let-off.
const DOWN_TO: f64 = 6e-3;
/// Depths from and to which an up weight must rise, m.
const UP: (f64, f64) = (6e-3, 2e-3);
/// Longest time for a weight to move the key, s.
const PATIENCE: f64 = 2.0;

/// Down and up weight, kg.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Least mass that sinks.
    pub down: f64,
    /// Largest mass that rises.
    pub up: f64,
}

/// A mass placed on the key.
fn laid(mass: f64) -> Gesture {
    Gesture::of_forms(vec![Form::Weight {
        mass_kg: mass,
        duration_s: PATIENCE,
        height_m: 0.0,
        stiffness_n_m: 20_000.0,
        damping_n_s_m: 20.0,
    }])
}

/// Down and up weight with the dampers raised, to 0.2 g.
pub fn weights(rig: &TestBench) -> Weights {
    let mut raised = rig.clone();
    raised.raise_damper();
    let sinks = |mass: f64| {
        let mut rig = raised.clone();
        let mut sunk = false;
        rig.play(&mut laid(mass), |rig, _| {
            sunk = rig.view().depth > DOWN_TO;
            !sunk
        });
        sunk
    };
    let mut lowered = raised.clone();
    lowered.run(0.8, motion(&[(0.0, 0.0), (0.6, UP.0)]), |_, _| true);
    let rises = |mass: f64| {
        let mut rig = lowered.clone();
        let mut risen = false;
        rig.play(&mut laid(mass), |rig, _| {
            risen = rig.view().depth < UP.1;
            !risen
        });
        risen
    };
    let edge = |mut low: f64, mut high: f64, above: &dyn Fn(f64) -> bool| {
        while high - low > 0.2e-3 {
            let middle = 0.5 * (low + high);
            if above(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    };
    Weights { down: edge(1e-3, 0.12, &sinks), up: edge(1e-3, 0.12, &|m| !rises(m)) }
}

/// Key force over depth in a slow imposed press.
#[derive(Clone, Debug)]
pub struct Slow {
    /// Depth, m, force, N, crown above the string, m, submodel; in order of time.
    pub rows: Vec<(f64, f64, f64, Phase)>,
    /// The parameters of the pressed key.
    spec: Spec,
}

/// Imposes a press at `speed` m/s down to the bed.
pub fn slow_press(rig: &TestBench, speed: f64) -> Slow {
    let mut rig = rig.clone();
    let end = rig.spec().key.dip - 0.2e-3;
    let mut rows = Vec::new();
    rig.run(end / speed, motion(&[(0.0, 0.0), (end / speed, end)]), |rig, drive| {
        let r = rig.read(drive);
        rows.push((r.key, r.key_force, r.hammer, rig.state().phase));
        true
    });
    Slow { rows, spec: *rig.spec() }
}

impl Slow {
    /// Mean force between two depths, N.
    pub fn mean(&self, from: f64, to: f64) -> f64 {
        let part = self.rows.iter().filter(|r| r.0 > from && r.0 < to);
        let (sum, n) = part.fold((0.0, 0.0), |(s, n), r| (s + r.1, n + 1.0));
        sum / n
    }

    /// Depth at which the toe meets the button, m.
    pub fn let_off_begins(&self) -> f64 {
        self.rows.iter().find(|r| r.3 == Phase::LetOff).map_or(f64::NAN, |r| r.0)
    }

    /// Depth at which the jack has slipped, m.
    pub fn slips(&self) -> f64 {
        let mut off = self.rows.iter().skip_while(|r| r.3 != Phase::LetOff);
        off.find(|r| r.3 != Phase::LetOff).map_or(f64::NAN, |r| r.0)
    }

    /// Crown above the string at the slip, m.
    pub fn crown_at_slip(&self) -> f64 {
        let slip = self.slips();
        self.rows.iter().find(|r| r.0 >= slip).map_or(f64::NAN, |r| r.2)
    }

    /// Largest rise of the force over its value before let-off, N, and its depth, m.
    pub fn bump(&self) -> (f64, f64) {
        let (begins, slips) = (self.let_off_begins(), self.slips());
        let before = self.mean(begins - 0.5e-3, begins - 0.05e-3);
        let inside = self.rows.iter().filter(|r| r.0 >= begins && r.0 <= slips);
        let top = inside.max_by(|a, b| a.1.total_cmp(&b.1));
        top.map_or((f64::NAN, f64::NAN), |r| (r.1 - before, r.0))
    }

    /// Force before let-off minus force just after the slip, N.
    pub fn fall(&self) -> f64 {
        let begins = self.let_off_begins();
        let slips = self.slips();
        self.mean(begins - 0.5e-3, begins - 0.05e-3) - self.mean(slips + 0.05e-3, slips + 0.4e-3)
    }

    /// Force added by the damper, N: just after its pick-up minus just before.
    pub fn pick_up(&self) -> f64 {
        let at = self.spec.damper.pickup;
        self.mean(at + 0.3e-3, at + 0.8e-3) - self.mean(at - 0.8e-3, at - 0.1e-3)
    }

    /// Travel of the crown over travel of the key between two depths.
    pub fn ratio(&self, from: f64, to: f64) -> f64 {
        let at = |depth: f64| self.rows.iter().find(|r| r.0 >= depth).map_or(f64::NAN, |r| r.2);
        (at(to) - at(from)) / (to - from)
    }
}

/// Share of the static friction applied to a key at rest in [`creep`].
const PUSH: f64 = 0.8;

/// Largest mean speed, m/s, over a second of a key held at `depth` by its balancing force plus or
/// minus 80 % of its friction, both found by a slow press down and up through that depth.
pub fn creep(rig: &TestBench, depth: f64) -> f64 {
    let (slow, beyond) = (5e-3, 0.15e-3);
    let force_at = |points: &[(f64, f64)], from: f64| {
        let mut rig = rig.clone();
        let end = points[points.len() - 1].0;
        let (mut sum, mut n) = (0.0, 0.0);
        rig.run(end, motion(points), |rig, drive| {
            if rig.now() > from {
                sum += rig.read(drive).key_force;
                n += 1.0;
            }
            true
        });
        (sum / n, rig)
    };
    let down = depth / slow;
    let window = 0.004;
    let (pressing, at_depth) = force_at(&[(0.0, 0.0), (down, depth)], down - window);
    let turn = (depth + beyond) / slow;
    let back = turn + beyond / slow;
    let path = [(0.0, 0.0), (turn, depth + beyond), (back, depth)];
    let (rising, _) = force_at(&path, back - window);
    let (mean, half) = (0.5 * (pressing + rising), 0.5 * (pressing - rising));
    let mut worst = 0.0f64;
    for sign in [-1.0, 1.0] {
        let mut rig = at_depth.clone();
        // The key is held at rest first.
        let force = mean + sign * PUSH * half;
        rig.run(0.2, |_, _| Drive::line([depth; 2]), |_, _| true);
        rig.run(0.2, |_, _| Drive::Force([force; 2]), |_, _| true);
        let from = rig.view().depth;
        rig.run(1.0, |_, _| Drive::Force([force; 2]), |_, _| true);
        worst = worst.max((rig.view().depth - from).abs());
    }
    worst
}

/// Largest travel, m, of a checked hammer in 10 s under a held key, and its height below the string, m.
pub fn checked_creep(rig: &TestBench) -> (f64, f64) {
    let mut rig = rig.clone();
    let hold = |t: f64| (0.3 * t).min(0.016);
    rig.run(0.5, |a, b| Drive::Finger([hold(a), hold(b)]), |_, _| true);
    let from = rig.hammer().0;
    let mut most = 0.0f64;
    rig.run(
        10.0,
        |_, _| Drive::Finger([0.016; 2]),
        |rig, _| {
            most = most.max((rig.hammer().0 - from).abs());
            true
        },
    );
    let checked = rig.log.count(EventKind::Check) > 0;
    (most, if checked { -from } else { f64::NAN })
}
