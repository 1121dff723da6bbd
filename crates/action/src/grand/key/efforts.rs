//! Hammer speed of a finger's effort under any regulation.
//!
//! An effort is the press of a [hand](crate::interface::hand) from rest. It is identified by the hammer
//! speed v₀ that it gives in the standard regulation; beyond the strongest press ([`pressing::FORCE`]) it
//! is extrapolated from that press, as in natural timing. The speed v that it gives in another regulation
//! is measured by simulating a grid of presses: keys of [`pressing::HAMMER`], forces of
//! [`pressing::FORCE`] and `BEYOND`. Between the grid points the energy v² is linear in v₀² and in the key
//! number. A hammer that reverses at the distance h below the string has the energy −2 g h.
//!
//! `by_key.rs` adds the change for a key that is set differently from the others.
//!
//! In the standard regulation v is v₀, bit by bit, without a table. A new regulation is measured
//! incrementally, eight presses at a time, and takes effect for notes when the whole grid is measured
//! (within [`Efforts::LONGEST`]); until then the previous one stays in effect. The measurement begins `WAIT`
//! action steps after the change: by then the sounding keys have taken up the new regulation, so that no
//! step has the cost of both. Where no key is touched, it begins at once and is several times as quick.
//!
//! A regulation can take effect before its grid is measured ([`Efforts::adopt`]). A note then simulates the
//! two to four presses between which it lies, unless they are known; the others are measured as above.

mod by_key;
mod measured;
mod probe;
#[allow(clippy::approx_constant, reason = "measured numbers may be close to a known constant")]
mod table;

use crate::ActionSettings;
use crate::grand::key::pressing;
use probe::Probe;
use table::STANDARD;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::pages::boxed;

pub use measured::Tables;

/// Forces of the muscle above those of [`pressing::FORCE`], N: up to the force at which every hammer still
/// clears its backcheck on the way up.
const BEYOND: [f64; 3] = [300.0, 400.0, 550.0];
const PRESSES: usize = pressing::FORCE.len();
const EFFORTS: usize = PRESSES + BEYOND.len();
const ROWS: usize = pressing::HAMMER.len();

/// Square of the hammer speed at the string, m²/s², by row (key) and effort.
type Energies = [[f64; EFFORTS]; ROWS];

/// Action steps between a new regulation and the beginning of its measurement, 188 ms: held keys take it up within
/// 128 ms, need up to 30 ms to settle, and 25 ms more to count as idle.
const WAIT: usize = 1504;

/// Work of the action steps of a measurement, in rotation: steps of every active press, and preparation
/// items. This makes at most eight press steps in an action step, and 2.9 to 3.5 s for a regulation.
const TURNS: [(usize, usize); 3] = [(1, 0), (1, 0), (1, 1)];

/// The same for an action step in which no key is touched: 0.4 to 0.5 s for a regulation, at 15 % of the time
/// (chosen).
const STILL: (usize, usize) = (6, 3);

/// Lowest hammer speed that counts as a strike, m/s: the lowest that a note can request.
const SLOWEST: f64 = 0.02;

/// Hammer speeds of efforts under a regulation.
pub struct Efforts {
    /// The regulation set last.
    target: Box<ActionSettings>,
    /// The regulation in effect.
    effective: Box<ActionSettings>,
    /// `effective` is the standard regulation.
    is_standard: bool,
    /// `target` is not in effect yet. Stored, because [`Self::step`] asks in every action step.
    is_ahead: bool,
    /// The newest settings, for the differences of single keys.
    settings: Box<ActionSettings>,
    /// The action of all keys has the same settings.
    is_even: bool,
    is_needed: bool,
    /// Grid of `effective`, unless that is the standard regulation.
    grid: Box<Probe>,
    /// Grid that takes effect when it is complete, if one is being measured.
    next: Box<Probe>,
    is_measuring: bool,
    /// Action steps since the target changed.
    steps: usize,
    /// Substeps that a step has taken beyond one, in place of as many steps.
    owed: usize,
}

