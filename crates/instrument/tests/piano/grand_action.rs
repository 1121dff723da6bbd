//! The grand action against the thesis and a regulated grand.

use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::{
    Grand, GrandKey, Phase, STATES, Spec, design::thesis, equations::step, key::rest, state,
};
use touchback_action::{ActionSettings, Drive, EventKind, Key, KeyEvent, Readout, STEP};
use touchback_core::episode::Stepper;
use touchback_core::math::compass::KeyNumber;

/// Events with their times, and transitions between submodels.
#[derive(Default)]
struct Log {
    now: f64,
    events: Vec<(f64, KeyEvent)>,
    phases: Vec<(f64, char, char)>,
}

impl step::Listener for Log {
    fn event(&mut self, offset: f64, event: KeyEvent) {
        self.events.push((self.now + offset, event));
    }
    fn phase(&mut self, offset: f64, from: Phase, to: Phase) {
        self.phases.push((self.now + offset, from.letter(), to.letter()));
    }
}

impl Log {
    fn all(&self, kind: EventKind) -> Vec<(f64, f64)> {
        let events = self.events.iter().filter(|e| e.1.kind() == kind);
        events.map(|e| (e.0, e.1.value())).collect()
    }
    fn entered(&self, phase: char) -> bool {
        self.phases.iter().any(|p| p.2 == phase)
    }
}

/// One key under a drive as a function of time.
struct Bench {
    key: GrandKey,
    log: Log,
}

impl Bench {
    fn concert(midi: u8, settings: &ActionSettings) -> Self {
        let key = GrandKey::new(KeyNumber::from_midi(midi).unwrap(), settings);
        Self { key, log: Log::default() }
    }

    fn thesis() -> Self {
        let key = GrandKey::from_state(thesis::build().spec, thesis::initial());
        Self { key, log: Log::default() }
    }

    fn spec(&self) -> &Spec {
        &self.key.assembly().spec
    }

    /// Runs until `end` s, calling `each` after every step.
    fn run(
        &mut self,
        end: f64,
        drive: impl Fn(f64, f64) -> Drive,
        mut each: impl FnMut(f64, &Readout),
    ) {
        while self.log.now < end - 0.5 * STEP {
            let t = self.log.now;
            let d = drive(t, t + STEP);
            let outcome = self.key.advance(d, &mut self.log);
            assert!(!outcome.capped, "more switches than followed at {t}");
            self.log.now = t + STEP;
            each(self.log.now, &self.key.readout(d));
        }
    }
}

/// Straight lines through (time, value) points, held beyond the ends.
fn path(points: &[(f64, f64)], t: f64) -> f64 {
    touchback_core::math::compass::linear(points, t)
}

fn finger<'a>(points: &'a [(f64, f64)]) -> impl Fn(f64, f64) -> Drive + 'a {
    |a, b| Drive::Finger([path(points, a), path(points, b)])
}

#[test]
fn the_rail_stops_a_thrown_damper_which_lands_with_the_key() {
    let thrown = |has_rail: bool| {
        let mut bench = Bench::concert(60, &ActionSettings::default());
        let top = bench.spec().damper.top;
        if !has_rail {
            let mut spec = *bench.spec();
            spec.damper.top = 1.0;
            bench.key = GrandKey::from_state(spec, *bench.key.state());
        }
        let (mut highest, mut landed) = (0.0f64, f64::NAN);
        for step in 1..=4000 {
            let time = f64::from(step) * STEP;
            let blow = |t: f64, _| if t < 0.04 { Drive::Force([30.0; 2]) } else { Drive::Free };
            bench.run(time, blow, |_, _| ());
            let height = bench.key.state().x[state::DAMPER];
            highest = highest.max(height);
            if landed.is_nan() && time > 0.04 && height < 0.0 {
                landed = time;
            }
        }
        (highest - top, landed)
    };
    let (into, landed) = thrown(true);
    assert!((0.0..4e-3).contains(&into), "{into} m into the rail's cloth");
    let (beyond, late) = thrown(false);
    assert!(beyond > 10e-3 && late > landed + 0.03, "{beyond} m, {late} s after {landed} s");
}

