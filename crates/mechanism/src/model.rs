//! One key of a mechanism as a model of the engine, and as an action.

use crate::build::Built;
use crate::file::Map;
use crate::program::{DRIVE, FRONT, HELD, IMPOSED, Program, Registers};
use crate::submodel::{GUARDS, Submodel, TRANSITIONS};
use std::cell::{Cell, RefCell, RefMut};
use std::sync::Arc;
use touchback_action::STEP;
use touchback_action::simple::drive_input::{DriveInput, Given};
use touchback_action::simple::substeps::{self, Pressed, contact_substeps};
use touchback_action::simple::{KEY, KEY_SPEED};
use touchback_core::episode::{Begin, Model, Room, State};
use touchback_core::mech::friction::{self, InverseMass as _};

/// Most coordinates.
const MOST: usize = crate::geometry::MOST;
/// Most frictions of a mechanism.
pub(crate) const FRICTIONS: usize = 8;
/// Most elements of an action.
const ELEMENTS: usize = 40;
/// Most iterations to close a loop from any state.
const CLOSINGS: usize = 20;
/// Phase of a spring's natural frequency in a substep, rad.
const SPRING_PHASE: f64 = 0.5;
/// Share of a substep within which a reversal does not shorten it.
const MIN_SPLIT: f64 = 0.1;

/// A key of a mechanism with `N` states in the common layout.
#[derive(Clone, Debug)]
pub(crate) struct KeyModel<const N: usize> {
    pub(crate) built: Arc<Built>,
    pub(crate) rest: State<u8, N>,
    /// Mass of the port at the key front, kg.
    pub(crate) front: f64,
    registers: RefCell<Registers>,
    /// States and inputs of the last [`Submodel::beginning`], whose results are in the registers.
    begun: Cell<Option<Begun<N>>>,
}

/// What a [`Submodel::beginning`] was computed from.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Begun<const N: usize> {
    phase: u8,
    imposed: usize,
    drive: f64,
    front: f64,
    x: [f64; N],
}

/// Friction, constant through a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// Force along each independent coordinate.
    along: [f64; MOST],
    /// Force of each friction, N.
    pub force: [f64; FRICTIONS],
    /// Sliding speed of each at the beginning, m/s.
    pub speed: [f64; FRICTIONS],
}

const FREE: Held = Held { along: [0.0; MOST], force: [0.0; FRICTIONS], speed: [0.0; FRICTIONS] };

impl<const N: usize> KeyModel<N> {
    /// The key, which rests at `rest` in the submodel `phase`.
    pub(crate) fn new(built: Arc<Built>, phase: u8, rest: &[f64]) -> Self {
        let mut x = [0.0; N];
        x.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        let (front, registers) = (built.front, RefCell::new(built.initial.clone()));
        Self { built, rest: State { phase, x }, front, registers, begun: Cell::new(None) }
    }

    pub(crate) fn submodel(&self, phase: u8) -> &Submodel {
        &self.built.submodels[usize::from(phase).min(self.built.submodels.len() - 1)]
    }

    /// The registers with the states, and the index of the programs for the drive.
    pub(crate) fn load(&self, input: &DriveInput, x: &[f64; N]) -> (RefMut<'_, Registers>, usize) {
        let mut r = self.states(x);
        let imposed = match input.given(x[KEY], x[KEY_SPEED]) {
            Given::Force(force) => {
                (r[usize::from(DRIVE)], r[usize::from(IMPOSED)]) = (force, 0.0);
                0
            }
            Given::Acceleration(acceleration) => {
                (r[usize::from(DRIVE)], r[usize::from(IMPOSED)]) = (acceleration, 1.0);
                1
            }
        };
        (r, imposed)
    }

    /// The registers with the results of [`Submodel::beginning`], and the index of the programs for the drive.
    fn begun(
        &self,
        submodel: &Submodel,
        phase: u8,
        input: &DriveInput,
        x: &[f64; N],
    ) -> (RefMut<'_, Registers>, usize) {
        let (mut r, imposed) = self.load(input, x);
        let (drive, front) = (r[usize::from(DRIVE)], self.front);
        // The end of a substep is the beginning of the next one.
        let wanted = Begun { phase, imposed, drive, front, x: *x };
        if self.begun.get() != Some(wanted) {
            submodel.beginning[imposed].run(&self.built.felts, &mut r);
            self.begun.set(Some(wanted));
        }
        (r, imposed)
    }

