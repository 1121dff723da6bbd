//! Numbers that an experiment takes, besides those of a piano: id, unit, range, usual value.

use anyhow::{Context as _, Result, bail, ensure};

use super::report::short;
use touchback_core::text::near;

/// A number that an experiment takes.
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

/// Values of an experiment's numbers.
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
    pub fn chosen(list: &'static [Number], chosen: &[String]) -> Result<Self> {
        let mut own = Self::usual(list);
        for text in chosen {
            let (id, value) =
                text.split_once('=').with_context(|| format!("--set {text}: ID=VALUE"))?;
            let value = value
                .trim()
                .parse()
                .ok()
                .with_context(|| format!("--set {text}: `{}` is not a number", value.trim()))?;
            own.set(id.trim(), value)?;
        }
        Ok(own)
    }

    /// Sets the number `id` to `value`.
    ///
    /// # Errors
    /// As [`Numbers::chosen`].
    pub fn set(&mut self, id: &str, value: f64) -> Result<()> {
        let ids = || self.list.iter().map(|number| number.id);
        let Some(at) = ids().position(|own| own == id) else {
            let near = near::suggestion(id, ids());
            let all = ids().collect::<Vec<_>>().join(", ");
            bail!("{id}: no such number{near}; there are {all}");
        };
        let Number { unit, range: [least, most], .. } = self.list[at];
        ensure!(
            (least..=most).contains(&value),
            "{id} = {value}: between {} and {} {unit}",
            short(least),
            short(most)
        );
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
