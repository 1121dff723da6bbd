//! The grand action as a model of the EPISODE engine: rates, indicators, guards, transitions.

use crate::grand::design::spec::Spec;
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::evaluation::{self, Evaluation, GUARDS, INDICATORS};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::kinematics::{Head, Kinematics};
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::equations::{energy, jack};
use crate::grand::{Phase, STATES, state};
use touchback_core::episode::{Begin, Model, Room};

pub use crate::grand::equations::evaluation::guard;

/// The model of one key's action.
#[derive(Clone, Copy, Debug)]
pub struct Grand {
    /// Constants of the equations.
    pub numbers: Precomputed,
}

impl Grand {
    /// The model of the key `spec`.
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        Self { numbers: Precomputed::new(spec) }
    }

    #[inline(always)]
    fn kinematics(&self, phase: Phase, x: &[f64; STATES]) -> Kinematics {
        Kinematics::at(&self.numbers, &phase.into(), x)
    }

    /// The equations evaluated at `x` with the friction `held`.
    #[must_use]
    pub fn evaluation(
        &self,
        phase: Phase,
        held: &HeldFriction,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> Evaluation {
        Evaluation::new(&self.numbers, &phase.into(), input, x).with_friction(
            &self.numbers,
            held,
            input,
            x,
        )
    }

    /// Indicators and guards of the configuration `k`.
    #[inline(always)]
    fn event_functions_at(
        &self,
        phase: Phase,
        k: &Kinematics,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> ([f64; INDICATORS], [f64; GUARDS]) {
        let n = &self.numbers;
        let (mut indicators, guards) = evaluation::event_functions(n, &phase.into(), k, x);
        if phase == Phase::Wedge {
            // Friction does not decide whether the jack is held.
            let [flank, button] = Evaluation::at(n, &phase.into(), k, input, x).wedge;
            (indicators[1], indicators[2]) = (flank.min(k.head.q4), button);
        }
        if phase == Phase::Flank && n.is_rigid() {
            indicators[1] = self.returned_jack(k).1.q4;
            indicators[2] = k.jack_turn_sine(n);
        }
        (indicators, guards)
    }

    /// Phase and contact geometry of a jack that has left the knuckle's flank: C on the button, or D on its
    /// stop.
    #[inline(never)]
    fn returned_jack(&self, k: &Kinematics) -> (Phase, Head) {
        let n = &self.numbers;
        let jack_inputs = k.jack_inputs();
        let mut phase = Phase::Return;
        let mut jack = jack::on_stop(n, &jack_inputs);
        if jack::gap(n, k.to_jack, jack.direction) < 0.0 {
            phase = Phase::Catch;
            jack = jack::on_button(n, &jack_inputs);
        }
        (phase, Head::new(n, k.to_jack, n.fly.turned(jack.direction), k.butt))
    }

    /// Changes the speeds at the transition of a rigidly guided jack to another constraint, by the momentum
    /// balance of all bodies, and adds the lost energy to the dissipated energy. An imposed motion keeps the speed
    /// of the key; its impulse does work.
    fn change_constraint(&self, from: Phase, to: Phase, input: &DriveNow, x: &mut [f64; STATES]) {
        let (n, tray) = (&self.numbers, input.tray);
        if !n.is_rigid() {
            // A free jack is supported by felts: speeds are continuous.
            return;
        }
        let before = self.kinematics(from, x);
        let after = self.kinematics(to, x);
        let energy_before = energy::total(n, from, &before, x, tray);
        let coupling = WippenCoupling::new(n, &after);
        let (w5, w6, u) = (before.wippen_speed(), before.jack_speed(), before.u);
        let on_jack = n.jack.inertia * w6 + coupling.jack[0] * w5;
        let momentum = [
            n.key.inertia * u[0]
                + after.r5
                    * (n.wippen_inertia * w5 + coupling.jack[0] * w6 + coupling.lever[0] * u[2])
                + after.jack.key_ratio * on_jack,
            n.head_inertia * u[1] + after.jack.hammer_ratio * on_jack,
            n.lever.inertia * u[2] + coupling.lever[0] * w5,
            0.0,
            0.0,
        ];
        let mass = coupling.mass(n, &after);
        // The speeds after the generalized impulses `f`; an imposed key keeps the speed `key`.
        let respond = |f: &[f64; 5], key: f64| match input.is_imposed() {
            true => mass.follow(f, key),
            false => mass.solve(f),
        };
        let (mut momentum, mut speeds) = (momentum, respond(&momentum, u[0]));
        if to == Phase::Wedge {
            // Plastic, as every impact of the thesis: flank and button both keep the jack.
            let flank = jack::on_flank(n, &after.jack_inputs());
            let across = [flank.key_ratio - after.jack.key_ratio, flank.hammer_ratio];
            let by_impulse = respond(&[across[0], across[1], 0.0, 0.0, 0.0], 0.0);
            let impulse = (across[0] * speeds[0] + across[1] * speeds[1])
                / (across[0] * by_impulse[0] + across[1] * by_impulse[1]);
            momentum[0] -= across[0] * impulse;
            momentum[1] -= across[1] * impulse;
            speeds = respond(&momentum, u[0]);
        }
        if input.is_imposed() {
            let work = mass.missing(&momentum, u[0]) * u[0];
            x[state::WORK] += work;
            x[state::DISSIPATED] += work;
        }
        x[state::KEY_SPEED..=state::LEVER_SPEED].copy_from_slice(&speeds[..3]);
        let with_new_speeds = self.kinematics(to, x);
        x[state::DISSIPATED] += energy_before - energy::total(n, to, &with_new_speeds, x, tray);
    }
}

impl Model<STATES, INDICATORS, GUARDS> for Grand {
    type Input = DriveNow;
    type Phase = Phase;
    type Held = HeldFriction;

    #[inline(always)]
    fn rates(
        &self,
        phase: Phase,
        held: &HeldFriction,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> [f64; STATES] {
        let n = &self.numbers;
        Evaluation::new(n, &phase.into(), input, x).with_friction(n, held, input, x).rates(n, x)
    }

    #[inline(never)]
    fn event_functions(
        &self,
        phase: Phase,
        input: &DriveNow,
        x: &[f64; STATES],
    ) -> ([f64; INDICATORS], [f64; GUARDS]) {
        self.event_functions_at(phase, &self.kinematics(phase, x), input, x)
    }

    fn transition(
        &self,
        phase: Phase,
        index: usize,
        input: &DriveNow,
        x: &mut [f64; STATES],
    ) -> Phase {
        let to = match (phase, index) {
            (Phase::Acceleration, 0) => Phase::LetOff,
            (Phase::Acceleration, _) => Phase::Return,
            (Phase::LetOff, 0) => Phase::Acceleration,
            (Phase::LetOff, 2) if !self.numbers.is_rigid() => Phase::Flank,
            (Phase::LetOff, _) => Phase::Catch,
            (Phase::Catch, 0) => Phase::Return,
            (Phase::Catch, _) => {
                // The gap that closed last decides: the knuckle comes down onto the head or sideways
                // against it.
                let k = self.kinematics(phase, x);
                let (under, beside) = if self.numbers.is_rigid() {
                    let under = k.head.q4 <= k.head.tip - self.numbers.hammer.knuckle_edge;
                    (under, if input.is_imposed() { Phase::Flank } else { Phase::Wedge })
                } else {
                    (k.normal_tilt() < evaluation::ON_SIDE_TILT, Phase::Flank)
                };
                if under { Phase::LetOff } else { beside }
            }
            (Phase::Return, 0) => Phase::Catch,
            (Phase::Return, _) => Phase::Acceleration,
            (Phase::Flank, 0) if !self.numbers.is_rigid() => Phase::Acceleration,
            (Phase::Flank, 2) if !self.numbers.is_rigid() => Phase::LetOff,
            (Phase::Flank, _) if !self.numbers.is_rigid() => Phase::Catch,
            // Under an imposed motion the flank would have to pull the hammer after the key: the toe alone meets the
            // button.
            (Phase::Flank, 0) if input.is_imposed() => Phase::Catch,
            (Phase::Flank, 0) => Phase::Wedge,
            (Phase::Wedge, 0) => Phase::Return,
            (Phase::Wedge, 1) => Phase::Catch,
            (Phase::Wedge, _) => Phase::Flank,
            (Phase::Flank, _) => {
                // The knuckle has moved away and the jack returns under it.
                match self.returned_jack(&self.kinematics(phase, x)).0 {
                    Phase::Catch => Phase::Catch,
                    _ => {
                        let home = self.kinematics(Phase::Return, x);
                        if home.q4_rate() > 0.0 { Phase::Acceleration } else { Phase::Return }
                    }
                }
            }
        };
        self.change_constraint(phase, to, input, x);
        to
    }

    fn hold(&self, phase: Phase, input: &DriveNow, x: &[f64; STATES], dt: f64) -> HeldFriction {
        Evaluation::new(&self.numbers, &phase.into(), input, x).friction(
            &self.numbers,
            input,
            x,
            dt,
        )
    }

    #[inline(always)]
    fn begin(
        &self,
        phase: Phase,
        input: &DriveNow,
        x: &[f64; STATES],
        room: &Room,
    ) -> Begin<HeldFriction, STATES, INDICATORS, GUARDS> {
        let n = &self.numbers;
        let free = Evaluation::new(n, &phase.into(), input, x);
        let length = room.length(free.max_substep(n, x, room.grid));
        let held = free.friction(n, input, x, length);
        Begin {
            length,
            held,
            rates: free.with_friction(n, &held, input, x).rates(n, x),
            event_functions: self.event_functions_at(phase, &free.kinematics, input, x),
        }
    }
}
