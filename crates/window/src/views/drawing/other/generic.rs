//! Drawing of a mechanism from a file, from its bodies and contacts alone.

use super::super::{Drawing, DrawnPart, Material, bar, disc};
use touchback_action::interface::pose::{Part, Pose};
use touchback_core::math::vec2::Vec2;

/// Radius of a body of one point, and half thickness of the others, as shares of the picture's width.
const ROUND: f64 = 0.02;
const THICK: f64 = 0.007;
/// Distance of a name from its body, as a share of the picture's width.
const BESIDE: f64 = 0.05;

/// Draws `pose`.
pub(super) fn draw(d: &mut Drawing, pose: &Pose) {
    let points = || pose.parts.iter().flat_map(|part| &part.points);
    let least = points().map(|p| p.x).fold(f64::MAX, f64::min);
    let most = points().map(|p| p.x).fold(f64::MIN, f64::max);
    let width = (most - least).clamp(0.05, 2.0);
    for (index, Part { name, points }) in pose.parts.iter().enumerate() {
        let (part, material) = look(name, index);
        match points.as_slice() {
            [] => continue,
            [at] => d.piece(part, material, disc(*at, ROUND * width)),
            line if part == DrawnPart::String => d.wire(part, 0.0012, line.to_vec()),
            line => {
                for ends in line.windows(2) {
                    d.piece(part, material, bar(ends[0], ends[1], (THICK * width, THICK * width)));
                }
            }
        }
        let last = points[points.len() - 1];
        let middle = (points[0] + last) * 0.5;
        // Names of neighbours in the list above and below their bodies.
        let side = if index % 2 == 0 { BESIDE } else { -BESIDE };
        d.label(middle, middle + Vec2::new(0.0, side * width), name);
        if part == DrawnPart::Key {
            d.key_front = points.iter().copied().min_by(|a, b| a.x.total_cmp(&b.x));
        }
    }
    for contact in &pose.contacts {
        let middle = (contact.at[0] + contact.at[1]) * 0.5;
        match contact.is_closed {
            true => d.touch(middle, contact.name, 0.1e-3),
            false => d.wire(DrawnPart::Frame, 0.0004, contact.at.to_vec()),
        }
    }
}

/// Part and material by a body's name; bodies of other names differ by their order.
fn look(name: &str, index: usize) -> (DrawnPart, Material) {
    let parts = [
        ("key", DrawnPart::Key, Material::Wood),
        ("hammer", DrawnPart::Hammer, Material::Wood),
        ("string", DrawnPart::String, Material::Metal),
        ("damper", DrawnPart::Damper, Material::Felt),
        ("jack", DrawnPart::Jack, Material::Wood),
        ("ball", DrawnPart::Hammer, Material::HammerFelt),
    ];
    let known = parts.into_iter().find(|(known, ..)| name.contains(known));
    let others = [DrawnPart::Wippen, DrawnPart::Lever, DrawnPart::Jack, DrawnPart::Check];
    known.map_or((others[index % others.len()], Material::Wood), |(_, part, material)| {
        (part, material)
    })
}
