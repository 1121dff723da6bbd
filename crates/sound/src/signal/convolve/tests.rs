use super::*;
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::random::Random;

fn random(seed: u64, len: usize) -> Vec<f32> {
    let mut noise = Random::new(seed);
    (0..len).map(|_| single(noise.signed())).collect()
}

/// A filter, its input and its output.
struct Convolver {
    filter: Filter,
    input: Input,
    output: Output,
    work: Workspace,
}

impl Convolver {
    fn new(responses: &Responses) -> Self {
        let filter = Filter::new(responses);
        let (input, output) = (Input::new(&filter), Output::new(Kernel::detect()));
        Self { filter, input, output, work: Workspace::new() }
    }

    fn reset(&mut self) {
        self.input.reset();
        self.output.stop();
    }

    /// Both channels of the convolution with `input` in portions of `portion` samples; the output is
    /// switched on in block `from`.
    fn run(&mut self, input: &[Vec<f32>], portion: usize, from: usize) -> [Vec<f32>; 2] {
        let len = input[0].len();
        let mut out = [vec![0.0; len], vec![0.0; len]];
        let mut block = vec![[0.0; BLOCK]; input.len()];
        let (mut done, mut phase) = (0, 0);
        while done < len {
            let n = portion.min(BLOCK - phase).min(len - done);
            for (b, x) in block.iter_mut().zip(input) {
                b[phase..phase + n].copy_from_slice(&x[done..done + n]);
            }
            let (mut e, mut l) = ([[0.0; BLOCK]; 2], [[0.0; BLOCK]; 2]);
            let ([e0, e1], [l0, l1]) = (&mut e, &mut l);
            self.input.take(&block, phase, n);
            if done / BLOCK >= from {
                self.output.start(&self.input);
            }
            if self.output.is_on() && !self.input.is_silent() {
                let (early, late) = ([&mut e0[..n], &mut e1[..n]], [&mut l0[..n], &mut l1[..n]]);
                self.output.process(&self.filter, &self.input, phase, [1.0; 2], early, late);
            }
            for c in 0..2 {
                for i in 0..n {
                    out[c][done + i] = e[c][i] + l[c][i];
                }
            }
            done += n;
            phase += n;
            if phase == BLOCK {
                let Self { filter, input, output, work } = self;
                let ends = input.end_block(|input| {
                    if output.is_on() {
                        output.end_block(filter, input, work);
                    }
                });
                if ends {
                    output.clear();
                }
                phase = 0;
            }
        }
        out
    }
}

#[test]
fn convolution_equals_the_direct_sum_from_the_first_sample_on() {
    for taps in [5, 64, 700, 1024, 3000, 9000] {
        let responses: Responses =
            (0..2).map(|i| [random(2 * i + 1, taps), random(2 * i + 2, taps)]).collect();
        let mut input = vec![random(10, 14_000), random(11, 14_000)];
        input[0][..300].fill(0.0);
        let out = Convolver::new(&responses).run(&input, 64, 0);
        for c in 0..2 {
            for n in (0..14_000).step_by(13) {
                let exact: f64 = (0..2)
                    .flat_map(|i| (0..taps.min(n + 1)).map(move |t| (i, t)))
                    .map(|(i, t)| f64::from(responses[i][c][t]) * f64::from(input[i][n - t]))
                    .sum();
                assert!((f64::from(out[c][n]) - exact).abs() < 1e-3, "{taps} taps, sample {n}");
            }
        }
    }
}

#[test]
fn the_size_of_portions_changes_no_sample_and_silence_follows() {
    let responses: Responses = vec![[random(1, 7000), random(2, 7000)]];
    let mut input = vec![random(3, 25_000)];
    input[0][700..6000].fill(0.0);
    input[0][6100..].fill(0.0);
    let mut convolver = Convolver::new(&responses);
    let whole = convolver.run(&input, 64, 0);
    assert!(convolver.input.is_silent());
    convolver.reset();
    for portion in [1, 7, 50] {
        let parts = convolver.run(&input, portion, 0);
        convolver.reset();
        for c in 0..2 {
            assert!(whole[c].iter().zip(&parts[c]).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

#[test]
fn an_output_switched_on_late_soon_contains_all_history() {
    let responses: Responses = vec![[random(1, 7000), random(2, 7000)]];
    let mut input = vec![random(3, 20_000)];
    // Silence first: an output switched on with the first sound has missed nothing.
    input[0][..10 * BLOCK].fill(0.0);
    let mut convolver = Convolver::new(&responses);
    let whole = convolver.run(&input, 50, 0);
    for from in [3, 10, 20, 33, 40, 47, 64, 77] {
        convolver.reset();
        let late = convolver.run(&input, 50, from);
        let complete = if from > 10 { (from + COMPLETE) * BLOCK } else { 0 };
        for c in 0..2 {
            let mut both = whole[c].iter().zip(&late[c]).skip(complete);
            assert!(both.all(|(a, b)| a.to_bits() == b.to_bits()), "from block {from}");
        }
    }
}
