//! A CLAP host on the plugin's own functions, with buffers between guard pages.

use std::ffi::{CStr, CString, c_void};

use clack_extensions::gui::{GuiSize, HostGui, HostGuiImpl};
use clack_host::prelude::*;
use clap_sys::audio_buffer::clap_audio_buffer;
use clap_sys::entry::clap_plugin_entry;
use clap_sys::events::*;
use clap_sys::ext::audio_ports_config::{
    CLAP_EXT_AUDIO_PORTS_CONFIG, clap_plugin_audio_ports_config,
};
use clap_sys::ext::gui::{
    CLAP_EXT_GUI, CLAP_WINDOW_API_X11, clap_plugin_gui, clap_window, clap_window_handle,
};
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::ext::state::{CLAP_EXT_STATE, clap_plugin_state};
use clap_sys::factory::plugin_factory::{CLAP_PLUGIN_FACTORY_ID, clap_plugin_factory};
use clap_sys::host::clap_host;
use clap_sys::plugin::clap_plugin;
use clap_sys::process::{CLAP_PROCESS_ERROR, clap_process};
use clap_sys::stream::clap_istream;
use touchback_command::host::{PLUGIN_ID, entry, find};

use crate::allocations;
use crate::outputs::Outputs;

struct Shared;

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {}
}

struct Handlers;

impl HostHandlers for Handlers {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

/// A host with its half of a window.
struct WindowHandlers;

impl HostHandlers for WindowHandlers {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();

    fn declare_extensions(builder: &mut HostExtensions<Self>, _: &Self::Shared<'_>) {
        builder.register::<HostGui>();
    }
}

impl HostGuiImpl for Shared {
    fn resize_hints_changed(&self) {}
    fn request_resize(&self, _: GuiSize) -> Result<(), HostError> {
        Ok(())
    }
    fn request_show(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn request_hide(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn closed(&self, _: bool) {}
}

/// One plugin, whose functions are called as the test pleases.
pub struct Instance {
    pub plugin: *const clap_plugin,
    _owner: Box<dyn std::any::Any>,
}

// SAFETY: the plugin's functions stand calls from any thread.
unsafe impl Sync for Instance {}

/// Gives a plugin back that was made without help.
struct Owner(*const clap_plugin);

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the plugin is there.
        unsafe { (*self.0).destroy.expect("a function")(self.0) };
    }
}

/// Calls a function of the plugin's table.
macro_rules! call {
    ($self:ident, $name:ident $(, $argument:expr)*) => {
        // SAFETY: the plugin lives as long as its owner; what it is handed is the test.
        unsafe { ((*$self.plugin).$name.expect("a function"))($self.plugin $(, $argument)*) }
    };
}

impl Instance {
    pub fn new() -> Self {
        Self::of::<Handlers>()
    }

    fn of<H>() -> Self
    where
        H: for<'a> HostHandlers<Shared<'a> = Shared, MainThread<'a> = (), AudioProcessor<'a> = ()>
            + 'static,
    {
        let entry = entry(&find().expect("the library is built")).expect("a plugin");
        let info = HostInfo::new("Hostile", "Touchback", "", "1").unwrap();
        let id = CString::new(PLUGIN_ID).unwrap();
        let owner = PluginInstance::<H>::new(|()| Shared, |_| (), &entry, &id, &info).unwrap();
        Self { plugin: owner.raw_instance(), _owner: Box::new(owner) }
    }

    /// In a host whose table is `host`, not initialized.
    pub fn made_by(host: &'static clap_host) -> Self {
        let path = find().expect("the library is built");
        let path = CString::new(path.to_str().unwrap()).unwrap();
        let id = CString::new(PLUGIN_ID).unwrap();
        // SAFETY: the library's entry has this type; the library stays loaded.
        let plugin = unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            let entry = libc::dlsym(library, c"clap_entry".as_ptr()).cast::<clap_plugin_entry>();
            let entry = entry.as_ref().expect("an entry");
            assert!(entry.init.expect("a function")(path.as_ptr()));
            let factory = entry.get_factory.expect("a function")(CLAP_PLUGIN_FACTORY_ID.as_ptr());
            let factory = factory.cast::<clap_plugin_factory>();
            (*factory).create_plugin.expect("a function")(factory, host, id.as_ptr())
        };
        assert!(!plugin.is_null());
        Self { plugin, _owner: Box::new(Owner(plugin)) }
    }

