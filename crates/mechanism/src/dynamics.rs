//! The equations of motion, derived from the positions.
//!
//! With the coordinates q and the speeds u = q̇, bodies of mass m and inertia I about their origins P, and the partial
//! velocities J_j = ∂P/∂q_j and ω_j = ∂θ/∂q_j [Kane & Levinson 1985]:
//!
//! M_jk = Σ m J_j·J_k + I ω_j ω_k + m (J_j ω_k + J_k ω_j)·ρ,   ρ = ∂r/∂θ of the vector r from P to the centre of mass,
//! M u̇ = Q − c,   c_j = Σ m J_j·(Ṗ̇' − r θ̇²) + m ω_j ρ·Ṗ̇',   Ṗ̇' = Σ_k (∂Ṗ/∂q_k) u_k.
//!
//! A submodel that holds rigid contacts φ(q) = 0 keeps the speeds of the other coordinates, u = T u_i, so that
//! Tᵀ M T u̇_i = Tᵀ (Q − c − M γ) with the acceleration γ of the dependent ones at u̇_i = 0. Their positions are those that
//! close φ exactly, by Newton's method from the values in the state.

use crate::element::{Element, element};
use crate::error::{Fault, Result};
use crate::file::{File, Law};
use crate::friction::Friction;
use crate::geometry::{Geometry, Placed};
use crate::graph::{Graph, Id, registers};
use crate::numbers::Numbers;
use crate::program::{DRIVE, FRONT, HELD};
use crate::scope::Scope;
use std::collections::{BTreeMap, HashMap};
use touchback_action::GRAVITY;

/// Time in which the stored value of a dependent coordinate returns to that which closes its loop, s: eight steps. Forces
/// use the closed values.
const CLOSING: f64 = 1e-3;

/// Formulas that hold in every submodel.
#[derive(Debug)]
pub(crate) struct Mechanics {
    pub mass: Vec<Vec<Id>>,
    /// Q − c of weight, loads and velocities.
    force: Vec<Id>,
    /// Potential energy of weight and loads.
    potential: Id,
    pub elements: Vec<Element>,
    pub frictions: Vec<Friction>,
}

impl Mechanics {
    /// The formulas of `file`, whose contacts `geometry` has measured.
    pub(crate) fn new(
        g: &mut Graph,
        file: &File,
        numbers: &Numbers,
        geometry: &Geometry,
    ) -> Result<Self> {
        let n = geometry.coordinates.len();
        let zero = g.number(0.0);
        let mut mechanics = Self {
            mass: vec![vec![zero; n]; n],
            force: vec![zero; n],
            potential: zero,
            elements: Vec::new(),
            frictions: Vec::new(),
        };
        for body in &geometry.bodies {
            mechanics.body(g, body, n);
        }
        if let Some(k) = (0..n).find(|k| g.is_zero(mechanics.mass[*k][*k])) {
            return Err(massless(file, k));
        }
        let scope = Scope::positions(numbers, geometry);
        for contact in &file.contact {
            let compression = geometry.compression(contact.name.get_ref())?;
            let element = element(g, contact, &scope, geometry, compression)?;
            mechanics.elements.push(element);
        }
        for load in &file.load {
            let (along, force) = match (&load.along, &load.force, &load.energy) {
                (Some(along), Some(force), None) => {
                    (scope.scalar(g, along)?, scope.constant(g, force)?)
                }
                // The force that lowers the energy.
                (None, None, Some(energy)) => (scope.scalar(g, energy)?, -1.0),
                _ => {
                    let message = format!("load {:?} needs along and force, or energy", load.name);
                    return Err(Fault::new(message));
                }
            };
            let force = g.number(force);
            mechanics.push(g, along, force, n);
        }
        for friction in &file.friction {
            let along = scope.scalar(g, &friction.along)?;
            let direction = registers(n).map(|k| g.derivative(along, k)).collect();
            let name = friction.name.get_ref().clone();
            let (is_torque, bound) = (friction.torque, friction.bound.clone());
            mechanics.frictions.push(Friction { name, is_torque, direction, bound });
        }
        g.check()?;
        Ok(mechanics)
    }

