//! Positions of the bodies as formulas of the coordinates.
//!
//! Every body turns on a pin, slides along a line or moves freely in the plane, on the frame or on another body. The
//! coordinate of a body that turns is its own angle in the plane, less `angle`, so that the cosine and sine of every
//! coordinate are needed once. Coordinate 0 is the depth of the port, m.

use crate::error::{Fault, Result};
use crate::file::{Body, Contact, File, Text};
use crate::graph::{Graph, Id, registers};
use crate::names::{fault, unknown};
use crate::numbers::Numbers;
use crate::scope::Scope;
use std::collections::BTreeMap;

/// Most coordinates: 26 states hold 12 with their speeds.
pub(crate) const MOST: usize = 12;

/// A body's place and motion.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub name: String,
    /// Origin: pin, origin of the slide, or place of a free body, m.
    pub origin: [Id; 2],
    pub angle: Id,
    pub cosine: Id,
    pub sine: Id,
    pub mass: f64,
    /// Inertia about the origin, kg·m².
    pub inertia: f64,
    pub centre: [f64; 2],
    /// Whether its coordinate is the port.
    pub is_port: bool,
}

/// Formulas of positions, and of compressions once the contacts are known.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    /// Names of the coordinates.
    pub coordinates: Vec<String>,
    /// Values at which the search for rest begins.
    pub start: Vec<f64>,
    pub bodies: Vec<Placed>,
    points: BTreeMap<String, [Id; 2]>,
    compressions: BTreeMap<String, Id>,
}

impl Geometry {
    /// Places all bodies of `file`.
    pub(crate) fn new(g: &mut Graph, file: &File, numbers: &Numbers) -> Result<Self> {
        let mut geometry = Self::default();
        let zero = g.number(0.0);
        geometry.points.insert("frame".into(), [zero, zero]);
        let scope = Scope::numbers(numbers);
        for (name, at) in &file.frame.points {
            let [x, y] = scope.pair(g, at)?;
            geometry.points.insert(format!("frame.{name}"), [g.number(x), g.number(y)]);
        }
        // The port is coordinate 0: its body is placed first.
        let port = file.port.body.get_ref();
        let Some(first) = file.body.iter().find(|body| body.name.get_ref() == port) else {
            let names = file.body.iter().map(|body| body.name.get_ref().as_str());
            return Err(Fault::at(&file.port.body.span(), unknown("body", port, names)));
        };
        if first.on.is_some() || first.free.is_some() {
            return Err(Fault::at(
                &first.name.span(),
                "the port's body is pinned to or slides on the frame",
            ));
        }
        let arm = scope.constant_or(g, file.port.arm.as_ref(), 1.0)?;
        if !(arm.abs() > 0.0) {
            return Err(Fault::at(&file.port.body.span(), "arm must not be 0"));
        }
        geometry.place(g, &scope, first, arm)?;
        for body in file.body.iter().filter(|body| body.name.get_ref() != port) {
            geometry.place(g, &scope, body, 1.0)?;
        }
        Ok(geometry)
    }