    pub fn init(&self) -> bool {
        call!(self, init)
    }

    /// The extension `name`.
    ///
    /// # Safety
    /// The extension of this name is of this type.
    pub unsafe fn extension<T>(&self, name: &CStr) -> &T {
        let found = call!(self, get_extension, name.as_ptr()).cast::<T>();
        // SAFETY: the caller's promise.
        unsafe { found.as_ref() }.expect("there")
    }

    /// Chooses a layout of outputs.
    pub fn select(&self, layout: u32) -> bool {
        // SAFETY: the extension of this name is of this type.
        unsafe {
            let layouts: &clap_plugin_audio_ports_config =
                self.extension(CLAP_EXT_AUDIO_PORTS_CONFIG);
            layouts.select.expect("a function")(self.plugin, layout)
        }
    }

    /// Hands over events without a block.
    pub fn flush(&self, events: &[Event]) {
        let inputs = list(&events);
        let outputs = clap_output_events { ctx: std::ptr::null_mut(), try_push: Some(take) };
        // SAFETY: the extension of this name is of this type, the lists outlive the call.
        unsafe {
            let params: &clap_plugin_params = self.extension(CLAP_EXT_PARAMS);
            params.flush.expect("a function")(self.plugin, &raw const inputs, &raw const outputs);
        }
    }

    /// In a host that can show it, active and started at 48 kHz.
    pub fn to_be_shown() -> Self {
        let instance = Self::of::<WindowHandlers>();
        assert!(instance.activate(48_000.0) && instance.start());
        instance
    }

    /// Whether it has a window.
    pub fn has_window(&self) -> bool {
        !call!(self, get_extension, CLAP_EXT_GUI.as_ptr()).is_null()
    }

    /// Whether it creates its window for this host.
    pub fn creates_window(&self) -> bool {
        let gui = call!(self, get_extension, CLAP_EXT_GUI.as_ptr());
        // SAFETY: the extension of this name is of this type.
        let gui = unsafe { gui.cast::<clap_plugin_gui>().as_ref() };
        let create = gui.and_then(|gui| gui.create);
        // SAFETY: the API is a C string.
        create.is_some_and(|create| unsafe {
            create(self.plugin, CLAP_WINDOW_API_X11.as_ptr(), false)
        })
    }

    /// Active and started at 48 kHz.
    pub fn active() -> Self {
        let instance = Self::new();
        assert!(instance.activate(48_000.0) && instance.start());
        instance
    }

    pub fn activate(&self, rate: f64) -> bool {
        call!(self, activate, rate, 1, 512)
    }

    /// Loads a saved state, JSON.
    pub fn load(&self, state: &str) {
        let extension = call!(self, get_extension, CLAP_EXT_STATE.as_ptr());
        let mut saved = u64::try_from(state.len()).unwrap().to_le_bytes().to_vec();
        saved.extend_from_slice(state.as_bytes());
        let mut left = saved.as_slice();
        let stream = clap_istream { ctx: (&raw mut left).cast(), read: Some(read) };
        // SAFETY: the extension of this name is of this type.
        let is_loaded = unsafe {
            let extension = &*extension.cast::<clap_plugin_state>();
            extension.load.expect("a function")(self.plugin, &raw const stream)
        };
        assert!(is_loaded);
    }

    pub fn start(&self) -> bool {
        call!(self, start_processing)
    }

    pub fn stop(&self) {
        call!(self, stop_processing);
    }

    pub fn deactivate(&self) {
        call!(self, deactivate);
    }

    pub fn reset(&self) {
        call!(self, reset);
    }

    pub fn main_thread(&self) {
        call!(self, on_main_thread);
    }

    /// Opens the plugin's window in the X11 window `parent`.
    pub fn open_window(&self, parent: u32) {
        self.make_window(parent);
        self.show_window();
    }

    /// Makes the plugin's window in the X11 window `parent`, still hidden.
    pub fn make_window(&self, parent: u32) {
        let gui = call!(self, get_extension, CLAP_EXT_GUI.as_ptr());
        let window = clap_window {
            api: CLAP_WINDOW_API_X11.as_ptr(),
            specific: clap_window_handle { x11: parent.into() },
        };
        // SAFETY: the extension of this name is of this type; the parent is there.
        unsafe {
            let gui = &*gui.cast::<clap_plugin_gui>();
            let api = CLAP_WINDOW_API_X11.as_ptr();
            assert!(gui.create.expect("a function")(self.plugin, api, false));
            assert!(gui.set_parent.expect("a function")(self.plugin, &raw const window));
        }
    }

