//! Checks of a host's calls to the plugin's window: sizes, scales and threads. The framework's wrappers
//! accept any size, and panic if a window is used on a thread other than its own or closed while one of
//! its functions runs.

use std::sync::Mutex;
use std::thread::{self, ThreadId};

use crate::instances;
use touchback_core::exchange::lock::lock;

/// The longest side of a window, pixels: more than any display has, and every graphics card can draw it.
pub(super) const LONGEST_SIDE: u32 = 16_384;

/// Whether a window may have a side of this length.
pub(super) fn is_side(pixels: u32) -> bool {
    (1..=LONGEST_SIDE).contains(&pixels)
}

/// Whether a host may set this scale, pixels per point.
pub(super) fn is_scale(scale: f64) -> bool {
    (0.1..=16.0).contains(&scale)
}

/// Whether a number can be an X11 window's id.
pub(super) fn is_x11_window(id: u64) -> bool {
    id != 0 && u32::try_from(id).is_ok()
}

/// Who may call a window's functions.
#[derive(Default)]
pub(super) struct WindowThread(Mutex<State>);

#[derive(Default)]
struct State {
    /// The thread that opened the window, while there is one.
    owner: Option<ThreadId>,
    /// Nesting depth of the window's running functions.
    inside: u32,
    /// Whether to close the window as soon as none of its functions runs.
    is_closing: bool,
}

impl WindowThread {
    /// Opens the window by `make`, unless there is one. Calls `close` if `make` has requested to close it.
    pub(super) fn open(&self, make: impl FnOnce() -> bool, close: impl FnOnce()) -> bool {
        {
            let mut state = lock(&self.0);
            if state.owner.is_some() {
                return false;
            }
            *state = State { owner: Some(thread::current().id()), inside: 1, is_closing: false };
        }
        let is_made = make();
        if !is_made {
            *lock(&self.0) = State::default();
            return false;
        }
        self.leave(close);
        self.is_here()
    }

    /// Returns the result of a function of the window, or `failed` on another thread.
    pub(super) fn run<T>(&self, failed: T, work: impl FnOnce() -> T, close: impl FnOnce()) -> T {
        if !self.is_here() {
            return failed;
        }
        lock(&self.0).inside += 1;
        let result = work();
        self.leave(close);
        result
    }

    /// Closes the window, at once or after its running functions have returned.
    pub(super) fn close(&self, close: impl FnOnce()) {
        if !self.is_here() {
            return;
        }
        let mut state = lock(&self.0);
        state.is_closing = true;
        // Counted like the window's other functions, so that `leave` treats all alike.
        state.inside += 1;
        drop(state);
        self.leave(close);
    }

    fn leave(&self, close: impl FnOnce()) {
        let mut state = lock(&self.0);
        if state.inside > 1 || !state.is_closing {
            state.inside = state.inside.saturating_sub(1);
            return;
        }
        // The depth stays 1: calls of the host during `close` find the window closing.
        drop(state);
        close();
        *lock(&self.0) = State::default();
        // Pictures and OpenGL free some tens of MB.
        instances::release_free_memory();
    }

    /// Whether there is a window on this thread.
    pub(super) fn is_here(&self) -> bool {
        lock(&self.0).owner == Some(thread::current().id())
    }

    /// Whether there is no window, or a window on this thread.
    pub(super) fn is_free_or_here(&self) -> bool {
        lock(&self.0).owner.is_none_or(|owner| owner == thread::current().id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_window_accepts_calls_of_its_thread_only() {
        let window = WindowThread::default();
        let elsewhere = |work: &(dyn Fn() -> bool + Sync)| {
            thread::scope(|scope| scope.spawn(work).join().unwrap())
        };
        assert!(!window.run(false, || true, || ()));
        assert!(!window.open(|| false, || ()));
        assert!(window.is_free_or_here() && !window.is_here());
        assert!(window.open(|| true, || ()));
        assert!(!window.open(|| true, || ()));
        assert!(window.run(false, || true, || ()));
        assert!(!elsewhere(&|| window.run(false, || true, || ())));
        assert!(!elsewhere(&|| window.is_free_or_here()));
        elsewhere(&|| {
            window.close(|| panic!("closed by another thread"));
            true
        });
        let mut closed = false;
        window.close(|| closed = true);
        assert!(closed && !window.is_here());
        assert!(elsewhere(&|| window.open(|| true, || ())));
    }

    #[test]
    fn a_window_closes_after_the_functions_that_run() {
        let window = WindowThread::default();
        let order = RefCell::new(Vec::new());
        let note = |what| order.borrow_mut().push(what);
        assert!(window.open(|| true, || ()));
        let close = |what: &'static str| move || note(what);
        window.run(
            (),
            || {
                window.run((), || window.close(close("too early")), close("inner"));
                note("work");
            },
            || {
                note("closed");
                window.close(close("twice"));
            },
        );
        assert_eq!(*order.borrow(), ["work", "closed"]);
        assert!(!window.is_here());
        assert!(!window.open(
            || {
                window.close(close("too early"));
                true
            },
            close("at once")
        ));
        assert_eq!(*order.borrow(), ["work", "closed", "at once"]);
    }
}
