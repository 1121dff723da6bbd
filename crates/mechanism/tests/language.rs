//! What expressions and laws of a file compute, against closed forms.

use touchback_action::{Drive, EventKind, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

/// A block of 1 kg on a table, without weight along its slide.
const BLOCK: &str = r#"
name = "block"
[port]
body = "block"
[[body]]
name = "block"
slide = [1, 0]
mass = 1
start = 0.002
"#;

fn key(text: &str) -> Box<dyn Key> {
    let file = read(text).unwrap_or_else(|error| panic!("{error}"));
    file.key(KeyNumber::from_number(40).unwrap(), &[]).unwrap()
}

fn fault(text: &str) -> String {
    read(text).map_or_else(|error| error.to_string(), |_| "accepted".into())
}

/// A clamp of 10 N with a coefficient of 0.3 holds 2.9 N, and of 5 N leaves 2 N.
#[test]
fn friction_grows_with_the_force_of_a_contact() {
    let clamp = "[[contact]]\nname = \"clamp\"\nlaw = \"spring\"\ncompression = \"0.01 + 0 * depth\"\nstiffness = 1000\n";
    let friction =
        |bound: &str| format!("[[friction]]\nname = \"pad\"\nalong = \"depth\"\nbound = {bound}\n");
    let text = format!("{BLOCK}{clamp}{}", friction("\"0.3 * force('clamp')\""));
    let mut key = key(&text);
    let (start, first) = (key.front()[0], key.readout(Drive::Free).imbalance());
    for newton in [2.9, 5.0] {
        (0..800).for_each(|_| key.step(Drive::Force([newton; 2]), &mut |_, _| ()));
        let slid = key.front()[0] - start;
        let seconds = 800.0 * STEP;
        let expected = 0.5 * (newton - 3.0f64).max(0.0) * seconds * seconds;
        assert!((slid - expected).abs() < 1e-6, "{newton} N: {slid} and {expected} m");
    }
    let now = key.readout(Drive::Force([5.0; 2]));
    assert!((now.imbalance() - first).abs() < 1e-12, "{now:?}");
    let message = fault(&format!("{BLOCK}{clamp}{}", friction("-0.1")));
    assert!(message.contains("at least 0") && message.starts_with("line "), "{message}");
    let message = fault(&format!("{BLOCK}{clamp}{}", friction("\"force('clmp')\"")));
    assert!(message.contains("nearest is \"clamp\""), "{message}");
}

/// Two submodels that are left after 50 and 20 ms.
#[test]
fn the_time_counts_from_the_entry_of_a_submodel() {
    let text = format!(
        "{BLOCK}{}",
        r#"
[[submodel]]
name = "long"
[[submodel]]
name = "short"
[[transition]]
from = "long"
to = "short"
when = "time >= 0.05"
[[transition]]
from = "short"
to = "long"
when = "time >= 0.02"
[[event]]
kind = "release"
when = "long -> short"
value = "time"
[[event]]
kind = "reset"
when = "short -> long"
value = "time"
"#
    );
    let mut key = key(&text);
    let mut events = Vec::new();
    for step in 0..2000u32 {
        key.step(Drive::Free, &mut |t, event| {
            events.push((f64::from(step) * STEP + t, event.kind(), event.value()));
        });
    }
    let expected = [
        (0.05, EventKind::Release, 0.05),
        (0.07, EventKind::Reset, 0.02),
        (0.12, EventKind::Release, 0.05),
        (0.14, EventKind::Reset, 0.02),
        (0.19, EventKind::Release, 0.05),
        (0.21, EventKind::Reset, 0.02),
    ];
    assert_eq!(events.len(), expected.len(), "{events:?}");
    for ((time, kind, value), (t, k, v)) in events.into_iter().zip(expected) {
        assert!(
            (time - t).abs() < 1e-9 && kind == k && (value - v).abs() < 1e-9,
            "{kind:?} {time}"
        );
    }
    let message = fault(&text.replace("value = \"time\"", "value = \"rate(time)\""));
    assert!(message.contains("time is known in conditions"), "{message}");
}

#[test]
fn a_valve_is_a_column_of_the_run() {
    let mut key = key(&format!("{BLOCK}[play]\nvalve = \"depth / 4e-3\"\n"));
    let last = |key: &dyn Key| key.readout(Drive::Free).columns().last().unwrap();
    assert_eq!(last(&*key), ("valve", 0.5));
    assert!((key.damper_lift() - 0.5).abs() < 1e-12, "it damps while it is closed");
    key.step(Drive::line([0.01; 2]), &mut |_, _| ());
    assert_eq!(last(&*key), ("valve", 1.0));
    assert_eq!(last(&*self::key(BLOCK)).0, "work_j");
}

/// A spring that pushes the block 10 mm away, with and without the balance.
#[test]
fn the_rest_pose_may_be_out_of_balance() {
    let spring = "[[contact]]\nname = \"spring\"\nlaw = \"spring\"\ncompression = \"0.01 - depth\"\nstiffness = 100\n";
    let start = |first: &str| key(&format!("{first}{BLOCK}{spring}")).front()[0];
    assert!((start("") - 0.01).abs() < 1e-9);
    assert_eq!(start("balance = false\n"), 0.002);
}

/// The depth at which a stop of 45° lifts the second block by 3 mm, from a felt that a coordinate closes.
#[test]
fn a_regulation_closes_felts() {
    let text = format!(
        "{BLOCK}{}",
        r#"
[[body]]
name = "lifted"
slide = [0, 1]
mass = 0.1
[[contact]]
name = "ramp"
compression = "depth - 0.001 - position('lifted')"
stiffness = 1e4
hysteresis = 0.5
[[contact]]
name = "rest"
compression = "-depth"
stiffness = 1e5
hysteresis = 0.5
[[regulation]]
number = "lift"
between = [0, 0.01]
meets = "position('lifted') = 3e-3"
set = { block = "lift" }
holds = { lifted = "ramp" }
[[contact]]
name = "bed"
compression = "depth - lift"
stiffness = 1e5
hysteresis = 0.5
"#
    );
    let mut key = key(&text);
    (0..8000).for_each(|_| key.step(Drive::Force([2.0; 2]), &mut |_, _| ()));
    // The weight of 100 g pushes the block back.
    let rest = 4e-3 + (2.0 - 0.1 * 9.80665) / 1e5;
    assert!((key.front()[0] - rest).abs() < 1e-6, "{} m", key.front()[0]);
    let message = fault(&text.replace("{ lifted = \"ramp\" }", "{ lifter = \"ramp\" }"));
    assert!(message.contains("nearest is \"lifted\"") && message.starts_with("line "), "{message}");
    let message = fault(&text.replace("{ lifted = \"ramp\" }", "{ lifted = \"rump\" }"));
    assert!(message.contains("nearest is \"ramp\""), "{message}");
}
