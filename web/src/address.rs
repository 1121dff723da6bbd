//! Settings as the part of a page's address after `#`, so that a regulation can be sent as a link.
//!
//! `#piano=Worn&let_off_mm=3.5&keys=key,drop_mm/40,0.3` is a piano, the values that differ from it, and the
//! sheet of single keys' differences. `mechanism=` has the file of a mechanism: its name, a line `ID VALUE` for each
//! parameter that was set, an empty line, and the contents. A word that has no meaning is left out, with a sentence.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use touchback_core::text::near::suggestion;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism::{MechanismFile, MechanismText, open};
use touchback_instrument::host::params::{Parameter, all, find};
use touchback_instrument::host::preset;

/// Characters that separate words, or that programs end a link at.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'<').add(b'=').add(b'>');

const PIANO: &str = "piano";
const KEYS: &str = "keys";
const MECHANISM: &str = "mechanism";
/// Most differences that a sentence lists.
const LISTED: usize = 4;

/// The address of `settings`, which began as the piano `piano`.
#[must_use]
pub fn write(piano: &str, settings: &Settings) -> String {
    let factory = preset::find(piano);
    let base = factory.map_or_else(Settings::default, preset::Preset::settings);
    let mut words = Vec::new();
    if let Some(preset) = factory.filter(|preset| preset.name != preset::PRESETS[0].name) {
        words.push(format!("{PIANO}={}", encoded(preset.name)));
    }
    for parameter in all() {
        let value = parameter.get(settings);
        if value.to_bits() != parameter.get(&base).to_bits() {
            words.push(format!("{}={}", parameter.id, encoded(&text(parameter, value))));
        }
    }
    let sheet = settings.key_sheet();
    if sheet != base.key_sheet() {
        let sheet = sheet.text().trim_end().replace('\n', "/");
        words.push(format!("{KEYS}={}", encoded(&sheet)));
    }
    if let Some(file) = &*settings.action.mechanism {
        let MechanismText { name, text, values } = file.source();
        let values = values.iter().map(|(id, value)| format!("{id} {value}\n"));
        let file = format!("{name}\n{}\n{text}", values.collect::<String>());
        words.push(format!("{MECHANISM}={}", encoded(&file)));
    }
    words.join("&")
}

/// The mechanism that a word of an address has; none if it cannot be read.
fn mechanism(word: &str) -> Option<MechanismFile> {
    let (head, text) = word.split_once("\n\n")?;
    let (name, values) = head.split_once('\n').unwrap_or((head, ""));
    let value = |line: &str| {
        let (id, value) = line.split_once(' ')?;
        Some((id.to_owned(), value.parse().ok()?))
    };
    let values = values.lines().filter_map(value).collect();
    open(MechanismText { name: name.to_owned(), text: text.to_owned(), values }).ok()
}

/// What an address has.
#[derive(Clone, Default, Debug)]
pub struct Linked {
    /// The factory piano.
    pub piano: Option<&'static str>,
    /// Its settings with those of the address.
    pub settings: Settings,
    /// A sentence for each word that was left out, and one of what differs from the piano.
    pub told: Vec<String>,
}

/// What is at `address`, with or without `#`.
#[must_use]
pub fn read(address: &str) -> Linked {
    let address = address.trim_start_matches('#');
    let words = || address.split('&').filter_map(|word| word.split_once('='));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut linked = Linked::default();
    for (_, name) in words().filter(|(word, _)| *word == PIANO) {
        let name = decoded(name);
        match preset::find(&name) {
            Some(factory) => {
                (linked.piano, linked.settings) = (Some(factory.name), factory.settings());
            }
            None => {
                let near = suggestion(&name, preset::PRESETS.iter().map(|preset| preset.name));
                linked.told.push(ended(format!("The link's piano `{name}` is unknown{near}")));
            }
        }
    }
    let base = linked.settings.clone();
    let settings = &mut linked.settings;
    for (word, value) in words().filter(|(word, _)| !word.is_empty() && *word != PIANO) {
        let value = decoded(value);
        let read = match word {
            KEYS => {
                value.parse().map(|sheet| settings.set_key_sheet(sheet)).map_err(|e| format!("{e}"))
            }
            MECHANISM => {
                settings.action.mechanism = mechanism(&value).into();
                let is_read = settings.action.mechanism.is_some();
                is_read.then_some(()).ok_or_else(|| "the mechanism cannot be read".to_owned())
            }
            id => find(id)
                .and_then(|parameter| Ok((parameter, parameter.parse(&value)?)))
                .map(|(parameter, value)| parameter.set(settings, value))
                .map_err(|e| e.to_string()),
        };
        let error = read.err().map(|error| ended(format!("Left out of the link: {error}")));
        linked.told.extend(error);
    }
    linked.told.extend(differences(
        linked.piano.unwrap_or(preset::PRESETS[0].name),
        &base,
        settings,
    ));
    linked
}

