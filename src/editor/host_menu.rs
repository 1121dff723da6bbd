//! The host's own menu of a parameter (automate, learn, modulate), where the host has one.
//!
//! The window wishes for it on its own thread; the host shows it on its main thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A menu that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The number by which hosts know the parameter.
    pub parameter: u32,
    /// Where, from the window's upper left corner: pixels.
    pub at: [i32; 2],
}

/// Shows what was wished for, on the host's main thread; whether it did.
pub type Show = Box<dyn FnMut(Wish) -> bool + Send>;

/// What window and host share of it.
#[derive(Default)]
pub struct HostMenu {
    wish: Mutex<Option<Wish>>,
    show: Mutex<Option<Show>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostMenu {
    /// The host shows its menu by `show`, or has none (any more).
    pub fn set(&self, show: Option<Show>) {
        *lock(&self.show) = show;
    }

    /// Whether the host has one.
    #[must_use]
    pub fn is_there(&self) -> bool {
        // While the host shows it, it is there.
        self.show.try_lock().map_or(true, |show| show.is_some())
    }

    /// The window wishes for it, or takes the wish back as it closes.
    pub fn wish(&self, wish: Option<Wish>) {
        *lock(&self.wish) = wish;
    }

    /// Shows what is wished for, on the host's main thread. A host that will not is not asked again.
    pub fn open(&self) {
        let Some(wish) = lock(&self.wish).take() else { return };
        let mut show = lock(&self.show);
        if show.as_mut().is_some_and(|show| !show(wish)) {
            *show = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_wish_is_shown_once_and_a_host_that_refuses_is_asked_once() {
        let menu = HostMenu::default();
        assert!(!menu.is_there());
        let shown = Arc::new(AtomicU32::new(0));
        let count = shown.clone();
        menu.set(Some(Box::new(move |wish| {
            count.fetch_add(1, Ordering::Relaxed);
            wish.parameter == 7
        })));
        let wish = |parameter| menu.wish(Some(Wish { parameter, at: [3, 4] }));
        menu.open();
        wish(7);
        menu.open();
        menu.open();
        assert_eq!(shown.load(Ordering::Relaxed), 1);
        wish(7);
        menu.wish(None);
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 1 && menu.is_there());
        wish(8);
        menu.open();
        assert!(shown.load(Ordering::Relaxed) == 2 && !menu.is_there());
    }
}
