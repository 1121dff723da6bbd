//! The window in a host: the only file that knows the framework's egui adapter.
//!
//! A host can neither save nor resize the adapter's own state, so this editor creates the state for every
//! window from the one that the project saves.

mod host_controls;
mod open_window;

use std::error::Error;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, OnceLock};

use egui::{Context, Ui};
use nice_plug::context::gui::GuiContext;
use nice_plug::editor::dpi::{LogicalSize, NativeSize};
use nice_plug::editor::{
    Editor, HostMethods, ParentWindowHandle, ResizeHint, SizeConstraints, SpawnedEditor,
};
use nice_plug_egui::baseview::HandlerError;
use nice_plug_egui::{
    EguiEditor, EguiEditorState, EguiNiceSettings, Frame, Key as HostKey, KeyCapture, NiceEguiApp,
    create_egui_editor,
};

#[cfg(target_os = "linux")]
use crate::editor::host_keys::HostKeys;
#[cfg(feature = "screen-reader")]
use crate::editor::screen_reader::ScreenReader;
use crate::guard::catch;
use crate::host_menu::HostMenu;
use crate::host_params::HostParams;
use crate::mechanisms::Mechanisms;
use crate::repaint::Repaint;
use crate::saved_window::{SavedWindow, SharedWindowState};
use crate::scales::Scales;
use host_controls::{HostControls, Learning};
use open_window::{Alive, OpenHandle, OpenWindow};
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::queue::Sender;
use touchback_haptics::connection::KeyboardConnection;
use touchback_instrument::host::params::{COUNT, Parameter};
use touchback_instrument::watch::monitor::WindowEnd;
use touchback_instrument::{Event, Snapshot};
use touchback_window::faces::face::Face;
use touchback_window::state::controls::Controls;
use touchback_window::state::window_state::SMALLEST;
use touchback_window::window::{Session, Window};

/// Time between two frames while changes may follow, s.
const IDLE: f64 = 0.05;

/// Time after the last input or change during which frames are drawn, s: the host returns a value set here
/// a block or two later.
const ACTIVE_AFTER_CHANGE: f64 = 0.5;

/// The plugin's editor.
pub struct PluginEditor {
    params: Arc<HostParams>,
    window_state: SharedWindowState,
    scales: Arc<Scales>,
    mechanisms: Arc<Mechanisms>,
    end: Arc<Mutex<WindowEnd>>,
    connection: Arc<KeyboardConnection>,
    /// Pixels per point of the screen, where known before a window is open.
    scale: OnceLock<Option<f32>>,
    repaint: Repaint,
    session: Arc<Mutex<Session>>,
    menu: Arc<HostMenu>,
}

impl PluginEditor {
    /// An editor of `params` that reads the piano through `end` and controls the motorized keyboard through
    /// `connection`. `menu` is the host's own menu, if it has one.
    #[must_use]
    pub fn new(
        params: Arc<HostParams>,
        window_state: SharedWindowState,
        (scales, mechanisms): (Arc<Scales>, Arc<Mechanisms>),
        end: WindowEnd,
        connection: Arc<KeyboardConnection>,
        repaint: Repaint,
        menu: Arc<HostMenu>,
    ) -> Self {
        let (end, session) = (Arc::new(Mutex::new(end)), Arc::default());
        let scale = OnceLock::new();
        Self {
            params,
            window_state,
            scales,
            mechanisms,
            end,
            connection,
            scale,
            repaint,
            session,
            menu,
        }
    }

    fn adapter(&self, app: App) -> Result<EguiEditor<App>, Box<dyn Error>> {
        let saved = lock(&self.window_state).clone().checked();
        let state =
            EguiEditorState::from_size(LogicalSize::new(saved.width, saved.height), saved.zoom);
        let settings =
            EguiNiceSettings::new().with_tile("Touchback").with_resize_hint(self.resize_hint());
        create_egui_editor(state, self.repaint.0.clone(), settings, app)
            .ok_or_else(|| "the window could not be created".into())
    }
}

impl Editor for PluginEditor {
    type Handle = OpenHandle;

