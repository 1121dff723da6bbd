//! A small CLAP host: loads the library this test run built, plays events through it, keeps the
//! samples.

use std::ffi::CString;

use clack_extensions::latency::PluginLatency;
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use clack_extensions::remote_controls::{PluginRemoteControls, RemoteControlsPageBuffer};
use clack_extensions::state::PluginState;
use clack_extensions::tail::{PluginTail, TailLength};
use clack_host::events::event_types::{
    MidiEvent, NoteChokeEvent, NoteExpressionEvent, NoteExpressionType, NoteOffEvent, NoteOnEvent,
    ParamValueEvent,
};
use clack_host::events::spaces::CoreEventSpace;
use clack_host::prelude::*;
use touchback::params::Parameter;

pub const PLUGIN_ID: &std::ffi::CStr = c"org.touchback.touchback";

pub struct Shared;

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {}
}

pub struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

/// What a test sends at a sample.
#[derive(Clone, Copy, Debug)]
pub enum Send {
    On(i16, f64),
    Off(i16),
    Choke(i16),
    Midi([u8; 3]),
    /// A note expression of one note.
    Express(i16, NoteExpressionType, f64),
    /// Parameter and the position of its control: 0…1, the index of a choice.
    Control(&'static Parameter, f64),
    /// The same by raw id, known or not.
    RawControl(u32, f64),
}

/// What the plugin sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sent {
    On(u16, f64),
    Off(u16),
    Midi([u8; 3]),
}

/// The cdylib that cargo built beside this test.
pub fn library() -> PluginEntry {
    let name = format!("{}touchback{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = std::env::current_exe().unwrap().with_file_name(name);
    assert!(path.exists(), "{} is missing; build the library first", path.display());
    // SAFETY: the library is this package's own plugin.
    unsafe { PluginEntry::load(&path).unwrap() }
}

/// The framework numbers a parameter by this hash of its id.
pub fn clap_id(parameter: &Parameter) -> ClapId {
    let hash =
        parameter.id.bytes().fold(0u32, |hash, b| hash.wrapping_mul(31).wrapping_add(u32::from(b)));
    ClapId::new(hash & !(1 << 31))
}

/// One parameter as the plugin lists it.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    pub id: u32,
    pub name: String,
    pub module: String,
    pub range: (f64, f64),
    pub default_text: String,
}

/// One plugin instance.
pub struct Plugin {
    instance: PluginInstance<Host>,
    processor: Option<Processor>,
}

/// The audio half of an instance; may go to another thread.
pub struct Processor {
    processor: StartedPluginAudioProcessor<Host>,
    now: usize,
    /// Samples since the last reset and what the plugin sent at them.
    pub sent: Vec<(usize, Sent)>,
}

impl Plugin {
    pub fn new(entry: &PluginEntry) -> Self {
        let info = HostInfo::new("Touchback tests", "Touchback", "", "1.0").unwrap();
        let instance =
            PluginInstance::new(|_| Shared, |_| (), entry, PLUGIN_ID, &info).expect("no instance");
        Self { instance, processor: None }
    }

    pub fn activate(&mut self, sample_rate: f64) -> Result<(), PluginInstanceError> {
        self.deactivate();
        let configuration =
            PluginAudioConfiguration { sample_rate, min_frames_count: 1, max_frames_count: 8192 };
        let stopped = self.instance.activate(|_, ()| (), configuration)?;
        let processor = stopped.start_processing().expect("no processing");
        self.processor = Some(Processor { processor, now: 0, sent: Vec::new() });
        Ok(())
    }

    pub fn active(entry: &PluginEntry, sample_rate: f64) -> Self {
        let mut plugin = Self::new(entry);
        plugin.activate(sample_rate).expect("no activation");
        plugin
    }

    pub fn deactivate(&mut self) {
        if let Some(processor) = self.processor.take() {
            self.instance.deactivate(processor.processor.stop_processing());
        }
    }

    pub fn processor(&mut self) -> &mut Processor {
        self.processor.as_mut().expect("not active")
    }

    pub fn take_processor(&mut self) -> Processor {
        self.processor.take().expect("not active")
    }

    pub fn give_back(&mut self, processor: Processor) {
        self.processor = Some(processor);
    }

    pub fn save(&mut self) -> Vec<u8> {
        let handle = self.instance.plugin_handle();
        let state: PluginState = handle.get_extension().expect("no state extension");
        let mut bytes = Vec::new();
        state.save(&handle, &mut bytes).expect("not saved");
        bytes
    }

    pub fn load(&mut self, mut bytes: &[u8]) -> bool {
        let handle = self.instance.plugin_handle();
        let state: PluginState = handle.get_extension().expect("no state extension");
        state.load(&handle, &mut bytes).is_ok()
    }

    pub fn latency(&mut self) -> u32 {
        let handle = self.instance.plugin_handle();
        let latency: PluginLatency = handle.get_extension().expect("no latency extension");
        latency.get(&handle)
    }

    pub fn list(&mut self) -> Vec<Listed> {
        let handle = self.instance.plugin_handle();
        let params: PluginParams = handle.get_extension().expect("no parameters");
        let mut buffer = ParamInfoBuffer::new();
        (0..params.count(&handle))
            .map(|index| {
                let info = params.get_info(&handle, index, &mut buffer).expect("no such parameter");
                let mut text = [0; 64];
                let text =
                    params.value_to_text(&handle, info.id, info.default_value, &mut text).unwrap();
                Listed {
                    id: info.id.get(),
                    name: string(info.name),
                    module: string(info.module),
                    range: (info.min_value, info.max_value),
                    default_text: string(text),
                }
            })
            .collect()
    }

