//! What is felt: one key of an action behind the junction.
//!
//! The junction pushes with f − Z·v ([`Drive::Wave`]), where f = √(2Z)·u is held for a step and v is
//! the key's own speed at every moment inside it. As ∫v² dt ≥ v̄²·T, the key gets no more work than
//! the waves bring. How light a key may be for that is `LIGHTEST`.

use crate::action::catalogue::Model;
use crate::action::grand::concert::Design;
use crate::action::grand::{self, Grand, Phase, Spec, key, rest, state};
use crate::action::mechanism::{Felt, Saved};
use crate::action::{ActionKind, ActionSettings, Drive, KeyEvent, Readout, STEP};
use crate::episode::State;
use crate::haptics::lever::BenchLoad;
use crate::haptics::walls::{self, Walled};
use crate::math::compass::KeyNumber;
use touchback_device::message::IMPEDANCE;

/// Least mass left to the grand's key, kg; the wippen with jack and lever comes with it.
const FLOOR: f64 = 5e-3;

/// Least mass left to any key at its front, kg. Under the largest impedance that a keyboard can name
/// Z·h/m is then 1.8: a Runge–Kutta step of the fourth order is stable to 2.78, and until there a
/// speed dies away without changing its sign.
const LIGHTEST: f64 = 9e-3;
const _: () = assert!(255.0 * IMPEDANCE * STEP / LIGHTEST < 2.0);

/// Actions that can be felt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// One of those that can be played.
    Played(ActionKind),
    /// The load of the acceptance measurements: a lever and a hammer on a spring.
    Bench,
    /// A stiff wall at half depth.
    Wall,
    /// The same wall, sampled.
    Walled(walls::WallKind),
}

impl Default for Action {
    fn default() -> Self {
        Self::GRAND
    }
}

impl Action {
    /// The grand action.
    pub const GRAND: Self = Self::Played(ActionKind::Grand);

    /// All of them: those that notes can play, the load and the wall, its controllers.
    pub const ALL: [Self; ActionKind::COUNT + 2 + walls::WallKind::ALL.len()] = {
        let mut all = [Self::Bench; ActionKind::COUNT + 2 + walls::WallKind::ALL.len()];
        let mut i = 0;
        while i < ActionKind::COUNT {
            all[i] = Self::Played(ActionKind::ALL[i]);
            i += 1;
        }
        all[i + 1] = Self::Wall;
        let mut wall = 0;
        while wall < walls::WallKind::ALL.len() {
            all[i + 2 + wall] = Self::Walled(walls::WallKind::ALL[wall]);
            wall += 1;
        }
        all
    };

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played(kind) => kind.name(),
            Self::Bench => "bench-load",
            Self::Wall => "wall",
            Self::Walled(kind) => kind.name(),
        }
    }

    /// A wall is what is to be felt: the keyboard renders no bed before it.
    #[must_use]
    pub const fn is_wall(self) -> bool {
        matches!(self, Self::Wall | Self::Walled(_))
    }

    /// The action of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }
}

/// What the device's own key brings along and the simulated one is relieved of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DynamicsCompensation {
    /// Moving mass and the mass of the line, kg.
    pub mass: f64,
    /// Force that holds the key up, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// It has a key bed of its own.
    pub has_bed: bool,
}

/// One key's action, its junction end included.
#[derive(Clone)]
pub struct Mechanism {
    load: Load,
}

enum Load {
    Grand { spec: Box<Spec>, grand: Box<Grand>, running: State<Phase, { grand::STATES }> },
    Small(Box<dyn Felt>),
    Lever(BenchLoad),
}

/// The damper tray stays down: the pedal is the piano's affair.
const TRAY: [f64; 2] = [rest::TRAY_DOWN; 2];

impl Clone for Load {
    fn clone(&self) -> Self {
        match self {
            Self::Grand { spec, grand, running } => {
                Self::Grand { spec: spec.clone(), grand: grand.clone(), running: *running }
            }
            Self::Small(felt) => Self::Small(felt.duplicate()),
            Self::Lever(lever) => Self::Lever(*lever),
        }
    }
}

impl std::fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mechanism").field("saved", &self.save()).finish_non_exhaustive()
    }
}

