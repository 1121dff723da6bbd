//! Numbers that are solved for at load, so that a position is as a technician sets it.

use crate::assembler::Assembler;
use crate::error::{Fault, Result};
use crate::expression;
use crate::file::{Closed, File, Law, Regulation};
use crate::geometry::Geometry;
use crate::graph::{Graph, Id, registers};
use crate::names::unknown;
use crate::numbers::Numbers;
use crate::program::registers as values;
use crate::scope::Scope;
use std::collections::BTreeMap;

/// Most trials of a number; seven are usual.
const TRIALS: u32 = 100;

/// The numbers with those of all regulations, in the order of the file.
pub(crate) fn solve(file: &File, mut numbers: Numbers) -> Result<Numbers> {
    let mut fixed = BTreeMap::new();
    // A number that is solved for later, and not written, is in the middle of its range until then.
    for regulation in &file.regulation {
        let name = regulation.number.get_ref();
        if !file.numbers.contains_key(name) {
            let scope = Scope::numbers(&numbers);
            let [low, high] = scope.pair(&mut Graph::default(), &regulation.between)?;
            fixed.insert(name.clone(), 0.5 * (low + high));
        }
    }
    numbers = numbers.with(&fixed);
    for regulation in &file.regulation {
        let name = regulation.number.get_ref().clone();
        let here = regulation.number.span();
        let scope = Scope::numbers(&numbers);
        let [low, high] = scope.pair(&mut Graph::default(), &regulation.between)?;
        let at = |value: f64| {
            let mut fixed = fixed.clone();
            fixed.insert(name.clone(), value);
            excess(file, regulation, &numbers.with(&fixed))
        };
        let (first, last) = (at(low)?, at(high)?);
        if !(first * last <= 0.0) {
            return Err(Fault::at(
                &here,
                format!(
                    "no {name} between {low} and {high} meets {:?}: it is off by {first:.3e} and {last:.3e} at the ends; widen the range",
                    regulation.meets.get_ref()
                ),
            ));
        }
        // The secant method with halved weights (Illinois) keeps the zero between its ends.
        let (mut low, mut high) = ((low, first), (high, last));
        for _ in 0..TRIALS {
            let middle = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let is_between = middle > low.0.min(high.0) && middle < low.0.max(high.0);
            if !is_between || high.1 == 0.0 {
                break;
            }
            let found = at(middle)?;
            if (found > 0.0) == (high.1 > 0.0) {
                low.1 *= 0.5;
            } else {
                low = high;
            }
            let moved = (middle - high.0).abs();
            high = (middle, found);
            if moved < 1e-15 * middle.abs() {
                break;
            }
        }
        fixed.insert(name, high.0);
        numbers = numbers.with(&fixed);
    }
    Ok(numbers)
}

/// Compression of each closed contact, and the index of the coordinate that closes it.
fn closed(file: &File, geometry: &Geometry, holds: &Closed) -> Result<Vec<(Id, usize)>> {
    let rigid = |name: &String| {
        let contacts = file.contact.iter().filter(|contact| contact.law == Law::Rigid);
        let found = contacts.clone().find(|contact| contact.name.get_ref() == name);
        match found.and_then(|contact| contact.closes.as_ref()) {
            Some(coordinate) => Ok((name.clone(), coordinate.get_ref().clone())),
            None => {
                let names = contacts.map(|contact| contact.name.get_ref().as_str());
                Err(Fault::new(unknown("rigid contact", name, names)))
            }
        }
    };
    let pairs: Vec<(String, String)> = match holds {
        Closed::Rigid(names) => names.iter().map(rigid).collect::<Result<_>>()?,
        Closed::By(map) => map.iter().map(|(by, name)| (name.clone(), by.clone())).collect(),
    };
    let pair = |(contact, coordinate): &(String, String)| {
        Ok((geometry.compression(contact)?, geometry.index(coordinate)?))
    };
    pairs.iter().map(pair).collect()
}

/// Left less right side of what a regulation meets.
fn excess(file: &File, regulation: &Regulation, numbers: &Numbers) -> Result<f64> {
    let mut g = Graph::default();
    let mut geometry = Geometry::new(&mut g, file, numbers)?;
    geometry.measure(&mut g, file, numbers)?;
    let scope = Scope::positions(numbers, &geometry);
    let meets = expression::equation(regulation.meets.get_ref())
        .and_then(|read| scope.formula(&mut g, &read))
        .map_err(|fault| Fault::at(&regulation.meets.span(), fault.message))?;
    let mut r = values();
    r.iter_mut().step_by(2).zip(&geometry.start).for_each(|(to, from)| *to = *from);
    for (name, value) in &regulation.set {
        let index =
            geometry.index(name).map_err(|fault| Fault::at(&value.span(), fault.message))?;
        r[2 * index] = scope.constant(&mut g, value)?;
    }
    let (mut open, mut closes) = (Vec::new(), Vec::new());
    if let Some(holds) = &regulation.holds {
        let closed = closed(file, &geometry, holds.get_ref());
        for (contact, coordinate) in
            closed.map_err(|fault| Fault::at(&holds.span(), fault.message))?
        {
            open.push(contact);
            closes.push(coordinate);
        }
    }
    let register: Vec<u16> = registers(geometry.coordinates.len()).collect();
    let matrix: Vec<Vec<Id>> = open
        .iter()
        .map(|id| closes.iter().map(|d| g.derivative(*id, register[*d])).collect())
        .collect();
    let mut outputs = g.solve(&matrix, &open);
    outputs.push(meets);
    let mut assembler = Assembler::default();
    let program = assembler.program(&g, &outputs)?;
    assembler.preload(&mut r);
    let felts = &g.felts;
    for _ in 0..40 {
        program.run(felts, &mut r);
        let mut moved = 0.0f64;
        for (i, d) in closes.iter().enumerate() {
            let correction = program.result(i, &r);
            moved = moved.max(correction.abs());
            r[2 * d] -= correction;
        }
        if moved < 1e-15 {
            break;
        }
    }
    program.run(felts, &mut r);
    let found = program.result(closes.len(), &r);
    if found.is_finite() {
        Ok(found)
    } else {
        Err(Fault::at(
            &regulation.meets.span(),
            "has no finite value: the loop does not close in the range",
        ))
    }
}