impl Efforts {
    /// Most action steps until a new regulation takes effect: every press runs to its limit.
    pub const LONGEST: usize = {
        let presses = (ROWS * EFFORTS).div_ceil(probe::SLOTS) * probe::MAX_STEPS;
        let in_turns = TURNS[0].0 + TURNS[1].0 + TURNS[2].0;
        let prepared = ROWS * probe::MAX_ROW_ITEMS + ROWS * EFFORTS;
        WAIT + prepared * TURNS.len() + (presses / in_turns + 1) * TURNS.len()
    };

    /// Efforts under the regulation `settings`, measured at once if `is_needed`. Allocates, and takes about
    /// 30 ms unless the regulation is the standard one.
    #[must_use]
    pub fn new(settings: &ActionSettings, is_needed: bool) -> Self {
        Self::with_kernel(settings, is_needed, Kernel::detect())
    }

    /// [`Self::new`] with the instructions of `kernel`. The kernel changes neither a result nor the step at
    /// which it takes effect.
    #[must_use]
    pub fn with_kernel(settings: &ActionSettings, is_needed: bool, kernel: Kernel) -> Self {
        let mut efforts = Self {
            target: boxed(ActionSettings::default),
            effective: boxed(ActionSettings::default),
            is_standard: true,
            is_ahead: false,
            settings: boxed(|| settings.clone()),
            is_even: settings.is_even(),
            is_needed,
            grid: boxed(|| Probe::new(kernel)),
            next: boxed(|| Probe::new(kernel)),
            is_measuring: false,
            steps: 0,
            owed: 0,
        };
        efforts.follow(settings, is_needed);
        efforts.finish();
        efforts
    }

    /// Sets a new regulation, to be measured if `is_needed`. The standard one takes effect at once.
    pub fn follow(&mut self, settings: &ActionSettings, is_needed: bool) {
        *self.settings = settings.clone();
        self.is_even = settings.is_even();
        self.is_needed = is_needed;
        if is_needed {
            *self.target = before_the_string(settings);
            if *self.target == ActionSettings::default() {
                self.effective.clone_from(&self.target);
                self.is_standard = true;
            }
            self.is_ahead = self.effective != self.target;
        }
        if !is_needed || !self.is_ahead {
            (self.is_measuring, self.steps) = (false, 0);
        }
    }

    /// Continues the measurement for one action step, in which no key is touched if `is_still`.
    pub fn step(&mut self, is_still: bool) {
        if self.is_current() {
            return;
        }
        self.steps += 1;
        if is_still {
            self.advance(STILL);
        } else if self.steps > WAIT || !self.is_ahead {
            self.advance(TURNS[self.steps % TURNS.len()]);
        }
    }

    /// The regulation set last takes effect. What its notes need and is not measured they measure, 2 to 4
    /// presses each.
    pub fn adopt(&mut self) {
        if !self.is_needed || !self.is_ahead {
            return;
        }
        if !self.is_measuring || self.next.settings() != &*self.target {
            self.next.begin(&self.target);
        }
        self.use_next();
    }

    /// The regulation of `next` takes effect.
    fn use_next(&mut self) {
        std::mem::swap(&mut self.grid, &mut self.next);
        *self.effective = self.grid.settings().clone();
        self.is_standard = *self.effective == ActionSettings::default();
        self.is_ahead = self.effective != self.target;
        self.is_measuring = false;
        if !self.is_ahead {
            self.steps = 0;
        }
    }

    /// Completes the measurement.
    pub fn finish(&mut self) {
        self.adopt();
        while !self.is_current() {
            self.advance((1, 1));
        }
    }

    /// Takes `steps` steps of the active presses and `items` preparation items.
    fn advance(&mut self, (steps, items): (usize, usize)) {
        let is_ahead = self.is_ahead;
        if is_ahead && !self.is_measuring {
            self.next.begin(&self.target);
            self.is_measuring = true;
        }
        let probe = if is_ahead { &mut self.next } else { &mut self.grid };
        if probe.is_waiting() {
            (0..items.max(1)).for_each(|_| probe.prepare());
            return;
        }
        (0..items).for_each(|_| probe.prepare());
        for _ in 0..steps {
            match self.owed {
                0 => self.owed = probe.step() - 1,
                owed => self.owed = owed - 1,
            }
        }
        if is_ahead && probe.is_complete() {
            self.use_next();
        }
    }

