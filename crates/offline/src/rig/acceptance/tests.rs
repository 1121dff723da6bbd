use std::collections::VecDeque;

use super::*;
use touchback_core::math::random::Random;
use touchback_device::device::key_impedance::{KeyImpedance, KeyOrder, RenderedBed, TickConstants};
use touchback_device::device::limit::MotorLimits;
use touchback_device::message::WAVE;
use touchback_device::port::Port;
use touchback_haptics::servo::BLOCK_MAX;

/// The device's law, a line and a load end with the servo's formulas: force at the port after each tick of
/// the motion `way`. `load` moves under √(2Z)·u for a slot and returns its displacement.
fn port(
    options: &ServoOptions,
    way: impl Fn(f64) -> f64,
    mut load: impl FnMut(f64) -> f64,
) -> Vec<f64> {
    let tick = TickConstants::new(8000.0);
    let limits = MotorLimits { force: 1e3, slew: 1e9, held: 1e3, time: 1.0 };
    let z = options.impedance();
    let order = KeyOrder {
        impedance: z,
        gain: 1.0,
        is_powered: true,
        is_direct: false,
        bed: &RenderedBed::default(),
        limits: &limits,
        guard: 0.0,
    };
    let far = Port::new(z);
    let mut law = KeyImpedance::at(0.0, 0.0);
    for _ in 0..2000 {
        law.tick(&tick, 0.0, &order);
    }
    let lead = (options.lead_us + options.block * 1000 / 48).div_ceil(125);
    let mut waves: VecDeque<(u32, f64)> = VecDeque::new();
    let mut sum = law.wave_sum();
    (1..=24_000u32)
        .map(|i| {
            while waves.front().is_some_and(|(at, _)| *at <= i) {
                law.wave = waves.pop_front().map_or(0.0, |(_, f)| f);
            }
            let force = law.tick(&tick, way(f64::from(i) * tick.t), &order).force;
            if i % 8 == 0 {
                let u = f64::from(law.wave_sum().wrapping_sub(sum)) * WAVE / 1e-3;
                sum = law.wave_sum();
                let back = far.leaving(u, load(far.drive(u)) / 1e-3);
                waves.push_back((i + lead, -far.drive(back)));
            }
            force
        })
        .collect()
}

#[test]
fn a_locked_line_is_a_spring_and_a_free_one_a_mass() {
    for block in [0, 64, 128, BLOCK_MAX] {
        let o = options(block);
        let (z, delay) = (o.impedance(), o.line_delay());
        // Pushed slowly by 0.2 mm and held, with the far end locked.
        let forces = port(&o, |t| 2e-4 * t.min(1.0), |_| 0.0);
        let stiffness = forces[23_000..].iter().sum::<f64>() / 1000.0 / 2e-4;
        assert!((stiffness * delay / z - 1.0).abs() < 0.02, "{block}: {stiffness} N/m");
        // Shaken at 4 Hz with a free far end: the wave is fully reflected.
        let w = std::f64::consts::TAU * 4.0;
        let forces = port(&o, |t| 2e-3 * (1.0 - (w * t).cos()), |f| f / z * 1e-3);
        let (mut real, mut square) = (0.0, 0.0);
        for (i, force) in (1..).zip(&forces).skip(16_000) {
            let acceleration = 2e-3 * w * w * (w * f64::from(i) * 125e-6).cos();
            real += force * acceleration;
            square += acceleration * acceleration;
        }
        let mass = real / square;
        assert!(
            (mass / o.line_mass() - 1.0).abs() < 0.02,
            "{block}: {mass} of {} kg",
            o.line_mass()
        );
    }
}

/// The load receives the energy of the waves, less a loss by averaging over a slot.
#[test]
fn the_load_gets_no_more_energy_than_the_waves_carry() {
    let mut lever = BenchLoad::BENCH;
    lever.mass = 0.02;
    let start = lever.energy();
    let (z, mut given) = (20.0, 0.0);
    let port = Port::new(z);
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let u = 0.5 * (random.share() - 0.35);
        let from = lever.x;
        lever.step(Drive::Wave { force: port.drive(u), impedance: z }, &mut |_, _| ());
        let back = port.leaving(u, (lever.x - from) / STEP);
        given += Port::energy(u, back, STEP);
    }
    let got = lever.energy() - start + lever.dissipated;
    // The integration error of the contacts is below 1 %.
    assert!(got <= given + 0.01 * given.abs(), "{got} J of {given} J");
    assert!(given > 1e-3);
}

/// The mean over a slot never has more energy than its samples.
#[test]
fn resampling_never_adds_energy() {
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let samples: [f64; 8] = std::array::from_fn(|_| random.share() - 0.5);
        let mean = samples.iter().sum::<f64>() / 8.0;
        let before: f64 = samples.iter().map(|s| s * s).sum::<f64>();
        assert!(8.0 * mean * mean <= before * (1.0 + 1e-12));
    }
}

#[test]
fn strokes_agree_with_a_rigid_connection() {
    for plant in &KeyPlant::THREE {
        for block in [0, 128] {
            let row = row(plant, options(block)).unwrap();
            assert!(row.late.abs() <= 2e-3, "{row:?}");
            assert!(row.created <= 0.5e-3, "{row:?}");
            assert!(row.added.abs() <= 0.01, "{row:?}");
            assert!(row.unrest <= 50e-6, "{row:?}");
            assert!(row.depth <= 0.4e-3, "{row:?}");
            // With a block delay the speed deviates by more than the target of 1 %: see `lab haptics`.
            assert!(row.speed.abs() <= if block == 0 { 0.01 } else { 0.06 }, "{row:?}");
        }
    }
}

#[test]
fn the_same_stroke_gives_the_same_numbers() {
    let [a, b] = [0, 1].map(|_| stroke(&design(&KeyPlant::THREE[1]), options(64), line()).unwrap());
    assert_eq!(a, b);
}

/// The reference simulation of this stroke with a key of 100 g: 0.418 m/s, 156.2 ms from the beginning
/// (including 0.1 s of rest), key speed 0.39 m/s at most.
#[test]
fn the_ideal_stroke_agrees_with_the_reference() {
    let stroke = ideal(&KeyPlant::THREE[1]);
    assert!((stroke.speed - 0.418).abs() < 2e-3, "{} m/s", stroke.speed);
    assert!((stroke.time - 56.2e-3).abs() < 0.4e-3, "{} s", stroke.time);
    let fastest = stroke.depths.windows(2).map(|w| (w[1] - w[0]) / STEP).fold(0.0, f64::max);
    assert!((fastest - 0.39).abs() < 0.01, "{fastest} m/s");
}
