//! What the equations of motion need of one key, or of several side by side: the dimensions of
//! [`Spec`] with everything worked out that does not move.

use crate::STEP;
use crate::grand::design::spec::{GRAVITY, Spec};
use touchback_core::math::power::square;
use touchback_core::math::real::{Mask, Real};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Felt, TURN};

/// Largest angle, rad, that a hammer on its string may swing (as an oscillation on the contact's
/// tangent) in one (sub)step: Runge–Kutta then loses less than 1e-4 of its energy. Times √(1 − η),
/// because a string that keeps most of the hammer's energy brakes it the more steeply where it
/// turns round. Chosen so that rebounds are within 1 % of a much finer step's.
const SWING: f64 = 0.33;

/// Counts of substeps for which a smaller one may be enough: 2⁰ … 2⁴, at most 2⁵.
pub const HALVINGS: usize = 5;
/// Most substeps of a step.
pub const MOST_SUBSTEPS: f64 = (1u32 << HALVINGS) as f64;

// Kinds of fields.
type Number<R> = R;
type Vector<R> = Vec2<R>;
type Halvings<R> = [R; HALVINGS];

/// A field of several keys side by side.
macro_rules! gather {
    (Number, $key:expr, $field:ident) => {
        R::from_lanes(|l| $key(l).$field)
    };
    (Vector, $key:expr, $field:ident) => {
        Vec2::new(R::from_lanes(|l| $key(l).$field.x), R::from_lanes(|l| $key(l).$field.y))
    };
    (Felt, $key:expr, $field:ident) => {
        Felt {
            stiffness: R::from_lanes(|l| $key(l).$field.stiffness),
            exponent: R::from_lanes(|l| $key(l).$field.exponent),
            damping: R::from_lanes(|l| $key(l).$field.damping),
            hysteresis: R::from_lanes(|l| $key(l).$field.hysteresis),
        }
    };
    (Halvings, $key:expr, $field:ident) => {
        std::array::from_fn(|i| R::from_lanes(|l| $key(l).$field[i]))
    };
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $field:ident: $kind:ident,)*) => {
        /// The numbers of one key (`Precomputed`), or of one key in each lane. SI; frames and signs as
        /// in [`Spec`].
        #[derive(Clone, Copy, Debug)]
        pub struct Precomputed<R = f64> {
            $($(#[$doc])* pub $field: $kind<R>,)*
        }

        impl<R: Real> Precomputed<R> {
            /// The keys `key(lane)` side by side.
            #[inline(always)]
            #[must_use]
            pub fn gather<'a>(key: impl Fn(usize) -> &'a Precomputed) -> Self {
                Self { $($field: gather!($kind, key, $field),)* }
            }
        }
    };
}

