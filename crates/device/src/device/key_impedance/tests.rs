use super::*;

const LIMITS: MotorLimits = MotorLimits { force: 50.0, slew: 1e9, held: 50.0, time: 1.0 };
const NO_BED: RenderedBed = RenderedBed { stiffness: 0.0, damping: 0.0, depth: 0.0 };

fn order(guard: f64) -> KeyOrder<'static> {
    KeyOrder {
        impedance: 20.0,
        gain: 1.0,
        is_powered: true,
        is_direct: false,
        bed: &NO_BED,
        limits: &LIMITS,
        guard,
    }
}

fn settled(guard: f64) -> (KeyImpedance, TickConstants) {
    let tick = TickConstants::new(8000.0);
    let mut law = KeyImpedance::at(0.0, guard);
    for _ in 0..2000 {
        law.tick(&tick, 0.0, &order(guard));
    }
    (law, tick)
}

/// A controller that adds the damping to the rest and limits the sum gives the force of the law, also where the slew
/// or the largest force limits it.
#[test]
fn damping_and_the_rest_are_the_force() {
    for (force, slew) in [(50.0, 1e9), (4.0, 1e9), (50.0, 2000.0)] {
        let limits = MotorLimits { force, slew, ..LIMITS };
        let (mut law, tick) = settled(0.0);
        let mut x = 0.0;
        for k in 0..400 {
            law.wave = if k < 200 { 0.0 } else { -9.0 };
            x += 0.3 / 8000.0;
            law.tick(&tick, x, &KeyOrder { limits: &limits, ..order(0.0) });
            let sum = law.impedance() * law.v_filtered + law.feed_forward();
            let given = sum.clamp(-law.allowed(), law.allowed());
            assert!((given - law.force()).abs() < 1e-9, "{k}: {given}, {} N", law.force());
        }
        assert_eq!(law.allowed(), force);
        law.tick(&tick, x, &KeyOrder { is_powered: false, ..order(0.0) });
        assert_eq!([law.feed_forward(), law.allowed()], [0.0; 2]);
    }
}

#[test]
fn force_and_wave_of_steady_motion_are_those_of_the_law() {
    let (mut law, tick) = settled(0.0);
    let before = law.wave_sum();
    let mut force = 0.0;
    law.wave = -0.5;
    for i in 1..=800 {
        force = law.tick(&tick, 0.1 * f64::from(i) * tick.t, &order(0.0)).force;
    }
    assert!((force - (20.0 * 0.1 - 0.5)).abs() < 1e-6, "{force} N");
    // Σu·T = √40·0.01 m − 0.5/√40·(0.1 s − the filter's lag).
    let expected = 40f64.sqrt() * 0.01
        - 0.5 / 40f64.sqrt() * (0.1 - 1.0 / (core::f64::consts::TAU * WAVE_CORNER));
    let sum = f64::from(law.wave_sum() - before) * 1e-6;
    assert!((sum - expected).abs() < 1e-5, "{sum} against {expected}");
}

#[test]
fn a_rendered_bed_never_pulls() {
    let bed = RenderedBed { stiffness: 20_000.0, damping: 10.0, depth: 0.01f64 };
    assert_eq!(bed.force(0.0099, 1.0), 0.0);
    assert_eq!(bed.force(0.0101, 0.0).round(), 2.0);
    assert_eq!(bed.force(0.0101, -1.0), 0.0);
}

/// Largest energy, J, that the port has given beyond what its waves have brought, while a hand shakes
/// the key and the samples of a large wave are held.
fn created(guard: f64) -> f64 {
    let (mut law, tick) = settled(guard);
    let root = 40f64.sqrt();
    let (mut balance, mut most) = (0.0f64, 0.0f64);
    for i in 0..8000 {
        // The samples arrive in step with the motion.
        let t = f64::from(i) * tick.t;
        law.wave = if i % 8 == 0 { 4.0 * (250.0 * t).sin() } else { law.wave };
        let x = 0.002 * (250.0 * t).sin();
        let (before, force, sum) = (law.position(), law.force(), law.wave_sum());
        law.tick(&tick, x, &order(guard));
        let out = f64::from(law.wave_sum() - sum) * 1e-6 / tick.t;
        balance += 0.5 * (law.wave / root).powi(2) * tick.t + force * (x - before)
            - 0.5 * out * out * tick.t;
        most = most.max(-balance);
    }
    most
}