#[test]
fn the_thesis_reference_run_lets_off_at_the_published_times() {
    let mut bench = Bench::thesis();
    let k = Kinematics::new(bench.spec(), Phase::Acceleration, &bench.key.state().x);
    let normal = k.hammer.perp();
    let head = k.to_jack.perp().dot(normal) + k.head.from_jack.perp().dot(normal);
    let ratio = k.r5 * head / k.head.q9;
    assert!((ratio - 12.3).abs() < 1.0, "dq2/dq1 {ratio}");

    let mut force = Vec::new();
    let mut turns = Vec::new();
    bench.run(
        0.4,
        |a, b| Drive::Manipulandum([path(&thesis::REFERENCE, a), path(&thesis::REFERENCE, b)]),
        |t, r| {
            force.push((t, r.key_force));
            turns.push((t, r.q_rate[2], r.q_rate[5]));
        },
    );
    let first: String = bench.log.phases.iter().take(2).map(|p| p.2).collect();
    assert_eq!(first, "BC");
    let (let_off, release) = (bench.log.phases[0].0, bench.log.phases[1].0);
    assert!((0.130..=0.148).contains(&let_off), "let-off begins {let_off}");
    assert!((release - 0.181).abs() < 0.005, "let-off ends {release}");
    let strikes = bench.log.all(EventKind::Strike);
    assert_eq!(strikes.len(), 1, "{strikes:?}");
    assert!((0.183..=0.21).contains(&strikes[0].0), "{strikes:?}");
    // Lever and jack turn together before let-off and apart in it.
    let at = |t: f64| turns.iter().min_by(|a, b| (a.0 - t).abs().total_cmp(&(b.0 - t).abs()));
    let (_, lever, jack) = at(let_off - 0.01).unwrap();
    assert!(*lever < 0.0 && *jack < 0.0, "before: {lever} {jack}");
    let (_, lever, jack) = at(let_off + 0.015).unwrap();
    assert!(*lever < 0.0 && *jack > 0.0, "in let-off: {lever} {jack}");
    let mean = |a: f64, b: f64| {
        let part: Vec<f64> = force.iter().filter(|f| f.0 > a && f.0 < b).map(|f| f.1).collect();
        part.iter().sum::<f64>() / part.len() as f64
    };
    let (before, during) = (mean(let_off - 0.02, let_off), mean(let_off, release));
    assert!(during > 1.3 * before, "key force {before} → {during} N");
    // Afterwards the hammer rests on the repetition lever.
    let rest = bench.key.state().x;
    assert!(rest[state::HAMMER] < -0.05, "{rest:?}");
}

#[test]
fn a_regulated_key_presses_through_every_submodel_and_strikes() {
    let mut bench = Bench::concert(60, &ActionSettings::default());
    let press = [(0.01, 0.0), (0.12, 0.0165)];
    let mut top = f64::NEG_INFINITY;
    bench.run(0.3, finger(&press), |_, r| top = top.max(r.hammer));
    let phases: String = bench.log.phases.iter().take(3).map(|p| p.2).collect();
    // Under the knuckle, withdrawn by the button, against its side.
    assert_eq!(phases, "ABE", "rests in D: {:?}", bench.log.phases);
    let strikes = bench.log.all(EventKind::Strike);
    assert_eq!(strikes.len(), 1);
    assert!((1.0..2.0).contains(&strikes[0].1), "hammer speed {strikes:?}");
    assert!(top > 0.0 && top < 3e-3, "felt compression {top}");
}

#[test]
fn a_slow_press_measures_the_regulated_distances() {
    for midi in [21, 60, 108] {
        let settings = ActionSettings::default();
        let mut bench = Bench::concert(midi, &settings);
        let x = bench.key.state().x;
        let crown = bench.spec().hammer.crown;
        assert!((x[state::HAMMER] * crown * 1e3 + settings.blow_mm).abs() < 0.1, "blow");
        let k = Kinematics::new(bench.spec(), Phase::Return, &x);
        assert!((k.head.q4 * 1e3 + settings.jack_clearance_mm).abs() < 0.05, "jack clearance");
        // Pressed at 5 mm/s the jack slips at the let-off distance.
        let mut at_release = 0.0;
        let (mut released, mut was) = (false, "");
        bench.run(
            2.5,
            |a, _| Drive::along(|time| (0.005 * time).min(0.01), a),
            |_, r| {
                let let_off = Phase::LetOff.name();
                if !released && was == let_off && r.phase != let_off {
                    released = true;
                    at_release = r.hammer;
                }
                was = r.phase;
            },
        );
        assert!(released, "key {midi} never lets off");
        let off_mm = -at_release * 1e3;
        assert!((off_mm - settings.let_off_mm).abs() < 0.5, "let-off {off_mm} at {midi}");
        assert!(bench.log.all(EventKind::Strike).is_empty(), "a slow press is silent");
    }
}

