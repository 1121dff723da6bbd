//! The manual's sound examples: runs the commands of their page and encodes the sound.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::bundle::{built_command, copy, remove, run_command};

const PAGE: &str = "docs/manual/examples";
/// Folder in which the commands run; of their output only sound and pictures are kept.
const WORK: &str = "target/examples";
/// Bit rate of the encoded sound, kbit/s.
const BITRATE: &str = "96";
/// Most bytes of all sounds together.
const MOST: u64 = 3_000_000;

/// Runs every command of the page and writes pictures and encoded sound beside the page.
pub(crate) fn run(options: &[String]) -> Result<()> {
    ensure!(options.is_empty(), "cargo xtask examples takes no options");
    nice_plug_xtask::chdir_workspace_root()?;
    let page = fs::read_to_string(Path::new(PAGE).join("README.md"))?;
    let program = built_command()?.canonicalize()?;
    let work = Path::new(WORK);
    remove(work)?;
    copy(Path::new(PAGE), work)?;
    let mut bytes = 0;
    for (index, line) in commands(&page).enumerate() {
        let words: Vec<_> = line.split_whitespace().collect();
        let &["touchback", "render", midi, ..] = words.as_slice() else {
            bail!("{PAGE}: not a rendering: {line}")
        };
        run_command(Command::new(&program).args(&words[1..]).current_dir(work))?;
        let name = midi.strip_suffix(".mid").context("a rendering begins with its MIDI file")?;
        let sound = Path::new(PAGE).join(name).with_extension("opus");
        // With a fixed serial number the same sound gives the same file.
        let mut pack = Command::new("opusenc");
        pack.args(["--quiet", "--bitrate", BITRATE, "--serial", &index.to_string()]);
        pack.arg(work.join(name).with_extension("wav")).arg(&sound);
        run_command(&mut pack).context("opusenc is in the package opus-tools")?;
        let picture = Path::new(name).with_extension("png");
        copy(&work.join(&picture), &Path::new(PAGE).join(&picture))?;
        bytes += sound.metadata()?.len();
        eprintln!("Wrote {}", sound.display());
    }
    ensure!(bytes > 0 && bytes <= MOST, "{bytes} bytes of sound; at most {MOST} are wanted");
    Ok(())
}

/// The lines of a page's `sh` blocks.
fn commands(page: &str) -> impl Iterator<Item = &str> {
    page.split("```sh\n").skip(1).flat_map(|rest| rest.split("```").next().unwrap_or("").lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_shell_blocks_are_commands() {
        let page = "a\n```sh\none two\nthree\n```\nb\n```toml\nno\n```\n```sh\nfour\n```\n";
        assert_eq!(commands(page).collect::<Vec<_>>(), ["one two", "three", "four"]);
    }
}
