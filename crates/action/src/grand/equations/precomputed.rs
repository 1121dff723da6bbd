//! The numbers in the equations of motion of one key, or of several keys side by side: those of the
//! parts of [`Spec`], and constants derived from them.
//!
//! A number of a part that the equations use unchanged needs only `as` in its row of the part's
//! table.

use crate::grand::design::parts::check::CheckNumbers;
use crate::grand::design::parts::damper::DamperNumbers;
use crate::grand::design::parts::hammer::HammerNumbers;
use crate::grand::design::parts::jack::JackNumbers;
use crate::grand::design::parts::key::KeyNumbers;
use crate::grand::design::parts::lever::LeverNumbers;
use crate::grand::design::parts::wippen::WippenNumbers;
use crate::grand::design::spec::{Hammer, Spec};
use crate::grand::design::table::{Number, Point, gather};
use crate::grand::equations::load_rates::LoadRates;
use crate::grand::equations::mobility::Mobilities;
use crate::{GRAVITY, STEP};
use touchback_core::math::power::square;
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// Largest angle, rad, that a hammer on its string may swing (as an oscillation on the contact's
/// tangent) in one (sub)step. The angle is multiplied by √(1 − η): a string that keeps most of the
/// hammer's energy brakes the hammer more steeply where it turns round. Chosen by the rebounds of 30 keys
/// at six speeds from 0.5 to 7 m/s, compared with a 64th of the step: their speeds differ by 0.45 % (rms)
/// with 0.5, by 0.43 % with 0.33 and by 0.61 % with 0.6; the energy is off by 0.08 % of the hammer's.
const SWING: f64 = 0.5;

/// Number of substep counts with a limit of their own: 2⁰ … 2⁴. Above the last limit, 2⁵ substeps.
pub const HALVINGS: usize = 5;
/// Most substeps of a step.
pub(crate) const MOST_SUBSTEPS: f64 = (1u32 << HALVINGS) as f64;

/// Limits for 2⁰ … 2⁴ substeps.
type Halvings<R> = [R; HALVINGS];

/// A derived number of several keys, one in each lane.
macro_rules! gather_derived {
    (Halvings, $key:expr, $field:ident) => {
        std::array::from_fn(|i| R::from_lanes(|lane| $key(lane).$field[i]))
    };
    (LoadRates, $key:expr, $field:ident) => {
        LoadRates::gather(|lane| &$key(lane).$field)
    };
    ($kind:ident, $key:expr, $field:ident) => {
        gather!($kind, $key, $field)
    };
}

