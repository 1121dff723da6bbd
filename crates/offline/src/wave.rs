//! Stereo WAV files of 24 bits or of 32-bit floating point, and the level of the written samples.
//!
//! A file begins with lengths of 0xFFFFFFFF, as FFmpeg and SoX write them into pipes; where it can be rewritten, its
//! lengths are entered at the end. A file that may exceed 4 GB is RF64 [EBU Tech 3306]: its lengths, of 64 bits, stand
//! in a chunk of their own before the others.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};

use anyhow::Result;
use hound::Sample as _;

use crate::output::{Draft, Shown as _};
use touchback_core::files::draft::Stream;
use touchback_core::math::cast::rounded_i32;

/// Channels.
const CHANNELS: u16 = 2;

/// Largest 24-bit value, which stands for full scale 1.0.
const FULL_SCALE: f64 = 8_388_607.0;

/// Form of the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bits {
    /// Whole numbers of 24 bits.
    #[default]
    Int24,
    /// Floating point of 32 bits, beyond full scale too.
    Float32,
}

impl Bits {
    const fn spec(self) -> (u16, hound::SampleFormat) {
        match self {
            Self::Int24 => (24, hound::SampleFormat::Int),
            Self::Float32 => (32, hound::SampleFormat::Float),
        }
    }

    /// Bytes of a frame.
    #[must_use]
    pub const fn frame(self) -> u64 {
        (CHANNELS * self.spec().0 / 8) as u64
    }

    /// Most frames of a file without 64-bit lengths: 32-bit lengths, less the headers.
    #[must_use]
    pub const fn max_frames(self) -> u64 {
        (u32::MAX as u64 - 1024) / self.frame()
    }
}

/// Length of the content of the chunk with the 64-bit lengths: file, sound, frames, and no other chunks.
const LENGTHS: u32 = 28;

/// Peak, mean square and overload of a signal.
#[derive(Clone, Copy, Default, Debug)]
pub struct Level {
    peak: f64,
    squares: f64,
    samples: u64,
    clipped: u64,
}

impl Level {
    /// Counts one sample, full scale ±1.
    pub fn add(&mut self, sample: f32) {
        let x = f64::from(sample).abs();
        self.peak = self.peak.max(x);
        self.squares += x * x;
        self.samples += 1;
        self.clipped += u64::from(x > 1.0);
    }

    /// Largest sample, dB re full scale; −∞ in silence.
    #[must_use]
    pub fn peak_dbfs(&self) -> f64 {
        20.0 * libm::log10(self.peak)
    }

    /// Root mean square of both channels, dB re full scale ±1; −∞ in silence.
    #[must_use]
    pub fn rms_dbfs(&self) -> f64 {
        10.0 * libm::log10(self.squares / (self.samples.max(1)) as f64)
    }

    /// Samples beyond full scale, written as full scale.
    #[must_use]
    pub const fn clipped(&self) -> u64 {
        self.clipped
    }
}

/// A WAV file being written.
pub struct Wave<'a> {
    draft: &'a Draft,
    writer: BufWriter<File>,
    /// Position of the first byte, where it can be rewritten.
    begin: Option<u64>,
    /// Length of the header, bytes.
    header: u64,
    bits: Bits,
    /// The lengths have 64 bits.
    is_long: bool,
    level: Level,
    frames: u64,
}

