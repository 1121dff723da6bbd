//! The parts on the wippen: repetition lever, spring and jack; and the let-off button.

use super::super::{BodyFrame, Drawing, DrawnPart, Label, Material, bar, disc};
use super::{DOME, REMARKS};
use touchback_action::grand::Spec;
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// Draws the wippen with heel, post and repetition spring.
pub(super) fn wippen(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let w = &spec.wippen;
    let f = BodyFrame::new(w.pivot, k.wippen);
    let (j, l) = (w.jack_pivot, w.lever_pivot);
    let p = DrawnPart::Wippen;
    // Post behind the body, then the body, then the heel with its cloth.
    d.piece(
        p,
        Material::Wood,
        f.all(&[
            (l.x - 0.006, 0.0),
            (l.x + 0.008, 0.0),
            (l.x + 0.004, l.y + 0.003),
            (l.x - 0.004, l.y + 0.003),
        ]),
    );
    let heel = -k.q7;
    let cloth = -w.heel + DOME;
    d.piece(
        p,
        Material::Wood,
        f.all(&[
            (heel - 0.013, cloth + 0.003),
            (heel + 0.013, cloth + 0.003),
            (heel + 0.017, 0.0),
            (heel - 0.015, 0.0),
        ]),
    );
    d.piece(p, Material::Felt, f.rect((heel - 0.013, cloth), (heel + 0.013, cloth + 0.0032)));
    d.piece(p, Material::Wood, bar(f.at(0.0, 0.0), f.at(l.x, -0.0005), (0.0052, 0.0075)));
    d.piece(p, Material::Wood, bar(f.at(l.x, -0.0005), f.at(j.x, j.y - 0.001), (0.0075, 0.0068)));
    // Spoon: the jack's stop.
    let home = direction(spec.jack.stop);
    let fly = direction(spec.jack.lean).perp().turned(home);
    let stop = j + fly * (0.45 * spec.jack.length) + fly.perp() * -0.0048;
    let foot = Vec2::new(j.x + 0.012, j.y);
    d.wire(
        p,
        0.0018,
        f.all(&[(foot.x, foot.y), (stop.x + 0.003, 0.5 * (foot.y + stop.y)), (stop.x, stop.y)]),
    );
    d.piece(p, Material::Felt, disc(f.at(stop.x + 0.0012, stop.y), 0.0022));
    d.piece(p, Material::Metal, disc(w.pivot, 0.0022));
    d.labels.push(Label {
        at: f.at(0.35 * j.x, -0.004),
        text_at: w.pivot + Vec2::new(-0.012, -0.022),
        text: "wippen",
    });
}

