//! Memory that instances hold, free and touch.

use std::time::{Duration, Instant};

use crate::allocations::held;
use crate::host::{Event, Instance};
use crate::outputs::Outputs;

/// Samples of a block while a keyboard is on.
const FRAMES: u32 = 128;

/// Most bytes of one more instance (9.91 million measured): 7 MB in use, and reserves for bursts of events and for a window's
/// steps, which are not touched before they are needed.
const MOST: i64 = 10_000_000;

/// Most bytes that stay after the last instance: caches from the first use.
const KEPT: i64 = 200_000;

/// Most pages that the audio thread may touch first in 3 s: the library's code and its own stack. A piano or
/// keyboard that was not touched at activation has hundreds.
const PAGES: i64 = 60;

#[test]
fn instances_share_equal_data_and_free_everything() {
    // At a rate that no other test uses: instances at one rate share.
    let active = || {
        let instance = Instance::new();
        assert!(instance.activate(47_110.0));
        instance
    };
    // Data that is created once per process stays.
    drop(active());
    let (first, one) = held(active);
    let (more, four) = held(|| [(); 4].map(|()| active()));
    let each = four / 4;
    assert!(
        each < MOST && each < one - 4_000_000,
        "the first {one}, each further one {each} bytes"
    );
    let ((), given) = held(|| drop(first));
    assert!(given + each < KEPT, "{given} bytes come back of one of several, which holds {each}");
    let ((), given) = held(|| drop(more));
    let kept = one + four + given;
    assert!(kept - each < KEPT, "{kept} bytes stay when all are gone");
}

/// Number of pages that the calling thread has touched first so far.
fn touched() -> i64 {
    // SAFETY: numbers, of which all zeros are some.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: room for what is written.
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) }, 0);
    usage.ru_minflt
}

#[test]
fn the_audio_thread_of_a_keyboard_touches_no_new_memory() {
    let state = r#"{"version":"0.2.0","params":{},"fields":{"keyboard":"plays=1\nport=emulator"}}"#;
    for state in [None, Some(state)] {
        let instance = Instance::new();
        state.into_iter().for_each(|state| instance.load(state));
        assert!(instance.activate(48_000.0));
        let pages = std::thread::scope(|scope| {
            let audio = scope.spawn(|| {
                assert!(instance.start());
                let (outputs, begin) = (Outputs::stereo(FRAMES), Instant::now());
                let (mut pages, mut block) = (0, 0);
                while block < 1200 {
                    let event = match block % 100 {
                        50 => vec![Event::note_on(0, 60), Event::note_on(0, 40)],
                        90 => vec![Event::note_off(0, 60), Event::note_off(0, 40)],
                        _ => Vec::new(),
                    };
                    let before = touched();
                    instance.process(FRAMES, Some(&outputs), &event).expect("processed");
                    pages += touched() - before;
                    block += 1;
                    if state.is_none() {
                        continue;
                    }
                    // In real time, because the keyboard moves in real time.
                    let due = Duration::from_secs_f64(f64::from(block * FRAMES) / 48_000.0);
                    std::thread::sleep(due.saturating_sub(begin.elapsed()));
                }
                instance.stop();
                pages
            });
            audio.join().unwrap()
        });
        println!("{pages} pages, state {state:?}");
        assert!(pages <= PAGES, "{pages} pages, state {state:?}");
        instance.deactivate();
    }
}
