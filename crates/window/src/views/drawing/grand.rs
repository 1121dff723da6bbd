//! Drawing of the grand action in a pose. Parts that move, touch or are regulated have the model's geometry.
//! Thicknesses and supports, on which no motion depends, are those of usual grands.

mod bearing;
mod repetition;

use super::{BodyFrame, Drawing, DrawnPart, Label, Material, bar, disc, ellipse};
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::{GrandState, Spec, equations::contact, state};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// Crown over the shank's axis, m [Hirschkorn 2004].
const CROWN: f64 = 0.0356;
/// Height of the key's wood, m.
const WOOD: f64 = 0.022;
/// Radius of the capstan's dome, m.
const DOME: f64 = 0.0045;
/// Pivot of the damper's lever, its wire, and the key's end, m behind the balance point.
const DAMPER_PIVOT: f64 = 0.385;
const KEY_END: f64 = 0.268;
/// x of the names of parts without space beside them, m.
const REMARKS: f64 = 0.352;

/// The inputs of the drawing: model data, submodel and state of a key.
#[derive(Clone, Copy, Debug)]
pub struct GrandPose<'a> {
    /// The key's model data.
    pub spec: &'a Spec,
    /// Submodel and states.
    pub state: GrandState,
}

/// The drawing's extent, m: lower left and upper right corner.
pub(crate) const BOUNDS: (Vec2, Vec2) = (Vec2::new(-0.245, -0.046), Vec2::new(0.405, 0.214));
/// The extent of the mechanism behind the key's balance point, m.
pub(crate) const MECHANISM: (Vec2, Vec2) = (Vec2::new(0.0, -0.046), Vec2::new(0.405, 0.214));

/// Draws the whole action.
#[must_use]
pub fn draw(pose: &GrandPose) -> Drawing {
    let mut d = Drawing::default();
    let k = Kinematics::new(pose.spec, pose.state.phase, &pose.state.x);
    frame(&mut d, pose.spec);
    damper(&mut d, pose);
    key(&mut d, pose.spec, &k);
    repetition::wippen(&mut d, pose.spec, &k);
    repetition::lever(&mut d, pose.spec, &k);
    repetition::jack_and_button(&mut d, pose.spec, &k);
    hammer(&mut d, pose.spec, &k);
    bearing::contacts(&mut d, pose, &k);
    // The thesis's key has no regulation.
    if !pose.spec.is_rigid() {
        bearing::handles(&mut d, pose.spec, &k);
    }
    d
}

/// A point of the key's frame when the front is pressed to `depth` m.
fn at_depth(spec: &Spec, depth: f64, x: f64, y: f64) -> Vec2 {
    BodyFrame::new(Vec2::default(), direction(spec.key.rest_angle + depth / spec.key.front))
        .at(x, y)
}

/// Draws key bed, rails, flanges and string.
fn frame(d: &mut Drawing, spec: &Spec) {
    let (w, h) = (&spec.wippen.pivot, &spec.hammer.pivot);
    let front = -spec.key.front;
    let world = BodyFrame::WORLD;
    let (bottom, bed) = (BOUNDS.0.y + 0.004, -0.035);
    let mut piece = |material, outline| d.piece(DrawnPart::Frame, material, outline);
    piece(Material::Rail, world.rect((front - 0.022, bottom), (KEY_END + 0.02, bed)));
    // Punchings: as high as the key reaches when it meets them.
    let punching = at_depth(spec, spec.key.dip, front + 0.006, -WOOD).y;
    piece(Material::Felt, world.rect((front - 0.008, bed), (front + 0.02, punching)));
    let cloth = at_depth(spec, 0.0, KEY_END - 0.03, -WOOD).y;
    piece(Material::Felt, world.rect((KEY_END - 0.045, bed), (KEY_END - 0.012, cloth)));
    piece(
        Material::Rail,
        world.all(&[(-0.016, bed), (0.016, bed), (0.006, -WOOD), (-0.006, -WOOD)]),
    );
    // Wippen rail and flange; hammer rail and flange.
    piece(Material::Rail, world.rect((w.x + 0.013, w.y - 0.03), (w.x + 0.036, w.y - 0.006)));
    piece(Material::Wood, bar(*w, Vec2::new(w.x + 0.016, w.y - 0.012), (0.0045, 0.005)));
    piece(Material::Rail, world.rect((h.x - 0.052, h.y - 0.006), (h.x - 0.02, h.y + 0.022)));
    piece(Material::Wood, bar(Vec2::new(h.x - 0.03, h.y + 0.002), *h, (0.006, 0.0045)));
    let string = h.y + CROWN;
    d.wire(DrawnPart::Frame, 0.0028, vec![Vec2::new(0.0, bed), Vec2::new(0.0, 0.014)]);
    let ends = [Vec2::new(h.x + 0.055, string), Vec2::new(BOUNDS.1.x, string)];
    d.wire(DrawnPart::String, 0.0016, ends.to_vec());
    // Rest rail: under the shank where the crown is `rail` below the string.
    let low = BodyFrame::new(*h, direction(-spec.hammer.rail / spec.hammer.crown));
    let pad = low.at(0.088, -0.0032);
    d.piece(
        DrawnPart::Frame,
        Material::Felt,
        ellipse(&BodyFrame::new(pad - Vec2::new(0.0, 0.004), low.direction), (0.011, 0.0042)),
    );
    d.labels.push(Label {
        at: Vec2::new(h.x + 0.062, string),
        text_at: Vec2::new(h.x + 0.02, string + 0.016),
        text: "string",
    });
}

