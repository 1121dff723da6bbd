//! `touchback lab film`: the window while a performance plays, as a moving picture (APNG).
//!
//! All frames share one palette. A frame holds the rectangle that has changed, with the pixels transparent that
//! have not; a frame without a change lengthens the one before it.

use std::collections::HashMap;
use std::io::Write;

use anyhow::{Context, Result, bail};
use color_quant::NeuQuant;

use touchback_core::math::cast::{byte, floor_index, single};
use touchback_instrument::midi_file::Score;
use touchback_offline::output::{self, Draft, Shown as _, progress};
use touchback_offline::paths::{InputPath, OutputFile};
use touchback_window::face::Face;
use touchback_window::offscreen::Picture;
use touchback_window::shot::Shot;
use touchback_window::shot::film::Film;

/// Largest MIDI file, bytes.
const LIMIT: u64 = 10_000_000;
/// Colours of the palette; one more index is transparent.
const COLOURS: usize = 255;
const TRANSPARENT: u8 = 255;
/// Share of the pixels from which the palette is found: one in this many.
const SAMPLED: usize = 61;

/// Options of `touchback lab film`.
#[derive(clap::Args, Debug)]
pub struct FilmOptions {
    /// The performance
    #[arg(value_name = "IN.mid")]
    input: InputPath,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    output: OutputFile,
    /// Beginning within the performance, s
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    from: f64,
    /// Duration, s
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    duration: f64,
    /// Frames a second
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=60))]
    rate: u16,
    /// Width of the window, points
    #[arg(long, default_value_t = 900.0)]
    width: f64,
    /// Height of the window, points
    #[arg(long, default_value_t = 600.0)]
    height: f64,
    /// Pixels per point
    #[arg(long, default_value_t = 0.8)]
    scale: f64,
    /// Dark colours
    #[arg(long)]
    dark: bool,
}

/// Runs `touchback lab film`.
///
/// # Errors
/// A size or duration out of range, a MIDI file that cannot be read, a file that cannot be written.
pub fn run(options: &FilmOptions) -> Result<()> {
    let FilmOptions { from, duration, width, height, scale, .. } = *options;
    for (name, value, range) in [
        ("--from", from, 0.0..=36_000.0),
        ("--duration", duration, 0.1..=60.0),
        ("--width", width, 320.0..=2_000.0),
        ("--height", height, 240.0..=2_000.0),
        ("--scale", scale, 0.5..=2.0),
    ] {
        if !range.contains(&value) {
            bail!("{name} takes {} to {}, not {value}", range.start(), range.end());
        }
    }
    let file = options.input.shown();
    let score = Score::read(&file, &output::read(&options.input, LIMIT)?)?;
    let draft = Draft::create(&options.output)?;
    let size = (single(width), single(height));
    let dark = options.dark;
    let shot = Shot { size, scale: single(scale), dark, face: Face::Piano, ..Shot::default() };
    let pictures = pictures(&shot, &score, options);
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

/// One frame of the file: the changed rectangle (left, top, width, height), its indices, and its duration in
/// frames.
struct Frame {
    area: [usize; 4],
    indices: Vec<u8>,
    shown: u16,
}

/// The frames of `pictures` with indices of a palette by `index`.
fn frames(pictures: &[Vec<u8>], width: usize) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut before: Option<&Vec<u8>> = None;
    for now in pictures {
        let Some(old) = before.replace(now) else {
            let area = [0, 0, width, now.len() / width];
            frames.push(Frame { area, indices: now.clone(), shown: 1 });
            continue;
        };
        let changed = (0..now.len()).filter(|i| now[*i] != old[*i]);
        let mut ends = [usize::MAX, usize::MAX, 0, 0];
        for i in changed {
            let (x, y) = (i % width, i / width);
            ends = [ends[0].min(x), ends[1].min(y), ends[2].max(x), ends[3].max(y)];
        }
        let [left, top, right, bottom] = ends;
        match frames.last_mut() {
            Some(last) if left > right => last.shown += 1,
            _ => {
                let rows = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
                let indices = rows.map(|i| if now[i] == old[i] { TRANSPARENT } else { now[i] });
                let area = [left, top, right - left + 1, bottom - top + 1];
                frames.push(Frame { area, indices: indices.collect(), shown: 1 });
            }
        }
    }
    frames
}