/// Declares [`Precomputed`]: its parts, each with its numbers of the spec, and the derived numbers,
/// each with its formula.
macro_rules! precomputed {
    (
        $spec:ident;
        parts { $($part:ident: $numbers:ident = $given:expr,)* }
        derived { $($(#[$about:meta])* $field:ident: $kind:ident = $value:expr;)* }
    ) => {
        /// The numbers of one key (`Precomputed`), or of one key in each lane. SI; frames and signs
        /// as in [`Spec`].
        #[derive(Clone, Copy, Debug)]
        pub struct Precomputed<R = f64> {
            $(
                #[doc = concat!("Numbers of [`Spec::", stringify!($part), "`].")]
                pub $part: $numbers<R>,
            )*
            $($(#[$about])* pub $field: $kind<R>,)*
        }

        impl<R: Real> Precomputed<R> {
            /// The keys `key(lane)` side by side.
            #[inline(always)]
            #[must_use]
            pub fn gather<'a>(key: impl Fn(usize) -> &'a Precomputed) -> Self {
                Self {
                    $($part: $numbers::gather(|lane| &key(lane).$part),)*
                    $($field: gather_derived!($kind, key, $field),)*
                }
            }
        }

        impl Precomputed {
            /// The numbers of the key `spec`.
            #[must_use]
            pub fn new($spec: &Spec) -> Self {
                Self {
                    $($part: $numbers::new($given),)*
                    $($field: $value,)*
                }
            }
        }
    };
}

precomputed! {
    spec;
    parts {
        key: KeyNumbers = &spec.key,
        wippen: WippenNumbers = &spec.wippen,
        jack: JackNumbers = &spec.jack,
        lever: LeverNumbers = &spec.lever,
        hammer: HammerNumbers = &spec.hammer.in_equations(),
        check: CheckNumbers = &spec.check,
        damper: DamperNumbers = &spec.damper.in_equations(),
    }
    derived {
        /// Square of the distance of the capstan's line from the wippen's centre pin, m².
        heel_squared: Number = spec.wippen.heel * spec.wippen.heel;

        /// Inertia of the wippen with the masses of jack and lever at their centre pins, kg·m².
        wippen_inertia: Number = spec.wippen.inertia
            + spec.jack.mass * spec.wippen.jack_pivot.norm_squared()
            + spec.lever.mass * spec.wippen.lever_pivot.norm_squared();
        /// Weight of the wippen with the masses of jack and lever at their centre pins, times the
        /// position of its centre of mass, N·m.
        wippen_weight: Point = (spec.wippen.centre * spec.wippen.mass
            + spec.wippen.jack_pivot * spec.jack.mass
            + spec.wippen.lever_pivot * spec.lever.mass)
            * GRAVITY;

        /// Direction of the jack on its stop, in the wippen's frame.
        jack_home: Point = direction(spec.jack.stop);
        /// Direction of the fly, in the jack's frame.
        fly: Point = direction(spec.jack.lean).perp();
        /// Distance of the toe from the jack's centre pin, m.
        toe_length: Number = spec.jack.toe.norm_squared().sqrt();
        /// Reciprocal of `toe_length`, 1/m.
        inv_toe_length: Number = 1.0 / spec.jack.toe.norm_squared().sqrt();
        /// Reciprocal of the square of `toe_length`, 1/m².
        inv_toe_squared: Number = 1.0 / spec.jack.toe.norm_squared();
        /// Mass of the jack times the position of its centre of mass, kg·m.
        jack_moment: Point = spec.jack.centre * spec.jack.mass;
        /// Reciprocal of the jack's inertia, 1/(kg·m²).
        inv_jack_inertia: Number = 1.0 / spec.jack.inertia;
        /// Centre of the head's round corner from the jack's centre pin, m: x along the fly, y
        /// across it toward the crown.
        corner: Point = Vec2::new(spec.jack.length - spec.jack.corner_radius, spec.jack.corner);
        /// Height of the let-off button's face above the wippen's centre pin, m.
        button_from_wippen: Number = spec.jack.button_height - spec.wippen.pivot.y;

        /// Radius with which the knuckle rolls on the repetition lever, m.
        rolling_radius: Number = spec.lever.knuckle_radius;
        /// Direction of the repetition lever's upper surface, in the lever's frame.
        lever_surface: Point = direction(spec.lever.surface_angle);
        /// Mass of the lever times the position of its centre of mass, kg·m.
        lever_moment: Point = spec.lever.centre * spec.lever.mass;
        /// Reciprocal of the lever's inertia, 1/(kg·m²).
        inv_lever_inertia: Number = 1.0 / spec.lever.inertia;
        /// Direction of the lever on the regulating button, in the wippen's frame.
        lever_stop: Point = Vec2::unit(spec.lever.stop);
        /// Point under the drop screw from the lever's centre pin, in the surface's frame, m.
        drop_point: Point = Vec2::new(-spec.lever.drop_reach, spec.lever.surface_height);
        /// Height of the drop screw above the wippen's centre pin, m.
        drop_from_wippen: Number = spec.lever.drop_height - spec.wippen.pivot.y;

        /// Hammer's centre pin from the wippen's centre pin, m.
        hammer_from_wippen: Point = spec.hammer.pivot - spec.wippen.pivot;
        /// Centre of the knuckle's rolling on the repetition lever, in the hammer's frame, m.
        rolling_centre: Point = spec.rolling_centre();
        /// Centre of the round knuckle, in the hammer's frame, m.
        knuckle_centre: Point = Vec2::new(
            spec.hammer.knuckle,
            spec.hammer.knuckle_radius - spec.hammer.knuckle_depth,
        );
        /// Weight of the hammer times the position of its centre of mass, N·m.
        hammer_weight: Point = spec.hammer.centre * (GRAVITY * spec.hammer.mass);
        /// Inertia of the hammer's head, a mass at the crown, kg·m²; of the whole hammer with a
        /// rigid shank.
        head_inertia: Number = spec.hammer.head_inertia();
        /// Reciprocal of `head_inertia`, 1/(kg·m²).
        inv_head_inertia: Number = 1.0 / spec.hammer.head_inertia();
        /// Inertia of the butt and of the part of the shank that turns with it, kg·m²; 0 with a
        /// rigid shank.
        butt_inertia: Number = spec.hammer.butt_inertia();
        /// Turn of the butt against the line from centre pin to crown per turn of the shank's
        /// hinge; 0 with a rigid shank.
        bend_share: Number = spec.hammer.bend_share();
        /// Element hammer by bend of the inverse mass matrix, 1/(kg·m²); 0 with a rigid shank.
        inv_mass_hammer_bend: Number = if spec.hammer.bends() {
            1.0 / (spec.hammer.bend_share() * spec.hammer.head_inertia())
        } else {
            0.0
        };
        /// Element bend by bend of the inverse mass matrix, 1/(kg·m²); 0 with a rigid shank.
        inv_mass_bend: Number = inv_mass_bend(&spec.hammer);

        /// Outward normal of the check's face, in the key's frame. Its angle, back at the hammer,
        /// is beyond the range of the series in [`direction`].
        check_normal: Point = Vec2::unit(spec.check.normal);
        /// Displacement of the tail per bend of the shank, in the hammer's frame, m/rad.
        tail_by_bend: Point = (spec.check.tail - Vec2::new(spec.hammer.crown, 0.0)).perp()
            * if spec.hammer.bends() { 1.0 - spec.hammer.bend_share() } else { 0.0 };

        /// Ratio of damper travel to key-front travel; 0 without damper.
        damper_ratio: Number = spec.damper.arm / spec.key.front * spec.damper.scale();
        /// Reciprocal of the damper's mass, 1/kg; 0 without damper.
        inv_damper_mass: Number = spec.damper.scale() / spec.damper.mass;

        /// Contact of hammer and string.
        string: Felt = spec.string;
        /// Stiffness k1 of the thesis's manipulandum coupling, N·m/rad.
        coupling_stiffness: Number = spec.coupling[0];
        /// Damping b1 of the thesis's manipulandum coupling, N·m·s/rad.
        coupling_damping: Number = spec.coupling[1];

        /// Largest energies of the hammer against its string for 1, 2, 4 … substeps, J.
        contact_energies: Halvings = contact_energies(spec);
        /// Mobility of the knuckle along the jack, 1/kg.
        knuckle_mobility: Number = Mobilities::new(spec).knuckle;
        /// Rates at which loaded felts damp the parts on them.
        load_rates: LoadRates = LoadRates::new(spec, &Mobilities::new(spec));
    }
}

impl<R: Real> Precomputed<R> {
    /// Whether the knuckle is a straight line and rigid constraints carry the jack: never with
    /// several keys side by side.
    #[inline(always)]
    pub fn is_rigid(&self) -> bool {
        R::LANES == 1 && !self.hammer.knuckle_radius.gt(R::of(0.0)).any()
    }

    /// Depth of the key front below rest with the key at `angle` rad, m.
    #[inline(always)]
    pub fn depth(&self, angle: R) -> R {
        self.key.front * (angle - self.key.rest_angle)
    }
}

/// Element bend by bend of the inverse mass matrix of head and butt, 1/(kg·m²); 0 with a rigid
/// shank.
fn inv_mass_bend(hammer: &Hammer) -> f64 {
    if !hammer.bends() {
        return 0.0;
    }
    let share = hammer.bend_share();
    hammer.inertia / (share * share * hammer.head_inertia() * hammer.butt_inertia())
}

/// Largest energies at which 1, 2, 4 … substeps keep the hammer's swing on its string within
/// [`SWING`] at the deepest point that the energy reaches.
fn contact_energies(spec: &Spec) -> [f64; HALVINGS] {
    let (felt, hammer) = (&spec.string, &spec.hammer);
    let (k, p) = (felt.stiffness, felt.exponent);
    // K p ξ^(p−1) is the tangent on which the hammer swings by that angle in one substep; each
    // doubling of the substeps allows four times the tangent.
    let swing = SWING * (1.0 - felt.hysteresis).max(0.0).sqrt();
    let mass = hammer.head_inertia() / (hammer.crown * hammer.crown);
    let tangent = square(swing / STEP) * mass;
    let mut energies = [0.0; HALVINGS];
    if p > 1.0 {
        let deepest = libm::pow(tangent / (k * p), 1.0 / (p - 1.0));
        let mut energy = k * libm::pow(deepest, p + 1.0) / (p + 1.0);
        let growth = libm::pow(4.0, (p + 1.0) / (p - 1.0));
        for e in &mut energies {
            *e = energy;
            energy *= growth;
        }
    } else {
        let mut enough = tangent;
        for e in &mut energies {
            *e = if k <= enough { f64::INFINITY } else { 0.0 };
            enough *= 4.0;
        }
    }
    energies
}
