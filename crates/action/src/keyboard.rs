//! The 88 grand actions of a keyboard, with their states as arrays over the keys.
//!
//! A key is *moving*; *idle*, if nothing has moved for a while under a constant drive, so that its steps are
//! skipped; or *asleep*: idle and in its rest pose. These activities depend on the step count alone, so that
//! skipping a step changes no sample. The damper of a sleeping key follows the pedal's tray without dynamics.

mod activity;
mod batch;
pub mod energy_audit;
mod lane_assignment;
pub mod load;
mod rest_detector;
pub mod simple_keys;
pub(crate) mod switchable;
mod waking;

use crate::grand::design::concert::{Built, Design};
use crate::grand::equations::lanes::Lanes;
use crate::grand::key::{pressing, rest};
use crate::grand::{Assembly, GrandState, Phase, STATES, state};
use crate::interface::events::EventList;
use crate::interface::press::Effort;
use crate::interface::slew::Slew;
use crate::{ActionSettings, Drive, KeyEvent, STEP};
use activity::{Activities, Activity};
use energy_audit::EnergyAudit;
use lane_assignment::LaneAssignment;
use rest_detector::RestDetector;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::key_set::KeySet;
use waking::is_held;

/// Largest speed of the damper tray, m/s (chosen: full travel in 20 ms).
const TRAY_SPEED: f64 = 0.55;

/// Action steps over which moving keys are rebuilt with new settings in rotation, 4 ms, to spread the cost. A change
/// of settings is slewed over five times as long.
const TURNS: u64 = 32;

/// Action steps over which idle keys are woken to settle in new settings in rotation, 128 ms: a key that wakes moves
/// for 25 ms and more, and few are to move at once. An idle key that is touched takes the settings up as it moves.
const IDLE_TURNS: u64 = 1024;

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
    /// Keys built before the present settings.
    stale: KeySet,
    /// Keys whose rest pose was found before the present settings.
    rest_stale: KeySet,
    rest_detector: Box<[RestDetector; KEYS]>,
    drives: [Drive; KEYS],
    /// Force that answered the imposed motion of each key's last step, N; NaN without one.
    answers: [f64; KEYS],
    settings: Box<Slew>,
    /// Number of steps begun.
    begun: u64,
    tray: f64,
    tray_target: f64,
    capped_steps: u64,
    lost_states: u64,
    energy: EnergyAudit,
}

/// Collects the events of a step in the order of the keys.
struct EventSink<'a> {
    /// Index of the first event of this step.
    from: usize,
    events: &'a mut EventList,
}

impl EventSink<'_> {
    /// Inserts an event of `key`, `offset` s after the beginning of the step.
    fn insert(&mut self, key: KeyNumber, offset: f64, event: KeyEvent) {
        self.events.insert(self.from, key, offset, event);
    }
}

/// `KEYS` values of `make` on the heap, without a copy on the stack.
pub(crate) fn boxed<T>(make: impl FnMut(KeyNumber) -> T) -> Box<[T; KEYS]> {
    let values: Box<[T]> = KeyNumber::all().map(make).collect();
    values.try_into().unwrap_or_else(|_| unreachable!("Key::all yields KEYS keys"))
}

