//! A contact, spring, drag or rigid coupling: its law, and the formulas of its compression.

use crate::error::{Fault, Result};
use crate::file::{Contact, Law};
use crate::geometry::Geometry;
use crate::graph::{Graph, Id, registers};
use crate::scope::Scope;
use std::ops::Range;
use touchback_core::mech::felt::Felt;

/// A force along a compression.
#[derive(Debug)]
pub(crate) struct Element {
    pub name: String,
    pub at: Range<usize>,
    pub law: Law,
    pub is_torque: bool,
    pub is_impact: bool,
    pub splits: bool,
    /// Moved mass that the file gives for its substeps, kg.
    pub mass: Option<f64>,
    pub compression: Id,
    pub rate: Id,
    /// ∂ξ/∂q.
    pub gradient: Vec<Id>,
    pub felt: u16,
    pub stiffness: f64,
    pub damping: f64,
    pushes_only: bool,
    /// Submodels in which it acts; all if empty.
    pub within: Vec<String>,
    /// Index of the coordinate that a rigid contact determines.
    pub closes: usize,
}

/// Reads a contact, whose compression is known.
pub(crate) fn element(
    g: &mut Graph,
    contact: &Contact,
    scope: &Scope<'_>,
    geometry: &Geometry,
    compression: Id,
) -> Result<Element> {
    let here = contact.name.span();
    let n = geometry.coordinates.len();
    let mut positive = |scalar: &Option<_>, what: &str, least: f64| -> Result<f64> {
        let value = scope.constant_or(g, scalar.as_ref(), least)?;
        if value < least {
            return Err(Fault::at(
                &here,
                format!("{what} of {:?} is {value}, at least {least}", contact.name.get_ref()),
            ));
        }
        Ok(value)
    };
    let stiffness = positive(&contact.stiffness, "stiffness", 0.0)?;
    let damping = positive(&contact.damping, "damping", 0.0)?;
    let hysteresis = positive(&contact.hysteresis, "hysteresis", 0.0)?;
    let reversal_growth = positive(&contact.reversal_growth, "reversal_growth", 0.0)?;
    let exponent = positive(&contact.exponent, "exponent", 1.0)?;
    let mut felt =
        Felt { hysteresis, exponent, reversal_growth, ..Felt::new(stiffness, 1.0, damping) };
    felt.reversal_speed =
        scope.constant_or(g, contact.reversal_speed.as_ref(), felt.reversal_speed)?;
    let mass = contact.mass.as_ref().map(|mass| scope.constant(g, mass)).transpose()?;
    match contact.law {
        Law::Felt if !(stiffness > 0.0) => {
            return Err(Fault::at(&here, "a felt needs a stiffness above 0, N/m^exponent"));
        }
        Law::Felt if exponent > 6.0 || hysteresis >= 1.0 || !(felt.reversal_speed > 0.0) => {
            return Err(Fault::at(
                &here,
                "a felt has an exponent of 1 to 6, a hysteresis below 1 and a reversal_speed above 0",
            ));
        }
        _ => {}
    }
    if contact.split && !contact.impact {
        return Err(Fault::at(&here, "split needs impact = true: it ends a substep of an impact"));
    }
    let closes = match (&contact.closes, contact.law) {
        (Some(name), Law::Rigid) => {
            let index = geometry
                .index(name.get_ref())
                .map_err(|fault| Fault::at(&name.span(), fault.message))?;
            if index == 0 {
                return Err(Fault::at(
                    &name.span(),
                    "the port's coordinate is independent: close another one",
                ));
            }
            index
        }
        (None, Law::Rigid) => {
            return Err(Fault::at(
                &here,
                "a rigid contact needs closes = \"COORDINATE\": the one that it determines",
            ));
        }
        (Some(name), _) => {
            return Err(Fault::at(
                &name.span(),
                "only a contact of the law \"rigid\" closes a coordinate",
            ));
        }
        (None, _) => 0,
    };
    let gradient = registers(n).map(|k| g.derivative(compression, k)).collect();
    let index = u16::try_from(g.felts.len()).map_err(|_| Fault::at(&here, "too many contacts"))?;
    g.felts.push(felt);
    Ok(Element {
        name: contact.name.get_ref().clone(),
        at: here,
        law: contact.law,
        is_torque: contact.torque,
        is_impact: contact.impact,
        splits: contact.split,
        mass,
        compression,
        rate: g.rate(compression, n),
        gradient,
        felt: index,
        stiffness,
        damping,
        pushes_only: contact.pushes_only,
        within: contact.within.iter().map(|name| name.get_ref().clone()).collect(),
        closes,
    })
}

impl Element {
    /// Force, N, dissipated power, W, and stored energy, J.
    pub(crate) fn law(&self, g: &mut Graph) -> (Id, Id, Id) {
        if self.law == Law::Felt {
            let [force, loss] = g.contact(self.felt, self.compression, self.rate);
            return (force, loss, g.energy(self.felt, self.compression));
        }
        let (stiffness, damping) = (g.number(self.stiffness), g.number(self.damping));
        let elastic = g.mul(stiffness, self.compression);
        let drag = g.mul(damping, self.rate);
        let mut force = g.add(elastic, drag);
        let mut resisting = drag;
        if self.pushes_only {
            let zero = g.number(0.0);
            force = g.max(force, zero);
            resisting = g.sub(force, elastic);
        }
        let loss = g.mul(resisting, self.rate);
        let half = g.number(0.5);
        let product = g.mul(elastic, self.compression);
        (force, loss, g.mul(half, product))
    }

    /// Whether the element acts at any compression.
    pub(crate) fn is_two_sided(&self) -> bool {
        self.law == Law::Spring && !self.pushes_only
    }

    /// Whether the element may dissipate energy.
    pub(crate) fn is_lossy(&self) -> bool {
        self.law == Law::Felt || (self.law == Law::Spring && self.damping > 0.0)
    }
}
