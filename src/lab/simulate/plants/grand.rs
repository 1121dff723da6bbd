//! One key of the concert grand, alone on its bench: damper tray down, regulated by the settings.

use crate::action::events::{ActionEvent, EventList};
use crate::action::grand::concert::{Built, Design};
use crate::action::grand::{Phase, STATES, key, rest};
use crate::action::{Drive, EventKind};
use crate::episode::State;
use crate::instrument::Settings;
use crate::lab::gesture::KeyView;
use crate::lab::simulate::{Plant, Row};
use crate::math::compass::Key;

/// The key and its running state.
pub(super) struct Grand {
    key: Key,
    built: Built,
    running: State<Phase, STATES>,
    view: KeyView,
}

impl Grand {
    /// The key at rest.
    pub(super) fn new(key: Key, settings: &Settings) -> Self {
        let built = Design::new(key).build(&settings.action);
        let x = rest::pose(&built.spec, Phase::Return, &rest::UNTOUCHED, &built.regulated.rest);
        let running = State { phase: Phase::Return, x };
        Self { key, built, running, view: KeyView::default() }
    }
}

impl Plant for Grand {
    fn step(&mut self, drive: Drive, row: &mut Row, events: &mut EventList) {
        let tray = [rest::TRAY_DOWN; 2];
        let key = self.key;
        let mut listener = |offset: f64, kind: EventKind, value: f64| {
            events.push(ActionEvent { key, offset, kind, value });
        };
        key::step(&self.built.spec, &mut self.running, drive, tray, &mut listener);
        let now = key::read(&self.built.spec, &self.running, drive, tray);
        self.view = KeyView { depth: now.key, speed: now.key_speed };
        row.phase = match now.phase {
            Phase::Acceleration => "acceleration",
            Phase::LetOff => "let_off",
            Phase::Catch => "catch",
            Phase::Return => "return",
            Phase::Flank => "flank",
        };
        row.key_m = now.key;
        row.key_velocity_m_s = now.key_speed;
        row.key_force_n = now.key_force;
        row.jack_knuckle_force_n = now.jack_force;
        row.hammer_m = now.hammer;
        row.hammer_velocity_m_s = now.hammer_speed;
        row.q = now.q;
        row.q_rate = now.q_rate;
        row.kinetic_j = now.kinetic;
        row.potential_j = now.potential;
        row.dissipated_j = now.dissipated;
        row.work_j = now.work;
    }

    fn key(&self) -> KeyView {
        self.view
    }
}
