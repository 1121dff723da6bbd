//! The library through which an MTS-ESP master tunes the plugins of a session [ODDSound, MTS-ESP].
//!
//! It is the system's, at a fixed place, and may be missing. Its table of frequencies is written by
//! the master on a thread of its own and read here number by number.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;
use nice_plug::prelude::nice_log;

use super::TuningSource;

/// Names a library elsewhere, by its whole path.
const ELSEWHERE: &str = "TOUCHBACK_MTS_ESP";
const CHANNELS: usize = 16;

/// The functions of the library that a client needs, and its tables: MIDI note to Hz.
struct Functions {
    register: unsafe extern "C" fn(),
    deregister: unsafe extern "C" fn(),
    has_master: unsafe extern "C" fn() -> bool,
    leaves_out: unsafe extern "C" fn(i8, i8) -> bool,
    /// Later versions alone have tables and filters of single channels.
    channel_leaves_out: Option<unsafe extern "C" fn(i8, i8) -> bool>,
    has_channel: Option<unsafe extern "C" fn(i8) -> bool>,
    table: *const f64,
    channel_tables: [*const f64; CHANNELS],
}

// SAFETY: the library's functions may be called by every plugin of a session on any thread; the
// tables live as long as the library, which is never unloaded, and are only read here.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// The place of the library.
fn place() -> PathBuf {
    if let Some(path) = std::env::var_os(ELSEWHERE) {
        return path.into();
    }
    if cfg!(windows) {
        let programs = std::env::var_os("CommonProgramFiles").map(PathBuf::from);
        let programs = programs.unwrap_or_else(|| r"C:\Program Files\Common Files".into());
        programs.join(r"MTS-ESP\LIBMTS.dll")
    } else if cfg!(target_os = "macos") {
        "/Library/Application Support/MTS-ESP/libMTS.dylib".into()
    } else {
        "/usr/local/lib/libMTS.so".into()
    }
}

/// The library, if this system has one; loaded once, for good.
fn library() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(load).as_ref()
}

/// The library at `path`, whole: a name alone would be looked for in folders that others may write.
fn open(path: &Path) -> Option<Library> {
    if !path.is_absolute() {
        nice_log!(
            "Touchback: {ELSEWHERE}={}: is no whole path; the session's tuning is not followed",
            path.display()
        );
        return None;
    }
    #[cfg(windows)]
    {
        use libloading::os::windows::{
            LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, LOAD_LIBRARY_SEARCH_SYSTEM32, Library as Dll,
        };
        // What the library needs comes from its own folder or the system's, not from the program's or
        // the working folder.
        let places = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
        // SAFETY: this place holds a library of the published interface; its loading has no other
        // effects.
        unsafe { Dll::load_with_flags(path, places) }.ok().map(Library::from)
    }
    #[cfg(not(windows))]
    // SAFETY: this place holds a library of the published interface; its loading has no other
    // effects.
    unsafe { Library::new(path) }.ok()
}

fn load() -> Option<Functions> {
    type Table = unsafe extern "C" fn() -> *const f64;
    type ChannelTable = unsafe extern "C" fn(i8) -> *const f64;
    let library = Box::leak(Box::new(open(&place())?));
    // SAFETY: the names have these types in the published interface. C's `char` is of either sign;
    // notes are 0…127.
    unsafe {
        let table = library.get::<Table>(b"MTS_GetTuningTable\0").ok()?();
        let channel_table = library.get::<ChannelTable>(b"MTS_GetMultiChannelTuningTable\0").ok();
        let channel_tables = std::array::from_fn(|channel| {
            let channel = i8::try_from(channel).unwrap_or(0);
            channel_table.as_ref().map_or(std::ptr::null(), |get| get(channel))
        });
        (!table.is_null()).then_some(Functions {
            register: *library.get(b"MTS_RegisterClient\0").ok()?,
            deregister: *library.get(b"MTS_DeregisterClient\0").ok()?,
            has_master: *library.get(b"MTS_HasMaster\0").ok()?,
            leaves_out: *library.get(b"MTS_ShouldFilterNote\0").ok()?,
            channel_leaves_out: library.get(b"MTS_ShouldFilterNoteMultiChannel\0").ok().map(|f| *f),
            has_channel: library.get(b"MTS_UseMultiChannelTuning\0").ok().map(|f| *f),
            table,
            channel_tables,
        })
    }
}

/// This instance as a client of the master's, if there is a library.
pub struct Client(Option<&'static Functions>);

impl Default for Client {
    /// Registers; not for the audio thread.
    fn default() -> Self {
        let library = library();
        if let Some(library) = library {
            // SAFETY: see `load`.
            unsafe { (library.register)() };
        }
        Self(library)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(library) = self.0 {
            // SAFETY: see `load`; registered when made.
            unsafe { (library.deregister)() };
        }
    }
}

/// A note or channel as C's `char`.
fn signed(number: u8) -> i8 {
    i8::try_from(number & 127).unwrap_or(0)
}

impl Client {
    /// The table of `channel`, if it has one of its own.
    fn channel_table(library: &Functions, channel: u8) -> Option<*const f64> {
        let (has_channel, table) =
            (library.has_channel?, library.channel_tables[usize::from(channel & 15)]);
        // SAFETY: see `load`.
        (!table.is_null() && unsafe { has_channel(signed(channel & 15)) }).then_some(table)
    }
}

/// The number of `note` in `table`.
fn read(table: *const f64, note: u8) -> f64 {
    // SAFETY: a table has 128 numbers and lives on; another thread may write this one, hence no
    // assumption about it stands.
    unsafe { table.add(usize::from(note & 127)).read_volatile() }
}

impl TuningSource for Client {
    fn is_master_there(&self) -> bool {
        // SAFETY: see `load`.
        self.0.is_some_and(|library| unsafe { (library.has_master)() })
    }

    fn hz(&self, note: u8) -> f64 {
        self.0.map_or(f64::NAN, |library| read(library.table, note))
    }

    fn channel_hz(&self, channel: u8, note: u8) -> Option<f64> {
        let table = Self::channel_table(self.0?, channel)?;
        Some(read(table, note))
    }

    fn leaves_out(&self, channel: Option<u8>, note: u8) -> bool {
        let Some(library) = self.0 else { return false };
        let own = channel.filter(|channel| Self::channel_table(library, *channel).is_some());
        // SAFETY: see `load`.
        unsafe {
            match (own, library.channel_leaves_out) {
                (Some(channel), Some(leaves_out)) => leaves_out(signed(note), signed(channel & 15)),
                (Some(_), None) => false,
                (None, _) => (library.leaves_out)(signed(note), channel.map_or(-1, signed)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system's loader finds these by their names alone.
    #[test]
    fn a_library_is_not_looked_for_by_its_name() {
        let name = if cfg!(windows) {
            "kernel32.dll"
        } else if cfg!(target_os = "macos") {
            "libSystem.B.dylib"
        } else {
            "libm.so.6"
        };
        // SAFETY: a library of the system, whose loading has no other effects.
        assert!(unsafe { Library::new(name) }.is_ok());
        for path in [name, "", "./libMTS.so"] {
            assert!(open(Path::new(path)).is_none(), "{path}");
        }
    }
}