    /// A constant force along a measure.
    fn push(&mut self, g: &mut Graph, along: Id, force: Id, n: usize) {
        for (k, register) in registers(n).enumerate() {
            let by = g.derivative(along, register);
            let part = g.mul(force, by);
            self.force[k] = g.add(self.force[k], part);
        }
        let work = g.mul(force, along);
        self.potential = g.sub(self.potential, work);
    }

    fn body(&mut self, g: &mut Graph, body: &Placed, n: usize) {
        let [mass, inertia, cx, cy] =
            [body.mass, body.inertia, body.centre[0], body.centre[1]].map(|v| g.number(v));
        let opposite = g.neg(body.sine);
        let r = [
            g.dot(&[body.cosine, opposite], &[cx, cy]),
            g.dot(&[body.sine, body.cosine], &[cx, cy]),
        ];
        let rho = [g.neg(r[1]), r[0]];
        let by = |g: &mut Graph, of: Id| -> Vec<Id> {
            registers(n).map(|k| g.derivative(of, k)).collect()
        };
        let (jx, jy) = (by(g, body.origin[0]), by(g, body.origin[1]));
        let turns = by(g, body.angle);
        let velocity = body.origin.map(|p| g.rate(p, n));
        let acceleration = velocity.map(|v| g.rate(v, n));
        let speed = g.rate(body.angle, n);
        let square = g.mul(speed, speed);
        let centripetal = r.map(|r| g.mul(r, square));
        let pulled =
            [g.sub(acceleration[0], centripetal[0]), g.sub(acceleration[1], centripetal[1])];
        let swung = g.dot(&rho, &acceleration);
        for j in 0..n {
            for k in 0..n {
                let straight = g.dot(&[jx[j], jy[j]], &[jx[k], jy[k]]);
                let (a, b) = (g.dot(&[jx[j], jy[j]], &rho), g.dot(&[jx[k], jy[k]], &rho));
                let (a, b) = (g.mul(a, turns[k]), g.mul(b, turns[j]));
                let mixed = g.add(a, b);
                let moved = g.add(straight, mixed);
                let moved = g.mul(mass, moved);
                let both = g.mul(turns[j], turns[k]);
                let turned = g.mul(inertia, both);
                let mut entry = g.add(moved, turned);
                if body.is_port && (j, k) == (0, 0) {
                    entry = g.input(FRONT);
                }
                self.mass[j][k] = g.add(self.mass[j][k], entry);
            }
            let across = g.dot(&[jx[j], jy[j]], &pulled);
            let around = g.mul(turns[j], swung);
            let sum = g.add(across, around);
            let bias = g.mul(mass, sum);
            self.force[j] = g.sub(self.force[j], bias);
        }
        let height = g.add(body.origin[1], r[1]);
        let weight = g.number(-body.mass * GRAVITY);
        self.push(g, height, weight, n);
    }
}

/// What follows from a drive.
#[derive(Debug)]
pub(crate) struct Moving {
    pub acceleration: Vec<Id>,
    /// Force of the drive on the key front, N.
    pub drive: Id,
    pub forces: BTreeMap<String, Id>,
}

/// Formulas of one submodel.
#[derive(Debug)]
pub(crate) struct Formulas {
    /// Positions and speeds of the dependent coordinates, which stand for their values in the state.
    pub closed: HashMap<u16, Id>,
    /// Positions alone.
    pub placed: HashMap<u16, Id>,
    pub dependent: Vec<usize>,
    pub independent: Vec<usize>,
    /// Position and speed of each dependent coordinate.
    pub close: Vec<Id>,
    /// Rate of every coordinate.
    pub rates: Vec<Id>,
    /// Under a force, and under an imposed motion.
    pub moving: [Moving; 2],
    /// Speeds after a plastic impact onto the rigid contacts, under a force and an imposed motion.
    pub momentum: [Vec<Id>; 2],
    /// Force on each independent coordinate, without the drive.
    pub statics: Vec<Id>,
    /// Tᵀ M T.
    pub reduced: Vec<Vec<Id>>,
    /// Direction of each friction along the independent coordinates.
    pub slides: Vec<Vec<Id>>,
    pub kinetic: Id,
    pub potential: Id,
    /// Power dissipated by each element, W.
    pub losses: Vec<Id>,
    /// Indices of the elements that act.
    pub active: Vec<usize>,
}

