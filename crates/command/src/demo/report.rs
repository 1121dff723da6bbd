//! The demonstration's figures and page.

use super::keyboard::{KeyboardSession, Load, TracePoint};
use super::play::HostOutput;
use super::{BARS, KEYBOARD_BARS, OTHER_BARS};
use touchback_core::files::samples::Level;
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params::Parameter;
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_offline::table::Curve;

/// Points of the envelope per point of the level curve: 100 ms.
const LEVEL: usize = 5;

/// Waveform, level, strikes and the automated parameter over time.
pub(super) fn level_figure(
    score: &Score,
    output: &HostOutput,
    parameter: &Parameter,
    curve: &Curve,
) -> Figure {
    let points = &output.envelope;
    let end = points.last().map_or(1.0, |p| p.0);
    let low = points.iter().map(|p| (p.0, f64::from(p.1))).collect();
    let high = points.iter().map(|p| f64::from(p.2)).collect();
    let level = points.chunks(LEVEL).map(|part| {
        let mean = part.iter().map(|p| p.3).sum::<f64>() / part.len() as f64;
        (part[part.len() / 2].0, (10.0 * libm::log10(mean)).max(-100.0))
    });
    let notes = score.events.iter().filter_map(|(time, event)| match event {
        InputMessage::NoteOn { velocity, .. } => {
            Some((*time as f64 / score.per_second as f64, velocity * 127.0))
        }
        _ => None,
    });
    let moves = points.iter().map(|p| (p.0, curve.at(p.0))).collect();
    let unit = parameter.unit();
    let label = format!("{}{}{unit}", parameter.name, if unit.is_empty() { "" } else { ", " });
    Figure {
        title: "Bach, Prelude in C major BWV 846, through the plugin".into(),
        x: Axis::new("time, s").within(0.0, end),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("wave, full scale 1"),
                vec![Series::new("", low, palette(0), Shape::Area(high))],
            ),
            Subplot::new(
                Axis::new("level, dBFS"),
                vec![Series::line("", level.collect(), palette(0))],
            ),
            Subplot::new(
                Axis::new("strikes, MIDI velocity").within(0.0, 127.0),
                vec![Series::new("", notes.collect(), palette(1), Shape::Stems)],
            ),
            Subplot::new(Axis::new(&label), vec![Series::line("", moves, palette(2))]),
        ],
    }
}

/// Depth and forces of one key of the emulated keyboard, and the strikes of all keys.
pub(super) fn keyboard_figure(session: &KeyboardSession) -> Figure {
    let end = session.trace.last().map_or(1.0, |point| point.time);
    let curve = |value: fn(&TracePoint) -> f64| {
        session.trace.iter().map(|point| (point.time, value(point))).collect()
    };
    let strikes = session.strikes.iter().map(|s| (s.time, s.velocity * 127.0)).collect();
    Figure {
        title: format!("Piano key {} of the emulated haptic keyboard", session.traced.number()),
        x: Axis::new("time, s").within(0.0, end),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("depth of the key, mm"),
                vec![Series::line("", curve(|point| point.depth * 1e3), palette(0))],
            ),
            Subplot::new(
                Axis::new("force, N"),
                vec![
                    Series::line("motor", curve(|point| point.motor), palette(1)),
                    Series::line("finger", curve(|point| point.finger), palette(2)),
                ],
            ),
            Subplot::new(
                Axis::new("strikes of all keys, MIDI velocity").within(0.0, 127.0),
                vec![Series::new("", strikes, palette(3), Shape::Stems)],
            ),
        ],
    }
}

/// What the page is about.
pub(super) struct Performance<'a> {
    /// Number of bars played.
    pub(super) bars: usize,
    pub(super) score: &'a Score,
    pub(super) output: &'a HostOutput,
    pub(super) level: &'a Level,
    /// Length of the sound, s.
    pub(super) seconds: f64,
    /// The automated parameter, and its least and greatest value.
    pub(super) parameter: &'a Parameter,
    pub(super) range: (f64, f64),
    pub(super) session: &'a KeyboardSession,
}

/// "the first 3 bars", "the first bar" or "all 35 bars".
fn bars(count: usize) -> String {
    match count {
        BARS => format!("all {BARS} bars"),
        1 => "the first bar".into(),
        count => format!("the first {count} bars"),
    }
}

