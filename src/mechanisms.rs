//! A project's mechanism from a file, shared by window, saved state and audio thread.
//!
//! The file is for the window's and the host's threads; the audio thread receives the mechanism with prepared keys
//! through a buffer of the latest value. A thread looks for host parameters of the mechanism that have moved, and builds
//! the keys anew: the audio thread neither builds nor wakes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nice_plug::prelude::nice_log;

use crate::host_params::HostParams;
use crate::host_params::mechanism::COUNT;
use touchback_core::exchange::latest::{LatestReader, LatestWriter, latest};
use touchback_core::exchange::lock::lock;
use touchback_core::exchange::shared::{Keeper, Shared};
use touchback_core::math::cast::single;
use touchback_instrument::host::mechanism::{LoadedMechanism, MechanismFile};

/// Time between looks at the host's parameters.
const POLL: Duration = Duration::from_millis(50);
/// Least change of a value by the host, share of its range: more than the rounding of a position.
const LEAST: f64 = 1e-6;

/// Positions 0…1 of the values of a file's first parameters.
pub fn positions(loaded: &LoadedMechanism) -> Vec<f32> {
    let Some(file) = &*loaded.file else { return Vec::new() };
    let values = file.parameters().iter().zip(file.values()).take(COUNT);
    values.map(|(p, value)| single((value - p.min) / (p.max - p.min))).collect()
}

/// The mechanism of one instance.
pub struct Mechanisms {
    inner: Arc<Inner>,
    /// Follows the host's parameters from the first file on.
    follower: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    params: Arc<HostParams>,
    kept: Mutex<Kept>,
    is_over: AtomicBool,
}

struct Kept {
    loaded: Arc<LoadedMechanism>,
    writer: LatestWriter<Shared<Option<MechanismFile>>>,
    /// The mechanisms that the audio thread must not free.
    keeper: Keeper<Option<MechanismFile>>,
    /// The host's parameters at the last look.
    positions: [f32; COUNT],
}

impl Kept {
    fn set(&mut self, loaded: Arc<LoadedMechanism>) {
        self.keeper.keep(&loaded.file);
        self.writer.write(loaded.file.clone());
        self.loaded = loaded;
    }
}

impl Inner {
    /// Gives the file's parameters the values to which the host's have moved since the last look, and builds the keys.
    fn look(&self) {
        let now = self.params.mechanism().positions();
        let (before, loaded) = {
            let mut kept = lock(&self.kept);
            (std::mem::replace(&mut kept.positions, now), kept.loaded.clone())
        };
        let (true, Some(file)) = (before != now, &*loaded.file) else { return };
        let mut source = file.source().clone();
        let moves = now.into_iter().zip(before).zip(file.parameters().iter().zip(file.values()));
        for ((now, before), (p, value)) in moves {
            let to = p.min + f64::from(now) * (p.max - p.min);
            let is_other = (to - value).abs() > LEAST * (p.max - p.min);
            if now.to_bits() != before.to_bits() && is_other {
                source.values.insert(p.id.clone(), to);
            }
        }
        if source == *file.source() {
            return;
        }
        let built = LoadedMechanism::of(source);
        if let Some(fault) = &built.fault {
            nice_log!("Touchback keeps the mechanism's values: {fault}");
            return;
        }
        let mut kept = lock(&self.kept);
        // What was loaded meanwhile stays.
        if Arc::ptr_eq(&kept.loaded, &loaded) {
            kept.set(built);
        }
    }
}

impl Mechanisms {
    /// No mechanism yet, and the audio thread's end; `params` has the host's parameters of the mechanism.
    #[must_use]
    pub fn new(params: Arc<HostParams>) -> (Self, LatestReader<Shared<Option<MechanismFile>>>) {
        let (writer, reader) = latest(&Shared::NEUTRAL);
        let positions = params.mechanism().positions();
        let (loaded, keeper) = (Arc::default(), Keeper::default());
        let kept = Mutex::new(Kept { loaded, writer, keeper, positions });
        let inner = Arc::new(Inner { params, kept, is_over: AtomicBool::new(false) });
        (Self { inner, follower: Mutex::default() }, reader)
    }