/// Draws underlever, wire and head of the damper. The lever's angle is such that the key meets it, and the
/// head rises, exactly as in the model, whose damper is a mass at its own arm.
fn damper(d: &mut Drawing, pose: &GrandPose) {
    let (spec, damper) = (pose.spec, &pose.spec.damper);
    if !damper.present {
        return;
    }
    let string = spec.hammer.pivot.y + CROWN;
    let lift = pose.state.x[state::DAMPER];
    // The lever's reach over the key and the wire's place follow from the arm.
    let contact = KEY_END - 0.006;
    let length = DAMPER_PIVOT - contact;
    let wire = DAMPER_PIVOT - length * damper.arm / contact;
    let face = at_depth(spec, damper.pickup, contact, 0.002).y;
    let rise = lift * contact / damper.arm;
    let pivot = Vec2::new(DAMPER_PIVOT, face + 0.006);
    let lever = BodyFrame::new(pivot, direction(-rise / length));
    let p = DrawnPart::Damper;
    d.piece(
        p,
        Material::Wood,
        lever.all(&[
            (-length - 0.006, -0.004),
            (0.0, -0.005),
            (0.006, 0.004),
            (-length - 0.006, 0.003),
        ]),
    );
    d.piece(p, Material::Felt, lever.rect((-length - 0.006, -0.006), (-length + 0.008, -0.0035)));
    d.piece(p, Material::Metal, disc(pivot, 0.0026));
    let bottom = string + 0.0008 + lift;
    let top = bottom + 0.03;
    let foot = lever.at(wire - DAMPER_PIVOT, 0.0);
    d.wire(p, 0.0018, vec![foot, Vec2::new(wire, bottom + 0.01)]);
    let head = BodyFrame::WORLD;
    d.piece(
        p,
        Material::Felt,
        head.all(&[
            (wire - 0.012, bottom + 0.009),
            (wire - 0.009, bottom),
            (wire + 0.009, bottom),
            (wire + 0.012, bottom + 0.009),
        ]),
    );
    d.piece(
        p,
        Material::Wood,
        head.rect((wire - 0.013, bottom + 0.009), (wire + 0.013, top.min(BOUNDS.1.y))),
    );
    d.piece(
        DrawnPart::Frame,
        Material::Rail,
        head.rect((DAMPER_PIVOT - 0.004, pivot.y + 0.004), (BOUNDS.1.x, pivot.y + 0.02)),
    );
    d.labels.push(Label {
        at: Vec2::new(wire + 0.013, top - 0.012),
        text_at: Vec2::new(wire + 0.05, top - 0.006),
        text: "damper",
    });
}

/// Draws the key with covering, capstan and backcheck.
fn key(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let f = BodyFrame::new(Vec2::default(), k.key);
    let front = -spec.key.front;
    let c = &spec.check;
    let checked = c.felt.stiffness > 0.0;
    let capstan = spec.key.capstan;
    let p = DrawnPart::Key;
    let end = KEY_END.max(capstan.x + 0.02);
    d.piece(p, Material::Wood, f.rect((front - 0.014, -WOOD), (end, -0.0005)));
    d.piece(p, Material::Felt, f.rect((end - 0.018, -0.0005), (end, 0.002)));
    d.key_front = Some(f.at(front, 0.0));
    d.piece(
        p,
        Material::Ivory,
        f.all(&[
            (front - 0.017, -0.0028),
            (front + 0.125, -0.0028),
            (front + 0.125, 0.0),
            (front - 0.016, 0.0),
        ]),
    );
    d.piece(
        p,
        Material::Metal,
        f.rect((capstan.x - 0.0028, -0.001), (capstan.x + 0.0028, capstan.y)),
    );
    d.piece(p, Material::Metal, disc(f.at(capstan.x, capstan.y), DOME));
    if checked {
        let face = f.at(c.face.x, c.face.y);
        let block = BodyFrame::new(face, k.check_normal);
        let q = DrawnPart::Check;
        // The wire bends over the key to reach the block's back.
        let foot = f.at(c.face.x + 0.008, -0.001);
        d.wire(
            q,
            0.0022,
            vec![foot, f.at(c.face.x + 0.008, 0.6 * c.face.y), block.at(-0.008, 0.0)],
        );
        d.piece(
            q,
            Material::Wood,
            block.all(&[(-0.0115, -0.012), (-0.0025, -0.014), (-0.0025, 0.014), (-0.0095, 0.012)]),
        );
        d.piece(q, Material::Leather, block.rect((-0.0025, -0.0145), (0.0, 0.0145)));
        d.labels.push(Label {
            at: block.at(-0.011, 0.0),
            text_at: Vec2::new(REMARKS - 0.008, face.y + 0.014),
            text: "backcheck",
        });
    }
    d.labels.push(Label {
        at: f.at(0.5 * front, -0.008),
        text_at: Vec2::new(0.5 * front, 0.022),
        text: "key",
    });
}

