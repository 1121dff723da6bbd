//! A hand on a key: a mass behind a soft fingertip, and the muscle that drives it.
//!
//! Tip: f = max(0, k (x − s) + b (ẋ − ṡ)) for x > s, else 0, with x the depth of the mass and s that of the
//! key, both downward, m. Mass: m ẍ = p − c ẋ − f under the muscle's push p = p₀ + F a(t) with the activation
//! a = 1 − (1 + t/τ) e^(−t/τ), which rises from 0.1 to 0.9 in 3.4 τ; c is the loss of a muscle's force with
//! its speed.
//!
//! *Pressed* touch: finger, hand and part of the arm rest on the key, p₀ = 0. τ = [`rise`]`(F)`: a soft press
//! takes its time, so that the key is still accelerated at let-off, and a strong one is as quick as fast
//! contractions of finger muscles are, whatever their force [Freund & Büdingen 1978].
//!
//! *Struck* touch: a finger arrives at the speed v. p₀ = c v keeps it at that speed until it meets the key,
//! and from then on the muscle pushes harder, by F = [`following_force`]`(v)`: the finger, thrown back by the
//! key, follows it down.
//!
//! The force is linear over a step between its values at start and end, and the mass moves by exactly that
//! force, so that key and mass exchange the same impulse. Within a step the key is extrapolated at its
//! present speed (error of second order in the step).

use crate::interface::constants::STEP;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::real::{MOST_LANES, Real};

/// A hand that presses, at rest on a key at depth 0. The mass is that of finger, hand and part of the arm;
/// fingertips have a damping of 5 to 10 N·s/m. Mass, stiffness and drag are chosen together with [`rise`] for
/// the pressed travel times of three grands [Goebl, Bresin & Galembo 2005].
pub const PRESSING: TippedMass =
    TippedMass { mass: 0.3, stiffness: 3000.0, damping: 10.0, drag: 25.0, x: 0.0, v: 0.0 };

/// A finger that strikes. All numbers are chosen, together with [`following_force`], for the measured struck
/// touch: travel times and time from the hammer's greatest speed to the string [Goebl, Bresin & Galembo 2005],
/// peak force and first spike [Kinoshita 2007].
pub const STRIKING: TippedMass =
    TippedMass { mass: 0.08, stiffness: 9000.0, damping: 8.0, drag: 7.0, x: 0.0, v: 0.0 };

/// Shortest time constant τ of a press, s: 111 ms from 0.1 to 0.9 of the force; chosen for the pressed travel
/// times of three grands at 2 to 4 m/s.
const SHORTEST_RISE: f64 = 0.033;
/// Time by which τ is longer in the softest press, s; chosen, with [`SOFT`], for travel times at 0.3 m/s and a
/// hammer that is fastest within 6 mm of the string at 0.5 m/s on every key.
const SOFT_RISE: f64 = 0.06;
/// Force of a press whose τ is longer by half of [`SOFT_RISE`], N.
const SOFT: f64 = 3.3;

/// Time constant of the muscle that goes on rising in a struck touch, s; chosen.
pub const FOLLOWING_RISE: f64 = 0.025;
/// Greatest force of a finger, N: that of fortissimo [Kinoshita 2007].
pub const STRONGEST: f64 = 60.0;

/// Time constant τ, s, of the muscle of a press with the full force `force`, N.
#[must_use]
pub const fn rise(force: f64) -> f64 {
    let share = force / SOFT;
    SHORTEST_RISE + SOFT_RISE / (1.0 + share * share * share)
}

/// Force F, N, by which the muscle of a finger that arrives at `speed` m/s still rises: 13 N·s³/m³ times the
/// cube of the speed, up to [`STRONGEST`]; chosen so that the hammer's greatest speed comes as long before the
/// string as measured from 1 to 5 m/s.
#[must_use]
pub const fn following_force(speed: f64) -> f64 {
    (13.0 * speed * speed * speed).clamp(0.0, STRONGEST)
}

/// Fixed-point iterations of the force at the end of a step. Each reduces the error to below 0.3 at the
/// stiffest admitted contact, so that the final error is below 1e-4 of the force.
const ITERATIONS: usize = 8;

/// Activation (0…1) of a muscle `time` s after its onset, with the time constant `rise` s.
#[must_use]
pub fn activation(time: f64, rise: f64) -> f64 {
    let s = time.max(0.0) / rise;
    1.0 - (1.0 + s) * libm::exp(-s)
}

/// A mass behind a one-sided soft tip, or one in each lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TippedMass<R = f64> {
    /// Mass, kg.
    pub mass: R,
    /// Stiffness of the tip, N/m.
    pub stiffness: R,
    /// Damping of the tip, N·s/m.
    pub damping: R,
    /// Damping of the mass against ground, N·s/m.
    pub drag: R,
    /// Depth, m.
    pub x: R,
    /// Downward speed, m/s.
    pub v: R,
}

