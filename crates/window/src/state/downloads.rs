//! Files that a page hands to its user: a browser has no folders to write to.

use std::cell::RefCell;

thread_local! {
    static WAITING: RefCell<Vec<(String, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// Adds the file `name` with its bytes.
pub fn put(name: String, bytes: Vec<u8>) {
    WAITING.with_borrow_mut(|waiting| waiting.push((name, bytes)));
}

/// The names and bytes of the files added since the last call.
#[must_use]
pub fn take() -> Vec<(String, Vec<u8>)> {
    WAITING.take()
}
