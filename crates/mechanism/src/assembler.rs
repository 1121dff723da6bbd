//! Compiles formulas into programs.
//!
//! Operations are put in an order in which those of one code stand together as far as their operands allow, and those that
//! depend on held friction last.

use crate::error::{Fault, Result};
use crate::graph::{Binary, Graph, Id, Node, Unary};
use crate::program::{Code, FIRST, HELD, LASTING, Operation, Program, REGISTERS, Registers};
use crate::table::Table;
use std::collections::VecDeque;

/// Compiles formulas; constants are shared by all programs of a key.
#[derive(Default, Debug)]
pub(crate) struct Assembler {
    constants: Table<u64, u16>,
    /// Most results of programs that outlast others.
    most: usize,
}

impl Assembler {
    /// The program that computes `outputs`.
    pub(crate) fn program(&mut self, graph: &Graph, outputs: &[Id]) -> Result<Program> {
        self.compiled(graph, outputs, FIRST)
    }

    /// The program that computes `outputs` in registers that no [`Self::program`] writes.
    pub(crate) fn lasting(&mut self, graph: &Graph, outputs: &[Id]) -> Result<Program> {
        self.compiled(graph, outputs, LASTING)
    }

    fn compiled(&mut self, graph: &Graph, outputs: &[Id], first: usize) -> Result<Program> {
        graph.check()?;
        let mut builder = Builder {
            graph,
            assembler: self,
            uses: Table::default(),
            at: Table::default(),
            drafts: Vec::new(),
        };
        outputs.iter().for_each(|id| builder.count(*id));
        let outputs: Result<Vec<Source>> = outputs.iter().map(|id| builder.emit(*id)).collect();
        let (program, results) = ordered(&builder.drafts, &outputs?, first);
        let (kept, end) = if first == LASTING { (results, REGISTERS) } else { (0, LASTING) };
        self.most = self.most.max(kept);
        if LASTING + self.most + self.constants.len() >= REGISTERS || first + results > end {
            return Err(Fault::new(format!(
                "the mechanism is too large: {results} operations and {} constants",
                self.constants.len(),
            )));
        }
        Ok(program)
    }

    /// Writes the constants of all programs.
    pub(crate) fn preload(&self, registers: &mut Registers) {
        for (bits, register) in &self.constants {
            registers[usize::from(*register)] = f64::from_bits(*bits);
        }
    }
}

/// Where an operand is.
#[derive(Clone, Copy, Debug)]
enum Source {
    Register(u16),
    /// First or second result of a draft.
    Result(usize, usize),
    /// Not a register, but the index of a felt.
    Felt(u16),
}

const NONE: Source = Source::Register(0);

/// An operation without its place.
#[derive(Clone, Copy, Debug)]
struct Draft {
    code: Code,
    from: [Source; 4],
    is_difference: bool,
}

struct Builder<'a> {
    graph: &'a Graph,
    assembler: &'a mut Assembler,
    uses: Table<Id, u32>,
    at: Table<Id, Source>,
    drafts: Vec<Draft>,
}

