//! Random regulations.

use std::cell::RefCell;

use touchback_action::ActionSettings;
use touchback_core::math::random::Random;

/// Random settings, each moved by at most a share `spread` of the distance to the end of its range.
#[must_use]
pub fn turned(random: &mut Random, spread: f64) -> ActionSettings {
    let random = RefCell::new(random);
    let standard = ActionSettings::default();
    // Single keys are compared separately.
    let ranges = ActionSettings::RANGES;
    standard.with_numbers(&standard, |range, default, _| {
        if range == ranges.unevenness || range == ranges.unevenness_seed {
            return default;
        }
        let way = 2.0 * random.borrow_mut().share() - 1.0;
        let end = if way < 0.0 { range.min } else { range.max };
        default + spread * way.abs() * (end - default)
    })
}
