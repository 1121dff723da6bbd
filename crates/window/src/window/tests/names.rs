//! Tests of the accessibility tree: every control of every face has a name, a role, a description, and a value
//! where it holds one.

use std::collections::BTreeSet;

use super::hands::click;
use super::*;
use touchback_instrument::Settings;
use touchback_instrument::host::params::relevance;
use touchback_instrument::settings::{Timing, VelocityMap};

/// Roles of controls that a user operates.
const ACTED_ON: [Role; 9] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
    Role::RadioButton,
    Role::Link,
    Role::MenuItem,
];

/// Controls of the current frame that lack a name or a required value.
fn mute(harness: &Harness<'_, TestWindow>) -> (BTreeSet<String>, usize) {
    let (mut mute, mut count) = (BTreeSet::new(), 0);
    for node in harness.query_all(egui_kittest::kittest::by()) {
        let node = node.accesskit_node();
        let role = node.role();
        if !ACTED_ON.contains(&role) {
            continue;
        }
        count += 1;
        let name = node.label().or_else(|| node.value()).unwrap_or_default();
        if name.trim().is_empty() {
            mute.insert(format!("{role:?} without a name at {:?}", node.bounding_box()));
        }
        let holds = match role {
            Role::Slider => node.numeric_value().is_some() || node.value().is_some(),
            Role::SpinButton => node.numeric_value().is_some() || node.value().is_some(),
            Role::ComboBox => node.value().is_some(),
            _ => true,
        };
        if !holds {
            mute.insert(format!("{role:?} {name} without a value"));
        }
    }
    (mute, count)
}

#[test]
fn every_control_of_every_face_has_a_name_and_a_value() {
    let mut found = 0;
    for (action, size) in [(0.0, (1180.0, 2600.0)), (4.0, (1180.0, 760.0)), (0.0, (720.0, 480.0))] {
        let mut harness = harness(size);
        harness.state_mut().connection.put(parameter("action"), action);
        for face in Face::ALL {
            open(&mut harness, face.name());
            for list_open in [false, true] {
                harness.state_mut().window.list_open = list_open;
                harness.run_steps(3);
                let (mute, count) = mute(&harness);
                assert!(mute.is_empty(), "{} at {size:?}: {mute:#?}", face.name());
                found += count;
            }
            harness.state_mut().window.list_open = false;
        }
    }
    assert!(found > 1000, "{found} controls");
}

#[test]
fn every_control_has_a_name_and_the_tab_key_reaches_them() {
    let mut harness = harness((1180.0, 760.0));
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..140 {
        harness.key_press(egui::Key::Tab);
        harness.run_steps(1);
        let focused: Vec<String> = harness
            .root()
            .query_all(egui_kittest::kittest::by().predicate(|n| n.is_focused()))
            .filter_map(|n| n.accesskit_node().label())
            .collect();
        reached.extend(focused);
    }
    for label in ["Names", "Try a press", "Key dip", "Turn Drop", "Piano keys", "Live", "Help"] {
        assert!(reached.contains(label), "{label} is out of reach: {reached:?}");
    }
}

/// Roles and names of the current frame's controls that are not in a parameter's row.
fn acted_on(harness: &Harness<'_, TestWindow>) -> BTreeSet<String> {
    let nodes = harness.query_all(egui_kittest::kittest::by());
    let found = nodes.filter_map(|node| {
        let node = node.accesskit_node();
        // Texts accept clicks so that they can be copied.
        let acts = ACTED_ON.contains(&node.role())
            || node.role() != Role::Label
                && node.data().supports_action(egui::accesskit::Action::Click);
        let name = node.label().or_else(|| node.value()).unwrap_or_default();
        let of_parameter = all().any(|p| p.name == name || name == format!("Reset {}", p.name));
        (acts && !of_parameter).then(|| format!("{:?} {name}", node.role()))
    });
    found.collect()
}

/// On every face: the bar at the top and the keys below.
const BAR: &str = "\
Button Copy A to B
Button Help
Button Keyboard
Button Next piano
Button Output meter
Button Piano
Button Piano: Concert, as loaded
Button Play with the settings A
Button Play with the settings B
Button Previous piano
Button Redo
Button Save
Button Settings
Button Touch
Button Undo
Button Voice
Button Workshop
CheckBox Sostenuto pedal
CheckBox Sustain pedal
CheckBox Una corda pedal
ComboBox Zoom
Group Piano keys";

/// The piano's face.
const PIANO: &str = "\
Button Calibrate this keyboard
Button Hear a phrase
Button Moving action of C4: see the last stroke slowly
Button Play the drawn key
Button Slow motion
CheckBox Limiter
Slider Distance
Slider Drag the loud velocity
Slider Drag the medium velocity
Slider Drag the soft velocity
Slider Level
Slider Noises
Slider Resonance
Slider Room
Slider Tone
Slider Touch weight
Slider Turn Blow distance
Slider Turn Check distance
Slider Turn Drop
Slider Turn Key dip
Slider Turn Let-off
Slider Turn Repetition spring
Slider Wear";

/// The voice.
const VOICE: &str = "\
Button Browse for Map
Button Browse for Scale
Button Load
TextInput Map
TextInput Scale";

/// The touch.
const TOUCH: &str = "\
Button Calibrate this keyboard
Slider Drag the loud velocity
Slider Drag the medium velocity
Slider Drag the soft velocity";

/// Settings and tools.
const SETTINGS: &str = "\
Button Learn this pedal
Button Octave down
Button Octave up
Button Panic: stop everything
Button Save what was played as MIDI
Button Semitone down
Button Semitone up
TextInput Folder of MIDI files
Button Browse for Folder of MIDI files";

