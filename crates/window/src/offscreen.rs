//! The window without a screen: egui's meshes rasterised in software by the rules of its GPU shaders
//! (colours multiplied and blended in gamma space, premultiplied; soft edges are part of the meshes).
//!
//! For pictures and tests, never on the audio thread.

use std::collections::HashMap;
use std::io::Write;

use egui::epaint::{Mesh, Primitive, Vertex};
use egui::{ColorImage, Context, FullOutput, ImageData, RawInput, Rect, TextureId, Ui, pos2, vec2};

use touchback_core::math::cast::floor_index;
use touchback_core::picture::write_png;

/// An opaque or transparent picture: RGBA, premultiplied, rows from the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Width, px.
    pub width: usize,
    /// Height, px.
    pub height: usize,
    /// `4·width·height` bytes.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// A picture of one colour.
    #[must_use]
    pub fn new(width: usize, height: usize, colour: [u8; 4]) -> Self {
        Self { width, height, rgba: colour.repeat(width * height) }
    }

    /// Writes the picture as PNG.
    ///
    /// # Errors
    /// The writer's or the encoder's error.
    pub fn write_png(&self, to: impl Write) -> Result<(), png::EncodingError> {
        let size = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        write_png(to, (size(self.width), size(self.height)), &rgb)
    }
}

/// A context that is drawn off screen.
pub struct Offscreen {
    /// The context; style and fonts may be set.
    pub context: Context,
    textures: HashMap<TextureId, ColorImage>,
    /// The interface's time, s.
    time: f64,
    /// Time between two frames, s.
    interval: f64,
}

impl Default for Offscreen {
    fn default() -> Self {
        let (context, textures) = (Context::default(), HashMap::new());
        Self { context, textures, time: 0.0, interval: 1.0 / 60.0 }
    }
}

impl Offscreen {
    /// A context with `rate` frames a second instead of 60.
    #[must_use]
    pub fn at(rate: f64) -> Self {
        Self { interval: 1.0 / rate, ..Self::default() }
    }

    /// Runs one frame of `width` × `height` points at `scale` pixels per point with `events`.
    pub fn frame(
        &mut self,
        (width, height): (f32, f32),
        scale: f32,
        events: Vec<egui::Event>,
        ui: impl FnMut(&mut Ui),
    ) -> FullOutput {
        self.time += self.interval;
        self.context.set_zoom_factor(1.0);
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(width, height))),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
            viewport.native_pixels_per_point = Some(scale);
        }
        let mut output = self.context.run_ui(input, ui);
        for (id, deltas) in std::mem::take(&mut output.textures_delta.set) {
            for delta in deltas {
                let ImageData::Color(image) = delta.image;
                match (delta.pos, self.textures.get_mut(&id)) {
                    (Some(at), Some(whole)) => patch(whole, &image, at),
                    _ => drop(self.textures.insert(id, (*image).clone())),
                }
            }
        }
        output
    }

    /// Converts a frame's output to meshes and counts their triangles.
    #[must_use]
    pub fn triangles(&self, output: FullOutput) -> usize {
        let meshes = self.context.tessellate(output.shapes, output.pixels_per_point);
        let count = |primitive: &Primitive| match primitive {
            Primitive::Mesh(mesh) => mesh.indices.len() / 3,
            Primitive::Callback(_) => 0,
        };
        meshes.iter().map(|clipped| count(&clipped.primitive)).sum()
    }

    /// Draws a frame's output.
    #[must_use]
    pub fn draw(&self, output: FullOutput, (width, height): (f32, f32), scale: f32) -> Picture {
        let size = |points: f32| floor_index(f64::from((points * scale).round()));
        let mut picture = Picture::new(size(width), size(height), [0, 0, 0, 255]);
        for clipped in self.context.tessellate(output.shapes, output.pixels_per_point) {
            let Primitive::Mesh(mesh) = clipped.primitive else { continue };
            if let Some(texture) = self.textures.get(&mesh.texture_id) {
                let clip = clipped.clip_rect * output.pixels_per_point;
                rasterise(&mut picture, &mesh, texture, clip, output.pixels_per_point);
            }
        }
        picture
    }
}

