//! What a host may do with the plugin's window: sizes, scales and the thread. The wrappers take any
//! size, and panic where a window is touched by a thread that did not make it, or closed while one
//! of its functions runs.

use std::sync::Mutex;
use std::thread::{self, ThreadId};

use crate::instances;
use touchback_core::exchange::lock::lock;

/// The longest side of a window, pixels: no display is as long, and every graphics card draws it.
pub(super) const LONGEST_SIDE: u32 = 16_384;

/// Whether a window may have a side so long.
pub(super) fn is_side(pixels: u32) -> bool {
    (1..=LONGEST_SIDE).contains(&pixels)
}

/// Whether a host may ask for so many pixels a point.
pub(super) fn is_scale(scale: f64) -> bool {
    (0.1..=16.0).contains(&scale)
}

/// Whether a number is an X11 window's.
pub(super) fn is_x11_window(id: u64) -> bool {
    id != 0 && u32::try_from(id).is_ok()
}

/// Who may call a window's functions.
#[derive(Default)]
pub(super) struct WindowThread(Mutex<State>);

#[derive(Default)]
struct State {
    /// The thread that made the window, while there is one.
    owner: Option<ThreadId>,
    /// The window's functions that run inside one another.
    inside: u32,
    /// To be closed as soon as none of them runs.
    is_closing: bool,
}

impl WindowThread {
    /// Makes the window, unless there is one. `close` is called where it was closed meanwhile.
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

    /// The answer of a function of the window, or `failed` where this is not its thread.
    pub(super) fn run<T>(&self, failed: T, work: impl FnOnce() -> T, close: impl FnOnce()) -> T {
        if !self.is_here() {
            return failed;
        }
        lock(&self.0).inside += 1;
        let answer = work();
        self.leave(close);
        answer
    }

    /// Closes the window: at once, or when its functions that run have come back.
    pub(super) fn close(&self, close: impl FnOnce()) {
        if !self.is_here() {
            return;
        }
        let mut state = lock(&self.0);
        state.is_closing = true;
        // As if it had run inside the outermost.
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
        // Still inside: what the host asks for while the window closes finds it closing.
        drop(state);
        close();
        *lock(&self.0) = State::default();
        // Tens of MB of pictures and OpenGL's own.
        instances::give_back();
    }

    /// Whether there is a window of this thread.
    pub(super) fn is_here(&self) -> bool {
        lock(&self.0).owner == Some(thread::current().id())
    }

    /// Whether there is no window, or it is this thread's.
    pub(super) fn is_free_or_here(&self) -> bool {
        lock(&self.0).owner.is_none_or(|owner| owner == thread::current().id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_window_is_of_one_thread() {
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
