//! Formulas as a graph in which equal formulas are one node. Constants fold, and derivatives are taken forward, node by
//! node: the graph of a derivative shares what it can with that of the function.

mod derivative;

use crate::error::{Fault, Result};
use crate::table::Table;
use std::collections::HashMap;
use touchback_core::mech::felt::Felt;

/// Index of a node.
pub(crate) type Id = u32;

/// Largest number of nodes of one key.
const MOST: usize = 60_000;

/// Operations on one formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unary {
    Neg,
    Sqrt,
    Abs,
    Cos,
    Sin,
    Asin,
    Acos,
    Atan,
    Exp,
    Ln,
}

/// Operations on two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Atan2,
    Pow,
}

/// A formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// Value of a register.
    Input(u16),
    /// A number, by its bits.
    Constant(u64),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// The second where the first is positive, else the third.
    Choose(Id, Id, Id),
    /// Force of the felt of this index at compression and rate, N.
    Force(u16, Id, Id),
    /// Power that it dissipates, W.
    Loss(u16, Id, Id),
    /// Energy stored in it at the compression, J.
    Energy(u16, Id),
}

impl Unary {
    /// The value at `x`.
    pub(crate) fn at(self, x: f64) -> f64 {
        match self {
            Self::Neg => -x,
            Self::Sqrt => x.sqrt(),
            Self::Abs => x.abs(),
            Self::Cos => libm::cos(x),
            Self::Sin => libm::sin(x),
            Self::Asin => libm::asin(x),
            Self::Acos => libm::acos(x),
            Self::Atan => libm::atan(x),
            Self::Exp => libm::exp(x),
            Self::Ln => libm::log(x),
        }
    }
}

impl Binary {
    /// The value at `x` and `y`.
    pub(crate) fn at(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Add => x + y,
            Self::Sub => x - y,
            Self::Mul => x * y,
            Self::Div => x / y,
            Self::Min => x.min(y),
            Self::Max => x.max(y),
            Self::Atan2 => libm::atan2(x, y),
            Self::Pow => libm::pow(x, y),
        }
    }
}

impl Node {
    /// The nodes that it is computed of.
    pub(crate) fn parts(self) -> impl Iterator<Item = Id> {
        let parts = match self {
            Self::Input(_) | Self::Constant(_) => [None; 3],
            Self::Unary(_, a) | Self::Energy(_, a) => [Some(a), None, None],
            Self::Binary(_, a, b) | Self::Force(_, a, b) | Self::Loss(_, a, b) => {
                [Some(a), Some(b), None]
            }
            Self::Choose(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        parts.into_iter().flatten()
    }
}

/// Deepest formula: derivatives and compilation descend it by recursion.
const DEEPEST: u32 = 1500;

/// All formulas of one key.
#[derive(Default, Debug)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    /// Length of the longest way from each node to an input.
    depths: Vec<u32>,
    known: Table<Node, Id>,
    derivatives: Table<(Id, u16), Id>,
    /// Contact laws by index.
    pub felts: Vec<Felt>,
    /// A formula could not be differentiated, or there were too many.
    fault: Option<&'static str>,
}

impl Graph {
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// The node, if it is part of the graph.
    pub(crate) fn find(&self, node: Node) -> Option<Id> {
        self.known.get(&node).copied()
    }

    /// The fault of any formula so far.
    pub(crate) fn check(&self) -> Result<()> {
        self.fault.map_or(Ok(()), |fault| Err(Fault::new(fault)))
    }

    fn put(&mut self, node: Node) -> Id {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let depth = 1 + node.parts().map(|part| self.depths[part as usize]).max().unwrap_or(0);
        if self.nodes.len() >= MOST || depth > DEEPEST {
            self.fault =
                Some("the mechanism is too large: fewer bodies, contacts, submodels or terms");
            return 0;
        }
        self.depths.push(depth);
        let id = u32::try_from(self.nodes.len()).unwrap_or(0);
        self.nodes.push(node);
        self.known.insert(node, id);
        id
    }

    pub(crate) fn input(&mut self, register: u16) -> Id {
        self.put(Node::Input(register))
    }

    pub(crate) fn number(&mut self, value: f64) -> Id {
        // One zero, so that formulas that vanish are found.
        self.put(Node::Constant(if value == 0.0 { 0 } else { value.to_bits() }))
    }