    /// Whether the regulation set last is in effect and its grid measured.
    #[must_use]
    pub fn is_current(&self) -> bool {
        !self.is_needed || !self.is_ahead && (self.is_standard || self.grid.is_complete())
    }

    /// Hammer speed, m/s, of the effort on `key` that gives `speed` m/s in the standard regulation; `None`
    /// if the hammer does not reach the string. Simulates the presses between which the effort lies, unless
    /// they are known.
    #[must_use]
    pub fn hammer_speed(&mut self, key: KeyNumber, speed: f64) -> Option<f64> {
        if self.is_standard && self.is_even {
            return Some(speed);
        }
        let standard = speed * speed;
        let position = GridPosition::of(key, standard);
        let mut energy = if self.is_standard {
            standard
        } else {
            self.grid.complete(position.points());
            let energies = self.grid.energies();
            position.interpolate(&|r, e| energies[r][e])
        };
        if !self.is_even {
            let own = self.settings.of(key);
            energy += by_key::change(&self.settings, own, |grid| position.interpolate(grid));
        }
        (energy > SLOWEST * SLOWEST).then(|| energy.sqrt())
    }
}

/// Position of an effort between the points of the grid of presses.
struct GridPosition {
    /// Index of the next row, and the share (0…1) of the way to it from the row before.
    row: (usize, f64),
    /// Index of the next effort, and the share (0…1) of the way to it from the effort before.
    effort: (usize, f64),
    /// For an effort above the last of the grid: its energy and that of the last, m²/s².
    beyond: Option<[f64; 2]>,
}

impl GridPosition {
    /// Position of the effort on `key` that has the energy `energy`, m²/s², in the standard regulation.
    fn of(key: KeyNumber, energy: f64) -> Self {
        let number = f64::from(key.number());
        let upper = pressing::HAMMER.partition_point(|row| row.0 < number).clamp(1, ROWS - 1);
        let [from, to] = [upper - 1, upper].map(|row| pressing::HAMMER[row].0);
        let mut position =
            Self { row: (upper, (number - from) / (to - from)), effort: (1, 0.0), beyond: None };
        let last = EFFORTS - 1;
        let standard = |i| position.between_rows(&|r, e| STANDARD[r][e], i);
        let i = (1..last).find(|&i| energy <= standard(i)).unwrap_or(last);
        let [from, to] = [standard(i - 1), standard(i)];
        if energy > standard(last) {
            (position.effort, position.beyond) = ((last, 1.0), Some([energy, to]));
        } else {
            position.effort = (i, (energy - from) / (to - from));
        }
        position
    }

    /// Points of the grid, by row and effort, between which this position lies: two above the last effort,
    /// otherwise four.
    fn points(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (upper, effort) = (self.row.0, self.effort.0);
        let lowest = if self.beyond.is_some() { effort } else { effort - 1 };
        (lowest..=effort).flat_map(move |effort| [(upper - 1, effort), (upper, effort)])
    }

    /// `grid` interpolated between the rows at an effort of the grid.
    fn between_rows(&self, grid: &dyn Fn(usize, usize) -> f64, effort: usize) -> f64 {
        let (upper, share) = self.row;
        let from = grid(upper - 1, effort);
        from + share * (grid(upper, effort) - from)
    }

    /// `grid` interpolated at this position; above the last effort extrapolated in proportion to the energy.
    fn interpolate(&self, grid: &dyn Fn(usize, usize) -> f64) -> f64 {
        let (i, share) = self.effort;
        if let Some([energy, last]) = self.beyond {
            return self.between_rows(grid, i) * energy / last;
        }
        let from = self.between_rows(grid, i - 1);
        from + share * (self.between_rows(grid, i) - from)
    }
}

/// `settings` with the standard values of everything that does not change the motion of the hammer up to
/// the string: the choice of action, differences of single keys, hardness and strike point.
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