impl<'a> Wave<'a> {
    /// Begins a file of 24 bits in `draft` at `rate` Hz; standard output receives it while it is written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn new(draft: &'a Draft, rate: u32) -> Result<Self> {
        Self::with(draft, rate, Bits::Int24, false)
    }

    /// Begins a file of samples of `bits` in `draft` at `rate` Hz, with lengths of 64 bits if it `is_long`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn with(draft: &'a Draft, rate: u32, bits: Bits, is_long: bool) -> Result<Self> {
        let (bits_per_sample, sample_format) = bits.spec();
        let spec = hound::WavSpec {
            channels: CHANNELS,
            sample_rate: rate,
            bits_per_sample,
            sample_format,
        };
        let mut header = spec.into_header_for_infinite_file();
        let Stream { file, begin } = draft.stream()?;
        // Readers refuse unknown lengths of 64 bits, and take those of 32.
        if is_long && begin.is_some() {
            let lengths = [&LENGTHS.to_le_bytes()[..], &[0xFF; 24], &[0; 4]].concat();
            let rest = header.split_off(12);
            header = [b"RF64", &header[4..], b"ds64", &lengths, &rest].concat();
        }
        let mut writer = BufWriter::new(file);
        writer.write_all(&header).map_err(|error| draft.error(error))?;
        let (header, level) = (header.len() as u64, Level::default());
        Ok(Self { draft, writer, begin, header, bits, is_long, level, frames: 0 })
    }

    /// Appends frames; both channels have the same length.
    ///
    /// # Errors
    /// A file that cannot be written, or that would exceed its lengths.
    pub fn write(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        self.frames += left.len() as u64;
        anyhow::ensure!(
            self.is_long || self.frames <= self.bits.max_frames(),
            "{}: longer than a WAV file can be",
            self.draft.target().shown()
        );
        for (l, r) in left.iter().zip(right) {
            for x in [*l, *r] {
                self.level.add(x);
                let written = match self.bits {
                    Bits::Int24 => {
                        let value = rounded_i32(f64::from(x).clamp(-1.0, 1.0) * FULL_SCALE);
                        value.write(&mut self.writer, 24)
                    }
                    Bits::Float32 => x.write(&mut self.writer, 32),
                };
                written.map_err(|error| match error {
                    hound::Error::IoError(error) => self.draft.error(error).into(),
                    other => anyhow::Error::from(other),
                })?;
            }
        }
        Ok(())
    }

    /// Level of the written samples.
    #[must_use]
    pub const fn level(&self) -> &Level {
        &self.level
    }

    /// Frames written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Completes the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<()> {
        Ok(self.complete().map_err(|error| self.draft.error(error))?)
    }

    fn complete(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(begin) = self.begin else { return Ok(()) };
        let sound = self.frames * self.bits.frame();
        let file = self.header - 8 + sound;
        if self.is_long {
            self.writer.seek(SeekFrom::Start(begin + 20))?;
            for length in [file, sound, self.frames] {
                self.writer.write_all(&length.to_le_bytes())?;
            }
        } else {
            // The lengths of the file and of the sound, each without what stands before its end.
            for (at, length) in [(4, file), (self.header - 4, sound)] {
                self.writer.seek(SeekFrom::Start(begin + at))?;
                self.writer.write_all(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes())?;
            }
        }
        self.writer.seek(SeekFrom::Start(begin + self.header + sound))?;
        self.writer.flush()
    }
}

/// Decides where a rendering ends: after [`Tail::HOLD`] s below −80 dBFS, or after [`Tail::LIMIT`] s.
/// The end does not depend on the block size.
#[derive(Debug)]
pub struct Tail {
    from: u64,
    hold: u64,
    limit: u64,
    quiet: u64,
    at: u64,
}

impl Tail {
    /// Silence that ends a rendering, s: longer than the slowest key needs to reach its string
    /// (0.23 s, [Goebl 2005]).
    pub const HOLD: f64 = 0.5;
    /// Longest tail, s.
    pub const LIMIT: f64 = 20.0;
    /// −80 dBFS.
    const THRESHOLD: f32 = 1e-4;

    /// The tail of a rendering whose last event falls on sample `from`.
    #[must_use]
    pub fn new(from: u64, rate: u32) -> Self {
        let samples = |s: f64| touchback_core::math::cast::floor_index(s * f64::from(rate)) as u64;
        Self { from, hold: samples(Self::HOLD), limit: samples(Self::LIMIT), quiet: 0, at: 0 }
    }

