//! Values that a host has set on the controller while it processes.
//!
//! The wrapper leaves such a value to the next block, in which the host sends it again at its sample. A host that
//! saves the state before that block would lose it, so the values are put into the state. Main thread, except
//! `processed`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::host_params::HostParams;
use touchback_core::exchange::lock::lock;
use touchback_core::math::cast::single;

/// The values since the last block.
#[derive(Default)]
pub(super) struct Unprocessed {
    params: Option<Arc<HostParams>>,
    /// Blocks since creation.
    blocks: AtomicU64,
    /// Host's id and normalized value of each, and the number of blocks before it.
    values: Mutex<Vec<(u32, f64, u64)>>,
}

impl Unprocessed {
    /// No values of `params`; without parameters nothing is kept.
    pub(super) fn new(params: Option<Arc<HostParams>>) -> Self {
        Self { params, ..Self::default() }
    }

    /// A block has been processed. Audio thread.
    pub(super) fn processed(&self) {
        self.blocks.fetch_add(1, Ordering::AcqRel);
    }

    /// The host has set the parameter `id` to the `value` 0…1, and the wrapper has taken or left it.
    pub(super) fn set(&self, id: u32, value: f64) {
        if !(0.0..=1.0).contains(&value) {
            return;
        }
        let blocks = self.blocks.load(Ordering::Acquire);
        let mut values = lock(&self.values);
        values.retain(|(other, _, before)| *other != id && *before == blocks);
        values.push((id, value, blocks));
    }

    /// A state is loaded.
    pub(super) fn clear(&self) {
        lock(&self.values).clear();
    }

    /// Gives the parameters the values since the last block. Call it before the state is saved.
    pub(super) fn apply(&self) {
        let Some(params) = &self.params else { return };
        let blocks = self.blocks.load(Ordering::Acquire);
        for (id, value, before) in lock(&self.values).drain(..) {
            let own = params.pointer(id).filter(|_| before == blocks);
            if let Some(own) = own {
                // SAFETY: the parameters live as long as `params`; they are atomic.
                unsafe { own._internal_set_normalized_value(single(value)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_instrument::host::params::find;

    #[test]
    fn values_are_applied_once_unless_a_block_has_come() {
        let params = Arc::new(HostParams::default());
        let unprocessed = Unprocessed::new(Some(params.clone()));
        let let_off = find("let_off_mm").unwrap();
        let now = || let_off.get(&params.values().settings());
        let standard = now();
        unprocessed.set(let_off.host_id(), 0.5);
        unprocessed.set(let_off.host_id(), 1.0);
        unprocessed.set(let_off.host_id(), f64::NAN);
        unprocessed.set(1, 0.5);
        assert_eq!(now().to_bits(), standard.to_bits());
        unprocessed.apply();
        assert_eq!(now(), let_off.max());
        unprocessed.set(let_off.host_id(), 0.0);
        unprocessed.processed();
        unprocessed.apply();
        assert_eq!(now(), let_off.max(), "the block had the value, or a later one");
    }
}
