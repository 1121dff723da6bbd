//! A ball bouncing on a paddle: the seeds' smallest system with a changing constraint.
//!
//! [Gillespie 1994, §3]. The paddle is the far end of a balanced key, so that key down lifts it.
//! Heights in m, positive up; q the ball, d the paddle:
//!
//! on the paddle  m q̈ = k (d − q) − m g,  F = m_p d̈ + k (d − q) + m_p g
//! in the air     q̈ = −g,                 F = m_p d̈ + m_p g
//!
//! (the paper prints the spring's sign in F the other way round). F is the force that moves the
//! paddle; a key force F presses the front down. With nobody holding it the paddle lies on a felt.

use crate::action::port::Drive;
use crate::action::{EventKind, STEP};
use crate::episode::{Input, Model, Observer, State, Stepper};
use crate::mech::felt::Felt;
use serde::{Deserialize, Serialize};

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;

/// Ball, paddle and spring.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Ball's mass, kg.
    pub ball: f64,
    /// Paddle's mass, kg.
    pub paddle: f64,
    /// Contact spring, N/m.
    pub stiffness: f64,
    /// Contact damping, s/m: 0 bounces for ever.
    pub damping: f64,
    /// Felt under the paddle.
    pub floor: Felt,
}

impl Default for Spec {
    /// A 50 g ball on a spring that a hand feels as a soft bounce; chosen.
    fn default() -> Self {
        Self {
            ball: 0.05,
            paddle: 0.05,
            stiffness: 800.0,
            damping: 0.0,
            floor: Felt { hysteresis: 0.5, ..Felt::new(4e5, 1.5, 1.0) },
        }
    }
}

/// Whether the ball touches the paddle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It does.
    Paddle,
    /// It does not.
    Air,
}

/// States: ball height and speed, paddle height and speed, work in, dissipated.
pub const STATES: usize = 6;

/// The paddle's drive at one moment.
#[derive(Clone, Copy, Debug)]
pub enum Hold {
    /// A force on it, N.
    Force(f64),
    /// A finger target, m, and its speed.
    Finger(f64, f64),
    /// An imposed height, m, and speed.
    Motion(f64, f64),
}

impl Input for Hold {
    fn lerp(&self, end: &Self, s: f64) -> Self {
        match (*self, *end) {
            (Self::Force(a), Self::Force(b)) => Self::Force(a + (b - a) * s),
            (Self::Finger(a, _), Self::Finger(b, v)) => Self::Finger(a + (b - a) * s, v),
            (Self::Motion(a, _), Self::Motion(b, v)) => Self::Motion(a + (b - a) * s, v),
            (_, other) => other,
        }
    }
}

/// The ends of a step under `drive`.
#[must_use]
pub fn hold(drive: Drive) -> [Hold; 2] {
    let speed = |[a, b]: [f64; 2]| (b - a) / STEP;
    match drive {
        Drive::Free | Drive::Manipulandum(_) => [Hold::Force(0.0); 2],
        Drive::Force(f) => f.map(Hold::Force),
        Drive::Finger(p) => p.map(|x| Hold::Finger(x, speed(p))),
        Drive::Motion(p) => p.map(|x| Hold::Motion(x, speed(p))),
    }
}

/// The model over its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Ball<'a> {
    /// Its numbers.
    pub spec: &'a Spec,
}

/// Forces of one moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Of the spring between ball and paddle, N.
    pub contact: f64,
    /// That moves the paddle, N (the key's conjugate).
    pub key: f64,
    /// Paddle's acceleration, m/s².
    pub acceleration: f64,
    /// Power turned into heat, W.
    pub loss: f64,
}

