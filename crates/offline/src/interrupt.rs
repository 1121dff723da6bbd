//! SIGINT, SIGTERM and SIGHUP (Ctrl-C on Windows) end a session instead of the process, so that force is
//! stopped and every record kept.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Installs the signal handler: the first signal is noted, the second ends the process.
///
/// # Errors
/// The handler cannot be installed.
pub fn watch() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("signals cannot be watched")
}

/// Whether a signal was received.
pub fn was_received() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
