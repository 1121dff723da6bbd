//! The window for screen readers on Linux: egui's tree over AT-SPI, and their actions back.
//!
//! The adapter registers on the session's accessibility bus from a thread of its own, which lives as
//! long as the process; the tree is only made once a reader asks for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use accesskit::{ActionHandler, ActionRequest, ActivationHandler, DeactivationHandler, TreeUpdate};
use accesskit_unix::Adapter;
use egui::{Context, Event, FullOutput, RawInput};

/// Asks for a frame, from any thread.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// What the bus's thread tells the window's.
struct Asked {
    /// A reader wants the tree.
    reads: AtomicBool,
    /// What readers want done.
    actions: Mutex<Vec<ActionRequest>>,
    wake: Wake,
}

/// The bus's end of it.
struct BusEnd(Arc<Asked>);

impl ActivationHandler for BusEnd {
    /// The coming frame brings the tree.
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        self.0.reads.store(true, Ordering::Release);
        (self.0.wake)();
        None
    }
}

impl ActionHandler for BusEnd {
    fn do_action(&mut self, request: ActionRequest) {
        self.0.actions.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        (self.0.wake)();
    }
}

impl DeactivationHandler for BusEnd {
    fn deactivate_accessibility(&mut self) {
        self.0.reads.store(false, Ordering::Release);
    }
}

/// The window's end of it: a plugin of egui's context.
pub struct ScreenReader {
    adapter: Adapter,
    asked: Arc<Asked>,
}

impl ScreenReader {
    /// Announces a window, whose frames `wake` asks for. Begins a thread.
    #[must_use]
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (reads, actions) = (AtomicBool::new(false), Mutex::default());
        let asked = Arc::new(Asked { reads, actions, wake: Arc::new(wake) });
        let end = || BusEnd(asked.clone());
        Self { adapter: Adapter::new(end(), end(), end()), asked }
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
        self.adapter.update_window_focus_state(input.focused);
        let mut actions = self.asked.actions.lock().unwrap_or_else(PoisonError::into_inner);
        input.events.extend(actions.drain(..).map(Event::AccessKitActionRequest));
    }

    fn output_hook(&mut self, _context: &Context, output: &mut FullOutput) {
        if let Some(update) = output.platform_output.accesskit_update.take() {
            self.adapter.update_if_active(|| update);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use crate::editor::controls::{Controls as _, DetachedControls};
    use crate::editor::offscreen::Offscreen;
    use crate::editor::window::Window;
    use crate::params::find;

    /// What the bus answers to the client script `tests/host/atspi.py` while a window lives.
    #[test]
    #[ignore = "needs an accessibility bus: run by tests/host/atspi.sh"]
    fn a_reader_finds_controls_by_name_reads_and_turns_them() {
        let mut screen = Offscreen::default();
        screen.context.add_plugin(ScreenReader::new(|| {}));
        let (mut window, mut desk, mut play) =
            (Window::default(), DetachedControls::default(), Vec::new());
        window.dress(&screen.context);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/host/atspi.py");
        let mut client = Command::new("python3").arg(script).spawn().unwrap();
        let begin = Instant::now();
        let status = loop {
            let output = screen.frame((1180.0, 760.0), 1.0, Vec::new(), |ui| {
                window.ui(ui, &mut desk, &mut play);
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
        assert_eq!(desk.value(find("strike_point").unwrap()), find("strike_point").unwrap().min());
        assert_eq!(window.face, crate::editor::face::Face::Keys);
    }
}
