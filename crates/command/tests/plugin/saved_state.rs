//! States that a host saves and loads: whole, damaged and made up.

use crate::clap_host::{LENGTH, RATE, music, parameter, sounds_finite};
use crate::host::{Message, Plugin, bits, control, library};
use touchback_core::math::random::Random;
use touchback_instrument::host::params;

#[test]
fn a_saved_project_is_restored() {
    let entry = library();
    let mut plugin = Plugin::active(&entry, RATE);
    let changes: Vec<_> = params::all()
        .enumerate()
        .map(|(i, p)| {
            let position = if p.choices().is_empty() { 0.3 + 0.01 * i as f64 } else { 1.0 };
            (0, control(p, position))
        })
        .collect();
    plugin.processor().render([1], &changes);
    let controls: Vec<_> = params::all().map(|p| plugin.control(p)).collect();
    let saved = plugin.save();
    plugin.activate(RATE).unwrap();
    let notes: Vec<_> =
        music().into_iter().filter(|(_, send)| !matches!(send, Message::Parameter(..))).collect();
    let expected = bits(&plugin.processor().render([LENGTH], &notes));

    let mut other = Plugin::new(&entry);
    assert!(params::all().zip(&controls).any(|(p, c)| other.control(p) != *c));
    assert!(other.load(&saved));
    for (parameter, control) in params::all().zip(&controls) {
        assert_eq!(other.control(parameter), *control, "{}", parameter.id);
    }
    assert_eq!(other.save(), saved);
    other.activate(RATE).unwrap();
    assert!(bits(&other.processor().render([LENGTH], &notes)) == expected);

    // A state can be loaded into a playing instance; after a reset it sounds as saved.
    let mut playing = Plugin::active(&entry, RATE);
    playing.processor().render([1_000], &music());
    assert!(playing.load(&saved));
    playing.processor().render([100], &[]);
    playing.activate(RATE).unwrap();
    assert!(bits(&playing.processor().render([LENGTH], &notes)) == expected);
}

/// A state in the framework's format: the length of a JSON text, and the text.
fn state(json: &str) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes
}

#[test]
fn bad_state_is_refused_or_made_safe() {
    let entry = library();
    let defaults: Vec<_> = {
        let mut plugin = Plugin::new(&entry);
        params::all().map(|p| plugin.control(p)).collect()
    };
    let good = Plugin::new(&entry).save();
    let mut refused: Vec<Vec<u8>> = vec![
        vec![],
        vec![0; 3],
        vec![0; 8],
        vec![0xFF; 64],
        state(""),
        state("null"),
        state("[]"),
        state("{}"),
        state("{\"params\":{}}"),
        state("{\"params\":{\"blow_mm\":{\"f32\":\"wide\"}},\"fields\":{}}"),
        state("{\"version\":\"0.1.0\",\"params\":{\"blow_mm\":47},\"fields\":{}}"),
    ];
    for cut in [9, good.len() / 2, good.len() - 1] {
        refused.push(good[..cut].to_vec());
    }
    for bytes in refused {
        let mut plugin = Plugin::active(&entry, RATE);
        assert!(!plugin.load(&bytes), "{:?}", String::from_utf8_lossy(&bytes));
        for (parameter, default) in params::all().zip(&defaults) {
            assert_eq!(plugin.control(parameter), *default, "{}", parameter.id);
        }
        sounds_finite(plugin.processor());
    }
    let blow = parameter("blow_mm");
    for (entry_text, text) in [
        ("\"blow_mm\":{\"f32\":1e30}", "54.0 mm"),
        ("\"blow_mm\":{\"f32\":-1e30}", "38.0 mm"),
        ("\"blow_mm\":{\"f32\":1e300}", "47.0 mm"),
        ("\"blow_mm\":{\"bool\":true}", "47.0 mm"),
        ("\"blow_mm\":{\"i32\":44}", "44.0 mm"),
        ("\"timing\":{\"i32\":2000000000}", "47.0 mm"),
        ("\"unheard_of\":{\"f32\":1.0}", "47.0 mm"),
    ] {
        let mut plugin = Plugin::active(&entry, RATE);
        plugin.processor().render([1], &[(0, control(blow, 0.1))]);
        assert!(plugin.load(&state(&format!("{{\"params\":{{{entry_text}}},\"fields\":{{}}}}"))));
        let control = plugin.control(blow);
        assert_eq!(plugin.text(blow, control), text, "{entry_text}");
        for parameter in params::all() {
            let control = plugin.control(parameter);
            assert!(control.is_finite(), "{entry_text}: {}", parameter.id);
        }
        sounds_finite(plugin.processor());
    }
}

/// Saved bytes with a changed byte, or a missing or doubled piece, are refused or made safe.
#[test]
fn damaged_state_is_refused_or_made_safe() {
    let entry = library();
    let mut plugin = Plugin::active(&entry, RATE);
    let good = plugin.save();
    let listed = plugin.host.parameters().unwrap();
    let (mut loaded, mut random) = (0, Random::new(1));
    let mut below = |sides: usize| usize::try_from(random.below(sides as u64)).unwrap();
    for round in 0..400 {
        let mut bytes = good.clone();
        let (at, length) = (below(bytes.len()), below(40));
        let to = (at + length).min(bytes.len());
        match round % 4 {
            0 => bytes[at] ^= 1 << below(8),
            1 => bytes[at] = b'0' + u8::try_from(below(10)).unwrap(),
            2 => drop(bytes.drain(at..to)),
            _ => bytes.extend_from_within(at..to),
        }
        loaded += u32::from(plugin.load(&bytes));
        for (parameter, listed) in params::all().zip(&listed) {
            let (low, high, control) = (listed.min, listed.max, plugin.control(parameter));
            assert!((low..=high).contains(&control), "round {round}: {} {control}", parameter.id);
        }
        if round % 20 == 0 {
            sounds_finite(plugin.processor());
        }
    }
    assert!(loaded > 10, "only {loaded} of 400 were taken: they try little");
}
