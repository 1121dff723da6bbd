//! Rates at which the loads of contacts damp the parts on them, as numbers of substeps.

use crate::STEP;
use crate::grand::design::spec::Spec;
use crate::grand::equations::mobility::Mobilities;
use touchback_core::math::real::Real;
use touchback_core::mech::felt::{Contact, Felt};

/// Largest product of the rate at which a loaded felt damps a part, 1/s, and a substep.
const DAMPED: f64 = 2.5;

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
    /// Damping of the jack's stop and button, and of the knuckle.
    pub resistances: [Resistance<R>; 3],
    /// Slide of the knuckle over the corner of the jack's head, by the speed of the slide, s/m: at most half
    /// the corner's radius in a substep.
    pub slide: R,
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
            // A tail that friction holds in the check returns at less than its elastic force.
            check: rate(&spec.check.felt, m.tail) / (1.0 - spec.check.felt.hysteresis).max(0.1),
            on_lever: rate(&spec.lever.knuckle_felt, m.on_lever),
            lever_stop: rate(&spec.lever.stop_felt, m.lever),
            drop: rate(&spec.lever.drop_felt, m.drop),
            lift: rate(&spec.damper.lift_felt, m.damper),
            seat: rate(&spec.damper.seat_felt, m.damper),
            top: rate(&spec.damper.top_felt, m.damper),
            jack: m.jack * scale,
            knuckle: m.knuckle * scale,
            resistances: [
                Resistance::new(&spec.jack.stop_felt),
                Resistance::new(&spec.jack.button_felt),
                Resistance::new(&spec.hammer.knuckle_felt),
            ],
            slide: 2.0 * STEP / spec.jack.corner_radius.max(LEAST_CORNER),
        }
    }
}

impl<R: Real> LoadRates<R> {
    /// Number of substeps that the head of the jack requires under the resistance `on_knuckle` N·s/m of the
    /// knuckle, at an arm of the square `arm_squared` m² about the jack's centre, and the resistances `others` of
    /// the other contacts to the jack's turn, N·m·s.
    #[inline(always)]
    pub(super) fn at_head(&self, on_knuckle: R, arm_squared: R, others: [R; 3]) -> R {
        let [stop, window, button] = others;
        let on_jack = on_knuckle * arm_squared + stop + window + button;
        on_jack * self.jack + on_knuckle * self.knuckle
    }

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
            resistances: std::array::from_fn(|i| Resistance {
                by_load: R::from_lanes(|lane| key(lane).resistances[i].by_load),
                most: R::from_lanes(|lane| key(lane).resistances[i].most),
                damping: R::from_lanes(|lane| key(lane).resistances[i].damping),
            }),
            slide: R::from_lanes(|lane| key(lane).slide),
        }
    }
}

/// Radius of the corner of a jack's head that counts as sharp, m.
const LEAST_CORNER: f64 = 1e-4;

/// Damping of a felt at reversal by its load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resistance<R = f64> {
    /// Damping of the hysteresis per load, η/v₀, s/m.
    pub by_load: R,
    /// Limit of the damping of the hysteresis, η/γ, N·s/m.
    pub most: R,
    /// λ, s/m.
    pub damping: R,
}

impl Resistance {
    fn new(felt: &Felt) -> Self {
        let is_limited = felt.reversal_growth > 0.0;
        Self {
            by_load: felt.hysteresis / felt.reversal_speed,
            most: if is_limited { felt.hysteresis / felt.reversal_growth } else { f64::INFINITY },
            damping: felt.damping,
        }
    }
}

impl<R: Real> Resistance<R> {
    /// Upper bound of the damping at reversal under the load of `contact`, N·s/m: at most √2 times the
    /// damping.
    #[inline(always)]
    pub(super) fn of(&self, contact: &Contact<R>) -> R {
        let load = contact.force;
        (load * self.by_load).min(self.most) + load * self.damping
    }
}
