//! A CLAP host without window or sound card: loads the built plugin and plays it, sample-accurate.
//!
//! One thread may act as the host's main and audio thread in turn, which CLAP allows if the calls never
//! overlap; a [`Processor`] may also move to a thread of its own.

mod keyboard;
mod library;
mod processor;

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clack_extensions::latency::PluginLatency;
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use clack_extensions::preset_discovery::PluginPresetLoad;
use clack_extensions::preset_discovery::preset_data::Location;
use clack_extensions::remote_controls::{PluginRemoteControls, RemoteControlsPageBuffer};
use clack_extensions::state::PluginState;
use clack_host::prelude::*;

pub use clack_host::utils::ClapId;
use touchback_offline::output::Shown as _;

pub use library::find;
pub use processor::{Message, Processor, Sent, Timed};

/// The plugin's CLAP id.
pub const PLUGIN_ID: &str = "org.touchback.touchback";

/// A parameter as the plugin announces it.
#[derive(Clone, PartialEq, Debug)]
pub struct Announced {
    /// CLAP id.
    pub id: ClapId,
    /// Name shown to people.
    pub name: String,
    /// Path of groups that it is shown in.
    pub module: String,
    /// Least value in the plugin's own scale.
    pub min: f64,
    /// Greatest value in the plugin's own scale.
    pub max: f64,
    /// Default value in the plugin's own scale.
    pub default: f64,
    /// Text of the default.
    pub default_text: String,
}

/// Requests of the plugin to the host.
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
    processor: Option<Processor>,
}

/// Loads the plugin library at `path`; it is never unloaded.
///
/// # Errors
/// A library that is no CLAP plugin.
pub fn entry(path: &Path) -> Result<PluginEntry> {
    // SAFETY: the library is this project's own build, found by name beside the program; its
    // entry is written by the plugin framework to the CLAP specification.
    let entry = unsafe { PluginEntry::load(path) }
        .map_err(|e| anyhow!("{}: cannot be loaded as a plugin: {e}", path.shown()))?;
    // Unloading would remove the code of destructors of thread-local values, which run when a thread ends.
    std::mem::forget(entry.clone());
    Ok(entry)
}

/// A name or a text of the plugin.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

impl Host {
    /// Loads the plugin library at `path` and makes one instance.
    ///
    /// # Errors
    /// A library that is no CLAP plugin, holds another plugin or another version.
    pub fn load(path: &Path) -> Result<Self> {
        Self::new(&entry(path)?).with_context(|| path.shown())
    }

