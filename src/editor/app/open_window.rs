//! The host thread's handle of an open window. Closing the window waits for the window's thread to end.
//!
//! On X11 a window has a thread of its own, and the adapter may return from closing before the thread has
//! ended. The host would then destroy the parent while the thread uses it, and the next window's thread
//! would allocate new memory because the previous thread's is still in use.

use std::sync::mpsc::{Receiver, Sender, channel};
#[cfg(target_os = "linux")]
use std::time::Duration;

use nice_plug::editor::dpi::NativeSize;
use nice_plug::editor::{EditorHandle, Modifiers, ParentWindowHandle, VirtualKeyCode};
use nice_plug_egui::EguiEditorHandle;
use nice_plug_egui::baseview::{Error, Window};

/// Longest wait for the thread at closing: about a hundred times the usual duration.
#[cfg(target_os = "linux")]
const LONGEST: Duration = Duration::from_secs(2);

/// Exists as long as a window's thread.
pub(super) struct Alive(#[expect(dead_code, reason = "its drop is the signal")] Sender<()>);

/// Receives the end of the thread.
pub(super) struct Ended(
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "waited for on Linux"))]
    Receiver<()>,
);

/// Both ends.
pub(super) fn life() -> (Alive, Ended) {
    let (alive, ended) = channel();
    (Alive(alive), Ended(ended))
}

impl Alive {
    /// Ties the value to the calling thread, whose end drops it.
    #[cfg(target_os = "linux")]
    pub(super) fn stay(self) {
        std::thread_local! {
            static LIFE: std::cell::Cell<Option<Alive>> = const { std::cell::Cell::new(None) };
        }
        LIFE.set(Some(self));
    }
}

/// The adapter's window.
pub struct OpenWindow {
    window: Option<Window>,
    /// On other systems windows live on the host's thread.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "waited for on Linux"))]
    ended: Ended,
}

impl OpenWindow {
    pub(super) const fn new(window: Window, ended: Ended) -> Self {
        Self { window: Some(window), ended }
    }

    /// Calls `act` with the window, unless it has been closed.
    fn with<T>(&self, act: impl FnOnce(&Window) -> T) -> Option<T> {
        self.window.as_ref().map(act)
    }
}

impl Drop for OpenWindow {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            // A window closed before its thread's loop has begun would never end: the loop forgets the order as it
            // begins. Any request is answered by the loop; one that fails means that the thread has ended.
            #[cfg(target_os = "linux")]
            let _ = window.hide();
            drop(window);
        }
        // Nothing is ever sent: the wait ends with the thread, or after the longest time a host may wait.
        #[cfg(target_os = "linux")]
        let _ = self.ended.0.recv_timeout(LONGEST);
    }
}

/// The adapter's handle of an [`OpenWindow`].
pub struct OpenHandle(pub(super) EguiEditorHandle);

impl EditorHandle for OpenHandle {
    type Window = OpenWindow;
    type Error = Error;

    fn run_until_closed(mut window: OpenWindow) -> Result<(), Error> {
        window.window.take().map_or(Ok(()), EguiEditorHandle::run_until_closed)
    }

    fn set_parent(&self, parent: ParentWindowHandle, window: &OpenWindow) -> Result<(), Error> {
        window.with(|window| self.0.set_parent(parent, window)).unwrap_or(Ok(()))
    }

    fn show(&self, window: &OpenWindow) -> Result<(), Error> {
        window.with(|window| self.0.show(window)).unwrap_or(Ok(()))
    }

    fn hide(&self, window: &OpenWindow) -> Result<(), Error> {
        window.with(|window| self.0.hide(window)).unwrap_or(Ok(()))
    }

    fn set_size(&self, size: NativeSize<u32>, window: &OpenWindow) -> Result<(), Error> {
        window.with(|window| self.0.set_size(size, window)).unwrap_or(Ok(()))
    }

    fn host_main_thread_callback(&self, window: &OpenWindow) {
        window.with(|window| self.0.host_main_thread_callback(window));
    }

    fn adjust_size(&self, size: NativeSize<u32>, window: &OpenWindow) -> Option<NativeSize<u32>> {
        window.with(|window| self.0.adjust_size(size, window)).flatten()
    }

    fn set_fallback_scale_factor(&self, scale: f64, window: &OpenWindow) -> Result<(), Error> {
        window.with(|window| self.0.set_fallback_scale_factor(scale, window)).unwrap_or(Ok(()))
    }

    fn on_virtual_key_from_host(
        &self,
        key: VirtualKeyCode,
        is_down: bool,
        modifiers: Modifiers,
    ) -> bool {
        self.0.on_virtual_key_from_host(key, is_down, modifiers)
    }

    fn state_changed(&self) {
        self.0.state_changed();
    }

    fn param_value_changed(&self, id: &str, value: f32) {
        self.0.param_value_changed(id, value);
    }

    fn param_modulation_changed(&self, id: &str, offset: f32) {
        self.0.param_modulation_changed(id, offset);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::mpsc::RecvTimeoutError;

    #[test]
    fn the_end_of_a_thread_is_received() {
        let (alive, ended) = life();
        let (go, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            alive.stay();
            wait.recv()
        });
        let soon = Duration::from_millis(20);
        assert_eq!(ended.0.recv_timeout(soon), Err(RecvTimeoutError::Timeout));
        drop(go);
        assert_eq!(ended.0.recv_timeout(LONGEST), Err(RecvTimeoutError::Disconnected));
        let _ = thread.join();
        // A window that was never created counts as ended.
        let (alive, ended) = life();
        drop(alive);
        assert_eq!(ended.0.recv_timeout(soon), Err(RecvTimeoutError::Disconnected));
    }
}
