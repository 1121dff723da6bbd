//! One key of a mechanism, built: the programs of its submodels.

use crate::assembler::Assembler;
use crate::dynamics::Mechanics;
use crate::error::{Fault, Result};
use crate::file::{Beginning, File, Law, Text};
use crate::geometry::Geometry;
use crate::graph::{Graph, Id, Node};
use crate::names::{intern, intern_elements, unknown};
use crate::numbers::Numbers;
use crate::program::{NOTE_DEPTH, NOTE_SPEED, Program, Registers, registers};
use crate::scope::Scope;
use crate::submodel::{Guard, Submodel};
use std::collections::HashMap;
use touchback_action::interface::elements;
use touchback_action::interface::finger::{HOLD, RISEN, STIFFNESS};
use touchback_action::interface::graph::Transition;
use touchback_action::interface::press::Voice;
use touchback_core::mech::felt::Felt;

/// Most submodels.
pub(crate) const SUBMODELS: usize = 32;
/// Most elements, as [`elements::Elements`] holds.
const ELEMENTS: usize = 40;
/// A state to begin with.
#[derive(Debug)]
pub(crate) struct Constructed {
    pub submodel: u8,
    pub otherwise: Option<u8>,
    /// State indices of the values.
    pub states: Vec<usize>,
    /// Values, then the condition.
    pub program: Program,
}

/// What players need to know of the key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayNumbers {
    pub dip: f64,
    pub repeat_depth: f64,
    /// Force of a finger that holds the key, N.
    pub hold: f64,
    pub mass: Option<f64>,
    pub ratio: f64,
    pub throw: f64,
    pub flight: f64,
    pub has_bed: bool,
    pub voice: Voice,
    /// The key bends its string or blows a pipe.
    pub has_ports: bool,
    pub damper_depth: Option<f64>,
    pub has_damper: bool,
}

/// A part to draw: its name and the points of its line.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub name: &'static str,
    pub points: usize,
}

/// A contact to draw at two points.
#[derive(Debug)]
pub(crate) struct Touching {
    pub name: &'static str,
    /// Whether it acts in each submodel.
    pub acts: Vec<bool>,
    /// Whether it acts at any compression.
    pub is_two_sided: bool,
}

/// One key.
#[derive(Debug)]
pub(crate) struct Built {
    pub coordinates: usize,
    /// Index of the state that is the time in the submodel, if a condition or an event uses it.
    pub time: Option<usize>,
    pub felts: Vec<Felt>,
    pub submodels: Vec<Submodel>,
    /// Events by index of the guard.
    pub guards: Vec<Guard>,
    /// Lift of the damper, bend and opening of the valve, of the values in the state.
    pub ports: Program,
    pub elements: &'static [elements::Element],
    pub friction: usize,
    pub initial: Registers,
    pub front: f64,
    pub strike: Option<Constructed>,
    pub rise: Option<Constructed>,
    pub play: PlayNumbers,
    pub drawn: Vec<Drawn>,
    pub touching: Vec<Touching>,
    /// Points of `drawn`, then points and compression of each of `touching`.
    pub outlines: Program,
    pub start: Vec<f64>,
    /// Names of the submodels, and transitions, for people.
    pub graph: (Vec<&'static str>, Vec<Transition>),
}

/// Everything that the parts of a key are built from.
pub(crate) struct Builder<'a> {
    pub file: &'a File,
    pub numbers: &'a Numbers,
    pub geometry: &'a Geometry,
    pub mechanics: &'a Mechanics,
    pub g: &'a mut Graph,
    pub assembler: Assembler,
}

/// Submodels of `file`: at least one.
pub(crate) fn submodel_names(file: &File) -> Vec<String> {
    if file.submodel.is_empty() {
        return vec!["moving".into()];
    }
    file.submodel.iter().map(|submodel| submodel.name.get_ref().clone()).collect()
}

/// Index of the submodel `name`.
pub(crate) fn submodel_index(file: &File, name: &Text) -> Result<u8> {
    let names = submodel_names(file);
    let index = names.iter().position(|other| other == name.get_ref());
    index.and_then(|index| u8::try_from(index).ok()).ok_or_else(|| {
        Fault::at(
            &name.span(),
            unknown("submodel", name.get_ref(), names.iter().map(String::as_str)),
        )
    })
}