impl Mechanism {
    /// `key` of `action` at rest, relieved of `deduct`; and what could not be deducted. Allocates.
    #[must_use]
    pub fn new(
        action: Action,
        key: KeyNumber,
        settings: &ActionSettings,
        deduct: &DynamicsCompensation,
    ) -> (Self, DynamicsCompensation) {
        let load = match action {
            Action::Played(ActionKind::Grand) => {
                let built = Design::new(key).build(settings);
                let running = State { phase: Phase::Return, x: [0.0; grand::STATES] };
                let grand = Box::new(Grand::new(&built.spec));
                Load::Grand { spec: Box::new(built.spec), grand, running }
            }
            Action::Bench => Load::Lever(BenchLoad::BENCH),
            Action::Wall => Load::Lever(BenchLoad::WALL),
            Action::Walled(kind) => Load::Small(Box::new(Walled::new(kind))),
            Action::Played(smaller) => match Model::of(smaller, key, settings).felt() {
                Some(felt) => Load::Small(felt),
                None => unreachable!("every other action is a lever of the catalogue"),
            },
        };
        let mut mechanism = Self { load };
        let left = mechanism.configure(key, settings, deduct);
        mechanism.lay_to_rest(key, settings, deduct);
        (mechanism, left)
    }

    /// New settings and deductions from here on: the state stays. What could not be deducted.
    pub fn configure(
        &mut self,
        key: KeyNumber,
        settings: &ActionSettings,
        deduct: &DynamicsCompensation,
    ) -> DynamicsCompensation {
        match &mut self.load {
            Load::Grand { spec, grand, .. } => {
                let (relieved, _, left) = relieved(key, settings, deduct);
                **spec = relieved;
                **grand = Grand::new(spec);
                left
            }
            Load::Small(felt) => {
                let taken = felt.relieve(deduct.mass, LIGHTEST);
                DynamicsCompensation { mass: deduct.mass - taken, ..*deduct }
            }
            Load::Lever(lever) => {
                let own = if lever.head > 0.0 { BenchLoad::BENCH } else { BenchLoad::WALL };
                lever.mass = (own.mass - deduct.mass).max(FLOOR);
                // A wall is what is to be felt, not a bed.
                let is_bare = deduct.has_bed && lever.head > 0.0;
                lever.bed.stiffness =
                    if is_bare { 0.0 } else { own.bed.stiffness * settings.key_bed_stiffness };
                DynamicsCompensation { mass: deduct.mass - (own.mass - lever.mass), ..*deduct }
            }
        }
    }

    /// Back to the pose that nothing disturbs.
    pub fn lay_to_rest(
        &mut self,
        key: KeyNumber,
        settings: &ActionSettings,
        deduct: &DynamicsCompensation,
    ) {
        match &mut self.load {
            Load::Grand { running, .. } => {
                *running = State { phase: Phase::Return, x: rest_pose(key, settings, deduct) };
            }
            Load::Small(felt) => felt.reset(),
            Load::Lever(lever) => lever.lay_to_rest(),
        }
    }

    /// One action step under `drive`; how far the key front moved, m. `hear` is told of events
    /// and their offset, s.
    pub fn step(&mut self, drive: Drive, mut hear: impl FnMut(f64, KeyEvent)) -> f64 {
        let (from, _) = self.place();
        match &mut self.load {
            Load::Grand { grand, running, .. } => {
                key::advance(grand, running, drive, TRAY, &mut hear);
            }
            Load::Small(felt) => felt.step(drive, &mut hear),
            Load::Lever(lever) => lever.step(drive, &mut hear),
        }
        self.place().0 - from
    }

    /// Depth of the key front, m, and its speed, m/s.
    #[must_use]
    pub fn place(&self) -> (f64, f64) {
        match &self.load {
            Load::Grand { spec, running, .. } => {
                let key = &spec.key;
                let turned = running.x[state::KEY] - key.rest_angle;
                (key.front * turned, key.front * running.x[state::KEY_SPEED])
            }
            Load::Small(felt) => felt.key().into(),
            Load::Lever(lever) => (lever.x, lever.v),
        }
    }

    /// How it stands under `drive`; what it does not have is not a number.
    #[must_use]
    pub fn view(&self, drive: Drive) -> Readout {
        match &self.load {
            Load::Grand { grand, running, .. } => key::show(grand, running, drive, TRAY),
            Load::Small(felt) => felt.view(drive),
            Load::Lever(lever) => lever.view(drive),
        }
    }