impl Mechanics {
    /// The formulas of the submodel `name`, which holds the rigid contacts `holds`.
    pub(crate) fn submodel(&self, g: &mut Graph, name: &str, holds: &[usize]) -> Result<Formulas> {
        let n = self.mass.len();
        let zero = g.number(0.0);
        let dependent: Vec<usize> = holds.iter().map(|held| self.elements[*held].closes).collect();
        let independent: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
        let register: Vec<u16> = registers(n).collect();
        let q: Vec<Id> = register.iter().map(|r| g.input(*r)).collect();
        let u: Vec<Id> = register.iter().map(|r| g.input(r + 1)).collect();

        // Speeds and accelerations of the dependent coordinates.
        let of = |rows: &[usize], columns: &[usize]| -> Vec<Vec<Id>> {
            let gradient =
                |row: &usize| columns.iter().map(|k| self.elements[*row].gradient[*k]).collect();
            rows.iter().map(gradient).collect()
        };
        let (by_dependent, by_independent) = (of(holds, &dependent), of(holds, &independent));
        for (row, held) in by_dependent.iter().zip(holds) {
            if row.iter().all(|entry| g.is_zero(*entry)) {
                let element = &self.elements[*held];
                return Err(Fault::at(
                    &element.at,
                    format!(
                        "the coordinate that {:?} closes does not move it: close another one",
                        element.name
                    ),
                ));
            }
        }
        let mut turned = vec![vec![zero; n]; n];
        for (column, i) in independent.iter().enumerate() {
            turned[*i][*i] = g.number(1.0);
            let right: Vec<Id> = by_independent.iter().map(|row| g.neg(row[column])).collect();
            for (d, value) in dependent.iter().zip(g.solve(&by_dependent, &right)) {
                turned[*d][*i] = value;
            }
        }
        let right: Vec<Id> = holds
            .iter()
            .map(|held| {
                let bias = g.rate(self.elements[*held].rate, n);
                g.neg(bias)
            })
            .collect();
        let mut carried = vec![zero; n];
        for (d, value) in dependent.iter().zip(g.solve(&by_dependent, &right)) {
            carried[*d] = value;
        }
        let (placed, closed) = self.closing(g, holds, &dependent, &by_dependent, &turned);
        let close: Vec<Id> = dependent
            .iter()
            .flat_map(|d| [closed[&register[*d]], closed[&(register[*d] + 1)]])
            .collect();
        let rates = (0..n)
            .map(|k| {
                if !dependent.contains(&k) {
                    return u[k];
                }
                let off = g.sub(closed[&register[k]], q[k]);
                let rate = g.number(1.0 / CLOSING);
                let back = g.mul(off, rate);
                g.add(closed[&(register[k] + 1)], back)
            })
            .collect();

        // Forces of the elements.
        let mut force = self.force.clone();
        let mut potential = self.potential;
        let mut known = BTreeMap::new();
        let mut losses = Vec::new();
        let mut active = Vec::new();
        for (index, element) in self.elements.iter().enumerate() {
            let acts =
                element.within.is_empty() || element.within.iter().any(|within| within == name);
            let (pressed, lost, stored) = if acts && element.law != Law::Rigid {
                active.push(index);
                element.law(g)
            } else {
                (zero, zero, zero)
            };
            known.insert(element.name.clone(), pressed);
            losses.push(lost);
            potential = g.add(potential, stored);
            for k in 0..n {
                let part = g.mul(pressed, element.gradient[k]);
                force[k] = g.sub(force[k], part);
            }
        }

        // Tᵀ M T and Tᵀ (Q − c − M γ).
        let columns: Vec<Vec<Id>> =
            independent.iter().map(|i| turned.iter().map(|row| row[*i]).collect()).collect();
        let mut rest = force.clone();
        for k in 0..n {
            let part = g.dot(&self.mass[k], &carried);
            rest[k] = g.sub(rest[k], part);
        }
        let pulled: Vec<Vec<Id>> = columns
            .iter()
            .map(|column| self.mass.iter().map(|row| g.dot(row, column)).collect())
            .collect();
        let reduced: Vec<Vec<Id>> = columns
            .iter()
            .map(|row| pulled.iter().map(|column| g.dot(row, column)).collect())
            .collect();
        let statics: Vec<Id> = columns.iter().map(|column| g.dot(column, &rest)).collect();
        let driven: Vec<Id> = statics
            .iter()
            .zip(HELD..)
            .map(|(force, register)| {
                if self.frictions.is_empty() {
                    return *force;
                }
                let held = g.input(register);
                g.add(*force, held)
            })
            .collect();
        let solved = [self.forced(g, &reduced, &driven), self.imposed(g, &reduced, &driven)];
        let mut moving = solved.into_iter().map(|(reduced, drive)| {
            let mut acceleration = carried.clone();
            for k in 0..n {
                let row: Vec<Id> = independent.iter().map(|i| turned[k][*i]).collect();
                let part = g.dot(&row, &reduced);
                acceleration[k] = g.add(acceleration[k], part);
            }
            let mut forces = known.clone();
            self.reactions(g, holds, &dependent, &by_dependent, &force, &acceleration, &mut forces);
            Moving { acceleration, drive, forces }
        });
        let (Some(first), Some(second)) = (moving.next(), moving.next()) else {
            return Err(Fault::new("a submodel has two drives"));
        };
        drop(moving);
        let moving = [first, second];

        // Momentum along the independent coordinates.
        let momentum: Vec<Id> = pulled.iter().map(|column| g.dot(column, &u)).collect();
        let momentum = [false, true].map(|imposed| {
            let after = if imposed {
                let (inner, mut right) = without_port(&reduced, &momentum);
                for (value, row) in right.iter_mut().zip(&reduced[1..]) {
                    let part = g.mul(row[0], u[0]);
                    *value = g.sub(*value, part);
                }
                let mut all = vec![u[0]];
                all.extend(g.solve(&inner, &right));
                all
            } else {
                g.solve(&reduced, &momentum)
            };
            (0..n)
                .map(|k| {
                    let row: Vec<Id> = independent.iter().map(|i| turned[k][*i]).collect();
                    g.dot(&row, &after)
                })
                .collect()
        });
        let moved: Vec<Id> = self.mass.iter().map(|row| g.dot(row, &u)).collect();
        let twice = g.dot(&moved, &u);
        let half = g.number(0.5);
        let kinetic = g.mul(half, twice);
        let slides = self
            .frictions
            .iter()
            .map(|friction| {
                columns.iter().map(|column| g.dot(column, &friction.direction)).collect()
            })
            .collect();
        g.check()?;
        Ok(Formulas {
            closed,
            placed,
            dependent,
            independent,
            close,
            rates,
            moving,
            momentum,
            statics,
            reduced,
            slides,
            kinetic,
            potential,
            losses,
            active,
        })
    }

