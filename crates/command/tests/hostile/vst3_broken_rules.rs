//! A VST3 host that breaks the rules of the interfaces: each call is refused or tolerated.
#![allow(non_snake_case, reason = "the names are VST3's")]

use std::ffi::c_void;

use touchback_instrument::host::params;
use vst3::Steinberg::Vst::*;
use vst3::Steinberg::*;
use vst3::{Class, ComPtr, ComRef, ComWrapper, Interface};

use crate::vst3_host::{Plugin, factory};
use crate::{FRAMES, blow};

#[test]
fn vst3_a_missing_class_gives_null() {
    let factory = factory();
    let rubbish = std::ptr::without_provenance_mut::<c_void>(0x55);
    let (unknown, interface) = ([7_i8; 16], IComponent::IID);
    // SAFETY: names of 16 bytes, or none, and a variable.
    unsafe {
        let mut class: PClassInfo = std::mem::zeroed();
        assert_eq!(factory.getClassInfo(0, &raw mut class), kResultOk);
        let (own, interface) = (class.cid.as_ptr(), interface.as_ptr().cast());
        for (class, interface) in [
            (unknown.as_ptr(), interface),
            (own, unknown.as_ptr()),
            (std::ptr::null(), interface),
            (own, std::ptr::null()),
        ] {
            let mut object = rubbish;
            assert_ne!(factory.createInstance(class.cast(), interface, &raw mut object), kResultOk);
            assert!(object.is_null());
        }
        let none = std::ptr::null_mut();
        assert_ne!(factory.createInstance(own.cast(), interface, none), kResultOk);
        assert_ne!(factory.getClassInfo(0, std::ptr::null_mut()), kResultOk);
        assert_ne!(factory.getClassInfo(-1, &raw mut class), kResultOk);
        assert_ne!(factory.getFactoryInfo(std::ptr::null_mut()), kResultOk);
    }
}

#[test]
fn vst3_invalid_queries_are_refused() {
    let plugin = Plugin::active();
    // SAFETY: the plugin's own functions; what they are handed is the test.
    unsafe {
        let (component, processor) = (&plugin.component, &plugin.processor);
        let controller = &plugin.controller;
        for index in [-1, 2, i32::MIN, i32::MAX] {
            let mut bus: BusInfo = std::mem::zeroed();
            let mut speakers = 0;
            assert_ne!(component.getBusInfo(0, 1, index, &raw mut bus), kResultOk);
            assert_ne!(component.activateBus(0, 1, index, 1), kResultOk);
            assert_ne!(processor.getBusArrangement(1, index, &raw mut speakers), kResultOk);
            let mut info: ParameterInfo = std::mem::zeroed();
            let past = controller.getParameterCount() + index.clamp(0, 1);
            assert_ne!(controller.getParameterInfo(past, &raw mut info), kResultOk);
            assert_ne!(controller.getParameterInfo(-1, &raw mut info), kResultOk);
        }
        assert_ne!(component.getBusInfo(0, 1, 0, std::ptr::null_mut()), kResultOk);
        assert_ne!(component.getRoutingInfo(std::ptr::null_mut(), std::ptr::null_mut()), kResultOk);
        assert_ne!(component.setState(std::ptr::null_mut()), kResultOk);
        assert_ne!(component.getState(std::ptr::null_mut()), kResultOk);
        assert_ne!(processor.setupProcessing(std::ptr::null_mut()), kResultOk);
        assert_ne!(processor.process(std::ptr::null_mut()), kResultOk);
        assert_ne!(processor.getBusArrangement(1, 0, std::ptr::null_mut()), kResultOk);
        for (inputs, outputs) in [(-1, 1), (0, -1), (0, 1), (0, i32::MIN)] {
            assert_ne!(
                processor.setBusArrangements(
                    std::ptr::null_mut(),
                    inputs,
                    std::ptr::null_mut(),
                    outputs
                ),
                kResultOk
            );
        }
        assert_ne!(controller.getParameterInfo(0, std::ptr::null_mut()), kResultOk);
        assert_ne!(controller.getParamStringByValue(blow(), 0.5, std::ptr::null_mut()), kResultOk);
        assert_ne!(
            controller.getParamValueByString(blow(), std::ptr::null_mut(), std::ptr::null_mut()),
            kResultOk
        );
        assert_eq!(controller.setComponentHandler(std::ptr::null_mut()), kResultOk);
        for id in params::all().map(params::Parameter::host_id).chain([0, u32::MAX]) {
            for value in [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX, -1.0] {
                let mut text = [0; 128];
                controller.getParamStringByValue(id, value, &raw mut text);
                controller.normalizedParamToPlain(id, value);
                controller.plainParamToNormalized(id, value);
                controller.setParamNormalized(id, value);
            }
        }
        let half: [u16; 3] = [0xd800, 0xdc00, 0];
        let mut value = 0.0;
        let text = half[..].as_ptr().cast_mut();
        controller.getParamValueByString(blow(), text, &raw mut value);
    }
    let outputs = crate::outputs::Outputs::stereo(FRAMES);
    plugin.process((512, 0), Some(&outputs), &[], &[]).expect("played");
}

