//! Constructed states: the instant of a strike, and of a damper landing on its string.
//!
//! A note-on or note-off of the host denotes one of these instants. The states are set directly, as pure
//! functions of key, speed and regulation in closed form, without simulating the motion before.

use crate::grand::design::regulation::{CarriedHammer, Regulated};
use crate::grand::design::spec::Spec;
use crate::grand::equations::evaluation::ON_SIDE_TILT;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::equations::{contact, jack, kinematics};
use crate::grand::{GrandState, Phase, STATES, state};
use touchback_core::math::trig::{angle, direction};
use touchback_core::math::vec2::Vec2;

/// Ratio of key-front speed to hammer speed at the strike, in the simulated pressed touch
/// (`touchback lab fit`).
pub const KEY_SHARE: f64 = 0.231;

/// Key depth beyond let-off at the strike, m, as a linear function of hammer speed: constant, m, and
/// slope, s. Fitted, as [`KEY_SHARE`], for 0.6 to 4 m/s.
pub const DEPTH_PAST_LET_OFF: (f64, f64) = (-0.08e-3, 0.41e-3);

/// Least distance of the key front above the key bed at the strike, m (chosen): the key has yet to meet
/// the bed, so that its knock sounds.
const BEFORE_BED: f64 = 0.1e-3;

/// Phase and states at which the hammer of a key meets its string at `speed` m/s; `n` are the constants of
/// `spec`.
///
/// Depth and speed of the key are those of a pressed touch. `None` if the regulation has no let-off before
/// the key bed and the string, or if `speed` is not positive and finite.
#[must_use]
pub fn strike(
    spec: &Spec,
    n: &Precomputed,
    regulated: &Regulated,
    speed: f64,
) -> Option<GrandState> {
    let off = regulated.let_off_depth;
    let blocks = !off.is_finite() || off >= spec.key.dip || regulated.limits.string;
    if blocks || !speed.is_finite() || speed <= 0.0 {
        return None;
    }
    let key_speed = KEY_SHARE * speed;
    let (start, rise) = DEPTH_PAST_LET_OFF;
    let depth = (off + start + rise * speed).min(spec.key.dip - BEFORE_BED).max(off);

    let mut x = [0.0; STATES];
    x[state::KEY] = spec.key.rest_angle + depth / spec.key.front;
    x[state::KEY_SPEED] = key_speed / spec.key.front;
    x[state::HAMMER_SPEED] = speed / spec.hammer.crown;
    // The lever is at the drop screw, or at its regulating button where the screw is out of reach.
    let (wippen, _) = kinematics::wippen(spec, direction(x[state::KEY]));
    let at_button = libm::asin(wippen.y) + spec.lever.stop;
    x[state::LEVER] = at_button.max(under_drop_screw(spec, wippen));
    lift_damper(spec, depth, key_speed, &mut x);
    // Past let-off the button guides the jack, unless the regulation keeps the toe clear of it.
    let to_jack = spec.wippen.jack_pivot.turned(wippen);
    let home = direction(spec.jack.stop).turned(wippen);
    let mut phase =
        if jack::toe_gap(spec, to_jack, home) < 0.0 { Phase::Catch } else { Phase::Return };
    if phase == Phase::Catch && !spec.is_rigid() {
        hold_jack_at_button(n, spec, &mut x);
        // The head may lean on the knuckle's flank in this position.
        let k = kinematics::Kinematics::at(n, &phase.into(), &x);
        if k.head.q4 >= 0.0 && k.normal_tilt() >= ON_SIDE_TILT {
            phase = Phase::Flank;
        }
    }
    Some(GrandState { phase, x })
}

