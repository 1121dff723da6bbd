//! The report of the comparison: targets and measured values by register.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use touchback_core::math::power::square;

use crate::measure::Measured;
use crate::measure::partials::PARTIALS;
use crate::measure::thirds::{BANDS, middle};
use crate::pairs::{Comparison, Found};
use touchback_offline::bench::{Report, TargetBand, short};

/// Registers: name, number of the last key.
pub const REGISTERS: [(&str, u8); 4] = [("A0–B1", 15), ("C2–B3", 39), ("C4–B5", 63), ("C6–C8", 88)];

/// Distances of two recorded concert grands of different makers, in each register and over all keys, dB: body, attack.
/// Measured by `touchback lab recorded C5 --beside OTHER`, a Yamaha C5 and the grand of MuseScore's soundfont.
pub const AS_RECORDED: [[f64; 5]; 2] = [[6.7, 6.6, 6.0, 5.8, 6.2], [5.1, 4.2, 4.0, 5.0, 4.5]];

/// Octaves whose partials are compared layer by layer: first key, name.
const OCTAVES: [(u8, &str); 4] = [(16, "C2–B2"), (28, "C3–B3"), (40, "C4–B4"), (52, "C5–C6")];
const LAST_OF_PARTIALS: u8 = 64;

/// Ranks of a soft, a middle and the loudest layer among those of a key.
const RANKS: [(f64, &str); 3] = [(0.25, "soft"), (0.625, "middle"), (1.0, "loud")];

/// First key whose fundamental is high enough to measure noise below it (C2, 65 Hz).
const FIRST_WITH_NOISE: u8 = 16;

/// Number of keys on either side whose layers form the band for a key's level.
const NEAR: u8 = 3;

/// Bands whose decay is compared, Hz.
const DECAY_HZ: (f64, f64) = (120.0, 8200.0);

/// Mean of `values`, where there are any.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let finite = values.filter(|x| x.is_finite());
    let (count, sum) = finite.fold((0.0, 0.0), |(n, s), x| (n + 1.0, s + x));
    (count > 0.0).then(|| sum / count)
}

/// The quantile `share` of `values`.
fn quantile(values: impl Iterator<Item = f64>, share: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)? as f64;
    let at = touchback_core::math::cast::floor_index(share * last);
    let next = sorted[(at + 1).min(sorted.len() - 1)];
    Some(sorted[at] + (share * last - at as f64) * (next - sorted[at]))
}

/// The report of a comparison.
pub fn report(comparison: &Comparison<'_>) -> Report {
    let mut report = Report::default();
    let found = &comparison.found;
    let keys = keys(found);
    distances(&mut report, &keys);
    partials(&mut report, &keys);
    evenness(&mut report, &keys);
    dynamics(&mut report, &keys, comparison.is_levelled);
    noise(&mut report, &keys);
    courses(&mut report, &keys);
    decay(&mut report, &keys);
    channels(&mut report, &keys);
    shortfalls(&mut report);
    report
}

/// Layers of each key, softest first.
type Keys<'f, 'a> = BTreeMap<u8, Vec<&'f Found<'a>>>;

fn keys<'f, 'a>(found: &'f [Found<'a>]) -> Keys<'f, 'a> {
    let mut keys = Keys::new();
    found.iter().for_each(|one| keys.entry(one.number).or_default().push(one));
    keys
}

/// The layer in `layers` with the rank nearest to `rank`.
pub fn at_rank<'f, 'a>(layers: &[&'f Found<'a>], rank: f64) -> Option<&'f Found<'a>> {
    let off = |one: &&&Found<'_>| (one.rank - rank).abs();
    layers.iter().min_by(|a, b| off(a).total_cmp(&off(b))).copied()
}

/// Names of the registers, and their keys.
pub fn registers() -> impl Iterator<Item = (&'static str, RangeInclusive<u8>)> {
    let firsts = std::iter::once(1).chain(REGISTERS.map(|(_, last)| last + 1));
    REGISTERS.into_iter().zip(firsts).map(|((name, last), first)| (name, first..=last))
}

/// The recorded keys of each register.
fn recorded_registers<'k, 'f, 'a>(
    keys: &'k Keys<'f, 'a>,
) -> impl Iterator<Item = (&'static str, Vec<(u8, &'k [&'f Found<'a>])>)> {
    registers().filter_map(|(name, numbers)| {
        let inside = keys.range(numbers).map(|(key, layers)| (*key, layers.as_slice()));
        let inside: Vec<_> = inside.collect();
        (!inside.is_empty()).then_some((name, inside))
    })
}

