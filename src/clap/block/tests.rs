use super::*;
use crate::clap::event::tests::{list, note, value};
use crate::ordered_events::HostMessages as _;
use clap_sys::events::clap_input_events;

/// Frames of a part and what came with it: sample and key, -1 a value.
type Seen = (u32, Vec<(u32, i16)>);

/// The parts that the wrapper receives of a block with these outputs and events. The wrapper writes ones.
fn feed(
    feeder: &mut BlockFeeder,
    frames: u32,
    output: Option<&mut clap_audio_buffer>,
    events: &Vec<Event>,
) -> Vec<Seen> {
    feed_all(feeder, frames, output.map_or(&mut [], std::slice::from_mut), events)
}

/// [`feed`] with any number of outputs.
fn feed_all(
    feeder: &mut BlockFeeder,
    frames: u32,
    given: &mut [clap_audio_buffer],
    events: &Vec<Event>,
) -> Vec<Seen> {
    let inputs = list(events);
    let block = clap_process {
        steady_time: 1_000,
        frames_count: frames,
        transport: std::ptr::null(),
        audio_inputs: std::ptr::null(),
        audio_outputs_count: u32::try_from(given.len()).unwrap(),
        audio_outputs: if given.is_empty() { std::ptr::null_mut() } else { given.as_mut_ptr() },
        audio_inputs_count: 0,
        in_events: &raw const inputs,
        out_events: std::ptr::null(),
    };
    let mut seen = Vec::new();
    let outputs = feeder.outputs;
    let read = |list: *const clap_input_events| {
        // SAFETY: the feeder's own list.
        let events = unsafe { HostEvents::new(list) };
        let mut all = Vec::new();
        events.for_each(u32::MAX, &mut |_, event| all.push(event.time_and_key()));
        all
    };
    // SAFETY: the events are a list, the output is the caller's.
    unsafe {
        feeder.feed(&block, |part| {
            let expected = u32::try_from(outputs).unwrap();
            assert_eq!(part.audio_outputs_count, expected);
            for index in 0..outputs {
                let output = &*part.audio_outputs.add(index);
                assert_eq!(output.channel_count, 2);
                for channel in 0..2 {
                    let length = usize::try_from(part.frames_count).unwrap();
                    std::slice::from_raw_parts_mut(*output.data32.add(channel), length).fill(1.0);
                }
            }
            seen.push((part.frames_count, read(part.in_events)));
            CLAP_PROCESS_CONTINUE
        });
    }
    seen
}

/// A host's output of these channels, null where a length is zero.
struct Output {
    buffers: Vec<Vec<f32>>,
    pointers: Vec<*mut f32>,
}

impl Output {
    fn new(lengths: &[usize]) -> Self {
        let mut buffers: Vec<_> = lengths.iter().map(|length| vec![7.0; *length]).collect();
        let pointer = |buffer: &mut Vec<f32>| {
            if buffer.is_empty() { std::ptr::null_mut() } else { buffer.as_mut_ptr() }
        };
        let pointers = buffers.iter_mut().map(pointer).collect();
        Self { buffers, pointers }
    }

    /// First and last sample of each channel.
    fn ends(&self) -> Vec<Option<(f32, f32)>> {
        let ends = |channel: &Vec<f32>| Some((*channel.first()?, *channel.last()?));
        self.buffers.iter().map(ends).collect()
    }

    fn as_clap(&mut self) -> clap_audio_buffer {
        clap_audio_buffer {
            data32: self.pointers.as_mut_ptr(),
            data64: std::ptr::null_mut(),
            channel_count: u32::try_from(self.pointers.len()).unwrap(),
            latency: 0,
            constant_mask: 3,
        }
    }
}

#[test]
fn events_come_in_order_and_inside_the_block() {
    let events = vec![note(600, 1), note(3, 2), value(u32::MAX), note(3, 3), value(1), note(64, 4)];
    let mut feeder = BlockFeeder::new(100);
    let mut output = Output::new(&[64, 64]);
    let seen = feed(&mut feeder, 64, Some(&mut output.as_clap()), &events);
    assert_eq!(seen, [(64, vec![(1, -1), (3, 2), (3, 3), (63, 1), (63, -1), (63, 4)])]);
    assert!(feeder.events.deferred.is_empty());
}

#[test]
fn deferred_notes_come_before_those_of_the_next_block() {
    let mut feeder = BlockFeeder::new(100);
    [note(0, 1), note(5, 2)].into_iter().for_each(|note| feeder.defer(note));
    let mut output = Output::new(&[8, 8]);
    let events = vec![note(0, 3), note(4, 4)];
    let seen = feed(&mut feeder, 8, Some(&mut output.as_clap()), &events);
    assert_eq!(seen, [(8, vec![(0, 1), (0, 2), (0, 3), (4, 4)])]);
    assert_eq!(feed(&mut feeder, 8, Some(&mut output.as_clap()), &Vec::new()), [(8, vec![])]);
}

