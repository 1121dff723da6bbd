//! `geometry`: scale drawings and lists of the two parameter sets of the grand action.
//!
//! Positions follow from the key's parameters and the action's own kinematics. Only the height of the crown
//! above the shank, which does not affect the motion, is added.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use plotters::style::RGBColor;

use touchback_action::grand::design::describe::{self, Entry};
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::{
    Assembly, GrandKey, GrandState, Spec, design::thesis, equations::contact,
};
use touchback_action::{Drive, EventKind, Key, STEP};
use touchback_core::math::compass::linear;
use touchback_core::math::vec2::Vec2;
use touchback_offline::bench::{Folder, KeySource, Report, TargetBand, short};
use touchback_offline::plot::sketch::{Ink, Sketch};
use touchback_offline::plot::{INK, palette};

/// Height of the crown above the shank's axis, m [Hirschkorn 2004]; for the drawing only.
const CROWN: f64 = 0.0356;

/// Hammer speed of the pose at the string, m/s.
const SPEED: f64 = 2.0;

/// Length of the drawn felt-covered faces, m.
const FACE: f64 = 6e-3;

/// Draws and lists both parameter sets.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let built = keys.built(keys.one(40));
    let parts = Assembly::new(built);
    let struck = parts.strike(SPEED).context("this regulation has no strike")?;
    let is_custom = keys.own_numbers().is_some();
    let title = if is_custom {
        folder.titled("Solid: at rest; faint: at string contact")
    } else {
        "Concert set, middle C; solid: at rest; faint: at string contact".into()
    };
    let poses = [parts.rest(), struck];
    let mut entries = describe::concert(&built.spec);
    if is_custom {
        let standard = describe::concert(&KeySource::default().built(keys.one(40)).spec);
        for (entry, standard) in entries.iter_mut().zip(&standard) {
            if entry.value.to_bits() != standard.value.to_bits() {
                entry.source = "custom";
            }
        }
    }
    set(
        folder,
        &mut report,
        if is_custom { "own" } else { "concert" },
        &title,
        &built.spec,
        &poses,
        &entries,
    )?;
    if is_custom {
        return Ok(report);
    }

    let thesis_key = thesis::build();
    let title = "Thesis set; solid: at the start of the run; faint: at string contact";
    let poses = [thesis::initial(), thesis_strike(&thesis_key.spec)?];
    let spec = &thesis_key.spec;
    set(folder, &mut report, "thesis", title, spec, &poses, &describe::thesis(spec))?;
    Ok(report)
}

/// The state of the thesis's key at string contact in its reference run.
fn thesis_strike(spec: &Spec) -> Result<GrandState> {
    let mut key = GrandKey::from_state(*spec, thesis::initial());
    let mut struck = false;
    for step in 0..3200u32 {
        let d = |i: u32| linear(&thesis::REFERENCE, f64::from(i) * STEP);
        let drive = Drive::Manipulandum([d(step), d(step + 1)]);
        key.step(drive, &mut |_, event| struck |= event.kind() == EventKind::Strike);
        if struck {
            return Ok(*key.state());
        }
    }
    anyhow::bail!("the reference run has no strike")
}