impl Builder<'_> {
    fn count(&mut self, id: Id) {
        let uses = self.uses.entry(id).or_default();
        *uses += 1;
        if *uses == 1 {
            self.graph.node(id).parts().for_each(|part| self.count(part));
        }
    }

    /// The index of a new draft.
    fn push(&mut self, code: Code, from: [Source; 4], is_difference: bool) -> usize {
        self.drafts.push(Draft { code, from, is_difference });
        self.drafts.len() - 1
    }

    fn constant(&mut self, bits: u64) -> Result<Source> {
        let known = self.assembler.constants.len();
        if LASTING + known >= REGISTERS {
            return Err(Fault::new("the mechanism is too large"));
        }
        let register = u16::try_from(REGISTERS - 1 - known)
            .map_err(|_| Fault::new("the mechanism is too large"))?;
        Ok(Source::Register(*self.assembler.constants.entry(bits).or_insert(register)))
    }

    fn number(&mut self, value: f64) -> Result<Source> {
        self.constant(value.to_bits())
    }

    /// Two factors of `id`: of a product that nothing else uses, or it and 1.
    fn factors(&mut self, id: Id) -> Result<[Source; 2]> {
        match self.graph.node(id) {
            Node::Binary(Binary::Mul, a, b) if self.uses.get(&id) == Some(&1) => {
                Ok([self.emit(a)?, self.emit(b)?])
            }
            _ => Ok([self.emit(id)?, self.number(1.0)?]),
        }
    }

    /// The sum or difference of two products.
    fn linear(&mut self, [a, b]: [Source; 2], [c, d]: [Source; 2], is_difference: bool) -> Source {
        Source::Result(self.push(Code::Linear, [a, b, c, d], is_difference), 0)
    }

    /// Where `id` is; its operations are appended where they are not known.
    fn emit(&mut self, id: Id) -> Result<Source> {
        if let Some(&source) = self.at.get(&id) {
            return Ok(source);
        }
        let node = self.graph.node(id);
        let source = match node {
            Node::Input(register) => Source::Register(register),
            Node::Constant(bits) => self.constant(bits)?,
            Node::Binary(operation @ (Binary::Add | Binary::Sub), a, b) => {
                let (first, second) = (self.factors(a)?, self.factors(b)?);
                self.linear(first, second, operation == Binary::Sub)
            }
            Node::Binary(Binary::Mul, a, b) => {
                let (factors, zero) = ([self.emit(a)?, self.emit(b)?], self.number(0.0)?);
                self.linear(factors, [zero; 2], false)
            }
            Node::Unary(Unary::Neg, a) => {
                let (zero, factors) = (self.number(0.0)?, self.factors(a)?);
                self.linear([zero; 2], factors, true)
            }
            Node::Unary(Unary::Cos | Unary::Sin, a) => {
                let pair = [Node::Unary(Unary::Cos, a), Node::Unary(Unary::Sin, a)];
                self.pair(node, Code::Direction, &[a], NONE, pair)?
            }
            Node::Unary(operation, a) => self.simple(Code::Unary(operation), &[a], NONE)?,
            Node::Binary(operation, a, b) => self.simple(Code::Binary(operation), &[a, b], NONE)?,
            Node::Choose(a, b, c) => {
                let third = self.emit(c)?;
                self.simple(Code::Choose, &[a, b], third)?
            }
            Node::Force(felt, a, b) | Node::Loss(felt, a, b) => {
                let pair = [Node::Force(felt, a, b), Node::Loss(felt, a, b)];
                self.pair(node, Code::Contact, &[a, b], Source::Felt(felt), pair)?
            }
            Node::Energy(felt, a) => self.simple(Code::Energy, &[a], Source::Felt(felt))?,
        };
        self.at.insert(id, source);
        Ok(source)
    }

    fn simple(&mut self, code: Code, parts: &[Id], third: Source) -> Result<Source> {
        let mut from = [NONE, NONE, third, NONE];
        for (source, part) in from.iter_mut().zip(parts) {
            *source = self.emit(*part)?;
        }
        Ok(Source::Result(self.push(code, from, false), 0))
    }

    /// An operation with two results; both nodes are known after it. Returns where `node` is.
    fn pair(
        &mut self,
        node: Node,
        code: Code,
        parts: &[Id],
        third: Source,
        pair: [Node; 2],
    ) -> Result<Source> {
        let Source::Result(draft, _) = self.simple(code, parts, third)? else { return Ok(NONE) };
        for (place, other) in pair.into_iter().enumerate() {
            if let Some(id) = self.graph.find(other) {
                self.at.insert(id, Source::Result(draft, place));
            }
        }
        Ok(Source::Result(draft, usize::from(node != pair[0])))
    }
}

/// The program of `drafts`, which stand after those that they use, and its number of results.
fn ordered(drafts: &[Draft], outputs: &[Source], first: usize) -> (Program, usize) {
    let mut order = Order::new(drafts, first);
    order.take(false);
    let early = [order.runs.len(), order.operations.len(), order.results];
    order.take(true);
    let outputs = outputs.iter().map(|source| order.register(*source)).collect();
    let (runs, operations) = (order.runs.into(), order.operations.into());
    (Program { runs, operations, outputs, first, early }, order.results)
}