#[test]
fn the_guard_bounds_the_energy_that_the_port_creates() {
    let guarded = created(5e-3);
    assert!(guarded <= 6e-3, "{guarded} J with a guard of 5 mJ");
}

#[test]
fn a_motor_without_power_gives_no_force() {
    let (mut law, tick) = settled(0.0);
    law.wave = 10.0;
    let off = KeyOrder { is_powered: false, ..order(0.0) };
    assert_eq!(law.tick(&tick, 0.003, &off).force, 0.0);
    assert_eq!(law.force(), 0.0);
}

/// At most 250 N·s/m per second up, 6000 down, and never beyond the target.
#[test]
fn an_impedance_rises_and_falls_no_faster_than_documented() {
    let tick = TickConstants::new(8000.0);
    let mut law = KeyImpedance::at(0.0, 0.0);
    for ticks in 1..=800 {
        law.tick(&tick, 0.0, &order(0.0));
        let expected = (IMPEDANCE_SLEW * tick.t * f64::from(ticks)).min(20.0);
        assert!((law.impedance() - expected).abs() < 1e-9, "{ticks}: {}", law.impedance());
        assert_eq!(law.port.is_some(), law.impedance() >= LEAST_IMPEDANCE);
    }
    let down = KeyOrder { impedance: 1.0, ..order(0.0) };
    for ticks in 1..=40 {
        law.tick(&tick, 0.0, &down);
        let expected = (20.0 - IMPEDANCE_FALL * tick.t * f64::from(ticks)).max(1.0);
        assert!((law.impedance() - expected).abs() < 1e-9, "{ticks}: {}", law.impedance());
    }
    // With a gain of 0 the impedance falls to the target at once.
    let (mut law, tick) = settled(0.0);
    law.tick(&tick, 0.0, &KeyOrder { impedance: 3.0, gain: 0.0, ..order(0.0) });
    assert_eq!(law.impedance(), 3.0);
}

/// A tick adds the energy of the incoming wave and the work of the force and subtracts the energy of
/// the outgoing wave. Below 0 the outgoing wave is reduced, then damping covers the deficit.
#[test]
fn the_guard_reduces_the_wave_and_damps_the_deficit() {
    let (t, ceiling) = (125e-6, 1e-3);
    let port = Port::new(20.0);
    let mut cases = [0; 4];
    for gain in [1.0, 0.25] {
        let order = KeyOrder { gain, ..order(ceiling) };
        for (energy, work, out, v) in [
            (0.5e-3, 1e-6, 1.0, 0.1),
            (ceiling, 1e-4, 0.1, 0.1),
            (0.1e-3, -0.05e-3, 1.5, -0.2),
            (0.1e-3, -0.05e-3, -1.5, 0.2),
            (0.0, -0.1e-3, 0.5, 0.4),
            (0.0, -0.2e-3, 0.5, -0.3),
            (0.0, -2.0, 0.5, 0.3),
        ] {
            let mut law = KeyImpedance::at(0.0, energy);
            law.wave = 3.0;
            let incoming = gain * 3.0 / 40f64.sqrt();
            let (left, damping, is_guarded) = law.guarded(&port, out, work, v, t, &order);
            let balance = energy + 0.5 * (incoming * incoming - left * left) * t + work;
            let case = match (is_guarded, left == 0.0) {
                (false, _) => {
                    assert_eq!((left, damping), (out, 0.0));
                    assert!((law.energy - balance.min(ceiling)).abs() < 1e-15);
                    usize::from(balance > ceiling)
                }
                (true, false) => {
                    assert!(left.abs() < out.abs() && left * out > 0.0 && damping == 0.0);
                    assert!(balance.abs() < 1e-15 && law.energy == 0.0);
                    2
                }
                (true, true) => {
                    assert!(law.energy == 0.0 && damping > 0.0);
                    let most = GUARD_DAMPING * gain;
                    let missing = -balance / (v * v * t);
                    let expected = missing.min(GUARD_DAMPING) * gain;
                    assert!((damping - expected).abs() < 1e-9 && damping <= most, "{damping}");
                    3
                }
            };
            cases[case] += 1;
        }
    }
    assert!(cases.iter().all(|number| *number > 1), "{cases:?}");
}
