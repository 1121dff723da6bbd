//! The table as the plugin framework's parameters.
//!
//! The audio thread reads values (atomic loads, nothing allocated); any thread may set them
//! through the framework.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use nice_plug::params::Params;
use nice_plug::prelude::{
    FloatParam, FloatRange, IntParam, IntRange, Param as _, ParamPtr, RemoteControlsContext,
    RemoteControlsPage, RemoteControlsSection, nice_log,
};

use crate::action::interface::key_sheet::KeySheet;
use crate::exchange::latest::{LatestReader, LatestWriter, latest};
use crate::instrument::Settings;
use crate::math::cast::{rounded_i32, single};
use crate::params::{COUNT, FORMAT, KEYS_FIELD, Parameter, ValueKind, all};

/// Name of the saved field that holds [`FORMAT`].
pub const FORMAT_FIELD: &str = "format";
/// Name of the saved field that holds the choice of a motorized keyboard.
pub const KEYBOARD_FIELD: &str = "keyboard";

/// One parameter as the framework holds it.
#[derive(Debug)]
pub enum HostParameter {
    /// A number.
    Number(FloatParam),
    /// The index of a choice.
    Choice(IntParam),
}

impl HostParameter {
    fn new(parameter: &'static Parameter) -> Self {
        let default = parameter.default_value();
        match parameter.kind {
            ValueKind::Number { min, max, centre, .. } => {
                let (min, max) = (single(min), single(max));
                let range = match centre {
                    None => FloatRange::Linear { min, max },
                    Some(_) => FloatRange::Skewed { min, max, factor: single(parameter.skew()) },
                };
                Self::Number(
                    FloatParam::new(parameter.name, single(default), range)
                        .with_unit(parameter.suffix)
                        .with_value_to_string(Arc::new(|v| parameter.number_text(f64::from(v))))
                        .with_string_to_value(Arc::new(|text| {
                            parameter.parse(text).ok().map(single)
                        })),
                )
            }
            ValueKind::Choice(_) => Self::Choice(
                IntParam::new(
                    parameter.name,
                    rounded_i32(default),
                    IntRange::Linear { min: 0, max: rounded_i32(parameter.max()) },
                )
                .with_value_to_string(Arc::new(|v| parameter.number_text(f64::from(v))))
                .with_string_to_value(Arc::new(|text| parameter.parse(text).ok().map(rounded_i32))),
            ),
        }
    }

    /// The framework's handle, as editors and wrappers use it.
    #[must_use]
    pub fn as_ptr(&self) -> ParamPtr {
        match self {
            Self::Number(param) => param.as_ptr(),
            Self::Choice(param) => param.as_ptr(),
        }
    }

    fn value(&self) -> f32 {
        match self {
            Self::Number(param) => param.value(),
            Self::Choice(param) => single(f64::from(param.value())),
        }
    }
}

/// Values of all parameters in the table's order and units, host modulation included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostValues([f32; COUNT]);

impl HostValues {
    /// The settings they mean; a value that is no number counts as the default.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        for (parameter, value) in all().zip(self.0) {
            parameter.set(&mut settings, f64::from(value));
        }
        settings
    }
}

/// All parameters of one plugin instance.
#[derive(Debug)]
pub struct HostParams {
    slots: Box<[HostParameter]>,
    /// The choice of a motorized keyboard, as text; it belongs to the project, not to automation.
    keyboard: Mutex<String>,
    keys: Mutex<Keys>,
}

/// What single keys differ by, and the audio thread's copy of it.
#[derive(Debug)]
struct Keys {
    sheet: KeySheet,
    writer: LatestWriter<KeySheet>,
    /// Until the audio thread has taken it.
    reader: Option<LatestReader<KeySheet>>,
}

impl Default for Keys {
    fn default() -> Self {
        let (writer, reader) = latest(&KeySheet::EVEN);
        Self { sheet: KeySheet::EVEN, writer, reader: Some(reader) }
    }
}

impl Default for HostParams {
    fn default() -> Self {
        Self {
            slots: all().map(HostParameter::new).collect(),
            keyboard: Mutex::default(),
            keys: Mutex::default(),
        }
    }
}

impl HostParams {
    /// The parameters in the table's order.
    #[must_use]
    pub fn slots(&self) -> &[HostParameter] {
        &self.slots
    }

    /// Pages of eight for the controllers of a host, a section for every group.
    pub fn remote_controls(&self, context: &mut impl RemoteControlsContext) {
        let mut from = 0;
        while from < COUNT {
            let Some(group) = all().nth(from).map(|p| p.group) else { return };
            let size = all().skip(from).take_while(|p| p.group == group).count();
            let slots = &self.slots[from..from + size];
            context.add_section(group.name(), |section| {
                section.add_page(group.name(), |page| {
                    for slot in slots {
                        match slot {
                            HostParameter::Number(param) => page.add_param(param),
                            HostParameter::Choice(param) => page.add_param(param),
                        }
                    }
                });
            });
            from += size;
        }
    }