    fn place(&mut self, g: &mut Graph, scope: &Scope<'_>, body: &Body, arm: f64) -> Result<()> {
        let name = body.name.get_ref();
        let here = body.name.span();
        let bad = |message: String| Fault::at(&here, message);
        if let Some(message) = fault(name) {
            return Err(bad(message));
        }
        if name == "frame" || self.bodies.iter().any(|other| other.name == *name) {
            return Err(bad(format!("there is already a body {name:?}")));
        }
        let is_port = self.bodies.is_empty();
        let zero = g.number(0.0);
        let one = g.number(1.0);
        let carrier = match &body.on {
            None => Placed {
                name: String::new(),
                origin: [zero, zero],
                angle: zero,
                cosine: one,
                sine: zero,
                mass: 0.0,
                inertia: 0.0,
                centre: [0.0; 2],
                is_port: false,
            },
            Some(on) => self.body(on)?.clone(),
        };
        let turned = scope.constant_or(g, body.angle.as_ref(), 0.0)?;
        let mass = scope.constant_or(g, body.mass.as_ref(), 0.0)?;
        let inertia = scope.constant_or(g, body.inertia.as_ref(), 0.0)?;
        let centre = match &body.centre {
            Some(centre) => scope.pair(g, centre)?,
            None => [0.0; 2],
        };
        let square = centre[0] * centre[0] + centre[1] * centre[1];
        if mass < 0.0 || inertia < 0.0 {
            return Err(bad(format!("mass and inertia of {name:?} must not be negative")));
        }
        if body.slide.is_none() && inertia < mass * square {
            return Err(bad(format!(
                "inertia of {name:?} about its origin, {inertia} kg·m², is less than mass · distance² of its centre, \
                 {} kg·m²",
                mass * square
            )));
        }
        let start = scope.constant_or(g, body.start.as_ref(), 0.0)?;
        let (origin, angle) = match (&body.pin, &body.slide, &body.free) {
            (Some(pin), None, None) => {
                let pin = scope.pair(g, pin)?;
                let origin = carried(g, &carrier, pin);
                let coordinate = self.coordinate(g, name.clone(), start)?;
                let inverse = g.number(1.0 / arm);
                let (turn, base) = (g.mul(coordinate, inverse), g.number(turned));
                (origin, g.add(turn, base))
            }
            (None, Some(slide), None) => {
                let [dx, dy] = scope.pair(g, slide)?;
                let length = libm::hypot(dx, dy);
                if !(length > 0.0) {
                    return Err(bad(format!("slide of {name:?} needs a direction, as in [0, 1]")));
                }
                let at = match &body.at {
                    Some(at) => scope.pair(g, at)?,
                    None => [0.0; 2],
                };
                let coordinate = self.coordinate(g, name.clone(), start)?;
                let base = carried(g, &carrier, at);
                let along = [dx / length / arm, dy / length / arm].map(|d| g.number(d));
                let along = rotated(g, &carrier, along);
                let moved = along.map(|d| g.mul(d, coordinate));
                let base_angle = g.number(turned);
                let angle = g.add(carrier.angle, base_angle);
                ([g.add(base[0], moved[0]), g.add(base[1], moved[1])], angle)
            }
            (None, None, Some(free)) => {
                let [x, y] = scope.pair(g, free)?;
                let across = self.coordinate(g, format!("{name}.x"), x)?;
                let up = self.coordinate(g, format!("{name}.y"), y)?;
                let turn = self.coordinate(g, name.clone(), start)?;
                let base = g.number(turned);
                ([across, up], g.add(turn, base))
            }
            _ => {
                return Err(bad(format!(
                    "body {name:?} needs one of pin = [x, y], slide = [dx, dy], free = [x, y]"
                )));
            }
        };
        let (cosine, sine) = (g.cos(angle), g.sin(angle));
        let placed = Placed {
            name: name.clone(),
            origin,
            angle,
            cosine,
            sine,
            mass,
            inertia,
            centre,
            is_port,
        };
        self.points.insert(name.clone(), origin);
        for (point, at) in &body.points {
            let at = scope.pair(g, at)?;
            self.points.insert(format!("{name}.{point}"), carried(g, &placed, at));
        }
        self.bodies.push(placed);
        Ok(())
    }

    fn coordinate(&mut self, g: &mut Graph, name: String, start: f64) -> Result<Id> {
        let register = registers(MOST).nth(self.coordinates.len());
        let Some(register) = register else {
            return Err(Fault::new(format!("a mechanism has at most {MOST} coordinates")));
        };
        self.coordinates.push(name);
        self.start.push(start);
        Ok(g.input(register))
    }

    fn body(&self, name: &Text) -> Result<&Placed> {
        self.bodies.iter().find(|body| body.name == *name.get_ref()).ok_or_else(|| {
            let names = self.bodies.iter().map(|body| body.name.as_str());
            Fault::at(
                &name.span(),
                format!(
                    "{} (a body stands after the one that carries it)",
                    unknown("body", name.get_ref(), names)
                ),
            )
        })
    }

    /// Register of the time since the submodel was entered: the state after the coordinates.
    pub(crate) fn time(&self) -> Result<u16> {
        registers(MOST).nth(self.coordinates.len()).ok_or_else(|| {
            Fault::new(format!("a mechanism with {MOST} coordinates cannot use the time"))
        })
    }

    /// Index of the coordinate `name`.
    pub(crate) fn index(&self, name: &str) -> Result<usize> {
        self.coordinates.iter().position(|other| other == name).ok_or_else(|| {
            Fault::new(unknown("coordinate", name, self.coordinates.iter().map(String::as_str)))
        })
    }

