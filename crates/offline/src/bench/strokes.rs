//! The two touches of the timing measurements, and the search for a stroke of a given hammer speed.
//!
//! Gestures are [`Form`]s.

use super::driven::Driven as _;
use super::test_bench::TestBench;
use crate::gesture::{Form, Gesture};
use touchback_action::interface::hand::{self, PRESSING, STRIKING};
use touchback_action::{Drive, EventKind, STEP};
use touchback_core::math::cast::floor_index;

/// Front depth that counts as the first motion of a key, m, as an accelerometer shows it (chosen).
const FIRST_MOTION: f64 = 0.01e-3;

/// Duration of a stroke, s.
const PATIENCE: f64 = 0.6;

/// Longest time from the strike to key bottom, s.
const BOTTOM_WITHIN: f64 = 0.06;

/// Time after the first maximum of the force in which the force dips, s (chosen: the published spike of a struck
/// touch lasts 3 to 5 ms).
const DIP_WITHIN: f64 = 0.006;

/// The two touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchKind {
    /// A hand at rest on the key, its muscle pressing.
    Pressed,
    /// A finger arriving with a speed, its muscle following.
    Struck,
}

/// One stroke.
#[derive(Clone, Copy, Debug)]
pub struct TimedStroke {
    /// Force of the pressing muscle, N, or speed of the arriving hand, m/s.
    pub effort: f64,
    /// Hammer speed at the string, m/s.
    pub hammer: f64,
    /// Largest hammer speed before the strike, m/s.
    pub fastest: f64,
    /// Distance from the string, m, and time to contact, s, at the largest speed.
    pub fastest_before: [f64; 2],
    /// Time from first key motion to string contact, s.
    pub travel: f64,
    /// Time from string contact to key bottom, s; NaN if it exceeds the limit.
    pub bottom: f64,
    /// Largest force on the key before its bottom, N.
    pub peak_force: f64,
    /// First maximum of the force on the key, and the least force within 6 ms after it, N; NaN if the
    /// force only rises.
    pub spike: [f64; 2],
}

impl TouchKind {
    /// The gesture with an `effort` in N (pressed) or m/s (struck).
    pub fn gesture(self, effort: f64) -> Gesture {
        Gesture::of_forms(vec![self.form(effort, PATIENCE)])
    }

    /// The touch with an `effort` in N (pressed) or m/s (struck), of `duration_s` s.
    #[must_use]
    pub const fn form(self, effort: f64, duration_s: f64) -> Form {
        match self {
            Self::Pressed => Form::Pressed {
                force_n: effort,
                duration_s,
                mass_kg: PRESSING.mass,
                stiffness_n_m: PRESSING.stiffness,
                damping_n_s_m: PRESSING.damping,
                drag_n_s_m: PRESSING.drag,
                rise_s: None,
            },
            Self::Struck => Form::Struck {
                speed_m_s: effort,
                duration_s,
                mass_kg: STRIKING.mass,
                stiffness_n_m: STRIKING.stiffness,
                damping_n_s_m: STRIKING.damping,
                drag_n_s_m: STRIKING.drag,
                force_n: None,
                rise_s: hand::FOLLOWING_RISE,
            },
        }
    }

    /// The range of efforts that is searched, N or m/s.
    const fn range(self) -> (f64, f64) {
        match self {
            Self::Pressed => (0.5, 1000.0),
            Self::Struck => (0.1, 8.0),
        }
    }

    /// Plays the touch with `effort` on a copy of `rig`; `None` if the hammer does not reach the string.
    pub fn stroke(self, rig: &TestBench, effort: f64) -> Option<TimedStroke> {
        let mut rig = rig.clone();
        let mut moved = None;
        let mut forces = Vec::new();
        let (mut fastest, mut fastest_at) = (0.0, [0.0; 2]);
        rig.play(&mut self.gesture(effort), |rig, drive| {
            if moved.is_none() && rig.view().depth > FIRST_MOTION {
                moved = Some(rig.now());
            }
            if rig.log.first(EventKind::KeyBottom).is_none() {
                forces.push(force(rig, drive));
            }
            if rig.log.first(EventKind::Strike).is_none() {
                let (height, speed) = rig.hammer();
                if speed > fastest {
                    (fastest, fastest_at) = (speed, [-height, rig.now()]);
                }
            }
            match rig.log.first(EventKind::Strike) {
                Some((at, _)) => {
                    rig.log.first(EventKind::KeyBottom).is_none() && rig.now() < at + BOTTOM_WITHIN
                }
                // A hammer that falls after let-off does not strike.
                None => rig.log.first(EventKind::Release).is_none() || rig.hammer().1 > 0.0,
            }
        });
        let (at, hammer) = rig.log.first(EventKind::Strike)?;
        let bottom = rig.log.first(EventKind::KeyBottom).map_or(f64::NAN, |b| b.0 - at);
        if hammer > fastest {
            (fastest, fastest_at) = (hammer, [0.0, at]);
        }
        let [height, time] = fastest_at;
        Some(TimedStroke {
            effort,
            hammer,
            fastest,
            fastest_before: [height, at - time],
            travel: at - moved?,
            bottom,
            peak_force: forces.iter().copied().fold(0.0, f64::max),
            spike: spike(&forces),
        })
    }