#[test]
fn the_check_holds_the_hammer_after_a_held_blow() {
    for midi in [24, 60, 96] {
        let mut bench = Bench::concert(midi, &ActionSettings::default());
        let press = [(0.01, 0.0), (0.03, 0.02)];
        let mut held = Vec::new();
        bench.run(1.0, finger(&press), |t, r| {
            if t > 0.4 {
                held.push(-r.hammer * 1e3);
            }
        });
        assert_eq!(bench.log.all(EventKind::Strike).len(), 1);
        let (low, high) = held.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
        assert!(high - low < 0.2, "key {midi} wanders {low}…{high} mm");
        assert!((10.0..18.0).contains(&low), "key {midi} checked at {low} mm");
    }
}

#[test]
fn a_key_strikes_again_after_a_sufficient_partial_release() {
    let again = |rise_mm: f64| {
        let depth = 0.0165;
        // The finger follows the key up to the height and presses again.
        let up = 0.010 - rise_mm * 1e-3;
        let gesture = [
            (0.01, 0.0),
            (0.06, depth),
            (0.25, depth),
            (0.30, up),
            (0.40, up),
            (0.46, depth + 0.004),
            (0.6, depth),
        ];
        let mut bench = Bench::concert(60, &ActionSettings::default());
        bench.run(0.7, finger(&gesture), |_, _| {});
        bench.log.all(EventKind::Strike).len()
    };
    assert_eq!(again(1.0), 1, "1 mm does not re-set the jack");
    assert_eq!(again(6.0), 2, "6 mm do");
}

#[test]
fn shallow_strokes_bounce_the_hammer_on_the_jack() {
    let mut bench = Bench::concert(60, &ActionSettings::default());
    let mut gesture = vec![(0.0, 0.0)];
    for i in 0..6 {
        let t = 0.02 + 0.12 * f64::from(i);
        gesture.extend([(t, 0.0), (t + 0.02, 0.004), (t + 0.05, 0.004), (t + 0.07, 0.0)]);
    }
    bench.run(0.8, finger(&gesture), |_, _| {});
    let partings = bench.log.phases.iter().filter(|p| (p.1, p.2) == ('A', 'D')).count();
    assert!(partings >= 6, "hammer leaves the jack: {partings}");
    assert!(!bench.log.entered('B'), "no let-off");
    assert!(bench.log.all(EventKind::Strike).is_empty());
}

#[test]
fn constraints_hold_at_every_transition() {
    struct Gaps<'a>(&'a Spec, f64);
    impl step::Listener for Gaps<'_> {
        fn event(&mut self, _: f64, _: KeyEvent) {}
    }
    impl touchback_core::episode::Observer<Phase, STATES> for Gaps<'_> {
        fn transition(
            &mut self,
            _: f64,
            from: Phase,
            to: Phase,
            before: &[f64; STATES],
            after: &[f64; STATES],
        ) {
            // A jack released from the flank swings freely: this jump is intended.
            if from == Phase::Flank {
                return;
            }
            let spec = self.0;
            let a = Kinematics::new(spec, from, before);
            let b = Kinematics::new(spec, to, after);
            let head = |k: &Kinematics| k.to_jack + k.head.axis * spec.jack.length;
            let apart = (head(&a) - head(&b)).norm_squared().sqrt();
            self.1 = self.1.max(apart);
        }
        fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
    }
    let bench = Bench::concert(60, &ActionSettings::default());
    let press = [(0.01, 0.0), (0.05, 0.0165), (0.3, 0.0165), (0.4, -0.03)];
    let mut running = *bench.key.state();
    let mut gaps = Gaps(bench.spec(), 0.0);
    let model = &bench.key.assembly().grand;
    for i in 0..4800u32 {
        let t = f64::from(i) * STEP;
        let drive = finger(&press)(t, t + STEP);
        let inputs =
            touchback_action::grand::equations::drive::DriveNow::ends(drive, [rest::TRAY_DOWN; 2]);
        step::STEPPER.advance(model, &mut running, &inputs, &mut gaps);
    }
    assert!(gaps.1 < 1e-9, "jack head jumps by {} m", gaps.1);
}

