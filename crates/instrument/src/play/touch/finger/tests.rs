use super::*;

const DIP: f64 = 0.01;

fn reading(depth: f64) -> KeyReading {
    KeyReading { front: [depth, 0.0], travel: grand_travel(DIP) }
}

fn press(key: KeyNumber) -> Press {
    grand_press(key, DIP)
}

/// A key of mass `m` under the finger's spring, on a stiff bed; integrated with fine steps.
struct MassKey {
    m: f64,
    depth: f64,
    speed: f64,
    target: [f64; 2],
    touched: bool,
}

impl MassKey {
    fn new(m: f64) -> Self {
        Self { m, depth: 0.0, speed: 0.0, target: [0.0; 2], touched: false }
    }

    /// One action step; returns the key speed at which let-off depth was passed in it.
    fn step(&mut self, drive: Option<Drive>) -> Option<f64> {
        match drive {
            Some(Drive::Finger(target)) => (self.target, self.touched) = (target, true),
            Some(Drive::Force(ends)) => (self.target, self.touched) = (ends, false),
            Some(_) => (self.target, self.touched) = ([0.0; 2], false),
            None => self.target[0] = self.target[1],
        }
        let mut passed = None;
        let h = STEP / 50.0;
        for i in 0..50 {
            let t = (f64::from(i) + 0.5) / 50.0;
            let aim = self.target[0] + (self.target[1] - self.target[0]) * t;
            let rate = (self.target[1] - self.target[0]) / STEP;
            let gap = aim - self.depth;
            let mut force = if self.touched && gap > 0.0 {
                (STIFFNESS * gap + 0.5 * (rate - self.speed)).max(0.0)
            } else if self.touched {
                -0.3
            } else {
                aim - 0.3
            };
            if self.depth > DIP {
                force -= 2e5 * (self.depth - DIP) + 150.0 * self.speed;
            }
            let before = self.depth;
            self.speed += force / self.m * h;
            self.depth += self.speed * h;
            if before < LET_OFF * DIP && self.depth >= LET_OFF * DIP {
                passed = Some(self.speed);
            }
        }
        passed
    }

    fn reading(&self) -> KeyReading {
        KeyReading { front: [self.depth, self.speed], ..reading(self.depth) }
    }
}

#[test]
fn an_even_press_moves_at_constant_speed_and_holds_with_3_newtons() {
    for speed in [0.03, 0.2, 1.0] {
        let (mut finger, mut key) = (NoteFinger::AWAY, MassKey::new(0.3));
        finger.press(0.0, Effort::Even(speed), 0.4 * STEP);
        let mut ends = Vec::new();
        while finger.moves() && ends.len() < 8000 {
            let drive = finger.next(key.reading());
            let Some(Drive::Finger([_, end])) = drive else { panic!("pressing: {drive:?}") };
            ends.push(end);
            key.step(drive);
        }
        assert!((ends[0] - 0.6 * speed * STEP).abs() < 1e-15, "begins inside the step");
        assert!((ends[9] - 9.6 * speed * STEP).abs() < 1e-12, "constant speed");
        assert!((ends[ends.len() - 1] - DIP - HOLD).abs() < 1e-15);
        for _ in 0..8000 {
            key.step(finger.next(key.reading()));
        }
        assert!((STIFFNESS * (finger.target - key.depth) - 3.0).abs() < 0.02);
    }
}

#[test]
fn a_blocked_key_is_never_pressed_beyond_the_strongest_finger() {
    let mut finger = NoteFinger::AWAY;
    finger.press(0.0, Effort::Even(3.0), 0.0);
    let mut deepest = 0.0_f64;
    while let Some(Drive::Finger([_, end])) = finger.next(reading(0.002)) {
        deepest = deepest.max(end);
    }
    assert!((deepest - DIP - STRONGEST / STIFFNESS).abs() < 1e-12);
    assert!(!finger.moves());
}

#[test]
fn a_release_unloads_rises_and_goes_free() {
    let mut finger = NoteFinger::AWAY;
    let key = KeyNumber::from_index(39).unwrap();
    finger.struck(&press(key), &grand_travel(DIP), 0.5);
    assert_eq!(finger.next(reading(DIP)), Some(Drive::Finger([0.016; 2])));
    assert_eq!(finger.next(reading(DIP)), None);
    finger.release(DIP, 0.3, 0.0);
    let (mut last, mut steps) = (DIP, 0);
    loop {
        match finger.next(reading(DIP)) {
            Some(Drive::Finger([start, end])) => {
                assert!(start == last && end < start);
                (last, steps) = (end, steps + 1);
            }
            other => {
                assert_eq!(other, Some(Drive::Free));
                break;
            }
        }
    }
    assert_eq!(steps, 267, "10 mm at 0.3 m/s in steps of 125 µs");
    assert!(!finger.moves());
    finger.release(0.0, 0.3, 0.0);
    assert!(!finger.moves(), "a finger that is away stays away");
}

