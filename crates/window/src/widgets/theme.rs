//! Colours of the window, light and dark.
//!
//! Phases and curves have the colours of Okabe and Ito, which are distinct for most kinds of colour
//! blindness; on the light ground those of curves are darker, so that texts in them are readable. No meaning is given by colour alone: a text repeats it.

use egui::{Color32, Context, CornerRadius, FontId, Stroke, TextStyle, Theme, Ui, Visuals, vec2};

use crate::state::window_state::{SMALLEST, USUAL};
use touchback_action::grand::Phase;

const fn rgb(hex: u32) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// Size of usual texts, points.
const BODY: f32 = 13.0;

/// Sets fonts, spacing and both colour schemes of a context.
pub fn apply(context: &Context) {
    for (theme, visuals) in [(Theme::Light, light()), (Theme::Dark, dark())] {
        context.style_mut_of(theme, |style| {
            style.visuals = visuals.clone();
            style.spacing.item_spacing = vec2(8.0, 5.0);
            style.spacing.button_padding = vec2(8.0, 3.0);
            style.spacing.slider_width = 120.0;
            // The scroll bar is always visible, beside its contents.
            style.spacing.scroll = egui::style::ScrollStyle::solid();
            style.interaction.tooltip_delay = 0.4;
            style.text_styles.insert(TextStyle::Body, FontId::proportional(BODY));
            style.text_styles.insert(TextStyle::Button, FontId::proportional(13.0));
            style.text_styles.insert(TextStyle::Small, FontId::proportional(10.5));
            style.text_styles.insert(TextStyle::Heading, FontId::proportional(15.0));
            style.text_styles.insert(TextStyle::Monospace, FontId::monospace(12.0));
        });
    }
}

fn light() -> Visuals {
    let mut v = Visuals::light();
    v.panel_fill = rgb(0x00f4_f2ee);
    v.window_fill = rgb(0x00fb_faf7);
    v.extreme_bg_color = rgb(0x00ff_ffff);
    v.faint_bg_color = rgb(0x00ea_e7e1);
    v.override_text_color = Some(rgb(0x0026_2b33));
    v.selection.bg_fill = rgb(0x00bb_d9ef);
    v.selection.stroke = Stroke::new(1.0, rgb(0x0000_4a75));
    rounded(v)
}

fn dark() -> Visuals {
    let mut v = Visuals::dark();
    v.panel_fill = rgb(0x0020_2226);
    v.window_fill = rgb(0x002a_2d32);
    v.extreme_bg_color = rgb(0x0016_181b);
    v.faint_bg_color = rgb(0x002a_2d32);
    v.override_text_color = Some(rgb(0x00dd_dfe2));
    v.selection.bg_fill = rgb(0x0021_5478);
    v.selection.stroke = Stroke::new(1.0, rgb(0x009f_d4f5));
    rounded(v)
}

fn rounded(mut v: Visuals) -> Visuals {
    v.hyperlink_color = v.selection.stroke.color;
    for w in [
        &mut v.widgets.noninteractive,
        &mut v.widgets.inactive,
        &mut v.widgets.hovered,
        &mut v.widgets.active,
        &mut v.widgets.open,
    ] {
        w.corner_radius = CornerRadius::same(4);
    }
    v
}

/// Colour of a submodel: bands of the scope, chip and contacts of the drawing.
#[must_use]
pub const fn phase(phase: Phase) -> Color32 {
    band(phase as usize)
}

/// Colour of a submodel by its index among the action's submodels.
#[must_use]
pub const fn band(index: usize) -> Color32 {
    const COLOURS: [u32; 5] = [0x0000_72b2, 0x00d5_5e00, 0x0000_9e73, 0x007f_8790, 0x00cc_79a7];
    rgb(COLOURS[index % COLOURS.len()])
}

/// Name of a submodel in words.
#[must_use]
pub(crate) const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Acceleration => "A · acceleration",
        Phase::LetOff => "B · let-off",
        Phase::Catch => "C · catch",
        Phase::Return => "D · return",
        Phase::Flank => "E · jack on the flank",
        Phase::Wedge => "F · jack wedged",
    }
}

/// Colour of the scope's curves, in order.
#[must_use]
pub fn curve(ui: &Ui, index: usize) -> Color32 {
    curve_of(ui.visuals().dark_mode, index)
}

