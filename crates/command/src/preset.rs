//! `touchback preset list` and `export`: the factory pianos; pianos as files, also for the browsers of VST3 hosts.
//!
//! A `.vstpreset` file (VST 3 developer portal, "Preset Format"), little-endian:
//!
//! | bytes | holds |
//! | --- | --- |
//! | 4 | `VST3` |
//! | 4 | version, 1 |
//! | 32 | class id in hexadecimal |
//! | 8 | offset of the list |
//! | … | chunk `Comp`, the state as projects save it; chunk `Info`, XML |
//! | 4, 4 | `List`, number of its entries |
//! | 4, 8, 8 each | a chunk's name, offset and length |

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde_json::{Map, Value, json};

use touchback_core::math::cast::rounded_i32;
use touchback_core::text::near;
use touchback_instrument::Settings;
use touchback_instrument::host::params::{self, FORMAT, KEYS_FIELD, ValueKind};
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::{self, PRESETS, Preset, user_presets};
use touchback_offline::controls;
use touchback_offline::output::{self, Draft, Shown as _};
use touchback_offline::paths::{OutputFile, OutputFolder, PianoName, is_preset};

/// Name ending of VST3's preset files.
const EXTENSION: &str = "vstpreset";
/// The plugin's VST3 class id, which never changes.
const CLASS_ID: [u8; 16] = *b"TouchbackPiano01";

/// Options of `touchback preset export`.
#[derive(clap::Args, Debug)]
pub struct ExportOptions {
    /// Factory piano, or a preset file
    #[arg(value_name = "NAME|FILE.toml", required_unless_present = "all", conflicts_with = "all")]
    piano: Option<PianoName>,
    /// File to write: for VST3 hosts, or a preset file [default: NAME.toml, if there is no such file]
    #[arg(short, long, value_name = "FILE.vstpreset|FILE.toml")]
    output: Option<OutputFile>,
    /// Writes every factory piano into this folder, for VST3 hosts
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    all: Option<OutputFolder>,
}

/// The factory pianos with their descriptions, one a line, or as a JSON array.
#[must_use]
pub fn list(is_json: bool) -> String {
    if is_json {
        let entry = |preset: &Preset| json!({ "name": preset.name, "about": preset.about });
        return format!("{:#}\n", Value::Array(PRESETS.iter().map(entry).collect()));
    }
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    PRESETS.iter().map(|preset| format!("{:width$}  {}\n", preset.name, preset.about)).collect()
}

/// The file of the factory piano `name` for which none was named.
///
/// # Errors
/// A preset file, which has a file already; a file of this name.
fn usual_file(name: &str) -> Result<OutputFile> {
    let preset = factory(name)?;
    let path = Path::new(preset.name).with_extension(user_presets::EXTENSION);
    if path.exists() {
        bail!("{}: exists; name the file with --output", path.shown());
    }
    Ok(path.into())
}

/// Runs `touchback preset export`.
///
/// # Errors
/// An unknown piano, a bad file, another ending than those two, or a file that cannot be written.
pub fn export(options: &ExportOptions) -> Result<()> {
    if let Some(folder) = &options.all {
        return export_all(folder);
    }
    let Some(name) = &options.piano else { bail!("a piano is missing") };
    let (path, piano) = match &options.output {
        Some(path) => (path.clone(), piano(name)?),
        None if is_preset(Path::new(&**name)) => bail!("{name}: --output is missing"),
        None => (usual_file(name)?, piano(name)?),
    };
    let path = &path;
    match path.extension().and_then(|e| e.to_str()) {
        Some(EXTENSION) => write(path, &vst3(&piano.name, &piano.settings)?),
        ending if ending == Some(user_presets::EXTENSION) || output::is_stdout(path) => {
            write(path, piano.text().map_err(|error| anyhow!(error))?.as_bytes())
        }
        _ => bail!("--output {}: the name ends in .vstpreset or .toml", path.shown()),
    }
}

/// Writes every factory piano into `folder`; on an error, none.
fn export_all(folder: &Path) -> Result<()> {
    let new = output::new_folder(folder)?;
    let mut drafts = Vec::with_capacity(PRESETS.len());
    for preset in &PRESETS {
        let draft = Draft::create(&folder.join(preset.title()).with_extension(EXTENSION))?;
        draft.write_all(&vst3(&preset.title(), &preset.piano())?)?;
        drafts.push(draft);
    }
    drafts.into_iter().try_for_each(Draft::keep)?;
    new.keep();
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let draft = Draft::create(path)?;
    draft.write_all(bytes)?;
    Ok(draft.keep()?)
}

fn piano(name: &str) -> Result<NamedPiano> {
    if is_preset(Path::new(name)) {
        return controls::saved_piano(Path::new(name));
    }
    let preset = factory(name)?;
    Ok(NamedPiano { settings: preset.piano(), ..preset.named() })
}

