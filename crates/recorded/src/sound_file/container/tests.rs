//! Files as programs write them.

use std::io::Cursor;

use super::*;
use crate::sound_file::decode;

/// A chunk with its padding.
fn chunk(id: &[u8; 4], number: fn(u32) -> [u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap();
    let mut bytes = [&id[..], &number(length), content].concat();
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes
}

fn little(id: &[u8; 4], content: &[u8]) -> Vec<u8> {
    chunk(id, u32::to_le_bytes, content)
}

fn big(id: &[u8; 4], content: &[u8]) -> Vec<u8> {
    chunk(id, u32::to_be_bytes, content)
}

/// Chunk `fmt ` of 16-bit PCM.
fn format(channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let frame = u32::from(channels) * u32::from(bits) / 8;
    let mut content = [1u16.to_le_bytes(), channels.to_le_bytes()].concat();
    content.extend(rate.to_le_bytes());
    content.extend((rate.wrapping_mul(frame)).to_le_bytes());
    content.extend([(frame & 0xFF).try_into().unwrap(), 0]);
    content.extend(bits.to_le_bytes());
    little(b"fmt ", &content)
}

fn wave(parts: &[&[u8]]) -> Vec<u8> {
    [&b"RIFF\xff\xff\xff\xffWAVE"[..], &parts.concat()].concat()
}

/// A ramp of 1000 samples.
fn ramp() -> Vec<i16> {
    (0..1000).map(|i| 16 * (i - 500)).collect()
}

fn samples(bytes: fn(i16) -> [u8; 2]) -> Vec<u8> {
    ramp().into_iter().flat_map(bytes).collect()
}

/// Whether `bytes` are the ramp, or its beginning where `count` is less; returns the fault.
fn read(bytes: Vec<u8>, count: usize) -> Option<String> {
    let note = decode(Cursor::new(bytes)).unwrap();
    assert_eq!(note.channels[0].len(), count);
    for (read, written) in note.channels[0].iter().zip(ramp()) {
        assert!((f64::from(*read) - f64::from(written) / 32768.0).abs() < 1e-6);
    }
    note.fault
}

fn told(bytes: &[u8]) -> String {
    match find(&mut Cursor::new(bytes)) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wave_files_of_pipes_and_careless_programs_are_read_whole() {
    let (fmt, data) = (format(1, 44_100, 16), samples(i16::to_le_bytes));
    let open = |length: u32| [&b"data"[..], &length.to_le_bytes(), &data].concat();
    let odd = [&b"bext\x05\0\0\0abcde"[..]].concat();
    for good in [
        wave(&[&fmt, &little(b"data", &data)]),
        wave(&[&fmt, &open(0)]),
        wave(&[&fmt, &open(u32::MAX)]),
        wave(&[&fmt, &open(0x7FFF_FFFF)]),
        wave(&[&odd, &fmt, &open(2000)]),
        wave(&[&odd, b"\0", &fmt, &open(2000), &little(b"LIST", b"INFOjunk")]),
        wave(&[&fmt, &little(b"data", b""), &little(b"LIST", b"more"), &open(2000)]),
        wave(&[&little(b"JUNK", &[0; 28]), &fmt, &odd, &open(0)]),
        [&b"ID3\x04\0\0\0\0\0\x02ab"[..], &wave(&[&fmt, &open(0)])].concat(),
    ] {
        assert_eq!(read(good, 1000), None);
    }
    let long = little(b"ds64", &[&[0; 8][..], &2000u64.to_le_bytes(), &[0; 12]].concat());
    let mut wide = wave(&[&long, &fmt, &open(u32::MAX), &little(b"LIST", b"INFO")]);
    wide[..4].copy_from_slice(b"RF64");
    assert_eq!(read(wide, 1000), None);
}

#[test]
fn of_a_cut_file_the_beginning_counts() {
    let (fmt, data) = (format(1, 44_100, 16), samples(i16::to_le_bytes));
    let declared = [&b"data"[..], &2000u32.to_le_bytes(), &data[..1501]].concat();
    assert_eq!(read(wave(&[&fmt, &declared]), 750).unwrap(), "ends after 0.02 of 0.02 s");
    let common = common(16, *b"NONE");
    let sound = [&[0; 8][..], &samples(i16::to_be_bytes)].concat();
    let mut file = aiff(b"AIFF", &[&common[..26], &big(b"SSND", &sound)]);
    file.truncate(file.len() - 1000);
    assert!(read(file, 500).is_some());
}

/// Chunk `COMM` of a mono file at 44.1 kHz.
fn common(bits: u16, compression: [u8; 4]) -> Vec<u8> {
    let mut content = 1u16.to_be_bytes().to_vec();
    content.extend(1000u32.to_be_bytes());
    content.extend(bits.to_be_bytes());
    content.extend([0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]);
    if compression != *b"NONE" {
        content.extend(compression);
        content.extend([0; 2]);
    }
    big(b"COMM", &content)
}

fn aiff(form: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let parts = parts.concat();
    let length = u32::try_from(parts.len() + 4).unwrap();
    [&b"FORM"[..], &length.to_be_bytes(), form, &parts].concat()
}

#[test]
fn aiff_files_in_either_byte_order_are_read() {
    let plain = [&[0; 8][..], &samples(i16::to_be_bytes)].concat();
    let swapped = [&[0; 8][..], &samples(i16::to_le_bytes)].concat();
    let offset = [&[0, 0, 0, 3, 0, 0, 0, 0][..], b"abc", &samples(i16::to_be_bytes)].concat();
    let float: Vec<u8> =
        ramp().into_iter().flat_map(|x| (f32::from(x) / 32768.0).to_be_bytes()).collect();
    let float = [&[0; 8][..], &float].concat();
    let wide: Vec<u8> =
        ramp().into_iter().flat_map(|x| [0, x.to_le_bytes()[0], x.to_le_bytes()[1]]).collect();
    let wide = [&[0; 8][..], &wide].concat();
    let text = big(b"NAME", b"A0");
    let mut endless = big(b"SSND", &plain);
    endless[4..8].fill(0);
    for good in [
        aiff(b"AIFF", &[&common(16, *b"NONE"), &big(b"SSND", &plain)]),
        aiff(b"AIFF", &[&text, &big(b"SSND", &plain), &common(16, *b"NONE")]),
        aiff(b"AIFF", &[&common(16, *b"NONE"), &big(b"SSND", &offset)]),
        aiff(b"AIFF", &[&common(16, *b"NONE"), b"ANNO\0\0\0\x01a", &endless]),
        aiff(b"AIFC", &[&big(b"FVER", &[0; 4]), &common(16, *b"sowt"), &big(b"SSND", &swapped)]),
        aiff(b"AIFC", &[&common(24, *b"sowt"), &big(b"SSND", &wide)]),
        aiff(b"AIFC", &[&common(16, *b"twos"), &big(b"SSND", &plain)]),
        aiff(b"AIFC", &[&common(32, *b"fl32"), &big(b"SSND", &float)]),
        aiff(b"AIFC", &[&common(16, *b"FL32"), &big(b"SSND", &float)]),
    ] {
        assert_eq!(read(good, 1000), None);
    }
    let packed = aiff(b"AIFC", &[&common(16, *b"ima4"), &big(b"SSND", &plain)]);
    assert_eq!(told(&packed), "compressed as `ima4`, which is not read");
    assert_eq!(told(&aiff(b"AIFF", &[&common(16, *b"NONE")])), "holds no sound");
}

#[test]
fn impossible_headers_are_refused() {
    let header =
        |channels, rate, bits| wave(&[&format(channels, rate, bits), b"data\xff\xff\xff\xff1234"]);
    for good in [header(2, 48_000, 16), b"fLaC".to_vec(), b"OggS".to_vec()] {
        find(&mut Cursor::new(&good)).unwrap();
        find(&mut Cursor::new([b"ID3\x04\0\0\0\0\0\x02ab".to_vec(), good].concat())).unwrap();
    }
    assert_eq!(told(&header(0, 48_000, 16)), "0 channels; read are 1 to 26");
    assert_eq!(told(&header(65_535, 48_000, 16)), "65535 channels; read are 1 to 26");
    assert_eq!(told(&header(2, 48_000, 65_535)), "65535 bits a sample; read are up to 64");
    assert!(told(&header(2, u32::MAX, 16)).starts_with("4294967295 samples a second"));
    assert!(told(b"ID3\x04\0\0\0\0\0\0RIFF").contains("no WAV, AIFF, FLAC or OGG file"));
    assert!(told(b"junk before RIFF").contains("no WAV, AIFF, FLAC or OGG file"));
    assert_eq!(told(b"RIFF\0\0\0\0WAVE"), "holds no sound");
    assert_eq!(told(b"RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xf0"), "holds no sound");
    assert_eq!(told(&wave(&[b"data\x04\0\0\x001234"])), "has no `fmt ` chunk before its samples");
}