    /// The number that the formula is, if it depends on no input.
    pub(crate) fn value(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(crate) fn is_zero(&self, id: Id) -> bool {
        self.value(id) == Some(0.0)
    }

    /// An operation on one formula.
    pub(crate) fn unary(&mut self, operation: Unary, a: Id) -> Id {
        match (operation, self.node(a)) {
            (_, Node::Constant(bits)) => self.number(operation.at(f64::from_bits(bits))),
            (Unary::Neg, Node::Unary(Unary::Neg, x)) => x,
            (Unary::Neg, Node::Binary(Binary::Sub, x, y)) => {
                self.put(Node::Binary(Binary::Sub, y, x))
            }
            _ => self.put(Node::Unary(operation, a)),
        }
    }

    /// An operation on two formulas, simplified where a constant or a sign allows it.
    pub(crate) fn binary(&mut self, operation: Binary, a: Id, b: Id) -> Id {
        let values = [self.value(a), self.value(b)];
        if let [Some(x), Some(y)] = values {
            return self.number(operation.at(x, y));
        }
        let negative = |id: Id| match self.node(id) {
            Node::Unary(Unary::Neg, x) => Some(x),
            _ => None,
        };
        let signs = [negative(a), negative(b)];
        match (operation, values, signs) {
            (Binary::Add, [Some(0.0), _], _) => b,
            (Binary::Add | Binary::Sub, [_, Some(0.0)], _) => a,
            (Binary::Add, _, [_, Some(y)]) => self.sub(a, y),
            (Binary::Add, _, [Some(x), _]) => self.sub(b, x),
            (Binary::Sub, [Some(0.0), _], _) => self.neg(b),
            (Binary::Sub, _, [_, Some(y)]) => self.add(a, y),
            (Binary::Sub, ..) if a == b => self.number(0.0),
            (Binary::Mul | Binary::Div, [Some(0.0), _], _) => a,
            (Binary::Mul, [_, Some(0.0)], _) | (Binary::Mul, [Some(1.0), _], _) => b,
            (Binary::Mul | Binary::Div | Binary::Pow, [_, Some(1.0)], _) => a,
            (Binary::Mul, [Some(-1.0), _], _) => self.neg(b),
            (Binary::Mul, [_, Some(-1.0)], _) => self.neg(a),
            (Binary::Mul, _, [Some(x), _]) => {
                let product = self.mul(x, b);
                self.neg(product)
            }
            (Binary::Mul, _, [_, Some(y)]) => {
                let product = self.mul(a, y);
                self.neg(product)
            }
            (Binary::Div, [_, Some(y)], _) if y != 0.0 => {
                let inverse = self.number(1.0 / y);
                self.mul(a, inverse)
            }
            (Binary::Pow, [_, Some(2.0)], _) => self.mul(a, a),
            (Binary::Add | Binary::Mul, ..) => {
                self.put(Node::Binary(operation, a.min(b), a.max(b)))
            }
            _ => self.put(Node::Binary(operation, a, b)),
        }
    }

    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Add, a, b)
    }

