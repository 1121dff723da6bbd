//! A ball that bounces on a paddle: the smallest system with a changing constraint [Gillespie 1994, §3].
//!
//! The paddle is the far end of a balanced key, so that pressing the key lifts the paddle. Heights in m,
//! positive up; q is the ball, d the paddle (equal to the depth of the key):
//!
//! on the paddle  m q̈ = k (d − q) − m g,  F = m_p d̈ + k (d − q) + m_p g
//! in the air     q̈ = −g,                 F = m_p d̈ + m_p g
//!
//! (the paper has the opposite sign of the spring force in F). F is the force that moves the paddle; a
//! force F on the key presses the front down. An untouched paddle rests on a felt.

mod note_interface;

use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::numbers::{SpecError, check};
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::DriveInput;
use crate::simple::substeps::{self, Pressed};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use crate::{GRAVITY, KeyEvent};
use serde::{Deserialize, Serialize};
use touchback_core::episode::{Model, State};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};

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
    /// Contact damping, s/m; with 0 the ball bounces for ever.
    pub damping: f64,
    /// Felt under the paddle.
    pub floor: Felt,
}

impl Default for Spec {
    /// Chosen: a 50 g ball on a spring soft enough to be felt as a bounce.
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
    /// The ball touches the paddle.
    Paddle,
    /// The ball is in the air.
    Air,
}

/// States: paddle height and speed, ball height and speed, work in, dissipated.
pub const STATES: usize = 6;
/// State index of the ball's height, m.
pub const BALL: usize = 2;
/// State index of the ball's speed, m/s.
pub(crate) const BALL_SPEED: usize = 3;

/// Contacts, springs and drag.
const ELEMENTS: [Element; 2] = [Element::force("ball"), Element::force("floor")];

impl Spec {
    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        check(
            &[("ball", self.ball), ("paddle", self.paddle), ("stiffness", self.stiffness)],
            &[("floor", &self.floor)],
        )?;
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return Err(SpecError::Value {
                name: "damping",
                value: self.damping,
                must: "finite and not negative",
            });
        }
        let [floor, ball] = self.mobilities();
        substeps::check(&[("floor", &self.floor, floor), ("stiffness", &self.rubber(), ball)])
    }

    /// Contact law of ball and paddle.
    const fn rubber(&self) -> Felt {
        Felt::new(self.stiffness, 1.0, self.damping)
    }

    /// Inverse mass of the paddle, and inverse of the reduced mass of paddle and ball, 1/kg.
    fn mobilities(&self) -> [f64; 2] {
        let paddle = 1.0 / self.paddle;
        [paddle, paddle + 1.0 / self.ball]
    }

    fn evaluate(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Evaluation<1, 2> {
        let [d, w, q, v, ..] = *x;
        let ball = match phase {
            Phase::Paddle => {
                let damped = self.stiffness * (d - q) * self.damping * (w - v);
                let force = self.stiffness * (d - q) + damped;
                Contact { force, loss: damped * (w - v) }
            }
            Phase::Air => Contact::default(),
        };
        let floor = self.floor.contact(-d, -w);
        let load = ball.force + self.paddle * GRAVITY - floor.force;
        let (drive, acceleration) = input.on_mass(d, w, self.paddle, load);
        let (contact, elements) = (ball.force, [ball, floor]);
        Evaluation { drive, contact, acceleration: [acceleration], elements }
    }
}

