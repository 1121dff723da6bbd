//! The functions that `worklet.js` calls. The worklet has one thread and one piano.

use std::cell::RefCell;

use crate::node::Node;

/// Samples of a block: the size that browsers render, or more.
const BLOCK: usize = 1024;

struct State {
    node: Node,
    left: [f32; BLOCK],
    right: [f32; BLOCK],
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

#[link(wasm_import_module = "worklet")]
unsafe extern "C" {
    /// Time by the browser's clock, s.
    #[link_name = "seconds"]
    safe fn browser_seconds() -> f64;
}

/// Time by the browser's clock, s.
fn seconds() -> f64 {
    browser_seconds()
}

/// Calls `run` with the piano's state; the default before [`begin`].
fn with<T: Default>(run: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| state.as_mut().map(run)).unwrap_or_default()
}

/// Makes the piano, which runs at `rate` Hz.
#[unsafe(no_mangle)]
pub extern "C" fn begin(rate: f64) {
    let node = Node::new(rate, seconds);
    let (left, right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let state = State { node, left, right, incoming: Vec::new(), outgoing: Vec::new() };
    STATE.set(Some(state));
}

/// Where `length` bytes of messages to the piano are to be written, for [`receive`].
#[unsafe(no_mangle)]
pub extern "C" fn incoming(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| match state {
        Some(state) => {
            state.incoming.clear();
            state.incoming.resize(length, 0);
            state.incoming.as_mut_ptr()
        }
        None => std::ptr::null_mut(),
    })
}

/// Receives the written bytes.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    with(|state| state.node.receive(&state.incoming));
}

/// Renders `frames` samples, at most 1024; returns the number rendered.
#[unsafe(no_mangle)]
pub extern "C" fn render(frames: usize) -> usize {
    with(|state| {
        let frames = frames.min(BLOCK);
        state.node.process(&mut state.left[..frames], &mut state.right[..frames]);
        frames
    })
}

/// Where the rendered samples of channel `side` (0 left, 1 right) are.
#[unsafe(no_mangle)]
pub extern "C" fn channel(side: u32) -> *const f32 {
    STATE.with_borrow(|state| match (state, side) {
        (Some(state), 0) => state.left.as_ptr(),
        (Some(state), _) => state.right.as_ptr(),
        (None, _) => std::ptr::null(),
    })
}

/// Collects the messages for the window; returns their length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn collect() -> usize {
    with(|state| {
        state.outgoing = state.node.take().unwrap_or_default();
        state.outgoing.len()
    })
}

/// Where the collected messages are.
#[unsafe(no_mangle)]
pub extern "C" fn outgoing() -> *const u8 {
    STATE.with_borrow(|state| state.as_ref().map_or(std::ptr::null(), |s| s.outgoing.as_ptr()))
}
