//! Names files that are no MIDI files.

/// Beginnings of files, what they are, and what to do.
const BEGINNINGS: [(&[u8], &str); 30] = [
    (b"\x1F\x8B", "a gzip archive; unpack it first (gunzip)"),
    (b"BZh", "a bzip2 archive; unpack it first (bunzip2)"),
    (b"\xFD7zXZ", "an xz archive; unpack it first (unxz)"),
    (b"\x28\xB5\x2F\xFD", "a zstd archive; unpack it first (unzstd)"),
    (
        b"PK\x03\x04",
        "a zip archive, as of MusicXML (.mxl) or MuseScore (.mscz); export it as a MIDI file, or unpack it first",
    ),
    (b"7z\xBC\xAF", "a 7z archive; unpack it first"),
    (b"Rar!", "a rar archive; unpack it first"),
    (b"SMF2CON1", "a MIDI container file; take the clip out of it (.midi2)"),
    (b"XFIH", "a file of the XF format without music"),
    (b"FORM", "an IFF file, as of XMI; convert it to a MIDI file"),
    (b"HMI-MIDISONG", "an HMI file; convert it to a MIDI file"),
    (b"MUS\x1A", "a MUS file; convert it to a MIDI file"),
    (b"CTMF", "a CMF file; convert it to a MIDI file"),
    (b"RIFF", "a RIFF file without music, as a WAV file; `render` plays MIDI files"),
    (b"RIFX", "a sound file; `render` plays MIDI files"),
    (b"fLaC", "a sound file (FLAC); `render` plays MIDI files"),
    (b"OggS", "a sound file (Ogg); `render` plays MIDI files"),
    (b"ID3", "a sound file (MP3); `render` plays MIDI files"),
    (b"\xFF\xFB", "a sound file (MP3); `render` plays MIDI files"),
    (b"%PDF", "a PDF file; export the score as a MIDI file"),
    (b"\x89PNG", "a picture; export the score as a MIDI file"),
    (b"\x93NUMPY", "an array of NumPy; write the notes as a MIDI file"),
    (b"\x80\x04", "a pickle of Python; write the notes as a MIDI file"),
    (b"\x89HDF", "an HDF5 file; write the notes as a MIDI file"),
    (b"X:", "ABC notation; convert it to a MIDI file (abc2midi)"),
    (b"**kern", "Humdrum notation; convert it to a MIDI file"),
    (b"!!!", "Humdrum notation; convert it to a MIDI file"),
    (b"\\version", "a LilyPond source; its \\midi block writes a MIDI file"),
    (b"\x18FICHIER GUITAR PRO", "a Guitar Pro file; export it as a MIDI file"),
    (b"version https://git-lfs", "a pointer of Git LFS; fetch the file itself (git lfs pull)"),
];

/// Words near the beginning of text files, and what the files are.
const WORDS: [(&str, &str); 7] = [
    ("<score-partwise", "MusicXML; export the score as a MIDI file"),
    ("<score-timewise", "MusicXML; export the score as a MIDI file"),
    ("<mei", "MEI notation; export the score as a MIDI file"),
    ("<museScore", "a MuseScore file; export the score as a MIDI file"),
    ("<html", "a page of the web; download the MIDI file itself"),
    ("<!doctype html", "a page of the web; download the MIDI file itself"),
    ("<?xml", "XML; export the score as a MIDI file"),
];

/// Bytes that are searched for words.
const SEARCHED: usize = 2000;

/// What a file that is no MIDI file is; the line of an error without the file's name.
pub(super) fn refusal(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SEARCHED)]).to_lowercase();
    // Text of UTF-16 is text with zeros.
    let text = text.replace('\0', "");
    let text = text.trim_start_matches(['\u{feff}', '\u{fffd}']).trim_start();
    let known = BEGINNINGS.iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, name)| *name);
    let word = WORDS.iter().find(|(word, _)| text.contains(&word.to_lowercase()));
    let known = known.or_else(|| word.map(|(_, name)| *name)).or_else(|| {
        let is_json = text.starts_with('{') || text.starts_with('[');
        is_json.then_some("JSON; write the notes as a MIDI file")
    });
    match known {
        _ if bytes.is_empty() => "no MIDI file (it is empty)".into(),
        Some(name) => format!("no MIDI file but {name}"),
        None => "no MIDI file (it holds no `MThd`)".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_named() {
        for (bytes, words) in [
            (&b"\x1F\x8B\x08\0"[..], "gunzip"),
            (b"<?xml version=\"1.0\"?>\n<!DOCTYPE score-partwise><score-partwise/>", "MusicXML"),
            (b"\xFF\xFE<\0?\0x\0m\0l\0>\0", "XML"),
            (b"<?xml version=\"1.0\"?><mei xmlns=\"\"/>", "MEI"),
            (b"  {\"tracks\": []}", "JSON"),
            (b"PK\x03\x04....", ".mxl"),
            (b"RIFF\0\0\0\0WAVE", "WAV"),
            (b"SMF2CON1", "container"),
            (b"X:1\nT:A\nK:C\n", "ABC"),
            (b"<!DOCTYPE html><html>", "page of the web"),
            (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
            (b"", "is empty"),
            (b"what is this", "no MIDI file (it holds no `MThd`)"),
        ] {
            assert!(refusal(bytes).contains(words), "{}", refusal(bytes));
        }
    }
}
