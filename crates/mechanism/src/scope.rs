//! Meaning of the names in expressions: numbers of the file, positions, forces.

use crate::error::{Fault, Result};
use crate::expression::{self, Condition, Expression};
use crate::file::{Raw, Scalar, Text};
use crate::geometry::Geometry;
use crate::graph::{Binary, Graph, Id, Unary};
use crate::names::unknown;
use crate::numbers::Numbers;
use crate::program::IMPOSED;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the expressions of one place of a file may name.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub numbers: &'a Numbers,
    /// Positions, if they may be named.
    pub geometry: Option<&'a Geometry>,
    /// Forces of the contacts in one submodel, if they may be named.
    pub forces: Option<&'a BTreeMap<String, Id>>,
    /// Names of this place alone, with their registers.
    pub own: &'a [(&'static str, u16)],
    /// Register of the time since the submodel was entered, where it may be named.
    pub time: Option<u16>,
}

const FUNCTIONS: [&str; 24] = [
    "sqrt",
    "abs",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "exp",
    "ln",
    "min",
    "max",
    "clamp",
    "x",
    "y",
    "angle",
    "position",
    "compression",
    "gap",
    "speed",
    "rate",
    "force",
    "distance",
];

impl<'a> Scope<'a> {
    /// Numbers alone.
    pub(crate) const fn numbers(numbers: &'a Numbers) -> Self {
        Self { numbers, geometry: None, forces: None, own: &[], time: None }
    }

    /// Numbers and positions.
    pub(crate) const fn positions(numbers: &'a Numbers, geometry: &'a Geometry) -> Self {
        Self { numbers, geometry: Some(geometry), forces: None, own: &[], time: None }
    }

    /// Numbers, positions and the time in the submodel: for conditions and events.
    pub(crate) fn events(numbers: &'a Numbers, geometry: &'a Geometry) -> Self {
        Self { time: geometry.time().ok(), ..Self::positions(numbers, geometry) }
    }
}

