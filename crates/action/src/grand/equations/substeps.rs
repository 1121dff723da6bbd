//! Length of a (sub)step: short where the hammer is on its string, and where loaded felts damp light
//! parts.
//!
//! Where its motion reverses, a felt under the elastic force F damps with F (λ + η/v) N·s/m,
//! v² = v₀² + (γF)². A part of mobility w then slows down at the rate F (λ + η/v) w, 1/s, and the
//! Runge–Kutta method is stable while this rate times the substep is below 2.785.

use crate::STEP;
use crate::grand::design::spec::Spec;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::mobility::Mobilities;
use crate::grand::equations::precomputed::{HALVINGS, Precomputed};
use crate::grand::{STATES, state};
use touchback_core::math::power::square;
use touchback_core::math::real::{Mask, Real};
use touchback_core::mech::felt::{Contact, Felt};

/// Largest product of the rate at which a loaded felt damps a part, 1/s, and a (sub)step.
pub const DAMPED: f64 = 2.5;

/// Rates at which loaded felts damp the parts on them, as numbers of steps: over one, substeps follow.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadRates<R = f64> {
    /// Key on its bed, 1/N.
    pub bed: R,
    /// Key on its rest felt, 1/N.
    pub rest: R,
    /// Hammer on the rest rail, 1/N.
    pub rail: R,
    /// Tail in the backcheck, 1/N.
    pub check: R,
    /// Knuckle on the repetition lever, 1/N.
    pub on_lever: R,
    /// Repetition lever on its stops, 1/(N·m).
    pub lever_stop: R,
    /// Repetition lever on the drop screw, 1/N.
    pub drop: R,
    /// Damper on key tail or tray, 1/N.
    pub lift: R,
    /// Damper on its string, 1/N.
    pub seat: R,
    /// Damper on its stop rail, 1/N.
    pub top: R,
    /// Jack's turn, by the resistance of a felt to the turn, 1/(N·m·s).
    pub jack: R,
    /// Hammer and wippen at the knuckle, by the resistance of the felt, m/(N·s).
    pub knuckle: R,
}

impl LoadRates {
    /// The rates of a key of which `m` are the mobilities.
    #[must_use]
    pub fn new(spec: &Spec, m: &Mobilities) -> Self {
        let scale = STEP / DAMPED;
        let rate = |felt: &Felt, mobility: f64| {
            (felt.damping + felt.hysteresis / felt.reversal_speed) * mobility * scale
        };
        Self {
            bed: rate(&spec.key.bed_felt, m.front),
            rest: rate(&spec.key.rest_felt, m.front),
            rail: rate(&spec.hammer.rail_felt, m.crown),
            check: rate(&spec.check.felt, m.tail),
            on_lever: rate(&spec.lever.knuckle_felt, m.on_lever),
            lever_stop: rate(&spec.lever.stop_felt, m.lever),
            drop: rate(&spec.lever.drop_felt, m.drop),
            lift: rate(&spec.damper.lift_felt, m.damper),
            seat: rate(&spec.damper.seat_felt, m.damper),
            top: rate(&spec.damper.top_felt, m.damper),
            jack: m.jack * scale,
            knuckle: m.knuckle * scale,
        }
    }
}

impl<R: Real> LoadRates<R> {
    /// The rates of the keys `key(lane)` side by side.
    #[inline(always)]
    pub(crate) fn gather<'a>(key: impl Fn(usize) -> &'a LoadRates) -> Self {
        Self {
            bed: R::from_lanes(|lane| key(lane).bed),
            rest: R::from_lanes(|lane| key(lane).rest),
            rail: R::from_lanes(|lane| key(lane).rail),
            check: R::from_lanes(|lane| key(lane).check),
            on_lever: R::from_lanes(|lane| key(lane).on_lever),
            lever_stop: R::from_lanes(|lane| key(lane).lever_stop),
            drop: R::from_lanes(|lane| key(lane).drop),
            lift: R::from_lanes(|lane| key(lane).lift),
            seat: R::from_lanes(|lane| key(lane).seat),
            top: R::from_lanes(|lane| key(lane).top),
            jack: R::from_lanes(|lane| key(lane).jack),
            knuckle: R::from_lanes(|lane| key(lane).knuckle),
        }
    }
}