    /// Counts the next samples; `Some(n)` when the rendering ends after the first `n` of them.
    pub fn end(&mut self, left: &[f32], right: &[f32]) -> Option<usize> {
        for (i, (l, r)) in left.iter().zip(right).enumerate() {
            if self.at >= self.from {
                let loud = l.abs().max(r.abs()) >= Self::THRESHOLD;
                self.quiet = if loud { 0 } else { self.quiet + 1 };
                if self.quiet >= self.hold || self.at - self.from >= self.limit {
                    return Some(i + 1);
                }
            }
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_full_scale_square() {
        let mut level = Level::default();
        for i in 0..100 {
            level.add(if i % 2 == 0 { 1.0 } else { -1.0 });
        }
        assert!(level.peak_dbfs().abs() < 1e-12 && level.rms_dbfs().abs() < 1e-12);
        level.add(2.0);
        assert_eq!(level.clipped(), 1);
        assert_eq!(Level::default().rms_dbfs(), f64::NEG_INFINITY);
    }

    #[test]
    fn files_of_floating_point_and_of_64_bit_lengths_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.wav");
        let (left, right) = ([0.25, -1.5, 1e-7], [0.5, 2.0, -0.125]);
        for (bits, is_long) in [(Bits::Float32, false), (Bits::Int24, true), (Bits::Float32, true)]
        {
            let draft = Draft::create(&path).unwrap();
            let mut wave = Wave::with(&draft, 48_000, bits, is_long).unwrap();
            wave.write(&left, &right).unwrap();
            assert_eq!(wave.level().clipped(), 2);
            wave.finish().unwrap();
            draft.keep().unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            if is_long {
                let at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().unwrap());
                assert_eq!((&bytes[..4], &bytes[12..16]), (&b"RF64"[..], &b"ds64"[..]));
                assert_eq!([at(20), at(28), at(36)], [bytes.len() as u64 - 8, 3 * bits.frame(), 3]);
                // As a plain WAV file, which the reader here knows.
                bytes.drain(12..48);
                bytes[..4].copy_from_slice(b"RIFF");
                let size = u32::try_from(bytes.len() - 8).unwrap();
                bytes[4..8].copy_from_slice(&size.to_le_bytes());
                let sound = u32::try_from(3 * bits.frame()).unwrap().to_le_bytes();
                let data = bytes.windows(4).position(|four| four == b"data").unwrap();
                bytes[data + 4..data + 8].copy_from_slice(&sound);
            }
            let mut reader = hound::WavReader::new(&bytes[..]).unwrap();
            match bits {
                Bits::Float32 => {
                    let found: Vec<f32> = reader.samples().map(Result::unwrap).collect();
                    assert_eq!(found, [0.25, 0.5, -1.5, 2.0, 1e-7, -0.125]);
                }
                Bits::Int24 => {
                    let found: Vec<i32> = reader.samples().map(Result::unwrap).collect();
                    assert_eq!((found[1], found[2], found[3]), (4_194_304, -8_388_607, 8_388_607));
                }
            }
        }
        assert_eq!(Bits::Int24.max_frames(), 715_827_711);
    }

    #[test]
    fn the_tail_ends_at_the_same_sample_whatever_the_block() {
        let signal: Vec<f32> = (0..90_000).map(|i| if i < 7_000 { 0.5 } else { 1e-5 }).collect();
        for block in [1, 7, 512, 90_000] {
            let mut tail = Tail::new(5_000, 48_000);
            let mut frames = 0;
            for part in signal.chunks(block) {
                if let Some(n) = tail.end(part, part) {
                    frames += n;
                    break;
                }
                frames += part.len();
            }
            assert_eq!(frames, 7_000 + 24_000);
        }
    }

    #[test]
    fn an_endless_tail_is_cut() {
        let mut tail = Tail::new(0, 100);
        assert_eq!(tail.end(&[1.0; 5000], &[0.0; 5000]), Some(2001));
    }
}
