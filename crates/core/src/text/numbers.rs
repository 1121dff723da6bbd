//! Numbers that a function takes, by id: unit, range, usual value.

use super::near;
use super::number::short;

/// A number that a function takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    /// Id on the command line and in Python.
    pub id: &'static str,
    /// Unit; empty for none.
    pub unit: &'static str,
    /// Least and largest value.
    pub range: [f64; 2],
    /// Value where none is chosen: that of the source.
    pub usual: f64,
    /// What it is, in a few words.
    pub about: &'static str,
}

/// Numbers that are not taken, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NumberError(String);

/// Values of a function's numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    list: &'static [Number],
    values: Vec<f64>,
}

impl Numbers {
    /// The usual values of `list`.
    #[must_use]
    pub fn usual(list: &'static [Number]) -> Self {
        Self { list, values: list.iter().map(|number| number.usual).collect() }
    }

    /// The usual values, changed by each `ID=VALUE` of `chosen`.
    ///
    /// # Errors
    /// No such number, or a value out of its range; names those that there are.
    pub fn chosen(list: &'static [Number], chosen: &[String]) -> Result<Self, NumberError> {
        let mut own = Self::usual(list);
        for text in chosen {
            let wrong = |what: &str| NumberError(format!("--set {text}: {what}"));
            let (id, value) = text.split_once('=').ok_or_else(|| wrong("ID=VALUE"))?;
            let value = value.trim();
            let number = value.parse::<f64>();
            own.set(id.trim(), number.map_err(|_| wrong(&format!("`{value}` is not a number")))?)?;
        }
        Ok(own)
    }

    /// Sets the number `id` to `value`.
    ///
    /// # Errors
    /// As [`Numbers::chosen`].
    pub fn set(&mut self, id: &str, value: f64) -> Result<(), NumberError> {
        let ids = || self.list.iter().map(|number| number.id);
        let Some(at) = ids().position(|own| own == id) else {
            let near = near::suggestion(id, ids());
            let all = ids().collect::<Vec<_>>().join(", ");
            return Err(NumberError(format!("{id}: no such number{near}; there are {all}")));
        };
        let Number { unit, range: [least, most], .. } = self.list[at];
        if !(least..=most).contains(&value) {
            let [least, most] = [least, most].map(short);
            return Err(NumberError(format!("{id} = {value}: between {least} and {most} {unit}")));
        }
        self.values[at] = value;
        Ok(())
    }

    /// The number `id`; NaN for one that is not in the list.
    #[must_use]
    pub fn get(&self, id: &str) -> f64 {
        let found = self.list.iter().zip(&self.values).find(|(number, _)| number.id == id);
        found.map_or(f64::NAN, |(_, value)| *value)
    }

    /// The changed numbers as text; `None` where all are usual.
    #[must_use]
    pub fn changed(&self) -> Option<String> {
        let each = self.list.iter().zip(&self.values);
        let own = each.filter(|(number, value)| number.usual != **value);
        let own: Vec<_> = own
            .map(|(number, value)| {
                format!("{} = {value} {}", number.id, number.unit).trim().to_owned()
            })
            .collect();
        (!own.is_empty()).then(|| own.join(", "))
    }
}

/// Text of a list of numbers, a line each.
#[must_use]
pub fn page(list: &[Number]) -> String {
    let line = |number: &Number| {
        let Number { id, unit, range: [least, most], usual, about } = number;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        format!(
            "  {id:10} {about} [{}; {} to {}{unit}]\n",
            short(*usual),
            short(*least),
            short(*most)
        )
    };
    list.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[Number] = &[
        Number { id: "k", unit: "N/m", range: [0.0, 10.0], usual: 1.0, about: "stiffness" },
        Number { id: "delay", unit: "", range: [0.0, 4.0], usual: 0.0, about: "delay, periods" },
    ];

    #[test]
    fn chosen_numbers_are_set_and_others_are_refused_in_words() {
        let of = |text: &str| Numbers::chosen(LIST, &[text.to_owned()]);
        let own = of("k = 2.5").unwrap();
        assert_eq!((own.get("k"), own.get("delay")), (2.5, 0.0));
        assert_eq!(own.changed().as_deref(), Some("k = 2.5 N/m"));
        assert_eq!(of("k=1").unwrap().changed(), None);
        for (text, part) in [
            ("dely=1", "is it `delay`?"),
            ("x=1", "there are k, delay"),
            ("k=11", "k = 11: between 0 and 10 N/m"),
            ("k=NaN", "between"),
            ("k=soft", "`soft` is not a number"),
            ("k", "ID=VALUE"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
