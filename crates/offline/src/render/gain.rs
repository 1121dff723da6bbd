//! `--normalize`: the level of a rendering that is known only at its end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::str::FromStr;

use anyhow::{Context as _, Result};

use touchback_core::math::cast::single;

/// The level that a rendering gets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Normal {
    /// Of the largest sample, dB re full scale.
    Peak(f64),
    /// Integrated loudness, LUFS.
    Loudness(f64),
}

impl FromStr for Normal {
    type Err = &'static str;

    /// Reads `-1`, `-1dB` or `-23LUFS`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.trim().to_lowercase();
        let (number, make): (_, fn(f64) -> Self) = match lower.strip_suffix("lufs") {
            Some(number) => (number, Self::Loudness),
            None => (lower.trim_end_matches("fs").trim_end_matches("db"), Self::Peak),
        };
        let level = number.trim().parse().ok().filter(|level| (-120.0..=0.0).contains(level));
        level.map(make).ok_or("write a level from -120 to 0, as -1 (dBFS) or -23LUFS")
    }
}

impl Normal {
    /// Gain for a sound of this peak and loudness; 1 in silence.
    pub(super) fn gain(self, peak_dbfs: f64, lufs: f64) -> f32 {
        let decibels = match self {
            Self::Peak(level) => level - peak_dbfs,
            Self::Loudness(level) => level - lufs,
        };
        if decibels.is_finite() { single(libm::pow(10.0, decibels / 20.0)) } else { 1.0 }
    }
}

/// Frames that wait for their gain, in a temporary file.
pub(super) struct Store(BufWriter<File>);

impl Store {
    pub(super) fn new() -> Result<Self> {
        Ok(Self(BufWriter::new(tempfile::tempfile().context("no temporary file")?)))
    }

    pub(super) fn add(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        for (left, right) in left.iter().zip(right) {
            self.0.write_all(&left.to_le_bytes())?;
            self.0.write_all(&right.to_le_bytes())?;
        }
        Ok(())
    }

    /// Hands the frames over, multiplied by `gain`.
    pub(super) fn replay(
        self,
        gain: f32,
        mut out: impl FnMut(&[f32], &[f32]) -> Result<()>,
    ) -> Result<()> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        loop {
            let mut frame = [[0; 4]; 2];
            let is_there = reader.read_exact(frame.as_flattened_mut()).is_ok();
            if is_there {
                let [l, r] = frame.map(|bytes| gain * f32::from_le_bytes(bytes));
                left.push(l);
                right.push(r);
            }
            if left.len() == 4096 || !is_there {
                out(&left, &right)?;
                left.clear();
                right.clear();
            }
            if !is_there {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_peaks_or_loudness() {
        for (text, level) in [
            ("-1", Normal::Peak(-1.0)),
            ("-0.5dBFS", Normal::Peak(-0.5)),
            ("-3 dB", Normal::Peak(-3.0)),
            ("-23LUFS", Normal::Loudness(-23.0)),
        ] {
            assert_eq!(text.parse(), Ok(level), "{text}");
        }
        for bad in ["1", "x", "", "-200", "nan", "-inf"] {
            assert!(bad.parse::<Normal>().is_err(), "{bad}");
        }
        assert!((Normal::Peak(-1.0).gain(-7.0, -30.0) - 1.995_262).abs() < 1e-5);
        assert!((Normal::Loudness(-23.0).gain(-7.0, -30.0) - 2.238_721).abs() < 1e-5);
        assert_eq!(Normal::Loudness(-23.0).gain(-90.0, f64::NEG_INFINITY), 1.0);
    }

    #[test]
    fn stored_frames_come_back_with_their_gain() {
        let mut store = Store::new().unwrap();
        let left: Vec<f32> = (0..9000u16).map(f32::from).collect();
        store.add(&left[..10], &left[..10]).unwrap();
        store.add(&left[10..], &left[10..]).unwrap();
        let mut found = Vec::new();
        let collect = |l: &[f32], r: &[f32]| {
            assert_eq!(l, r);
            found.extend_from_slice(l);
            Ok(())
        };
        store.replay(0.5, collect).unwrap();
        assert_eq!(found, left.iter().map(|x| 0.5 * x).collect::<Vec<_>>());
    }
}