/// Upper bound of the damping at reversal under the load of `contact`, N·s/m: at most √2 times the
/// damping.
#[inline(always)]
fn resistance<R: Real>(felt: &Felt<R>, contact: &Contact<R>) -> R {
    let load = contact.elastic;
    let speed = felt.reversal_speed.max(felt.reversal_growth * load);
    load * (felt.damping + felt.hysteresis / speed)
}

impl<R: Real> Evaluation<R> {
    /// Rate of the fastest decay among the loaded contacts, in [`DAMPED`] per step.
    #[inline(always)]
    fn loaded(&self, n: &Precomputed<R>) -> R {
        let (c, rates) = (&self.contacts, &n.load_rates);
        let [lift, seat, tray, top] = &c.damper;
        let key = (c.bed.elastic * rates.bed).max(c.rest.elastic * rates.rest);
        let hammer = (c.rail.elastic * rates.rail).max(c.check.1.elastic * rates.check);
        let lever = (c.raised.elastic.max(c.lowered.elastic) * rates.lever_stop)
            .max(c.lever.1.elastic * rates.on_lever)
            .max(c.drop.1.elastic * rates.drop);
        let damper = (lift.elastic.max(tray.elastic) * rates.lift)
            .max((seat.elastic * rates.seat).max(top.elastic * rates.top));
        let others = key.max(hammer).max(lever.max(damper));
        if n.is_rigid() {
            return others;
        }
        // The knuckle turns the jack where it is beside the flat of the head, against stop or window.
        let head = &self.kinematics.head;
        let on_knuckle = resistance(&n.hammer.knuckle_felt, &c.jack);
        let stop = resistance(&n.jack.stop_felt, &c.stop);
        let window = resistance(&n.jack.stop_felt, &c.window);
        let button = resistance(&n.jack.button_felt, &c.button);
        let arm = head.from_jack.cross(head.normal);
        let on_jack = on_knuckle * square(arm) + stop + window + button * square(n.jack.toe.x);
        others.max(on_jack * rates.jack + on_knuckle * rates.knuckle)
    }

    /// Whether the hammer is on its string or just meeting it.
    #[inline(always)]
    fn on_string(x: &[R; STATES]) -> R::Mask {
        let zero = R::of(0.0);
        let angle = x[state::HAMMER];
        angle.gt(zero) | (angle.ge(zero) & x[state::HAMMER_SPEED].gt(zero))
    }

    /// Number of equal substeps for a full step at `x`, a power of two. It follows from the highest
    /// stiffness that the energy of a hammer on its string can reach, and from the loads of the contacts.
    #[inline(always)]
    fn substeps(&self, n: &Precomputed<R>, x: &[R; STATES]) -> R {
        let one = R::of(1.0);
        let loaded = self.loaded(n);
        let mut substeps = one;
        if loaded.gt(one).any() {
            let mut count = one;
            for _ in 0..HALVINGS {
                let exceeds = loaded.gt(count);
                count = count + count;
                substeps = R::select(exceeds, count, substeps);
            }
        }
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
        let equal = h / self.substeps(n, x);
        let speed = n.hammer.crown * x[state::HAMMER_SPEED];
        let rising = Self::on_string(x) & speed.gt(zero);
        if !rising.any() {
            return equal;
        }
        let momentum = speed * n.head_inertia / (n.hammer.crown * n.hammer.crown);
        let reversal =
            n.string.reversal_time(n.hammer.crown * x[state::HAMMER], speed, momentum, h);
        // A reversal within the first 10 % of the substep does not shorten it.
        let shortens = rising & reversal.lt(equal) & reversal.gt(R::of(0.1) * equal);
        R::select(shortens, reversal, equal)
    }
}
