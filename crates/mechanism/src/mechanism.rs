//! A mechanism read from a file.

use crate::build::{self, Built, SUBMODELS, submodel_index, submodel_names};
use crate::error::{Fault, MechanismError, Result};
use crate::file::File;
use crate::model::{FRICTIONS, KeyModel};
use crate::names::{fault, intern};
use crate::numbers::Numbers;
use crate::{regulation, settle};
use std::sync::Arc;
use touchback_action::interface::graph::Transition;
use touchback_action::interface::mechanism::{MechanismText, Parameter};
use touchback_action::simple::ActionKey;
use touchback_action::{Drive, Key, Mechanism, MechanismFile};
use touchback_core::math::compass::KeyNumber;

/// Largest file, bytes.
const LARGEST: usize = 256 * 1024;
/// Most entries of one kind: bodies, contacts, events and so on.
const ENTRIES: usize = 64;

/// Steps in which a key must come to rest: 1 s.
const SETTLING: u32 = 8000;
/// Depth beyond which a key falls for ever, m.
const LOST: f64 = 1.0;
/// Speed at rest, m/s or rad/s.
const SLOW: f64 = 1e-3;
/// Motion of the key front in a quarter of a second at rest, m.
const CLOSE: f64 = 1e-6;

/// A mechanism read from a file: checked, and ready to make keys of.
#[derive(Debug)]
pub struct Description {
    file: File,
    text: String,
    parameters: Vec<Parameter>,
    submodels: Vec<&'static str>,
    transitions: Vec<Transition>,
}

/// Reads a mechanism. Builds the key in the middle of the compass to check it.
///
/// # Errors
/// The first fault, with its line and remedy.
pub fn read(text: &str) -> std::result::Result<Arc<Description>, MechanismError> {
    let mechanism = parse(text).map_err(|fault| fault.in_text(text))?;
    if let Some(middle) = KeyNumber::from_index(39) {
        mechanism.built(middle, &[]).map_err(|fault| fault.in_text(text))?;
    }
    Ok(Arc::new(mechanism))
}

fn parse(text: &str) -> Result<Description> {
    if text.len() > LARGEST {
        return Err(Fault::new(format!("a mechanism has at most {LARGEST} bytes")));
    }
    let file: File = toml::from_str(text)
        .map_err(|error| Fault { at: error.span(), message: error.message().to_owned() })?;
    check(&file)?;
    let parameters = file.parameter.iter().map(|parameter| {
        let id = parameter.name.get_ref();
        let (min, max, default) = (parameter.min, parameter.max, parameter.default);
        if !(min <= default && default <= max && min < max && (max - min).is_finite()) {
            return Err(Fault::at(
                &parameter.name.span(),
                format!("parameter {id:?}: min {min} ≤ default {default} ≤ max {max} is needed"),
            ));
        }
        let name =
            if parameter.title.is_empty() { id.replace('_', " ") } else { parameter.title.clone() };
        let (unit, about) = (parameter.unit.clone(), parameter.about.clone());
        Ok(Parameter { id: id.clone(), name, unit, min, max, default, about })
    });
    let parameters = parameters.collect::<Result<Vec<_>>>()?;
    let mut transitions = Vec::new();
    for transition in &file.transition {
        let from = submodel_index(&file, &transition.from)?;
        let ends = [Some(&transition.to), transition.otherwise.as_ref()];
        for end in ends.into_iter().flatten() {
            let to = submodel_index(&file, end)?;
            transitions.push(Transition { from, to, when: intern(transition.when.get_ref()) });
        }
    }
    let names = submodel_names(&file);
    for (index, submodel) in (0u8..).zip(&file.submodel) {
        let name = submodel.name.get_ref();
        let here = submodel.name.span();
        if names.len() > 1 && !transitions.iter().any(|transition| transition.from == index) {
            return Err(Fault::at(
                &here,
                format!("submodel {name:?} cannot be left: add a transition from it"),
            ));
        }
        if index > 0 && !transitions.iter().any(|transition| transition.to == index) {
            return Err(Fault::at(
                &here,
                format!("submodel {name:?} is never entered: add a transition to it"),
            ));
        }
    }
    let submodels = names.iter().map(|name| intern(name)).collect();
    Ok(Description { file, text: text.to_owned(), parameters, submodels, transitions })
}

