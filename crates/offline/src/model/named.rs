//! Numbers of a model by their names in the model file: `hammer.mass`, `key.bed_felt.stiffness`.

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::simulate::numbers;
use touchback_models::catalogue::Model;

/// A model as the table of its file, with access to each number by name.
#[derive(Clone, Debug)]
pub struct NamedModel(Table);

impl NamedModel {
    /// The table of `model`.
    ///
    /// # Errors
    /// A model that cannot be serialized; every model of the catalogue can be.
    pub fn of(model: &Model) -> Result<Self> {
        Ok(Self(Table::try_from(model)?))
    }

    /// The value of the parameter `name`.
    ///
    /// # Errors
    /// A name that is no number; the message lists the names at the point where `name` fails.
    pub fn get(&self, name: &str) -> Result<f64> {
        let mut copy = self.clone();
        copy.number_mut(name).map(|number| *number)
    }

    /// Sets the number `name` to `value`.
    ///
    /// # Errors
    /// A name that is no number; the message lists the names at the point where `name` fails.
    pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
        *self.number_mut(name)? = value;
        Ok(())
    }

    /// The model with the numbers of this table.
    ///
    /// # Errors
    /// The first number that the model cannot have.
    pub fn model(&self) -> Result<Model> {
        numbers::check(&self.0)?;
        let model: Model = self.0.clone().try_into()?;
        model.check()?;
        Ok(model)
    }

    /// The names of all parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        fn under(value: &Value, name: &str, found: &mut Vec<String>) {
            match value {
                Value::Float(_) => found.push(name.into()),
                Value::Table(table) => {
                    let dot = if name.is_empty() { "" } else { "." };
                    table.iter().for_each(|(n, v)| under(v, &format!("{name}{dot}{n}"), found));
                }
                Value::Array(list) => {
                    for (i, value) in list.iter().enumerate() {
                        under(value, &format!("{name}.{i}"), found);
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        if let Some(model) = self.0.get("model") {
            under(model, "", &mut found);
        }
        found
    }

    fn number_mut(&mut self, name: &str) -> Result<&mut f64> {
        let mut value = self.0.get_mut("model").context("a model without numbers")?;
        for part in name.split('.') {
            let names: Vec<String> =
                value.as_table().into_iter().flat_map(Table::keys).cloned().collect();
            let next = match value {
                Value::Table(table) => table.get_mut(part),
                Value::Array(list) => part.parse::<usize>().ok().and_then(|i| list.get_mut(i)),
                _ => None,
            };
            let Some(next) = next else {
                bail!("{name}: the model has no `{part}` here; it has {}", names.join(", "))
            };
            value = next;
        }
        match value {
            Value::Float(number) => Ok(number),
            Value::Table(table) => {
                let names: Vec<&str> = table.keys().map(String::as_str).collect();
                bail!("{name}: not a number but a table with {}", names.join(", "))
            }
            _ => bail!("{name}: not a number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn numbers_are_read_and_set_by_name_and_checked_like_those_of_files() {
        let key = KeyNumber::from_midi(60).unwrap();
        let model = Model::named("grand", key, &ActionSettings::default()).unwrap();
        let mut named = NamedModel::of(&model).unwrap();
        assert_eq!(named.model().unwrap(), model);
        let mass = named.get("hammer.mass").unwrap();
        named.set("hammer.mass", 1.1 * mass).unwrap();
        named.set("key.bed_felt.stiffness", 2e6).unwrap();
        let Model::Grand { model: spec, .. } = named.model().unwrap() else { panic!() };
        assert_eq!((spec.hammer.mass, spec.key.bed_felt.stiffness), (1.1 * mass, 2e6));
        assert!(named.names().iter().all(|name| named.get(name).is_ok()));
        assert!(named.names().len() > 80);
        for (name, part) in [
            ("hammer.weight", "no `weight` here; it has"),
            ("hammer", "not a number but a table with"),
            ("damper.present", "not a number"),
            ("hammer.mass.g", "no `g`"),
        ] {
            let error = named.get(name).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains(part), "{error}");
        }
        named.set("hammer.mass", -1.0).unwrap();
        assert!(named.model().unwrap_err().to_string().contains("hammer.mass = -1"));
    }
}
