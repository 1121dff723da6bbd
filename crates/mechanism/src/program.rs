//! A flat program that computes formulas: one operation after another on a file of registers, without allocation.

use crate::error::{Fault, Result};
use crate::graph::{Binary, Graph, Id, Node, Unary};
use crate::table::Table;
use touchback_core::math::trig::direction;
use touchback_core::mech::felt::Felt;

/// Number of registers: a power of two, so that a masked index needs no check.
pub(crate) const REGISTERS: usize = 2048;
const MASK: usize = REGISTERS - 1;

/// Registers of the states, x₀ to x₂₅.
pub(crate) const STATES: usize = 26;
/// Register of the drive: its force, N, or acceleration, m/s².
pub(crate) const DRIVE: u16 = 26;
/// Register of the port's own mass at the key front, kg.
pub(crate) const FRONT: u16 = 27;
/// Register that is 1 under an imposed motion, else 0.
pub(crate) const IMPOSED: u16 = 28;
/// Register of the speed of a note, m/s.
pub(crate) const NOTE_SPEED: u16 = 29;
/// Register of the depth of a rising key, m.
pub(crate) const NOTE_DEPTH: u16 = 30;
/// First of the registers of held friction, a generalized force for each coordinate.
pub(crate) const HELD: u16 = 32;
/// First register of results.
const FIRST: usize = 48;

/// The registers of one key.
pub(crate) type Registers = Box<[f64; REGISTERS]>;

/// Registers at 0.
pub(crate) fn registers() -> Registers {
    Box::new([0.0; REGISTERS])
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Code {
    Unary(Unary),
    Binary(Binary),
    /// a b + c
    MulAdd,
    /// a b − c
    MulSub,
    /// c − a b
    SubMul,
    /// Cosine, and sine in the next register.
    Direction,
    Choose,
    /// Force of felt c at a, b, and loss in the next register.
    Contact,
    Energy,
    /// The register has been written by the operation before.
    Second,
}

#[derive(Clone, Copy, Debug)]
struct Operation {
    code: Code,
    a: u16,
    b: u16,
    c: u16,
}

/// Operations, and the registers of the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    operations: Box<[Operation]>,
    outputs: Box<[u16]>,
}

impl Program {
    /// Computes the results.
    #[inline]
    pub(crate) fn run(&self, felts: &[Felt], r: &mut [f64; REGISTERS]) {
        for (operation, to) in self.operations.iter().zip(FIRST..) {
            let at = |index: u16| usize::from(index) & MASK;
            let (a, b, c) = (r[at(operation.a)], r[at(operation.b)], r[at(operation.c)]);
            let value = match operation.code {
                Code::Binary(Binary::Add) => a + b,
                Code::Binary(Binary::Sub) => a - b,
                Code::Binary(Binary::Mul) => a * b,
                Code::Binary(operation) => operation.at(a, b),
                Code::Unary(operation) => operation.at(a),
                Code::MulAdd => a * b + c,
                Code::MulSub => a * b - c,
                Code::SubMul => c - a * b,
                Code::Choose => {
                    if a > 0.0 {
                        b
                    } else {
                        c
                    }
                }
                Code::Direction => {
                    let (cosine, sine) = if a.abs() <= 1.0 {
                        let v = direction(a);
                        (v.x, v.y)
                    } else {
                        let (sine, cosine) = libm::sincos(a);
                        (cosine, sine)
                    };
                    r[(to + 1) & MASK] = sine;
                    cosine
                }
                Code::Contact => {
                    let contact = felts[usize::from(operation.c)].contact(a, b);
                    r[(to + 1) & MASK] = contact.loss;
                    contact.force
                }
                Code::Energy => felts[usize::from(operation.c)].energy(a),
                Code::Second => continue,
            };
            r[to & MASK] = value;
        }
    }

    /// Result `index` of the last run.
    #[inline]
    pub(crate) fn result(&self, index: usize, r: &[f64; REGISTERS]) -> f64 {
        r[usize::from(self.outputs[index]) & MASK]
    }

    /// Copies the first results of the last run.
    #[inline]
    pub(crate) fn results(&self, r: &[f64; REGISTERS], to: &mut [f64]) {
        for (value, output) in to.iter_mut().zip(&self.outputs) {
            *value = r[usize::from(*output) & MASK];
        }
    }

    /// Number of operations.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }
}

/// Compiles formulas; constants are shared by all programs of a key.
#[derive(Default, Debug)]
pub(crate) struct Assembler {
    constants: Table<u64, u16>,
    most: usize,
}

impl Assembler {
    /// The program that computes `outputs`.
    pub(crate) fn program(&mut self, graph: &Graph, outputs: &[Id]) -> Result<Program> {
        graph.check()?;
        let mut builder = Builder {
            graph,
            assembler: self,
            uses: Table::default(),
            at: Table::default(),
            operations: Vec::new(),
        };
        outputs.iter().for_each(|id| builder.count(*id));
        let outputs: Result<Vec<u16>> = outputs.iter().map(|id| builder.emit(*id)).collect();
        let operations = builder.operations;
        self.most = self.most.max(operations.len());
        if FIRST + self.most + self.constants.len() >= REGISTERS {
            return Err(Fault::new(format!(
                "the mechanism is too large: {} operations and {} constants, at most {} together",
                self.most,
                self.constants.len(),
                REGISTERS - FIRST
            )));
        }
        Ok(Program { operations: operations.into(), outputs: outputs?.into() })
    }