    pub(crate) fn states(&self, x: &[f64; N]) -> RefMut<'_, Registers> {
        let mut r = self.registers.borrow_mut();
        r[..N - 2].copy_from_slice(&x[..N - 2]);
        r[usize::from(FRONT)] = self.front;
        r
    }

    /// Forgets the friction of the last substep, as at rest.
    pub(crate) fn free(&self) {
        along(&mut self.registers.borrow_mut()).fill(0.0);
        self.begun.set(None);
    }

    /// Kinetic and potential energy, J.
    fn energy(&self, phase: u8, x: &[f64; N]) -> [f64; 2] {
        let mut r = self.states(x);
        let program = &self.submodel(phase).energy;
        program.run(&self.built.felts, &mut r);
        [program.result(0, &r), program.result(1, &r)]
    }

    /// Sets the dependent coordinates to the values that close the loops of the submodel.
    pub(crate) fn close(&self, phase: u8, x: &mut [f64; N]) {
        let submodel = self.submodel(phase);
        if !submodel.is_closed {
            return;
        }
        for _ in 0..CLOSINGS {
            let mut r = self.states(x);
            submodel.close.run(&self.built.felts, &mut r);
            let mut moved = 0.0f64;
            for (i, d) in submodel.dependent.iter().enumerate() {
                let to = [submodel.close.result(2 * i, &r), submodel.close.result(2 * i + 1, &r)];
                moved = moved.max((to[0] - x[2 * d]).abs());
                (x[2 * d], x[2 * d + 1]) = (to[0], to[1]);
            }
            if !(moved > 1e-14) {
                return;
            }
        }
    }

    /// Length of the substep that may begin, s.
    fn substep(&self, submodel: &Submodel, r: &Registers, imposed: usize) -> f64 {
        let program = &submodel.beginning[imposed];
        let mut pressed = [[0.0; 2]; ELEMENTS];
        let count = submodel.pressing.len();
        let mut touches = false;
        for (i, pressed) in pressed[..count].iter_mut().enumerate() {
            let at = TRANSITIONS + GUARDS + 2 * i;
            *pressed = [at, at + 1].map(|index| program.result(index, r));
            touches |= pressed[0] >= 0.0;
        }
        let mut least = submodel.substeps;
        let Some(first) = self.built.felts.first().filter(|_| touches) else {
            return STEP / f64::from(raised(least, submodel.fastest));
        };
        let mut reversal = f64::INFINITY;
        let none = Pressed { felt: first, compression: -1.0, mobility: 0.0 };
        let mut contacts = [none; ELEMENTS];
        for (i, (pressing, to)) in submodel.pressing.iter().zip(&mut contacts).enumerate() {
            let [compression, rate] = pressed[i];
            let felt = &self.built.felts[usize::from(pressing.felt)];
            let found = program.result(TRANSITIONS + GUARDS + 2 * count + i, r);
            if !pressing.is_impact {
                let mobility = pressing.mass.map_or(found, |mass| 1.0 / mass);
                *to = Pressed { felt, compression, mobility };
                continue;
            }
            let mass = pressing.mass.unwrap_or(1.0 / found);
            least = least.max(contact_substeps(felt, mass, compression, rate));
            if pressing.splits && compression >= 0.0 && rate > 0.0 {
                reversal = reversal.min(felt.reversal_time(compression, rate, mass * rate, STEP));
            }
        }
        let least = raised(least, submodel.fastest);
        let equal = STEP / f64::from(substeps::count(least, &contacts[..count]));
        // A substep ends where an impact reverses, because the felt's hysteresis is discontinuous there.
        if reversal < equal && reversal > MIN_SPLIT * equal { reversal } else { equal }
    }

    /// The indicators and guards.
    fn functions(
        &self,
        submodel: &Submodel,
        imposed: usize,
        r: &Registers,
    ) -> ([f64; TRANSITIONS], [f64; GUARDS]) {
        let (mut indicators, mut guards) = ([f64::INFINITY; TRANSITIONS], [f64::INFINITY; GUARDS]);
        let program = &submodel.beginning[imposed];
        program.results(0, r, &mut indicators[..submodel.transitions.len()]);
        program.results(TRANSITIONS, r, &mut guards[..self.built.guards.len()]);
        (indicators, guards)
    }

    /// The rates that the program of rates has computed at `x`, from its result `first` on.
    fn collected(
        &self,
        program: &Program,
        first: usize,
        submodel: &Submodel,
        held: &Held,
        x: &[f64; N],
        r: &Registers,
    ) -> [f64; N] {
        let mut rates = [0.0; N];
        let n = 2 * self.built.coordinates;
        program.results(first, r, &mut rates[..n]);
        if let Some(time) = self.built.time {
            rates[time] = 1.0;
        }
        rates[N - 2] = program.result(first + n, r) * x[KEY_SPEED];
        rates[N - 1] = program.result(first + n + 1, r);
        if self.built.friction > 0 {
            for (i, along) in submodel.independent.iter().zip(held.along) {
                rates[N - 1] -= along * x[2 * i + 1];
            }
        }
        rates
    }

    /// The friction that acts through a substep of `dt` s.
    fn friction(
        &self,
        submodel: &Submodel,
        imposed: usize,
        x: &[f64; N],
        r: &Registers,
        dt: f64,
    ) -> Held {
        let program = &submodel.beginning[imposed];
        let at = submodel.reduced;
        let n = submodel.independent.len();
        let (mut u, mut mass) = ([0.0; MOST], [[0.0; MOST]; MOST]);
        // Forces, less those that give the port its imposed acceleration.
        let mut rest = [0.0; MOST];
        program.results(at, r, &mut rest[..n]);
        let drive = r[usize::from(DRIVE)];
        for (i, k) in submodel.independent.iter().enumerate() {
            u[i] = x[2 * k + 1];
            program.results(at + n + n * i, r, &mut mass[i][..n]);
            if imposed == 1 {
                rest[i] -= mass[i][0] * drive;
            }
        }
        let inverse = Inverse(crate::settle::inverse(&mass, n, imposed), n);
        if imposed == 0 {
            rest[0] += drive;
        }
        let mut a = inverse.apply(&rest);
        if imposed == 1 {
            a[0] = drive;
        }
        let none = friction::Element { direction: [0.0; MOST], bound: 0.0 };
        let mut elements = [none; FRICTIONS];
        for (e, element) in elements.iter_mut().enumerate().take(self.built.friction) {
            let at = at + n + n * n + e * (n + 1);
            program.results(at, r, &mut element.direction[..n]);
            element.bound = program.result(at + n, r);
        }
        let mut force = friction::forces(&elements, &inverse, &u, &a, dt);
        for (force, element) in force.iter_mut().zip(&elements).take(self.built.friction) {
            let speed = element.speed(&u);
            if imposed == 0 || speed == 0.0 {
                continue;
            }
            let answer = inverse.apply(&element.direction);
            if answer.iter().zip(&element.direction).all(|(a, g)| a * g == 0.0) {
                // An imposed motion slides whatever the friction.
                *force = -element.bound * speed.signum();
            }
        }
        let mut held = Held { force, ..FREE };
        for (e, element) in elements.iter().enumerate().take(self.built.friction) {
            held.speed[e] = -element.speed(&u);
            (0..n).for_each(|i| held.along[i] += force[e] * element.direction[i]);
        }
        held
    }
}

