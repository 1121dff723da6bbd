//! The built plugin in a session tuned by an MTS-ESP master.
//!
//! The library is the test's own, or the one named by `TOUCHBACK_MTS_ESP`: the published library has the same
//! function names. The plugin loads it once per process, so this test is a program of its own.
#![allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")]

use std::ffi::c_void;
use std::path::PathBuf;

use libloading::Library;
use touchback_command::host::{self, Host, Message, Timed};

const RATE: f64 = 48_000.0;
const LIBRARY: &str = "TOUCHBACK_MTS_ESP";

/// The master's side of the library.
struct Master(Library);

impl Master {
    fn call<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the callers below name functions of these types.
        unsafe { *self.0.get(name.as_bytes()).expect("a function of the published interface") }
    }

    fn register(&self) {
        self.call::<extern "C" fn(*const c_void)>("MTS_RegisterMaster")(std::ptr::null());
    }

    fn leave(&self) {
        self.call::<extern "C" fn()>("MTS_DeregisterMaster")();
    }

    /// Tunes every note to equal temperament from `a4` Hz.
    fn tune(&self, a4: f64) {
        let set = self.call::<extern "C" fn(f64, i8)>("MTS_SetNoteTuning");
        for note in 0..=127_i8 {
            set(a4 * ((f64::from(note) - 69.0) / 12.0).exp2(), note);
        }
    }

    /// Gives channel 3 (from 0) a tuning table of its own, from `a4` Hz.
    fn tune_channel(&self, a4: f64) {
        let set = self.call::<extern "C" fn(f64, i8, i8)>("MTS_SetMultiChannelNoteTuning");
        for note in 0..=127_i8 {
            set(a4 * ((f64::from(note) - 69.0) / 12.0).exp2(), note, 3);
        }
        self.call::<extern "C" fn(bool, i8)>("MTS_SetMultiChannel")(true, 3);
    }

    fn leave_out(&self, note: i8) {
        self.call::<extern "C" fn(bool, i8, i8)>("MTS_FilterNote")(true, note, -1);
    }

    fn clients(&self) -> i32 {
        self.call::<extern "C" fn() -> i32>("MTS_GetNumClients")()
    }
}

/// Renders 0.5 s, after 50 ms.
fn rendered(host: &mut Host, messages: &[Message]) -> Vec<f32> {
    let at_once: Vec<_> = messages.iter().map(|what| Timed { at: 0, what: *what }).collect();
    let (mut left, mut right) = (vec![0.0; 2_400], vec![0.0; 2_400]);
    host.process(&at_once, &mut left, &mut right).unwrap();
    let mut sound = Vec::new();
    for _ in 0..10 {
        host.process(&[], &mut left, &mut right).unwrap();
        sound.extend_from_slice(&left);
    }
    sound
}

/// Level of one frequency, under a Hann window.
fn level(rendered: &[f32], hz: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (i, sample) in rendered.iter().enumerate() {
        let turn = std::f64::consts::TAU * i as f64;
        let window = 0.5 - 0.5 * (turn / rendered.len() as f64).cos();
        let (sin, cos) = (turn * hz / RATE).sin_cos();
        re += window * f64::from(*sample) * cos;
        im += window * f64::from(*sample) * sin;
    }
    re.hypot(im) / rendered.len() as f64
}

/// The pitch of the sound: the nearest of A4 and A4 raised by 50, 150 and 300 cents, cents.
fn pitch(rendered: &[f32]) -> f64 {
    let at = |cents: f64| level(rendered, 440.0 * (cents / 1200.0).exp2());
    [0.0, 50.0, 150.0, 300.0].into_iter().max_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap()
}

fn off(host: &mut Host) {
    rendered(host, &[Message::Midi([0xb0, 120, 0])]);
}

#[test]
fn a_piano_follows_the_sessions_tuning_while_it_rings() {
    let plugin = host::find().unwrap();
    let own = plugin.with_file_name(libloading::library_filename("touchback_mts_master"));
    let path = std::env::var_os(LIBRARY).map_or(own, PathBuf::from);
    // SAFETY: no other thread of this program runs yet that could read the environment.
    unsafe { std::env::set_var(LIBRARY, &path) };
    // SAFETY: a library of the published interface, whose loading has no other effects.
    let master = Master(unsafe { Library::new(&path) }.unwrap());
    let a4 = |cents: f64| 440.0 * (cents / 1200.0).exp2();

    let mut host = Host::load(&plugin).unwrap();
    assert_eq!(master.clients(), 1);
    host.activate(RATE, 2_400).unwrap();
    let press = Message::NoteOn(69, 0.5);
    assert_eq!(pitch(&rendered(&mut host, &[press])), 0.0, "nobody tunes");
    master.tune(a4(50.0));
    master.register();
    assert_eq!(pitch(&rendered(&mut host, &[])), 50.0, "while it rings");
    master.tune(a4(150.0));
    assert_eq!(pitch(&rendered(&mut host, &[])), 150.0);
    // The tuning survives silence, a new piano and a new press.
    off(&mut host);
    assert_eq!(pitch(&rendered(&mut host, &[press])), 150.0);
    host.deactivate();
    host.activate(RATE / 2.0, 2_400).unwrap();
    host.deactivate();
    host.activate(RATE, 2_400).unwrap();
    assert_eq!(pitch(&rendered(&mut host, &[press])), 150.0);
    // A channel with its own table, and a note without a pitch.
    off(&mut host);
    master.tune_channel(a4(300.0));
    assert_eq!(pitch(&rendered(&mut host, &[Message::Midi([0x93, 69, 64])])), 300.0);
    off(&mut host);
    master.leave_out(69);
    assert!(rendered(&mut host, &[press]).iter().all(|sample| *sample == 0.0), "left out");
    master.leave();
    assert_eq!(pitch(&rendered(&mut host, &[press])), 0.0, "the master has gone");
    host.deactivate();
    drop(host);
    assert_eq!(master.clients(), 0);
}
