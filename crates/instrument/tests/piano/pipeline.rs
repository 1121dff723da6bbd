//! A pipeline against a piano on one thread.

use std::ops::ControlFlow;

use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::settings::Switch;
use touchback_instrument::{Piano, Settings};

const RATE: f64 = 48_000.0;

/// The messages of one block.
struct Messages(Vec<(u32, InputMessage)>);

impl Host for Messages {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.0.pop()
    }
}

/// Loud chords, controllers, and all sound off in block 30.
fn messages(block: usize) -> Messages {
    let mut messages = Vec::new();
    let controller = |number, value| InputMessage::Controller { channel: 0, number, value };
    if block.is_multiple_of(8) {
        for note in [30, 47, 60, 64] {
            messages
                .push((17, InputMessage::NoteOn { channel: 0, note, id: None, velocity: 0.95 }));
        }
    }
    match block {
        4 => messages.push((5, controller(64, 1.0))),
        12 => messages.push((100, controller(7, 0.6))),
        30 => messages.push((200, controller(120, 0.0))),
        _ => {}
    }
    messages.reverse();
    Messages(messages)
}

/// With the output guard, which limits here, and without.
#[test]
fn three_threads_render_the_samples_of_one() {
    for guard in [Switch::On, Switch::Off] {
        let settings = Settings { output_db: 12.0, output_guard: guard, ..Settings::default() };
        let (mut left, mut right) = (vec![0.0; 500], vec![0.0; 500]);
        let mut one = EventScheduler::new(Piano::new(RATE, &settings));
        let mut expected = Vec::new();
        for block in 0..40 {
            one.process(&mut left, &mut right, &mut messages(block));
            expected.extend(left.iter().zip(&right).map(|(l, r)| [l.to_bits(), r.to_bits()]));
        }
        let (piano, rear) = Piano::ahead(RATE, &settings);
        let mut ahead = EventScheduler::new(piano);
        let (mut rendered, mut blocks) = (Vec::new(), 0);
        std::thread::scope(|scope| {
            let (rendered, blocks) = (&mut rendered, &mut blocks);
            scope.spawn(move || {
                rear.run(|left, right, worked| {
                    assert!(worked > 0.0 && left.len() == 500);
                    *blocks += 1;
                    let frames = left.iter().zip(right);
                    rendered.extend(frames.map(|(l, r)| [l.to_bits(), r.to_bits()]));
                    ControlFlow::Continue(())
                });
            });
            for block in 0..40 {
                ahead.process(&mut left, &mut right, &mut messages(block));
                assert!(ahead.piano().end_block(1e-3));
            }
            ahead.piano().close();
        });
        assert_eq!(blocks, 40);
        assert!(expected.iter().flatten().any(|bits| *bits != 0) && rendered == expected);
    }
}

#[test]
fn a_receiver_that_breaks_off_ends_the_action() {
    let (piano, rear) = Piano::ahead(RATE, &Settings::default());
    let mut ahead = EventScheduler::new(piano);
    let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
    std::thread::scope(|scope| {
        scope.spawn(move || rear.run(|_, _, _| ControlFlow::Break(())));
        while {
            ahead.process(&mut left, &mut right, &mut messages(1));
            ahead.piano().end_block(1e-3)
        } {}
    });
}