/// Impossible sample and bus counts.
#[test]
fn vst3_blocks_that_cannot_be_counted_are_refused() {
    let plugin = Plugin::active();
    let mut left = [7.0_f32; 64];
    let mut right = [7.0_f32; 64];
    let mut starts = [left.as_mut_ptr(), right.as_mut_ptr()];
    for (buses, channels) in [(-1, 2), (i32::MIN, 2), (1, -1), (1, i32::MIN)] {
        let mut output = AudioBusBuffers {
            numChannels: channels,
            silenceFlags: 0,
            __field0: AudioBusBuffers__type0 { channelBuffers32: starts.as_mut_ptr() },
        };
        // SAFETY: numbers and pointers, all of which may be 0.
        let mut block: ProcessData = unsafe { std::mem::zeroed() };
        (block.numSamples, block.numOutputs, block.outputs) = (64, buses, &raw mut output);
        // SAFETY: the block outlives the call.
        assert_ne!(unsafe { plugin.processor.process(&raw mut block) }, kResultOk);
    }
    // 64-bit samples are not supported; a host that uses them gets silence.
    let mut wide = [[7.0_f64; 64]; 2];
    let mut starts = wide.each_mut().map(|channel| channel.as_mut_ptr());
    let mut output = AudioBusBuffers {
        numChannels: 2,
        silenceFlags: 0,
        __field0: AudioBusBuffers__type0 { channelBuffers64: starts.as_mut_ptr() },
    };
    // SAFETY: as above.
    let mut block: ProcessData = unsafe { std::mem::zeroed() };
    (block.numSamples, block.numOutputs, block.outputs) = (64, 1, &raw mut output);
    block.symbolicSampleSize = 1;
    // SAFETY: as above.
    assert_ne!(unsafe { plugin.processor.process(&raw mut block) }, kResultOk);
    assert_eq!((wide, output.silenceFlags), ([[0.0; 64]; 2], u64::MAX));
}

/// A stream that reports a wrong number of bytes.
struct Liar {
    size: i64,
    moved: i32,
}

impl Class for Liar {
    type Interfaces = (IBStream,);
}

impl IBStreamTrait for Liar {
    unsafe fn read(&self, _: *mut c_void, _: i32, moved: *mut i32) -> tresult {
        // SAFETY: the plugin's variable.
        unsafe { moved.write(self.moved) };
        kResultOk
    }
    unsafe fn write(&self, _: *mut c_void, _: i32, moved: *mut i32) -> tresult {
        // SAFETY: as above.
        unsafe { moved.write(self.moved) };
        kResultOk
    }
    unsafe fn seek(&self, _: i64, mode: i32, at: *mut i64) -> tresult {
        if !at.is_null() {
            // SAFETY: as above.
            unsafe { at.write(if mode == 2 { self.size } else { 0 }) };
        }
        kResultOk
    }
    unsafe fn tell(&self, at: *mut i64) -> tresult {
        // SAFETY: as above.
        unsafe { at.write(if self.size == i64::MAX { i64::MIN } else { 0 }) };
        kResultOk
    }
}

#[test]
fn vst3_invalid_streams_load_nothing() {
    let plugin = Plugin::active();
    let before = plugin.value(blow());
    for (size, moved) in [
        (100, 1_000_000),
        (100, -1),
        (100, i32::MIN),
        (-1, 100),
        (i64::MIN, 100),
        (i64::MAX, i32::MAX),
        (0, 0),
    ] {
        let stream = ComWrapper::new(Liar { size, moved });
        let stream: ComRef<'_, IBStream> = stream.as_com_ref().unwrap();
        // SAFETY: a stream.
        unsafe {
            assert_ne!(plugin.component.setState(stream.as_ptr()), kResultOk, "{size} {moved}");
            // A stream that did not accept all bytes has not saved.
            if moved < 100 {
                assert_ne!(plugin.component.getState(stream.as_ptr()), kResultOk, "{moved}");
            }
        }
    }
    assert_eq!(plugin.value(blow()), before);
}

/// A stream in memory.
#[derive(Default)]
struct Memory {
    bytes: std::cell::RefCell<Vec<u8>>,
    at: std::cell::Cell<usize>,
}

impl Class for Memory {
    type Interfaces = (IBStream,);
}