/// Mean distances of body and attack in each register.
fn distances(report: &mut Report, keys: &Keys<'_, '_>) {
    let all = keys.iter().map(|(key, layers)| (*key, layers.as_slice())).collect();
    let registers: Vec<_> = recorded_registers(keys).chain([("all keys", all)]).collect();
    for (part, name) in ["body", "attack"].into_iter().enumerate() {
        for (register, inside) in &registers {
            let place = REGISTERS.iter().position(|(name, _)| name == register);
            let aim = AS_RECORDED[part][place.unwrap_or(REGISTERS.len())];
            let layers = inside.iter().flat_map(|(_, layers)| layers.iter());
            if let Some(apart) = mean(layers.map(|f| f.apart[part])) {
                let quantity = format!("{register}: {name}, dB from the recorded piano");
                report.check(&quantity, &short(aim), TargetBand::AtMost(aim), apart);
            }
        }
    }
}

/// Gain of partial `n` from layer `one` to the loudest layer of its key, dB: recorded, rendered.
pub fn gained(one: &Found<'_>, loudest: &Found<'_>, n: usize) -> [f64; 2] {
    let of = |m: &Measured| m.partials[n];
    [of(loudest.note) - of(one.note), loudest.pair.of(of) - one.pair.of(of)]
}

/// Squares of these differences, dB², after the best common gain and at the best velocity: the part that
/// neither a touch map nor a sampler's level explains.
fn colour_alone(one: &Found<'_>, loudest: &Found<'_>) -> Vec<f64> {
    let at = |velocity: &Measured| {
        let off = |n: usize| {
            let of = |m: &Measured| m.partials[n];
            let recorded = of(loudest.note) - of(one.note);
            recorded - (loudest.pair.of(of) - of(velocity))
        };
        let off: Vec<f64> = (0..PARTIALS).map(off).filter(|x| x.is_finite()).collect();
        let gain = mean(off.iter().copied())?;
        Some(off.iter().map(|x| square(x - gain)).collect::<Vec<_>>())
    };
    let sum = |squares: &Vec<f64>| squares.iter().sum::<f64>() / squares.len() as f64;
    let all = one.ours.values().filter_map(at);
    all.min_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or_default()
}

fn partials(report: &mut Report, keys: &Keys<'_, '_>) {
    let ends = OCTAVES.iter().skip(1).map(|(next, _)| next - 1).chain([LAST_OF_PARTIALS]);
    let octaves = OCTAVES.iter().zip(ends).map(|((first, name), last)| (*name, *first..=last));
    let whole = OCTAVES[0].0..=LAST_OF_PARTIALS;
    for (name, octave) in octaves.chain([("C2–C6", whole)]) {
        let (mut squares, mut alone) = (Vec::new(), Vec::new());
        for layers in keys.range(octave).map(|(_, layers)| layers) {
            let Some((loudest, softer)) = layers.split_last() else { continue };
            for one in softer {
                squares.extend((0..PARTIALS).map(|n| {
                    let [recorded, rendered] = gained(one, loudest, n);
                    square(recorded - rendered)
                }));
                alone.extend(colour_alone(one, loudest));
            }
        }
        let rows = [(squares, ""), (alone, ", nearest velocity and gain")];
        for (squares, how) in rows {
            if let Some(square) = mean(squares.into_iter()) {
                let quantity =
                    format!("{name}: partials 1–12 from layer to layer{how}, rms dB off");
                report.check(&quantity, "0", TargetBand::AtMost(4.0), square.sqrt());
            }
        }
    }
}

/// Deviation of the middle of five neighbours from the mean of the others: rms and largest, dB.
fn unevenness(levels: &[(u8, f64)]) -> Option<[f64; 2]> {
    // Keys more than a major third apart are no neighbours.
    let near = |w: &&[(u8, f64)]| w.windows(2).all(|two| two[1].0 - two[0].0 <= 4);
    let windows = levels.windows(5).filter(near);
    let off = windows.map(|w| w[2].1 - (w[0].1 + w[1].1 + w[3].1 + w[4].1) / 4.0);
    let off: Vec<f64> = off.collect();
    let square = mean(off.iter().map(|x| x * x))?;
    Some([square.sqrt(), off.iter().fold(0.0, |most, x| x.abs().max(most))])
}