impl Keyboard {
    /// A keyboard at rest. Allocates; no other method does.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        Self::with_kernel(settings, Kernel::detect())
    }

    /// [`Self::new`] with the instructions of `kernel`, which change no result.
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
            x: vec![[0.0; KEYS]; STATES].try_into().unwrap_or_else(|_| unreachable!("STATES rows")),
            rest,
            phases: [Phase::Return; KEYS],
            activity: Activities::default(),
            stale: KeySet::EMPTY,
            rest_stale: KeySet::EMPTY,
            rest_detector: boxed(|_| RestDetector::default()),
            drives: [Drive::Free; KEYS],
            answers: [f64::NAN; KEYS],
            settings: Box::new(Slew::new(settings)),
            begun: 0,
            tray: rest::TRAY_DOWN,
            tray_target: rest::TRAY_DOWN,
            capped_steps: 0,
            lost_states: 0,
            energy: EnergyAudit::new(),
        };
        keyboard.reset();
        keyboard
    }

    /// Puts every key to rest, asleep, and the settings to their targets.
    pub fn reset(&mut self) {
        if self.settings.finish(self.begun) {
            self.stale = KeySet::ALL;
        }
        // The rotation of rebuilding starts anew, as in a new keyboard.
        self.begun = 0;
        for key in KeyNumber::all() {
            self.energy.forget(key.index());
            self.activity.set(key, Activity::Asleep);
            self.refresh(key);
            self.reset_to_rest(key);
        }
        self.drives = [Drive::Free; KEYS];
        self.tray = rest::TRAY_DOWN;
        self.tray_target = rest::TRAY_DOWN;
    }

    /// Sets new settings: slewed from the next step on, and taken up by the keys in rotation.
    pub fn configure(&mut self, settings: &ActionSettings) {
        self.settings.aim(settings, self.begun);
    }

    /// Sets the settings to their targets at once if every key is asleep. The keys are rebuilt as they wake.
    pub fn settle(&mut self) {
        if self.are_asleep() && self.settings.finish(self.begun) {
            self.stale = KeySet::ALL;
        }
    }

    /// Sets the drive of `key` for the next step; afterwards its end value is held until the next call.
    /// Wakes the key.
    pub fn drive(&mut self, key: KeyNumber, drive: Drive) {
        let i = key.index();
        if self.drives[i] == drive && (self.activity.of(key) != Activity::Moving || is_held(drive))
        {
            return;
        }
        self.drives[i] = drive;
        self.wake(key);
    }

    /// Replaces the state of `key` by that at which its hammer meets the string at `speed` m/s, a pure
    /// function of key, speed and settings. Returns `false` and changes nothing if the regulation makes a
    /// strike impossible.
    pub fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        self.refresh(key);
        let i = key.index();
        let Some(constructed) = self.assemblies[i].strike(speed) else {
            return false;
        };
        self.put_constructed(key, &constructed);
        true
    }

    /// Replaces the state of `key` by that at which the key, rising at `speed` m/s at the front, lets the
    /// damper down on the string.
    pub fn construct_release(&mut self, key: KeyNumber, speed: f64) {
        self.refresh(key);
        let constructed = self.assemblies[key.index()].release(speed);
        self.put_constructed(key, &constructed);
    }

    /// Effort of a pressing hand that gives the hammer the speed `hammer_speed` m/s; `None` if the speed is
    /// above the range of the pressed touch.
    #[must_use]
    pub fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        pressing::force(f64::from(key.number()), hammer_speed).map(Effort::Muscle)
    }

    /// Sets the target of the damper tray by the sustain pedal: 0 (tray down) … 1 (all dampers clear).
    pub fn sustain(&mut self, lift: f64) {
        let up = self.assemblies[0].spec.damper.tray;
        self.tray_target = rest::TRAY_DOWN + lift.clamp(0.0, 1.0) * (up - rest::TRAY_DOWN);
    }

    /// Takes one action step and appends its events to `events`.
    pub fn step(&mut self, events: &mut EventList) {
        self.step_without(KeySet::EMPTY, events);
    }

    /// [`Self::step`] in which the keys `waiting` stay as they are; [`Self::catch_up`] lets them take it later.
    pub fn step_without(&mut self, waiting: KeySet, events: &mut EventList) {
        self.begun += 1;
        if self.settings.is_changing(self.begun) {
            self.stale = KeySet::ALL;
        }
        let from = self.tray;
        let reach = TRAY_SPEED * STEP;
        self.tray += (self.tray_target - self.tray).clamp(-reach, reach);
        let tray = [from, self.tray];
        let idle = self.activity.idle();
        let disturbed = match tray[0] != tray[1] {
            true => idle,
            false => idle.both(self.stale).in_turn(self.begun, IDLE_TURNS),
        };
        disturbed.iter().for_each(|key| self.wake(key));
        let moving = self.activity.moving();
        let turn = moving.both(self.stale).in_turn(self.begun, TURNS);
        turn.iter().for_each(|key| self.refresh(key));
        self.step_keys(moving.without(waiting), tray, events);
    }

    /// The keys `behind` that move take one step more, under the tray as it is; their events are appended to
    /// `events`.
    pub fn catch_up(&mut self, behind: KeySet, events: &mut EventList) {
        let tray = [self.tray; 2];
        self.step_keys(self.activity.moving().both(behind), tray, events);
    }

    /// Takes one step of `keys`, which move.
    fn step_keys(&mut self, keys: KeySet, tray: [f64; 2], events: &mut EventList) {
        let mut sink = EventSink { from: events.len(), events };
        let fast = self.step_packs(keys, tray, &mut sink);
        for key in keys.iter() {
            self.after_step(key, fast.contains(key), tray);
        }
    }

    /// Lift of the damper of `key`, 0 (on the string) … 1 (clear); 1 for a key without damper.
    #[must_use]
    pub fn damper_lift(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        let height = match self.activity.of(key) {
            Activity::Asleep => self.tray,
            Activity::Idle | Activity::Moving => self.x[state::DAMPER][i],
        };
        self.assemblies[i].damper_lift(height)
    }

    /// Whether `key` is asleep in its rest pose.
    #[must_use]
    pub(crate) fn is_asleep(&self, key: KeyNumber) -> bool {
        self.activity.of(key) == Activity::Asleep
    }

    /// Puts `key` to rest, untouched.
    pub fn put_to_rest(&mut self, key: KeyNumber) {
        self.drives[key.index()] = Drive::Free;
        self.refresh(key);
        self.reset_to_rest(key);
    }

    /// Specification of `key` with the present settings.
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

    /// Acceleration of the key front under `drive`, m/s².
    #[must_use]
    pub fn key_acceleration(&self, key: KeyNumber, drive: Drive) -> f64 {
        let i = key.index();
        self.assemblies[i].front_acceleration(&self.key_state(i), drive, self.tray)
    }

    /// Phase and states of `key`; none unless it moves.
    #[must_use]
    pub fn moving(&self, key: KeyNumber) -> Option<GrandState> {
        let i = key.index();
        (self.activity.of(key) == Activity::Moving).then(|| self.key_state(i))
    }

    /// Displacement of the hammer's head ahead of the straight shank, m at the crown, and its rate, m/s;
    /// none unless `key` moves.
    #[must_use]
    pub fn shank(&self, key: KeyNumber) -> Option<[f64; 2]> {
        let i = key.index();
        let hammer = &self.assemblies[i].spec.hammer;
        let ahead = hammer.crown * hammer.bend_share();
        let bend = [state::BEND, state::BEND_SPEED].map(|s| ahead * self.x[s][i]);
        (self.activity.of(key) == Activity::Moving).then_some(bend)
    }

    /// Height of the hammer's crown above the string at rest, m; none unless `key` moves.
    #[must_use]
    pub fn hammer_height(&self, key: KeyNumber) -> Option<f64> {
        let i = key.index();
        let height = self.assemblies[i].spec.hammer.crown * self.x[state::HAMMER][i];
        (self.activity.of(key) == Activity::Moving).then_some(height)
    }

    /// Rise of the hammer's crown above its rest pose, m; 0 for a key asleep.
    #[must_use]
    pub fn hammer_rise(&self, key: KeyNumber) -> f64 {
        let i = key.index();
        if self.is_asleep(key) {
            return 0.0;
        }
        let turned = self.x[state::HAMMER][i] - self.rest[i].x[state::HAMMER];
        self.assemblies[i].spec.hammer.crown * turned
    }

    /// Drive of `key`.
    #[must_use]
    pub const fn drive_of(&self, key: KeyNumber) -> Drive {
        self.drives[key.index()]
    }

    /// Force that answered the imposed motion of `key` in its last step, N; none without one.
    #[must_use]
    pub fn answer(&self, key: KeyNumber) -> Option<f64> {
        Some(self.answers[key.index()]).filter(|force| force.is_finite())
    }

    /// Height of the damper tray, m; at 0 the tray touches dampers that are on their strings.
    #[must_use]
    pub const fn tray(&self) -> f64 {
        self.tray
    }

    /// Phase and integrated states of `key`.
    #[must_use]
    pub fn state(&self, key: KeyNumber) -> GrandState {
        self.key_state(key.index())
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

    /// Whether every key is asleep in its rest pose.
    #[must_use]
    pub const fn are_asleep(&self) -> bool {
        self.activity.are_all_asleep()
    }

    /// Number of key steps since creation that reached the bound on transitions.
    #[must_use]
    pub const fn capped_steps(&self) -> u64 {
        self.capped_steps
    }

    /// Number of times since creation that a non-finite state of a key was replaced by rest.
    #[must_use]
    pub const fn lost_states(&self) -> u64 {
        self.lost_states
    }

    /// Number of motions of a key since creation, from waking to rest, whose energy balance did not close.
    #[must_use]
    pub const fn unbalanced(&self) -> u64 {
        self.energy.unbalanced()
    }

    /// Stored and dissipated energy of key `i` less the work of its drive, J, and this work, J.
    fn balance(&self, i: usize) -> [f64; 2] {
        let state = self.key_state(i);
        let work = state.x[state::WORK];
        let stored = self.assemblies[i].energy(&state, self.tray);
        [stored + state.x[state::DISSIPATED] - work, work]
    }

    fn key_state(&self, i: usize) -> GrandState {
        GrandState { phase: self.phases[i], x: std::array::from_fn(|s| self.x[s][i]) }
    }

    fn put(&mut self, i: usize, running: &GrandState) {
        for s in 0..STATES {
            self.x[s][i] = running.x[s];
        }
        self.phases[i] = running.phase;
    }
}
