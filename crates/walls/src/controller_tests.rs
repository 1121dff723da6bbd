//! Properties of every wall for any input, and of each fallback.

use proptest::prelude::*;

use crate::bench::SampledLoop;
use crate::finger::Adaptive;
use touchback_haptics::wall::sampled::controller::*;
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};

const T: f64 = 1e-3;

/// Every wall of `k` N/m and `b` N·s/m before `plant`, by name.
fn walls(plant: &Plant, k: f64, b: f64) -> Vec<(&'static str, Box<dyn Controller>)> {
    let found: [(&'static str, Option<Box<dyn Controller>>); 6] = [
        ("standard", Some(Box::new(Standard { stiffness: k, damping: b }))),
        ("hysteresis", Some(Box::new(Hysteresis { stiffness: k, loss: 0.3 }))),
        ("prediction", Some(Box::new(Prediction::new(plant, k, b, T, 0.0)))),
        ("learning", Some(Box::new(Adaptive::new(plant, 0.1, k, b, T, 2)))),
        ("placement", Placement::new(plant, k, b, T).map(|w| Box::new(w) as _)),
        ("deadbeat", Deadbeat::new(plant, k, b, T).map(|w| Box::new(w) as _)),
    ];
    found.into_iter().filter_map(|(name, wall)| wall.map(|w| (name, w))).collect()
}

fn sample((position, velocity): (f64, f64)) -> Measurement {
    Measurement { position, velocity }
}

/// Poles' squared modulus of an undamped mass under a wall whose force inside is linear.
fn determinant(wall: &mut dyn Controller, plant: &Plant) -> f64 {
    // Deep inside the wall, so that both ends of each difference are inside.
    let mut at = |x: f64, v: f64| wall.force(Measurement { position: x + 1.0, velocity: v });
    let middle = at(0.0, 0.0);
    let gains = [(at(1e-3, 0.0) - middle) / 1e-3, (at(0.0, 1.0) - middle)];
    let d = plant.discrete(T);
    (d.phi - d.gamma * nalgebra::RowVector2::from(gains)).determinant()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Arbitrary samples: every force is finite, no force remains far outside the wall once the wall has seen
    /// the position, and the same samples after a reset give the same forces.
    #[test]
    fn any_samples_give_finite_forces_and_a_reset_clears_the_state(
        mass in 0.02f64..2.0,
        k in 10.0f64..2e4,
        b in 0.0f64..5.0,
        seen in prop::collection::vec((-5e-3f64..5e-3, -1.0f64..1.0), 1..80),
    ) {
        let plant = Plant { mass, damping: 0.5, stiffness: 0.0, bias: 1.0 }.with(FINGER);
        for (name, mut wall) in walls(&plant, k, b) {
            let mut run = || {
                wall.reset();
                seen.iter().map(|s| wall.force(sample(*s))).collect::<Vec<_>>()
            };
            let first = run();
            prop_assert!(first.iter().all(|f| f.is_finite()), "{name}: {first:?}");
            prop_assert!(first == run(), "{name} remembers");
            let outside = [Measurement { position: -1e-2, velocity: -0.1 }; 4].map(|s| wall.force(s));
            prop_assert!(outside[3] == 0.0, "{name} pushes outside: {outside:?}");
        }
    }

    /// A wall with hysteresis equals the standard wall on the way in and never pushes harder.
    #[test]
    fn hysteresis_only_dissipates(k in 10.0f64..2e4, loss in 0.0f64..1.0, x in 0.0f64..1e-2, v in -1.0f64..1.0) {
        let whole = Standard { stiffness: k, damping: 0.0 }.force(sample((x, v)));
        let kept = Hysteresis { stiffness: k, loss }.force(sample((x, v)));
        prop_assert!(kept >= 0.0 && kept <= whole, "{kept} {whole}");
        prop_assert!(v < 0.0 || kept == whole);
    }

    /// Inside the wall the hold adds energy to an undamped mass under the standard wall, adds none under the
    /// predictive wall (1 + θ²/2 cos θ/2 − θ sin θ/2 ≤ 1 up to θ = π), and keeps it under placed poles.
    #[test]
    fn prediction_never_gains_and_placed_poles_keep(theta in 0.05f64..3.0) {
        let plant = Plant::ball(1.0, 0.0);
        let k = (theta / T).powi(2);
        let standard = determinant(&mut Standard { stiffness: k, damping: 0.0 }, &plant);
        let predicted = determinant(&mut Prediction::new(&plant, k, 0.0, T, 0.0), &plant);
        prop_assert!(standard > 1.0 && predicted < 1.0 + 1e-9, "{standard} {predicted}");
        let mut placed = Placement::new(&plant, k, 0.0, T).unwrap();
        prop_assert!((determinant(&mut placed, &plant) - 1.0).abs() < 1e-6);
    }

    /// Deadbeat ends, and the fallback for contacts too short for two forces, return a ball to its height;
    /// other cases are counted.
    #[test]
    fn deadbeat_and_its_fallback_return_a_ball_to_its_height(
        theta in 0.1f64..9.0,
        gravity in 0.02f64..2.0,
        height in 0.2f64..4.0,
    ) {
        let ball = Plant::ball(1.0, gravity);
        let Some(mut wall) = Deadbeat::new(&ball, theta * theta, 0.0, 1.0) else { return Ok(()) };
        // Unit period: θ = ω0.
        let bench = SampledLoop::ideal(ball, 1.0);
        let apexes = bench.apexes(&mut wall, [-height, 0.0], 600);
        let visits = wall.visits();
        if visits.placed + visits.unseen == 0 {
            let off = apexes.iter().map(|a| (a - height).abs()).fold(0.0, f64::max);
            prop_assert!(off < 1e-8 * height, "{off} of {height}, {visits:?}");
        }
        prop_assert!(visits.exact + visits.short + visits.unseen + visits.placed > 0);
    }

    /// With noise as motion, the learning wall keeps a mass of at least the device's and finite forces.
    #[test]
    fn noise_leaves_a_physically_possible_plant(
        seen in prop::collection::vec((-1e-4f64..2e-4, -0.1f64..0.1), 50..400),
    ) {
        let plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 }.with(FINGER);
        let mut wall = Adaptive::new(&plant, 0.1, 2000.0, 0.0, T, 2);
        for s in &seen {
            prop_assert!(wall.force(sample(*s)).is_finite());
            let found = wall.estimator().plant();
            prop_assert!(found.mass >= 0.1 && found.mass.is_finite(), "{found:?}");
            prop_assert!(found.damping >= 0.0 && found.stiffness >= 0.0, "{found:?}");
        }
    }
}