#[test]
fn a_repeated_press_waits_for_the_key_to_rise_at_most_200_ms() {
    let mut finger = NoteFinger::AWAY;
    finger.struck(&press(KeyNumber::from_index(39).unwrap()), &grand_travel(DIP), 0.5);
    finger.repeat(DIP, 0.3, Effort::Even(0.5), 0.0);
    for _ in 0..40 {
        let Some(Drive::Finger([start, end])) = finger.next(reading(0.008)) else {
            panic!("lifting")
        };
        assert!(end < start);
    }
    let risen = finger.next(reading(0.0025));
    assert_eq!(risen, Some(Drive::Finger([0.0025, 0.0025 + 0.5 * STEP])));

    finger.repeat(DIP, 0.3, Effort::Even(0.5), 0.0);
    let stuck = reading(0.008);
    let steps = (0..10_000)
        .take_while(|_| !matches!(finger.next(stuck), Some(Drive::Finger([a, b])) if b > a))
        .count();
    assert_eq!(steps, 1600);
}

#[test]
fn the_one_mass_law_gives_hammer_speed_and_time_of_a_press() {
    for (index, mass) in [(0, 0.35), (39, 0.35), (87, 0.175)] {
        let note = KeyNumber::from_index(index).unwrap();
        let press = press(note);
        for hammer in [1.0, 3.0, 5.0, 7.0] {
            let effort = struck_effort(&press, hammer, None);
            let (mut finger, mut key) = (NoteFinger::AWAY, MassKey::new(mass));
            finger.press(0.0, effort, 0.0);
            let mut steps = 0.0;
            let reached = loop {
                if let Some(speed) = key.step(finger.next(key.reading())) {
                    break speed;
                }
                steps += 1.0;
            };
            // The law leaves out the key's weight, 0.3 N here.
            let error = reached * SPEED_RATIO / hammer - 1.0;
            let band = if hammer < 2.0 { 0.15 } else { 0.03 };
            assert!(error.abs() < band, "{index} {hammer} m/s: {error}");
            let time = press.time(effort, LET_OFF * DIP);
            assert!((steps * STEP / time - 1.0).abs() < 0.08, "{time}");
        }
    }
}

#[test]
fn a_pushing_hand_begins_inside_its_step_and_ends_in_the_hold() {
    let begin = |late: f64| {
        let mut finger = NoteFinger::AWAY;
        finger.press(0.0, Effort::Muscle(20.0), late);
        let forces = (0..200).map(|_| match finger.next(reading(0.0)) {
            Some(Drive::Force([_, end])) => end,
            other => panic!("pushing: {other:?}"),
        });
        forces.collect::<Vec<_>>()
    };
    let (whole, late) = (begin(0.0), begin(0.999_999 * STEP));
    assert!(late.iter().skip(1).zip(&whole).all(|(a, b)| (a - b).abs() < 2e-3));
    let (mut finger, mut key) = (NoteFinger::AWAY, MassKey::new(0.3));
    finger.press(0.0, Effort::Muscle(20.0), 0.0);
    let mut last = 0.0;
    for _ in 0..8000 {
        match finger.next(key.reading()) {
            Some(Drive::Force(ends)) => {
                last = ends[1];
                key.step(Some(Drive::Force(ends)));
            }
            Some(Drive::Finger([start, _])) => {
                assert!((STIFFNESS * (start - key.depth) - last).abs() < 0.1 * last);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(key.depth > 0.99 * DIP && last > 2.0, "{last}");
    // A stuck key is held in the end.
    finger.press(0.0, Effort::Muscle(2.0), 0.0);
    let steps = (0..8000).take_while(|_| finger.next(reading(0.002)).is_some()).count();
    assert!(!finger.moves() && (4800..5600).contains(&steps), "{steps}");
    // A key that does not yield is pressed with 60 N at most.
    finger.press(0.0, Effort::Muscle(500.0), 0.0);
    while let Some(drive) = finger.next(reading(0.002)) {
        match drive {
            Drive::Force([a, b]) => assert!(a.max(b) <= STRONGEST),
            Drive::Finger([a, b]) => {
                assert!(STIFFNESS * (a.max(b) - 0.002) <= STRONGEST + 1e-9);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_finger_relaxes_from_the_force_of_its_blow() {
    let key = KeyNumber::from_index(39).unwrap();
    for (hammer, low, high) in [(0.3, 3.0, 3.0), (5.0, 15.0, 40.0), (16.0, 60.0, 60.0)] {
        let mut finger = NoteFinger::AWAY;
        finger.struck(&press(key), &grand_travel(DIP), hammer);
        let mut forces = Vec::new();
        while let Some(Drive::Finger([start, _])) = finger.next(reading(DIP)) {
            forces.push(STIFFNESS * (start - DIP));
        }
        assert!(forces[0] > low - 1e-9 && forces[0] < high + 1e-9, "{hammer}: {}", forces[0]);
        assert!(forces.windows(2).all(|w| w[1] < w[0]) && forces.len() <= 401);
        assert!((STIFFNESS * (finger.target - DIP) - 3.0).abs() < 1e-9);
    }
}

#[test]
fn the_law_continues_the_strongest_press() {
    let press = press(KeyNumber::from_index(39).unwrap());
    for known in [Effort::Even(1.7), Effort::Muscle(120.0)] {
        let value = |hammer| match struck_effort(&press, hammer, Some((4.5, known))) {
            Effort::Even(value) | Effort::Muscle(value) => value,
        };
        let (Effort::Even(strongest) | Effort::Muscle(strongest)) = known;
        assert!((value(4.5) / strongest - 1.0).abs() < 1e-12);
        assert!(value(5.0) > strongest);
    }
    assert_eq!(fingertip_speed(&press, 1e9), FASTEST_TARGET);
}
