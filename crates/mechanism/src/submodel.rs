//! A submodel as programs: its rates, events, readings and maps.

use crate::build::{Builder, submodel_index, submodel_names};
use crate::dynamics::{Formulas, Moving};
use crate::element::Element;
use crate::error::{Fault, Result};
use crate::file::{Event, Law, Map, Text};
use crate::graph::Id;
use crate::names::{intern, unknown};
use crate::program::Program;
use crate::scope::Scope;
use std::collections::HashMap;
use touchback_action::EventKind;

/// Most transitions out of a submodel.
pub(crate) const TRANSITIONS: usize = 6;
/// Most events of conditions.
pub(crate) const GUARDS: usize = 8;
/// Most coordinates shown.
pub(crate) const SHOWN: usize = 9;

/// A transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub to: u8,
    pub otherwise: Option<(u8, Program)>,
    pub map: Map,
}

/// The events of a guard: whether they happen as it becomes positive, and what.
pub(crate) type Guard = Vec<(bool, Happening)>;

/// An event: its kind, condition and value.
#[derive(Debug)]
pub(crate) struct Happening {
    pub kind: EventKind,
    /// Whether it happens, and its value.
    pub program: Program,
}

/// A contact whose stiffness may need substeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressing {
    pub element: usize,
    pub felt: u16,
    /// Moved mass that the file gives, kg.
    pub mass: Option<f64>,
    pub is_impact: bool,
    pub splits: bool,
}

/// A submodel as programs.
#[derive(Debug)]
pub(crate) struct Submodel {
    pub name: &'static str,
    pub is_closed: bool,
    pub dependent: Vec<usize>,
    pub independent: Vec<usize>,
    pub substeps: u32,
    /// Rates of all states; the last two are force of the drive and dissipated power.
    pub rates: [Program; 2],
    /// What the beginning of a substep needs, in registers that outlast other programs: indicators, guards, compression and
    /// rate of each of `pressing`, the inverse of its moved mass and of those of `springs`, 1/kg; from `reduced` on the
    /// forces at rest, the reduced mass matrix, then direction and bound of each friction; from `first_rates` on as `rates`.
    pub beginning: [Program; 2],
    pub pressing: Vec<Pressing>,
    pub reduced: usize,
    pub first_rates: usize,
    /// Springs that act: element, stiffness, N/m, and damping, N·s/m.
    pub springs: Vec<(usize, [f64; 2])>,
    /// Largest natural frequency of a spring, rad/s, or a quarter of the largest decay rate, 1/s.
    pub fastest: f64,
    pub close: Program,
    pub momentum: [Program; 2],
    /// Kinetic and potential energy.
    pub energy: Program,
    pub readings: [Program; 2],
    /// Forces at rest, then the reduced mass matrix.
    pub statics: Program,
    pub transitions: Vec<Transition>,
    /// By submodel of the end of a transition.
    pub switched: Vec<(u8, Happening)>,
}

impl<'a> Builder<'a> {
    /// The program of formulas in a submodel.
    fn program(&mut self, formulas: &Formulas, outputs: &[Id]) -> Result<Program> {
        let outputs = self.g.all_replaced(outputs, &formulas.closed);
        self.assembler.program(self.g, &outputs)
    }