/// Draws the hammer, and the drop screw in its flange.
fn hammer(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let (h, c, l) = (&spec.hammer, &spec.check, &spec.lever);
    let f = BodyFrame::new(h.pivot, k.hammer);
    let p = DrawnPart::Hammer;
    if l.drop_felt.stiffness > 0.0 {
        let under = spec.wippen.pivot.x + k.to_lever.x + contact::drop_point(spec, k.surface).x;
        let (x, y) = (under, l.drop_height);
        d.wire(DrawnPart::Frame, 0.0026, vec![Vec2::new(x, y), Vec2::new(x, h.pivot.y + 0.012)]);
        d.piece(
            DrawnPart::Frame,
            Material::Leather,
            BodyFrame::WORLD.rect((x - 0.0034, y), (x + 0.0034, y + 0.0024)),
        );
        d.labels.push(Label {
            at: Vec2::new(x, h.pivot.y + 0.012),
            text_at: Vec2::new(x - 0.015, h.pivot.y + 0.034),
            text: "drop screw",
        });
    }
    let radius = 0.5 * h.knuckle_depth;
    let knuckle = f.at(h.knuckle, -radius);
    d.piece(p, Material::Leather, disc(knuckle, radius));
    d.piece(
        p,
        Material::Wood,
        disc(knuckle + (f.origin - f.at(0.0, radius)) * -0.35, 0.42 * radius),
    );
    d.piece(p, Material::Wood, bar(f.at(0.0, 0.0), f.at(0.03, 0.0), (0.0052, 0.0040)));
    d.piece(p, Material::Wood, bar(f.at(0.03, 0.0), f.at(h.crown, 0.0), (0.0033, 0.0030)));
    // Moulding: a wedge inside the felt, down to the tail that rubs on the check.
    let tail = if c.felt.stiffness > 0.0 { c.tail } else { Vec2::new(h.crown + 0.004, -0.02) };
    let x = h.crown;
    d.piece(
        p,
        Material::Wood,
        f.all(&[
            (x - 0.0050, -0.006),
            (x + 0.0062, -0.006),
            (x + 0.002, CROWN - 0.009),
            (x - 0.002, CROWN - 0.009),
        ]),
    );
    d.piece(
        p,
        Material::Wood,
        f.all(&[
            (x - 0.0050, -0.006),
            (tail.x - 0.0075, tail.y - 0.003),
            (tail.x - 0.002, tail.y - 0.003),
            (tail.x, tail.y),
            (x + 0.0062, -0.006),
        ]),
    );
    // Felt: thickest at the crown, and down both shoulders.
    let y = CROWN;
    let shoulder = |s: f64| {
        f.all(&[
            (x, y),
            (x + s * 0.0042, y - 0.0008),
            (x + s * 0.0080, y - 0.0038),
            (x + s * 0.0101, y - 0.0085),
            (x + s * 0.0105, y - 0.0135),
            (x + s * 0.0092, y - 0.0195),
            (x + s * 0.0056, y - 0.0275),
            (x + s * 0.0026, y - 0.0120),
            (x, y - 0.0085),
        ])
    };
    for side in [-1.0, 1.0] {
        // The head is not convex: crown and flanks are separate pieces.
        let s = shoulder(side);
        d.piece(p, Material::HammerFelt, vec![s[0], s[1], s[2], s[3], s[7], s[8]]);
        d.piece(p, Material::HammerFelt, vec![s[3], s[4], s[5], s[6], s[7]]);
    }
    d.piece(p, Material::Metal, disc(h.pivot, 0.0022));
    d.labels.push(Label {
        at: f.at(0.62 * h.crown, 0.003),
        text_at: f.at(0.6 * h.crown, 0.030),
        text: "hammer",
    });
}

#[cfg(test)]
mod tests;