/// Writes the pictures, all of one size, as APNG at `rate` frames a second, repeated for ever.
fn write(to: impl Write, pictures: &[Picture], rate: u16) -> Result<()> {
    let Some(first) = pictures.first() else { bail!("no frame") };
    let sample: Vec<u8> = pictures
        .iter()
        .flat_map(|picture| picture.rgba.chunks_exact(4).step_by(SAMPLED).flatten().copied())
        .collect();
    let colours = NeuQuant::new(10, COLOURS, &sample);
    let mut found: HashMap<[u8; 4], u8> = HashMap::new();
    let mut index = |pixel: &[u8]| {
        let pixel = [pixel[0], pixel[1], pixel[2], 255];
        *found.entry(pixel).or_insert_with(|| byte(colours.index_of(&pixel)))
    };
    let indexed: Vec<Vec<u8>> = pictures
        .iter()
        .map(|picture| picture.rgba.chunks_exact(4).map(&mut index).collect())
        .collect();
    let frames = frames(&indexed, first.width);
    let whole = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(to, whole(first.width), whole(first.height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    let mut palette = colours.color_map_rgb();
    palette.resize(3 * (COLOURS + 1), 0);
    encoder.set_palette(palette);
    let mut opacity = vec![255; COLOURS];
    opacity.push(0);
    encoder.set_trns(opacity);
    encoder.set_animated(whole(frames.len()), 0)?;
    encoder.set_blend_op(png::BlendOp::Over)?;
    encoder.set_dispose_op(png::DisposeOp::None)?;
    let mut writer = encoder.write_header()?;
    for (number, Frame { area: [left, top, width, height], indices, shown }) in
        frames.iter().enumerate()
    {
        writer.set_frame_delay(*shown, rate)?;
        // The first frame has the size and the place of the picture.
        if number > 0 {
            writer.reset_frame_position()?;
            writer.set_frame_dimension(whole(*width), whole(*height))?;
            writer.set_frame_position(whole(*left), whole(*top))?;
        }
        writer.write_image_data(indices)?;
    }
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(spot: usize) -> Picture {
        let mut picture = Picture::new(8, 4, [250, 240, 230, 255]);
        picture.rgba[4 * spot..4 * spot + 3].copy_from_slice(&[20, 30, 200]);
        picture
    }

    #[test]
    fn frames_hold_what_has_changed_and_last_until_the_next_change() {
        let pictures = [vec![1, 1, 1, 1], vec![1, 1, 1, 1], vec![1, 1, 1, 2], vec![1, 3, 1, 2]];
        let frames = frames(&pictures, 2);
        let found: Vec<_> =
            frames.iter().map(|f| (f.area, f.indices.as_slice(), f.shown)).collect();
        assert_eq!(
            found,
            [
                ([0, 0, 2, 2], &[1, 1, 1, 1][..], 2),
                ([1, 1, 1, 1], &[2], 1),
                ([1, 0, 1, 1], &[3], 1)
            ]
        );
    }

    #[test]
    fn a_moving_picture_is_read_back() {
        let mut file = Vec::new();
        write(&mut file, &[picture(0), picture(9), picture(9), picture(31)], 10).unwrap();
        let mut reader = png::Decoder::new(file.as_slice()).read_info().unwrap();
        let info = reader.info();
        assert_eq!((info.width, info.height), (8, 4));
        assert_eq!(info.animation_control.map(|control| control.num_frames), Some(3));
        let mut delays = Vec::new();
        let mut pixels = vec![0; reader.output_buffer_size()];
        for _ in 0..3 {
            reader.next_frame(&mut pixels).unwrap();
            let control = reader.info().frame_control.unwrap();
            delays.push((control.delay_num, control.delay_den));
        }
        assert_eq!(delays, [(1, 10), (2, 10), (1, 10)]);
    }
}
