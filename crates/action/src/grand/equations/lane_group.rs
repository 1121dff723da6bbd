//! One step of several keys: in lanes as long as nothing happens to two of them, the parts of the step
//! in which something does alone.

use crate::KeyEvent;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::lanes::{Lanes, Pack, States};
use crate::grand::equations::step::{self, KeyStep};
use crate::grand::{Assembly, GrandState, Phase, STATES};
use touchback_core::math::real::MOST_LANES;

/// Submodels and states of the keys of one pack, by lane.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    phases: [Phase; MOST_LANES],
    x: States,
}

impl Running {
    /// Room for the keys of a pack.
    #[must_use]
    pub const fn new() -> Self {
        Self { phases: [Phase::Return; MOST_LANES], x: [[0.0; MOST_LANES]; STATES] }
    }

    /// The key in `lane`.
    #[inline]
    #[must_use]
    pub fn of(&self, lane: usize) -> GrandState {
        GrandState { phase: self.phases[lane], x: std::array::from_fn(|s| self.x[s][lane]) }
    }

    /// The key in `lane` is in this submodel and state.
    #[inline]
    pub fn put(&mut self, lane: usize, running: &GrandState) {
        self.phases[lane] = running.phase;
        for (lanes, x) in self.x.iter_mut().zip(running.x) {
            lanes[lane] = x;
        }
    }
}

/// Keys of one pack and what drives them, by lane; what lanes have that are not active means nothing.
pub struct Group<'a> {
    /// Which pack of the [`Lanes`]: they hold the numbers of these keys if the step is
    /// [worth](Lanes::are_worth) taking in them.
    pub which: usize,
    /// The keys.
    pub keys: [&'a Assembly; MOST_LANES],
    /// Keys to step, lane 0 lowest; all of one causality.
    pub active: u8,
    /// What is given of them.
    pub causality: Causality,
    /// What drives each, at both ends of the step.
    pub inputs: [[DriveNow; MOST_LANES]; 2],
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Keys that move faster than asked about, lane 0 lowest.
    pub moving: u8,
    /// Number of keys that changed their submodel more often than is followed.
    pub capped: u64,
}

/// The lanes of a set of lanes.
pub fn lanes_of(set: u8) -> impl Iterator<Item = usize> {
    (0..MOST_LANES).filter(move |lane| set & (1 << lane) != 0)
}

/// One step of the keys of `group`, whose events `listener` hears with their lane; which of them are
/// faster than `slow` afterwards.
pub fn step(
    lanes: &Lanes,
    group: &Group,
    running: &mut Running,
    slow: f64,
    listener: &mut impl FnMut(usize, f64, KeyEvent),
) -> Stepped {
    let mut stepped = Stepped::default();
    let mut progress = [step::STEPPER.begin(); MOST_LANES];
    let mut going = group.active;
    // A rigid knuckle's flank is not written over lanes.
    let is_rigid_flank =
        |lane: usize, phase| phase == Phase::Flank && group.keys[lane].grand.numbers.is_rigid();
    let mut alone = 0u8;
    for lane in lanes_of(going) {
        if is_rigid_flank(lane, running.phases[lane]) {
            alone |= 1 << lane;
        }
        if group.causality == Causality::Motion {
            let mut key = running.of(lane);
            step::impose(&group.keys[lane].grand, &mut key, &group.inputs[0][lane]);
            running.put(lane, &key);
        }
    }
    while going != 0 {
        let active = going & !alone;
        let in_lanes = lanes.are_worth(active);
        if in_lanes {
            let pack = Pack {
                which: group.which,
                active,
                causality: group.causality,
                phases: &running.phases,
                inputs: &group.inputs,
                progress: &progress,
            };
            let on = lanes.advance(&pack, &mut running.x, slow);
            stepped.moving |= on.moving;
            going &= !on.done;
            for lane in lanes_of(going & active) {
                let progress = &mut progress[lane];
                if on.times[lane] > progress.done {
                    (progress.done, progress.passed) = (on.times[lane], None);
                }
            }
        }
        for lane in lanes_of(going) {
            let mut key = running.of(lane);
            let inputs = group.inputs.map(|end| end[lane]);
            let mut step = KeyStep { inputs, progress: progress[lane] };
            let grand = &group.keys[lane].grand;
            let heard = &mut |offset: f64, event: KeyEvent| listener(lane, offset, event);
            step.part(grand, &mut key, heard);
            let lost = key.x.iter().any(|v| !v.is_finite());
            if !in_lanes || is_rigid_flank(lane, key.phase) || alone & (1 << lane) != 0 || lost {
                step.finish(grand, &mut key, heard);
            }
            running.put(lane, &key);
            progress[lane] = step.progress;
            if step.is_complete() {
                going &= !(1 << lane);
                stepped.capped += u64::from(step.progress.outcome.capped);
                if group.keys[lane].fastest(&key.x) > slow {
                    stepped.moving |= 1 << lane;
                }
            }
        }
    }
    stepped
}
