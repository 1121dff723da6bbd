//! Every action by name: as a serializable model, and as a playable key.

use serde::{Deserialize, Serialize};

use crate::penalty_model::{self, PenaltyModel};
use touchback_action::built_in::{BuiltIn, built_ins};
use touchback_action::grand::design::concert::Design;
use touchback_action::grand::{self, GrandKey, GrandState, Phase, design::thesis, key::rest};
use touchback_action::interface::kind::REFERENCE;
use touchback_action::interface::numbers::SpecError;
use touchback_action::simple::{
    ActionKey, ball, harpsichord, model_a, model_b, simplified, viennese,
};
use touchback_action::{ActionKind, ActionSettings, Key};
use touchback_core::math::compass::KeyNumber;

/// A key of an action as notes play it, at rest. Allocates.
///
/// It differs from [`Model::of`] where that model is not playable: models A and B get a key bed at which the
/// hammer leaves, the ball is damped so that it comes to rest, and the thesis's key begins in balance.
#[must_use]
pub fn played(kind: ActionKind, key: KeyNumber, settings: &ActionSettings) -> Box<dyn Key> {
    match kind {
        ActionKind::Grand => Box::new(GrandKey::new(key, settings)),
        ActionKind::Thesis => GrandKey::thesis().duplicate(),
        ActionKind::File => of_file(key, settings),
        kind => Model::built_in(kind, key, settings, true).start(),
    }
}

/// A key of an action as a haptic keyboard renders it, at rest: the grand's and the thesis's as notes play them, the others
/// as [`Model::of`] has them. Allocates.
#[must_use]
pub fn rendered(kind: ActionKind, key: KeyNumber, settings: &ActionSettings) -> Box<dyn Key> {
    match kind {
        // Unlike a key of a model the grand's follows changes of regulation, and the thesis's is in balance.
        ActionKind::Grand | ActionKind::Thesis | ActionKind::File => played(kind, key, settings),
        kind => Model::of(kind, key, settings).start(),
    }
}

/// The key `key` of the mechanism in `settings`; the grand's without one.
fn of_file(key: KeyNumber, settings: &ActionSettings) -> Box<dyn Key> {
    match &*settings.mechanism {
        Some(mechanism) => mechanism.key(key),
        None => Box::new(GrandKey::new(key, settings)),
    }
}

