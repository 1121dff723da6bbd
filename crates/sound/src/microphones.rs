//! Microphones: where the pairs stand, and what the way from the soundboard does to the sound.
//!
//! Places are in metres from the middle of the keyboard's front: x toward the treble, y along the
//! strings, z up. A wave along a way of r m arrives r/c late and weaker by 1/r; from the audience's
//! side it comes a second time, by the open lid. All zones come to the middle of a pair at the same
//! time: a key between two of them would hear their ways against each other.

use std::ops::Range;

use crate::bridge::ZONES;
use crate::convolve::CHANNELS;
use crate::perspective::Perspective;

/// Pairs: one for each [`Perspective`], in its order, and the distant one.
pub const PAIRS: usize = 4;

/// Index of the distant pair.
pub const DISTANT: usize = 3;

/// Level of each pair's own sound over the player's, amplitude: measured on what thirteen notes struck
/// together send into the room, which is filled alike wherever one listens.
pub const LOUDNESS: [f64; PAIRS] = [1.0, 1.52, 1.26, 1.0];

/// Level at which each pair hears the room against its direct sound, amplitude, over the player's:
/// as the distance from the board.
pub const ROOM: [f64; PAIRS] = [1.0, 1.4, 0.35, 3.0];

/// Speed of sound, m/s.
pub const SOUND_SPEED: f64 = 343.0;

/// Middle of the part of the board that each zone of the bridges moves, m: a concert grand's
/// (chosen from its drawing).
const ZONE_PLACES: [[f64; 3]; ZONES] =
    [[-0.35, 1.7, 0.0], [-0.1, 1.2, 0.0], [0.25, 0.85, 0.0], [0.5, 0.55, 0.0]];

/// Left and right microphone of each pair, m, as engineers place them: two cardioids at one place by
/// the player's head, and omnidirectional ones apart: before the open lid, over the strings, and out
/// in the hall.
const PLACES: [[[f64; 3]; CHANNELS]; PAIRS] = [
    [[0.0, -0.7, 0.9], [0.0, -0.7, 0.9]],
    [[2.2, 0.0, 0.9], [2.2, 1.6, 0.9]],
    [[-0.3, 1.2, 0.35], [0.45, 0.5, 0.35]],
    [[5.0, -0.8, 2.2], [5.0, 2.2, 2.2]],
];

/// Angle by which the player's cardioids are turned outward, rad.
const TURNED: f64 = 0.96;

/// What the open lid sends to the audience's side of what it receives, amplitude, from where it is
/// longer than the wave on, Hz (chosen: some of it goes elsewhere).
pub const LID: f64 = 0.6;
/// See [`LID`].
pub const LID_FROM_HZ: f64 = 400.0;

/// Height at which the lid's image of the board lies, m: twice that of the lid over it at 35°.
const IMAGE: f64 = 1.2;

/// Share that the radiation of all modes has in common at each pair, and what differs from mode to
/// mode at each microphone: the farther apart the microphones against the wave, the less they share.
/// Fitted to the correlation of the channels of three recorded grands.
pub const COMMON: [f64; PAIRS] = [0.6, 0.6, 0.6, 0.5];
/// See [`COMMON`].
pub const AT_MICROPHONE: f64 = 0.85;

/// Where the samples of the distant pair go, if anybody asks for them.
pub type Distant<'a> = Option<[&'a mut [f32]; CHANNELS]>;

/// The samples of `range` of it.
pub fn part<'a>(distant: &'a mut Distant<'_>, range: &Range<usize>) -> Distant<'a> {
    let channels = distant.as_mut()?;
    Some(channels.each_mut().map(|channel| &mut channel[range.clone()]))
}

/// One way from a zone to a microphone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Way {
    /// How much later than by the soonest way, s.
    pub late: f64,
    /// Amplitude against the mean of the pair's direct ways.
    pub gain: f64,
}

/// Direct way from each zone to each microphone of a `pair`.
#[must_use]
pub fn ways(pair: usize) -> [[Way; CHANNELS]; ZONES] {
    lengths(pair, 0.0)
}

/// The way by the open lid, where the pair hears it.
#[must_use]
pub fn by_lid(pair: usize) -> Option<[[Way; CHANNELS]; ZONES]> {
    let hears = pair == Perspective::Audience.pair() || pair == DISTANT;
    hears.then(|| lengths(pair, IMAGE))
}

fn lengths(pair: usize, height: f64) -> [[Way; CHANNELS]; ZONES] {
    // Length and amplitude.
    let way = |zone: [f64; 3], channel: usize, height: f64| {
        let place = PLACES[pair][channel];
        let [x, y, z] = [zone[0] - place[0], zone[1] - place[1], zone[2] - place[2] - height];
        let length = (x * x + y * y + z * z).sqrt();
        let outward = if channel == 0 { -TURNED } else { TURNED };
        let is_cardioid = pair == Perspective::Player.pair();
        let sees =
            if is_cardioid { 0.5 + 0.5 * libm::cos(libm::atan2(x, y) - outward) } else { 1.0 };
        (length, sees / length)
    };
    let all = |height| -> [[(f64, f64); CHANNELS]; ZONES] {
        ZONE_PLACES.map(|zone| std::array::from_fn(|channel| way(zone, channel, height)))
    };
    let direct = all(0.0);
    let each = || direct.iter().flatten();
    let mean = each().map(|(_, gain)| gain).sum::<f64>() / each().count() as f64;
    let middle = direct.map(|zone| zone.iter().map(|(length, _)| length).sum::<f64>() / 2.0);
    let ahead = |(zone, middle): (&[(f64, f64); CHANNELS], f64)| {
        zone.iter().fold(0.0, |most: f64, (length, _)| most.max(middle - length))
    };
    let soonest = direct.iter().zip(middle).map(ahead).fold(0.0, f64::max);
    let ways = all(height);
    std::array::from_fn(|z| {
        ways[z].map(|(length, gain)| Way {
            late: (length - middle[z] + soonest) / SOUND_SPEED,
            gain: gain / mean,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bass_is_on_the_players_left_and_pairs_hear_differently() {
        let [bass, .., top] = ways(Perspective::Player.pair());
        assert!(bass[0].gain > bass[1].gain && top[1].gain > top[0].gain);
        assert!([bass, top].iter().flatten().all(|way| way.late.abs() < 1e-12), "at one place");
        let spread = |pair: usize| {
            let gains = ways(pair).map(|zone| 20.0 * (zone[0].gain / zone[1].gain).log10().abs());
            gains.into_iter().fold(0.0, f64::max)
        };
        let [player, audience, near, distant] = std::array::from_fn(spread);
        assert!(near > 2.0 * player && player > 0.5 && audience > distant, "{near} {player}");
    }

    #[test]
    fn the_lid_is_heard_from_its_open_side_and_later() {
        assert_eq!(by_lid(Perspective::Player.pair()), None);
        let pair = Perspective::Audience.pair();
        let (direct, lid) = (ways(pair), by_lid(pair).unwrap());
        for (direct, lid) in direct.iter().flatten().zip(lid.iter().flatten()) {
            assert!(lid.late > direct.late && lid.gain < direct.gain && direct.late >= 0.0);
        }
    }
}
