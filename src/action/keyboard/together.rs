//! One step of the keys that move, side by side where nothing happens to them.

use super::Keyboard;
use super::packing::Pack;
use super::stillness::STILL_SPEED;
use crate::action::grand::drive::{Causality, DriveNow};
use crate::action::grand::{Assembly, Phase, lanes, rest, step};
use crate::math::key_set::KeySet;
use crate::math::real::MOST_LANES;

/// Keys of one pack from which on lanes are worth it: they cost about as much as two lone steps.
const TOGETHER: u32 = 2;

/// Keys that took a step side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Together {
    /// All of them.
    pub done: KeySet,
    /// Of these, the keys in which something moves.
    pub fast: KeySet,
}

impl Keyboard {
    /// One step of those of the keys `moving` to which nothing happens in it and that have company.
    pub(super) fn step_together(&mut self, moving: KeySet, tray: [f64; 2]) -> Together {
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
                    let rigid = self.assemblies[i].grand.numbers.is_rigid();
                    if *of == causality && !(rigid && self.phases[i] == Phase::Flank) {
                        *group |= 1 << lane;
                    }
                }
            }
            for (causality, group) in groups {
                if group.count_ones() >= TOGETHER {
                    let stepped = self.step_pack(which, &pack, causality, group, tray);
                    for (lane, key) in pack.iter().enumerate() {
                        let Some(key) = *key else { continue };
                        if stepped.done & (1 << lane) != 0 {
                            together.done.insert(key);
                        }
                        if stepped.moving & (1 << lane) != 0 {
                            together.fast.insert(key);
                        }
                    }
                }
            }
        }
        together
    }

    /// One step in lanes of the keys `group` of the pack `which`.
    fn step_pack(
        &mut self,
        which: usize,
        pack: &Pack,
        causality: Causality,
        group: u8,
        tray: [f64; 2],
    ) -> lanes::Stepped {
        // Lanes without a key compute with another's numbers, for nobody.
        let other = pack.iter().flatten().next().map_or(0, |key| key.index());
        let keys = pack.map(|key| key.map_or(other, |key| key.index()));
        if self.packing.take_stale(which) {
            let assemblies: [&Assembly; MOST_LANES] = keys.map(|i| &self.assemblies[i]);
            self.lanes.refresh(which, assemblies);
        }
        let mut inputs = [[rest::UNTOUCHED; MOST_LANES]; 2];
        for (lane, i) in keys.into_iter().enumerate().filter(|(lane, _)| group & (1 << lane) != 0) {
            let ends = DriveNow::ends(self.drives[i], tray);
            if causality == Causality::Motion {
                let mut running = self.running(i);
                step::impose(&self.assemblies[i].grand, &mut running, &ends[0]);
                self.put(i, &running);
            }
            (inputs[0][lane], inputs[1][lane]) = (ends[0], ends[1]);
        }
        let pack = lanes::Pack {
            which,
            keys: &keys,
            active: group,
            causality,
            phases: &self.phases,
            inputs: &inputs,
        };
        self.lanes.advance(&pack, &mut self.x, STILL_SPEED)
    }
}
