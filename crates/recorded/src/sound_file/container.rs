//! Finds the sound in a WAV or AIFF file, whatever its lengths declare, and gives it a header of its own.
//!
//! Programs that write to a pipe leave lengths at 0 or at the largest value, downloads end early, and some
//! programs omit the byte that follows a chunk of odd length. The decoder takes lengths literally.

mod aiff;
mod wave;

use std::io::{Cursor, Read, Seek, SeekFrom};

use anyhow::{Result, bail, ensure};
use symphonia::core::io::MediaSource;

use super::refuse_rate;

/// Most channels, and most bits per sample, that a file may declare.
const CHANNELS: u16 = 26;
const BITS: u16 = 64;

/// Lengths from here on are those of programs that did not know the length, bytes.
const UNKNOWN: u64 = 0x7FFF_0000;

/// Largest chunk that is kept, bytes.
const KEPT: u64 = 4096;

/// The samples of a file.
pub struct Sound {
    /// Header for the decoder.
    head: Vec<u8>,
    start: u64,
    length: u64,
    /// Length that the file declares beyond its end, bytes.
    pub missing: Option<u64>,
}

/// Finds the samples in `source`; `None` in a FLAC or OGG file, which then is at its beginning.
///
/// # Errors
/// Another kind of file, no samples, or impossible values in the header.
pub fn find(source: &mut (impl Read + Seek)) -> Result<Option<Sound>> {
    let end = source.seek(SeekFrom::End(0))?;
    let mut start = 0;
    loop {
        let head = bytes(source, start, 12)?;
        match (head.get(..4), head.get(8..12)) {
            (Some(b"fLaC" | b"OggS"), _) => {
                source.seek(SeekFrom::Start(0))?;
                return Ok(None);
            }
            (Some(b"RIFF" | b"RF64" | b"BW64"), Some(b"WAVE")) => {
                return wave::find(source, start + 12, end).map(Some);
            }
            (Some(b"FORM"), Some(b"AIFF" | b"AIFC")) => {
                return aiff::find(source, start + 12, end).map(Some);
            }
            // An ID3 tag before the samples.
            (Some([b'I', b'D', b'3', _]), _) if head.len() >= 10 => {
                let length =
                    head[6..10].iter().fold(0, |sum, byte| sum << 7 | u64::from(*byte & 127));
                start += 10 + length;
            }
            _ => bail!("no WAV, AIFF, FLAC or OGG file"),
        }
    }
}

/// A chunk: its kind, its content's place and declared length.
struct Chunk {
    id: [u8; 4],
    start: u64,
    length: u64,
}

impl Chunk {
    /// The chunk at `at`; `None` at the end of the file. `number` reads its length.
    fn read(
        source: &mut (impl Read + Seek),
        at: u64,
        number: fn([u8; 4]) -> u32,
    ) -> Result<Option<Self>> {
        let head = bytes(source, at, 8)?;
        Ok(head.split_first_chunk::<4>().and_then(|(id, length)| {
            let length = u64::from(number(*length.first_chunk()?));
            Some(Self { id: *id, start: at + 8, length })
        }))
    }

    /// Place of the next chunk: at an even distance, or directly behind where only there a name stands.
    fn next(&self, source: &mut (impl Read + Seek)) -> Result<u64> {
        let after = self.start.saturating_add(self.length);
        if self.length.is_multiple_of(2) {
            return Ok(after);
        }
        let names = bytes(source, after, 5)?;
        let is_unpadded =
            is_name(&names[..names.len().min(4)]) && !is_name(names.get(1..).unwrap_or_default());
        Ok(if is_unpadded { after } else { after.saturating_add(1) })
    }

    /// The content, at most `KEPT` bytes.
    fn content(&self, source: &mut (impl Read + Seek)) -> Result<Vec<u8>> {
        bytes(source, self.start, self.length.min(KEPT))
    }

    /// Whether another chunk, not samples, begins where this one's content should be.
    fn is_really_empty(
        &self,
        source: &mut (impl Read + Seek),
        end: u64,
        number: fn([u8; 4]) -> u32,
    ) -> Result<bool> {
        Ok(Self::read(source, self.start, number)?
            .is_none_or(|next| is_name(&next.id) && next.start.saturating_add(next.length) <= end))
    }
}

/// Whether `name` may name a chunk.
fn is_name(name: &[u8]) -> bool {
    name.len() == 4 && name.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Length of the samples that begin at `start` in a file that ends at `end`, where `declared` bytes are
/// declared, and the declared length if the file is cut off.
fn extent(start: u64, declared: u64, end: u64) -> (u64, Option<u64>) {
    let left = end.saturating_sub(start);
    if declared > 0 && declared <= left {
        return (declared, None);
    }
    (left, (declared > left && declared < UNKNOWN).then_some(declared))
}

/// At most `length` bytes of `source` from `at` on.
fn bytes(source: &mut (impl Read + Seek), at: u64, length: u64) -> Result<Vec<u8>> {
    source.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    source.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses impossible values: the decoder computes in 16 bits with them.
fn check(channels: u16, bits: u16, rate: u32) -> Result<()> {
    ensure!((1..=CHANNELS).contains(&channels), "{channels} channels; read are 1 to {CHANNELS}");
    ensure!(bits <= BITS, "{bits} bits a sample; read are up to {BITS}");
    refuse_rate(rate)
}

/// Header of a WAV file with the `fmt ` chunk `format` and samples of `length` bytes.
fn wave_head(format: &[u8], length: u64) -> Vec<u8> {
    let mut head = b"RIFF\xff\xff\xff\xffWAVEfmt ".to_vec();
    head.extend(u32::try_from(format.len()).unwrap_or(0).to_le_bytes());
    head.extend(format);
    head.resize(head.len().next_multiple_of(2), 0);
    head.extend(b"data");
    head.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    head
}

impl Sound {
    /// Samples from `start` on, whole frames of `frame` bytes; `head` makes the header for their length.
    fn new(
        start: u64,
        (length, missing): (u64, Option<u64>),
        frame: u64,
        head: impl FnOnce(u64) -> Vec<u8>,
    ) -> Result<Self> {
        let length = length - length.checked_rem(frame).unwrap_or(0);
        ensure!(length > 0, "holds no sound");
        Ok(Self { head: head(length), start, length, missing })
    }

    /// Length of the samples, bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// `source` as the decoder reads it.
    ///
    /// # Errors
    /// `source` cannot seek.
    pub fn with<S: Read + Seek>(self, mut source: S) -> Result<Stream<S>> {
        source.seek(SeekFrom::Start(self.start))?;
        Ok(Stream { head: Cursor::new(self.head), source, left: self.length })
    }
}

/// A header and the samples that it describes.
pub struct Stream<S> {
    head: Cursor<Vec<u8>>,
    source: S,
    left: u64,
}

impl<S: Read> Read for Stream<S> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.head.read(into)?;
        if count > 0 || into.is_empty() {
            return Ok(count);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let count = self.source.read(&mut into[..most])?;
        self.left -= count as u64;
        Ok(count)
    }
}

impl<S> Seek for Stream<S> {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

impl<S: Read + Send + Sync> MediaSource for Stream<S> {
    fn is_seekable(&self) -> bool {
        false
    }

    fn byte_len(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests;
