//! A project's mechanism from a file, shared by window, saved state and audio thread.
//!
//! The file is for the window's and the host's threads; the audio thread receives the mechanism with prepared keys
//! through a buffer of the latest value.

use std::sync::{Arc, Mutex};

use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::shared::{Keeper, Shared};
use touchback_instrument::host::mechanism::{LoadedMechanism, MechanismFile};

/// The mechanism of one instance.
pub struct Mechanisms(Mutex<Kept>);

struct Kept {
    loaded: Arc<LoadedMechanism>,
    writer: LatestWriter<Shared<Option<MechanismFile>>>,
    /// The mechanisms that the audio thread must not free.
    keeper: Keeper<Option<MechanismFile>>,
}

impl Mechanisms {
    /// No mechanism yet, and the audio thread's end.
    #[must_use]
    pub fn new() -> (Self, LatestReader<Shared<Option<MechanismFile>>>) {
        let (writer, reader) = latest(&Shared::NEUTRAL);
        (
            Self(Mutex::new(Kept { loaded: Arc::default(), writer, keeper: Keeper::default() })),
            reader,
        )
    }

    /// Sets the mechanism; the audio thread reads it with its next block.
    pub fn set(&self, loaded: Arc<LoadedMechanism>) {
        let mut kept = lock(&self.0);
        kept.keeper.keep(&loaded.file);
        kept.writer.write(loaded.file.clone());
        kept.loaded = loaded;
    }

    /// The current mechanism.
    #[must_use]
    pub fn get(&self) -> Arc<LoadedMechanism> {
        lock(&self.0).loaded.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_instrument::host::mechanism::read;

    const SAMPLE: &str = include_str!("../mechanisms/ball.mechanism.toml");

    #[test]
    fn a_mechanism_reaches_the_reader_and_stays_until_the_reader_has_another() {
        let (mechanisms, mut reader) = Mechanisms::new();
        let own = || LoadedMechanism::playing(read("own.mechanism.toml", SAMPLE.into()).unwrap());
        mechanisms.set(own());
        let held = reader.take_update().unwrap().clone();
        assert!(held.is_some());
        mechanisms.set(Arc::default());
        assert_eq!(reader.take_update(), Some(&Shared::NEUTRAL));
        assert_eq!(mechanisms.get(), Arc::default());
        assert_eq!(held.as_ref().unwrap().source().text, SAMPLE);
    }
}