impl Model<STATES, 1, 0> for Spec {
    type Input = DriveInput;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &DriveInput, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.evaluate(phase, input, x);
        let ball = m.contact / self.ball - GRAVITY;
        [x[KEY_SPEED], m.acceleration[0], x[BALL_SPEED], ball, m.drive * x[KEY_SPEED], m.loss()]
    }

    fn event_functions(
        &self,
        phase: Phase,
        _: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 1], [f64; 0]) {
        let gap = x[BALL] - x[KEY];
        match phase {
            Phase::Paddle => ([-gap], []),
            Phase::Air => ([gap], []),
        }
    }

    fn transition(&self, phase: Phase, _: usize, _: &DriveInput, _: &mut [f64; STATES]) -> Phase {
        match phase {
            Phase::Paddle => Phase::Air,
            Phase::Air => Phase::Paddle,
        }
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, _: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let [floor, ball] = self.mobilities();
        let contacts = [
            Pressed { felt: &self.floor, compression: -x[KEY], mobility: floor },
            Pressed { felt: &self.rubber(), compression: x[KEY] - x[BALL], mobility: ball },
        ];
        h / f64::from(substeps::count(1, &contacts))
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["paddle", "air"],
    transitions: &[transition(0, 1, "spring released"), transition(1, 0, "ball on paddle")],
};

