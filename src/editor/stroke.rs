//! One stroke of one key in memory: as the audio thread saw it, or as a finger would press it
//! under the present settings.
//!
//! The audio thread hands over states only; every other quantity follows from them here, by the
//! action's own equations. On the window's thread.

mod press;
pub mod quantity;
pub mod repetition;
mod row;
pub mod table;

use crate::editor::drawing::grand::GrandPose;
use crate::monitor::haptic::is_haptic;
use press::Press;
pub use row::{Origin, Row};
use touchback_action::catalogue;
use touchback_action::grand::design::concert::Design;
use touchback_action::grand::{Phase, Spec};
use touchback_action::interface::pose::Pose;
use touchback_action::interface::press::Effort;
use touchback_action::{ActionKind, ActionSettings, Drive, Key, Readout, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::trace::{KeySnapshot, Sample};

/// Steps a stroke holds at most: two seconds.
const LONGEST: usize = 16_000;

/// How long a computed press holds the key after the strike, and how long it watches it return, s.
const HOLD: f64 = 0.12;
const RETURN: f64 = 0.16;

/// Slowest finger that leads to a constructed strike, m/s.
const SLOWEST: f64 = 0.02;

/// How long a press may take before it counts as silent, s: the slowest take about 0.25 s.
const PATIENCE: f64 = 0.6;

/// What to draw of a row.
pub enum Posed<'a> {
    /// The grand.
    Grand(GrandPose<'a>),
    /// A smaller action, and how it stands at rest.
    Other {
        /// Its parts as they stand.
        pose: Pose,
        /// At rest.
        rest: Pose,
    },
}

/// A stretch of one submodel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Phased {
    /// Name of the submodel.
    pub name: &'static str,
    /// Its place in the action's order of appearance, or in the thesis's of the grand's.
    pub place: usize,
    /// From, s.
    pub from: f64,
    /// To, s.
    pub to: f64,
}

/// One stroke.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Which key.
    pub key: KeyNumber,
    /// Which touch of the instrument, if it was played.
    pub touch: Option<u64>,
    /// The key's numbers.
    pub spec: Spec,
    /// How it was regulated.
    pub settings: ActionSettings,
    /// Where it comes from.
    pub origin: Origin,
    /// The steps in order.
    pub rows: Vec<Row>,
    kind: ActionKind,
    /// A key that takes up the states, to show what follows from them.
    model: Box<dyn Key>,
    /// First step of the instrument's count, for the times of later ones.
    first_step: u64,
    /// From that step to the first strike, s, and whether it has come.
    strike_after: f64,
    has_struck: bool,
}

impl Stroke {
    fn new(key: KeyNumber, settings: &ActionSettings, kind: ActionKind) -> Self {
        Self {
            key,
            touch: None,
            kind,
            model: catalogue::played(kind, key, settings),
            spec: Design::new(key).build(settings).spec,
            settings: *settings,
            origin: Origin::Computed,
            rows: Vec::new(),
            first_step: 0,
            strike_after: 0.0,
            has_struck: true,
        }
    }

    /// `key` at rest under `settings`: one row.
    #[must_use]
    pub fn at_rest(key: KeyNumber, settings: &ActionSettings) -> Self {
        let mut stroke = Self::new(key, settings, settings.action);
        let (saved, view) = (stroke.model.save(), stroke.model.readout(Drive::Free));
        stroke.rows.push(Row { time: 0.0, saved, drive: Drive::Free, view });
        stroke
    }

    /// What the key shows as it appearance so, `time` s into the stroke.
    fn row(&mut self, time: f64, look: &KeySnapshot) -> Row {
        self.model.adopt(&look.saved);
        self.model.set_tray(look.tray);
        let view = self.model.readout(look.drive);
        Row { time, saved: look.saved, drive: look.drive, view }
    }

    /// A stroke that begins with `sample` under `settings`.
    #[must_use]
    pub fn begin(sample: &Sample, settings: &ActionSettings) -> Self {
        let mut stroke = Self::new(sample.key, settings, sample.snapshot.kind);
        stroke.touch = Some(sample.touch);
        stroke.origin = if is_haptic(sample.touch) { Origin::Felt } else { Origin::Played };
        stroke.first_step = sample.step;
        stroke.has_struck = false;
        // A constructed strike: the hammer is at the string and nothing led there.
        let view = stroke.row(0.0, &sample.snapshot).view;
        let pressed = stroke.model.travel().map_or(0.0, |travel| 0.4 * travel.dip);
        let constructed = view.hammer.abs() < 2e-3 && view.key >= pressed;
        if constructed && view.hammer_speed != 0.0 && stroke.origin == Origin::Played {
            stroke.lead_in(&view);
        }
        stroke.push(sample);
        stroke
    }

    /// Which action.
    #[must_use]
    pub const fn kind(&self) -> ActionKind {
        self.kind
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
            // Only now is it known where zero is.
            self.strike_after += row.time;
            self.rows.iter_mut().for_each(|r| r.time -= row.time);
        }
    }

    /// `key` under `settings`, pressed for a hammer speed of `speed` m/s, held and let go.
    #[must_use]
    pub fn pressed(key: KeyNumber, settings: &ActionSettings, speed: f64) -> Self {
        let mut stroke = Self::new(key, settings, settings.action);
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

    /// Puts the press that leads to the strike `view` before the first row.
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

    /// The row at `time` or next before it.
    #[must_use]
    pub fn at(&self, time: f64) -> Option<&Row> {
        let after = self.rows.partition_point(|row| row.time <= time);
        self.rows.get(after.saturating_sub(1))
    }

    /// What to draw of a row.
    #[must_use]
    pub fn pose(&self, row: &Row) -> Posed<'_> {
        if self.kind == ActionKind::Grand {
            let standing = (&row.saved).into();
            return Posed::Grand(GrandPose { spec: &self.spec, standing });
        }
        let mut key = self.model.clone();
        key.adopt(&row.saved);
        let pose = key.pose();
        key.reset_to_rest();
        Posed::Other { pose, rest: key.pose() }
    }

    /// The stretches of one submodel each.
    #[must_use]
    pub fn bands(&self) -> Vec<Phased> {
        let mut bands: Vec<Phased> = Vec::new();
        let mut names: Vec<&str> =
            if self.kind() == ActionKind::Grand { Phase::NAMES.to_vec() } else { Vec::new() };
        for row in &self.rows {
            let name = row.view.phase;
            match bands.last_mut() {
                Some(band) if band.name == name => band.to = row.time,
                last => {
                    let from = last.map_or(row.time, |band| band.to);
                    let place = names.iter().position(|n| *n == name).unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    bands.push(Phased { name, place, from, to: row.time });
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

    /// At most `count` rows, evenly thinned: what a screen can show.
    pub fn thinned(&self, count: usize) -> impl Iterator<Item = &Row> {
        let step = self.rows.len().div_ceil(count.max(1)).max(1);
        self.rows.iter().step_by(step)
    }
}

/// Strokes kept for looking at.
#[derive(Clone, Default)]
pub struct Memory {
    /// The last one.
    pub last: Option<Stroke>,
    /// One kept to compare with.
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

    /// Keeps the last stroke, or forgets the kept one.
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
    fn an_immediate_note_gets_its_way_up_and_a_natural_one_has_it() {
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
        let look = KeySnapshot { kind, saved, drive: Drive::Free, tray: 0.0 };
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
