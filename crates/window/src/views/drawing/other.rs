//! Drawings of the actions other than the grand's. Parts that move or touch have the model's geometry, given by
//! a pose and the pose at rest. Thicknesses and supports are those of usual actions of the kind.

mod ball;
mod generic;
mod harpsichord;
mod lever;
#[cfg(feature = "serial")]
mod load;
mod viennese;

use super::{BodyFrame, Drawing, DrawnPart, Material};
#[cfg(feature = "serial")]
pub use load::draw as load;
use touchback_action::ActionKind;
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Margin around an action at rest, m: room for a key's dip and a hammer's travel.
const ROOM: f64 = 0.014;
/// Height of a key's wood, m.
const WOOD: f64 = 0.02;

/// The drawing of `pose` of an action with the pose `rest` at rest. Empty for the grand and the thesis's key, whose
/// drawing needs more than a pose.
#[must_use]
pub fn draw(kind: ActionKind, pose: &Pose, rest: &Pose) -> Drawing {
    let mut d = Drawing::default();
    match kind {
        ActionKind::Grand | ActionKind::Thesis => {}
        ActionKind::Simplified => lever::simplified(&mut d, pose, rest),
        ActionKind::ModelA | ActionKind::ModelB => lever::slider(&mut d, pose, rest),
        ActionKind::Viennese => viennese::draw(&mut d, pose, rest),
        ActionKind::Harpsichord => harpsichord::draw(&mut d, pose),
        ActionKind::Ball => ball::draw(&mut d, pose, rest),
        _ => generic::draw(&mut d, pose),
    }
    d
}

/// Lowest and highest corner of the picture of an action with the pose `rest` at rest, m.
#[must_use]
pub fn bounds(kind: ActionKind, rest: &Pose) -> (Vec2, Vec2) {
    // A ball may fly higher; the picture shows 0.1 m.
    let flight = (kind == ActionKind::Ball).then_some(Vec2::new(0.0, 0.1));
    around(&draw(kind, rest, rest), flight)
}

/// Lowest and highest corner of the picture of `drawing`, at rest, extended by the points in `reaches`, m.
#[must_use]
pub fn around(drawing: &Drawing, reaches: Option<Vec2>) -> (Vec2, Vec2) {
    let outlines = drawing.pieces.iter().flat_map(|piece| &piece.outline).copied();
    let wires = drawing.wires.iter().flat_map(|wire| &wire.points).copied();
    let names = drawing.labels.iter().map(|label| label.text_at);
    let details = drawing.detail.iter().flat_map(|detail| [detail.at.0, detail.at.1]);
    let points = outlines.chain(wires).chain(names).chain(details).chain(reaches);
    let (mut low, mut high) = (Vec2::new(f64::MAX, f64::MAX), Vec2::new(f64::MIN, f64::MIN));
    for p in points {
        low = Vec2::new(low.x.min(p.x), low.y.min(p.y));
        high = Vec2::new(high.x.max(p.x), high.y.max(p.y));
    }
    (low - Vec2::new(ROOM, ROOM), high + Vec2::new(ROOM, ROOM))
}

/// Point `index` of the part called `name`; the origin where the pose has none.
fn point(pose: &Pose, name: &str, index: usize) -> Vec2 {
    let part = pose.parts.iter().find(|part| part.name == name);
    part.and_then(|part| part.points.get(index)).copied().unwrap_or_default()
}

/// Unit vector from `from` to `to`.
fn toward(from: Vec2, to: Vec2) -> Vec2 {
    let difference = to - from;
    difference * difference.norm_squared().sqrt().max(1e-9).recip()
}

/// A key as a straight lever on its balance pin at the origin.
struct Stick {
    /// Height of the wood's top above the line from the balance point to the driven part, m.
    top: f64,
    /// Position of the name, fraction of the front arm.
    name_at: f64,
    /// Whether the far end rests on cloth.
    rests: bool,
}

