//! Quantities that can be measured on one key at rest on the test bench.

use anyhow::{Context, Result};

use crate::experiment::validate::timing;
use touchback_offline::bench::statics::{self, Slow};
use touchback_offline::bench::strokes::{TimedStroke, TouchKind};
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{escapement, inertia, repetition};

/// A quantity; NaN where it does not exist for the key.
#[derive(Debug)]
pub struct Quantity {
    /// Name, which ends with the unit.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// The measurement.
    pub measure: fn(&TestBench) -> f64,
}

/// Speed of the slow presses, m/s, as in `validate`.
const SLOWLY: f64 = 8e-3;

fn slow(rig: &TestBench) -> Slow {
    statics::slow_press(rig, SLOWLY)
}

/// A quantity of the stroke with a hammer speed of 1 m/s.
fn giving(rig: &TestBench, touch: TouchKind, pick: fn(&TimedStroke) -> f64) -> f64 {
    touch.giving(rig, 1.0).map_or(f64::NAN, |stroke| pick(&stroke))
}

/// A quantity of the stroke with this effort.
fn stroke(rig: &TestBench, touch: TouchKind, effort: f64) -> f64 {
    touch.stroke(rig, effort).map_or(f64::NAN, |stroke| stroke.hammer)
}

const fn quantity(
    name: &'static str,
    about: &'static str,
    measure: fn(&TestBench) -> f64,
) -> Quantity {
    Quantity { name, about, measure }
}

/// All quantities.
pub const QUANTITIES: &[Quantity] = &[
    quantity("down_weight_g", "Least weight under which the key sinks, damper raised", |rig| {
        statics::weights(rig).down * 1e3
    }),
    quantity("up_weight_g", "Largest weight that the key lifts, damper raised", |rig| {
        statics::weights(rig).up * 1e3
    }),
    quantity("balance_weight_g", "Mean of down and up weight", |rig| {
        let w = statics::weights(rig);
        500.0 * (w.down + w.up)
    }),
    quantity("friction_weight_g", "Half the difference of down and up weight", |rig| {
        let w = statics::weights(rig);
        500.0 * (w.down - w.up)
    }),
    quantity("ratio", "Hammer travel over key travel, before let-off", |rig| {
        let slow = slow(rig);
        slow.ratio(2e-3, slow.let_off_begins())
    }),
    quantity("let_off_depth_mm", "Depth at which the jack slips in a slow press", |rig| {
        slow(rig).slips() * 1e3
    }),
    quantity(
        "let_off_height_mm",
        "Distance of the crown from the string where the jack slips",
        |rig| slow(rig).crown_at_slip() * -1e3,
    ),
    quantity("after_touch_mm", "Remaining key travel after the slip in a slow press", |rig| {
        (rig.spec().key.dip - slow(rig).slips()) * 1e3
    }),
    quantity("let_off_bump_n", "Rise of the force in the let-off of a slow press", |rig| {
        slow(rig).bump().0
    }),
    quantity("key_mass_kg", "Effective mass at the key front before let-off", |rig| {
        inertia::before_let_off(rig)
    }),
    quantity(
        "key_mass_flying_kg",
        "Effective mass at the key front while the hammer flies",
        inertia::after_let_off,
    ),
    quantity(
        "pressed_travel_ms",
        "Time from first motion to strike, pressed, hammer speed 1 m/s",
        |rig| giving(rig, TouchKind::Pressed, |s| s.travel * 1e3),
    ),
    quantity(
        "struck_travel_ms",
        "Time from first motion to strike, struck, hammer speed 1 m/s",
        |rig| giving(rig, TouchKind::Struck, |s| s.travel * 1e3),
    ),
    quantity(
        "pressed_bottom_ms",
        "Time from strike to key bottom, pressed, hammer speed 1 m/s",
        |rig| giving(rig, TouchKind::Pressed, |s| s.bottom * 1e3),
    ),
    quantity("pressed_force_n", "Muscle force of the press with a hammer speed of 1 m/s", |rig| {
        giving(rig, TouchKind::Pressed, |s| s.effort)
    }),
    quantity("pressed_hammer_m_s", "Hammer speed of a press of 8 N", |rig| {
        stroke(rig, TouchKind::Pressed, 8.0)
    }),
    quantity("struck_hammer_m_s", "Hammer speed of a hand that arrives at 0.5 m/s", |rig| {
        stroke(rig, TouchKind::Struck, 0.5)
    }),
    quantity("softest_m_s", "Hammer speed of the softest press that still strikes", |rig| {
        TouchKind::Pressed.softest(rig).map_or(f64::NAN, |s| s.fastest)
    }),
    quantity("strongest_m_s", "Hammer speed of a press whose tip reaches 25 N", |rig| {
        timing::strongest(rig, TouchKind::Pressed, timing::PRESSING)
    }),
    quantity(
        "check_mm",
        "Distance of the crown from the string where the check catches it",
        |rig| escapement::held(rig, 3.0).caught * 1e3,
    ),
    quantity("check_ms", "Time from strike to rest in the check of a held blow", |rig| {
        escapement::held(rig, 3.0).settled * 1e3
    }),
    quantity("reset_share", "Rise that resets the jack, share of the dip", |rig| {
        escapement::reset(rig, 0.1) / rig.spec().key.dip
    }),
    quantity(
        "retrigger_share",
        "Rise after which a second press strikes, share of the dip",
        |rig| escapement::retrigger(rig, 0.1, escapement::GRID).0 / rig.spec().key.dip,
    ),
    quantity("repetitions_hz", "Fastest repetition of an ideal finger, strokes a second", |rig| {
        repetition::fastest(rig.grand(), rig.spec().key.dip)
    }),
    quantity("return_ms", "Time of a released key from the bed to 0.3 mm", |rig| {
        escapement::free_return(rig).1 * 1e3
    }),
];

/// The quantity called `name`.
///
/// # Errors
/// An unknown name, with the known ones.
pub fn find(name: &str) -> Result<&'static Quantity> {
    QUANTITIES.iter().find(|q| q.name == name).with_context(|| {
        let names: Vec<&str> = QUANTITIES.iter().map(|q| q.name).collect();
        format!("--measure {name}: no such quantity; one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn every_quantity_of_the_standard_key_is_a_number() {
        let rig = TestBench::concert(40, &ActionSettings::default());
        for q in QUANTITIES {
            let value = (q.measure)(&rig);
            assert!(value.is_finite(), "{}: {value}", q.name);
            assert!(q.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", q.name);
            assert_eq!(find(q.name).unwrap().about, q.about);
        }
        assert!(find("weight").unwrap_err().to_string().contains("down_weight_g"));
    }
}