    pub(crate) fn submodel(
        &mut self,
        name: &str,
        written: Option<&crate::file::Submodel>,
        guards: &[&Text],
    ) -> Result<Submodel> {
        let n = self.geometry.coordinates.len();
        let mut held = Vec::new();
        for hold in written.iter().flat_map(|submodel| &submodel.holds) {
            let all = &self.mechanics.elements;
            let index = all
                .iter()
                .position(|element| element.name == *hold.get_ref() && element.law == Law::Rigid);
            let Some(index) = index else {
                let rigid = all.iter().filter(|element| element.law == Law::Rigid);
                return Err(Fault::at(
                    &hold.span(),
                    unknown(
                        "rigid contact",
                        hold.get_ref(),
                        rigid.map(|element| element.name.as_str()),
                    ),
                ));
            };
            if held.iter().any(|other: &usize| all[*other].closes == all[index].closes) {
                return Err(Fault::at(&hold.span(), "two held contacts close the same coordinate"));
            }
            held.push(index);
        }
        let formulas = self.mechanics.submodel(self.g, name, &held)?;
        let loss = {
            let mut sum = self.g.number(0.0);
            for part in &formulas.losses {
                sum = self.g.add(sum, *part);
            }
            sum
        };
        let mut rates = Vec::new();
        let mut beginning = Vec::new();
        let mut readings = Vec::new();
        let mut momentum = Vec::new();
        let transitions = self.transitions(name)?;
        let pressing: Vec<usize> = formulas
            .active
            .iter()
            .copied()
            .filter(|index| self.mechanics.elements[*index].law == Law::Felt)
            .collect();
        let springs = formulas.active.iter().copied();
        let springs: Vec<(usize, [f64; 2])> = springs
            .map(|index| (index, &self.mechanics.elements[index]))
            .filter(|(_, element)| element.law == Law::Spring)
            .map(|(index, element)| (index, [element.stiffness, element.damping]))
            .collect();
        let moved = pressing.iter().copied().chain(springs.iter().map(|(index, _)| *index));
        let mobility: Vec<Id> = moved
            .map(|index| {
                let gradient = &self.mechanics.elements[index].gradient;
                let answer = self.g.solve(&self.mechanics.mass, gradient);
                self.g.dot(gradient, &answer)
            })
            .collect();
        let reduced = TRANSITIONS + GUARDS + 2 * pressing.len() + mobility.len();
        let mut first_rates = reduced;
        for moving in &formulas.moving {
            let replaced = {
                let mut outputs = moving.acceleration.clone();
                outputs.extend([moving.drive, loss]);
                self.g.all_replaced(&outputs, &formulas.closed)
            };
            let mut outputs: Vec<Id> = formulas
                .rates
                .iter()
                .zip(&replaced)
                .flat_map(|(rate, acceleration)| [*rate, *acceleration])
                .collect();
            outputs.extend(&replaced[n..]);
            rates.push(self.assembler.program(self.g, &outputs)?);
            let moved = outputs;

            let scope = Scope {
                forces: Some(&moving.forces),
                ..Scope::events(self.numbers, self.geometry)
            };
            let far = self.g.number(f64::INFINITY);
            let mut outputs = vec![far; TRANSITIONS + GUARDS];
            for (output, transition) in outputs.iter_mut().zip(&transitions) {
                let holds = scope.condition(self.g, &transition.when)?;
                *output = self.g.neg(holds);
            }
            for (output, when) in outputs[TRANSITIONS..].iter_mut().zip(guards) {
                *output = scope.condition(self.g, when)?;
            }
            for index in &pressing {
                let element = &self.mechanics.elements[*index];
                outputs.extend([element.compression, element.rate]);
            }
            outputs.extend(&mobility);
            if !self.mechanics.frictions.is_empty() {
                outputs.extend(&formulas.statics);
                outputs.extend(formulas.reduced.iter().flatten());
                for (slide, friction) in formulas.slides.iter().zip(&self.mechanics.frictions) {
                    outputs.extend(slide);
                    outputs.push(friction.largest(self.g, &scope)?);
                }
            }
            first_rates = outputs.len();
            let mut outputs = self.g.all_replaced(&outputs, &formulas.closed);
            outputs.extend(moved);
            beginning.push(self.assembler.lasting(self.g, &outputs)?);

            let outputs = self.readings(&formulas, moving)?;
            readings.push(self.program(&formulas, &outputs)?);
        }
        for after in &formulas.momentum {
            let outputs = self.g.all_replaced(after, &formulas.placed);
            momentum.push(self.assembler.program(self.g, &outputs)?);
        }
        let energy = self.program(&formulas, &[formulas.kinetic, formulas.potential])?;
        let close = self.assembler.program(self.g, &formulas.close)?;
        let mut outputs = formulas.statics.clone();
        outputs.extend(formulas.reduced.iter().flatten());
        let statics = self.program(&formulas, &outputs)?;
        let mut switched = Vec::new();
        for event in self.file.event.iter().filter(|event| event.when.get_ref().contains("->")) {
            let (from, to) = ends(event)?;
            if from == name {
                let to = submodel_index(
                    self.file,
                    &toml::Spanned::new(event.when.span(), to.to_owned()),
                )?;
                switched.push((to, self.happening(event, &formulas.closed)?));
            } else if !submodel_names(self.file).iter().any(|other| other == from) {
                let names = submodel_names(self.file);
                return Err(Fault::at(
                    &event.when.span(),
                    unknown("submodel", from, names.iter().map(String::as_str)),
                ));
            }
        }
        let scope = Scope::events(self.numbers, self.geometry);
        let transitions: Result<Vec<Transition>> = transitions
            .iter()
            .map(|transition| {
                let otherwise = match (&transition.only_if, &transition.otherwise) {
                    (None, None) => None,
                    (Some(only_if), Some(otherwise)) => {
                        let holds = scope.condition(self.g, only_if)?;
                        Some((
                            submodel_index(self.file, otherwise)?,
                            self.program(&formulas, &[holds])?,
                        ))
                    }
                    _ => {
                        return Err(Fault::at(
                            &transition.when.span(),
                            "a transition has both if and else, or neither",
                        ));
                    }
                };
                Ok(Transition {
                    to: submodel_index(self.file, &transition.to)?,
                    otherwise,
                    map: transition.map,
                })
            })
            .collect();
        Ok(Submodel {
            name: intern(name),
            is_closed: !held.is_empty(),
            dependent: formulas.dependent.clone(),
            independent: formulas.independent.clone(),
            substeps: written
                .and_then(|submodel| submodel.substeps)
                .or(self.file.substeps)
                .unwrap_or(1)
                .clamp(1, 64),
            rates: both(rates)?,
            beginning: both(beginning)?,
            pressing: pressing.iter().map(|index| self.pressing(*index)).collect(),
            reduced,
            first_rates,
            springs,
            fastest: 0.0,
            close,
            momentum: both(momentum)?,
            energy,
            readings: both(readings)?,
            statics,
            transitions: transitions?,
            switched,
        })
    }

