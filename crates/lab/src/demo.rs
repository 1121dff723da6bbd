//! The demonstration: a piece through the built plugin in an embedded host, one stroke of the
//! action, and a page about both.

mod performance;
mod play;
mod prelude;
mod report;

pub(crate) use performance::midi as piece;
pub(crate) use prelude::BARS;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::gesture::Gesture;
use crate::host::{self, Host};
use crate::midi::Score;
use crate::output::{self, Draft, Shown as _};
use crate::table::Curve;
use crate::wave::Wave;
use crate::{plot, simulate};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_instrument::params;

/// The parameter that moves over the piece, and its values at shares of the piece's length: the concert
/// grand as it is up to [`STANDARD`], softer felt then, hardest where the music is loudest (bar 29),
/// softer than ever at the end.
const AUTOMATED: &str = "hammer_hardness";
const COURSE: [(f64, f64); 5] =
    [(0.0, 0.0), (STANDARD, 0.0), (0.55, -0.9), (0.8, 1.0), (1.0, -1.2)];

/// Share of the piece through which nothing is moved.
const STANDARD: f64 = 0.35;

/// The action of the second rendering, and how many bars it plays.
const OTHER: &str = "harpsichord";
const OTHER_BARS: usize = 4;

/// The stroke that is drawn: a mezzoforte press, held, then let go.
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

/// The key it is played on: middle C.
const STROKE_KEY: u8 = 60;

/// A number of bars of the prelude, from text.
pub(crate) fn bars(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=BARS).contains(count));
    count.ok_or_else(|| format!("the prelude has {BARS} bars; give a number from 1 to {BARS}"))
}

/// Plays the first `bars` bars of the demonstration and writes everything to `folder`.
///
/// # Errors
/// When the plugin library is missing or the disk refuses; then nothing is written.
pub fn run(folder: &Path, bars: usize) -> Result<()> {
    // What can fail without sound fails first.
    let library = host::find()?;
    let mut plugin = Host::load(&library)?;
    let bytes = performance::midi(bars);
    let score = Score::read("prelude.mid", &bytes)?;
    let parameter = params::find(AUTOMATED)?;
    let end = score.end();
    let points = COURSE.iter().map(|(share, value)| (share * end, *value)).collect();
    let curve = Curve::new(points).context("the automation is empty")?;
    let beginning = Score::read("harpsichord.mid", &performance::beginning(OTHER_BARS.min(bars)))?;
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
        "level.png",
        "stroke.toml",
        "stroke.png",
        "report.md",
    ];
    let drafts = names
        .iter()
        .map(|name| Draft::create(&folder.join(name)))
        .collect::<Result<Vec<_>, _>>()?;
    let [midi, wav, other_wav, level_png, toml, stroke_png, page] = &drafts[..] else {
        anyhow::bail!("a file is missing from the demonstration's list")
    };

    midi.write_all(&bytes)?;
    toml.write_all(STROKE.as_bytes())?;
    let mut wave = Wave::new(wav, play::RATE)?;
    let heard = play::play(&mut plugin, &score, parameter, &curve, &mut wave)?;
    let (level, seconds) = (*wave.level(), wave.frames() as f64 / f64::from(play::RATE));
    wave.finish()?;
    let mut other = Wave::new(other_wav, play::RATE)?;
    play::play(&mut plugin, &beginning, chooser, &choice, &mut other)?;
    other.finish()?;
    plot::draw(&report::level_figure(&score, &heard, parameter, &curve), level_png)?;
    plot::draw(&stroke_figure, stroke_png)?;
    let range = COURSE
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, v)| (a.min(*v), b.max(*v)));
    let text = report::page(&score, &heard, &level, seconds, parameter, range);
    page.write_all(text.as_bytes())?;
    for draft in drafts {
        draft.keep()?;
    }
    new.keep();

    let mut said = String::new();
    for name in names {
        said += &format!("wrote {}\n", folder.join(name).shown());
    }
    let factor = heard.real_time_factor;
    said += &format!("{seconds:.1} s of music, {factor:.1} times real time\n");
    output::print(&said)
}
