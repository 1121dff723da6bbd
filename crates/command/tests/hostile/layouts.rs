//! Both output layouts in both formats: every given output is written, and a missing output affects no other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::FRAMES;
use crate::host::{Event, Instance, list};
use crate::outputs::Outputs;
use crate::vst3_host::{Plugin, note_on};

/// Channel lengths of each output from the host; 0 stands for a null pointer.
type Shape = &'static [&'static [u32]];

const N: u32 = FRAMES;
const STEREO: u64 = 3;
const SHAPES: [Shape; 13] = [
    &[],
    &[&[]],
    &[&[N, N]],
    &[&[N, N], &[]],
    &[&[N, N], &[N]],
    &[&[N, N], &[0, N]],
    &[&[N, N], &[N, N]],
    &[&[N, N], &[N, N, N, 0, N]],
    &[&[N, N, N], &[N, N]],
    &[&[N, N], &[N, N], &[N, N], &[N]],
    &[&[0, 0], &[N, N]],
    &[&[N], &[N]],
    &[&[], &[], &[N]],
];

/// A plugin of either format, ready to play.
enum Player {
    Clap(Instance),
    Vst3(Plugin),
}

// SAFETY: the plugin's functions stand calls from any thread; that is the test.
unsafe impl Sync for Player {}

impl Player {
    /// One of each format, with one output or two.
    fn both(outputs: usize) -> [Self; 2] {
        let (clap, vst3) = (Instance::new(), Plugin::new());
        assert!(clap.select(u32::try_from(outputs - 1).unwrap()));
        assert!(clap.activate(48_000.0) && clap.start());
        assert_eq!(vst3.arrange(&vec![STEREO; outputs]), 0);
        assert!(vst3.set_up(48_000.0) && vst3.activate(true) && vst3.run(true));
        [Self::Clap(clap), Self::Vst3(vst3)]
    }

    /// Activates or deactivates the plugin.
    fn switch(&self, state: bool) {
        match self {
            Self::Clap(instance) if state => assert!(instance.activate(48_000.0)),
            Self::Clap(instance) => instance.deactivate(),
            Self::Vst3(plugin) => assert!(plugin.activate(state)),
        }
    }

    /// Plays a block with or without a note; the flags of silent channels.
    fn play(&self, outputs: &[Outputs], with_note: bool) -> Result<Vec<u64>, ()> {
        self.count(outputs, with_note).map(|(_, flags)| flags)
    }

    /// [`Self::play`] with the number of heap calls.
    fn count(&self, outputs: &[Outputs], with_note: bool) -> Result<(u64, Vec<u64>), ()> {
        match self {
            Self::Clap(instance) => {
                let note = [Event::note_on(5, 60)];
                let events = if with_note { &note[..] } else { &[] };
                instance.process_ports(FRAMES, outputs, &list(&events))
            }
            Self::Vst3(plugin) => {
                let note = [note_on(5, 60)];
                let events = if with_note { &note[..] } else { &[] };
                let block = (i32::try_from(FRAMES).unwrap(), 0);
                plugin.process_buses(block, outputs, &[], events).map_err(|_| ())
            }
        }
    }

    /// The bits of a note's first blocks, for each output of `shape`.
    fn render(&self, shape: Shape) -> Vec<Vec<Vec<u32>>> {
        let mut heard: Vec<Vec<Vec<u32>>> =
            shape.iter().map(|output| vec![Vec::new(); output.len()]).collect();
        for block in 0..12 {
            let outputs: Vec<_> = shape.iter().map(|lengths| Outputs::new(lengths)).collect();
            let (count, flags) = self.count(&outputs, block == 0).expect("played");
            assert_eq!(count, 0, "{shape:?}: allocations");
            for ((heard, output), flags) in heard.iter_mut().zip(&outputs).zip(flags) {
                for (index, channel) in output.channels.iter().enumerate() {
                    let is_silent = channel.samples().iter().all(|sample| sample.to_bits() == 0);
                    assert!(is_silent || flags >> index & 1 == 0, "{shape:?}: a flag, no silence");
                    heard[index].extend(channel.samples().iter().map(|sample| sample.to_bits()));
                }
            }
        }
        heard
    }
}

