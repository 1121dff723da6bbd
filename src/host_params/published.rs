//! A value of the project that window and host set, and the audio thread's copy of it.

use std::sync::Mutex;

use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::lock::lock;

/// The value, under one lock with the writer of the copy.
#[derive(Debug)]
pub(super) struct Published<T: Send>(Box<Mutex<State<T>>>);

#[derive(Debug)]
struct State<T: Send> {
    value: T,
    writer: LatestWriter<T>,
    /// None once the audio thread has taken it.
    reader: Option<LatestReader<T>>,
}

impl<T: Clone + Default + Send> Default for Published<T> {
    #[inline(never)]
    fn default() -> Self {
        let value = T::default();
        let (writer, reader) = latest(&value);
        Self(Box::new(Mutex::new(State { value, writer, reader: Some(reader) })))
    }
}

impl<T: Clone + Send> Published<T> {
    /// The value. Not for the audio thread.
    pub(super) fn get(&self) -> T {
        lock(&self.0).value.clone()
    }

    /// Sets the value; the audio thread reads it with its next block. Not for the audio thread.
    pub(super) fn set(&self, value: &T) {
        let mut state = lock(&self.0);
        state.value = value.clone();
        state.writer.write(value.clone());
    }

    /// The audio thread's end; none after the first call.
    pub(super) fn take_reader(&self) -> Option<LatestReader<T>> {
        lock(&self.0).reader.take()
    }
}
