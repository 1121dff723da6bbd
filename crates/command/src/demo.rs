//! The demonstration: a piece rendered by the built plugin in an embedded host, its beginning played on an emulated
//! haptic keyboard, one stroke of the action, and a page about them.

mod fingers;
mod keyboard;
mod play;
mod report;

pub(crate) use touchback_offline::prelude::BARS;

use std::path::Path;
use std::thread;

use anyhow::{Context as _, Result, anyhow};

use crate::host::{self, Host};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params;
use touchback_offline::gesture::Gesture;
use touchback_offline::output::{self, Draft, Shown as _};
use touchback_offline::table::Curve;
use touchback_offline::wave::Wave;
use touchback_offline::{plot, prelude, simulate};

/// The automated parameter, and its values at shares of the piece's length: the standard value up to
/// [`STANDARD`], then softer felt, hardest where the music is loudest (bar 29), softest at the end.
const AUTOMATED: &str = "hammer_hardness";
const COURSE: [(f64, f64); 5] =
    [(0.0, 0.0), (STANDARD, 0.0), (0.55, -0.9), (0.8, 1.0), (1.0, -1.2)];

/// Share of the piece without automation.
const STANDARD: f64 = 0.35;

/// The action of the second rendering, and the number of its bars.
const OTHER: &str = "harpsichord";
const OTHER_BARS: usize = 4;

/// Largest number of bars on the emulated keyboard, which take as long as they sound.
const KEYBOARD_BARS: usize = 2;

/// The drawn stroke: a mezzoforte press, held, then released.
const STROKE: &str = "\
[[part]]
form = \"hold\"
duration_s = 0.01
[[part]]
form = \"pressed\"
force_n = 7
duration_s = 0.16
[[part]]
form = \"release\"
duration_s = 0.2
speed_m_s = 0.4
";

/// MIDI note of the stroke's key: middle C.
const STROKE_KEY: u8 = 60;

/// Parses a number of bars of the prelude.
pub(crate) fn bars(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=BARS).contains(count));
    count.ok_or_else(|| format!("the prelude has {BARS} bars; give a number from 1 to {BARS}"))
}

/// Plays the first `bars` bars of the demonstration and writes everything to `folder`.
///
/// # Errors
/// The plugin library is missing, or a file cannot be written; then nothing is written.
pub fn run(folder: &Path, bars: usize) -> Result<()> {
    // Steps that can fail come before the rendering, which takes long.
    let library = host::find()?;
    let entry = host::entry(&library)?;
    let mut plugin = Host::new(&entry).with_context(|| library.shown())?;
    let bytes = prelude::midi(bars);
    let score = Score::read("prelude.mid", &bytes)?;
    let parameter = params::find(AUTOMATED)?;
    let end = score.end();
    let points = COURSE.iter().map(|(share, value)| (share * end, *value)).collect();
    let curve = Curve::new(points).context("the automation is empty")?;
    let unpedalled = |bars| Score::read("beginning.mid", &prelude::beginning(bars));
    let beginning = unpedalled(OTHER_BARS.min(bars))?;
    let touched = unpedalled(KEYBOARD_BARS.min(bars))?;
    let chooser = params::find("action")?;
    let choice = Curve::new(vec![(0.0, chooser.parse(OTHER)?)]).context("no other action")?;
    let key =
        KeyNumber::from_midi(STROKE_KEY).context("the stroke's key is outside the compass")?;
    let mut mechanism = simulate::plants::start("grand", key, &Settings::default(), None)?;
    let mut stroke = Gesture::from_toml("stroke.toml", STROKE.as_bytes())?;
    let stroke_figure = simulate::figure_of(
        &mut stroke,
        mechanism.as_mut(),
        key,
        "Grand action, middle C, pressed",
    )?;

    let new = output::new_folder(folder)?;
    let names = [
        "prelude.mid",
        "prelude.wav",
        "harpsichord.wav",
        "keyboard.wav",
        "keyboard.png",
        "level.png",
        "stroke.toml",
        "stroke.png",
        "report.md",
    ];
    let drafts = names
        .iter()
        .map(|name| Draft::create(&folder.join(name)))
        .collect::<Result<Vec<_>, _>>()?;
    let [midi, wav, other_wav, keyboard_wav, keyboard_png, level_png, toml, stroke_png, page] =
        &drafts[..]
    else {
        anyhow::bail!("a file is missing from the demonstration's list")
    };

    midi.write_all(&bytes)?;
    toml.write_all(STROKE.as_bytes())?;
    // The keyboard plays in real time and leaves most of its core idle.
    let (played, level, seconds, session) = thread::scope(|scope| {
        let keyboard = scope.spawn(|| {
            let mut wave = Wave::new(keyboard_wav, play::RATE)?;
            let session = keyboard::play(&entry, &touched, &mut wave)?;
            wave.finish()?;
            anyhow::Ok(session)
        });
        let mut wave = Wave::new(wav, play::RATE)?;
        let played = play::play(&mut plugin, &score, parameter, &curve, &mut wave)?;
        let (level, seconds) = (*wave.level(), wave.frames() as f64 / f64::from(play::RATE));
        wave.finish()?;
        let mut other = Wave::new(other_wav, play::RATE)?;
        play::play(&mut plugin, &beginning, chooser, &choice, &mut other)?;
        other.finish()?;
        let session = keyboard.join().map_err(|_| anyhow!("the keyboard's host stopped"))??;
        anyhow::Ok((played, level, seconds, session))
    })?;
    for halt in &session.halts {
        output::warn(&format!("warning: the emulated keyboard {halt}"));
    }
    plot::draw(&report::keyboard_figure(&session), keyboard_png)?;
    plot::draw(&report::level_figure(&score, &played, parameter, &curve), level_png)?;
    plot::draw(&stroke_figure, stroke_png)?;
    let range = COURSE
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, v)| (a.min(*v), b.max(*v)));
    let text = report::page(&report::Performance {
        bars,
        score: &score,
        output: &played,
        level: &level,
        seconds,
        parameter,
        range,
        session: &session,
    });
    page.write_all(text.as_bytes())?;
    for draft in drafts {
        draft.keep()?;
    }
    new.keep();

    let mut text = String::new();
    for name in names {
        text += &format!("wrote {}\n", folder.join(name).shown());
    }
    let factor = played.real_time_factor;
    text += &format!("{seconds:.1} s of music, {factor:.1} times real time\n");
    output::print(&text)
}