fn factory(name: &str) -> Result<&'static Preset> {
    preset::find(name).ok_or_else(|| {
        let near = near::suggestion(&name.to_lowercase(), PRESETS.iter().map(|p| p.name));
        anyhow!("{name}: no such piano{near}; there are: {}, or FILE.toml", preset::names())
    })
}

/// The file for VST3 hosts.
fn vst3(name: &str, settings: &Settings) -> Result<Vec<u8>> {
    const HEAD: usize = 48;
    let chunks = [(b"Comp", state(settings)?), (b"Info", info(name).into_bytes())];
    let length: usize = chunks.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut file = b"VST3".to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend(CLASS_ID.iter().flat_map(|byte| format!("{byte:02X}").into_bytes()));
    file.extend(((HEAD + length) as u64).to_le_bytes());
    let mut list = b"List".to_vec();
    list.extend(u32::try_from(chunks.len())?.to_le_bytes());
    for (id, bytes) in chunks {
        list.extend(id);
        list.extend((file.len() as u64).to_le_bytes());
        list.extend((bytes.len() as u64).to_le_bytes());
        file.extend(bytes);
    }
    file.extend(list);
    Ok(file)
}

/// The state in the plugin's own format.
fn state(settings: &Settings) -> Result<Vec<u8>> {
    let values: Map<String, Value> = params::all()
        .map(|parameter| {
            let value = parameter.quantize(parameter.get(settings));
            let value = match parameter.kind {
                ValueKind::Number { .. } => json!({ "f32": value }),
                ValueKind::Choice(_) => json!({ "i32": rounded_i32(value) }),
            };
            (parameter.id.to_owned(), value)
        })
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let mut fields = json!({ "format": FORMAT.to_string() });
    let sheet = settings.key_sheet();
    if !sheet.is_even() {
        fields[KEYS_FIELD] = json!(sheet.text());
    }
    if let Some(file) = &*settings.action.mechanism {
        fields["mechanism"] = json!(serde_json::to_string(file.source())?);
    }
    Ok(serde_json::to_vec(&json!({ "version": version, "params": values, "fields": fields }))?)
}

/// The attributes for a host's preset browser, named as in VST3's `PresetAttributes`.
fn info(name: &str) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<MetaInfo>\n");
    for (id, value) in [
        ("MediaType", "VstPreset"),
        ("PlugInCategory", "Instrument|Piano"),
        ("PlugInName", "Touchback"),
        ("PlugInVendor", "Touchback"),
        ("Name", name),
    ] {
        let value = value
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;");
        text += &format!("\t<Attribute id=\"{id}\" value=\"{value}\" type=\"string\"/>\n");
    }
    text + "</MetaInfo>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8], at: usize) -> usize {
        usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
    }

    #[test]
    fn a_vst3_preset_holds_the_state_where_its_list_says() {
        let settings = preset::find("viennese").unwrap().settings();
        let file = vst3("A <\"&\"> B", &settings).unwrap();
        assert_eq!(&file[..8], b"VST3\x01\0\0\0");
        assert_eq!(&file[8..40], b"546F7563686261636B5069616E6F3031");
        let list = number(&file, 40);
        assert_eq!(&file[list..list + 8], b"List\x02\0\0\0");
        assert_eq!(file.len(), list + 8 + 2 * 20);
        let chunk = |entry: usize, name: &[u8]| {
            let at = list + 8 + 20 * entry;
            assert_eq!(&file[at..at + 4], name);
            let place = number(&file, at + 4);
            file[place..place + number(&file, at + 12)].to_vec()
        };
        let state: Value = serde_json::from_slice(&chunk(0, b"Comp")).unwrap();
        assert_eq!(state["params"].as_object().unwrap().len(), params::COUNT);
        assert_eq!(state["params"]["a4_hz"]["f32"], 430.0);
        assert_eq!(state["fields"]["format"], FORMAT.to_string());
        let info = String::from_utf8(chunk(1, b"Info")).unwrap();
        assert!(info.contains("value=\"A &lt;&quot;&amp;&quot;&gt; B\""), "{info}");
    }

    #[test]
    fn every_factory_piano_is_written_and_a_preset_file_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().join("all");
        export(&ExportOptions { piano: None, output: None, all: Some(all.clone().into()) })
            .unwrap();
        assert_eq!(std::fs::read_dir(all).unwrap().count(), PRESETS.len());
        let output = Some(folder.path().join("heavy.toml").into());
        let heavy = || Some("heavy".to_owned().into());
        let options = ExportOptions { piano: heavy(), output, all: None };
        export(&options).unwrap();
        let (read, losses) = user_presets::read(options.output.as_deref().unwrap()).unwrap();
        assert_eq!(losses.message(), None);
        assert_eq!(
            (read.name.as_str(), read.settings),
            ("Heavy", piano("heavy").unwrap().settings)
        );
        let other = Some(folder.path().join("heavy.fxp").into());
        let options = ExportOptions { piano: heavy(), output: other, all: None };
        assert!(export(&options).unwrap_err().to_string().contains(".vstpreset or .toml"));
    }
}
