//! The MIDI controllers that the piano reads, as the parameters through which VST3 hosts send them.
//!
//! The wrapper has a hidden parameter for each of 130 controllers of 16 channels. Hosts request the texts
//! of every parameter, thousands in all; some then take half a minute to load the plugin. This module
//! hides the controllers that the piano does not read.

use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::CtrlNumber;
use nice_plug::wrapper::vst3::vst3::Steinberg::int32;

use touchback_instrument::host::midi::controller::is_read;

/// VST3's number for channel pressure, which MPE uses.
const PRESSURE: CtrlNumber = 128;
/// VST3's number for pitch bend.
const BEND: CtrlNumber = 129;
/// Controllers of a channel in the wrapper's order.
const PER_CHANNEL: int32 = 130;
const CHANNELS: int32 = 16;
/// Parameters of the wrapper that are controllers.
const ALL: int32 = PER_CHANNEL * CHANNELS;

/// The controllers of a channel that hosts see.
fn known() -> impl Iterator<Item = CtrlNumber> {
    (0..=127).filter(|number| is_read(*number)).map(CtrlNumber::from).chain([PRESSURE, BEND])
}

/// Id of the wrapper's first parameter that is a controller; those of a channel follow each other.
const FIRST_ID: u32 = (1 << 31) - ALL.unsigned_abs();

/// The controller whose parameter has the id `id`, within its channel; `None` for other parameters.
pub(super) fn controller_of(id: u32) -> Option<u8> {
    let index = id.checked_sub(FIRST_ID).filter(|index| *index < ALL.unsigned_abs())?;
    u8::try_from(index % PER_CHANNEL.unsigned_abs()).ok()
}

/// Whether hosts see a controller of a channel.
pub(super) fn is_known(number: CtrlNumber) -> bool {
    known().any(|known| known == number)
}

/// Number of controllers of a channel that hosts see.
fn known_per_channel() -> int32 {
    int32::try_from(known().count()).unwrap_or(0)
}

/// Number of parameters that hosts see, of the wrapper's `all`.
pub(super) fn count(all: int32) -> int32 {
    all - ALL + known_per_channel() * CHANNELS
}

/// The index, among the wrapper's `all` parameters, of the parameter that hosts see at `index`.
pub(super) fn framework_index(index: int32, all: int32) -> Option<int32> {
    let own = all - ALL;
    if index < own {
        return (index >= 0).then_some(index);
    }
    let (position, width) = (index - own, known_per_channel());
    let number = known().nth(usize::try_from(position % width).ok()?)?;
    let channel = position / width;
    (channel < CHANNELS).then(|| own + channel * PER_CHANNEL + int32::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_controllers_are_those_of_the_wrapper() {
        assert_eq!(controller_of((1 << 31) - 1), Some(129));
        assert_eq!(controller_of((1 << 31) - 130 + 101), Some(101));
        assert_eq!(controller_of((1 << 31) - 2080 + 6), Some(6));
        assert_eq!(controller_of((1 << 31) - 2081), None);
        assert_eq!(controller_of(1 << 31), None);
    }

    #[test]
    fn hosts_see_the_controllers_that_the_piano_reads_and_no_others() {
        let (own, all) = (62, 62 + ALL);
        let visible = count(all) - own;
        assert_eq!(visible, 26 * 16);
        let known: Vec<_> =
            (0..visible).map(|index| framework_index(own + index, all).unwrap() - own).collect();
        let expected: Vec<_> = (0..16)
            .flat_map(|channel| {
                [
                    6, 7, 10, 11, 16, 38, 64, 66, 67, 81, 88, 96, 97, 98, 99, 100, 101, 120, 121,
                    123, 124, 125, 126, 127, 128, 129,
                ]
                .map(|number| 130 * channel + number)
            })
            .collect();
        assert_eq!(known, expected);
        assert_eq!((framework_index(0, all), framework_index(61, all)), (Some(0), Some(61)));
        for outside in [-1, own + visible, int32::MIN, int32::MAX] {
            assert_eq!(framework_index(outside, all), None);
        }
    }
}
