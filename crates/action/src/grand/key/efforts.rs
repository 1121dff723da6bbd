//! What a regulation makes of a finger's effort.
//!
//! An effort is the press of a [hand](crate::interface::hand) from rest, named by the hammer
//! speed v₀ it gives in the standard regulation; beyond the strongest press ([`pressing::FORCE`]) it
//! is that press carried on, as in natural timing. The speed v it gives in another regulation is
//! measured there by simulating the presses of a grid: keys by [`pressing::HAMMER`], forces by
//! [`pressing::FORCE`] and `BEYOND`. Between them the hammer's energy v² is linear in v₀² and in the
//! key number; a hammer that turns `h` below the string has −2 g h.
//!
//! A key that is set otherwise than all changes what it would have been by `by_key.rs`.
//!
//! The standard regulation is not looked up: there v is v₀, bit by bit. A new regulation is measured
//! piece by piece, eight presses side by side, and holds for notes when all of it is known (within
//! [`Efforts::LONGEST`]); until then the one before it does. The measurement begins `WAIT` action steps
//! after the regulation came: until then the keys that sound take it up, and no step has both to do.

mod by_key;
mod measured;
mod probe;
#[allow(clippy::approx_constant, reason = "measured numbers may lie near one")]
mod table;

use crate::ActionSettings;
use crate::grand::key::pressing;
use probe::Probe;
use table::STANDARD;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;

pub use measured::Tables;

/// Forces of the muscle beyond pressing, N: as far as every hammer is clear of its check on the way up.
const BEYOND: [f64; 3] = [300.0, 400.0, 550.0];
const PRESSES: usize = pressing::FORCE.len();
const EFFORTS: usize = PRESSES + BEYOND.len();
const ROWS: usize = pressing::HAMMER.len();

/// Square of the hammer speed at the string, m²/s², by key and effort.
type Energies = [[f64; EFFORTS]; ROWS];

/// Action steps between a new regulation and its measurement, 80 ms: held keys take 24 ms to take it up,
/// up to 30 ms to settle and 25 ms more to count as still.
const WAIT: usize = 640;

/// What the action steps of a measurement do in turn: steps of every press under way, and parts of
/// preparing others. About thirteen steps of a press an action step: a second for a regulation.
const TURNS: [(usize, usize); 3] = [(2, 0), (2, 0), (1, 1)];

/// Slowest hammer that counts as arriving, m/s: as slow as a note can ask for.
const SLOWEST: f64 = 0.02;

/// Hammer speeds of efforts under the regulation last measured.
pub struct Efforts {
    /// What is to be measured, and what has been.
    wanted: ActionSettings,
    measured: ActionSettings,
    /// None in the standard regulation.
    present: Option<Energies>,
    /// The settings last heard of, for what single keys differ by.
    settings: ActionSettings,
    probe: Box<Probe>,
    is_measuring: bool,
    /// Action steps since something unknown was asked for.
    steps: usize,
}

impl Efforts {
    /// Longest that a new regulation takes to be known, in action steps: every press to its limit.
    pub const LONGEST: usize = {
        let presses = (ROWS * EFFORTS).div_ceil(probe::SLOTS) * probe::PATIENCE;
        let in_turns = TURNS[0].0 + TURNS[1].0 + TURNS[2].0;
        let prepared = ROWS * probe::LONGEST_PREPARED + ROWS * EFFORTS;
        WAIT + prepared * TURNS.len() + (presses / in_turns + 1) * TURNS.len()
    };

    /// Under the regulation `settings`, measured at once if it `is_asked` for. Allocates, and takes
    /// some 30 ms unless the regulation is the standard one.
    #[must_use]
    pub fn new(settings: &ActionSettings, is_asked: bool) -> Self {
        Self::with_kernel(settings, is_asked, Kernel::detect())
    }

    /// The same with the instructions `kernel`; they make no difference to any result, nor to when it
    /// is known.
    #[must_use]
    pub fn with_kernel(settings: &ActionSettings, is_asked: bool, kernel: Kernel) -> Self {
        let mut efforts = Self {
            wanted: ActionSettings::default(),
            measured: ActionSettings::default(),
            present: None,
            settings: *settings,
            probe: Box::new(Probe::new(kernel)),
            is_measuring: false,
            steps: 0,
        };
        efforts.follow(settings, is_asked);
        efforts.finish();
        efforts
    }

    /// A new regulation, to be measured if it `is_asked` for. The standard one holds at once.
    pub fn follow(&mut self, settings: &ActionSettings, is_asked: bool) {
        self.settings = *settings;
        if !is_asked {
            (self.wanted, self.is_measuring, self.steps) = (self.measured, false, 0);
            return;
        }
        self.wanted = before_the_string(settings);
        if self.wanted == ActionSettings::default() {
            (self.measured, self.present) = (self.wanted, None);
            (self.is_measuring, self.steps) = (false, 0);
        }
    }

