//! The figure of key force over depth in a slow press, with the published shape.

use anyhow::Result;

use touchback_offline::bench::statics::{self, Slow};
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{Folder, KeySource, Report};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};

/// Drawn keys.
const KEYS: [u8; 3] = [4, 40, 71];

/// Speed of the press, m/s, and first drawn depth, m: below it the rest felt still pushes.
const SPEED: f64 = 8e-3;
const FROM: f64 = 0.5e-3;

/// The published shape [force literature; as V15, V16 and V17], least and most, N: force before the damper,
/// added force of the damper, added force of let-off; and the length of let-off, m.
const BEFORE: [f64; 2] = [0.45, 0.55];
const DAMPER: [f64; 2] = [0.2, 0.3];
const LET_OFF: [f64; 2] = [0.15, 0.25];
const FELT_OVER: f64 = 1.5e-3;

/// Force, N, over depth, mm.
fn points(slow: &Slow) -> Vec<(f64, f64)> {
    slow.rows.iter().filter(|r| r.0 > FROM).map(|r| (r.0 * 1e3, r.1)).collect()
}

/// The published shape as an area, with its corners at the depths of this key.
fn published(rig: &TestBench, slow: &Slow) -> Series {
    let damper = &rig.spec().damper;
    let (lifts, slips) = (damper.pickup * 1e3, slow.slips() * 1e3);
    let begins = slips - FELT_OVER * 1e3;
    let lifted = if damper.present { DAMPER } else { [0.0; 2] };
    let at = |side: usize, let_off: f64| BEFORE[side] + lifted[side] + let_off * LET_OFF[side];
    let corners = [
        (FROM * 1e3, BEFORE[0], BEFORE[1]),
        (lifts, BEFORE[0], BEFORE[1]),
        (lifts + 0.3, at(0, 0.0), at(1, 0.0)),
        (begins, at(0, 0.0), at(1, 0.0)),
        (slips, at(0, 1.0), at(1, 1.0)),
        (slips + 0.1, at(0, 0.0), at(1, 0.0)),
    ];
    let lower = corners.iter().map(|c| (c.0, c.1)).collect();
    let upper = corners.iter().map(|c| c.2).collect();
    Series::new("published: 0.5 N, damper, let-off", lower, palette(5), Shape::Area(upper))
}

/// Draws the figure: the standard key, and a key with a rigid shank.
pub fn draw(keys: &KeySource, folder: &mut Folder, report: &mut Report) -> Result<()> {
    let panels = keys.numbers(&KEYS).into_iter().map(|number| {
        let rig = keys.bench(number);
        let mut straight = keys.built(number);
        straight.spec.hammer.shank.stiffness = 0.0;
        let slow = statics::slow_press(&rig, SPEED);
        let rigid = statics::slow_press(&TestBench::at_rest(straight), SPEED);
        let series = vec![
            published(&rig, &slow),
            Series::line("rigid shank", points(&rigid), palette(1)),
            Series::line("Touchback", points(&slow), palette(0)),
        ];
        Subplot::new(Axis::new(&format!("force, key {number}, N")), series)
    });
    let figure = Figure {
        title: format!("A slow press, {} mm/s", SPEED * 1e3),
        x: Axis::new("depth of the key, mm"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: panels.collect(),
    };
    folder.draw("validation-slow-press", &figure, report)
}