    /// Writes the constants of all programs.
    pub(crate) fn preload(&self, registers: &mut Registers) {
        for (bits, register) in &self.constants {
            registers[usize::from(*register)] = f64::from_bits(*bits);
        }
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    assembler: &'a mut Assembler,
    uses: Table<Id, u32>,
    at: Table<Id, u16>,
    operations: Vec<Operation>,
}

impl Builder<'_> {
    fn count(&mut self, id: Id) {
        let uses = self.uses.entry(id).or_default();
        *uses += 1;
        if *uses == 1 {
            self.graph.node(id).parts().for_each(|part| self.count(part));
        }
    }

    fn push(&mut self, code: Code, [a, b, c]: [u16; 3]) -> Result<u16> {
        let to = FIRST + self.operations.len();
        self.operations.push(Operation { code, a, b, c });
        u16::try_from(to).map_err(|_| Fault::new("the mechanism is too large"))
    }

    /// The factors of a product that nothing else uses.
    fn product(&self, id: Id) -> Option<[Id; 2]> {
        match self.graph.node(id) {
            Node::Binary(Binary::Mul, a, b) if self.uses.get(&id) == Some(&1) => Some([a, b]),
            _ => None,
        }
    }

    fn constant(&mut self, bits: u64) -> Result<u16> {
        if let Some(&register) = self.assembler.constants.get(&bits) {
            return Ok(register);
        }
        let below = REGISTERS - 1 - self.assembler.constants.len().min(REGISTERS - FIRST - 1);
        let register =
            u16::try_from(below).map_err(|_| Fault::new("the mechanism is too large"))?;
        self.assembler.constants.insert(bits, register);
        Ok(register)
    }

    /// The register that holds `id`; its operations are appended where they are not known.
    fn emit(&mut self, id: Id) -> Result<u16> {
        if let Some(&register) = self.at.get(&id) {
            return Ok(register);
        }
        let node = self.graph.node(id);
        let register = match node {
            Node::Input(register) => register,
            Node::Constant(bits) => self.constant(bits)?,
            Node::Binary(Binary::Add, a, b) => match (self.product(a), self.product(b)) {
                (Some([p, q]), _) => self.simple(Code::MulAdd, &[p, q, b])?,
                (None, Some([p, q])) => self.simple(Code::MulAdd, &[p, q, a])?,
                (None, None) => self.simple(Code::Binary(Binary::Add), &[a, b])?,
            },
            Node::Binary(Binary::Sub, a, b) => match (self.product(a), self.product(b)) {
                (_, Some([p, q])) => self.simple(Code::SubMul, &[p, q, a])?,
                (Some([p, q]), None) => self.simple(Code::MulSub, &[p, q, b])?,
                (None, None) => self.simple(Code::Binary(Binary::Sub), &[a, b])?,
            },
            Node::Unary(Unary::Cos | Unary::Sin, a) => {
                let from = self.emit(a)?;
                let pair = [Node::Unary(Unary::Cos, a), Node::Unary(Unary::Sin, a)];
                self.pair(node, Code::Direction, [from, 0, 0], pair)?
            }
            Node::Unary(operation, a) => self.simple(Code::Unary(operation), &[a])?,
            Node::Binary(operation, a, b) => self.simple(Code::Binary(operation), &[a, b])?,
            Node::Choose(a, b, c) => self.simple(Code::Choose, &[a, b, c])?,
            Node::Force(felt, a, b) | Node::Loss(felt, a, b) => {
                let from = [self.emit(a)?, self.emit(b)?, felt];
                let pair = [Node::Force(felt, a, b), Node::Loss(felt, a, b)];
                self.pair(node, Code::Contact, from, pair)?
            }
            Node::Energy(felt, a) => {
                let from = self.emit(a)?;
                self.push(Code::Energy, [from, 0, felt])?
            }
        };
        self.at.insert(id, register);
        Ok(register)
    }

    fn simple(&mut self, code: Code, parts: &[Id]) -> Result<u16> {
        let mut from = [0; 3];
        for (register, part) in from.iter_mut().zip(parts) {
            *register = self.emit(*part)?;
        }
        self.push(code, from)
    }

    /// An operation with two results; both nodes are known after it. Returns the register of `node`.
    fn pair(&mut self, node: Node, code: Code, from: [u16; 3], pair: [Node; 2]) -> Result<u16> {
        let first = self.push(code, from)?;
        let second = self.push(Code::Second, [0; 3])?;
        for (other, register) in pair.into_iter().zip([first, second]) {
            if let Some(id) = self.graph.find(other) {
                self.at.insert(id, register);
            }
        }
        Ok(if node == pair[0] { first } else { second })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_computes_its_formulas_and_shares_pairs() {
        let mut g = Graph::default();
        let x = g.input(0);
        let (c, s) = (g.cos(x), g.sin(x));
        let one = g.dot(&[c, s], &[c, s]);
        let mut assembler = Assembler::default();
        let program = assembler.program(&g, &[one, s]).unwrap();
        let mut r = registers();
        assembler.preload(&mut r);
        for angle in [-3.0, 0.3, 2.0] {
            r[0] = angle;
            program.run(&[], &mut r);
            assert!((program.result(0, &r) - 1.0).abs() < 1e-15);
            assert!((program.result(1, &r) - libm::sin(angle)).abs() < 1e-15);
        }
        assert_eq!(program.len(), 4, "{program:?}");
    }
}
