//! The documents as a book with an index and a search: `target/book/index.html`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::tools::Tool;
use crate::web;

/// Program that builds the book.
const MDBOOK: Tool<'_> =
    Tool { name: "mdbook", package: "mdbook", version: "0.5.2", is_exact: false, options: &[] };

/// Builds the book. Installs mdbook into `target/tools` where the system has none. The page for browsers, which
/// some chapters embed, becomes part of the book where it was built.
pub fn run() -> Result<()> {
    nice_plug_xtask::chdir_workspace_root()?;
    let status =
        Command::new(MDBOOK.program()?).arg("build").status().context("cannot start mdbook")?;
    ensure!(status.success(), "mdbook failed: {status}");
    if Path::new(web::FOLDER).is_dir() {
        web::copy_to(Path::new("target/book/web"))?;
    } else {
        println!("without the live action: `cargo xtask web` builds it");
    }
    println!("wrote target/book/index.html");
    Ok(())
}
