//! The plugin as VST3 hosts know it: the framework's wrapper, but for what processes.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use nice_plug::prelude::nice_log;
use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Class;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::ChannelContext::{
    IInfoListener, IInfoListenerTrait,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    BusDirection, BusInfo, CString, CtrlNumber, IAttributeList, IAudioProcessor,
    IAudioProcessorTrait, IComponent, IComponentHandler, IComponentTrait, IEditController,
    IEditControllerTrait, IMidiMapping, IMidiMappingTrait, INoteExpressionController,
    INoteExpressionControllerTrait, IProcessContextRequirements, IProcessContextRequirementsTrait,
    IUnitInfo, IUnitInfoTrait, IoMode, MediaType, NoteExpressionTypeID, NoteExpressionTypeInfo,
    NoteExpressionValue, ParamID, ParamValue, ParameterInfo, ProcessData, ProcessSetup,
    ProgramListID, ProgramListInfo, RoutingInfo, SpeakerArrangement, String128,
    SymbolicSampleSizes_, TChar, UnitID, UnitInfo,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FIDString, FUnknown, IBStream, IPlugView, IPluginBaseTrait, TBool, TUID, int16, int32,
    kInvalidArgument, kNotInitialized, kResultFalse, kResultOk, tresult, uint32,
};

use super::block::BlockFeeder;
use super::controllers::{self, is_known};
use super::menu;
use crate::editor::host_menu::HostMenu;
use crate::exchange::lock::lock;
use crate::plugin::{Touchback, newest};

/// One plugin.
pub(super) struct Component {
    framework: Wrapper<Touchback>,
    /// `setupProcessing` has named rate and block size.
    is_set_up: AtomicBool,
    is_active: AtomicBool,
    /// The host activated before it set up: done as soon as it has.
    is_wished_active: AtomicBool,
    /// What stands behind a parameter's number: part of its text here, while the field that VST3 has for it
    /// stays empty. Some hosts show the text alone, others both.
    units: Vec<(ParamID, String128)>,
    menu: Arc<HostMenu>,
    view: menu::View,
    /// Of the thread that processes; others try it and give up, or wait on the main thread.
    feeder: Mutex<BlockFeeder>,
}

impl Class for Component {
    type Interfaces = (
        IComponent,
        IEditController,
        IAudioProcessor,
        IMidiMapping,
        INoteExpressionController,
        IProcessContextRequirements,
        IUnitInfo,
        IInfoListener,
    );
}

impl Component {
    pub(super) fn new() -> Self {
        let framework = Wrapper::new();
        let menu = newest::take();
        let controllers = controller_ids(&framework);
        let units = units(&framework);
        Self {
            framework,
            units,
            menu,
            view: menu::View::default(),
            is_set_up: AtomicBool::new(false),
            is_active: AtomicBool::new(false),
            is_wished_active: AtomicBool::new(false),
            feeder: Mutex::new(BlockFeeder::new(controllers)),
        }
    }

    /// Forgets what waits for the next block; says what was left out.
    fn forget(&self) {
        let left_out = lock(&self.feeder).forget();
        if left_out > 0 {
            nice_log!("Touchback left out {left_out} events, more than there was room for");
        }
    }

    /// # Safety
    /// As `setActive`.
    unsafe fn switch(&self, state: TBool) -> tresult {
        self.is_active.store(false, Ordering::Release);
        self.forget();
        // SAFETY: as the host called it.
        let answer = unsafe { IComponentTrait::setActive(&self.framework, state) };
        self.is_active.store(state != 0 && answer == kResultOk, Ordering::Release);
        answer
    }
}

/// The units of the wrapper's parameters that have one.
fn units(framework: &Wrapper<Touchback>) -> Vec<(ParamID, String128)> {
    // SAFETY: the wrapper counts.
    let count = unsafe { IEditControllerTrait::getParameterCount(framework) };
    let unit_of = |index| {
        // SAFETY: numbers and characters, all of which may be 0.
        let mut info: ParameterInfo = unsafe { std::mem::zeroed() };
        // SAFETY: the wrapper writes what is there.
        let answer =
            unsafe { IEditControllerTrait::getParameterInfo(framework, index, &raw mut info) };
        (answer == kResultOk && info.units[0] != 0).then_some((info.id, info.units))
    };
    (0..count).filter_map(unit_of).collect()
}

/// Puts `more` behind `text`, both ended by 0, as far as there is room.
fn append(text: &mut String128, more: &String128) {
    let length = text.iter().position(|c| *c == 0).unwrap_or(text.len());
    let Some((_, room)) = text.split_at_mut(length).1.split_last_mut() else { return };
    for (to, from) in room.iter_mut().zip(more.iter()) {
        *to = *from;
    }
    text[text.len() - 1] = 0;
}

