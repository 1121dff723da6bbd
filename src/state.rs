//! Saved state: the framework writes the parameters by id; this module checks and repairs a loaded state.
//!
//! | field | meaning |
//! | --- | --- |
//! | `format` | version of the values' meaning; 0 where the field is missing |
//! | `scale` | texts of the scale's files |
//! | `mechanism` | file of the mechanism with the values of its parameters, as JSON; kept if it cannot be read |
//! | `keys` | the sheet of single keys' differences, as CSV |
//! | `controllers` | which MIDI controllers move which parameters |
//! | `steered` | values set by controllers that the host has not received; they replace the host's |
//! | `keyboard` | the choice of a motorized keyboard as text; never whether it was armed |

use nice_plug::plugin::{ParamValue, PluginState};
use nice_plug::prelude::nice_log;

use crate::host_params::{CONTROLLERS_FIELD, FORMAT_FIELD, STEERED_FIELD, beside, saved_positions};
use crate::project::{MECHANISM, SCALE};
use touchback_core::math::cast::{rounded_i32, single};
use touchback_instrument::host::params::{FORMAT, KEYS_FIELD, Parameter, ValueKind, all};

/// Faults found in a saved state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct StateFaults {
    /// Written by a newer version, whose values may have another meaning.
    newer: bool,
    /// Number of values of a wrong form or outside their range.
    values: usize,
    /// Number of unknown ids.
    unknown: usize,
}

/// Repairs `state`: afterwards it has every parameter once, finite and in range. Logs lost values.
///
/// A missing value becomes the one in force before the parameter existed; an unreadable value becomes the
/// default, whatever the instance had before. Unknown ids are removed. A newer format loads defaults only.
pub(super) fn sanitize(state: &mut PluginState) {
    let faults = repair(state);
    let version = &state.version;
    if faults.newer {
        nice_log!("Touchback: saved by the newer version {version}; its settings are not loaded");
    }
    if faults.values > 0 {
        nice_log!("Touchback: {} values of the saved state were out of range", faults.values);
    }
    if faults.unknown > 0 {
        nice_log!("Touchback: {} saved parameters are unknown and left out", faults.unknown);
    }
}

fn repair(state: &mut PluginState) -> StateFaults {
    let mut saved = std::mem::take(&mut state.params);
    let steered = state.fields.remove(STEERED_FIELD).unwrap_or_default();
    for (id, value) in steered.lines().filter_map(|line| line.split_once('=')) {
        saved.insert(id.to_owned(), ParamValue::String(value.to_owned()));
    }
    // A format that is not a number is treated as newer.
    let format = state.fields.get(FORMAT_FIELD).map_or(Ok(0), |text| text.parse::<u32>());
    let newer = format.map_or(true, |format| format > FORMAT);
    let mut faults = StateFaults { newer, ..StateFaults::default() };
    if !newer {
        let is_unknown =
            |id: &&String| beside().chain(all().map(|p| p.id)).all(|known| known != id.as_str());
        faults.unknown = saved.keys().filter(is_unknown).count();
    }
    if newer {
        state.fields.remove(SCALE);
        state.fields.remove(MECHANISM);
        state.fields.remove(KEYS_FIELD);
        state.fields.remove(CONTROLLERS_FIELD);
    }
    let mut values = 0;
    let restored = all().map(|p| {
        let (value, is_intact) = restored(p, saved.get(p.id).filter(|_| !newer), newer);
        values += usize::from(!is_intact);
        (p.id.to_owned(), value)
    });
    state.params = restored.collect();
    if !newer {
        state.params.extend(saved_positions(&saved));
    }
    faults.values = values;
    faults
}