/// Defines [`Model`] and what it has for each built-in mechanism.
macro_rules! models {
    ($({ $($(#[$about:meta])* $kind:ident $module:ident $name:literal $label:literal $title:literal;)* })*) => {
        /// The specification of one key of an action, with its initial state where that does not follow from it.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum Model {
            /// The grand action, in either parameter set.
            Grand {
                /// Initial submodel.
                phase: Phase,
                /// Initial angles of key, hammer and repetition lever, rad, and damper height, m.
                start: [f64; 4],
                /// Initial turn of the jack off its stop, rad; older files have the jack on its stop.
                #[serde(default)]
                start_jack: f64,
                /// Initial bend of the hammer's shank, rad; older files have a straight shank.
                #[serde(default)]
                start_bend: f64,
                /// Dimensions, masses, springs, felts, frictions, screws.
                model: Box<grand::Spec>,
            },
            /// The grand action as a coupled force balance.
            #[serde(rename = "reference")]
            PenaltyModel {
                /// Angles of key, hammer and repetition lever from which the rest pose is searched, rad.
                near: [f64; 3],
                /// Joints and hard contacts.
                coupling: penalty_model::Coupling,
                /// As in [`Model::Grand`].
                model: Box<grand::Spec>,
            },
            $($(
                $(#[$about])*
                #[serde(rename = $name)]
                $kind {
                    /// The numbers of the key.
                    model: $module::Spec,
                },
            )*)*
        }

        impl Model {
            /// The model of `key` of a built-in mechanism, as notes play it or as it is; the grand's for other actions.
            fn built_in(
                kind: ActionKind,
                key: KeyNumber,
                settings: &ActionSettings,
                is_played: bool,
            ) -> Self {
                let grand = || Design::new(key).build(settings);
                match kind {
                    ActionKind::Grand | ActionKind::Thesis | ActionKind::File => {
                        let built = grand();
                        let near = &built.regulated.rest;
                        Self::grand(&rest::pose(&built.spec, near), built.spec)
                    }
                    $($(ActionKind::$kind => Self::$kind {
                        model: match is_played {
                            true => <$module::Spec as BuiltIn>::played(key, grand),
                            false => <$module::Spec as BuiltIn>::of_key(key, grand),
                        },
                    },)*)*
                }
            }

            /// Checks the values of a built-in mechanism.
            fn check_built_in(&self) -> Result<(), SpecError> {
                match self {
                    $($(Self::$kind { model } => model.check(),)*)*
                    Self::Grand { .. } | Self::PenaltyModel { .. } => Ok(()),
                }
            }

            /// A key of the model in its initial state. Allocates.
            #[must_use]
            pub fn start(self) -> Box<dyn Key> {
                match self {
                    Self::Grand { phase, start, start_jack, start_bend, model } => {
                        use grand::state::{BEND, DAMPER, HAMMER, JACK, KEY, LEVER};
                        let mut x = [0.0; grand::STATES];
                        [x[KEY], x[HAMMER], x[LEVER], x[DAMPER]] = start;
                        [x[JACK], x[BEND]] = [start_jack, start_bend];
                        Box::new(GrandKey::from_state(*model, GrandState { phase, x }))
                    }
                    Self::PenaltyModel { near, coupling, model } => {
                        Box::new(PenaltyModel::new(model, coupling, &near))
                    }
                    $($(Self::$kind { model } => Box::new(ActionKey::new(model)),)*)*
                }
            }
        }
    };
}

built_ins!(models);

impl Model {
    /// The model of `key` of the action `name` with `settings`; `None` for a name that is not in
    /// [`NAMES`](touchback_action::interface::kind::NAMES).
    #[must_use]
    pub fn named(name: &str, key: KeyNumber, settings: &ActionSettings) -> Option<Self> {
        if name == REFERENCE {
            let built = Design::new(key).build(settings);
            let (near, coupling) = (built.regulated.rest, penalty_model::Coupling::default());
            return Some(Self::PenaltyModel { near, coupling, model: Box::new(built.spec) });
        }
        let kind = ActionKind::named(name).filter(|kind| *kind != ActionKind::File)?;
        Some(Self::of(kind, key, settings))
    }

    /// The model of `key` of an action that notes can play, with `settings`; the grand's for a mechanism from a file.
    #[must_use]
    pub fn of(kind: ActionKind, key: KeyNumber, settings: &ActionSettings) -> Self {
        match kind {
            ActionKind::Thesis => Self::grand(&thesis::initial(), thesis::build().spec),
            kind => Self::built_in(kind, key, settings, false),
        }
    }

    /// The grand's key `spec`, which starts at the phase and positions of `start`, without speeds.
    #[must_use]
    pub fn grand(start: &GrandState, spec: grand::Spec) -> Self {
        use grand::state::{BEND, DAMPER, HAMMER, JACK, KEY, LEVER};
        let x = &start.x;
        Self::Grand {
            phase: start.phase,
            start: [x[KEY], x[HAMMER], x[LEVER], x[DAMPER]],
            start_jack: x[JACK],
            start_bend: x[BEND],
            model: Box::new(spec),
        }
    }

    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        match self {
            Self::Grand { start, start_jack, start_bend, model, .. } => {
                model.check()?;
                grand::equations::stability::check(model)?;
                if let Some(&value) = start.iter().find(|v| !v.is_finite()) {
                    let must = "four finite numbers";
                    return Err(SpecError::Value { name: "start", value, must });
                }
                for (name, value) in [("start_jack", *start_jack), ("start_bend", *start_bend)] {
                    if !value.is_finite() {
                        return Err(SpecError::Value { name, value, must: "a finite number" });
                    }
                }
                Ok(())
            }
            Self::PenaltyModel { near, coupling, model } => {
                penalty_model::usable(model, coupling)?;
                let bad = near.iter().find(|v| !v.is_finite());
                bad.map_or(Ok(()), |&value| {
                    Err(SpecError::Value { name: "near", value, must: "three finite numbers" })
                })
            }
            _ => self.check_built_in(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::interface::elements::Elements;
    use touchback_action::interface::key::{DynamicsCompensation, LIGHTEST};
    use touchback_action::interface::kind::NAMES;
    use touchback_action::interface::readout::Table;
    use touchback_action::{Drive, STEP};

    #[test]
    fn every_named_action_is_valid_starts_at_rest_and_has_a_pose() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let model = Model::named(name, key, &ActionSettings::default()).unwrap();
            model.check().unwrap();
            let mut played = model.start();
            let pose = played.pose();
            assert!(pose.parts.len() > 1, "{name}");
            let points = pose.parts.iter().flat_map(|p| &p.points);
            assert!(points.clone().count() > 2, "{name}");
            assert!(points.clone().all(|p| p.x.is_finite() && p.y.is_finite()), "{name}");
            // The initial coordinates of the thesis are not in balance.
            if name != "thesis" {
                let before = played.readout(Drive::Free);
                for _ in 0..800 {
                    played.step(Drive::Free, &mut |_, _| {});
                }
                let after = played.readout(Drive::Free);
                assert!((after.key - before.key).abs() < 2e-5, "{name}: {before:?} {after:?}");
                let most = if name == "grand" { 1e-7 } else { 2e-4 };
                assert!((after.hammer - before.hammer).abs() < most, "{name}");
            }
        }
        assert!(Model::named("harmonium", key, &ActionSettings::default()).is_none());
    }

    /// Without the jack's turn and the shank's bend, the key would start out of balance.
    #[test]
    fn an_exported_grand_starts_in_balance() {
        for number in [1, 40, 88] {
            let key = KeyNumber::from_index(number - 1).unwrap();
            let settings = ActionSettings::default();
            let own = GrandKey::new(key, &settings);
            let mut exported = Model::of(ActionKind::Grand, key, &settings).start();
            assert_eq!(exported.save(), own.save(), "{number}");
            for _ in 0..400 {
                exported.step(Drive::Free, &mut |_, _| {});
            }
            assert!(exported.fastest() < 1e-7, "{number}: {}", exported.fastest());
        }
    }

    #[test]
    fn a_file_without_jack_and_bend_starts_with_neither() {
        let key = KeyNumber::from_midi(60).unwrap();
        let model = Model::of(ActionKind::Grand, key, &ActionSettings::default());
        let mut file = serde_json::to_value(&model).unwrap();
        let table = file.as_object_mut().unwrap();
        assert!(table.remove("start_jack").is_some() && table.remove("start_bend").is_some());
        let old: Model = serde_json::from_value(file).unwrap();
        let (old, new) = (old.start().save().x, model.start().save().x);
        for (i, (old, new)) in old.into_iter().zip(new).enumerate() {
            let is_added = [grand::state::JACK, grand::state::BEND].contains(&i);
            assert_eq!(old, if is_added { 0.0 } else { new }, "{i}");
        }
    }

    #[test]
    fn the_losses_of_the_elements_sum_to_the_dissipated_power() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let mut played = Model::named(name, key, &ActionSettings::default()).unwrap().start();
            let drive = |i: u32| Drive::Force([if i % 1600 < 800 { 4.0 } else { 0.0 }; 2]);
            let mut steps: Vec<[f64; 2]> = Vec::new();
            let heat = |elements: &Elements| elements.iter().map(|(_, v)| v.loss).sum::<f64>();
            let (mut last, mut before) = (played.readout(drive(0)), played.elements(drive(0)));
            assert!(before.iter().count() > 1, "{name}");
            for i in 0..3200 {
                played.step(drive(i), &mut |_, _| {});
                let (now, elements) = (played.readout(drive(i)), played.elements(drive(i)));
                let mean = 0.5 * (heat(&before) + heat(&elements));
                steps.push([mean, (now.dissipated - last.dissipated) / STEP]);
                if name != REFERENCE {
                    let lossy = elements.iter().filter(|(element, _)| element.is_lossy);
                    let heats = lossy.map(|(element, value)| (element.name, value.loss));
                    assert!(heats.eq(now.losses.iter()), "{name}");
                }
                (last, before) = (now, elements);
            }
            let most = steps.iter().fold(0.0, |most: f64, [power, _]| most.max(*power));
            assert!(most > 1e-3, "{name}: {most}");
            // In steps with the beginning or end of a contact, the mean of both ends differs.
            let close = |[power, heat]: &&[f64; 2]| (power - heat).abs() < 0.02 * most;
            let share = steps.iter().filter(close).count();
            assert!(share > 3100, "{name}: {share} of 3200, {most} W");
        }
    }

    /// Names of the elements between key and hammer of the action `name`.
    fn contacts_of(name: &str) -> &'static [&'static str] {
        macro_rules! contacts {
            ($({ $($(#[$about:meta])* $kind:ident $module:ident $name:literal $label:literal $title:literal;)* })*) => {
                match name {
                    $($($name => <$module::Spec as BuiltIn>::CONTACTS,)*)*
                    _ => &["knuckle_on_jack"],
                }
            };
        }
        built_ins!(contacts)
    }

    /// The elements have the force between key and hammer that the readings have, bit for bit, and names and units
    /// that can be columns.
    #[test]
    fn the_forces_of_the_elements_are_those_of_the_readings() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let contacts = contacts_of(name);
            let mut played = Model::named(name, key, &ActionSettings::default()).unwrap().start();
            let drive = |i: u32| Drive::Force([if i % 1600 < 800 { 6.0 } else { 0.0 }; 2]);
            let mut pressed = 0;
            for i in 0..1600 {
                played.step(drive(i), &mut |_, _| {});
                let columns: Vec<_> = played.elements(drive(i)).columns().collect();
                let of = |part: &&str| {
                    columns.iter().find(|(name, _)| *name == format!("{part}_n")).unwrap().1
                };
                let contact = played.readout(drive(i)).contact_force;
                let sum = contacts.iter().map(of).sum::<f64>();
                assert!(sum == contact, "{name}: {sum} {contact}");
                pressed += u32::from(contact > 0.0);
                if i == 0 {
                    let mut names: Vec<_> = columns.iter().map(|(name, _)| name).collect();
                    names.sort();
                    names.dedup();
                    assert_eq!(names.len(), columns.len(), "{name}");
                    let is_plain =
                        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                    assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
                }
            }
            assert!(pressed > 10, "{name}: {pressed}");
        }
    }

    /// Every change of submodel under changing forces is a transition of the graph, and the graph names the submodels.
    #[test]
    fn the_graph_has_every_transition_that_happens() {
        let key = KeyNumber::from_midi(60).unwrap();
        for kind in ActionKind::BUILT_IN {
            let mut running = played(kind, key, &ActionSettings::default());
            let mut random = touchback_core::math::random::Random::new(5);
            let (mut seen, mut force) = (std::collections::BTreeSet::new(), 0.0);
            for step in 0..16_000u32 {
                if step % 160 == 0 {
                    force = if random.share() < 0.4 { 0.0 } else { 25.0 * random.share() };
                }
                let from = running.save().phase;
                running.step(Drive::Force([force; 2]), &mut |_, _| {});
                let to = running.save().phase;
                let graph = running.graph();
                assert_eq!(graph.name(to), running.readout(Drive::Free).phase, "{kind:?}");
                // Several transitions within one step show as one change.
                let reach = |from: u8| {
                    graph.transitions.iter().filter(move |t| t.from == from).map(|t| t.to)
                };
                let is_near = reach(from).any(|a| a == to || reach(a).any(|b| b == to));
                assert!(from == to || is_near, "{kind:?}: {from} to {to}");
                seen.extend((from != to).then_some((from, to)));
            }
            assert!(seen.len() > 1, "{kind:?} {seen:?}");
        }
    }

    #[test]
    fn a_key_restored_from_a_saved_state_continues_bit_for_bit() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let model = Model::named(name, key, &ActionSettings::default()).unwrap();
            let mut first = model.start();
            let mut other = first.duplicate();
            let push = |i: u32| Drive::Force([if i % 800 < 500 { 3.0 } else { 0.0 }; 2]);
            for i in 0..777 {
                first.step(push(i), &mut |_, _| {});
            }
            other.adopt(&first.save());
            for i in 777..3000 {
                first.step(push(i), &mut |_, _| {});
                other.step(push(i), &mut |_, _| {});
            }
            assert!(first.save() == other.save() && first.work() > 0.0, "{name}");
            assert!(first.fastest() > 0.0, "{name}");
            // A compensation above the key's mass leaves the least mass; that of model B is lower still.
            if name != REFERENCE {
                let more = DynamicsCompensation { mass: 1e3, ..DynamicsCompensation::default() };
                let taken = more.mass - first.compensate(&more).mass;
                assert!((-LIGHTEST..1.0).contains(&taken), "{name}: {taken} kg");
                let left = first.compensate(&DynamicsCompensation::default()).mass;
                assert!(if name == "model-b" { left > 0.0 } else { left == 0.0 }, "{name}");
            }
        }
    }

    #[test]
    fn the_energy_balance_closes_for_every_drive_of_every_action() {
        let key = KeyNumber::from_midi(60).unwrap();
        let raised =
            |t: f64| 0.004 * (1.0 - (std::f64::consts::PI * (t / 0.1).clamp(0.0, 1.0)).cos());
        for name in NAMES {
            let fresh = || Model::named(name, key, &ActionSettings::default()).unwrap().start();
            for kind in 0..4 {
                let mut played = fresh();
                let start = played.readout(Drive::Free).imbalance();
                let mut worst = 0.0f64;
                let mut moved = 0.0f64;
                for i in 0..1600 {
                    let at = |i: i32| {
                        let t = f64::from(i) * STEP;
                        match kind {
                            0 => 2.0,
                            1 => (0.2 * t).min(0.02),
                            3 => 3.0,
                            _ => raised(t),
                        }
                    };
                    let ends = [at(i), at(i + 1)];
                    let drive = match kind {
                        0 => Drive::Force(ends),
                        1 => Drive::Finger(ends),
                        3 => Drive::Wave { force: ends[0], impedance: 20.0 },
                        _ => Drive::along(raised, f64::from(i) * STEP),
                    };
                    played.step(drive, &mut |_, _| {});
                    let view = played.readout(drive);
                    worst = worst.max((view.imbalance() - start).abs());
                    moved = moved.max(view.key);
                    assert!(view.key_force.is_finite() && view.hammer.is_finite(), "{name}");
                }
                assert!(moved > 3e-3, "{name} {kind}: {moved}");
                // A thousandth of the energy of an ordinary stroke.
                assert!(worst < 3e-5, "{name} {kind}: {worst} J");
            }
        }
    }

    #[test]
    fn every_action_fills_its_columns_without_quotes() {
        let key = KeyNumber::from_midi(60).unwrap();
        for name in NAMES {
            let model = Model::named(name, key, &ActionSettings::default()).unwrap();
            let mut mechanism = model.start();
            mechanism.step(Drive::Force([1.0; 2]), &mut |_, _| ());
            let mut table = Table::new(Vec::new());
            table.row(STEP, &mechanism.readout(Drive::Force([1.0; 2]))).unwrap();
            let text = String::from_utf8(table.finish().unwrap()).unwrap();
            let counts: Vec<_> = text.lines().map(|line| line.split(',').count()).collect();
            assert_eq!(counts, [counts[0]; 2], "{name}");
            assert!(!text.contains(['"', '\r', ' ']), "{name}: {text}");
        }
    }
}
