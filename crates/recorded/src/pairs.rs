//! Pairs each recorded layer with a rendering. Touch maps differ, so that the pair has not the same velocity,
//! but the same level relative to the loudest note of its key. Recordings whose layers were normalized to the
//! same level are paired by velocity.

use std::collections::BTreeMap;

use crate::measure::Measured;
use crate::measure::bands::distance;
use crate::takes::Take;

/// Notes of one piano by key, then layer or velocity.
pub type Notes = BTreeMap<u8, BTreeMap<u32, Measured>>;

/// The two renderings next to a recorded layer, and the interpolation between them.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The softer rendering.
    pub soft: &'a Measured,
    /// The louder rendering.
    pub loud: &'a Measured,
    /// Interpolation from softer (0) to louder (1).
    pub share: f64,
}

impl<'a> Pair<'a> {
    /// The renderings in `layers` between which `quantity` (of velocity and note) equals `wanted`; beyond the
    /// range, the outermost rendering.
    fn at(
        layers: &'a BTreeMap<u32, Measured>,
        wanted: f64,
        quantity: impl Fn(u32, &Measured) -> f64,
    ) -> Option<Self> {
        let all: Vec<(f64, &Measured)> =
            layers.iter().map(|(velocity, one)| (quantity(*velocity, one), one)).collect();
        let (first, last) = (*all.first()?, *all.last()?);
        let inside = all.windows(2).find(|w| wanted >= w[0].0 && wanted <= w[1].0);
        let (soft, loud) = match inside {
            Some(two) => (two[0], two[1]),
            None if wanted <= first.0 => (first, first),
            None => (last, last),
        };
        let way = loud.0 - soft.0;
        let share = if way > 0.0 { ((wanted - soft.0) / way).clamp(0.0, 1.0) } else { 0.0 };
        Some(Self { soft: soft.1, loud: loud.1, share })
    }

    /// The renderings on either side of MIDI velocity `velocity`.
    fn at_velocity(layers: &'a BTreeMap<u32, Measured>, velocity: f64) -> Option<Self> {
        Self::at(layers, velocity, |velocity, _| f64::from(velocity))
    }

    /// A quantity interpolated between the two renderings.
    pub fn of(&self, quantity: impl Fn(&Measured) -> f64) -> f64 {
        let [soft, loud] = [self.soft, self.loud].map(quantity);
        soft + self.share * (loud - soft)
    }

    /// The nearer of the two.
    #[must_use]
    pub const fn nearer(&self) -> &'a Measured {
        if self.share < 0.5 { self.soft } else { self.loud }
    }
}

/// A recorded note with its renderings.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The key, 1…88.
    pub number: u8,
    /// The recorded layer.
    pub layer: u32,
    /// Rank among the layers of its key, above 0; the loudest has 1.
    pub rank: f64,
    /// The recorded note.
    pub note: &'a Measured,
    /// Distance of body and of attack from the respective nearest rendering of the key, dB.
    pub apart: [f64; 2],
    /// The rendering with the nearest body.
    pub nearest: &'a Measured,
    /// The rendering of the same level relative to the loudest.
    pub pair: Pair<'a>,
    /// All renderings of the key by velocity.
    pub ours: &'a BTreeMap<u32, Measured>,
    /// Level of this key's rendering at the middle velocity, which is the same for all keys, dB.
    pub even_level: f64,
    /// Level of the loudest rendering of this key relative to the softest, dB.
    pub range: f64,
}

/// All recorded notes with their renderings.
pub struct Comparison<'a> {
    /// Sorted by key and layer.
    pub found: Vec<Found<'a>>,
    /// Whether the recorded layers are normalized to the same level: then velocities pair them, not levels.
    pub is_levelled: bool,
}

/// Compares every recorded note with the renderings of its key; velocities come from `takes`.
pub fn compare<'a>(takes: &[Take], recorded: &'a Notes, rendered: &'a Notes) -> Comparison<'a> {
    let velocities = velocities(takes, recorded);
    let is_levelled = is_levelled(&velocities, recorded, rendered);
    let mut found = Vec::new();
    for (number, layers) in recorded {
        let Some(ours) = rendered.get(number).filter(|ours| !ours.is_empty()) else { continue };
        let velocity_of = |layer: u32| velocities.get(&(*number, layer)).copied();
        let offset = layers.iter().next_back().and_then(|(layer, loudest)| {
            let level = match velocity_of(*layer) {
                Some(velocity) => Pair::at_velocity(ours, velocity)?.of(|one| one.level),
                None => nearest(loudest, ours)?.level,
            };
            Some(loudest.level - level)
        });
        let levels: Vec<f64> = ours.values().map(|one| one.level).collect();
        for ((layer, note), place) in layers.iter().zip(1..) {
            let attack = ours.values().map(|one| distance(&note.attack, &one.attack));
            let pair = match velocity_of(*layer) {
                Some(velocity) if is_levelled => Pair::at_velocity(ours, velocity),
                _ => offset.and_then(|off| Pair::at(ours, note.level - off, |_, one| one.level)),
            };
            let (Some(nearest), Some(pair)) = (nearest(note, ours), pair) else { continue };
            let apart = [distance(&note.body, &nearest.body), attack.fold(f64::INFINITY, f64::min)];
            found.push(Found {
                number: *number,
                layer: *layer,
                rank: f64::from(place) / layers.len() as f64,
                note,
                apart,
                nearest,
                pair,
                ours,
                even_level: levels[levels.len() / 2],
                range: levels[levels.len() - 1] - levels[0],
            });
        }
    }
    Comparison { found, is_levelled }
}

/// Velocity of each layer of each key: stated, or from its rank among the layers.
fn velocities(takes: &[Take], recorded: &Notes) -> BTreeMap<(u8, u32), f64> {
    let mut velocities = BTreeMap::new();
    for (number, layers) in recorded.iter().filter(|(_, layers)| layers.len() > 1) {
        for (layer, place) in layers.keys().zip(1..) {
            let share = f64::from(place) / layers.len() as f64;
            velocities.insert((*number, *layer), 127.0 * share);
        }
    }
    for take in takes {
        if let Some(velocity) = take.velocity {
            velocities.insert((take.key.number(), take.layer), velocity.into());
        }
    }
    velocities
}

/// Whether the recorded layers differ in level by less than a third of the renderings at their velocities.
fn is_levelled(velocities: &BTreeMap<(u8, u32), f64>, recorded: &Notes, rendered: &Notes) -> bool {
    let mut sums = [0.0; 2];
    for (number, layers) in recorded.iter().filter(|(_, layers)| layers.len() > 1) {
        let ends = layers.first_key_value().zip(layers.last_key_value()).zip(rendered.get(number));
        let Some(((soft, loud), ours)) = ends else { continue };
        let level = |layer: u32| {
            Some(Pair::at_velocity(ours, *velocities.get(&(*number, layer))?)?.of(|one| one.level))
        };
        if let (Some(from), Some(to)) = (level(*soft.0), level(*loud.0)) {
            sums[0] += loud.1.level - soft.1.level;
            sums[1] += to - from;
        }
    }
    sums[1] > 0.0 && sums[0] < sums[1] / 3.0
}

/// The rendering with the nearest body to `note`.
fn nearest<'a>(note: &Measured, ours: &'a BTreeMap<u32, Measured>) -> Option<&'a Measured> {
    let body = |one: &&Measured| distance(&note.body, &one.body);
    ours.values().min_by(|a, b| body(a).total_cmp(&body(b)))
}