    /// Kinetic and stored energy and what was dissipated, J, where the action tells.
    #[must_use]
    pub fn energy(&self) -> Option<f64> {
        match &self.load {
            Load::Lever(lever) => Some(lever.energy() + lever.dissipated),
            Load::Grand { running, .. } => Some(running.x[state::WORK]),
            Load::Small(felt) => Some(felt.work()),
        }
    }

    /// Whether a damper lies on the string, 0, or is clear of it, 1; always 1 where there is none.
    #[must_use]
    pub fn damper_lift(&self) -> f64 {
        match &self.load {
            Load::Grand { spec, running, .. } if spec.damper.present => {
                (running.x[state::DAMPER] / spec.damper.clear).clamp(0.0, 1.0)
            }
            _ => 1.0,
        }
    }

    /// No part of it moves, but for what an encoder's steps cause at the end of a line.
    #[must_use]
    pub fn is_still(&self) -> bool {
        const STILL: f64 = 0.1;
        match &self.load {
            Load::Grand { running, .. } => {
                use state::{DAMPER_SPEED, HAMMER_SPEED, KEY_SPEED, LEVER_SPEED};
                [KEY_SPEED, HAMMER_SPEED, LEVER_SPEED, DAMPER_SPEED]
                    .iter()
                    .all(|s| running.x[*s].abs() < STILL)
            }
            Load::Small(felt) => felt.fastest() < STILL,
            Load::Lever(lever) => lever.v.abs() < STILL && lever.hammer_v.abs() < STILL,
        }
    }

    /// Its state is numbers.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.save().x.iter().all(|v| v.is_finite())
    }

    /// What changes while it runs.
    #[must_use]
    pub fn save(&self) -> Saved {
        match &self.load {
            Load::Grand { running, .. } => Saved { phase: number(running.phase), x: running.x },
            Load::Small(felt) => felt.save(),
            Load::Lever(lever) => lever.save(),
        }
    }

    /// Takes up a saved state of the same action.
    pub fn adopt(&mut self, saved: &Saved) {
        match &mut self.load {
            Load::Grand { running, .. } => {
                (running.phase, running.x) = (phase(saved.phase), saved.x);
            }
            Load::Small(felt) => felt.adopt(saved),
            Load::Lever(lever) => lever.adopt(saved),
        }
    }
}

/// The pose in which the grand's relieved key rests.
fn rest_pose(
    key: KeyNumber,
    settings: &ActionSettings,
    deduct: &DynamicsCompensation,
) -> [f64; grand::STATES] {
    let (spec, near, _) = relieved(key, settings, deduct);
    rest::pose(&spec, &near).x
}

/// The grand's key relieved of `deduct`, where it rests about, and what could not be deducted.
fn relieved(
    key: KeyNumber,
    settings: &ActionSettings,
    deduct: &DynamicsCompensation,
) -> (Spec, [f64; 3], DynamicsCompensation) {
    let built = Design::new(key).build(settings);
    let mut spec = built.spec;
    let front = spec.key.front;
    let inertia = (spec.key.inertia - deduct.mass * front * front).max(FLOOR * front * front);
    let mut left = *deduct;
    left.mass -= (spec.key.inertia - inertia) / (front * front);
    spec.key.inertia = inertia;
    let friction = (spec.key.friction - deduct.friction * front).max(0.0);
    left.friction -= (spec.key.friction - friction) / front;
    spec.key.friction = friction;
    // The rest felt must still be pressed a little, or the key would hang.
    let up = built.regulated.upward_force - spec.key.lead_torque / front;
    let weight = deduct.weight.clamp(up.min(0.0) - 2.0, (up - 0.05).max(0.0));
    left.weight -= weight;
    spec.key.lead_torque += weight * front;
    spec.key.rest_compression = spec.key.rest_felt.compression(up - weight);
    if deduct.has_bed {
        left.has_bed = false;
        // What is left holds the parts together should the device's bed be deeper.
        spec.key.bed_felt = spec.key.bed_felt.stiffened(0.02);
    }
    (spec, built.regulated.rest, left)
}

const PHASES: [Phase; 5] =
    [Phase::Acceleration, Phase::LetOff, Phase::Catch, Phase::Return, Phase::Flank];

fn number(phase: Phase) -> u8 {
    (0u8..).zip(PHASES).find(|(_, p)| *p == phase).map_or(3, |(i, _)| i)
}

fn phase(number: u8) -> Phase {
    PHASES.get(usize::from(number)).copied().unwrap_or(Phase::Return)
}

#[cfg(test)]
mod tests;
