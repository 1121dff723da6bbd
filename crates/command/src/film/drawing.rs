//! The frames of a performance or walk.

use anyhow::{Context, Result};

use super::animation::write;
use super::player::Film;
use super::walk::{self, Walk};
use super::{FilmOptions, LIMIT};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::text::encoding::decode;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::settings::Timing;
use touchback_offline::output::{self, Draft, Shown as _, progress};
use touchback_window::faces::face::Face;
use touchback_window::offscreen::Picture;
use touchback_window::shot::Shot;

/// The window at first.
fn shot(options: &FilmOptions) -> Shot {
    let FilmOptions { width, height, scale, dark, .. } = *options;
    let size = (single(width), single(height));
    Shot { size, scale: single(scale), dark, face: Face::Piano, ..Shot::default() }
}

/// Writes `pictures`, `rate` a second.
fn keep(draft: Draft, options: &FilmOptions, pictures: &[Picture], rate: u16) -> Result<()> {
    let refused = || format!("{}: cannot write", options.output.shown());
    write(draft.writer()?, pictures, rate).with_context(refused)?;
    Ok(draft.keep()?)
}

/// Draws the frames of a performance and writes them.
pub(super) fn draw(options: &FilmOptions, score: &Score) -> Result<()> {
    let draft = Draft::create(&options.output)?;
    let rate = f64::from(options.rate);
    let mut shot = shot(options);
    // Fingers are seen as they press.
    shot.settings.touch.timing = Timing::Natural;
    let mut film = Film::new(&shot, rate);
    film.perform(score, options.from);
    let count = floor_index((options.duration * rate).round());
    let bar = progress(count as u64, "drawing");
    // The first frames lay out the window.
    for _ in 0..4 {
        let _ = film.frame();
    }
    let frame = |_| {
        film.advance(1.0 / rate);
        bar.inc(1);
        film.frame()
    };
    let pictures: Vec<Picture> = (0..count).map(frame).collect();
    keep(draft, options, &pictures, options.rate)
}

/// Performs the walk in `bytes`, draws its frames and writes them.
pub(super) fn draw_walk(options: &FilmOptions, bytes: &[u8]) -> Result<()> {
    let file = options.input.shown();
    let walk: Walk = toml::from_str(&decode(bytes)).with_context(|| file.clone())?;
    let music = walk.music.as_ref().map(|name| -> Result<Score> {
        let path = options.input.with_file_name(name);
        Ok(Score::read(name, &output::read(&path, LIMIT)?)?)
    });
    let music = music.transpose()?;
    let draft = Draft::create(&options.output)?;
    let mut film = Film::new(&shot(options), walk::RATE.into());
    let performed = walk.perform(&mut film, music.as_ref(), true);
    let pictures = performed.map_err(|fault| anyhow::anyhow!("{file}: {fault}"))?;
    keep(draft, options, &pictures, walk::RATE)
}
