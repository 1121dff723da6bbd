//! The thesis's key as notes play it: the same on every key of the keyboard, at rest in balance.
//!
//! [`GrandKey`](crate::GrandKey) holds the same model, but allocates; these keys share one set of constants, so that a
//! change of action does not. The thesis has no damper: as for the simple actions, the instrument lifts one by the key.

use crate::grand::design::concert::Built;
use crate::grand::design::thesis;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::step;
use crate::grand::key::{compensation, outline, rest};
use crate::grand::{Assembly, GrandState, state};
use crate::interface::elements::Elements;
use crate::interface::finger::RISEN;
use crate::interface::key::{DynamicsCompensation, Key, OnEvent, SavedState};
use crate::interface::pose::Pose;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface;
use crate::{Drive, KeyEvent, Readout};
use std::sync::{Arc, LazyLock};

/// Constants of the published key, and its rest.
static STANDARD: LazyLock<ThesisKey> = LazyLock::new(|| ThesisKey::of(thesis::build()));

/// The tray stays below the damper that the key does not have, m.
const TRAY: [f64; 2] = [rest::TRAY_DOWN; 2];

/// The thesis's key: constants, state and rest pose.
#[derive(Clone, Debug)]
pub struct ThesisKey {
    assembly: Arc<Assembly>,
    state: GrandState,
    rest: GrandState,
    /// Steps of integration in an action step.
    parts: u32,
}

impl ThesisKey {
    /// The key at rest. The first call in a process allocates.
    #[must_use]
    pub fn new() -> Self {
        STANDARD.clone()
    }

    fn of(built: Built) -> Self {
        let assembly = Arc::new(Assembly::new(built));
        let rest = assembly.rest();
        Self { assembly, state: rest, rest, parts: 1 }
    }
}

impl Default for ThesisKey {
    fn default() -> Self {
        Self::new()
    }
}

impl Key for ThesisKey {
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        let mut listener = |offset: f64, event: KeyEvent| on_event(offset, event);
        let (grand, parts) = (&self.assembly.grand, self.parts);
        step::advance_finely(grand, &mut self.state, drive, TRAY, parts, &mut listener);
    }

    fn refine(&mut self, parts: u32) {
        self.parts = parts.max(1);
    }

    fn readout(&self, drive: Drive) -> Readout {
        self.assembly.readout(&self.state, drive, TRAY[1])
    }

    fn elements(&self, drive: Drive) -> Elements {
        self.assembly.elements(&self.state, drive, TRAY[1])
    }

    fn front(&self) -> [f64; 2] {
        self.assembly.front(&self.state.x)
    }

    fn fastest(&self) -> f64 {
        self.assembly.fastest(&self.state.x)
    }

    fn work(&self) -> f64 {
        self.state.x[state::WORK]
    }

    fn damper_lift(&self) -> f64 {
        note_interface::lift(self.front()[0], self.assembly.spec.key.dip)
    }

    fn reset_to_rest(&mut self) {
        self.state = self.rest;
    }

    fn save(&self) -> SavedState {
        self.state.into()
    }

    fn adopt(&mut self, saved: &SavedState) {
        self.state = saved.into();
    }

    fn pose(&self) -> Pose {
        outline::pose(&self.assembly.spec, &self.state)
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(self.clone())
    }

    fn compensate(&mut self, device: &DynamicsCompensation) -> DynamicsCompensation {
        let mut built = thesis::build();
        let residual = compensation::compensate(&mut built, device);
        *self = Self { parts: self.parts, ..Self::of(built) };
        residual
    }

    fn strike(&mut self, speed: f64) -> bool {
        let constructed = self.assembly.strike(speed);
        self.state = constructed.unwrap_or(self.state);
        constructed.is_some()
    }

    fn release(&mut self, speed: f64) {
        self.state = self.assembly.release(speed);
    }

    fn travel(&self) -> Option<Travel> {
        let dip = self.assembly.spec.key.dip;
        Some(Travel { dip, repeat_depth: RISEN * dip })
    }

    /// The hammer counts with the mean of its speed ratio up to let-off, the other parts with their inertia at rest.
    fn press(&self) -> Option<Press> {
        let Assembly { spec, regulated, grand } = &*self.assembly;
        let k = Kinematics::at(&grand.numbers, &self.rest.phase.into(), &self.rest.x);
        let key = 1.0 / WippenCoupling::new(&grand.numbers, &k).mass(&grand.numbers, &k).inv_key;
        let [depth, _] = self.assembly.front(&self.rest.x);
        let [crown, _] = self.assembly.hammer(&self.rest.x);
        let throw = regulated.let_off_depth - depth;
        let ratio = (-thesis::LET_OFF - crown) / throw;
        let hammer = spec.hammer.inertia / (spec.hammer.crown * spec.hammer.crown) * ratio * ratio;
        let mass = key / (spec.key.front * spec.key.front) + hammer;
        Some(Press { mass, ratio, throw, flight: thesis::LET_OFF, has_bed: true })
    }
}