impl Scope<'_> {
    /// The formula of a number or expression.
    pub(crate) fn scalar(&self, g: &mut Graph, scalar: &Scalar) -> Result<Id> {
        self.raw(g, scalar.get_ref(), &scalar.span())
    }

    /// [`Self::scalar`], or a number if there is none.
    pub(crate) fn scalar_or(&self, g: &mut Graph, scalar: Option<&Scalar>, or: f64) -> Result<Id> {
        match scalar {
            Some(scalar) => self.scalar(g, scalar),
            None => Ok(g.number(or)),
        }
    }

    /// A number or expression whose value is known at load.
    pub(crate) fn constant(&self, g: &mut Graph, scalar: &Scalar) -> Result<f64> {
        let id = self.scalar(g, scalar)?;
        match g.value(id) {
            Some(value) if value.is_finite() => Ok(value),
            Some(value) => {
                Err(Fault::at(&scalar.span(), format!("is {value}: a finite number is needed")))
            }
            None => Err(Fault::at(
                &scalar.span(),
                "must be known at load: no positions, speeds or forces",
            )),
        }
    }

    /// [`Self::constant`], or a number if there is none.
    pub(crate) fn constant_or(
        &self,
        g: &mut Graph,
        scalar: Option<&Scalar>,
        or: f64,
    ) -> Result<f64> {
        scalar.map_or(Ok(or), |scalar| self.constant(g, scalar))
    }

    /// Two coordinates, m.
    pub(crate) fn pair(&self, g: &mut Graph, pair: &[Scalar; 2]) -> Result<[f64; 2]> {
        Ok([self.constant(g, &pair[0])?, self.constant(g, &pair[1])?])
    }

    pub(crate) fn raw(&self, g: &mut Graph, raw: &Raw, at: &Range<usize>) -> Result<Id> {
        match raw {
            Raw::Number(value) => Ok(g.number(*value)),
            Raw::Text(text) => expression::expression(text)
                .and_then(|read| self.formula(g, &read))
                .map_err(|fault| Fault::at(at, fault.message)),
        }
    }

    /// The formula that is positive where a condition holds.
    pub(crate) fn condition(&self, g: &mut Graph, text: &Text) -> Result<Id> {
        let read = expression::condition(text.get_ref());
        read.and_then(|Condition(read)| self.formula(g, &read))
            .map_err(|fault| Fault::at(&text.span(), fault.message))
    }

    /// The formula of an expression.
    pub(crate) fn formula(&self, g: &mut Graph, expression: &Expression) -> Result<Id> {
        match expression {
            Expression::Number(value) => Ok(g.number(*value)),
            Expression::Name(name) => self.name(g, name),
            Expression::Quoted(name) => Err(Fault::new(format!(
                "'{name}' stands alone: quotes name a part in a function, as in angle('{name}')"
            ))),
            Expression::Negative(of) => {
                let of = self.formula(g, of)?;
                Ok(g.neg(of))
            }
            Expression::Binary(..) => {
                // Long sums lean to the left: a loop instead of recursion.
                let (mut spine, mut first) = (Vec::new(), expression);
                while let Expression::Binary(sign, left, right) = first {
                    spine.push((*sign, right));
                    first = left;
                }
                let mut a = self.formula(g, first)?;
                for (sign, right) in spine.into_iter().rev() {
                    let b = self.formula(g, right)?;
                    a = match sign {
                        '+' => g.add(a, b),
                        '-' => g.sub(a, b),
                        '*' => g.mul(a, b),
                        '/' => g.div(a, b),
                        _ => g.binary(Binary::Pow, a, b),
                    };
                }
                Ok(a)
            }
            Expression::Call(name, arguments) => self.call(g, name, arguments),
        }
    }

    fn name(&self, g: &mut Graph, name: &str) -> Result<Id> {
        if let Some((_, register)) = self.own.iter().find(|(own, _)| *own == name) {
            return Ok(g.input(*register));
        }
        match name {
            "depth" if self.geometry.is_some() => Ok(g.input(0)),
            "imposed" if self.geometry.is_some() => Ok(g.input(IMPOSED)),
            "time" => match self.time {
                Some(register) => Ok(g.input(register)),
                None => Err(Fault::new("time is known in conditions and in values of events only")),
            },
            _ => self.numbers.value(name).map(|value| g.number(value)),
        }
    }

    fn call(&self, g: &mut Graph, name: &str, arguments: &[Expression]) -> Result<Id> {
        let quoted = |index: usize| match arguments.get(index) {
            Some(Expression::Quoted(part)) => Ok(part.as_str()),
            _ => Err(Fault::new(format!("{name}() needs the name of a part in single quotes"))),
        };
        if matches!(
            name,
            "x" | "y"
                | "angle"
                | "position"
                | "compression"
                | "gap"
                | "speed"
                | "rate"
                | "force"
                | "distance"
        ) {
            let Some(geometry) = self.geometry else {
                return Err(Fault::new(format!("{name}() is not known here: only numbers are")));
            };
            return match name {
                "x" | "y" => {
                    let within = if arguments.len() > 1 { Some(quoted(1)?) } else { None };
                    let [x, y] = geometry.point(g, quoted(0)?, within)?;
                    Ok(if name == "x" { x } else { y })
                }
                "distance" => {
                    let (a, b) = (
                        geometry.point(g, quoted(0)?, None)?,
                        geometry.point(g, quoted(1)?, None)?,
                    );
                    let across = [g.sub(a[0], b[0]), g.sub(a[1], b[1])];
                    let square = g.dot(&across, &across);
                    Ok(g.sqrt(square))
                }
                "angle" => geometry.angle(quoted(0)?),
                "position" => geometry.position(g, quoted(0)?),
                "compression" => geometry.compression(quoted(0)?),
                "gap" => {
                    let compression = geometry.compression(quoted(0)?)?;
                    Ok(g.neg(compression))
                }
                "speed" => {
                    let compression = geometry.compression(quoted(0)?)?;
                    Ok(g.rate(compression, geometry.coordinates.len()))
                }
                "rate" => {
                    let [of] = arguments else {
                        return Err(Fault::new("rate() needs one quantity"));
                    };
                    let of = Self { time: None, ..*self }.formula(g, of)?;
                    Ok(g.rate(of, geometry.coordinates.len()))
                }
                _ => {
                    let part = quoted(0)?;
                    let Some(forces) = self.forces else {
                        return Err(Fault::new(format!(
                            "force('{part}') is not known here: only positions are"
                        )));
                    };
                    forces.get(part).copied().ok_or_else(|| {
                        Fault::new(unknown("contact", part, forces.keys().map(String::as_str)))
                    })
                }
            };
        }
        let values: Result<Vec<Id>> = arguments.iter().map(|of| self.formula(g, of)).collect();
        let computed = match (name, values?.as_slice()) {
            ("sqrt", &[a]) => g.sqrt(a),
            ("abs", &[a]) => g.unary(Unary::Abs, a),
            ("sin", &[a]) => g.sin(a),
            ("cos", &[a]) => g.cos(a),
            ("tan", &[a]) => {
                let (sine, cosine) = (g.sin(a), g.cos(a));
                g.div(sine, cosine)
            }
            ("asin", &[a]) => g.unary(Unary::Asin, a),
            ("acos", &[a]) => g.unary(Unary::Acos, a),
            ("atan", &[a]) => g.unary(Unary::Atan, a),
            ("exp", &[a]) => g.unary(Unary::Exp, a),
            ("ln", &[a]) => g.unary(Unary::Ln, a),
            ("atan2", &[a, b]) => g.binary(Binary::Atan2, a, b),
            ("min", &[a, b]) => g.binary(Binary::Min, a, b),
            ("max", &[a, b]) => g.max(a, b),
            ("clamp", &[a, low, high]) => {
                let above = g.max(a, low);
                g.binary(Binary::Min, above, high)
            }
            _ if FUNCTIONS.contains(&name) => {
                return Err(Fault::new(format!(
                    "{name}() takes another number of arguments than {}",
                    arguments.len()
                )));
            }
            _ => return Err(Fault::new(unknown("function", name, FUNCTIONS))),
        };
        Ok(computed)
    }
}