    /// Makes one instance.
    ///
    /// # Errors
    /// A library that holds another plugin or another version.
    pub fn new(entry: &PluginEntry) -> Result<Self> {
        let factory =
            entry.get_plugin_factory().context("holds no plugin; build it with `cargo build`")?;
        let text = |s: Option<&std::ffi::CStr>| {
            s.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let descriptor = factory
            .plugin_descriptors()
            .find(|d| text(d.id()) == PLUGIN_ID)
            .ok_or_else(|| anyhow!("does not hold {PLUGIN_ID}"))?;
        let (version, own) = (text(descriptor.version()), env!("CARGO_PKG_VERSION"));
        if version != own {
            bail!("is version {version}, this program {own}; build both with `cargo build`");
        }
        let info = HostInfo::new("Touchback lab", "Touchback", "", own)?;
        let id = CString::new(PLUGIN_ID)?;
        let instance =
            PluginInstance::<Handlers>::new(|()| Requests::default(), |_| (), entry, &id, &info)
                .map_err(|e| anyhow!("cannot be instantiated: {e}"))?;
        Ok(Self { instance, processor: None })
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
        self.processor = Some(Processor::new(started, usize::try_from(max_block.max(1))?));
        Ok(())
    }

    /// Deactivates the plugin.
    pub fn deactivate(&mut self) {
        if let Some(processor) = self.processor.take() {
            self.instance.deactivate(processor.stop());
        }
    }

    /// The audio half.
    ///
    /// # Errors
    /// When not active.
    pub fn processor(&mut self) -> Result<&mut Processor> {
        self.processor.as_mut().context("the plugin is not active")
    }

    /// The audio half, for another thread; comes back by [`Host::give_back`].
    pub const fn take_processor(&mut self) -> Option<Processor> {
        self.processor.take()
    }

    /// Takes back the half that [`Host::take_processor`] lent.
    pub fn give_back(&mut self, processor: Processor) {
        self.processor = Some(processor);
    }

    /// [`Processor::process`]; then calls the plugin on the main thread if it requested a callback.
    ///
    /// # Errors
    /// When not active, the block too long, or the plugin failed.
    pub fn process(
        &mut self,
        messages: &[Timed],
        left: &mut [f32],
        right: &mut [f32],
    ) -> Result<ProcessStatus> {
        let status = self.processor()?.process(messages, left, right)?;
        self.answer();
        Ok(status)
    }

    /// Calls the plugin on the main thread if it requested a callback.
    fn answer(&mut self) {
        let callback_requested = |h: &Requests| h.callback.swap(false, Ordering::AcqRel);
        if self.instance.access_shared_handler(callback_requested) {
            self.instance.call_on_main_thread_callback();
        }
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
                let mut room = [0; 64];
                let text_of_default =
                    params.value_to_text(&plugin, info.id, info.default_value, &mut room);
                list.push(Announced {
                    id: info.id,
                    name: text(info.name),
                    module: text(info.module),
                    min: info.min_value,
                    max: info.max_value,
                    default: info.default_value,
                    default_text: text(
                        text_of_default.map_err(|e| anyhow!("no text of a default: {e}"))?,
                    ),
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

    /// The value of `text` (a plain value with or without unit) in the plugin's scale.
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

    /// Text of `value`, given in the plugin's scale.
    ///
    /// # Errors
    /// When the plugin cannot say.
    pub fn text_of(&mut self, id: ClapId, value: f64) -> Result<String> {
        let params = self.params()?;
        let mut room = [0; 64];
        params
            .value_to_text(&self.instance.plugin_handle(), id, value, &mut room)
            .map(|bytes| text(bytes))
            .map_err(|e| anyhow!("the plugin has no text for parameter {}: {e}", id.get()))
    }

    /// Whether the plugin has requested a restart since the last call.
    pub fn is_restart_wanted(&mut self) -> bool {
        self.instance
            .access_shared_handler(|requests| requests.restart.swap(false, Ordering::AcqRel))
    }

    /// Delay from input to output, samples.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn latency(&mut self) -> Result<u32> {
        let handle = self.instance.plugin_handle();
        let latency: PluginLatency = handle.get_extension().context("no latency")?;
        Ok(latency.get(&handle))
    }

    /// Pages for a host's knobs: section, page and the parameters' ids.
    ///
    /// # Errors
    /// When the plugin has none.
    pub fn pages(&mut self) -> Result<Vec<(String, String, Vec<ClapId>)>> {
        let handle = self.instance.plugin_handle();
        let pages: PluginRemoteControls = handle.get_extension().context("no remote controls")?;
        let mut buffer = RemoteControlsPageBuffer::new();
        (0..pages.count(&handle))
            .map(|index| {
                let page = pages.get(&handle, index, &mut buffer).context("no such page")?;
                let ids = page.param_ids.iter().flatten().copied().collect();
                Ok((text(page.section_name), text(page.page_name), ids))
            })
            .collect()
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

    /// Loads a preset as a host's browser does: a file, or one of the plugin's own by its key.
    ///
    /// # Errors
    /// When the plugin has no presets, or refuses this one.
    pub fn load_preset(&mut self, location: Location<'_>, key: Option<&CStr>) -> Result<()> {
        let handle = self.instance.plugin_handle();
        let presets: PluginPresetLoad = handle.get_extension().context("no presets")?;
        presets
            .load_from_location(&handle, location, key)
            .map_err(|e| anyhow!("the plugin refuses the preset: {e}"))?;
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
