//! One step of the keys that move, side by side as long as nothing happens to them.

use super::packing::Pack;
use super::stillness::{self, STILL_SPEED};
use super::{Heard, Keyboard};
use crate::action::grand::drive::{Causality, DriveNow};
use crate::action::grand::step::{self, KeyStep};
use crate::action::grand::{Assembly, Phase, lanes, rest};
use crate::episode::Progress;
use crate::math::key_set::KeySet;
use crate::math::real::MOST_LANES;

/// Keys of one pack from which on lanes are worth it: they cost about as much as two lone steps.
const TOGETHER: u32 = 2;

/// Keys that took a step in packs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Together {
    /// All of them.
    pub done: KeySet,
    /// Of these, the keys in which something moves.
    pub fast: KeySet,
}

/// The keys of a pack that step together.
struct Group {
    which: usize,
    /// Indices by lane; lanes without a key compute with another's numbers, for nobody.
    keys: [usize; MOST_LANES],
    causality: Causality,
    /// Lanes that are not yet through, lane 0 lowest.
    going: u8,
    inputs: [[DriveNow; MOST_LANES]; 2],
    progress: [Progress; MOST_LANES],
}

impl Group {
    /// The lanes that are not yet through.
    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let going = self.going;
        (0..MOST_LANES).filter(move |lane| going & (1 << lane) != 0)
    }
}

impl Keyboard {
    /// One step of those of the keys `moving` that have company.
    pub(super) fn step_together(
        &mut self,
        moving: KeySet,
        tray: [f64; 2],
        heard: &mut Heard,
    ) -> Together {
        let mut together = Together::default();
        if self.lanes.width() == 1 {
            return together;
        }
        self.packing.seat(moving);
        for which in 0..self.packing.used() {
            let pack = *self.packing.pack(which);
            let mut groups = [(Causality::Force, 0u8), (Causality::Motion, 0u8)];
            for (lane, key) in pack.iter().enumerate() {
                let Some(i) = key.map(|key| key.index()) else { continue };
                let causality = Causality::of(self.drives[i]);
                for (of, group) in &mut groups {
                    if *of == causality && !self.must_step_alone(i) {
                        *group |= 1 << lane;
                    }
                }
            }
            for (causality, lanes) in groups {
                if lanes.count_ones() >= TOGETHER {
                    let group = self.group(which, &pack, causality, lanes, tray);
                    self.step_group(group, &pack, heard, &mut together);
                }
            }
        }
        together
    }

    /// A rigid knuckle's flank is not written over lanes.
    fn must_step_alone(&self, i: usize) -> bool {
        self.phases[i] == Phase::Flank && self.assemblies[i].grand.numbers.is_rigid()
    }

    /// The keys in `lanes` of the pack `which`, their step begun.
    fn group(
        &mut self,
        which: usize,
        pack: &Pack,
        causality: Causality,
        lanes: u8,
        tray: [f64; 2],
    ) -> Group {
        let other = pack.iter().flatten().next().map_or(0, |key| key.index());
        let keys = pack.map(|key| key.map_or(other, |key| key.index()));
        if self.packing.take_stale(which) {
            let assemblies: [&Assembly; MOST_LANES] = keys.map(|i| &self.assemblies[i]);
            self.lanes.refresh(which, assemblies);
        }
        let mut group = Group {
            which,
            keys,
            causality,
            going: lanes,
            inputs: [[rest::UNTOUCHED; MOST_LANES]; 2],
            progress: [step::STEPPER.begin(); MOST_LANES],
        };
        for lane in group.lanes() {
            let i = keys[lane];
            let inputs = DriveNow::ends(self.drives[i], tray);
            if causality == Causality::Motion {
                let mut running = self.running(i);
                step::impose(&self.assemblies[i].grand, &mut running, &inputs[0]);
                self.put(i, &running);
            }
            [group.inputs[0][lane], group.inputs[1][lane]] = inputs;
        }
        group
    }

    /// The step of a group: in lanes as long as nothing happens to two of them, the parts in which
    /// something does alone.
    fn step_group(
        &mut self,
        mut group: Group,
        pack: &Pack,
        heard: &mut Heard,
        together: &mut Together,
    ) {
        while group.going != 0 {
            let side_by_side = group.going.count_ones() >= TOGETHER;
            if side_by_side {
                let stepped = self.step_lanes(&group);
                for (lane, key) in pack.iter().enumerate() {
                    let Some(key) = *key else { continue };
                    if stepped.done & (1 << lane) != 0 {
                        together.done.insert(key);
                    }
                    if stepped.moving & (1 << lane) != 0 {
                        together.fast.insert(key);
                    }
                }
                group.going &= !stepped.done;
                for lane in group.lanes() {
                    let progress = &mut group.progress[lane];
                    if stepped.times[lane] > progress.done {
                        (progress.done, progress.passed) = (stepped.times[lane], None);
                    }
                }
            }
            for lane in group.lanes() {
                let (i, Some(key)) = (group.keys[lane], pack[lane]) else { continue };
                let mut running = self.running(i);
                let inputs = group.inputs.map(|end| end[lane]);
                let mut step = KeyStep { inputs, progress: group.progress[lane] };
                let grand = &self.assemblies[i].grand;
                step.part(grand, &mut running, &mut heard.of(key));
                let rigid = grand.numbers.is_rigid() && running.phase == Phase::Flank;
                let lost = running.x.iter().any(|v| !v.is_finite());
                if !side_by_side || rigid || lost {
                    step.finish(grand, &mut running, &mut heard.of(key));
                }
                self.put(i, &running);
                group.progress[lane] = step.progress;
                if step.is_whole() {
                    group.going &= !(1 << lane);
                    together.done.insert(key);
                    self.capped_steps += u64::from(step.progress.outcome.capped);
                    if self.assemblies[i].fastest(&running.x) > stillness::STILL_SPEED {
                        together.fast.insert(key);
                    }
                }
            }
        }
    }

    /// Those of the group to which nothing happens, on in lanes.
    fn step_lanes(&mut self, group: &Group) -> lanes::Stepped {
        let pack = lanes::Pack {
            which: group.which,
            keys: &group.keys,
            active: group.going,
            causality: group.causality,
            phases: &self.phases,
            inputs: &group.inputs,
            progress: &group.progress,
        };
        self.lanes.advance(&pack, &mut self.x, STILL_SPEED)
    }
}