impl Ball<'_> {
    /// Forces in `phase` at `x`.
    #[must_use]
    pub fn moment(&self, phase: Phase, input: &Hold, x: &[f64; STATES]) -> Moment {
        let s = self.spec;
        let [q, v, d, w, ..] = *x;
        let (contact, damped) = match phase {
            Phase::Paddle => {
                let damped = s.stiffness * (d - q) * s.damping * (w - v);
                (s.stiffness * (d - q) + damped, damped * (w - v))
            }
            Phase::Air => (0.0, 0.0),
        };
        let floor = s.floor.contact(-d, -w);
        let load = contact + s.paddle * GRAVITY;
        let (key, acceleration, floor_loss) = match *input {
            Hold::Motion(..) => (load, 0.0, 0.0),
            Hold::Force(f) => (f, (f + floor.force - load) / s.paddle, floor.loss),
            Hold::Finger(target, rate) => {
                let f = if target > d {
                    (crate::action::grand::drive::FINGER_STIFFNESS * (target - d)
                        + crate::action::grand::drive::FINGER_DAMPING * (rate - w))
                        .max(0.0)
                } else {
                    0.0
                };
                (f, (f + floor.force - load) / s.paddle, floor.loss)
            }
        };
        Moment { contact, key, acceleration, loss: damped + floor_loss }
    }

    /// Kinetic and stored energy, J.
    #[must_use]
    pub fn energy(&self, phase: Phase, input: &Hold, x: &[f64; STATES]) -> [f64; 2] {
        let s = self.spec;
        let [q, v, d, w, ..] = *x;
        let spring = if phase == Phase::Paddle { s.stiffness * (d - q).powi(2) } else { 0.0 };
        let floor = if matches!(input, Hold::Motion(..)) { 0.0 } else { s.floor.energy(-d) };
        [
            0.5 * (s.ball * v * v + s.paddle * w * w),
            GRAVITY * (s.ball * q + s.paddle * d) + 0.5 * spring + floor,
        ]
    }
}

impl Model<STATES, 1, 0> for Ball<'_> {
    type Input = Hold;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &Hold, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.moment(phase, input, x);
        [x[1], m.contact / self.spec.ball - GRAVITY, x[3], m.acceleration, m.key * x[3], m.loss]
    }

    fn surfaces(&self, phase: Phase, _: &Hold, x: &[f64; STATES]) -> ([f64; 1], [f64; 0]) {
        let gap = x[0] - x[2];
        match phase {
            Phase::Paddle => ([-gap], []),
            Phase::Air => ([gap], []),
        }
    }

    fn transition(&self, phase: Phase, _: usize, _: &Hold, _: &mut [f64; STATES]) -> Phase {
        match phase {
            Phase::Paddle => Phase::Air,
            Phase::Air => Phase::Paddle,
        }
    }

    fn hold(&self, _: Phase, _: &Hold, _: &[f64; STATES], _: f64) {}

    fn substeps(&self, _: Phase, _: &[f64; STATES]) -> u32 {
        1
    }
}

/// The ball lying on the resting paddle.
#[must_use]
pub fn at_rest(spec: &Spec) -> State<Phase, STATES> {
    let d = -spec.floor.compression((spec.ball + spec.paddle) * GRAVITY);
    let q = d - spec.ball * GRAVITY / spec.stiffness;
    State { phase: Phase::Paddle, x: [q, 0.0, d, 0.0, 0.0, 0.0] }
}