    /// Pages for the controllers of a host: section, page and the parameters' ids.
    pub fn pages(&mut self) -> Vec<(String, String, Vec<u32>)> {
        let handle = self.instance.plugin_handle();
        let pages: PluginRemoteControls = handle.get_extension().expect("no remote controls");
        let mut buffer = RemoteControlsPageBuffer::new();
        (0..pages.count(&handle))
            .map(|index| {
                let page = pages.get(&handle, index, &mut buffer).expect("no such page");
                let ids = page.param_ids.iter().flatten().map(|id| id.get()).collect();
                (string(page.section_name), string(page.page_name), ids)
            })
            .collect()
    }

    /// Position of the parameter's control.
    pub fn control(&mut self, parameter: &Parameter) -> f64 {
        let handle = self.instance.plugin_handle();
        let params: PluginParams = handle.get_extension().expect("no parameters");
        params.get_value(&handle, clap_id(parameter)).expect("no such parameter")
    }

    /// Position of the control that a text means.
    pub fn control_at(&mut self, parameter: &Parameter, text: &str) -> Option<f64> {
        let handle = self.instance.plugin_handle();
        let params: PluginParams = handle.get_extension().expect("no parameters");
        params.text_to_value(&handle, clap_id(parameter), &CString::new(text).unwrap())
    }

    /// Text of a position of the control.
    pub fn text(&mut self, parameter: &Parameter, control: f64) -> String {
        let handle = self.instance.plugin_handle();
        let params: PluginParams = handle.get_extension().expect("no parameters");
        let mut text = [0; 64];
        string(params.value_to_text(&handle, clap_id(parameter), control, &mut text).unwrap())
    }
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.iter().copied().take_while(|b| *b != 0).collect()).unwrap()
}

impl Processor {
    pub fn reset(&mut self) {
        self.processor.reset();
        self.now = 0;
        self.sent.clear();
    }

    /// Samples since the last reset.
    pub fn now(&self) -> usize {
        self.now
    }

    pub fn tail(&mut self) -> TailLength {
        let handle = self.processor.plugin_handle();
        let tail: PluginTail = handle.get_extension().expect("no tail extension");
        tail.get(&handle)
    }

    /// Renders blocks of these lengths; events are stamped with samples since the last reset and
    /// must be in order.
    pub fn render(
        &mut self,
        blocks: impl IntoIterator<Item = usize>,
        events: &[(usize, Send)],
    ) -> Vec<[f32; 2]> {
        let mut rendered = Vec::new();
        for length in blocks {
            self.block(length, events, &mut rendered);
        }
        rendered
    }

    /// Renders one block and tells what the plugin wants next.
    pub fn block(
        &mut self,
        length: usize,
        events: &[(usize, Send)],
        into: &mut Vec<[f32; 2]>,
    ) -> ProcessStatus {
        let mut inputs = EventBuffer::new();
        for (sample, send) in events {
            if (self.now..self.now + length).contains(sample) {
                push(&mut inputs, u32::try_from(sample - self.now).unwrap(), *send);
            }
        }
        // Rubbish in the buffers shows samples the plugin forgot.
        let (mut left, mut right) = (vec![f32::NAN; length], vec![f32::NAN; length]);
        let mut ports = AudioPorts::with_capacity(2, 1);
        let mut outputs = ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(
                [left.as_mut_slice(), right.as_mut_slice()].into_iter(),
            ),
        }]);
        let mut output = EventBuffer::new();
        let status = self
            .processor
            .process(
                &InputAudioBuffers::empty(),
                &mut outputs,
                &inputs.as_input(),
                &mut output.as_output(),
                Some(self.now as u64),
                None,
            )
            .expect("processing failed");
        for event in output.iter() {
            let what = match event.as_core_event() {
                Some(CoreEventSpace::NoteOn(on)) => Sent::On(note(on.pckn()), on.velocity()),
                Some(CoreEventSpace::NoteOff(off)) => Sent::Off(note(off.pckn())),
                Some(CoreEventSpace::Midi(midi)) => Sent::Midi(midi.data()),
                _ => continue,
            };
            self.sent.push((self.now + usize::try_from(event.header().time()).unwrap(), what));
        }
        self.now += length;
        into.extend(left.into_iter().zip(right).map(|(l, r)| [l, r]));
        status
    }
}

fn note(address: Pckn) -> u16 {
    address.key.into_specific().expect("a note by its number")
}

fn push(events: &mut EventBuffer, time: u32, send: Send) {
    let key = |key: i16| Pckn::from_raw(0, 0, key, -1);
    match send {
        Send::On(note, velocity) => events.push(&NoteOnEvent::new(time, key(note), velocity)),
        Send::Off(note) => events.push(&NoteOffEvent::new(time, key(note), 0.5)),
        Send::Choke(note) => events.push(&NoteChokeEvent::new(time, key(note))),
        Send::Express(note, what, value) => {
            events.push(&NoteExpressionEvent::new(time, key(note), what, value));
        }
        Send::Midi(data) => events.push(&MidiEvent::new(time, 0, data)),
        Send::Control(parameter, value) => {
            events.push(&ParamValueEvent::new(time, clap_id(parameter), Pckn::match_all(), value));
        }
        Send::RawControl(id, value) => {
            let id = ClapId::new(id);
            events.push(&ParamValueEvent::new(time, id, Pckn::match_all(), value));
        }
    }
}

/// Lengths that add up to `total`, `size` each but the last.
pub fn blocks(total: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..total.div_ceil(size)).map(move |i| size.min(total - i * size))
}

/// The bits of the samples, for exact comparison.
pub fn bits(samples: &[[f32; 2]]) -> Vec<[u32; 2]> {
    samples.iter().map(|[l, r]| [l.to_bits(), r.to_bits()]).collect()
}
