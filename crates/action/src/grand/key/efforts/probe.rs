//! Simulation of the presses of the grid under one regulation, one action step at a time; single presses at
//! once where a note needs them.
//!
//! [`SLOTS`] presses are active at a time on every machine, started in a fixed order, so that
//! neither the results nor the number of steps depend on the width of the machine's registers.

use super::{BEYOND, EFFORTS, Energies, PRESSES, ROWS};
use crate::grand::design::concert::Design;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::lane_group::{self, Group, PackState, lanes_of};
use crate::grand::equations::lanes::Lanes;
use crate::grand::key::pressing;
use crate::grand::key::rest::{Search, TRAY_DOWN, UNTOUCHED};
use crate::grand::{Assembly, GrandState};
use crate::interface::hand::{self, Hand};
use crate::{ActionSettings, Drive, GRAVITY, KeyEvent};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::real::MOST_LANES;

/// Action steps after which a press without a strike ends, 0.5 s: the softest press that strikes takes
/// 0.38 s.
pub(super) const MAX_STEPS: usize = 4000;

/// Number of presses that are active at a time.
pub(super) const SLOTS: usize = MOST_LANES;

/// Most preparation items of a row: building the key, and the steps of the search for its rest pose,
/// usually five.
pub(super) const MAX_ROW_ITEMS: usize = 1 + Search::LONGEST;

/// State of a measurement; allocated once.
pub(super) struct Probe {
    designs: Box<[Design]>,
    settings: ActionSettings,
    energies: Energies,
    /// Presses whose energy is known, as a bit for each effort, by row.
    known: [u32; ROWS],
    rows: Box<[Row]>,
    is_ready: [bool; ROWS],
    /// Search for the rest pose of the first row that is not ready.
    search: Option<Search>,
    /// Number of presses whose turn to start has come, in the order of [`cell`].
    next: usize,
    presses: Box<[Option<Press>; SLOTS]>,
    kernel: Kernel,
    lanes: Lanes,
    /// The rows whose constants the lanes hold, by slot.
    held: [Option<usize>; SLOTS],
}

/// A key of the grid.
#[derive(Clone)]
struct Row {
    key: Assembly,
    rest: GrandState,
}

/// An active press.
#[derive(Clone, Copy)]
struct Press {
    row: usize,
    effort: usize,
    running: GrandState,
    hand: Hand,
    /// Force of the muscle at the end of the last step, N.
    pushed: f64,
    steps: usize,
    /// Whether the jack has released the hammer.
    is_released: bool,
    /// Speed of the hammer at the string, m/s, once it has struck.
    struck: Option<f64>,
    /// Least distance of the hammer from the string so far, m.
    closest: f64,
}

impl Probe {
    pub(super) fn new(kernel: Kernel) -> Self {
        let design = |row: &(f64, _)| {
            let index = floor_index(row.0 - 1.0);
            Design::new(KeyNumber::from_index(index).unwrap_or_else(|| unreachable!("1…88")))
        };
        let designs: Box<[_]> = pressing::HAMMER.iter().map(design).collect();
        let settings = ActionSettings::default();
        let key = Assembly::new(designs[0].build(&settings));
        let rows = vec![Row { rest: key.rest(), key }; ROWS].into_boxed_slice();
        Self {
            designs,
            settings,
            energies: [[0.0; EFFORTS]; ROWS],
            known: [0; ROWS],
            kernel,
            lanes: Lanes::new(kernel, SLOTS, &rows[0].key),
            rows,
            is_ready: [false; ROWS],
            search: None,
            next: 0,
            presses: Box::new([None; SLOTS]),
            held: [None; SLOTS],
        }
    }

    /// Measures the whole grid under `settings`.
    pub(super) fn measure(&mut self, settings: &ActionSettings) -> Energies {
        self.begin(settings);
        while !self.is_complete() {
            self.prepare();
            self.step();
        }
        self.energies
    }

