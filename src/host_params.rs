//! The table of parameters as the plugin framework's parameters.
//!
//! The audio thread reads the values by atomic loads, without allocation; any thread may set them through
//! the framework.

pub mod mechanism;
pub mod pedals;
mod published;
pub mod steering;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nice_plug::params::Params;
use nice_plug::plugin::ParamValue;
use nice_plug::prelude::{
    FloatParam, FloatRange, IntParam, IntRange, Param as _, ParamPtr, RemoteControlsContext,
    RemoteControlsPage, RemoteControlsSection, nice_log,
};

use mechanism::MechanismParams;
use pedals::PedalParams;
use published::Published;
use steering::{Steered, Steering};
use touchback_action::interface::key_sheet::{ActionSheet, KeySheet};
use touchback_core::exchange::latest::LatestReader;
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::shared::Keeper;
use touchback_core::math::cast::{rounded_i32, single};
use touchback_core::mech::key_tones::KeyTones;
use touchback_instrument::Settings;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::params::{
    COUNT, FORMAT, KEYS_FIELD, Parameter, ValueKind, all, host_id,
};

/// Name of the saved field that holds [`FORMAT`].
pub const FORMAT_FIELD: &str = "format";
/// Name of the saved field that holds the choice of a motorized keyboard.
pub const KEYBOARD_FIELD: &str = "keyboard";
/// Name of the saved field that holds which MIDI controllers move which parameters.
pub const CONTROLLERS_FIELD: &str = "controllers";
/// Name of the saved field with values set by controllers that the host has not received.
pub const STEERED_FIELD: &str = "steered";

/// Ids of the parameters outside the table, in their order after it.
pub fn beside() -> impl Iterator<Item = &'static str> {
    pedals::IDS.into_iter().chain(mechanism::IDS)
}

/// The saved positions of the parameters outside the table, in their range; 0 where the saved value is no number.
/// Presets save none and leave them as they are.
pub fn saved_positions(
    saved: &BTreeMap<String, ParamValue>,
) -> impl Iterator<Item = (String, ParamValue)> {
    beside().filter_map(|id| {
        let position = match saved.get(id)? {
            ParamValue::F32(position) if position.is_finite() => position.clamp(0.0, 1.0),
            _ => 0.0,
        };
        Some((id.to_owned(), ParamValue::F32(position)))
    })
}

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
    /// The settings with these values; a value that is not finite counts as the default.
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
    /// The pedals, which are not settings.
    pedals: PedalParams,
    /// Those of a mechanism from a file.
    mechanism: MechanismParams,
    /// The choice of a motorized keyboard, as text; it belongs to the project, not to automation.
    keyboard: Mutex<String>,
    /// The sheet of single keys' differences.
    keys: Published<KeySheet>,
    /// The sheet that a project saves while an exercise has put a fault into `keys`.
    saved_keys: Mutex<Option<KeySheet>>,
    /// Both parts of the sheets in `keys`, which the audio thread must not free.
    kept: Mutex<(Keeper<ActionSheet>, Keeper<KeyTones>)>,
    /// Which controllers move which parameters.
    midi: Published<MidiMap>,
    steered: Arc<Steered>,
}

impl Default for HostParams {
    fn default() -> Self {
        Self {
            slots: all().map(HostParameter::new).collect(),
            pedals: PedalParams::default(),
            mechanism: MechanismParams::default(),
            keyboard: Mutex::default(),
            keys: Published::default(),
            saved_keys: Mutex::default(),
            kept: Mutex::default(),
            midi: Published::default(),
            steered: Arc::default(),
        }
    }
}

impl HostParams {
    /// The pedals' parameters.
    #[must_use]
    pub const fn pedals(&self) -> &PedalParams {
        &self.pedals
    }

    /// The parameters of a mechanism from a file.
    #[must_use]
    pub const fn mechanism(&self) -> &MechanismParams {
        &self.mechanism
    }

    /// The parameters in the table's order.
    #[must_use]
    pub fn slots(&self) -> &[HostParameter] {
        &self.slots
    }

    /// The parameter to which hosts give the id `id`, a pedal's included.
    #[must_use]
    pub fn pointer(&self, id: u32) -> Option<ParamPtr> {
        self.param_map().into_iter().find(|(own, ..)| host_id(own) == id).map(|(_, own, _)| own)
    }

