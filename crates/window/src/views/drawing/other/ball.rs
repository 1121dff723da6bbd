//! Drawing of the ball on the paddle.

use super::super::{BodyFrame, Drawing, DrawnPart, Material, ellipse};
use super::point;
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Radius of the ball, m: that of 50 g of rubber.
const RADIUS: f64 = 0.022;
/// Thickness of paddle and felt, m.
const PADDLE: f64 = 0.005;
const FELT: f64 = 0.006;

/// Draws `pose` of an action with the pose `rest` at rest.
pub(super) fn draw(d: &mut Drawing, pose: &Pose, rest: &Pose) {
    let (left, right) = (point(pose, "paddle", 0), point(pose, "paddle", 1));
    let world = BodyFrame::WORLD;
    let lies = point(rest, "paddle", 0).y - PADDLE;
    let p = DrawnPart::Frame;
    d.piece(p, Material::Rail, world.rect((-0.06, lies - FELT - 0.008), (0.06, lies - FELT)));
    d.piece(p, Material::Felt, world.rect((-0.02, lies - FELT), (0.02, lies)));
    let p = DrawnPart::Key;
    d.piece(p, Material::Wood, world.rect((left.x, left.y - PADDLE), (right.x, right.y)));
    // The contact's spring is the ball's: the ball is flattened by the overlap.
    let foot = point(pose, "ball", 0);
    let squeezed = (left.y - foot.y).max(0.0);
    let half = RADIUS - 0.5 * squeezed;
    let centre = BodyFrame::new(foot + Vec2::new(0.0, squeezed + half), Vec2::new(1.0, 0.0));
    let wide = RADIUS + 0.25 * squeezed;
    d.piece(DrawnPart::Hammer, Material::HammerFelt, ellipse(&centre, (wide, half)));
    let at = |x: f64, y: f64| Vec2::new(x, y);
    d.label(centre.at(0.7 * RADIUS, 0.0), at(0.075, 0.04), "ball");
    d.label(right - at(0.001, 0.5 * PADDLE), at(0.08, 0.016), "paddle");
    d.label(at(0.02, lies - 0.5 * FELT), at(0.085, lies - 0.004), "felt");
}
