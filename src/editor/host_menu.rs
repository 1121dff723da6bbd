//! The host's own menu of a parameter (automate, learn, modulate), where the host has one.
//!
//! The window wishes for it on its own thread; the host shows it on its main thread.

use std::sync::{Arc, Mutex, OnceLock};

use touchback_core::exchange::lock::lock;

/// A menu that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The number by which hosts know the parameter.
    pub parameter: u32,
    /// Where, from the window's upper left corner: pixels.
    pub at: [i32; 2],
}

/// Shows what was wished for, on the host's main thread; whether it did.
pub type Show = Arc<dyn Fn(Wish) -> bool + Send + Sync>;

/// What window and host share of it.
#[derive(Default)]
pub struct HostMenu {
    wish: Mutex<Option<Wish>>,
    show: Mutex<Option<Show>>,
    ask: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl HostMenu {
    /// The host shows its menu by `show`, or has none (any more).
    pub fn set(&self, show: Option<Show>) {
        *lock(&self.show) = show;
    }

    /// `ask` makes the host's main thread [`open`](Self::open) what is wished for; set once.
    pub fn ask_by(&self, ask: impl Fn() + Send + Sync + 'static) {
        let _ = self.ask.set(Box::new(ask));
    }

    /// Whether the host has one.
    #[must_use]
    pub fn is_there(&self) -> bool {
        lock(&self.show).is_some()
    }

    /// The window wishes for it.
    pub fn wish(&self, wish: Wish) {
        *lock(&self.wish) = Some(wish);
        if let Some(ask) = self.ask.get() {
            ask();
        }
    }

    /// The window closes: its wish is no more.
    pub fn forget_wish(&self) {
        *lock(&self.wish) = None;
    }

    /// Shows what is wished for, on the host's main thread. A host that will not is not asked again.
    pub fn open(&self) {
        let Some(wish) = lock(&self.wish).take() else { return };
        // No lock is held while the host shows it: it may go on with anything meanwhile.
        let show = lock(&self.show).clone();
        if show.is_some_and(|show| !show(wish)) {
            self.set(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_wish_is_shown_once_and_a_host_that_refuses_is_asked_once() {
        let menu = HostMenu::default();
        assert!(!menu.is_there());
        let shown = Arc::new(AtomicU32::new(0));
        let count = shown.clone();
        menu.set(Some(Arc::new(move |wish: Wish| {
            count.fetch_add(1, Ordering::Relaxed);
            wish.parameter == 7
        })));
        let wish = |parameter| menu.wish(Wish { parameter, at: [3, 4] });
        menu.open();
        wish(7);
        menu.open();
        menu.open();
        assert_eq!(shown.load(Ordering::Relaxed), 1);
        wish(7);
        menu.forget_wish();
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 1 && menu.is_there());
        wish(8);
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 2 && !menu.is_there());
    }
}
