//! Screen readers: passes egui's accessibility tree to the system and the readers' actions to egui.
//!
//! | system | interface |
//! | --- | --- |
//! | Linux | AT-SPI: the adapter registers on the session's bus from a thread that lives as long as the process |
//! | Windows | UI Automation, set up before the window is shown |
//! | macOS | the view's accessibility protocol |
//!
//! The tree is built only after a reader has requested it.

#[cfg_attr(target_os = "linux", path = "screen_reader/linux.rs")]
#[cfg_attr(windows, path = "screen_reader/windows.rs")]
#[cfg_attr(target_os = "macos", path = "screen_reader/macos.rs")]
mod bridge;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use accesskit::{ActionHandler, ActionRequest, ActivationHandler, DeactivationHandler, TreeUpdate};
use egui::{Context, Event, FullOutput, RawInput};
use raw_window_handle::RawWindowHandle;

use bridge::Bridge;
use touchback_core::exchange::lock::lock;

/// Requests a frame, from any thread.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// Requests of the system's end to the window's.
struct ReaderRequests {
    /// Whether a reader has requested the tree.
    is_active: AtomicBool,
    /// Actions that readers request.
    actions: Mutex<Vec<ActionRequest>>,
    wake: Wake,
}

/// The system's end.
#[derive(Clone)]
struct SystemEnd(Arc<ReaderRequests>);

impl ActivationHandler for SystemEnd {
    /// The next frame provides the tree.
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        self.0.is_active.store(true, Ordering::Release);
        (self.0.wake)();
        None
    }
}

impl ActionHandler for SystemEnd {
    fn do_action(&mut self, request: ActionRequest) {
        lock(&self.0.actions).push(request);
        (self.0.wake)();
    }
}

impl DeactivationHandler for SystemEnd {
    fn deactivate_accessibility(&mut self) {
        self.0.is_active.store(false, Ordering::Release);
    }
}

/// The window's end, a plugin of egui's context.
pub struct ScreenReader {
    bridge: Bridge,
    requests: Arc<ReaderRequests>,
}

impl ScreenReader {
    /// Registers `window`, whose frames `wake` requests. Call on the thread that draws the window and, on
    /// Windows and macOS, before it is shown. None if the system refuses.
    #[must_use]
    pub fn new(
        window: Option<RawWindowHandle>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Option<Self> {
        let (is_active, actions) = (AtomicBool::new(false), Mutex::default());
        let requests = Arc::new(ReaderRequests { is_active, actions, wake: Arc::new(wake) });
        let bridge = Bridge::new(window, &SystemEnd(requests.clone()))?;
        Some(Self { bridge, requests })
    }
}

impl egui::Plugin for ScreenReader {
    fn debug_name(&self) -> &'static str {
        "screen reader"
    }

    fn input_hook(&mut self, context: &Context, input: &mut RawInput) {
        if self.requests.is_active.load(Ordering::Acquire) {
            context.enable_accesskit();
        } else {
            context.disable_accesskit();
        }
        self.bridge.focus(input.focused);
        input
            .events
            .extend(lock(&self.requests.actions).drain(..).map(Event::AccessKitActionRequest));
    }

    fn output_hook(&mut self, _context: &Context, output: &mut FullOutput) {
        if let Some(update) = output.platform_output.accesskit_update.take() {
            self.bridge.update(update);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use touchback_instrument::host::params::find;
    use touchback_window::offscreen::Offscreen;
    use touchback_window::state::controls::{Controls as _, DetachedControls};
    use touchback_window::window::Window;

    /// The bus's answers to the client script `tests/host/atspi.py` while a window is open.
    #[test]
    #[ignore = "needs an accessibility bus: run by tests/host/atspi.sh"]
    fn a_reader_finds_controls_by_name_reads_and_turns_them() {
        let mut screen = Offscreen::default();
        screen.context.add_plugin(ScreenReader::new(None, || {}).unwrap());
        let (mut window, mut connection, mut play) =
            (Window::default(), DetachedControls::default(), Vec::new());
        window.apply_theme(&screen.context);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/host/atspi.py");
        let mut client = Command::new("python3").arg(script).spawn().unwrap();
        let begin = Instant::now();
        let status = loop {
            let output = screen.frame((1180.0, 760.0), 1.0, Vec::new(), |ui| {
                window.ui(ui, &mut connection, &mut play);
            });
            FullOutput::drop_without_applying_deltas(output);
            std::thread::sleep(Duration::from_millis(5));
            if let Some(status) = client.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "the client hangs");
        };
        assert!(status.success(), "{status}");
        // The values that the client has set.
        assert_eq!(
            connection.value(find("strike_point").unwrap()),
            find("strike_point").unwrap().min()
        );
        assert_eq!(window.face, touchback_window::faces::face::Face::Keys);
    }
}
