//! Text from bytes of unknown encoding.

/// The text of `bytes`: UTF-8, UTF-16 with a byte order mark, or Latin-1. A byte order mark is removed; line
/// ends of any system become `\n`.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        let letters = char::decode_utf16(units);
        letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let text: String = match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => match str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{FEFF}').to_owned(),
            // Every byte is a letter of Latin-1.
            Err(_) => bytes.iter().copied().map(char::from).collect(),
        },
    };
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_and_line_end_gives_the_same_text() {
        let text = "Flügel\n2/1\n";
        let wide = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{FEFF}Flügel\r\n2/1\r".encode_utf16().flat_map(unit).collect()
        };
        assert_eq!(decode(text.as_bytes()), text);
        assert_eq!(decode("\u{FEFF}Flügel\r2/1\r\n".as_bytes()), text);
        assert_eq!(decode(&wide(u16::to_le_bytes)), text);
        assert_eq!(decode(&wide(u16::to_be_bytes)), text);
        assert_eq!(decode(b"Fl\xFCgel\n2/1\n"), text);
        assert_eq!(decode(&[0xFF, 0xFE, 0x00, 0xD8, 0x41]), "\u{FFFD}");
        assert_eq!(decode(b""), "");
    }
}
