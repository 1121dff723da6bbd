//! A virtual mass with a one-sided contact, displayed on a sampled device: crossing-time and half-sample compensation.
//!
//! [Gillespie 1996, §5.8] leaves open how the compensation of walls carries over to objects with motions of their own.
//! Here the object and the device, as far as it is known, move together through the coming period, with the contact
//! switched at the instants of its crossings; the device gets the mean force of that motion, m (g − Δw/T), held. The
//! object's momentum and the device's change by the same impulse, and the device's speed at the next sample is that of
//! the continuous contact; only its position differs, by the third order of T.
//!
//! Positions are depths: x of the device, y of the object, which rests on the device where y > x.

use nalgebra::{SMatrix, SVector};
use touchback_core::episode::exact::Discrete;
use touchback_core::exchange::cancel;

use super::coupled::{radius, stiffest};
use touchback_haptics::wall::sampled::plant::Plant;

/// x and v of the device, y and w of the object.
pub type State = [f64; 4];

/// Gravity, m/s².
const GRAVITY: f64 = 9.806_65;

/// Parts of a period in which at most one crossing is expected each.
const PARTS: u32 = 8;

/// How the force follows from the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Force {
    /// The contact's force at the sample; the object moves by semi-implicit Euler steps.
    Sampled,
    /// The mean force of the joint motion over the period.
    Compensated,
}

/// An object on a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Displayed {
    /// Device and finger.
    pub device: Plant,
    /// Device and finger as the program believes them to be.
    pub believed: Plant,
    /// Mass of the object, kg.
    pub mass: f64,
    /// Stiffness of the contact, N/m.
    pub contact: f64,
    /// T, s.
    pub period: f64,
}

impl Displayed {
    /// Object and `device` together, with a contact of `stiffness`, over `t` s.
    fn together(&self, device: &Plant, stiffness: f64, t: f64) -> Discrete<4, 1> {
        let Plant { mass, damping, stiffness: spring, bias } = device;
        let a = SMatrix::<f64, 4, 4>::from_row_slice(&[
            0.0,
            1.0,
            0.0,
            0.0,
            -(spring + stiffness) / mass,
            -damping / mass,
            stiffness / mass,
            0.0,
            0.0,
            0.0,
            0.0,
            1.0,
            stiffness / self.mass,
            0.0,
            -stiffness / self.mass,
            0.0,
        ]);
        Discrete::new(&a, &SVector::from([0.0, bias / mass, 0.0, GRAVITY]), t)
    }

    /// Moves object and believed device through a period.
    fn predict(&self, from: State) -> State {
        let one = SVector::from([1.0]);
        let part = self.period / f64::from(PARTS);
        let flow = |is_on: bool, t: f64| {
            self.together(&self.believed, if is_on { self.contact } else { 0.0 }, t)
        };
        let whole = [flow(false, part), flow(true, part)];
        let mut state = SVector::from(from);
        let mut is_on = from[2] > from[0];
        let leaves = |is_on: bool, s: &SVector<f64, 4>| is_on != (s[2] > s[0]);
        for _ in 0..PARTS {
            let mut left = part;
            let mut end = whole[usize::from(is_on)].step(&state, &one);
            while leaves(is_on, &end) && left > 1e-9 * part {
                let (mut low, mut high) = (0.0, left);
                for _ in 0..40 {
                    let middle = 0.5 * (low + high);
                    let is_before = !leaves(is_on, &flow(is_on, middle).step(&state, &one));
                    if is_before { low = middle } else { high = middle }
                }
                state = flow(is_on, high).step(&state, &one);
                (is_on, left) = (!is_on, left - high);
                end = flow(is_on, left).step(&state, &one);
            }
            state = end;
        }
        state.into()
    }

    /// The state a period later.
    #[must_use]
    pub fn step(&self, force: Force, from: State) -> State {
        cancel::check();
        let [x, v, y, w] = from;
        let (push, y, w) = match force {
            Force::Sampled => {
                let push = self.contact * (y - x).max(0.0);
                let w = w + (GRAVITY - push / self.mass) * self.period;
                (push, y + w * self.period, w)
            }
            Force::Compensated => {
                let [.., y, after] = self.predict(from);
                (self.mass * (GRAVITY - (after - w) / self.period), y, after)
            }
        };
        let step = self.device.discrete(self.period);
        let moved = step.step(&SVector::from([x, v]), &SVector::from([self.device.bias + push]));
        [moved[0], moved[1], y, w]
    }