/// One parameter set: drawings, list, and checks of the drawn poses.
fn set(
    folder: &mut Folder,
    report: &mut Report,
    name: &str,
    title: &str,
    spec: &Spec,
    poses: &[GrandState; 2],
    entries: &[Entry],
) -> Result<()> {
    let mut sketch = Sketch::new(title);
    draw(&mut sketch, spec, &poses[1], true);
    draw(&mut sketch, spec, &poses[0], false);
    let file = format!("action-{name}");
    folder.sketch(&file, &sketch)?;
    report.figure(&format!("{file}.svg"));
    let mut text = format!(
        "# Grand action, set {name}\n\n![{title}]({file}.svg)\n\nDrawn to scale from the \
         parameters below by `touchback lab geometry`. [Notation](notation.md) explains axes and \
         signs, [the model](model.md) the frames and the laws, [references](references.md) the names \
         in brackets. Points are given in the frame of the body that carries them.\n\n\
         | symbol | value | unit | meaning | source |\n| --- | --- | --- | --- | --- |\n"
    );
    for entry in entries {
        let Entry { name, unit, meaning, source, .. } = entry;
        let value = short(entry.value);
        writeln!(text, "| `{name}` | {value} | {unit} | {meaning} | {source} |")?;
    }
    folder.write(&format!("{file}.md"), text.as_bytes())?;

    let sourced = entries.iter().filter(|e| !e.source.is_empty()).count();
    let quantity = format!("{name}: parameters with a source, of {}", entries.len());
    let all = entries.len() as f64;
    report.check(&quantity, &short(all), TargetBand::Within(all, all), sourced as f64);
    let error = poses.iter().map(|p| loop_error(spec, p)).fold(0.0, f64::max);
    let quantity = format!("{name}: distance of the capstan from the heel's line in the poses, m");
    report.check(&quantity, "0", TargetBand::AtMost(1e-9), error);
    Ok(())
}

/// Distance of the capstan from the heel's line, m.
fn loop_error(spec: &Spec, pose: &GrandState) -> f64 {
    let k = Kinematics::new(spec, pose.phase, &pose.x);
    let from_pivot = spec.key.capstan.turned(k.key) - spec.wippen.pivot;
    (from_pivot.dot(k.wippen.perp()) + spec.wippen.heel).abs()
}

