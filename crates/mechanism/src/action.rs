//! A key of a mechanism as an action: readings, drawing, events, constructed states.

use crate::build::Constructed;
use crate::model::KeyModel;
use crate::program::{NOTE_DEPTH, NOTE_SPEED};
use crate::submodel::{GUARDS, Happening, TRANSITIONS};
use touchback_action::interface::elements::{Elements, Losses};
use touchback_action::interface::finger;
use touchback_action::interface::graph::Graph;
use touchback_action::interface::pose::{Pose, Touch};
use touchback_action::interface::press::{Press, Travel, Voice};
use touchback_action::simple::drive_input::DriveInput;
use touchback_action::simple::note_interface::{Playing, damper_depth, lift};
use touchback_action::simple::{KEY, KEY_SPEED, SimpleAction};
use touchback_action::{KeyEvent, Readout, STEP};
use touchback_core::episode::{Model, State};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Contact;

/// Most elements of an action.
const ELEMENTS: usize = 40;

impl<const N: usize> KeyModel<N> {
    /// The event that has happened at `x`.
    fn event(&self, happening: &Happening, x: &[f64; N]) -> Option<KeyEvent> {
        let mut r = self.states(x);
        happening.program.run(&self.built.felts, &mut r);
        let value = happening.program.result(1, &r);
        (happening.program.result(0, &r) >= 0.0)
            .then(|| crate::events::event(happening.kind, value))
    }

    /// A constructed state.
    fn constructed(&self, from: &Constructed, speed: f64, depth: f64, falls: bool) -> State<u8, N> {
        let mut state = SimpleAction::rest(self);
        if falls {
            (state.x[KEY], state.x[KEY_SPEED]) = (depth, -speed);
        }
        let mut r = self.states(&state.x);
        (r[usize::from(NOTE_SPEED)], r[usize::from(NOTE_DEPTH)]) = (speed, depth);
        from.program.run(&self.built.felts, &mut r);
        for (i, index) in from.states.iter().enumerate() {
            state.x[*index] = from.program.result(i, &r);
        }
        state.phase = match from.otherwise {
            Some(otherwise) if !(from.program.result(from.states.len(), &r) >= 0.0) => otherwise,
            _ => from.submodel,
        };
        drop(r);
        self.close(state.phase, &mut state.x);
        state
    }

    /// Bend, cents, pressure at a pipe's foot, Pa, lift of the damper, and opening of the valve, NaN without one, at
    /// `x`.
    fn outputs(&self, x: &[f64; N]) -> [f64; 4] {
        let program = &self.built.ports;
        let mut r = self.states(x);
        program.run(&self.built.felts, &mut r);
        [0, 1, 2, 3].map(|i| program.result(i, &r))
    }

    fn element_values(&self, phase: u8, input: &DriveInput, x: &[f64; N]) -> [Contact; ELEMENTS] {
        let held = self.hold(phase, input, x, STEP);
        let (mut r, imposed) = self.load(input, x);
        let program = &self.submodel(phase).readings[imposed];
        program.run(&self.built.felts, &mut r);
        let mut values = [Contact::default(); ELEMENTS];
        let count = self.built.elements.len() - self.built.friction;
        for (i, value) in values.iter_mut().enumerate().take(count) {
            *value = Contact {
                force: program.result(6 + 2 * i, &r),
                loss: program.result(7 + 2 * i, &r),
            };
        }
        for (i, value) in values[count..].iter_mut().enumerate().take(self.built.friction) {
            *value = Contact { force: held.force[i], loss: held.force[i] * held.speed[i] };
        }
        values
    }
}