    /// Energy of object, device and contact, J.
    #[must_use]
    pub fn energy(&self, [x, v, y, w]: State) -> f64 {
        let pressed = (y - x).max(0.0);
        self.device.energy([x, v]) + 0.5 * (self.mass * w * w + self.contact * pressed * pressed)
            - self.mass * GRAVITY * y
    }

    /// Largest modulus of a pole of the loop in lasting contact.
    #[must_use]
    pub fn radius(&self, force: Force) -> f64 {
        let (t, m, k) = (self.period, self.mass, self.contact);
        let device = self.device.discrete(t);
        let row = |cells: State| SMatrix::<f64, 1, 4>::from_row_slice(&cells);
        let (position, speed) = (row([0.0, 0.0, 1.0, 0.0]), row([0.0, 0.0, 0.0, 1.0]));
        let (push, place, rate) = match force {
            Force::Sampled => {
                let push = row([-k, 0.0, k, 0.0]);
                let rate = speed - push * (t / m);
                (push, position + rate * t, rate)
            }
            Force::Compensated => {
                let phi = self.together(&self.believed, k, t).phi;
                let [place, rate] = [2, 3].map(|i| row([0, 1, 2, 3].map(|j| phi[(i, j)])));
                ((speed - rate) * (m / t), place, rate)
            }
        };
        let mut loop_ = SMatrix::<f64, 4, 4>::zeros();
        for i in 0..2 {
            let own = row([device.phi[(i, 0)], device.phi[(i, 1)], 0.0, 0.0]);
            loop_.set_row(i, &(own + push * device.gamma[i]));
        }
        loop_.set_row(2, &place);
        loop_.set_row(3, &rate);
        radius(&loop_)
    }

    /// Largest contact stiffness, N/m, to 0.1 %, up to which all stiffnesses of a grid are stable; `None` if the softest
    /// is not.
    #[must_use]
    pub fn stiffest(&self, force: Force) -> Option<f64> {
        stiffest(|contact| Self { contact, ..*self }.radius(force))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_haptics::wall::sampled::plant::FINGER;

    const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 0.0 };

    fn displayed(device: Plant) -> Displayed {
        Displayed { device, believed: device, mass: 0.05, contact: 2000.0, period: 1e-3 }
    }

    /// On a device without damping the compensated ball keeps its energy, the sampled one gains.
    #[test]
    fn a_compensated_ball_keeps_its_energy() {
        let device = Plant { mass: 0.12, damping: 0.0, stiffness: 257.0, bias: 0.0 };
        let ball = displayed(device);
        let run = |force| {
            let mut state = [0.0, 0.0, -5e-3, 0.0];
            let first = ball.energy(state);
            let mut span = (f64::MAX, f64::MIN);
            for _ in 0..4000 {
                state = ball.step(force, state);
                let share = ball.energy(state) / first;
                span = (span.0.min(share), span.1.max(share));
            }
            span
        };
        let (least, most) = run(Force::Compensated);
        assert!(least > 0.9 && most < 1.1, "{least} {most}");
        assert!(run(Force::Sampled).1 > 2.0);
    }

    /// The linear loop and the simulation agree about the limit of stability.
    #[test]
    fn a_ball_at_rest_stays_below_the_limit_and_leaves_above_it() {
        let ball = displayed(DEVICE.with(FINGER));
        let limit = ball.stiffest(Force::Sampled).unwrap();
        assert!(ball.stiffest(Force::Compensated).unwrap() > 50.0 * limit);
        for (share, is_stable) in [(0.9, true), (1.1, false)] {
            let ball = Displayed { contact: share * limit, ..ball };
            let weight = ball.mass * GRAVITY;
            let rest = weight / ball.device.stiffness;
            // A nudge that leaves the contact closed.
            let mut state = [rest, 0.0, rest + weight / ball.contact, 1e-5];
            for _ in 0..5000 {
                state = ball.step(Force::Sampled, state);
            }
            assert_eq!(state[3].abs() < 1e-5, is_stable, "{share} {state:?}");
        }
    }
}
