//! The 88 actions: state kept as arrays over the keys, asleep until something moves them.
//!
//! A key is *moving*; *still*, when under an unchanging drive nothing has moved for a while and
//! steps are skipped; or *asleep*, still and back in its rest pose. All three follow from the
//! step count alone, so a skipped step changes no sample. A sleeping key's damper follows the
//! pedal's tray without dynamics of its own.

mod activity;
mod batch;
mod lane_assignment;
pub mod load;
mod rest_detector;
pub mod simple_keys;
pub mod switchable;

use crate::grand::design::concert::{Built, Design};
use crate::grand::equations::lanes::Lanes;
use crate::grand::key::{pressing, rest};
use crate::grand::{Assembly, GrandState, Phase, STATES, state};
use crate::interface::events::EventList;
use crate::interface::press::Effort;
use crate::interface::slew::Slew;
use crate::{ActionSettings, Drive, KeyEvent, STEP};
use activity::{Activities, Activity};
use lane_assignment::LaneAssignment;
use rest_detector::{RestDetector, Verdict};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::key_set::KeySet;

/// Largest speed of the damper tray, m/s: pedal full down in 20 ms, chosen.
const TRAY_SPEED: f64 = 0.55;

/// Action steps in which moving and still keys take up a new regulation, each in its turn: 4 ms, over
/// which the cost is spread; a change takes five times as long.
const TURNS: u64 = 32;

/// All keys of one piano.
pub struct Keyboard {
    designs: Box<[Design; KEYS]>,
    assemblies: Box<[Assembly; KEYS]>,
    lanes: Lanes,
    lane_assignment: LaneAssignment,
    x: Box<[[f64; KEYS]; STATES]>,
    rest: Box<[GrandState; KEYS]>,
    phases: [Phase; KEYS],
    activity: Activities,
    /// Keys that were built before the present settings came.
    stale: KeySet,
    /// Keys whose rest pose was.
    rest_stale: KeySet,
    rest_detector: Box<[RestDetector; KEYS]>,
    drives: [Drive; KEYS],
    settings: Slew,
    /// Steps that have begun.
    begun: u64,
    tray: f64,
    tray_target: f64,
    capped_steps: u64,
    lost_states: u64,
}

/// Hears what happens in a step, and keeps it in order of the keys.
struct EventSink<'a> {
    /// Events that are older.
    from: usize,
    events: &'a mut EventList,
}

impl EventSink<'_> {
    /// Hears of one key.
    fn of(&mut self, key: KeyNumber, offset: f64, event: KeyEvent) {
        self.events.insert(self.from, key, offset, event);
    }
}

/// `KEYS` values of `make` on the heap, without a copy on the stack.
fn boxed<T>(make: impl FnMut(KeyNumber) -> T) -> Box<[T; KEYS]> {
    let values: Box<[T]> = KeyNumber::all().map(make).collect();
    values.try_into().unwrap_or_else(|_| unreachable!("Key::all yields KEYS keys"))
}