impl<R: Real> TippedMass<R> {
    #[inline(always)]
    fn force(&self, x: R, v: R, [depth, speed]: [R; 2]) -> R {
        let (compression, zero) = (x - depth, R::of(0.0));
        let force = (self.stiffness * compression + self.damping * (v - speed)).max(zero);
        R::select(compression.gt(zero), force, zero)
    }

    /// Advances by one step under the push `push`, N, at its start and end. `key` is depth, m, and downward
    /// speed, m/s, of the key front. Returns the force on the key at start and end, N.
    #[inline(always)]
    pub fn step(&mut self, push: [R; 2], key: [R; 2]) -> [R; 2] {
        let [depth, speed] = key;
        let key_at_end = [depth + R::of(STEP) * speed, speed];
        let first = self.force(self.x, self.v, key);
        let begin = push[0] - self.drag * self.v - first;
        let mut last = first;
        let (mut x, mut v) = (self.x, self.v);
        for _ in 0..ITERATIONS {
            // Response to a force that is linear in time.
            let end = push[1] - self.drag * v - last;
            v = self.v + R::of(STEP * 0.5) * (begin + end) / self.mass;
            let moved = R::of(STEP * STEP) * (R::of(2.0) * begin + end) / (R::of(6.0) * self.mass);
            x = self.x + R::of(STEP) * self.v + moved;
            last = self.force(x, v, key_at_end);
        }
        (self.x, self.v) = (x, v);
        [first, last]
    }
}

/// One value for each of several hands.
type Each = [f64; MOST_LANES];

/// Work of [`step_several`].
struct Several<'a> {
    bodies: &'a mut [TippedMass; MOST_LANES],
    push: &'a [Each; 2],
    key: &'a [Each; 2],
}

impl Work for Several<'_> {
    type Out = [Each; 2];

    #[inline(always)]
    fn run<R: Real>(self) -> [Each; 2] {
        let mut forces = [[0.0; MOST_LANES]; 2];
        for (pack, bodies) in self.bodies.chunks_exact_mut(R::LANES).enumerate() {
            let first = pack * R::LANES;
            let mut several = TippedMass {
                mass: R::from_lanes(|lane| bodies[lane].mass),
                stiffness: R::from_lanes(|lane| bodies[lane].stiffness),
                damping: R::from_lanes(|lane| bodies[lane].damping),
                drag: R::from_lanes(|lane| bodies[lane].drag),
                x: R::from_lanes(|lane| bodies[lane].x),
                v: R::from_lanes(|lane| bodies[lane].v),
            };
            let load = |ends: &[Each; 2]| [R::load(&ends[0][first..]), R::load(&ends[1][first..])];
            let found = several.step(load(self.push), load(self.key));
            for (forces, found) in forces.iter_mut().zip(found) {
                found.store(&mut forces[first..]);
            }
            let (mut x, mut v) = ([0.0; MOST_LANES], [0.0; MOST_LANES]);
            several.x.store(&mut x);
            several.v.store(&mut v);
            for (body, (x, v)) in bodies.iter_mut().zip(x.into_iter().zip(v)) {
                (body.x, body.v) = (x, v);
            }
        }
        forces
    }
}

/// [`TippedMass::step`] of several masses in the registers of `kernel`, which change no result. `push`,
/// `key` and the returned forces are arrays over the masses.
pub(crate) fn step_several(
    kernel: Kernel,
    bodies: &mut [TippedMass; MOST_LANES],
    push: &[Each; 2],
    key: &[Each; 2],
) -> [Each; 2] {
    kernel.run(Several { bodies, push, key })
}

/// A hand that presses or strikes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hand {
    /// Mass and fingertip.
    pub body: TippedMass,
    /// Force p₀ of the muscle before its activation rises, N.
    pub held: f64,
    /// Force F by which the muscle rises, N.
    pub force: f64,
    /// Time constant τ of the activation, s.
    pub rise: f64,
    /// Time since the onset of the muscle, s; negative before the onset.
    pub age: f64,
}

impl Hand {
    /// A hand at rest on a key at `depth` m whose muscle sets in `delay` s after the beginning of the next
    /// step, with the full force `force` N.
    #[must_use]
    pub const fn pressing(depth: f64, force: f64, delay: f64) -> Self {
        let body = TippedMass { x: depth, ..PRESSING };
        Self { body, held: 0.0, force, rise: rise(force), age: -delay }
    }

    /// A finger that meets a key at `depth` m with the speed `speed` m/s.
    #[must_use]
    pub const fn striking(depth: f64, speed: f64) -> Self {
        let body = TippedMass { x: depth, v: speed, ..STRIKING };
        let (held, force) = (STRIKING.drag * speed, following_force(speed));
        Self { body, held, force, rise: FOLLOWING_RISE, age: 0.0 }
    }

    /// A mass with a soft tip under the constant force `force`, N.
    #[must_use]
    pub const fn constant(body: TippedMass, force: f64) -> Self {
        Self { body, held: force, force: 0.0, rise: FOLLOWING_RISE, age: 0.0 }
    }

    /// Present force of the muscle, N.
    #[must_use]
    pub fn push(&self) -> f64 {
        self.held + self.force * activation(self.age, self.rise)
    }