    /// The regulation that is measured.
    pub(super) const fn settings(&self) -> &ActionSettings {
        &self.settings
    }

    /// Energies of the presses, m²/s²; those not measured yet are of another regulation.
    pub(super) const fn energies(&self) -> &Energies {
        &self.energies
    }

    /// Whether every press is measured.
    pub(super) fn is_complete(&self) -> bool {
        self.known.iter().all(|known| known.count_ones() as usize == EFFORTS)
    }

    /// Whether the energy of an effort on a row is known.
    const fn is_known(&self, row: usize, effort: usize) -> bool {
        self.known[row] >> effort & 1 == 1
    }

    /// Begins a measurement of `settings`.
    pub(super) fn begin(&mut self, settings: &ActionSettings) {
        self.settings.clone_from(settings);
        (self.known, self.is_ready) = ([0; ROWS], [false; ROWS]);
        (self.search, self.next) = (None, 0);
        self.presses.fill(None);
        self.held = [None; SLOTS];
    }

    /// Does one preparation item: starts a press if a slot is free and its row is prepared, otherwise does a
    /// part of preparing the next row. Takes about 2 µs, as [`Probe::step`] does. Presses start one by one
    /// because a hand on a key at rest opens and closes contacts.
    pub(super) fn prepare(&mut self) {
        let (row, effort) = cell(self.next);
        if self.next < ROWS * EFFORTS
            && self.is_ready[row]
            && let Some(slot) = self.presses.iter_mut().find(|slot| slot.is_none())
        {
            *slot = Some(Press::new(row, effort, &self.rows[row]));
            self.next += 1;
            self.pass_known();
            return;
        }
        if let Some(row) = self.is_ready.iter().position(|is_ready| !is_ready) {
            self.prepare_row(row);
        }
    }

    /// Does a part of preparing `row`, the first that is not ready or, with no search begun, any.
    fn prepare_row(&mut self, row: usize) {
        let Row { key, rest } = &mut self.rows[row];
        let Some(search) = &mut self.search else {
            *key = Assembly::new(self.designs[row].build(&self.settings));
            self.search = Some(key.begin_rest_search());
            return;
        };
        if let Some(found) = key.step_rest_search(search) {
            *rest = found;
            (self.is_ready[row], self.search) = (true, None);
        }
    }

    /// Passes the presses that are known before their turn.
    fn pass_known(&mut self) {
        while self.next < ROWS * EFFORTS {
            let (row, effort) = cell(self.next);
            if !self.is_known(row, effort) {
                return;
            }
            self.next += 1;
        }
    }

