//! The piano of an activated plugin, and the settings it follows.

use nice_plug::prelude::nice_log;

use crate::haptic_keyboard::Haptics;
use crate::host_params::HostValues;
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::pages::boxed;
use touchback_instrument::host::mechanism::MechanismFile;
use touchback_instrument::host::midi::Ignored;
use touchback_instrument::play::event_scheduler::{EventScheduler, latency_samples};
use touchback_instrument::{Piano, Settings};
use touchback_sound::tuning::scala::Scale;

/// The state that activation builds.
pub(super) struct Active {
    pub(super) player: EventScheduler,
    /// The motorized or recorded keyboard, while the plugin is active.
    pub(super) haptics: Option<Haptics>,
    pub(super) sample_rate: f64,
    pub(super) values: HostValues,
    /// The host's own values in the last block.
    pub(super) host_values: HostValues,
    pub(super) scale: Shared<Option<Scale>>,
    pub(super) mechanism: Shared<Option<MechanismFile>>,
    pub(super) keys: KeySheet,
    pub(super) settings: Box<Settings>,
    /// Whether the piano's settings have changed since it was built.
    pub(super) changed: bool,
    /// Ignored messages already reported to the log.
    reported: Ignored,
    /// Latency of the last request to the host, samples.
    pub(super) requested_latency: u32,
}

impl Active {
    /// Built for `values`. Allocates.
    pub(super) fn new(
        sample_rate: f64,
        values: HostValues,
        scale: Shared<Option<Scale>>,
        mechanism: Shared<Option<MechanismFile>>,
        keys: KeySheet,
    ) -> Self {
        let settings = boxed(|| settings(values, &scale, &mechanism, &keys));
        let player = EventScheduler::new(Piano::new(sample_rate, &settings));
        let requested_latency = latency_samples(&settings, sample_rate);
        Self {
            player,
            haptics: None,
            sample_rate,
            values,
            host_values: values,
            scale,
            mechanism,
            keys,
            settings,
            changed: false,
            reported: Ignored::default(),
            requested_latency,
        }
    }

    /// The current latency, samples, which stays until the next activation.
    pub(super) fn latency(&self) -> u32 {
        u32::try_from(self.player.latency()).unwrap_or(0)
    }

    /// Whether the settings need a restart for another latency; true once for each new latency.
    pub(super) fn wants_restart(&mut self) -> bool {
        let wanted = latency_samples(&self.settings, self.sample_rate);
        std::mem::replace(&mut self.requested_latency, wanted) != wanted && wanted != self.latency()
    }

    /// Logs the messages that were ignored since the last report.
    pub(super) fn report(&mut self, unsent: u64, unmapped: u64, untuned: u64) {
        let ignored = self.player.ignored();
        let fresh = |now: u64, before: u64| now.saturating_sub(before);
        let counts = self.player.counts();
        for (count, what) in [
            (fresh(ignored.outside, self.reported.outside), "notes outside A0 to C8"),
            (fresh(ignored.invalid, self.reported.invalid), "messages whose value is not a number"),
            (fresh(ignored.foreign, self.reported.foreign), "expressions a piano does not have"),
            (counts.aftertouch, "key pressures, read as aftertouch"),
            (unmapped, "notes that the tuning master filters"),
            (untuned, "tuning messages, of which there were too many at once"),
            (unsent, "strikes and pedals that the host did not accept"),
        ] {
            if count > 0 {
                nice_log!("Touchback left out {count} {what}");
            }
        }
        if counts.missed_repetitions > 0 {
            let missed = counts.missed_repetitions;
            nice_log!("Touchback missed {missed} strict repetitions");
        }
        if counts.unbalanced > 0 {
            let unbalanced = counts.unbalanced;
            nice_log!(
                "Touchback did not close the energy balance of {unbalanced} motions of a key"
            );
        }
        self.reported = ignored;
    }

