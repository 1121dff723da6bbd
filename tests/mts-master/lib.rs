//! A library with the names of the system's MTS-ESP library, for tests: one table, one per channel,
//! notes left out. Its master is whoever loaded it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};

const NOTES: usize = 128;
const CHANNELS: usize = 16;

/// Frequencies as bits, Hz: tables of single channels, then the table of all.
static TABLES: [[AtomicU64; NOTES]; CHANNELS + 1] =
    [const { [const { AtomicU64::new(0) }; NOTES] }; CHANNELS + 1];
static OWN_TABLE: [AtomicBool; CHANNELS] = [const { AtomicBool::new(false) }; CHANNELS];
static LEFT_OUT: [AtomicBool; NOTES] = [const { AtomicBool::new(false) }; NOTES];
static MASTER: AtomicBool = AtomicBool::new(false);
static CLIENTS: AtomicI32 = AtomicI32::new(0);

/// A note or channel, 0 for what is none.
fn place(number: i8) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// An `AtomicU64` of a number's bits lies in memory as the number does.
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
    /// A client comes.
    fn MTS_RegisterClient() { CLIENTS.fetch_add(1, Relaxed); }
    /// A client goes.
    fn MTS_DeregisterClient() { CLIENTS.fetch_sub(1, Relaxed); }
    /// Clients there are.
    fn MTS_GetNumClients() -> i32 { CLIENTS.load(Relaxed) }
    /// The master comes.
    fn MTS_RegisterMaster(_itself: *const c_void) { MASTER.store(true, Relaxed); }
    /// The master goes.
    fn MTS_DeregisterMaster() { MASTER.store(false, Relaxed); }
    /// Whether there is one.
    fn MTS_HasMaster() -> bool { MASTER.load(Relaxed) }
    /// Frequencies of all channels, Hz.
    fn MTS_GetTuningTable() -> *const f64 { table(CHANNELS) }
    /// Frequencies of one channel, Hz.
    fn MTS_GetMultiChannelTuningTable(channel: i8) -> *const f64 { table(place(channel)) }
    /// Whether a channel has its own.
    fn MTS_UseMultiChannelTuning(channel: i8) -> bool { OWN_TABLE[place(channel)].load(Relaxed) }
    /// Whether a note is left out.
    fn MTS_ShouldFilterNote(note: i8, _channel: i8) -> bool { LEFT_OUT[place(note)].load(Relaxed) }
    /// Whether a note of a channel's own table is left out: none.
    fn MTS_ShouldFilterNoteMultiChannel(_note: i8, _channel: i8) -> bool { false }
    /// The master tunes a note to `hz`.
    fn MTS_SetNoteTuning(hz: f64, note: i8) {
        TABLES[CHANNELS][place(note)].store(hz.to_bits(), Relaxed);
    }
    /// The master tunes a note of one channel to `hz`.
    fn MTS_SetMultiChannelNoteTuning(hz: f64, note: i8, channel: i8) {
        TABLES[place(channel)][place(note)].store(hz.to_bits(), Relaxed);
    }
    /// The master gives a channel its own table.
    fn MTS_SetMultiChannel(own: bool, channel: i8) { OWN_TABLE[place(channel)].store(own, Relaxed); }
    /// The master leaves a note out.
    fn MTS_FilterNote(out: bool, note: i8, _channel: i8) { LEFT_OUT[place(note)].store(out, Relaxed); }
}
