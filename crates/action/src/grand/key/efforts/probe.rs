//! The presses of the grid under one regulation: as many of them at a time as lanes hold, one action
//! step of each at a time.
//!
//! There are [`SLOTS`] presses under way whatever the machine's registers hold, taken up in the order of
//! the grid, so that neither a result nor the steps until all are known depend on the machine.

use super::{BEYOND, EFFORTS, Energies, PRESSES, ROWS};
use crate::grand::design::concert::Design;
use crate::grand::design::spec::GRAVITY;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::lane_group::{self, Group, Running, lanes_of};
use crate::grand::equations::lanes::Lanes;
use crate::grand::key::pressing;
use crate::grand::key::rest::{Search, TRAY_DOWN, UNTOUCHED};
use crate::grand::{Assembly, GrandState};
use crate::interface::hand::{self, Hand};
use crate::{ActionSettings, Drive, KeyEvent};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::real::MOST_LANES;

/// Steps after which a hammer that has not struck will not, 0.4 s: the softest press takes 0.25 s.
pub(super) const PATIENCE: usize = 3200;

/// Presses under way at a time.
pub(super) const SLOTS: usize = MOST_LANES;

/// Most parts that a row's preparation has: building it, and the steps of the search for its rest pose,
/// mostly five.
pub(super) const LONGEST_PREPARED: usize = 1 + Search::LONGEST;

/// Everything a measurement needs; made once.
pub(super) struct Probe {
    designs: [Design; ROWS],
    settings: ActionSettings,
    energies: Energies,
    rows: [Row; ROWS],
    /// Rows that are ready to be pressed, from the first on.
    ready: usize,
    /// The rest pose of the row after them, while it is looked for.
    search: Option<Search>,
    /// The press to be taken up next, counted along the rows.
    next: usize,
    presses: [Option<Press>; SLOTS],
    kernel: Kernel,
    lanes: Lanes,
    /// The rows whose numbers the lanes hold, by slot.
    held: [Option<usize>; SLOTS],
}

/// A key of the grid.
#[derive(Clone)]
struct Row {
    key: Assembly,
    rest: GrandState,
}

/// A press under way.
#[derive(Clone, Copy)]
struct Press {
    row: usize,
    effort: usize,
    running: GrandState,
    hand: Hand,
    /// Force of its muscle at the end of the last step, N.
    pushed: f64,
    steps: usize,
    /// The jack has let the hammer go.
    is_released: bool,
    /// Speed of the hammer at the string, m/s.
    struck: Option<f64>,
    /// Closest that the hammer came to the string, m.
    closest: f64,
}