/// The value to load, and whether it equals the saved one (true if none was saved).
fn restored(
    parameter: &'static Parameter,
    saved: Option<&ParamValue>,
    is_newer: bool,
) -> (ParamValue, bool) {
    let read = match saved {
        Some(ParamValue::F32(value)) => f64::from(*value),
        Some(ParamValue::I32(value)) => f64::from(*value),
        Some(ParamValue::String(text)) => parameter.parse(text).unwrap_or(f64::NAN),
        Some(ParamValue::Bool(_)) | None => f64::NAN,
    };
    // Not rounded, because hosts compare a loaded value with the saved one.
    let value = if read.is_finite() {
        read.clamp(parameter.min(), parameter.max())
    } else if saved.is_none() && !is_newer {
        parameter.value_where_absent()
    } else {
        parameter.default_value()
    };
    // Single precision rounds the ends of the range.
    let span = parameter.max() - parameter.min();
    let is_intact = saved.is_none() || (value - read).abs() <= 1e-6 * span;
    let value = match parameter.kind {
        ValueKind::Number { .. } => ParamValue::F32(single(value)),
        ValueKind::Choice(_) => ParamValue::I32(rounded_i32(value)),
    };
    (value, is_intact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sanitized(params: &[(&str, ParamValue)]) -> PluginState {
        let mut state = saved(params);
        sanitize(&mut state);
        state
    }

    fn saved(params: &[(&str, ParamValue)]) -> PluginState {
        PluginState {
            version: String::new(),
            params: params.iter().map(|(id, v)| ((*id).to_owned(), v.clone())).collect(),
            fields: std::collections::BTreeMap::default(),
        }
    }

    fn number(state: &PluginState, id: &str) -> f32 {
        match state.params[id] {
            ParamValue::F32(value) => value,
            ref other => panic!("{id} holds {other:?}"),
        }
    }

    #[test]
    fn good_values_pass_and_missing_ones_take_the_default() {
        let state = sanitized(&[
            ("blow_mm", ParamValue::F32(44.5)),
            ("timing", ParamValue::I32(1)),
            ("not_ours", ParamValue::F32(1.0)),
        ]);
        assert_eq!(state.params.len(), all().len());
        assert_eq!(number(&state, "blow_mm"), 44.5);
        assert_eq!(number(&state, "let_off_mm"), 1.5);
        assert!(matches!(state.params["timing"], ParamValue::I32(1)));
    }

    #[test]
    fn invalid_values_are_clamped_or_take_the_default() {
        let state = sanitized(&[
            ("blow_mm", ParamValue::F32(1.0e9)),
            ("key_dip_mm", ParamValue::F32(f32::NAN)),
            ("drop_mm", ParamValue::F32(f32::NEG_INFINITY)),
            ("check_mm", ParamValue::Bool(true)),
            ("stretch", ParamValue::I32(2)),
            ("timing", ParamValue::F32(-3.0)),
            ("velocity_map", ParamValue::String("gamma".to_owned())),
        ]);
        assert_eq!(number(&state, "blow_mm"), 54.0);
        assert_eq!(number(&state, "key_dip_mm"), 10.0);
        assert_eq!(number(&state, "drop_mm"), 2.0);
        assert_eq!(number(&state, "check_mm"), 15.0);
        assert_eq!(number(&state, "stretch"), 2.0);
        assert!(matches!(state.params["timing"], ParamValue::I32(0)));
        assert!(matches!(state.params["velocity_map"], ParamValue::I32(3)));
    }

    /// For every range: an end rounded to single precision is valid, 1e-4 of the range beyond it is not.
    #[test]
    fn the_ends_of_a_range_are_valid_and_values_beyond_are_not() {
        for parameter in all().filter(|p| matches!(p.kind, ValueKind::Number { .. })) {
            let beyond = 1e-4 * (parameter.max() - parameter.min());
            for (end, past) in [(parameter.max(), beyond), (parameter.min(), -beyond)] {
                for (value, expected) in [(end, true), (end + past, false)] {
                    let saved = ParamValue::F32(single(value));
                    let (value, is_intact) = restored(parameter, Some(&saved), false);
                    assert_eq!(is_intact, expected, "{} {value:?}", parameter.id);
                    let ParamValue::F32(value) = value else { panic!("{value:?}") };
                    assert_eq!(value, single(end), "{}", parameter.id);
                }
            }
        }
    }

    #[test]
    fn a_controllers_value_replaces_the_hosts() {
        let mut state = saved(&[("blow_mm", ParamValue::F32(44.0))]);
        state.fields.insert(STEERED_FIELD.into(), "blow_mm=52.5\ntiming=1\nnonsense\n".into());
        assert_eq!(repair(&mut state), StateFaults::default());
        assert_eq!(number(&state, "blow_mm"), 52.5);
        assert!(matches!(state.params["timing"], ParamValue::I32(1)));
        assert!(state.fields.is_empty());
    }

    #[test]
    fn faults_are_counted_and_a_newer_format_loads_defaults() {
        let values = [
            ("blow_mm", ParamValue::F32(1.0e9)),
            ("drop_mm", ParamValue::Bool(true)),
            ("check_mm", ParamValue::F32(8.0)),
            ("not_ours", ParamValue::F32(1.0)),
        ];
        let mut old = saved(&values);
        assert_eq!(repair(&mut old), StateFaults { newer: false, values: 2, unknown: 1 });
        assert_eq!(number(&old, "check_mm"), 8.0);
        let present = (FORMAT.to_string(), false);
        for (format, newer) in [present, ((FORMAT + 1).to_string(), true), ("x".into(), true)] {
            let mut state = saved(&values);
            state.fields.insert(FORMAT_FIELD.into(), format);
            assert_eq!(repair(&mut state).newer, newer);
            assert_eq!(state.params.len(), all().len());
            assert_eq!(number(&state, "check_mm"), if newer { 15.0 } else { 8.0 });
        }
    }
}