/// The drawn action and the scope.
const ACTION: &str = "\
Button Fit
Button Keys
Button Live
Button Play the drawn key
Button Quantities
Button Stroke
Button Try a press
CheckBox Force over depth
CheckBox Names
CheckBox Near
Slider Turn Blow distance
Slider Turn Check distance
Slider Turn Drop
Slider Turn Key dip
Slider Turn Let-off
Slider Turn Repetition spring
SpinButton at hammer speed
Splitter Resize panel
Button Browse for File
Button Load mechanism
Button Remove mechanism
CheckBox States
TextInput File";

/// Single keys and the bench.
const KEYS: &str = "\
Button All even
Button All keys
Button Browse for File
Button Find a fault
Button Keep as before
Button Keys
Button One key
Button Read this sheet
Button Save before and after
Button Save sheet of 88 keys
Button Section
Button Try repetition
ComboBox Quantity
Group Let-off of the 88 keys
SpinButton C4
SpinButton Exercise
SpinButton Strokes a second
SpinButton at
TextInput File
Image Where the 88 keys let off";

/// A motorized keyboard: none can be connected here.
const KEYBOARD: &str = "\
";

/// The controls of each face outside the parameters' rows are exactly these: a lost, renamed or new control
/// fails the test.
#[test]
fn each_face_has_its_controls() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let mut wrong = String::new();
    for (face, text) in [
        ("Piano", PIANO),
        ("Voice", VOICE),
        ("Touch", TOUCH),
        ("Action", ACTION),
        ("Keys", KEYS),
        ("Keyboard", KEYBOARD),
        ("Settings", SETTINGS),
    ] {
        let mut harness = tall();
        open(&mut harness, face);
        let expected = &lines(BAR) | &lines(text);
        let found = acted_on(&harness);
        let tell = |side: &BTreeSet<String>| side.iter().cloned().collect::<Vec<_>>().join("\n");
        if found != expected {
            wrong += &format!(
                "{face}: lost\n{}\nnew\n{}\n",
                tell(&(&expected - &found)),
                tell(&(&found - &expected))
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every drawn handle, plot or strip that answers to the pointer is in the tree.
#[test]
fn everything_that_answers_to_the_pointer_is_in_the_tree() {
    for face in Face::ALL {
        let mut harness = tall();
        // With curves.
        click(&mut harness, "Try a press");
        open(&mut harness, face.name());
        let nodes = harness.query_all(egui_kittest::kittest::by());
        let named: Vec<egui::Rect> = nodes
            .filter(|node| {
                let node = node.accesskit_node();
                node.label().or_else(|| node.value()).is_some_and(|name| !name.trim().is_empty())
            })
            .map(|node| node.rect())
            .collect();
        let mute: Vec<String> = harness.ctx.viewport(|seen| {
            let rects = seen.prev_pass.widgets.layers().flat_map(|(_, rects)| rects);
            // Axes of plots can be dragged but not focused: the plot does the same by the wheel.
            let acts = rects.filter(|w| w.visible && w.sense.is_focusable());
            let is_named = |rect: egui::Rect| {
                named.iter().any(|n| n.min.distance(rect.min) + n.max.distance(rect.max) < 3.0)
            };
            let mute = acts.filter(|w| !is_named(w.rect));
            mute.map(|w| format!("{:?} {:?} {:?}", w.rect, w.sense, w.id)).collect()
        });
        assert!(mute.is_empty(), "{}: {mute:#?}", face.name());
    }
}

/// Every parameter's controls have its description, preceded by the reason if the parameter has no effect:
/// under each action, timing and velocity map.
#[test]
fn controls_describe_their_parameter_and_why_it_has_no_effect() {
    let mut plans: Vec<Settings> = Vec::new();
    for action in ActionKind::ALL {
        let mut settings = Settings::default();
        settings.action.action = action;
        plans.push(settings);
    }
    for timing in [Timing::Natural, Timing::LookAhead] {
        let mut settings = Settings::default();
        settings.touch.timing = timing;
        plans.push(settings);
    }
    for map in [VelocityMap::Disklavier, VelocityMap::Linear, VelocityMap::Gamma] {
        let mut settings = Settings::default();
        settings.touch.velocity_map = map;
        plans.push(settings);
    }
    let mut found = BTreeSet::new();
    for settings in plans {
        let mut harness = tall();
        harness.state_mut().connection.settings = settings.clone();
        let mut seen = 0;
        for face in Face::ALL {
            open(&mut harness, face.name());
            for parameter in all() {
                let roles = match parameter.kind {
                    ValueKind::Number { .. } => vec![Role::Slider, Role::SpinButton],
                    ValueKind::Choice(_) => vec![Role::ComboBox],
                };
                for role in roles {
                    for node in harness.query_all_by_role_and_label(role, parameter.name) {
                        let description = node.accesskit_node().description().unwrap_or_default();
                        assert!(
                            description.contains(parameter.doc),
                            "{role:?} {}: {description}",
                            parameter.id
                        );
                        if let Some(idle) = relevance(&settings, parameter.id) {
                            assert!(
                                description.starts_with(idle),
                                "{role:?} {}: {description}",
                                parameter.id
                            );
                            found.insert((parameter.id, idle));
                        } else {
                            assert!(
                                description.starts_with(parameter.doc),
                                "{}: {description}",
                                parameter.id
                            );
                        }
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen >= all().len(), "{seen}");
    }
    assert!(found.len() > 100, "{}", found.len());
}