numbers! {
    /// Balance point to where the finger plays.
    front: Number,
    /// Inertia of the key.
    key_inertia: Number,
    /// Torque of its weight and leads.
    lead_torque: Number,
    /// Its angle at rest.
    rest_angle: Number,
    /// Depth at which it meets its bed.
    dip: Number,
    /// Centre of the capstan's dome.
    capstan: Vector,
    /// Key bed.
    bed_felt: Felt,
    /// Back rail.
    rest_felt: Felt,
    /// Its compression at depth 0.
    rest_compression: Number,
    /// Coulomb torque on the key.
    key_friction: Number,
    /// Friction coefficient of the capstan's slide along the heel.
    capstan_friction: Number,
    /// Centre pin of the wippen.
    wippen_pivot: Vector,
    /// Capstan line below that pin.
    heel: Number,
    /// Its square.
    heel_squared: Number,
    /// Jack centre pin on the wippen.
    jack_pivot: Vector,
    /// Lever centre pin on the wippen.
    lever_pivot: Vector,
    /// Inertia of the wippen with the masses of jack and lever at their hinges.
    wippen_inertia: Number,
    /// Weight of the same times the distance of its centre, N·m.
    wippen_weight: Vector,
    /// Jack centre pin to head.
    jack_length: Number,
    /// Jack on its stop, in the wippen's frame.
    jack_home: Vector,
    /// Fly, in the jack's frame.
    fly: Vector,
    /// Toe, in the jack's frame.
    toe: Vector,
    /// Its distance from the centre pin.
    toe_length: Number,
    /// One over that.
    inv_toe_length: Number,
    /// One over its square.
    inv_toe_squared: Number,
    /// Mass of the jack times its centre's place, kg·m.
    jack_moment: Vector,
    /// Inertia of the jack.
    jack_inertia: Number,
    /// One over that.
    per_jack_inertia: Number,
    /// Torque of its spring on the stop.
    jack_spring_torque: Number,
    /// Rate of that spring.
    jack_spring_rate: Number,
    /// Centre pin to the centre of the head's corner, along the fly and across it, toward the crown.
    corner: Vector,
    /// Radius of that corner.
    corner_radius: Number,
    /// Jack's turn at the other end of its window.
    jack_window: Number,
    /// Jack on its stop and in its window.
    jack_stop_felt: Felt,
    /// Toe under button.
    button_felt: Felt,
    /// Centre of the round knuckle, in the hammer's frame.
    knuckle_centre: Vector,
    /// Its radius; 0 for a straight knuckle.
    knuckle_radius: Number,
    /// Height of the let-off button's face above the wippen's pin.
    button_height: Number,
    /// Horizontal position of the button's centre line.
    button_x: Number,
    /// Friction coefficient of toe on button.
    button_friction: Number,
    /// Upper surface of the repetition lever, in its frame.
    lever_surface: Vector,
    /// Height of that surface above the lever's pin.
    surface_height: Number,
    /// Mass of the lever times its centre's place, kg·m.
    lever_moment: Vector,
    /// Inertia of the lever.
    lever_inertia: Number,
    /// One over that.
    per_lever_inertia: Number,
    /// Direction on the regulating button, in the wippen's frame.
    lever_stop: Vector,
    /// Travel down from it.
    lever_travel: Number,
    /// Both stops.
    stop_felt: Felt,
    /// Torque of the repetition spring on the stop.
    lever_spring_torque: Number,
    /// Rate of that spring.
    lever_spring_rate: Number,
    /// Viscous torque of the lever's centre.
    lever_damping: Number,
    /// Coulomb torque of the lever's centre.
    lever_friction: Number,
    /// Knuckle on lever.
    lever_felt: Felt,
    /// Friction coefficient of its slide along the lever.
    on_lever_friction: Number,
    /// Lever's pin to where the drop screw bears, in the surface's frame.
    drop_point: Vector,
    /// Height of the drop screw above the wippen's pin.
    drop_height: Number,
    /// Lever on drop screw.
    drop_felt: Felt,
    /// Hammer's centre pin from the wippen's.
    hammer_pivot: Vector,
    /// Centre pin to crown.
    crown: Number,
    /// Lowest point of the knuckle, in the hammer's frame.
    knuckle: Vector,
    /// Knuckle's face below the shank's axis.
    knuckle_depth: Number,
    /// Where along the shank the jack slips off.
    knuckle_edge: Number,
    /// Weight of the hammer times its centre's place, N·m.
    hammer_weight: Vector,
    /// Inertia of the hammer's head, a mass at its crown; of the whole hammer with a rigid shank.
    head_inertia: Number,
    /// One over that.
    per_hammer_inertia: Number,
    /// Inertia of the butt with what of the shank turns with it; 0 with a rigid shank.
    butt_inertia: Number,
    /// Turn of the butt against the line to the crown by the shank's bend; 0 of a rigid shank.
    bend_share: Number,
    /// Inverse mass matrix: hammer by bend, and bend; 0 of a rigid shank.
    inv_mass_hammer_bend: Number,
    /// See [`Precomputed::inv_mass_hammer_bend`].
    inv_bend: Number,
    /// Stiffness of the shank's hinge.
    shank_stiffness: Number,
    /// Its damping.
    shank_damping: Number,
    /// Coulomb torque of its centre.
    hammer_friction: Number,
    /// Jack on knuckle.
    knuckle_felt: Felt,
    /// Friction coefficient of that slide.
    knuckle_friction: Number,
    /// Viscous resistance of that slide.
    slide_damping: Number,
    /// Crown below the string where the shank meets the rest rail.
    rail: Number,
    /// Shank on rest rail.
    rail_felt: Felt,
    /// A point of the check's face, in the key's frame.
    check_face: Vector,
    /// Outward normal of that face, in the key's frame.
    check_normal: Vector,
    /// Hammer's centre pin from the balance point.
    hammer_from_key: Vector,
    /// Rubbing point of the tail, in the hammer's frame.
    tail: Vector,
    /// What the shank's bend moves it by, m/rad.
    tail_by_bend: Vector,
    /// Tail on check.
    check_felt: Felt,
    /// Friction coefficient of the same.
    check_friction: Number,
    /// Balance point to where the key lifts the damper.
    damper_arm: Number,
    /// The same over the key's front.
    damper_ratio: Number,
    /// Front depth at which lifting begins.
    damper_pickup: Number,
    /// Mass of the damper.
    damper_mass: Number,
    /// One over that.
    per_damper_mass: Number,
    /// Its weight.
    damper_weight: Number,
    /// Its guide damping.
    damper_damping: Number,
    /// Coulomb force of guide and lever's centre on it.
    damper_friction: Number,
    /// Key or tray under damper.
    lift_felt: Felt,
    /// Damper on string.
    seat_felt: Felt,
    /// Height of the damper's stop rail.
    damper_top: Number,
    /// Damper under that rail.
    top_felt: Felt,
    /// Hammer on string.
    string: Felt,
    /// The thesis's manipulandum coupling k1.
    coupling_stiffness: Number,
    /// Its damping b1.
    coupling_damping: Number,
    /// Energies of the hammer against its string up to which 1, 2, 4 … substeps are enough, J.
    contact_energies: Halvings,
    /// Key angles on its bed up to which as many are, rad.
    bed_angles: Halvings,
}