impl Keyboard {
    /// A keyboard at rest. Allocates; everything else here does not.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        Self::with_kernel(settings, Kernel::detect())
    }

    /// The same with the instructions `kernel` ([`Kernel::Plain`] where the machine lacks them);
    /// they make no difference to any result.
    #[must_use]
    pub fn with_kernel(settings: &ActionSettings, kernel: Kernel) -> Self {
        let designs = boxed(Design::new);
        let assemblies = boxed(|k| Assembly::new(designs[k.index()].build(settings)));
        let rest = boxed(|k| assemblies[k.index()].rest());
        let mut keyboard = Self {
            lanes: Lanes::new(kernel, KEYS, &assemblies[0]),
            lane_assignment: LaneAssignment::new(kernel.lanes()),
            assemblies,
            designs,
            x: Box::new([[0.0; KEYS]; STATES]),
            rest,
            phases: [Phase::Return; KEYS],
            activity: Activities::default(),
            stale: KeySet::EMPTY,
            rest_stale: KeySet::EMPTY,
            rest_detector: Box::new([RestDetector::default(); KEYS]),
            drives: [Drive::Free; KEYS],
            settings: Slew::new(settings),
            begun: 0,
            tray: rest::TRAY_DOWN,
            tray_target: rest::TRAY_DOWN,
            capped_steps: 0,
            lost_states: 0,
        };
        keyboard.reset();
        keyboard
    }

    /// Every key back to rest, asleep, settings where they were going.
    pub fn reset(&mut self) {
        if self.settings.finish(self.begun) {
            self.stale = KeySet::ALL;
        }
        // Turns count from here, as in a new keyboard.
        self.begun = 0;
        for key in KeyNumber::all() {
            self.activity.set(key, Activity::Asleep);
            self.refresh(key);
            self.reset_to_rest(key);
        }
        self.drives = [Drive::Free; KEYS];
        self.tray = rest::TRAY_DOWN;
        self.tray_target = rest::TRAY_DOWN;
    }

    /// New settings: taken up from the next step on, slewed, key by key in turn.
    pub fn configure(&mut self, settings: &ActionSettings) {
        self.settings.aim(settings, self.begun);
    }

    /// What drives `key` during the next step; afterwards the drive's end value is held until the
    /// next call. Wakes the key.
    pub fn drive(&mut self, key: KeyNumber, drive: Drive) {
        let i = key.index();
        if self.drives[i] == drive && (self.activity.of(key) != Activity::Moving || is_held(drive))
        {
            return;
        }
        self.drives[i] = drive;
        self.wake(key);
    }

    /// Replaces the state of `key` by the moment at which its hammer meets the string at `speed`
    /// m/s (a pure function of key, speed and settings). `false`, and nothing happens, where the
    /// regulation makes a strike impossible.
    pub fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        self.refresh(key);
        let i = key.index();
        let Some(made) = self.assemblies[i].strike(speed) else {
            return false;
        };
        self.place(key, &made);
        true
    }

    /// Replaces the state of `key` by the moment at which its rising key, moving at `speed` m/s at
    /// the front, lets the damper down on the string.
    pub fn construct_release(&mut self, key: KeyNumber, speed: f64) {
        self.refresh(key);
        let made = self.assemblies[key.index()].release(speed);
        self.place(key, &made);
    }

    /// What a pressing hand does that sends the hammer at `hammer_speed` m/s, or `None` if that is
    /// beyond what this touch can reach.
    #[must_use]
    pub fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        pressing::force(f64::from(key.number()), hammer_speed).map(Effort::Muscle)
    }

    /// Height of the damper tray by the sustain pedal, 0 (down) … 1 (all dampers clear).
    pub fn sustain(&mut self, lift: f64) {
        let up = self.assemblies[0].spec.damper.tray;
        self.tray_target = rest::TRAY_DOWN + lift.clamp(0.0, 1.0) * (up - rest::TRAY_DOWN);
    }

    /// One action step: appends what happened to `events`.
    pub fn step(&mut self, events: &mut EventList) {
        self.begun += 1;
        if self.settings.moves(self.begun) {
            self.stale = KeySet::ALL;
        }
        let from = self.tray;
        let reach = TRAY_SPEED * STEP;
        self.tray += (self.tray_target - self.tray).clamp(-reach, reach);
        let tray = [from, self.tray];
        let still = self.activity.idle();
        let disturbed = match tray[0] != tray[1] {
            true => still,
            false => still.both(self.stale).in_turn(self.begun, TURNS),
        };
        disturbed.iter().for_each(|key| self.wake(key));
        let moving = self.activity.moving();
        let turn = moving.both(self.stale).in_turn(self.begun, TURNS);
        turn.iter().for_each(|key| self.refresh(key));
        let mut heard = EventSink { from: events.len(), events };
        let fast = self.step_packs(moving, tray, &mut heard);
        for key in moving.iter() {
            self.after_step(key, fast.contains(key), tray);
        }
    }

    /// How far the damper of `key` is off the string, 0 (resting) … 1 (clear); keys without a
    /// damper always 1.
    #[must_use]
    pub fn damper_lift(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        let height = match self.activity.of(key) {
            Activity::Asleep => self.tray,
            Activity::Idle | Activity::Moving => self.x[state::DAMPER][i],
        };
        self.assemblies[i].damper_lift(height)
    }

    /// Whether `key` sleeps in its rest pose.
    #[must_use]
    pub fn is_asleep(&self, key: KeyNumber) -> bool {
        self.activity.of(key) == Activity::Asleep
    }

    /// Puts `key` to rest at once, nothing touching it.
    pub fn put_to_rest(&mut self, key: KeyNumber) {
        self.drives[key.index()] = Drive::Free;
        self.refresh(key);
        self.reset_to_rest(key);
    }

    /// The numbers of `key` with the present settings.
    pub fn built(&mut self, key: KeyNumber) -> Built {
        self.refresh(key);
        let Assembly { spec, regulated, .. } = self.assemblies[key.index()];
        Built { spec, regulated }
    }

    /// Key-front depth, m, positive down.
    #[must_use]
    pub fn key_depth(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        self.assemblies[i].spec.key.depth(self.x[state::KEY][i])
    }

    /// Downward speed of the key front, m/s.
    #[must_use]
    pub fn key_speed(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        self.assemblies[i].spec.key.front * self.x[state::KEY_SPEED][i]
    }

    /// Submodel and state of `key` while it moves.
    #[must_use]
    pub fn moving(&self, key: KeyNumber) -> Option<GrandState> {
        let i = key.index();
        (self.activity.of(key) == Activity::Moving).then(|| self.running(i))
    }

    /// How far the head of the hammer of `key` is ahead of its straight shank, m at the crown, and how
    /// fast it goes farther, m/s, while the key moves.
    #[must_use]
    pub fn shank(&self, key: KeyNumber) -> Option<[f64; 2]> {
        let i = key.index();
        let hammer = &self.assemblies[i].spec.hammer;
        let ahead = hammer.crown * hammer.bend_share();
        let bend = [state::BEND, state::BEND_SPEED].map(|s| ahead * self.x[s][i]);
        (self.activity.of(key) == Activity::Moving).then_some(bend)
    }

    /// Height of the hammer's crown of `key` above the string at rest, m, while the key moves.
    #[must_use]
    pub fn hammer_height(&self, key: KeyNumber) -> Option<f64> {
        let i = key.index();
        let height = self.assemblies[i].spec.hammer.crown * self.x[state::HAMMER][i];
        (self.activity.of(key) == Activity::Moving).then_some(height)
    }

    /// What drives `key`.
    #[must_use]
    pub const fn drive_of(&self, key: KeyNumber) -> Drive {
        self.drives[key.index()]
    }

    /// Height of the damper tray, m; at 0 it meets dampers that rest on their strings.
    #[must_use]
    pub const fn tray(&self) -> f64 {
        self.tray
    }

    /// Submodel and integrated states of `key`.
    #[must_use]
    pub fn state(&self, key: KeyNumber) -> GrandState {
        self.running(key.index())
    }

    /// The keys that move.
    #[must_use]
    pub const fn awake_keys(&self) -> KeySet {
        self.activity.moving()
    }

    /// Number of keys that move.
    #[must_use]
    pub const fn awake(&self) -> usize {
        self.awake_keys().len()
    }

    /// Steps in which a key changed its submodel more often than is followed, since creation.
    #[must_use]
    pub const fn capped_steps(&self) -> u64 {
        self.capped_steps
    }

    /// Keys whose state became non-finite and was replaced by rest, since creation.
    #[must_use]
    pub const fn lost_states(&self) -> u64 {
        self.lost_states
    }

    fn running(&self, i: usize) -> GrandState {
        GrandState { phase: self.phases[i], x: std::array::from_fn(|s| self.x[s][i]) }
    }

    fn put(&mut self, i: usize, running: &GrandState) {
        for s in 0..STATES {
            self.x[s][i] = running.x[s];
        }
        self.phases[i] = running.phase;
    }

    fn after_step(&mut self, key: KeyNumber, moves: bool, tray: [f64; 2]) {
        let i = key.index();
        if self.x.iter().any(|state| !state[i].is_finite()) {
            // Nothing a player or a setting does should lead here; if it does, the key lets go.
            self.lost_states += 1;
            self.drives[i] = Drive::Free;
            self.reset_to_rest(key);
            return;
        }
        self.count_quiet(key, moves, tray);
    }

    /// After a step: the drive holds its end; a key that has long not moved is still or asleep.
    fn count_quiet(&mut self, key: KeyNumber, moves: bool, tray: [f64; 2]) {
        let i = key.index();
        let drive = self.drives[i];
        self.drives[i] = drive.held();
        // A screw that has still to be turned may move it again.
        if !is_held(drive) || tray[0] != tray[1] || self.stale.contains(key) {
            self.rest_detector[i] = RestDetector::default();
            return;
        }
        let x = &self.x;
        match self.rest_detector[i].after_step(moves, |s| x[s][i]) {
            Verdict::Moves => {}
            Verdict::Rests if drive == Drive::Free => self.reset_to_rest(key),
            Verdict::Rests | Verdict::Creeping => self.activity.set(key, Activity::Idle),
        }
    }

    fn wake(&mut self, key: KeyNumber) {
        let i = key.index();
        if self.activity.of(key) == Activity::Asleep {
            self.refresh(key);
            self.set_damper_by_tray(key);
        }
        self.activity.set(key, Activity::Moving);
        self.rest_detector[i] = RestDetector::default();
    }

    fn place(&mut self, key: KeyNumber, made: &GrandState) {
        let i = key.index();
        self.put(i, made);
        self.activity.set(key, Activity::Moving);
        self.rest_detector[i] = RestDetector::default();
        if self.x[state::DAMPER][i] < self.tray {
            self.set_damper_by_tray(key);
        }
    }

    /// A raised tray carries the damper.
    fn set_damper_by_tray(&mut self, key: KeyNumber) {
        let i = key.index();
        let d = &self.assemblies[i].spec.damper;
        let carried = self.tray - d.lift_felt.compression(d.weight);
        if carried > self.x[state::DAMPER][i] {
            self.x[state::DAMPER][i] = carried;
            self.x[state::DAMPER_SPEED][i] = 0.0;
        }
    }

    fn reset_to_rest(&mut self, key: KeyNumber) {
        let i = key.index();
        if self.rest_stale.remove(key) {
            self.rest[i] = self.assemblies[i].rest();
        }
        let rest = self.rest[i];
        self.put(i, &rest);
        self.activity.set(key, Activity::Asleep);
        self.rest_detector[i] = RestDetector::default();
    }

    /// Takes up settings that changed since this key was last built.
    fn refresh(&mut self, key: KeyNumber) {
        if self.stale.remove(key) {
            self.rebuild(key);
        }
    }

    fn rebuild(&mut self, key: KeyNumber) {
        let i = key.index();
        self.assemblies[i] = Assembly::new(self.designs[i].build(&self.settings.at(self.begun)));
        self.lane_assignment.renew(key);
        self.rest_stale.insert(key);
        if self.activity.of(key) == Activity::Asleep {
            self.reset_to_rest(key);
        }
    }
}

fn is_held(drive: Drive) -> bool {
    drive.held() == drive
}
