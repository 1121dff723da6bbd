//! One stroke of one key in memory: as played, or as a simulated finger would press it under the current
//! settings.
//!
//! The audio thread sends states only. This module computes every other quantity from them by the action's
//! own equations, on the window's thread.

use std::sync::atomic::{AtomicU64, Ordering};

mod press;
pub mod quantity;
pub mod repetition;
mod row;
pub mod table;

use crate::views::drawing::grand::GrandPose;
use press::Press;
pub use row::{Origin, Row};
use touchback_action::grand::design::{concert::Design, thesis};
use touchback_action::grand::{Phase, Spec};
use touchback_action::interface::graph::Graph;
use touchback_action::interface::pose::Pose;
use touchback_action::interface::press::Effort;
use touchback_action::{ActionKind, ActionSettings, Drive, Key, Readout, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::watch::monitor::haptic::is_haptic;
use touchback_instrument::watch::trace::{KeySnapshot, Sample};
use touchback_models::catalogue;

/// Most steps of a stroke: two seconds.
const LONGEST: usize = 16_000;

/// Time for which a computed press holds the key after the strike, and time computed after the release, s.
const HOLD: f64 = 0.12;
const RETURN: f64 = 0.16;

/// Slowest finger before a constructed strike, m/s.
const SLOWEST: f64 = 0.02;

/// Time after which a press counts as silent, s: the slowest take about 0.25 s.
const PATIENCE: f64 = 0.6;

/// The pose of a row, for drawing.
pub enum Posed<'a> {
    /// The grand.
    Grand(GrandPose<'a>),
    /// Another action.
    Other {
        /// The action's parts in this pose.
        pose: Pose,
        /// The action's parts at rest.
        rest: Pose,
    },
}

/// A time span of one submodel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Phased {
    /// Name of the submodel.
    pub name: &'static str,
    /// The submodel's index in the action's order of appearance; for the grand, in the thesis's order.
    pub index: usize,
    /// Beginning, s.
    pub from: f64,
    /// End, s.
    pub to: f64,
}

/// The next stroke's number.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// One stroke.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// A number of its own: what is drawn from a stroke is new when this or the number of rows is.
    pub number: u64,
    /// The key.
    pub key: KeyNumber,
    /// Number of the instrument's touch, if the stroke was played.
    pub touch: Option<u64>,
    /// The key's model data.
    pub spec: Spec,
    /// The action's settings during the stroke.
    pub settings: ActionSettings,
    /// Origin of the steps.
    pub origin: Origin,
    /// The steps in order.
    pub rows: Vec<Row>,
    kind: ActionKind,
    /// A key that is set to the states, to compute the quantities that follow from them.
    model: Box<dyn Key>,
    /// The first step's number in the instrument's count, from which later times are computed.
    first_step: u64,
    /// Time from the first step to the first strike, s, and whether the strike has occurred.
    strike_after: f64,
    has_struck: bool,
}

