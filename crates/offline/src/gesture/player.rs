//! Plays a gesture: selects the current part and computes the hand's drive.

use super::motion::Motion;
use super::{Channel, Form, KeyView};
use crate::table::Curve;
use touchback_action::interface::finger;
use touchback_action::interface::hand::{self, TippedMass};
use touchback_action::{Drive, GRAVITY, STEP};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;

/// A gesture, ready to be played once from step 0.
#[derive(Clone, Debug)]
pub struct Gesture {
    parts: Vec<GesturePart>,
    steps: usize,
    next: usize,
    hand: Hand,
}

#[derive(Clone, Debug)]
struct GesturePart {
    /// First step.
    from: usize,
    content: PartContent,
}

#[derive(Clone, Debug)]
enum PartContent {
    Curve(Channel, Curve),
    Motion(Motion),
    Form(Form),
}

/// The current contact with the key.
#[derive(Clone, Debug)]
enum Hand {
    Gone,
    Curve {
        channel: Channel,
        curve: Curve,
    },
    /// Imposed motion of the key front.
    Motion(Motion),
    /// A line: `value` at `from` s, `slope` per second, constant after `to` s.
    Line {
        channel: Channel,
        from: f64,
        value: f64,
        slope: f64,
        to: f64,
    },
    /// A finger on the line `target`, whose tip has the damping `damping` N·s/m.
    Finger {
        target: Box<Hand>,
        damping: f64,
    },
    Mass(hand::Hand),
}

impl Gesture {
    /// A gesture of one curve whose points start at 0 s.
    #[must_use]
    pub fn of_curve(channel: Channel, curve: Curve) -> Self {
        let steps = grid(curve.end());
        let content = match channel {
            Channel::KeyM => PartContent::Motion(Motion::through(curve.points())),
            _ => PartContent::Curve(channel, curve),
        };
        Self::new(vec![GesturePart { from: 0, content }], steps)
    }

    /// A gesture that imposes depths, m, with their speeds, m/s, at times, s, from 0 on.
    #[must_use]
    pub fn of_motion(points: Vec<[f64; 3]>) -> Self {
        let steps = grid(points.last().map_or(0.0, |point| point[0]));
        let content = PartContent::Motion(Motion::of(points));
        Self::new(vec![GesturePart { from: 0, content }], steps)
    }

    /// A gesture of parts in order, with repetitions already expanded.
    #[must_use]
    pub fn of_forms(forms: Vec<Form>) -> Self {
        let mut end = 0.0;
        let mut parts = Vec::with_capacity(forms.len());
        for form in forms {
            // Rounding the running sum keeps rounding errors from accumulating.
            parts.push(GesturePart { from: grid(end), content: PartContent::Form(form) });
            if let Some(GesturePart { content: PartContent::Form(form), .. }) = parts.last() {
                end += form.duration();
            }
        }
        Self::new(parts, grid(end))
    }

    const fn new(parts: Vec<GesturePart>, steps: usize) -> Self {
        Self { parts, steps, next: 0, hand: Hand::Gone }
    }

    /// Number of action steps to the gesture's last row.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// Drive of step `step`, given the key front at the step's beginning. Steps must be requested in
    /// order from 0.
    pub fn drive(&mut self, step: usize, key: KeyView) -> Drive {
        cancel::check();
        let time = step as f64 * STEP;
        while let Some(part) = self.parts.get(self.next) {
            if part.from > step {
                break;
            }
            self.hand = match &part.content {
                PartContent::Motion(motion) => Hand::Motion(motion.clone()),
                PartContent::Curve(channel, curve) => {
                    Hand::Curve { channel: *channel, curve: curve.clone() }
                }
                PartContent::Form(form) => begin_form(&self.hand, form, time, key),
            };
            self.next += 1;
        }
        match &mut self.hand {
            Hand::Gone => Drive::Free,
            Hand::Mass(mass) => Drive::Force(mass.step([key.depth, key.speed])),
            Hand::Finger { target, damping } => {
                tip([target.at(time), target.at(time + STEP)], *damping, key)
            }
            Hand::Motion(motion) => Drive::between(motion.at(time), motion.at(time + STEP)),
            Hand::Curve { channel, .. } | Hand::Line { channel, .. } => {
                let channel = *channel;
                channel.drive([self.hand.at(time), self.hand.at(time + STEP)])
            }
        }
    }
}

/// The drive of a tip with the `damping`, N·s/m, whose target moves between two depths, m, in a step: its spring's force
/// is that of the middle of the step, by the front's speed at the beginning, and the damper acts on the speed at each
/// instant. A tip cannot pull.
fn tip(target: [f64; 2], damping: f64, key: KeyView) -> Drive {
    let [from, to] = target;
    let pressed = 0.5 * (from + to - STEP * key.speed) - key.depth;
    let force = finger::STIFFNESS * pressed + damping * (to - from) / STEP;
    if pressed > 0.0 && force > damping * key.speed {
        Drive::Wave { force, impedance: damping }
    } else {
        Drive::Free
    }
}

