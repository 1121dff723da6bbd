//! The piano as a CLAP and VST3 instrument.
//!
//! | function | thread |
//! | --- | --- |
//! | `Touchback::activate` | host's main thread; the only place that allocates |
//! | `Touchback::process`, `reset` | host's audio thread: no allocation, lock or system call |
//! | [`state`](crate::state) | host's main thread |
//!
//! The piano receives parameters as plain [`Settings`](touchback_instrument::Settings), never as types of
//! the framework.

use std::sync::Arc;

use nice_plug::prelude::{
    ActivateContext, AudioIOLayout, AuxiliaryBuffers, Buffer, BufferConfig, ClapFeature,
    ClapPlugin, MidiConfig, Params, Plugin, PluginApi, PluginState, PortNames, ProcessContext,
    ProcessMode, ProcessStatus, RemoteControlsContext, TaskExecutor, Vst3Plugin, Vst3SubCategory,
    new_nonzero_u32, nice_log,
};

use crate::active::Active;
use crate::block_context::BlockContext;
#[cfg(feature = "window")]
use crate::editor::app::PluginEditor;
use crate::event_reader::EventReader;
use crate::guard::{Guard, catch};
use crate::haptic_keyboard::{HapticOutput, Haptics};
use crate::host_menu::HostMenu;
use crate::host_params::HostParams;
use crate::host_params::pedals::PedalFollower;
use crate::host_params::steering::Steering;
use crate::instances::LiveInstance;
use crate::project::Project;
use crate::realtime::Section;
use crate::repaint::Repaint;
use crate::system_exclusive::{HostTunings, SystemExclusive};
use crate::tuning::{Client, OutsideTuning};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::exchange::latest;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::pages::boxed;
use touchback_haptics::connection::{ActivationContext, Choice, KeyboardConnection};
use touchback_instrument::Event;
use touchback_instrument::host::mechanism::MechanismFile;
use touchback_instrument::watch::monitor::{AudioEnd, WindowEnd, link};
use touchback_sound::tuning::scala::Scale;

/// Accepted sample rates, Hz. Hosts offer up to 768 kHz; VST3's validator tests 1234 Hz and 1.23 MHz.
const SAMPLE_RATES: std::ops::RangeInclusive<f64> = 1_000.0..=1_536_000.0;

/// One instance in a host.
pub struct Touchback {
    params: Arc<HostParams>,
    /// The saved state: parameters, scale and window.
    project: Arc<Project>,
    /// The project's scale.
    scale: latest::LatestReader<Shared<Option<Scale>>>,
    /// The project's mechanism from a file.
    mechanism: latest::LatestReader<Shared<Option<MechanismFile>>>,
    /// The sheet of single keys' differences.
    keys: latest::LatestReader<KeySheet>,
    /// The parameters that MIDI controllers move.
    steering: Steering,
    /// The pedals' parameters as the piano has them.
    pedals: PedalFollower,
    /// The audio thread's end of the window's link.
    window: Box<AudioEnd>,
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "for the window alone"))]
    window_end: Option<WindowEnd>,
    /// The motorized keyboard, if the project chose one.
    connection: Arc<KeyboardConnection>,
    /// None before the first activation.
    active: Option<Box<Active>>,
    /// The tuning master of the session.
    tuning: OutsideTuning<Client>,
    /// Tunings that the host sends.
    system: HostTunings,
    /// Requests a frame of the open window.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "for the window alone"))]
    repaint: Repaint,
    /// The host's own menu of a parameter.
    menu: Arc<HostMenu>,
    /// Keeps panics of the plugin from the host.
    guard: Arc<Guard>,
    /// Events that the host's output queue did not accept.
    unsent: u64,
    /// Notes that the tuning master filters.
    unmapped: u64,
    /// The last field, so that all other memory is free when the last instance ends.
    _live: LiveInstance,
}

