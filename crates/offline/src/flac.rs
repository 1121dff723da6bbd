//! Stereo FLAC files of 24 bits [RFC 9639]: fixed predictors and Rice codes.
//!
//! Each block of 4096 frames has the predictor of the least residual, and the two of left, right, middle and side that
//! take fewest bits. Linear prediction of higher order takes a tenth less.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};

use anyhow::Result;
use crc::{CRC_8_SMBUS, CRC_16_UMTS, Crc};
use md5::{Digest as _, Md5};

use crate::output::Draft;
use touchback_core::files::draft::Stream;
use touchback_core::files::samples::{CHANNELS, Level, SampleForm};

/// Frames of a block.
const BLOCK: usize = 4096;
/// Bits of a sample; a side channel has one more.
const DEPTH: u32 = 24;
/// Highest order of the predictors.
const ORDERS: usize = 4;
/// Most parts of a block with Rice parameters of their own, as a power of two.
const PARTS: u32 = 6;
/// Largest Rice parameter.
const LARGEST: u32 = 30;
/// Bytes of the mark and of the only block of metadata, and of the hash at its end.
const HEADER: usize = 42;
const HASH: usize = 16;

const HEAD_SUM: Crc<u8> = Crc::<u8>::new(&CRC_8_SMBUS);
const FRAME_SUM: Crc<u16> = Crc::<u16>::new(&CRC_16_UMTS);

/// A FLAC file being written.
pub struct Flac<'a> {
    draft: &'a Draft,
    writer: BufWriter<File>,
    /// Position of the first byte, where it can be rewritten.
    begin: Option<u64>,
    rate: u32,
    level: Level,
    frames: u64,
    /// Hash of the samples as they would stand in a WAV file.
    hash: Md5,
    /// Blocks written, and their least and most bytes.
    blocks: u64,
    sizes: [usize; 2],
    /// Left and right of the next block.
    waiting: [Vec<i32>; 2],
    bytes: Vec<u8>,
}

impl<'a> Flac<'a> {
    /// Begins a file in `draft` at `rate` Hz; standard output receives it while it is written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn new(draft: &'a Draft, rate: u32) -> Result<Self> {
        let Stream { file, begin } = draft.stream()?;
        let mut flac = Self {
            draft,
            writer: BufWriter::new(file),
            begin,
            rate,
            level: Level::default(),
            frames: 0,
            hash: Md5::new(),
            blocks: 0,
            sizes: [0; 2],
            waiting: Default::default(),
            bytes: Vec::new(),
        };
        let header = flac.header();
        flac.writer.write_all(&header).map_err(|error| draft.error(error))?;
        Ok(flac)
    }

    /// Appends frames; both channels have the same length.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        self.frames += left.len() as u64;
        self.bytes.clear();
        SampleForm::Int24.encode(left, right, &mut self.level, &mut self.bytes);
        self.hash.update(&self.bytes);
        for frame in self.bytes.chunks_exact(6) {
            for (channel, bytes) in self.waiting.iter_mut().zip(frame.chunks_exact(3)) {
                channel.push(i32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]]) >> 8);
            }
        }
        while self.waiting[0].len() >= BLOCK {
            self.block(BLOCK).map_err(|error| self.draft.error(error))?;
        }
        Ok(())
    }

    /// Level of the written samples.
    #[must_use]
    pub const fn level(&self) -> &Level {
        &self.level
    }

    /// Completes the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<()> {
        Ok(self.complete().map_err(|error| self.draft.error(error))?)
    }

    fn complete(&mut self) -> io::Result<()> {
        if !self.waiting[0].is_empty() {
            self.block(self.waiting[0].len())?;
        }
        self.writer.flush()?;
        let Some(begin) = self.begin else { return Ok(()) };
        let header = self.header();
        self.writer.seek(SeekFrom::Start(begin))?;
        self.writer.write_all(&header)?;
        self.writer.seek(SeekFrom::End(0))?;
        self.writer.flush()
    }

    /// Mark and stream information; numbers that are not known yet, and the hash of the samples, are 0.
    fn header(&self) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.bytes.extend_from_slice(b"fLaC");
        // The last block of metadata, of kind 0 and 34 bytes.
        bits.put(0x8000_0022, 32);
        bits.put(BLOCK as u64, 16);
        bits.put(BLOCK as u64, 16);
        self.sizes.iter().for_each(|size| bits.put(*size as u64, 24));
        bits.put(self.rate.into(), 20);
        bits.put(u64::from(CHANNELS - 1), 3);
        bits.put(u64::from(DEPTH - 1), 5);
        let frames = if self.blocks > 0 { self.frames } else { 0 };
        bits.put(if frames < 1 << 36 { frames } else { 0 }, 36);
        bits.bytes.resize(HEADER, 0);
        if self.blocks > 0 {
            bits.bytes[HEADER - HASH..].copy_from_slice(&self.hash.clone().finalize());
        }
        bits.bytes
    }

    /// Writes the next `count` frames as a block.
    fn block(&mut self, count: usize) -> io::Result<()> {
        let bits = encoded([&self.waiting[0][..count], &self.waiting[1][..count]], self.blocks);
        self.waiting.iter_mut().for_each(|channel| drop(channel.drain(..count)));
        let size = bits.len();
        self.sizes = match self.blocks {
            0 => [size; 2],
            _ => [self.sizes[0].min(size), self.sizes[1].max(size)],
        };
        self.blocks += 1;
        self.writer.write_all(&bits)
    }
}

