//! Drawing of the harpsichord's key and jack. The jack is turned by 90° so that its plectrum is visible.

use super::super::{BodyFrame, Detail, Drawing, DrawnPart, Material, bar, disc};
use super::{Stick, point};
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Half of a jack's thickness, m.
const HALF: f64 = 0.002;

/// Draws `pose`.
pub(super) fn draw(d: &mut Drawing, pose: &Pose) {
    let (foot, head) = (point(pose, "jack", 0), point(pose, "jack", 1));
    let (root, tip) = (point(pose, "plectrum", 0), point(pose, "plectrum", 1));
    let (string, rail) = (point(pose, "string", 0), point(pose, "rail", 0));
    let key = Stick { top: -0.002, name_at: 0.7, rests: true }.draw(d, pose);
    let world = BodyFrame::WORLD;
    let x = foot.x;
    // The pad carries the jack's end screw.
    let pad = key.rect((x - 0.006, -0.002), (x + 0.006, 0.001));
    d.piece(DrawnPart::Key, Material::Felt, pad);
    let p = DrawnPart::Frame;
    for y in [0.046, 0.092] {
        for side in [-1.0, 1.0] {
            let (inner, outer) = (x + side * (HALF + 0.0006), x + side * 0.016);
            d.piece(p, Material::Wood, world.rect((inner, y), (outer, y + 0.006)));
        }
    }
    d.piece(
        p,
        Material::Rail,
        world.rect((x - 0.012, rail.y + 0.003), (x + 0.012, rail.y + 0.014)),
    );
    d.piece(p, Material::Felt, world.rect((x - 0.012, rail.y), (x + 0.012, rail.y + 0.003)));
    let p = DrawnPart::Jack;
    d.wire(p, 0.0016, vec![Vec2::new(x, foot.y - 0.019), foot + Vec2::new(0.0, 0.002)]);
    d.piece(p, Material::Wood, world.rect((x - HALF, foot.y), (x + HALF, head.y)));
    // The tongue shows the plectrum's bending and turning.
    let tongue = world.rect((x - 0.0004, root.y - 0.012), (x + HALF, root.y + 0.008));
    d.piece(DrawnPart::Hammer, Material::Wood, tongue);
    let start = Vec2::new(x + HALF, root.y);
    d.piece(DrawnPart::Lever, Material::Ivory, bar(start, tip, (0.0005, 0.00025)));
    // The damper's cloth rests on the string when the jack is down.
    let lift = head.y - 0.15;
    let bottom = string.y + 0.0004 + lift;
    let flag = world.rect((x + 0.0005, bottom), (x + 0.0085, bottom + 0.011));
    d.piece(DrawnPart::Damper, Material::Felt, flag);
    d.piece(DrawnPart::String, Material::Metal, disc(string, 0.0004));
    let at = |x: f64, y: f64| Vec2::new(x, y);
    let names = x + 0.05;
    d.label(at(x + 0.012, rail.y + 0.006), at(names, rail.y + 0.012), "jack rail");
    d.label(at(x + 0.0085, bottom + 0.006), at(names, 0.143), "damper");
    d.label(string, at(names, 0.125), "string");
    d.label(tip, at(names, 0.107), "plectrum");
    d.label(at(x + 0.016, 0.049), at(names, 0.052), "guide");
    d.label(at(x + HALF, 0.071), at(names, 0.076), "jack");
    let (of, scale) = ((at(x - 0.009, 0.108), at(x + 0.017, 0.134)), 4.2);
    let corner = at(-0.02, 0.036);
    let name = "plectrum, string and damper";
    d.detail = Some(Detail { of, at: (corner, corner + (of.1 - of.0) * scale), name });
}
