//! `two-switches`: what a keyboard with two switches takes for the touch, beside the action's own hammer, and the
//! action beside one without its let-off button.
//!
//! [Gillespie 1996, §2.2.2]: synthesizers time a key between two switches. The same mean speed belongs to many
//! gestures, and each throws the hammer differently. [Gillespie 1994, §6]: subjects compared the virtual action
//! without let-off with a real one whose regulation button was removed.

use anyhow::{Context, Result, bail};

use touchback_action::simple::{ActionKey, simplified};
use touchback_action::{Drive, EventKind, Key, STEP};
use touchback_core::math::power::square;
use touchback_offline::bench::driven::Driven;
use touchback_offline::bench::test_bench::{TestBench, motion};
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::gesture::{Form, Gesture, KeyView};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// Depths of the switches, m (chosen: the middle of the travel of usual keyboards).
const SWITCHES: [f64; 2] = [4e-3, 8e-3];

/// Mean speeds at which the gestures are compared, m/s.
const COMPARED: [f64; 2] = [0.15, 0.4];

/// Height by which the button is raised so that the toe never meets it, m.
const AWAY: f64 = 0.05;

/// Speed of the finger in the comparison without button, m/s.
const PRESS: f64 = 0.15;

/// Imposed travel, m, of a key that accelerates or decelerates.
const TRAVEL: f64 = 9.8e-3;

/// Mean speed between the switches, m/s, and hammer speed, m/s (0 without a strike), of one gesture.
type Point = (f64, f64);

/// Times of the switches, as a key moves.
pub(super) struct Timed {
    times: [Option<f64>; 2],
    /// Depths of the switches, m.
    switches: [f64; 2],
}

impl Timed {
    /// Switches in the middle of the travel of a key whose dip is `share` of a usual keyboard's 10 mm.
    pub(super) fn of(share: f64) -> Self {
        Self { times: [None; 2], switches: SWITCHES.map(|depth| share * depth) }
    }

    /// Takes the depth of the key, m, at `now`, s.
    pub(super) fn watch(&mut self, now: f64, depth: f64) {
        for (time, switch) in self.times.iter_mut().zip(self.switches) {
            if time.is_none() && depth >= switch {
                *time = Some(now);
            }
        }
    }

    /// Time of the second switch, s.
    pub(super) const fn last(&self) -> Option<f64> {
        self.times[1]
    }

    /// Mean speed between the switches, m/s.
    pub(super) fn speed(&self) -> Option<f64> {
        let ([first, second], [above, below]) = (self.times, self.switches);
        Some((below - above) / (second? - first?).max(STEP))
    }

    fn point(&self, rig: &impl Driven) -> Option<Point> {
        Some((self.speed()?, rig.first(EventKind::Strike).map_or(0.0, |e| e.1)))
    }
}

fn played<B: Driven + Clone>(rest: &B, form: Form, share: f64) -> Option<Point> {
    let (mut rig, mut timed) = (rest.clone(), Timed::of(share));
    rig.play(&mut Gesture::of_forms(vec![form]), |rig, _| {
        timed.watch(rig.now(), rig.view().depth);
        true
    });
    timed.point(&rig)
}

/// An imposed travel in `seconds`, whose share of the depth over that of the time is `shape`.
fn imposed<B: Driven + Clone>(
    rest: &B,
    seconds: f64,
    shape: fn(f64) -> f64,
    share: f64,
) -> Option<Point> {
    let (mut rig, mut timed) = (rest.clone(), Timed::of(share));
    let at = |i: u32| {
        let s = f64::from(i) / 100.0;
        (s * seconds, share * TRAVEL * shape(s))
    };
    let points: Vec<_> = (0..=100).map(at).collect();
    rig.run(seconds + 0.3, motion(&points), |rig, _| {
        timed.watch(rig.now(), rig.view().depth);
        true
    });
    timed.point(&rig)
}