impl<const N: usize> SimpleAction<N, TRANSITIONS, GUARDS> for KeyModel<N> {
    const PHASES: &'static [u8] = &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31,
    ];
    const SPEEDS: &'static [usize] = match N {
        8 => &[1, 3, 5],
        14 => &[1, 3, 5, 7, 9, 11],
        _ => &[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23],
    };

    fn graph(&self) -> Graph<'_> {
        let (submodels, transitions) = &self.built.graph;
        Graph { submodels, transitions }
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        (&mut self.front, 1.0)
    }

    fn rest(&self) -> State<u8, N> {
        self.free();
        self.rest
    }

    fn impose(&self, phase: u8, x: &mut [f64; N], [depth, speed]: [f64; 2]) {
        (x[KEY], x[KEY_SPEED]) = (depth, speed);
        self.close(phase, x);
    }

    fn readout(&self, phase: u8, input: &DriveInput, x: &[f64; N]) -> Readout {
        let elements = self.element_values(phase, input, x);
        let submodel = self.submodel(phase);
        let [.., valve] = self.outputs(x);
        let (mut r, imposed) = self.load(input, x);
        let program = &submodel.readings[imposed];
        program.run(&self.built.felts, &mut r);
        let at = |index: usize| program.result(index, &r);
        let mut readout = Readout {
            phase: submodel.name,
            key: x[KEY],
            key_speed: x[KEY_SPEED],
            kinetic: at(0),
            potential: at(1),
            key_force: at(2),
            contact_force: at(3),
            hammer: at(4),
            hammer_speed: at(5),
            dissipated: x[N - 1],
            work: x[N - 2],
            losses: Losses::of(self.built.elements, &elements),
            valve: valve.clamp(0.0, 1.0),
            ..Readout::NONE
        };
        let shown = 6 + 2 * (self.built.elements.len() - self.built.friction);
        for i in 0..readout.q.len() {
            (readout.q[i], readout.q_rate[i]) = (at(shown + 2 * i), at(shown + 2 * i + 1));
        }
        readout
    }

    fn elements(&self, phase: u8, input: &DriveInput, x: &[f64; N]) -> Elements {
        Elements::of(self.built.elements, &self.element_values(phase, input, x))
    }

    fn pose(&self, phase: u8, x: &[f64; N]) -> Pose {
        let mut closed = *x;
        self.close(phase, &mut closed);
        let mut r = self.states(&closed);
        self.built.outlines.run(&self.built.felts, &mut r);
        let at = |index: usize| self.built.outlines.result(index, &r);
        let point = |index: usize| Vec2::new(at(index), at(index + 1));
        let mut next = 0;
        let mut pose = Pose::default();
        for part in &self.built.drawn {
            let points: Vec<Vec2> = (0..part.points).map(|i| point(next + 2 * i)).collect();
            next += 2 * part.points;
            pose = pose.with(part.name, points);
        }
        for touching in &self.built.touching {
            let acts = touching.acts.get(usize::from(phase)).is_some_and(|acts| *acts);
            let is_closed = acts && (touching.is_two_sided || at(next + 4) > 0.0);
            let at = [point(next), point(next + 2)];
            pose.contacts.push(Touch { name: touching.name, at, is_closed });
            next += 5;
        }
        pose
    }

    fn switched(&self, from: u8, to: u8, before: &[f64; N]) -> Option<KeyEvent> {
        let mut events = self.submodel(from).switched.iter().filter(|(end, _)| *end == to);
        events.find_map(|(_, happening)| self.event(happening, before))
    }

    fn passed(&self, index: usize, rising: bool, x: &[f64; N]) -> Option<KeyEvent> {
        let mut events = self.built.guards.get(index)?.iter().filter(|(rises, _)| *rises == rising);
        events.find_map(|(_, happening)| self.event(happening, x))
    }
}

impl<const N: usize> Playing<N, TRANSITIONS, GUARDS> for KeyModel<N> {
    fn travel(&self) -> Travel {
        let play = &self.built.play;
        let hold = play.hold / finger::STIFFNESS;
        Travel { dip: play.dip, repeat_depth: play.repeat_depth, hold }
    }

    fn press(&self) -> Press {
        let play = &self.built.play;
        Press {
            mass: play.mass.unwrap_or(self.front),
            ratio: play.ratio,
            throw: play.throw,
            flight: play.flight,
            has_bed: play.has_bed,
        }
    }

    fn constructs(&self) -> bool {
        self.built.strike.is_some()
    }

    fn struck(&self, speed: f64) -> State<u8, N> {
        match &self.built.strike {
            Some(strike) => self.constructed(strike, speed, self.built.play.dip, false),
            None => self.rest,
        }
    }

    fn rising(&self, depth: f64, speed: f64) -> State<u8, N> {
        match &self.built.rise {
            Some(rise) => self.constructed(rise, speed, depth, true),
            None => self.rest,
        }
    }

    fn voice(&self) -> Voice {
        self.built.play.voice
    }

    fn ports(&self, x: &[f64; N]) -> [f64; 2] {
        if !self.built.play.has_ports {
            return [0.0; 2];
        }
        let [bend, pressure, ..] = self.outputs(x);
        [bend, pressure.max(0.0)]
    }

    fn damper_depth(&self) -> f64 {
        self.built.play.damper_depth.unwrap_or_else(|| damper_depth(self.built.play.dip))
    }

    fn damper(&self, x: &[f64; N]) -> f64 {
        if !self.built.play.has_damper {
            return lift(x[KEY], self.built.play.dip);
        }
        self.outputs(x)[2].clamp(0.0, 1.0)
    }
}