/// Bits, the highest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// The last bits that fill no byte, and their number.
    rest: u64,
    count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits of `value`, at most 32.
    fn put(&mut self, value: u64, count: u32) {
        self.rest = self.rest << count | value & ((1 << count) - 1);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.rest >> self.count).to_le_bytes()[0]);
        }
    }

    /// Appends a number of two's complement.
    fn put_signed(&mut self, value: i32, count: u32) {
        self.put(u64::from(value.cast_unsigned()), count);
    }

    /// Appends `zeros` zeros and a one.
    fn put_unary(&mut self, mut zeros: u32) {
        while zeros >= 32 {
            self.put(0, 32);
            zeros -= 32;
        }
        self.put(1, zeros + 1);
    }

    /// Fills the last byte with zeros.
    fn align(&mut self) {
        self.put(0, (8 - self.count) % 8);
    }
}

/// A channel of a block with its residuals.
struct Predicted {
    samples: Vec<i32>,
    depth: u32,
    order: usize,
    /// Residuals after the first `order` samples, folded to numbers without a sign.
    folded: Vec<u32>,
    /// Rice parameters of parts of equal length.
    parameters: Vec<u32>,
    /// Bits without the subframe's header.
    cost: u64,
}

impl Predicted {
    fn new(samples: Vec<i32>, depth: u32) -> Self {
        let mut residuals = samples.clone();
        let (mut order, mut least, mut best) = (0, u64::MAX, Vec::new());
        for tried in 0..=ORDERS.min(samples.len() - 1) {
            if tried > 0 {
                for i in (tried..samples.len()).rev() {
                    residuals[i] -= residuals[i - 1];
                }
            }
            let rest = &residuals[tried..];
            let sum: u64 = rest.iter().map(|r| u64::from(r.unsigned_abs())).sum();
            if sum < least {
                (order, least) = (tried, sum);
                best = rest.iter().map(|r| (r << 1 ^ r >> 31).cast_unsigned()).collect();
            }
        }
        let (parameters, bits) = rice(&best, samples.len(), order);
        let cost = bits + order as u64 * u64::from(depth);
        Self { samples, depth, order, folded: best, parameters, cost }
    }

    fn put(&self, bits: &mut Bits) {
        bits.put(0b001_000 + self.order as u64, 7);
        bits.put(0, 1);
        self.samples[..self.order].iter().for_each(|x| bits.put_signed(*x, self.depth));
        // Parameters of five bits.
        bits.put(0b01, 2);
        bits.put(self.parameters.len().ilog2().into(), 4);
        let length = self.samples.len() / self.parameters.len();
        let mut rest = &self.folded[..];
        for (part, parameter) in self.parameters.iter().enumerate() {
            let (own, after) = rest.split_at(if part == 0 { length - self.order } else { length });
            rest = after;
            bits.put((*parameter).into(), 5);
            for value in own {
                bits.put_unary(value >> parameter);
                bits.put((*value).into(), *parameter);
            }
        }
    }
}

