//! The frames of a performance.

use anyhow::{Context, Result};

use super::FilmOptions;
use super::animation::write;
use touchback_core::math::cast::{floor_index, single};
use touchback_instrument::host::midi_file::Score;
use touchback_offline::output::{Draft, Shown as _, progress};
use touchback_window::faces::face::Face;
use touchback_window::offscreen::Picture;
use touchback_window::shot::Shot;
use touchback_window::shot::film::Film;

/// Draws the frames and writes them.
pub(super) fn draw(options: &FilmOptions, score: &Score) -> Result<()> {
    let FilmOptions { width, height, scale, .. } = *options;
    let draft = Draft::create(&options.output)?;
    let size = (single(width), single(height));
    let dark = options.dark;
    let shot = Shot { size, scale: single(scale), dark, face: Face::Piano, ..Shot::default() };
    let pictures = pictures(&shot, score, options);
    let refused = || format!("{}: cannot write", options.output.shown());
    write(draft.writer()?, &pictures, options.rate).with_context(refused)?;
    Ok(draft.keep()?)
}

/// Plays the score and draws its frames.
fn pictures(shot: &Shot, score: &Score, options: &FilmOptions) -> Vec<Picture> {
    let rate = f64::from(options.rate);
    let mut film = Film::new(shot, rate);
    let count = floor_index((options.duration * rate).round());
    let bar = progress(count as u64, "drawing");
    let mut messages = score
        .events
        .iter()
        .map(|(at, message)| (*at as f64 / score.per_second as f64 - options.from, *message));
    let mut waiting = messages.find(|(at, _)| *at >= 0.0);
    // The first frames lay out the window.
    for _ in 0..4 {
        let _ = film.frame();
    }
    (0..count)
        .map(|frame| {
            let end = (frame + 1) as f64 / rate;
            while film.time() < end {
                let mut now = Vec::new();
                while let Some((_, message)) = waiting.take_if(|(at, _)| *at <= film.time()) {
                    now.push(message);
                    waiting = messages.next();
                }
                film.advance(&now);
            }
            bar.inc(1);
            film.frame()
        })
        .collect()
}