/// Checks names and numbers of entries.
fn check(file: &File) -> Result<()> {
    let counts = [
        file.body.len(),
        file.contact.len(),
        file.load.len(),
        file.transition.len(),
        file.event.len(),
        file.parameter.len(),
        file.regulation.len(),
    ];
    if counts.into_iter().any(|count| count > ENTRIES) || file.numbers.len() > 4 * ENTRIES {
        return Err(Fault::new(format!(
            "at most {ENTRIES} entries of a kind and {} numbers",
            4 * ENTRIES
        )));
    }
    if file.submodel.len() > SUBMODELS || file.friction.len() > FRICTIONS {
        return Err(Fault::new(format!("at most {SUBMODELS} submodels and {FRICTIONS} frictions")));
    }
    let submodels = file.submodel.iter().map(|submodel| &submodel.name);
    let mut seen: Vec<&str> = Vec::new();
    for name in submodels {
        if let Some(message) = fault(name.get_ref()) {
            return Err(Fault::at(&name.span(), message));
        }
        if seen.contains(&name.get_ref().as_str()) {
            return Err(Fault::at(
                &name.span(),
                format!("there is already a submodel {:?}", name.get_ref()),
            ));
        }
        seen.push(name.get_ref());
    }
    for contact in &file.contact {
        for within in &contact.within {
            submodel_index(file, within)?;
        }
    }
    Ok(())
}

impl Description {
    /// What the file says about it.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.file.about
    }

    /// Sources of its numbers.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.file.sources
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn built(&self, key: KeyNumber, values: &[f64]) -> Result<Box<dyn Key>> {
        let given = self.parameters.iter().enumerate().map(|(index, parameter)| {
            let value = values.get(index).copied().filter(|value| value.is_finite());
            let value =
                value.map_or(parameter.default, |value| value.clamp(parameter.min, parameter.max));
            (parameter.id.clone(), value)
        });
        let numbers = Numbers::new(&self.file.numbers, key, given);
        let numbers = regulation::solve(&self.file, numbers)?;
        let mut built = build::build(&self.file, &numbers)?;
        let (rest, is_balanced) = settle::rest(&built, &self.file)?;
        settle::stiffness(&mut built, &self.file, &rest)?;
        built.graph = (self.submodels.clone(), self.transitions.clone());
        let built = Arc::new(built);
        match 2 * built.coordinates + usize::from(built.time.is_some()) {
            0..=6 => self.resting::<8>(built, &rest, is_balanced),
            7..=12 => self.resting::<14>(built, &rest, is_balanced),
            _ => self.resting::<26>(built, &rest, is_balanced),
        }
    }

    /// The key at `rest`; where that is not in balance in the first submodel, the key moves until it rests.
    fn resting<const N: usize>(
        &self,
        built: Arc<Built>,
        rest: &[f64],
        is_balanced: bool,
    ) -> Result<Box<dyn Key>> {
        let mut key = ActionKey::new(KeyModel::<N>::new(built.clone(), 0, rest));
        if is_balanced {
            return Ok(Box::new(key));
        }
        for _ in 0..SETTLING {
            key.step(Drive::Free, &mut |_, _| ());
            // NaN too.
            if !(key.front()[0].abs() < LOST) {
                break;
            }
        }
        let first = key.front()[0];
        (0..SETTLING / 4).for_each(|_| key.step(Drive::Free, &mut |_, _| ()));
        // NaN does not rest either.
        if key.fastest() < SLOW && (key.front()[0] - first).abs() < CLOSE {
            let mut x = key.state.x;
            x.iter_mut().skip(1).step_by(2).for_each(|speed| *speed = 0.0);
            x[N - 2] = 0.0;
            if let Some(time) = built.time {
                x[time] = 0.0;
            }
            let moved = KeyModel::<N>::new(built, key.state.phase, &x);
            return Ok(Box::new(ActionKey::new(moved)));
        }
        Err(Fault::at(
            &self.file.port.body.span(),
            "the mechanism does not come to rest: give it stops, felts that dissipate, and start values nearer to rest",
        ))
    }
}

impl Mechanism for Description {
    fn name(&self) -> &str {
        self.file.name.get_ref()
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn key(&self, key: KeyNumber, values: &[f64]) -> std::result::Result<Box<dyn Key>, String> {
        self.built(key, values).map_err(|fault| fault.in_text(&self.text).to_string())
    }
}

/// Reads the file `source`, and builds its keys.
///
/// # Errors
/// File, line, fault and remedy in one line.
pub fn open(source: MechanismText) -> std::result::Result<MechanismFile, String> {
    let name = source.name.clone();
    let named = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let description = read(&source.text).map_err(|error| named(&error))?;
    MechanismFile::new(source, description).map_err(|error| named(&error))
}
