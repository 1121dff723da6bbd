//! One step of the moving keys, pack by pack.

use super::lane_assignment::Pack;
use super::rest_detector::STILL_SPEED;
use super::{EventSink, Keyboard};
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::lane_group::{self, Group, PackState, lanes_of};
use crate::grand::key::rest;
use touchback_core::math::key_set::KeySet;
use touchback_core::math::real::MOST_LANES;

impl Keyboard {
    /// Takes one step of the moving keys `stepping`; returns those of them that are faster than [`STILL_SPEED`].
    pub(super) fn step_packs(
        &mut self,
        stepping: KeySet,
        tray: [f64; 2],
        sink: &mut EventSink,
    ) -> KeySet {
        let mut fast = KeySet::EMPTY;
        // All that move keep their slots.
        self.lane_assignment.assign(self.activity.moving());
        for which in 0..self.lane_assignment.used() {
            let pack = *self.lane_assignment.pack(which);
            let steps = pack.map(|key| key.filter(|key| stepping.contains(*key)));
            let drives = steps.map(|key| key.map(|key| Causality::of(self.drives[key.index()])));
            for causality in [Causality::Force, Causality::Motion, Causality::Manipulandum] {
                let active = (0..MOST_LANES)
                    .filter(|lane| drives[*lane] == Some(causality))
                    .fold(0u8, |lanes, lane| lanes | 1 << lane);
                if active != 0 {
                    let moving = self.step_group(which, &pack, causality, active, tray, sink);
                    let of = lanes_of(moving).filter_map(|lane| pack[lane]);
                    of.for_each(|key| fast.insert(key));
                }
            }
        }
        fast
    }

    /// Takes one step of the keys in the lanes `active` of the pack `which`; returns the lanes whose keys are
    /// faster than [`STILL_SPEED`].
    fn step_group(
        &mut self,
        which: usize,
        pack: &Pack,
        causality: Causality,
        active: u8,
        tray: [f64; 2],
        sink: &mut EventSink,
    ) -> u8 {
        // Unused lanes repeat the constants of another key; their results are discarded.
        let filler = pack.iter().flatten().next().map_or(0, |key| key.index());
        let indices = pack.map(|key| key.map_or(filler, |key| key.index()));
        let keys = indices.map(|i| &self.assemblies[i]);
        if self.lanes.is_faster_for(active) && self.lane_assignment.take_stale(which) {
            self.lanes.refresh(which, keys);
        }
        let mut group =
            Group { which, keys, active, causality, inputs: [[rest::UNTOUCHED; MOST_LANES]; 2] };
        let mut running = PackState::new();
        for lane in lanes_of(active) {
            let i = indices[lane];
            running.put(lane, &self.key_state(i));
            [group.inputs[0][lane], group.inputs[1][lane]] = DriveNow::ends(self.drives[i], tray);
        }
        let mut listener = |lane: usize, offset: f64, event| {
            if let Some(key) = pack[lane] {
                sink.insert(key, offset, event);
            }
        };
        let stepped =
            lane_group::step(&mut self.lanes, &group, &mut running, STILL_SPEED, &mut listener);
        self.capped_steps += stepped.capped;
        for lane in lanes_of(active) {
            let (i, after) = (indices[lane], running.of(lane));
            let drive = self.drives[i];
            self.answers[i] = match causality {
                Causality::Motion => {
                    self.assemblies[i].answer(drive, &self.key_state(i), &after, tray[1])
                }
                _ => f64::NAN,
            };
            self.put(i, &after);
        }
        stepped.moving
    }
}