/// Builds a key of `file` with `numbers`.
pub(crate) fn build(file: &File, numbers: &Numbers) -> Result<Built> {
    let mut g = Graph::default();
    let mut geometry = Geometry::new(&mut g, file, numbers)?;
    geometry.measure(&mut g, file, numbers)?;
    let mechanics = Mechanics::new(&mut g, file, numbers, &geometry)?;
    let mut builder = Builder {
        file,
        numbers,
        geometry: &geometry,
        mechanics: &mechanics,
        g: &mut g,
        assembler: Assembler::default(),
    };
    let count = mechanics.elements.len() + mechanics.frictions.len();
    if count > ELEMENTS {
        return Err(Fault::new(format!("{count} contacts and frictions: at most {ELEMENTS}")));
    }
    let names = submodel_names(file);
    let mut submodels = Vec::new();
    let (conditions, guards) = builder.guards()?;
    for (index, name) in names.iter().enumerate() {
        submodels.push(builder.submodel(name, file.submodel.get(index), &conditions)?);
    }
    let ports = builder.ports()?;
    let strike = file.strike.as_ref().map(|strike| builder.constructed(strike)).transpose()?;
    let rise = file.rise.as_ref().map(|rise| builder.constructed(rise)).transpose()?;
    let play = builder.play()?;
    let (drawn, touching, outlines) = builder.drawing()?;
    let Builder { assembler, .. } = builder;
    let mut initial = registers();
    assembler.preload(&mut initial);
    let front = front_mass(file, &geometry, numbers)?;
    let list = mechanics.elements.iter().map(|element| {
        let name = intern(&element.name.replace([' ', '-'], "_"));
        let shown = if element.is_torque {
            elements::Element::torque(name)
        } else {
            elements::Element::force(name)
        };
        if element.is_lossy() { shown } else { shown.lossless() }
    });
    let frictions = mechanics.frictions.iter().map(|friction| {
        let name = intern(&friction.name.replace([' ', '-'], "_"));
        if friction.is_torque {
            elements::Element::torque(name)
        } else {
            elements::Element::force(name)
        }
    });
    let time = geometry.time().ok().filter(|time| g.find(Node::Input(*time)).is_some());
    Ok(Built {
        coordinates: geometry.coordinates.len(),
        time: time.map(usize::from),
        elements: intern_elements(list.chain(frictions).collect()),
        friction: mechanics.frictions.len(),
        submodels,
        guards,
        ports,
        initial,
        front,
        strike,
        rise,
        play,
        drawn,
        touching,
        outlines,
        start: geometry.start.clone(),
        graph: (Vec::new(), Vec::new()),
        felts: g.felts,
    })
}

/// The port's own mass at its coordinate, kg.
fn front_mass(file: &File, geometry: &Geometry, numbers: &Numbers) -> Result<f64> {
    let scope = Scope::numbers(numbers);
    let arm = scope.constant_or(&mut Graph::default(), file.port.arm.as_ref(), 1.0)?;
    let port = &geometry.bodies[0];
    let slides =
        file.body.iter().any(|body| *body.name.get_ref() == port.name && body.slide.is_some());
    let front = if slides { port.mass } else { port.inertia } / (arm * arm);
    if !(front > 0.0) {
        return Err(Fault::at(
            &file.port.body.span(),
            "the port's body needs an inertia (pinned) or a mass (sliding) above 0",
        ));
    }
    Ok(front)
}