/// Copies `patch` into `whole` at column and row `at`.
fn patch(whole: &mut ColorImage, patch: &ColorImage, [x, y]: [usize; 2]) {
    let [width, _] = patch.size;
    let stride = whole.size[0];
    for (row, line) in patch.pixels.chunks_exact(width).enumerate() {
        let start = (y + row) * stride + x;
        if let Some(target) = whole.pixels.get_mut(start..start + width) {
            target.copy_from_slice(line);
        }
    }
}

/// Pixels covered by [low, high), by their centres.
fn span(low: f32, high: f32, end: usize) -> std::ops::Range<usize> {
    let first = |edge: f32| floor_index(f64::from((edge - 0.5).ceil().max(0.0))).min(end);
    first(low)..first(high)
}

/// Blends every triangle of `mesh` into `picture`.
fn rasterise(picture: &mut Picture, mesh: &Mesh, texture: &ColorImage, clip: Rect, scale: f32) {
    for corners in mesh.indices.chunks_exact(3) {
        let vertex = |i: usize| mesh.vertices.get(usize::try_from(corners[i]).ok()?).copied();
        if let (Some(a), Some(b), Some(c)) = (vertex(0), vertex(1), vertex(2)) {
            triangle(picture, [a, b, c], texture, clip, scale);
        }
    }
}

fn triangle(
    picture: &mut Picture,
    corners: [Vertex; 3],
    texture: &ColorImage,
    clip: Rect,
    scale: f32,
) {
    let [a, mut b, mut c] = corners.map(|v| Vertex { pos: v.pos * scale, ..v });
    let area = |a: egui::Pos2, b: egui::Pos2, c: egui::Pos2| {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    };
    let mut whole = area(a.pos, b.pos, c.pos);
    if whole == 0.0 || !whole.is_finite() {
        return;
    }
    if whole < 0.0 {
        std::mem::swap(&mut b, &mut c);
        whole = -whole;
    }
    let (xs, ys) = ([a.pos.x, b.pos.x, c.pos.x], [a.pos.y, b.pos.y, c.pos.y]);
    let low = |v: [f32; 3], limit: f32| v.into_iter().fold(f32::INFINITY, f32::min).max(limit);
    let high = |v: [f32; 3], limit: f32| v.into_iter().fold(f32::NEG_INFINITY, f32::max).min(limit);
    let rows = span(low(ys, clip.min.y), high(ys, clip.max.y), picture.height);
    let columns = span(low(xs, clip.min.x), high(xs, clip.max.x), picture.width);
    // A pixel on an edge belongs to the triangle whose edge is a top or left one.
    let owns =
        |from: egui::Pos2, to: egui::Pos2| to.y < from.y || (to.y == from.y && to.x > from.x);
    let edges = [(b.pos, c.pos), (c.pos, a.pos), (a.pos, b.pos)];
    let owned = edges.map(|(from, to)| owns(from, to));
    for row in rows {
        for column in columns.clone() {
            let p = pos2(column as f32 + 0.5, row as f32 + 0.5);
            let weights = edges.map(|(from, to)| area(from, to, p));
            let inside = weights.iter().zip(owned).all(|(w, own)| *w > 0.0 || (*w == 0.0 && own));
            if !inside {
                continue;
            }
            let share = weights.map(|w| w / whole);
            let mix =
                |f: &dyn Fn(&Vertex) -> f32| f(&a) * share[0] + f(&b) * share[1] + f(&c) * share[2];
            let texel = sample(texture, mix(&|v| v.uv.x), mix(&|v| v.uv.y));
            let colour: [f32; 4] = std::array::from_fn(|i| {
                mix(&|v| f32::from(v.color.to_array()[i])) / 255.0 * texel[i]
            });
            blend(picture, column, row, colour);
        }
    }
}

/// Bilinear sample of a texture, 0…1 per channel.
fn sample(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [width, height] = texture.size;
    let texel = |x: f32, n: usize| {
        let at = (x * n as f32 - 0.5).clamp(0.0, n.saturating_sub(1) as f32);
        let first = floor_index(f64::from(at));
        (first, (first + 1).min(n.saturating_sub(1)), at - at.floor())
    };
    let (x0, x1, fx) = texel(u, width);
    let (y0, y1, fy) = texel(v, height);
    let texel = |x: usize, y: usize| {
        texture.pixels.get(y * width + x).map_or([0.0; 4], |c| c.to_array().map(f32::from))
    };
    let (a, b, c, d) = (texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1));
    std::array::from_fn(|i| {
        let top = a[i] + (b[i] - a[i]) * fx;
        let bottom = c[i] + (d[i] - c[i]) * fx;
        (top + (bottom - top) * fy) / 255.0
    })
}