/// The Rice parameters that code `folded`, the residuals of `count` samples after `order`, in fewest bits, and the bits.
fn rice(folded: &[u32], count: usize, order: usize) -> (Vec<u32>, u64) {
    let mut best = (Vec::new(), u64::MAX);
    for parts in (0..=PARTS).map(|power| 1 << power) {
        if !count.is_multiple_of(parts) || count / parts <= order {
            break;
        }
        let length = count / parts;
        let (mut parameters, mut bits, mut from) = (Vec::with_capacity(parts), 0, 0);
        for part in 1..=parts {
            let own = &folded[from..part * length - order];
            from = part * length - order;
            let sum: u64 = own.iter().map(|value| u64::from(*value)).sum();
            let middle = (sum / (own.len() as u64).max(1)).max(1).ilog2();
            let cost = |parameter: u32| {
                let each = u64::from(parameter) + 1;
                let shifted: u64 = own.iter().map(|value| u64::from(value >> parameter)).sum();
                shifted + each * own.len() as u64
            };
            let tried = middle.saturating_sub(1)..=(middle + 1).min(LARGEST);
            let (least, parameter) =
                tried.map(|parameter| (cost(parameter), parameter)).min().unwrap_or((0, 0));
            parameters.push(parameter);
            bits += least + 5;
        }
        if bits < best.1 {
            best = (parameters, bits);
        }
    }
    best
}

/// A block of left and right as a frame with the number `number`.
fn encoded([left, right]: [&[i32]; 2], number: u64) -> Vec<u8> {
    let count = left.len();
    let pairs = || left.iter().zip(right);
    let middle = pairs().map(|(l, r)| (l + r) >> 1).collect();
    let side = pairs().map(|(l, r)| l - r).collect();
    let [left, right] = [left, right].map(|channel| Predicted::new(channel.to_vec(), DEPTH));
    let (middle, side) = (Predicted::new(middle, DEPTH), Predicted::new(side, DEPTH + 1));
    let choices =
        [(1, [&left, &right]), (8, [&left, &side]), (9, [&side, &right]), (10, [&middle, &side])];
    let cost = |(_, channels): &(u64, [&Predicted; 2])| channels[0].cost + channels[1].cost;
    let mut bits = Bits::default();
    // Blocks of one length, numbered.
    bits.put(0xFFF8, 16);
    // 4096 frames, or their number after the head; the rate of the stream.
    bits.put(if count == BLOCK { 0b1100_0000 } else { 0b0111_0000 }, 8);
    let Some((assignment, channels)) = choices.into_iter().min_by_key(cost) else {
        return bits.bytes;
    };
    bits.put(assignment, 4);
    // 24 bits.
    bits.put(0b1100, 4);
    put_number(&mut bits, number);
    if count != BLOCK {
        bits.put(count as u64 - 1, 16);
    }
    let sum = HEAD_SUM.checksum(&bits.bytes);
    bits.put(sum.into(), 8);
    channels.iter().for_each(|channel| channel.put(&mut bits));
    bits.align();
    let sum = FRAME_SUM.checksum(&bits.bytes);
    bits.put(sum.into(), 16);
    bits.bytes
}

/// Appends a number of up to 36 bits in the form of UTF-8.
fn put_number(bits: &mut Bits, number: u64) {
    if number < 0x80 {
        return bits.put(number, 8);
    }
    // With n further bytes the first one holds 6 - n bits.
    let further = (1..6).find(|n| number >> (5 * n + 6) == 0).unwrap_or(6);
    bits.put(0xFF00 >> (further + 1) & 0xFF | number >> (6 * further), 8);
    for n in (0..further).rev() {
        bits.put(0x80 | number >> (6 * n) & 0x3F, 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_form_of_utf_8() {
        for (number, bytes) in [
            (0x7F, &[0x7F][..]),
            (0x80, &[0xC2, 0x80]),
            (0x7FF, &[0xDF, 0xBF]),
            (0x800, &[0xE0, 0xA0, 0x80]),
            (0x1_0000, &[0xF0, 0x90, 0x80, 0x80]),
            (0x20_0000, &[0xF8, 0x88, 0x80, 0x80, 0x80]),
            (0xF_FFFF_FFFF, &[0xFE, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]),
        ] {
            let mut bits = Bits::default();
            put_number(&mut bits, number);
            assert_eq!(bits.bytes, bytes, "{number:x}");
        }
    }

    #[test]
    fn residuals_take_the_bits_that_are_counted() {
        for count in [1, 5, 1000, BLOCK] {
            let sample = |i: i32| (i * 7919 % 60_001) * (i % 31);
            let samples: Vec<i32> = (0..).take(count).map(sample).collect();
            let predicted = Predicted::new(samples, DEPTH);
            let mut bits = Bits::default();
            predicted.put(&mut bits);
            let written = 8 * bits.bytes.len() as u64 + u64::from(bits.count);
            assert_eq!(written, predicted.cost + 8 + 6, "{count}");
        }
    }
}
