//! The host's own menu of a parameter (automate, learn, modulate), if the host has one.
//!
//! The window requests the menu on its own thread; the host shows it on its main thread.

use std::sync::{Arc, Mutex, OnceLock};

use touchback_core::exchange::lock::lock;

/// A requested menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MenuRequest {
    /// The number by which hosts identify the parameter.
    pub parameter: u32,
    /// Position, pixels from the window's upper left corner.
    pub at: [i32; 2],
}

/// Shows the requested menu, on the host's main thread; returns whether the host accepts.
pub type Show = Arc<dyn Fn(MenuRequest) -> bool + Send + Sync>;

/// The request and the host's function, shared by window and host.
#[derive(Default)]
pub struct HostMenu {
    request: Mutex<Option<MenuRequest>>,
    show: Mutex<Option<Show>>,
    notify: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl HostMenu {
    /// Sets the function by which the host shows its menu; none if it has no menu any more.
    pub fn set(&self, show: Option<Show>) {
        *lock(&self.show) = show;
    }

    /// Sets the function that makes the host's main thread call [`open`](Self::open); once.
    pub fn notify_by(&self, notify: impl Fn() + Send + Sync + 'static) {
        let _ = self.notify.set(Box::new(notify));
    }

    /// Whether the host has a menu.
    #[must_use]
    pub fn is_available(&self) -> bool {
        lock(&self.show).is_some()
    }

    /// Requests a menu.
    pub fn request(&self, request: MenuRequest) {
        *lock(&self.request) = Some(request);
        if let Some(notify) = self.notify.get() {
            notify();
        }
    }

    /// Cancels the request, when the window closes.
    pub fn cancel(&self) {
        *lock(&self.request) = None;
    }

    /// Shows the requested menu, on the host's main thread. A host that refuses receives no further request.
    pub fn open(&self) {
        let Some(request) = lock(&self.request).take() else { return };
        // No lock is held meanwhile: the host may call other functions while it shows the menu.
        let show = lock(&self.show).clone();
        if show.is_some_and(|show| !show(request)) {
            self.set(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_request_is_shown_once_and_a_refusing_host_receives_no_other() {
        let menu = HostMenu::default();
        assert!(!menu.is_available());
        let shown = Arc::new(AtomicU32::new(0));
        let count = shown.clone();
        menu.set(Some(Arc::new(move |request: MenuRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            request.parameter == 7
        })));
        let request = |parameter| menu.request(MenuRequest { parameter, at: [3, 4] });
        menu.open();
        request(7);
        menu.open();
        menu.open();
        assert_eq!(shown.load(Ordering::Relaxed), 1);
        request(7);
        menu.cancel();
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 1 && menu.is_available());
        request(8);
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 2 && !menu.is_available());
    }
}
