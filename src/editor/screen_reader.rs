//! The window for screen readers: egui's tree, and their actions back.
//!
//! | system | by |
//! | --- | --- |
//! | Linux | AT-SPI: the adapter registers on the session's bus from a thread that lives as long as the process |
//! | Windows | UI Automation, of a window not yet shown |
//! | macOS | the view's accessibility protocol |
//!
//! The tree is only made once a reader asks for it.

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

/// Asks for a frame, from any thread.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// What the system's end tells the window's.
struct Asked {
    /// A reader wants the tree.
    reads: AtomicBool,
    /// What readers want done.
    actions: Mutex<Vec<ActionRequest>>,
    wake: Wake,
}

/// The system's end of it.
#[derive(Clone)]
struct SystemEnd(Arc<Asked>);

impl ActivationHandler for SystemEnd {
    /// The coming frame brings the tree.
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        self.0.reads.store(true, Ordering::Release);
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
        self.0.reads.store(false, Ordering::Release);
    }
}

/// The window's end of it: a plugin of egui's context.
pub struct ScreenReader {
    bridge: Bridge,
    asked: Arc<Asked>,
}

impl ScreenReader {
    /// Announces `window`, whose frames `wake` asks for, on the thread that draws it and, where the
    /// system has windows of its own kind, before it is shown. Nothing where that cannot be done.
    #[must_use]
    pub fn new(
        window: Option<RawWindowHandle>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Option<Self> {
        let (reads, actions) = (AtomicBool::new(false), Mutex::default());
        let asked = Arc::new(Asked { reads, actions, wake: Arc::new(wake) });
        let bridge = Bridge::new(window, &SystemEnd(asked.clone()))?;
        Some(Self { bridge, asked })
    }
}

impl egui::Plugin for ScreenReader {
    fn debug_name(&self) -> &'static str {
        "screen reader"
    }

    fn input_hook(&mut self, context: &Context, input: &mut RawInput) {
        if self.asked.reads.load(Ordering::Acquire) {
            context.enable_accesskit();
        } else {
            context.disable_accesskit();
        }
        self.bridge.focus(input.focused);
        input.events.extend(lock(&self.asked.actions).drain(..).map(Event::AccessKitActionRequest));
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

    use crate::editor::controls::{Controls as _, DetachedControls};
    use crate::editor::offscreen::Offscreen;
    use crate::editor::window::Window;
    use touchback_instrument::params::find;

    /// What the bus answers to the client script `tests/host/atspi.py` while a window lives.
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
        // What the client turned.
        assert_eq!(
            connection.value(find("strike_point").unwrap()),
            find("strike_point").unwrap().min()
        );
        assert_eq!(window.face, crate::editor::face::Face::Keys);
    }
}
