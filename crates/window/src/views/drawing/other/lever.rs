//! A key that lifts a hammer without let-off: the simplified action and models A and B.

use super::super::{BodyFrame, Drawing, DrawnPart, Material, bar, disc, ellipse};
use super::{Stick, point, toward};
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Radius of a knuckle, m.
const KNUCKLE: f64 = 0.005;
/// Half the thickness of a shank, m.
const SHANK: f64 = 0.003;

/// Draws the hammer's centre on its flange and rail.
fn flange(d: &mut Drawing, centre: Vec2) {
    let rail = centre + Vec2::new(-0.026, 0.012);
    let p = DrawnPart::Frame;
    d.piece(p, Material::Wood, bar(rail, centre, (0.005, 0.0042)));
    let (x, y) = (rail.x, rail.y);
    d.piece(
        p,
        Material::Rail,
        BodyFrame::WORLD.rect((x - 0.016, y - 0.004), (x + 0.006, y + 0.012)),
    );
}

/// Draws the simplified action of 1994: a post on the key under the hammer's knuckle.
pub(super) fn simplified(d: &mut Drawing, pose: &Pose, rest: &Pose) {
    let (centre, crown, face) =
        (point(pose, "hammer", 0), point(pose, "hammer", 1), point(pose, "hammer", 2));
    let back = point(rest, "key", 1).x;
    // Height of the knuckle at rest on the post.
    let low = toward(point(rest, "hammer", 0), point(rest, "hammer", 1));
    let reach = (back - centre.x) / low.x;
    let under =
        point(rest, "hammer", 0) + low * reach - low.perp() * (SHANK + 2.0 * KNUCKLE - 0.002);
    let key = Stick { top: -0.003, name_at: 0.6, rests: true }.draw(d, pose);
    let post = key.rect((back - 0.004, -0.004), (back + 0.004, under.y));
    d.piece(DrawnPart::Key, Material::Wood, post);
    flange(d, centre);
    let p = DrawnPart::Hammer;
    let f = BodyFrame::new(centre, toward(centre, crown));
    let length = (crown - centre).norm_squared().sqrt();
    d.piece(p, Material::Leather, disc(f.at(reach, -SHANK - KNUCKLE + 0.002), KNUCKLE));
    d.piece(p, Material::Wood, bar(f.at(0.0, 0.0), f.at(length, 0.0), (SHANK, SHANK)));
    head(d, &BodyFrame::new(face, f.direction));
    d.piece(p, Material::Metal, disc(centre, 0.0016));
    string(d, pose);
    let at = |x: f64, y: f64| Vec2::new(x, y);
    let name = "hammer's centre";
    d.label(centre + at(-0.001, 0.004), at(centre.x + 0.012, centre.y + 0.032), name);
    d.label(f.at(reach, -SHANK - KNUCKLE), at(back + 0.058, 0.004), "knuckle");
    let low = point(rest, "hammer", 1);
    d.label(face - at(0.0, 0.006), at(low.x + 0.05, low.y), "hammer");
}

/// Draws model A or B of 1993: a slider on the key runs along the hammer.
pub(super) fn slider(d: &mut Drawing, pose: &Pose, rest: &Pose) {
    let (pivot, crown) = (point(pose, "hammer", 0), point(pose, "hammer", 1));
    let is_b = pose.parts.iter().any(|part| part.name == "manipulandum");
    let name_at = if is_b { 0.2 } else { 0.6 };
    let key = Stick { top: -0.009, name_at, rests: false }.draw(d, pose);
    let back = point(pose, "key", 1).norm_squared().sqrt();
    d.piece(
        DrawnPart::Key,
        Material::Wood,
        key.rect((back - 0.004, -0.01), (back + 0.004, -0.002)),
    );
    flange(d, pivot);
    let p = DrawnPart::Hammer;
    let f = BodyFrame::new(pivot, toward(pivot, crown));
    let length = (crown - pivot).norm_squared().sqrt();
    d.piece(p, Material::Wood, bar(f.at(0.0, 0.0), f.at(length, -0.004), (SHANK, SHANK)));
    head(d, &BodyFrame::new(crown, f.direction));
    d.piece(p, Material::Metal, disc(pivot, 0.0016));
    let on = BodyFrame::new(point(pose, "key", 1), f.direction);
    d.piece(DrawnPart::Jack, Material::Wood, on.rect((-0.006, -0.0045), (0.006, 0.0045)));
    string(d, pose);
    let at = |x: f64, y: f64| Vec2::new(x, y);
    if is_b {
        let end = point(pose, "manipulandum", 1);
        let lever = BodyFrame::new(Vec2::default(), toward(end, Vec2::default()));
        let near = -end.norm_squared().sqrt();
        let bar = lever.rect((near, 0.0), (0.012, 0.005));
        d.piece(DrawnPart::Damper, Material::Metal, bar);
        d.key_front = Some(lever.at(near, 0.005));
        d.label(lever.at(0.6 * near, 0.004), at(0.65 * near, 0.03), "manipulandum");
    }
    let low = point(rest, "hammer", 1);
    d.label(pivot + at(0.001, 0.003), at(pivot.x - 0.02, 0.052), "hammer's centre");
    d.label(on.at(0.003, 0.004), at(pivot.x + 0.07, 0.04), "slider");
    d.label(f.at(length, -0.011), at(low.x - 0.03, low.y - 0.026), "hammer");
}

/// Draws a hammer's felt head with its face at the frame's origin.
fn head(d: &mut Drawing, face: &BodyFrame) {
    let felt = BodyFrame::new(face.at(0.0, -0.006), face.direction);
    d.piece(DrawnPart::Hammer, Material::Wood, face.rect((-0.0035, -0.014), (0.0035, -0.006)));
    d.piece(DrawnPart::Hammer, Material::HammerFelt, ellipse(&felt, (0.0085, 0.006)));
}

/// Draws the string with its name.
fn string(d: &mut Drawing, pose: &Pose) {
    let (from, to) = (point(pose, "string", 0), point(pose, "string", 1));
    d.wire(DrawnPart::String, 0.0012, vec![from, to]);
    let at = to - Vec2::new(0.02, 0.0);
    d.label(at, at + Vec2::new(0.0, 0.022), "string");
}
