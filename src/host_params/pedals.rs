//! The three pedals as host parameters, so that hosts can draw half pedals as automation.
//!
//! They are outside the table of parameters: presets, undo and the two pianos A and B hold settings, and a
//! pedal is part of the performance. The last change of a pedal wins, by parameter, MIDI or window. MIDI
//! does not move the parameter: a plugin cannot set parameters while it processes.

use std::sync::Arc;

use nice_plug::prelude::{FloatParam, FloatRange, Param as _, ParamPtr};

use touchback_instrument::host::midi::{InputMessage, Pedal};
use touchback_instrument::host::params::ParameterGroup;

/// Number of pedals.
const PEDALS: usize = 3;

/// Ids in projects, in the order of [`Pedal::ALL`].
pub const IDS: [&str; PEDALS] = ["sustain_pedal", "sostenuto_pedal", "una_corda_pedal"];

/// Name of a pedal, as shown.
const fn name(pedal: Pedal) -> &'static str {
    match pedal {
        Pedal::Sustain => "Sustain pedal",
        Pedal::Sostenuto => "Sostenuto pedal",
        Pedal::UnaCorda => "Una corda pedal",
    }
}

/// A share as text in percent.
pub(super) fn percent(share: f32) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The share, 0…1, of a text in percent.
pub(super) fn of_percent(text: &str) -> Option<f32> {
    let percent = text.trim().trim_end_matches('%').trim_end().parse::<f32>().ok()?;
    percent.is_finite().then(|| (percent / 100.0).clamp(0.0, 1.0))
}

/// The pedals' parameters, in the order of [`Pedal::ALL`]: 0 up … 1 down. They stay where they are when this
/// value moves.
#[derive(Debug)]
pub struct PedalParams(Box<[FloatParam; PEDALS]>);

impl Default for PedalParams {
    fn default() -> Self {
        Self(Box::new(Pedal::ALL.map(|pedal| {
            FloatParam::new(name(pedal), 0.0, FloatRange::Linear { min: 0.0, max: 1.0 })
                .with_unit(" %")
                .with_value_to_string(Arc::new(percent))
                .with_string_to_value(Arc::new(of_percent))
        })))
    }
}

impl PedalParams {
    /// Id, handle and group of each.
    pub(super) fn map(&self) -> impl Iterator<Item = (String, ParamPtr, String)> {
        IDS.into_iter().zip(self.0.iter()).map(|(id, param)| {
            (id.to_owned(), param.as_ptr(), ParameterGroup::Pedals.name().to_owned())
        })
    }

    /// The parameters, in the order of [`Pedal::ALL`].
    pub(super) fn params(&self) -> &[FloatParam; PEDALS] {
        &self.0
    }

    /// The parameter of `pedal`.
    #[must_use]
    pub fn get(&self, pedal: Pedal) -> &FloatParam {
        &self.0[pedal as usize]
    }

    /// Travels, host modulation included, 0 up … 1 down, in the order of [`Pedal::ALL`].
    #[must_use]
    pub fn travels(&self) -> [f32; PEDALS] {
        self.0.each_ref().map(|param| param.value().clamp(0.0, 1.0))
    }
}

/// Changes of the parameters since the last look. Audio thread.
#[derive(Clone, Copy, Default, Debug)]
pub struct PedalFollower([f32; PEDALS]);

impl PedalFollower {
    /// The pedals are up, as after a reset: parameters that are not 0 count as changed.
    pub const fn reset(&mut self) {
        self.0 = [0.0; PEDALS];
    }

    /// Messages for the pedals that have changed, for `travels` in the order of [`Pedal::ALL`].
    pub fn changes(&mut self, travels: [f32; PEDALS]) -> [Option<InputMessage>; PEDALS] {
        let before = std::mem::replace(&mut self.0, travels);
        let mut index = 0;
        Pedal::ALL.map(|pedal| {
            let (before, now) = (before[index], travels[index]);
            index += 1;
            let travel = f64::from(now);
            (before.to_bits() != now.to_bits()).then_some(InputMessage::Pedal { pedal, travel })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_of_a_pedal_is_one_message() {
        let (params, mut follower) = (PedalParams::default(), PedalFollower::default());
        assert_eq!(follower.changes(params.travels()), [None; PEDALS]);
        let moved = |which: usize, travel: f32| {
            // SAFETY: the parameter outlives the pointer.
            unsafe { params.0[which].as_ptr()._internal_set_normalized_value(travel) };
        };
        moved(0, 0.5);
        moved(2, 1.0);
        let half = InputMessage::Pedal { pedal: Pedal::Sustain, travel: 0.5 };
        let shifted = InputMessage::Pedal { pedal: Pedal::UnaCorda, travel: 1.0 };
        assert_eq!(follower.changes(params.travels()), [Some(half), None, Some(shifted)]);
        assert_eq!(follower.changes(params.travels()), [None; PEDALS]);
        moved(2, 0.0);
        let back = InputMessage::Pedal { pedal: Pedal::UnaCorda, travel: 0.0 };
        assert_eq!(follower.changes(params.travels()), [None, None, Some(back)]);
        // A reset raises the pedals; the parameter is still half down.
        follower.reset();
        assert_eq!(follower.changes(params.travels()), [Some(half), None, None]);
    }

    #[test]
    fn texts_of_pedals_read_back() {
        let params = PedalParams::default();
        for (id, pointer, group) in params.map() {
            assert!(IDS.contains(&id.as_str()) && group == "Pedals", "{id}");
            // SAFETY: `params` outlives the pointer.
            unsafe {
                for travel in [0.0, 0.345, 1.0] {
                    let text = pointer.normalized_value_to_string(travel, true);
                    let read = pointer.string_to_normalized_value(&text).unwrap();
                    assert!((read - travel).abs() < 1e-6, "{id}: {text}");
                }
                assert_eq!(pointer.normalized_value_to_string(0.345, true), "34.5 %");
                assert_eq!(pointer.string_to_normalized_value("half"), None);
                assert_eq!(pointer.string_to_normalized_value("1e999"), None);
                assert_eq!(pointer.string_to_normalized_value("250 %"), Some(1.0));
            }
        }
    }
}