    fn spawn(
        &self,
        parent: Option<ParentWindowHandle>,
        wait_for_parent: bool,
        fallback_scale_factor: Option<f64>,
        gui_context: GuiContext,
        host: Option<HostMethods>,
    ) -> Result<SpawnedEditor<Self::Handle>, Box<dyn Error>> {
        catch(Err("the window failed".into()), || {
            let (alive, ended) = open_window::life();
            let app = App::new(self, alive);
            let adapter = self.adapter(app)?;
            let SpawnedEditor { handle, window } =
                adapter.spawn(parent, wait_for_parent, fallback_scale_factor, gui_context, host)?;
            Ok(SpawnedEditor { handle: OpenHandle(handle), window: OpenWindow::new(window, ended) })
        })
    }

    fn size(&self) -> NativeSize<u32> {
        let saved = lock(&self.window_state).clone().checked();
        let points = LogicalSize::new(saved.width * saved.zoom, saved.height * saved.zoom);
        // The project's scale may be another screen's: it applies only if this screen's is unknown.
        let scale = self.scale.get_or_init(screen_scale).unwrap_or(saved.scale);
        NativeSize::from_size(points.into(), f64::from(scale))
    }

    fn resize_hint(&self) -> ResizeHint {
        ResizeHint {
            can_resize: true,
            can_resize_horizontally: true,
            can_resize_vertically: true,
            size_constraints: SizeConstraints::Logical {
                min_size: Some(LogicalSize::new(SMALLEST.0, SMALLEST.1)),
                max_size: None,
            },
            ..ResizeHint::default()
        }
    }
}

/// Pixels per point of the screen on which the window will open, where known.
fn screen_scale() -> Option<f32> {
    #[cfg(target_os = "linux")]
    return crate::editor::x11::scale();
    #[cfg(not(target_os = "linux"))]
    None
}

/// One open window.
struct App {
    params: Arc<HostParams>,
    window_state: SharedWindowState,
    scales: Arc<Scales>,
    mechanisms: Arc<Mechanisms>,
    end: Arc<Mutex<WindowEnd>>,
    session: Arc<Mutex<Session>>,
    window: Window,
    /// Time until which frames are drawn, s.
    active_until: f64,
    #[cfg(feature = "screen-reader")]
    repaint: Repaint,
    context: Option<GuiContext>,
    held: Vec<&'static Parameter>,
    learning: Learning,
    menu: Arc<HostMenu>,
    /// Values set by controllers that were reported to the host.
    reported: Box<[f32]>,
    play: Vec<Event>,
    /// None once the window has a thread.
    alive: Option<Alive>,
    /// Keys that the window has taken since its last frame.
    taken: Taken,
    #[cfg(target_os = "linux")]
    host_keys: Option<HostKeys>,
}

impl App {
    fn new(editor: &PluginEditor, alive: Alive) -> Self {
        let mut window = Window::default();
        let saved = lock(&editor.window_state).clone().checked();
        (window.appearance, window.face) = (saved.appearance(), saved.face);
        window.session = lock(&editor.session).clone();
        // A project loaded since then has a piano of its own.
        window.session.history.piano = saved.piano;
        window.set_midi_folder(&saved.midi_folder);
        let play = std::mem::take(&mut window.session.unsent);
        window.keyboard.connection = Some(editor.connection.clone());
        window.preview = lock(&editor.end).preview.clone();
        Self {
            params: editor.params.clone(),
            window_state: editor.window_state.clone(),
            scales: editor.scales.clone(),
            mechanisms: editor.mechanisms.clone(),
            end: editor.end.clone(),
            session: editor.session.clone(),
            window,
            active_until: 0.0,
            #[cfg(feature = "screen-reader")]
            repaint: editor.repaint.clone(),
            context: None,
            held: Vec::new(),
            learning: Learning::default(),
            menu: editor.menu.clone(),
            reported: [f32::NAN; COUNT].into(),
            play,
            alive: Some(alive),
            taken: Taken::All,
            #[cfg(target_os = "linux")]
            host_keys: None,
        }
    }

