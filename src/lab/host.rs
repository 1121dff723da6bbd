//! A CLAP host without window or sound card: loads the built plugin and plays it, sample-accurate.
//!
//! One thread does everything, playing the host's main and audio threads in turn, which CLAP
//! allows where the calls never overlap.

mod library;

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use clack_extensions::state::PluginState;
use clack_host::events::Match;
use clack_host::events::event_types::{MidiEvent, NoteOffEvent, NoteOnEvent, ParamValueEvent};
use clack_host::prelude::*;
pub use clack_host::utils::ClapId;

pub use library::find;

/// The plugin's CLAP id.
pub const PLUGIN_ID: &str = "org.touchback.touchback";

/// Something sent to the plugin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Message {
    /// MIDI note 0…127 pressed, velocity 0…1.
    NoteOn(u8, f64),
    /// MIDI note released, velocity 0…1.
    NoteOff(u8, f64),
    /// MIDI controller and its value 0…127.
    Controller(u8, u8),
    /// A parameter by its CLAP id, in the plugin's own scale ([`Host::value_of`]).
    Parameter(ClapId, f64),
}

/// A message and its sample within the block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timed {
    /// Sample after the block's first.
    pub at: u32,
    /// The message.
    pub what: Message,
}

/// A parameter as the plugin announces it.
#[derive(Clone, PartialEq, Debug)]
pub struct Announced {
    /// CLAP id.
    pub id: ClapId,
    /// Name shown to people.
    pub name: String,
    /// Least value in the plugin's own scale.
    pub min: f64,
    /// Greatest value in the plugin's own scale.
    pub max: f64,
    /// Default value in the plugin's own scale.
    pub default: f64,
}

/// What the plugin may ask of the host.
#[derive(Default)]
struct Requests {
    callback: AtomicBool,
    restart: AtomicBool,
}

impl SharedHandler<'_> for Requests {
    fn request_restart(&self) {
        self.restart.store(true, Ordering::Release);
    }

    fn request_process(&self) {}

    fn request_callback(&self) {
        self.callback.store(true, Ordering::Release);
    }
}

struct Handlers;

