//! Checks a sound file's header before anything is decoded or kept in memory.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use anyhow::{Context as _, Result, bail, ensure};

use super::refuse_rate;

/// Most channels, and most bits per sample, that a WAV file may declare.
const CHANNELS: u16 = 26;
const BITS: u16 = 64;
/// Largest chunk of a WAV file other than its samples, bytes.
const LARGEST: u32 = 16_000_000;

/// Refuses a file that is neither WAV, FLAC nor OGG, and a WAV file with impossible values in its header;
/// leaves `source` at its beginning.
///
/// The decoder computes in 16 bits with the declared channels and bits, and reads a list of titles of any
/// length at once.
pub fn refuse_absurd(source: &mut (impl Read + Seek)) -> Result<()> {
    let mut start = 0;
    loop {
        source.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        source.take(12).read_to_end(&mut head)?;
        match (head.get(..4), head.get(8..12)) {
            (Some(b"fLaC" | b"OggS"), _) => break,
            (Some(b"RIFF"), Some(b"WAVE")) => {
                chunks(source)?;
                break;
            }
            // An ID3 tag before the samples.
            (Some([b'I', b'D', b'3', _]), _) if head.len() >= 10 => {
                let length =
                    head[6..10].iter().fold(0, |sum, byte| sum << 7 | u64::from(*byte & 127));
                start += 10 + length;
            }
            _ => bail!("no WAV, FLAC or OGG file"),
        }
    }
    source.seek(SeekFrom::Start(0))?;
    Ok(())
}

/// Checks the chunks of a WAV file up to its samples.
fn chunks(source: &mut (impl Read + Seek)) -> Result<()> {
    loop {
        let mut head = [0; 8];
        match source.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => bail!("holds no sound"),
            read => read?,
        }
        let (tag, length) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().context("four bytes")?);
        if tag == b"data" {
            return Ok(());
        }
        ensure!(length <= LARGEST, "damaged: a part of {length} bytes beside the sound");
        let mut whole = Vec::new();
        // Chunks begin at even offsets.
        source.take(u64::from(length + length % 2)).read_to_end(&mut whole)?;
        if tag == b"fmt " {
            let number =
                |at: usize| whole.get(at..at + 2).map_or(0, |n| u16::from_le_bytes([n[0], n[1]]));
            let (channels, bits) = (number(2), number(14));
            ensure!(
                (1..=CHANNELS).contains(&channels),
                "{channels} channels; read are 1 to {CHANNELS}"
            );
            ensure!(bits <= BITS, "{bits} bits a sample; read are up to {BITS}");
            refuse_rate(u32::from(number(6)) << 16 | u32::from(number(4)))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn told(bytes: &[u8]) -> String {
        refuse_absurd(&mut Cursor::new(bytes)).unwrap_err().to_string()
    }

    /// Header of a WAV file of 16-bit PCM, up to its samples.
    fn wave(channels: u16, rate: u32, bits: u16) -> Vec<u8> {
        let mut bytes = b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0".to_vec();
        bytes.extend(channels.to_le_bytes());
        bytes.extend(rate.to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend(bits.to_le_bytes());
        bytes.extend(b"data\xff\xff\xff\xff");
        bytes
    }

    #[test]
    fn impossible_headers_are_refused() {
        for good in [wave(2, 48_000, 16), b"fLaC".to_vec(), b"OggS".to_vec()] {
            refuse_absurd(&mut Cursor::new(&good)).unwrap();
            refuse_absurd(&mut Cursor::new([b"ID3\x04\0\0\0\0\0\x02ab".to_vec(), good].concat()))
                .unwrap();
        }
        assert_eq!(told(&wave(0, 48_000, 16)), "0 channels; read are 1 to 26");
        assert_eq!(told(&wave(65_535, 48_000, 16)), "65535 channels; read are 1 to 26");
        assert_eq!(told(&wave(2, 48_000, 65_535)), "65535 bits a sample; read are up to 64");
        assert!(told(&wave(2, u32::MAX, 16)).starts_with("4294967295 samples a second"));
        assert!(told(b"ID3\x04\0\0\0\0\0\0RIFF").contains("no WAV, FLAC or OGG file"));
        assert!(told(b"junk before RIFF").contains("no WAV, FLAC or OGG file"));
        assert_eq!(told(b"RIFF\0\0\0\0WAVE"), "holds no sound");
        let list = b"RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xf0";
        assert!(told(list).contains("a part of 4043309055 bytes"), "{}", told(list));
    }
}
