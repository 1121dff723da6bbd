//! Queries to the framework's wrapper about its parameters.

use std::ops::Range;

use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    CtrlNumber, IMidiMappingTrait, ParamID, String128, TChar,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{int16, kResultOk};

use crate::plugin::Touchback;

/// Removes the blank before a parameter's unit: hosts put their own between number and unit.
pub(super) fn trim_unit(units: &mut String128) {
    if units[0] == TChar::from(b' ') {
        units.copy_within(1.., 0);
    }
}

/// The parameters through which the wrapper receives MIDI controllers.
pub(super) fn controller_ids(framework: &Wrapper<Touchback>) -> Range<ParamID> {
    let assigned = |channel: int16, number: CtrlNumber| {
        let mut id = 0;
        // SAFETY: the wrapper writes an id.
        let answer =
            unsafe { framework.getMidiControllerAssignment(0, channel, number, &raw mut id) };
        (answer == kResultOk).then_some(id)
    };
    // Up to channel pressure and pitch bend of channel 16.
    match (assigned(0, 0), assigned(15, 129)) {
        (Some(first), Some(last)) => first..last.saturating_add(1),
        _ => 0..0,
    }
}