/// The points of each gesture by its name.
type Gestures = Vec<(&'static str, Vec<Point>)>;

/// The gestures by name, each from soft to loud, on a key whose dip is `share` of 10 mm.
fn gestures<B: Driven + Clone>(rest: &B, share: f64) -> Gestures {
    let range = |low: f64, high: f64| {
        (0..14).map(move |i| low * libm::pow(high / low, f64::from(i) / 13.0))
    };
    let even = |speed_m_s| Form::PressedEvenly {
        speed_m_s,
        duration_s: 0.5,
        depth_m: 0.04,
        damping_n_s_m: None,
    };
    let struck = |speed_m_s| Form::Struck {
        speed_m_s,
        duration_s: 0.5,
        mass_kg: 0.3,
        stiffness_n_m: 3000.0,
        damping_n_s_m: 5.0,
        drag_n_s_m: 0.0,
        force_n: Some(0.0),
        rise_s: touchback_action::interface::hand::FOLLOWING_RISE,
    };
    vec![
        ("pressed evenly", range(0.06, 0.9).filter_map(|v| played(rest, even(v), share)).collect()),
        ("struck", range(0.1, 2.5).filter_map(|v| played(rest, struck(v), share)).collect()),
        (
            "accelerating",
            range(0.02, 0.25).filter_map(|t| imposed(rest, t, square, share)).collect(),
        ),
        (
            "decelerating",
            range(0.02, 0.25).filter_map(|t| imposed(rest, t, |s| s * (2.0 - s), share)).collect(),
        ),
    ]
}

/// Hammer speed at the mean speed `at`, interpolated.
fn interpolated(points: &[Point], at: f64) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let pair = sorted.windows(2).find(|p| p[0].0 <= at && at <= p[1].0);
    pair.map_or(f64::NAN, |p| p[0].1 + (at - p[0].0) / (p[1].0 - p[0].0) * (p[1].1 - p[0].1))
}

/// Depth, m, crown, m, and force on the key, N, of every step of a press at a finger speed of [`PRESS`].
fn press(key: &mut dyn Key) -> Vec<[f64; 3]> {
    let form = Form::PressedEvenly {
        speed_m_s: PRESS,
        duration_s: 0.3,
        depth_m: 0.04,
        damping_n_s_m: None,
    };
    let mut gesture = Gesture::of_forms(vec![form]);
    let mut rows = Vec::new();
    for step in 0..gesture.steps() {
        let [depth, speed] = key.front();
        let drive: Drive = gesture.drive(step, KeyView { depth, speed });
        key.step(drive, &mut |_, _| {});
        let view = key.readout(drive);
        rows.push([view.key, view.hammer, view.key_force]);
    }
    rows
}

/// The grand without its button beside the simplified action, up to the string.
fn without_button(folder: &mut Folder, report: &mut Report, keys: &KeySource) -> Result<()> {
    let built = keys.built(keys.one(40));
    let mut rig = TestBench::at_rest(built).with(|spec| spec.jack.button_height += AWAY);
    let form = Form::PressedEvenly {
        speed_m_s: PRESS,
        duration_s: 0.3,
        depth_m: 0.04,
        damping_n_s_m: None,
    };
    rig.play(&mut Gesture::of_forms(vec![form]), |_, _| true);
    report.source("002 §6");
    let starts = rig.log.count(EventKind::LetOffStart) + rig.log.count(EventKind::Release);
    let quantity = "without its button: let-offs of the grand in a press";
    report.check(quantity, "0", TargetBand::AtMost(0.0), starts as f64);
    let mut grand = TestBench::at_rest(built).with(|spec| spec.jack.button_height += AWAY);
    grand.log = Default::default();
    let ours = press(&mut grand.grand().clone());
    let theirs = press(&mut ActionKey::new(simplified::Spec::of_grand(&built)));
    // Up to the depth at which the bed stops the simplified key, a little earlier.
    let dip = 0.9 * simplified::Spec::of_grand(&built).dip;
    let end = |rows: &[[f64; 3]]| rows.iter().position(|r| r[0] > dip);
    let (ends, at) = (end(&ours).zip(end(&theirs)), |rows: &[[f64; 3]], i: usize| rows[i]);
    let (a, b) = ends.context("a press without button does not reach the bed")?;
    let quantity =
        format!("time to {} mm, simplified over the grand without button", short(1e3 * dip));
    let ratio = (b + 1) as f64 / (a + 1) as f64;
    report.check(&quantity, "alike", TargetBand::Within(0.8, 1.25), ratio);
    let mean = |rows: &[[f64; 3]], end: usize| {
        rows[..=end].iter().map(|r| r[2]).sum::<f64>() / (end + 1) as f64
    };
    let ratio = mean(&theirs, b) / mean(&ours, a);
    let quantity = "mean force up to there, simplified over the grand without button";
    report.check(quantity, "alike", TargetBand::Within(0.8, 1.25), ratio);
    let rise = |rows: &[[f64; 3]], end: usize| at(rows, end)[1] - at(rows, 0)[1];
    let quantity = "rise of the hammer up to there, simplified over the grand without button";
    report.check(
        quantity,
        "alike",
        TargetBand::Within(0.8, 1.25),
        rise(&theirs, b) / rise(&ours, a),
    );
    let mut csv = DataTable::new(&["action", "time_s", "key_m", "hammer_m", "key_force_n"]);
    let mut panels: [Vec<Series>; 3] = Default::default();
    for (i, (name, rows)) in
        [("grand, button away", &ours), ("simplified", &theirs)].into_iter().enumerate()
    {
        for (step, [key, hammer, force]) in rows.iter().enumerate() {
            csv.row(&[&name, &((step + 1) as f64 * STEP), key, hammer, force]);
        }
        for (column, (panel, scale)) in panels.iter_mut().zip([1e3, 1e3, 1.0]).enumerate() {
            let point = |(step, row): (usize, &[f64; 3])| {
                ((step + 1) as f64 * STEP * 1e3, scale * row[column])
            };
            panel.push(Series::line(
                name,
                rows.iter().enumerate().map(point).collect(),
                palette(i),
            ));
        }
    }
    folder.table("without-button.csv", &csv)?;
    let labels = ["key depth, mm", "crown above the string, mm", "force on the key, N"];
    let figure = Figure {
        title: "A press without let-off: the grand with its button away, and the simplified action"
            .into(),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: labels
            .into_iter()
            .zip(panels)
            .map(|(l, s)| Subplot::new(Axis::new(l), s))
            .collect(),
    };
    folder.draw("without-button", &figure, report)
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let found = gestures(&keys.bench(keys.one(40)), 1.0);
    report.source("000 §2.2.2");
    compare(folder, &mut report, found, 1.0, &keys.name(40), true)?;
    without_button(folder, &mut report, keys)?;
    Ok(report)
}