    /// Positions, and positions with speeds, that close the rigid contacts `holds`.
    fn closing(
        &self,
        g: &mut Graph,
        holds: &[usize],
        dependent: &[usize],
        by_dependent: &[Vec<Id>],
        turned: &[Vec<Id>],
    ) -> (HashMap<u16, Id>, HashMap<u16, Id>) {
        let register: Vec<u16> = registers(turned.len()).collect();
        let open: Vec<Id> = holds.iter().map(|held| self.elements[*held].compression).collect();
        let corrections = g.solve(by_dependent, &open);
        let mut placed = HashMap::new();
        for (d, correction) in dependent.iter().zip(corrections) {
            let at = g.input(register[*d]);
            let to = g.sub(at, correction);
            placed.insert(register[*d], to);
        }
        let is_linear = by_dependent.iter().flatten().all(|entry| {
            dependent.iter().all(|d| {
                let bend = g.derivative(*entry, register[*d]);
                g.is_zero(bend)
            })
        });
        if !is_linear {
            // Within a step the first correction is below 10⁻⁵ rad, so that the second leaves rounding alone.
            let once = placed.clone();
            placed.values_mut().for_each(|to| *to = g.replaced(*to, &once));
        }
        let mut closed = placed.clone();
        for d in dependent {
            let speeds: Vec<Id> = register.iter().map(|r| g.input(r + 1)).collect();
            let speed = g.dot(&turned[*d], &speeds);
            closed.insert(register[*d] + 1, g.replaced(speed, &placed));
        }
        (placed, closed)
    }

