//! One key of the grand by itself, with its own damper tray.

use crate::grand::design::concert::{Built, Design};
use crate::grand::design::regulation::Regulated;
use crate::grand::design::spec::Spec;
use crate::grand::design::thesis;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::step::{self, Listener};
use crate::grand::key::assembly::{Assembly, GrandState};
use crate::grand::key::{compensation, outline, rest};
use crate::grand::{Phase, state};
use crate::interface::elements::Elements;
use crate::interface::graph::Graph;
use crate::interface::key::{DynamicsCompensation, Key, OnEvent, SavedState};
use crate::interface::pose::Pose;
use crate::interface::press::{Press, Travel};
use crate::simple::note_interface;
use crate::{ActionSettings, Drive, KeyEvent, Readout};
use std::sync::{Arc, LazyLock};
use touchback_core::episode::Outcome;
use touchback_core::math::compass::KeyNumber;

/// A key of the grand: specification, state, and the compensation of a haptic keyboard's own key.
#[derive(Clone, Debug)]
pub struct GrandKey {
    /// The design that is regulated; none for a key given by its specification.
    design: Option<Box<Design>>,
    /// The regulated key without compensation.
    built: Arc<Built>,
    /// The regulated key with compensation.
    assembly: Arc<Assembly>,
    device: DynamicsCompensation,
    state: GrandState,
    /// Rest pose; none until it is first needed.
    rest: Option<GrandState>,
    /// Height of the damper tray at both ends of the next step, m.
    tray: [f64; 2],
    /// Steps of integration in an action step.
    parts: u32,
    /// Force that answered the imposed motion of the last step, N; NaN without one.
    answer: f64,
}

impl GrandKey {
    /// The key `key` of the concert grand with `settings`, at rest. Allocates.
    #[must_use]
    pub fn new(key: KeyNumber, settings: &ActionSettings) -> Self {
        let design = Design::new(key);
        Self { design: Some(Box::new(design)), ..Self::built(design.build(settings)) }
    }

    /// The thesis's key, at rest in balance; it cannot be regulated. The first call in a process allocates; its copies
    /// share their constants.
    #[must_use]
    pub fn thesis() -> Self {
        static STANDARD: LazyLock<GrandKey> = LazyLock::new(|| GrandKey::built(thesis::build()));
        STANDARD.clone()
    }

    /// The key `built`, at rest; it cannot be regulated. Allocates.
    #[must_use]
    pub fn built(built: Built) -> Self {
        Self::at(built, rest::pose(&built.spec, &built.regulated.rest))
    }

    fn at(built: Built, rest: GrandState) -> Self {
        Self {
            design: None,
            built: Arc::new(built),
            assembly: Arc::new(Assembly::new(built)),
            device: DynamicsCompensation::default(),
            state: rest,
            rest: Some(rest),
            tray: [rest::TRAY_DOWN; 2],
            parts: 1,
            answer: f64::NAN,
        }
    }

    /// A key given by its specification `spec` and its state `start`, which is also its rest pose; it cannot
    /// be regulated. Allocates.
    #[must_use]
    pub fn from_state(spec: Spec, start: GrandState) -> Self {
        let angles = [start.x[state::KEY], start.x[state::HAMMER], start.x[state::LEVER]];
        let let_off_depth = f64::INFINITY;
        let regulated = Regulated { rest: angles, let_off_depth, ..Regulated::default() };
        Self::at(Built { spec, regulated }, start)
    }

    /// The regulated and compensated key.
    #[must_use]
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// Phase and states.
    #[must_use]
    pub const fn state(&self) -> &GrandState {
        &self.state
    }

    /// [`Key::step`] with a listener that also receives transitions; returns the counts of the step.
    pub fn advance(&mut self, drive: Drive, listener: &mut impl Listener) -> Outcome {
        let (tray, before) = (self.tray, self.state);
        self.tray[0] = tray[1];
        let outcome = step::advance_finely(
            &self.assembly.grand,
            &mut self.state,
            drive,
            tray,
            self.parts,
            listener,
        );
        self.answer = self.assembly.answer(drive, &before, &self.state, tray[1]);
        outcome
    }

