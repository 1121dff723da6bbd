//! Chunks of AIFF and AIFC files [Apple, Audio Interchange File Format 1.3; AIFF-C, 1991].

use std::io::{Read, Seek};

use anyhow::{Context as _, Result, bail};

use super::{Chunk, Sound, check, extent, is_name, wave_head};
use touchback_core::math::cast::floor_index;

/// Content of the chunk `COMM`.
struct Common {
    channels: u16,
    bits: u16,
    rate: u32,
    /// The rate as written, 80 bits.
    extended: Vec<u8>,
    compression: [u8; 4],
}

/// Formats of WAV files.
const PCM: u16 = 1;
const A_LAW: u16 = 6;
const MU_LAW: u16 = 7;

/// Finds the samples among the chunks from `at` on in a file that ends at `end`.
///
/// # Errors
/// No samples, impossible values in the header, or a compression that is not read.
pub(super) fn find(source: &mut (impl Read + Seek), mut at: u64, end: u64) -> Result<Sound> {
    let (mut common, mut samples) = (None, None);
    while let Some(chunk) = Chunk::read(source, at, u32::from_be_bytes)? {
        match &chunk.id {
            b"COMM" => common = Some(Common::read(&chunk.content(source)?)?),
            b"SSND" => {
                let offset =
                    chunk.content(source)?.first_chunk().map_or(0, |n| u32::from_be_bytes(*n));
                let skipped = 8 + u64::from(offset);
                samples = Some((chunk.start + skipped, chunk.length.saturating_sub(skipped)));
            }
            _ => {}
        }
        // Samples of unknown length are the last chunk.
        if samples.is_some() && common.is_some() || !is_name(&chunk.id) {
            break;
        }
        at = chunk.next(source)?;
    }
    let (start, declared) = samples.context("holds no sound")?;
    let common = common.context("has no `COMM` chunk")?;
    let extent = extent(start, declared, end);
    let bytes = u64::from(common.bits.div_ceil(8));
    let whole = u64::from(common.channels) * bytes;
    match &common.compression {
        b"NONE" | b"twos" | b"in24" | b"in32" => {
            Sound::new(start, extent, whole, |length| common.head(*b"NONE", length))
        }
        b"sowt" | b"23ni" | b"42ni" if common.bits > 8 => {
            Sound::new(start, extent, whole, |n| wave_head(&common.format(PCM, bytes), n))
        }
        b"sowt" => Sound::new(start, extent, whole, |length| common.head(*b"NONE", length)),
        b"raw " => Sound::new(start, extent, whole, |n| wave_head(&common.format(PCM, bytes), n)),
        b"fl32" | b"FL32" => {
            let frame = 4 * u64::from(common.channels);
            Sound::new(start, extent, frame, |length| common.head(*b"fl32", length))
        }
        b"fl64" | b"FL64" => {
            let frame = 8 * u64::from(common.channels);
            Sound::new(start, extent, frame, |length| common.head(*b"fl64", length))
        }
        b"alaw" | b"ALAW" => Sound::new(start, extent, common.channels.into(), |length| {
            wave_head(&common.format(A_LAW, 1), length)
        }),
        b"ulaw" | b"ULAW" => Sound::new(start, extent, common.channels.into(), |length| {
            wave_head(&common.format(MU_LAW, 1), length)
        }),
        other => bail!("compressed as `{}`, which is not read", String::from_utf8_lossy(other)),
    }
}

impl Common {
    fn read(content: &[u8]) -> Result<Self> {
        let number =
            |at: usize| content.get(at..at + 2).map_or(0, |n| u16::from_be_bytes([n[0], n[1]]));
        let extended = content.get(8..18).context("the `COMM` chunk is cut off")?.to_vec();
        let rate = hertz(&extended);
        let (channels, bits) = (number(0), number(6));
        check(channels, bits, rate)?;
        let compression = content.get(18..22).and_then(|id| id.first_chunk()).copied();
        let compression = compression.unwrap_or(*b"NONE");
        Ok(Self { channels, bits, rate, extended, compression })
    }

    /// Header of an AIFF or AIFC file with samples of `length` bytes.
    fn head(&self, compression: [u8; 4], length: u64) -> Vec<u8> {
        let is_plain = compression == *b"NONE";
        let length = u32::try_from(length).unwrap_or(u32::MAX - 100);
        let common: u32 = if is_plain { 18 } else { 24 };
        let mut head = b"FORM".to_vec();
        head.extend((length + common + 28).to_be_bytes());
        head.extend(if is_plain { b"AIFF" } else { b"AIFC" });
        head.extend(b"COMM");
        head.extend(common.to_be_bytes());
        head.extend(self.channels.to_be_bytes());
        let frame = u32::from(self.channels) * u32::from(self.bits.div_ceil(8));
        head.extend((length / frame.max(1)).to_be_bytes());
        head.extend(self.bits.to_be_bytes());
        head.extend(&self.extended);
        if !is_plain {
            head.extend(compression);
            head.extend([0; 2]);
        }
        head.extend(b"SSND");
        head.extend((length + 8).to_be_bytes());
        head.extend([0; 8]);
        head
    }

    /// Chunk `fmt ` of a WAV file of the same samples, `bytes` each.
    fn format(&self, tag: u16, bytes: u64) -> Vec<u8> {
        let bytes = u16::try_from(bytes).unwrap_or(0);
        let frame = self.channels * bytes;
        let mut format = Vec::new();
        format.extend(tag.to_le_bytes());
        format.extend(self.channels.to_le_bytes());
        format.extend(self.rate.to_le_bytes());
        format.extend((self.rate * u32::from(frame)).to_le_bytes());
        format.extend(frame.to_le_bytes());
        format.extend((8 * bytes).to_le_bytes());
        format
    }
}

/// Whole hertz of a number of 80 bits: sign, 15 bits of exponent, 64 bits of mantissa; 0 if out of range.
fn hertz(extended: &[u8]) -> u32 {
    let exponent = i32::from(u16::from_be_bytes([extended[0], extended[1]])) - 16_383;
    let mantissa = extended[2..10].iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    if !(0..32).contains(&exponent) {
        return 0;
    }
    let hertz = mantissa as f64 * libm::exp2(f64::from(exponent - 63));
    u32::try_from(floor_index(hertz.round())).unwrap_or(0)
}