impl IBStreamTrait for Memory {
    unsafe fn read(&self, buffer: *mut std::ffi::c_void, count: i32, read: *mut i32) -> tresult {
        let bytes = self.bytes.borrow();
        let rest = &bytes[self.at.get().min(bytes.len())..];
        let count = usize::try_from(count).unwrap().min(rest.len());
        // SAFETY: the plugin's buffer of at least this size, and its number or null.
        unsafe {
            std::ptr::copy_nonoverlapping(rest.as_ptr(), buffer.cast::<u8>(), count);
            if let Some(read) = read.as_mut() {
                *read = i32::try_from(count).unwrap();
            }
        }
        self.at.set(self.at.get() + count);
        kResultOk
    }
    unsafe fn write(&self, buffer: *mut std::ffi::c_void, count: i32, wrote: *mut i32) -> tresult {
        // SAFETY: as above.
        unsafe {
            let bytes =
                std::slice::from_raw_parts(buffer.cast::<u8>(), usize::try_from(count).unwrap());
            self.bytes.borrow_mut().extend_from_slice(bytes);
            if let Some(wrote) = wrote.as_mut() {
                *wrote = count;
            }
        }
        kResultOk
    }
    unsafe fn seek(&self, to: i64, mode: i32, at: *mut i64) -> tresult {
        let from = match mode {
            0 => 0,
            1 => i64::try_from(self.at.get()).unwrap(),
            _ => i64::try_from(self.bytes.borrow().len()).unwrap(),
        };
        self.at.set(usize::try_from(from + to).unwrap());
        // SAFETY: as above.
        if let Some(at) = unsafe { at.as_mut() } {
            *at = from + to;
        }
        kResultOk
    }
    unsafe fn tell(&self, at: *mut i64) -> tresult {
        // SAFETY: as above.
        unsafe { at.write(i64::try_from(self.at.get()).unwrap()) };
        kResultOk
    }
}

/// Between two blocks a host sets a parameter on the controller and saves.
#[test]
fn vst3_a_state_saved_before_the_next_block_has_the_value_set_last() {
    let (plugin, other) = (Plugin::active(), Plugin::active());
    let outputs = crate::outputs::Outputs::stereo(FRAMES);
    plugin.process((512, 0), Some(&outputs), &[], &[]).expect("played");
    let saved = ComWrapper::new(Memory::default());
    let stream: ComRef<'_, IBStream> = saved.as_com_ref().unwrap();
    // SAFETY: the plugins' own functions, a stream.
    unsafe {
        assert_eq!(plugin.controller.setParamNormalized(blow(), 1.0), kResultOk);
        assert_eq!(plugin.component.getState(stream.as_ptr()), kResultOk);
        saved.at.set(0);
        assert_eq!(other.component.setState(stream.as_ptr()), kResultOk);
    }
    other.process((512, 0), Some(&outputs), &[], &[]).expect("played");
    assert!((other.value(blow()) - 1.0).abs() < 1e-6, "{}", other.value(blow()));
}

/// A host that reads a parameter again when the plugin announces new values, and sets itself anew meanwhile.
struct Handler {
    controller: ComPtr<IEditController>,
    read: std::cell::RefCell<Vec<f64>>,
}

impl Class for Handler {
    type Interfaces = (IComponentHandler,);
}

impl IComponentHandlerTrait for Handler {
    unsafe fn beginEdit(&self, _: ParamID) -> tresult {
        kResultOk
    }
    unsafe fn performEdit(&self, _: ParamID, _: ParamValue) -> tresult {
        kResultOk
    }
    unsafe fn endEdit(&self, _: ParamID) -> tresult {
        kResultOk
    }
    unsafe fn restartComponent(&self, flags: i32) -> tresult {
        assert_eq!(flags, RestartFlags_::kParamValuesChanged);
        // SAFETY: the plugin's own functions.
        unsafe {
            self.read.borrow_mut().push(self.controller.getParamNormalized(blow()));
            self.controller.setComponentHandler(std::ptr::null_mut());
        }
        kResultOk
    }
}

#[test]
fn vst3_a_loaded_state_is_announced_once_with_its_values() {
    let plugin = Plugin::active();
    let controller = plugin.controller.clone();
    let host = ComWrapper::new(Handler { controller, read: Default::default() });
    let handler: ComRef<'_, IComponentHandler> = host.as_com_ref().unwrap();
    let state = Memory::default();
    let saved = r#"{"version":"0.2.0","params":{"blow_mm":{"f32":54.0}},"fields":{}}"#;
    state.bytes.borrow_mut().extend_from_slice(saved.as_bytes());
    let state = ComWrapper::new(state);
    let stream: ComRef<'_, IBStream> = state.as_com_ref().unwrap();
    let broken = ComWrapper::new(Liar { size: 100, moved: 0 });
    let nothing: ComRef<'_, IBStream> = broken.as_com_ref().unwrap();
    // SAFETY: the plugin's own functions, a handler, streams.
    unsafe {
        assert_eq!(plugin.controller.setComponentHandler(handler.as_ptr()), kResultOk);
        assert_ne!(plugin.component.setState(nothing.as_ptr()), kResultOk);
        assert!(host.read.borrow().is_empty());
        for _ in 0..2 {
            state.at.set(0);
            assert_eq!(plugin.component.setState(stream.as_ptr()), kResultOk);
        }
    }
    // The host has taken its handler away at the first.
    assert_eq!(*host.read.borrow(), [1.0]);
}

