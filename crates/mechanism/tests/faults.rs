//! Every fault of a file is one clear line; damaged files are refused or read, and never panic.

use proptest::prelude::*;
use touchback_action::Drive;
use touchback_action::Mechanism as _;
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

/// A key with a hammer that a rigid slider couples.
const GOOD: &str = r#"
name = "see-saw"
[port]
body = "key"
arm = 0.2
[[body]]
name = "key"
pin = [0, 0]
inertia = 1e-3
points = { back = [0.15, 0] }
[[body]]
name = "hammer"
pin = [0.1, 0.02]
mass = 0.01
centre = [0.12, 0]
inertia = 2e-4
start = -0.2
[[contact]]
name = "slider"
law = "rigid"
compression = "y('key.back', 'hammer')"
closes = "hammer"
[[contact]]
name = "rest"
compression = "-depth"
stiffness = 4e5
exponent = 1.5
hysteresis = 0.5
[[contact]]
name = "bed"
compression = "depth - 0.01"
stiffness = 1e6
exponent = 1.5
hysteresis = 0.5
[[submodel]]
name = "on"
holds = ["slider"]
[[submodel]]
name = "off"
[[transition]]
from = "on"
to = "off"
when = "force('slider') <= 0"
[[transition]]
from = "off"
to = "on"
when = "gap('slider') <= 0"
map = "momentum"
"#;

fn fault(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    read(&GOOD.replacen(from, to, 1)).map_or_else(|error| error.to_string(), |_| "accepted".into())
}

#[test]
fn faults_have_a_line_and_a_remedy() {
    assert!(read(GOOD).is_ok(), "{:?}", read(GOOD).err());
    let cases = [
        ("inertia = 2e-4", "inertia = 2e-4\ncolour = 3", "line 17: unknown field `colour`"),
        ("mass = 0.01", "mass = \"hamer_mass\"", "no number \"hamer_mass\""),
        ("y('key.back', 'hammer')", "y('key.bck', 'hammer')", "nearest is \"key.back\""),
        ("holds = [\"slider\"]", "holds = [\"slyder\"]", "nearest is \"slider\""),
        ("from = \"off\"", "from = \"on\"", "submodel \"off\" cannot be left"),
        ("to = \"off\"", "to = \"on\"", "submodel \"off\" is never entered"),
        ("y('key.back', 'hammer')", "y('key.back', 'hammer') - 5", "the loop does not close"),
        ("y('key.back', 'hammer')", "distance('key.back', 'hammer') - 0.05", "close another one"),
        ("inertia = 1e-3", "inertia = 0", "needs an inertia"),
        ("stiffness = 1e6", "stiffness = 1e19", "softer"),
        ("stiffness = 1e6", "stiffness = 1e6\nsplit = true", "needs impact = true"),
        ("closes = \"hammer\"", "closes = \"key\"", "the port's coordinate is independent"),
        (
            "when = \"force('slider') <= 0\"",
            "when = \"force('slider')\"",
            "must compare two quantities",
        ),
        (
            "compression = \"-depth\"",
            "compression = \"-depth + force('bed')\"",
            "force('bed') is not known here",
        ),
        ("compression = \"-depth\"", "compression = \"-dept\"", "no number \"dept\""),
        ("mass = 0.01\ncentre = [0.12, 0]\ninertia = 2e-4", "", "no inertia"),
        ("inertia = 2e-4", "inertia = 1e-4", "is less than mass"),
    ];
    for (from, to, part) in cases {
        let message = fault(from, to);
        println!("{message}");
        assert!(message.contains(part) && !message.contains('\n'), "{part:?}: {message}");
        let has_line = message.starts_with("line ") || part == "accepted";
        assert!(has_line, "{message}");
    }
}

/// Formulas that are as long and as nested as a file can write them are refused, and do not exhaust the stack.
#[test]
fn deep_formulas_are_refused() {
    let sum = |name: &str| format!("{name}{}", " + 1e-9 * sin(depth)".repeat(90));
    let mut text = GOOD.to_owned();
    for i in 0..40 {
        let before =
            if i == 0 { "depth".into() } else { format!("sin(compression('c{}'))", i - 1) };
        let compression = sum(&before);
        text += &format!(
            "[[contact]]\nname = \"c{i}\"\ncompression = \"{compression}\"\nstiffness = 1\n"
        );
    }
    let message = read(&text).unwrap_err().to_string();
    assert!(message.contains("too large") || message.contains("at most"), "{message}");
    let numbers: String = (0..100)
        .map(|i| format!("n{i} = \"{}\"\n", sum(&format!("n{}", i + 1)).replace("depth", "1")))
        .collect();
    let text = GOOD
        .replacen("[port]", &format!("[numbers]\n{numbers}n100 = 1\n[port]"), 1)
        .replace("0.01\"", "0.01 + 0 * n0\"");
    let message = read(&text).unwrap_err().to_string();
    assert!(message.contains("in a row"), "{message}");
}

#[test]
fn a_mechanism_that_falls_for_ever_is_refused() {
    let text = "name = \"stone\"\nbody = [{ name = \"key\", slide = [0, 1], mass = 0.1 }]\nport = { body = \"key\" }\n";
    let message = read(text).unwrap_err().to_string();
    assert!(message.starts_with("line 3: the mechanism does not come to rest"), "{message}");
}

/// A mechanism that was accepted can be played for a moment and drawn.
fn play(text: &str) {
    let Ok(file) = read(text) else { return };
    let Ok(mut key) = file.key(KeyNumber::from_number(1).unwrap(), &[]) else { return };
    for drive in [Drive::Force([3.0; 2]), Drive::Free, Drive::line([1e-3; 2])] {
        for _ in 0..40 {
            key.step(drive, &mut |_, _| ());
        }
        let _ = (key.readout(drive), key.pose(), key.elements(drive), key.strike(1.0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_never_panics(at in 0..GOOD.len(), length in 0usize..40, with in "[-0-9a-z('\\[\\]=\" .^*/+)]{0,8}") {
        let end = (at + length).min(GOOD.len());
        play(&format!("{}{with}{}", &GOOD[..at], &GOOD[end..]));
    }

    #[test]
    fn an_expression_never_panics(text in "[-0-9a-z('), .^*/+]{0,40}") {
        play(&GOOD.replacen("-depth", &text.replace('"', ""), 1));
    }
}