/// The page that explains the folder.
pub(super) fn page(shown: &Performance<'_>) -> String {
    let Performance { score, parameter, level, .. } = shown;
    let notes =
        score.events.iter().filter(|(_, e)| matches!(e, InputMessage::NoteOn { .. })).count();
    format!(
        "# Touchback demonstration\n\n\
         Johann Sebastian Bach, Prelude in C major, BWV 846, {played}, played through the \
         built plugin {version} in an embedded CLAP host: the concert grand as it is for the first {still:.0} s, \
         then with {name} moving between {from} and {to}.\n\n\
         | | |\n| --- | --- |\n\
         | notes | {notes} |\n\
         | length | {seconds:.1} s |\n\
         | peak | {peak:.1} dBFS |\n\
         | level (rms) | {rms:.1} dBFS |\n\
         | computing speed | {factor:.1} times real time |\n\n\
         ![wave, level, strikes and the automated parameter](level.png)\n\n\
         {keyboard}\
         ## One stroke\n\n\
         One key of the action under a pressing hand, as `touchback simulate stroke.toml \
         --plot stroke.png` draws it:\n\n\
         ![one stroke of the action](stroke.png)\n\n\
         ## Files\n\n\
         `harpsichord.wav` is {other} with the harpsichord's action under the same keys: \
         the plectra pluck the strings, as loud at every touch.\n\n\
         `prelude.mid` is the performance itself: `touchback render prelude.mid -o my.wav` plays \
         it without a plugin host.\n",
        played = bars(shown.bars),
        other = bars(shown.bars.min(OTHER_BARS)),
        keyboard = keyboard_section(shown.session, shown.bars),
        version = env!("CARGO_PKG_VERSION"),
        still = super::STANDARD * score.end(),
        name = parameter.name,
        from = parameter.text(shown.range.0),
        to = parameter.text(shown.range.1),
        seconds = shown.seconds,
        peak = level.peak_dbfs(),
        rms = level.rms_dbfs(),
        factor = shown.output.real_time_factor,
    )
}

/// The part of the page about the keyboard.
fn keyboard_section(session: &KeyboardSession, count: usize) -> String {
    let state = &session.state;
    let finger = session.trace.iter().fold(0.0, |force: f64, point| force.max(point.finger));
    let depth = session.trace.iter().fold(0.0, |depth: f64, point| depth.max(point.depth));
    let halts = match &session.halts[..] {
        [] => "0".to_owned(),
        halts => format!("{} ({})", halts.len(), halts.join("; ")),
    };
    let load = |load: &Load| {
        format!(
            "{:.1} % mean, {:.1} % in 95 % of the blocks",
            load.mean() * 100.0,
            load.percentile_95() * 100.0
        )
    };
    format!(
        "## The haptic keyboard\n\n\
         Emulated fingers play {played} on an emulated motorized keyboard of {keys} keys. It is connected to \
         the plugin by the port `{port}`, a pseudo-terminal where the system has them. The plugin's sidecar thread \
         simulates the actions of the touched keys and commands the motors; the strikes of their hammers sound in \
         `keyboard.wav`. The session runs in real time.\n\n\
         | | |\n| --- | --- |\n\
         | presses of fingers | {presses} |\n\
         | strikes felt: simulated by the sidecar | {felt} |\n\
         | strikes heard: sounded by the audio thread | {heard} |\n\
         | of these with a rise of the key's fundamental in the sound | {risen} |\n\
         | greatest force of a motor | {motor:.1} N |\n\
         | greatest force of a finger on key {traced}, greatest depth | {finger:.1} N, {depth:.1} mm |\n\
         | round trips, mean, longest | {trips}, {mean:.2} ms, {longest:.2} ms |\n\
         | states of the keyboard, lost | {states}, {lost} |\n\
         | state of the connection at the end | {text} |\n\
         | halts, after which the motors were armed again | {halts} |\n\
         | load of the audio thread with the keyboard | {with} |\n\
         | the same notes from MIDI | {without} |\n\n\
         ![depth and forces of one key, strikes of all](keyboard.png)\n\n",
        played = bars(count.min(KEYBOARD_BARS)),
        keys = session.keys,
        port = session.port,
        presses = session.presses,
        felt = state.strikes,
        heard = session.strikes.len(),
        risen = session.risen,
        motor = session.peak,
        traced = session.traced.number(),
        depth = depth * 1e3,
        trips = state.round_trips,
        mean = state.mean_round_trip_s * 1e3,
        longest = state.longest_round_trip_s * 1e3,
        states = state.states,
        lost = state.lost_states,
        text = state.text,
        with = load(&session.with),
        without = load(&session.without),
    )
}