impl Probe {
    pub(super) fn new(kernel: Kernel) -> Self {
        let designs = pressing::HAMMER.map(|row| {
            let index = floor_index(row.0 - 1.0);
            Design::new(KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88")))
        });
        let settings = ActionSettings::default();
        let key = Assembly::new(designs[0].build(&settings));
        let row = Row { rest: key.rest(), key };
        Self {
            designs,
            settings,
            energies: [[0.0; EFFORTS]; ROWS],
            kernel,
            lanes: Lanes::new(kernel, SLOTS, &row.key),
            rows: std::array::from_fn(|_| row.clone()),
            ready: 0,
            search: None,
            next: 0,
            presses: [None; SLOTS],
            held: [None; SLOTS],
        }
    }

    /// The whole grid under `settings`.
    pub(super) fn measure(&mut self, settings: &ActionSettings) -> Energies {
        self.begin(settings);
        loop {
            self.prepare();
            if let Some((_, energies)) = self.step() {
                return energies;
            }
        }
    }

    /// Sets out to measure `settings`.
    pub(super) fn begin(&mut self, settings: &ActionSettings) {
        self.settings = *settings;
        (self.ready, self.search, self.next) = (0, None, 0);
        (self.presses, self.held) = ([None; SLOTS], [None; SLOTS]);
    }

    /// Takes up a press, if there is room for it and its row is ready; otherwise a part of preparing the
    /// next row: some 2 µs, about as much as [`Probe::step`]. A hand laid on a key at rest opens and
    /// closes contacts, so presses begin one by one.
    pub(super) fn prepare(&mut self) {
        if self.next < self.ready * EFFORTS
            && let Some(slot) = self.presses.iter_mut().find(|slot| slot.is_none())
        {
            let (row, effort) = (self.next / EFFORTS, self.next % EFFORTS);
            *slot = Some(Press::new(row, effort, &self.rows[row]));
            self.next += 1;
            return;
        }
        let Some(row) = self.rows.get_mut(self.ready) else { return };
        let Some(search) = &mut self.search else {
            row.key = Assembly::new(self.designs[self.ready].build(&self.settings));
            self.search = Some(row.key.search_rest());
            return;
        };
        if let Some(rest) = row.key.settle(search) {
            row.rest = rest;
            (self.ready, self.search) = (self.ready + 1, None);
        }
    }

    /// Whether no press is under way, and some are to come.
    pub(super) fn is_waiting(&self) -> bool {
        self.next < ROWS * EFFORTS && self.presses.iter().all(Option::is_none)
    }

    /// One step of the presses under way; regulation and result once all is measured.
    pub(super) fn step(&mut self) -> Option<(ActionSettings, Energies)> {
        let forces = self.step_hands();
        let width = self.lanes.width();
        for which in 0..SLOTS / width {
            self.step_pack(which, which * width, &forces);
        }
        for slot in &mut self.presses {
            if let Some(press) = slot
                && let Some(energy) = press.energy(&self.rows[press.row].key, &self.settings)
            {
                self.energies[press.row][press.effort] = energy;
                *slot = None;
            }
        }
        let is_over = self.next == ROWS * EFFORTS && self.presses.iter().all(Option::is_none);
        is_over.then_some((self.settings, self.energies))
    }

    /// One step of the hands; their forces on the keys at both ends of it, N.
    fn step_hands(&mut self) -> [[f64; SLOTS]; 2] {
        let mut bodies = [Hand::pressing(0.0, 0.0, 0.0).body; SLOTS];
        let (mut push, mut fronts) = ([[0.0; SLOTS]; 2], [[0.0; SLOTS]; 2]);
        for (slot, press) in self.presses.iter_mut().enumerate() {
            let Some(press) = press else { continue };
            bodies[slot] = press.hand.body;
            let pushed = press.hand.push_on();
            push[0][slot] = std::mem::replace(&mut press.pushed, pushed);
            push[1][slot] = pushed;
            let key = &self.rows[press.row].key;
            [fronts[0][slot], fronts[1][slot]] = key.front(&press.running.x);
        }
        let forces = hand::step_several(self.kernel, &mut bodies, &push, &fronts);
        for (press, body) in self.presses.iter_mut().zip(bodies) {
            press.iter_mut().for_each(|press| press.hand.body = body);
        }
        forces
    }

    /// One step of the presses of the pack `which`, whose first slot is `first`, under `forces`.
    fn step_pack(&mut self, which: usize, first: usize, forces: &[[f64; SLOTS]; 2]) {
        let slots = first..first + self.lanes.width();
        let presses = &mut self.presses[slots.clone()];
        let rows = &self.rows;
        let row_of = |press: Option<&Option<Press>>| press.copied().flatten().map_or(0, |p| p.row);
        let keys: [&Assembly; MOST_LANES] =
            std::array::from_fn(|lane| &rows[row_of(presses.get(lane))].key);
        let mut group = Group {
            which,
            keys,
            active: 0,
            causality: Causality::Force,
            inputs: [[UNTOUCHED; MOST_LANES]; 2],
        };
        let mut running = Running::new();
        let mut is_stale = false;
        for (lane, press) in presses.iter_mut().enumerate() {
            let Some(press) = press else { continue };
            group.active |= 1 << lane;
            running.put(lane, &press.running);
            let drive = Drive::Force([0, 1].map(|end| forces[end][first + lane]));
            [group.inputs[0][lane], group.inputs[1][lane]] = DriveNow::ends(drive, [TRAY_DOWN; 2]);
            is_stale |= self.held[first + lane] != Some(press.row);
        }
        if is_stale && self.lanes.is_faster_for(group.active) {
            self.lanes.refresh(which, keys);
            for (held, press) in self.held[slots].iter_mut().zip(&*presses) {
                *held = press.as_ref().map(|press| press.row);
            }
        }
        let mut listener = |lane: usize, _: f64, event: KeyEvent| {
            if let Some(press) = &mut presses[lane] {
                press.hear(event);
            }
        };
        lane_group::step(&self.lanes, &group, &mut running, f64::INFINITY, &mut listener);
        for lane in lanes_of(group.active) {
            if let Some(press) = &mut presses[lane] {
                press.running = running.of(lane);
            }
        }
    }
}

impl Press {
    /// An effort on the key of a row at rest.
    fn new(row: usize, effort: usize, of: &Row) -> Self {
        let [depth, _] = of.key.front(&of.rest.x);
        let force = pressing::FORCE.get(effort).unwrap_or_else(|| &BEYOND[effort - PRESSES]);
        let hand = Hand::pressing(depth, *force, 0.0);
        Self {
            row,
            effort,
            running: of.rest,
            hand,
            pushed: hand.push(),
            steps: 0,
            is_released: false,
            struck: None,
            closest: f64::INFINITY,
        }
    }

    fn hear(&mut self, event: KeyEvent) {
        match event {
            KeyEvent::Strike { speed } => self.struck = self.struck.or(Some(speed)),
            KeyEvent::Release { .. } => self.is_released = true,
            _ => {}
        }
    }

    /// After a step of `key` under `settings`: what the press comes to once that is known.
    fn energy(&mut self, key: &Assembly, settings: &ActionSettings) -> Option<f64> {
        self.steps += 1;
        if let Some(speed) = self.struck {
            return Some(speed * speed);
        }
        let [height, speed] = key.hammer(&self.running.x);
        self.closest = self.closest.min(-height);
        let is_lost = !speed.is_finite() || !height.is_finite();
        if self.steps < PATIENCE && !(self.is_released && speed <= 0.0) && !is_lost {
            return None;
        }
        // Short of let-off it only matters that it is short.
        let most = 1e-3 * (settings.let_off_mm + settings.drop_mm);
        Some(-2.0 * GRAVITY * if is_lost { most } else { self.closest.clamp(0.0, most) })
    }
}