    /// Simulates those presses of `cells`, given by row and effort, at most [`SLOTS`], that are not known,
    /// side by side and as a whole. Each takes [`MAX_STEPS`] steps at most. Lanes that would be idle take the
    /// same efforts on other keys: a chord is likely to need them.
    pub(super) fn complete(&mut self, cells: impl Iterator<Item = (usize, usize)> + Clone) {
        let mut asked = [None; SLOTS];
        let mut count = 0;
        let others = cells.clone().flat_map(|(_, effort)| (0..ROWS).map(move |row| (row, effort)));
        for (i, cell) in cells.clone().chain(others).enumerate() {
            let is_other = i >= cells.clone().count();
            if is_other && count % self.lanes.width() == 0 || count == SLOTS {
                break;
            }
            if !self.is_known(cell.0, cell.1) && !asked.contains(&Some(cell)) {
                asked[count] = Some(cell);
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        let active = std::mem::replace(&mut *self.presses, [None; SLOTS]);
        for (slot, (row, effort)) in asked.into_iter().flatten().enumerate() {
            if !self.is_ready[row] {
                self.search = None;
                while !self.is_ready[row] {
                    self.prepare_row(row);
                }
            }
            self.presses[slot] = Some(Press::new(row, effort, &self.rows[row]));
        }
        while self.presses.iter().any(Option::is_some) {
            self.step();
        }
        *self.presses = active;
        for slot in self.presses.iter_mut() {
            *slot = slot.take_if(|press| self.known[press.row] >> press.effort & 1 == 0);
        }
        self.pass_known();
    }

    /// Whether no press is active and some remain.
    pub(super) fn is_waiting(&self) -> bool {
        self.next < ROWS * EFFORTS && self.presses.iter().all(Option::is_none)
    }

    /// Takes one step of the active presses. Returns the most substeps of a press, at least 1: strong presses load
    /// the contacts and take up to 32.
    pub(super) fn step(&mut self) -> usize {
        let forces = self.step_hands();
        let width = self.lanes.width();
        let packs = 0..SLOTS / width;
        let substeps = packs.map(|which| self.step_pack(which, which * width, &forces));
        let most = substeps.max().unwrap_or(1).max(1);
        for slot in self.presses.iter_mut() {
            if let Some(press) = slot
                && let Some(energy) = press.energy(&self.rows[press.row].key, &self.settings)
            {
                self.energies[press.row][press.effort] = energy;
                self.known[press.row] |= 1 << press.effort;
                *slot = None;
            }
        }
        most
    }

    /// Takes one step of the hands. Returns their forces on the keys at both ends of the step, N.
    fn step_hands(&mut self) -> [[f64; SLOTS]; 2] {
        let mut bodies = [Hand::pressing(0.0, 0.0, 0.0).body; SLOTS];
        let (mut push, mut fronts) = ([[0.0; SLOTS]; 2], [[0.0; SLOTS]; 2]);
        for (slot, press) in self.presses.iter_mut().enumerate() {
            let Some(press) = press else { continue };
            bodies[slot] = press.hand.body;
            let pushed = press.hand.advance_push();
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

    /// Takes one step of the presses of the pack `which`, whose first slot is `first`, under `forces`, N. Returns the
    /// most substeps of a press.
    fn step_pack(&mut self, which: usize, first: usize, forces: &[[f64; SLOTS]; 2]) -> usize {
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
        let mut running = PackState::new();
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
                press.on_event(event);
            }
        };
        let (lanes, slow) = (&mut self.lanes, f64::INFINITY);
        let stepped = lane_group::step(lanes, &group, &mut running, slow, &mut listener);
        for lane in lanes_of(group.active) {
            if let Some(press) = &mut presses[lane] {
                press.running = running.of(lane);
            }
        }
        stepped.substeps as usize
    }
}

/// Row and effort of the press number `i`: the strongest efforts first, which take the least time, of each
/// effort all rows.
const fn cell(i: usize) -> (usize, usize) {
    (i % ROWS, (EFFORTS - 1).saturating_sub(i / ROWS))
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

    fn on_event(&mut self, event: KeyEvent) {
        match event {
            KeyEvent::Strike { speed } => self.struck = self.struck.or(Some(speed)),
            KeyEvent::Release { .. } => self.is_released = true,
            _ => {}
        }
    }

    /// To be called after each step of `key` under `settings`. Returns the energy of the press, m²/s², when
    /// the press is over.
    fn energy(&mut self, key: &Assembly, settings: &ActionSettings) -> Option<f64> {
        self.steps += 1;
        if let Some(speed) = self.struck {
            return Some(speed * speed);
        }
        let [height, speed] = key.hammer(&self.running.x);
        self.closest = self.closest.min(-height);
        let is_lost = !speed.is_finite() || !height.is_finite();
        if self.steps < MAX_STEPS && !(self.is_released && speed <= 0.0) && !is_lost {
            return None;
        }
        // Distances below the let-off height all count as that height.
        let most = 1e-3 * (settings.let_off_mm + settings.drop_mm);
        Some(-2.0 * GRAVITY * if is_lost { most } else { self.closest.clamp(0.0, most) })
    }
}
