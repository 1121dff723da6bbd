//! Undo and redo of every kind of edit.

use super::*;
use crate::state::controls::DetachedControls;
use touchback_instrument::host::params::find;
use touchback_sound::tuning::scala::texts::PYTHAGOREAN;

#[test]
fn every_kind_of_edit_is_undone_and_redone() {
    let (mut connection, mut history) = (DetachedControls::default(), History::default());
    let [blow, dip] = ["blow_mm", "key_dip_mm"].map(|id| find(id).unwrap());
    let states = {
        let mut controls = Recorded { controls: &mut connection, history: &mut history };
        let mut states = vec![(controls.settings(), controls.texts())];
        let mut mark = |c: &Recorded| states.push((c.settings(), c.texts()));
        // A drag of many values is one edit; two parameters changed at once are two.
        controls.begin(blow);
        for value in [46.0, 45.0, 44.0] {
            controls.set(blow, value);
        }
        controls.end(blow);
        mark(&controls);
        let heavy = touchback_instrument::host::preset::find("heavy").unwrap().settings();
        controls.recall(&heavy, Some("Heavy"));
        mark(&controls);
        let texts = Texts { name: "f".into(), scale: PYTHAGOREAN.into(), map: None };
        controls.tune(Some(texts)).unwrap();
        mark(&controls);
        for value in [10.4, 10.3, 10.2] {
            controls.nudge(dip, value);
        }
        mark(&controls);
        controls.begin_keys();
        for text in ["key,drop_mm\n7,1\n", "key,drop_mm\n7,1.5\n8,1\n"] {
            controls.set_keys(&text.parse().unwrap());
        }
        controls.end_keys("Drop");
        mark(&controls);
        states
    };
    assert_eq!((history.done.len(), history.undoes()), (5, Some("Drop of keys")));
    for _ in 0..2 {
        for (settings, texts) in states.iter().rev().skip(1) {
            history.undo(&mut connection);
            assert_eq!(
                (connection.settings(), connection.texts()),
                (settings.clone(), texts.clone())
            );
        }
        assert_eq!((history.undoes(), history.piano.as_str()), (None, ""));
        history.undo(&mut connection);
        for (settings, texts) in &states[1..] {
            history.redo(&mut connection);
            assert_eq!(
                (connection.settings(), connection.texts()),
                (settings.clone(), texts.clone())
            );
        }
        assert_eq!((history.redoes(), history.piano.as_str()), (None, "Heavy"));
    }
    assert!(connection.held.is_empty() && history.open.is_empty());
}

#[test]
fn a_piano_with_a_mechanism_is_one_edit() {
    let (mut connection, mut history) = (DetachedControls::default(), History::default());
    let toy = touchback_instrument::host::preset::find("toy").unwrap().named();
    let (plain, loaded) = (connection.settings(), toy.mechanism.map(LoadedMechanism::of));
    let mut recorded = Recorded { controls: &mut connection, history: &mut history };
    recorded.recall_with(loaded.unwrap(), &toy.settings, Some("Toy"));
    assert!(connection.settings().action.mechanism.is_some());
    history.undo(&mut connection);
    assert_eq!((connection.settings(), history.undoes()), (plain, None));
    assert!(history.redo(&mut connection).is_empty());
    assert!(connection.settings().action.mechanism.is_some());
}

#[test]
fn undo_leaves_values_that_a_host_has_changed_since() {
    let (mut connection, mut history) = (DetachedControls::default(), History::default());
    let heavy = touchback_instrument::host::preset::find("heavy").unwrap().settings();
    let plain = connection.settings();
    Recorded { controls: &mut connection, history: &mut history }.recall(&heavy, Some("Heavy"));
    let moved = all().find(|p| p.get(&heavy).to_bits() != p.get(&plain).to_bits()).unwrap();
    let automated = moved.quantize(0.5 * (moved.min() + moved.max()) + 0.1);
    connection.set(moved, automated);
    let left = history.undo(&mut connection);
    assert!(left == [moved.name]);
    assert_eq!(connection.value(moved).to_bits(), automated.to_bits());
    connection.set(moved, moved.get(&plain));
    assert_eq!((connection.settings(), history.piano.as_str()), (plain, ""));
    assert!(history.redo(&mut connection).is_empty());
    assert_eq!(connection.settings(), heavy);
}

#[test]
fn a_gesture_without_change_is_no_edit_and_a_new_edit_ends_redo() {
    let (mut connection, mut history) = (DetachedControls::default(), History::default());
    let blow = find("blow_mm").unwrap();
    {
        let mut controls = Recorded { controls: &mut connection, history: &mut history };
        controls.put(blow, blow.default_value());
        controls.recall(&Settings::default(), None);
        assert!(controls.tune(None).is_ok() && controls.history.undoes().is_none());
        controls.put(blow, 44.0);
    }
    history.undo(&mut connection);
    assert_eq!(history.redoes(), Some("Blow distance"));
    Recorded { controls: &mut connection, history: &mut history }.nudge(blow, 45.0);
    assert_eq!((history.redoes(), history.done.len()), (None, 1));
    // Later nudges are edits of their own.
    history.now = 2.0;
    Recorded { controls: &mut connection, history: &mut history }.nudge(blow, 45.5);
    assert_eq!(history.done.len(), 2);
}
