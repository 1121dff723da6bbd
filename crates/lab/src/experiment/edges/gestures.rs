//! Random gestures of each kind.

use touchback_core::math::random::Random;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::gesture::{Channel, Form, Gesture};
use touchback_offline::table::Curve;

/// Kinds of gestures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Press,
    Blow,
    Weight,
    Hold,
    Glissando,
    Trill,
    Standing,
    Forces,
    Curve,
}

/// Points of a curve: time, s, and value.
type Points = Vec<(f64, f64)>;

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Press,
        Self::Blow,
        Self::Weight,
        Self::Hold,
        Self::Glissando,
        Self::Trill,
        Self::Standing,
        Self::Forces,
        Self::Curve,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Press => "presses of 1 to 60 N",
            Self::Blow => "blows of 0.1 to 5 m/s",
            Self::Weight => "weights of 20 to 800 g",
            Self::Hold => "holds at let-off",
            Self::Glissando => "glissandi",
            Self::Trill => "trills of 6 to 16/s",
            Self::Standing => "standing forces of 60 to 200 N",
            Self::Forces => "random forces",
            Self::Curve => "random imposed curves",
        }
    }

    /// A random gesture of this kind on the key of `rig`.
    pub(super) fn gesture(self, random: &mut Random, rig: &TestBench) -> Gesture {
        let mut between = |low: f64, high: f64| low + (high - low) * random.share();
        match self {
            Self::Press | Self::Blow => {
                let touch =
                    if self == Self::Press { TouchKind::Pressed } else { TouchKind::Struck };
                let effort = if self == Self::Press {
                    libm::pow(60.0, between(0.0, 1.0))
                } else {
                    0.1 * libm::pow(50.0, between(0.0, 1.0))
                };
                let form = touch.form(effort, between(0.15, 0.9));
                let up = between(0.0, 1.0);
                let speed_m_s = if up < 0.4 { None } else { Some(up) };
                Gesture::of_forms(vec![form, Form::Release { duration_s: 0.4, speed_m_s }])
            }
            Self::Weight => {
                let mass_kg = 0.02 * libm::pow(40.0, between(0.0, 1.0));
                let height_m = if between(0.0, 1.0) < 0.5 { 0.0 } else { between(0.0, 0.1) };
                let weight = Form::Weight {
                    mass_kg,
                    duration_s: between(0.3, 1.0),
                    height_m,
                    stiffness_n_m: 20_000.0,
                    damping_n_s_m: 20.0,
                };
                let up = Form::Release { duration_s: 0.4, speed_m_s: None };
                Gesture::of_forms(vec![weight, up])
            }
            Self::Hold => {
                let off = rig.regulated().let_off_depth.min(rig.spec().key.dip);
                let mut points = vec![(0.0, 0.0)];
                let mut time = between(0.02, 0.4);
                for _ in 0..8 {
                    // The finger's spring gives way by 2 to 6 mm under the weight at let-off.
                    points.push((time, off + between(-1.5e-3, 8e-3)));
                    time += between(0.01, 0.15);
                }
                points.push((time + between(0.02, 0.3), -2e-3));
                points.push((time + 0.7, -2e-3));
                curve(Channel::FingerM, points)
            }
            Self::Glissando => {
                let (down, up) = (between(0.008, 0.04), between(0.008, 0.04));
                let (stay, depth) = (between(0.0, 0.03), between(8e-3, 40e-3));
                let end = down + stay + up;
                let points = vec![
                    (0.0, 0.0),
                    (down, depth),
                    (down + stay + 1e-4, depth),
                    (end, -2e-3),
                    (end + 0.5, -2e-3),
                ];
                curve(Channel::FingerM, points)
            }
            Self::Trill => {
                let period = 1.0 / between(6.0, 16.0);
                let (depth, lifted) = (between(16e-3, 30e-3), between(-2e-3, 6e-3));
                let share = between(0.3, 0.6);
                let mut points = vec![(0.0, 0.0)];
                for stroke in 0..12u32 {
                    let begin = f64::from(stroke) * period;
                    points.push((begin + 0.5 * share * period, depth));
                    points.push((begin + share * period, depth));
                    points.push((begin + (0.5 + 0.5 * share) * period, lifted));
                    points.push((begin + 0.98 * period, lifted));
                }
                let end = 12.0 * period;
                points.extend([(end + 0.05, -2e-3), (end + 0.4, -2e-3)]);
                curve(Channel::FingerM, points)
            }
            Self::Standing => {
                let (force, rise) = (between(60.0, 200.0), between(0.001, 0.03));
                let end = between(0.3, 0.9);
                let points = vec![
                    (0.0, 0.0),
                    (rise, force),
                    (end, force),
                    (end + 2e-3, 0.0),
                    (end + 0.4, 0.0),
                ];
                curve(Channel::ForceN, points)
            }
            Self::Forces => {
                let most = 5.0 * libm::pow(20.0, between(0.0, 1.0));
                let mut points = vec![(0.0, 0.0)];
                let mut time = 0.0;
                while time < 1.0 {
                    time += between(5e-3, 80e-3);
                    points.push((time, most * between(-0.1, 1.0)));
                }
                points.extend([(time + 2e-3, 0.0), (time + 0.3, 0.0)]);
                curve(Channel::ForceN, points)
            }
            Self::Curve => {
                let dip = rig.spec().key.dip;
                let mut points = vec![(0.0, 0.0)];
                let mut time = 0.0;
                while time < 1.0 {
                    time += between(15e-3, 120e-3);
                    points.push((time, between(-0.3e-3, dip + 0.3e-3)));
                }
                points.extend([(time + 0.1, 0.0), (time + 0.3, 0.0)]);
                curve(Channel::KeyM, points)
            }
        }
    }
}

fn curve(channel: Channel, points: Points) -> Gesture {
    let curve = Curve::new(points).unwrap_or_else(|| unreachable!("times rise from 0"));
    Gesture::of_curve(channel, curve)
}
