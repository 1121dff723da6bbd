//! Derivatives of formulas.

use super::{Binary, Graph, Id, Node, Unary, registers};

impl Graph {
    /// Derivative of `of` by the input `by`.
    pub(crate) fn derivative(&mut self, of: Id, by: u16) -> Id {
        if let Some(&known) = self.derivatives.get(&(of, by)) {
            return known;
        }
        let derivative = self.differentiate(of, by);
        self.derivatives.insert((of, by), derivative);
        derivative
    }

    fn differentiate(&mut self, of: Id, by: u16) -> Id {
        let zero = self.number(0.0);
        let one = self.number(1.0);
        let node = self.node(of);
        if let Node::Input(register) = node {
            return if register == by { one } else { zero };
        }
        let parts: Vec<Id> = node.parts().map(|part| self.derivative(part, by)).collect();
        if parts.iter().all(|part| self.is_zero(*part)) {
            return zero;
        }
        match node {
            Node::Input(_) | Node::Constant(_) => zero,
            Node::Unary(operation, a) => {
                let slope = self.slope(operation, a, of);
                self.mul(slope, parts[0])
            }
            Node::Binary(operation, a, b) => {
                self.carried(operation, [a, b], of, [parts[0], parts[1]])
            }
            Node::Choose(a, ..) => self.choose(a, parts[1], parts[2]),
            Node::Force(..) | Node::Loss(..) | Node::Energy(..) => {
                self.fault = Some("a rate or a compression may depend on positions, not on forces");
                zero
            }
        }
    }

    /// Derivative of an operation on two formulas, which is `of`, by the derivatives `d` of both.
    fn carried(&mut self, operation: Binary, [a, b]: [Id; 2], of: Id, d: [Id; 2]) -> Id {
        match operation {
            Binary::Add => self.add(d[0], d[1]),
            Binary::Sub => self.sub(d[0], d[1]),
            Binary::Mul => self.dot(&[d[0], a], &[b, d[1]]),
            Binary::Div => {
                let carried = self.mul(of, d[1]);
                let rest = self.sub(d[0], carried);
                self.div(rest, b)
            }
            Binary::Min => {
                let above = self.sub(b, a);
                self.choose(above, d[0], d[1])
            }
            // Where both are equal, the other one than of the smaller: min(s, 0) + max(s, 0) has a slope at 0.
            Binary::Max => {
                let below = self.sub(b, a);
                self.choose(below, d[1], d[0])
            }
            Binary::Atan2 => {
                let square = self.dot(&[a, b], &[a, b]);
                let (up, across) = (self.mul(b, d[0]), self.mul(a, d[1]));
                let turned = self.sub(up, across);
                self.div(turned, square)
            }
            Binary::Pow => {
                // x^p (p' ln x + p x'/x)
                let slope = self.div(d[0], a);
                let mut sum = self.mul(b, slope);
                if !self.is_zero(d[1]) {
                    let logarithm = self.unary(Unary::Ln, a);
                    let grown = self.mul(d[1], logarithm);
                    sum = self.add(sum, grown);
                }
                self.mul(of, sum)
            }
        }
    }

    /// Derivative of an operation on `a`, which is `of`, by `a`.
    fn slope(&mut self, operation: Unary, a: Id, of: Id) -> Id {
        let one = self.number(1.0);
        match operation {
            Unary::Neg => self.number(-1.0),
            Unary::Sqrt => {
                let twice = self.add(of, of);
                self.div(one, twice)
            }
            Unary::Abs => {
                let opposite = self.neg(one);
                self.choose(a, one, opposite)
            }
            Unary::Cos => {
                let sine = self.sin(a);
                self.neg(sine)
            }
            Unary::Sin => self.cos(a),
            Unary::Asin | Unary::Acos => {
                let square = self.mul(a, a);
                let rest = self.sub(one, square);
                let root = self.sqrt(rest);
                let slope = self.div(one, root);
                if operation == Unary::Asin { slope } else { self.neg(slope) }
            }
            Unary::Atan => {
                let square = self.mul(a, a);
                let sum = self.add(one, square);
                self.div(one, sum)
            }
            Unary::Exp => of,
            Unary::Ln => self.div(one, a),
        }
    }

    /// Rate of `of`, a function of coordinates: Σ ∂f/∂q_k u_k, with q_k in register 2k and u_k in 2k + 1.
    pub(crate) fn rate(&mut self, of: Id, coordinates: usize) -> Id {
        let mut sum = self.number(0.0);
        for k in registers(coordinates) {
            let slope = self.derivative(of, k);
            let speed = self.input(k + 1);
            let product = self.mul(slope, speed);
            sum = self.add(sum, product);
        }
        sum
    }
}
