//! The MIDI controllers that the piano hears, as the parameters by which VST3 hosts send them.
//!
//! The wrapper has a hidden parameter for each of 130 controllers of 16 channels, heard or not. Hosts
//! ask each of them for its texts, thousands in all: some take half a minute to load them.

use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::CtrlNumber;
use nice_plug::wrapper::vst3::vst3::Steinberg::int32;

use touchback_instrument::midi::controller::is_heard;

/// VST3's number for channel pressure, which fingers of their own channels have.
const PRESSURE: CtrlNumber = 128;
/// VST3's number for pitch bend.
const BEND: CtrlNumber = 129;
/// Controllers of a channel in the wrapper's order.
const OF_A_CHANNEL: int32 = 130;
const CHANNELS: int32 = 16;
/// Parameters of the wrapper that are controllers.
const ALL: int32 = OF_A_CHANNEL * CHANNELS;

/// The controllers of a channel that hosts get to know.
fn known() -> impl Iterator<Item = CtrlNumber> {
    (0..=127).filter(|number| is_heard(*number)).map(CtrlNumber::from).chain([PRESSURE, BEND])
}

/// Whether hosts get to know a controller of a channel.
pub(super) fn is_known(number: CtrlNumber) -> bool {
    known().any(|known| known == number)
}

/// Known controllers of one channel.
fn of_a_channel() -> int32 {
    int32::try_from(known().count()).unwrap_or(0)
}

/// Parameters that hosts get to know, of the `all` that the wrapper has.
pub(super) fn count(all: int32) -> int32 {
    all - ALL + of_a_channel() * CHANNELS
}

/// The wrapper's index, of the `all` it has, of the parameter that hosts know by `index`.
pub(super) fn place_of(index: int32, all: int32) -> Option<int32> {
    let own = all - ALL;
    if index < own {
        return (index >= 0).then_some(index);
    }
    let (place, width) = (index - own, of_a_channel());
    let number = known().nth(usize::try_from(place % width).ok()?)?;
    (place / width < CHANNELS).then(|| own + place / width * OF_A_CHANNEL + int32::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_know_every_controller_that_is_heard_and_no_other() {
        let (own, all) = (62, 62 + ALL);
        let heard = count(all) - own;
        assert_eq!(heard, 16 * 16);
        let known: Vec<_> =
            (0..heard).map(|index| place_of(own + index, all).unwrap() - own).collect();
        let expected: Vec<_> = (0..16)
            .flat_map(|channel| {
                [7, 10, 11, 64, 66, 67, 88, 120, 121, 123, 124, 125, 126, 127, 128, 129]
                    .map(|number| 130 * channel + number)
            })
            .collect();
        assert_eq!(known, expected);
        assert_eq!((place_of(0, all), place_of(61, all)), (Some(0), Some(61)));
        for outside in [-1, own + heard, int32::MIN, int32::MAX] {
            assert_eq!(place_of(outside, all), None);
        }
    }
}