    /// Declares pages of eight parameters for a host's hardware controllers, a section for every group.
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
        context.add_section("Pedals as played", |section| {
            section.add_page("Pedals as played", |page| {
                self.pedals.params().iter().for_each(|param| page.add_param(param));
            });
        });
        context.add_section("Mechanism", |section| {
            section.add_page("Mechanism", |page| {
                self.mechanism.params().iter().for_each(|param| page.add_param(param));
            });
        });
    }

    /// The project's choice of a motorized keyboard, as text; empty: none. Not for the audio thread.
    #[must_use]
    pub fn keyboard(&self) -> String {
        lock(&self.keyboard).clone()
    }

    /// Chooses a motorized keyboard for the project. Not for the audio thread.
    pub fn set_keyboard(&self, text: &str) {
        text.clone_into(&mut lock(&self.keyboard));
    }

    /// The project's sheet of single keys' differences. Not for the audio thread.
    #[must_use]
    pub fn key_sheet(&self) -> KeySheet {
        self.keys.get()
    }

    /// Sets the sheet of single keys' differences; the audio thread reads it with its next block. Not for
    /// the audio thread.
    pub fn set_key_sheet(&self, sheet: &KeySheet) {
        let (actions, tones) = &mut *lock(&self.kept);
        actions.keep(&sheet.action);
        tones.keep(&sheet.tones);
        self.keys.set(sheet);
    }

    /// Sets the sheet that projects save while an exercise has a fault in the current one; none ends
    /// this. Not for the audio thread.
    pub fn keep_instead(&self, sheet: Option<&KeySheet>) {
        *lock(&self.saved_keys) = sheet.cloned();
    }

    /// The sheet that projects save during an exercise; none outside an exercise. Not for the audio
    /// thread.
    #[must_use]
    pub fn kept_instead(&self) -> Option<KeySheet> {
        lock(&self.saved_keys).clone()
    }

    /// Which controllers move which parameters. Not for the audio thread.
    #[must_use]
    pub fn midi_map(&self) -> MidiMap {
        self.midi.get()
    }

    /// Sets which controllers move which parameters. Not for the audio thread.
    pub fn set_midi_map(&self, map: &MidiMap) {
        self.midi.set(map);
    }

    /// The values that controllers have set.
    #[must_use]
    pub const fn steered(&self) -> &Arc<Steered> {
        &self.steered
    }

    /// The audio thread's end of the controllers; none after the first call.
    #[must_use]
    pub fn take_steering(&self) -> Option<Steering> {
        let reader = self.midi.take_reader()?;
        Some(Steering::new(reader, self.steered.clone()))
    }

    /// Values set by controllers that the host has not received, one line `ID=VALUE` each.
    fn steered_text(&self) -> String {
        let given =
            all().enumerate().filter_map(|(index, p)| Some((p, self.steered.override_of(index)?)));
        given.map(|(p, value)| format!("{}={value}\n", p.id)).collect()
    }

    /// The audio thread's end of the sheet; none after the first call.
    #[must_use]
    pub fn take_key_reader(&self) -> Option<LatestReader<KeySheet>> {
        self.keys.take_reader()
    }

    /// The current values, host modulation included.
    #[must_use]
    pub fn values(&self) -> HostValues {
        let mut values = [0.0; COUNT];
        for (value, slot) in values.iter_mut().zip(&self.slots) {
            *value = slot.value();
        }
        HostValues(values)
    }
}

