//! A library with the functions of the system's MTS-ESP library, for tests: one table for all channels, one
//! per channel, filtered notes. The test that loads the library is the master.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

const NOTES: usize = 128;
const CHANNELS: usize = 16;

/// Bits of the frequencies, Hz: tables of single channels, then the table of all channels.
static TABLES: [[AtomicU64; NOTES]; CHANNELS + 1] =
    [const { [const { AtomicU64::new(0) }; NOTES] }; CHANNELS + 1];
static OWN_TABLE: [AtomicBool; CHANNELS] = [const { AtomicBool::new(false) }; CHANNELS];
static FILTERED: [AtomicBool; NOTES] = [const { AtomicBool::new(false) }; NOTES];
static MASTER: AtomicBool = AtomicBool::new(false);
static CLIENTS: AtomicI32 = AtomicI32::new(0);

/// The index of a note or channel; 0 for a negative number.
fn index(number: i8) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// The table's first number: an `AtomicU64` with a number's bits has the number's memory layout.
fn table(which: usize) -> *const f64 {
    TABLES[which].as_ptr().cast()
}

macro_rules! exported {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $($(#[$doc])*
        // SAFETY: the name is of the published interface, and only this library has it.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) $(-> $result)? $body)*
    };
}

exported! {
    /// Registers a client.
    fn MTS_RegisterClient() { CLIENTS.fetch_add(1, Relaxed); }
    /// Removes a client.
    fn MTS_DeregisterClient() { CLIENTS.fetch_sub(1, Relaxed); }
    /// Number of clients.
    fn MTS_GetNumClients() -> i32 { CLIENTS.load(Relaxed) }
    /// Registers the master.
    fn MTS_RegisterMaster(_itself: *const c_void) { MASTER.store(true, Relaxed); }
    /// Removes the master.
    fn MTS_DeregisterMaster() { MASTER.store(false, Relaxed); }
    /// Whether there is a master.
    fn MTS_HasMaster() -> bool { MASTER.load(Relaxed) }
    /// Frequencies of all channels, Hz.
    fn MTS_GetTuningTable() -> *const f64 { table(CHANNELS) }
    /// Frequencies of one channel, Hz.
    fn MTS_GetMultiChannelTuningTable(channel: i8) -> *const f64 { table(index(channel)) }
    /// Whether a channel has its own table.
    fn MTS_UseMultiChannelTuning(channel: i8) -> bool { OWN_TABLE[index(channel)].load(Relaxed) }
    /// Whether a note is filtered.
    fn MTS_ShouldFilterNote(note: i8, _channel: i8) -> bool { FILTERED[index(note)].load(Relaxed) }
    /// Whether a note of a channel's own table is filtered: never.
    fn MTS_ShouldFilterNoteMultiChannel(_note: i8, _channel: i8) -> bool { false }
    /// Sets the frequency of a note, Hz.
    fn MTS_SetNoteTuning(hz: f64, note: i8) {
        TABLES[CHANNELS][index(note)].store(hz.to_bits(), Relaxed);
    }
    /// Sets the frequency of a note of one channel, Hz.
    fn MTS_SetMultiChannelNoteTuning(hz: f64, note: i8, channel: i8) {
        TABLES[index(channel)][index(note)].store(hz.to_bits(), Relaxed);
    }
    /// Sets whether a channel has its own table.
    fn MTS_SetMultiChannel(own: bool, channel: i8) { OWN_TABLE[index(channel)].store(own, Relaxed); }
    /// Sets whether a note is filtered.
    fn MTS_FilterNote(out: bool, note: i8, _channel: i8) { FILTERED[index(note)].store(out, Relaxed); }
}