    /// Passes new settings to the piano if they differ from its own; `scale`, `mechanism` and `keys` where they were
    /// published since the last call.
    pub(super) fn follow(
        &mut self,
        values: HostValues,
        scale: Option<&Shared<Option<Scale>>>,
        mechanism: Option<&Shared<Option<MechanismFile>>>,
        keys: Option<&KeySheet>,
    ) {
        let is_as_before = scale.is_none() && mechanism.is_none() && keys.is_none();
        if values == self.values && is_as_before {
            return;
        }
        self.values = values;
        if let Some(scale) = scale {
            self.scale.clone_from(scale);
        }
        if let Some(mechanism) = mechanism {
            self.mechanism.clone_from(mechanism);
        }
        if let Some(keys) = keys {
            self.keys.clone_from(keys);
        }
        let settings = settings(values, &self.scale, &self.mechanism, &self.keys);
        if settings != *self.settings {
            if let Some(haptics) = &mut self.haptics
                && settings.action != self.settings.action
            {
                haptics.regulate(&settings.action);
            }
            *self.settings = settings;
            self.changed = true;
            self.player.set(&self.settings);
        }
    }
}

/// The settings of a project.
pub(super) fn settings(
    values: HostValues,
    scale: &Shared<Option<Scale>>,
    mechanism: &Shared<Option<MechanismFile>>,
    keys: &KeySheet,
) -> Settings {
    let mut settings = values.settings();
    settings.sound.scale = scale.clone();
    settings.action.mechanism.clone_from(mechanism);
    settings.set_key_sheet(keys.clone());
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_params::HostParams;
    use nice_plug::params::Params;
    use touchback_sound::tuning::scala::texts::{PYTHAGOREAN, Texts};

    const RATE: f64 = 48_000.0;

    /// The values of a project in which the parameter `id` has the value `normalized` of its range (0…1).
    fn values(id: &str, normalized: f32) -> HostValues {
        let params = HostParams::default();
        let map = params.param_map();
        let (_, parameter, _) = map.iter().find(|(known, ..)| known == id).unwrap();
        // SAFETY: the parameters live until the end of this function.
        unsafe { parameter._internal_set_normalized_value(normalized) };
        params.values()
    }

    fn active() -> Active {
        let values = HostParams::default().values();
        Active::new(RATE, values, Shared::NEUTRAL, Shared::NEUTRAL, KeySheet::default())
    }

    #[test]
    fn only_changed_settings_reach_the_piano() {
        let standard = HostParams::default().values();
        let scale = Texts { name: "twelve.scl".into(), scale: PYTHAGOREAN.to_owned(), map: None };
        let scale = Some(scale.scale().unwrap()).into();
        let mut active = active();
        active.follow(standard, None, None, None);
        assert!(!active.changed);
        let heavy = values("hammer_mass", 1.0);
        active.follow(heavy, Some(&Shared::NEUTRAL), None, Some(&KeySheet::default()));
        assert!(std::mem::take(&mut active.changed));
        let (none, even) = (&Shared::NEUTRAL, &KeySheet::default());
        assert_eq!(*active.settings, settings(heavy, none, &Shared::NEUTRAL, even));
        assert_eq!(active.player.piano().settings().action, active.settings.action);
        active.follow(heavy, Some(&scale), None, None);
        assert!(std::mem::take(&mut active.changed) && active.settings.sound.scale == scale);
        active.follow(heavy, Some(&scale), None, None);
        assert!(!active.changed);
        active.follow(heavy, None, None, None);
        assert!(!active.changed);
    }

    /// Once for each latency that differs from the current one.
    #[test]
    fn a_restart_is_requested_once_for_another_latency() {
        let mut active = active();
        assert!(!active.wants_restart() && active.latency() == 72, "of the output guard");
        let ahead = values("timing", 1.0);
        active.follow(ahead, None, None, None);
        assert!(active.settings.touch.latency_samples(RATE) > 0);
        assert!(active.wants_restart() && !active.wants_restart());
        assert_eq!(active.latency(), 72, "until the next activation");
        active.follow(HostParams::default().values(), None, None, None);
        assert!(!active.wants_restart(), "back at the current latency");
    }

    #[test]
    fn an_activation_has_the_latency_of_its_settings() {
        let ahead = values("timing", 1.0);
        let mut active =
            Active::new(RATE, ahead, Shared::NEUTRAL, Shared::NEUTRAL, KeySheet::default());
        let wanted = latency_samples(&active.settings, RATE);
        assert!(wanted > 72 && active.latency() == wanted && !active.wants_restart());
    }
}
