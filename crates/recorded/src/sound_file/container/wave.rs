//! Chunks of WAV files, and of their 64-bit forms RF64 and BW64.

use std::io::{Read, Seek};

use anyhow::{Result, bail};

use super::{Chunk, Sound, check, extent, wave_head};

/// Finds the samples after the chunks from `at` on in a file that ends at `end`.
///
/// # Errors
/// No samples, or impossible values in the header.
pub(super) fn find(source: &mut (impl Read + Seek), mut at: u64, end: u64) -> Result<Sound> {
    let (mut format, mut long) = (None, None);
    while let Some(chunk) = Chunk::read(source, at, u32::from_le_bytes)? {
        match &chunk.id {
            b"fmt " => {
                let content = chunk.content(source)?;
                let number = |at: usize| {
                    content.get(at..at + 2).map_or(0, |n| u16::from_le_bytes([n[0], n[1]]))
                };
                check(number(2), number(14), u32::from(number(6)) << 16 | u32::from(number(4)))?;
                format = Some((u64::from(number(12)), content));
            }
            // Length of the samples in 64 bits.
            b"ds64" => {
                let content = chunk.content(source)?;
                long = content
                    .get(8..16)
                    .and_then(|n| n.first_chunk())
                    .map(|n| u64::from_le_bytes(*n));
            }
            b"data"
                if chunk.length > 0
                    || !chunk.is_really_empty(source, end, u32::from_le_bytes)? =>
            {
                let Some((frame, format)) = format else {
                    bail!("has no `fmt ` chunk before its samples")
                };
                let declared = match long {
                    Some(long) if chunk.length == u64::from(u32::MAX) => long,
                    _ => chunk.length,
                };
                let extent = extent(chunk.start, declared, end);
                return Sound::new(chunk.start, extent, frame, |length| wave_head(&format, length));
            }
            _ => {}
        }
        at = chunk.next(source)?;
    }
    bail!("holds no sound")
}