#[test]
fn the_energy_balance_closes() {
    for midi in [28, 60, 100] {
        let mut bench = Bench::concert(midi, &ActionSettings::default());
        let press = [(0.01, 0.0), (0.06, 0.0165), (0.25, 0.0165), (0.3, -0.02)];
        let mut start = None;
        let (mut worst, mut largest) = (0.0f64, 0.0f64);
        bench.run(0.5, finger(&press), |_, r| {
            let balance = r.kinetic + r.potential + r.dissipated - r.work;
            let from = *start.get_or_insert(balance);
            worst = worst.max((balance - from).abs());
            largest = largest.max(r.work);
        });
        assert!(worst < 5e-3 * largest, "key {midi}: {worst} J of {largest} J unaccounted");
        assert!(bench.key.state().x[state::DISSIPATED] > 0.0);
    }
}

/// Contact times, ms, at 1, 2, 4 and 6 m/s, and the range of restitutions, of a modal string with
/// the hammers and strings of [Chaigne 1994], integrated at 1.5 MHz.
const REFERENCE_STRIKES: [(u8, [f64; 4], [f64; 2]); 3] = [
    (36, [3.67, 3.31, 3.03, 2.90], [0.45, 0.5]),
    (60, [2.26, 2.06, 1.91, 1.84], [0.6, 0.75]),
    (96, [0.92, 0.78, 0.69, 0.66], [0.98, 1.0]),
];

/// Contact time, ms, and rebound speed over `speed` of a hammer that flies at its string at `speed` m/s and
/// meets it a share `meets` into a step of `stepper`.
fn rebound(bench: &Bench, speed: f64, meets: f64, stepper: &Stepper) -> (f64, f64) {
    struct Contact(f64, Option<f64>, Option<(f64, f64)>);
    impl touchback_core::episode::Observer<Phase, STATES> for Contact {
        fn transition(&mut self, _: f64, _: Phase, _: Phase, _: &[f64; STATES], _: &[f64; STATES]) {
        }
        fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; STATES]) {
            if index == touchback_action::grand::equations::model::guard::STRING {
                if rising {
                    self.1 = self.1.or(Some(self.0 + t));
                } else {
                    self.2 = self.2.or(Some((self.0 + t, x[state::HAMMER_SPEED])));
                }
            }
        }
    }
    let (parts, mut spec) = (bench.key.assembly(), *bench.spec());
    // The string's law is for a hammer with a rigid shank.
    spec.hammer.shank.stiffness = 0.0;
    let grand = Grand::new(&spec);
    let mut running = parts.strike(speed).unwrap();
    running.x[state::HAMMER] = -meets * stepper.h * speed / spec.hammer.crown;
    let mut contact = Contact(0.0, None, None);
    let free = touchback_action::grand::equations::drive::DriveNow::ends(
        Drive::Free,
        [rest::TRAY_DOWN; 2],
    );
    while contact.2.is_none() && contact.0 < 0.02 {
        stepper.advance(&grand, &mut running, &free, &mut contact);
        contact.0 += stepper.h;
    }
    let (left, u) = contact.2.unwrap();
    ((left - contact.1.unwrap()) * 1e3, -u * spec.hammer.crown / speed)
}

#[test]
fn contacts_with_the_actions_string_agree_within_20_percent() {
    for (midi, times, [low, high]) in REFERENCE_STRIKES {
        let bench = Bench::concert(midi, &ActionSettings::default());
        for (speed, expected) in [1.0, 2.0, 4.0, 6.0].into_iter().zip(times) {
            let (time, kept) = rebound(&bench, speed, 0.5, &step::STEPPER);
            assert!(
                (time / expected - 1.0).abs() < 0.2,
                "key {midi} at {speed} m/s: contact {time} ms, reference {expected}"
            );
            assert!(
                (0.8 * low..1.2 * high).contains(&kept),
                "key {midi} at {speed} m/s: keeps {kept}, reference {low}…{high}"
            );
        }
    }
}

#[test]
fn the_rebound_agrees_with_that_of_a_64_times_finer_step() {
    let fine = Stepper::new(STEP / 64.0);
    for midi in [21, 40, 60, 80, 100] {
        let bench = Bench::concert(midi, &ActionSettings::default());
        for speed in [1.0, 2.5, 6.0] {
            let (_, exact) = rebound(&bench, speed, 0.5, &fine);
            let off = (1..10).map(|tenth| {
                let (_, kept) = rebound(&bench, speed, 0.1 * f64::from(tenth), &step::STEPPER);
                (kept / exact - 1.0).abs()
            });
            let worst = off.fold(0.0, f64::max);
            println!("key {midi} at {speed} m/s: {worst:.1e} of {exact:.4}");
            assert!(worst < 0.01, "key {midi} at {speed} m/s: {worst} of {exact}");
        }
    }
}
