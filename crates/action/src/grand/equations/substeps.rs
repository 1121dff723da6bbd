//! Length of a (sub)step: short where the hammer is on its string, and where loaded felts damp light
//! parts.
//!
//! Where its motion reverses, a felt under the force F, there elastic, damps with F (λ + η/v) N·s/m,
//! v² = v₀² + (γF)². A part of mobility w then slows down at the rate F (λ + η/v) w, 1/s, and the
//! Runge–Kutta method is stable while this rate times the substep is below 2.785.

use crate::STEP;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::precomputed::{HALVINGS, MOST_SUBSTEPS, Precomputed};
use crate::grand::{STATES, state};
use touchback_core::math::power::square;
use touchback_core::math::real::{Mask, Real};

/// Angle of a rising hammer below its string from which it counts as meeting the string, rad: rounding may
/// put the split of a step just before the contact.
const MEETING: f64 = 1e-9;

/// Number of substeps, below 1 by more than rounding, up to which a step is not divided.
const NO_SUBSTEPS: f64 = 0.999;

impl<R: Real> Evaluation<R> {
    /// Rate of the fastest decay among the loaded contacts, or of the slide over the jack's corner, as a
    /// number of substeps of a step.
    #[inline(always)]
    fn loaded(&self, n: &Precomputed<R>) -> R {
        let (c, rates) = (&self.contacts, &n.load_rates);
        let [lift, seat, tray, top] = &c.damper;
        let key = (c.bed.force * rates.bed).max(c.rest.force * rates.rest);
        let hammer = (c.rail.force * rates.rail).max(c.check.1.force * rates.check);
        // Knuckle and wippen, or button, hold the light lever between them: their rates add.
        let lever = c.raised.force.max(c.lowered.force) * rates.lever_stop
            + c.lever.1.force * rates.on_lever
            + c.drop.1.force * rates.drop;
        let damper = (lift.force.max(tray.force) * rates.lift)
            .max((seat.force * rates.seat).max(top.force * rates.top));
        let others = key.max(hammer).max(lever.max(damper));
        if n.is_rigid() {
            return others;
        }
        // The knuckle turns the jack where it is beside the flat of the head, against stop or window.
        let head = &self.kinematics.head;
        let [at_stop, at_button, at_knuckle] = &rates.resistances;
        let arm_squared = square(head.from_jack.cross(head.normal));
        let (stop, window) = (at_stop.of(&c.stop), at_stop.of(&c.window));
        let button = at_button.of(&c.button);
        let others_on_jack = [stop, window, button * square(n.jack.toe.x)];
        // Where an upper bound requires no substeps, the damping is not computed.
        let mut knuckle = rates.at_head(at_knuckle.of(&c.jack), arm_squared, others_on_jack);
        if knuckle.gt(R::of(NO_SUBSTEPS)).any() {
            let mobility = n.inv_jack_inertia * arm_squared + n.knuckle_mobility;
            let slowing = c.jack.force * mobility * R::of(STEP);
            let rate = (self.kinematics.q4_rate().abs() - slowing).max(R::of(0.0));
            // The compression changes through the step by at least this rate.
            let on_knuckle = n.hammer.knuckle_felt.damping_under(c.jack.force, rate);
            knuckle = rates.at_head(on_knuckle, arm_squared, others_on_jack);
        }
        let slide = (self.kinematics.slide_speed() * rates.slide).abs();
        let slide = R::select(c.jack.force.gt(R::of(0.0)), slide, R::of(0.0));
        others.max(knuckle).max(slide)
    }

    /// Whether the hammer is on its string or just meeting it.
    #[inline(always)]
    fn on_string(x: &[R; STATES]) -> R::Mask {
        let (zero, angle) = (R::of(0.0), x[state::HAMMER]);
        angle.gt(zero) | (angle.gt(R::of(-MEETING)) & x[state::HAMMER_SPEED].gt(zero))
    }

    /// Number of substeps for a full step at `x`. It follows from the highest stiffness that the energy of a
    /// hammer on its string can reach, and from the loads of the contacts.
    #[inline(always)]
    fn substeps(&self, n: &Precomputed<R>, x: &[R; STATES]) -> R {
        let one = R::of(1.0);
        let mut substeps = self.loaded(n).max(one).min(R::of(MOST_SUBSTEPS));
        let touching = Self::on_string(x);
        if !touching.any() {
            return substeps;
        }
        let u = x[state::HAMMER_SPEED];
        let stored = n.string.energy(n.hammer.crown * x[state::HAMMER]);
        let energy = R::of(0.5) * n.head_inertia * u * u + stored;
        let mut count = one;
        for i in 0..HALVINGS {
            count = count + count;
            let exceeds = touching & energy.gt(n.contact_energies[i]);
            substeps = R::select(exceeds, count.max(substeps), substeps);
        }
        substeps
    }