/// The order of drafts as far as it is decided.
struct Order<'a> {
    drafts: &'a [Draft],
    first: usize,
    /// Whether each depends on held friction.
    is_held: Vec<bool>,
    /// Number of operands that are not placed.
    waiting: Vec<u32>,
    users: Vec<Vec<usize>>,
    /// Place of the first result of each.
    places: Vec<usize>,
    /// Ready: linear ones, and others.
    ready: [VecDeque<usize>; 2],
    runs: Vec<(Code, u16)>,
    operations: Vec<Operation>,
    results: usize,
}

impl<'a> Order<'a> {
    fn new(drafts: &'a [Draft], first: usize) -> Self {
        let count = drafts.len();
        let mut order = Self {
            drafts,
            first,
            is_held: vec![false; count],
            waiting: vec![0; count],
            users: vec![Vec::new(); count],
            places: vec![0; count],
            ready: Default::default(),
            runs: Vec::new(),
            operations: Vec::with_capacity(count),
            results: 0,
        };
        for (index, draft) in drafts.iter().enumerate() {
            for source in draft.from {
                match source {
                    Source::Register(register) => {
                        order.is_held[index] |= usize::from(register) < FIRST && register >= HELD;
                    }
                    Source::Result(other, _) => {
                        order.is_held[index] |= order.is_held[other];
                        order.waiting[index] += 1;
                        order.users[other].push(index);
                    }
                    Source::Felt(_) => {}
                }
            }
        }
        order
    }

    fn make_ready(&mut self, index: usize) {
        let is_linear = self.drafts[index].code == Code::Linear;
        self.ready[usize::from(!is_linear)].push_back(index);
    }

    /// The next draft: of the code `present` while there is any, then a linear one, then that which has waited longest.
    fn next(&mut self, present: Code) -> Option<usize> {
        let [linear, others] = &mut self.ready;
        let same = others.iter().position(|index| self.drafts[*index].code == present);
        let same = same.filter(|_| present != Code::Linear);
        let found = same.and_then(|place| others.remove(place));
        found.or_else(|| linear.pop_front()).or_else(|| others.pop_front())
    }

    /// Places the drafts that do or do not depend on held friction.
    fn take(&mut self, is_held: bool) {
        let begin = self.runs.len();
        for index in 0..self.drafts.len() {
            if self.waiting[index] == 0 && self.is_held[index] == is_held {
                self.make_ready(index);
            }
        }
        let mut present = Code::Linear;
        while let Some(index) = self.next(present) {
            let Draft { code, from, is_difference } = self.drafts[index];
            present = code;
            let from = from.map(|source| self.register(source));
            self.operations.push(Operation::new(from, is_difference));
            self.places[index] = self.results;
            self.results += code.results();
            match self.runs[begin..].last_mut() {
                Some((same, count)) if *same == code => *count += 1,
                _ => self.runs.push((code, 1)),
            }
            for user in std::mem::take(&mut self.users[index]) {
                self.waiting[user] -= 1;
                if self.waiting[user] == 0 && self.is_held[user] == is_held {
                    self.make_ready(user);
                }
            }
        }
    }

    /// The register of a placed operand.
    fn register(&self, source: Source) -> u16 {
        match source {
            Source::Register(register) | Source::Felt(register) => register,
            // A program that does not fit is refused afterwards.
            Source::Result(draft, second) => {
                u16::try_from(self.first + self.places[draft] + second).unwrap_or(u16::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::registers;

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
        assert_eq!(program.operations.len(), 2, "{program:?}");
    }

    #[test]
    fn what_depends_on_held_friction_is_computed_anew_alone() {
        let mut g = Graph::default();
        let (x, held) = (g.input(0), g.input(HELD));
        let (sine, sum) = (g.sin(x), g.add(x, held));
        let product = g.mul(sine, sum);
        let mut assembler = Assembler::default();
        let program = assembler.lasting(&g, &[product, sine]).unwrap();
        let mut r = registers();
        assembler.preload(&mut r);
        (r[0], r[usize::from(HELD)]) = (0.5, 1.0);
        program.run(&[], &mut r);
        let sine = libm::sin(0.5);
        assert_eq!(program.result(0, &r), sine * 1.5);
        r[usize::from(HELD)] = 2.0;
        program.run_held(&[], &mut r);
        assert_eq!([0, 1].map(|index| program.result(index, &r)), [sine * 2.5, sine]);
        assert!(program.early[1] == 1 && program.operations.len() == 3, "{program:?}");
    }
}