/// One action step; `event` hears of the ball's partings and landings (release and strike, with
/// the ball's speed relative to the paddle, m/s).
pub fn step(
    spec: &Spec,
    state: &mut State<Phase, STATES>,
    drive: Drive,
    event: impl FnMut(f64, EventKind, f64),
) {
    struct Hear<F>(F);
    impl<F: FnMut(f64, EventKind, f64)> Observer<Phase, STATES> for Hear<F> {
        fn transition(
            &mut self,
            t: f64,
            _: Phase,
            to: Phase,
            x: &[f64; STATES],
            _: &[f64; STATES],
        ) {
            match to {
                Phase::Paddle => (self.0)(t, EventKind::Strike, x[3] - x[1]),
                Phase::Air => (self.0)(t, EventKind::Release, x[1] - x[3]),
            }
        }
        fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
    }
    let inputs = hold(drive);
    if let Hold::Motion(height, speed) = inputs[0] {
        // The jump in speed that a corner of the imposed motion asks of the paddle is work too.
        let was = state.x[3];
        state.x[4] += 0.5 * spec.paddle * (speed * speed - was * was);
        (state.x[2], state.x[3]) = (height, speed);
    }
    Stepper::new(STEP).advance(&Ball { spec }, state, &inputs, &mut Hear(event));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time inside one contact at landing speed `speed` (closed form: a half-swing about the
    /// static compression).
    fn inside(spec: &Spec, speed: f64) -> f64 {
        let w = (spec.stiffness / spec.ball).sqrt();
        (std::f64::consts::PI + 2.0 * (GRAVITY / (w * w)).atan2(speed / w)) / w
    }

    /// Landings and partings of a ball dropped from `height` on a paddle held still, at step `h`.
    fn bounces(spec: &Spec, height: f64, landings: usize, h: f64) -> (Vec<f64>, Vec<f64>) {
        struct Heard(f64, Vec<f64>, Vec<f64>);
        impl Observer<Phase, STATES> for Heard {
            fn transition(
                &mut self,
                t: f64,
                _: Phase,
                to: Phase,
                _: &[f64; STATES],
                _: &[f64; STATES],
            ) {
                match to {
                    Phase::Paddle => self.1.push(self.0 + t),
                    Phase::Air => self.2.push(self.0 + t),
                }
            }
            fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
        }
        let stepper = Stepper { tolerance: 1e-14, exact_events: true, ..Stepper::new(h) };
        let mut state = State { phase: Phase::Air, x: [height, 0.0, 0.0, 0.0, 0.0, 0.0] };
        let mut heard = Heard(0.0, Vec::new(), Vec::new());
        let mut steps = 0u32;
        while heard.1.len() < landings {
            heard.0 = f64::from(steps) * h;
            let still = [Hold::Motion(0.0, 0.0); 2];
            stepper.advance(&Ball { spec }, &mut state, &still, &mut heard);
            steps += 1;
        }
        (heard.1, heard.2)
    }

    #[test]
    fn ten_landings_come_within_a_nanosecond_of_the_exact_solution() {
        let spec = Spec::default();
        let (height, n) = (0.1, 10);
        let speed = (2.0 * GRAVITY * height).sqrt();
        let mut expected = speed / GRAVITY;
        for (i, got) in bounces(&spec, height, n, 1e-4).0.iter().enumerate() {
            assert!((got - expected).abs() < 1e-9, "landing {i}: {got} against {expected}");
            expected += inside(&spec, speed) + 2.0 * speed / GRAVITY;
        }
    }

    #[test]
    fn the_order_between_events_is_four() {
        // The time inside a contact carries the phase error, which is of fourth order; flight
        // times would only show the amplitude's, which for an oscillator is of fifth.
        let spec = Spec::default();
        let speed = (2.0 * GRAVITY * 0.1f64).sqrt();
        let error = |h: f64| {
            let (landed, parted) = bounces(&spec, 0.1, 2, h);
            (parted[0] - landed[0] - inside(&spec, speed)).abs()
        };
        let order = (error(1e-3) / error(5e-4)).log2();
        assert!((3.7..4.3).contains(&order), "order {order}");
    }

    #[test]
    fn the_exact_discretization_and_the_engine_agree_inside_a_contact() {
        use crate::episode::exact::Discrete;
        use nalgebra::{Matrix2, Vector1, Vector2};
        let spec = Spec::default();
        let h = 1e-4;
        let w2 = spec.stiffness / spec.ball;
        let d = Discrete::new(&Matrix2::new(0.0, 1.0, -w2, 0.0), &Vector2::new(0.0, 1.0), h);
        let mut exact = Vector2::new(-1e-4, -1.0);
        let mut state = State { phase: Phase::Paddle, x: [-1e-4, -1.0, 0.0, 0.0, 0.0, 0.0] };
        let still = [Hold::Motion(0.0, 0.0); 2];
        for _ in 0..200 {
            exact = d.step(&exact, &Vector1::new(-GRAVITY));
            Stepper::new(h).advance(
                &Ball { spec: &spec },
                &mut state,
                &still,
                &mut crate::episode::Quiet,
            );
            assert!(state.phase == Phase::Paddle);
            // Runge–Kutta's own phase error, (ωh)⁵/120 a step, times the landing speed.
            let bound = 2.0 * 200.0 * (w2.sqrt() * h).powi(5) / 120.0;
            let off = state.x[0] - exact[0];
            assert!(off.abs() * w2.sqrt() < bound, "{off} m");
            assert!((state.x[1] - exact[1]).abs() < bound, "{} m/s", state.x[1] - exact[1]);
        }
    }

    #[test]
    fn a_ball_held_still_weighs_what_it_weighs() {
        let spec = Spec { damping: 2.0, ..Spec::default() };
        let mut state = at_rest(&spec);
        for _ in 0..80_000 {
            step(&spec, &mut state, Drive::Motion([0.0; 2]), |_, _, _| {});
        }
        let m =
            Ball { spec: &spec }.moment(state.phase, &hold(Drive::Motion([0.0; 2]))[0], &state.x);
        let weight = (spec.ball + spec.paddle) * GRAVITY;
        assert!((m.key - weight).abs() < 1e-6, "{} N against {weight}", m.key);
    }
}
