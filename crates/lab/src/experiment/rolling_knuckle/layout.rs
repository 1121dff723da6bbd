//! The free numbers of the search, and the key that they give.

use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::{BALANCE_WEIGHT_G, Design};
use touchback_action::grand::design::spec::Spec;
use touchback_core::math::compass::KeyNumber;

/// One free number.
#[derive(Clone, Copy, Debug)]
pub struct FreeNumber {
    /// Name in model files, or id of the parameter, with its unit.
    pub name: &'static str,
    /// The number in a key.
    value: fn(&Spec) -> f64,
    /// Lowest and highest value.
    pub range: [f64; 2],
}

const fn free(name: &'static str, value: fn(&Spec) -> f64, low: f64, high: f64) -> FreeNumber {
    FreeNumber { name, value, range: [low, high] }
}

/// Number of free numbers.
pub const COUNT: usize = 9;

/// The free numbers, the spring's torque relative to the grand's. The ranges are chosen: as far as the parts
/// have room.
pub const FREE: [FreeNumber; COUNT] = [
    free("wippen.lever_pivot.x_m", |s| s.wippen.lever_pivot.x, -0.075, -0.040),
    free("wippen.lever_pivot.y_m", |s| s.wippen.lever_pivot.y, 0.024, 0.044),
    free("lever.spring_torque_share", |_| 1.0, 0.90, 1.30),
    free("lever.drop_reach_m", |s| s.lever.drop_reach, 0.050, 0.095),
    free("jack.toe.x_m", |s| s.jack.toe.x, -0.050, -0.024),
    free("jack.toe.y_m", |s| s.jack.toe.y, -0.008, 0.012),
    free("jack.lean_rad", |s| s.jack.lean, -0.30, -0.09),
    free("hammer.knuckle_depth_m", |s| s.hammer.knuckle_depth, 0.0105, 0.0160),
    free("balance weight at rest, g", |_| BALANCE_WEIGHT_G, 31.0, 38.0),
];

/// A set of the free numbers.
pub type Layout = [f64; COUNT];

/// The concert grand's numbers, the same for all keys, where the search begins.
pub fn start(key: KeyNumber) -> Layout {
    let spec = Design::new(key).build(&ActionSettings::default()).spec;
    FREE.map(|free| (free.value)(&spec))
}

/// The ranges of a search over the share `share` of the whole ranges, around `centre`.
pub fn ranges(centre: &Layout, share: f64) -> [[f64; 2]; COUNT] {
    std::array::from_fn(|i| {
        let [low, high] = FREE[i].range;
        let half = 0.5 * share * (high - low);
        [(centre[i] - half).max(low), (centre[i] + half).min(high)]
    })
}

/// Key `key` with `layout`, its knuckle rolling on the lever with `radius` m.
pub fn design(key: KeyNumber, layout: &Layout, radius: f64) -> Design {
    let [x, y, spring, reach, toe_x, toe_y, lean, depth, balance] = *layout;
    let change = |spec: &mut Spec| {
        (spec.wippen.lever_pivot.x, spec.wippen.lever_pivot.y) = (x, y);
        spec.lever.spring_torque *= spring;
        spec.lever.drop_reach = reach;
        (spec.jack.toe.x, spec.jack.toe.y, spec.jack.lean) = (toe_x, toe_y, lean);
        spec.hammer.knuckle_depth = depth;
        spec.lever.knuckle_radius = radius;
    };
    Design::new(key).balanced(balance).changed(change)
}
