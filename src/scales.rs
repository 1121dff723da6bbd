//! A project's scale, shared by window, saved state and audio thread.
//!
//! The texts are for the window's and the host's threads; the audio thread receives the finished scale
//! through a buffer of the latest value.

use std::sync::Mutex;

use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::shared::{Keeper, Shared};
use touchback_sound::tuning::scala::{Scale, Texts};

/// The scale of one instance.
pub struct Scales(Mutex<Kept>);

/// Texts and scale under one lock, so that the sounding scale is always that of the texts.
struct Kept {
    texts: Option<Texts>,
    writer: LatestWriter<Shared<Option<Scale>>>,
    /// The scales that the audio thread must not free.
    keeper: Keeper<Option<Scale>>,
}

impl Scales {
    /// No scale yet, and the audio thread's end.
    #[must_use]
    pub fn new() -> (Self, LatestReader<Shared<Option<Scale>>>) {
        let (writer, reader) = latest(&Shared::NEUTRAL);
        (Self(Mutex::new(Kept { texts: None, writer, keeper: Keeper::default() })), reader)
    }

    /// Tunes by these texts, or by the temperament alone.
    ///
    /// # Errors
    /// The fault in the texts; the scale is unchanged.
    pub fn set(&self, texts: Option<Texts>) -> Result<(), String> {
        let scale = texts.as_ref().map(Texts::scale).transpose()?.into();
        let mut kept = lock(&self.0);
        kept.texts = texts;
        kept.keeper.keep(&scale);
        kept.writer.write(scale);
        Ok(())
    }

    /// The current texts.
    #[must_use]
    pub fn texts(&self) -> Option<Texts> {
        lock(&self.0).texts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

    #[test]
    fn a_scale_reaches_the_reader_and_an_invalid_one_changes_nothing() {
        let (scales, mut reader) = Scales::new();
        let texts = |scale: &str| Texts { name: "s".into(), scale: scale.into(), map: None };
        scales.set(Some(texts(PYTHAGOREAN))).unwrap();
        assert!(reader.take_update().unwrap().is_some());
        assert!(scales.set(Some(texts("fifths\n2\n3/2\n"))).is_err());
        assert!(reader.take_update().is_none() && scales.texts().unwrap().scale.contains("2/1"));
        scales.set(None).unwrap();
        assert_eq!(reader.take_update(), Some(&Shared::NEUTRAL));
    }
}
