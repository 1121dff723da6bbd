//! Pictures as PNG.

use std::io::Write;

/// Writes a picture of `size` (width, height) px, three bytes per pixel, row by row, as PNG.
///
/// # Errors
/// The writer's or the encoder's error.
pub fn write_png(to: impl Write, size: (u32, u32), rgb: &[u8]) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(to, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()
}
