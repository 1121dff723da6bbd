//! Drawing of the Viennese action: the key carries the hammer, whose beak catches under a hopper's notch.

use super::super::{BodyFrame, Detail, Drawing, DrawnPart, Material, bar, disc, ellipse};
use super::{Stick, WOOD, point, toward};
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Depth of the key's top below the Kapsel's axis, m: space for the hammer.
const UNDER: f64 = 0.028;
/// Height of the head from its underside to the crown, m.
const HEAD: f64 = 0.0135;

/// Draws `pose` of an action with the pose `rest` at rest.
pub(super) fn draw(d: &mut Drawing, pose: &Pose, rest: &Pose) {
    let (beak, kapsel, head) =
        (point(pose, "hammer", 0), point(pose, "hammer", 1), point(pose, "hammer", 2));
    let (notch, string) = (point(pose, "hopper", 0), point(pose, "string", 0));
    let key = Stick { top: -UNDER, name_at: 0.65, rests: true }.draw(d, pose);
    let world = BodyFrame::WORLD;
    let floor = -UNDER - WOOD - 0.013;
    // Rest rail: under the head at rest.
    let low = point(rest, "hammer", 2) - Vec2::new(0.0, HEAD);
    let p = DrawnPart::Frame;
    d.piece(p, Material::Rail, world.rect((low.x - 0.006, low.y - 0.0048), (low.x + 0.006, low.y)));
    let cloth = (low.x - 0.006, low.y - 0.0026);
    d.piece(p, Material::Felt, world.rect(cloth, (low.x + 0.006, low.y)));
    // Hopper with its leathered nose, on its rail, and the spring behind it.
    let p = DrawnPart::Lever;
    let foot = Vec2::new(notch.x + 0.0075, floor + 0.004);
    let top = Vec2::new(notch.x + 0.0075, notch.y + 0.009);
    d.wire(p, 0.001, vec![foot + Vec2::new(0.016, 0.0), Vec2::new(notch.x + 0.0105, -0.012)]);
    d.piece(p, Material::Wood, bar(foot, top, (0.003, 0.0026)));
    let nose = [
        (notch.x, notch.y),
        (notch.x + 0.007, notch.y),
        (notch.x + 0.007, notch.y + 0.009),
        (notch.x + 0.002, notch.y + 0.007),
    ];
    d.piece(p, Material::Wood, world.all(&nose));
    d.piece(
        p,
        Material::Leather,
        world.rect((notch.x, notch.y), (notch.x + 0.006, notch.y + 0.001)),
    );
    let rail = ((foot.x - 0.008, floor - 0.007), (foot.x + 0.022, floor + 0.004));
    d.piece(DrawnPart::Frame, Material::Rail, world.rect(rail.0, rail.1));
    // The brass fork that carries the hammer.
    let centre = kapsel.norm_squared().sqrt();
    d.piece(
        DrawnPart::Key,
        Material::Metal,
        key.rect((centre - 0.0028, -UNDER), (centre + 0.0028, 0.0035)),
    );
    // The hammer's frame points from the head to the Kapsel.
    let p = DrawnPart::Hammer;
    let f = BodyFrame::new(kapsel, toward(head, kapsel));
    let (reach, tip) =
        ((kapsel - head).norm_squared().sqrt(), (beak - kapsel).norm_squared().sqrt());
    let shank = bar(f.at(0.0, 0.0), f.at(-reach, 0.004 - HEAD), (0.0024, 0.002));
    d.piece(p, Material::Wood, shank);
    let catch = [(-0.004, -0.0025), (tip - 0.001, -0.0028), (tip, 0.0), (-0.004, 0.0025)];
    d.piece(p, Material::Wood, f.all(&catch));
    let (face, under) = (-0.0016, -HEAD);
    let block = [
        (-reach - 0.0045, under),
        (-reach + 0.0045, under),
        (-reach + 0.0034, face),
        (-reach - 0.0034, face),
    ];
    d.piece(p, Material::Wood, f.all(&block));
    let leather = BodyFrame::new(f.at(-reach, face), f.direction);
    d.piece(p, Material::Leather, ellipse(&leather, (0.0034, -face)));
    d.piece(p, Material::Metal, disc(kapsel, 0.0013));
    let ends = [string, point(pose, "string", 1)];
    d.wire(DrawnPart::String, 0.001, ends.to_vec());
    let at = |x: f64, y: f64| Vec2::new(x, y);
    d.label(f.at(-reach - 0.004, 0.5 * under), at(0.028, 0.012), "hammer");
    d.label(low + at(-0.005, -0.002), at(0.028, -0.012), "rest rail");
    d.label(kapsel + at(0.0, 0.003), at(0.186, string.y + 0.024), "Kapsel");
    d.label(notch + at(0.007, 0.005), at(0.236, 0.016), "notch");
    d.label(foot + at(0.003, 0.02), at(0.236, -0.02), "hopper");
    d.label(at(0.27, string.y), at(0.275, string.y + 0.024), "string");
    let (of, scale) = ((at(0.158, -0.013), at(0.198, 0.014)), 3.2);
    let corner = at(0.016, string.y + 0.022);
    let detail =
        Detail { of, at: (corner, corner + (of.1 - of.0) * scale), name: "beak and notch" };
    d.detail = Some(detail);
}
