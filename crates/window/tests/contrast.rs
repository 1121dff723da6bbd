//! Contrast of every text with its ground, on every face, light and dark.
#![allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")]

use std::collections::BTreeMap;

use egui::epaint::TextShape;
use egui::{Color32, Shape};

use touchback_core::math::cast::floor_index;
use touchback_window::faces::face::Face;
use touchback_window::offscreen::{Offscreen, Picture};
use touchback_window::shot::Shot;
use touchback_window::state::controls::DetachedControls;

/// Least contrast of text [WCAG 2.1, 1.4.3].
const LEAST: f64 = 4.5;
/// Texts of controls without effect are translucent, and need no contrast [WCAG 2.1, 1.4.3].
const OPAQUE: u8 = 250;

/// Relative luminance of an sRGB colour [WCAG 2.1].
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (a, b) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Takes the texts out of `shape`.
fn take_texts(shape: &mut Shape, texts: &mut Vec<TextShape>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter_mut().for_each(|shape| take_texts(shape, texts)),
        Shape::Text(_) => {
            if let Shape::Text(text) = std::mem::replace(shape, Shape::Noop) {
                texts.push(text);
            }
        }
        _ => {}
    }
}

/// The colours of a text's parts.
fn colours(text: &TextShape) -> Vec<Color32> {
    let own = text.galley.job.sections.iter().map(|section| section.format.color);
    let own = own.map(|own| if own == Color32::PLACEHOLDER { text.fallback_color } else { own });
    own.map(|own| text.override_text_color.unwrap_or(own).gamma_multiply(text.opacity_factor))
        .collect()
}

/// The most frequent colour of `picture` in a text's rectangle; none outside the picture.
fn ground(picture: &Picture, text: &TextShape) -> Option<[u8; 3]> {
    let rect = text.galley.rect.translate(text.pos.to_vec2());
    let pixels = |from: f32, to: f32, most: usize| {
        floor_index(f64::from(from.max(0.0)))..floor_index(f64::from(to.max(0.0))).min(most)
    };
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for row in pixels(rect.min.y, rect.max.y, picture.height) {
        for column in pixels(rect.min.x, rect.max.x, picture.width) {
            let at = 4 * (row * picture.width + column);
            *counts.entry([0, 1, 2].map(|i| picture.rgba[at + i])).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(colour, _)| colour)
}

/// Texts of the picture with less contrast than is needed, with it, and the number of texts seen.
fn weak_texts(shot: &Shot) -> (Vec<String>, usize) {
    let mut window = shot.window();
    let mut controls = DetachedControls::default();
    let mut screen = Offscreen::default();
    window.apply_theme(&screen.context);
    let mut play = Vec::new();
    let mut frame =
        || screen.frame(shot.size, 1.0, Vec::new(), |ui| window.ui(ui, &mut controls, &mut play));
    for _ in 0..4 {
        frame().drop_without_applying_deltas();
    }
    let mut output = frame();
    let mut texts = Vec::new();
    for clipped in &mut output.shapes {
        let mut own = Vec::new();
        take_texts(&mut clipped.shape, &mut own);
        own.retain(|text| {
            let rect = text.galley.rect.translate(text.pos.to_vec2());
            clipped.clip_rect.contains_rect(rect.shrink(1.0))
        });
        texts.extend(own);
    }
    let picture = screen.draw(output, shot.size, 1.0);
    let (mut weak, mut count) = (Vec::new(), 0);
    for text in &texts {
        let Some(ground) = ground(&picture, text) else { continue };
        for colour in colours(text).into_iter().filter(|colour| colour.a() >= OPAQUE) {
            count += 1;
            let found = contrast([colour.r(), colour.g(), colour.b()], ground);
            if found < LEAST {
                weak.push(format!("{found:.2} {:?} {colour:?} on {ground:?}", text.galley.text()));
            }
        }
    }
    weak.sort();
    weak.dedup();
    (weak, count)
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn every_text_has_contrast_with_its_ground() {
    let (mut count, mut all) = (0, Vec::new());
    for dark in [false, true] {
        for (face, list_open) in
            Face::ALL.map(|face| (face, false)).into_iter().chain([(Face::Piano, true)])
        {
            for time in [None, Some(-3e-3)] {
                let shot = Shot { dark, face, list_open, time, ..Shot::default() };
                let (weak, seen) = weak_texts(&shot);
                let theme = if dark { "dark" } else { "light" };
                all.extend(weak.into_iter().map(|text| format!("{face:?}, {theme}: {text}")));
                count += seen;
            }
        }
    }
    assert!(all.is_empty(), "{all:#?}");
    assert!(count > 500, "{count} texts");
}

#[test]
fn contrast_is_that_of_the_guideline() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    // The darkest grey that passes on white.
    assert!(contrast([118; 3], [255; 3]) > LEAST && contrast([119; 3], [255; 3]) < LEAST);
}
