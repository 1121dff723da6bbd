//! The built plugin's window in an X11 host: drawing, playing, resizing, saved size, 200 openings. Needs an X
//! server with OpenGL, so the tests are ignored by default:
//!
//! ```text
//! xvfb-run -a -s "-noreset -screen 0 1700x1100x24" cargo test --test hostile window:: -- --ignored --nocapture
//! ```
//!
//! `TOUCHBACK_SHOTS=DIR` saves screenshots in DIR; `TOUCHBACK_OPENINGS=500` opens the window 500 times.

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clack_extensions::gui::{
    GuiApiType, GuiConfiguration, GuiSize, HostGui, HostGuiImpl, PluginGui, Window,
};
use clack_extensions::state::PluginState;
use clack_host::events::Match;
use clack_host::events::event_types::{NoteOffEvent, NoteOnEvent};
use clack_host::prelude::*;
use touchback_command::host::{PLUGIN_ID, find};
use touchback_offline::memory::resident;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, Window as XWindow};
use x11rb::rust_connection::RustConnection;

use crate::windowed::{alone, parent};

const RATE: f64 = 48_000.0;
const BLOCK: u32 = 64;

/// Largest growth of the process from the 50th to the 500th opening of a window, MB: 20 MB of keyboard maps
/// kept by the window library (40 kB per opening), the rest free memory in heaps of threads.
const GROWTH: f64 = 100.0;

#[derive(Default)]
struct Shared {
    callback: AtomicBool,
}

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {
        self.callback.store(true, Ordering::Release);
    }
}

