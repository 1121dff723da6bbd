//! Assignment of MIDI controllers to parameters: at most one parameter per controller and one controller
//! per parameter.

use std::fmt::Write as _;
use std::str::FromStr;

use crate::host::midi::controller;
use crate::host::params::{ParamError, Parameter, all, find};

/// Number of controllers of MIDI 1.0.
const CONTROLLERS: usize = 128;

/// Errors of an assignment or of a map's text.
#[derive(thiserror::Error, Clone, Debug)]
#[non_exhaustive]
pub enum MidiMapError {
    /// The piano itself uses this controller.
    #[error("controller {0} is a pedal, a level or a mode of the piano's own; use another one")]
    Taken(u8),
    /// Not one of the controllers 0 to 127.
    #[error("`{0}` is no controller; write CONTROLLER=ID with a controller of 0 to 119")]
    NoController(String),
    /// No parameter has this id.
    #[error(transparent)]
    Parameter(#[from] ParamError),
}

/// Index in the parameter table by controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MidiMap([Option<u16>; CONTROLLERS]);

impl Default for MidiMap {
    fn default() -> Self {
        Self([None; CONTROLLERS])
    }
}

impl MidiMap {
    /// Index in the table of the parameter that controller `number` moves.
    #[must_use]
    pub fn parameter(&self, number: u8) -> Option<usize> {
        self.0.get(usize::from(number)).copied().flatten().map(usize::from)
    }

    /// The controller that moves `parameter`.
    #[must_use]
    pub fn controller(&self, parameter: &'static Parameter) -> Option<u8> {
        let index = index(parameter);
        let controller = self.0.iter().position(|moved| moved.is_some() && *moved == index)?;
        u8::try_from(controller).ok()
    }

    /// Controllers and their parameters, by controller.
    pub fn pairs(&self) -> impl Iterator<Item = (u8, &'static Parameter)> {
        (0..=u8::MAX).filter_map(|number| {
            self.parameter(number).and_then(|index| all().nth(index)).map(|p| (number, p))
        })
    }

    /// Assigns controller `number` to `parameter`; earlier assignments of both end.
    ///
    /// # Errors
    /// [`MidiMapError::Taken`] if the piano itself uses the controller,
    /// [`MidiMapError::NoController`] if the number is not a controller's.
    pub fn assign(
        &mut self,
        number: u8,
        parameter: &'static Parameter,
    ) -> Result<(), MidiMapError> {
        if controller::is_heard(number) {
            return Err(MidiMapError::Taken(number));
        }
        if usize::from(number) >= CONTROLLERS {
            return Err(MidiMapError::NoController(number.to_string()));
        }
        self.forget(parameter);
        self.0[usize::from(number)] = index(parameter);
        Ok(())
    }

    /// Removes the assignment of `parameter`.
    pub fn forget(&mut self, parameter: &'static Parameter) {
        if let Some(number) = self.controller(parameter) {
            self.0[usize::from(number)] = None;
        }
    }

    /// Whether no controller is assigned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The map as text, one line `CONTROLLER=ID` per assignment.
    #[must_use]
    pub fn text(&self) -> String {
        self.pairs().fold(String::new(), |mut text, (number, parameter)| {
            let _ = writeln!(text, "{number}={}", parameter.id);
            text
        })
    }
}

impl FromStr for MidiMap {
    type Err = MidiMapError;

    fn from_str(text: &str) -> Result<Self, MidiMapError> {
        let mut map = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let none = || MidiMapError::NoController(line.to_owned());
            let (number, id) = line.split_once('=').ok_or_else(none)?;
            let number = number.trim().parse().map_err(|_| none())?;
            map.assign(number, find(id.trim())?)?;
        }
        Ok(map)
    }
}

/// Index of `parameter` in the table.
fn index(parameter: &Parameter) -> Option<u16> {
    parameter.index().and_then(|index| u16::try_from(index).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_moves_one_parameter_and_a_parameter_has_one_controller() {
        let (blow, drop) = (find("blow_mm").unwrap(), find("drop_mm").unwrap());
        let mut map = MidiMap::default();
        map.assign(1, blow).unwrap();
        map.assign(21, drop).unwrap();
        assert_eq!((map.controller(blow), map.controller(drop)), (Some(1), Some(21)));
        assert_eq!(map.text().parse::<MidiMap>().unwrap(), map);
        map.assign(21, blow).unwrap();
        assert_eq!((map.controller(blow), map.controller(drop)), (Some(21), None));
        assert_eq!((map.parameter(1), map.text().as_str()), (None, "21=blow_mm\n"));
        map.forget(blow);
        assert!(map.is_empty());
    }

    #[test]
    fn controllers_of_the_piano_and_invalid_texts_are_refused() {
        let mut map = MidiMap::default();
        for number in [7, 10, 11, 64, 66, 67, 88, 120, 127, 128, 255] {
            assert!(map.assign(number, find("blow_mm").unwrap()).is_err(), "{number}");
        }
        assert!(map.is_empty());
        for text in ["64=blow_mm", "1=nothing", "200=blow_mm", "-1=blow_mm", "blow_mm", "1"] {
            assert!(text.parse::<MidiMap>().is_err(), "{text}");
        }
        assert!("\n \n".parse::<MidiMap>().unwrap().is_empty());
    }
}
