//! The scale that a project keeps, between its window, its state and the audio thread.
//!
//! The texts stay with the window's and the host's threads; the audio thread gets the finished scale
//! as the latest value of a buffer of its own.

use std::sync::Mutex;

use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::lock::lock;
use touchback_sound::scala::{Scale, Texts};

/// The scale of one instance.
pub struct Scales(Mutex<Kept>);

/// Under one lock, so that the scale that sounds is always that of the texts.
struct Kept {
    texts: Option<Texts>,
    writer: LatestWriter<Option<Scale>>,
}

impl Scales {
    /// None yet, and the audio thread's end.
    #[must_use]
    pub fn new() -> (Self, LatestReader<Option<Scale>>) {
        let (writer, reader) = latest(&None);
        (Self(Mutex::new(Kept { texts: None, writer })), reader)
    }

    /// Tunes by these texts, or by the temperament alone.
    ///
    /// # Errors
    /// What is wrong with the texts; the scale in force stays.
    pub fn set(&self, texts: Option<Texts>) -> Result<(), String> {
        let scale = texts.as_ref().map(Texts::scale).transpose()?;
        let mut kept = lock(&self.0);
        kept.texts = texts;
        kept.writer.write(scale);
        Ok(())
    }

    /// The texts in force.
    #[must_use]
    pub fn texts(&self) -> Option<Texts> {
        lock(&self.0).texts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_sound::scala::texts::PYTHAGOREAN;

    #[test]
    fn a_scale_reaches_the_reader_and_a_bad_one_leaves_the_last() {
        let (scales, mut reader) = Scales::new();
        let texts = |scale: &str| Texts { name: "s".into(), scale: scale.into(), map: None };
        scales.set(Some(texts(PYTHAGOREAN))).unwrap();
        assert!(reader.take_update().unwrap().is_some());
        assert!(scales.set(Some(texts("fifths\n2\n3/2\n"))).is_err());
        assert!(reader.take_update().is_none() && scales.texts().unwrap().scale.contains("2/1"));
        scales.set(None).unwrap();
        assert_eq!(reader.take_update(), Some(&None));
    }
}