    pub(crate) fn sub(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Sub, a, b)
    }

    pub(crate) fn mul(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Mul, a, b)
    }

    pub(crate) fn div(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Div, a, b)
    }

    pub(crate) fn max(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Max, a, b)
    }

    pub(crate) fn neg(&mut self, a: Id) -> Id {
        self.unary(Unary::Neg, a)
    }

    pub(crate) fn sqrt(&mut self, a: Id) -> Id {
        self.unary(Unary::Sqrt, a)
    }

    pub(crate) fn cos(&mut self, a: Id) -> Id {
        self.unary(Unary::Cos, a)
    }

    pub(crate) fn sin(&mut self, a: Id) -> Id {
        self.unary(Unary::Sin, a)
    }

    pub(crate) fn choose(&mut self, a: Id, b: Id, c: Id) -> Id {
        match self.value(a) {
            Some(x) => {
                if x > 0.0 {
                    b
                } else {
                    c
                }
            }
            None => self.put(Node::Choose(a, b, c)),
        }
    }

    /// Force and dissipated power of the felt of this index.
    pub(crate) fn contact(&mut self, felt: u16, compression: Id, rate: Id) -> [Id; 2] {
        let force = self.put(Node::Force(felt, compression, rate));
        [force, self.put(Node::Loss(felt, compression, rate))]
    }

    /// Energy stored in the felt of this index.
    pub(crate) fn energy(&mut self, felt: u16, compression: Id) -> Id {
        self.put(Node::Energy(felt, compression))
    }

    /// Sum of products.
    pub(crate) fn dot(&mut self, a: &[Id], b: &[Id]) -> Id {
        let mut sum = self.number(0.0);
        for (x, y) in a.iter().zip(b) {
            let product = self.mul(*x, *y);
            sum = self.add(sum, product);
        }
        sum
    }

    /// `of` with the inputs of `values` replaced.
    pub(crate) fn replaced(&mut self, of: Id, values: &HashMap<u16, Id>) -> Id {
        self.replace(of, values, &mut Table::default())
    }

    /// [`Self::replaced`] for several formulas.
    pub(crate) fn all_replaced(&mut self, of: &[Id], values: &HashMap<u16, Id>) -> Vec<Id> {
        let mut done = Table::default();
        of.iter().map(|id| self.replace(*id, values, &mut done)).collect()
    }

    fn replace(&mut self, of: Id, values: &HashMap<u16, Id>, done: &mut Table<Id, Id>) -> Id {
        if values.is_empty() {
            return of;
        }
        if let Some(&known) = done.get(&of) {
            return known;
        }
        let node = self.node(of);
        if let Node::Input(register) = node {
            return values.get(&register).copied().unwrap_or(of);
        }
        let p: Vec<Id> = node.parts().map(|part| self.replace(part, values, done)).collect();
        let new = match node {
            Node::Input(_) | Node::Constant(_) => of,
            Node::Unary(operation, _) => self.unary(operation, p[0]),
            Node::Binary(operation, ..) => self.binary(operation, p[0], p[1]),
            Node::Choose(..) => self.choose(p[0], p[1], p[2]),
            Node::Force(felt, ..) => self.put(Node::Force(felt, p[0], p[1])),
            Node::Loss(felt, ..) => self.put(Node::Loss(felt, p[0], p[1])),
            Node::Energy(felt, _) => self.put(Node::Energy(felt, p[0])),
        };
        done.insert(of, new);
        new
    }

    /// Solution of the linear equations `matrix` · x = `right`, eliminated without exchange of rows.
    pub(crate) fn solve(&mut self, matrix: &[Vec<Id>], right: &[Id]) -> Vec<Id> {
        let n = right.len();
        let (mut m, mut r) = (matrix.to_vec(), right.to_vec());
        for i in 0..n {
            for j in i + 1..n {
                if self.is_zero(m[j][i]) {
                    continue;
                }
                let factor = self.div(m[j][i], m[i][i]);
                for k in i + 1..n {
                    let part = self.mul(factor, m[i][k]);
                    m[j][k] = self.sub(m[j][k], part);
                }
                let part = self.mul(factor, r[i]);
                r[j] = self.sub(r[j], part);
            }
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                let part = self.mul(m[i][k], r[k]);
                r[i] = self.sub(r[i], part);
            }
            r[i] = self.div(r[i], m[i][i]);
        }
        r
    }
}

/// Registers of the first `coordinates` coordinates.
pub(crate) fn registers(coordinates: usize) -> impl Iterator<Item = u16> {
    (0u16..).step_by(2).take(coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_fold_and_equal_ones_are_one_node() {
        let mut g = Graph::default();
        let (x, zero, two) = (g.input(0), g.number(0.0), g.number(2.0));
        assert_eq!(g.mul(x, zero), zero);
        assert_eq!(g.add(x, zero), x);
        let (a, b) = (g.mul(two, x), g.mul(x, two));
        assert_eq!(a, b);
        assert_eq!(g.sub(a, b), zero);
        let slope = g.derivative(a, 0);
        assert_eq!(g.value(slope), Some(2.0));
    }

    /// A formula at the limit can be differentiated, replaced and compiled on a thread of usual size; a deeper one is a fault.
    #[test]
    fn deep_formulas_are_handled_or_refused() {
        for (terms, is_fit) in [(450, true), (5000, false)] {
            let mut g = Graph::default();
            let mut sum = g.input(0);
            for term in 0..terms {
                let factor = g.number(1.0 + f64::from(term));
                let sine = g.sin(sum);
                let product = g.mul(factor, sine);
                let x = g.input(2);
                sum = g.add(product, x);
            }
            let slope = g.derivative(sum, 0);
            let second = g.derivative(slope, 0);
            let to = g.input(4);
            let replaced = g.all_replaced(&[second], &HashMap::from([(0, to)]));
            let program = crate::assembler::Assembler::default().program(&g, &replaced);
            // It may be too long for the registers all the same.
            assert!(g.check().is_ok() == is_fit && (is_fit || program.is_err()), "{terms}");
        }
    }

    #[test]
    fn linear_equations_are_solved() {
        let mut g = Graph::default();
        let m = [[4.0, 1.0], [1.0, 3.0]].map(|row| row.map(|v| g.number(v)).to_vec());
        let right = [1.0, 2.0].map(|v| g.number(v));
        let solved: Vec<f64> = g.solve(&m, &right).iter().filter_map(|id| g.value(*id)).collect();
        assert!((solved[0] - 1.0 / 11.0).abs() < 1e-15 && (solved[1] - 7.0 / 11.0).abs() < 1e-15);
    }
}
