//! The functions by which VST3 hosts query parameters, controllers, note expressions and units.

use std::sync::atomic::Ordering;

use nice_plug::wrapper::vst3::vst3::ComRef;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{
    BusDirection, CString, CtrlNumber, IComponentHandler, IEditControllerTrait, IMidiMappingTrait,
    INoteExpressionControllerTrait, IUnitInfoTrait, MediaType, NoteExpressionTypeID,
    NoteExpressionTypeInfo, NoteExpressionValue, ParamID, ParamValue, ParameterInfo, ProgramListID,
    ProgramListInfo, String128, TChar, UnitID, UnitInfo,
};
use nice_plug::wrapper::vst3::vst3::Steinberg::{
    FIDString, IBStream, IPlugView, int16, int32, kInvalidArgument, kResultFalse, tresult,
};

use super::component::{Component, pass_on};
use super::controllers::{self, is_known};
use super::framework::trim_unit;
use super::menu;
use super::view::View;
use crate::guard::catch;
use touchback_core::exchange::lock::lock;

/// Largest distance from a set value at which the wrapper counts as having taken it: values are single.
const TAKEN: f64 = 1e-6;

impl IEditControllerTrait for Component {
    pass_on! { IEditControllerTrait:
        fn setComponentState(state: *mut IBStream) -> tresult;
        fn setState(state: *mut IBStream) -> tresult;
        fn getState(state: *mut IBStream) -> tresult;
        fn getParamValueByString(
            id: ParamID, text: *mut TChar, value: *mut ParamValue
        ) -> tresult;
        fn normalizedParamToPlain(id: ParamID, value: ParamValue) -> ParamValue = 0.0;
        fn plainParamToNormalized(id: ParamID, value: ParamValue) -> ParamValue = 0.0;
        fn getParamNormalized(id: ParamID) -> ParamValue = 0.0;
    }

    unsafe fn setParamNormalized(&self, id: ParamID, value: ParamValue) -> tresult {
        catch(kResultFalse, || {
            // SAFETY: numbers alone.
            let (answer, now) = unsafe {
                let answer = IEditControllerTrait::setParamNormalized(&*self.framework, id, value);
                (answer, IEditControllerTrait::getParamNormalized(&*self.framework, id))
            };
            if (now - value).abs() > TAKEN {
                self.unprocessed.set(id, value);
            }
            answer
        })
    }

    unsafe fn setComponentHandler(&self, handler: *mut IComponentHandler) -> tresult {
        catch(kResultFalse, || {
            // SAFETY: the host's pointer.
            *lock(&self.handler) = unsafe { ComRef::from_raw(handler) }.map(|h| h.to_com_ptr());
            // SAFETY: as above.
            self.menu.set(unsafe { menu::find(handler, self.view.clone()) });
            // SAFETY: as the host called it.
            unsafe { IEditControllerTrait::setComponentHandler(&*self.framework, handler) }
        })
    }

    unsafe fn createView(&self, name: FIDString) -> *mut IPlugView {
        catch(std::ptr::null_mut(), || {
            // SAFETY: as the host called it; the wrapper passes its reference on.
            let view = unsafe {
                View::create(
                    IEditControllerTrait::createView(&*self.framework, name),
                    self.window.clone(),
                )
            };
            self.view.store(view, Ordering::Release);
            view
        })
    }

    unsafe fn getParameterCount(&self) -> int32 {
        // SAFETY: no pointers.
        catch(0, || unsafe {
            controllers::count(IEditControllerTrait::getParameterCount(&*self.framework))
        })
    }

    unsafe fn getParameterInfo(&self, index: int32, info: *mut ParameterInfo) -> tresult {
        if info.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: the host's pointer, not null.
        catch(kResultFalse, || unsafe {
            let all = IEditControllerTrait::getParameterCount(&*self.framework);
            let Some(index) = controllers::framework_index(index, all) else {
                return kInvalidArgument;
            };
            let answer = IEditControllerTrait::getParameterInfo(&*self.framework, index, info);
            trim_unit(&mut (*info).units);
            answer
        })
    }

    unsafe fn getParamStringByValue(
        &self,
        id: ParamID,
        value: ParamValue,
        text: *mut String128,
    ) -> tresult {
        // SAFETY: as the host called it.
        catch(kResultFalse, || unsafe {
            IEditControllerTrait::getParamStringByValue(&*self.framework, id, value, text)
        })
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
        catch(kResultFalse, || unsafe {
            self.framework.getMidiControllerAssignment(bus, channel, number, id)
        })
    }
}

impl INoteExpressionControllerTrait for Component {
    pass_on! { INoteExpressionControllerTrait:
        fn getNoteExpressionCount(bus: int32, channel: int16) -> int32 = 0;
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

impl IUnitInfoTrait for Component {
    pass_on! { IUnitInfoTrait:
        fn getUnitCount() -> int32 = 0;
        fn getUnitInfo(index: int32, info: *mut UnitInfo) -> tresult;
        fn getProgramListCount() -> int32 = 0;
        fn getProgramListInfo(index: int32, info: *mut ProgramListInfo) -> tresult;
        fn getProgramName(list: ProgramListID, index: int32, name: *mut String128) -> tresult;
        fn getProgramInfo(
            list: ProgramListID, index: int32, attribute: CString, value: *mut String128
        ) -> tresult;
        fn hasProgramPitchNames(list: ProgramListID, index: int32) -> tresult;
        fn getProgramPitchName(
            list: ProgramListID, index: int32, pitch: int16, name: *mut String128
        ) -> tresult;
        fn getSelectedUnit() -> UnitID = 0;
        fn selectUnit(unit: UnitID) -> tresult;
        fn getUnitByBus(
            media: MediaType, direction: BusDirection, bus: int32, channel: int32,
            unit: *mut UnitID
        ) -> tresult;
        fn setUnitProgramData(unit: int32, index: int32, data: *mut IBStream) -> tresult;
    }
}