/// The gestures on a key of a mechanism from a file, with the switches at the same shares of its dip.
pub fn of_mechanism(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let rest = keys.any(keys.one(40));
    let share = super::energy::dip(rest.key()) / 0.01;
    let found = gestures(&rest, share);
    let title = keys.mechanism().map_or("", |file| file.title());
    if found.iter().all(|(_, points)| points.iter().all(|point| point.1 <= 0.0)) {
        bail!("{title}: two-switches compares the speeds of a hammer, and none strikes");
    }
    compare(folder, &mut report, found, share, &format!("{title}, {}", keys.name(40)), false)?;
    Ok(report)
}

/// Compares the gestures at equal mean speeds between the switches; `share` as of [`Timed::of`]. Where `is_checked`, they
/// must differ.
fn compare(
    folder: &mut Folder,
    report: &mut Report,
    found: Gestures,
    share: f64,
    name: &str,
    is_checked: bool,
) -> Result<()> {
    for at in COMPARED {
        let known = found.iter().map(|(name, points)| (*name, interpolated(points, at)));
        let told: Vec<_> = known.filter(|(_, v)| v.is_finite()).collect();
        if is_checked {
            let speeds: Vec<f64> = told.iter().map(|(_, v)| *v).collect();
            let most = speeds.iter().copied().fold(f64::MIN, f64::max);
            let least = speeds.iter().copied().fold(f64::MAX, f64::min);
            let quantity = format!(
                "{at} m/s between the switches: largest over least hammer speed of the gestures"
            );
            report.check(
                &quantity,
                "1 if the switches told it",
                TargetBand::AtLeast(1.2),
                most / least,
            );
        }
        let told: Vec<_> =
            told.iter().map(|(name, v)| format!("{name} {} m/s", short(*v))).collect();
        report
            .note(&format!("Hammer speeds at {at} m/s between the switches: {}.", told.join(", ")));
    }
    let mut csv = DataTable::new(&["gesture", "mean_speed_m_s", "hammer_speed_m_s"]);
    for (name, points) in &found {
        for (mean, hammer) in points {
            csv.row(&[name, mean, hammer]);
        }
    }
    folder.table("two-switches.csv", &csv)?;
    let series = found.into_iter().enumerate().map(|(i, (name, mut points))| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::line(name, points, palette(i))
    });
    let [above, below] = SWITCHES.map(|depth| short(1e3 * share * depth));
    let figure = Figure {
        title: format!("Hammer speed over the mean key speed from {above} to {below} mm, {name}"),
        x: Axis::new("mean speed between the switches, m/s").within(0.0, 0.8),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("hammer, m/s"), series.collect())],
    };
    folder.draw("two-switches", &figure, report)
}
