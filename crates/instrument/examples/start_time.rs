//! Time from making a piano to its first sample that is not zero, of 88 notes together:
//! `cargo run --release -p touchback-instrument --example start_time`. The first piano is freed before the
//! second is made, so that both compute what pianos share.

use std::time::Instant;

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Piano, Settings};

const BLOCK: usize = 64;

fn main() {
    for which in ["first piano", "second piano"] {
        let begin = Instant::now();
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let made = begin.elapsed();
        for key in KeyNumber::all() {
            piano.handle(Event::NoteOn { key, velocity: 0.8 });
        }
        let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
        while left.iter().chain(&right).all(|x| *x == 0.0) {
            piano.process(&mut left, &mut right);
        }
        let ms = |time: std::time::Duration| 1e3 * time.as_secs_f64();
        println!("{which}: made in {:.1} ms, sounds after {:.1} ms", ms(made), ms(begin.elapsed()));
    }
}