/// Colour of the scope's curve `index` on a light or dark background.
#[must_use]
pub(crate) const fn curve_of(dark: bool, index: usize) -> Color32 {
    const LIGHT: [u32; 6] =
        [0x0000_72b2, 0x00b5_4c00, 0x0000_7a58, 0x0096_507c, 0x0073_6a00, 0x005b_5fc7];
    const DARK: [u32; 6] =
        [0x0056_b4e9, 0x00e6_9f00, 0x002f_c79b, 0x00e0_98c2, 0x00f0_e442, 0x009c_d3f2];
    let list = if dark { DARK } else { LIGHT };
    rgb(list[index % list.len()])
}

/// Colour of contacts, warnings and handles under the pointer.
#[must_use]
pub(crate) fn accent(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode { rgb(0x00ff_b454) } else { rgb(0x00b5_4500) }
}

/// Colour of hints, units and labels.
#[must_use]
pub fn faint(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode { rgb(0x00a0_a6ae) } else { rgb(0x0060_666e) }
}

/// Colour of the line around the pieces.
#[must_use]
pub const fn outline(dark: bool) -> Color32 {
    if dark { rgb(0x000d_0e10) } else { rgb(0x0047_3f36) }
}

/// Colour of the string.
#[must_use]
pub const fn string(dark: bool) -> Color32 {
    if dark { rgb(0x00c7_ccd2) } else { rgb(0x006d_747d) }
}

/// Ground of the moving action: paper by day, near black by night.
#[must_use]
pub const fn ground(dark: bool) -> Color32 {
    if dark { rgb(0x0011_1214) } else { rgb(0x00f6_f1e6) }
}

/// The inside of the piano behind the action.
#[must_use]
pub const fn inside(dark: bool) -> Color32 {
    if dark { rgb(0x001b_1c1f) } else { rgb(0x00cf_c3ad) }
}

/// Colour of lit lamps.
#[must_use]
pub fn brass(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode { rgb(0x00d9_b45c) } else { rgb(0x00b0_8327) }
}

/// `colour` seen from a distance: mixed with the inside of the piano by `share`.
#[must_use]
pub fn far(dark: bool, colour: Color32, share: f32) -> Color32 {
    colour.lerp_to_gamma(inside(dark), share)
}

/// Factor by which bar, keys and the piano's face are larger in a window larger than the usual one, 1 to 2.5.
#[must_use]
pub(crate) fn enlargement(context: &Context) -> f32 {
    let (size, usual) = (context.content_rect().size(), USUAL);
    (size.x / usual.0).min(size.y / usual.1).clamp(1.0, 2.5)
}

/// Whether nothing is to move but what is played: the user's system asks for less motion.
#[must_use]
pub(crate) fn is_still(style: &egui::Style) -> bool {
    style.animation_time <= 0.0
}

/// Shows changes at once instead of in motion, if `is_still`.
pub(crate) fn keep_still(context: &Context, is_still: bool) {
    let time = if is_still { 0.0 } else { egui::Style::default().animation_time };
    context.all_styles_mut(|style| style.animation_time = time);
}

/// Whether the window is smaller than a desktop's smallest one: a telephone's screen, or a large zoom.
#[must_use]
pub(crate) fn is_small(context: &Context) -> bool {
    let size = context.content_rect().size();
    size.x < SMALLEST.0 || size.y < SMALLEST.1
}

/// Height of what a finger touches in a small window, points.
#[must_use]
pub(crate) fn touched(context: &Context) -> f32 {
    (0.07 * context.content_rect().height()).clamp(22.0, 40.0)
}

/// Factor by which the workshop is larger: less than [`enlargement`], because a larger window also shows more.
#[must_use]
pub(crate) fn workshop_enlargement(context: &Context) -> f32 {
    enlargement(context).sqrt()
}

/// Factor by which texts of `ui` are larger than usual.
#[must_use]
pub fn size(ui: &Ui) -> f32 {
    TextStyle::Body.resolve(ui.style()).size / BODY
}

/// Enlarges texts and controls of `ui` by `factor`.
pub(crate) fn enlarge(ui: &mut Ui, factor: f32) {
    let style = ui.style_mut();
    for font in style.text_styles.values_mut() {
        font.size *= factor;
    }
    let spacing = &mut style.spacing;
    spacing.interact_size *= factor;
    spacing.button_padding *= factor;
    spacing.slider_rail_height *= factor;
    spacing.icon_width *= factor;
}
