//! Expressions of a file: numbers, names, calls and arithmetic. They compute and nothing else.

use crate::error::{Fault, Result};

/// Longest expression, bytes.
const LONGEST: usize = 2000;
/// Deepest nesting.
const DEEPEST: usize = 48;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expression {
    Number(f64),
    /// A named quantity.
    Name(String),
    /// A name in quotes: the argument of a function.
    Quoted(String),
    Call(String, Vec<Expression>),
    Negative(Box<Expression>),
    Binary(char, Box<Expression>, Box<Expression>),
}

/// A condition as an expression that is positive where it holds, and 0 at its limit.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Condition(pub Expression);

/// Reads an expression.
pub(crate) fn expression(text: &str) -> Result<Expression> {
    let mut reader = Reader::new(text)?;
    let read = reader.sum(0)?;
    reader.end()?;
    Ok(read)
}

/// Reads an equation `left = right` as `left − right`.
pub(crate) fn equation(text: &str) -> Result<Expression> {
    let mut reader = Reader::new(text)?;
    let left = reader.sum(0)?;
    if !reader.takes("=") {
        return Err(Fault::new(format!("{text:?} must be an equation: LEFT = RIGHT")));
    }
    let right = reader.sum(0)?;
    reader.end()?;
    Ok(Expression::Binary('-', Box::new(left), Box::new(right)))
}

/// Reads a condition: comparisons with `<=`, `<`, `>=` or `>`, joined by `and`.
pub(crate) fn condition(text: &str) -> Result<Condition> {
    let mut reader = Reader::new(text)?;
    let mut all: Option<Expression> = None;
    loop {
        let left = reader.sum(0)?;
        let is_above = if reader.takes("<") {
            false
        } else if reader.takes(">") {
            true
        } else {
            return Err(Fault::new(format!(
                "{text:?} must compare two quantities with <= or >=, as in gap('string') <= 0"
            )));
        };
        reader.takes("=");
        let right = reader.sum(0)?;
        let (most, least) = if is_above { (left, right) } else { (right, left) };
        let holds = Expression::Binary('-', Box::new(most), Box::new(least));
        all = Some(match all {
            None => holds,
            Some(other) => Expression::Call("min".into(), vec![other, holds]),
        });
        if !reader.takes_word("and") {
            reader.end()?;
            return all.map(Condition).ok_or_else(|| Fault::new("an empty condition"));
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Self> {
        if text.len() > LONGEST {
            return Err(Fault::new(format!("an expression has at most {LONGEST} characters")));
        }
        Ok(Self { text, rest: text.trim_start() })
    }

    fn fault(&self, wanted: &str) -> Fault {
        let found = self.rest.chars().next().map_or("the end".to_owned(), |c| format!("{c:?}"));
        Fault::new(format!("in {:?}: {wanted} expected, {found} found", self.text))
    }

    fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.fault("an operator or the end")) }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word) else { return false };
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    fn binary(sign: char, left: Expression, right: Expression) -> Expression {
        Expression::Binary(sign, Box::new(left), Box::new(right))
    }

    fn sum(&mut self, depth: usize) -> Result<Expression> {
        if depth > DEEPEST {
            return Err(Fault::new(format!("an expression is nested at most {DEEPEST} deep")));
        }
        let mut left = self.product(depth)?;
        loop {
            if self.takes("+") {
                left = Self::binary('+', left, self.product(depth)?);
            } else if self.takes("-") {
                left = Self::binary('-', left, self.product(depth)?);
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<Expression> {
        let mut left = self.signed(depth)?;
        loop {
            if self.takes("*") {
                left = Self::binary('*', left, self.signed(depth)?);
            } else if self.takes("/") {
                left = Self::binary('/', left, self.signed(depth)?);
            } else {
                return Ok(left);
            }
        }
    }

    fn signed(&mut self, depth: usize) -> Result<Expression> {
        if depth > DEEPEST {
            return Err(Fault::new(format!("an expression is nested at most {DEEPEST} deep")));
        }
        if self.takes("-") {
            return Ok(Expression::Negative(Box::new(self.signed(depth + 1)?)));
        }
        let base = self.atom(depth)?;
        if self.takes("^") {
            return Ok(Self::binary('^', base, self.signed(depth + 1)?));
        }
        Ok(base)
    }

    fn atom(&mut self, depth: usize) -> Result<Expression> {
        if self.takes("(") {
            let inner = self.sum(depth + 1)?;
            return if self.takes(")") { Ok(inner) } else { Err(self.fault("\")\"")) };
        }
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let Some(end) = rest.find('\'') else { return Err(self.fault("a closing quote")) };
            self.rest = rest[end + 1..].trim_start();
            return Ok(Expression::Quoted(rest[..end].to_owned()));
        }
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        if self.rest.starts_with(is_digit) {
            return self.number();
        }
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_letter(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.fault("a number, a name or \"(\""));
        }
        let name = self.rest[..end].to_owned();
        self.rest = self.rest[end..].trim_start();
        if !self.takes("(") {
            return Ok(Expression::Name(name));
        }
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.sum(depth + 1)?);
                if self.takes(")") {
                    break;
                }
                if !self.takes(",") {
                    return Err(self.fault("\",\" or \")\""));
                }
            }
        }
        Ok(Expression::Call(name, arguments))
    }

    fn number(&mut self) -> Result<Expression> {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent_sign = matches!(bytes[end], b'+' | b'-')
                && end > 0
                && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit()
                || matches!(bytes[end], b'.' | b'e' | b'E')
                || exponent_sign)
            {
                break;
            }
            end += 1;
        }
        let Ok(value) = self.rest[..end].parse::<f64>() else {
            return Err(self.fault("a number"));
        };
        self.rest = self.rest[end..].trim_start();
        Ok(Expression::Number(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_bind_tighter_than_sums_and_powers_tightest() {
        let read = expression("1 + 2*x^2 - f('a b', 3)").unwrap();
        let text = format!("{read:?}");
        assert!(text.starts_with("Binary('-', Binary('+', Number(1.0), Binary('*'"), "{text}");
    }

    #[test]
    fn faults_say_what_was_expected() {
        for (text, part) in [
            ("1 +", "the end found"),
            ("(1", "\")\" expected"),
            ("f(1 2)", "\",\" or \")\" expected"),
            ("1 2", "an operator or the end"),
            ("'a", "a closing quote"),
        ] {
            let message = expression(text).unwrap_err().message;
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(expression(&"(".repeat(100)).is_err());
        assert!(expression(&"-".repeat(100)).is_err());
        assert!(condition("gap('a')").is_err() && condition("a <= 0 and b > 1").is_ok());
    }
}