    /// Reads what the audio thread has published, at `now` s of the context's clock. Returns whether
    /// anything but the time has changed.
    fn poll(&mut self, now: f64) -> bool {
        let end = &mut *lock(&self.end);
        let mut settings = self.params.values().settings().action;
        settings.keys = self.params.key_sheet().action;
        let mut has_changed = false;
        while let Some(sample) = end.steps.receive() {
            self.window.absorb(&sample, &settings);
            has_changed = true;
        }
        if let Some(snapshot) = end.snapshots.take_update() {
            // A change of the time alone needs no frame.
            let was = Snapshot { time: snapshot.time, ..self.window.snapshot };
            has_changed |= *snapshot != was;
            self.window.show(snapshot);
        }
        end.take.take_new(self.window.messages());
        self.window.raise_levels([0, 1].map(|side| end.peaks[side].swap(0.0)));
        self.window.limit_levels(end.limited.swap(0.0));
        if let Some(meter) = end.meters.take_update() {
            self.window.measure(meter, end.worst.swap(0.0), now);
        }
        if self.window.wants_performance() {
            self.window.save_performance(end.take.all());
        }
        has_changed
    }

    /// Sends the played events. Events that find no room in the queue are sent with a later frame.
    fn send(&mut self) {
        send_all(&mut self.play, &lock(&self.end).events);
    }

    /// Passes the current size, zoom and colours to the project.
    fn save_state(&self, context: &Context) {
        let size = context.content_rect().size();
        let zoom = context.zoom_factor();
        let scale = context.pixels_per_point() / zoom;
        let piano = self.window.session.history.piano.clone();
        let (width, height, face) = (size.x, size.y, self.window.face);
        let midi_folder = self.window.midi_folder().to_owned();
        let dark = None;
        let saved = SavedWindow { width, height, zoom, scale, dark, face, piano, midi_folder };
        *lock(&self.window_state) = saved.with(&self.window.appearance);
    }
}

impl NiceEguiApp for App {
    fn build(
        &mut self,
        context: Context,
        gui: GuiContext,
        frame: &mut Frame,
    ) -> Result<(), HandlerError> {
        #[cfg(target_os = "linux")]
        self.alive.take().into_iter().for_each(Alive::stay);
        #[cfg(target_os = "linux")]
        {
            let window = frame.baseview_window().platform_handle();
            crate::editor::x11::announce(&window);
            self.host_keys = HostKeys::new(&window);
        }
        #[cfg(feature = "screen-reader")]
        {
            use raw_window_handle::HasWindowHandle as _;
            let repaint = self.repaint.clone();
            let window = frame.baseview_window().window_handle().ok().map(|handle| handle.as_raw());
            if let Some(reader) = ScreenReader::new(window, move || repaint.request()) {
                context.add_plugin(reader);
            }
        }
        #[cfg(not(any(target_os = "linux", feature = "screen-reader")))]
        let _ = frame;
        self.window.apply_theme(&context);
        self.context = Some(gui);
        let mut end = lock(&self.end);
        end.take.skip();
        end.worst.set(0.0);
        end.open();
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut Frame) {
        let context = ui.ctx().clone();
        #[cfg(target_os = "linux")]
        if let Some(keys) = &mut self.host_keys {
            keys.pass_on(self.taken == Taken::All, self.taken.names());
        }
        if (context.zoom_factor() - self.window.appearance.zoom).abs() > f32::EPSILON {
            context.set_zoom_factor(self.window.appearance.zoom);
        }
        let now = context.input(|i| i.time);
        let has_changed = self.poll(now) || context.input(|i| !i.events.is_empty());
        if let Some(gui) = &self.context {
            let (params, scales) = (&self.params, &self.scales);
            let mechanisms = &self.mechanisms;
            let (held, learning, menu) = (&mut self.held, &mut self.learning, &self.menu);
            let mut controls =
                HostControls { params, scales, mechanisms, gui, held, learning, menu };
            if let Some(maps) = controls.follow_controllers(&mut self.reported) {
                self.window.session.history.push_midi(maps);
            }
            self.window.ui(ui, &mut controls, &mut self.play);
            controls.move_pedals(&self.play);
        }
        self.send();
        if let Some(choice) = self.window.keyboard.chosen.take() {
            self.params.set_keyboard(&choice.text());
        }
        self.save_state(&context);
        self.taken = Taken::of(&context);
        frame.set_key_capture(self.taken.capture());
        if has_changed || !self.play.is_empty() {
            self.active_until = now + ACTIVE_AFTER_CHANGE;
        }
        // Otherwise the audio thread requests frames. A keyboard's state does not pass through the audio
        // thread, so its face is drawn at all times.
        if now < self.active_until || self.window.face == Face::Keyboard {
            context.request_repaint_after(std::time::Duration::from_secs_f64(IDLE));
        }
    }

