//! Requests of a frame of the open window.

/// Requests a frame of the open window, from any thread, by one atomic store. Without the feature `window` there is
/// none.
#[derive(Clone, Default)]
pub(crate) struct Repaint(#[cfg(feature = "window")] pub(crate) nice_plug_egui::RepaintNotifier);

impl Repaint {
    /// Requests a frame.
    pub(crate) fn request(&self) {
        #[cfg(feature = "window")]
        self.0.request_repaint();
    }
}