    /// The stroke whose hammer arrives at `hammer` m/s, to 0.05 %; `None` if it is out of reach.
    pub fn giving(self, rig: &TestBench, hammer: f64) -> Option<TimedStroke> {
        let (mut low, fastest) = self.range();
        let (mut high, mut below) = (low, 0.0);
        let mut best = loop {
            // In small steps: a blow that is too hard is caught by the backcheck on its way up.
            high = fastest.min(1.4 * high);
            match self.stroke(rig, high) {
                Some(s) if s.hammer >= hammer => break s,
                other => (low, below) = (high, other.map_or(0.0, |s| s.hammer)),
            }
            if high >= fastest {
                return None;
            }
        };
        for _ in 0..40 {
            // Hammer speed rises with effort: interpolate by a power law between two strikes.
            let middle = if below > 0.2 * hammer {
                let share = libm::log(hammer / below) / libm::log(best.hammer / below);
                low * libm::pow(high / low, share.clamp(0.05, 0.95))
            } else {
                (low * high).sqrt()
            };
            match self.stroke(rig, middle) {
                Some(s) if s.hammer >= hammer => (high, best) = (middle, s),
                other => (low, below) = (middle, other.map_or(0.0, |s| s.hammer)),
            }
            if best.hammer < 1.0005 * hammer {
                return Some(best);
            }
            if below > 0.9995 * hammer {
                return self.stroke(rig, low);
            }
        }
        None
    }

    /// The slowest stroke that still strikes, to 0.05 % of its effort.
    pub fn softest(self, rig: &TestBench) -> Option<TimedStroke> {
        let mut low = self.range().0;
        let mut high = 8.0 * low;
        let mut best = self.stroke(rig, high)?;
        while high / low > 1.000_5 {
            let middle = (low * high).sqrt();
            match self.stroke(rig, middle) {
                Some(s) => (high, best) = (middle, s),
                None => low = middle,
            }
        }
        Some(best)
    }
}

/// First maximum of the `forces` of successive steps, and the least force soon after it, N.
fn spike(forces: &[f64]) -> [f64; 2] {
    let Some(top) = forces.windows(2).position(|pair| pair[1] < pair[0]) else {
        return [f64::NAN; 2];
    };
    let soon = forces.iter().skip(top).take(floor_index(DIP_WITHIN / STEP));
    [forces[top], soon.copied().fold(f64::INFINITY, f64::min)]
}

/// Force of a drive on the key front, N.
fn force(rig: &TestBench, drive: Drive) -> f64 {
    match drive {
        Drive::Force([a, b]) => a.max(b),
        Drive::Wave { .. } | Drive::Finger(_) => rig.read(drive).key_force,
        Drive::Free | Drive::Motion { .. } | Drive::Manipulandum(_) => 0.0,
    }
}

/// Time for which [`imposed`] holds the key down, s.
const HELD: f64 = 0.35;

/// Number of strikes, and speed of the first, m/s, of a key whose front moves to its bed by `depth`, m
/// over s.
pub fn imposed(rest: &TestBench, depth: impl Fn(f64) -> f64) -> (usize, f64) {
    let mut rig = rest.clone();
    let dip = rig.spec().key.dip;
    let mut held = 0.0;
    let at = |time: f64| depth(time).min(dip);
    while held < HELD {
        let now = rig.now();
        rig.step(Drive::along(at, now));
        held += if at(now) >= dip { STEP } else { 0.0 };
    }
    let speed = rig.log.first(EventKind::Strike).map_or(0.0, |strike| strike.1);
    (rig.log.count(EventKind::Strike), speed)
}
