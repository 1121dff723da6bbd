//! The stack that an instance needs on a thread of a host.

use std::ffi::c_void;

use clap_sys::ext::state::{CLAP_EXT_STATE, clap_plugin_state};
use clap_sys::stream::clap_ostream;

use crate::host::{Event, Instance};
use crate::outputs::Outputs;
use crate::{FRAMES, blow, vst3_host};

/// Stack of the thread on which the tests run, bytes.
const ROOM: usize = 4 << 20;
/// Most stack that a thread of a host needs, bytes, thread-local variables included.
const MOST: usize = 128 << 10;
/// What the stack is filled with.
const UNUSED: u8 = 0xA5;

/// Bytes of stack that `work` uses on a thread of its own.
fn stack_used(mut work: fn()) -> usize {
    extern "C" fn run(work: *mut c_void) -> *mut c_void {
        // SAFETY: the caller's function, which outlives the thread.
        let work = unsafe { *work.cast::<fn()>() };
        work();
        std::ptr::null_mut()
    }
    // SAFETY: a mapping of its own, as long as the thread, which is joined before it is read.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let stack = libc::mmap(std::ptr::null_mut(), ROOM, access, flags, -1, 0);
        assert_ne!(stack, libc::MAP_FAILED);
        stack.write_bytes(UNUSED, ROOM);
        let (mut attributes, mut thread) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::pthread_attr_init(&raw mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, stack, ROOM), 0);
        let started = libc::pthread_create(
            &raw mut thread,
            &raw const attributes,
            run,
            (&raw mut work).cast(),
        );
        assert_eq!(started, 0);
        assert_eq!(libc::pthread_join(thread, std::ptr::null_mut()), 0);
        let bytes = std::slice::from_raw_parts(stack.cast::<u8>(), ROOM);
        let unused = bytes.iter().take_while(|byte| **byte == UNUSED).count();
        assert_eq!(libc::munmap(stack, ROOM), 0);
        ROOM - unused
    }
}

unsafe extern "C" fn all(_: *const clap_ostream, _: *const c_void, size: u64) -> i64 {
    i64::try_from(size).unwrap()
}

/// A whole life of a CLAP instance.
fn clap_life() {
    let instance = Instance::active();
    let outputs = Outputs::stereo(FRAMES);
    let events = [Event::note_on(3, 60), Event::value(70, blow(), 0.3), Event::note_off(99, 60)];
    instance.process(FRAMES, Some(&outputs), &events).expect("played");
    // Another regulation, and look-ahead timing, which measures presses at its first activation.
    instance.load(
        r#"{"version":"0.2.0","params":{"blow_mm":{"f32":44.0},"timing":{"i32":2}},"fields":{}}"#,
    );
    instance.process(FRAMES, Some(&outputs), &[]).expect("played");
    instance.reset();
    instance.stop();
    instance.deactivate();
    assert!(instance.activate(44_100.0) && instance.start());
    instance.process(FRAMES, Some(&outputs), &events).expect("played");
    // SAFETY: the extension of this name is of this type.
    let state: &clap_plugin_state = unsafe { instance.extension(CLAP_EXT_STATE) };
    let stream = clap_ostream { ctx: std::ptr::null_mut(), write: Some(all) };
    // SAFETY: the plugin is there, and the stream outlives the call.
    assert!(unsafe { state.save.expect("a function")(instance.plugin, &raw const stream) });
    instance.stop();
    instance.deactivate();
}

/// A whole life of a VST3 instance.
fn vst3_life() {
    let plugin = vst3_host::Plugin::active();
    let outputs = Outputs::stereo(FRAMES);
    let frames = i32::try_from(FRAMES).unwrap();
    let events = [vst3_host::note_on(3, 60), vst3_host::note_off(99, 60)];
    plugin.process((frames, 0), Some(&outputs), &[(blow(), 70, 0.3)], &events).expect("played");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "unoptimized code needs more stack")]
fn a_thread_with_a_small_stack_makes_plays_and_ends_an_instance() {
    for (name, life) in [("CLAP", clap_life as fn()), ("VST3", vst3_life)] {
        let used = stack_used(life);
        println!("{name}: {used} bytes of stack");
        assert!(used <= MOST, "{name}: {used} bytes of stack");
    }
}
