//! The host's parameters, as the window reads and sets them.

use std::sync::Arc;

use nice_plug::context::gui::GuiContext;
use nice_plug::prelude::{Param as _, ParamPtr};

use crate::host_menu::{HostMenu, MenuRequest};
use crate::host_params::HostParams;
use crate::mechanisms::{Mechanisms, positions};
use crate::scales::Scales;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::cast::single;
use touchback_instrument::Event;
use touchback_instrument::host::mechanism::LoadedMechanism;
use touchback_instrument::host::midi::Pedal;
use touchback_instrument::host::params::midi_map::MidiMap;
use touchback_instrument::host::params::{Parameter, all};
use touchback_sound::tuning::scala::Texts;
use touchback_window::state::controls::Controls;

/// The host's parameters.
pub(super) struct HostControls<'a> {
    pub(super) params: &'a HostParams,
    pub(super) scales: &'a Scales,
    pub(super) mechanisms: &'a Mechanisms,
    pub(super) gui: &'a GuiContext,
    pub(super) held: &'a mut Vec<&'static Parameter>,
    pub(super) learning: &'a mut Learning,
    pub(super) menu: &'a HostMenu,
}

/// The parameter that waits for a MIDI controller, and the mark of the last controller message before.
#[derive(Clone, Copy, Default)]
pub(super) struct Learning(Option<(&'static Parameter, u32)>);

impl HostControls<'_> {
    fn pointer(&self, parameter: &'static Parameter) -> Option<ParamPtr> {
        self.params.slots().get(parameter.index()?).map(crate::host_params::HostParameter::as_ptr)
    }

    /// Assigns the controller moved last to the parameter that waits for one, and reports the values set
    /// by controllers to the host; `reported` holds the values reported so far. Returns the maps before and
    /// after an assignment.
    pub(super) fn follow_controllers(&mut self, reported: &mut [f32]) -> Option<[MidiMap; 2]> {
        let mut learned = None;
        let steered = self.params.steered();
        let (number, mark) = steered.last_moved();
        if let Some((parameter, before)) = self.learning.0
            && mark != before
        {
            let before = self.params.midi_map();
            let mut map = before;
            // Controllers that the piano itself uses cannot be assigned.
            if map.assign(number, parameter).is_ok() {
                self.params.set_midi_map(&map);
                self.learning.0 = None;
                learned = Some([before, map]);
            } else {
                self.learning.0 = Some((parameter, mark));
            }
        }
        for ((index, parameter), reported) in all().enumerate().zip(reported) {
            let Some(value) = steered.override_of(index) else {
                *reported = f32::NAN;
                continue;
            };
            if reported.to_bits() == value.to_bits() {
                continue;
            }
            *reported = value;
            let Some(pointer) = self.pointer(parameter) else { continue };
            // SAFETY: the parameters outlive this borrow of them.
            let rounded = unsafe { pointer.preview_plain(pointer.preview_normalized(value)) };
            steered.set_reported(index, rounded);
            self.put(parameter, f64::from(value));
        }
        learned
    }
}

impl HostControls<'_> {
    /// Sets the parameters of the pedals that `played` events move, so that hosts can record them. The
    /// event itself moves the pedal too: MIDI may have moved it away from its parameter.
    pub(super) fn move_pedals(&self, played: &[Event]) {
        for event in played {
            let (pedal, travel) = match *event {
                Event::Sustain(travel) => (Pedal::Sustain, travel),
                Event::Sostenuto(travel) => (Pedal::Sostenuto, travel),
                Event::UnaCorda(travel) => (Pedal::UnaCorda, travel),
                _ => continue,
            };
            let (pointer, travel) = (self.params.pedals().get(pedal).as_ptr(), single(travel));
            // SAFETY: the host has received the pointer, and the parameters outlive this borrow of them.
            unsafe {
                if pointer.unmodulated_normalized_value().to_bits() != travel.to_bits() {
                    self.gui.raw_begin_set_parameter(pointer);
                    self.gui.raw_set_parameter_normalized(pointer, travel);
                    self.gui.raw_end_set_parameter(pointer);
                }
            }
        }
    }
}