    /// Shows the window that was made.
    pub fn show_window(&self) {
        let gui = call!(self, get_extension, CLAP_EXT_GUI.as_ptr());
        // SAFETY: the extension of this name is of this type.
        unsafe { (*gui.cast::<clap_plugin_gui>()).show.expect("a function")(self.plugin) };
    }

    /// Width and height that the window wants, pixels.
    pub fn window_size(&self) -> (u32, u32) {
        let gui = call!(self, get_extension, CLAP_EXT_GUI.as_ptr());
        let (mut width, mut height) = (0, 0);
        // SAFETY: the extension of this name is of this type.
        let known = unsafe {
            let size = (*gui.cast::<clap_plugin_gui>()).get_size.expect("a function");
            size(self.plugin, &raw mut width, &raw mut height)
        };
        assert!(known);
        (width, height)
    }

    /// Closes it.
    pub fn close_window(&self) {
        let gui = call!(self, get_extension, CLAP_EXT_GUI.as_ptr());
        // SAFETY: as above.
        unsafe { (*gui.cast::<clap_plugin_gui>()).destroy.expect("a function")(self.plugin) };
    }

    /// Present value of a parameter.
    pub fn value(&self, id: u32) -> f64 {
        let params = call!(self, get_extension, CLAP_EXT_PARAMS.as_ptr());
        let mut value = f64::NAN;
        // SAFETY: the extension of this name is of this type.
        let found = unsafe {
            let params = &*params.cast::<clap_plugin_params>();
            params.get_value.expect("a function")(self.plugin, id, &raw mut value)
        };
        assert!(found);
        value
    }

    /// Processes a block; how often it took from or gave to the heap.
    pub fn process(
        &self,
        frames: u32,
        outputs: Option<&Outputs>,
        events: &[Event],
    ) -> Result<u64, ()> {
        let outputs = outputs.map_or(&[][..], std::slice::from_ref);
        self.process_ports(frames, outputs, &list(&events)).map(|(count, _)| count)
    }

    /// The same with any number of output ports; also the ports' masks of constant channels.
    pub fn process_ports(
        &self,
        frames: u32,
        ports: &[Outputs],
        inputs: &clap_input_events,
    ) -> Result<(u64, Vec<u64>), ()> {
        let taken = clap_output_events { ctx: std::ptr::null_mut(), try_push: Some(take) };
        let mut starts: Vec<Vec<_>> = ports.iter().map(Outputs::starts).collect();
        let as_clap = |starts: &mut Vec<*mut f32>| clap_audio_buffer {
            data32: if starts.is_empty() { std::ptr::null_mut() } else { starts.as_mut_ptr() },
            data64: std::ptr::null_mut(),
            channel_count: u32::try_from(starts.len()).unwrap(),
            latency: 0,
            constant_mask: 0,
        };
        let mut outputs: Vec<_> = starts.iter_mut().map(as_clap).collect();
        let block = clap_process {
            steady_time: -1,
            frames_count: frames,
            transport: std::ptr::null(),
            audio_inputs: std::ptr::null(),
            audio_outputs: if ports.is_empty() {
                std::ptr::null_mut()
            } else {
                outputs.as_mut_ptr()
            },
            audio_inputs_count: 0,
            audio_outputs_count: u32::try_from(ports.len()).unwrap(),
            in_events: inputs,
            out_events: &raw const taken,
        };
        let (status, count) = allocations::count(|| call!(self, process, &raw const block));
        let masks = outputs.iter().map(|output| output.constant_mask).collect();
        if status == CLAP_PROCESS_ERROR { Err(()) } else { Ok((count, masks)) }
    }
}

/// A host's list of `events`.
pub fn list(events: &&[Event]) -> clap_input_events {
    clap_input_events {
        ctx: std::ptr::from_ref(events).cast_mut().cast(),
        size: Some(size),
        get: Some(get),
    }
}

unsafe extern "C" fn read(stream: *const clap_istream, to: *mut c_void, length: u64) -> i64 {
    // SAFETY: made in `load`.
    let left = unsafe { &mut *(*stream).ctx.cast::<&[u8]>() };
    let length = left.len().min(usize::try_from(length).unwrap());
    let (taken, rest) = left.split_at(length);
    // SAFETY: the reader has room for as much as it asks for.
    unsafe { std::ptr::copy_nonoverlapping(taken.as_ptr(), to.cast(), length) };
    *left = rest;
    i64::try_from(length).unwrap()
}