    /// Rebuilds the assembly; returns the part of the compensation that could not be subtracted.
    fn assemble(&mut self) -> DynamicsCompensation {
        let mut built = *self.built;
        let residual = compensation::compensate(&mut built, &self.device);
        *Arc::make_mut(&mut self.assembly) = Assembly::new(built);
        self.rest = None;
        residual
    }

    /// Kinetic and potential energy, J.
    fn energy(&self) -> f64 {
        self.assembly.energy(&self.state, self.tray[1])
    }
}

impl Key for GrandKey {
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        self.advance(drive, &mut |offset: f64, event: KeyEvent| on_event(offset, event));
    }

    fn refine(&mut self, parts: u32) {
        self.parts = parts.max(1);
    }

    fn readout(&self, drive: Drive) -> Readout {
        let mut readout = self.assembly.readout(&self.state, drive, self.tray[1]);
        if drive.is_motion() && self.answer.is_finite() {
            readout.key_force = self.answer;
        }
        readout
    }

    fn elements(&self, drive: Drive) -> Elements {
        self.assembly.elements(&self.state, drive, self.tray[1])
    }

    fn graph(&self) -> Graph<'_> {
        Phase::GRAPH
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

    /// The thesis has no damper: as for the simple actions, the key lifts one.
    fn damper_lift(&self) -> f64 {
        let spec = &self.assembly.spec;
        if spec.is_rigid() {
            return note_interface::lift(self.front()[0], spec.key.dip);
        }
        self.assembly.damper_lift(self.state.x[state::DAMPER])
    }

    fn reset_to_rest(&mut self) {
        self.state = *self.rest.get_or_insert_with(|| self.assembly.rest());
    }

    fn save(&self) -> SavedState {
        self.state.into()
    }

    fn adopt(&mut self, saved: &SavedState) {
        self.state = saved.into();
        self.answer = f64::NAN;
    }

    fn pose(&self) -> Pose {
        outline::pose(&self.assembly.spec, &self.state)
    }

    /// The copy has its own constants, so that its regulation and compensation do not allocate.
    fn duplicate(&self) -> Box<dyn Key> {
        let (built, assembly) = (Arc::new(*self.built), Arc::new(self.assembly().clone()));
        Box::new(Self { built, assembly, ..self.clone() })
    }

    fn regulate(&mut self, settings: &ActionSettings) -> f64 {
        let Some(design) = &self.design else { return 0.0 };
        let before = self.energy();
        *Arc::make_mut(&mut self.built) = design.build(settings);
        self.assemble();
        self.energy() - before
    }

    fn set_tray(&mut self, height: f64) {
        self.tray[1] = height;
    }

    fn compensate(&mut self, device: &DynamicsCompensation) -> DynamicsCompensation {
        self.device = *device;
        self.assemble()
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
        let spec = &self.assembly.spec;
        spec.is_rigid().then_some(Travel::of(spec.key.dip))
    }

    /// The hammer counts with the mean of its speed ratio up to let-off, the other parts with their inertia at rest.
    fn press(&self) -> Option<Press> {
        let Assembly { spec, regulated, grand } = &*self.assembly;
        let rest = self.rest.filter(|_| spec.is_rigid() && regulated.let_off_depth.is_finite())?;
        let k = Kinematics::at(&grand.numbers, &rest.phase.into(), &rest.x);
        let key = 1.0 / WippenCoupling::new(&grand.numbers, &k).mass(&grand.numbers, &k).inv_key;
        let [depth, _] = self.assembly.front(&rest.x);
        let [crown, _] = self.assembly.hammer(&rest.x);
        let throw = regulated.let_off_depth - depth;
        let ratio = (-thesis::LET_OFF - crown) / throw;
        let hammer = spec.hammer.inertia / (spec.hammer.crown * spec.hammer.crown) * ratio * ratio;
        let mass = key / (spec.key.front * spec.key.front) + hammer;
        Some(Press { mass, ratio, throw, flight: thesis::LET_OFF, has_bed: true })
    }
}

impl From<GrandState> for SavedState {
    fn from(state: GrandState) -> Self {
        Self::new(state.phase.number(), &state.x)
    }
}

impl From<&SavedState> for GrandState {
    fn from(saved: &SavedState) -> Self {
        let phase = Phase::ALL.get(usize::from(saved.phase)).copied().unwrap_or(Phase::Return);
        Self { phase, x: saved.states() }
    }
}
