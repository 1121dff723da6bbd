//! Settings, keys and models from Python's values.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::{error, refused};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::note;
use touchback_instrument::Settings;
use touchback_instrument::host::{mechanism, params};
use touchback_models::catalogue::Model;
use touchback_offline::bench::KeySource;
use touchback_offline::controls;
use touchback_offline::model::named::NamedModel;
use touchback_offline::simulate::plants;

/// Name and text of a mechanism's file.
pub(crate) type NamedText = (String, String);

/// Settings of `preset` with the offsets of the CSV text `sheet`, the file `mechanism` and the parameters `values`: numbers
/// in their units, or texts as the command's `--set` takes them.
pub(crate) fn settings(
    preset: Option<&str>,
    sheet: Option<&str>,
    mechanism: Option<NamedText>,
    values: Option<&Bound<'_, PyDict>>,
) -> PyResult<Settings> {
    let mut settings = match preset {
        Some(name) => controls::preset(name).map_err(|e| error(&e))?,
        None => Settings::default(),
    };
    if let Some(text) = sheet {
        let sheet = text.parse::<KeySheet>().map_err(|e| refused(format!("sheet: {e}")))?;
        settings.set_key_sheet(sheet);
    }
    if let Some((name, text)) = mechanism {
        let file = mechanism::read(&name, text).map_err(refused)?;
        mechanism::play(&mut settings, file);
    }
    change(&mut settings, values)?;
    Ok(settings)
}

/// Sets the parameters `values` of `settings`, or of the mechanism that it has.
pub(crate) fn change(settings: &mut Settings, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for (id, value) in values.into_iter().flatten() {
        let id: String = id.extract()?;
        if let Some(file) = &*settings.action.mechanism
            && file.parameters().iter().any(|parameter| parameter.id == id)
        {
            let changed = file.with(&id, value.extract()?).map_err(refused)?;
            settings.action.mechanism = Some(changed).into();
            continue;
        }
        let parameter = params::find(&id).map_err(|e| refused(e.to_string()))?;
        let number = match value.cast::<PyString>() {
            Ok(text) => parameter.parse(&text.to_cow()?),
            // Numbers of NumPy and arrays without dimensions have Python's conversion to a number.
            Err(_) => parameter.checked(value.extract()?),
        };
        parameter.set(settings, number.map_err(|e| refused(e.to_string()))?);
    }
    Ok(())
}

/// A key given by its number, 1 (A0) to 88 (C8), or by its name, such as `C4`.
pub(crate) fn key_number(key: &Bound<'_, PyAny>) -> PyResult<KeyNumber> {
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_cow()?;
        return note::key(&text).ok_or_else(|| refused(format!("`{text}` is no key")));
    }
    let number: f64 = key.extract()?;
    let found = KeyNumber::all().find(|key| f64::from(key.number()) == number);
    match found.filter(|_| !key.is_instance_of::<PyBool>()) {
        Some(found) => Ok(found),
        None => Err(refused(format!("key {key}: keys count from 1 (A0) to 88 (C8)"))),
    }
}

/// The model in the TOML text `model`, or that of `key` of `action`, with the numbers `numbers` changed.
pub(crate) fn model(
    action: &str,
    key: KeyNumber,
    settings: &Settings,
    model: Option<&str>,
    numbers: Option<&Bound<'_, PyDict>>,
) -> PyResult<Model> {
    let model = match model {
        Some(text) => plants::read("model", text),
        None => plants::model(action, key, &settings.action),
    }
    .map_err(|e| error(&e))?;
    let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else { return Ok(model) };
    let mut named = NamedModel::of(&model).map_err(|e| error(&e))?;
    for (name, value) in numbers {
        let (name, value): (String, f64) = (name.extract()?, value.extract()?);
        named.set(&name, value).map_err(|e| error(&e))?;
    }
    named.model().map_err(|e| error(&e))
}

/// The laboratory's keys.
pub(crate) fn source(
    preset: Option<&str>,
    sheet: Option<&str>,
    values: Option<&Bound<'_, PyDict>>,
    model: Option<&str>,
    key: Option<u8>,
) -> PyResult<KeySource> {
    let settings = settings(preset, sheet, None, values)?;
    let mut own: Vec<String> = preset.map(|name| format!("preset {name}")).into_iter().collect();
    for (id, value) in values.into_iter().flatten() {
        own.push(format!("{id} = {value}"));
    }
    own.extend(sheet.map(|_| "a sheet of keys".to_owned()));
    own.extend(model.map(|_| "a model".to_owned()));
    own.extend(key.map(|key| format!("key {key}")));
    let own = (!own.is_empty()).then(|| own.join(", "));
    let model = model.map(|text| plants::read("model", text)).transpose();
    let model = model.map_err(|e| error(&e))?;
    KeySource::of(&settings, model, key, own).map_err(|e| error(&e))
}