/// Requests of the plugin's window; the tests query the plugin themselves.
impl HostGuiImpl for Shared {
    fn resize_hints_changed(&self) {}
    fn request_resize(&self, _: GuiSize) -> Result<(), HostError> {
        Ok(())
    }
    fn request_show(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn request_hide(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn closed(&self, _: bool) {}
}

struct Handlers;

impl HostHandlers for Handlers {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();

    fn declare_extensions(builder: &mut HostExtensions<Self>, _: &Self::Shared<'_>) {
        builder.register::<HostGui>();
    }
}

/// A screen with a parent window for a plugin.
struct Screen {
    x: RustConnection,
    root: XWindow,
    parent: XWindow,
}

impl Screen {
    /// The screen `number` of the server `x`.
    fn new(x: RustConnection, number: usize) -> Self {
        let (root, parent) = (x.setup().roots[number].root, parent(&x, number));
        Self { x, root, parent }
    }

    fn resize(&self, size: GuiSize) {
        let aux = x11rb::protocol::xproto::ConfigureWindowAux::new()
            .width(size.width)
            .height(size.height);
        self.x.configure_window(self.parent, &aux).unwrap();
        self.x.flush().unwrap();
    }

    /// The pixels on the screen, RGB.
    fn pixels(&self, size: GuiSize) -> Vec<[u8; 3]> {
        let (width, height) = (short(size.width), short(size.height));
        let image = self
            .x
            .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, !0)
            .unwrap()
            .reply()
            .unwrap();
        image.data.chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect()
    }

    /// Number of colours on the screen, up to 50: a blank window has one.
    fn colours(&self, size: GuiSize) -> usize {
        let mut seen = std::collections::BTreeSet::new();
        for colour in self.pixels(size) {
            seen.insert(colour);
            if seen.len() >= 50 {
                break;
            }
        }
        seen.len()
    }

    fn shoot(&self, size: GuiSize, name: &str) {
        let Some(folder) = std::env::var_os("TOUCHBACK_SHOTS") else { return };
        let rgb: Vec<u8> = self.pixels(size).concat();
        let mut text = format!("P6\n{} {}\n255\n", size.width, size.height).into_bytes();
        text.extend(rgb);
        std::fs::write(Path::new(&folder).join(format!("{name}.ppm")), text).unwrap();
    }
}

fn short(n: u32) -> u16 {
    u16::try_from(n).unwrap()
}

fn load() -> PluginInstance<Handlers> {
    let path = find().expect("the built plugin");
    // SAFETY: the library is this project's own build.
    let entry = unsafe { PluginEntry::load(&path) }.expect("a CLAP plugin");
    // The library stays loaded: threads that end later run its destructors.
    std::mem::forget(entry.clone());
    let info = HostInfo::new("Touchback tests", "Touchback", "", "1").unwrap();
    let id = CString::new(PLUGIN_ID).unwrap();
    PluginInstance::new(|()| Shared::default(), |_| (), &entry, &id, &info).expect("an instance")
}

fn gui(instance: &PluginInstance<Handlers>) -> PluginGui {
    instance.plugin_shared_handle().get_extension().expect("a window")
}

fn answer(instance: &mut PluginInstance<Handlers>) {
    if instance.access_shared_handler(|s| s.callback.swap(false, Ordering::AcqRel)) {
        instance.call_on_main_thread_callback();
    }
}

const X11: GuiConfiguration = GuiConfiguration { api_type: GuiApiType::X11, is_floating: false };

/// Opens the window in `screen` and waits until it is drawn: time to return, and time to the first picture.
fn open(instance: &mut PluginInstance<Handlers>, screen: &Screen) -> (Duration, Duration) {
    let gui = gui(instance);
    let begin = Instant::now();
    let handle = instance.plugin_handle();
    gui.create(&handle, X11).expect("a window can be made");
    let size = gui.get_size(&handle).expect("a size");
    screen.resize(size);
    let parent = Window::from_x11_handle(screen.parent.into());
    // SAFETY: the parent outlives the plugin's window: `close` comes before the screen goes.
    unsafe { gui.set_parent(&handle, parent) }.expect("a parent is taken");
    // A host may call `show` or not; a plugin that is always shown may refuse.
    let _ = gui.show(&handle);
    let returned = begin.elapsed();
    while screen.colours(size) < 20 {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing is drawn");
        answer(instance);
        std::thread::sleep(Duration::from_millis(2));
    }
    (returned, begin.elapsed())
}

fn close(instance: &mut PluginInstance<Handlers>) {
    let gui = gui(instance);
    gui.destroy(&instance.plugin_handle());
    answer(instance);
}

fn wait(instance: &mut PluginInstance<Handlers>, milliseconds: u64) {
    let end = Instant::now() + Duration::from_millis(milliseconds);
    while Instant::now() < end {
        answer(instance);
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Plays a chord every 0.5 s for `seconds` of real time on a thread of its own. Computing times of the blocks,
/// s, sorted.
fn play(
    processor: StoppedPluginAudioProcessor<Handlers>,
    seconds: f64,
) -> std::thread::JoinHandle<(StoppedPluginAudioProcessor<Handlers>, Vec<f64>)> {
    std::thread::spawn(move || {
        let mut processor = processor.start_processing().expect("it plays");
        let mut ports = AudioPorts::with_capacity(2, 1);
        let frames = usize::try_from(BLOCK).unwrap();
        let (mut left, mut right) = (vec![0.0f32; frames], vec![0.0f32; frames]);
        let mut events = EventBuffer::with_capacity(64);
        let mut times = Vec::new();
        let period = f64::from(BLOCK) / RATE;
        let begin = Instant::now();
        let mut block = 0u32;
        while f64::from(block) * period < seconds {
            events.clear();
            let keys = [48u16, 55, 60, 64, 67, 72];
            for key in keys {
                let pckn = Pckn::new(0u16, 0u16, key, Match::All);
                match block % 375 {
                    0 => events.push(&NoteOnEvent::new(0, pckn, 0.7)),
                    300 => events.push(&NoteOffEvent::new(0, pckn, 0.5)),
                    _ => {}
                }
            }
            let mut outputs = ports.with_output_buffers([AudioPortBuffer {
                latency: 0,
                channels: AudioPortBufferType::f32_output_only([&mut left[..], &mut right[..]]),
            }]);
            let start = Instant::now();
            processor
                .process(
                    &InputAudioBuffers::empty(),
                    &mut outputs,
                    &events.as_input(),
                    &mut OutputEvents::void(),
                    None,
                    None,
                )
                .expect("a block");
            times.push(start.elapsed().as_secs_f64());
            block += 1;
            let due = Duration::from_secs_f64(f64::from(block) * period);
            std::thread::sleep(due.saturating_sub(begin.elapsed()));
        }
        times.sort_by(f64::total_cmp);
        (processor.stop_processing(), times)
    })
}

/// Median, 99 % quantile and maximum of sorted times, µs.
fn figures(times: &[f64]) -> [f64; 3] {
    let at = |percent: usize| 1e6 * times[(times.len() - 1) * percent / 100];
    [at(50), at(99), at(100)]
}

#[test]
#[ignore = "needs an X server: see the file's head"]
fn the_window_is_drawn_while_music_plays_and_remembers_its_size() {
    let (_turn, x, number) = alone();
    let mut instance = load();
    let configuration = PluginAudioConfiguration {
        sample_rate: RATE,
        min_frames_count: 1,
        max_frames_count: BLOCK,
    };
    let processor = instance.activate(|_, ()| (), configuration).expect("active");
    let (processor, without) = play(processor, 4.0).join().unwrap();

    let screen = Screen::new(x, number);
    let (returned, drawn) = open(&mut instance, &screen);
    println!("open: returns after {returned:?}, first picture after {drawn:?}");
    let playing = play(processor, 4.0);
    let usual = GuiSize { width: 1180, height: 760 };
    wait(&mut instance, 700);
    let first = screen.pixels(usual);
    screen.shoot(usual, "playing");
    // The chord is held from 0.5 to 0.9 s: its keys have risen in the second picture.
    wait(&mut instance, 270);
    let moved = first.iter().zip(screen.pixels(usual)).filter(|(a, b)| **a != *b).count();
    assert!(moved > 500, "only {moved} pixels moved while music plays");
    let (processor, with) = playing.join().unwrap();
    println!(
        "blocks of {BLOCK}, µs (median, 99 %, worst): window closed {:.0?}, open {:.0?}",
        figures(&without),
        figures(&with)
    );
    // The sound does not depend on the window.
    assert_eq!(with.len(), without.len());

    let gui = gui(&instance);
    let handle = instance.plugin_handle();
    assert!(gui.can_resize(&handle));
    let asked = GuiSize { width: 900, height: 600 };
    assert_eq!(gui.adjust_size(&handle, asked), Some(asked));
    let least = gui.adjust_size(&handle, GuiSize { width: 100, height: 100 }).unwrap();
    assert_eq!((least.width, least.height), (720, 480));
    for (size, name) in
        [(least, "smallest"), (asked, "900x600"), (GuiSize { width: 1600, height: 1000 }, "large")]
    {
        screen.resize(size);
        gui.set_size(&instance.plugin_handle(), size).expect("a size is taken");
        wait(&mut instance, 600);
        assert!(screen.colours(size) >= 20);
        screen.shoot(size, name);
    }
    let size = gui.get_size(&instance.plugin_handle()).unwrap();
    assert_eq!((size.width, size.height), (1600, 1000));
    close(&mut instance);

    // Another instance with the same state opens with the same size.
    let state: PluginState = instance.plugin_shared_handle().get_extension().unwrap();
    let mut saved = Vec::new();
    state.save(&instance.plugin_handle(), &mut saved).unwrap();
    instance.deactivate(processor);
    let mut other = load();
    let state: PluginState = other.plugin_shared_handle().get_extension().unwrap();
    state.load(&other.plugin_handle(), &mut &saved[..]).unwrap();
    let window = self::gui(&other);
    window.create(&other.plugin_handle(), X11).unwrap();
    let size = window.get_size(&other.plugin_handle()).unwrap();
    window.destroy(&other.plugin_handle());
    assert_eq!((size.width, size.height), (1600, 1000));
}

/// The window's thread may not have begun its loop when it is told to end.
#[test]
#[ignore = "needs an X server: see the file's head"]
fn a_window_closes_in_the_moment_of_its_opening() {
    let (_turn, _x, _) = alone();
    let mut instance = load();
    let window = gui(&instance);
    for _ in 0..300 {
        window.create(&instance.plugin_handle(), X11).unwrap();
        window.destroy(&instance.plugin_handle());
    }
}

#[test]
#[ignore = "needs an X server: see the file's head"]
fn two_hundred_openings_take_no_further_memory() {
    let (_turn, x, number) = alone();
    let mut instance = load();
    let screen = Screen::new(x, number);
    let count = std::env::var("TOUCHBACK_OPENINGS").map_or(200, |count| count.parse().unwrap());
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for opening in 1..=count {
        let (_, drawn) = open(&mut instance, &screen);
        times.push(1e3 * drawn.as_secs_f64());
        close(&mut instance);
        screen.x.clear_area(false, screen.parent, 0, 0, 0, 0).unwrap();
        screen.x.get_input_focus().unwrap().reply().unwrap();
        if opening % 50 == 0 {
            memory.push(resident().expect("Linux tells") / 1e6);
            println!("{opening} openings: {:.0} MB", memory[memory.len() - 1]);
        }
    }
    times.sort_by(f64::total_cmp);
    let last = times.len() - 1;
    println!(
        "{count} openings, ms to the first picture: least {:.0}, median {:.0}, most {:.0}",
        times[0],
        times[last / 2],
        times[last]
    );
    // The first 50 openings include memory that the system's OpenGL keeps.
    let growth = memory.last().zip(memory.first()).map_or(0.0, |(last, first)| last - first);
    assert!(growth < GROWTH, "{growth:.0} MB more from the 50th opening to the last");
}