/// Phase and states at which the damper of a key rising at `speed` m/s begins to meet the string; `n` are the
/// constants of `spec`.
#[must_use]
pub fn release(spec: &Spec, n: &Precomputed, regulated: &Regulated, speed: f64) -> GrandState {
    let mut x = [0.0; STATES];
    let damper = &spec.damper;
    let tail = damper.clear + damper.lift_felt.compression(damper.weight);
    let depth = (damper.pickup + tail * spec.key.front / damper.arm).min(spec.key.dip);
    x[state::KEY] = spec.key.rest_angle + depth / spec.key.front;
    x[state::KEY_SPEED] = -speed / spec.key.front;
    let (wippen, _) = kinematics::wippen(spec, direction(x[state::KEY]));
    let (wippen_rest, _) = kinematics::wippen(spec, direction(spec.key.rest_angle));
    let turned = libm::asin(wippen.y) - libm::asin(wippen_rest.y);
    let [_, hammer, lever] = regulated.rest;
    // The hammer rests on the lever, the lever at its regulating button.
    x[state::LEVER] = lever + turned;
    x[state::HAMMER] = hammer;
    x[state::BEND] = CarriedHammer::at(spec, hammer).bend;
    let home = direction(spec.jack.stop).turned(wippen);
    let to_jack = spec.wippen.jack_pivot.turned(wippen);
    let at_button = !spec.is_rigid() && jack::toe_gap(spec, to_jack, home) < 0.0;
    if at_button {
        hold_jack_at_button(n, spec, &mut x);
    }
    for _ in 0..6 {
        let k = kinematics::Kinematics::at(n, &Phase::Return.into(), &x);
        let on = contact::knuckle_on_lever(n, &k);
        let arm = on.from_hammer.perp().dot(on.normal);
        let target = spec.lever.knuckle_felt.compression(0.1);
        x[state::HAMMER] += (on.compression.depth - target) / arm;
    }
    let mut k = kinematics::Kinematics::at(n, &Phase::Return.into(), &x);
    x[state::LEVER_SPEED] = k.wippen_speed();
    k.u[2] = k.wippen_speed();
    let on = contact::knuckle_on_lever(n, &k);
    x[state::HAMMER_SPEED] = on.compression.rate / on.from_hammer.perp().dot(on.normal);
    lift_damper(spec, depth, -speed, &mut x);
    let phase = match (at_button, k.head.q4 > 0.0) {
        (false, true) => Phase::Acceleration,
        (false, false) => Phase::Return,
        (true, true) => Phase::LetOff,
        (true, false) => Phase::Catch,
    };
    GrandState { phase, x }
}

/// Sets angle and speed of a free jack to those at which the button guides its toe.
fn hold_jack_at_button(n: &Precomputed, spec: &Spec, x: &mut [f64; STATES]) {
    let k = kinematics::Kinematics::at(n, &Phase::Return.into(), x);
    let held = jack::on_button(n, &k.jack_inputs());
    let home = direction(spec.jack.stop).turned(k.wippen);
    x[state::JACK] = angle(Vec2::new(home.dot(held.direction), home.cross(held.direction)));
    x[state::JACK_SPEED] = (held.key_ratio - k.r5) * x[state::KEY_SPEED];
}

/// Lever angle at which the lever's surface meets the drop screw, rad.
fn under_drop_screw(spec: &Spec, wippen: Vec2) -> f64 {
    let pivot = spec.wippen.pivot.y + spec.wippen.lever_pivot.turned(wippen).y;
    let l = &spec.lever;
    let arm = (l.drop_reach * l.drop_reach + l.surface_height * l.surface_height).sqrt();
    let rise = ((l.drop_height - pivot) / arm).clamp(-1.0, 1.0);
    // The arm points toward the player: height = arm·sin(π − …).
    let at_zero = libm::atan2(l.surface_height, l.drop_reach);
    at_zero - libm::asin(rise) - l.surface_angle
}

/// Sets height and speed of the damper for a key front at `depth` m moving at `key_speed` m/s.
fn lift_damper(spec: &Spec, depth: f64, key_speed: f64, x: &mut [f64; STATES]) {
    if !spec.damper.present {
        return;
    }
    let ratio = spec.damper.arm / spec.key.front;
    let height = ratio * (depth - spec.damper.pickup);
    if height > 0.0 {
        x[state::DAMPER] = height - spec.damper.lift_felt.compression(spec.damper.weight);
        x[state::DAMPER_SPEED] = ratio * key_speed;
    } else {
        x[state::DAMPER] = -spec.damper.seat_felt.compression(spec.damper.weight);
    }
}
