//! The experiment of figure 6 of 1993: the hammer still, thrown and caught, thrown to the string, bouncing.

use anyhow::Result;

use touchback_action::simple::{ActionKey, SimpleAction, model_a, model_b};
use touchback_action::{Drive, EventKind, Key, Readout, STEP};
use touchback_offline::bench::{Folder, Report, TargetBand};
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};

/// Length of the experiment, s.
const END: f64 = 2.0;
/// Throws of the key front: begin, s, rise, m, and duration, s. The begins are such that model B's hammer lands
/// as in the figure, at 0.9 and 1.5 s.
const THROWS: [[f64; 3]; 2] = [[0.766, 5e-3, 0.08], [1.373, 8e-3, 0.055]];
/// Return of the key between the throws: begin and duration, s.
const RETURN: [f64; 2] = [1.0, 0.2];
/// Depth from which the key is thrown, m.
const FROM: f64 = 1.1e-3;

/// Depth of the key front at `t` s, m.
fn depth(t: f64) -> f64 {
    let smooth = |begin: f64, duration: f64| {
        let share = ((t - begin) / duration).clamp(0.0, 1.0);
        0.5 * (1.0 - libm::cos(std::f64::consts::PI * share))
    };
    let [[first, rise, up], [second, more, quick]] = THROWS;
    let back = smooth(RETURN[0], RETURN[1]);
    FROM + rise * (smooth(first, up) - back) + more * smooth(second, quick)
}

/// A curve of a figure: its name and the reading that it shows.
type Curve = (&'static str, fn(&Readout) -> f64);

/// One model in the experiment: readings after each step, and the events.
struct Played {
    rows: Vec<(f64, Readout)>,
    events: Vec<(f64, EventKind)>,
}

impl Played {
    fn of<M, const N: usize, const G: usize, const S: usize>(spec: M) -> Self
    where
        M: SimpleAction<N, G, S>,
        ActionKey<M, N, G, S>: Key,
    {
        let mut key = ActionKey::new(spec);
        // Moved slowly to the begin of the experiment.
        let approach = |t: f64| FROM * (t / 0.5).clamp(0.0, 1.0);
        for step in 0..8000u32 {
            key.step(Drive::along(approach, f64::from(step) * STEP), &mut |_, _| ());
        }
        let (mut rows, mut events) = (Vec::new(), Vec::new());
        for step in 0u32.. {
            let time = f64::from(step) * STEP;
            if time >= END {
                break;
            }
            let drive = Drive::along(depth, time);
            key.step(drive, &mut |offset, event| events.push((time + offset, event.kind())));
            rows.push((time + STEP, key.readout(drive)));
        }
        Self { rows, events }
    }

    /// Times of the events of `kind`, s.
    fn times(&self, kind: EventKind) -> Vec<f64> {
        self.events.iter().filter(|event| event.1 == kind).map(|event| event.0).collect()
    }

    /// Releases and landings of the two throws, s; the second release is the last before the strike.
    fn flights(&self) -> [[f64; 2]; 2] {
        let first = |kind, after: f64| {
            self.times(kind).into_iter().find(|t| *t > after).unwrap_or(f64::NAN)
        };
        let strike = first(EventKind::Strike, 0.0);
        let release = first(EventKind::Release, THROWS[0][0]);
        let second = first(EventKind::Release, THROWS[1][0]);
        [[release, first(EventKind::Reset, release)], [second, first(EventKind::Reset, strike)]]
    }

    /// Least force between key and hammer, N.
    fn least_contact(&self) -> f64 {
        self.rows.iter().map(|row| row.1.contact_force).fold(f64::INFINITY, f64::min)
    }
}

/// Plays both models, with rows and the figure.
pub(super) fn run(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let soft = Played::of(model_b::Spec::default());
    let rigid = Played::of(model_a::Spec::default());
    let usual = model_b::Spec::default();
    let scale = 256.0f64;
    let stiff = Played::of(model_b::Spec {
        k1: usual.k1 * scale,
        b1: usual.b1 * scale.sqrt(),
        k2: usual.k2 * scale,
        b2: usual.b2 * scale.sqrt(),
        ..usual
    });
    report.source("003 fig. 6 (a hammer thrown and caught)");
    for (name, played) in [("A", &rigid), ("B", &soft)] {
        let [caught, landed] = played.flights();
        let strikes = played.times(EventKind::Strike);
        let quiet = |t: &f64| (0.0..0.3).contains(t);
        report.holds(
            &format!("{name}: still for 0.3 s"),
            !played.events.iter().any(|event| quiet(&event.0)),
        );
        report.check(
            &format!("{name}: soft throw, time in flight, s"),
            "flies and is caught",
            TargetBand::Within(0.02, 0.3),
            caught[1] - caught[0],
        );
        report.holds(
            &format!("{name}: the hard throw alone meets the string"),
            strikes.first().is_some_and(|t| *t > THROWS[1][0] && *t < landed[1]),
        );
        let least = played.least_contact();
        let what = format!("{name}: least force of the key on the hammer, N");
        report.check(&what, "0", TargetBand::AtLeast(0.0), least);
    }
    let bounces =
        soft.times(EventKind::Release).iter().filter(|t| **t > soft.flights()[1][1]).count();
    report.check(
        "B: bounces after the string",
        "several",
        TargetBand::AtLeast(2.0),
        bounces as f64,
    );
    let apart = rigid.flights().into_iter().flatten().zip(stiff.flights().into_iter().flatten());
    let apart = apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let what = "B to A: releases and landings apart with springs × 256, ms";
    report.check(what, "0", TargetBand::AtMost(2.0), 1e3 * apart);

    let line = |played: &Played, value: fn(&Readout) -> f64| -> Vec<(f64, f64)> {
        played.rows.iter().step_by(4).map(|(t, r)| (*t, value(r))).collect()
    };
    let marks = soft
        .events
        .iter()
        .filter(|event| event.1 == EventKind::Strike)
        .map(|event| PlotMark { at: event.0, name: "string".into() })
        .collect();
    let panel = |played, model, what, series: [Curve; 2]| {
        let lines = (0..)
            .zip(series)
            .map(|(i, (name, value))| Series::line(name, line(played, value), palette(i)));
        Subplot::new(Axis::new(&format!("model {model}, {what}")), lines.collect())
    };
    let panels = [("B", &soft), ("A", &rigid)].into_iter().flat_map(|(model, played)| {
        let forces: [Curve; 2] =
            [("on the user", |r| r.key_force), ("on the hammer", |r| r.contact_force)];
        let angles: [Curve; 2] =
            [("key", |r| r.q[0].to_degrees()), ("hammer", |r| r.q[1].to_degrees())];
        [panel(played, model, "force, N", forces), panel(played, model, "angle, °", angles)]
    });
    let figure = Figure {
        title: "A hammer still, thrown and caught, thrown to the string (cf. figure 6 of 1993)"
            .into(),
        x: Axis::new("time, s").within(0.0, END),
        bands: Vec::new(),
        marks,
        panels: panels.collect(),
    };
    folder.draw("models-ab-epochs", &figure, report)
}
