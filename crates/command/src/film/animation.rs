//! A moving picture (APNG) of pictures of one size.
//!
//! All frames share one palette. A frame holds the rectangle that has changed, with the pixels transparent that
//! have not; a frame without a change lengthens the one before it.

use std::collections::HashMap;
use std::io::Write;

use anyhow::{Result, bail};
use color_quant::NeuQuant;

use touchback_core::math::cast::byte;
use touchback_window::offscreen::Picture;

/// Colours of the palette; one more index is transparent.
const COLOURS: usize = 255;
const TRANSPARENT: u8 = 255;
/// Share of the pixels from which the palette is found: one in this many.
const SAMPLED: usize = 61;

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
pub(super) fn write(to: impl Write, pictures: &[Picture], rate: u16) -> Result<()> {
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
