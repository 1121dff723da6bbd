//! The table: one entry a parameter, in display order.
//!
//! Ranges let a technician leave a grand's usual regulation by a wide margin and stop before the
//! absurd; the usual figures stand beside each range. Ids are frozen: projects and automation name
//! them.

mod action;
mod sound;
mod touch;

use crate::params::{Kind, ParamError, Parameter};

/// Number of parameters.
pub const COUNT: usize = touch::TOUCH.len() + action::ACTION.len() + sound::SOUND.len();

/// All parameters, in display order.
pub fn all() -> impl ExactSizeIterator<Item = &'static Parameter> + Clone {
    (0..COUNT).map(|index| {
        let (touch, action) = (touch::TOUCH.len(), action::ACTION.len());
        if index < touch {
            &touch::TOUCH[index]
        } else if index < touch + action {
            &action::ACTION[index - touch]
        } else {
            &sound::SOUND[index - touch - action]
        }
    })
}

/// The parameter of this id.
///
/// # Errors
/// [`ParamError::NoSuchParameter`].
pub fn find(id: &str) -> Result<&'static Parameter, ParamError> {
    all().find(|p| p.id == id).ok_or_else(|| ParamError::NoSuchParameter { id: id.to_owned() })
}

/// A number on a linear control.
const fn number(min: f64, max: f64, decimals: usize) -> Kind {
    Kind::Number { min, max, centre: None, decimals }
}

/// A number whose control has `centre` at its middle.
const fn centred(min: f64, centre: f64, max: f64, decimals: usize) -> Kind {
    Kind::Number { min, max, centre: Some(centre), decimals }
}