impl HostHandlers for Handlers {
    type Shared<'a> = Requests;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

/// One instance of the plugin.
pub struct Host {
    instance: PluginInstance<Handlers>,
    processor: Option<StartedPluginAudioProcessor<Handlers>>,
    ports: AudioPorts,
    events: EventBuffer,
    /// Samples since activation.
    at: u64,
    max_block: usize,
}

impl Host {
    /// Loads the plugin library at `path` and makes one instance.
    ///
    /// # Errors
    /// A library that is no CLAP plugin, holds another plugin or another version.
    pub fn load(path: &Path) -> Result<Self> {
        let show = path.display();
        // SAFETY: the library is this project's own build, found by name beside the program; its
        // entry is written by the plugin framework to the CLAP specification.
        let entry = unsafe { PluginEntry::load(path) }
            .map_err(|e| anyhow!("{show}: cannot be loaded as a plugin: {e}"))?;
        // Unloading would pull the code from under the destructors of its thread-local values,
        // which run when a thread ends: a library once loaded stays.
        std::mem::forget(entry.clone());
        let factory = entry
            .get_plugin_factory()
            .ok_or_else(|| anyhow!("{show}: holds no plugin; build it with `cargo build`"))?;
        let text = |s: Option<&std::ffi::CStr>| {
            s.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let descriptor = factory
            .plugin_descriptors()
            .find(|d| text(d.id()) == PLUGIN_ID)
            .ok_or_else(|| anyhow!("{show}: does not hold {PLUGIN_ID}"))?;
        let (version, own) = (text(descriptor.version()), env!("CARGO_PKG_VERSION"));
        if version != own {
            bail!(
                "{show}: is version {version}, this program {own}; build both with `cargo build`"
            );
        }
        let info = HostInfo::new("Touchback lab", "Touchback", "", own)?;
        let id = CString::new(PLUGIN_ID)?;
        let instance =
            PluginInstance::<Handlers>::new(|()| Requests::default(), |_| (), &entry, &id, &info)
                .map_err(|e| anyhow!("{show}: cannot be instantiated: {e}"))?;
        Ok(Self {
            instance,
            processor: None,
            ports: AudioPorts::with_capacity(2, 1),
            events: EventBuffer::with_capacity(1024),
            at: 0,
            max_block: 0,
        })
    }

    /// Prepares for blocks of 1…`max_block` samples at `sample_rate` Hz.
    ///
    /// # Errors
    /// When already active, or refused by the plugin.
    pub fn activate(&mut self, sample_rate: f64, max_block: u32) -> Result<()> {
        let configuration = PluginAudioConfiguration {
            sample_rate,
            min_frames_count: 1,
            max_frames_count: max_block.max(1),
        };
        let stopped = self
            .instance
            .activate(|_, ()| (), configuration)
            .map_err(|e| anyhow!("the plugin cannot run at {sample_rate} Hz: {e}"))?;
        let started = stopped
            .start_processing()
            .map_err(|e| anyhow!("the plugin does not start processing: {e}"))?;
        self.processor = Some(started);
        self.at = 0;
        self.max_block = usize::try_from(max_block.max(1))?;
        Ok(())
    }

    /// Gives back what [`Host::activate`] prepared.
    pub fn deactivate(&mut self) {
        if let Some(processor) = self.processor.take() {
            self.instance.deactivate(processor.stop_processing());
        }
    }

    /// Silence, as after activation.
    pub fn reset(&mut self) {
        if let Some(processor) = &mut self.processor {
            processor.reset();
        }
    }

    /// Processes one block of both channels (equal lengths); `messages` in any order, those of one
    /// sample in the order given.
    ///
    /// # Errors
    /// When not active, the block too long, or the plugin failed.
    pub fn process(
        &mut self,
        messages: &[Timed],
        left: &mut [f32],
        right: &mut [f32],
    ) -> Result<ProcessStatus> {
        if left.len() != right.len() || left.is_empty() || left.len() > self.max_block {
            bail!("a block of {} samples where 1…{} fit", left.len(), self.max_block);
        }
        self.events.clear();
        for message in messages {
            push(&mut self.events, message);
        }
        self.events.sort();
        let processor = self.processor.as_mut().context("the plugin is not active")?;
        let frames = left.len() as u64;
        let mut outputs = self.ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only([left, right]),
        }]);
        let status = processor
            .process(
                &InputAudioBuffers::empty(),
                &mut outputs,
                &self.events.as_input(),
                &mut OutputEvents::void(),
                Some(self.at),
                None,
            )
            .map_err(|e| anyhow!("the plugin failed to process: {e}"))?;
        self.at += frames;
        self.answer();
        Ok(status)
    }

    /// Grants the main-thread callback the plugin may have asked for.
    fn answer(&mut self) {
        let asked = |h: &Requests| h.callback.swap(false, Ordering::AcqRel);
        if self.instance.access_shared_handler(asked) {
            self.instance.call_on_main_thread_callback();
        }
    }

    /// The plugin has asked to be deactivated and activated again since the last call.
    #[must_use]
    pub fn wants_restart(&self) -> bool {
        self.instance.access_shared_handler(|h| h.restart.swap(false, Ordering::AcqRel))
    }

    fn params(&self) -> Result<PluginParams> {
        let shared = self.instance.plugin_shared_handle();
        shared.get_extension().context("the plugin has no parameters")
    }

    /// All parameters in the plugin's order.
    ///
    /// # Errors
    /// When the plugin has no parameters.
    pub fn parameters(&mut self) -> Result<Vec<Announced>> {
        let params = self.params()?;
        let plugin = self.instance.plugin_handle();
        let mut buffer = ParamInfoBuffer::new();
        let mut list = Vec::new();
        for index in 0..params.count(&plugin) {
            if let Some(info) = params.get_info(&plugin, index, &mut buffer) {
                list.push(Announced {
                    id: info.id,
                    name: String::from_utf8_lossy(info.name).into_owned(),
                    min: info.min_value,
                    max: info.max_value,
                    default: info.default_value,
                });
            }
        }
        Ok(list)
    }

    /// Present value of the parameter with CLAP id `id`, in the plugin's own scale.
    ///
    /// # Errors
    /// When there is no such parameter.
    pub fn value(&mut self, id: ClapId) -> Result<f64> {
        let params = self.params()?;
        let value = params.get_value(&self.instance.plugin_handle(), id);
        value.with_context(|| format!("the plugin has no parameter {}", id.get()))
    }

    /// What `text` (a plain value, with or without unit) means in the plugin's own scale.
    ///
    /// # Errors
    /// When the plugin does not understand it.
    pub fn value_of(&mut self, id: ClapId, text: &str) -> Result<f64> {
        let params = self.params()?;
        let cstring = CString::new(text)?;
        params
            .text_to_value(&self.instance.plugin_handle(), id, &cstring)
            .with_context(|| format!("the plugin refuses `{text}` for parameter {}", id.get()))
    }

    /// The plugin's whole state.
    ///
    /// # Errors
    /// When the plugin cannot save.
    pub fn save(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let state = self.state()?;
        state
            .save(&self.instance.plugin_handle(), &mut bytes)
            .map_err(|e| anyhow!("the plugin does not save its state: {e}"))?;
        Ok(bytes)
    }

    /// Restores a state made by [`Host::save`].
    ///
    /// # Errors
    /// When the plugin refuses it.
    pub fn restore(&mut self, state: &[u8]) -> Result<()> {
        let extension = self.state()?;
        extension
            .load(&self.instance.plugin_handle(), &mut &state[..])
            .map_err(|e| anyhow!("the plugin refuses the state: {e}"))?;
        self.answer();
        Ok(())
    }

    fn state(&self) -> Result<PluginState> {
        let shared = self.instance.plugin_shared_handle();
        shared.get_extension().context("the plugin has no state")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.deactivate();
    }
}

fn push(events: &mut EventBuffer, message: &Timed) {
    let at = message.at;
    let note = |key: u8| Pckn::new(0u16, 0u16, u16::from(key), Match::All);
    match message.what {
        Message::NoteOn(key, velocity) => events.push(&NoteOnEvent::new(at, note(key), velocity)),
        Message::NoteOff(key, velocity) => events.push(&NoteOffEvent::new(at, note(key), velocity)),
        Message::Controller(number, value) => {
            events.push(&MidiEvent::new(at, 0, [0xB0, number & 0x7F, value & 0x7F]));
        }
        Message::Parameter(id, value) => {
            events.push(&ParamValueEvent::new(at, id, Pckn::match_all(), value))
        }
    }
}
