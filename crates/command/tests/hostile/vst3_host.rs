//! A VST3 host on the plugin's own interfaces, with buffers between guard pages.
#![allow(non_snake_case, reason = "the names are VST3's")]

use std::cell::RefCell;
use std::ffi::CString;

use touchback_command::host::find;
use vst3::Steinberg::Vst::*;
use vst3::Steinberg::*;
use vst3::{Class, ComPtr, ComRef, ComWrapper, Interface};

use crate::allocations;
use crate::outputs::Outputs;

/// One plugin, whose functions are called as the test pleases.
pub struct Plugin {
    pub component: ComPtr<IComponent>,
    pub processor: ComPtr<IAudioProcessor>,
    pub controller: ComPtr<IEditController>,
    mapping: ComPtr<IMidiMapping>,
}

pub fn factory() -> ComPtr<IPluginFactory> {
    let path = find().expect("the library is built");
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the library's entry has this type; the library stays loaded.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null());
        let entry = libc::dlsym(library, c"GetPluginFactory".as_ptr());
        assert!(!entry.is_null());
        let entry: extern "system" fn() -> *mut IPluginFactory = std::mem::transmute(entry);
        ComPtr::from_raw(entry()).unwrap()
    }
}

impl Plugin {
    pub fn new() -> Self {
        let factory = factory();
        // SAFETY: the factory's own class and interface.
        let component = unsafe {
            let mut class = std::mem::zeroed();
            assert_eq!(factory.getClassInfo(0, &raw mut class), kResultOk);
            assert_ne!(factory.getClassInfo(1, &raw mut class), kResultOk);
            let mut object = std::ptr::null_mut();
            let (id, interface) = (class.cid.as_ptr(), IComponent::IID.as_ptr().cast());
            assert_eq!(factory.createInstance(id, interface, &raw mut object), kResultOk);
            ComPtr::from_raw(object.cast::<IComponent>()).unwrap()
        };
        Self {
            processor: component.cast().unwrap(),
            controller: component.cast().unwrap(),
            mapping: component.cast().unwrap(),
            component,
        }
    }

    /// Active and started at 48 kHz.
    pub fn active() -> Self {
        let plugin = Self::new();
        assert!(plugin.set_up(48_000.0) && plugin.activate(true) && plugin.run(true));
        plugin
    }

    pub fn set_up(&self, rate: f64) -> bool {
        let mut setup = ProcessSetup {
            processMode: 0,
            symbolicSampleSize: 0,
            maxSamplesPerBlock: 512,
            sampleRate: rate,
        };
        // SAFETY: the plugin's own function.
        unsafe { self.processor.setupProcessing(&raw mut setup) == kResultOk }
    }

    pub fn activate(&self, state: bool) -> bool {
        // SAFETY: the plugin's own function.
        unsafe { self.component.setActive(state.into()) == kResultOk }
    }

    pub fn run(&self, state: bool) -> bool {
        // SAFETY: the plugin's own function.
        unsafe { self.processor.setProcessing(state.into()) == kResultOk }
    }

    /// Present normalized value of a parameter.
    pub fn value(&self, id: u32) -> f64 {
        // SAFETY: the plugin's own function.
        unsafe { self.controller.getParamNormalized(id) }
    }

    /// Ids and units of the first `count` parameters.
    pub fn units(&self, count: i32) -> Vec<(u32, String)> {
        let id = |index| {
            // SAFETY: the plugin's own function.
            unsafe {
                let mut info: ParameterInfo = std::mem::zeroed();
                assert_eq!(self.controller.getParameterInfo(index, &raw mut info), kResultOk);
                let end = info.units.iter().position(|c| *c == 0).unwrap();
                (info.id, String::from_utf16(&info.units[..end]).unwrap())
            }
        };
        (0..count).map(id).collect()
    }

    /// Name and flags of every parameter.
    pub fn listed(&self) -> Vec<(String, i32)> {
        // SAFETY: the plugin's own functions.
        unsafe {
            let info = |index| {
                let mut info: ParameterInfo = std::mem::zeroed();
                assert_eq!(self.controller.getParameterInfo(index, &raw mut info), kResultOk);
                let end = info.title.iter().position(|c| *c == 0).unwrap();
                (String::from_utf16(&info.title[..end]).unwrap(), info.flags)
            };
            (0..self.controller.getParameterCount()).map(info).collect()
        }
    }