impl SimpleAction<STATES, 1, 0> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Paddle, Phase::Air];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, BALL_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        (&mut self.paddle, 1.0)
    }

    /// The ball at rest on the paddle at rest.
    fn rest(&self) -> State<Phase, STATES> {
        let d = -self.floor.compression((self.ball + self.paddle) * GRAVITY);
        let q = d - self.ball * GRAVITY / self.stiffness;
        State { phase: Phase::Paddle, x: [d, 0.0, q, 0.0, 0.0, 0.0] }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.evaluate(phase, input, x);
        let [d, w, q, v, work, dissipated] = *x;
        let on = phase == Phase::Paddle;
        let spring = if on { 0.5 * self.stiffness * (d - q) * (d - q) } else { 0.0 };
        Readout {
            phase: GRAPH.submodels[phase as usize],
            key: d,
            key_speed: w,
            key_force: m.drive,
            contact_force: m.contact,
            hammer: q,
            hammer_speed: v,
            kinetic: 0.5 * (self.ball * v * v + self.paddle * w * w),
            potential: GRAVITY * (self.ball * q + self.paddle * d) + spring + self.floor.energy(-d),
            dissipated,
            work,
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        }
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.evaluate(phase, input, x).elements)
    }

    fn pose(&self, _: Phase, x: &[f64; STATES]) -> Pose {
        let half = 0.03;
        Pose::default()
            .with("paddle", [Vec2::new(-half, x[KEY]), Vec2::new(half, x[KEY])])
            .with("ball", [Vec2::new(0.0, x[BALL])])
    }

    /// Lift-offs as releases and landings as strikes, with the speed of the ball relative to the paddle.
    fn switched(&self, _: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        Some(match to {
            Phase::Paddle => KeyEvent::Strike { speed: x[KEY_SPEED] - x[BALL_SPEED] },
            Phase::Air => KeyEvent::Release { speed: x[BALL_SPEED] - x[KEY_SPEED] },
        })
    }

    fn passed(&self, _: usize, _: bool, _: &[f64; STATES]) -> Option<KeyEvent> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simple::ActionKey;
    use crate::{Drive, Key};
    use touchback_core::episode::{Observer, Stepper};

    /// Duration of a contact at the landing speed `speed`, s, in closed form: half an oscillation about the
    /// static compression.
    fn contact_time(spec: &Spec, speed: f64) -> f64 {
        let w = (spec.stiffness / spec.ball).sqrt();
        (std::f64::consts::PI + 2.0 * (GRAVITY / (w * w)).atan2(speed / w)) / w
    }

    /// Times of landing and lift-off of a ball dropped from `height` m on a fixed paddle, with steps of `h` s.
    fn bounces(spec: &Spec, height: f64, landings: usize, h: f64) -> (Vec<f64>, Vec<f64>) {
        struct Times {
            step_start: f64,
            landed: Vec<f64>,
            lifted_off: Vec<f64>,
        }
        impl Observer<Phase, STATES> for Times {
            fn transition(
                &mut self,
                t: f64,
                _: Phase,
                to: Phase,
                _: &[f64; STATES],
                _: &[f64; STATES],
            ) {
                match to {
                    Phase::Paddle => self.landed.push(self.step_start + t),
                    Phase::Air => self.lifted_off.push(self.step_start + t),
                }
            }
            fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
        }
        let stepper = Stepper { tolerance: 1e-14, exact_events: true, ..Stepper::new(h) };
        let mut state = State { phase: Phase::Air, x: [0.0, 0.0, height, 0.0, 0.0, 0.0] };
        let mut times = Times { step_start: 0.0, landed: Vec::new(), lifted_off: Vec::new() };
        let mut steps = 0u32;
        while times.landed.len() < landings {
            times.step_start = f64::from(steps) * h;
            let fixed = DriveInput::ends(Drive::line([0.0; 2]));
            stepper.advance(spec, &mut state, &fixed, &mut times);
            steps += 1;
        }
        (times.landed, times.lifted_off)
    }

    #[test]
    fn ten_landings_are_within_a_nanosecond_of_the_exact_solution() {
        let spec = Spec::default();
        let (height, n) = (0.1, 10);
        let speed = (2.0 * GRAVITY * height).sqrt();
        let mut expected = speed / GRAVITY;
        for (i, got) in bounces(&spec, height, n, 1e-4).0.iter().enumerate() {
            assert!((got - expected).abs() < 1e-9, "landing {i}: {got} against {expected}");
            expected += contact_time(&spec, speed) + 2.0 * speed / GRAVITY;
        }
    }

    #[test]
    fn the_integration_between_events_is_of_fourth_order() {
        // The duration of a contact has the phase error, which is of fourth order; the duration of a flight
        // has the amplitude error, which for an oscillator is of fifth order.
        let spec = Spec::default();
        let speed = (2.0 * GRAVITY * 0.1f64).sqrt();
        let error = |h: f64| {
            let (landed, lifted_off) = bounces(&spec, 0.1, 2, h);
            (lifted_off[0] - landed[0] - contact_time(&spec, speed)).abs()
        };
        let order = (error(1e-3) / error(5e-4)).log2();
        assert!((3.7..4.3).contains(&order), "order {order}");
    }

    #[test]
    fn the_exact_discretization_and_the_engine_agree_inside_a_contact() {
        use nalgebra::{Matrix2, Vector1, Vector2};
        use touchback_core::episode::exact::Discrete;
        let spec = Spec::default();
        let h = 1e-4;
        let w2 = spec.stiffness / spec.ball;
        let d = Discrete::new(&Matrix2::new(0.0, 1.0, -w2, 0.0), &Vector2::new(0.0, 1.0), h);
        let mut exact = Vector2::new(-1e-4, -1.0);
        let mut state = State { phase: Phase::Paddle, x: [0.0, 0.0, -1e-4, -1.0, 0.0, 0.0] };
        let fixed = DriveInput::ends(Drive::line([0.0; 2]));
        for _ in 0..200 {
            exact = d.step(&exact, &Vector1::new(-GRAVITY));
            Stepper::new(h).advance(
                &spec,
                &mut state,
                &fixed,
                &mut touchback_core::episode::IgnoreEvents,
            );
            assert!(state.phase == Phase::Paddle);
            // Phase error of Runge–Kutta, (ωh)⁵/120 for each step, times the landing speed.
            let bound = 2.0 * 200.0 * (w2.sqrt() * h).powi(5) / 120.0;
            let off = state.x[BALL] - exact[0];
            assert!(off.abs() * w2.sqrt() < bound, "{off} m");
            assert!(
                (state.x[BALL_SPEED] - exact[1]).abs() < bound,
                "{} m/s",
                state.x[BALL_SPEED] - exact[1]
            );
        }
    }

    #[test]
    fn the_force_that_holds_ball_and_paddle_equals_their_weight() {
        let spec = Spec { damping: 2.0, ..Spec::default() };
        let mut key = ActionKey::new(spec);
        for _ in 0..80_000 {
            key.step(Drive::line([0.0; 2]), &mut |_, _| {});
        }
        let force = key.readout(Drive::line([0.0; 2])).key_force;
        let weight = (spec.ball + spec.paddle) * GRAVITY;
        assert!((force - weight).abs() < 1e-6, "{force} N against {weight}");
    }
}