unsafe extern "C" fn size(list: *const clap_input_events) -> u32 {
    // SAFETY: made in `list`.
    u32::try_from(unsafe { *(*list).ctx.cast::<&[Event]>() }.len()).unwrap()
}

unsafe extern "C" fn get(list: *const clap_input_events, index: u32) -> *const clap_event_header {
    // SAFETY: made in `list`.
    let events = unsafe { *(*list).ctx.cast::<&[Event]>() };
    std::ptr::from_ref(&events[usize::try_from(index).unwrap()]).cast()
}

unsafe extern "C" fn take(_: *const clap_output_events, _: *const clap_event_header) -> bool {
    true
}

/// An event of any kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Event {
    pub header: clap_event_header,
    note: clap_event_note,
    expression: clap_event_note_expression,
    value: clap_event_param_value,
    modulation: clap_event_param_mod,
    transport: clap_event_transport,
    midi: clap_event_midi,
}

fn header<T>(time: u32, type_: u16) -> clap_event_header {
    let size = u32::try_from(size_of::<T>()).unwrap();
    clap_event_header { size, time, space_id: CLAP_CORE_EVENT_SPACE_ID, type_, flags: 0 }
}

impl Event {
    fn note(time: u32, kind: u16, key: i16) -> Self {
        let header = header::<clap_event_note>(time, kind);
        let (note_id, port_index, channel) = (-1, 0, 0);
        let note = clap_event_note { header, note_id, port_index, channel, key, velocity: 0.7 };
        Self { note }
    }

    pub fn note_on(time: u32, key: i16) -> Self {
        Self::note(time, CLAP_EVENT_NOTE_ON, key)
    }

    pub fn note_off(time: u32, key: i16) -> Self {
        Self::note(time, CLAP_EVENT_NOTE_OFF, key)
    }

    pub fn value(time: u32, param_id: u32, value: f64) -> Self {
        let value = clap_event_param_value {
            header: header::<clap_event_param_value>(time, CLAP_EVENT_PARAM_VALUE),
            param_id,
            cookie: std::ptr::null_mut(),
            note_id: -1,
            port_index: -1,
            channel: -1,
            key: -1,
            value,
        };
        Self { value }
    }

    pub fn modulation(time: u32, param_id: u32, amount: f64) -> Self {
        let modulation = clap_event_param_mod {
            header: header::<clap_event_param_mod>(time, CLAP_EVENT_PARAM_MOD),
            param_id,
            cookie: std::ptr::null_mut(),
            note_id: -1,
            port_index: -1,
            channel: -1,
            key: -1,
            amount,
        };
        Self { modulation }
    }

    pub fn expression(time: u32, key: i16, expression_id: i32, value: f64) -> Self {
        let header = header::<clap_event_note_expression>(time, CLAP_EVENT_NOTE_EXPRESSION);
        let (note_id, port_index, channel) = (-1, 0, 0);
        let expression = clap_event_note_expression {
            header,
            expression_id,
            note_id,
            port_index,
            channel,
            key,
            value,
        };
        Self { expression }
    }

    /// Its sample.
    pub fn time(&self) -> u32 {
        // SAFETY: every event begins with a header.
        unsafe { self.header }.time
    }

    /// The same event at another sample.
    pub const fn at(mut self, time: u32) -> Self {
        self.header.time = time;
        self
    }

    pub fn transport(time: u32) -> Self {
        // SAFETY: numbers, of which all zeros are some.
        let mut transport: clap_event_transport = unsafe { std::mem::zeroed() };
        transport.header = header::<clap_event_transport>(time, CLAP_EVENT_TRANSPORT);
        Self { transport }
    }

    pub fn midi(time: u32, data: [u8; 3]) -> Self {
        let header = header::<clap_event_midi>(time, CLAP_EVENT_MIDI);
        Self { midi: clap_event_midi { header, port_index: 0, data } }
    }

    /// A note of a kind or a space that nobody knows, or a system exclusive message of nothing.
    pub fn strange(time: u32, kind: u16) -> Self {
        let mut event = Self::transport(time);
        event.header.type_ =
            if kind.is_multiple_of(3) { CLAP_EVENT_MIDI_SYSEX } else { kind.max(13) };
        event.header.space_id = kind % 2;
        event
    }
}