impl<R: Real> Precomputed<R> {
    /// Whether the knuckle is a straight line and the jack carried by rigid constraints: never of
    /// several keys side by side.
    #[inline(always)]
    pub fn is_rigid(&self) -> bool {
        R::LANES == 1 && !self.knuckle_radius.gt(R::of(0.0)).any()
    }

    /// Depth of the key front below rest with the key at `angle` rad, m.
    #[inline(always)]
    pub fn depth(&self, angle: R) -> R {
        self.front * (angle - self.rest_angle)
    }
}

impl Precomputed {
    /// Of one key.
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        let (key, w, jack, lever) = (&spec.key, &spec.wippen, &spec.jack, &spec.lever);
        let (hammer, check, damper) = (&spec.hammer, &spec.check, &spec.damper);
        // Without a damper: a weightless one that nothing touches and that never moves.
        let there = if damper.present { 1.0 } else { 0.0 };
        let toe_length = jack.toe.norm_squared().sqrt();
        let (bends, share) = (hammer.bends(), hammer.bend_share());
        Self {
            front: key.front,
            key_inertia: key.inertia,
            lead_torque: key.lead_torque,
            rest_angle: key.rest_angle,
            dip: key.dip,
            capstan: key.capstan,
            bed_felt: key.bed_felt,
            rest_felt: key.rest_felt,
            rest_compression: key.rest_compression,
            key_friction: key.friction,
            capstan_friction: key.capstan_friction,
            wippen_pivot: w.pivot,
            heel: w.heel,
            heel_squared: w.heel * w.heel,
            jack_pivot: w.jack_pivot,
            lever_pivot: w.lever_pivot,
            wippen_inertia: w.inertia
                + jack.mass * w.jack_pivot.norm_squared()
                + lever.mass * w.lever_pivot.norm_squared(),
            wippen_weight: (w.centre * w.mass
                + w.jack_pivot * jack.mass
                + w.lever_pivot * lever.mass)
                * GRAVITY,
            jack_length: jack.length,
            jack_home: direction(jack.stop),
            fly: direction(jack.lean).perp(),
            toe: jack.toe,
            toe_length,
            inv_toe_length: 1.0 / toe_length,
            inv_toe_squared: 1.0 / jack.toe.norm_squared(),
            button_x: jack.button_x,
            jack_moment: jack.centre * jack.mass,
            jack_inertia: jack.inertia,
            per_jack_inertia: 1.0 / jack.inertia,
            jack_spring_torque: jack.spring_torque,
            jack_spring_rate: jack.spring_rate,
            corner: Vec2::new(jack.length - jack.corner_radius, jack.corner),
            corner_radius: jack.corner_radius,
            jack_window: jack.window,
            jack_stop_felt: jack.stop_felt,
            button_felt: jack.button_felt,
            knuckle_centre: Vec2::new(hammer.knuckle, hammer.knuckle_radius - hammer.knuckle_depth),
            knuckle_radius: hammer.knuckle_radius,
            button_height: jack.button_height - w.pivot.y,
            button_friction: jack.button_friction,
            lever_surface: direction(lever.surface_angle),
            surface_height: lever.surface_height,
            lever_moment: lever.centre * lever.mass,
            lever_inertia: lever.inertia,
            per_lever_inertia: 1.0 / lever.inertia,
            lever_stop: Vec2::unit(lever.stop),
            lever_travel: lever.travel,
            stop_felt: lever.stop_felt,
            lever_spring_torque: lever.spring_torque,
            lever_spring_rate: lever.spring_rate,
            lever_damping: lever.damping,
            lever_friction: lever.friction,
            lever_felt: lever.knuckle_felt,
            on_lever_friction: lever.knuckle_friction,
            drop_point: Vec2::new(-lever.drop_reach, lever.surface_height),
            drop_height: lever.drop_height - w.pivot.y,
            drop_felt: lever.drop_felt,
            hammer_pivot: hammer.pivot - w.pivot,
            crown: hammer.crown,
            knuckle: Vec2::new(hammer.knuckle, -hammer.knuckle_depth),
            knuckle_depth: hammer.knuckle_depth,
            knuckle_edge: hammer.knuckle_edge,
            hammer_weight: hammer.centre * (GRAVITY * hammer.mass),
            head_inertia: hammer.head_inertia(),
            per_hammer_inertia: 1.0 / hammer.head_inertia(),
            butt_inertia: hammer.butt_inertia(),
            bend_share: share,
            inv_mass_hammer_bend: if bends { 1.0 / (share * hammer.head_inertia()) } else { 0.0 },
            inv_bend: if bends {
                hammer.inertia / (share * share * hammer.head_inertia() * hammer.butt_inertia())
            } else {
                0.0
            },
            shank_stiffness: hammer.shank.stiffness,
            shank_damping: if bends { hammer.shank.damping } else { 0.0 },
            hammer_friction: hammer.friction,
            knuckle_felt: hammer.knuckle_felt,
            knuckle_friction: hammer.knuckle_friction,
            slide_damping: hammer.slide_damping,
            rail: hammer.rail,
            rail_felt: hammer.rail_felt,
            check_face: check.face,
            // The face's normal points back at the hammer, beyond the series' range.
            check_normal: Vec2::unit(check.normal),
            hammer_from_key: hammer.pivot,
            tail: check.tail,
            tail_by_bend: (check.tail - Vec2::new(hammer.crown, 0.0)).perp()
                * if bends { 1.0 - share } else { 0.0 },
            check_felt: check.felt,
            check_friction: check.friction,
            damper_arm: damper.arm * there,
            damper_ratio: damper.arm / key.front * there,
            damper_pickup: damper.pickup,
            damper_mass: damper.mass * there,
            per_damper_mass: there / damper.mass,
            damper_weight: damper.weight * there,
            damper_damping: damper.damping * there,
            damper_friction: damper.friction * there,
            lift_felt: damper.lift_felt.stiffened(there),
            seat_felt: damper.seat_felt.stiffened(there),
            damper_top: damper.top,
            top_felt: damper.top_felt.stiffened(there),
            string: spec.string,
            coupling_stiffness: spec.coupling[0],
            coupling_damping: spec.coupling[1],
            contact_energies: contact_energies(spec),
            bed_angles: bed_angles(spec),
        }
    }
}

