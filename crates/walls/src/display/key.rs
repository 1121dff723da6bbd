//! A simulated key displayed on a sampled device: [`super::dynamic`]'s compensation for a whole action.
//!
//! The key hangs on the device by a spring and damper, as the thesis's key on its manipulandum. Inside the action contacts
//! are located as ever; what the sampling disturbs is the force between device and key. Compensated, device and key move
//! together through the period in which the force will act, in action steps, and the force is its mean over them. A force
//! that arrives late is one of a later period: until then the device moves under the forces that are on their way.

use std::collections::VecDeque;

use nalgebra::{Vector1, Vector2};
use touchback_action::interface::key::Key;
use touchback_action::{Drive, KeyEvent, STEP};
use touchback_core::episode::exact::Discrete;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_haptics::wall::sampled::plant::{Motion, Plant};

/// How the force follows from the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// The coupling's force at the sample, held on device and key.
    Sampled,
    /// Its mean over the past period, in which the key has followed the device's path: the servo's law
    /// without compensation.
    Past,
    /// Its mean over the period in which it acts, in which device and key move together.
    Compensated,
}

/// Device, coupling and loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Display {
    /// Device and finger, pressed by the bias.
    pub device: Plant,
    /// Device and finger as the program believes them to be.
    pub believed: Plant,
    /// Stiffness, N/m, and damping, N·s/m, of the coupling.
    pub coupling: [f64; 2],
    /// Action steps in a period.
    pub steps: u32,
    /// Delay of the force, whole periods.
    pub delay: usize,
    /// Speeds are differences of positions, with half a period's known acceleration added.
    pub is_differenced: bool,
}

/// A display that runs.
#[derive(Debug)]
pub struct Running {
    display: Display,
    law: Law,
    key: Box<dyn Key>,
    /// The device over a period; the believed device over a period and over an action step.
    flows: [Discrete<2, 1>; 3],
    state: Motion,
    before: f64,
    /// Forces on their way, N, against the device's motion; the first acts next.
    late: VecDeque<f64>,
    /// The force that acted last, N.
    acted: f64,
    /// Work that the display has taken from the device, J.
    taken: f64,
}

impl Running {
    /// A display of `key`, which is at rest, by a device at rest beside it.
    #[must_use]
    pub fn new(display: Display, law: Law, key: Box<dyn Key>) -> Self {
        let Display { device, believed, steps, delay, .. } = display;
        let period = f64::from(steps) * STEP;
        let flows = [device.discrete(period), believed.discrete(period), believed.discrete(STEP)];
        let depth = key.front()[0];
        Self {
            display,
            law,
            key,
            flows,
            state: [depth, 0.0],
            before: depth,
            late: vec![0.0; delay].into(),
            acted: 0.0,
            taken: 0.0,
        }
    }

    /// T, s.
    fn period(&self) -> f64 {
        f64::from(self.display.steps) * STEP
    }

    /// The device's position, m, and speed, m/s.
    #[must_use]
    pub const fn device(&self) -> Motion {
        self.state
    }

    /// Energy that the display has created so far, J: work on the key and energy in the coupling, less what the device
    /// has given. What the coupling's damper takes is not added.
    #[must_use]
    pub fn created(&self) -> f64 {
        let stretch = self.state[0] - self.key.front()[0];
        self.key.work() + 0.5 * self.display.coupling[0] * stretch * stretch - self.taken
    }

    /// Advances by one period; `see` gets the events of the key with the action step within the period.
    pub fn step(&mut self, see: &mut dyn FnMut(u32, f64, KeyEvent)) {
        cancel::check();
        let computed = match self.law {
            Law::Sampled => self.sampled(see),
            Law::Past => self.past(see),
            Law::Compensated => self.compensated(see),
        };
        self.late.push_back(computed);
        self.acted = self.late.pop_front().unwrap_or(computed);
        let from = self.state;
        self.state = advance(&self.flows[0], &self.display.device, from, self.acted);
        self.before = from[0];
        self.taken += self.acted * (self.state[0] - from[0]);
    }

    /// Moves the key by an action step of number `step` in the period. Returns its motion, m.
    fn moved(&mut self, step: u32, drive: Drive, see: &mut dyn FnMut(u32, f64, KeyEvent)) -> f64 {
        let [from, _] = self.key.front();
        self.key.step(drive, &mut |offset, event| see(step, offset, event));
        self.key.front()[0] - from
    }

    /// The device's speed as the program knows it, m/s.
    fn speed(&self) -> f64 {
        if !self.display.is_differenced {
            return self.state[1];
        }
        let middle = (self.state[0] - self.before) / self.period();
        let Plant { mass, bias, .. } = self.display.believed;
        middle + 0.5 * self.period() * (bias - self.acted) / mass
    }

