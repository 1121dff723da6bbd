//! Stereo WAV files of 24 bits or of 32-bit floating point, and the level of the written samples.
//!
//! A file begins with lengths of 0xFFFFFFFF, as FFmpeg and SoX write them into pipes; where it can be rewritten, its
//! lengths are entered at the end. A file that may exceed 4 GB is RF64 [EBU Tech 3306]: its lengths, of 64 bits, stand
//! in a chunk of their own before the others.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};

use anyhow::Result;

use crate::output::{Draft, Shown as _};
use touchback_core::files::draft::Stream;
use touchback_core::files::samples::{CHANNELS, Level, SampleForm};

/// Length of the content of the chunk with the 64-bit lengths: file, sound, frames, and no other chunks.
const LENGTHS: u32 = 28;

/// Most frames of a file of samples of `form` without 64-bit lengths: 32-bit lengths, less the headers.
#[must_use]
pub const fn max_frames(form: SampleForm) -> u64 {
    (u32::MAX as u64 - 1024) / form.frame()
}

/// A WAV file being written.
pub struct Wave<'a> {
    draft: &'a Draft,
    writer: BufWriter<File>,
    /// Position of the first byte, where it can be rewritten.
    begin: Option<u64>,
    /// Length of the header, bytes.
    header: u64,
    form: SampleForm,
    /// The lengths have 64 bits.
    is_long: bool,
    level: Level,
    frames: u64,
    /// Bytes of the frames of one call.
    bytes: Vec<u8>,
}

impl<'a> Wave<'a> {
    /// Begins a file of 24 bits in `draft` at `rate` Hz; standard output receives it while it is written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn new(draft: &'a Draft, rate: u32) -> Result<Self> {
        Self::with(draft, rate, SampleForm::Int24, false)
    }

    /// Begins a file of samples of `form` in `draft` at `rate` Hz, with lengths of 64 bits if it `is_long`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn with(draft: &'a Draft, rate: u32, form: SampleForm, is_long: bool) -> Result<Self> {
        let sample_format = match form {
            SampleForm::Int24 => hound::SampleFormat::Int,
            SampleForm::Float32 => hound::SampleFormat::Float,
        };
        let spec = hound::WavSpec {
            channels: CHANNELS,
            sample_rate: rate,
            bits_per_sample: form.bits(),
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
        Ok(Self {
            draft,
            writer,
            begin,
            header,
            form,
            is_long,
            level,
            frames: 0,
            bytes: Vec::new(),
        })
    }

    /// Appends frames; both channels have the same length.
    ///
    /// # Errors
    /// A file that cannot be written, or that would exceed its lengths.
    pub fn write(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        self.frames += left.len() as u64;
        anyhow::ensure!(
            self.is_long || self.frames <= max_frames(self.form),
            "{}: longer than a WAV file can be",
            self.draft.target().shown()
        );
        self.bytes.clear();
        self.form.encode(left, right, &mut self.level, &mut self.bytes);
        Ok(self.writer.write_all(&self.bytes).map_err(|error| self.draft.error(error))?)
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
        let sound = self.frames * self.form.frame();
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
    fn files_of_floating_point_and_of_64_bit_lengths_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.wav");
        let (left, right) = ([0.25, -1.5, 1e-7], [0.5, 2.0, -0.125]);
        let (whole, floating) = (SampleForm::Int24, SampleForm::Float32);
        for (form, is_long) in [(floating, false), (whole, true), (floating, true)] {
            let draft = Draft::create(&path).unwrap();
            let mut wave = Wave::with(&draft, 48_000, form, is_long).unwrap();
            wave.write(&left, &right).unwrap();
            assert_eq!(wave.level().clipped(), 2);
            wave.finish().unwrap();
            draft.keep().unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            if is_long {
                let at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().unwrap());
                assert_eq!((&bytes[..4], &bytes[12..16]), (&b"RF64"[..], &b"ds64"[..]));
                assert_eq!([at(20), at(28), at(36)], [bytes.len() as u64 - 8, 3 * form.frame(), 3]);
                // As a plain WAV file, which the reader here knows.
                bytes.drain(12..48);
                bytes[..4].copy_from_slice(b"RIFF");
                let size = u32::try_from(bytes.len() - 8).unwrap();
                bytes[4..8].copy_from_slice(&size.to_le_bytes());
                let sound = u32::try_from(3 * form.frame()).unwrap().to_le_bytes();
                let data = bytes.windows(4).position(|four| four == b"data").unwrap();
                bytes[data + 4..data + 8].copy_from_slice(&sound);
            }
            let mut reader = hound::WavReader::new(&bytes[..]).unwrap();
            match form {
                SampleForm::Float32 => {
                    let found: Vec<f32> = reader.samples().map(Result::unwrap).collect();
                    assert_eq!(found, [0.25, 0.5, -1.5, 2.0, 1e-7, -0.125]);
                }
                SampleForm::Int24 => {
                    let found: Vec<i32> = reader.samples().map(Result::unwrap).collect();
                    assert_eq!((found[1], found[2], found[3]), (4_194_304, -8_388_607, 8_388_607));
                }
            }
        }
        assert_eq!(max_frames(SampleForm::Int24), 715_827_711);
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
