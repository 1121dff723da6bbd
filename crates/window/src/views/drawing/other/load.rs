//! Drawings of the haptic loads that are no actions: a lever at a wall, and the load of the bench.

use super::super::{BodyFrame, Drawing, DrawnPart, Material};
use super::{Stick, WOOD, point};
use touchback_action::interface::pose::Pose;
use touchback_core::math::vec2::Vec2;

/// Depth of the lever's top below the line of its ends, m: space for the cloth under the hammer.
const CLOTH: f64 = 0.004;
/// Height and half width of the hammer, m: 150 g of lead and felt.
const HEAD: f64 = 0.024;
const HALF: f64 = 0.012;

/// Draws `pose` of a lever at a wall, or with a hammer.
#[must_use]
pub fn draw(pose: &Pose) -> Drawing {
    let mut d = Drawing::default();
    let has = |name: &str| pose.parts.iter().any(|part| part.name == name);
    let key = Stick { top: -CLOTH, name_at: 0.55, rests: true }.draw(&mut d, pose);
    let under = -CLOTH - WOOD;
    let front = point(pose, "key", 0);
    if has("wall") {
        let wall = point(pose, "wall", 0);
        let top = wall.y + under;
        // Under the lever's front, which meets the block flat at the wall's position.
        let block = BodyFrame::WORLD.rect((wall.x - 0.014, under - 0.013), (wall.x + 0.012, top));
        d.piece(DrawnPart::Frame, Material::Rail, block);
        d.label(
            Vec2::new(wall.x + 0.012, top - 0.004),
            Vec2::new(wall.x + 0.045, under - 0.0085),
            "wall",
        );
        d.touch(Vec2::new(front.x, top), "wall", wall.y - front.y);
    }
    if has("hammer") {
        hammer(&mut d, pose, &key);
    }
    d
}

/// Draws the hammer on the lever's end, between its guides, under its string.
fn hammer(d: &mut Drawing, pose: &Pose, key: &BodyFrame) {
    let (foot, string) = (point(pose, "hammer", 0), point(pose, "string", 0));
    let arm = point(pose, "key", 1).norm_squared().sqrt();
    let pad = key.rect((arm - HALF, -CLOTH), (arm + 0.008, 0.0));
    d.piece(DrawnPart::Key, Material::Felt, pad);
    let (x, world) = (foot.x, BodyFrame::WORLD);
    for side in [-1.0, 1.0] {
        let (inner, outer) = (x + side * (HALF + 0.001), x + side * (HALF + 0.012));
        let guide = world.rect((inner, 0.013), (outer, 0.019));
        d.piece(DrawnPart::Frame, Material::Wood, guide);
    }
    let p = DrawnPart::Hammer;
    let body = world.rect((x - HALF, foot.y), (x + HALF, foot.y + HEAD - 0.007));
    d.piece(p, Material::Metal, body);
    let felt = [(-HALF, -0.007), (HALF, -0.007), (0.5 * HALF, 0.0), (-0.5 * HALF, 0.0)];
    d.piece(
        p,
        Material::HammerFelt,
        BodyFrame::new(foot + Vec2::new(0.0, HEAD), world.direction).all(&felt),
    );
    let line = string.y + HEAD;
    let ends = [Vec2::new(string.x, line), Vec2::new(point(pose, "string", 1).x, line)];
    d.wire(DrawnPart::String, 0.0012, ends.to_vec());
    d.label(Vec2::new(string.x + 0.006, line), Vec2::new(string.x - 0.02, line + 0.004), "string");
    d.label(foot + Vec2::new(-HALF, 0.008), Vec2::new(string.x - 0.004, 0.02), "hammer");
    d.label(Vec2::new(x + HALF + 0.012, 0.016), Vec2::new(x + 0.048, 0.008), "guide");
}

#[cfg(test)]
mod tests {
    use super::super::{around, tests::names_are_free};
    use super::*;
    use crate::views::drawing::paint::ScreenMapping;
    use egui::{Rect, pos2, vec2};
    use touchback_action::interface::key::Key as _;
    use touchback_haptics::keyboard::bench_load::BenchLoad;

    fn lowest(drawing: &Drawing, part: DrawnPart) -> f64 {
        let pieces = drawing.pieces.iter().filter(|piece| piece.part == part);
        pieces.flat_map(|piece| &piece.outline).map(|p| p.y).fold(f64::MAX, f64::min)
    }

    #[test]
    fn a_lever_touches_its_drawn_wall_at_the_haptic_walls_depth() {
        let depth = BenchLoad::WALL.bed.depth;
        let wall = |x: f64| draw(&BenchLoad::WALL.at(x, 0.0).pose());
        let block = wall(0.0).pieces.into_iter().rfind(|p| p.part == DrawnPart::Frame).unwrap();
        let top = block.outline.iter().map(|p| p.y).fold(f64::MIN, f64::max);
        let travel = |x: f64| lowest(&wall(x), DrawnPart::Key) - top;
        assert!((travel(0.0) - depth).abs() < 1e-9);
        // The front corner is 14 mm in front of the point whose depth is given.
        assert!(travel(depth).abs() < 0.8e-3, "{}", travel(depth));
        assert!(wall(0.9 * depth).touching.is_empty() && wall(1.1 * depth).touching.len() == 1);
    }

    #[test]
    fn names_of_wall_and_load_cover_nothing_in_motion() {
        let picture = Rect::from_min_size(pos2(0.0, 0.0), vec2(460.0, 190.0));
        for load in [BenchLoad::WALL, BenchLoad::BENCH] {
            let rest = draw(&load.at(0.0, 0.0).pose());
            let (low, high) = around(&rest, None);
            let view = ScreenMapping::fit((low, high), picture);
            for i in 0..=20 {
                let x = f64::from(i) / 20.0 * (load.bed.depth + 0.2e-3);
                let drawing = draw(&load.at(x, x.min(9e-3)).pose());
                names_are_free("load", &view, &drawing);
                for p in drawing.pieces.iter().flat_map(|piece| &piece.outline) {
                    assert!(p.x > low.x && p.x < high.x && p.y > low.y && p.y < high.y, "{p:?}");
                }
            }
        }
    }
}
