//! The free numbers of the search, and the key that they give.

use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::{Built, Design};
use touchback_action::grand::design::spec::Spec;
use touchback_core::math::compass::KeyNumber;

/// One free number.
#[derive(Clone, Copy, Debug)]
pub struct FreeNumber {
    /// Name in model files, or id of the parameter, with its unit.
    pub name: &'static str,
    /// Value at which the search begins.
    pub start: f64,
    /// Lowest and highest value.
    pub range: [f64; 2],
}

const fn free(name: &'static str, start: f64, low: f64, high: f64) -> FreeNumber {
    FreeNumber { name, start, range: [low, high] }
}

/// Number of free numbers.
pub const COUNT: usize = 10;

/// The free numbers. The search begins at the best of 67 geometries tried by hand with another model of the
/// same action; the ranges are chosen: as far as the parts have room.
pub const FREE: [FreeNumber; COUNT] = [
    free("wippen.lever_pivot.x_m", -0.0556, -0.075, -0.040),
    free("wippen.lever_pivot.y_m", 0.0326, 0.024, 0.044),
    free("lever.spring_torque_share", 1.008, 0.85, 1.30),
    free("lever.drop_reach_m", 0.0698, 0.050, 0.095),
    free("drop_mm", 2.0, 0.0, 4.0),
    free("let_off_mm", 2.0, 1.0, 3.0),
    free("jack.toe.x_m", -0.035, -0.050, -0.024),
    free("jack.toe.y_m", 0.002, -0.008, 0.012),
    free("jack.lean_rad", -0.193, -0.30, -0.09),
    free("hammer.knuckle_depth_m", 0.0132, 0.0105, 0.0160),
];

/// A set of the free numbers.
pub type Layout = [f64; COUNT];

/// The numbers at the start.
pub fn start() -> Layout {
    FREE.map(|free| free.start)
}

/// The ranges of a search over the share `share` of the whole ranges, around `centre`.
pub fn ranges(centre: &Layout, share: f64) -> [[f64; 2]; COUNT] {
    std::array::from_fn(|i| {
        let [low, high] = FREE[i].range;
        let half = 0.5 * share * (high - low);
        [(centre[i] - half).max(low), (centre[i] + half).min(high)]
    })
}

/// Key `key` with `layout`, its knuckle rolling on the lever with `radius` m, in the standard regulation but
/// for let-off and drop.
pub fn build(key: KeyNumber, layout: &Layout, radius: f64) -> Built {
    let [x, y, spring, reach, drop_mm, let_off_mm, toe_x, toe_y, lean, depth] = *layout;
    let change = |spec: &mut Spec| {
        (spec.wippen.lever_pivot.x, spec.wippen.lever_pivot.y) = (x, y);
        spec.lever.spring_torque *= spring;
        spec.lever.drop_reach = reach;
        (spec.jack.toe.x, spec.jack.toe.y, spec.jack.lean) = (toe_x, toe_y, lean);
        spec.hammer.knuckle_depth = depth;
        spec.lever.knuckle_radius = radius;
    };
    let settings = ActionSettings { drop_mm, let_off_mm, ..ActionSettings::default() };
    Design::new(key).changed(change).build(&settings)
}