    /// Goes on measuring during one action step.
    pub fn step(&mut self) {
        if self.is_current() {
            return;
        }
        self.steps += 1;
        if self.steps > WAIT {
            self.go_on(TURNS[self.steps % TURNS.len()]);
        }
    }

    /// Measures to the end.
    pub fn finish(&mut self) {
        while !self.is_current() {
            self.go_on((1, 1));
        }
    }

    /// A number of steps of what is measured or is to be, and of parts of preparing it.
    fn go_on(&mut self, (steps, parts): (usize, usize)) {
        if !self.is_measuring {
            self.probe.begin(&self.wanted);
            self.is_measuring = true;
        }
        if self.probe.is_waiting() {
            self.probe.prepare();
            return;
        }
        (0..parts).for_each(|_| self.probe.prepare());
        if let Some((settings, energies)) = (0..steps).find_map(|_| self.probe.step()) {
            (self.measured, self.present, self.is_measuring) = (settings, Some(energies), false);
            if self.is_current() {
                self.steps = 0;
            }
        }
    }

    /// Whether what is wanted is known.
    #[must_use]
    pub fn is_current(&self) -> bool {
        !self.is_measuring && self.measured == self.wanted
    }

    /// Hammer speed, m/s, of the effort on `key` that gives `speed` m/s in the standard regulation;
    /// none where the hammer does not reach the string.
    #[must_use]
    pub fn heard(&self, key: KeyNumber, speed: f64) -> Option<f64> {
        let is_even = self.settings.is_even();
        if self.present.is_none() && is_even {
            return Some(speed);
        }
        let asked = speed * speed;
        let place = Place::of(key, asked);
        let mut energy = self.present.as_ref().map_or(asked, |grid| place.at(&|r, e| grid[r][e]));
        if !is_even {
            let own = self.settings.of(key);
            energy += by_key::change(&self.settings, &own, |grid| place.at(grid));
        }
        (energy > SLOWEST * SLOWEST).then(|| energy.sqrt())
    }
}

/// Where an effort stands between the presses of a grid.
struct Place {
    /// The row above, and how far it is to it.
    row: (usize, f64),
    /// The effort above, and how far it is to it.
    effort: (usize, f64),
    /// Its energy and that of the last effort, where it is more.
    beyond: Option<[f64; 2]>,
}

impl Place {
    /// Of the effort on `key` that has the energy `asked`, m²/s², in the standard regulation.
    fn of(key: KeyNumber, asked: f64) -> Self {
        let number = f64::from(key.number());
        let upper = pressing::HAMMER.partition_point(|row| row.0 < number).clamp(1, ROWS - 1);
        let [from, to] = [upper - 1, upper].map(|row| pressing::HAMMER[row].0);
        let mut place =
            Self { row: (upper, (number - from) / (to - from)), effort: (1, 0.0), beyond: None };
        let last = EFFORTS - 1;
        let named = |i| place.across(&|r, e| STANDARD[r][e], i);
        let i = (1..last).find(|&i| asked <= named(i)).unwrap_or(last);
        let [from, to] = [named(i - 1), named(i)];
        if asked > named(last) {
            (place.effort, place.beyond) = ((last, 1.0), Some([asked, to]));
        } else {
            place.effort = (i, (asked - from) / (to - from));
        }
        place
    }

    /// What `grid` has at an effort, between its rows.
    fn across(&self, grid: &dyn Fn(usize, usize) -> f64, effort: usize) -> f64 {
        let (upper, share) = self.row;
        let from = grid(upper - 1, effort);
        from + share * (grid(upper, effort) - from)
    }

    /// What `grid` has here.
    fn at(&self, grid: &dyn Fn(usize, usize) -> f64) -> f64 {
        let (i, share) = self.effort;
        if let Some([asked, last]) = self.beyond {
            return self.across(grid, i) * asked / last;
        }
        let from = self.across(grid, i - 1);
        from + share * (self.across(grid, i) - from)
    }
}

/// Of `settings` what decides how the hammer arrives: which action is chosen, and what its felt does
/// to the string, does not.
fn before_the_string(settings: &ActionSettings) -> ActionSettings {
    let standard = ActionSettings::default();
    let in_range = settings.with_numbers(settings, |range, value, _| range.clamped(value));
    ActionSettings {
        action: standard.action,
        keys: standard.keys,
        unevenness: standard.unevenness,
        unevenness_seed: standard.unevenness_seed,
        hammer_hardness: standard.hammer_hardness,
        strike_point: standard.strike_point,
        ..in_range
    }
}

#[cfg(test)]
mod tests;
