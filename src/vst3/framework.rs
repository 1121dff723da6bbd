//! Queries to the framework's wrapper about its parameters.

use std::ops::Range;

use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    CtrlNumber, IEditControllerTrait, IMidiMappingTrait, ParamID, ParameterInfo, String128,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{int16, kResultOk};

use crate::plugin::Touchback;

/// The units of the wrapper's parameters that have one.
pub(super) fn units(framework: &Wrapper<Touchback>) -> Vec<(ParamID, String128)> {
    // SAFETY: no pointers.
    let count = unsafe { IEditControllerTrait::getParameterCount(framework) };
    let unit_of = |index| {
        // SAFETY: numbers and characters, all of which may be 0.
        let mut info: ParameterInfo = unsafe { std::mem::zeroed() };
        // SAFETY: the wrapper writes to a valid structure.
        let answer =
            unsafe { IEditControllerTrait::getParameterInfo(framework, index, &raw mut info) };
        (answer == kResultOk && info.units[0] != 0).then_some((info.id, info.units))
    };
    (0..count).filter_map(unit_of).collect()
}

/// Appends `more` to `text`, both NUL-terminated, as far as there is room.
pub(super) fn append(text: &mut String128, more: &String128) {
    let length = text.iter().position(|c| *c == 0).unwrap_or(text.len());
    let Some((_, room)) = text.split_at_mut(length).1.split_last_mut() else { return };
    for (to, from) in room.iter_mut().zip(more.iter()) {
        *to = *from;
    }
    text[text.len() - 1] = 0;
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
