//! Every number of a key by name, with its meaning, unit and source, for pages and drawings.

use crate::grand::design::spec::Spec;
use crate::grand::design::table::Set;

pub use crate::grand::design::table::Entry;

/// The numbers of a concert-grand key with their sources.
#[must_use]
pub fn concert(spec: &Spec) -> Vec<Entry> {
    spec.entries(Set::Concert)
}

/// The numbers of the thesis's key with their sources.
#[must_use]
pub fn thesis(spec: &Spec) -> Vec<Entry> {
    spec.entries(Set::Thesis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn every_parameter_has_a_source_a_meaning_and_its_name_in_the_model_file() {
        let middle =
            Design::new(KeyNumber::from_midi(60).unwrap()).build(&ActionSettings::default());
        let old = crate::grand::design::thesis::build();
        let sets = [(concert(&middle.spec), middle.spec), (thesis(&old.spec), old.spec)];
        for (entries, spec) in sets {
            let file = serde_json::to_value(spec).unwrap();
            for entry in &entries {
                assert!(entry.value.is_finite(), "{}", entry.name);
                assert!(!entry.source.is_empty(), "{}", entry.name);
                let is_further = [".y", ".exponent", ".damping", ".hysteresis"]
                    .into_iter()
                    .chain([".reversal_speed", ".reversal_growth"])
                    .any(|end| entry.name.ends_with(end));
                let is_explained = entry.meaning.ends_with('.');
                assert!(is_explained || is_further, "{}: {}", entry.name, entry.meaning);
                let path = match entry.name.as_str() {
                    "coupling.stiffness" => "/coupling/0".into(),
                    "coupling.damping" => "/coupling/1".into(),
                    name => format!("/{}", name.replace('.', "/")),
                };
                let in_file = file.pointer(&path).and_then(serde_json::Value::as_f64);
                assert_eq!(in_file, Some(entry.value), "{}", entry.name);
            }
            assert_eq!(entries.len(), numbers_in(&file));
        }
    }

    fn numbers_in(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Number(_) => 1,
            serde_json::Value::Array(list) => list.iter().map(numbers_in).sum(),
            serde_json::Value::Object(table) => table.values().map(numbers_in).sum(),
            _ => 0,
        }
    }
}