/// A frame whose event loop refuses handlers.
struct Refusing;

impl Class for Refusing {
    type Interfaces = (IPlugFrame, Linux::IRunLoop);
}

impl IPlugFrameTrait for Refusing {
    unsafe fn resizeView(&self, _: *mut IPlugView, _: *mut ViewRect) -> tresult {
        kResultFalse
    }
}

impl Linux::IRunLoopTrait for Refusing {
    unsafe fn registerEventHandler(&self, _: *mut Linux::IEventHandler, _: i32) -> tresult {
        kResultFalse
    }
    unsafe fn unregisterEventHandler(&self, _: *mut Linux::IEventHandler) -> tresult {
        kResultFalse
    }
    unsafe fn registerTimer(&self, _: *mut Linux::ITimerHandler, _: u64) -> tresult {
        kResultFalse
    }
    unsafe fn unregisterTimer(&self, _: *mut Linux::ITimerHandler) -> tresult {
        kResultFalse
    }
}

/// A view without an open window, and without a display.
#[test]
#[cfg_attr(not(feature = "window"), ignore = "needs the feature `window`")]
fn vst3_view_functions_without_a_window_do_nothing() {
    let plugin = Plugin::active();
    // SAFETY: the plugin's own functions; what they are handed is the test.
    unsafe {
        let view = plugin.controller.createView(c"editor".as_ptr());
        let view = ComPtr::from_raw(view).expect("a view");
        let scale: ComPtr<IPlugViewContentScaleSupport> = view.cast().expect("scales");
        let parent = std::ptr::without_provenance_mut::<c_void>(0x77);
        let x11 = kPlatformTypeX11EmbedWindowID;
        let names =
            [std::ptr::null(), c"".as_ptr(), kPlatformTypeHWND, kPlatformTypeNSView, c"?".as_ptr()];
        for name in names {
            assert_ne!(view.isPlatformTypeSupported(name), kResultOk);
            assert_ne!(view.attached(parent, name), kResultOk);
        }
        assert_eq!(view.isPlatformTypeSupported(x11), kResultOk);
        assert_ne!(view.attached(std::ptr::null_mut(), x11), kResultOk);
        for id in [1 << 32, usize::MAX] {
            assert_ne!(view.attached(std::ptr::without_provenance_mut(id), x11), kResultOk);
        }
        assert_ne!(view.getSize(std::ptr::null_mut()), kResultOk);
        assert_ne!(view.onSize(std::ptr::null_mut()), kResultOk);
        assert_ne!(view.checkSizeConstraint(std::ptr::null_mut()), kResultOk);
        for (left, right) in [(0, 0), (i32::MIN, i32::MAX), (i32::MAX, i32::MIN), (0, i32::MAX)] {
            let mut size = ViewRect { left, top: left, right, bottom: right };
            assert_ne!(view.onSize(&raw mut size), kResultOk);
            assert_ne!(view.checkSizeConstraint(&raw mut size), kResultOk);
        }
        for factor in [f32::NAN, f32::INFINITY, 0.0, -1.0, 1e30, 2.0] {
            assert_ne!(scale.setContentScaleFactor(factor), kResultOk);
        }
        assert_ne!(view.onKeyDown(0, i16::MIN, i16::MAX), kResultOk);
        assert_ne!(view.onKeyUp(0, i16::MAX, i16::MIN), kResultOk);
        assert_ne!(view.removed(), kResultOk);
        let frame = ComWrapper::new(Refusing);
        let frame: ComRef<'_, IPlugFrame> = frame.as_com_ref().unwrap();
        assert_eq!(view.setFrame(frame.as_ptr()), kResultOk);
        assert_eq!(view.setFrame(std::ptr::null_mut()), kResultOk);
        assert_eq!(view.setFrame(frame.as_ptr()), kResultOk);
        // The plugin goes first.
        drop(plugin);
        let mut size = ViewRect { left: 0, top: 0, right: 900, bottom: 700 };
        assert_ne!(view.onSize(&raw mut size), kResultOk);
        assert_ne!(view.attached(parent, x11), kResultOk);
    }
}