    fn zoom_factor_changed(&mut self, zoom: f32) {
        self.window.appearance.zoom = zoom;
    }
}

impl Drop for App {
    /// Releases keys and parameters and stops publishing when the window closes.
    fn drop(&mut self) {
        self.menu.cancel();
        self.window.release(&mut self.play);
        self.send();
        self.window.session.unsent = std::mem::take(&mut self.play);
        if let Some(gui) = &self.context {
            let held = std::mem::take(&mut self.held);
            let (params, scales, mut none) = (&self.params, &self.scales, Vec::new());
            let mechanisms = &self.mechanisms;
            let (learning, menu) = (&mut Learning::default(), &self.menu);
            let mut controls =
                HostControls { params, scales, mechanisms, gui, held: &mut none, learning, menu };
            for parameter in held {
                controls.end(parameter);
            }
            self.window.end_exercise(&mut controls);
        }
        *lock(&self.session) = std::mem::take(&mut self.window.session);
        lock(&self.end).close();
    }
}

/// Sends `events` in order until the queue is full; the others stay in `events`.
fn send_all<T: Copy>(events: &mut Vec<T>, to: &Sender<T>) {
    let sent = events.iter().take_while(|event| to.send(**event).is_ok()).count();
    events.drain(..sent);
}

/// Keys that the window takes from the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// All, while text is typed.
    All,
    /// Those that move and use the focus, while a control has it.
    Focused,
    /// Only Tab, which gives it.
    Tab,
}

impl Taken {
    fn of(context: &Context) -> Self {
        let is_used = || {
            context.memory(|memory| memory.focused().is_some()) || context.egui_is_using_pointer()
        };
        match () {
            () if context.text_edit_focused() => Self::All,
            () if is_used() => Self::Focused,
            () => Self::Tab,
        }
    }

    /// Names of the keys as the adapter's crate parses them, where they are not all.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &[],
            Self::Focused => {
                &["Tab", "Enter", "Escape", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
            }
            Self::Tab => &["Tab"],
        }
    }

    fn capture(self) -> KeyCapture {
        let keys = self.names().iter().filter_map(|name| HostKey::from_str(name).ok());
        match self {
            Self::All => KeyCapture::CaptureAll,
            _ => KeyCapture::CaptureKeys(keys.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::exchange::queue;

    #[test]
    fn typed_keys_stay_with_the_host_unless_text_is_edited() {
        let (context, mut text) = (Context::default(), String::new());
        // The focus is there from the frame after it was asked for.
        let mut taken = |focus: usize| {
            for _ in 0..3 {
                let output = context.run_ui(egui::RawInput::default(), |ui| {
                    let controls = [ui.button("Undo"), ui.text_edit_singleline(&mut text)];
                    if let Some(control) = controls.get(focus) {
                        control.request_focus();
                    }
                });
                output.drop_without_applying_deltas();
            }
            match Taken::of(&context).capture() {
                KeyCapture::CaptureKeys(keys) => Some(keys.len()),
                _ => None,
            }
        };
        assert_eq!(taken(2), Some(1), "Tab alone");
        assert_eq!(taken(0), Some(7), "what moves and uses the focus");
        assert_eq!(taken(1), None, "all");
    }

    #[test]
    fn events_beyond_the_queues_room_are_sent_later_in_order() {
        let (to, from) = queue::bounded(4);
        let mut events: Vec<u32> = (0..10).collect();
        let mut arrived = Vec::new();
        while !events.is_empty() {
            send_all(&mut events, &to);
            arrived.extend(std::iter::from_fn(|| from.receive()));
        }
        assert_eq!(arrived, (0..10).collect::<Vec<u32>>());
    }
}
