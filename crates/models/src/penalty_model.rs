//! A second formulation of the grand action, as a coupled force balance: an independent check of the model.
//!
//! There are two ways to model a mechanism with changing constraints [Gillespie 1996, ch. 3]: eliminate the
//! dependent coordinates and sequence submodels, or let every body move independently and join the bodies by
//! stiff springs. [`touchback_action::grand`] is the first formulation, this is the second, with the same [`Spec`]. Key,
//! wippen and hammer turn on their pins; jack and repetition lever move freely in the plane and are joined to
//! the wippen by two springs each. The let-off button, the jack's stop, the knuckle's flank and the capstan
//! are stiff contacts; friction is Coulomb friction. There are no mass matrix and no phases: the only
//! discrete state is the side of the knuckle's edge on which the jack's head is, and whether the jack is on
//! its stop. With increasing stiffness the motion must approach that of the first formulation; the cost is a
//! small step.

mod body;
mod elements;
mod forces;
mod joints;
mod setup;

use serde::{Deserialize, Serialize};

use body::Memory;
use forces::{Evaluation, Held};
use touchback_action::grand::design::concert::Built;
use touchback_action::grand::design::spec::{Hammer, Spec};
use touchback_action::grand::equations::drive::DriveNow;
use touchback_action::grand::key::rest;
use touchback_action::interface::elements::Elements;
use touchback_action::interface::key::{self, Key, OnEvent, REST_DEPTH, SavedState};
use touchback_action::interface::numbers::{SpecError, check};
use touchback_action::interface::pose::Pose;
use touchback_action::interface::trajectory;
use touchback_action::{Drive, KeyEvent, Readout, STEP};
use touchback_core::episode::{Input, rk4};
use touchback_core::exchange::cancel;
use touchback_core::math::power::square;

/// Joints between the bodies, and integration step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coupling {
    /// Stiffness of every joint and hard contact, N/m.
    pub stiffness: f64,
    /// Damping ratio of a joint, relative to critical damping.
    pub damping: f64,
    /// Number of substeps (Runge–Kutta steps) in an action step.
    pub parts: u32,
    /// Bending stiffness of the key stick at the balance rail, N·m/rad, between finger and capstan; 0 for a
    /// rigid stick, as in the other formulation.
    #[serde(default)]
    pub key_stick: f64,
    /// Whether the capstan also pulls the heel, as in the other formulation; else the heel may leave it.
    #[serde(default)]
    pub holds_heel: bool,
}

impl Coupling {
    /// Index of the angle of the key's front part.
    const fn front(&self) -> usize {
        if self.key_stick > 0.0 { FRONT } else { KEY }
    }
}

/// Share of the key's inertia in front of the balance point with a flexible stick: a bar with leads in front.
const FRONT_SHARE: f64 = 0.6;

impl Default for Coupling {
    /// 4 MN/m: 10 µm under the 40 N of a loud stroke; the phase of the fastest joint advances by 0.1 rad in a
    /// substep of 2.5 µs.
    fn default() -> Self {
        Self { stiffness: 4e6, damping: 0.3, parts: 50, key_stick: 0.0, holds_heel: false }
    }
}

/// Number of coordinates: angles of key, wippen, hammer, jack and lever; centres of mass of jack and lever;
/// height of the damper; angle of the hammer's butt with a flexible shank; angle of the key's front part
/// with a flexible stick.
const COORDINATES: usize = 12;
/// Number of states: coordinates, their rates, work done by the drive, energy dissipated.
const STATES: usize = 2 * COORDINATES + 2;
const KEY: usize = 0;
const WIPPEN: usize = 1;
const HAMMER: usize = 2;
const JACK: usize = 3;
const LEVER: usize = 4;
const JACK_AT: usize = 5;
const LEVER_AT: usize = 7;
const DAMPER: usize = 9;
const BUTT: usize = 10;
const FRONT: usize = 11;
const WORK: usize = 2 * COORDINATES;
const DISSIPATED: usize = WORK + 1;
const _: () = assert!(STATES <= key::STATES);

/// Index of the angle of the part of `hammer` that turns on the pin.
fn butt_of(hammer: &Hammer) -> usize {
    if hammer.bends() { BUTT } else { HAMMER }
}

/// No friction.
const FREE: Held = [0.0; COORDINATES];