// SAFETY: the pointers point into the boxed slice and the boxed pedals and mechanism, which are neither replaced nor
// resized while the object lives; the ids are distinct and the groups one level deep.
unsafe impl Params for HostParams {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        all()
            .zip(&self.slots)
            .map(|(p, slot)| (p.id.to_owned(), slot.as_ptr(), p.group.name().to_owned()))
            .chain(self.pedals.map())
            .chain(self.mechanism.map())
            .collect()
    }

    fn serialize_fields(&self) -> BTreeMap<String, String> {
        let mut fields = BTreeMap::from([(FORMAT_FIELD.to_owned(), FORMAT.to_string())]);
        let keyboard = self.keyboard();
        if !keyboard.is_empty() {
            fields.insert(KEYBOARD_FIELD.to_owned(), keyboard);
        }
        let sheet = self.kept_instead().unwrap_or_else(|| self.key_sheet());
        if !sheet.is_even() {
            fields.insert(KEYS_FIELD.to_owned(), sheet.text());
        }
        for (field, text) in
            [(CONTROLLERS_FIELD, self.midi_map().text()), (STEERED_FIELD, self.steered_text())]
        {
            if !text.is_empty() {
                fields.insert(field.to_owned(), text);
            }
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
        self.keep_instead(None);
        self.set_key_sheet(&sheet.unwrap_or_default());
        let read = |text: &String| text.parse::<MidiMap>();
        let map = fields.get(CONTROLLERS_FIELD).map_or(Ok(MidiMap::default()), read);
        if let Err(error) = &map {
            nice_log!("Touchback: the saved MIDI controllers cannot be read: {error}");
        }
        self.set_midi_map(&map.unwrap_or_default());
        self.steered.clear();
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
        assert_eq!(map.len(), COUNT + 3 + 8, "and the pedals and the mechanism");
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
    fn a_project_restores_its_own_sheet_of_keys() {
        let (params, other) = (HostParams::default(), HostParams::default());
        let mut reader = other.take_key_reader().unwrap();
        assert!(!params.serialize_fields().contains_key(KEYS_FIELD));
        let sheet: KeySheet = "key,drop_mm\n40,1\n".parse().unwrap();
        params.set_key_sheet(&sheet);
        other.deserialize_fields(&params.serialize_fields());
        assert_eq!((other.key_sheet(), reader.read().clone()), (sheet.clone(), sheet.clone()));
        for text in [None, Some("key,drop_mm\n40,wide\n")] {
            other.set_key_sheet(&sheet);
            let fields = text.map(|text| (KEYS_FIELD.to_owned(), text.to_owned()));
            other.deserialize_fields(&fields.into_iter().collect());
            assert_eq!(
                (other.key_sheet(), reader.read().clone()),
                (KeySheet::EVEN, KeySheet::EVEN)
            );
        }
    }

    #[test]
    fn a_project_saves_its_controllers_but_no_fault_of_an_exercise() {
        let (params, other) = (HostParams::default(), HostParams::default());
        params.set_midi_map(&"21=blow_mm\n".parse().unwrap());
        let mut steering = params.take_steering().unwrap();
        assert!(steering.take(21, 1.0, &params.values()));
        let [sheet, faulty]: [KeySheet; 2] =
            ["key,drop_mm\n40,1\n", "key,drop_mm\n40,3\n"].map(|text| text.parse().unwrap());
        params.set_key_sheet(&faulty);
        params.keep_instead(Some(&sheet));
        let fields = params.serialize_fields();
        assert_eq!(fields[STEERED_FIELD], "blow_mm=54\n");
        other.deserialize_fields(&fields);
        assert_eq!((other.key_sheet(), other.midi_map()), (sheet, params.midi_map()));
        params.keep_instead(None);
        assert_eq!(params.serialize_fields()[KEYS_FIELD], faulty.text());
        // Without controllers, or with invalid text, none are assigned.
        for text in [None, Some("64=blow_mm")] {
            let fields = text.map(|text| (CONTROLLERS_FIELD.to_owned(), text.to_owned()));
            other.deserialize_fields(&fields.into_iter().collect());
            assert!(other.midi_map().is_empty());
        }
    }

    #[test]
    fn saved_positions_are_restored_within_their_range_and_others_left() {
        let restored = |saved: &[(&str, ParamValue)]| {
            let saved = saved.iter().map(|(id, value)| ((*id).to_owned(), value.clone()));
            let travel = |(id, value)| match value {
                ParamValue::F32(travel) => (id, travel),
                other => panic!("{id}: {other:?}"),
            };
            saved_positions(&saved.collect()).map(travel).collect::<Vec<(String, f32)>>()
        };
        let sustain = |travel| vec![("sustain_pedal".to_owned(), travel)];
        assert_eq!(restored(&[]), []);
        for (saved, travel) in [
            (ParamValue::F32(0.25), 0.25),
            (ParamValue::F32(7.0), 1.0),
            (ParamValue::F32(f32::NAN), 0.0),
            (ParamValue::String("1".into()), 0.0),
        ] {
            assert_eq!(
                restored(&[("sustain_pedal", saved), ("blow_mm", ParamValue::F32(1.0))]),
                sustain(travel)
            );
        }
    }

    #[test]
    fn values_that_are_not_finite_mean_the_default() {
        assert_eq!(HostValues([f32::NAN; COUNT]).settings(), Settings::default());
        for extreme in [f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            let settings = HostValues([extreme; COUNT]).settings();
            for p in all() {
                assert!((p.min()..=p.max()).contains(&p.get(&settings)), "{}", p.id);
            }
        }
    }

    proptest! {
        /// Parameter and framework convert a control's position by the same law.
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
