//! The functions that `figures.js` calls: a request is a text, an answer a table or a text.

use std::cell::RefCell;

use crate::{Answer, answer};

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Answer> = const { RefCell::new(Answer::Text(String::new())) };
}

/// Where `length` bytes of a request are to be written, for [`run`].
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    })
}

/// Answers the written request. Returns the number of a table's columns, 0 for a text.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    let answer = REQUEST.with_borrow(|bytes| answer(&String::from_utf8_lossy(bytes)));
    let columns = if let Answer::Table { columns, .. } = &answer { *columns } else { 0 };
    ANSWER.set(answer);
    columns
}

/// Where the answer is: numbers, row by row, or the bytes of a text.
#[unsafe(no_mangle)]
pub extern "C" fn place() -> *const u8 {
    ANSWER.with_borrow(|answer| match answer {
        Answer::Table { cells, .. } => cells.as_ptr().cast(),
        Answer::Text(text) => text.as_ptr(),
    })
}

/// Number of the answer's numbers or bytes.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    ANSWER.with_borrow(|answer| match answer {
        Answer::Table { cells, .. } => cells.len(),
        Answer::Text(text) => text.len(),
    })
}