    /// Text of a parameter at a normalized value, and the value that the plugin reads from it.
    pub fn text(&self, id: u32, value: f64) -> (String, f64) {
        let (mut text, mut read) = ([0; 128], f64::NAN);
        // SAFETY: the plugin's own functions.
        unsafe {
            let answer = self.controller.getParamStringByValue(id, value, &raw mut text);
            assert_eq!(answer, kResultOk);
            let answer =
                self.controller.getParamValueByString(id, text.as_mut_ptr(), &raw mut read);
            assert_eq!(answer, kResultOk);
        }
        let end = text.iter().position(|c| *c == 0).unwrap();
        (String::from_utf16(&text[..end]).unwrap(), read)
    }

    /// The parameter that stands for a MIDI controller.
    pub fn controller(&self, channel: i16, number: i16) -> u32 {
        let mut id = 0;
        // SAFETY: the plugin's own function.
        let answer =
            unsafe { self.mapping.getMidiControllerAssignment(0, channel, number, &raw mut id) };
        assert_eq!(answer, kResultOk);
        id
    }

    /// Asks for outputs with these speakers, one bit each.
    pub fn arrange(&self, speakers: &[u64]) -> tresult {
        let (mut speakers, count) = (speakers.to_vec(), i32::try_from(speakers.len()).unwrap());
        // SAFETY: the plugin's own function; there are no inputs to name.
        unsafe {
            let (none, outputs) = (std::ptr::null_mut(), speakers.as_mut_ptr());
            self.processor.setBusArrangements(none, 0, outputs, count)
        }
    }

    /// Processes a block of `frames` samples of `size` (0: 32 bits); how often it took from or
    /// gave to the heap.
    pub fn process(
        &self,
        block: (i32, i32),
        outputs: Option<&Outputs>,
        changes: &[(u32, i32, f64)],
        events: &[Event],
    ) -> Result<u64, tresult> {
        let outputs = outputs.map_or(&[][..], std::slice::from_ref);
        self.process_buses(block, outputs, changes, events).map(|(count, _)| count)
    }

    /// The same with any number of output buses; also the buses' flags of silent channels.
    pub fn process_buses(
        &self,
        (frames, size): (i32, i32),
        buses: &[Outputs],
        changes: &[(u32, i32, f64)],
        events: &[Event],
    ) -> Result<(u64, Vec<u64>), tresult> {
        let queues = changes.iter().map(|change| ComWrapper::new(Queue(*change))).collect();
        let changes = ComWrapper::new(Changes(queues));
        let (events, sent) = (events.to_vec(), Vec::with_capacity(1 << 16));
        let events = ComWrapper::new(Events { events, sent: RefCell::new(sent) });
        let mut starts: Vec<Vec<_>> = buses.iter().map(Outputs::starts).collect();
        let as_vst3 = |starts: &mut Vec<*mut f32>| AudioBusBuffers {
            numChannels: i32::try_from(starts.len()).unwrap(),
            silenceFlags: 0,
            __field0: AudioBusBuffers__type0 {
                channelBuffers32: if starts.is_empty() {
                    std::ptr::null_mut()
                } else {
                    starts.as_mut_ptr()
                },
            },
        };
        let mut outputs: Vec<_> = starts.iter_mut().map(as_vst3).collect();
        let list: ComRef<'_, IEventList> = events.as_com_ref().unwrap();
        let mut block = ProcessData {
            processMode: 0,
            symbolicSampleSize: size,
            numSamples: frames,
            numInputs: 0,
            numOutputs: i32::try_from(buses.len()).unwrap(),
            inputs: std::ptr::null_mut(),
            outputs: if buses.is_empty() { std::ptr::null_mut() } else { outputs.as_mut_ptr() },
            inputParameterChanges: changes.as_com_ref::<IParameterChanges>().unwrap().as_ptr(),
            outputParameterChanges: std::ptr::null_mut(),
            inputEvents: list.as_ptr(),
            outputEvents: list.as_ptr(),
            processContext: std::ptr::null_mut(),
        };
        // SAFETY: lists and buffers outlive the call.
        let (status, count) =
            allocations::count(|| unsafe { self.processor.process(&raw mut block) });
        let inside = |event: &i32| (0..frames.max(1)).contains(event);
        assert!(events.sent.borrow().iter().all(inside), "sent outside the block");
        let flags = outputs.iter().map(|output| output.silenceFlags).collect();
        if status == kResultOk { Ok((count, flags)) } else { Err(status) }
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.run(false);
        self.activate(false);
    }
}