impl Stroke {
    fn new(key: KeyNumber, settings: &ActionSettings, kind: ActionKind) -> Self {
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            key,
            touch: None,
            kind,
            model: catalogue::played(kind, key, settings),
            spec: match kind {
                ActionKind::Thesis => thesis::build().spec,
                _ => Design::new(key).build(settings).spec,
            },
            settings: settings.clone(),
            origin: Origin::Computed,
            rows: Vec::new(),
            first_step: 0,
            strike_after: 0.0,
            has_struck: true,
        }
    }

    /// A stroke of one row: `key` at rest under `settings`.
    #[must_use]
    pub fn at_rest(key: KeyNumber, settings: &ActionSettings) -> Self {
        let mut stroke = Self::new(key, settings, settings.played());
        let (saved, view) = (stroke.model.save(), stroke.model.readout(Drive::Free));
        stroke.rows.push(Row { time: 0.0, saved, drive: Drive::Free, view });
        stroke
    }

    /// The row of a snapshot, `time` s into the stroke.
    fn row(&mut self, time: f64, snapshot: &KeySnapshot) -> Row {
        self.model.adopt(&snapshot.saved);
        self.model.set_tray(snapshot.tray);
        let mut view = self.model.readout(snapshot.drive);
        view.key_force = snapshot.answer.unwrap_or(view.key_force);
        Row { time, saved: snapshot.saved, drive: snapshot.drive, view }
    }

    /// A stroke that begins with `sample` under `settings`.
    #[must_use]
    pub fn begin(sample: &Sample, settings: &ActionSettings) -> Self {
        let mut stroke = Self::new(sample.key, settings, sample.snapshot.kind);
        stroke.touch = Some(sample.touch);
        stroke.origin = if is_haptic(sample.touch) { Origin::Haptic } else { Origin::Played };
        stroke.first_step = sample.step;
        stroke.has_struck = false;
        // A constructed strike begins with the hammer at the string.
        let view = stroke.row(0.0, &sample.snapshot).view;
        let pressed = stroke.model.travel().map_or(0.0, |travel| 0.4 * travel.dip);
        let constructed = view.hammer.abs() < 2e-3 && view.key >= pressed;
        if constructed && view.hammer_speed != 0.0 && stroke.origin == Origin::Played {
            stroke.lead_in(&view);
        }
        stroke.push(sample);
        stroke
    }

    /// The action.
    #[must_use]
    pub const fn kind(&self) -> ActionKind {
        self.kind
    }

    /// Whether the action has the grand's parts and submodels.
    const fn is_grand(&self) -> bool {
        matches!(self.kind, ActionKind::Grand | ActionKind::Thesis)
    }

    /// Appends a step of the same touch.
    pub fn push(&mut self, sample: &Sample) {
        if self.rows.len() >= LONGEST || sample.step < self.first_step {
            return;
        }
        let time = STEP * (sample.step - self.first_step) as f64 - self.strike_after;
        let row = self.row(time, &sample.snapshot);
        let had_struck = self.has_struck;
        self.has_struck |= row.view.hammer >= 0.0;
        self.rows.push(row);
        if self.has_struck && !had_struck && self.origin != Origin::PlayedFromStrike {
            // Time 0 is at the strike, which is known only now.
            self.strike_after += row.time;
            self.rows.iter_mut().for_each(|r| r.time -= row.time);
        }
    }

    /// Computes a stroke: `key` under `settings`, pressed for a hammer speed of `speed` m/s, held and
    /// released.
    #[must_use]
    pub fn pressed(key: KeyNumber, settings: &ActionSettings, speed: f64) -> Self {
        let mut stroke = Self::new(key, settings, settings.played());
        let mut press = Press::for_hammer(&stroke, speed);
        let mut struck = None;
        while press.time < struck.unwrap_or(PATIENCE) + HOLD {
            let (row, hit) = press.step();
            stroke.rows.push(row);
            if hit && struck.is_none() {
                struck = Some(press.time);
            }
        }
        press.release();
        let end = press.time + RETURN;
        while press.time < end {
            stroke.rows.push(press.step().0);
        }
        let start = struck.unwrap_or(0.0);
        stroke.rows.iter_mut().for_each(|row| row.time -= start);
        stroke
    }

    /// Inserts the press that leads to the strike `view` before the first row.
    fn lead_in(&mut self, view: &Readout) {
        let mut press = match self.kind {
            ActionKind::Grand => Press::for_hammer(self, view.hammer_speed.abs()),
            _ => Press::new(self, Effort::Even(view.key_speed.max(SLOWEST))),
        };
        let mut rows = Vec::new();
        while press.time < PATIENCE {
            let (row, hit) = press.step();
            if hit {
                let end = press.time;
                rows.iter_mut().for_each(|row: &mut Row| row.time -= end);
                self.rows = rows;
                self.origin = Origin::PlayedFromStrike;
                self.has_struck = true;
                return;
            }
            rows.push(row);
        }
    }

    /// First and last time, s.
    #[must_use]
    pub fn span(&self) -> (f64, f64) {
        match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) => (first.time, last.time),
            _ => (0.0, 0.0),
        }
    }

    /// The row at `time`, or the last one before it.
    #[must_use]
    pub fn at(&self, time: f64) -> Option<&Row> {
        let after = self.rows.partition_point(|row| row.time <= time);
        self.rows.get(after.saturating_sub(1))
    }

    /// The pose of a row, for drawing.
    #[must_use]
    pub fn pose(&self, row: &Row) -> Posed<'_> {
        if self.is_grand() {
            let state = (&row.saved).into();
            return Posed::Grand(GrandPose { spec: &self.spec, state });
        }
        let mut key = self.model.clone();
        key.adopt(&row.saved);
        let pose = key.pose();
        key.reset_to_rest();
        Posed::Other { pose, rest: key.pose() }
    }

    /// The action's submodels and transitions.
    #[must_use]
    pub fn graph(&self) -> Graph<'_> {
        self.model.graph()
    }

    /// Changes of the submodel after the time `from` s and up to `to` s: submodel before and after, and time, s.
    #[must_use]
    pub fn transitions(&self, from: f64, to: f64) -> Vec<(u8, u8, f64)> {
        let begin = self.rows.partition_point(|row| row.time <= from).saturating_sub(1);
        let rows = self.rows[begin.min(self.rows.len())..].windows(2);
        let changes = rows.map(|w| (w[0].saved.phase, w[1].saved.phase, w[1].time));
        changes.take_while(|(_, _, time)| *time <= to).filter(|(a, b, _)| a != b).collect()
    }

    /// Name of the action within a sentence.
    #[must_use]
    pub fn title(&self) -> &str {
        match (self.kind, &*self.settings.mechanism) {
            (ActionKind::File, Some(file)) => file.title(),
            (kind, _) => kind.title(),
        }
    }

    /// The time spans of the submodels.
    #[must_use]
    pub fn bands(&self) -> Vec<Phased> {
        let mut bands: Vec<Phased> = Vec::new();
        let mut names: Vec<&str> = if self.is_grand() { Phase::NAMES.to_vec() } else { Vec::new() };
        for row in &self.rows {
            let name = row.view.phase;
            match bands.last_mut() {
                Some(band) if band.name == name => band.to = row.time,
                last => {
                    let from = last.map_or(row.time, |band| band.to);
                    let index = names.iter().position(|n| *n == name).unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    bands.push(Phased { name, index, from, to: row.time });
                }
            }
        }
        bands
    }

    /// The last step before the crown first meets the string.
    #[must_use]
    pub fn strike(&self) -> Option<&Row> {
        let meets = |w: &&[Row]| w[0].view.hammer < 0.0 && w[1].view.hammer >= 0.0;
        self.rows.windows(2).find(meets).map(|w| &w[0])
    }

    /// At most `count` rows, evenly spaced, for the screen.
    pub fn thinned(&self, count: usize) -> impl Iterator<Item = &Row> {
        let step = self.rows.len().div_ceil(count.max(1)).max(1);
        self.rows.iter().step_by(step)
    }
}

