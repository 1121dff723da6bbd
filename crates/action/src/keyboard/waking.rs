//! How a key wakes, takes up new settings, and comes to rest.

use super::Keyboard;
use super::activity::Activity;
use super::rest_detector::{RestDetector, RestState};
use crate::Drive;
use crate::grand::{Assembly, GrandState, state};
use touchback_core::math::compass::KeyNumber;

impl Keyboard {
    pub(super) fn after_step(&mut self, key: KeyNumber, moves: bool, tray: [f64; 2]) {
        let i = key.index();
        if self.x.iter().any(|state| !state[i].is_finite()) {
            // No gesture and no setting should lead to this state; if one does, the key is put to rest.
            self.lost_states += 1;
            self.energy.forget(i);
            self.drives[i] = Drive::Free;
            self.reset_to_rest(key);
            return;
        }
        self.update_activity(key, moves, tray);
    }

    /// After a step: holds the end of the drive, and sets a key that has not moved for a while idle or
    /// asleep.
    fn update_activity(&mut self, key: KeyNumber, moves: bool, tray: [f64; 2]) {
        let i = key.index();
        let drive = self.drives[i];
        self.drives[i] = drive.held();
        if tray[0] != tray[1] {
            // The tray does work on the damper.
            self.energy.forget(i);
        }
        // A key that has yet to be rebuilt may move again.
        if !is_held(drive) || tray[0] != tray[1] || self.stale.contains(key) {
            self.rest_detector[i] = RestDetector::default();
            return;
        }
        let x = &self.x;
        let rest = self.rest_detector[i].after_step(moves, |s| x[s][i]);
        if rest != RestState::Moving && self.energy.is_known(i) {
            let [balance, work] = self.balance(i);
            self.energy.end(i, balance, work);
        }
        match rest {
            RestState::Moving => {}
            RestState::AtRest if drive == Drive::Free => self.reset_to_rest(key),
            RestState::AtRest | RestState::Creeping => self.activity.set(key, Activity::Idle),
        }
    }

    pub(super) fn wake(&mut self, key: KeyNumber) {
        let i = key.index();
        if self.activity.of(key) == Activity::Asleep {
            self.refresh(key);
            self.set_damper_by_tray(key);
        }
        if self.activity.of(key) != Activity::Moving {
            let [balance, work] = self.balance(i);
            self.energy.begin(i, balance, work);
        }
        self.activity.set(key, Activity::Moving);
        self.rest_detector[i] = RestDetector::default();
    }

    pub(super) fn put_constructed(&mut self, key: KeyNumber, constructed: &GrandState) {
        let i = key.index();
        self.put(i, constructed);
        self.activity.set(key, Activity::Moving);
        self.rest_detector[i] = RestDetector::default();
        if self.x[state::DAMPER][i] < self.tray {
            self.set_damper_by_tray(key);
        }
        let [balance, work] = self.balance(i);
        self.energy.begin(i, balance, work);
    }

    /// Lifts the damper to the tray if the tray is higher.
    fn set_damper_by_tray(&mut self, key: KeyNumber) {
        let i = key.index();
        let d = &self.assemblies[i].spec.damper;
        let carried = self.tray - d.lift_felt.compression(d.weight);
        if carried > self.x[state::DAMPER][i] {
            self.x[state::DAMPER][i] = carried;
            self.x[state::DAMPER_SPEED][i] = 0.0;
        }
    }

    pub(super) fn reset_to_rest(&mut self, key: KeyNumber) {
        let i = key.index();
        if self.rest_stale.remove(key) {
            self.rest[i] = self.assemblies[i].rest();
        }
        let rest = self.rest[i];
        self.put(i, &rest);
        self.activity.set(key, Activity::Asleep);
        self.rest_detector[i] = RestDetector::default();
    }

    /// Rebuilds `key` if the settings have changed since it was built.
    pub(super) fn refresh(&mut self, key: KeyNumber) {
        if self.stale.remove(key) {
            self.rebuild(key);
        }
    }

    fn rebuild(&mut self, key: KeyNumber) {
        let i = key.index();
        self.assemblies[i] =
            Assembly::new(self.designs[i].build(&self.settings.of(key, self.begun)));
        // Turning a screw does work.
        self.energy.forget(i);
        self.lane_assignment.mark_changed(key);
        self.rest_stale.insert(key);
        if self.activity.of(key) == Activity::Asleep {
            self.reset_to_rest(key);
        }
    }
}

pub(super) fn is_held(drive: Drive) -> bool {
    drive.held() == drive
}
