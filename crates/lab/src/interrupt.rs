//! SIGINT, SIGTERM and SIGHUP (Ctrl-C on Windows) end a session instead of the process, so that force is
//! stopped and every record kept.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on signals are noted; a second one ends the process.
///
/// # Errors
/// The system refuses.
pub fn watch() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("signals cannot be watched")
}

/// A signal has come.
pub fn is_here() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