/// Height of the damper tray, which stays down, at both ends of a step, m.
const TRAY: [f64; 2] = [rest::TRAY_DOWN; 2];

/// One key of the second formulation.
#[derive(Clone, Debug)]
pub struct PenaltyModel {
    spec: Box<Spec>,
    coupling: Coupling,
    state: State,
    start: State,
    /// Factor on the substeps of the coupling.
    finer: u32,
    /// Force that answered the imposed motion of the last step, N; NaN without one.
    answer: f64,
}

#[derive(Clone, Copy, Debug)]
struct State {
    x: [f64; STATES],
    memory: Memory,
    /// Largest gap between heel and capstan so far, m.
    lifted: f64,
    /// Smallest force of the capstan on the heel so far, N.
    lightest: f64,
    /// Largest pull of the jack's stop so far, N·m.
    pulled: f64,
}

/// Checks `spec`, and the values that this formulation needs in addition.
///
/// # Errors
/// The first invalid value.
pub fn usable(spec: &Spec, coupling: &Coupling) -> Result<(), SpecError> {
    spec.check()?;
    let (jack, lever) = (&spec.jack, &spec.lever);
    let about_centre = |inertia: f64, mass: f64, square: f64| inertia - mass * square;
    check(
        &[
            ("coupling.stiffness", coupling.stiffness),
            ("coupling.parts", f64::from(coupling.parts)),
            ("jack.mass", jack.mass),
            ("lever.mass", lever.mass),
            (
                "jack.inertia about its centre of mass",
                about_centre(jack.inertia, jack.mass, jack.centre.norm_squared()),
            ),
            (
                "lever.inertia about its centre of mass",
                about_centre(lever.inertia, lever.mass, lever.centre.norm_squared()),
            ),
        ],
        &[],
    )?;
    // The highest natural frequency: the wippen between its joints.
    let arm = spec.wippen.jack_pivot.norm_squared()
        + spec.wippen.lever_pivot.norm_squared()
        + square(spec.key.capstan.x).min(spec.wippen.jack_pivot.norm_squared());
    let fastest = (coupling.stiffness * arm / spec.wippen.inertia).sqrt();
    let phase = fastest * STEP / f64::from(coupling.parts.max(1));
    if phase > 1.5 {
        return Err(SpecError::Value {
            name: "coupling.parts",
            value: f64::from(coupling.parts),
            must: "enough for the joints: a softer coupling, more parts or a heavier wippen",
        });
    }
    Ok(())
}

impl PenaltyModel {
    /// The key `built`, at rest.
    #[must_use]
    pub fn of_grand(built: &Built, coupling: Coupling) -> Self {
        Self::new(Box::new(built.spec), coupling, &built.regulated.rest)
    }

    /// The key `spec` at rest, searched from the angles `near` of key, hammer and repetition lever, rad.
    #[must_use]
    pub fn new(spec: Box<Spec>, coupling: Coupling, near: &[f64; 3]) -> Self {
        let state = State {
            x: setup::rest(&spec, near),
            memory: Memory { under: true, home: true, touches: false },
            lifted: 0.0,
            lightest: f64::INFINITY,
            pulled: 0.0,
        };
        let mut key = Self { spec, coupling, state, start: state, finer: 1, answer: f64::NAN };
        // The joints take up their static loads.
        for _ in 0..800 {
            cancel::check();
            key.step(Drive::Free, &mut |_, _| {});
        }
        key.state.x[WORK] = 0.0;
        key.state.x[DISSIPATED] = 0.0;
        (key.state.lifted, key.state.lightest, key.state.pulled) = (0.0, f64::INFINITY, 0.0);
        key.start = key.state;
        key
    }

    /// Largest gap between heel and capstan since the start, m.
    #[must_use]
    pub const fn heel_lifted(&self) -> f64 {
        self.state.lifted
    }

    /// Smallest force of the capstan on the heel since the start, N. Negative, as only in the thesis, the
    /// capstan pulls.
    #[must_use]
    pub const fn lightest_capstan(&self) -> f64 {
        self.state.lightest
    }

    /// Largest torque with which the stop pulled the jack since the start, N·m; a real stop cannot pull.
    #[must_use]
    pub const fn jack_held_back(&self) -> f64 {
        self.state.pulled
    }

