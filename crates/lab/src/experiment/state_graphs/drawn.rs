//! The state graph of every action, from the action itself, with the number of times that a random finger takes each
//! transition [Gillespie 1996, figs. 3.2, 3.4, 3.9].

use std::collections::BTreeMap;

use anyhow::Result;

use super::{drives, random_targets};
use touchback_action::interface::graph::{Transition, place};
use touchback_action::{ActionKind, ActionSettings, Key};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::vec2::Vec2;
use touchback_models::catalogue::played;
use touchback_offline::bench::{DataTable, Folder, Report};
use touchback_offline::parallel;
use touchback_offline::plot::palette;
use touchback_offline::plot::sketch::{Ink, Sketch};

/// Length of a run, s.
const SECONDS: f64 = 30.0;

/// Radius of a submodel's circle, and distance of a transition's curve from the straight line, share of its length; the
/// submodels lie on a circle of radius 1.
const CIRCLE: f64 = 0.22;
const BOW: f64 = 0.16;

/// Transitions of a run by source and destination, as the steps show them.
type Counts = BTreeMap<(u8, u8), u32>;

fn counted(key: &mut dyn Key) -> Counts {
    let mut counts = Counts::new();
    let mut before = key.save().phase;
    for drive in drives(&random_targets(1), SECONDS) {
        cancel::check();
        key.step(drive, &mut |_, _| {});
        let after = key.save().phase;
        if after != before {
            *counts.entry((before, after)).or_default() += 1;
        }
        before = after;
    }
    counts
}

/// Runs every action with a graph, and draws the graphs.
pub fn all(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let Some(number) = KeyNumber::from_index(39) else { return Ok(()) };
    let run = |kind: &ActionKind| {
        let mut key = played(*kind, number, &ActionSettings::default());
        let counts = counted(&mut *key);
        (key, counts)
    };
    let kinds: Vec<ActionKind> =
        ActionKind::ALL.into_iter().filter(|kind| *kind != ActionKind::File).collect();
    let mut csv = DataTable::new(&["action", "from", "to", "when", "times"]);
    for (kind, (key, counts)) in kinds.iter().zip(parallel::map(&kinds, run)) {
        let graph = key.graph();
        if graph.submodels.is_empty() {
            continue;
        }
        for Transition { from, to, when } in graph.transitions {
            let times = counts.get(&(*from, *to)).copied().unwrap_or(0);
            csv.row(&[&kind.name(), &graph.name(*from), &graph.name(*to), when, &times]);
        }
        let name = format!("states-{}", kind.name());
        folder.sketch(&name, &sketch(kind.name(), graph.submodels, graph.transitions, &counts))?;
        report.figure(&format!("{name}.svg"));
    }
    folder.table("state-graphs-drawn.csv", &csv)
}

/// Point of the circle of `count` submodels, y up.
fn at(index: usize, count: usize) -> Vec2 {
    let [x, y] = place(index, count);
    Vec2::new(1.5 * x, -y)
}

fn sketch(action: &str, submodels: &[&str], transitions: &[Transition], counts: &Counts) -> Sketch {
    let title = format!(
        "{action}: submodels and transitions, with their number in {SECONDS} s of random play"
    );
    let mut sketch = Sketch::new(&title);
    let count = submodels.len();
    for (index, name) in submodels.iter().enumerate() {
        let centre = at(index, count);
        sketch.circle(centre, CIRCLE, Ink { colour: palette(index), width: 3 });
        sketch.label(
            centre - Vec2::new(0.035 * name.chars().count() as f64, 0.02),
            name,
            palette(index),
        );
    }
    for Transition { from, to, .. } in transitions {
        let times = counts.get(&(*from, *to)).copied().unwrap_or(0);
        let [a, b] = [from, to].map(|index| at(usize::from(*index), count));
        let ink = Ink { colour: palette(usize::from(*from)), width: if times > 0 { 2 } else { 1 } };
        let along = b - a;
        let middle = (a + b) * 0.5 + Vec2::new(-along.y, along.x) * BOW;
        let toward = |of: Vec2| {
            let way = middle - of;
            of + way * (CIRCLE / way.norm_squared().sqrt())
        };
        let (start, end) = (toward(a), toward(b));
        let curve: Vec<Vec2> = (0..=24)
            .map(|i| {
                let s = f64::from(i) / 24.0;
                start * ((1.0 - s) * (1.0 - s)) + middle * (2.0 * s * (1.0 - s)) + end * (s * s)
            })
            .collect();
        sketch.line(&curve, ink);
        let back = (middle - end) * (0.09 / (middle - end).norm_squared().sqrt());
        let side = Vec2::new(-back.y, back.x) * 0.5;
        sketch.line(&[end + back + side, end, end + back - side], ink);
        sketch.label(curve[12], &times.to_string(), ink.colour);
    }
    sketch
}