impl Controls for HostControls<'_> {
    fn value(&self, parameter: &'static Parameter) -> f64 {
        self.pointer(parameter).map_or_else(
            || parameter.default_value(),
            |pointer| {
                // SAFETY: the parameters outlive this borrow of them.
                let normalized = unsafe { pointer.unmodulated_normalized_value() };
                // SAFETY: as above.
                parameter.quantize(f64::from(unsafe { pointer.preview_plain(normalized) }))
            },
        )
    }

    fn begin(&mut self, parameter: &'static Parameter) {
        if let Some(pointer) = self.pointer(parameter) {
            self.held.push(parameter);
            // SAFETY: the host has received this parameter's pointer.
            unsafe { self.gui.raw_begin_set_parameter(pointer) };
        }
    }

    fn set(&mut self, parameter: &'static Parameter, value: f64) {
        if let Some(pointer) = self.pointer(parameter) {
            // SAFETY: as in `begin`.
            unsafe {
                let normalized = pointer.preview_normalized(single(value));
                self.gui.raw_set_parameter_normalized(pointer, normalized);
            }
        }
    }

    fn end(&mut self, parameter: &'static Parameter) {
        if let Some(pointer) = self.pointer(parameter) {
            self.held.retain(|held| !std::ptr::eq(*held, parameter));
            // SAFETY: as in `begin`.
            unsafe { self.gui.raw_end_set_parameter(pointer) };
        }
    }

    fn texts(&self) -> Option<Texts> {
        self.scales.texts()
    }

    fn tune(&mut self, by: Option<Texts>) -> Result<(), String> {
        self.scales.set(by)
    }

    fn mechanism(&self) -> Arc<LoadedMechanism> {
        self.mechanisms.get()
    }

    fn set_mechanism(&mut self, mechanism: Arc<LoadedMechanism>) {
        self.mechanisms.set(mechanism.clone());
        // The host shows the values of the file.
        for (param, position) in self.params.mechanism().params().iter().zip(positions(&mechanism))
        {
            let pointer = param.as_ptr();
            // SAFETY: the host has received the pointer, and the parameters outlive this borrow of them.
            unsafe {
                if pointer.unmodulated_normalized_value().to_bits() != position.to_bits() {
                    self.gui.raw_begin_set_parameter(pointer);
                    self.gui.raw_set_parameter_normalized(pointer, position);
                    self.gui.raw_end_set_parameter(pointer);
                }
            }
        }
    }

    fn keys(&self) -> KeySheet {
        self.params.key_sheet()
    }

    fn set_keys(&mut self, keys: &KeySheet) {
        self.params.set_key_sheet(keys);
    }

    fn exercised(&self) -> Option<KeySheet> {
        self.params.kept_instead()
    }

    fn exercise(&mut self, before: Option<&KeySheet>) {
        self.params.keep_instead(before);
    }

    fn midi_map(&self) -> MidiMap {
        self.params.midi_map()
    }

    fn set_midi_map(&mut self, map: &MidiMap) {
        self.params.set_midi_map(map);
    }

    fn learning_parameter(&self) -> Option<&'static Parameter> {
        self.learning.0.map(|(parameter, _)| parameter)
    }

    fn has_host_menu(&self) -> bool {
        self.menu.is_available()
    }

    fn open_host_menu(&mut self, parameter: &'static Parameter, at: [i32; 2]) {
        self.menu.request(MenuRequest { parameter: parameter.host_id(), at });
    }

    fn learn(&mut self, parameter: Option<&'static Parameter>) {
        let mark = self.params.steered().last_moved().1;
        self.learning.0 = parameter.map(|parameter| (parameter, mark));
    }
}
