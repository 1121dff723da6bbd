//! The row of 88 hammers and dampers as the player sees it, behind the drawn action: strings end on, hammers
//! below them, dampers above them, each where its key has it.

use egui::{Color32, CornerRadius, Mesh, Painter, Rect, pos2, vec2};

use crate::views::drawing::transition::left_of_ghost;
use crate::views::drawing::{DrawnPart, Material};
use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::Snapshot;
use touchback_sound::strings::loss::has_damper;

/// Width of the row, m: the compass of a grand, 88 keys 13.9 mm apart, with its margins.
const WIDTH: f32 = 1.25;
/// Heights above the strings and below them at rest, m.
const ABOVE: f32 = 0.034;
const BELOW: f32 = 0.088;
/// Height of a damper's head and thickness of its felt, m.
const HEAD: f32 = 0.02;
const FELT: f32 = 0.006;
/// Drawn rise of a damper clear of its string, m [dampers of grands rise by 4 to 6 mm].
const LIFT: f32 = 0.006;
/// Share of the ground in the colours of resting and of moving parts.
const RESTING: f32 = 0.5;
const MOVING: f32 = 0.0;
/// Rise of a hammer, m, and depth of a key, m, from which it counts as moving.
const STIRS: f32 = 0.5e-3;

/// Depth, m, from which a key counts as pressed, and the way back from its deepest point, or down from its
/// highest, from which it counts as let go or pressed again.
const PRESSED: f32 = 3e-3;
const TURNED: f32 = 1e-3;

/// One key's way: its deepest point while it goes down, its highest while it comes up.
#[derive(Clone, Copy, Debug)]
enum Way {
    Down(f32),
    Up(f32),
}

/// The hammers of keys that were let go, which fade where they were.
#[derive(Clone, Debug)]
pub struct Ghosts {
    ways: [Way; KEYS],
    /// Rise of the hammer, m, and time, s, at which the key was let go.
    left: [(f32, f64); KEYS],
}

impl Default for Ghosts {
    fn default() -> Self {
        Self { ways: [Way::Up(0.0); KEYS], left: [(0.0, f64::NEG_INFINITY); KEYS] }
    }
}

impl Ghosts {
    /// Follows the keys of `snapshot` at `now` s; `let_go` gets each key that was let go, and returns whether its hammer
    /// fades.
    pub fn follow(
        &mut self,
        snapshot: &Snapshot,
        now: f64,
        mut let_go: impl FnMut(KeyNumber) -> bool,
    ) {
        for key in KeyNumber::all() {
            let i = key.index();
            let depth = snapshot.depth[i];
            match self.ways[i] {
                Way::Down(deepest) if depth < deepest - TURNED => {
                    self.ways[i] = Way::Up(depth);
                    if deepest > PRESSED && let_go(key) {
                        self.left[i] = (snapshot.hammer[i], now);
                    }
                }
                Way::Down(deepest) => self.ways[i] = Way::Down(deepest.max(depth)),
                Way::Up(highest) if depth > highest + TURNED => self.ways[i] = Way::Down(depth),
                Way::Up(highest) => self.ways[i] = Way::Up(highest.min(depth)),
            }
        }
    }

    /// Rise of a key's fading hammer, m, and what is left of it at `now` s, 0…1; none once it has faded.
    fn of(&self, key: KeyNumber, now: f64) -> Option<(f32, f64)> {
        let (rise, since) = self.left[key.index()];
        Some((rise, left_of_ghost(since, now)?))
    }

    /// Whether a hammer fades at `now` s.
    #[must_use]
    pub fn is_any(&self, now: f64) -> bool {
        KeyNumber::all().any(|key| self.of(key, now).is_some())
    }
}

/// Height of the row at a width of `width` points, at most `most`.
#[must_use]
pub fn height(width: f32, most: f32) -> f32 {
    (width / WIDTH * (ABOVE + BELOW)).min(most)
}