    /// Advances the muscle by one step. Returns its force at the end, N.
    pub(crate) fn advance_push(&mut self) -> f64 {
        self.age += STEP;
        self.push()
    }

    /// Advances by one step; see [`TippedMass::step`].
    pub fn step(&mut self, key: [f64; 2]) -> [f64; 2] {
        let push = [self.push(), self.advance_push()];
        self.body.step(push, key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::constants::GRAVITY;

    const TIP: TippedMass =
        TippedMass { mass: 0.3, stiffness: 3000.0, damping: 0.0, drag: 0.0, x: 0.0, v: 1.0 };

    #[test]
    fn several_hands_in_lanes_equal_single_hands_in_every_kernel() {
        let hands = [2.0, 3.0, 5.0, 12.0, 40.0, 110.0, 300.0, 550.0];
        for kernel in Kernel::available() {
            let mut alone = hands.map(|force| Hand::pressing(0.0, force, 0.0));
            let mut bodies = alone.map(|hand| hand.body);
            for step in 0..200 {
                // Keys on their way down, from which the slower hands lift off.
                let key = [1e-7 * f64::from(step * step), 1e-3 * f64::from(step)];
                let push = alone.map(|mut hand| [hand.push(), hand.advance_push()]);
                let ends =
                    |pairs: [[f64; 2]; MOST_LANES]| [0, 1].map(|end| pairs.map(|pair| pair[end]));
                let keys = ends([key; MOST_LANES]);
                let forces = step_several(kernel, &mut bodies, &ends(push), &keys);
                let each = ends(std::array::from_fn(|i| alone[i].step(key)));
                assert_eq!(forces, each, "{kernel:?}, step {step}");
                assert_eq!(bodies, alone.map(|hand| hand.body));
            }
        }
    }

    #[test]
    fn an_undamped_mass_rebounds_from_a_fixed_key_at_its_initial_speed() {
        let mut mass = TIP;
        let mut contact = 0.0;
        for _ in 0..400 {
            let [a, b] = mass.step([0.0; 2], [0.0; 2]);
            contact += if a + b > 0.0 { STEP } else { 0.0 };
        }
        assert!((mass.v + 1.0).abs() < 1e-3, "{}", mass.v);
        // Half a period of √(k/m).
        assert!((contact - std::f64::consts::PI / 100.0).abs() < 2.0 * STEP, "{contact}");
    }

    #[test]
    fn the_key_receives_the_momentum_the_mass_loses() {
        let mut mass = TippedMass { damping: 5.0, ..TIP };
        let ([mut depth, mut speed], mut impulse) = ([0.0; 2], 0.0);
        for _ in 0..400 {
            let [a, b] = mass.step([0.0; 2], [depth, speed]);
            impulse += 0.5 * (a + b) * STEP;
            speed += 0.5 * (a + b) * STEP / 0.25;
            depth += speed * STEP;
        }
        assert!((impulse - 0.3 * (1.0 - mass.v)).abs() < 1e-12);
        assert!(mass.v < speed, "they part");
    }

    #[test]
    fn a_weight_at_rest_presses_the_key_with_its_weight() {
        let mut mass =
            TippedMass { mass: 0.05, stiffness: 2e4, damping: 20.0, drag: 0.0, x: -0.002, v: 0.0 };
        let weight = 0.05 * GRAVITY;
        let mut last = 0.0;
        for _ in 0..8000 {
            last = mass.step([weight; 2], [0.0; 2])[1];
        }
        assert!((last - weight).abs() < 1e-9, "{last}");
        assert!((mass.x - weight / 20_000.0).abs() < 1e-12);
    }

    #[test]
    fn a_soft_press_rises_slowly_and_a_strong_one_in_the_shortest_time() {
        assert!((rise(0.0) - 0.093).abs() < 1e-12);
        assert!((rise(3.3) - 0.063).abs() < 1e-12);
        assert!((rise(200.0) - 0.033).abs() < 1e-6);
        assert!(rise(f64::INFINITY) == 0.033);
    }

    #[test]
    fn a_free_hand_keeps_its_speed_and_a_pressing_one_reaches_its_force() {
        let mut hand = Hand { force: 0.0, ..Hand::striking(0.0, 0.7) };
        for _ in 0..800 {
            assert_eq!(hand.step([1.0, 0.0]), [0.0; 2], "the key is far below");
        }
        assert!((hand.body.v - 0.7).abs() < 1e-12);
        let mut hand = Hand::pressing(0.0, 4.0, 0.5 * STEP);
        let mut force = 0.0;
        for _ in 0..16_000 {
            force = hand.step([0.0; 2])[1];
        }
        assert!((force - 4.0).abs() < 1e-6, "on a key that does not give: {force}");
        let rise = rise(4.0);
        let (tenth, nine_tenths) = (activation(0.532 * rise, rise), activation(3.89 * rise, rise));
        assert!((tenth - 0.1).abs() < 1e-3 && (nine_tenths - 0.9).abs() < 1e-3);
    }
}
