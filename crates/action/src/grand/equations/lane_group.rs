//! One step of several keys: in lanes, but for events of a key alone or of a rigid knuckle.

use crate::KeyEvent;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::lanes::{self, Lanes, Pack, States};
use crate::grand::equations::step::{self, KeyStep};
use crate::grand::{Assembly, GrandState, Phase, STATES};
use touchback_core::math::real::MOST_LANES;

/// Phases and states of the keys of one pack, by lane.
#[derive(Clone, Copy, Debug)]
pub struct PackState {
    phases: [Phase; MOST_LANES],
    x: States,
}

impl PackState {
    /// A pack of keys whose states are all zero.
    #[must_use]
    pub const fn new() -> Self {
        Self { phases: [Phase::Return; MOST_LANES], x: [[0.0; MOST_LANES]; STATES] }
    }

    /// Phase and states of the key in `lane`.
    #[inline]
    #[must_use]
    pub fn of(&self, lane: usize) -> GrandState {
        GrandState { phase: self.phases[lane], x: std::array::from_fn(|s| self.x[s][lane]) }
    }

    /// Sets phase and states of the key in `lane`.
    #[inline]
    pub fn put(&mut self, lane: usize, key: &GrandState) {
        self.phases[lane] = key.phase;
        for (lanes, x) in self.x.iter_mut().zip(key.x) {
            lanes[lane] = x;
        }
    }
}

/// Keys of one pack and their drives, by lane; the values of inactive lanes are ignored.
pub struct Group<'a> {
    /// Index of the pack in the [`Lanes`], which must hold the constants of these keys if
    /// [`Lanes::is_faster_for`] is true for `active`.
    pub which: usize,
    /// The keys.
    pub keys: [&'a Assembly; MOST_LANES],
    /// Bit set of the lanes to step, lane 0 in bit 0; all of one causality.
    pub active: u8,
    /// Causality of the drives of the active keys.
    pub causality: Causality,
    /// Drive of each key at both ends of the step.
    pub inputs: [[DriveNow; MOST_LANES]; 2],
}

/// Result of [`step`](fn@step).
#[derive(Clone, Copy, Debug, Default)]
pub struct StepResult {
    /// Keys that move faster than the limit `slow`, lane 0 in bit 0.
    pub moving: u8,
    /// Number of keys that reached the bound on transitions in one step.
    pub capped: u64,
    /// Most substeps that a key has taken.
    pub substeps: u32,
}

/// The bit set `set` with `lane`.
const fn with(set: u8, lane: usize) -> u8 {
    set | 1 << lane
}

/// The lanes of the bit set `set`.
pub(crate) fn lanes_of(set: u8) -> impl Iterator<Item = usize> {
    (0..MOST_LANES).filter(move |lane| set & (1 << lane) != 0)
}

/// Takes one step of the keys of `group`. `listener` receives each event with its lane and its time since
/// the beginning of the step, s. `slow` is the speed limit of [`StepResult::moving`], rad/s (m/s for the
/// damper).
pub fn step(
    lanes: &mut Lanes,
    group: &Group,
    state: &mut PackState,
    slow: f64,
    listener: &mut impl FnMut(usize, f64, KeyEvent),
) -> StepResult {
    let mut result = StepResult::default();
    let mut progress = [step::STEPPER.begin(); MOST_LANES];
    let mut unfinished = group.active;
    // The flank of a rigid knuckle has no equations over lanes.
    let is_rigid_flank = |lane: usize, phase| {
        matches!(phase, Phase::Flank | Phase::Wedge) && group.keys[lane].grand.numbers.is_rigid()
    };
    let mut alone = 0u8;
    for lane in lanes_of(unfinished) {
        if is_rigid_flank(lane, state.phases[lane]) {
            alone |= 1 << lane;
        }
        if group.causality == Causality::Motion {
            let mut key = state.of(lane);
            step::impose(&group.keys[lane].grand, &mut key, &group.inputs[0][lane]);
            state.put(lane, &key);
        }
    }
    while unfinished != 0 {
        let active = unfinished & !alone;
        let in_lanes = lanes.is_faster_for(active);
        // Keys whose next substep, with its event, has been taken in lanes.
        let mut taken = lanes::Events::default();
        if in_lanes {
            let (phases, inputs) = (&state.phases, &group.inputs);
            let (which, causality) = (group.which, group.causality);
            let pack = Pack { which, active, causality, phases, inputs, progress: &progress };
            let advanced = lanes.advance(&pack, &mut state.x, slow);
            result.moving |= advanced.moving;
            unfinished &= !advanced.done;
            for lane in lanes_of(active) {
                progress[lane].outcome.substeps += advanced.substeps[lane];
            }
            for lane in lanes_of(unfinished & active) {
                let progress = &mut progress[lane];
                if advanced.times[lane] > progress.done {
                    (progress.done, progress.passed) = (advanced.times[lane], None);
                }
            }
            let may_take = |lane: &usize| step::STEPPER.may_take(&progress[*lane]);
            let active = lanes_of(unfinished & active).filter(may_take).fold(0, with);
            if lanes.is_faster_for(active) {
                let pack = Pack { which, active, causality, phases, inputs, progress: &progress };
                taken = lanes.substep(&pack, &mut state.x);
            }
        }
        for lane in lanes_of(unfinished) {
            let mut key = state.of(lane);
            let inputs = group.inputs.map(|end| end[lane]);
            let mut step = KeyStep { inputs, progress: progress[lane] };
            let grand = &group.keys[lane].grand;
            let on_event = &mut |offset: f64, event: KeyEvent| listener(lane, offset, event);
            let is_taken = taken.taken & (1 << lane) != 0;
            if is_taken {
                step.progress.outcome.substeps += 1;
                step.take(grand, &mut key, taken.times[lane], taken.events[lane], on_event);
            } else {
                step.substep(grand, &mut key, on_event);
            }
            let is_lost = key.x.iter().any(|v| !v.is_finite());
            let is_alone = alone & (1 << lane) != 0 || is_rigid_flank(lane, key.phase);
            if !in_lanes || is_alone || is_lost {
                step.finish(grand, &mut key, on_event);
            }
            state.put(lane, &key);
            progress[lane] = step.progress;
            if step.is_complete() {
                unfinished &= !(1 << lane);
                result.capped += u64::from(step.progress.outcome.capped);
                if group.keys[lane].fastest(&key.x) > slow {
                    result.moving |= 1 << lane;
                }
            }
        }
    }
    let substeps = lanes_of(group.active).map(|lane| progress[lane].outcome.substeps);
    result.substeps = substeps.max().unwrap_or(0);
    result
}
