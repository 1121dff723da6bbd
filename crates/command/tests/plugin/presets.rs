//! Presets found and loaded by a CLAP host.

use std::ffi::{CStr, CString};
use std::path::Path;

use clack_extensions::preset_discovery::indexer::IndexerImpl;
use clack_extensions::preset_discovery::metadata_receiver::MetadataReceiverImpl;
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::preset_discovery::provider::Provider;
use clack_host::prelude::{HostError, HostInfo};
use touchback_command::host::PLUGIN_ID;
use touchback_instrument::Settings;
use touchback_instrument::host::params;
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::{self, PRESETS, user_presets};

use crate::host::{Message, Plugin, PluginEntry, blocks, control, library};

/// A host's record of the provider.
#[derive(Default)]
struct Places(Vec<(String, Option<String>)>);

impl IndexerImpl for Places {
    fn declare_filetype(&mut self, kind: FileType) -> Result<(), HostError> {
        assert_eq!(kind.file_extension, Some(c"toml"));
        Ok(())
    }

    fn declare_location(&mut self, place: LocationInfo) -> Result<(), HostError> {
        let path = match place.location {
            Location::Plugin => None,
            Location::File { path } => Some(path.to_str().unwrap().to_owned()),
        };
        self.0.push((place.name.to_str().unwrap().to_owned(), path));
        Ok(())
    }

    fn declare_soundpack(&mut self, _: Soundpack) -> Result<(), HostError> {
        Ok(())
    }
}

/// Presets: name, key, description, features.
#[derive(Default)]
struct Found {
    presets: Vec<(String, Option<String>, String, Vec<String>)>,
    errors: Vec<String>,
}

fn text(text: Option<&CStr>) -> Option<String> {
    text.map(|text| text.to_str().unwrap().to_owned())
}

impl MetadataReceiverImpl for Found {
    fn on_error(&mut self, _: i32, message: Option<&CStr>) {
        self.errors.push(text(message).unwrap());
    }

    fn begin_preset(&mut self, name: Option<&CStr>, key: Option<&CStr>) -> Result<(), HostError> {
        self.presets.push((text(name).unwrap(), text(key), String::new(), Vec::new()));
        Ok(())
    }

    fn add_plugin_id(&mut self, id: UniversalPluginId) {
        assert_eq!((id.abi, id.id.to_str()), (c"clap", Ok(PLUGIN_ID)));
    }

    fn set_soundpack_id(&mut self, _: &CStr) {}
    fn set_flags(&mut self, _: Flags) {}
    fn add_creator(&mut self, _: &CStr) {}

    fn set_description(&mut self, about: &CStr) {
        self.presets.last_mut().unwrap().2 = text(Some(about)).unwrap();
    }

    fn set_timestamps(&mut self, _: Option<Timestamp>, _: Option<Timestamp>) {}

    fn add_feature(&mut self, feature: &CStr) {
        self.presets.last_mut().unwrap().3.push(text(Some(feature)).unwrap());
    }

    fn add_extra_info(&mut self, _: &CStr, _: &CStr) {}
}

fn provider(entry: &PluginEntry) -> Provider<Places> {
    let factory = entry.get_factory::<PresetDiscoveryFactory>().expect("a factory of presets");
    let ids: Vec<_> = factory.provider_descriptors().map(|d| d.id().unwrap().to_owned()).collect();
    let [id] = ids.as_slice() else { panic!("one provider") };
    let info = HostInfo::new("Browser", "Touchback", "", "1").unwrap();
    Provider::instantiate(Places::default(), entry, id, &info).unwrap()
}

fn path(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

/// Checks that every parameter of the plugin has the value in `settings`, to a host's precision.
fn assert_loaded(plugin: &mut Plugin, settings: &Settings) {
    for parameter in params::all() {
        let control = plugin.control(parameter);
        let expected = parameter.text(parameter.get(settings));
        assert_eq!(plugin.text(parameter, control), expected, "{}", parameter.id);
    }
}

#[test]
fn a_browser_lists_every_factory_piano_and_loads_it() {
    let entry = library();
    let mut provider = provider(&entry);
    assert_eq!(provider.indexer().0[0], ("Factory pianos".to_owned(), None));
    let mut found = Found::default();
    provider.get_metadata(Location::Plugin, &mut found);
    assert!(found.errors.is_empty());
    assert_eq!(found.presets.len(), PRESETS.len());
    let mut plugin = Plugin::active(&entry, 48_000.0);
    for (preset, (name, key, about, _)) in PRESETS.iter().zip(&found.presets) {
        assert_eq!((name, about.as_str()), (&preset.title(), preset.about));
        let key = CString::new(key.clone().unwrap()).unwrap();
        plugin.host.load_preset(Location::Plugin, Some(&key)).unwrap();
        assert_loaded(&mut plugin, &preset.settings());
        if let Some(mechanism) = preset.mechanism() {
            let state = String::from_utf8_lossy(&plugin.save()).into_owned();
            assert!(state.contains(&mechanism.name), "{name}: the project has no {mechanism:?}");
        }
        let note = [(plugin.processor().now(), Message::NoteOn(60, 0.7))];
        let played = plugin.processor().render(blocks(4_000, 256), &note);
        let peak = played.iter().flatten().fold(0.0f32, |peak, s| peak.max(s.abs()));
        assert!(peak > 1e-3 && peak.is_finite(), "{name}: {peak}");
    }
}

#[test]
fn a_user_preset_is_described_and_loaded_and_keeps_the_pedals() {
    let entry = library();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep.toml");
    let mut settings = preset::find("heavy").unwrap().settings();
    let polarity = params::find("pedal_polarity").unwrap();
    polarity.set(&mut settings, 1.0);
    let saved = NamedPiano {
        name: "Dark and deep".into(),
        tags: vec!["dark".into()],
        notes: "For the small hall.".into(),
        settings: settings.clone(),
        mechanism: None,
    };
    user_presets::write(&saved, &file, false).unwrap();
    let place = path(&file);
    let mut found = Found::default();
    provider(&entry).get_metadata(Location::File { path: &place }, &mut found);
    let features = vec!["instrument".to_owned(), "dark".to_owned()];
    let expected = ("Dark and deep".to_owned(), None, "For the small hall.".to_owned(), features);
    assert_eq!(found.presets, [expected]);

    let mut plugin = Plugin::active(&entry, 48_000.0);
    plugin.host.load_preset(Location::File { path: &place }, None).unwrap();
    polarity.set(&mut settings, polarity.default_value());
    assert_loaded(&mut plugin, &settings);
}

#[test]
fn an_invalid_preset_is_refused_and_changes_nothing() {
    let entry = library();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        path(&file)
    };
    let mut plugin = Plugin::active(&entry, 48_000.0);
    let blow = params::find("blow_mm").unwrap();
    plugin.processor().render([1], &[(0, control(blow, 1.0))]);
    let before = plugin.save();
    let bad = [file("a.toml", "format = 1\nblow = 3\n"), file("b.txt", "format = 1\n[values]\n")];
    for place in bad.iter().chain([&path(&folder.path().join("none.toml"))]) {
        let location = Location::File { path: place };
        let mut found = Found::default();
        provider(&entry).get_metadata(location, &mut found);
        assert!(found.presets.is_empty() && found.errors.len() == 1, "{place:?}");
        assert!(plugin.host.load_preset(location, None).is_err(), "{place:?}");
    }
    for key in [None, Some(c"spinet")] {
        assert!(plugin.host.load_preset(Location::Plugin, key).is_err());
    }
    assert_eq!(plugin.save(), before);
}