/// Draws all bodies in one pose.
fn draw(sketch: &mut Sketch, spec: &Spec, pose: &GrandState, faint: bool) {
    let k = Kinematics::new(spec, pose.phase, &pose.x);
    let pen = |colour: RGBColor, width: u32| Ink {
        colour: if faint { fainter(colour) } else { colour },
        width,
    };
    let dark = INK;
    let (w, h, c) = (&spec.wippen, &spec.hammer, &spec.check);
    let check = c.felt.stiffness > 0.0;

    // Key: top edge, capstan, backcheck.
    let on_key = |p: Vec2| p.turned(k.key);
    let back = if check { c.face.x } else { spec.key.capstan.x + 0.02 };
    let wood = pen(palette(0), 4);
    sketch.line(&[on_key(Vec2::new(-spec.key.front, 0.0)), on_key(Vec2::new(back, 0.0))], wood);
    let capstan = spec.key.capstan;
    sketch.line(&[on_key(Vec2::new(capstan.x, 0.0)), on_key(capstan)], pen(palette(0), 3));
    if check {
        let face = on_key(c.face);
        let along = Vec2::unit(c.normal).turned(k.key).perp() * FACE;
        sketch.line(&[on_key(Vec2::new(c.face.x, 0.0)), face], pen(palette(0), 2));
        sketch.line(&[face - along, face + along], pen(palette(0), 5));
    }

    // Wippen: body, heel, post of the repetition lever.
    let on_wippen = |p: Vec2| w.pivot + p.turned(k.wippen);
    let body = pen(palette(2), 4);
    let heel = Vec2::new(-k.q7, -w.heel);
    let ends = [Vec2::new(heel.x - FACE, heel.y), Vec2::new(heel.x + FACE, heel.y)];
    sketch
        .line(&[w.pivot, on_wippen(Vec2::new(w.jack_pivot.x, 0.0)), on_wippen(w.jack_pivot)], body);
    sketch.line(&ends.map(on_wippen), pen(palette(2), 5));
    sketch.line(&[on_wippen(heel), on_wippen(Vec2::new(heel.x, 0.0))], pen(palette(2), 3));
    let post = Vec2::new(w.lever_pivot.x, 0.0);
    sketch.line(&[on_wippen(post), on_wippen(w.lever_pivot)], pen(palette(2), 3));

    // Jack: fly and toe.
    let jj = on_wippen(w.jack_pivot);
    let toe = jj + spec.jack.toe.turned(k.jack.direction);
    sketch.line(&[toe, jj, jj + k.head.axis * spec.jack.length], pen(palette(1), 4));

    // Repetition lever: its surface, and the post to its pin.
    let rr = on_wippen(w.lever_pivot);
    let surface = contact::surface(spec, k.lever);
    let foot = rr + surface.perp() * spec.lever.surface_height;
    let reach = surface * -(spec.lever.drop_reach + FACE);
    sketch.line(&[foot + reach, foot + surface * FACE], pen(palette(4), 4));
    sketch.line(&[rr, foot], pen(palette(4), 3));

    // Hammer: shank, head from tail to crown, knuckle.
    let on_hammer = |p: Vec2| h.pivot + p.turned(k.hammer);
    let shank = pen(palette(3), 3);
    let crown = Vec2::new(h.crown, CROWN);
    sketch.line(&[h.pivot, on_hammer(Vec2::new(h.crown, 0.0))], shank);
    let tail = if check { c.tail } else { Vec2::new(h.crown, 0.0) };
    sketch.line(
        &[on_hammer(tail), on_hammer(Vec2::new(h.crown, 0.0)), on_hammer(crown)],
        pen(palette(3), 7),
    );
    let radius = 0.5 * h.knuckle_depth;
    sketch.circle(on_hammer(Vec2::new(h.knuckle, -radius)), radius, shank);

    if faint {
        return;
    }
    // Fixed parts: string, button, drop screw, pins.
    let string = h.pivot + crown;
    sketch.line(
        &[string - Vec2::new(0.05, 0.0), string + Vec2::new(0.05, 0.0)],
        pen(RGBColor(120, 126, 136), 2),
    );
    sketch.label(string + Vec2::new(0.02, 0.0), "string", dark);
    let screw = pen(dark, 3);
    let mut fixed = |at: Vec2, height: f64, left: f64, name: &str| {
        let side = Vec2::new(0.5 * FACE, 0.0);
        let top = at + Vec2::new(0.0, height);
        sketch.line(&[at - side, at + side], screw);
        sketch.line(&[at, top], pen(dark, 2));
        sketch.label(top - Vec2::new(left, 0.0), name, dark);
    };
    fixed(
        Vec2::new(spec.jack.button_x, spec.jack.button_height),
        2.0 * FACE,
        0.03,
        "let-off button",
    );
    let under = rr + contact::drop_point(spec, k.lever);
    if spec.lever.drop_felt.stiffness > 0.0 {
        fixed(Vec2::new(under.x, spec.lever.drop_height), 5.0 * FACE, 0.0, "drop screw");
    }
    for (at, name) in
        [(Vec2::default(), "P1"), (w.pivot, "P2"), (h.pivot, "P3"), (jj, "JJ"), (rr, "RR")]
    {
        sketch.dot(at, 4, dark);
        sketch.label(at, name, dark);
    }
    let beside = [
        (on_key(Vec2::new(-0.6 * spec.key.front, 0.0)), "key", palette(0)),
        (on_wippen(Vec2::new(-0.03, -0.009)), "wippen", palette(2)),
        (jj + k.head.axis * (0.45 * spec.jack.length), "jack", palette(1)),
        (foot + surface * FACE, "repetition lever", palette(4)),
        (on_hammer(Vec2::new(0.6 * h.crown, 0.0)), "hammer", palette(3)),
    ];
    for (at, name, colour) in beside {
        sketch.label(at, name, colour);
    }
}

/// A colour mixed with 75 % white.
fn fainter(RGBColor(r, g, b): RGBColor) -> RGBColor {
    let pale = |c: u8| 255 - (255 - c) / 4;
    RGBColor(pale(r), pale(g), pale(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_parameter_of_the_spec() {
        // The number of parameters in the serialized spec, without the damper's presence.
        let spec = KeySource::default().built(40).spec;
        fn count(value: &serde_json::Value) -> usize {
            match value {
                serde_json::Value::Number(_) => 1,
                serde_json::Value::Array(list) => list.iter().map(count).sum(),
                serde_json::Value::Object(map) => map.values().map(count).sum(),
                _ => 0,
            }
        }
        let written = serde_json::to_value(spec).unwrap();
        assert_eq!(describe::concert(&spec).len(), count(&written));
    }
}