    /// Whether `drive` imposes the motion of the key's part with friction; with a flexible stick it imposes that
    /// of the front.
    const fn is_key_led(&self, drive: Drive) -> bool {
        drive.is_motion() && self.coupling.front() == KEY
    }

    fn depth(&self) -> f64 {
        self.spec.key.depth(self.state.x[self.coupling.front()])
    }

    /// Sets angle and speed of the key to those of the imposed motion. The change of kinetic energy counts as
    /// work of the drive.
    fn impose(&mut self, input: &DriveNow) {
        let (key, at) = (self.spec.key, self.coupling.front());
        let inertia = if at == FRONT { FRONT_SHARE * key.inertia } else { key.inertia };
        let before = self.state.x[COORDINATES + at];
        self.state.x[at] = key.rest_angle + input.target / key.front;
        let after = input.rate / key.front;
        self.state.x[COORDINATES + at] = after;
        self.state.x[WORK] += 0.5 * inertia * (after * after - before * before);
    }

    /// Forces at the end of a step driven by `drive`.
    fn at_end(&self, drive: Drive) -> Evaluation {
        let x = &self.state.x;
        let input = DriveNow::at_end(drive, TRAY[1]);
        let evaluate = |held: &Held| {
            Evaluation::new(&self.spec, &self.coupling, self.state.memory, held, &input, x)
        };
        let h = STEP / f64::from(self.coupling.parts * self.finer);
        evaluate(&evaluate(&FREE).hold(x, self.is_key_led(drive), h))
    }

    /// Reports the events between the state `before` and the present state.
    fn report(&self, before: &State, offset: f64, on_event: &mut OnEvent<'_>) {
        let spec = &self.spec;
        let now = &self.state;
        let crown = spec.hammer.crown;
        let at = self.coupling.front();
        let front = |s: &State| spec.key.depth(s.x[at]);
        let front_speed = spec.key.front * now.x[COORDINATES + at];
        let rose = |f: &dyn Fn(&State) -> f64| f(before) <= 0.0 && f(now) > 0.0;
        let fell = |f: &dyn Fn(&State) -> f64| f(before) > 0.0 && f(now) <= 0.0;
        if rose(&|s| s.x[HAMMER]) {
            on_event(offset, KeyEvent::Strike { speed: crown * now.x[COORDINATES + HAMMER] });
        }
        if rose(&|s| front(s) - spec.key.dip) {
            on_event(offset, KeyEvent::KeyBottom { speed: front_speed });
        }
        if fell(&|s| front(s) - REST_DEPTH) {
            on_event(offset, KeyEvent::KeyRest { speed: -front_speed });
        }
        if before.memory.home && !now.memory.home {
            on_event(offset, KeyEvent::LetOffStart { depth: front(now) });
        }
        if rose(&|s| joints::tail_in_check(spec, &s.x)) {
            on_event(offset, KeyEvent::Check { distance: -crown * now.x[HAMMER] });
        }
        if spec.damper.present && rose(&|s| s.x[DAMPER]) {
            on_event(offset, KeyEvent::DamperLift { depth: front(now) });
        }
        if spec.damper.present && fell(&|s| s.x[DAMPER]) {
            on_event(offset, KeyEvent::DamperFall { speed: -now.x[COORDINATES + DAMPER] });
        }
        match (before.memory.under, now.memory.under) {
            (true, false) => {
                on_event(offset, KeyEvent::Release { speed: crown * now.x[COORDINATES + HAMMER] })
            }
            (false, true) => on_event(offset, KeyEvent::Reset { depth: front(now) }),
            _ => {}
        }
    }
}