    /// Accelerations of the independent coordinates, and the force, under a force.
    fn forced(&self, g: &mut Graph, reduced: &[Vec<Id>], force: &[Id]) -> (Vec<Id>, Id) {
        let drive = g.input(DRIVE);
        let mut right = force.to_vec();
        right[0] = g.add(right[0], drive);
        (g.solve(reduced, &right), drive)
    }

    /// Accelerations of the independent coordinates, and the force, under an acceleration of the port.
    fn imposed(&self, g: &mut Graph, reduced: &[Vec<Id>], force: &[Id]) -> (Vec<Id>, Id) {
        let given = g.input(DRIVE);
        let (inner, mut right) = without_port(reduced, force);
        for (value, row) in right.iter_mut().zip(&reduced[1..]) {
            let part = g.mul(row[0], given);
            *value = g.sub(*value, part);
        }
        let mut all = vec![given];
        all.extend(g.solve(&inner, &right));
        let needed = g.dot(&reduced[0], &all);
        (all, g.sub(needed, force[0]))
    }

    /// Forces of the rigid contacts `holds`: Aᵀ λ = Q − M u̇ in the dependent coordinates.
    #[expect(clippy::too_many_arguments, reason = "one use")]
    fn reactions(
        &self,
        g: &mut Graph,
        holds: &[usize],
        dependent: &[usize],
        by_dependent: &[Vec<Id>],
        force: &[Id],
        acceleration: &[Id],
        forces: &mut BTreeMap<String, Id>,
    ) {
        let right: Vec<Id> = dependent
            .iter()
            .map(|d| {
                let moved = g.dot(&self.mass[*d], acceleration);
                g.sub(force[*d], moved)
            })
            .collect();
        let transposed: Vec<Vec<Id>> =
            (0..dependent.len()).map(|d| by_dependent.iter().map(|row| row[d]).collect()).collect();
        for (held, reaction) in holds.iter().zip(g.solve(&transposed, &right)) {
            forces.insert(self.elements[*held].name.clone(), reaction);
        }
    }
}

/// The equations of all coordinates but the port's.
fn without_port(matrix: &[Vec<Id>], right: &[Id]) -> (Vec<Vec<Id>>, Vec<Id>) {
    (matrix[1..].iter().map(|row| row[1..].to_vec()).collect(), right[1..].to_vec())
}

/// The fault of a coordinate that nothing resists.
pub(crate) fn massless(file: &File, coordinate: usize) -> Fault {
    // The port is placed first, the others in the order of the file.
    let port = file.port.body.get_ref();
    let mut names: Vec<_> = file.body.iter().filter(|body| body.name.get_ref() == port).collect();
    names.extend(file.body.iter().filter(|body| body.name.get_ref() != port));
    match names.get(coordinate) {
        Some(body) => Fault::at(
            &body.name.span(),
            format!("body {:?} has no inertia: give it mass or inertia", body.name.get_ref()),
        ),
        None => Fault::new("a body has no inertia: give it mass or inertia"),
    }
}