#[test]
fn omitted_channels_are_substituted_and_surplus_ones_silenced() {
    let mut feeder = BlockFeeder::new(100);
    let events = vec![note(10, 1), note(2_000, 2)];
    let parts = [(1_024, vec![(10, 1)]), (1_024, vec![(976, 2)]), (952, vec![])];
    assert_eq!(feed(&mut feeder, 3_000, None, &events), parts);
    let mut mono = Output::new(&[3_000]);
    assert_eq!(feed(&mut feeder, 3_000, Some(&mut mono.as_clap()), &events), parts);
    assert!(mono.buffers[0].iter().all(|sample| *sample == 1.0));
    let mut right = Output::new(&[0, 3_000]);
    assert_eq!(feed(&mut feeder, 3_000, Some(&mut right.as_clap()), &events), parts);
    assert!(right.buffers[1].iter().all(|sample| *sample == 1.0));
    let mut four = Output::new(&[16, 16, 16, 0]);
    let mut output = four.as_clap();
    assert_eq!(feed(&mut feeder, 16, Some(&mut output), &Vec::new()), [(16, vec![])]);
    assert_eq!(output.constant_mask, !3);
    let ends = four.buffers.iter().take(3).map(|channel| (channel[0], channel[15]));
    assert!(ends.eq([(1.0, 1.0), (1.0, 1.0), (0.0, 0.0)]));
    let mut none = Output::new(&[]);
    let mut output = clap_audio_buffer { data32: std::ptr::null_mut(), ..none.as_clap() };
    assert_eq!(feed(&mut feeder, 8, Some(&mut output), &Vec::new()), [(8, vec![])]);
}

#[test]
fn every_output_of_the_layout_is_passed_on() {
    let mut feeder = BlockFeeder::new(100);
    feeder.set_outputs(2);
    let part = |frames| vec![(frames, vec![])];
    let (ones, zeros) = (Some((1.0, 1.0)), Some((0.0, 0.0)));
    let (mut near, mut far) = (Output::new(&[64, 64]), Output::new(&[64, 64, 64]));
    let mut given = [near.as_clap(), far.as_clap()];
    assert_eq!(feed_all(&mut feeder, 64, &mut given, &Vec::new()), part(64));
    assert_eq!(given.map(|output| output.constant_mask), [!3, !3]);
    assert_eq!((near.ends(), far.ends()), (vec![ones; 2], vec![ones, ones, zeros]));
    // A host that omits an output, or one of its channels.
    assert_eq!(feed(&mut feeder, 64, Some(&mut near.as_clap()), &Vec::new()), part(64));
    let mut mono = Output::new(&[64]);
    assert_eq!(feed_all(&mut feeder, 64, &mut [near.as_clap(), mono.as_clap()], &vec![]), part(64));
    assert_eq!(mono.ends(), [ones]);
    // A host that provides more outputs than the layout has.
    feeder.set_outputs(1);
    let mut given = [near.as_clap(), far.as_clap()];
    assert_eq!(feed_all(&mut feeder, 64, &mut given, &Vec::new()), part(64));
    assert_eq!(given.map(|output| output.constant_mask), [!3, !0]);
    assert_eq!((near.ends(), far.ends()), (vec![ones; 2], vec![zeros; 3]));
}

#[test]
fn an_output_of_another_precision_is_silenced_and_refused() {
    let mut samples = [[7.0_f64; 8]; 2];
    let mut starts = samples.each_mut().map(|channel| channel.as_mut_ptr());
    let mut output = clap_audio_buffer {
        data32: std::ptr::null_mut(),
        data64: starts.as_mut_ptr(),
        channel_count: 2,
        latency: 0,
        constant_mask: 0,
    };
    let mut feeder = BlockFeeder::new(100);
    assert_eq!(feed(&mut feeder, 8, Some(&mut output), &Vec::new()), []);
    assert_eq!(output.constant_mask, u64::MAX);
    assert_eq!(samples, [[0.0; 8]; 2]);
}

#[test]
fn events_beyond_the_room_come_in_further_parts() {
    let keys = |seen: &[Seen]| -> Vec<_> {
        seen.iter().flat_map(|part| part.1.iter().map(|event| event.1)).collect()
    };
    let mut feeder = BlockFeeder::new(4);
    let mut output = Output::new(&[8, 8]);
    let spread: Vec<_> = (0..16).zip(0..).map(|(i, key)| note(i / 2, key)).collect();
    let seen = feed(&mut feeder, 8, Some(&mut output.as_clap()), &spread);
    assert!(seen.iter().all(|part| part.1.len() <= 4));
    assert_eq!(seen.iter().map(|part| part.0).sum::<u32>(), 8);
    assert_eq!(keys(&seen), (0..16).collect::<Vec<_>>());

    // More events than the block has samples for: the rest is deferred; lost events are counted.
    let crowd: Vec<_> = (0..16).map(|i| note(0, i)).collect();
    let seen = feed(&mut feeder, 2, Some(&mut output.as_clap()), &crowd);
    assert_eq!(
        seen,
        [
            (1, (0..4).map(|i| (0, i)).collect::<Vec<_>>()),
            (1, (4..8).map(|i| (0, i)).collect::<Vec<_>>()),
        ]
    );
    let seen = feed(&mut feeder, 8, Some(&mut output.as_clap()), &vec![note(0, 99)]);
    assert_eq!(keys(&seen), [8, 9, 10, 11, 99]);
    assert_eq!(feeder.reset(), 4);
    assert_eq!(feeder.reset(), 0);
}