    fn pressing(&self, element: usize) -> Pressing {
        let Element { felt, mass, is_impact, splits, .. } = self.mechanics.elements[element];
        Pressing { element, felt, mass, is_impact, splits }
    }

    /// The transitions out of the submodel `name`.
    fn transitions(&self, name: &str) -> Result<Vec<&'a crate::file::Transition>> {
        let all: Vec<_> = self
            .file
            .transition
            .iter()
            .filter(|transition| transition.from.get_ref() == name)
            .collect();
        match all.get(TRANSITIONS) {
            Some(more) => Err(Fault::at(
                &more.from.span(),
                format!("at most {TRANSITIONS} transitions out of a submodel"),
            )),
            None => Ok(all),
        }
    }

    /// Energies, force of the drive, contact force, height and speed of the hammer, forces and losses of the elements,
    /// shown coordinates and their rates.
    fn readings(&mut self, formulas: &Formulas, moving: &Moving) -> Result<Vec<Id>> {
        let n = self.geometry.coordinates.len();
        let scope =
            Scope { forces: Some(&moving.forces), ..Scope::positions(self.numbers, self.geometry) };
        let readings = &self.file.readings;
        let force = scope.scalar_or(self.g, readings.contact_force.as_ref(), f64::NAN)?;
        let hammer = scope.scalar_or(self.g, readings.hammer.as_ref(), f64::NAN)?;
        let speed = match readings.hammer {
            Some(_) => self.g.rate(hammer, n),
            None => hammer,
        };
        let mut outputs =
            vec![formulas.kinetic, formulas.potential, moving.drive, force, hammer, speed];
        for (element, loss) in self.mechanics.elements.iter().zip(&formulas.losses) {
            outputs.extend([moving.forces[&element.name], *loss]);
        }
        if readings.q.len() > SHOWN {
            return Err(Fault::at(
                &readings.q[SHOWN].span(),
                format!("at most {SHOWN} coordinates are shown"),
            ));
        }
        for index in 0..SHOWN {
            let shown = scope.scalar_or(self.g, readings.q.get(index), f64::NAN)?;
            outputs.push(shown);
            let rate = if index < readings.q.len() { self.g.rate(shown, n) } else { shown };
            outputs.push(rate);
        }
        Ok(outputs)
    }

    /// Bend, pressure at a pipe's foot, lift of the damper and opening of the valve, of the values in the state.
    pub(crate) fn ports(&mut self) -> Result<Program> {
        let play = &self.file.play;
        let scope = Scope::positions(self.numbers, self.geometry);
        let damper = play.damper.as_ref().or(play.valve.as_ref());
        let damper = scope.scalar_or(self.g, damper, 1.0)?;
        let bend = scope.scalar_or(self.g, play.bend.as_ref(), 0.0)?;
        let valve = scope.scalar_or(self.g, play.valve.as_ref(), f64::NAN)?;
        let pressure = scope.scalar_or(self.g, play.pressure.as_ref(), 0.0)?;
        self.assembler.program(self.g, &[bend, pressure, damper, valve])
    }

    /// The conditions of events, and the events of each. Opposite conditions share a guard: at its sign change one of
    /// them happens. The events take their values from the state, in whatever submodel.
    pub(crate) fn guards(&mut self) -> Result<(Vec<&'a Text>, Vec<Guard>)> {
        let scope = Scope::events(self.numbers, self.geometry);
        let (mut texts, mut guards, mut formulas): (Vec<&Text>, Vec<Guard>, Vec<Option<Id>>) =
            Default::default();
        for event in self.file.event.iter().filter(|event| !event.when.get_ref().contains("->")) {
            let happening = self.happening(event, &HashMap::new())?;
            // A condition on forces differs between submodels and has a guard of its own.
            let formula = scope.condition(self.g, &event.when).ok();
            let opposite = formula.map(|formula| self.g.neg(formula));
            let known = |wanted: Option<Id>| {
                wanted.and_then(|wanted| formulas.iter().position(|other| *other == Some(wanted)))
            };
            match (known(formula), known(opposite)) {
                (Some(same), _) => guards[same].push((true, happening)),
                (None, Some(other)) => guards[other].push((false, happening)),
                (None, None) => {
                    if guards.len() == GUARDS {
                        let message = format!("at most {GUARDS} different conditions of events");
                        return Err(Fault::at(&event.when.span(), message));
                    }
                    texts.push(&event.when);
                    formulas.push(formula);
                    guards.push(vec![(true, happening)]);
                }
            }
        }
        Ok((texts, guards))
    }

    fn happening(&mut self, event: &Event, closed: &HashMap<u16, Id>) -> Result<Happening> {
        let kind = event.kind.get_ref();
        let found = EventKind::ALL
            .iter()
            .find(|other| other.name() == kind && **other != EventKind::Damper);
        let Some(kind) = found else {
            let names = EventKind::ALL.iter().map(|kind| kind.name());
            return Err(Fault::at(&event.kind.span(), unknown("event", kind, names)));
        };
        let scope = Scope::events(self.numbers, self.geometry);
        let only_if = match &event.only_if {
            Some(only_if) => scope.condition(self.g, only_if)?,
            None => self.g.number(1.0),
        };
        let value = scope.scalar_or(self.g, event.value.as_ref(), 0.0)?;
        let outputs = self.g.all_replaced(&[only_if, value], closed);
        Ok(Happening { kind: *kind, program: self.assembler.program(self.g, &outputs)? })
    }
}

/// Both submodels of an event at a transition.
fn ends(event: &Event) -> Result<(&str, &str)> {
    let (from, to) = event.when.get_ref().split_once("->").unwrap_or_default();
    Ok((from.trim(), to.trim()))
}

fn both(programs: Vec<Program>) -> Result<[Program; 2]> {
    programs.try_into().map_err(|_| Fault::new("a submodel has two drives"))
}