impl Default for Touchback {
    fn default() -> Self {
        let (project, (scale, mechanism)) = Project::new();
        let project = Arc::new(project);
        let (window, window_end) = link();
        let mut window = Box::new(window);
        let repaint = Repaint::default();
        let painter = repaint.clone();
        window.wake_by(move || painter.request());
        let even = || latest::latest(&KeySheet::EVEN).1;
        let keys = project.params.take_key_reader().unwrap_or_else(even);
        let parts = crate::pending_parts::Parts {
            params: Some(project.params.clone()),
            repaint: repaint.clone(),
            ..crate::pending_parts::Parts::default()
        };
        crate::pending_parts::set(parts.clone());
        let crate::pending_parts::Parts { menu, guard, connection, .. } = parts;
        let steering = project.params.take_steering().unwrap_or_default();
        Self {
            steering,
            pedals: PedalFollower::default(),
            params: project.params.clone(),
            project,
            scale,
            mechanism,
            keys,
            window,
            window_end: Some(window_end),
            repaint,
            menu,
            guard,
            connection,
            active: None,
            tuning: OutsideTuning::default(),
            system: HostTunings::default(),
            unsent: 0,
            unmapped: 0,
            _live: LiveInstance::default(),
        }
    }
}

impl Plugin for Touchback {
    const NAME: &'static str = "Touchback";
    const VENDOR: &'static str = "Touchback";
    const URL: &'static str = "";
    const EMAIL: &'static str = "";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    const AUDIO_IO_LAYOUTS: &'static [AudioIOLayout] = &[
        AudioIOLayout {
            main_output_channels: Some(new_nonzero_u32(2)),
            names: PortNames { layout: Some("Stereo"), ..PortNames::const_default() },
            ..AudioIOLayout::const_default()
        },
        AudioIOLayout {
            main_output_channels: Some(new_nonzero_u32(2)),
            aux_output_ports: &[new_nonzero_u32(2)],
            names: PortNames {
                layout: Some("Stereo and a distant pair"),
                aux_outputs: &["Distant"],
                ..PortNames::const_default()
            },
            ..AudioIOLayout::const_default()
        },
    ];
    // VST3 hosts send pedals only to the controllers that this setting registers.
    const MIDI_INPUT: MidiConfig = MidiConfig::MidiCCs;
    // Strikes are sent as notes, pedals and velocity prefixes as controllers.
    const MIDI_OUTPUT: MidiConfig = MidiConfig::MidiCCs;
    const SAMPLE_ACCURATE_AUTOMATION: bool = true;
    // With more events in a block the framework allocates, so the entries cut blocks into parts.
    const INPUT_EVENT_CAPACITY: usize = 16_384;

    #[cfg(feature = "window")]
    type Editor = PluginEditor;
    #[cfg(not(feature = "window"))]
    type Editor = ();
    type SysExMessage = SystemExclusive;
    /// The only task: the host's main thread opens the requested menu.
    type BackgroundTask = ();

    fn params(&self) -> Arc<dyn Params> {
        self.project.clone()
    }

    fn task_executor(&mut self) -> TaskExecutor<Self> {
        let menu = self.menu.clone();
        Box::new(move |()| catch((), || menu.open()))
    }

    #[cfg(feature = "window")]
    fn editor(
        &mut self,
        executor: nice_plug::prelude::AsyncExecutor<Self>,
    ) -> Option<Self::Editor> {
        catch(None, || {
            let end = self.window_end.take()?;
            self.menu.notify_by(move || executor.execute_gui(()));
            let Project { params, scales, mechanisms, window } = &*self.project;
            let (params, kept, scales) = (params.clone(), window.clone(), scales.clone());
            let files = (scales, mechanisms.clone());
            let (connection, repaint) = (self.connection.clone(), self.repaint.clone());
            let menu = self.menu.clone();
            Some(PluginEditor::new(params, kept, files, end, connection, repaint, menu))
        })
    }

    fn filter_state(state: &mut PluginState) {
        let is_safe = catch(false, || {
            crate::state::sanitize(state);
            true
        });
        if !is_safe {
            // An empty state leaves the piano as it is.
            state.params.clear();
            state.fields.clear();
        }
    }

    fn activate(
        &mut self,
        _layout: &AudioIOLayout,
        config: &BufferConfig,
        context: &mut impl ActivateContext<Self>,
    ) -> bool {
        self.guard.clone().run(false, || self.build(config, context))
    }

    fn reset(&mut self) {
        self.guard.clone().run((), || self.reset_piano());
    }

