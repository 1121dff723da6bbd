//! Counters of work: steps, keys and events, independent of processing time.

/// Work since creation or reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct WorkCounters {
    /// Action steps run.
    pub steps: u64,
    /// Steps of single keys: keys that moved, summed over the steps.
    pub key_steps: u64,
    /// Largest number of keys that moved in one step.
    pub most_keys: usize,
    /// Largest number of events of one step.
    pub most_events: usize,
}

impl WorkCounters {
    /// Counts a step with `keys` moving keys and `events` events.
    pub fn step(&mut self, keys: usize, events: usize) {
        self.steps += 1;
        self.key_steps += keys as u64;
        self.most_keys = self.most_keys.max(keys);
        self.most_events = self.most_events.max(events);
    }

    /// Keys that moved, on average over the steps.
    #[must_use]
    pub fn mean_keys(&self) -> f64 {
        self.key_steps as f64 / self.steps.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_summed_and_averaged_over_steps() {
        let mut load = WorkCounters::default();
        assert_eq!(load.mean_keys(), 0.0);
        load.step(3, 1);
        load.step(1, 7);
        assert_eq!((load.steps, load.key_steps, load.most_keys, load.most_events), (2, 4, 3, 7));
        assert_eq!(load.mean_keys(), 2.0);
    }
}