/// Largest product of a bed's damping of the key, 1/s, and a (sub)step; Runge–Kutta is stable to
/// 2.785.
const DAMPED: f64 = 2.5;

/// Key angles up to which 1, 2, 4 … substeps follow the key on its bed: pressed with F, the felt
/// brakes it by F (λ + η/v₀) where it turns round. No hand presses so hard in play.
fn bed_angles(spec: &Spec) -> [f64; HALVINGS] {
    let (key, felt) = (&spec.key, &spec.key.bed_felt);
    let mass = key.inertia / (key.front * key.front);
    let per_newton = felt.damping + felt.hysteresis / TURN;
    let mut force = DAMPED * mass / (STEP * per_newton);
    std::array::from_fn(|_| {
        let depth = key.dip + felt.compression(force);
        force *= 2.0;
        key.rest_angle + depth / key.front
    })
}

/// Energies up to which 1, 2, 4 … substeps keep the hammer's swing on its string within
/// [`SWING`] at the deepest point it has the energy for.
fn contact_energies(spec: &Spec) -> [f64; HALVINGS] {
    let (felt, hammer) = (&spec.string, &spec.hammer);
    let (k, p) = (felt.stiffness, felt.exponent);
    // K p ξ^(p−1) is the tangent whose oscillation just swings that far; four times the tangent
    // with every doubling of the parts.
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
