//! One stroke of one key in memory: as the audio thread saw it, or as a finger would press it
//! under the present settings.
//!
//! The audio thread hands over states only; every other quantity follows from them here, by the
//! action's own equations. On the window's thread.

pub mod quantity;
pub mod table;

use crate::action::grand::concert::Design;
use crate::action::grand::readout::Readout;
use crate::action::grand::{Phase, STATES, Spec, key, pressing, rest, state};
use crate::action::{ActionSettings, Drive, EventKind, STEP};
use crate::editor::drawing::grand::Pose;
use crate::episode::State;
use crate::instrument::trace::{Look, Sample};
use crate::math::cast::floor_index;
use crate::math::compass::Key;

/// Steps a stroke holds at most: two seconds.
const LONGEST: usize = 16_000;

/// How long a computed press holds the key after the strike, and how long it watches it return, s.
const HOLD: f64 = 0.12;
const RETURN: f64 = 0.16;

/// How long a press may take before it counts as silent, s: the slowest take about 0.25 s.
const PATIENCE: f64 = 0.6;

/// Where a stroke comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Every step as it was played.
    Played,
    /// Played from the strike on; the way up to it as a finger pressing at constant speed makes
    /// it, because an immediate note begins at the string.
    PlayedFromStrike,
    /// Computed: a finger pressing at constant speed.
    Computed,
}

impl Origin {
    /// What to tell the player.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Played => "as played",
            Self::PlayedFromStrike => {
                "as played from the strike on; before it, as a finger presses"
            }
            Self::Computed => "computed: a finger pressing at constant speed",
        }
    }
}

/// One action step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// End of the step, s; 0 at the first strike, or where the stroke begins if it has none.
    pub time: f64,
    /// State.
    pub x: [f64; STATES],
    /// Everything that follows from it.
    pub readout: Readout,
}

/// One stroke.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Which key.
    pub key: Key,
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
    /// First step of the instrument's count, for the times of later ones.
    first_step: u64,
    /// From that step to the first strike, s, and whether it has come.
    strike_after: f64,
    has_struck: bool,
}

impl Stroke {
    /// A stroke that begins with `sample` under `settings`.
    #[must_use]
    pub fn begin(sample: &Sample, settings: &ActionSettings) -> Self {
        let spec = Design::new(sample.key).build(settings).spec;
        let mut stroke = Self {
            key: sample.key,
            touch: Some(sample.touch),
            spec,
            settings: *settings,
            origin: Origin::Played,
            rows: Vec::new(),
            first_step: sample.step,
            strike_after: 0.0,
            has_struck: false,
        };
        let x = &sample.look.x;
        // A constructed strike: the hammer is at the string and nothing led there.
        let constructed = x[state::HAMMER].abs() * spec.hammer.crown < 2e-3;
        let speed = spec.hammer.crown * x[state::HAMMER_SPEED].abs();
        if constructed && speed > 0.0 {
            stroke.lead_in(speed);
        }
        stroke.push(sample);
        stroke
    }

    /// Appends a step of the same touch.
    pub fn push(&mut self, sample: &Sample) {
        if self.rows.len() >= LONGEST || sample.step < self.first_step {
            return;
        }
        let time = STEP * (sample.step - self.first_step) as f64 - self.strike_after;
        let row = row(&self.spec, time, &sample.look);
        let had_struck = self.has_struck;
        self.has_struck |= row.readout.hammer >= 0.0;
        self.rows.push(row);
        if self.has_struck && !had_struck && self.origin == Origin::Played {
            // Only now is it known where zero is.
            self.strike_after += row.time;
            self.rows.iter_mut().for_each(|r| r.time -= row.time);
        }
    }

    /// `key` under `settings`, pressed for a hammer speed of `speed` m/s, held and let go.
    #[must_use]
    pub fn pressed(key: Key, settings: &ActionSettings, speed: f64) -> Self {
        let built = Design::new(key).build(settings);
        let mut stroke = Self {
            key,
            touch: None,
            spec: built.spec,
            settings: *settings,
            origin: Origin::Computed,
            rows: Vec::new(),
            first_step: 0,
            strike_after: 0.0,
            has_struck: true,
        };
        let mut press = Press::new(&stroke, speed);
        let mut struck = None;
        while press.time < struck.unwrap_or(PATIENCE) + HOLD {
            let (row, hit) = press.step(true);
            stroke.rows.push(row);
            if hit && struck.is_none() {
                struck = Some(press.time);
            }
        }
        let end = press.time + RETURN;
        while press.time < end {
            stroke.rows.push(press.step(false).0);
        }
        let start = struck.unwrap_or(0.0);
        stroke.rows.iter_mut().for_each(|row| row.time -= start);
        stroke
    }