    /// The coordinate `name`.
    pub(crate) fn position(&self, g: &mut Graph, name: &str) -> Result<Id> {
        let index = self.index(name)?;
        Ok(g.input(registers(MOST).nth(index).unwrap_or(0)))
    }

    /// Angle of the body `name`, rad.
    pub(crate) fn angle(&self, name: &str) -> Result<Id> {
        let body = self.bodies.iter().find(|body| body.name == name);
        body.map(|body| body.angle).ok_or_else(|| {
            Fault::new(unknown("body", name, self.bodies.iter().map(|body| body.name.as_str())))
        })
    }

    /// The point `name`, on the frame or in the axes of the body `within`.
    pub(crate) fn point(&self, g: &mut Graph, name: &str, within: Option<&str>) -> Result<[Id; 2]> {
        let at = self.points.get(name).copied().ok_or_else(|| {
            Fault::new(unknown("point", name, self.points.keys().map(String::as_str)))
        })?;
        let Some(within) = within else { return Ok(at) };
        self.angle(within)?;
        let Some(body) = self.bodies.iter().find(|body| body.name == within) else { return Ok(at) };
        let from = [g.sub(at[0], body.origin[0]), g.sub(at[1], body.origin[1])];
        let x = g.dot(&[body.cosine, body.sine], &from);
        let opposite = g.neg(body.sine);
        Ok([x, g.dot(&[opposite, body.cosine], &from)])
    }

    /// Compression of the contact `name`, m.
    pub(crate) fn compression(&self, name: &str) -> Result<Id> {
        self.compressions.get(name).copied().ok_or_else(|| {
            Fault::new(unknown("contact", name, self.compressions.keys().map(String::as_str)))
        })
    }

    /// Reads the compressions of all contacts of `file`.
    pub(crate) fn measure(&mut self, g: &mut Graph, file: &File, numbers: &Numbers) -> Result<()> {
        for contact in &file.contact {
            let here = contact.name.span();
            let name = contact.name.get_ref();
            if let Some(message) = fault(name) {
                return Err(Fault::at(&here, message));
            }
            let compression = self.compressed(g, contact, numbers)?;
            if self.compressions.insert(name.clone(), compression).is_some() {
                return Err(Fault::at(&here, format!("there is already a contact {name:?}")));
            }
        }
        Ok(())
    }

    fn compressed(&self, g: &mut Graph, contact: &Contact, numbers: &Numbers) -> Result<Id> {
        let scope = Scope::positions(numbers, self);
        let here = contact.name.span();
        match (&contact.compression, &contact.between) {
            (Some(compression), None) => scope.scalar(g, compression),
            (None, Some([a, b])) => {
                let ends: Result<Vec<[Id; 2]>> = [a, b]
                    .into_iter()
                    .map(|name| {
                        self.point(g, name.get_ref(), None)
                            .map_err(|fault| Fault::at(&name.span(), fault.message))
                    })
                    .collect();
                let ends = ends?;
                let direction = match &contact.direction {
                    Some(direction) => scope.pair(g, direction)?,
                    None => [0.0, 1.0],
                };
                let length = libm::hypot(direction[0], direction[1]);
                if !(length > 0.0) {
                    return Err(Fault::at(&here, "direction must not be [0, 0]"));
                }
                let direction = direction.map(|d| g.number(d / length));
                let apart = [g.sub(ends[0][0], ends[1][0]), g.sub(ends[0][1], ends[1][1])];
                let along = g.dot(&direction, &apart);
                let gap = scope.scalar_or(g, contact.gap.as_ref(), 0.0)?;
                Ok(g.sub(along, gap))
            }
            _ => Err(Fault::at(
                &here,
                format!(
                    "contact {:?} needs either compression = \"…\" or between = [\"point\", \"point\"]",
                    contact.name.get_ref()
                ),
            )),
        }
    }
}

/// A vector in the axes of `body`, in the plane.
fn rotated(g: &mut Graph, body: &Placed, [x, y]: [Id; 2]) -> [Id; 2] {
    let opposite = g.neg(body.sine);
    [g.dot(&[body.cosine, opposite], &[x, y]), g.dot(&[body.sine, body.cosine], &[x, y])]
}

/// The point `at` of `body`.
pub(crate) fn carried(g: &mut Graph, body: &Placed, at: [f64; 2]) -> [Id; 2] {
    let at = at.map(|v| g.number(v));
    let [x, y] = rotated(g, body, at);
    [g.add(body.origin[0], x), g.add(body.origin[1], y)]
}