/// `time`, s, as the nearest whole number of steps.
fn grid(time: f64) -> usize {
    floor_index((time / STEP).round())
}

impl Hand {
    /// Value of a curve or line at `time` s.
    fn at(&self, time: f64) -> f64 {
        match self {
            Self::Curve { curve, .. } => curve.at(time),
            Self::Line { from, value, slope, to, .. } => value + slope * (time.min(*to) - from),
            Self::Motion(motion) => motion.at(time)[0],
            Self::Finger { target, .. } => target.at(time),
            Self::Gone | Self::Mass(_) => 0.0,
        }
    }

    /// The prescribed channel, if any.
    const fn channel(&self) -> Option<Channel> {
        match self {
            Self::Motion(_) => Some(Channel::KeyM),
            Self::Curve { channel, .. } | Self::Line { channel, .. } => Some(*channel),
            Self::Finger { .. } => Some(Channel::FingerM),
            Self::Gone | Self::Mass(_) => None,
        }
    }
}

/// The contact after `form` begins at `time` s.
fn begin_form(hand: &Hand, form: &Form, time: f64, key: KeyView) -> Hand {
    let line = |channel, value: f64, slope: f64, end: f64| {
        let lasts = if slope == 0.0 { 0.0 } else { (end - value) / slope };
        if channel == Channel::KeyM {
            return Hand::Motion(Motion::line([time, value], [time + lasts, end]));
        }
        Hand::Line { channel, from: time, value, slope, to: time + lasts }
    };
    let here = |channel| {
        if hand.channel() == Some(channel) { hand.at(time) } else { channel.start(key) }
    };
    match *form {
        Form::Pressed {
            force_n,
            mass_kg,
            stiffness_n_m,
            damping_n_s_m,
            drag_n_s_m,
            rise_s,
            ..
        } => Hand::Mass(hand::Hand {
            body: TippedMass {
                mass: mass_kg,
                stiffness: stiffness_n_m,
                damping: damping_n_s_m,
                drag: drag_n_s_m,
                x: key.depth,
                v: key.speed,
            },
            held: 0.0,
            force: force_n,
            rise: rise_s.unwrap_or_else(|| hand::rise(force_n)),
            age: 0.0,
        }),
        Form::PressedEvenly { speed_m_s, depth_m, damping_n_s_m, .. } => {
            let start = key.depth;
            let slope = if depth_m > start { speed_m_s } else { -speed_m_s };
            let target = line(Channel::FingerM, start, slope, depth_m);
            match damping_n_s_m {
                Some(damping) => Hand::Finger { target: Box::new(target), damping },
                None => target,
            }
        }
        Form::Struck {
            speed_m_s,
            mass_kg,
            stiffness_n_m,
            damping_n_s_m,
            drag_n_s_m,
            force_n,
            rise_s,
            ..
        } => {
            let body = TippedMass {
                mass: mass_kg,
                stiffness: stiffness_n_m,
                damping: damping_n_s_m,
                drag: drag_n_s_m,
                x: key.depth,
                v: speed_m_s,
            };
            let force = force_n.unwrap_or_else(|| hand::following_force(speed_m_s));
            let held = drag_n_s_m * speed_m_s;
            Hand::Mass(hand::Hand { body, held, force, rise: rise_s, age: 0.0 })
        }
        Form::Weight { mass_kg, height_m, stiffness_n_m, damping_n_s_m, .. } => {
            // A placed weight starts in equilibrium on the key and moves with it.
            let (placed, weight) = (height_m == 0.0, mass_kg * GRAVITY);
            let sunk = weight / stiffness_n_m;
            let body = TippedMass {
                mass: mass_kg,
                stiffness: stiffness_n_m,
                damping: damping_n_s_m,
                drag: 0.0,
                x: key.depth + if placed { sunk } else { -height_m },
                v: if placed { key.speed } else { 0.0 },
            };
            Hand::Mass(hand::Hand::constant(body, weight))
        }
        Form::Ramp { channel, to, duration_s } => {
            let value = here(channel);
            line(channel, value, (to - value) / duration_s, to)
        }
        Form::Hold { .. } => match hand {
            // A line that the step grid cuts short stops at its present value.
            Hand::Line { channel, .. } => line(*channel, hand.at(time), 0.0, 0.0),
            Hand::Motion(_) => line(Channel::KeyM, hand.at(time), 0.0, hand.at(time)),
            other => other.clone(),
        },
        Form::Release { speed_m_s: None, .. } => Hand::Gone,
        Form::Release { speed_m_s: Some(speed), .. } => match hand.channel() {
            // A jig moves the key to rest; a finger rises until it is clear of the key.
            Some(Channel::KeyM) => {
                let value = hand.at(time);
                line(Channel::KeyM, value, -speed * value.signum(), 0.0)
            }
            Some(Channel::FingerM) => line(Channel::FingerM, hand.at(time), -speed, -CLEAR),
            _ => line(Channel::FingerM, key.depth, -speed, -CLEAR),
        },
        // Expanded by the reader.
        Form::Repeat { .. } => Hand::Gone,
    }
}

