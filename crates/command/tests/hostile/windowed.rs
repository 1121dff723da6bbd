//! Hostile hosts with the plugin's window open. Most tests need an X server with OpenGL, e.g. from `xvfb-run`,
//! and are ignored by default:
//!
//! ```text
//! xvfb-run -a -s "-noreset -screen 0 1700x1100x24" cargo test --test hostile window -- --ignored
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use touchback_core::math::random::Random;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, ImageFormat, PropMode, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::broken_rules::misuse_of_a_window;
use crate::harass;
use crate::host::{Event, Instance};
use crate::outputs::Outputs;
use crate::strange_hosts::in_a_liar;

/// Locks the screen for one test: windows hide each other, and settings apply to all.
pub(crate) fn alone() -> (MutexGuard<'static, ()>, RustConnection, usize) {
    static TURN: Mutex<()> = Mutex::new(());
    // Before the turn: a server without clients resets itself, and refuses connections meanwhile.
    let (x, screen) = RustConnection::connect(None).expect("an X server");
    (TURN.lock().unwrap_or_else(PoisonError::into_inner), x, screen)
}

/// A black parent window for a plugin.
pub(crate) fn parent(x: &RustConnection, screen: usize) -> u32 {
    let (window, screen) = (x.generate_id().unwrap(), &x.setup().roots[screen]);
    let (class, root) = (WindowClass::INPUT_OUTPUT, screen.root);
    let aux = CreateWindowAux::new().background_pixel(screen.black_pixel).override_redirect(1);
    x.create_window(0, window, root, 0, 0, 1180, 760, 0, class, 0, &aux).unwrap();
    x.map_window(window).unwrap();
    x.get_input_focus().unwrap().reply().unwrap();
    window
}

/// The window's functions are there for every host: some ask for them before they offer their own.
#[test]
#[cfg_attr(not(feature = "window"), ignore = "needs the feature `window`")]
fn a_host_without_windows_opens_none() {
    let instance = Instance::active();
    assert!(instance.has_window() && !instance.creates_window());
    assert!(Instance::to_be_shown().has_window());
}

#[test]
#[ignore = "needs an X server: `xvfb-run cargo test --test hostile windowed -- --ignored`"]
fn a_random_host_does_no_harm_with_the_window_open() {
    let (_turn, x, screen) = alone();
    let end = crate::end();
    let mut seed = 0;
    while Instant::now() < end {
        seed += 1;
        let mut random = Random::new(1_000 + seed);
        let window = parent(&x, screen);
        let instance = Instance::to_be_shown();
        instance.open_window(window);
        for part in 0..3 {
            harass(&instance, &mut random, seed);
            if part == 1 {
                instance.close_window();
                instance.open_window(window);
            }
        }
        instance.close_window();
        drop(instance);
        x.destroy_window(window).unwrap();
        x.flush().unwrap();
    }
    println!("{} blocks of {seed} instances with a window", 120 * seed);
}

#[test]
#[ignore = "needs an X server: `xvfb-run cargo test --test hostile windowed -- --ignored`"]
fn a_window_tolerates_misuse() {
    let (_turn, x, screen) = alone();
    let window = parent(&x, screen);
    for instance in [Instance::to_be_shown(), in_a_liar()] {
        misuse_of_a_window(&instance, window);
        instance.open_window(window);
        instance.close_window();
    }
    x.destroy_window(window).unwrap();
    x.flush().unwrap();
}

/// The plugin's window in the host's.
fn child(x: &RustConnection, window: u32) -> u32 {
    let children = x.query_tree(window).unwrap().reply().unwrap().children;
    let [child] = children[..] else { panic!("one window in the host's: {children:?}") };
    child
}