/// Substeps that are enough for a spring of the natural frequency `fastest` rad/s.
fn raised(mut least: u32, fastest: f64) -> u32 {
    while least < 32 && fastest * STEP > SPRING_PHASE * f64::from(least) {
        least *= 2;
    }
    least
}

/// The inverse of a mass matrix of the given number of coordinates.
struct Inverse([[f64; MOST]; MOST], usize);

impl friction::InverseMass<MOST, f64> for Inverse {
    fn apply(&self, forces: &[f64; MOST]) -> [f64; MOST] {
        let mut answer = [0.0; MOST];
        for (answer, row) in answer.iter_mut().zip(&self.0).take(self.1) {
            *answer = row[..self.1].iter().zip(forces).map(|(a, b)| a * b).sum();
        }
        answer
    }
}

impl<const N: usize> Model<N, TRANSITIONS, GUARDS> for KeyModel<N> {
    type Input = DriveInput;
    type Phase = u8;
    type Held = Held;

    fn rates(&self, phase: u8, held: &Held, input: &DriveInput, x: &[f64; N]) -> [f64; N] {
        let (mut r, imposed) = self.load(input, x);
        if self.built.friction > 0 {
            along(&mut r).copy_from_slice(&held.along);
        }
        let submodel = self.submodel(phase);
        let program = &submodel.rates[imposed];
        program.run(&self.built.felts, &mut r);
        self.collected(program, 0, submodel, held, x, &r)
    }