impl Key for PenaltyModel {
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        let ends = DriveNow::ends(drive, TRAY);
        let (depth, work) = (self.depth(), self.work());
        if drive.is_motion() {
            self.impose(&ends[0]);
        }
        // Sum of the forces of all substeps.
        let mut force = 0.0;
        let imposed = self.is_key_led(drive);
        let count = self.coupling.parts * self.finer;
        let substeps = f64::from(count);
        let h = STEP / substeps;
        for substep in 0..count {
            let before = self.state;
            let begin = f64::from(substep) / substeps;
            let (spec, coupling) = (&self.spec, &self.coupling);
            let evaluate = |memory: Memory, held: &Held, s: f64, x: &[f64; STATES]| {
                let input = ends[0].lerp(&ends[1], begin + s / substeps);
                Evaluation::new(spec, coupling, memory, held, &input, x)
            };
            let held = evaluate(before.memory, &FREE, 0.0, &before.x).hold(&before.x, imposed, h);
            let rates = |s: f64, x: &[f64; STATES]| evaluate(before.memory, &held, s, x).rates(x);
            self.state.x = rk4::step(&rates(0.0, &before.x), &rates, &before.x, h);
            let at = |memory: Memory| evaluate(memory, &held, 1.0, &self.state.x);
            let m = at(before.memory);
            let memory = m.next_memory(before.memory);
            if memory != before.memory {
                // The energy that is stored in a contact when it is released is dissipated.
                let lost = m.potential - at(memory).potential;
                self.state.x[DISSIPATED] += lost;
            }
            force += m.drive;
            let [on_heel, lifted] = m.capstan;
            self.state.lightest = before.lightest.min(on_heel);
            self.state.lifted = before.lifted.max(lifted);
            self.state.pulled = before.pulled.max(m.pull(before.memory));
            self.state.memory = memory;
            self.report(&before, h * f64::from(substep + 1), on_event);
        }
        let work = self.work() - work;
        self.answer = trajectory::answer(drive, depth, work, || [force / substeps; 2]);
    }

    fn refine(&mut self, parts: u32) {
        self.finer = parts.max(1);
    }

    fn readout(&self, drive: Drive) -> Readout {
        let x = &self.state.x;
        let m = self.at_end(drive);
        let answers = drive.is_motion() && self.answer.is_finite();
        let crown = self.spec.hammer.crown;
        let mut readout = Readout {
            phase: if self.state.memory.under { "under" } else { "beside" },
            key: self.depth(),
            key_speed: self.spec.key.front * x[COORDINATES + self.coupling.front()],
            key_force: if answers { self.answer } else { m.drive },
            contact_force: m.jack,
            hammer: crown * x[HAMMER],
            hammer_speed: crown * x[COORDINATES + HAMMER],
            kinetic: m.kinetic,
            potential: m.potential,
            dissipated: x[DISSIPATED],
            work: x[WORK],
            ..Readout::NONE
        };
        // q1, q2, q3, q5 and q6 of the thesis; the others exist only in the other formulation.
        for (q, i) in [(0, KEY), (1, HAMMER), (2, LEVER), (4, WIPPEN), (5, JACK)] {
            (readout.q[q], readout.q_rate[q]) = (x[i], x[COORDINATES + i]);
        }
        readout
    }

    fn elements(&self, drive: Drive) -> Elements {
        let x = &self.state.x;
        let input = DriveNow::at_end(drive, TRAY[1]);
        let (spec, coupling) = (&self.spec, &self.coupling);
        let free = Evaluation::new(spec, coupling, self.state.memory, &FREE, &input, x);
        let h = STEP / f64::from(self.coupling.parts * self.finer);
        Elements::new(&elements::ELEMENTS, free.elements(x, self.is_key_led(drive), h))
    }

    fn front(&self) -> [f64; 2] {
        [self.depth(), self.spec.key.front * self.state.x[COORDINATES + self.coupling.front()]]
    }

    fn fastest(&self) -> f64 {
        self.state.x[COORDINATES..WORK].iter().map(|v| v.abs()).fold(0.0, f64::max)
    }

    fn work(&self) -> f64 {
        self.state.x[WORK]
    }

    fn damper_lift(&self) -> f64 {
        self.spec.damper.lift(self.state.x[DAMPER])
    }

    fn reset_to_rest(&mut self) {
        self.state = self.start;
    }

    fn save(&self) -> SavedState {
        let Memory { under, home, touches } = self.state.memory;
        let phase = u8::from(under) + 2 * u8::from(home) + 4 * u8::from(touches);
        SavedState::new(phase, &self.state.x)
    }

    fn adopt(&mut self, saved: &SavedState) {
        self.answer = f64::NAN;
        let [under, home, touches] = [1, 2, 4].map(|bit| saved.phase & bit != 0);
        self.state.memory = Memory { under, home, touches };
        self.state.x = saved.states();
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(self.clone())
    }

    fn pose(&self) -> Pose {
        setup::pose(&self.spec, &self.state.x)
    }
}

#[cfg(test)]
mod tests;
