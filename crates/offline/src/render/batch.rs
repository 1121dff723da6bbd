//! Renders several files on all cores.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::rendering::Rendering;
use super::{Order, RenderOptions};
use crate::output::{self, NewFolder, Shown as _};
use crate::paths::{InputPath, OutputFileOrFolder};
use crate::{controls, parallel};

/// Renders every input into the folders that the options name. Each file is the same as if it were rendered
/// alone.
///
/// # Errors
/// A bad option; two inputs of one name; after all files, the number of those that could not be rendered.
pub(super) fn run(options: &RenderOptions) -> Result<()> {
    let inputs = &options.input;
    if options.plot.is_some() {
        bail!("--plot draws one file; render the files one by one");
    }
    let names = inputs.iter().map(|input| name(input)).collect::<Result<Vec<_>>>()?;
    for (i, name) in names.iter().enumerate() {
        // File systems of Windows and macOS do not distinguish case.
        if let Some(first) = names[..i].iter().position(|other| other.eq_ignore_ascii_case(name)) {
            bail!(
                "{} and {}: their renderings have one name; render one of them alone",
                inputs[first].shown(),
                inputs[i].shown()
            );
        }
    }
    let order = Order::of(options)?;
    let folders = [Some(&options.output), options.strikes.as_ref(), options.stats.as_ref()];
    let created = folders
        .into_iter()
        .flatten()
        .map(|path| output::new_folder(path))
        .collect::<Result<Vec<_>>>()?;
    controls::warn_idle(&order.settings, &options.set);
    let files: Vec<(&InputPath, &OsStr)> = inputs.iter().zip(names).collect();
    // With fewer files than cores each is rendered on several cores.
    let cores = parallel::cores();
    let is_ahead = files.len() < cores;
    let lines = parallel::map_on(cores, &files, |(input, name)| {
        let (strikes, stats) = (&options.strikes, &options.stats);
        let [strikes, stats] = [(strikes, "strikes.csv"), (stats, "stats.json")]
            .map(|(folder, ending)| folder.as_ref().map(|folder| within(folder, name, ending)));
        let rendering = Rendering {
            options,
            order: &order,
            input,
            output: &within(&options.output, name, "wav"),
            strikes: strikes.as_deref(),
            stats: stats.as_deref(),
            is_alone: false,
            is_ahead,
        };
        rendering.run()
    });
    let mut failed = 0;
    for line in lines {
        match line {
            Ok(line) => output::print(&line)?,
            Err(error) => {
                failed += 1;
                output::warn(&format!("error: {error:#}"));
            }
        }
    }
    // If every rendering failed, the folders are empty and are removed.
    if failed < files.len() {
        created.into_iter().for_each(NewFolder::keep);
    }
    if failed > 0 {
        bail!("{failed} of {} files could not be rendered", files.len());
    }
    Ok(())
}

/// The name of `input` without its ending, which its renderings have.
fn name(input: &Path) -> Result<&OsStr> {
    input.file_stem().with_context(|| format!("{}: is not a file", input.shown()))
}

/// The file of `name` and `ending` in `folder`.
fn within(folder: &OutputFileOrFolder, name: &OsStr, ending: &str) -> PathBuf {
    let mut file = name.to_owned();
    file.push(".");
    file.push(ending);
    folder.join(file)
}