/// `text` with the end of a sentence.
fn ended(text: String) -> String {
    if text.ends_with(['?', '.']) { text } else { text + "." }
}

/// A sentence of what `settings` have otherwise than the piano `name`, whose settings are `base`; none if nothing.
fn differences(name: &str, base: &Settings, settings: &Settings) -> Option<String> {
    let differs = |p: &&Parameter| p.get(settings).to_bits() != p.get(base).to_bits();
    let each = |p: &Parameter| {
        let [now, before] = [settings, base].map(|of| p.text(p.get(of)));
        format!("{} {now} instead of {before}", p.name)
    };
    let mut parts: Vec<String> = all().filter(differs).map(each).collect();
    let more = parts.len().saturating_sub(LISTED);
    parts.truncate(LISTED);
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    if settings.key_sheet() != base.key_sheet() {
        parts.push("single keys".to_owned());
    }
    if settings.action.mechanism.is_some() {
        parts.push("its own mechanism".to_owned());
    }
    let title = preset::find(name).map_or_else(|| name.to_owned(), preset::Preset::title);
    (!parts.is_empty())
        .then(|| format!("This link changes the piano {title}: {}.", parts.join(", ")))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The value as [`Parameter::parse`] reads it.
fn text(parameter: &Parameter, value: f64) -> String {
    match parameter.choices() {
        [] => value.to_string(),
        _ => parameter.number_text(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_instrument::host::mechanism::play;

    const SAMPLE: &str = include_str!("../../mechanisms/ball.mechanism.toml");

    #[test]
    fn a_link_brings_back_piano_values_and_keys() {
        assert_eq!(write("", &Settings::default()), "");
        for preset in &preset::PRESETS {
            let mut settings = preset.settings();
            let plain = write(preset.name, &settings);
            assert!(plain.len() < 40, "{plain}");
            find("let_off_mm").unwrap().set(&mut settings, 3.7);
            find("timing").unwrap().set(&mut settings, 1.0);
            settings.set_key_sheet("key,drop_mm\n40,0.3\n".parse().unwrap());
            let link = write(preset.name, &settings);
            let Linked { settings: found, told, .. } = read(&format!("#{link}"));
            assert!(told.len() == 1 && told[0].contains("Let-off 3.70 mm instead of"), "{told:?}");
            assert_eq!(found.action, settings.action, "{link}");
            assert!(link.is_ascii() && !link.contains(' '), "{link}");
            for parameter in all() {
                let (here, there) = (parameter.get(&settings), parameter.get(&found));
                assert_eq!(here.to_bits(), there.to_bits(), "{}: {link}", parameter.id);
            }
        }
    }

    #[test]
    fn every_value_survives_its_text() {
        for parameter in all() {
            for share in [0.0, 0.31, 1.0] {
                let value = parameter.plain(share);
                let found = parameter.parse(&text(parameter, value)).unwrap();
                assert_eq!(found.to_bits(), value.to_bits(), "{} {value}", parameter.id);
            }
        }
    }

    #[test]
    fn words_without_meaning_are_left_out() {
        let text = "piano=melow&let_off_mm=900&hardness=1&=&&keys=%ff&blow_mm=44";
        let Linked { piano, settings, told } = read(text);
        assert_eq!((piano, told.len()), (None, 5));
        for part in [
            "is it `mellow`?",
            "out of range",
            "is it `hammer_hardness`?",
            "Blow distance 44.0 mm instead of 47.0 mm",
        ] {
            assert!(told.iter().any(|sentence| sentence.contains(part)), "{part}: {told:?}");
        }
        let mut expected = Settings::default();
        find("blow_mm").unwrap().set(&mut expected, 44.0);
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_link_has_the_mechanism_with_its_values() {
        let mut settings = Settings::default();
        let source = MechanismText { text: SAMPLE.into(), ..MechanismText::default() };
        let file = open(source).unwrap();
        let parameter = file.parameters()[0].clone();
        play(&mut settings, file.with(&parameter.id, parameter.max).unwrap());
        let address = write("", &settings);
        assert!(!address.contains('\n'), "{address}");
        assert_eq!(read(&address).settings, settings);
    }
}
