//! Any action but the grand: drawn through the points of its model, which defines no outlines.

use super::{Drawing, DrawnPart, Label, Material, bar, disc};
use crate::action::interface::pose::{self, Pose};
use crate::math::vec2::Vec2;

/// Margin around an action at rest, m: takes a key's dip, a hammer's way and a name.
const ROOM: f64 = 0.035;

/// What the part called `name` is drawn as, and half its thickness, m (chosen).
fn looks(name: &str) -> (DrawnPart, Material, f64) {
    match name {
        "key" | "paddle" | "manipulandum" => (DrawnPart::Key, Material::Wood, 0.007),
        "hammer" => (DrawnPart::Hammer, Material::Wood, 0.005),
        "ball" => (DrawnPart::Hammer, Material::HammerFelt, 0.012),
        "jack" => (DrawnPart::Jack, Material::Wood, 0.004),
        "plectrum" => (DrawnPart::Lever, Material::Leather, 0.0012),
        "damper" => (DrawnPart::Damper, Material::Felt, 0.005),
        "string" => (DrawnPart::String, Material::Metal, 0.002),
        _ => (DrawnPart::Frame, Material::Rail, 0.004),
    }
}

/// The drawing of `pose`.
#[must_use]
pub fn draw(pose: &Pose) -> Drawing {
    let mut drawing = Drawing::default();
    for (index, pose::Part { name, points }) in pose.parts.iter().enumerate() {
        let (part, material, radius) = looks(name);
        match points[..] {
            [] => continue,
            [only] => drawing.piece(part, material, disc(only, radius)),
            _ => {
                for ends in points.windows(2) {
                    drawing.piece(part, material, bar(ends[0], ends[1], (radius, radius)));
                }
            }
        }
        let middle = points.iter().fold(Vec2::new(0.0, 0.0), |sum, p| sum + *p);
        let at = middle * (points.len() as f64).recip();
        // Names stand under horizontal parts; those of the others alternate between two heights,
        // for small parts lie close.
        let lies = points.windows(2).any(|p| (p[1].x - p[0].x).abs() > 0.05);
        let away = match index % 3 {
            _ if lies => Vec2::new(0.022, -0.02),
            0 => Vec2::new(-0.032, 0.01),
            1 => Vec2::new(-0.032, -0.014),
            _ => Vec2::new(0.032, 0.004),
        };
        drawing.labels.push(Label { at, text_at: at + away, text: name });
    }
    drawing
}

/// Lowest and highest corner of what `pose` needs, m, with room to move.
#[must_use]
pub fn bounds(pose: &Pose) -> (Vec2, Vec2) {
    let mut points = pose.parts.iter().flat_map(|part| &part.points);
    let Some(first) = points.next() else {
        return (Vec2::new(-ROOM, -ROOM), Vec2::new(ROOM, ROOM));
    };
    let (low, high) = points.fold((*first, *first), |(low, high), p| {
        (Vec2::new(low.x.min(p.x), low.y.min(p.y)), Vec2::new(high.x.max(p.x), high.y.max(p.y)))
    });
    (low - Vec2::new(ROOM, ROOM), high + Vec2::new(ROOM, ROOM))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::catalogue::Model;
    use crate::action::interface::kind;
    use crate::action::{ActionSettings, Drive};
    use crate::math::compass::KeyNumber;

    #[test]
    fn every_action_is_drawn_inside_its_room_as_it_moves() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in kind::NAMES {
            let mut running = Model::named(name, key, &ActionSettings::default()).unwrap().start();
            let (low, high) = bounds(&running.pose());
            let mut moved = false;
            let begin = draw(&running.pose());
            assert!(!begin.pieces.is_empty() && !begin.labels.is_empty(), "{name}");
            for i in 0..600 {
                let drive = Drive::Finger([f64::from(i) * 3e-5, f64::from(i + 1) * 3e-5]);
                running.step(drive, &mut |_, _| {});
                let drawing = draw(&running.pose());
                moved |= drawing != begin;
                for p in drawing.pieces.iter().flat_map(|piece| &piece.outline) {
                    let inside = p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y;
                    // A ball may fly out of the picture.
                    assert!(inside || name == "ball", "{name}: {p:?}");
                }
            }
            assert!(moved, "{name}");
        }
    }
}