    fn process(
        &mut self,
        buffer: &mut Buffer,
        aux: &mut AuxiliaryBuffers,
        context: &mut impl ProcessContext<Self>,
    ) -> ProcessStatus {
        let _section = Section::enter();
        let failed = ProcessStatus::Error("a failure inside the plugin");
        let status = self.guard.clone().run(failed, || self.process_block(buffer, aux, context));
        if matches!(status, ProcessStatus::Error(_)) {
            buffer.as_slice().iter_mut().for_each(|channel| channel.fill(0.0));
            let distant = aux.outputs.iter_mut().flat_map(|output| output.as_slice());
            distant.for_each(|channel| channel.fill(0.0));
        }
        status
    }

    fn deactivate(&mut self) {
        // After a panic too, so that a keyboard's motors are switched off.
        catch((), || {
            let unsent = std::mem::take(&mut self.unsent);
            let unmapped = std::mem::take(&mut self.unmapped);
            let lost = std::mem::take(&mut self.system.lost);
            if let Some(active) = &mut self.active {
                active.haptics = None;
                active.report(unsent, unmapped, lost);
            }
        });
    }
}

impl Touchback {
    /// Builds the piano, or keeps one with the same settings; false for a rate that is not accepted.
    fn build(&mut self, config: &BufferConfig, context: &mut impl ActivateContext<Self>) -> bool {
        let sample_rate = f64::from(config.sample_rate);
        if !SAMPLE_RATES.contains(&sample_rate) {
            nice_log!("Touchback cannot run at a sample rate of {sample_rate} Hz");
            return false;
        }
        let values = self.steering.apply(&self.params.values());
        let (scale, keys) = (self.scale.read().clone(), self.keys.read().clone());
        let mechanism = self.mechanism.read().clone();
        // Hosts activate several times in a row; an unchanged piano needs only the reset that follows.
        let is_as_built = self.active.as_ref().is_some_and(|active| {
            active.sample_rate.to_bits() == sample_rate.to_bits()
                && active.values == values
                && active.scale == scale
                && active.mechanism == mechanism
                && active.keys == keys
                && !active.changed
        });
        if !is_as_built {
            self.active = Some(boxed(|| Active::new(sample_rate, values, scale, mechanism, keys)));
            self.tuning.reset();
        }
        self.window.run_at(sample_rate);
        if let Some(active) = &mut self.active {
            active.requested_latency = active.latency();
            context.set_latency_samples(active.latency());
            // The old connection must close its port before the new one opens it.
            active.haptics = None;
            self.connection.choose(Choice::of(&self.params.keyboard()));
            let activation = ActivationContext {
                owner: "the Touchback plugin",
                settings: &active.settings.action,
                sample_rate,
                block: usize::try_from(config.max_buffer_size).unwrap_or(usize::MAX),
                is_offline: config.process_mode == ProcessMode::Offline,
            };
            active.haptics = Some(Haptics::open(&self.connection, &activation));
        }
        true
    }

    /// Silences the piano and counts samples from 0 again.
    fn reset_piano(&mut self) {
        if let Some(active) = &mut self.active {
            let values = self.steering.apply(&self.params.values());
            if values != active.values {
                self.window.wake();
            }
            let (scale, keys) = (self.scale.take_update(), self.keys.take_update());
            active.follow(values, scale, self.mechanism.take_update(), keys);
            active.player.reset();
            self.pedals.reset();
            if let Some(haptics) = &mut active.haptics {
                haptics.restart();
            }
        }
    }