    /// The project's choice of a motorized keyboard, as text; empty: none. Not for the audio thread.
    #[must_use]
    pub fn keyboard(&self) -> String {
        self.keyboard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Chooses a motorized keyboard for the project. Not for the audio thread.
    pub fn set_keyboard(&self, text: &str) {
        text.clone_into(&mut self.keyboard.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What single keys differ by in this project. Not for the audio thread.
    #[must_use]
    pub fn key_sheet(&self) -> KeySheet {
        self.keys().sheet
    }

    /// Sets what single keys differ by; the audio thread has it with its next block. Not for the
    /// audio thread.
    pub fn set_key_sheet(&self, sheet: &KeySheet) {
        let mut keys = self.keys();
        keys.sheet = *sheet;
        keys.writer.write(*sheet);
    }

    /// The audio thread's end of the sheet; given once.
    #[must_use]
    pub fn take_key_reader(&self) -> Option<LatestReader<KeySheet>> {
        self.keys().reader.take()
    }

    /// The present values, host modulation included.
    #[must_use]
    pub fn values(&self) -> HostValues {
        let mut values = [0.0; COUNT];
        for (value, slot) in values.iter_mut().zip(&self.slots) {
            *value = slot.value();
        }
        HostValues(values)
    }
}

// SAFETY: the pointers lead into the boxed slice, which is neither replaced nor resized while the
// object lives; the ids are distinct and the groups one level deep.
unsafe impl Params for HostParams {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        all()
            .zip(&self.slots)
            .map(|(p, slot)| (p.id.to_owned(), slot.as_ptr(), p.group.name().to_owned()))
            .collect()
    }

    fn serialize_fields(&self) -> BTreeMap<String, String> {
        let mut fields = BTreeMap::from([(FORMAT_FIELD.to_owned(), FORMAT.to_string())]);
        let keyboard = self.keyboard();
        if !keyboard.is_empty() {
            fields.insert(KEYBOARD_FIELD.to_owned(), keyboard);
        }
        let sheet = self.key_sheet();
        if !sheet.is_even() {
            fields.insert(KEYS_FIELD.to_owned(), sheet.text());
        }
        fields
    }

    fn deserialize_fields(&self, fields: &BTreeMap<String, String>) {
        self.set_keyboard(fields.get(KEYBOARD_FIELD).map_or("", String::as_str));
        let read = |text: &String| text.parse::<KeySheet>();
        let sheet = fields.get(KEYS_FIELD).map_or(Ok(KeySheet::EVEN), read);
        if let Err(error) = &sheet {
            nice_log!("Touchback: the saved sheet of keys cannot be read: {error}");
        }
        self.set_key_sheet(&sheet.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fresh_instance_holds_the_default_settings() {
        assert_eq!(HostParams::default().values().settings(), Settings::default());
    }

    #[test]
    fn the_framework_lists_the_table() {
        let params = HostParams::default();
        let map = params.param_map();
        assert_eq!(map.len(), COUNT);
        for (parameter, (id, pointer, group)) in all().zip(map) {
            assert_eq!((id.as_str(), group.as_str()), (parameter.id, parameter.group.name()));
            // SAFETY: `params` outlives the pointer.
            let (name, text, steps) = unsafe {
                let default = pointer.default_normalized_value();
                (
                    pointer.name().to_owned(),
                    pointer.normalized_value_to_string(default, true),
                    pointer.step_count(),
                )
            };
            assert_eq!(name, parameter.name);
            assert_eq!(text, parameter.text(parameter.default_value()));
            assert_eq!(steps, parameter.choices().len().checked_sub(1));
        }
    }

    #[test]
    fn a_project_remembers_its_sheet_of_keys_and_not_another_ones() {
        let (params, other) = (HostParams::default(), HostParams::default());
        let mut heard = other.take_key_reader().unwrap();
        assert!(!params.serialize_fields().contains_key(KEYS_FIELD));
        let sheet: KeySheet = "key,drop_mm\n40,1\n".parse().unwrap();
        params.set_key_sheet(&sheet);
        other.deserialize_fields(&params.serialize_fields());
        assert_eq!((other.key_sheet(), *heard.read()), (sheet, sheet));
        for text in [None, Some("key,drop_mm\n40,wide\n")] {
            other.set_key_sheet(&sheet);
            let fields = text.map(|text| (KEYS_FIELD.to_owned(), text.to_owned()));
            other.deserialize_fields(&fields.into_iter().collect());
            assert_eq!((other.key_sheet(), *heard.read()), (KeySheet::EVEN, KeySheet::EVEN));
        }
    }

    #[test]
    fn values_that_are_no_numbers_mean_the_default() {
        assert_eq!(HostValues([f32::NAN; COUNT]).settings(), Settings::default());
        for extreme in [f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            let settings = HostValues([extreme; COUNT]).settings();
            for p in all() {
                assert!((p.min()..=p.max()).contains(&p.get(&settings)), "{}", p.id);
            }
        }
    }

    proptest! {
        /// One law of the control's position, here and in the framework.
        #[test]
        fn positions_agree_with_the_framework(position in 0.0f32..=1.0) {
            let params = HostParams::default();
            for (parameter, slot) in all().zip(params.slots()) {
                // SAFETY: `params` outlives the pointer.
                let plain = unsafe { slot.as_ptr().preview_plain(position) };
                let ours = parameter.plain(f64::from(position));
                let span = parameter.max() - parameter.min();
                prop_assert!(
                    (f64::from(plain) - ours).abs() <= 1e-5 * span,
                    "{}: {} against {}", parameter.id, plain, ours
                );
            }
        }
    }
}