    /// Puts the press that leads to a strike at `speed` m/s before the first row.
    fn lead_in(&mut self, speed: f64) {
        let mut press = Press::new(self, speed);
        let mut rows = Vec::new();
        while press.time < PATIENCE {
            let (row, hit) = press.step(true);
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
    pub const fn pose<'a>(&'a self, row: &'a Row) -> Pose<'a> {
        Pose { spec: &self.spec, phase: row.readout.phase, x: &row.x }
    }

    /// The stretches of one submodel each: phase, from, to in s.
    #[must_use]
    pub fn bands(&self) -> Vec<(Phase, f64, f64)> {
        let mut bands: Vec<(Phase, f64, f64)> = Vec::new();
        for row in &self.rows {
            match bands.last_mut() {
                Some((phase, _, to)) if *phase == row.readout.phase => *to = row.time,
                last => {
                    let from = last.map_or(row.time, |(_, _, to)| *to);
                    bands.push((row.readout.phase, from, row.time));
                }
            }
        }
        bands
    }

    /// The last step before the crown first meets the string.
    fn strike(&self) -> Option<&Row> {
        let meets = |w: &&[Row]| w[0].readout.hammer < 0.0 && w[1].readout.hammer >= 0.0;
        self.rows.windows(2).find(meets).map(|w| &w[0])
    }

    /// Speed of the first strike, m/s.
    #[must_use]
    pub fn strike_speed(&self) -> Option<f64> {
        self.strike().map(|row| row.readout.hammer_speed)
    }

    /// When it came, s.
    #[must_use]
    pub fn strike_time(&self) -> Option<f64> {
        self.strike().map(|row| row.time)
    }

    /// At most `count` rows, evenly thinned: what a screen can show.
    pub fn thinned(&self, count: usize) -> impl Iterator<Item = &Row> {
        let step = self.rows.len().div_ceil(count.max(1)).max(1);
        self.rows.iter().step_by(step)
    }
}

fn row(spec: &Spec, time: f64, look: &Look) -> Row {
    let running = State { phase: look.phase, x: look.x };
    Row { time, x: look.x, readout: key::read(spec, &running, look.drive, [look.tray; 2]) }
}

/// A finger pressing a key from rest.
struct Press {
    spec: Spec,
    running: State<Phase, STATES>,
    /// Finger speed, m/s, and its target, m.
    speed: f64,
    target: f64,
    time: f64,
    bottomed: bool,
}

impl Press {
    fn new(stroke: &Stroke, hammer_speed: f64) -> Self {
        let built = Design::new(stroke.key).build(&stroke.settings);
        let number = f64::from(stroke.key.number());
        let fastest = pressing::FINGER[pressing::FINGER.len() - 1];
        let x = rest::pose(&built.spec, Phase::Return, &rest::UNTOUCHED, &built.regulated.rest);
        Self {
            spec: built.spec,
            running: State { phase: Phase::Return, x },
            speed: pressing::finger_speed(number, hammer_speed).unwrap_or(fastest),
            target: 0.0,
            time: 0.0,
            bottomed: false,
        }
    }

    /// One step down, or up; whether the hammer met the string in it.
    fn step(&mut self, down: bool) -> (Row, bool) {
        /// Where a resting finger holds the key: 3 N through 500 N/m below the bed.
        const HOLDING: f64 = 6e-3;
        /// Release at the middle note-off velocity, m/s.
        const RELEASE: f64 = 0.3;
        let start = self.target;
        let rest = self.spec.key.dip + HOLDING;
        self.target = if !down {
            start - RELEASE * STEP
        } else if self.bottomed {
            (start - self.speed * STEP).max(rest)
        } else {
            (start + self.speed * STEP).min(pressing::REACH)
        };
        let drive = if self.target > 0.0 {
            Drive::Finger([start.max(0.0), self.target])
        } else {
            Drive::Free
        };
        let (mut hit, mut bottomed) = (false, self.bottomed);
        let mut hear = |_: f64, kind: EventKind, _: f64| {
            hit |= kind == EventKind::Strike;
            bottomed |= kind == EventKind::KeyBottom;
        };
        let tray = [rest::TRAY_DOWN; 2];
        key::step(&self.spec, &mut self.running, drive, tray, &mut hear);
        self.bottomed = bottomed;
        self.time += STEP;
        let State { phase, x } = self.running;
        (row(&self.spec, self.time, &Look { phase, x, drive, tray: tray[1] }), hit)
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
            Some(stroke) if stroke.touch == Some(sample.touch) && stroke.key == sample.key => {
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

/// Index of the row at `share` (0…1) of a stroke's steps.
#[must_use]
pub fn index_at(rows: usize, share: f64) -> usize {
    floor_index(share.clamp(0.0, 1.0) * rows as f64).min(rows.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::{Event, Piano, Settings, settings::Timing};

    fn middle() -> Key {
        Key::from_midi(60).unwrap()
    }

    #[test]
    fn a_computed_press_passes_through_the_thesis_sequence() {
        let stroke = Stroke::pressed(middle(), &ActionSettings::default(), 1.5);
        let phases: String = stroke.bands().iter().map(|(p, ..)| p.letter()).collect();
        assert!(phases.starts_with("DABC") || phases.starts_with("ABC"), "{phases}");
        let speed = stroke.strike_speed().unwrap();
        assert!((speed / 1.5 - 1.0).abs() < 0.1, "{speed}");
        // Time zero is the strike.
        let before = stroke.at(-1e-3).unwrap();
        assert!((-3e-3..0.0).contains(&before.readout.hammer), "{}", before.readout.hammer);
        assert!(stroke.rows.windows(2).all(|w| w[1].time > w[0].time));
        let last = stroke.rows.last().unwrap();
        assert!(last.readout.key < 1e-3, "the key has returned: {}", last.readout.key);
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
            assert!(first.readout.key < 1e-4 && first.readout.hammer < -0.04, "{first:?}");
            assert!(stroke.strike_speed().is_some());
            assert!(stroke.rows.windows(2).all(|w| w[1].time >= w[0].time), "{timing:?}");
        }
    }

    #[test]
    fn a_new_touch_begins_a_new_stroke_and_the_kept_one_stays() {
        let mut memory = Memory::default();
        let look = Look { phase: Phase::Return, x: [-0.1; STATES], drive: Drive::Free, tray: 0.0 };
        let sample = |touch, step| Sample { step, touch, key: middle(), look };
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
