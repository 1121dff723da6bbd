//! The numbers of a file for one key: parameters, formulas over the compass, tables.

use crate::error::{Fault, Result};
use crate::expression;
use crate::file::{Quantity, Raw};
use crate::graph::Graph;
use crate::names::unknown;
use crate::scope::Scope;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;
use touchback_action::GRAVITY;
use touchback_core::math::compass::{KeyNumber, linear, log_linear};

/// Names that every file has.
const CONSTANTS: [(&str, f64); 2] = [("gravity", GRAVITY), ("pi", std::f64::consts::PI)];

/// Most numbers that depend on one another in a row.
const DEEPEST: usize = 24;

/// The numbers of one key, computed when they are first asked for.
#[derive(Debug)]
pub(crate) struct Numbers {
    written: BTreeMap<String, Spanned<Quantity>>,
    key: KeyNumber,
    known: RefCell<BTreeMap<String, f64>>,
    /// Names whose value is being computed.
    pending: RefCell<BTreeSet<String>>,
}

impl Numbers {
    /// The numbers `written` for `key`, with values that are `given`.
    pub(crate) fn new(
        written: &BTreeMap<String, Spanned<Quantity>>,
        key: KeyNumber,
        given: impl IntoIterator<Item = (String, f64)>,
    ) -> Self {
        let mut known: BTreeMap<String, f64> = given.into_iter().collect();
        known.insert("key".into(), f64::from(key.number()));
        known.extend(CONSTANTS.map(|(name, value)| (name.to_owned(), value)));
        Self {
            written: written.clone(),
            key,
            known: RefCell::new(known),
            pending: RefCell::default(),
        }
    }

    /// These numbers with `name` at `value`; what depends on it is computed anew.
    pub(crate) fn with(&self, fixed: &BTreeMap<String, f64>) -> Self {
        let known = self.known.borrow();
        let kept = known.iter().filter(|(name, _)| !self.written.contains_key(*name));
        let given = kept.chain(fixed).map(|(name, value)| (name.clone(), *value));
        Self::new(&self.written, self.key, given.collect::<Vec<_>>())
    }

    /// The value of `name`.
    pub(crate) fn value(&self, name: &str) -> Result<f64> {
        if let Some(value) = self.known.borrow().get(name) {
            return Ok(*value);
        }
        let Some(written) = self.written.get(name) else {
            let known = self.known.borrow();
            let names = known.keys().chain(self.written.keys()).map(String::as_str);
            return Err(Fault::new(unknown("number", name, names)));
        };
        if self.pending.borrow().len() > DEEPEST
            || !self.pending.borrow_mut().insert(name.to_owned())
        {
            return Err(Fault::at(
                &written.span(),
                format!("{name} depends on itself, or on more than {DEEPEST} numbers in a row"),
            ));
        }
        let value = match written.get_ref() {
            Quantity::Scalar(Raw::Number(value)) => Ok(*value),
            Quantity::Scalar(Raw::Text(text)) => self.computed(text),
            Quantity::Table { table, logarithmic } => self.interpolated(table, *logarithmic),
        };
        self.pending.borrow_mut().remove(name);
        let value = value.map_err(|fault| match fault.at {
            Some(_) => fault,
            None => Fault::at(&written.span(), format!("{name}: {}", fault.message)),
        })?;
        if !value.is_finite() {
            return Err(Fault::at(
                &written.span(),
                format!("{name} is {value}: a finite number is needed"),
            ));
        }
        self.known.borrow_mut().insert(name.to_owned(), value);
        Ok(value)
    }

    fn computed(&self, text: &str) -> Result<f64> {
        let read = expression::expression(text)?;
        let scope = Scope::numbers(self);
        let mut g = Graph::default();
        let id = scope.formula(&mut g, &read)?;
        g.check()?;
        g.value(id).ok_or_else(|| Fault::new("must be known at load"))
    }

    fn interpolated(&self, table: &[[f64; 2]], logarithmic: bool) -> Result<f64> {
        let anchors: Vec<(f64, f64)> = table.iter().map(|[key, value]| (*key, *value)).collect();
        if anchors.is_empty() || anchors.windows(2).any(|pair| !(pair[0].0 < pair[1].0)) {
            return Err(Fault::new("a table has rows [key, value] in ascending order of keys"));
        }
        let number = f64::from(self.key.number());
        if !logarithmic {
            return Ok(linear(&anchors, number));
        }
        if anchors.iter().any(|(_, value)| !(*value > 0.0)) {
            return Err(Fault::new("a logarithmic table has values above 0"));
        }
        Ok(log_linear(&anchors, number))
    }
}