    fn sampled(&mut self, see: &mut dyn FnMut(u32, f64, KeyEvent)) -> f64 {
        let ([k, b], [q, rate]) = (self.display.coupling, self.key.front());
        let force = k * (self.state[0] - q) + b * (self.speed() - rate);
        for step in 0..self.display.steps {
            self.moved(step, Drive::Force([force; 2]), see);
        }
        force
    }

    fn past(&mut self, see: &mut dyn FnMut(u32, f64, KeyEvent)) -> f64 {
        let [k, b] = self.display.coupling;
        let speed = (self.state[0] - self.before) / self.period();
        let mut sum = 0.0;
        for step in 0..self.display.steps {
            let target = self.before + speed * (f64::from(step) + 0.5) * STEP;
            let force = k * (target - self.key.front()[0]) + b * speed;
            let moved = self.moved(step, Drive::Wave { force, impedance: b }, see);
            sum += force - b * moved / STEP;
        }
        sum / f64::from(self.display.steps)
    }

    fn compensated(&mut self, see: &mut dyn FnMut(u32, f64, KeyEvent)) -> f64 {
        let Display { believed, coupling: [k, b], steps, .. } = self.display;
        let mut state = [self.state[0], self.speed()];
        for force in &self.late {
            state = advance(&self.flows[1], &believed, state, *force);
        }
        // The spring's mean force over a step has half a step's closing speed in it.
        let impedance = 0.5 * k * STEP + b;
        let mut held = self.late.back().copied().unwrap_or(self.acted);
        let mut sum = 0.0;
        for step in 0..steps {
            let [x, v] = state;
            let pull = believed.bias - believed.stiffness * x - believed.damping * v - held;
            let middle = v + 0.5 * STEP * pull / believed.mass;
            let force = k * (x - self.key.front()[0]) + impedance * middle;
            let moved = self.moved(step, Drive::Wave { force, impedance }, see);
            held = force - impedance * moved / STEP;
            state = advance(&self.flows[2], &believed, state, held);
            sum += held;
        }
        sum / f64::from(steps)
    }

    /// Runs for `seconds`. Whether the device comes to rest: in the last fifth it moves by at most `rest` m, or half as
    /// much as in the middle fifth.
    #[must_use]
    pub fn rests(mut self, seconds: f64, rest: f64) -> bool {
        let periods = floor_index(seconds / self.period());
        let mut spans = [(f64::MAX, f64::MIN); 5];
        for i in 0..periods {
            self.step(&mut |_, _, _| {});
            let x = self.state[0];
            if x.is_nan() || x.abs() > 1.0 {
                return false;
            }
            let (low, high) = &mut spans[5 * i / periods];
            (*low, *high) = (low.min(x), high.max(x));
        }
        let [.., middle, _, last] = spans.map(|(low, high)| high - low);
        last < rest || last < 0.5 * middle
    }
}

/// `plant` over a period of `flow`, under a force, N, against its motion.
fn advance(flow: &Discrete<2, 1>, plant: &Plant, from: Motion, force: f64) -> Motion {
    let end = flow.step(&Vector2::from(from), &Vector1::new(plant.bias - force));
    [end[0], end[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::{ActionKind, ActionSettings};
    use touchback_core::math::compass::KeyNumber;
    use touchback_haptics::wall::sampled::plant::FINGER;
    use touchback_models::catalogue::rendered;

    fn running(law: Law, stiffness: f64, steps: u32) -> Running {
        let device = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 6.0 }.with(FINGER);
        let coupling = [stiffness, 0.0];
        let display =
            Display { device, believed: device, coupling, steps, delay: 0, is_differenced: false };
        let key = KeyNumber::from_index(39).unwrap();
        Running::new(display, law, rendered(ActionKind::Thesis, key, &ActionSettings::default()))
    }

    /// At 1 kHz and without a damper the thesis's key shakes on a sampled coupling and rests on a compensated one.
    #[test]
    fn a_compensated_coupling_holds_still_where_a_sampled_one_shakes() {
        assert!(!running(Law::Sampled, 8000.0, 8).rests(2.0, 50e-6));
        assert!(running(Law::Compensated, 8000.0, 8).rests(2.0, 50e-6));
    }

    /// At the rate of the action the laws are the same but for the order of their steps.
    #[test]
    fn laws_agree_where_the_period_is_short() {
        let after = |law| {
            let mut running = running(law, 1000.0, 1);
            (0..400).for_each(|_| running.step(&mut |_, _, _| {}));
            running.device()[0]
        };
        let [sampled, compensated] = [Law::Sampled, Law::Compensated].map(after);
        assert!((sampled - compensated).abs() < 0.02 * compensated, "{sampled} {compensated}");
    }
}