/// The strokes in memory.
#[derive(Clone, Default)]
pub struct Memory {
    /// The last stroke.
    pub last: Option<Stroke>,
    /// A stroke kept for comparison.
    pub kept: Option<Stroke>,
}

impl Memory {
    /// Takes a step from the audio thread; a new touch begins a new stroke.
    pub fn absorb(&mut self, sample: &Sample, settings: &ActionSettings) {
        match &mut self.last {
            Some(stroke)
                if stroke.touch == Some(sample.touch)
                    && stroke.key == sample.key
                    && stroke.kind() == sample.snapshot.kind =>
            {
                stroke.push(sample);
            }
            last => *last = Some(Stroke::begin(sample, settings)),
        }
    }

    /// Keeps the last stroke, or drops the kept one.
    pub fn keep(&mut self, keep: bool) {
        self.kept = if keep { self.last.clone() } else { None };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::grand::GrandState;
    use touchback_instrument::{Event, Piano, Settings, settings::Timing};

    fn middle() -> KeyNumber {
        KeyNumber::from_midi(60).unwrap()
    }

    #[test]
    fn a_computed_press_passes_through_the_submodels_in_order() {
        let stroke = Stroke::pressed(middle(), &ActionSettings::default(), 1.5);
        let phases: String = stroke.bands().iter().map(|band| band.name).collect();
        // The round head leaves the knuckle over its corner and side.
        assert!(phases.trim_start_matches('D').starts_with("ABEC"), "{phases}");
        let speed = stroke.strike().unwrap().view.hammer_speed;
        assert!((speed / 1.5 - 1.0).abs() < 0.1, "{speed}");
        // Time zero is the strike.
        let before = stroke.at(-1e-3).unwrap();
        assert!((-3e-3..0.0).contains(&before.view.hammer), "{}", before.view.hammer);
        assert!(stroke.rows.windows(2).all(|w| w[1].time > w[0].time));
        let last = stroke.rows.last().unwrap();
        assert!(last.view.key < 1e-3, "the key has returned: {}", last.view.key);
    }

    #[test]
    fn only_an_immediate_note_receives_a_computed_way_up() {
        for (timing, origin) in
            [(Timing::Immediate, Origin::PlayedFromStrike), (Timing::Natural, Origin::Played)]
        {
            let mut settings = Settings::default();
            settings.touch.timing = timing;
            let mut piano = Piano::new(48_000.0, &settings);
            piano.watch(true);
            piano.handle(Event::NoteOn { key: middle(), velocity: 0.5 });
            let mut memory = Memory::default();
            for _ in 0..60 {
                let (mut a, mut b) = ([0.0f32; 256], [0.0f32; 256]);
                piano.process(&mut a, &mut b);
                piano.trace().iter().for_each(|s| memory.absorb(s, &settings.action));
                piano.trace_read();
            }
            let stroke = memory.last.unwrap();
            assert_eq!(stroke.origin, origin);
            let first = stroke.rows.first().unwrap();
            assert!(first.view.key < 1e-4 && first.view.hammer < -0.04, "{first:?}");
            assert!(stroke.strike().is_some());
            assert!(stroke.rows.windows(2).all(|w| w[1].time >= w[0].time), "{timing:?}");
        }
    }

    #[test]
    fn a_new_touch_begins_a_new_stroke_and_the_kept_one_stays() {
        let mut memory = Memory::default();
        let still = GrandState { phase: Phase::Return, x: [-0.1; touchback_action::grand::STATES] };
        let (kind, saved) = (ActionKind::Grand, still.into());
        let look = KeySnapshot { kind, saved, drive: Drive::Free, tray: 0.0, answer: None };
        let sample = |touch, step| Sample { step, touch, key: middle(), snapshot: look };
        for step in 10..20 {
            memory.absorb(&sample(1, step), &ActionSettings::default());
        }
        memory.keep(true);
        memory.absorb(&sample(2, 50), &ActionSettings::default());
        assert_eq!(memory.last.as_ref().unwrap().rows.len(), 1);
        assert_eq!(memory.kept.as_ref().unwrap().rows.len(), 10);
        assert_eq!(memory.kept.unwrap().span().1, 9.0 * STEP);
    }
}