/// Draws the row in `area`, with a blow of `blow` m, before the inside of the piano, which fades into the
/// ground below the row. At `now` s the `ghosts` fade.
pub fn paint(
    painter: &Painter,
    area: Rect,
    snapshot: &Snapshot,
    (ghosts, now): (&Ghosts, f64),
    blow: f32,
    dark: bool,
) {
    background(painter, area, dark);
    let scale = area.height() / (ABOVE + BELOW);
    let pitch = area.width() / KEYS as f32;
    let strings = area.min.y + scale * ABOVE;
    let piece = |part, material: Material| material.fill(part, dark);
    let felt = piece(DrawnPart::Hammer, Material::HammerFelt);
    let wood = piece(DrawnPart::Hammer, Material::Wood);
    for key in KeyNumber::all() {
        let i = key.index();
        let (rise, lift) = (snapshot.hammer[i], snapshot.damper[i].clamp(0.0, 1.0));
        let moves = rise > STIRS || snapshot.depth[i] > STIRS;
        let tone = |colour: Color32, moves: bool| {
            theme::far(dark, colour, if moves { MOVING } else { RESTING })
        };
        let x = area.min.x + pitch * (i as f32 + 0.5);
        // From the lowest to the highest key, hammers are narrower and less tall.
        let treble = i as f32 / (KEYS - 1) as f32;
        let half = pitch * (0.40 - 0.10 * treble);
        let crown = strings + scale * (blow - rise);
        let tall = scale * (0.026 - 0.010 * treble);
        let head = Rect::from_min_max(pos2(x - half, crown), pos2(x + half, crown + tall));
        let round = CornerRadius { nw: corner(half), ne: corner(half), sw: 1, se: 1 };
        let tail = Rect::from_min_max(
            pos2(x - 0.55 * half, crown + 0.5 * tall),
            pos2(x + 0.55 * half, crown + tall + scale * 0.015),
        );
        if let Some((rise, left)) = ghosts.of(key, now) {
            let crown = strings + scale * (blow - rise);
            let was = Rect::from_min_max(pos2(x - half, crown), pos2(x + half, crown + tall));
            painter.rect_filled(was, round, felt.gamma_multiply(0.5 * single(left)));
        }
        painter.rect_filled(tail, 1.0, tone(wood, moves));
        painter.rect_filled(head, round, tone(felt, moves));
        let string = Rect::from_center_size(pos2(x, strings), vec2(1.6 + half * 0.6, 1.6));
        painter.rect_filled(string, 1.0, tone(theme::string(dark), moves));
        if has_damper(key) {
            let bottom = strings - 1.2 - scale * LIFT * lift;
            let clear = lift > 0.02;
            let top = bottom - scale * HEAD;
            let block = Rect::from_min_max(pos2(x - half, top), pos2(x + half, bottom));
            let cloth = Rect::from_min_max(pos2(x - half, bottom - scale * FELT), block.max);
            painter.rect_filled(block, 1.0, tone(piece(DrawnPart::Damper, Material::Wood), clear));
            painter.rect_filled(cloth, 1.0, tone(piece(DrawnPart::Damper, Material::Felt), clear));
        }
    }
}

/// Draws the inside of the piano over the painter's width, from its top to below the row.
fn background(painter: &Painter, area: Rect, dark: bool) {
    let clip = painter.clip_rect();
    let (near, far) = (theme::ground(dark), theme::inside(dark));
    let mut mesh = Mesh::default();
    let fade = area.max.y + 0.35 * area.height();
    for (y, colour) in [(clip.min.y, far), (area.max.y, far), (fade, near)] {
        mesh.colored_vertex(pos2(clip.min.x, y), colour);
        mesh.colored_vertex(pos2(clip.max.x, y), colour);
    }
    for corner in [0, 2] {
        mesh.add_triangle(corner, corner + 1, corner + 2);
        mesh.add_triangle(corner + 1, corner + 2, corner + 3);
    }
    painter.add(mesh);
}

/// A corner's radius in whole points.
fn corner(half: f32) -> u8 {
    touchback_core::math::cast::byte(touchback_core::math::cast::floor_index(f64::from(half)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hammer_fades_where_its_key_was_let_go() {
        let (mut ghosts, mut snapshot) = (Ghosts::default(), Snapshot::default());
        let key = KeyNumber::from_midi(60).unwrap();
        let i = key.index();
        let mut left = Vec::new();
        // Down, a little up and down again, and let go.
        for (now, depth, hammer) in [
            (0.00, 0.0, 0.0),
            (0.02, 5e-3, 0.02),
            (0.04, 9.5e-3, 0.03),
            (0.06, 9.0e-3, 0.031),
            (0.08, 9.6e-3, 0.032),
            (0.10, 8.0e-3, 0.025),
            (0.12, 1.0e-3, 0.002),
            (0.14, 0.0, 0.0),
        ] {
            (snapshot.depth[i], snapshot.hammer[i]) = (depth, hammer);
            ghosts.follow(&snapshot, now, |key| {
                left.push((key, now));
                true
            });
        }
        assert_eq!(left, [(key, 0.10)]);
        let (rise, share) = ghosts.of(key, 0.13).unwrap();
        assert!(rise == 0.025 && (share - 0.8).abs() < 1e-9, "{rise} {share}");
        assert!(ghosts.is_any(0.24) && !ghosts.is_any(0.26));
        // A touch that does not press leaves none.
        for (now, depth) in [(1.0, 2.0e-3), (1.1, 0.0)] {
            snapshot.depth[i] = depth;
            ghosts.follow(&snapshot, now, |key| {
                left.push((key, now));
                true
            });
        }
        assert_eq!(left.len(), 1);
    }
}
