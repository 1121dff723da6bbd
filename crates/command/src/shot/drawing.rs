//! One picture of the window.

use anyhow::{Context, Result};

use super::{ShotFace, ShotOptions};
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_offline::controls;
use touchback_offline::output::{Draft, Shown as _};
use touchback_window::faces::face::Face;
use touchback_window::shot::Shot;

/// Draws the picture and writes it.
pub(super) fn draw(options: &ShotOptions) -> Result<()> {
    let mut shot = Shot {
        size: (single(options.width), single(options.height)),
        scale: single(options.scale),
        dark: options.dark,
        speed: options.speed,
        time: (!options.rest).then_some(1e-3 * options.time),
        face: match options.face {
            ShotFace::Piano => Face::Piano,
            ShotFace::Voice => Face::Voice,
            ShotFace::Touch => Face::Touch,
            ShotFace::Action => Face::Action,
            ShotFace::Keys => Face::Keys,
            ShotFace::Keyboard => Face::Keyboard,
            ShotFace::Settings => Face::Settings,
        },
        list_open: options.presets,
        haptic_action: options.haptic,
        over_depth: options.depth,
        states: options.states,
        ..Shot::default()
    };
    if let Some(key) = KeyNumber::from_number(options.key) {
        shot.key = key;
    }
    controls::mechanism(&mut shot.settings, options.mechanism.as_deref())?;
    controls::set(&mut shot.settings, &options.set)?;
    let draft = Draft::create(&options.output)?;
    let refused = || format!("{}: cannot write", options.output.shown());
    shot.take().write_png(draft.writer()?).with_context(refused)?;
    Ok(draft.keep()?)
}