impl Stick {
    /// Draws key, rails, bed and cloth; returns the key's frame.
    fn draw(&self, d: &mut Drawing, pose: &Pose) -> BodyFrame {
        let (front, back) = (point(pose, "key", 0), point(pose, "key", 1));
        let f = BodyFrame::new(Vec2::default(), toward(front, back));
        let arm = |p: Vec2| p.norm_squared().sqrt();
        let (near, far) = (-arm(front), arm(back));
        let (top, bottom) = (self.top, self.top - WOOD);
        let floor = bottom - 0.013;
        let world = BodyFrame::WORLD;
        let p = DrawnPart::Frame;
        d.piece(p, Material::Rail, world.rect((near - 0.022, floor - 0.007), (far + 0.03, floor)));
        let bed = pose.parts.iter().find(|part| part.name == "bed");
        if let Some(bed) = bed.and_then(|part| part.points.first()) {
            // The height of the key's underside when the key is down.
            let high = (bed.x - 0.01, floor);
            d.piece(p, Material::Felt, world.rect(high, (bed.x + 0.016, bed.y + bottom)));
        }
        if self.rests {
            d.piece(p, Material::Felt, world.rect((far - 0.03, floor), (far - 0.008, bottom)));
        }
        let rail = [(-0.015, floor), (0.015, floor), (0.006, bottom), (-0.006, bottom)];
        d.piece(p, Material::Rail, world.all(&rail));
        d.wire(p, 0.0026, vec![Vec2::new(0.0, floor), Vec2::new(0.0, top + 0.008)]);
        let p = DrawnPart::Key;
        d.piece(p, Material::Wood, f.rect((near - 0.014, bottom), (far + 0.008, top)));
        d.piece(p, Material::Ivory, f.rect((near - 0.017, top), (near + 0.11, top + 0.0025)));
        d.key_front = Some(f.at(near, top + 0.0025));
        let x = self.name_at * near;
        d.label(f.at(x, top - 0.5 * WOOD), Vec2::new(x, top + 0.026), "key");
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::drawing::paint::{ScreenMapping, label_size};
    use crate::views::drawing::{Detail, Label};
    use egui::{Rect, pos2, vec2};
    use touchback_action::{ActionSettings, Drive};
    use touchback_core::math::compass::KeyNumber;
    use touchback_models::catalogue;

    /// Whether `p` is inside the convex `outline`.
    fn holds(outline: &[Vec2], p: Vec2) -> bool {
        let n = outline.len();
        let side = |i: usize| (outline[(i + 1) % n] - outline[i]).cross(p - outline[i]);
        (0..n).all(|i| side(i) > 0.0) || (0..n).all(|i| side(i) < 0.0)
    }

    /// Sample points of a label, m.
    fn spots(centre: Vec2, size: (f64, f64)) -> impl Iterator<Item = Vec2> {
        (0..=6).flat_map(move |i| {
            (0..=2).map(move |j| {
                let (x, y) = (f64::from(i) / 6.0 - 0.5, f64::from(j) / 2.0 - 0.5);
                centre + Vec2::new(size.0 * x, size.1 * y)
            })
        })
    }

    /// Asserts that no name covers a piece, a detail or another name.
    pub(crate) fn names_are_free(name: &str, view: &ScreenMapping, drawing: &Drawing) {
        let size = |label: &Label| {
            let size = label_size(view, label.text);
            (view.metres(size.x), view.metres(size.y))
        };
        for label in &drawing.labels {
            for spot in spots(label.text_at, size(label)) {
                let piece = drawing.pieces.iter().find(|p| holds(&p.outline, spot));
                assert!(piece.is_none(), "{name}: {} on {piece:?}", label.text);
                let on = |Detail { at: (low, high), .. }: &Detail| {
                    holds(&BodyFrame::WORLD.rect((low.x, low.y), (high.x, high.y)), spot)
                };
                assert!(!drawing.detail.as_ref().is_some_and(on), "{name}: {}", label.text);
            }
            for other in drawing.labels.iter().filter(|other| other.text != label.text) {
                let (a, b) = (size(label), size(other));
                let away = label.text_at - other.text_at;
                let apart = away.x.abs() > 0.5 * (a.0 + b.0) || away.y.abs() > 0.5 * (a.1 + b.1);
                assert!(apart, "{name}: {} and {}", label.text, other.text);
            }
        }
    }

    #[test]
    fn every_action_stays_in_its_picture_and_its_names_cover_nothing() {
        let key = KeyNumber::from_midi(60).unwrap();
        let of_pose = |kind: &ActionKind| !matches!(kind, ActionKind::Grand | ActionKind::Thesis);
        for kind in ActionKind::BUILT_IN.into_iter().filter(of_pose) {
            let name = kind.name();
            let mut running = catalogue::played(kind, key, &ActionSettings::default());
            running.reset_to_rest();
            let rest = running.pose();
            let (low, high) = bounds(kind, &rest);
            // The smallest picture with names.
            let picture = Rect::from_min_size(pos2(0.0, 0.0), vec2(460.0, 190.0));
            let view = ScreenMapping::fit((low, high), picture);
            let begin = draw(kind, &rest, &rest);
            let mut moved = false;
            assert!(begin.pieces.len() > 3 && begin.labels.len() > 2, "{name}");
            for i in 0..600 {
                let drive = Drive::Finger([f64::from(i) * 3e-5, f64::from(i + 1) * 3e-5]);
                running.step(drive, &mut |_, _| {});
                let drawing = draw(kind, &running.pose(), &rest);
                moved |= drawing != begin;
                for p in drawing.pieces.iter().flat_map(|piece| &piece.outline) {
                    let inside = p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y;
                    // A ball may fly out of the picture.
                    assert!(inside || kind == ActionKind::Ball, "{name}: {p:?}");
                }
                names_are_free(name, &view, &drawing);
            }
            assert!(moved, "{name}");
        }
    }

    #[test]
    fn a_drawn_hammer_meets_its_string_at_the_models_contact() {
        let key = KeyNumber::from_midi(60).unwrap();
        for kind in [ActionKind::Simplified, ActionKind::ModelA, ActionKind::Viennese] {
            let mut running = catalogue::played(kind, key, &ActionSettings::default());
            running.reset_to_rest();
            let rest = running.pose();
            let string = point(&rest, "string", 0).y;
            for i in 0..4000 {
                let target = (f64::from(i) * 3e-5).min(0.02);
                running.step(Drive::Finger([target; 2]), &mut |_, _| {});
                let above = running.readout(Drive::Free).hammer;
                let drawing = draw(kind, &running.pose(), &rest);
                // Felt or leather of the head; a knuckle's lies lower.
                let faces = [Material::HammerFelt, Material::Leather];
                let hammer = drawing.pieces.iter().filter(|p| p.part == DrawnPart::Hammer);
                let hammer = hammer.filter(|p| faces.contains(&p.material));
                let highest = hammer.flat_map(|p| &p.outline).map(|p| p.y).fold(f64::MIN, f64::max);
                if above.abs() < 3e-3 {
                    assert!(
                        (highest - string - above).abs() < 0.6e-3,
                        "{kind:?} {above} {highest}"
                    );
                }
            }
        }
    }
}