    /// Sets the mechanism; the audio thread reads it with its next block.
    pub fn set(&self, loaded: Arc<LoadedMechanism>) {
        let follows = !positions(&loaded).is_empty();
        lock(&self.inner.kept).set(loaded);
        let mut follower = lock(&self.follower);
        if follows && follower.is_none() {
            let inner = self.inner.clone();
            *follower = Some(thread::spawn(move || {
                while !inner.is_over.load(Ordering::Acquire) {
                    inner.look();
                    thread::park_timeout(POLL);
                }
            }));
        }
    }

    /// Sets the mechanism of a project that is being loaded; the host's parameters may be loaded before or after.
    pub fn load(&self, loaded: Arc<LoadedMechanism>) {
        lock(&self.inner.kept).positions = self.inner.params.mechanism().positions();
        self.set(loaded);
    }

    /// The current mechanism.
    #[must_use]
    pub fn get(&self) -> Arc<LoadedMechanism> {
        lock(&self.inner.kept).loaded.clone()
    }
}

impl Drop for Mechanisms {
    /// No thread outlives the plugin's library.
    fn drop(&mut self) {
        self.inner.is_over.store(true, Ordering::Release);
        if let Some(follower) = lock(&self.follower).take() {
            follower.thread().unpark();
            let _ = follower.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nice_plug::prelude::Param as _;
    use touchback_instrument::host::mechanism::read;

    const SAMPLE: &str = include_str!("../mechanisms/ball.mechanism.toml");

    #[test]
    fn a_mechanism_reaches_the_reader_and_stays_until_the_reader_has_another() {
        let (mechanisms, mut reader) = Mechanisms::new(Arc::default());
        let own = || LoadedMechanism::playing(read("own.mechanism.toml", SAMPLE.into()).unwrap());
        mechanisms.set(own());
        let held = reader.take_update().unwrap().clone();
        assert!(held.is_some());
        mechanisms.set(Arc::default());
        assert_eq!(reader.take_update(), Some(&Shared::NEUTRAL));
        assert_eq!(mechanisms.get(), Arc::default());
        assert_eq!(held.as_ref().unwrap().source().text, SAMPLE);
    }

    /// The values that have reached `reader`, and the mechanism that then plays.
    fn wait(reader: &mut LatestReader<Shared<Option<MechanismFile>>>) -> MechanismFile {
        loop {
            if let Some(file) = reader.take_update() {
                return file.as_ref().unwrap().clone();
            }
            thread::yield_now();
        }
    }

    #[test]
    fn a_host_parameter_that_moves_sets_the_files_parameter_of_its_number() {
        let params = Arc::<HostParams>::default();
        let (mechanisms, mut reader) = Mechanisms::new(params.clone());
        let moved = |which: usize, position: f32| {
            // SAFETY: the parameter outlives the pointer.
            unsafe {
                let pointer = params.mechanism().params()[which].as_ptr();
                pointer._internal_set_normalized_value(position);
            }
        };
        let own = LoadedMechanism::playing(read("own.mechanism.toml", SAMPLE.into()).unwrap());
        mechanisms.set(own.clone());
        assert_eq!(wait(&mut reader).source(), own.source.as_ref().unwrap());
        // The positions of the present values change nothing.
        for (which, position) in positions(&own).into_iter().enumerate() {
            moved(which, position);
        }
        mechanisms.inner.look();
        assert!(Arc::ptr_eq(&mechanisms.get(), &own));
        moved(1, 0.5);
        let changed = wait(&mut reader);
        assert_eq!(changed.values()[..], [0.05, 2550.0, 2.0]);
        assert_eq!(mechanisms.get().file.as_ref(), Some(&changed));
        // A loaded project keeps its own values, wherever the host's parameters are.
        mechanisms.load(own.clone());
        wait(&mut reader);
        mechanisms.inner.look();
        assert!(Arc::ptr_eq(&mechanisms.get(), &own));
        // Those beyond the file's parameters do nothing.
        moved(7, 1.0);
        mechanisms.inner.look();
        assert!(Arc::ptr_eq(&mechanisms.get(), &own));
    }
}
