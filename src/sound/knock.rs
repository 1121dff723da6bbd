//! Knocks: what the mechanism does to the case besides the strings.
//!
//! A knock is a short push on the board: a body of effective mass m arriving at v leaves m v of
//! momentum over the time its felt or wood takes, F = m v · hann(t)/T; a share of it reaches the
//! board through key bed, rim and frame. The board makes the sound.

use std::f64::consts::TAU;

use crate::math::cast::single;
use crate::sound::engine::Knock;

/// Knocks under way at most; the weakest gives way.
const MOST: usize = 64;

/// Duration s, effective mass kg, share that reaches the board. Durations: pulse spectra must cover
/// the measured knock bands near 40-900 Hz [Askenfelt 1994]; masses: key front about 0.1 kg,
/// hammer 9 g, damper 30 g; shares chosen so that a key bed knock at 0.5 m/s lies about 30 dB under
/// its note.
const fn law(knock: Knock) -> (f64, f64, f64) {
    match knock {
        Knock::KeyBed => (2.5e-3, 0.1, 0.04),
        Knock::KeyRest => (4.0e-3, 0.1, 0.03),
        Knock::Check => (2.0e-3, 0.009, 0.1),
        Knock::Damper => (5.0e-3, 0.03, 0.1),
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Push {
    force: f64,
    phase: f64,
    turn: f64,
    zone: [f32; 2],
    first: usize,
}

/// All knocks under way.
pub struct Knocks {
    sample_rate: f64,
    pushes: Vec<Push>,
}

impl Knocks {
    /// None under way.
    #[must_use]
    pub fn new(sample_rate: f64) -> Self {
        Self { sample_rate, pushes: Vec::with_capacity(MOST) }
    }

    /// Stops all.
    pub fn reset(&mut self) {
        self.pushes.clear();
    }

    /// Nothing under way.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pushes.is_empty()
    }

    /// Begins a knock at the board place (`first`, weights) with impact `speed` m/s.
    pub fn begin(&mut self, knock: Knock, speed: f64, scale: f64, first: usize, zone: [f32; 2]) {
        let (duration, mass, share) = law(knock);
        let force = scale * share * mass * speed / duration;
        let turn = TAU / (duration * self.sample_rate);
        let push = Push { force, phase: 0.0, turn, zone, first };
        if self.pushes.len() < MOST {
            self.pushes.push(push);
        } else if let Some(weakest) =
            self.pushes.iter_mut().min_by(|a, b| a.force.total_cmp(&b.force))
            && weakest.force < force
        {
            *weakest = push;
        }
    }

    /// Adds the next `len` samples to the board's inputs from sample `at` on.
    pub fn process<const N: usize>(&mut self, inputs: &mut [[f32; N]], at: usize, len: usize) {
        for push in &mut self.pushes {
            let (one, two) = inputs.split_at_mut(push.first + 1);
            let places = one[push.first][at..at + len].iter_mut().zip(&mut two[0][at..at + len]);
            for (near, far) in places {
                push.phase += push.turn;
                if push.phase >= TAU {
                    break;
                }
                let force = single(push.force * (1.0 - push.phase.cos()));
                *near += push.zone[0] * force;
                *far += push.zone[1] * force;
            }
        }
        self.pushes.retain(|p| p.phase < TAU);
    }
}