    /// Processes a block.
    fn process_block(
        &mut self,
        buffer: &mut Buffer,
        aux: &mut AuxiliaryBuffers,
        context: &mut impl ProcessContext<Self>,
    ) -> ProcessStatus {
        let Some(active) = &mut self.active else {
            buffer.as_slice().iter_mut().for_each(|channel| channel.fill(0.0));
            return ProcessStatus::Normal;
        };
        let host_values = self.params.values();
        let is_held = active.player.holds_settings() && active.host_values == host_values;
        active.host_values = host_values;
        // What controllers have moved and still waits takes effect at its own sample.
        let values = if is_held { active.values } else { self.steering.apply(&host_values) };
        if values != active.values {
            self.window.wake();
        }
        let (scale, keys) = (self.scale.take_update(), self.keys.take_update());
        active.follow(values, scale, self.mechanism.take_update(), keys);
        if active.wants_restart() {
            let wanted = active.requested_latency;
            match context.plugin_api() {
                // CLAP: the latency changes only at an activation.
                PluginApi::Clap => context.request_restart(),
                _ => context.set_latency_samples(wanted),
            }
        }
        if let Some(cents) = self.tuning.changed_cents(&active.settings) {
            active.player.piano().retune(&cents);
        }
        if self.window.before(active.player.piano()) {
            active.player.forget();
            if let Some(haptics) = &active.haptics {
                haptics.on_event(&Event::AllSoundOff, &active.settings);
            }
        }
        if let [left, right] = buffer.as_slice() {
            // VST3 hosts send the controllers of a sample before its notes.
            let reordered = context.plugin_api() == PluginApi::Vst3;
            if let Some(haptics) = &mut active.haptics {
                let (player, window) = (&mut active.player, &mut self.window);
                let (now, regulation) = (player.sample(), &active.settings.action);
                haptics.block(now, left.len(), regulation, |output| match output {
                    HapticOutput::Event(event) => {
                        window.record_haptic(&event, player.piano());
                        player.haptic(event);
                    }
                    HapticOutput::Step(step) => window.show_haptic(step),
                });
                if !haptics.is_joined() {
                    window.clear_haptic();
                }
            }
            let mut host = BlockContext {
                context,
                // The framework cuts blocks where a parameter changes, so the change is at the first sample.
                pedals: self.pedals.changes(self.params.pedals().travels()).into_iter(),
                events: EventReader::new(reordered),
                system: &mut self.system,
                window: &mut self.window,
                haptics: active.haptics.as_ref(),
                tuning: &self.tuning,
                settings: &active.settings,
                steering: &mut self.steering,
                values: &host_values,
                steered: None,
                tuned: None,
                unsent: &mut self.unsent,
                unmapped: &mut self.unmapped,
            };
            let distant = aux.outputs.first_mut().and_then(|pair| match pair.as_slice() {
                [far_left, far_right] if far_left.len() == left.len() => {
                    Some([&mut **far_left, &mut **far_right])
                }
                _ => None,
            });
            active.player.process_with(left, right, distant, &mut host);
            if host.steered.is_some() && !active.player.holds_settings() {
                let values = self.steering.apply(&host_values);
                let (scale, keys) = (self.scale.take_update(), self.keys.take_update());
                active.follow(values, scale, self.mechanism.take_update(), keys);
                self.window.wake();
            }
            self.window.limit(active.player.take_least_gain());
            self.window.after(active.player.piano(), left, right);
        }
        // A host may stop processing a silent piano, unless a motorized keyboard is connected: its keys may
        // be played at any time.
        if active.haptics.as_ref().is_some_and(Haptics::is_joined) {
            ProcessStatus::KeepAlive
        } else if active.player.is_idle() {
            ProcessStatus::Normal
        } else {
            ProcessStatus::Tail(active.player.tail())
        }
    }
}

impl ClapPlugin for Touchback {
    const CLAP_ID: &'static str = "org.touchback.touchback";
    const CLAP_DESCRIPTION: Option<&'static str> =
        Some("A grand piano whose action is simulated, key by key");
    const CLAP_MANUAL_URL: Option<&'static str> = None;
    const CLAP_SUPPORT_URL: Option<&'static str> = None;
    const CLAP_FEATURES: &'static [ClapFeature] = &[
        ClapFeature::Instrument,
        ClapFeature::Synthesizer,
        ClapFeature::Stereo,
        ClapFeature::Custom("touchback:physical-modelling"),
        ClapFeature::Custom("touchback:piano"),
    ];

    fn remote_controls(&self, context: &mut impl RemoteControlsContext) {
        self.params.remote_controls(context);
    }
}

impl Vst3Plugin for Touchback {
    // Projects identify the plugin by these bytes: never change them.
    const VST3_CLASS_ID: [u8; 16] = *b"TouchbackPiano01";
    const VST3_SUBCATEGORIES: &'static [Vst3SubCategory] = &[
        Vst3SubCategory::Instrument,
        Vst3SubCategory::Synth,
        Vst3SubCategory::Piano,
        Vst3SubCategory::Stereo,
    ];
}

#[cfg(test)]
mod tests;
