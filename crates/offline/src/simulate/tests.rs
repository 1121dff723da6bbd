use super::*;
use crate::gesture::{Channel, Form};
use crate::table::Curve;
use touchback_action::interface::key::{OnEvent, SavedState};
use touchback_action::interface::pose::Pose;
use touchback_action::{Drive, EventKind, KeyEvent, STEP};

/// A key of 0.25 kg that falls freely under the drive's force down to a hard bed at 10 mm.
#[derive(Clone, Default, Debug)]
struct SpringBlock {
    key: KeyView,
    bottom: bool,
}

fn middle() -> KeyNumber {
    KeyNumber::from_midi(60).unwrap()
}

impl SpringBlock {
    fn force(&self, drive: Drive) -> f64 {
        match drive {
            Drive::Force([a, b]) => 0.5 * (a + b),
            Drive::Finger([a, _]) => (500.0 * (a - self.key.depth)).max(0.0),
            _ => 0.0,
        }
    }
}

impl Key for SpringBlock {
    fn step(&mut self, drive: Drive, hear: &mut OnEvent<'_>) {
        if let Drive::Motion { depth: [a, b], .. } = drive {
            self.key = KeyView { depth: b, speed: (b - a) / STEP };
        } else {
            self.key.speed += self.force(drive) / 0.25 * STEP;
            self.key.depth += self.key.speed * STEP;
        }
        if self.key.depth > 0.01 && !self.bottom {
            self.bottom = true;
            hear(0.5 * STEP, KeyEvent::KeyBottom { speed: self.key.speed });
            self.key = KeyView { depth: 0.01, speed: 0.0 };
        }
    }

    fn readout(&self, drive: Drive) -> Readout {
        Readout {
            phase: if self.bottom { "bottom" } else { "fall" },
            key: self.key.depth,
            key_speed: self.key.speed,
            key_force: self.force(drive),
            ..Readout::NONE
        }
    }

    fn front(&self) -> [f64; 2] {
        [self.key.depth, self.key.speed]
    }

    fn fastest(&self) -> f64 {
        self.key.speed.abs()
    }

    fn work(&self) -> f64 {
        0.125 * self.key.speed * self.key.speed
    }

    fn reset_to_rest(&mut self) {
        *self = Self::default();
    }

    fn save(&self) -> SavedState {
        SavedState::new(u8::from(self.bottom), &self.front())
    }

    fn adopt(&mut self, saved: &SavedState) {
        let [depth, speed] = saved.states();
        *self = Self { key: KeyView { depth, speed }, bottom: saved.phase > 0 };
    }

    fn pose(&self) -> Pose {
        Pose::default()
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(self.clone())
    }
}

#[test]
fn rows_are_on_the_step_grid_and_end_with_the_gesture() {
    let curve = Curve::new(vec![(0.0, 0.0), (0.1, 0.01)]).unwrap();
    let mut gesture = Gesture::of_curve(Channel::KeyM, curve);
    let mut rows = Vec::new();
    play(&mut gesture, &mut SpringBlock::default(), middle(), |time, readout| {
        rows.push((time, *readout));
        Ok(())
    })
    .unwrap();
    assert_eq!(rows.len(), 800);
    assert_eq!(rows[0].0, 125e-6);
    assert_eq!(rows[799].0, 0.1);
    assert!((rows[399].1.key - 0.005).abs() < 1e-15);
    assert_eq!(rows[2].0.to_string(), "0.000375");
}

#[test]
fn a_striking_mass_drives_the_key_to_the_bed_and_the_event_has_its_time() {
    let mut gesture = Gesture::of_forms(vec![Form::Struck {
        speed_m_s: 1.0,
        duration_s: 0.1,
        mass_kg: 0.3,
        stiffness_n_m: 3000.0,
        damping_n_s_m: 5.0,
        drag_n_s_m: 0.0,
        force_n: Some(0.0),
        rise_s: 0.025,
    }]);
    let events = play(&mut gesture, &mut SpringBlock::default(), middle(), |_, _| Ok(())).unwrap();
    let [TimedEvent { event: KeyEvent::KeyBottom { speed }, .. }] = events[..] else {
        panic!("{events:?}");
    };
    // Between the speed of a plastic and of an elastic blow on 0.25 kg.
    assert!((0.54..1.09).contains(&speed), "{speed}");
    let json = &events_json(&events)["events"][0];
    assert_eq!(json["kind"], "key_bottom");
    assert_eq!(json["value"], speed);
    assert_eq!(json["unit"], "m/s");
    assert_eq!(json.as_object().unwrap().len(), 4);
}

#[test]
fn the_page_of_formats_has_every_event_and_column() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = std::fs::read_to_string(page).unwrap();
    // The damper's lift and fall are documented instead of the `damper` event.
    for kind in EventKind::ALL.iter().filter(|k| **k != EventKind::Damper) {
        let (begin, end) = (format!("| `{}` |", kind.name()), format!(", {} |", kind.unit()));
        let is_row = |l: &str| l.starts_with(&begin) && l.ends_with(&end);
        assert!(page.lines().any(is_row), "docs/formats.md does not name {kind:?}");
    }
    for channel in Channel::ALL {
        assert!(page.contains(&format!("| `{}` |", channel.column())), "{channel:?}");
    }
}

#[test]
fn a_run_is_drawn_as_png_and_svg() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["run.png", "run.svg"] {
        let mut gesture = Gesture::of_forms(vec![Form::PressedEvenly {
            speed_m_s: 0.2,
            duration_s: 0.1,
            depth_m: 0.04,
            damping_n_s_m: None,
        }]);
        let figure =
            figure_of(&mut gesture, &mut SpringBlock::default(), middle(), "block").unwrap();
        let draft = Draft::create(&dir.path().join(name)).unwrap();
        plot::draw(&figure, &draft).unwrap();
        draft.keep().unwrap();
        let bytes = std::fs::read(dir.path().join(name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"<svg"), "{name}");
        assert!(bytes.len() > 3000, "{name}: {} bytes", bytes.len());
    }
}

#[test]
fn events_are_csv_in_a_file_of_that_ending() {
    let folder = tempfile::tempdir().unwrap();
    let event = KeyEvent::Strike { speed: 0.9 };
    let events = [TimedEvent { key: middle(), step: 8, offset: 0.0, event }];
    for (name, begin) in [("e.CSV", "time_s,kind,value\n0.001,strike,0.9\n"), ("e.json", "{\n")] {
        let path = folder.path().join(name);
        let draft = Draft::create(&path).unwrap();
        write_events(&draft, &events).unwrap();
        draft.keep().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(begin), "{text}");
    }
}
