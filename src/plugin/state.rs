//! Saved state: the framework writes the parameters by id, this makes what comes back safe.

use nice_plug::plugin::{ParamValue, PluginState};

use crate::math::cast::{rounded_i32, single};
use crate::params::{Kind, Parameter, all};

/// Leaves `state` with every parameter once, finite and in range.
///
/// A project must sound as it was saved: what it lacks, or holds in a form that makes no sense,
/// takes the default and not whatever the instance had before. Unknown ids go.
pub(super) fn sanitize(state: &mut PluginState) {
    let saved = std::mem::take(&mut state.params);
    state.params = all().map(|p| (p.id.to_owned(), restored(p, saved.get(p.id)))).collect();
}

fn restored(parameter: &'static Parameter, saved: Option<&ParamValue>) -> ParamValue {
    let value = match saved {
        Some(ParamValue::F32(value)) => f64::from(*value),
        Some(ParamValue::I32(value)) => f64::from(*value),
        Some(ParamValue::String(text)) => parameter.parse(text).unwrap_or(f64::NAN),
        Some(ParamValue::Bool(_)) | None => f64::NAN,
    };
    // Not rounded: a host compares what it reads with what it saved.
    let value = if value.is_finite() {
        value.clamp(parameter.min(), parameter.max())
    } else {
        parameter.default_value()
    };
    match parameter.kind {
        Kind::Number { .. } => ParamValue::F32(single(value)),
        Kind::Choice(_) => ParamValue::I32(rounded_i32(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sanitized(params: &[(&str, ParamValue)]) -> PluginState {
        let mut state = PluginState {
            version: String::new(),
            params: params.iter().map(|(id, v)| ((*id).to_owned(), v.clone())).collect(),
            fields: std::collections::BTreeMap::default(),
        };
        sanitize(&mut state);
        state
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
    fn values_that_make_no_sense_are_clamped_or_take_the_default() {
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
}