    /// Longest (sub)step that may begin at `x`, where this is the evaluation, within a step of `h` s, s: `h`
    /// over the number of substeps, shortened to end where the hammer reverses on its string, because the
    /// felt's hysteresis is discontinuous there.
    #[inline(always)]
    pub fn max_substep(&self, n: &Precomputed<R>, x: &[R; STATES], h: R) -> R {
        let zero = R::of(0.0);
        let mut equal = h / self.substeps(n, x);
        let height = n.hammer.crown * x[state::HAMMER];
        let speed = n.hammer.crown * x[state::HAMMER_SPEED];
        // A substep ends where a rising hammer meets its string: the contact is too short to be found
        // inside a longer one.
        let arrives = height.lt(zero) & (height + speed * h).gt(zero);
        if arrives.any() {
            let least = h * R::of(1.0 / MOST_SUBSTEPS);
            let approach = (-height / speed).max(least);
            equal = R::select(arrives, equal.min(approach), equal);
        }
        let rising = Self::on_string(x) & speed.gt(zero);
        if !rising.any() {
            return equal;
        }
        let momentum = speed * n.head_inertia / (n.hammer.crown * n.hammer.crown);
        let reversal = n.string.reversal_time(height, speed, momentum, h);
        // A reversal within the first 10 % of the substep does not shorten it.
        let shortens = rising & reversal.lt(equal) & reversal.gt(R::of(0.1) * equal);
        R::select(shortens, reversal, equal)
    }
}

#[cfg(test)]
mod tests {
    use crate::grand::key::grand_key::GrandKey;
    use crate::grand::state;
    use crate::interface::key::Key;
    use crate::keyboard::energy_audit;
    use crate::{ActionSettings, Drive, EventKind, STEP};
    use touchback_core::math::cast::floor_index;
    use touchback_core::math::compass::KeyNumber;

    /// Plays `drive` of each step on key `number` for `steps` steps; number of strikes, work, J, and largest
    /// unaccounted energy, J.
    fn played(number: usize, steps: u32, drive: impl Fn(f64) -> Drive) -> (usize, f64, f64) {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let mut key = GrandKey::new(key, &ActionSettings::default());
        let begun = key.readout(Drive::Free).imbalance();
        let (mut strikes, mut gap, mut work) = (0, 0.0f64, 0.0f64);
        for step in 0..steps {
            let drive = drive(f64::from(step) * STEP);
            key.step(drive, &mut |_, event| {
                strikes += usize::from(event.kind() == EventKind::Strike);
            });
            let now = key.readout(drive);
            gap = gap.max((now.imbalance() - begun).abs());
            work = work.max(now.work);
        }
        (strikes, work, gap)
    }

    /// Speed, rad/s, at which the hammer of key `number` leaves its string after a strike at `speed` m/s, in
    /// `parts` times as many steps.
    fn rebound(number: usize, speed: f64, parts: u32) -> f64 {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let built = GrandKey::new(key, &ActionSettings::default());
        let start = built.assembly().strike(speed).unwrap();
        let mut key = GrandKey::from_state(built.assembly().spec, start);
        key.refine(parts);
        for _ in 0..80 {
            key.step(Drive::Free, &mut |_, _| {});
            let x = key.state().x;
            if x[state::HAMMER] < 0.0 && x[state::HAMMER_SPEED] < 0.0 {
                return x[state::HAMMER_SPEED];
            }
        }
        panic!("the hammer of key {number} stays at its string");
    }

    /// What remains comes from friction, which is held through a step, and from the end of the step in which
    /// the hammer leaves.
    #[test]
    fn hammers_rebound_as_with_a_fine_step() {
        let mut squares = Vec::new();
        for number in (1..=88).step_by(3) {
            for speed in [0.5, 1.0, 2.0, 3.3, 5.0, 7.0] {
                let ratio = rebound(number, speed, 1) / rebound(number, speed, 64);
                squares.push((ratio - 1.0) * (ratio - 1.0));
            }
        }
        let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(rms < 5e-3, "{rms}");
    }

    /// A standing force loads the check, whose friction holds the hammer, with 50 to 150 N.
    #[test]
    fn standing_forces_create_no_energy() {
        for number in [1, 40, 71, 88] {
            for force in [60.0, 120.0, 200.0] {
                let (_, work, gap) = played(number, 2400, |_| Drive::Force([force; 2]));
                assert!(
                    gap <= energy_audit::limit(work),
                    "{number}, {force} N: {gap} J of {work} J"
                );
            }
        }
    }

    /// In fast trills the jack is held between the knuckle at its side and its window.
    #[test]
    fn fast_trills_create_no_energy() {
        for rate in [8.0, 13.8, 16.0] {
            let target = |time: f64| {
                let share = (time * rate).fract();
                24e-3 * (4.0 * share).min(3.0 - 4.0 * share).clamp(0.0, 1.0)
            };
            let (_, work, gap) =
                played(45, 6400, |time| Drive::Finger([target(time), target(time + STEP)]));
            assert!(gap <= energy_audit::limit(work), "{rate}/s: {gap} J of {work} J");
        }
    }

    /// Slow constant speeds of the key: from a lowest speed on the hammer strikes once.
    #[test]
    fn imposed_speeds_have_no_silent_gaps_and_no_double_strikes() {
        for number in [16, 40, 71] {
            let strikes = |speed: f64| {
                let depth = |time: f64| (speed * time).min(10e-3);
                let drive = |time: f64| Drive::along(depth, time);
                let pressed = floor_index(10e-3 / (speed * STEP));
                played(number, 3200 + u32::try_from(pressed).unwrap(), drive).0
            };
            let counts = [0.012, 0.042, 0.045, 0.056, 0.081, 0.11, 0.125, 0.15].map(strikes);
            assert_eq!(counts, [0, 1, 1, 1, 1, 1, 1, 1], "key {number}");
        }
    }
}
