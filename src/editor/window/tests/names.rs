//! What a screen reader is told: every control of every face has a name, a role and, where it holds
//! one, a value.

use std::collections::BTreeSet;

use super::*;

/// Roles that a player acts on.
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

/// Controls of the present frame without a name or a value they ought to have.
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
fn every_control_of_every_face_is_named_and_tells_its_value() {
    let mut found = 0;
    for (action, size) in [(0.0, (1180.0, 2600.0)), (4.0, (1180.0, 760.0)), (0.0, (720.0, 480.0))] {
        let mut harness = harness(size);
        harness.state_mut().desk.put(parameter("action"), action);
        for face in Face::ALL {
            harness.get_by_role_and_label(Role::Button, face.name()).click();
            harness.run_steps(3);
            for browses in [false, true] {
                harness.state_mut().window.browses = browses;
                harness.run_steps(3);
                let (mute, count) = mute(&harness);
                assert!(mute.is_empty(), "{} at {size:?}: {mute:#?}", face.name());
                found += count;
            }
            harness.state_mut().window.browses = false;
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
    for label in ["Names", "Try a press", "Key dip", "Turn Drop", "Keyboard", "Live", "Help"] {
        assert!(reached.contains(label), "{label} is out of reach: {reached:?}");
    }
}
