//! Man pages and completions for shells, as the archives contain them.

use anyhow::Result;
use clap::{Command, ValueEnum as _};
use clap_complete::Shell;
use clap_mangen::Man;

use touchback_offline::output::{self, Draft};
use touchback_offline::paths::OutputFolder;

/// Writes a page `man/touchback-COMMAND.1` for every command and a file for every shell into `completions/`.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(mut command: Command, folder: &OutputFolder) -> Result<()> {
    let created = output::new_folder(folder)?;
    let name = command.get_name().to_owned();
    let completions = folder.join("completions");
    output::new_folder(&completions)?.keep();
    for shell in Shell::value_variants() {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut command, &name, &mut text);
        let draft = Draft::create(&completions.join(format!("{name}.{shell}")))?;
        draft.write_all(&text)?;
        draft.keep()?;
    }
    command.build();
    let pages = folder.join("man");
    output::new_folder(&pages)?.keep();
    page(&command, &name, &pages)?;
    created.keep();
    Ok(())
}

/// Writes the pages of `command`, called `name`, and of the commands below it.
fn page(command: &Command, name: &str, folder: &std::path::Path) -> Result<()> {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text)?;
    let draft = Draft::create(&folder.join(format!("{name}.1")))?;
    draft.write_all(&text)?;
    draft.keep()?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        page(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(())
}
