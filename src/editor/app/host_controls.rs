//! The host's parameters as the window turns them.

use nice_plug::context::gui::GuiContext;
use nice_plug::prelude::ParamPtr;

use crate::action::interface::key_sheet::KeySheet;
use crate::editor::controls::Controls;
use crate::editor::scales::Scales;
use crate::math::cast::single;
use crate::params::host::HostParams;
use crate::params::{Parameter, all};
use crate::sound::scala::Texts;

/// Parameters as the host holds them.
pub(super) struct HostControls<'a> {
    pub(super) params: &'a HostParams,
    pub(super) scales: &'a Scales,
    pub(super) gui: &'a GuiContext,
    pub(super) held: &'a mut Vec<&'static Parameter>,
}

impl HostControls<'_> {
    fn pointer(&self, parameter: &'static Parameter) -> Option<ParamPtr> {
        let index = all().position(|p| std::ptr::eq(p, parameter))?;
        self.params.slots().get(index).map(crate::params::host::HostParameter::as_ptr)
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
}
