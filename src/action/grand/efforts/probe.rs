//! The presses of the grid under one regulation, one action step of one of them at a time.

use super::{BEYOND, EFFORTS, Energies, PRESSES, ROWS};
use crate::action::grand::concert::Design;
use crate::action::grand::rest::TRAY_DOWN;
use crate::action::grand::spec::GRAVITY;
use crate::action::grand::{Assembly, GrandState, pressing, step};
use crate::action::interface::hand::Hand;
use crate::action::{ActionSettings, Drive, KeyEvent};
use crate::math::cast::floor_index;
use crate::math::compass::KeyNumber;

/// Steps after which a hammer that has not struck will not, 0.4 s: the softest press takes 0.25 s.
pub(super) const PATIENCE: usize = 3200;

/// Everything a measurement needs; made once.
pub(super) struct Probe {
    designs: [Design; ROWS],
    settings: ActionSettings,
    energies: Energies,
    row: usize,
    effort: usize,
    assembly: Assembly,
    rest: GrandState,
    running: GrandState,
    hand: Hand,
    steps: usize,
    /// The jack has let the hammer go.
    is_released: bool,
    /// Closest that the hammer came to the string, m.
    closest: f64,
}

impl Probe {
    pub(super) fn new() -> Self {
        let designs = pressing::HAMMER.map(|row| {
            let index = floor_index(row.0 - 1.0);
            Design::new(KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88")))
        });
        let settings = ActionSettings::default();
        let assembly = Assembly::new(designs[0].build(&settings));
        let rest = assembly.rest();
        Self {
            designs,
            settings,
            energies: [[0.0; EFFORTS]; ROWS],
            row: 0,
            effort: 0,
            assembly,
            rest,
            running: rest,
            hand: Hand::pressing(0.0, 0.0, 0.0),
            steps: 0,
            is_released: false,
            closest: f64::INFINITY,
        }
    }

    /// The whole grid under `settings`.
    pub(super) fn measure(&mut self, settings: &ActionSettings) -> Energies {
        self.begin(settings);
        loop {
            if let Some((_, energies)) = self.step() {
                return energies;
            }
        }
    }

    /// Sets out to measure `settings`.
    pub(super) fn begin(&mut self, settings: &ActionSettings) {
        self.settings = *settings;
        self.build(0);
    }

    /// Takes up the key of a row.
    fn build(&mut self, row: usize) {
        self.row = row;
        self.assembly = Assembly::new(self.designs[row].build(&self.settings));
        self.rest = self.assembly.rest();
        self.take_up(0);
    }

    /// Takes up an effort on the key at rest.
    fn take_up(&mut self, effort: usize) {
        self.effort = effort;
        self.running = self.rest;
        let [depth, _] = self.assembly.front(&self.rest.x);
        let force = pressing::FORCE.get(effort).unwrap_or_else(|| &BEYOND[effort - PRESSES]);
        self.hand = Hand::pressing(depth, *force, 0.0);
        (self.steps, self.is_released, self.closest) = (0, false, f64::INFINITY);
    }

    /// One step; regulation and result once all is measured.
    pub(super) fn step(&mut self) -> Option<(ActionSettings, Energies)> {
        let energy = self.follow()?;
        self.energies[self.row][self.effort] = energy;
        if self.effort + 1 < EFFORTS {
            self.take_up(self.effort + 1);
        } else if self.row + 1 < ROWS {
            self.build(self.row + 1);
        } else {
            return Some((self.settings, self.energies));
        }
        None
    }

    /// One step of the press; what it comes to once that is known.
    fn follow(&mut self) -> Option<f64> {
        let drive = Drive::Force(self.hand.step(self.assembly.front(&self.running.x)));
        let (mut struck, mut released) = (None, self.is_released);
        let mut listener = |_: f64, event: KeyEvent| match event {
            KeyEvent::Strike { speed } => struck = struck.or(Some(speed)),
            KeyEvent::Release { .. } => released = true,
            _ => {}
        };
        let grand = &self.assembly.grand;
        step::advance(grand, &mut self.running, drive, [TRAY_DOWN; 2], &mut listener);
        self.is_released = released;
        self.steps += 1;
        if let Some(speed) = struck {
            return Some(speed * speed);
        }
        let [height, speed] = self.assembly.hammer(&self.running.x);
        self.closest = self.closest.min(-height);
        let is_lost = !speed.is_finite() || !height.is_finite();
        if self.steps < PATIENCE && !(released && speed <= 0.0) && !is_lost {
            return None;
        }
        // Short of let-off it only matters that it is short.
        let most = 1e-3 * (self.settings.let_off_mm + self.settings.drop_mm);
        Some(-2.0 * GRAVITY * if is_lost { most } else { self.closest.clamp(0.0, most) })
    }
}