/// Draws the repetition lever with its regulating button and spring.
pub(super) fn lever(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let l = &spec.lever;
    let pin = spec.wippen.pivot + k.to_lever;
    let f = BodyFrame::new(pin, k.surface);
    let carrier = BodyFrame::new(spec.wippen.pivot, k.wippen);
    let (top, front, tail) = (l.surface_height, -(l.drop_reach + 0.01), 0.03);
    let p = DrawnPart::Lever;
    // Button under the tail: meets its block on the wippen at the lever's stop.
    let stop = direction(l.stop + l.surface_angle);
    let block = Vec2::new(tail - 0.006, top - 0.02).turned(stop) + spec.wippen.lever_pivot;
    d.piece(
        DrawnPart::Wippen,
        Material::Wood,
        carrier.all(&[
            (block.x - 0.006, 0.0),
            (block.x + 0.006, 0.0),
            (block.x + 0.004, block.y),
            (block.x - 0.004, block.y),
        ]),
    );
    d.wire(p, 0.0024, f.all(&[(tail - 0.006, top + 0.004), (tail - 0.006, top - 0.016)]));
    d.piece(
        p,
        Material::Leather,
        f.rect((tail - 0.0105, top - 0.0198), (tail - 0.0015, top - 0.015)),
    );
    // Spring: from the post, looped, up to the lever's groove.
    let post = carrier.at(spec.wippen.lever_pivot.x - 0.004, 0.012);
    let groove = f.at(0.62 * front, top - 0.0075);
    let sag = (post + groove) * 0.5 + (groove - post).perp() * 0.14;
    let curve =
        |t: f64| post * ((1.0 - t) * (1.0 - t)) + sag * (2.0 * t * (1.0 - t)) + groove * (t * t);
    let turn = |i: u32| {
        let p = Vec2::unit(0.4 * f64::from(i));
        post + Vec2::new(-0.0005, -0.0042) + Vec2::new(0.0042 * p.x, 0.0042 * p.y)
    };
    d.wire(
        p,
        0.0012,
        (4..20).map(turn).chain((0..=12).map(|i| curve(f64::from(i) / 12.0))).collect(),
    );
    d.piece(
        p,
        Material::Wood,
        f.all(&[(front, top - 0.006), (0.0, -0.006), (0.006, -0.005), (0.006, top), (front, top)]),
    );
    d.piece(
        p,
        Material::Wood,
        f.all(&[(0.0, -0.006), (tail, top - 0.0075), (tail, top), (0.0, top)]),
    );
    d.piece(
        p,
        Material::Leather,
        f.rect((-l.drop_reach - 0.006, top - 0.0006), (-l.drop_reach + 0.006, top + 0.0004)),
    );
    d.piece(p, Material::Metal, disc(pin, 0.0024));
    d.labels.push(Label {
        at: f.at(tail - 0.004, top - 0.002),
        text_at: Vec2::new(REMARKS, pin.y - 0.004),
        text: "repetition lever",
    });
}

/// Draws jack, let-off button and its rail.
pub(super) fn jack_and_button(d: &mut Drawing, spec: &Spec, k: &Kinematics) {
    let j = &spec.jack;
    let pin = spec.wippen.pivot + k.to_jack;
    let body = BodyFrame::new(pin, k.jack.direction);
    let fly = BodyFrame::new(pin, k.head.axis);
    let p = DrawnPart::Jack;
    let toe = body.at(j.toe.x, j.toe.y);
    let below = body.at(j.toe.x, j.toe.y - 0.004);
    d.piece(p, Material::Wood, bar(pin, below + (pin - toe) * 0.08, (0.0046, 0.0034)));
    d.piece(
        p,
        Material::Wood,
        bar(toe - (toe - below) * 0.9, toe - (toe - below) * 0.45, (0.0032, 0.0018)),
    );
    d.piece(
        p,
        Material::Wood,
        fly.all(&[(0.0, -0.0048), (j.length, -0.0034), (j.length, 0.0034), (0.0, 0.0044)]),
    );
    d.piece(p, Material::Wood, disc(pin, 0.0048));
    d.piece(p, Material::Metal, disc(pin, 0.0022));
    d.labels.push(Label {
        at: fly.at(0.4 * j.length, 0.003),
        text_at: Vec2::new(j.button_x - 0.012, spec.wippen.pivot.y - 0.016),
        text: "jack",
    });
    // The button's face is where the toe meets it at any angle of the jack.
    let (x, y) = (j.button_x, j.button_height);
    let q = DrawnPart::Frame;
    let world = BodyFrame::WORLD;
    d.piece(q, Material::Rail, world.rect((x - 0.034, y + 0.018), (x - 0.006, y + 0.034)));
    d.wire(q, 0.0024, vec![Vec2::new(x, y + 0.003), Vec2::new(x, y + 0.036)]);
    d.piece(q, Material::Wood, world.rect((x - 0.009, y + 0.020), (x + 0.004, y + 0.030)));
    d.piece(q, Material::Wood, world.rect((x - 0.006, y + 0.002), (x + 0.006, y + 0.007)));
    d.piece(q, Material::Felt, world.rect((x - 0.006, y), (x + 0.006, y + 0.0025)));
    d.labels.push(Label {
        at: Vec2::new(x - 0.006, y + 0.004),
        text_at: Vec2::new(x - 0.05, y + 0.002),
        text: "let-off button",
    });
}
