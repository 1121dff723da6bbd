//! The search: tree-structured Parzen estimators [Bergstra 2011], first over the whole ranges, then around
//! the best trials.

use anyhow::{Context, Result, anyhow};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tpe::TpeOptimizer;

use super::layout::{COUNT, Layout, ranges};
use super::trial::{TargetGroup, Values, misfit};
use touchback_offline::output::progress;
use touchback_offline::parallel;

/// Parts of the search: share of the trials, share of the ranges around the best trial so far, and weight of
/// the soft press relative to the other groups; the later weights spread the trials along the trade-off
/// (chosen).
const PARTS: [(f64, f64, f64); 5] =
    [(0.4, 2.0, 1.0), (0.2, 0.3, 1.0), (0.15, 0.1, 1.0), (0.125, 0.2, 5.0), (0.125, 0.2, 0.2)];

/// Trials that are measured at the same time; also on machines with fewer cores, so that the trials are the
/// same.
const BATCH: usize = 8;

/// One trial.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// Part of the search, from 0.
    pub part: usize,
    /// The free numbers.
    pub layout: Layout,
    /// Values of each key.
    pub keys: Vec<Values>,
}

impl Trial {
    /// Misfit in each group.
    pub fn misfits(&self) -> [f64; TargetGroup::ALL.len()] {
        TargetGroup::ALL.map(|group| misfit(&self.keys, group))
    }

    /// Misfit in all groups, the soft press with `weight`.
    pub fn misfit(&self, weight: f64) -> f64 {
        let [soft, rest @ ..] = self.misfits();
        weight * soft + rest.iter().sum::<f64>()
    }
}

/// The best of `trials`, the soft press with `weight`.
pub fn best(trials: &[Trial], weight: f64) -> Option<&Trial> {
    trials.iter().min_by(|a, b| a.misfit(weight).total_cmp(&b.misfit(weight)))
}

/// Runs `trials` trials from `start`, the first of them within the share `width` of the ranges, `measure`d on at
/// most `cores` cores. The same `seed` gives the same trials on any number of cores.
///
/// # Errors
/// An error of the optimizer.
pub fn search(
    seed: u64,
    trials: usize,
    cores: usize,
    (start, width): (&Layout, f64),
    measure: impl Fn(&Layout) -> Vec<Values> + Sync,
) -> Result<Vec<Trial>> {
    let mut random = StdRng::seed_from_u64(seed);
    let bar = progress(trials as u64, "searching");
    let mut all: Vec<Trial> = Vec::new();
    let mut end = 0.0;
    for (part, (share, own_width, weight)) in PARTS.into_iter().enumerate() {
        let width = own_width.min(width);
        end += share * trials as f64;
        let centre = best(&all, weight).map_or(*start, |best| best.layout);
        let within = ranges(&centre, width);
        let mut optimizers = Vec::with_capacity(COUNT);
        for [low, high] in within {
            let range = tpe::range(low, high.max(low + 1e-9)).map_err(|e| anyhow!("{e:?}"))?;
            optimizers.push(TpeOptimizer::new(tpe::parzen_estimator(), range));
        }
        let tell = |optimizers: &mut [TpeOptimizer<_>], trial: &Trial| -> Result<()> {
            for (optimizer, x) in optimizers.iter_mut().zip(trial.layout) {
                optimizer.tell(x, trial.misfit(weight)).context("the optimizer refuses a trial")?;
            }
            Ok(())
        };
        // Earlier trials within the ranges count.
        let is_within = |trial: &&Trial| {
            within.iter().zip(trial.layout).all(|([low, high], x)| x >= *low && x < *high)
        };
        for trial in all.iter().filter(is_within) {
            tell(&mut optimizers, trial)?;
        }
        while (all.len() as f64) < end - 0.5 {
            let count = BATCH.min(trials - all.len());
            let mut asked = Vec::with_capacity(count);
            for i in 0..count {
                let mut layout = centre;
                // The first trial of all is the start.
                if i + all.len() > 0 {
                    for (x, optimizer) in layout.iter_mut().zip(&mut optimizers) {
                        *x = optimizer.ask(&mut random).context("the optimizer has no proposal")?;
                    }
                }
                asked.push(layout);
            }
            let found = parallel::map_on(cores, &asked, |layout| {
                let keys = measure(layout);
                bar.inc(1);
                Trial { part, layout: *layout, keys }
            });
            for trial in found {
                tell(&mut optimizers, &trial)?;
                all.push(trial);
            }
        }
    }
    bar.finish_and_clear();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::super::layout::FREE;
    use super::super::trial::TARGETS;
    use super::*;

    /// Trials of a made-up key, whose soft press is nearer the string the nearer the lever's centre is to a
    /// point.
    fn made_up(seed: u64, cores: usize) -> Vec<Trial> {
        let measure = |layout: &Layout| {
            let off = (layout[0] + 0.066).hypot(layout[1] - 0.029);
            let mut values: Values = TARGETS.map(|(_, _, band, _)| match band.ends() {
                [Some(low), _] => low,
                [None, high] => high.unwrap_or(0.0),
            });
            values[0] = 5.0 + 1e3 * off;
            vec![values]
        };
        search(seed, 200, cores, (&FREE.map(|free| free.range[0]), 2.0), measure).unwrap()
    }

    #[test]
    fn the_search_finds_the_point_and_is_the_same_on_one_core_and_on_two() {
        let (one, two) = (made_up(1, 1), made_up(1, 2));
        assert!(one == two && one.len() == 200);
        assert!(one != made_up(2, 1));
        let least = best(&one, 1.0).unwrap().misfit(1.0);
        assert!(one[0].misfit(1.0) > 3.0 && least == 0.0, "{least}");
    }
}