    fn event_functions(
        &self,
        phase: u8,
        input: &DriveInput,
        x: &[f64; N],
    ) -> ([f64; TRANSITIONS], [f64; GUARDS]) {
        let submodel = self.submodel(phase);
        let (r, imposed) = self.begun(submodel, phase, input, x);
        self.functions(submodel, imposed, &r)
    }

    fn transition(&self, phase: u8, index: usize, input: &DriveInput, x: &mut [f64; N]) -> u8 {
        let transition = &self.submodel(phase).transitions[index];
        let before = self.energy(phase, x);
        self.close(phase, x);
        let to = match &transition.otherwise {
            None => transition.to,
            Some((otherwise, program)) => {
                let mut r = self.states(x);
                program.run(&self.built.felts, &mut r);
                if program.result(0, &r) >= 0.0 { transition.to } else { *otherwise }
            }
        };
        if transition.map == Map::Momentum {
            let (mut r, imposed) = self.load(input, x);
            let program = &self.submodel(to).momentum[imposed];
            program.run(&self.built.felts, &mut r);
            for k in 0..self.built.coordinates {
                x[2 * k + 1] = program.result(k, &r);
            }
        }
        self.close(to, x);
        if let Some(time) = self.built.time {
            x[time] = 0.0;
        }
        let after = self.energy(to, x);
        let lost = (before[0] + before[1]) - (after[0] + after[1]);
        if transition.map == Map::Momentum && input.is_imposed() && lost < 0.0 {
            // An imposed motion that throws a part adds energy: work of the drive.
            x[N - 2] -= lost;
        } else {
            x[N - 1] += lost;
        }
        to
    }

    fn hold(&self, phase: u8, input: &DriveInput, x: &[f64; N], dt: f64) -> Held {
        if self.built.friction == 0 {
            return FREE;
        }
        let submodel = self.submodel(phase);
        let (r, imposed) = self.begun(submodel, phase, input, x);
        self.friction(submodel, imposed, x, &r, dt)
    }

    fn begin(
        &self,
        phase: u8,
        input: &DriveInput,
        x: &[f64; N],
        room: &Room,
    ) -> Begin<Held, N, TRANSITIONS, GUARDS> {
        let submodel = self.submodel(phase);
        let (mut r, imposed) = self.begun(submodel, phase, input, x);
        let event_functions = self.functions(submodel, imposed, &r);
        let longest = self.substep(submodel, &r, imposed) * (room.grid / STEP);
        let length = room.length(longest);
        let mut held = FREE;
        let program = &submodel.beginning[imposed];
        if self.built.friction > 0 {
            held = self.friction(submodel, imposed, x, &r, length);
            along(&mut r).copy_from_slice(&held.along);
            program.run_held(&self.built.felts, &mut r);
        }
        let rates = self.collected(program, submodel.first_rates, submodel, &held, x, &r);
        Begin { length, held, rates, event_functions }
    }
}

/// The registers of held friction.
fn along(r: &mut Registers) -> &mut [f64] {
    let from = usize::from(HELD);
    &mut r[from..from + MOST]
}
