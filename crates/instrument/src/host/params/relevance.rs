//! Parameters without effect under given settings, and the reasons.

use crate::Settings;
use crate::host::params::table::find;
use crate::host::params::{Parameter, ParameterGroup};
use crate::settings::{Switch, Timing, VelocityMap};
use touchback_action::ActionKind;

/// Parameters of the hammers, which every action but the harpsichord has.
const HAMMERS: [&str; 4] = ["hammer_mass", "strike_weight_g", "hammer_hardness", "strike_point"];

/// Parameters with an effect under every action: unevenness changes the unisons under all of them.
const OF_EVERY_ACTION: [&str; 3] = ["action", "unevenness", "unevenness_seed"];

/// Whether `parameter` belongs to the action or its hammers.
#[must_use]
pub fn is_of_action(parameter: &Parameter) -> bool {
    matches!(parameter.group, ParameterGroup::Regulation | ParameterGroup::Action)
        || HAMMERS.contains(&parameter.id)
}

/// The reason, in one sentence, why the parameter `id` has no effect under `settings`; `None` where it has
/// one, and for an unknown id.
#[must_use]
pub fn relevance(settings: &Settings, id: &str) -> Option<&'static str> {
    let parameter = find(id).ok()?;
    if is_of_action(parameter) && !OF_EVERY_ACTION.contains(&id) {
        return missing_part(settings.action.played(), id);
    }
    let touch = &settings.touch;
    let immediate = touch.timing == Timing::Immediate;
    match id {
        "velocity_means" if settings.action.played() != ActionKind::Grand => Some(
            "Only the grand's regulation affects the hammer speed of an effort: on this action \
                  the hammer has the velocity's speed.",
        ),
        "velocity_means" if !immediate => Some(
            "This parameter applies to immediate timing only: other timings always use Finger.",
        ),
        "strict_repetition" if !immediate => Some(
            "This parameter applies to immediate timing only: in other timings the simulated action decides.",
        ),
        "latency" if touch.timing != Timing::LookAhead => {
            Some("Only look-ahead timing has a latency.")
        }
        "mpe_bend_range" if settings.midi.mpe == Switch::Off => {
            Some("This parameter applies only if MPE is on.")
        }
        "legato_repair" if immediate => Some(
            "This parameter does not apply to immediate timing: there the note itself makes the hammer strike.",
        ),
        "softest_m_s" | "loudest_m_s"
            if !matches!(touch.velocity_map, VelocityMap::Linear | VelocityMap::Gamma) =>
        {
            Some(
                "This parameter applies to the velocity maps Linear and Gamma only: the selected \
                     map has fixed ends.",
            )
        }
        "gamma" if touch.velocity_map != VelocityMap::Gamma => {
            Some("This parameter applies to the velocity map Gamma only.")
        }
        "unevenness_seed"
            if settings.action.unevenness == 0.0 && settings.sound.evenness_db == 0.0 =>
        {
            Some("This parameter applies only if unevenness or evenness is above 0.")
        }
        "temperament" if settings.sound.scale.is_some() => {
            Some("The loaded scale file replaces the temperament.")
        }
        "room_size" | "room_time" if settings.sound.room_db <= -60.0 => {
            Some("The room is off: its level is at the minimum.")
        }
        _ => None,
    }
}

/// The reason why an `action` does not use the parameter `id` of the grand's action or hammers.
fn missing_part(action: ActionKind, id: &str) -> Option<&'static str> {
    let of_hammer = HAMMERS.contains(&id);
    match (action, action.settings()) {
        (_, Some(settings)) if of_hammer => settings.without_hammer,
        (_, Some(settings)) => (!settings.used.contains(&id)).then_some(settings.unused),
        (ActionKind::Thesis, None) if !of_hammer => Some(
            "The thesis's key has fixed parameters, most of them chosen by its author by trial and error: only \
             the grand uses this one.",
        ),
        (ActionKind::File, None) if !of_hammer => Some(
            "The mechanism from a file has parameters of its own: only the grand uses this one.",
        ),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::params::all;
    use touchback_action::grand::design::concert::Design;
    use touchback_action::keyboard::simple_keys::SimpleKey;
    use touchback_core::math::compass::KeyNumber;

    /// Data of a key of the action and of the hammers of the strings, as text.
    fn made_of(settings: &Settings) -> String {
        let key = KeyNumber::from_index(39).unwrap();
        let kind = settings.action.action;
        let built = || Design::new(key).build(&settings.action);
        let hammers = (kind != ActionKind::Harpsichord).then(|| settings.action.hammers());
        format!("{:?} {hammers:?}", SimpleKey::new(kind, key, built))
    }

    #[test]
    fn parameters_reported_without_effect_change_no_data_of_another_action() {
        for action in ActionKind::BUILT_IN.into_iter().skip(1) {
            let mut settings = Settings::default();
            settings.action.action = action;
            let before = made_of(&settings);
            let of_action = all().filter(|p| !OF_EVERY_ACTION.contains(&p.id) && is_of_action(p));
            for parameter in of_action {
                let mut changed = settings.clone();
                parameter.set(&mut changed, parameter.max());
                let idle = relevance(&settings, parameter.id);
                assert_eq!(
                    idle.is_none(),
                    made_of(&changed) != before,
                    "{action:?} {idle:?} {}",
                    parameter.id
                );
            }
        }
    }

    #[test]
    fn the_concert_grand_uses_every_part_and_reasons_are_sentences() {
        let settings = Settings::default();
        let idle: Vec<_> = all().filter(|p| relevance(&settings, p.id).is_some()).collect();
        let ids: Vec<_> = idle.iter().map(|p| p.id).collect();
        assert_eq!(
            ids,
            ["latency", "softest_m_s", "loudest_m_s", "gamma", "legato_repair", "mpe_bend_range"]
        );
        let mut natural = settings.clone();
        natural.touch.timing = Timing::Natural;
        natural.touch.velocity_map = VelocityMap::Gamma;
        let idle: Vec<_> = all().filter(|p| relevance(&natural, p.id).is_some()).collect();
        let ids: Vec<_> = idle.iter().map(|p| p.id).collect();
        assert_eq!(ids, ["latency", "velocity_means", "strict_repetition", "mpe_bend_range"]);
        for action in ActionKind::ALL {
            natural.action.action = action;
            for sentence in all().filter_map(|p| relevance(&natural, p.id)) {
                assert!(sentence.ends_with('.') && !sentence.contains('\n'), "{sentence}");
            }
        }
        assert_eq!(relevance(&settings, "harp"), None);
    }
}