/// Blends a premultiplied colour over a pixel.
fn blend(picture: &mut Picture, x: usize, y: usize, colour: [f32; 4]) {
    let at = 4 * (y * picture.width + x);
    let Some(pixel) = picture.rgba.get_mut(at..at + 4) else { return };
    let rest = 1.0 - colour[3];
    for (channel, new) in pixel.iter_mut().zip(colour) {
        let mixed = new * 255.0 + f32::from(*channel) * rest;
        *channel = touchback_core::math::cast::byte(floor_index(f64::from(mixed + 0.5)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Color32, Pos2};

    fn white() -> ColorImage {
        ColorImage::new([1, 1], vec![Color32::WHITE])
    }

    fn at(x: f32, y: f32, color: Color32) -> Vertex {
        Vertex { pos: Pos2::new(x, y), uv: Pos2::ZERO, color }
    }

    fn pixel(p: &Picture, x: usize, y: usize) -> [u8; 4] {
        let i = 4 * (y * p.width + x);
        p.rgba[i..i + 4].try_into().unwrap()
    }

    #[test]
    fn two_triangles_cover_a_rectangle_once() {
        // Half-transparent: a pixel drawn twice, or not at all, would have another colour.
        let half = Color32::from_rgba_premultiplied(128, 128, 128, 128);
        let mut picture = Picture::new(8, 8, [0, 0, 0, 255]);
        let corners = [(1.0, 1.0), (7.0, 1.0), (7.0, 6.0), (1.0, 6.0)];
        let vertices = corners.map(|(x, y)| at(x, y, half)).to_vec();
        let mesh = Mesh { vertices, indices: vec![0, 1, 2, 0, 3, 2], ..Mesh::default() };
        let everywhere = Rect::EVERYTHING;
        rasterise(&mut picture, &mesh, &white(), everywhere, 1.0);
        for y in 0..8 {
            for x in 0..8 {
                let inside = (1..7).contains(&x) && (1..6).contains(&y);
                let expected = if inside { [128, 128, 128, 255] } else { [0, 0, 0, 255] };
                assert_eq!(pixel(&picture, x, y), expected, "{x} {y}");
            }
        }
    }

    #[test]
    fn clip_scale_and_colours_are_kept() {
        let mut picture = Picture::new(8, 4, [0, 0, 0, 255]);
        let mut mesh = Mesh::default();
        let (black, red) = (Color32::BLACK, Color32::from_rgb(200, 0, 0));
        mesh.vertices =
            vec![at(0.0, 0.0, black), at(4.0, 0.0, red), at(4.0, 2.0, red), at(0.0, 2.0, black)];
        mesh.indices = vec![0, 1, 2, 0, 2, 3];
        let clip = Rect::from_min_max(pos2(0.0, 0.0), pos2(6.0, 4.0));
        rasterise(&mut picture, &mesh, &white(), clip, 2.0);
        // A ramp over eight pixels: 200·(x + ½)/8, cut at the sixth.
        for (x, red) in [(0, 13), (3, 88), (5, 138), (6, 0), (7, 0)] {
            assert_eq!(pixel(&picture, x, 2), [red, 0, 0, 255], "{x}");
        }
    }

    #[test]
    fn a_panel_shows_its_text() {
        let mut screen = Offscreen::default();
        let size = (200.0, 60.0);
        let mut show = |text: &str| {
            let mut last = None;
            for _ in 0..2 {
                let output = screen.frame(size, 2.0, Vec::new(), |ui| {
                    ui.label(text);
                });
                last.replace(output).into_iter().for_each(FullOutput::drop_without_applying_deltas);
            }
            screen.draw(last.unwrap(), size, 2.0)
        };
        let (one, other) = (show("let-off"), show("drop"));
        assert_eq!((one.width, one.height), (400, 120));
        assert_ne!(one, other);
        let mut bytes = Vec::new();
        one.write_png(&mut bytes).unwrap();
        assert_eq!(&bytes[1..4], b"PNG");
    }
}