fn evenness(report: &mut Report, keys: &Keys<'_, '_>) {
    let middle =
        |(key, layers): (&u8, &Vec<&Found<'_>>)| Some((*key, at_rank(layers, 0.625)?.rank));
    // Only keys with the same layers: others would deviate by their layers alone.
    let mut ranks: Vec<f64> = keys.iter().filter_map(middle).map(|(_, rank)| rank).collect();
    ranks.sort_by(f64::total_cmp);
    let Some(usual) = ranks.get(ranks.len() / 2).copied() else { return };
    let levels = |of: fn(&Found<'_>) -> f64| -> Vec<(u8, f64)> {
        let same = |layers: &Vec<&Found<'_>>| {
            layers.iter().find(|one| (one.rank - usual).abs() < 1e-9).map(|one| of(one))
        };
        keys.iter().filter_map(|(key, layers)| Some((*key, same(layers)?))).collect()
    };
    let [recorded, rendered] =
        [levels(|f| f.note.level), levels(|f| f.even_level)].map(|l| unevenness(&l));
    if let Some(rendered) = rendered {
        for (index, (name, most)) in [("rms", 1.5), ("most", 3.0)].into_iter().enumerate() {
            let target = recorded.map_or_else(String::new, |r| format!("{:.2}", r[index]));
            let quantity = format!("a key's level against its four neighbours, {name}, dB");
            report.check(&quantity, &target, TargetBand::AtMost(most), rendered[index]);
        }
    }
}

