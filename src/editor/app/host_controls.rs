//! The host's parameters as the window turns them.

use nice_plug::context::gui::GuiContext;
use nice_plug::prelude::ParamPtr;

use crate::editor::controls::Controls;
use crate::editor::host_menu::{HostMenu, Wish};
use crate::editor::scales::Scales;
use crate::host_params::HostParams;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::cast::single;
use touchback_instrument::params::midi_map::MidiMap;
use touchback_instrument::params::{Parameter, all};
use touchback_sound::scala::Texts;

/// Parameters as the host holds them.
pub(super) struct HostControls<'a> {
    pub(super) params: &'a HostParams,
    pub(super) scales: &'a Scales,
    pub(super) gui: &'a GuiContext,
    pub(super) held: &'a mut Vec<&'static Parameter>,
    pub(super) learning: &'a mut Learning,
    pub(super) menu: &'a HostMenu,
}

/// What waits for a MIDI controller to be moved, and the mark of the last one moved before.
#[derive(Clone, Copy, Default)]
pub(super) struct Learning(Option<(&'static Parameter, u32)>);

impl HostControls<'_> {
    fn pointer(&self, parameter: &'static Parameter) -> Option<ParamPtr> {
        self.params.slots().get(parameter.index()?).map(crate::host_params::HostParameter::as_ptr)
    }

    /// Gives what waits for a controller the one that was moved since, and tells the host what
    /// controllers have moved; `told` is what it was told so far. Maps before and after something was
    /// learned.
    pub(super) fn follow_controllers(&mut self, told: &mut [f32]) -> Option<[MidiMap; 2]> {
        let mut learned = None;
        let steered = self.params.steered();
        let (number, mark) = steered.moved();
        if let Some((parameter, before)) = self.learning.0
            && mark != before
        {
            let before = self.params.midi_map();
            let mut map = before;
            // One that the piano listens to itself is passed over.
            if map.assign(number, parameter).is_ok() {
                self.params.set_midi_map(&map);
                self.learning.0 = None;
                learned = Some([before, map]);
            } else {
                self.learning.0 = Some((parameter, mark));
            }
        }
        for ((place, parameter), told) in all().enumerate().zip(told) {
            let Some(given) = steered.given(place) else {
                *told = f32::NAN;
                continue;
            };
            if told.to_bits() == given.to_bits() {
                continue;
            }
            *told = given;
            let Some(pointer) = self.pointer(parameter) else { continue };
            // SAFETY: the parameters outlive this borrow of them.
            let rounded = unsafe { pointer.preview_plain(pointer.preview_normalized(given)) };
            steered.tell(place, rounded);
            self.put(parameter, f64::from(given));
        }
        learned
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
            // SAFETY: the host knows this parameter: the table gave it both.
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

    fn learns(&self) -> Option<&'static Parameter> {
        self.learning.0.map(|(parameter, _)| parameter)
    }

    fn has_host_menu(&self) -> bool {
        self.menu.is_there()
    }

    fn open_host_menu(&mut self, parameter: &'static Parameter, at: [i32; 2]) {
        self.menu.wish(Wish { parameter: parameter.host_id(), at });
    }

    fn learn(&mut self, parameter: Option<&'static Parameter>) {
        let mark = self.params.steered().moved().1;
        self.learning.0 = parameter.map(|parameter| (parameter, mark));
    }
}