/// Time until the pixels of `window` differ from each other; `None` if they never do.
fn drawn_after(x: &RustConnection, window: u32) -> Option<Duration> {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        // Refused while it is hidden.
        let image = x.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, 600, 400, !0).unwrap().reply();
        if image.is_ok_and(|image| image.data.chunks(4).any(|pixel| pixel != &image.data[..4])) {
            return Some(begin.elapsed());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// A frame requested before the window is shown must not wait for an event that never comes.
#[test]
#[ignore = "needs an X server: `xvfb-run cargo test --test hostile windowed -- --ignored`"]
fn a_window_is_drawn_even_if_the_host_shows_it_late() {
    let (_turn, x, screen) = alone();
    for late in [0, 10, 30, 100, 300].map(Duration::from_millis) {
        let window = parent(&x, screen);
        let instance = Instance::to_be_shown();
        instance.make_window(window);
        std::thread::sleep(late);
        instance.show_window();
        let drawn = drawn_after(&x, child(&x, window));
        println!("shown {late:?} late: drawn after {drawn:?}");
        assert!(drawn.is_some(), "shown {late:?} late");
        instance.close_window();
        drop(instance);
        x.destroy_window(window).unwrap();
        x.flush().unwrap();
    }
}

#[test]
#[ignore = "needs an X server: `xvfb-run cargo test --test hostile windowed -- --ignored`"]
fn the_first_window_at_192_dpi_has_twice_as_many_pixels() {
    let (_turn, x, screen) = alone();
    let (root, string) = (x.setup().roots[screen].root, AtomEnum::STRING);
    let settings = |text: &[u8]| {
        x.change_property8(PropMode::REPLACE, root, AtomEnum::RESOURCE_MANAGER, string, text)
            .unwrap()
            .check()
            .unwrap();
    };
    settings(b"Xft.dpi:\t192\n");
    let window = parent(&x, screen);
    let instance = Instance::to_be_shown();
    assert_eq!(instance.window_size(), (2360, 1520));
    instance.open_window(window);
    settings(b"");
    let child = child(&x, window);
    let size = x.get_geometry(child).unwrap().reply().unwrap();
    assert_eq!((size.width, size.height), (2360, 1520));
    let atom = x.intern_atom(true, b"_XEMBED_INFO").unwrap().reply().unwrap().atom;
    let mark = x.get_property(false, child, atom, atom, 0, 2).unwrap().reply().unwrap();
    assert_eq!(mark.value32().unwrap().collect::<Vec<_>>(), [0, 1]);
    instance.close_window();
    drop(instance);
    x.destroy_window(window).unwrap();
    x.flush().unwrap();
}

/// Plays three notes in blocks of `block` samples at `rate`, at which the instance is started.
fn play(instance: &Instance, rate: f64, block: u32) -> Vec<u32> {
    instance.stop();
    instance.deactivate();
    assert!(instance.activate(rate) && instance.start());
    let (mut samples, mut at) = (Vec::new(), 0);
    while at < 4_096 {
        let frames = block.min(4_096 - at);
        let outputs = Outputs::stereo(frames);
        let notes: Vec<_> = [(0, 48), (700, 60), (2_100, 67)]
            .into_iter()
            .filter(|(time, _)| (at..at + frames).contains(time))
            .map(|(time, key)| Event::note_on(time - at, key))
            .collect();
        instance.process(frames, Some(&outputs), &notes).expect("processed");
        samples.extend(outputs.channels[0].samples().iter().map(|s| s.to_bits()));
        at += frames;
    }
    samples
}

#[test]
#[ignore = "needs an X server: `xvfb-run cargo test --test hostile windowed -- --ignored`"]
fn rate_and_blocks_change_under_an_open_window() {
    let (_turn, x, screen) = alone();
    let window = parent(&x, screen);
    let instance = Instance::to_be_shown();
    instance.open_window(window);
    for (rate, block) in [(48_000.0, 512), (96_000.0, 64), (22_050.0, 300), (48_000.0, 1)] {
        let played = play(&instance, rate, block);
        assert!(played == play(&Instance::active(), rate, 512), "{rate} Hz, blocks of {block}");
    }
    instance.close_window();
    drop(instance);
    x.destroy_window(window).unwrap();
    x.flush().unwrap();
}
