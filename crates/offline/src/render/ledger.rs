//! The manifest of a batch: a line of JSON for the program and its settings, and one for each file.
//!
//! Lines are added as files are done, so that a batch that was stopped can go on; at the end they are sorted, so that
//! the manifest does not depend on the order, the number of threads or interruptions.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::jobs::Part;
use super::sound::Format;
use super::{Order, RenderOptions};
use crate::bench::manifest::hash;
use crate::output::{self, Draft, Shown as _};
use touchback_instrument::host::midi_file::Numbers;
use touchback_instrument::host::params;

/// Largest manifest that is read, bytes.
const LIMIT: u64 = 1_000_000_000;

/// The manifest while a batch runs.
pub(super) struct Ledger {
    path: PathBuf,
    head: String,
    /// Lines of files by the names of their renderings.
    records: BTreeMap<String, String>,
    /// Whether an earlier run has begun the batch.
    pub(super) goes_on: bool,
    /// The file to which lines are added; none before the first.
    file: Option<File>,
}

/// File name of the manifest; every part of a batch has its own.
fn name(part: Option<Part>) -> String {
    match part {
        Some(Part { number, of }) => format!("manifest-{number}-of-{of}.jsonl"),
        None => "manifest.jsonl".into(),
    }
}

impl Ledger {
    /// The manifest in `folder`, with the records of an earlier run if the batch goes on.
    ///
    /// # Errors
    /// The batch goes on with other settings or another version.
    pub(super) fn open(
        folder: &Path,
        options: &RenderOptions,
        order: &Order,
        format: Format,
    ) -> Result<Self> {
        let path = folder.join(name(options.part));
        let head = head(options, order, format)?.to_string();
        let mut ledger = Self { path, head, records: BTreeMap::new(), goes_on: false, file: None };
        if options.skip_existing && ledger.path.is_file() {
            ledger.read()?;
        }
        Ok(ledger)
    }

    fn read(&mut self) -> Result<()> {
        let bytes = output::read(&self.path, LIMIT)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        if lines.next() != Some(&self.head) {
            bail!(
                "{}: was written with other settings or by another version; name another folder, or leave out \
                 --skip-existing",
                self.path.shown()
            );
        }
        self.goes_on = true;
        for line in lines {
            // The last line may be cut off.
            let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
            if let Some(name) = record["name"].as_str() {
                self.records.insert(name.into(), line.into());
            }
        }
        Ok(())
    }

    /// Whether the renderings called `name` have a record.
    pub(super) fn has(&self, name: &str) -> bool {
        self.records.contains_key(name)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn add(&mut self, name: &str, record: &Value) -> Result<()> {
        let line = format!("{record}\n");
        self.records.insert(name.into(), record.to_string());
        let show = || format!("{}: cannot write", self.path.shown());
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                self.write()?;
                self.file = Some(File::options().append(true).open(&self.path).with_context(show)?);
                return Ok(());
            }
        };
        file.write_all(line.as_bytes()).with_context(show)?;
        self.file = Some(file);
        Ok(())
    }

    /// Writes all records in order.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn write(&self) -> Result<()> {
        let mut text = format!("{}\n", self.head);
        self.records.values().for_each(|record| text += &format!("{record}\n"));
        let draft = Draft::create(&self.path)?;
        draft.write_all(text.as_bytes())?;
        Ok(draft.keep()?)
    }

    /// Whether there is a record.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// Largest file of the settings, bytes.
const INPUT_LIMIT: u64 = 64_000_000;

/// Program, settings and options that decide about the bytes of the renderings.
fn head(options: &RenderOptions, order: &Order, format: Format) -> Result<Value> {
    let input = |path: Option<&Path>| -> Result<Value> {
        let Some(path) = path else { return Ok(Value::Null) };
        let sha256 = hash(&mut &*output::read(path, INPUT_LIMIT)?)?.1;
        Ok(json!({ "file": path.shown(), "sha256": sha256 }))
    };
    let numbers = |numbers: &Option<Numbers>| match numbers {
        None => Value::Null,
        Some(Numbers::All) => "all".into(),
        Some(Numbers::These(these)) => json!(these),
    };
    let mut curves = Vec::new();
    for curve in &options.automate {
        let (id, file) = curve.split_once('=').unwrap_or_default();
        curves.push(json!({ "id": id, "curve": input(Some(Path::new(file)))? }));
    }
    let other = params::all().filter_map(|parameter| {
        let value = parameter.get(&order.settings);
        (value != parameter.default_value()).then(|| (parameter.id.to_owned(), json!(value)))
    });
    Ok(json!({
        "touchback": output::version(),
        "preset": options.preset.to_string(),
        "settings": other.collect::<serde_json::Map<_, _>>(),
        "sample_rate": options.sample_rate,
        "keys": input(options.keys.as_deref())?,
        "scale": input(options.scale.as_deref())?,
        "keymap": input(options.keymap.as_deref())?,
        "automate": curves,
        "channels": numbers(&options.channels),
        "tracks": numbers(&options.tracks),
        "midi_volume": format!("{:?}", options.midi_volume).to_lowercase(),
        "trim": options.trim,
        "bits": options.bits,
        "format": format.ending(),
        "normalize": options.normalize.map(|normal| format!("{normal:?}")),
    }))
}
