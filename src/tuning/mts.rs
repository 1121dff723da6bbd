//! The library through which an MTS-ESP master tunes the plugins of a session [ODDSound, MTS-ESP].
//!
//! The library is installed on the system at a fixed path and may be missing. The master writes the
//! library's table of frequencies on a thread of its own; this module reads single numbers of it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;
use nice_plug::prelude::nice_log;

use super::TuningSource;

/// The environment variable with the absolute path of a library at another place.
const PATH_VARIABLE: &str = "TOUCHBACK_MTS_ESP";
const CHANNELS: usize = 16;

/// The library's functions for clients, and its tables from MIDI note to Hz.
struct Functions {
    register: unsafe extern "C" fn(),
    deregister: unsafe extern "C" fn(),
    has_master: unsafe extern "C" fn() -> bool,
    filters: unsafe extern "C" fn(i8, i8) -> bool,
    /// Only later versions have tables and filters of single channels.
    channel_filters: Option<unsafe extern "C" fn(i8, i8) -> bool>,
    has_channel: Option<unsafe extern "C" fn(i8) -> bool>,
    table: *const f64,
    channel_tables: [*const f64; CHANNELS],
}

// SAFETY: any thread may call the library's functions. The tables live as long as the library, which
// is never unloaded, and are only read here.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// The library's path.
fn path() -> PathBuf {
    if let Some(path) = std::env::var_os(PATH_VARIABLE) {
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

/// The library, if this system has one. It is loaded once and never unloaded.
fn library() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(load).as_ref()
}

/// Loads the library at the absolute path `path`: a name alone would be searched for in folders that other
/// users may write to.
fn open(path: &Path) -> Option<Library> {
    if !path.is_absolute() {
        nice_log!(
            "Touchback: {PATH_VARIABLE}={}: is not an absolute path; MTS-ESP is off",
            path.display()
        );
        return None;
    }
    #[cfg(windows)]
    {
        use libloading::os::windows::{
            LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, LOAD_LIBRARY_SEARCH_SYSTEM32, Library as Dll,
        };
        // The library's own dependencies come from its folder or the system's, not from the program's or
        // the working folder.
        let search = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
        // SAFETY: this path holds a library with the published interface, whose loading has no other
        // effects.
        unsafe { Dll::load_with_flags(path, search) }.ok().map(Library::from)
    }
    #[cfg(not(windows))]
    // SAFETY: this path holds a library with the published interface, whose loading has no other
    // effects.
    unsafe { Library::new(path) }.ok()
}

fn load() -> Option<Functions> {
    type Table = unsafe extern "C" fn() -> *const f64;
    type ChannelTable = unsafe extern "C" fn(i8) -> *const f64;
    let library = Box::leak(Box::new(open(&path())?));
    // SAFETY: the names have these types in the published interface. C's `char` may be signed or not;
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
            filters: *library.get(b"MTS_ShouldFilterNote\0").ok()?,
            channel_filters: library.get(b"MTS_ShouldFilterNoteMultiChannel\0").ok().map(|f| *f),
            has_channel: library.get(b"MTS_UseMultiChannelTuning\0").ok().map(|f| *f),
            table,
            channel_tables,
        })
    }
}

/// Registers this instance as a client of the master, if there is a library.
pub struct Client(Option<&'static Functions>);

impl Default for Client {
    /// Registers the client. Not for the audio thread.
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
            // SAFETY: see `load`; `default` has registered.
            unsafe { (library.deregister)() };
        }
    }
}

/// A note or channel as C's `char`.
fn signed(number: u8) -> i8 {
    i8::try_from(number & 127).unwrap_or(0)
}

impl Client {
    /// The channel's own table, if it has one.
    fn channel_table(library: &Functions, channel: u8) -> Option<*const f64> {
        let (has_channel, table) =
            (library.has_channel?, library.channel_tables[usize::from(channel & 15)]);
        // SAFETY: see `load`.
        (!table.is_null() && unsafe { has_channel(signed(channel & 15)) }).then_some(table)
    }
}

/// The number of `note` in `table`.
fn read(table: *const f64, note: u8) -> f64 {
    // SAFETY: a table has 128 numbers and is never freed. Another thread may write the number, so the read
    // is volatile.
    unsafe { table.add(usize::from(note & 127)).read_volatile() }
}

impl TuningSource for Client {
    fn has_master(&self) -> bool {
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

    fn filters(&self, channel: Option<u8>, note: u8) -> bool {
        let Some(library) = self.0 else { return false };
        let own = channel.filter(|channel| Self::channel_table(library, *channel).is_some());
        // SAFETY: see `load`.
        unsafe {
            match (own, library.channel_filters) {
                (Some(channel), Some(filters)) => filters(signed(note), signed(channel & 15)),
                (Some(_), None) => false,
                (None, _) => (library.filters)(signed(note), channel.map_or(-1, signed)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system's loader finds these libraries by their names alone.
    #[test]
    fn a_library_is_loaded_by_an_absolute_path_only() {
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
