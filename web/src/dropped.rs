//! Files that the user drops on the page, by their names' ends: MIDI, a preset, a scale or its keyboard map, a
//! sheet of single keys' differences.

use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::text::encoding::decode;
use touchback_instrument::host::mechanism::is_named;
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_sound::tuning::scala::Texts;

/// Largest file, bytes.
const LIMIT: usize = 16_000_000;

/// The contents of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum Dropped {
    /// A performance.
    Midi(Vec<u8>),
    /// A piano, and what was changed in reading it.
    Preset(Box<NamedPiano>, Option<String>),
    /// A scale in place of the temperament.
    Scale(Texts),
    /// A keyboard map for the present scale.
    Map(String),
    /// A mechanism in place of the grand action: name and contents of its file.
    Mechanism(String),
    /// Differences of single keys.
    Keys(KeySheet),
}

/// Reads the file `name`.
///
/// # Errors
/// A sentence with the file's name.
pub fn read(name: &str, bytes: Vec<u8>) -> Result<Dropped, String> {
    if bytes.len() > LIMIT {
        return Err(format!("{name}: is larger than {} MB", LIMIT / 1_000_000));
    }
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    let fault = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    match end.as_str() {
        "mid" | "midi" | "smf" | "kar" | "rmi" => Ok(Dropped::Midi(bytes)),
        "toml" if is_named(name) => Ok(Dropped::Mechanism(decode(&bytes))),
        "toml" => {
            let (piano, losses) = NamedPiano::read(&decode(&bytes)).map_err(|e| fault(&e))?;
            let told = losses.message().map(|message| fault(&message));
            Ok(Dropped::Preset(Box::new(piano), told))
        }
        "scl" => {
            let texts = Texts { name: name.to_owned(), scale: decode(&bytes), map: None };
            texts.scale().map_err(|e| fault(&e))?;
            Ok(Dropped::Scale(texts))
        }
        "kbm" => Ok(Dropped::Map(decode(&bytes))),
        "csv" => Ok(Dropped::Keys(decode(&bytes).parse().map_err(|e| fault(&e))?)),
        _ => Err(format!(
            "{name}: is none of .mid (played), .toml (a piano), .mechanism.toml (an action), .scl and .kbm (a tuning), .csv (a sheet of keys)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

    #[test]
    fn files_are_read_by_their_ends_and_faults_name_the_file() {
        let piano = NamedPiano { name: "Mine".into(), ..NamedPiano::default() };
        let text = piano.text().unwrap();
        let read_text = |name: &str, text: &str| read(name, text.as_bytes().to_vec());
        let found = read_text("mine.TOML", &text).unwrap();
        assert_eq!(found, Dropped::Preset(Box::new(piano), None));
        let own = read_text("own.mechanism.TOML", "text").unwrap();
        assert_eq!(own, Dropped::Mechanism("text".into()));
        assert!(matches!(read_text("a.b.scl", PYTHAGOREAN), Ok(Dropped::Scale(_))));
        assert!(matches!(read_text("k.csv", "key,drop_mm\n40,0.3\n"), Ok(Dropped::Keys(_))));
        assert!(matches!(read_text("k.MID", "any"), Ok(Dropped::Midi(_))));
        for (name, text) in
            [("a.toml", "x"), ("a.scl", "x"), ("a.csv", ""), ("a.png", ""), ("a", "")]
        {
            let error = read_text(name, text).unwrap_err();
            assert!(error.starts_with(&format!("{name}: ")), "{error}");
        }
        assert!(read("a.mid", vec![0; LIMIT + 1]).unwrap_err().ends_with("than 16 MB"));
    }
}