impl Builder<'_> {
    fn constructed(&mut self, beginning: &Beginning) -> Result<Constructed> {
        let own = [("speed", NOTE_SPEED), ("depth", NOTE_DEPTH)];
        let scope = Scope { own: &own, ..Scope::numbers(self.numbers) };
        let (mut states, mut outputs) = (Vec::new(), Vec::new());
        for (name, value) in &beginning.set {
            let (coordinate, is_speed) = match name.strip_suffix(".speed") {
                Some(coordinate) => (coordinate, 1),
                None => (name.as_str(), 0),
            };
            let index = self
                .geometry
                .index(coordinate)
                .map_err(|fault| Fault::at(&value.span(), fault.message))?;
            states.push(2 * index + is_speed);
            outputs.push(scope.scalar(self.g, value)?);
        }
        let submodel = submodel_index(self.file, &beginning.submodel)?;
        let otherwise = match (&beginning.only_if, &beginning.otherwise) {
            (None, None) => None,
            (Some(only_if), Some(otherwise)) => {
                let scope = Scope { own: &own, ..Scope::positions(self.numbers, self.geometry) };
                let holds = scope.condition(self.g, only_if)?;
                // Of the values that are set, not of those in the registers.
                let set: HashMap<u16, Id> = states
                    .iter()
                    .zip(&outputs)
                    .filter_map(|(state, id)| Some((u16::try_from(*state).ok()?, *id)))
                    .collect();
                outputs.push(self.g.replaced(holds, &set));
                Some(submodel_index(self.file, otherwise)?)
            }
            _ => {
                return Err(Fault::at(
                    &beginning.submodel.span(),
                    "a beginning has both if and else, or neither",
                ));
            }
        };
        Ok(Constructed {
            submodel,
            otherwise,
            states,
            program: self.assembler.program(self.g, &outputs)?,
        })
    }

    fn play(&mut self) -> Result<PlayNumbers> {
        let play = &self.file.play;
        let scope = Scope::numbers(self.numbers);
        let g = &mut *self.g;
        let dip = scope.constant_or(g, play.dip.as_ref(), 0.01)?;
        let voice = match (&play.plucks, &play.rod, &play.pressure) {
            (None, None, None) => Voice::Hammer,
            (Some(displacement), None, None) => Voice::Plectrum(scope.constant(g, displacement)?),
            (None, Some(mass), None) => Voice::Rod(scope.constant(g, mass)?),
            (None, None, Some(_)) => Voice::Pipe,
            (plucks, rod, pressure) => {
                let last = [plucks, rod, pressure].into_iter().flatten().last();
                return Err(Fault::at(
                    &last.map_or(0..0, toml::Spanned::span),
                    "a key plucks, strikes a rod or blows a pipe: give one of plucks, rod and pressure",
                ));
            }
        };
        Ok(PlayNumbers {
            dip,
            repeat_depth: scope.constant_or(g, play.repeat_depth.as_ref(), RISEN * dip)?,
            hold: scope.constant_or(g, play.hold.as_ref(), HOLD * STIFFNESS)?.clamp(0.0, 20.0),
            mass: play.mass.as_ref().map(|mass| scope.constant(g, mass)).transpose()?,
            ratio: scope.constant_or(g, play.ratio.as_ref(), 1.0)?,
            throw: scope.constant_or(g, play.throw.as_ref(), dip)?,
            flight: scope.constant_or(g, play.flight.as_ref(), 0.0)?,
            has_bed: play.bed.unwrap_or(true),
            voice,
            has_ports: play.bend.is_some() || play.pressure.is_some(),
            damper_depth: play
                .damper_depth
                .as_ref()
                .map(|depth| scope.constant(g, depth))
                .transpose()?,
            has_damper: play.damper.is_some() || play.valve.is_some(),
        })
    }

    /// Lines of the bodies and of the frame, and contacts.
    fn drawing(&mut self) -> Result<(Vec<Drawn>, Vec<Touching>, Program)> {
        let (mut drawn, mut outputs) = (Vec::new(), Vec::new());
        let bodies = self.file.body.iter().map(|body| (body.name.get_ref(), &body.outline));
        for (name, outline) in bodies.chain(&self.file.frame.outlines) {
            if outline.is_empty() {
                continue;
            }
            for point in outline {
                let own = format!("{name}.{}", point.get_ref());
                let framed = format!("frame.{}", point.get_ref());
                let names = [own.as_str(), framed.as_str(), point.get_ref()];
                let found =
                    names.into_iter().find_map(|name| self.geometry.point(self.g, name, None).ok());
                let Some(at) = found else {
                    let fault = self.geometry.point(self.g, &own, None).err();
                    return Err(Fault::at(
                        &point.span(),
                        fault.map_or_else(String::new, |fault| fault.message),
                    ));
                };
                outputs.extend(at);
            }
            drawn.push(Drawn { name: intern(name), points: outline.len() });
        }
        let mut touching = Vec::new();
        let names = submodel_names(self.file);
        for (contact, element) in self.file.contact.iter().zip(&self.mechanics.elements) {
            let Some(points) = contact.at.as_ref().or(contact.between.as_ref()) else { continue };
            for point in points {
                let at = self.geometry.point(self.g, point.get_ref(), None);
                outputs.extend(at.map_err(|fault| Fault::at(&point.span(), fault.message))?);
            }
            outputs.push(element.compression);
            let is_held = |index: usize| {
                let holds = self.file.submodel.get(index).map(|submodel| &submodel.holds);
                holds.is_some_and(|holds| holds.iter().any(|held| *held.get_ref() == element.name))
            };
            let acts = names.iter().enumerate().map(|(index, name)| match element.law {
                Law::Rigid => is_held(index),
                Law::Felt | Law::Spring => {
                    element.within.is_empty() || element.within.contains(name)
                }
            });
            touching.push(Touching {
                name: intern(&element.name),
                acts: acts.collect(),
                is_two_sided: element.law == Law::Rigid || element.is_two_sided(),
            });
        }
        let program = self.assembler.program(self.g, &outputs)?;
        Ok((drawn, touching, program))
    }
}
