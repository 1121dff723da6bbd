//! Processor time of the board's convolution for one pair of microphones, in blocks of 64 samples at 48 kHz:
//! `cargo run --release -p touchback-sound --example board_cost [OUT.f32]`.
//!
//! Each figure is the least of several runs of the same block, % of its time, so that other programs do not enter.
//! The output, both channels of early and late part, goes to the file.

use std::io::Write as _;
use std::time::Instant;

use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::random::Random;
use touchback_sound::board::microphone_mixer::MicrophoneMixer;
use touchback_sound::board::shared_board::SharedBoard;
use touchback_sound::strings::bank::BLOCK;
use touchback_sound::strings::bridge::ZONES;

const RATE: f64 = 48_000.0;
/// Blocks of a run: 2 s.
const BLOCKS: usize = 1500;
const RUNS: usize = 30;

fn main() -> std::io::Result<()> {
    let mut file = std::env::args().nth(1).map(std::fs::File::create).transpose()?;
    for kernel in Kernel::available() {
        let mut mixer = MicrophoneMixer::new(&SharedBoard::at(RATE), 0, RATE, kernel);
        let mut least = vec![f64::INFINITY; BLOCKS];
        for run in 0..RUNS {
            mixer.reset();
            let mut noise = Random::new(1);
            for least in &mut least {
                let inputs: [[f32; BLOCK]; ZONES] =
                    std::array::from_fn(|_| std::array::from_fn(|_| single(noise.signed())));
                let begin = Instant::now();
                mixer.begin_block();
                let out = mixer.process(&inputs, 0, BLOCK);
                mixer.end_block();
                *least = least.min(100.0 * begin.elapsed().as_secs_f64() * RATE / BLOCK as f64);
                if let Some(file) = file.as_mut().filter(|_| run == 0 && kernel == Kernel::detect())
                {
                    for x in out.iter().flatten().flatten() {
                        file.write_all(&x.to_le_bytes())?;
                    }
                }
            }
        }
        // Until the history is full the work is the same, but the cache holds other data.
        let least = &least[500..];
        let mean = least.iter().sum::<f64>() / least.len() as f64;
        let most = least.iter().copied().fold(0.0, f64::max);
        println!("{kernel:?}: mean {mean:.3} %, most {most:.3} % of a block");
    }
    Ok(())
}