fn peak(bits: &[u32]) -> f32 {
    bits.iter().fold(0.0, |peak, bits| peak.max(f32::from_bits(*bits).abs()))
}

#[test]
fn the_main_pair_is_the_same_in_both_layouts_and_the_distant_one_sounds() {
    for (one, two) in Player::both(1).into_iter().zip(Player::both(2)) {
        let (near, both) = (one.render(&[&[N, N]]), two.render(&[&[N, N], &[N, N]]));
        assert!(near[0] == both[0]);
        assert!(near[0].iter().all(|channel| peak(channel) > 0.01));
        assert!(both[1].iter().all(|channel| peak(channel) > 0.001));
        assert!(both[0] != both[1]);
    }
}

#[test]
fn missing_or_additional_outputs_change_no_other() {
    for outputs in [1, 2] {
        let whole = Player::both(outputs)[0].render(&[&[N, N], &[N, N]]);
        for shape in SHAPES {
            for player in Player::both(outputs) {
                for (index, heard) in player.render(shape).iter().enumerate() {
                    for (channel, heard) in heard.iter().enumerate() {
                        if heard.is_empty() {
                            continue;
                        }
                        // The second output of the first layout is silent in `whole` already.
                        match whole.get(index).and_then(|output| output.get(channel)) {
                            Some(expected) => assert!(heard == expected, "{shape:?}"),
                            None => assert!(heard.iter().all(|bits| *bits == 0), "{shape:?}"),
                        }
                    }
                }
            }
        }
        assert_eq!(peak(&whole[1][0]) == 0.0, outputs == 1);
    }
}

#[test]
fn a_silent_plugin_sets_its_silence_flags() {
    for player in Player::both(2) {
        let outputs = [Outputs::stereo(N), Outputs::new(&[N, N, N]), Outputs::stereo(N)];
        player.switch(false);
        assert!(player.play(&outputs, true).is_err());
        let mut samples =
            outputs.iter().flat_map(|output| &output.channels).flat_map(|c| c.samples());
        assert!(samples.all(|sample| sample.to_bits() == 0));
    }
}

/// Blocks during activation or another block are refused and silent.
#[test]
fn blocks_during_other_calls_are_silent() {
    for player in Player::both(2) {
        let (player, is_over) = (&player, AtomicBool::new(false));
        let refused = thread::scope(|scope| {
            let play = || {
                let mut refused = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let outputs = [Outputs::stereo(N), Outputs::stereo(N)];
                    refused += u32::from(player.play(&outputs, true).is_err());
                    assert!(outputs.iter().all(Outputs::are_finite));
                }
                refused
            };
            let threads = [scope.spawn(play), scope.spawn(play)];
            for _ in 0..8 {
                player.switch(false);
                thread::sleep(Duration::from_millis(5));
                player.switch(true);
                thread::sleep(Duration::from_millis(20));
            }
            is_over.store(true, Ordering::Relaxed);
            threads.map(|thread| thread.join().expect("no panic")).iter().sum::<u32>()
        });
        assert!(refused > 0);
    }
}

#[test]
fn the_layout_of_an_active_plugin_does_not_change() {
    let [clap, vst3] = Player::both(1);
    if let (Player::Clap(clap), Player::Vst3(vst3)) = (&clap, &vst3) {
        assert!(!clap.select(1) && !clap.select(7));
        assert_ne!(vst3.arrange(&[STEREO, STEREO]), 0);
        clap.deactivate();
        assert!(clap.select(1) && !clap.select(2) && !clap.select(u32::MAX));
        assert!(vst3.activate(false));
        for wrong in [&[][..], &[1], &[STEREO, 1], &[0, STEREO], &[STEREO; 3], &[u64::MAX; 2]] {
            assert_ne!(vst3.arrange(wrong), 0, "{wrong:?}");
        }
        assert_eq!(vst3.arrange(&[STEREO, STEREO]), 0);
    }
}
