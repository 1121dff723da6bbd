//! Microphones: positions of the pairs, and delay and attenuation from the soundboard to each.
//!
//! Positions are in metres from the middle of the keyboard's front: x toward the treble, y along the
//! strings, z up. A wave along a path of r m arrives r/c later and weaker by 1/r; on the audience's
//! side it arrives a second time, reflected by the open lid. All zones arrive at the middle of a pair at
//! the same time: otherwise the two zones that a key drives would interfere.

use std::ops::Range;

use crate::output::perspective::Perspective;
use crate::signal::convolve::CHANNELS;
use crate::strings::bridge::ZONES;

/// Number of pairs: one for each [`Perspective`], in its order, and the distant one.
pub const PAIRS: usize = 4;

/// Index of the distant pair.
pub(crate) const DISTANT: usize = 3;

/// Level of the room that each pair's own sound excites over the player's, amplitude: measured on all keys struck
/// together, from 0.3 s on. The level of the room does not depend on the perspective.
pub const LOUDNESS: [f64; PAIRS] = [1.0, 0.98, 1.055, 1.0];

/// Level of the room relative to the direct sound at each pair, amplitude, over the player's: in
/// proportion to the distance from the board.
pub const ROOM: [f64; PAIRS] = [1.0, 1.4, 0.35, 3.0];

/// Speed of sound, m/s.
pub(crate) const SOUND_SPEED: f64 = 343.0;

/// Middle of the part of the board that each zone of the bridges moves, m: a concert grand's
/// (chosen from its drawing).
const ZONE_POSITIONS: [[f64; 3]; ZONES] =
    [[-0.35, 1.7, 0.0], [-0.1, 1.2, 0.0], [0.25, 0.85, 0.0], [0.5, 0.55, 0.0]];

/// Positions of the left and right microphone of each pair, m, as engineers choose them: two coincident
/// cardioids by the player's head, and spaced omnidirectional ones before the open lid, over the strings,
/// and out in the hall.
const POSITIONS: [[[f64; 3]; CHANNELS]; PAIRS] = [
    [[0.0, -0.7, 0.9], [0.0, -0.7, 0.9]],
    [[2.2, 0.0, 0.9], [2.2, 1.6, 0.9]],
    [[-0.3, 1.2, 0.35], [0.45, 0.5, 0.35]],
    [[5.0, -0.8, 2.2], [5.0, 2.2, 2.2]],
];

/// Angle by which the player's cardioids are turned outward, rad.
const TURNED: f64 = 0.96;

/// Share of the received sound that the open lid reflects to the audience's side, amplitude (chosen: the
/// rest goes elsewhere).
pub(crate) const LID: f64 = 0.6;
/// Frequency from which the lid reflects, Hz: there it is longer than the wave (chosen).
pub(crate) const LID_FROM_HZ: f64 = 400.0;

/// Height of the board's mirror image in the lid, m: twice the height of the lid over the board at 35°.
const IMAGE: f64 = 1.2;

/// Share of the radiation that is equal for all modes at each pair: the farther apart the microphones
/// relative to the wave, the smaller. Fitted to the correlation of the channels of three recorded grands.
pub(crate) const COMMON: [f64; PAIRS] = [0.36, 0.36, 0.36, 0.3];
/// Share of the radiation that differs from mode to mode at each microphone (fitted with [`COMMON`]).
pub(crate) const AT_MICROPHONE: f64 = 0.85;

/// Buffers of the distant pair, if it is requested.
pub type Distant<'a> = Option<[&'a mut [f32]; CHANNELS]>;

/// The samples of `range` of the `distant` buffers.
pub fn part<'a>(distant: &'a mut Distant<'_>, range: &Range<usize>) -> Distant<'a> {
    let channels = distant.as_mut()?;
    Some(channels.each_mut().map(|channel| &mut channel[range.clone()]))
}

/// Path from a zone to a microphone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Path {
    /// Delay after the earliest path, s.
    pub delay: f64,
    /// Amplitude over the mean of the pair's direct paths.
    pub gain: f64,
}

/// Direct paths from each zone to each microphone of a `pair`.
#[must_use]
pub fn paths(pair: usize) -> [[Path; CHANNELS]; ZONES] {
    lengths(pair, 0.0)
}

/// The paths by the open lid, if they reach the pair.
#[must_use]
pub(crate) fn by_lid(pair: usize) -> Option<[[Path; CHANNELS]; ZONES]> {
    let is_before_lid = pair == Perspective::Audience.pair() || pair == DISTANT;
    is_before_lid.then(|| lengths(pair, IMAGE))
}

fn lengths(pair: usize, height: f64) -> [[Path; CHANNELS]; ZONES] {
    // Length and amplitude.
    let path = |zone: [f64; 3], channel: usize, height: f64| {
        let position = POSITIONS[pair][channel];
        let [x, y, z] =
            [zone[0] - position[0], zone[1] - position[1], zone[2] - position[2] - height];
        let length = (x * x + y * y + z * z).sqrt();
        let outward = if channel == 0 { -TURNED } else { TURNED };
        let is_cardioid = pair == Perspective::Player.pair();
        let directivity =
            if is_cardioid { 0.5 + 0.5 * libm::cos(libm::atan2(x, y) - outward) } else { 1.0 };
        (length, directivity / length)
    };
    let all = |height| -> [[(f64, f64); CHANNELS]; ZONES] {
        ZONE_POSITIONS.map(|zone| std::array::from_fn(|channel| path(zone, channel, height)))
    };
    let direct = all(0.0);
    let each = || direct.iter().flatten();
    let mean = each().map(|(_, gain)| gain).sum::<f64>() / each().count() as f64;
    let middle = direct.map(|zone| zone.iter().map(|(length, _)| length).sum::<f64>() / 2.0);
    let ahead = |(zone, middle): (&[(f64, f64); CHANNELS], f64)| {
        zone.iter().fold(0.0, |most: f64, (length, _)| most.max(middle - length))
    };
    let soonest = direct.iter().zip(middle).map(ahead).fold(0.0, f64::max);
    let paths = all(height);
    std::array::from_fn(|z| {
        paths[z].map(|(length, gain)| Path {
            delay: (length - middle[z] + soonest) / SOUND_SPEED,
            gain: gain / mean,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bass_is_on_the_players_left_and_pairs_differ() {
        let [bass, .., top] = paths(Perspective::Player.pair());
        assert!(bass[0].gain > bass[1].gain && top[1].gain > top[0].gain);
        assert!([bass, top].iter().flatten().all(|path| path.delay.abs() < 1e-12), "coincident");
        let spread = |pair: usize| {
            let gains = paths(pair).map(|zone| 20.0 * (zone[0].gain / zone[1].gain).log10().abs());
            gains.into_iter().fold(0.0, f64::max)
        };
        let [player, audience, near, distant] = std::array::from_fn(spread);
        assert!(near > 2.0 * player && player > 0.5 && audience > distant, "{near} {player}");
    }

    #[test]
    fn the_lid_reflects_to_its_open_side_and_later() {
        assert_eq!(by_lid(Perspective::Player.pair()), None);
        let pair = Perspective::Audience.pair();
        let (direct, lid) = (paths(pair), by_lid(pair).unwrap());
        for (direct, lid) in direct.iter().flatten().zip(lid.iter().flatten()) {
            assert!(lid.delay > direct.delay && lid.gain < direct.gain && direct.delay >= 0.0);
        }
    }
}
