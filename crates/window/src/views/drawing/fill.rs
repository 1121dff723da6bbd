//! Colours of the materials.

use egui::Color32;

use super::{DrawnPart, Material};

impl Material {
    /// Colour of a piece of `part`, on a light or `dark` ground.
    #[must_use]
    pub const fn fill(self, part: DrawnPart, dark: bool) -> Color32 {
        let hex: u32 = match (self, part) {
            (Self::Wood, DrawnPart::Key) => 0x00e3_cfa4,
            (Self::Wood, DrawnPart::Wippen) => 0x00d9_b57f,
            (Self::Wood, DrawnPart::Lever) => 0x00ec_cf97,
            (Self::Wood, DrawnPart::Jack) => 0x00c8_8a4f,
            (Self::Wood, DrawnPart::Check) => 0x00cf_a36b,
            (Self::Wood, DrawnPart::Damper) => 0x0057_4a40,
            (Self::Wood, DrawnPart::Frame) => 0x00b9_9a70,
            (Self::Wood, _) => 0x00e6_c48c,
            (Self::Ivory, _) => 0x00fb_f8ee,
            (Self::Felt, DrawnPart::Frame | DrawnPart::Key) => 0x008f_3a44,
            (Self::Felt, DrawnPart::Wippen) => 0x009c_3f49,
            (Self::Felt, DrawnPart::Damper) => 0x00ee_e9dd,
            (Self::Felt, _) => 0x005d_8a5f,
            (Self::HammerFelt, _) => 0x00f3_eddd,
            (Self::Leather, _) => 0x00b8_9b77,
            (Self::Metal, _) => 0x00b5_a469,
            (Self::Skin, _) => 0x00dd_b096,
            (Self::Rail, _) => {
                if dark {
                    0x0043_474d
                } else {
                    0x00c9_c5bd
                }
            }
        };
        let [_, r, g, b] = hex.to_be_bytes();
        if dark {
            // Slightly darker on a dark background.
            Color32::from_rgb(r - r / 10, g - g / 10, b - b / 10)
        } else {
            Color32::from_rgb(r, g, b)
        }
    }
}