/// Final height of a rising finger above the key's rest, m.
const CLEAR: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::{ActionSettings, EventKind, GrandKey, Key};
    use touchback_core::math::compass::KeyNumber;

    const REST: KeyView = KeyView { depth: 0.0, speed: 0.0 };

    #[test]
    fn a_curve_is_sampled_at_both_ends_of_every_step() {
        let curve = Curve::new(vec![(0.0, 0.0), (0.01, 0.005)]).unwrap();
        let mut gesture = Gesture::of_curve(Channel::KeyM, curve);
        assert_eq!(gesture.steps(), 80);
        let Drive::Motion { depth: [a, b], .. } = gesture.drive(40, REST) else { panic!() };
        assert!((a - 20.0 * STEP).abs() < 1e-15 && (b - 20.5 * STEP).abs() < 1e-15);
    }

    #[test]
    fn parts_follow_each_other_without_a_jump() {
        let mut gesture = Gesture::of_forms(vec![
            Form::Ramp { channel: Channel::FingerM, to: 0.004, duration_s: 0.01 },
            Form::Hold { duration_s: 0.01 },
            Form::Release { duration_s: 0.02, speed_m_s: Some(0.4) },
            Form::Release { duration_s: 0.001, speed_m_s: None },
        ]);
        assert_eq!(gesture.steps(), 328);
        let mut last = 0.0;
        for step in 0..320 {
            let Drive::Finger([a, b]) = gesture.drive(step, REST) else { panic!("{step}") };
            assert!((a - last).abs() < 1e-12, "jump at {step}: {last} to {a}");
            last = b;
        }
        assert!((last - (0.004 - 0.4 * 0.02)).abs() < 1e-12);
        assert_eq!(gesture.drive(320, REST), Drive::Free);
    }

    #[test]
    fn an_even_press_stops_at_its_depth() {
        let mut gesture = Gesture::of_forms(vec![Form::PressedEvenly {
            speed_m_s: 0.5,
            duration_s: 0.1,
            depth_m: 0.01,
            damping_n_s_m: None,
        }]);
        let drives: Vec<_> = (0..gesture.steps()).map(|i| gesture.drive(i, REST)).collect();
        assert_eq!(drives[8], Drive::Finger([0.5 * 8.0 * STEP, 0.5 * 9.0 * STEP]));
        let Some(Drive::Finger([a, b])) = drives.last() else { panic!() };
        assert!((a - 0.01).abs() < 1e-15 && (b - 0.01).abs() < 1e-15);
    }

    /// Hammer speeds, m/s, of C4 under a finger of constant speeds, each 3.5 % faster than the one before, with the
    /// given damping of its tip; 0 for a silent one.
    fn struck(damping_n_s_m: Option<f64>) -> Vec<f64> {
        let at_speed = |i: i32| {
            let speed_m_s = 0.04 * 1.035f64.powi(i);
            let form = Form::PressedEvenly {
                speed_m_s,
                duration_s: 0.02 / speed_m_s + 0.3,
                depth_m: 0.02,
                damping_n_s_m,
            };
            let mut key =
                GrandKey::new(KeyNumber::from_midi(60).unwrap(), &ActionSettings::default());
            let (mut gesture, mut struck) = (Gesture::of_forms(vec![form]), 0.0);
            for step in 0..gesture.steps() {
                key.step(gesture.drive(step, KeyView::of(&key)), &mut |_, event| {
                    if event.kind() == EventKind::Strike && struck == 0.0 {
                        struck = event.value();
                    }
                });
            }
            struck
        };
        (0..16).map(at_speed).collect()
    }

    /// With the reference finger, whose tip is damped by 2 % of critical, key and finger swing, and some speeds are
    /// silent between sounding ones.
    #[test]
    fn a_fingertip_of_published_damping_plays_evenly() {
        let rises = |speeds: &[f64]| speeds.windows(2).all(|pair| pair[1] > 0.98 * pair[0]);
        let (reference, published) = (struck(None), struck(Some(10.0)));
        assert!(!rises(&reference), "{reference:?}");
        assert!(rises(&published) && published[0] > 0.0, "{published:?}");
        // With the reference's damping, the tip plays as the reference.
        let alike = struck(Some(finger::DAMPING));
        for (a, b) in alike.iter().zip(&reference) {
            assert!((a - b).abs() < 0.03 * b.max(0.1), "{alike:?} {reference:?}");
        }
    }

    #[test]
    fn a_placed_weight_presses_with_its_weight_at_once() {
        let mut gesture = Gesture::of_forms(vec![Form::Weight {
            mass_kg: 0.05,
            duration_s: 0.1,
            height_m: 0.0,
            stiffness_n_m: 20_000.0,
            damping_n_s_m: 20.0,
        }]);
        let Drive::Force([a, b]) = gesture.drive(0, REST) else { panic!() };
        assert!((a - 0.05 * GRAVITY).abs() < 1e-12 && (b - a).abs() < 1e-12);
    }
}