/// What a host sends, and the samples of what it is sent.
struct Events {
    events: Vec<Event>,
    sent: RefCell<Vec<i32>>,
}

impl Class for Events {
    type Interfaces = (IEventList,);
}

impl IEventListTrait for Events {
    unsafe fn getEventCount(&self) -> int32 {
        i32::try_from(self.events.len()).unwrap()
    }

    unsafe fn getEvent(&self, index: int32, event: *mut Event) -> tresult {
        let own = self.events[usize::try_from(index).unwrap()];
        // SAFETY: the plugin's event.
        unsafe { event.write(own) };
        kResultOk
    }

    unsafe fn addEvent(&self, event: *mut Event) -> tresult {
        let mut sent = self.sent.borrow_mut();
        if sent.len() == sent.capacity() {
            return kResultFalse;
        }
        // SAFETY: the plugin's event.
        sent.push(unsafe { (*event).sampleOffset });
        kResultOk
    }
}

struct Changes(Vec<ComWrapper<Queue>>);

impl Class for Changes {
    type Interfaces = (IParameterChanges,);
}

impl IParameterChangesTrait for Changes {
    unsafe fn getParameterCount(&self) -> int32 {
        i32::try_from(self.0.len()).unwrap()
    }

    unsafe fn getParameterData(&self, index: int32) -> *mut IParamValueQueue {
        let queue = &self.0[usize::try_from(index).unwrap()];
        queue.as_com_ref::<IParamValueQueue>().unwrap().as_ptr()
    }

    unsafe fn addParameterData(&self, _: *const ParamID, _: *mut int32) -> *mut IParamValueQueue {
        std::ptr::null_mut()
    }
}

/// Parameter, sample and value.
struct Queue((u32, i32, f64));

impl Class for Queue {
    type Interfaces = (IParamValueQueue,);
}

impl IParamValueQueueTrait for Queue {
    unsafe fn getParameterId(&self) -> ParamID {
        self.0.0
    }

    unsafe fn getPointCount(&self) -> int32 {
        1
    }

    unsafe fn getPoint(&self, _: int32, offset: *mut int32, value: *mut f64) -> tresult {
        // SAFETY: the plugin's variables.
        unsafe {
            offset.write(self.0.1);
            value.write(self.0.2);
        }
        kResultOk
    }

    unsafe fn addPoint(&self, _: int32, _: f64, _: *mut int32) -> tresult {
        kResultFalse
    }
}

fn event(offset: i32, kind: u16, field: Event__type0) -> Event {
    Event {
        busIndex: 0,
        sampleOffset: offset,
        ppqPosition: 0.0,
        flags: 0,
        r#type: kind,
        __field0: field,
    }
}

pub fn note_on(offset: i32, pitch: i16) -> Event {
    let (channel, tuning, velocity, length, noteId) = (0, 0.0, 0.7, 0, -1);
    let noteOn = NoteOnEvent { channel, pitch, tuning, velocity, length, noteId };
    event(offset, 0, Event__type0 { noteOn })
}

pub fn note_off(offset: i32, pitch: i16) -> Event {
    let (channel, velocity, noteId, tuning) = (0, 0.5, -1, 0.0);
    event(
        offset,
        1,
        Event__type0 { noteOff: NoteOffEvent { channel, pitch, velocity, noteId, tuning } },
    )
}

/// A system exclusive message of nothing, or an event of a kind that nobody knows.
pub fn strange(offset: i32, kind: u16) -> Event {
    let data = DataEvent { size: 1 << 20, r#type: 0, bytes: std::ptr::null() };
    event(offset, if kind < 5 { 2 } else { kind }, Event__type0 { data })
}

/// A system exclusive message.
pub fn system_exclusive(offset: i32, bytes: &'static [u8]) -> Event {
    let (size, bytes) = (u32::try_from(bytes.len()).unwrap(), bytes.as_ptr());
    event(offset, 2, Event__type0 { data: DataEvent { size, r#type: 0, bytes } })
}

pub fn expression(offset: i32, id: i32, value: f64) -> Event {
    let noteExpressionValue =
        NoteExpressionValueEvent { typeId: id.unsigned_abs(), noteId: id, value };
    event(offset, 4, Event__type0 { noteExpressionValue })
}