/// Range of level and of the centroid, softest to loudest.
fn dynamics(report: &mut Report, keys: &Keys<'_, '_>, is_levelled: bool) {
    if is_levelled {
        report.note(
            "The recorded layers are equally loud: velocities, not levels, tell which renderings \
             stand beside them, and their dynamic range is unknown.",
        );
    }
    for (name, inside) in recorded_registers(keys) {
        let range = |of: fn(&Found<'_>, &Found<'_>) -> f64| {
            let ends = |(_, layers): &(u8, &[&Found<'_>])| {
                layers.first().zip(layers.last()).map(|(soft, loud)| of(soft, loud))
            };
            mean(inside.iter().filter_map(ends))
        };
        let recorded = range(|soft, loud| loud.note.level - soft.note.level);
        let rendered = range(|_, loud| loud.range);
        if let (Some(recorded), Some(rendered)) = (recorded, rendered) {
            let quantity = format!("{name}: softest to loudest, dB");
            let target = if is_levelled { "unknown".into() } else { short(recorded) };
            report.check(&quantity, &target, TargetBand::AtLeast(30.0), rendered);
        }
        let ratio = |of: fn(&Found<'_>) -> f64| {
            let ends = |(_, layers): &(u8, &[&Found<'_>])| {
                let (soft, loud) = (at_rank(layers, RANKS[0].0)?, layers.last()?);
                (soft.layer != loud.layer).then(|| libm::log(of(loud) / of(soft)))
            };
            mean(inside.iter().filter_map(ends)).map(libm::exp)
        };
        let recorded = ratio(|f| f.note.centroid);
        let rendered = ratio(|f| f.pair.of(|m| m.centroid));
        if let (Some(recorded), Some(rendered)) = (recorded, rendered) {
            let quantity = format!("{name}: centroid of the first 0.2 s, loud over soft layer");
            report.near(&quantity, recorded, 0.15, rendered);
        }
    }
}

/// Noise below the fundamental at three levels.
fn noise(report: &mut Report, keys: &Keys<'_, '_>) {
    for (name, inside) in recorded_registers(keys) {
        for (rank, level) in RANKS {
            let layers = || {
                let heard = inside.iter().filter(|(key, _)| *key >= FIRST_WITH_NOISE);
                heard.filter_map(|(_, layers)| at_rank(layers, rank))
            };
            let recorded = mean(layers().map(|f| f.note.below));
            let rendered = mean(layers().map(|f| f.pair.of(|m| m.below)));
            if let (Some(recorded), Some(rendered)) = (recorded, rendered) {
                let quantity = format!("{name}, {level}: power under the fundamental, 0.1 s, dB");
                let band = TargetBand::Within(recorded - 4.0, recorded + 4.0);
                report.check(&quantity, &short(recorded), band, rendered);
            }
        }
    }
}

/// Levels at 0.3 and 1 s compared with the band of the recorded layers of neighbouring keys.
fn courses(report: &mut Report, keys: &Keys<'_, '_>) {
    let mut told = Vec::new();
    for (time, name) in [(4, "0.3"), (5, "1")] {
        for (register, inside) in recorded_registers(keys) {
            let mut last = None;
            let mut outside = 0;
            let mut looked_at = 0;
            for (key, layers) in inside {
                // Only every third key if the folder has all keys.
                if last.is_some_and(|last| key < last + NEAR) {
                    continue;
                }
                last = Some(key);
                let near = keys.range(key.saturating_sub(NEAR)..=key + NEAR);
                let levels = near.flat_map(|(_, layers)| layers).map(|f| f.note.course[time]);
                let (low, high) =
                    levels.fold((f64::MAX, f64::MIN), |(l, h), x| (x.min(l), x.max(h)));
                let Some(one) = at_rank(layers, RANKS[1].0) else { continue };
                let ours = one.pair.of(|m| m.course[time]);
                looked_at += 1;
                if ours < low || ours > high {
                    outside += 1;
                    told.push(format!("key {key} {ours:.1} ({low:.1}…{high:.1}) at {name} s"));
                }
            }
            let quantity =
                format!("{register}: level at {name} s, keys of {looked_at} off the band");
            report.check(&quantity, "0", TargetBand::AtMost(0.0), f64::from(outside));
        }
    }
    if !told.is_empty() {
        report.note(&format!("Levels outside the recorded band, dB: {}.", told.join(", ")));
    }
}

/// Early T60 in third-octave bands, rendered relative to recorded.
fn decay(report: &mut Report, keys: &Keys<'_, '_>) {
    let mut quartiles = Vec::new();
    for (register, inside) in recorded_registers(keys) {
        let ratios = || {
            let layers = inside.iter().filter_map(|(_, layers)| at_rank(layers, RANKS[1].0));
            layers.flat_map(|one| {
                let [recorded, rendered] =
                    [one.note, one.pair.nearer()].map(|m| m.thirds.early_t60);
                let heard = (0..BANDS).filter(|b| (DECAY_HZ.0..DECAY_HZ.1).contains(&middle(*b)));
                heard.map(move |band| rendered[band] / recorded[band])
            })
        };
        if let (Some(low), Some(middle), Some(high)) =
            (quantile(ratios(), 0.25), quantile(ratios(), 0.5), quantile(ratios(), 0.75))
        {
            let quantity = format!("{register}: early T60 by thirds, over the recorded, median");
            report.check(&quantity, "1", TargetBand::Within(0.7, 1.4), middle);
            quartiles.push(format!("{register} {low:.2} and {high:.2}"));
        }
    }
    if !quartiles.is_empty() {
        report.note(&format!("Early T60 over the recorded, quartiles: {}.", quartiles.join(", ")));
    }
}

/// A quantity of a recorded note or of its rendering.
type Quantity = fn(&Found<'_>) -> f64;

/// Similarity of the two channels, and its scatter from key to key.
fn channels(report: &mut Report, keys: &Keys<'_, '_>) {
    let at = |of: Quantity, share: f64| {
        let middle = keys.values().filter_map(|layers| at_rank(layers, RANKS[1].0));
        quantile(middle.map(of), share)
    };
    let spread = |of: Quantity| Some(at(of, 0.75)? - at(of, 0.25)?);
    let correlation: [Quantity; 2] = [|f| f.note.correlation, |f| f.pair.of(|m| m.correlation)];
    let level: [Quantity; 2] = [|f| f.note.left_over_right, |f| f.pair.of(|m| m.left_over_right)];
    if let [Some(theirs), Some(ours)] = correlation.map(|of| at(of, 0.5)) {
        let quantity = "correlation of the channels, median over the keys";
        report.check(quantity, &short(theirs), TargetBand::Within(0.2, 0.6), ours);
    }
    // Fewer keys have no meaningful quartiles.
    if keys.len() < 8 {
        return;
    }
    if let [Some(theirs), Some(ours)] = correlation.map(spread) {
        report.near("correlation of the channels, quartiles apart", theirs, 0.5, ours);
    }
    if let [Some(theirs), Some(ours)] = level.map(spread) {
        report.near("left over right, quartiles apart, dB", theirs, 0.5, ours);
    }
}

/// A note on the margin of each missed row.
fn shortfalls(report: &mut Report) {
    let missed = report.rows().iter().filter(|row| !row.is_met()).filter_map(|row| {
        let measured = row.measured?;
        let by = match row.band {
            [Some(low), _] if measured < low => low - measured,
            [_, Some(high)] if measured > high => measured - high,
            _ => return None,
        };
        Some(format!("- {}: by {}", row.cells[0], short(by)))
    });
    let missed: Vec<String> = missed.collect();
    if !missed.is_empty() {
        report.note(&format!("Missed:\n\n{}", missed.join("\n")));
    }
}
