//! The latest value from one writer to one reader, through a triple buffer.
//!
//! The writer always has a buffer to write, the reader always one to read; the third holds the value
//! published last. Values that were not read are lost, as is right for meters and poses.

use triple_buffer::{Input, Output, triple_buffer};

/// The writing end.
#[derive(Debug)]
pub struct LatestWriter<T: Send> {
    input: Input<T>,
}

/// The reading end.
#[derive(Debug)]
pub struct LatestReader<T: Send> {
    output: Output<T>,
}

/// Both ends, holding `initial`. Allocates; not inlined, so that the stack of three values is free again.
#[must_use]
#[inline(never)]
pub fn latest<T: Clone + Send>(initial: &T) -> (LatestWriter<T>, LatestReader<T>) {
    let (input, output) = triple_buffer(initial);
    (LatestWriter { input }, LatestReader { output })
}

impl<T: Send> LatestWriter<T> {
    /// Publishes `value`, replacing an unread value.
    pub fn write(&mut self, value: T) {
        self.input.write(value);
    }

    /// Changes the buffer in place and publishes it. The buffer holds an earlier value, not necessarily the
    /// last, so `change` must write every field.
    pub fn update(&mut self, change: impl FnOnce(&mut T)) {
        change(self.input.input_buffer_mut());
        self.input.publish();
    }
}

impl<T: Send> LatestReader<T> {
    /// The latest published value.
    pub fn read(&mut self) -> &T {
        self.output.read()
    }

    /// The latest published value, if it is newer than the value read last.
    pub fn take_update(&mut self) -> Option<&T> {
        self.output.update().then(|| self.output.output_buffer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_gets_the_last_value_once() {
        let (mut writer, mut reader) = latest(&0);
        assert_eq!(reader.take_update(), None);
        writer.write(1);
        writer.update(|v| *v = 2);
        assert_eq!(reader.take_update(), Some(&2));
        assert_eq!(reader.take_update(), None);
        assert_eq!(*reader.read(), 2);
    }

    #[test]
    fn a_value_is_never_torn() {
        const LAST: u64 = if cfg!(miri) { 200 } else { 20_000 };
        let (mut writer, mut reader) = latest(&[0u64; 16]);
        let written = std::thread::spawn(move || {
            for i in 1..=LAST {
                writer.write([i; 16]);
            }
        });
        let mut last = 0;
        while last < LAST {
            let value = *reader.read();
            assert!(value.iter().all(|v| *v == value[0]) && value[0] >= last);
            last = value[0];
        }
        written.join().unwrap();
    }
}