/// The parameters by which the wrapper hears MIDI controllers.
fn controller_ids(framework: &Wrapper<Touchback>) -> Range<ParamID> {
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

/// Functions that the wrapper answers.
macro_rules! pass_on {
    ($interface:ident: $(fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {$(
        unsafe fn $name(&self, $($argument: $kind),*) -> $answer {
            // SAFETY: as the host called it.
            unsafe { $interface::$name(&self.framework, $($argument),*) }
        }
    )*};
}

impl IPluginBaseTrait for Component {
    pass_on! { IPluginBaseTrait:
        fn initialize(context: *mut FUnknown) -> tresult;
    }

    unsafe fn terminate(&self) -> tresult {
        // The host's handler may go.
        self.menu.set(None);
        // SAFETY: as the host called it.
        unsafe { IPluginBaseTrait::terminate(&self.framework) }
    }
}

impl IComponentTrait for Component {
    pass_on! { IComponentTrait:
        fn getControllerClassId(class: *mut TUID) -> tresult;
        fn setIoMode(mode: IoMode) -> tresult;
        fn getBusCount(media: MediaType, direction: BusDirection) -> int32;
        fn getBusInfo(
            media: MediaType, direction: BusDirection, index: int32, info: *mut BusInfo
        ) -> tresult;
        fn getRoutingInfo(input: *mut RoutingInfo, output: *mut RoutingInfo) -> tresult;
        fn activateBus(
            media: MediaType, direction: BusDirection, index: int32, state: TBool
        ) -> tresult;
        fn setState(state: *mut IBStream) -> tresult;
        fn getState(state: *mut IBStream) -> tresult;
    }

    unsafe fn setActive(&self, state: TBool) -> tresult {
        self.is_wished_active.store(state != 0, Ordering::Release);
        if state != 0 && !self.is_set_up.load(Ordering::Acquire) {
            return kResultOk;
        }
        // SAFETY: as the host called it.
        unsafe { self.switch(state) }
    }
}

impl IEditControllerTrait for Component {
    pass_on! { IEditControllerTrait:
        fn setComponentState(state: *mut IBStream) -> tresult;
        fn setState(state: *mut IBStream) -> tresult;
        fn getState(state: *mut IBStream) -> tresult;
        fn getParamValueByString(
            id: ParamID, text: *mut TChar, value: *mut ParamValue
        ) -> tresult;
        fn normalizedParamToPlain(id: ParamID, value: ParamValue) -> ParamValue;
        fn plainParamToNormalized(id: ParamID, value: ParamValue) -> ParamValue;
        fn getParamNormalized(id: ParamID) -> ParamValue;
        fn setParamNormalized(id: ParamID, value: ParamValue) -> tresult;
    }

    unsafe fn setComponentHandler(&self, handler: *mut IComponentHandler) -> tresult {
        // SAFETY: the host's pointer.
        self.menu.set(unsafe { menu::find(handler, self.view.clone()) });
        // SAFETY: as the host called it.
        unsafe { IEditControllerTrait::setComponentHandler(&self.framework, handler) }
    }

    unsafe fn createView(&self, name: FIDString) -> *mut IPlugView {
        // SAFETY: as the host called it.
        let view = unsafe { IEditControllerTrait::createView(&self.framework, name) };
        self.view.store(view, Ordering::Release);
        view
    }

    unsafe fn getParameterCount(&self) -> int32 {
        // SAFETY: the wrapper counts.
        controllers::count(unsafe { IEditControllerTrait::getParameterCount(&self.framework) })
    }

    unsafe fn getParameterInfo(&self, index: int32, info: *mut ParameterInfo) -> tresult {
        if info.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: the wrapper counts.
        let all = unsafe { IEditControllerTrait::getParameterCount(&self.framework) };
        let Some(index) = controllers::place_of(index, all) else { return kInvalidArgument };
        // SAFETY: the host's pointer.
        let answer =
            unsafe { IEditControllerTrait::getParameterInfo(&self.framework, index, info) };
        // SAFETY: the host's pointer, not null.
        unsafe { (*info).units = [0; 128] };
        answer
    }

    unsafe fn getParamStringByValue(
        &self,
        id: ParamID,
        value: ParamValue,
        text: *mut String128,
    ) -> tresult {
        // SAFETY: as the host called it.
        let answer = unsafe {
            IEditControllerTrait::getParamStringByValue(&self.framework, id, value, text)
        };
        let unit = self.units.iter().find(|(of, _)| *of == id);
        if answer == kResultOk
            && let Some((_, unit)) = unit
        {
            // SAFETY: the wrapper has written there.
            append(unsafe { &mut *text }, unit);
        }
        answer
    }
}

impl IAudioProcessorTrait for Component {
    pass_on! { IAudioProcessorTrait:
        fn setBusArrangements(
            inputs: *mut SpeakerArrangement, input_count: int32,
            outputs: *mut SpeakerArrangement, output_count: int32
        ) -> tresult;
        fn getBusArrangement(
            direction: BusDirection, index: int32, arrangement: *mut SpeakerArrangement
        ) -> tresult;
        fn canProcessSampleSize(size: int32) -> tresult;
        fn getLatencySamples() -> uint32;
        fn getTailSamples() -> uint32;
    }

    unsafe fn setupProcessing(&self, setup: *mut ProcessSetup) -> tresult {
        // SAFETY: the host's pointer.
        let answer = unsafe { IAudioProcessorTrait::setupProcessing(&self.framework, setup) };
        if answer == kResultOk {
            self.is_set_up.store(true, Ordering::Release);
            if self.is_wished_active.load(Ordering::Acquire)
                && !self.is_active.load(Ordering::Acquire)
            {
                // SAFETY: as the host has asked for.
                return unsafe { self.switch(1) };
            }
        }
        answer
    }

    unsafe fn setProcessing(&self, state: TBool) -> tresult {
        // The wrapper asks the standard library for the thread at a parameter's change, which
        // allocates the first time on each thread: here, not in `process`.
        drop(std::thread::current());
        if state != 0 {
            if !self.is_active.load(Ordering::Acquire) {
                return kNotInitialized;
            }
            if let Ok(mut feeder) = self.feeder.try_lock() {
                feeder.silence();
            }
        }
        // SAFETY: as the host called it.
        unsafe { IAudioProcessorTrait::setProcessing(&self.framework, state) }
    }

    unsafe fn process(&self, data: *mut ProcessData) -> tresult {
        // SAFETY: the host's block, valid while it waits for this call.
        let Some(data) = (unsafe { data.as_ref() }) else { return kInvalidArgument };
        if !self.is_set_up.load(Ordering::Acquire) {
            return kNotInitialized;
        }
        let Ok(mut feeder) = self.feeder.try_lock() else { return kResultFalse };
        // SAFETY: each part is one that the wrapper stands; the buffers are the host's.
        let process = |part: &mut ProcessData| unsafe {
            IAudioProcessorTrait::process(&self.framework, part)
        };
        if data.numSamples == 0 {
            // SAFETY: the host's lists.
            return unsafe { feeder.flush(data, process) };
        }
        let Ok(frames) = u32::try_from(data.numSamples) else { return kInvalidArgument };
        if i64::from(data.symbolicSampleSize) != i64::from(SymbolicSampleSizes_::kSample32) {
            return kInvalidArgument;
        }
        if !self.is_active.load(Ordering::Acquire) {
            return kNotInitialized;
        }
        // SAFETY: the host's lists and buffers.
        unsafe { feeder.feed(data, frames, process) }
    }
}

impl IMidiMappingTrait for Component {
    unsafe fn getMidiControllerAssignment(
        &self,
        bus: int32,
        channel: int16,
        number: CtrlNumber,
        id: *mut ParamID,
    ) -> tresult {
        if id.is_null() {
            return kInvalidArgument;
        }
        if !is_known(number) {
            return kResultFalse;
        }
        // SAFETY: as the host called it.
        unsafe { self.framework.getMidiControllerAssignment(bus, channel, number, id) }
    }
}

impl INoteExpressionControllerTrait for Component {
    pass_on! { INoteExpressionControllerTrait:
        fn getNoteExpressionCount(bus: int32, channel: int16) -> int32;
        fn getNoteExpressionInfo(
            bus: int32, channel: int16, index: int32, info: *mut NoteExpressionTypeInfo
        ) -> tresult;
        fn getNoteExpressionStringByValue(
            bus: int32, channel: int16, id: NoteExpressionTypeID, value: NoteExpressionValue,
            text: *mut String128
        ) -> tresult;
        fn getNoteExpressionValueByString(
            bus: int32, channel: int16, id: NoteExpressionTypeID, text: *const TChar,
            value: *mut NoteExpressionValue
        ) -> tresult;
    }
}

impl IProcessContextRequirementsTrait for Component {
    pass_on! { IProcessContextRequirementsTrait:
        fn getProcessContextRequirements() -> uint32;
    }
}

impl IUnitInfoTrait for Component {
    pass_on! { IUnitInfoTrait:
        fn getUnitCount() -> int32;
        fn getUnitInfo(index: int32, info: *mut UnitInfo) -> tresult;
        fn getProgramListCount() -> int32;
        fn getProgramListInfo(index: int32, info: *mut ProgramListInfo) -> tresult;
        fn getProgramName(list: ProgramListID, index: int32, name: *mut String128) -> tresult;
        fn getProgramInfo(
            list: ProgramListID, index: int32, attribute: CString, value: *mut String128
        ) -> tresult;
        fn hasProgramPitchNames(list: ProgramListID, index: int32) -> tresult;
        fn getProgramPitchName(
            list: ProgramListID, index: int32, pitch: int16, name: *mut String128
        ) -> tresult;
        fn getSelectedUnit() -> UnitID;
        fn selectUnit(unit: UnitID) -> tresult;
        fn getUnitByBus(
            media: MediaType, direction: BusDirection, bus: int32, channel: int32,
            unit: *mut UnitID
        ) -> tresult;
        fn setUnitProgramData(unit: int32, index: int32, data: *mut IBStream) -> tresult;
    }
}

impl IInfoListenerTrait for Component {
    pass_on! { IInfoListenerTrait:
        fn setChannelContextInfos(list: *mut IAttributeList) -> tresult;
    }
}
