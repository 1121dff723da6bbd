//! A finger pressing a key, to see what a stroke would be.

use super::playback_model::PlaybackModel;
use super::{Row, Stroke};
use crate::action::events::EventList;
use crate::action::finger;
use crate::action::grand::concert::Design;
use crate::action::grand::{Grand, Phase, STATES, key, pressing, rest};
use crate::action::simple_keys::SimpleKey;
use crate::action::{ActionKind, Drive, KeyEvent, STEP};
use crate::episode::State;
use crate::instrument::trace::Standing;

/// A finger pressing a key from rest.
pub(super) struct Press {
    running: Running,
    /// Depth of the key bed, m.
    dip: f64,
    /// Finger speed, m/s, and its target, m.
    speed: f64,
    target: f64,
    /// Time since it began, s.
    pub(super) time: f64,
    bottomed: bool,
}

/// A key in motion.
enum Running {
    Grand(Box<Grand>, State<Phase, STATES>),
    Other(ActionKind, Box<SimpleKey>),
}

impl Press {
    /// With the finger speed that throws the hammer at `hammer_speed` m/s.
    pub(super) fn for_hammer(stroke: &Stroke, hammer_speed: f64) -> Self {
        let finger = match &stroke.made {
            PlaybackModel::Grand(_) => {
                let fastest = pressing::FINGER[pressing::FINGER.len() - 1];
                let number = f64::from(stroke.key.number());
                pressing::finger_speed(number, hammer_speed).unwrap_or(fastest)
            }
            PlaybackModel::Other(_, lever) => lever.played().press().finger(hammer_speed).0,
        };
        Self::new(stroke, finger)
    }

    pub(super) fn new(stroke: &Stroke, speed: f64) -> Self {
        let (running, dip) = match &stroke.made {
            PlaybackModel::Grand(grand) => {
                let built = Design::new(stroke.key).build(&stroke.settings);
                let state = rest::pose(&built.spec, &built.regulated.rest);
                (Running::Grand(grand.clone(), state), stroke.spec.key.dip)
            }
            PlaybackModel::Other(kind, lever) => {
                (Running::Other(*kind, lever.clone()), lever.played().travel().dip)
            }
        };
        Self { running, dip, speed, target: 0.0, time: 0.0, bottomed: false }
    }

    /// One step down, or up; whether the hammer met the string in it.
    pub(super) fn step(&mut self, down: bool) -> (Row, bool) {
        let start = self.target;
        let rest = self.dip + finger::HOLD;
        self.target = if !down {
            start - finger::RELEASE * STEP
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
        let mut hear = |event: KeyEvent| {
            hit |= matches!(event, KeyEvent::Strike { .. } | KeyEvent::Pluck { .. });
            bottomed |= matches!(event, KeyEvent::KeyBottom { .. });
        };
        self.time += STEP;
        let tray = rest::TRAY_DOWN;
        let (standing, view) = match &mut self.running {
            Running::Grand(grand, state) => {
                let mut listen = |_: f64, event: KeyEvent| hear(event);
                key::advance(grand, state, drive, [tray; 2], &mut listen);
                (Standing::Grand(*state), key::show(grand, state, drive, [tray; 2]))
            }
            Running::Other(kind, lever) => {
                let mut events = EventList::default();
                lever.drive(drive);
                lever.step(&mut events);
                events.iter().for_each(|event| hear(event.event));
                let played = lever.played();
                (Standing::Other(*kind, played.save()), played.view(drive))
            }
        };
        self.bottomed = bottomed;
        (Row { time: self.time, standing, view }, hit)
    }
}
